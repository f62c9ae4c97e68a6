//! Password hashing: argon2id as PHC strings (OWASP's first choice), off the async threads and
//! never more hashes concurrently than there are cores, so that log-ins cannot starve everything
//! else.
//!
//! Passwords are normalized (NFC, RFC 8265) before they are hashed: the same characters are different
//! bytes on different systems. A hash of other bytes is verified with them, and replaced.
//!
//! A pepper is a key outside the database, so that passwords cannot be guessed from a stolen table.
//! Each hash names its pepper (`keyid`). New hashes use the first pepper of the settings; hashes
//! with another, or with none, are replaced when their user logs in.

use crate::random::random_bytes;
use crate::secrets::Secret;
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{
    Algorithm, Argon2, KeyId, Params, ParamsBuilder, PasswordHasher, PasswordVerifier, Version,
};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization;

/// Longer passwords are refused before hashing.
pub const PASSWORD_BYTES_MAX: usize = 1024;

/// Hashes that may wait for a core; further requests are told to retry.
const WAITING_MAX: usize = 512;

/// Hashes and verifies passwords.
#[derive(Clone, Debug)]
pub struct Passwords {
    rule: Arc<Rule>,
    cores: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    /// Verified in place of a user who does not exist, so that both cases take the same time. No
    /// password has this hash: it is random.
    dummy: Secret,
}

/// Result of a password check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The password is correct.
    Right,
    /// The password is correct, and its hash should be replaced by a stronger one. That is not made
    /// here: the time of a refusal for another reason would tell that the password is right.
    RightButWeak,
    /// The password is wrong, or the user does not exist.
    Wrong,
}

/// Why a password could be neither hashed nor verified.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// Too many hashes are waiting.
    #[error("too many passwords are being checked")]
    Busy,
    /// A stored hash is malformed, or its pepper is not in the settings.
    #[error("{0}")]
    Broken(String),
}

impl Passwords {
    /// Returns argon2id with these parameters; the recommended minimum is `19456` KiB and `2`
    /// iterations.
    pub fn new(memory_kib: u32, iterations: u32, peppers: Peppers) -> Result<Self, String> {
        let rule = Rule { memory_kib, iterations, peppers };
        let dummy = rule.random_hash()?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            rule: Arc::new(rule),
            cores: Arc::new(Semaphore::new(cores)),
            queue: Arc::new(Semaphore::new(WAITING_MAX)),
            dummy,
        })
    }

    /// Returns the recommended minimum, without a pepper.
    pub fn recommended() -> Result<Self, String> {
        Self::new(19_456, 2, Peppers::default())
    }

    /// Returns the hash to store for a new password.
    pub async fn hash(&self, password: &str) -> Result<Secret, String> {
        let password = password.to_owned();
        self.run_blocking(move |rule| rule.hash(&password))
            .await
            .map_err(|failure| failure.to_string())
    }

    /// Verifies a password against a user's hash, or takes as long if there is no user.
    pub async fn verify(&self, password: &str, hash: Option<&Secret>) -> Result<Verdict, Failure> {
        let user_exists = hash.is_some();
        let hash = hash.unwrap_or(&self.dummy).clone();
        let password = password.to_owned();
        let verdict = self.run_blocking(move |rule| rule.verify(&password, &hash)).await?;
        Ok(if user_exists { verdict } else { Verdict::Wrong })
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Rule) -> Result<T, String> + Send + 'static,
    ) -> Result<T, Failure> {
        let broken = |error: &dyn fmt::Display| Failure::Broken(error.to_string());
        let _queue_permit = self.queue.try_acquire().map_err(|_| Failure::Busy)?;
        let permit = Arc::clone(&self.cores).acquire_owned().await.map_err(|e| broken(&e))?;
        let rule = Arc::clone(&self.rule);
        let task = tokio::task::spawn_blocking(move || {
            // Released by the work itself: a caller who disconnects does not make room for another.
            let _permit = permit;
            job(&rule)
        });
        task.await.map_err(|error| broken(&error))?.map_err(|error| broken(&error))
    }
}

/// Parameters of new hashes.
#[derive(Debug)]
struct Rule {
    memory_kib: u32,
    iterations: u32,
    peppers: Peppers,
}

impl Rule {
    fn params(&self) -> Result<Params, String> {
        let mut params = ParamsBuilder::new();
        params.m_cost(self.memory_kib).t_cost(self.iterations).p_cost(1);
        if let Some((id, _)) = self.peppers.0.first() {
            params.keyid(KeyId::new(id.as_bytes()).map_err(|error| error.to_string())?);
        }
        params.build().map_err(|error| error.to_string())
    }

    fn hash(&self, password: &str) -> Result<Secret, String> {
        let password: String = password.nfc().collect();
        let argon2 = argon2(self.peppers.0.first(), self.params()?)?;
        let hash = argon2.hash_password(password.as_bytes());
        Ok(Secret::new(hash.map_err(|error| error.to_string())?.to_string()))
    }

    /// Returns a random hash with these parameters.
    fn random_hash(&self) -> Result<Secret, String> {
        let output = Output::new(&random_bytes::<32>()).map_err(|error| error.to_string())?;
        let hash = PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(&self.params()?).map_err(|error| error.to_string())?,
            salt: Some(Salt::new(&random_bytes::<16>()).map_err(|error| error.to_string())?),
            hash: Some(output),
        };
        Ok(Secret::new(hash.to_string()))
    }

    fn verify(&self, password: &str, hash: &Secret) -> Result<Verdict, String> {
        let parsed = PasswordHash::new(hash.reveal()).map_err(|error| error.to_string())?;
        let params = Params::try_from(&parsed).map_err(|error| error.to_string())?;
        let pepper = self.peppers.named(params.keyid())?;
        let argon2 = argon2(pepper, params.clone())?;
        let is_right = |text: &str| argon2.verify_password(text.as_bytes(), &parsed).is_ok();
        let normalized: String = password.nfc().collect();
        let is_normalized_right = is_right(&normalized);
        // Both are always verified, so that a wrong password takes as long.
        let is_right_as_sent = normalized != password && is_right(password);
        if !is_normalized_right && !is_right_as_sent {
            return Ok(Verdict::Wrong);
        }
        let weak = !is_normalized_right
            || params.m_cost() < self.memory_kib
            || params.t_cost() < self.iterations
            || pepper != self.peppers.0.first();
        Ok(if weak { Verdict::RightButWeak } else { Verdict::Right })
    }
}

