//! Vehicle identification numbers: 17 characters, of which the ninth is a check digit (49 CFR
//! 565.15).

use shared::entity::settings;

/// Length of a number that has a check digit. Vehicles built before 1981 have shorter numbers.
const LENGTH: usize = 17;
const CHECKED_AT: usize = 8;
const WEIGHTS: [u32; LENGTH] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];

/// The setting that says how a wrong number is treated.
pub const SETTING: &str = "vin_check";

/// How a number with a wrong check digit is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VinCheck {
    /// The number is accepted without a message.
    Off,
    /// The number is accepted with a warning.
    Warn,
    /// The number fails its record.
    Refuse,
}

impl VinCheck {
    /// Reads the setting. The default is to warn; a value that is none of these refuses.
    pub fn of(setting: Option<settings::Model>) -> Self {
        match setting.as_ref().map(|setting| setting.value.as_str()) {
            Some("off") => Self::Off,
            Some("warn") | None => Self::Warn,
            Some(_) => Self::Refuse,
        }
    }
}

/// Returns what is wrong with a number, if anything.
pub fn fault(number: &str) -> Option<String> {
    let letters: Vec<char> = number.chars().collect();
    if letters.len() != LENGTH {
        return None;
    }
    let Some(expected) = check_digit(&letters) else {
        return Some("must consist of digits and capital letters except I, O, Q".to_owned());
    };
    let found = letters[CHECKED_AT];
    (found != expected).then(|| format!("the check digit should be {expected} but is {found}"))
}

/// Computes the check digit, the ninth character, from the others.
pub fn check_digit(letters: &[char]) -> Option<char> {
    let values = letters.iter().map(|letter| value(*letter));
    let weighed = values.zip(WEIGHTS).map(|(value, weight)| Some(value? * weight));
    let sum = weighed.sum::<Option<u32>>()?;
    match sum % 11 {
        10 => Some('X'),
        digit => char::from_digit(digit, 10),
    }
}

fn value(letter: char) -> Option<u32> {
    let from = |first: char, value: u32| u32::from(letter) - u32::from(first) + value;
    Some(match letter {
        '0'..='9' => from('0', 0),
        'A'..='H' => from('A', 1),
        'J'..='N' => from('J', 1),
        'P' => 7,
        'R' => 9,
        'S'..='Z' => from('S', 2),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_cannot_be_read_refuses_wrong_numbers() {
        let read = |value: &str| {
            let (name, value) = (SETTING.to_owned(), value.to_owned());
            VinCheck::of(Some(settings::Model { name, value }))
        };
        assert_eq!(VinCheck::of(None), VinCheck::Warn);
        assert_eq!(
            ["off", "warn", "refuse"].map(read),
            [VinCheck::Off, VinCheck::Warn, VinCheck::Refuse]
        );
        assert_eq!(["", "Refuse", "of"].map(read), [VinCheck::Refuse; 3]);
    }

    #[test]
    fn the_ninth_character_is_the_check_digit() {
        assert_eq!(fault("1HGCM82633A004352"), None);
        assert_eq!(fault("1M8GDM9AXKP042788"), None);
        let wrong = fault("1HGCM82643A004352").unwrap();
        assert!(wrong.contains("should be 3 but is 4"), "{wrong}");
        assert!(fault("1HGCM82633A00435O").is_some(), "no letter O");
        assert_eq!(fault("GA1234"), None, "too old to have one");
    }
}
