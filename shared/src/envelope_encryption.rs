//! Master keys for envelope encryption: secrets in the database that must be readable again are
//! sealed under them.

use crate::random::random_bytes;
use crate::secrets::{Secret, named_keys};
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt;
use std::str::FromStr;

/// Keys by id: the first seals, all unseal.
#[derive(Clone, Default)]
pub struct MasterKeys(Vec<(String, Vec<u8>)>);

impl MasterKeys {
    /// Seals bytes as `ID:base64(nonce, AES-256-GCM)`. Unsealing requires the same label.
    pub fn seal(&self, label: &str, plaintext: &[u8]) -> Result<Secret, String> {
        let (id, key) = self.0.first().ok_or("there is no master key")?;
        let nonce: [u8; NONCE_LEN] = random_bytes();
        let mut sealed = plaintext.to_vec();
        cipher(key)?
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(label),
                &mut sealed,
            )
            .map_err(|_| "sealing failed")?;
        let text = STANDARD.encode([nonce.as_slice(), &sealed].concat());
        Ok(Secret::new(format!("{id}:{text}")))
    }

    /// True if it was sealed under a key other than the first, and should be sealed again.
    pub fn is_outdated(&self, sealed: &Secret) -> bool {
        let first = self.0.first().map(|(id, _)| id.as_str());
        sealed.reveal().split_once(':').map(|(id, _)| id) != first
    }

    /// Returns the ids and the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(id, key)| (id.as_str(), key.as_slice()))
    }

    /// Prefix of sealed texts that are up to date by [`MasterKeys::is_outdated`].
    pub fn current_prefix(&self) -> String {
        self.0.first().map(|(id, _)| format!("{id}:")).unwrap_or_default()
    }

    /// Unseals bytes.
    pub fn unseal(&self, label: &str, sealed: &Secret) -> Result<Vec<u8>, String> {
        let (id, text) = sealed.reveal().split_once(':').ok_or("the value is not sealed")?;
        let (_, key) = self
            .0
            .iter()
            .find(|(key_id, _)| key_id == id)
            .ok_or_else(|| format!("the master key {id:?} is not in the settings"))?;
        let mut bytes = STANDARD.decode(text).map_err(|error| error.to_string())?;
        if bytes.len() < NONCE_LEN {
            return Err("the value is not sealed".to_owned());
        }
        let mut sealed = bytes.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&bytes).map_err(|_| "the nonce is missing")?;
        let plaintext = cipher(key)?
            .open_in_place(nonce, Aad::from(label), &mut sealed)
            .map_err(|_| format!("the master key {id:?} is not the one that sealed this value"))?;
        Ok(plaintext.to_vec())
    }
}

fn cipher(key: &[u8]) -> Result<LessSafeKey, String> {
    let key = UnboundKey::new(&AES_256_GCM, key).map_err(|_| "a master key must have 32 bytes")?;
    Ok(LessSafeKey::new(key))
}

impl FromStr for MasterKeys {
    type Err = String;

    /// `ID:HEX` of 32 bytes each, separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        named_keys(text, 16).map(Self)
    }
}

impl fmt::Debug for MasterKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} master keys", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> MasterKeys {
        let key = |id: &str| format!("{id}:{}", hex::encode([id.as_bytes()[0]; 32]));
        text.split(' ').map(key).collect::<Vec<_>>().join(",").parse().unwrap()
    }

    #[test]
    fn data_sealed_under_an_older_key_is_still_readable() {
        let sealed = keys("a").seal("label", b"a key").unwrap();
        assert_eq!(keys("b a").unseal("label", &sealed).unwrap(), b"a key");
        assert!(keys("b a").seal("label", b"a key").unwrap().reveal().starts_with("b:"));
        assert!(keys("b").unseal("label", &sealed).unwrap_err().contains("not in the settings"));
        assert!(keys("b a").is_outdated(&sealed) && !keys("a b").is_outdated(&sealed));
        assert!(keys("a").unseal("other", &sealed).is_err());
        let other = format!("a:{}", hex::encode([0; 32])).parse::<MasterKeys>().unwrap();
        assert!(other.unseal("label", &sealed).is_err());
        for junk in ["", "a:", "a:AAAA", "a:!"] {
            assert!(keys("a").unseal("label", &Secret::new(junk)).is_err(), "{junk}");
        }
    }
}
