//! Token formats, and the form in which the database stores tokens.
//!
//! | | prefix | then the id of a token key, a dot, and base64url of |
//! |---|---|---|
//! | access token | `lsa_` | kind of user, session id, 256 random bits, proof |
//! | refresh token | `lsr_` | session id, 256 bits (random, or derived from its predecessor), proof |
//! | authorization code | `lsc_` | 256 random bits, proof |
//!
//! The proof is 128 bits of an HMAC under that key, which makes a token self-authenticating: junk
//! is refused without a database query, a token whose row was swept long ago can still log its
//! session out, and a forged one cannot. The database stores only the HMAC-SHA-256 of a token under
//! one of this server's keys, prefixed with the key's id.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::introspection::UserKind;
use shared::random::random_bytes;
use shared::secrets::named_keys;
use std::fmt;
use std::str::FromStr;

const ACCESS_PREFIX: &str = "lsa_";
const REFRESH_PREFIX: &str = "lsr_";
const CODE_PREFIX: &str = "lsc_";
const SESSION_BYTES: usize = 32;
const RANDOM_BYTES: usize = 32;
const PROOF_BYTES: usize = 16;

/// An access token in plain text: on its way to or from a client, never stored or logged.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken {
    text: String,
    kind: UserKind,
    session: SessionId,
}

impl AccessToken {
    /// Generates a new token of a session, for a user of this kind.
    pub fn random(keys: &TokenKeys, kind: UserKind, session: &SessionId) -> Self {
        let mut body = vec![kind_byte(kind)];
        body.extend(session.0);
        body.extend(random_bytes::<RANDOM_BYTES>());
        let text = keys.seal(ACCESS_PREFIX, body);
        Self { text, kind, session: session.clone() }
    }

    /// Parses a token that this server issued, whether or not it still has a row.
    pub fn parse(keys: &TokenKeys, text: &str) -> Option<Self> {
        let body = keys.open(ACCESS_PREFIX, text, 1 + SESSION_BYTES + RANDOM_BYTES)?;
        let kind = match body[0] {
            b'c' => UserKind::Core,
            b'w' => UserKind::Web,
            _ => return None,
        };
        let session = SessionId(body[1..=SESSION_BYTES].try_into().ok()?);
        Some(Self { text: text.to_owned(), kind, session })
    }

    /// The token as sent to the client.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Kind of user it speaks for, and so the table it is in.
    pub fn kind(&self) -> UserKind {
        self.kind
    }

    /// Session that it belongs to.
    pub fn session(&self) -> &SessionId {
        &self.session
    }
}

/// A refresh token in plain text.
#[derive(Clone, PartialEq, Eq)]
pub struct RefreshToken {
    text: String,
    session: SessionId,
}

impl RefreshToken {
    /// Generates the first token of a session.
    pub fn random(keys: &TokenKeys, session: &SessionId) -> Self {
        Self::sealed(keys, session, random_bytes())
    }

    /// Derives the token that this one is exchanged for: always the same under the key with this
    /// id.
    pub fn successor(&self, keys: &TokenKeys, key_id: &str) -> Option<Self> {
        let keys = keys.only(key_id)?;
        let message = [b"successor of ", self.text.as_bytes()].concat();
        let derived = hmac::sign(&keys.signing_key()?, &message);
        Some(Self::sealed(&keys, &self.session, derived.as_ref().try_into().ok()?))
    }

    fn sealed(keys: &TokenKeys, session: &SessionId, rest: [u8; RANDOM_BYTES]) -> Self {
        let body = [session.0, rest].concat();
        let text = keys.seal(REFRESH_PREFIX, body);
        Self { text, session: session.clone() }
    }

    /// Parses a token that this server issued, whether or not it still has a row.
    pub fn parse(keys: &TokenKeys, text: &str) -> Option<Self> {
        let body = keys.open(REFRESH_PREFIX, text, SESSION_BYTES + RANDOM_BYTES)?;
        let session = SessionId(body[..SESSION_BYTES].try_into().ok()?);
        Some(Self { text: text.to_owned(), session })
    }

    /// The token as sent to the client.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Session that its family belongs to.
    pub fn session(&self) -> &SessionId {
        &self.session
    }
}

/// An authorization code in plain text.
#[derive(Clone, PartialEq, Eq)]
pub struct Code(String);

