//! Tokens: how they look, and what the database keeps of them.
//!
//! A token is `lsa_` and base64url of: one byte that says which kind of user it speaks for, 256
//! random bits, and a CRC-32 of all before it, so that junk is refused without a question to the
//! database. The database keeps only the HMAC-SHA-256 of the token under a key of this server,
//! behind the id of that key.

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::introspection::UserKind;
use shared::telemetry::random_bytes;
use std::fmt;
use std::str::FromStr;

const ACCESS_PREFIX: &str = "lsa_";
const RANDOM_BYTES: usize = 32;
const BODY_BYTES: usize = 1 + RANDOM_BYTES;

/// An access token in clear: on its way to or from a client, never stored or logged.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken {
    text: String,
    kind: UserKind,
}

impl AccessToken {
    /// A new token for a user of this kind.
    pub fn random(kind: UserKind) -> Self {
        let mut body = vec![kind_byte(kind)];
        body.extend(random_bytes::<RANDOM_BYTES>());
        body.extend(checksum(&body));
        Self { text: format!("{ACCESS_PREFIX}{}", URL_SAFE_NO_PAD.encode(body)), kind }
    }

    /// The token, if the text has the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(ACCESS_PREFIX)?).ok()?;
        let (body, check) = bytes.split_at_checked(BODY_BYTES)?;
        if check != checksum(body) {
            return None;
        }
        let kind = match body[0] {
            b'c' => UserKind::Core,
            b'w' => UserKind::Web,
            _ => return None,
        };
        Some(Self { text: text.to_owned(), kind })
    }

    /// What the client gets.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Which kind of user it speaks for, and so which table knows it.
    pub fn kind(&self) -> UserKind {
        self.kind
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken")
    }
}

fn kind_byte(kind: UserKind) -> u8 {
    match kind {
        UserKind::Core => b'c',
        UserKind::Web => b'w',
    }
}

fn checksum(body: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(ACCESS_PREFIX.as_bytes());
    hasher.update(body);
    hasher.finalize().to_be_bytes()
}

/// A name for the tokens that end together.
pub fn random_session_id() -> String {
    URL_SAFE_NO_PAD.encode(random_bytes::<RANDOM_BYTES>())
}

/// The keys under which tokens are hashed: the first signs, all verify.
#[derive(Clone, Default)]
pub struct TokenKeys(Vec<(String, Vec<u8>)>);

impl TokenKeys {
    /// The hash to store for a new token.
    pub fn hash(&self, token: &AccessToken) -> String {
        self.hashes(token).next().unwrap_or_default()
    }

    /// Every hash under which the token may be stored.
    pub fn hashes(&self, token: &AccessToken) -> impl Iterator<Item = String> {
        self.0.iter().map(|(id, bytes)| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, bytes);
            format!("{id}:{}", hex::encode(hmac::sign(&key, token.text.as_bytes())))
        })
    }
}

impl FromStr for TokenKeys {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let key = |entry: &str| {
            let (id, key) = entry.split_once(':')?;
            let id_ok =
                (1..=16).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let bytes = hex::decode(key).ok().filter(|bytes| bytes.len() == 32 && id_ok)?;
            Some((id.to_owned(), bytes))
        };
        let keys: Option<Vec<_>> = text.split(',').map(|entry| key(entry.trim())).collect();
        keys.map(Self).ok_or_else(|| "expected ID:HEX of 32 bytes, separated by commas".to_owned())
    }
}

impl fmt::Debug for TokenKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} token keys", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(ids: &[&str]) -> TokenKeys {
        let entry = |id: &&str| format!("{id}:{}", hex::encode([id.as_bytes()[0]; 32]));
        ids.iter().map(entry).collect::<Vec<_>>().join(",").parse().unwrap()
    }

    #[test]
    fn a_token_reads_back_and_one_changed_character_is_junk() {
        let token = AccessToken::random(UserKind::Web);
        assert_eq!(AccessToken::parse(token.text()), Some(token.clone()));
        for position in 0..token.text().len() {
            let mut changed = token.text().as_bytes().to_vec();
            changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(AccessToken::parse(&changed), None, "{position}");
        }
    }

    #[test]
    fn a_token_hashed_under_an_older_key_is_still_found_after_rotation() {
        let token = AccessToken::random(UserKind::Core);
        let stored = keys(&["a"]).hash(&token);
        let rotated = keys(&["b", "a"]);
        assert_ne!(rotated.hash(&token), stored);
        assert!(rotated.hashes(&token).any(|hash| hash == stored));
        assert!(!stored.contains(token.text()));
    }

    #[test]
    fn keys_of_the_wrong_form_are_refused() {
        for wrong in ["", "a", "a:zz", "a:00", ":00", &format!("a b:{}", "00".repeat(32))] {
            assert!(wrong.parse::<TokenKeys>().is_err(), "{wrong}");
        }
    }
}