fn argon2(pepper: Option<&Pepper>, params: Params) -> Result<Argon2<'_>, String> {
    let secret = pepper.map_or(&[][..], |(_, secret)| secret);
    Argon2::new_with_secret(secret, Algorithm::Argon2id, Version::V0x13, params)
        .map_err(|error| error.to_string())
}

type Pepper = (String, Vec<u8>);

/// Peppers by id; new hashes use the first.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Peppers(Vec<Pepper>);

impl Peppers {
    fn named(&self, id: &[u8]) -> Result<Option<&Pepper>, String> {
        if id.is_empty() {
            return Ok(None);
        }
        let pepper = self.0.iter().find(|(key_id, _)| key_id.as_bytes() == id);
        pepper
            .map(Some)
            .ok_or_else(|| "a password hash has a pepper that is not in the settings".into())
    }
}

impl FromStr for Peppers {
    type Err = String;

    /// `ID:HEX` of 32 bytes each, separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        crate::secrets::named_keys(text, 8).map(Self)
    }
}

impl fmt::Debug for Peppers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} peppers", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_right_password_is_right_and_a_wrong_one_wrong() {
        let passwords = Passwords::new(64, 1, Peppers::default()).unwrap();
        let hash = passwords.hash("correct horse").await.unwrap();
        let verdict = passwords.verify("correct horse", Some(&hash)).await.unwrap();
        assert_eq!(verdict, Verdict::Right);
        let verdict = passwords.verify("wrong horse", Some(&hash)).await.unwrap();
        assert_eq!(verdict, Verdict::Wrong);
        let no_user =
            passwords.verify("the password of a user who does not exist", None).await.unwrap();
        assert_eq!(no_user, Verdict::Wrong);
    }

    #[tokio::test]
    async fn a_password_is_the_same_in_each_unicode_form() {
        let passwords = Passwords::new(64, 1, Peppers::default()).unwrap();
        let (composed, decomposed) = ("\u{e9}\u{e9} words", "e\u{301}e\u{301} words");
        for set in [composed, decomposed] {
            let hash = passwords.hash(set).await.unwrap();
            for typed in [composed, decomposed] {
                let verdict = passwords.verify(typed, Some(&hash)).await.unwrap();
                assert_eq!(verdict, Verdict::Right, "{set} {typed}");
            }
        }
        // As another program stored it.
        let argon2 = argon2(None, passwords.rule.params().unwrap()).unwrap();
        let raw = argon2.hash_password(decomposed.as_bytes()).unwrap();
        let raw = Secret::new(raw.to_string());
        let verdict = passwords.verify(decomposed, Some(&raw)).await.unwrap();
        assert_eq!(verdict, Verdict::RightButWeak);
        let replacement = passwords.hash(decomposed).await.unwrap();
        let verdict = passwords.verify(composed, Some(&replacement)).await.unwrap();
        assert_eq!(verdict, Verdict::Right);
    }

    #[tokio::test]
    async fn a_hash_weaker_than_the_settings_is_replaced_at_log_in() {
        let hash =
            Passwords::new(64, 1, Peppers::default()).unwrap().hash("correct horse").await.unwrap();
        let stronger = Passwords::new(128, 2, Peppers::default()).unwrap();
        let verdict = stronger.verify("correct horse", Some(&hash)).await.unwrap();
        assert_eq!(verdict, Verdict::RightButWeak);
        let replacement = stronger.hash("correct horse").await.unwrap();
        let verdict = stronger.verify("correct horse", Some(&replacement)).await.unwrap();
        assert_eq!(verdict, Verdict::Right);
    }

    #[tokio::test]
    async fn peppers_rotate_without_anybody_noticing() {
        let peppers = |text: &str| {
            let keys =
                text.split(' ').map(|id| format!("{id}:{}", hex::encode([id.len() as u8; 32])));
            keys.collect::<Vec<_>>().join(",").parse::<Peppers>().unwrap()
        };
        let unpeppered = Passwords::new(64, 1, Peppers::default()).unwrap();
        let first = Passwords::new(64, 1, peppers("p1")).unwrap();
        let both = Passwords::new(64, 1, peppers("new p1")).unwrap();
        let password = "correct horse";
        let mut hash = unpeppered.hash(password).await.unwrap();
        for (passwords, id) in [(&first, "cDE"), (&both, "bmV3")] {
            let verdict = passwords.verify(password, Some(&hash)).await.unwrap();
            assert_eq!(verdict, Verdict::RightButWeak);
            let replacement = passwords.hash(password).await.unwrap();
            assert!(
                replacement.reveal().contains(&format!("keyid={id}")),
                "{}",
                replacement.reveal()
            );
            assert_eq!(
                passwords.verify(password, Some(&replacement)).await.unwrap(),
                Verdict::Right
            );
            assert_eq!(
                passwords.verify("wrong", Some(&replacement)).await.unwrap(),
                Verdict::Wrong
            );
            hash = replacement;
        }
        assert!(matches!(first.verify(password, Some(&hash)).await, Err(Failure::Broken(_))));
    }
}