impl Code {
    /// Generates a new code.
    pub fn random(keys: &TokenKeys) -> Self {
        Self(keys.seal(CODE_PREFIX, random_bytes::<RANDOM_BYTES>().to_vec()))
    }

    /// Parses a code that this server issued.
    pub fn parse(keys: &TokenKeys, text: &str) -> Option<Self> {
        keys.open(CODE_PREFIX, text, RANDOM_BYTES).map(|_| Self(text.to_owned()))
    }

    /// The token as sent to the client.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Id of a session, shared by all tokens of one log-in at one client.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionId([u8; SESSION_BYTES]);

impl SessionId {
    /// Generates a new session id.
    pub fn random() -> Self {
        Self(random_bytes())
    }

    /// Parses a stored session id.
    pub fn parse(text: &str) -> Option<Self> {
        Some(Self(URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?))
    }

    /// The id as stored in the database.
    pub fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }
}

/// Message of a token's proof. Domain separation: no other HMAC under these keys begins with these
/// words.
fn proof_message(prefix: &str, body: &[u8]) -> Vec<u8> {
    [b"proof of ", prefix.as_bytes(), body].concat()
}

/// Returns 256 random bits as text, for ids and cookies.
pub fn random_name() -> String {
    URL_SAFE_NO_PAD.encode(random_bytes::<RANDOM_BYTES>())
}

fn kind_byte(kind: UserKind) -> u8 {
    match kind {
        UserKind::Core => b'c',
        UserKind::Web => b'w',
    }
}

/// Keeps secrets out of logs written with `{:?}`.
macro_rules! redact_debug {
    ($($name:ident),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )*};
}
redact_debug!(AccessToken, RefreshToken, Code, SessionId);

/// Keys that sign and hash tokens: the first signs, all verify.
#[derive(Clone, Default)]
pub struct TokenKeys(Vec<(String, Vec<u8>)>);

impl TokenKeys {
    /// Returns the hash to store for a new token.
    pub fn hash(&self, token: &str) -> String {
        self.hashes(token).next().unwrap_or_default()
    }

    /// True if a stored hash was made with one of these keys.
    pub fn knows_key_of(&self, stored: &str) -> bool {
        self.0.iter().any(|(id, _)| stored.split_once(':').is_some_and(|(key_id, _)| key_id == id))
    }

    /// True if a text has the form of a token under a key that is none of these. Whether it is one,
    /// only a server with that key can tell.
    pub fn lack_key_of(&self, text: &str) -> bool {
        let prefixes = [ACCESS_PREFIX, REFRESH_PREFIX, CODE_PREFIX].into_iter();
        let rest = prefixes.filter_map(|prefix| text.strip_prefix(prefix)).next();
        let key_id = rest.and_then(|rest| rest.split_once('.')).map(|(key_id, _)| key_id);
        key_id.is_some_and(|key_id| !self.0.iter().any(|(id, _)| id == key_id))
    }

