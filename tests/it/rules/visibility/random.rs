//! Reproducible randomness: all choices follow from one seed.

use chrono::{Days, NaiveDate};
use sea_orm::Iterable;
use shared::time::Timestamp;

/// A source of random choices.
#[derive(Debug)]
pub struct Random(fastrand::Rng);

impl Random {
    /// The choices that follow from this seed.
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// True in this percentage of cases.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.0.u32(0..100) < percent
    }

    /// A number between these two, inclusive.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        self.0.i64(least..=most)
    }

    /// One of these.
    pub fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.0.usize(0..all.len())].clone()
    }

    /// One of the values of an enumeration.
    pub fn word<E: Iterable + Clone>(&mut self) -> E {
        self.one_of(&E::iter().collect::<Vec<_>>())
    }

    /// One of these, in this percentage of cases.
    pub fn maybe<T: Clone>(&mut self, percent: u32, all: &[T]) -> Option<T> {
        self.percent(percent).then(|| self.one_of(all))
    }

    /// Each of these, in this percentage of cases.
    pub fn some_of<T: Clone>(&mut self, percent: u32, all: &[T]) -> Vec<T> {
        all.iter().filter(|_| self.percent(percent)).cloned().collect()
    }

    /// Some of these, at least one.
    pub fn several<T: Clone>(&mut self, all: &[T]) -> Vec<T> {
        let count = self.0.usize(1..=all.len());
        self.0.choose_multiple(all, count).into_iter().cloned().collect()
    }

    /// Any order.
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        self.0.shuffle(all);
    }

    /// One of a few days, so that several rows share each.
    pub fn day(&mut self) -> NaiveDate {
        NaiveDate::default() + Days::new(19_700 + self.0.u64(0..5))
    }

    /// An instant on one of these days.
    pub fn instant(&mut self) -> Timestamp {
        Timestamp(self.day().and_hms_opt(self.0.u32(0..24), 0, 0).expect("a time").and_utc())
    }
}
