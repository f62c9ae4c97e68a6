//! Randomness that nobody can guess.

use aws_lc_rs::rand;

/// Random bytes from the system's generator.
///
/// # Panics
/// When the system has no random bytes: nothing safe can be done then.
#[expect(clippy::expect_used, reason = "no randomness means no service")]
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).expect("the system's random generator works");
    bytes
}
