//! Exact amounts: money, interest rates and unrounded accruals, each stored as a whole number of
//! its smallest unit. No amount ever passes through a binary float.
//!
//! | Type | Unit | Why |
//! |---|---|---|
//! | [`Money`] | 1/10,000 of the currency unit | sums, comparisons and indexes are exact on every database |
//! | [`Rate`] | 1/100,000,000 percent | contract rates with up to eight decimals |
//! | [`Accrual`] | 1/100,000,000 of the currency unit | interest before it is rounded to cents |
//!
//! Addition and subtraction are checked: a result out of range is an [`OutOfRange`] error, which
//! the caller gets as 422, never a wrapped number.

#[macro_use]
mod wire;

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

pub use wire::AmountText;

/// The amount exceeds what the service stores: 900,000,000,000,000 for money, 90,000,000,000 for
/// accruals and rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the amount exceeds what the service can store")]
pub struct OutOfRange;

/// Why a text is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AmountError {
    /// Not a decimal: an optional minus sign, digits, and optionally a point and digits.
    #[error("must be a decimal like \"652.53\"")]
    Malformed,
    /// More decimals than the type stores.
    #[error("has too many decimals")]
    TooPrecise,
    /// Outside the type's range.
    #[error("exceeds what the service can store")]
    OutOfRange,
}

