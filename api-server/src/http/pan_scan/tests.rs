//! Texts that count as card numbers and texts that do not, however they are hidden, and the time
//! the search takes.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

#[test]
fn card_numbers_of_every_brand_are_found_in_every_notation() {
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
        "4-2-4-2-4-2-4-2-4-2-4-2-4-2-4-2",
        "4242\u{2013}4242\u{2212}4242\u{2003}4242",
        "4242\u{200b}42\u{ad}42\t4242\r\n4242",
        "pay 12 4242424242424242 now",
        "2024-02-15 4242424242424242 12/26",
        "12/26-4242 4242 4242 4242-123",
        "n:4242424242424242;",
        "x4242424242424242x",
        "4242424242424242deadbeef",
        "deadbeefdeadbeef-4242424242424242",
        "deadbeefdeadbeef4242424242424242",
        "+4242424242424242",
        "-4242424242424242.50",
        "0004242424242424242",
        "00000000000000000000000000004242424242424242",
        "4.242424242424242e15",
        " -4.242424242424242E+15 ",
        "42424242424242.42e2",
        "0.004242424242424242e18",
        "424242424242424200000e-5",
        "42424242-4242-4242-8000-000000000000",
    ] {
        assert!(found_in(number), "{number}");
    }
}

#[test]
fn other_numbers_are_not_taken_for_card_numbers() {
    for other in [
        "",
        "4242424242424241",
        "424242424242",
        "42424242424242424242",
        "42222222222222220",
        "12345678901234567890123",
        "9000000000000000",
        "2024-02-15",
        "2024-02-15T10:11:12Z 2024-02-16T10:11:12Z",
        "652.53",
        "4242.4242.4242.4242",
        "424242424242.4242",
        "4242,4242,4242,4242",
        "4.242424242424242e14",
        "4.242424242424242e9999999999999999999999",
        "tok_visa",
        "pm_1MqLiJLkdIwHu7ixUEgbFdYF",
        "3782822463100050000000",
        "+1 202-555-0143",
        "1700000000000",
        // Read as digits and dashes, each of these contains a card number.
        "42424242-4242-4242-8aaa-0123456789ab",
        "pay:42424242-4242-4242-8AAA-0123456789ab",
        "d0a4242424242424242a0c1e2f3a4b5c",
    ] {
        assert!(!found_in(other), "{other}");
    }
}

#[test]
fn security_code_members_are_found_in_every_spelling() {
    for name in [
        "cvv",
        "CVC",
        "cid",
        "security_code",
        "SecurityCode",
        "securityCode",
        "SECURITY-CODE",
        "Card_Number",
        "card-number",
        "cardNumber",
        "card number",
        "PAN",
        "cvv2",
        "Cvc_2",
        "_pan_",
    ] {
        assert!(found_in_pairs([(name, "")]), "{name}");
        assert!(found_in_json(json!({"a": [{name: null}]}).to_string().as_bytes()), "{name}");
        // As a value it is an ordinary word.
        assert!(!found_in_json(json!({"a": [name]}).to_string().as_bytes()), "{name}");
    }
    for name in ["Amount", "company", "span", "cidr", "Contact_ID", "Userdef01", "code", "2", ""] {
        assert!(!found_in_pairs([(name, "123")]), "{name}");
        assert!(!found_in_json(json!({name: "123"}).to_string().as_bytes()), "{name}");
    }
}

#[test]
fn json_is_searched_at_every_depth_and_beyond_its_end() {
    for body in [
        r#"{"a": "4242424242424242"}"#,
        r#"{"4242424242424242": 1}"#,
        r#"{"a": {"b": [1, {"c": "x 4242-4242-4242-4242"}]}}"#,
        r#"{"a": 4242424242424242}"#,
        r#"{"a": -4242424242424242.0}"#,
        r#"{"a": [1,4.242424242424242e15]}"#,
        r#"{"a": "\u0034242\u002d4242424\n242\u00342"}"#,
        r#"{"a": "\"\\", "b\\": "\u00342424242424\u0032\u0034242"}"#,
        r#"{"\u0063\u0076\u0076" : 123}"#,
        r#""4242424242424242""#,
        "4242424242424242",
        r#"{"a": 1, "a": "4242424242424242"}"#,
        r#"{"a": "4242424242424242"#,
        r#"{"a": 1} 4242 4242 4242 4242"#,
        r#"{"a": '4242424242424242', cvv: 1}"#,
        r#"{"a": "\x 4242424242424242"}"#,
        r#"{"a": "4242424242424242\"#,
        r#"{"cvc":"#,
        "{\"a\": \"\u{0}4242\u{1}424242424242\"}",
    ] {
        assert!(found_in_json(body.as_bytes()), "{body}");
    }
    assert!(found_in_json(b"\xff{\"a\xc3\": \"\xfe4242424242424242\""));
    for body in [
        "",
        "{",
        r#"{"a": "4242", "b": "4242", "c": "4242", "d": ["4242", 4242, 4242]}"#,
        r#"{"Amount": "424242424242.4242", "Payoff": false, "Userdef01": null}"#,
        r#"{"a": "\\u0034242424242424242"}"#,
        r#"{"a": "\""#,
    ] {
        assert!(!found_in_json(body.as_bytes()), "{body}");
    }
}

