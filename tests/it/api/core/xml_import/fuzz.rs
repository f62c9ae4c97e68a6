//! Random import files, valid, borderline and invalid. The answer to any file is a report or a
//! refusal, what was not committed leaves nothing, and a test run reports what the real run does.
//!
//! The files follow from `TEST_SEED`, and `PROPTEST_CASES` is their number for each database. A
//! failure is shrunk as far as possible before it is reported.

mod format;
mod strategies;

use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, borrower_with_loan, file};
use acceptance::test_seed::test_seed;
use acceptance::{TestResponse, World, on_each_database};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use std::collections::BTreeMap;
use strategies::FuzzedFile;

const CASES: u64 = 20;
/// The most attempts at shrinking a failure.
const SHRINKS: usize = 200;

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// How often each outcome occurred.
type OutcomeCounts = BTreeMap<&'static str, u64>;

#[tokio::test]
async fn fuzzed_files_get_a_correct_report() {
    let seed = test_seed();
    on_each_database(PROGRAM, move |world| async move {
        let admin = world.token("admin").await;
        let loans =
            [borrower_with_loan(1, OPEN_TERMS), borrower_with_loan(2, PUBLISHED_TERMS)].concat();
        world.import(&admin, &file(&loans)).await;
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let mut tally = OutcomeCounts::new();
        for case in 0..setting("PROPTEST_CASES").unwrap_or(CASES) {
            let tree = strategies::file().new_tree(&mut runner).expect("a file");
            match check(&world, &admin, &tree.current()).await {
                Ok(outcome) => *tally.entry(outcome).or_default() += 1,
                Err(failure) => {
                    let (file, failure) = shrink(&world, &admin, tree, failure).await;
                    let (name, text) = (world.database.name(), String::from_utf8_lossy(&file));
                    panic!("TEST_SEED={seed} on {name}, file {case}: {failure}\n{text}");
                }
            }
        }
        println!("on {}: {tally:?}", world.database.name());
        let outcomes = ["committed", "not committed", "not sound"];
        let missing = outcomes.iter().find(|outcome| !tally.contains_key(*outcome));
        let enough = tally.values().sum::<u64>() < CASES || missing.is_none();
        assert!(enough, "TEST_SEED={seed}: {tally:?} lacks {missing:?}");
        world
    })
    .await;
}

/// Shrinks a failing file to the smallest one found that fails too. The rows are those that earlier
/// attempts left.
async fn shrink(
    world: &World,
    admin: &str,
    mut tree: impl ValueTree<Value = FuzzedFile>,
    failure: String,
) -> (Vec<u8>, String) {
    let mut found = (tree.current().bytes(), failure);
    let mut smaller = tree.simplify();
    for _ in 0..SHRINKS {
        if !smaller {
            break;
        }
        smaller = match check(world, admin, &tree.current()).await {
            Err(failure) => {
                found = (tree.current().bytes(), failure);
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
    let mut report = response.json();
    let members = report.as_object_mut().expect("an object");
    members.remove("Test");
    members.remove("Committed");
    members.remove("requestId");
    members.remove("instance");
    for record in report["Records"].as_array_mut().unwrap_or(&mut Vec::new()) {
        record.as_object_mut().expect("a record").remove("New_ID");
    }
    report
}

/// Imports a file as a test and for real. Returns the outcome.
async fn check(world: &World, admin: &str, file: &FuzzedFile) -> Result<&'static str, String> {
    let file = file.bytes();
    let before = world.snapshot().await;
    let test_run = send(world, admin, true, &file).await?;
    if world.snapshot().await != before {
        return Err(format!("the test run left something: {:.2000}", test_run.text));
    }
    let imported = send(world, admin, false, &file).await?;
    if comparable(&test_run) != comparable(&imported) {
        return Err(format!(
            "the test run told\n{}\nand the run\n{}",
            test_run.text, imported.text
        ));
    }
    let (result, after) = (imported.json(), world.snapshot().await);
    let outcome = match (imported.status.as_u16(), &result["Committed"]) {
        (400, _) => {
            if !result["line"].is_u64() || !result["column"].is_u64() {
                return Err(format!("a refusal without its place: {}", imported.text));
            }
            "not sound"
        }
        (_, Value::Bool(true)) if after != before => "committed",
        (_, Value::Bool(true)) => "committed, and nothing was in it",
        (_, Value::Bool(false)) => "not committed",
        _ => return Err(format!("neither committed nor not: {}", imported.text)),
    };
    if after != before && outcome != "committed" {
        return Err(format!("{outcome}, and something stayed: {:.2000}", imported.text));
    }
    if outcome != "not sound" {
        check_totals(&result)?;
    }
    Ok(outcome)
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
        let rolled_back = result["Committed"] == false && member != "Failed";
        if total != count(action) || (rolled_back && total > 0) {
            return Err(format!("{member} is wrong: {result}"));
        }
    }
    match result["Read"] == sum && sum == records.len() as u64 {
        true => Ok(()),
        false => Err(format!("the totals do not add up: {result}")),
    }
}