macro_rules! amount {
    ($(#[$doc:meta])* $name:ident, decimals: $decimals:literal, shown: $shown:literal, limit: $limit:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(sea_orm::DeriveValueType)]
        pub struct $name(i64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0);
            /// Decimals that the type stores.
            pub const DECIMALS: u32 = $decimals;
            /// Largest amount, in smallest units.
            pub const UNITS_MAX: i64 = $limit;

            /// Returns the amount of this many smallest units.
            pub fn from_units(units: i64) -> Result<Self, OutOfRange> {
                Self::from_wide_units(units.into())
            }

            /// Returns the amount of this many smallest units, from a 128-bit product or quotient.
            pub fn from_wide_units(units: i128) -> Result<Self, OutOfRange> {
                if units.unsigned_abs() > Self::UNITS_MAX as u128 {
                    return Err(OutOfRange);
                }
                Ok(Self(units as i64))
            }

            /// Returns the number of smallest units.
            pub const fn units(self) -> i64 {
                self.0
            }

            /// Returns the sum.
            pub fn plus(self, other: Self) -> Result<Self, OutOfRange> {
                Self::from_wide_units(i128::from(self.0) + i128::from(other.0))
            }

            /// Returns the difference, which may be negative.
            pub fn minus(self, other: Self) -> Result<Self, OutOfRange> {
                Self::from_wide_units(i128::from(self.0) - i128::from(other.0))
            }

            /// Returns the difference, or zero if it would be negative.
            pub fn minus_down_to_zero(self, other: Self) -> Self {
                Self((self.0.saturating_sub(other.0)).max(0))
            }

            /// True for amounts above zero.
            pub const fn is_positive(self) -> bool {
                self.0 > 0
            }

            /// True for exactly zero.
            pub const fn is_zero(self) -> bool {
                self.0 == 0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_decimal(f, self.0, $decimals, $shown)
            }
        }

        impl FromStr for $name {
            type Err = AmountError;

            fn from_str(text: &str) -> Result<Self, AmountError> {
                let units = parse_decimal(text, $decimals)?;
                Self::from_wide_units(units).map_err(|_| AmountError::OutOfRange)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

amount!(
    /// An amount in the installation's currency: `"652.53"`, with two decimals, or up to four if
    /// stored so.
    Money, decimals: 4, shown: 2, limit: 9_000_000_000_000_000_000
);
amount!(
    /// An interest rate or percentage, in percent: `"14.07"`, with two to eight decimals.
    Rate, decimals: 8, shown: 2, limit: 9_000_000_000_000_000_000
);
amount!(
    /// Interest before rounding: always eight decimals.
    Accrual, decimals: 8, shown: 8, limit: 9_000_000_000_000_000_000
);

impl Money {
    /// Smallest units in a cent.
    const CENT: i64 = 100;
    /// The smallest amount that can be posted.
    pub const ONE_CENT: Self = Self(Self::CENT);

    /// Returns the amount of this many cents.
    pub fn from_cents(cents: i64) -> Result<Self, OutOfRange> {
        Self::from_wide_units(i128::from(cents) * i128::from(Self::CENT))
    }

    /// True if the amount is a whole number of cents, as every posted amount is.
    pub const fn is_whole_cents(self) -> bool {
        self.0 % Self::CENT == 0
    }

    /// Rounds half-up to cents.
    pub fn round_to_cents(self) -> Result<Self, OutOfRange> {
        let cents = divide_half_up(self.0.into(), Self::CENT.into());
        Self::from_wide_units(cents * i128::from(Self::CENT))
    }

    /// Returns this percentage of the amount, rounded half-up to cents.
    pub fn percent(self, rate: Rate) -> Result<Self, OutOfRange> {
        const RATE_UNITS_PER_WHOLE: i128 = 100 * 100_000_000;
        let product = i128::from(self.0) * i128::from(rate.0);
        let cents = divide_half_up(product, RATE_UNITS_PER_WHOLE * i128::from(Self::CENT));
        Self::from_wide_units(cents * i128::from(Self::CENT))
    }

    /// Converts to an accrual, which has more decimals and a smaller range.
    pub fn to_accrual(self) -> Result<Accrual, OutOfRange> {
        Accrual::from_wide_units(i128::from(self.0) * 10_000)
    }
}

impl Accrual {
    /// Rounds half-up to cents.
    pub fn round_to_cents(self) -> Money {
        let cents = divide_half_up(self.0.into(), 1_000_000);
        Money((cents as i64) * Money::CENT)
    }

    /// Returns the same figure as a decimal with at least two decimals (a per diem).
    pub const fn to_rate(self) -> Rate {
        Rate(self.0)
    }
}

/// Returns `numerator / denominator` rounded to the nearest whole number, halves away from zero.
/// The denominator must be positive.
pub const fn divide_half_up(numerator: i128, denominator: i128) -> i128 {
    let half = denominator / 2;
    let magnitude = numerator.unsigned_abs();
    let denominator = denominator.unsigned_abs();
    let rounded = (magnitude / denominator
        + if magnitude % denominator >= denominator - half.unsigned_abs() { 1 } else { 0 })
        as i128;
    if numerator < 0 { -rounded } else { rounded }
}

/// Writes `units / 10^decimals` with at least `shown` decimals and no other trailing zeros.
fn write_decimal(
    f: &mut fmt::Formatter<'_>,
    units: i64,
    decimals: usize,
    shown: usize,
) -> fmt::Result {
    let scale = 10u64.pow(decimals as u32);
    let magnitude = units.unsigned_abs();
    let fraction = format!("{:0decimals$}", magnitude % scale);
    let mut decimals_shown = decimals;
    while decimals_shown > shown && fraction.as_bytes()[decimals_shown - 1] == b'0' {
        decimals_shown -= 1;
    }
    let sign = if units < 0 { "-" } else { "" };
    write!(f, "{sign}{}.{}", magnitude / scale, &fraction[..decimals_shown])
}

/// Parses a decimal exactly; zeros beyond the last stored decimal are accepted.
fn parse_decimal(text: &str, decimals: usize) -> Result<i128, AmountError> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) {
        return Err(AmountError::Malformed);
    }
    let (kept, dropped) = fraction.split_at(fraction.len().min(decimals));
    if dropped.bytes().any(|b| b != b'0') {
        return Err(AmountError::TooPrecise);
    }
    let whole = whole.trim_start_matches('0');
    if whole.len() > 18 {
        return Err(AmountError::OutOfRange);
    }
    let padded = format!("0{whole}{kept:0<decimals$}");
    let units: i128 = padded.parse().map_err(|_| AmountError::Malformed)?;
    Ok(if negative { -units } else { units })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn money_shows_two_to_four_decimals() {
        for text in ["652.53", "0.00", "-3.10", "0.0001", "900000000000000.00", "12.345"] {
            assert_eq!(text.parse::<Money>().unwrap().to_string(), text);
        }
        assert_eq!("7".parse::<Money>().unwrap().to_string(), "7.00");
        assert_eq!("7.5000000".parse::<Money>().unwrap().to_string(), "7.50");
    }

    #[test]
    fn malformed_decimals_are_refused() {
        for text in ["", "-", ".5", "5.", "1e3", "+1", "1,000.00", " 1", "NaN", "0x10", "--1"] {
            assert_eq!(text.parse::<Money>(), Err(AmountError::Malformed), "{text}");
        }
        assert_eq!("0.00001".parse::<Money>(), Err(AmountError::TooPrecise));
        assert_eq!("900000000000000.0001".parse::<Money>(), Err(AmountError::OutOfRange));
        assert_eq!("99999999999999999999999".parse::<Money>(), Err(AmountError::OutOfRange));
    }

    #[test]
    fn half_a_cent_of_interest_is_a_cent() {
        let half_cents = |halves: i64| Accrual(halves * 500_000).round_to_cents();
        let cents = |cents: i64| Money(cents * Money::CENT);
        assert_eq!([1, 3, 5, -1, -3].map(half_cents), [1, 2, 3, -1, -2].map(cents));
        assert_eq!(Accrual(2_499_999).round_to_cents(), cents(2));
    }

    #[test]
    fn halves_round_away_from_zero() {
        let rounded = |numerator| divide_half_up(numerator, 10);
        assert_eq!([4, 5, 14, 15, -4, -5, -15].map(rounded), [0, 1, 1, 2, 0, -1, -2]);
        assert_eq!(divide_half_up(1, 3), 0);
        assert_eq!(divide_half_up(2, 3), 1);
    }

    proptest! {
        #[test]
        fn text_and_units_round_trip(units in -Money::UNITS_MAX..=Money::UNITS_MAX) {
            let money = Money::from_units(units).unwrap();
            prop_assert_eq!(money.to_string().parse::<Money>().unwrap(), money);
            let accrual = Accrual::from_units(units).unwrap();
            prop_assert_eq!(accrual.to_string().parse::<Accrual>().unwrap(), accrual);
        }

        #[test]
        fn sums_never_wrap(a in any::<i64>(), b in any::<i64>()) {
            let (Ok(a), Ok(b)) = (Money::from_units(a), Money::from_units(b)) else {
                return Ok(());
            };
            let sum = i128::from(a.units()) + i128::from(b.units());
            match a.plus(b) {
                Ok(total) => prop_assert_eq!(i128::from(total.units()), sum),
                Err(OutOfRange) => prop_assert!(sum.unsigned_abs() > Money::UNITS_MAX as u128),
            }
        }
    }
}
