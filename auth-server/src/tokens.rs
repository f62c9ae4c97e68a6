//! Tokens: how they look, and what the database keeps of them.
//!
//! | | prefix | then base64url of |
//! |---|---|---|
//! | access token | `lsa_` | kind of user, session, 256 random bits, checksum |
//! | refresh token | `lsr_` | session, 256 random bits, checksum |
//! | authorization code | `lsc_` | 256 random bits, checksum |
//!
//! The checksum is a CRC-32 of all before it, so that junk is refused without a question to the
//! database. The session is 256 random bits itself and stands in no other place that leaves this
//! server: whoever shows one has had a token of it. So a token whose row was swept long ago still
//! logs its session out, and a refresh token used twice still names the family to end. The database
//! keeps only the HMAC-SHA-256 of a token under a key of this server, behind the id of that key.

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::introspection::UserKind;
use shared::secrecy::named_keys;
use shared::telemetry::random_bytes;
use std::fmt;
use std::str::FromStr;

const ACCESS_PREFIX: &str = "lsa_";
const REFRESH_PREFIX: &str = "lsr_";
const CODE_PREFIX: &str = "lsc_";
const SESSION_BYTES: usize = 32;
const RANDOM_BYTES: usize = 32;

/// An access token in clear: on its way to or from a client, never stored or logged.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken {
    text: String,
    kind: UserKind,
    session: SessionId,
}

impl AccessToken {
    /// A new token of a session, for a user of this kind.
    pub fn random(kind: UserKind, session: &SessionId) -> Self {
        let mut body = vec![kind_byte(kind)];
        body.extend(session.0);
        body.extend(random_bytes::<RANDOM_BYTES>());
        Self { text: seal(ACCESS_PREFIX, body), kind, session: session.clone() }
    }

    /// The token, if the text has the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let body = open(ACCESS_PREFIX, text, 1 + SESSION_BYTES + RANDOM_BYTES)?;
        let kind = match body[0] {
            b'c' => UserKind::Core,
            b'w' => UserKind::Web,
            _ => return None,
        };
        let session = SessionId(body[1..=SESSION_BYTES].try_into().ok()?);
        Some(Self { text: text.to_owned(), kind, session })
    }

    /// What the client gets.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Which kind of user it speaks for, and so which table knows it.
    pub fn kind(&self) -> UserKind {
        self.kind
    }

    /// The session it belongs to.
    pub fn session(&self) -> &SessionId {
        &self.session
    }
}

/// A refresh token in clear.
#[derive(Clone, PartialEq, Eq)]
pub struct RefreshToken {
    text: String,
    session: SessionId,
}

impl RefreshToken {
    /// A new token of a session.
    pub fn random(session: &SessionId) -> Self {
        let mut body = session.0.to_vec();
        body.extend(random_bytes::<RANDOM_BYTES>());
        Self { text: seal(REFRESH_PREFIX, body), session: session.clone() }
    }

    /// The token, if the text has the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let body = open(REFRESH_PREFIX, text, SESSION_BYTES + RANDOM_BYTES)?;
        let session = SessionId(body[..SESSION_BYTES].try_into().ok()?);
        Some(Self { text: text.to_owned(), session })
    }

    /// What the client gets.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The session whose family it belongs to.
    pub fn session(&self) -> &SessionId {
        &self.session
    }
}

/// An authorization code in clear.
#[derive(Clone, PartialEq, Eq)]
pub struct Code(String);

impl Code {
    /// A new code.
    pub fn random() -> Self {
        Self(seal(CODE_PREFIX, random_bytes::<RANDOM_BYTES>().to_vec()))
    }

    /// The code, if the text has the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        open(CODE_PREFIX, text, RANDOM_BYTES).map(|_| Self(text.to_owned()))
    }

    /// What the client gets.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// What the tokens of one log-in of one client have in common.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionId([u8; SESSION_BYTES]);

impl SessionId {
    /// A new session.
    pub fn random() -> Self {
        Self(random_bytes())
    }

