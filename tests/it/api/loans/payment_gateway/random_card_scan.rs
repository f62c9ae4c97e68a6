//! After many random bodies, the database's files and the log contain no card data.
//!
//! The bodies follow from `TEST_SEED`.

use super::{add_card, book};
use crate::PROGRAM;
use acceptance::test_seed::test_seed;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{Database, World};
use fastrand::Rng;
use serde_json::{Value, json};

/// The number of bodies on each database.
const BODIES: usize = 150;
/// Names of members that hold forbidden data.
const SECRET_NAMES: [&str; 8] =
    ["cvv", "cvc", "CID", "security_code", "SecurityCode", "card_number", "Card-Number", "pan"];

/// A number that any shop would accept as a card's.
fn card_number(rng: &mut Rng) -> String {
    let (prefix, length) = rng
        .choice([("4", 16), ("51", 16), ("37", 15), ("6011", 16), ("4", 13)])
        .expect("one of them");
    let mut digits: Vec<u32> =
        prefix.chars().map(|digit| digit.to_digit(10).expect("a digit")).collect();
    while digits.len() < length - 1 {
        digits.push(rng.u32(0..10));
    }
    let sum = |last: u32| -> u32 {
        let all = digits.iter().copied().chain([last]).rev().enumerate();
        all.map(|(index, digit)| match index % 2 {
            0 => digit,
            _ if digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        })
        .sum()
    };
    let last = (0..10).find(|last| sum(*last).is_multiple_of(10)).expect("a check digit");
    digits.push(last);
    digits.iter().map(u32::to_string).collect()
}

/// The number as people write it.
fn format_number(rng: &mut Rng, number: &str) -> String {
    let separator = *rng.choice(&["", " ", "-", " - ", "\u{a0}", "\u{2011}"]).expect("one");
    let groups: Vec<&str> = (0..number.len())
        .step_by(4)
        .map(|start| &number[start..number.len().min(start + 4)])
        .collect();
    format!("{}{}", rng.choice(["", "card ", "n="]).expect("one"), groups.join(separator))
}

/// What must appear nowhere afterwards: numbers by their digits, codes verbatim.
#[derive(Default)]
struct SentCardData {
    numbers: Vec<String>,
    codes: Vec<String>,
}

/// A body that an operation would accept, with card data inserted somewhere, or not.
fn insert_card_data(rng: &mut Rng, mut body: Value, sent: &mut SentCardData) -> (Value, bool) {
    let members = body.as_object_mut().expect("an object");
    let texts: Vec<String> = members
        .iter()
        .filter(|(_, value)| value.is_string())
        .map(|(name, _)| name.clone())
        .collect();
    match rng.u8(0..6) {
        0 => return (body, false),
        1 => {
            let number = card_number(rng);
            let text = format_number(rng, &number);
            sent.numbers.push(number);
            members.insert(rng.choice(texts).expect("a text"), json!(text));
        }
        2 => {
            let number = card_number(rng);
            members.insert("Amount".to_owned(), json!(number.parse::<u64>().expect("a number")));
            sent.numbers.push(number);
        }
        3 => {
            let number = card_number(rng);
            let name = format_number(rng, &number);
            sent.numbers.push(number);
            members.insert(name, json!(1));
        }
        4 => {
            let code = format!("code{:08}", rng.u32(0..100_000_000));
            members.insert(rng.choice(SECRET_NAMES).expect("one").to_owned(), json!(code));
            sent.codes.push(code);
        }
        _ => {
            let number = card_number(rng);
            members.insert("Userdef05".to_owned(), json!([{"a": [format_number(rng, &number)]}]));
            sent.numbers.push(number);
        }
    }
    (body, true)
}

fn template(rng: &mut Rng, card: i64) -> (&'static str, Value) {
    match rng.bool() {
        true => {
            ("credit-cards", json!({"Gateway_Token": "tok_visa", "Cardholder_Name": "Ana Rivera"}))
        }
        false => (
            "payments",
            json!({
                "PaymentGatewayTokenID": card, "Amount": "1.00", "User_Reference": "desk 3",
            }),
        ),
    }
}

/// All files of an embedded database, or all rows of a server's.
async fn stored_bytes(world: &World) -> Vec<u8> {
    let mut bytes = format!("{:?}", world.snapshot().await).into_bytes();
    if world.database == Database::Sqlite {
        let path = world.database_url.trim_start_matches("sqlite://");
        for suffix in ["", "-wal"] {
            let file = std::fs::read(format!("{path}{suffix}"));
            bytes.extend(file.expect("the database's file"));
        }
    }
    bytes
}

/// Standalone runs of 13 to 19 digits with a valid check digit.
fn card_like(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let numbers = words.filter(|word| {
        (13..=19).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
    });
    numbers.filter(|digits| api_server::http::pan_scan::found_in(digits)).collect()
}

#[tokio::test]
async fn no_card_data_is_stored_after_many_random_bodies() {
    let seed = test_seed();
    let mut environment = Environment::default();
    environment.api.insert("API_LOG_FILTER".to_owned(), "debug".to_owned());
    on_each_database_with(PROGRAM, environment.in_processes(), |world| async move {
        let mut rng = Rng::with_seed(seed);
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let card = add_card(&world, &admin, loans[0], "tok_visa").await;
        let mut sent = SentCardData::default();
        let mut accepted = 0;
        for _ in 0..BODIES {
            let (operation, body) = template(&mut rng, card);
            let (body, spoilt) = insert_card_data(&mut rng, body, &mut sent);
            let mut text = body.to_string();
            if spoilt && rng.u8(0..5) == 0 {
                text.truncate(text.len() - 1);
            }
            let path = format!("/loans/{}/payment-gateway/{operation}", loans[0]);
            let request = world.client.request(reqwest::Method::POST, &admin, &path);
            let request = request.header("content-type", "application/json").body(text.clone());
            let response = world.client.send(request).await.expect("a response");
            match spoilt {
                true => drop(response.expect_problem(422, "card-number-refused")),
                false => {
                    response.expect(201);
                    accepted += 1;
                }
            }
        }
        assert!(accepted > 5 && sent.numbers.len() > 20 && sent.codes.len() > 5);
        for (source, bytes) in [
            ("the database", stored_bytes(&world).await),
            ("the log", world.api.log().into_bytes()),
        ] {
            // Every byte becomes a character, so that digits keep their meaning.
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            assert!(text.len() > 10_000, "{source} has {} bytes", text.len());
            for secret in sent.numbers.iter().chain(&sent.codes) {
                let found = memchr::memmem::find(&bytes, secret.as_bytes());
                assert_eq!(found, None, "{secret} is in {source}");
            }
            assert_eq!(card_like(&text), [""; 0], "in {source}");
        }
        world
    })
    .await;
}