#[test]
fn gateway_paths_are_logged_without_card_numbers() {
    let shown = |path| shown_path(path).into_owned();
    let hidden = "/loans/***/payment-gateway/credit-cards";
    assert_eq!(shown("/loans/4242424242424242/payment-gateway/credit-cards"), hidden);
    assert_eq!(shown("/loans/4242%2D4242%204242-%342%34%32/payment-gateway/credit-cards"), hidden);
    assert_eq!(shown("/Payment%2dGateway/x4242424242424242"), "/Payment%2dGateway/***");
    assert_eq!(shown("/gateway/add/5555555555554444/"), "/gateway/add/***/");
    for path in ["/loans/17/payment-gateway/credit-cards", "/loans/4242424242424242", "", "/"] {
        assert_eq!(shown(path), path);
    }
}

/// Prefixes and lengths of all brands.
const BRANDS: [(&str, usize); 20] = [
    ("4", 13),
    ("4", 16),
    ("4", 19),
    ("51", 16),
    ("55", 16),
    ("2221", 16),
    ("2720", 16),
    ("34", 15),
    ("37", 15),
    ("6011", 16),
    ("6011", 19),
    ("622126", 16),
    ("622925", 17),
    ("644", 16),
    ("65", 18),
    ("300", 14),
    ("3095", 14),
    ("36", 14),
    ("39", 16),
    ("3589", 19),
];

/// Generates the digits of a card number.
fn card_number() -> impl Strategy<Value = String> {
    (select(&BRANDS[..]), vec(0..10u8, 19)).prop_map(|((prefix, length), more)| {
        let more = more.iter().map(|digit| char::from(b'0' + digit));
        let digits: String = prefix.chars().chain(more).take(length - 1).collect();
        let mut sum = 0;
        for (placement, digit) in digits.bytes().rev().enumerate() {
            let value = u32::from(digit - b'0') * if placement % 2 == 0 { 2 } else { 1 };
            sum += value / 10 + value % 10;
        }
        format!("{digits}{}", (10 - sum % 10) % 10)
    })
}

/// The digits with spaces and dashes between them.
fn written() -> impl Strategy<Value = String> {
    const SEPARATORS: [&str; 10] =
        ["", "", "", " ", "-", " - ", "\u{2011}", "\u{a0}", "\u{200d}", "\n"];
    (card_number(), vec(select(&SEPARATORS[..]), 19)).prop_map(|(number, separators)| {
        number
            .chars()
            .zip(separators)
            .map(|(digit, separator)| format!("{digit}{separator}"))
            .collect()
    })
}

/// Values as in ordinary card requests, without card numbers.
fn ordinary() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        (0..100_000_000i64).prop_map(Value::from),
        (0..100_000_000i64, 0..10_000).prop_map(|(a, b)| json!(format!("{a}.{b:04}"))),
        (0..100_000_000u32).prop_map(|cents| json!(f64::from(cents) / 100.0)),
        (1900..2200, 1..13, 1..29).prop_map(|(y, m, d)| json!(format!("{y}-{m:02}-{d:02}"))),
        "(19|20)[0-9]{2}-0[1-9]-[12][0-9]T[01][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{6})?Z"
            .prop_map(Value::from),
        "[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{11}[a-f]"
            .prop_map(Value::from),
        "[a-f][0-9a-f]{62}[a-f]".prop_map(Value::from),
        "\\+1 [2-9][0-9]{2}-[0-9]{3}-[0-9]{4}".prop_map(Value::from),
        "(tok|pm|card)_[A-Za-z]{1,24}".prop_map(Value::from),
        "[A-Za-zÀ-ÿ \"\\\\.,'\n-]{0,40}".prop_map(Value::from),
        Just(Value::Null),
    ]
}