    /// Returns the ids and the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(id, key)| (id.as_str(), key.as_slice()))
    }

    /// Id of the key that signs.
    pub fn first_id(&self) -> &str {
        self.0.first().map_or("", |(id, _)| id)
    }

    /// Returns the hash of a token under the key with this id.
    pub fn hash_under(&self, key_id: &str, token: &str) -> Option<String> {
        Some(self.only(key_id)?.hash(token))
    }

    /// Returns only the key with this id.
    fn only(&self, key_id: &str) -> Option<Self> {
        self.0.iter().find(|(id, _)| id == key_id).map(|key| Self(vec![key.clone()]))
    }

    fn signing_key(&self) -> Option<hmac::Key> {
        self.0.first().map(|(_, bytes)| hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// Returns a token with this body, proven under the first key.
    fn seal(&self, prefix: &str, mut body: Vec<u8>) -> String {
        let id = self.first_id();
        if let Some(key) = self.signing_key() {
            let proof = hmac::sign(&key, &proof_message(prefix, &body));
            body.extend(&proof.as_ref()[..PROOF_BYTES]);
        }
        format!("{prefix}{id}.{}", URL_SAFE_NO_PAD.encode(body))
    }

    /// Returns a token's body, if it has this length and its proof is right.
    fn open(&self, prefix: &str, text: &str, length: usize) -> Option<Vec<u8>> {
        let (id, rest) = text.strip_prefix(prefix)?.split_once('.')?;
        let mut body = URL_SAFE_NO_PAD.decode(rest).ok()?;
        let proof = body.split_at_checked(length)?.1.to_vec();
        body.truncate(length);
        let expected = hmac::sign(&self.only(id)?.signing_key()?, &proof_message(prefix, &body));
        verify_slices_are_equal(&proof, &expected.as_ref()[..PROOF_BYTES]).ok()?;
        Some(body)
    }

    /// Returns every hash under which the token may be stored.
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
    fn a_token_round_trips_and_any_changed_character_invalidates_it() {
        let keys = keys(&["a"]);
        let token = AccessToken::random(&keys, UserKind::Web, &SessionId::random());
        assert_eq!(AccessToken::parse(&keys, token.text()), Some(token.clone()));
        for position in 0..token.text().len() {
            let mut changed = token.text().as_bytes().to_vec();
            changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(AccessToken::parse(&keys, &changed), None, "{position}");
        }
    }

    #[test]
    fn a_token_names_its_session_and_has_one_type() {
        let (keys, session) = (keys(&["a"]), SessionId::random());
        let access = AccessToken::random(&keys, UserKind::Core, &session);
        let refresh = RefreshToken::random(&keys, &session);
        assert_eq!(AccessToken::parse(&keys, access.text()).unwrap().session(), &session);
        assert_eq!(RefreshToken::parse(&keys, refresh.text()).unwrap().session(), &session);
        assert_eq!(SessionId::parse(&session.text()), Some(session));
        assert_eq!(RefreshToken::parse(&keys, access.text()), None);
        assert_eq!(Code::parse(&keys, refresh.text()), None);
        let disguised = access.text().replace("lsa_", "lsr_");
        assert_eq!(RefreshToken::parse(&keys, &disguised), None);
    }

    #[test]
    fn a_token_verifies_only_under_its_own_key() {
        let session = SessionId::random();
        let token = RefreshToken::random(&keys(&["a"]), &session);
        for (available, is_valid) in [(&["a"][..], true), (&["b", "a"], true), (&["b"], false)] {
            let parsed = RefreshToken::parse(&keys(available), token.text());
            assert_eq!(parsed.is_some(), is_valid, "{available:?}");
        }
    }

    #[test]
    fn a_token_under_an_unknown_key_is_told_from_junk() {
        let token = RefreshToken::random(&keys(&["a"]), &SessionId::random());
        assert!(keys(&["b"]).lack_key_of(token.text()));
        assert!(!keys(&["b", "a"]).lack_key_of(token.text()));
        for junk in ["", "junk", "lsa_", "lsa_xyz", "a.b"] {
            assert!(!keys(&["b"]).lack_key_of(junk), "{junk}");
        }
    }

    #[test]
    fn a_successor_is_deterministic_per_key() {
        let both = keys(&["a", "b"]);
        let token = RefreshToken::random(&both, &SessionId::random());
        let next = token.successor(&both, "a").unwrap();
        assert_eq!(token.successor(&keys(&["b", "a"]), "a").unwrap(), next);
        assert_ne!(token.successor(&both, "b").unwrap(), next);
        assert_ne!(next.successor(&both, "a").unwrap(), next);
        assert_eq!(next.session(), token.session());
        assert_eq!(RefreshToken::parse(&both, next.text()), Some(next));
        assert_eq!(token.successor(&both, "c"), None);
    }

    #[test]
    fn a_token_hashed_under_an_older_key_is_still_found_after_rotation() {
        let token = Code::random(&keys(&["a"]));
        let stored = keys(&["a"]).hash(token.text());
        let rotated = keys(&["b", "a"]);
        assert_ne!(rotated.hash(token.text()), stored);
        assert!(rotated.hashes(token.text()).any(|hash| hash == stored));
        assert!(!stored.contains(token.text()));
    }

    #[test]
    fn malformed_keys_are_refused() {
        for wrong in ["", "a", "a:zz", "a:00", ":00", &format!("a b:{}", "00".repeat(32))] {
            assert!(wrong.parse::<TokenKeys>().is_err(), "{wrong}");
        }
    }
}
