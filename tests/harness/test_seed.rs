//! The seed for a test's random choices: fixed, so that the test command is the same run every
//! time.
//!
//! `TEST_SEED=7` sets another one, `TEST_SEED=random` a new one. Every run prints it. Property
//! tests within the packages take theirs from `PROPTEST_RNG_SEED`, see `.cargo/config.toml`.

/// The default seed.
const FIXED: u64 = 20_261_123;

/// The seed of this run, printed.
///
/// # Panics
/// When `TEST_SEED` is neither a number nor `random`.
pub fn test_seed() -> u64 {
    let seed = match std::env::var("TEST_SEED").as_deref() {
        Err(_) => FIXED,
        Ok("random") => fastrand::u64(0..1_000_000_000),
        Ok(text) => text.parse().expect("TEST_SEED is a number or `random`"),
    };
    println!("TEST_SEED={seed}");
    seed
}
