//! Decimal digits of all scripts, and the separators people put between groups of them.

/// The zero of each row of ten decimal digits (Unicode 17, general category Nd).
const ZEROS: [u32; 77] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
    0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0,
    0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50,
    0x11DA0, 0x11DE0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE,
    0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
];

/// Dashes (general category Pd), minus signs, and lines that look like them, in order.
const DASHES: [u32; 36] = [
    0xAD, 0xAF, 0x58A, 0x5BE, 0x1400, 0x1806, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015,
    0x2043, 0x207B, 0x208B, 0x2212, 0x2500, 0x2501, 0x2796, 0x2E17, 0x2E1A, 0x2E3A, 0x2E3B, 0x2E40,
    0x2E5D, 0x301C, 0x3030, 0x30A0, 0x30FC, 0xFE31, 0xFE32, 0xFE58, 0xFE63, 0xFF0D, 0x10D6E,
    0x10EAD,
];

/// Returns the value of a character that is a decimal digit.
pub(super) fn value(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| c as u8 - b'0');
    }
    let code = u32::from(c);
    let row = ZEROS.partition_point(|zero| *zero <= code).checked_sub(1)?;
    u8::try_from(code - ZEROS.get(row)?).ok().filter(|value| *value < 10)
}

/// True for characters allowed between the digits of a number: spaces, line ends, dashes and
/// invisible characters.
pub(super) fn is_separator(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => c == '-' || c.is_ascii_whitespace() || c.is_ascii_control(),
        _ => c.is_whitespace() || c.is_control() || is_dash(c) || is_invisible(c),
    }
}

fn is_dash(c: char) -> bool {
    DASHES.binary_search(&u32::from(c)).is_ok()
}

/// Formatting characters (general category Cf), variation selectors and fillers.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
