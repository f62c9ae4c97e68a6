//! Passwords at rest: argon2id as PHC strings (OWASP's first choice), hashed off the async threads
//! and never more at once than there are cores, so that log-ins cannot starve everything else.

use crate::secrecy::Secret;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Longer passwords are refused before any hashing.
pub const PASSWORD_BYTES_MAX: usize = 1024;

/// Hashes and checks passwords.
#[derive(Clone, Debug)]
pub struct Passwords {
    argon2: Argon2<'static>,
    permits: Arc<Semaphore>,
    /// Checked in place of a user who does not exist, so that both take the same time.
    dummy: Secret,
}

/// What came of checking a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the user's password.
    Right,
    /// It is right, and its hash should be replaced by this one of today's strength.
    RightButWeak(Secret),
    /// It is wrong, or there is no such user.
    Wrong,
}

impl Passwords {
    /// argon2id with these parameters: `19456` KiB and `2` iterations are the recommended least.
    pub fn new(memory_kib: u32, iterations: u32) -> Result<Self, String> {
        let params = Params::new(memory_kib, iterations, 1, None).map_err(|e| e.to_string())?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let dummy = hash_now(&argon2, "the password of nobody")?;
        Ok(Self { argon2, permits: Arc::new(Semaphore::new(cores)), dummy })
    }

    /// The recommended least.
    pub fn recommended() -> Result<Self, String> {
        Self::new(19_456, 2)
    }

    /// The hash to store for a new password.
    pub async fn hash(&self, password: &str) -> Result<Secret, String> {
        let (argon2, password) = (self.argon2.clone(), password.to_owned());
        self.work(move || hash_now(&argon2, &password)).await?
    }

    /// Checks a password against a user's hash, or takes as long where there is no user.
    pub async fn verify(&self, password: &str, hash: Option<&Secret>) -> Result<Verdict, String> {
        let known = hash.is_some();
        let hash = hash.unwrap_or(&self.dummy).clone();
        let (argon2, password) = (self.argon2.clone(), password.to_owned());
        let verdict = self.work(move || verify_now(&argon2, &password, &hash)).await??;
        Ok(if known { verdict } else { Verdict::Wrong })
    }

    async fn work<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        let permit = self.permits.acquire().await.map_err(|error| error.to_string())?;
        let done = tokio::task::spawn_blocking(job).await.map_err(|error| error.to_string());
        drop(permit);
        done
    }
}

fn hash_now(argon2: &Argon2<'static>, password: &str) -> Result<Secret, String> {
    let hash = argon2.hash_password(password.as_bytes()).map_err(|error| error.to_string())?;
    Ok(Secret::new(hash.to_string()))
}

fn verify_now(argon2: &Argon2<'static>, password: &str, hash: &Secret) -> Result<Verdict, String> {
    let parsed = PasswordHash::new(hash.reveal()).map_err(|error| error.to_string())?;
    if argon2.verify_password(password.as_bytes(), &parsed).is_err() {
        return Ok(Verdict::Wrong);
    }
    let used = Params::try_from(&parsed).map_err(|error| error.to_string())?;
    let wanted = argon2.params();
    let weak = used.m_cost() < wanted.m_cost() || used.t_cost() < wanted.t_cost();
    Ok(if weak { Verdict::RightButWeak(hash_now(argon2, password)?) } else { Verdict::Right })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_right_password_is_right_and_a_wrong_one_wrong() {
        let passwords = Passwords::new(64, 1).unwrap();
        let hash = passwords.hash("correct horse").await.unwrap();
        let verdict = passwords.verify("correct horse", Some(&hash)).await.unwrap();
        assert_eq!(verdict, Verdict::Right);
        let verdict = passwords.verify("wrong horse", Some(&hash)).await.unwrap();
        assert_eq!(verdict, Verdict::Wrong);
        let nobody = passwords.verify("the password of nobody", None).await.unwrap();
        assert_eq!(nobody, Verdict::Wrong);
    }

    #[tokio::test]
    async fn a_hash_weaker_than_the_settings_is_replaced_at_log_in() {
        let hash = Passwords::new(64, 1).unwrap().hash("correct horse").await.unwrap();
        let stronger = Passwords::new(128, 2).unwrap();
        let Verdict::RightButWeak(replacement) =
            stronger.verify("correct horse", Some(&hash)).await.unwrap()
        else {
            panic!("the weak hash was not noticed");
        };
        let again = stronger.verify("correct horse", Some(&replacement)).await.unwrap();
        assert_eq!(again, Verdict::Right);
    }
}
