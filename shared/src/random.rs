//! Cryptographically secure random bytes.

use aws_lc_rs::rand;

/// Returns random bytes from the system's generator.
///
/// # Panics
/// If the system has no random bytes: nothing can be done safely then.
#[expect(clippy::expect_used, reason = "nothing is safe without randomness")]
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).expect("the system's random generator works");
    bytes
}