/// Objects and arrays of these values, several levels deep.
fn body(leaf: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let names = "(Amount|Contact_ID|User_Reference|EntryType|Userdef0[1-5]|[a-b]{1,8})";
    let nested = leaf.prop_recursive(4, 24, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((names, inner), 0..6).prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    });
    vec((names, nested), 1..6).prop_map(|members| Map::from_iter(members).into()).boxed()
}

/// Position at which a card number is placed.
#[derive(Clone, Copy, Debug)]
enum Placement {
    Text,
    Number,
    Fraction,
    Exponent,
    Name,
}

const PLACEMENTS: [Placement; 5] =
    [Placement::Text, Placement::Number, Placement::Fraction, Placement::Exponent, Placement::Name];

/// Placeholder for the card number in the JSON.
const MARK: &str = "\"THE CARD NUMBER\"";

fn embed(placement: Placement, number: &str, written: &str, escaped: bool) -> String {
    let quote = |text: &str| {
        let escape = |unit| format!("\\u{unit:04x}");
        match escaped {
            true => format!("\"{}\"", text.encode_utf16().map(escape).collect::<String>()),
            false => json!(text).to_string(),
        }
    };
    match placement {
        Placement::Text => quote(&format!("no. {written}.")),
        Placement::Number => number.to_owned(),
        Placement::Fraction => format!("-{number}.000"),
        Placement::Exponent => {
            format!("{}.{}e{}", &number[..3], &number[3..], number.len() - 3)
        }
        Placement::Name => format!("{{{}: 1}}", quote(written)),
    }
}

proptest! {
    #[test]
    fn a_card_number_is_found_at_any_position(
        before in body(ordinary().boxed()),
        after in ordinary(),
        depth in 0..6usize,
        (number, written) in (card_number(), written()),
        placement in select(&PLACEMENTS[..]),
        escaped in any::<bool>(),
        cut in any::<bool>(),
    ) {
        let mut hidden = json!([after, "THE CARD NUMBER", after]);
        for _ in 0..depth {
            hidden = json!({"a": before, "b": [hidden]});
        }
        let card = embed(placement, &number, &written, escaped);
        let mut sent = hidden.to_string().replace(MARK, &card);
        prop_assert!(found_in_json(sent.as_bytes()), "{}", sent);
        if cut {
            sent.truncate(sent.find(&card).unwrap_or(0) + card.len());
            prop_assert!(found_in_json(sent.as_bytes()), "{}", sent);
        }
        let (text, path) = (format!("{after}:{written}"), format!("/loans/{number}/cards"));
        prop_assert!(found_in(&text) && found_in_path(&path));
    }

    #[test]
    fn ordinary_bodies_pass(body in body(ordinary().boxed())) {
        prop_assert!(!found_in_json(body.to_string().as_bytes()), "{}", body);
        prop_assert!(!found_in_json(format!("{body:#}").as_bytes()), "{}", body);
    }

    #[test]
    fn arbitrary_input_never_panics(body in vec(any::<u8>(), 0..200), text in ".{0,200}") {
        let _ = found_in_json(&body);
        let _ = (found_in_json(text.as_bytes()), found_in(&text), shown_path(&text).len());
    }
}

#[test]
fn search_time_is_linear_in_the_length_of_the_body() {
    const BYTES: usize = 1 << 17;
    let mut slowest = Duration::ZERO;
    for pattern in [
        "4-",
        "4-4",
        "9-",
        "4242-",
        "4 2\u{200b}",
        "4",
        "0",
        "0-",
        "-",
        " ",
        "a",
        "a-",
        "1a-",
        "42424242-4242-4242-",
        "\"",
        "\"\",",
        "\":",
        "\"4\",",
        "\\",
        "\"\\\\",
        "\\u0034",
        "[",
        "1,",
        "4.2e15,",
        "1e1e",
        "\u{ff14}",
        "\u{2013}",
        "6-0-1-1-",
        "3-",
        "5-5-",
    ] {
        for head in ["", "\""] {
            let text = format!("{head}{}", pattern.repeat(BYTES / pattern.len()));
            let started = Instant::now();
            let _ = found_in_json(text.as_bytes());
            slowest = slowest.max(started.elapsed());
        }
    }
    // Quadratic would be minutes.
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}
