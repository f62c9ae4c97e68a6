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

/// Digits of the shortest card numbers.
pub(super) const DIGITS_MIN: usize = 13;
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
    /// Sums of all preceding digits modulo ten, with those at even places doubled and with those at
    /// odd places doubled, so that checking a number costs the same at any length.
    sums: [u8; 2],
}

impl DigitRun {
    /// Adds a digit to the current group.
    pub(super) fn push(&mut self, value: u8) {
        let sums = self.sums_at(self.digits.len());
        let begins = value > 0 && !self.within_number;
        self.within_number |= begins;
        self.digits.push(Digit { value, begins, ends: false, sums });
    }

    /// Ends the current group.
    pub(super) fn end_group(&mut self) {
        if let Some(last) = self.digits.last_mut() {
            last.ends = true;
        }
        self.within_number = false;
    }

    /// Ends the run: the next digit is unrelated. True if the run contains a card number.
    pub(super) fn end(&mut self) -> bool {
        self.end_group();
        let found = self.digits.len() >= DIGITS_MIN
            && (0..=self.digits.len() - DIGITS_MIN).any(|first| self.begins_number(first));
        self.digits.clear();
        found
    }

    /// Returns the sums of all digits before this index.
    fn sums_at(&self, index: usize) -> [u8; 2] {
        let Some(before) = index.checked_sub(1) else { return [0, 0] };
        let Digit { value, sums: [even, odd], .. } = self.digits[before];
        let doubled = if value > 4 { value * 2 - 9 } else { value * 2 };
        let (at_even, at_odd) = if before % 2 == 0 { (doubled, value) } else { (value, doubled) };
        [(even + at_even) % 10, (odd + at_odd) % 10]
    }

    fn begins_number(&self, first: usize) -> bool {
        if !self.digits[first].begins || !matches!(self.digits[first].value, 2..=6) {
            return false;
        }
        (DIGITS_MIN..=DIGITS_MAX).any(|length| {
            let end = first + length;
            self.digits.get(end - 1).is_some_and(|last| last.ends)
                && self.passes_luhn(first, end)
                && self.is_of_brand(first, length)
        })
    }

    /// The check digit shared by all brands (ISO/IEC 7812-1, annex B): every second digit is
    /// doubled, the last one is not.
    fn passes_luhn(&self, first: usize, end: usize) -> bool {
        let doubled = end % 2;
        self.sums_at(first)[doubled] == self.sums_at(end)[doubled]
    }

    fn is_of_brand(&self, first: usize, length: usize) -> bool {
        let prefix = self.digits[first..].iter().take(PREFIX_DIGITS);
        let prefix = prefix.fold(0, |number, digit| number * 10 + u32::from(digit.value));
        BRANDS
            .iter()
            .any(|(prefixes, lengths)| prefixes.contains(&prefix) && lengths.contains(&length))
    }
}
