//! Runs of digit groups that may be read as one number, and the search for card numbers in them.

use std::ops::RangeInclusive;

/// Range of a brand's first six digits, and the lengths of its numbers.
type Brand = (RangeInclusive<u32>, RangeInclusive<usize>);

/// Visa, Mastercard, American Express, Discover, Diners Club, JCB.
const BRANDS: [Brand; 16] = [
    (400_000..=499_999, 13..=13),
    (400_000..=499_999, 16..=16),
    (400_000..=499_999, 19..=19),
    (510_000..=559_999, 16..=16),
    (222_100..=272_099, 16..=16),
    (340_000..=349_999, 15..=15),
    (370_000..=379_999, 15..=15),
    (601_100..=601_199, 16..=19),
    (622_126..=622_925, 16..=19),
    (644_000..=649_999, 16..=19),
    (650_000..=659_999, 16..=19),
    (300_000..=305_999, 14..=19),
    (309_500..=309_599, 14..=19),
    (360_000..=369_999, 14..=19),
    (380_000..=399_999, 14..=19),
    (352_800..=358_999, 16..=19),
];

/// Digits of the longest card numbers.
pub(super) const DIGITS_MAX: usize = 19;
/// Number of leading digits that identify a brand.
const PREFIX_DIGITS: usize = 6;

/// Digits in text order, with the bounds of their groups. A number is made of whole groups, apart
/// from leading zeros.
#[derive(Debug, Default)]
pub(super) struct DigitRun {
    digits: Vec<Digit>,
    /// A digit other than zero has appeared since the last group ended.
    within_number: bool,
}

#[derive(Clone, Copy, Debug)]
struct Digit {
    value: u8,
    /// Only zeros precede it in its group.
    begins: bool,
    ends: bool,
}

impl DigitRun {
    /// Adds a digit to the current group.
    pub(super) fn push(&mut self, value: u8) {
        let begins = value > 0 && !self.within_number;
        self.within_number |= begins;
        self.digits.push(Digit { value, begins, ends: false });
    }

    /// Ends the current group: the next digit belongs to another one.
    pub(super) fn end_group(&mut self) {
        if let Some(last) = self.digits.last_mut() {
            last.ends = true;
        }
        self.within_number = false;
    }

    /// Ends the run: the next digit is unrelated. True if the run contains a card number.
    pub(super) fn end(&mut self) -> bool {
        self.end_group();
        let starts = self.digits.iter().enumerate().filter(|(_, digit)| digit.begins);
        let found = starts.map(|(first, _)| &self.digits[first..]).any(begins_with_card_number);
        self.digits.clear();
        found
    }
}

fn begins_with_card_number(digits: &[Digit]) -> bool {
    let Some(prefix) = digits.get(..PREFIX_DIGITS) else { return false };
    let prefix = prefix.iter().fold(0, |number, digit| number * 10 + u32::from(digit.value));
    let brands = BRANDS.iter().filter(|(prefixes, _)| prefixes.contains(&prefix));
    let numbers = brands.flat_map(|(_, lengths)| lengths.clone()).filter_map(|it| digits.get(..it));
    numbers.into_iter().any(|number| number.last().is_some_and(|it| it.ends) && passes_luhn(number))
}

/// The check digit shared by all brands (ISO/IEC 7812-1, annex B): every second digit is doubled, the
/// last one is not.
fn passes_luhn(number: &[Digit]) -> bool {
    let sum: u32 =
        number.iter().rev().zip([1, 2].into_iter().cycle()).fold(0, |sum, (digit, by)| {
            let product = u32::from(digit.value) * by;
            sum + product / 10 + product % 10
        });
    sum.is_multiple_of(10)
}
