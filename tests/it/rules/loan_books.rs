//! Every figure of a loan is that of a second book, which is kept by plain means: thousands of
//! random loans with random payments, adjustments and reversals, to the cent and to the row.
//!
//! What is drawn follows from a seed, which every run prints; `TEST_SEED` repeats it. A failure is
//! made as small as it gets before it is told.

use acceptance::loan_drivers::{Tally, pure};
use acceptance::loan_model::drawing;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::cell::RefCell;

/// Most moves of a history: more makes few kinds of things, only longer.
const MOVES: usize = 20;

/// A runner of so many cases that says where its chances come from.
fn runner(cases: u32) -> TestRunner {
    let given = std::env::var("TEST_SEED").ok();
    let seed = given.map_or_else(|| fastrand::u64(..), |seed| seed.parse().expect("a number"));
    println!("TEST_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, rng)
}

#[test]
fn the_arithmetic_is_that_of_the_second_book() {
    let tally = RefCell::new(Tally::default());
    let outcome = runner(10_000).run(&drawing::plan(MOVES), |plan| {
        let played = pure::compare(&plan).map_err(TestCaseError::fail)?;
        tally.borrow_mut().add(played);
        Ok(())
    });
    println!("{:?}", tally.borrow());
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
