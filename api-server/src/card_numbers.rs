//! Card numbers never enter the service: what looks like one is refused before anything is read.

use std::ops::RangeInclusive;

/// A brand's first digits, as a range of numbers of so many digits, and how long its numbers are.
type Brand = (usize, RangeInclusive<u32>, RangeInclusive<usize>);

/// Visa, Mastercard, American Express, Discover, Diners Club, JCB.
const BRANDS: [Brand; 16] = [
    (1, 4..=4, 13..=13),
    (1, 4..=4, 16..=16),
    (1, 4..=4, 19..=19),
    (2, 51..=55, 16..=16),
    (4, 2221..=2720, 16..=16),
    (2, 34..=34, 15..=15),
    (2, 37..=37, 15..=15),
    (4, 6011..=6011, 16..=19),
    (6, 622_126..=622_925, 16..=19),
    (3, 644..=649, 16..=19),
    (2, 65..=65, 16..=19),
    (3, 300..=305, 14..=19),
    (4, 3095..=3095, 14..=19),
    (2, 36..=36, 14..=19),
    (2, 38..=39, 14..=19),
    (4, 3528..=3589, 16..=19),
];

/// Digits of the longest card numbers.
const DIGITS_MAX: usize = 19;

/// True if a text has a card number in it: digits, with spaces or dashes between groups of them.
pub fn found_in(text: &str) -> bool {
    let other = |c: char| !c.is_ascii_digit() && !c.is_whitespace() && c != '-';
    text.split(other).any(|run| {
        let groups: Vec<&str> = run.split(|c: char| !c.is_ascii_digit()).collect();
        (0..groups.len()).any(|first| begins_number(&groups[first..]))
    })
}

/// True if the first of these groups of digits, alone or with some that follow, is a card number.
fn begins_number(groups: &[&str]) -> bool {
    let mut digits = String::new();
    for group in groups {
        digits.push_str(group);
        if digits.len() > DIGITS_MAX {
            return false;
        }
        if is_number(&digits) {
            return true;
        }
    }
    false
}

fn is_number(digits: &str) -> bool {
    let of_brand = |(prefix, numbers, lengths): &Brand| {
        let first = digits.get(..*prefix).and_then(|first| first.parse().ok());
        first.is_some_and(|first| numbers.contains(&first)) && lengths.contains(&digits.len())
    };
    BRANDS.iter().any(of_brand) && passes_luhn(digits)
}

/// The check digit that all brands have in common (ISO/IEC 7812-1, annex B).
fn passes_luhn(digits: &str) -> bool {
    let values = digits.bytes().rev().map(|digit| u32::from(digit - b'0'));
    let sum: u32 = values
        .enumerate()
        .map(|(place, digit)| match (place % 2, digit * 2) {
            (0, _) => digit,
            (_, doubled) if doubled > 9 => doubled - 9,
            (_, doubled) => doubled,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_brand_are_found_however_they_are_written() {
        for number in [
            "4242424242424242",
            "4222222222222",
            "5555555555554444",
            "2223003122003222",
            "378282246310005",
            "341111111111111",
            "6011111111111117",
            "6221260000000000",
            "6445644564456445",
            "6511111111111112",
            "30569309025904",
            "36227206271667",
            "38520000023237",
            "30950000000000",
            "3530111333300000",
            "4242 4242 4242 4242",
            "4242-4242-4242-4242",
            "4242\u{a0}4242--4242 - 4242",
            "pay 12 4242424242424242 now",
            "n:4242424242424242;",
            "x4242424242424242x",
        ] {
            assert!(found_in(number), "{number}");
        }
    }

    #[test]
    fn other_numbers_are_none() {
        for other in [
            "",
            "4242424242424241",
            "424242424242",
            "42424242424242424242",
            "42222222222222220",
            "12345678901234567890123",
            "9000000000000000",
            "2024-02-15",
            "652.53",
            "4242.4242.4242.4242",
            "tok_visa",
            "3782822463100050000000",
        ] {
            assert!(!found_in(other), "{other}");
        }
    }
}