    /// The session of this stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Some(Self(URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?))
    }

    /// Its name in the database.
    pub fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }
}

/// 256 random bits as text, for ids and cookies.
pub fn random_name() -> String {
    URL_SAFE_NO_PAD.encode(random_bytes::<RANDOM_BYTES>())
}

fn seal(prefix: &str, mut body: Vec<u8>) -> String {
    body.extend(checksum(prefix, &body));
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(body))
}

fn open(prefix: &str, text: &str, length: usize) -> Option<Vec<u8>> {
    let mut bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(prefix)?).ok()?;
    let check = bytes.split_at_checked(length)?.1;
    if check != checksum(prefix, &bytes[..length]) {
        return None;
    }
    bytes.truncate(length);
    Some(bytes)
}

fn kind_byte(kind: UserKind) -> u8 {
    match kind {
        UserKind::Core => b'c',
        UserKind::Web => b'w',
    }
}

fn checksum(prefix: &str, body: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(prefix.as_bytes());
    hasher.update(body);
    hasher.finalize().to_be_bytes()
}

/// A secret must not reach a log by way of `{:?}`.
macro_rules! hidden {
    ($($name:ident),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )*};
}
hidden!(AccessToken, RefreshToken, Code, SessionId);

/// The keys under which tokens are hashed: the first signs, all verify.
#[derive(Clone, Default)]
pub struct TokenKeys(Vec<(String, Vec<u8>)>);

impl TokenKeys {
    /// The hash to store for a new token.
    pub fn hash(&self, token: &str) -> String {
        self.hashes(token).next().unwrap_or_default()
    }

    /// True if the key of a stored hash is one of these.
    pub fn know(&self, stored: &str) -> bool {
        self.0.iter().any(|(id, _)| stored.split_once(':').is_some_and(|(used, _)| used == id))
    }

    /// Every hash under which the token may be stored.
    pub fn hashes(&self, token: &str) -> impl Iterator<Item = String> {
        self.0.iter().map(|(id, bytes)| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, bytes);
            format!("{id}:{}", hex::encode(hmac::sign(&key, token.as_bytes())))
        })
    }
}

impl FromStr for TokenKeys {
    type Err = String;

    /// `ID:HEX` of 32 bytes each, separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        named_keys(text, 16).map(Self)
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
        let token = AccessToken::random(UserKind::Web, &SessionId::random());
        assert_eq!(AccessToken::parse(token.text()), Some(token.clone()));
        for position in 0..token.text().len() {
            let mut changed = token.text().as_bytes().to_vec();
            changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(AccessToken::parse(&changed), None, "{position}");
        }
    }

    #[test]
    fn a_token_names_its_session_and_is_no_token_of_another_type() {
        let session = SessionId::random();
        let access = AccessToken::random(UserKind::Core, &session);
        let refresh = RefreshToken::random(&session);
        assert_eq!(AccessToken::parse(access.text()).unwrap().session(), &session);
        assert_eq!(RefreshToken::parse(refresh.text()).unwrap().session(), &session);
        assert_eq!(SessionId::parse(&session.text()), Some(session));
        assert_eq!(RefreshToken::parse(access.text()), None);
        assert_eq!(Code::parse(refresh.text()), None);
        let disguised = access.text().replace("lsa_", "lsr_");
        assert_eq!(RefreshToken::parse(&disguised), None);
    }

    #[test]
    fn a_token_hashed_under_an_older_key_is_still_found_after_rotation() {
        let token = Code::random();
        let stored = keys(&["a"]).hash(token.text());
        let rotated = keys(&["b", "a"]);
        assert_ne!(rotated.hash(token.text()), stored);
        assert!(rotated.hashes(token.text()).any(|hash| hash == stored));
        assert!(!stored.contains(token.text()));
    }

    #[test]
    fn keys_of_the_wrong_form_are_refused() {
        for wrong in ["", "a", "a:zz", "a:00", ":00", &format!("a b:{}", "00".repeat(32))] {
            assert!(wrong.parse::<TokenKeys>().is_err(), "{wrong}");
        }
    }
}
