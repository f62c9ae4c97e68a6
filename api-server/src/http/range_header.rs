//! `Range` header: the requested bytes of a file, which are a single range (RFC 9110, section 14)
//! or the whole file.

use poem::Request;
use poem::http::header::{HeaderName, IF_RANGE, RANGE};
use std::ops::Range;

/// The part of a file that a request wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestedRange {
    /// The whole file.
    All,
    /// These bytes.
    Part(Range<u64>),
    /// A range that cannot be served: several ranges, one outside the file, or a malformed one.
    Unsatisfiable,
}

/// Returns the part that a request wants of a file of this length, whose version has this tag. A
/// range of another version, or in units other than bytes, is ignored.
pub fn requested_range(request: &Request, tag: &str, length: u64) -> RequestedRange {
    let values = |name: HeaderName| {
        let values = request.headers().get_all(name).iter();
        values.map(|value| value.to_str().unwrap_or_default()).collect::<Vec<_>>()
    };
    let ranges = values(RANGE).join(",");
    let Some((unit, specs)) = ranges.split_once('=') else { return RequestedRange::All };
    let condition = values(IF_RANGE);
    if !unit.trim().eq_ignore_ascii_case("bytes")
        || condition.iter().any(|value| value.trim() != tag)
    {
        return RequestedRange::All;
    }
    match part(specs.trim(), length) {
        Some(part) => RequestedRange::Part(part),
        None => RequestedRange::Unsatisfiable,
    }
}

/// Parses `first-last`, `first-` or `-suffix`.
fn part(spec: &str, length: u64) -> Option<Range<u64>> {
    let (first, last) = spec.split_once('-')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(first) || !digits(last) {
        return None;
    }
    // A number too large to parse lies beyond the end of any file.
    let number = |text: &str| text.parse().unwrap_or(u64::MAX);
    let range = match (first, last) {
        ("", "") => return None,
        ("", suffix) => length.saturating_sub(number(suffix))..length,
        (first, "") => number(first)..length,
        (first, last) if number(first) > number(last) => return None,
        (first, last) => number(first)..number(last).saturating_add(1).min(length),
    };
    (range.start < range.end).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range_of(headers: &[(&str, &str)]) -> RequestedRange {
        let request = headers
            .iter()
            .fold(Request::builder(), |request, (name, value)| request.header(*name, *value));
        requested_range(&request.finish(), "\"tag\"", 10)
    }

    #[test]
    fn a_single_range_is_clamped_to_the_end_of_the_file() {
        for (range, expected) in [
            ("bytes=0-0", 0..1),
            ("bytes=0-", 0..10),
            ("bytes=9-9", 9..10),
            ("bytes=3-99999999999999999999999", 3..10),
            ("bytes=-4", 6..10),
            ("bytes=-40", 0..10),
            ("Bytes= 2-3", 2..4),
        ] {
            assert_eq!(range_of(&[("range", range)]), RequestedRange::Part(expected), "{range}");
        }
    }

    #[test]
    fn multiple_and_unsatisfiable_ranges_are_refused() {
        for range in [
            "bytes=10-",
            "bytes=10-12",
            "bytes=-0",
            "bytes=5-4",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=0-1,3-4",
            "bytes=0-1,",
            "bytes=+1-2",
            "bytes=99999999999999999999999-",
        ] {
            assert_eq!(range_of(&[("range", range)]), RequestedRange::Unsatisfiable, "{range}");
        }
        let twice = [("range", "bytes=0-1"), ("range", "bytes=3-4")];
        assert_eq!(range_of(&twice), RequestedRange::Unsatisfiable);
    }

    #[test]
    fn other_units_and_ranges_of_other_versions_are_ignored() {
        assert_eq!(range_of(&[]), RequestedRange::All);
        assert_eq!(range_of(&[("range", "lines=1-2")]), RequestedRange::All);
        assert_eq!(range_of(&[("range", "nonsense")]), RequestedRange::All);
        let ranged = |condition| range_of(&[("range", "bytes=0-1"), ("if-range", condition)]);
        assert_eq!(ranged("\"tag\""), RequestedRange::Part(0..2));
        for other in ["\"old\"", "W/\"tag\"", "Sun, 22 Nov 2026 00:00:00 GMT"] {
            assert_eq!(ranged(other), RequestedRange::All, "{other}");
        }
    }
}
