//! Random import files, valid, borderline and invalid. The answer to any file is a report or a
//! refusal, what was not committed leaves nothing, and a test run reports what the real run does.
//!
//! The files follow from `TEST_SEED`, and `PROPTEST_CASES` is their number for each database. A
//! failure is shrunk as far as possible before it is reported.

mod drawing;
mod format;

use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, borrower_with_loan, file};
use acceptance::test_seed::test_seed;
use acceptance::{TestResponse, World, on_each_database};
use drawing::Drawn;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use std::collections::BTreeMap;

const CASES: u64 = 40;
/// The most attempts at shrinking a failure.
const SHRINKS: usize = 200;

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// How often each outcome occurred.
type Tally = BTreeMap<&'static str, u64>;

#[tokio::test]
async fn whatever_the_file_the_answer_is_true() {
    let seed = test_seed();
    on_each_database(PROGRAM, move |world| async move {
        let admin = world.token("admin").await;
        let loans =
            [borrower_with_loan(1, OPEN_TERMS), borrower_with_loan(2, PUBLISHED_TERMS)].concat();
        world.import(&admin, &file(&loans)).await;
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let chance = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), chance);
        let mut tally = Tally::new();
        for case in 0..setting("PROPTEST_CASES").unwrap_or(CASES) {
            let tree = drawing::file().new_tree(&mut runner).expect("a file");
            match check(&world, &admin, &tree.current()).await {
                Ok(end) => *tally.entry(end).or_default() += 1,
                Err(why) => {
                    let (file, why) = smallest(&world, &admin, tree, why).await;
                    let (name, text) = (world.database.name(), String::from_utf8_lossy(&file));
                    panic!("TEST_SEED={seed} on {name}, file {case}: {why}\n{text}");
                }
            }
        }
        println!("on {}: {tally:?}", world.database.name());
        let ends = ["committed", "not committed", "not sound"];
        let missing = ends.iter().find(|end| !tally.contains_key(*end));
        let enough = tally.values().sum::<u64>() < CASES || missing.is_none();
        assert!(enough, "TEST_SEED={seed}: {tally:?} lacks {missing:?}");
        world
    })
    .await;
}

/// Shrinks a failing file to the smallest one found that fails too. The rows are those that earlier
/// attempts left.
async fn smallest(
    world: &World,
    admin: &str,
    mut tree: impl ValueTree<Value = Drawn>,
    why: String,
) -> (Vec<u8>, String) {
    let mut found = (tree.current().bytes(), why);
    let mut smaller = tree.simplify();
    for _ in 0..SHRINKS {
        if !smaller {
            break;
        }
        smaller = match check(world, admin, &tree.current()).await {
            Err(why) => {
                found = (tree.current().bytes(), why);
                tree.simplify()
            }
            Ok(_) => tree.complicate(),
        };
    }
    found
}

async fn send(world: &World, admin: &str, test: bool, file: &[u8]) -> Result<TestResponse, String> {
    let path = format!("/core/xml-import?test={test}");
    let request = world.client.request(reqwest::Method::POST, admin, &path);
    let request = request.header("content-type", "application/xml").body(file.to_vec());
    let response = world.client.send(request).await.map_err(|error| error.to_string())?;
    match response.status.as_u16() {
        200 | 400 => Ok(response),
        status => Err(format!("test={test} is answered with {status}: {:.2000}", response.text)),
    }
}

/// What both runs must report alike: everything except the ids of rows and of the request.
fn comparable(response: &TestResponse) -> Value {
    let mut told = response.json();
    let members = told.as_object_mut().expect("an object");
    members.remove("Test");
    members.remove("Committed");
    members.remove("requestId");
    members.remove("instance");
    for record in told["Records"].as_array_mut().unwrap_or(&mut Vec::new()) {
        record.as_object_mut().expect("a record").remove("New_ID");
    }
    told
}

/// Imports a file as a test and for real. Returns the outcome.
async fn check(world: &World, admin: &str, file: &Drawn) -> Result<&'static str, String> {
    let file = file.bytes();
    let before = world.snapshot().await;
    let tried = send(world, admin, true, &file).await?;
    if world.snapshot().await != before {
        return Err(format!("the test run left something: {:.2000}", tried.text));
    }
    let done = send(world, admin, false, &file).await?;
    if comparable(&tried) != comparable(&done) {
        return Err(format!("the test run told\n{}\nand the run\n{}", tried.text, done.text));
    }
    let (result, after) = (done.json(), world.snapshot().await);
    let end = match (done.status.as_u16(), &result["Committed"]) {
        (400, _) => {
            if !result["line"].is_u64() || !result["column"].is_u64() {
                return Err(format!("a refusal without its place: {}", done.text));
            }
            "not sound"
        }
        (_, Value::Bool(true)) if after != before => "committed",
        (_, Value::Bool(true)) => "committed, and nothing was in it",
        (_, Value::Bool(false)) => "not committed",
        _ => return Err(format!("neither committed nor not: {}", done.text)),
    };
    if after != before && end != "committed" {
        return Err(format!("{end}, and something stayed: {:.2000}", done.text));
    }
    if end != "not sound" {
        check_totals(&result)?;
    }
    Ok(end)
}

/// Checks that the totals match the records, and that a block that was not committed changed
/// nothing.
fn check_totals(result: &Value) -> Result<(), String> {
    let records = result["Records"].as_array().ok_or("no records")?;
    let count = |action: &str| records.iter().filter(|r| r["Action"] == action).count() as u64;
    let mut sum = count("rolled_back");
    for (member, action) in [
        ("Inserted", "inserted"),
        ("Updated", "updated"),
        ("Deleted", "deleted"),
        ("Failed", "failed"),
    ] {
        let total = result[member].as_u64().ok_or("no total")?;
        sum += total;
        let undone = result["Committed"] == false && member != "Failed";
        if total != count(action) || (undone && total > 0) {
            return Err(format!("{member} is wrong: {result}"));
        }
    }
    match result["Read"] == sum && sum == records.len() as u64 {
        true => Ok(()),
        false => Err(format!("the totals do not add up: {result}")),
    }
}
