//! The contract against the servers, by independent programs: schemathesis derives valid and
//! invalid requests from it and checks every answer against it; redocly and spectral lint it.
//!
//! Their settings are in `tests/clients`, and `schemathesis_hooks.py` there lists requests that are
//! refused although the contract allows them. `TEST_FUZZ_EXAMPLES` makes a longer run, `TEST_SEED`
//! a different one, `TEST_FUZZ_DATABASE` one on another database.

use crate::PROGRAM;
use acceptance::installed_clients::{clients_folder, node_program, python_program, skip};
use acceptance::quickstart::Quickstart;
use acceptance::test_seed::test_seed;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// Requests per operation and phase, in addition to those that follow from the contract alone.
const EXAMPLES: u32 = 4;
const SEED: u64 = 1;
/// The time limit of one user's run; by default it takes a minute on an idle machine.
const RUN: Duration = Duration::from_secs(600);
/// `coverage` derives every kind of invalid request from the contract. Once is enough, by a user who
/// may do everything and with the extensions.
const ALL_PHASES: &str = "examples,coverage,fuzzing,stateful";
const PHASES: &str = "examples,fuzzing,stateful";

fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} cannot be {text}")))
}

const CONTRACT: &str = "openapi.json";
/// The contract without the extensions.
const INTERFACE: &str = "openapi-interface.json";

fn contract(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../api-server").join(name)
}

/// What the program printed, if it has found something.
fn findings(output: &Output) -> Option<String> {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let printed = || [&output.stdout, &output.stderr].map(|bytes| text(bytes)).concat();
    (!output.status.success()).then(printed)
}

async fn fuzz(
    program: &Path,
    quickstart: &Quickstart,
    folder: &Path,
    (contract_name, phases): (&str, &str),
    user: &str,
) {
    let report = &quickstart.report;
    let text = |name: &str| report[name].as_str().expect("a text").to_owned();
    let examples = setting("TEST_FUZZ_EXAMPLES").unwrap_or(EXAMPLES);
    let seed = std::env::var("TEST_SEED").map_or(SEED, |_| test_seed());
    println!("{user}: TEST_FUZZ_EXAMPLES={examples} TEST_SEED={seed}");
    let mut command = Command::new(program);
    command
        .arg("--config-file")
        .arg(clients_folder().join("schemathesis.toml"))
        .args(["--no-color", "run", "--checks", "all", "--phases", phases])
        .args(["--continue-on-failure", "--generation-database", "none", "--warnings", "off"])
        .args(["--max-examples", &examples.to_string(), "--seed", &seed.to_string()])
        .args(["--url", &text("api_url"), "--tls-verify", &text("ca_certificate")])
        .arg(contract(contract_name))
        .env("SCHEMATHESIS_HOOKS", clients_folder().join("schemathesis_hooks.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("QUICKSTART", folder.join("quickstart.json"))
        .env("QUICKSTART_USER", user)
        .current_dir(folder)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let limit = RUN * (examples / EXAMPLES + 1);
    let output = timeout(limit, command.output()).await.expect("in time").expect("a process");
    if let Some(found) = findings(&output) {
        panic!("as {user}, TEST_SEED={seed}: {found}");
    }
}

#[tokio::test]
async fn fuzzed_requests_are_answered_as_the_contract_says() {
    let program = match python_program("schemathesis") {
        Ok(program) => program,
        Err(missing) => return skip(&missing),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let database: Option<String> = setting("TEST_FUZZ_DATABASE");
    let more: Vec<&str> = database.iter().flat_map(|url| ["--database-url", url]).collect();
    let quickstart = Quickstart::start(PROGRAM, folder.path(), &more).await;
    let run = async |user, phases| {
        fuzz(&program, &quickstart, folder.path(), (CONTRACT, phases), user).await;
    };
    // Each run uses one processor.
    tokio::join!(run("admin", ALL_PHASES), run("teller", PHASES), run("web", PHASES));
    quickstart.stop().await;
}

#[tokio::test]
async fn without_extensions_fuzzed_requests_are_answered_as_the_interface_says() {
    let program = match python_program("schemathesis") {
        Ok(program) => program,
        Err(missing) => return skip(&missing),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let off = [("API_EXTENSIONS", "off")];
    let quickstart = Quickstart::start_with(PROGRAM, folder.path(), &[], &off).await;
    fuzz(&program, &quickstart, folder.path(), (INTERFACE, PHASES), "admin").await;
    quickstart.stop().await;
}

async fn lint(program: &str, arguments: &[&str], settings: &str) {
    let program = match node_program(program) {
        Ok(program) => program,
        Err(missing) => return skip(&missing),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(clients_folder().join(settings)).arg(contract(CONTRACT));
    // Redocly would otherwise check for updates and report its use.
    command.env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true").env("REDOCLY_TELEMETRY", "off");
    let output = command.stdin(Stdio::null()).kill_on_drop(true).output();
    let output = timeout(RUN, output).await.expect("in time").expect("a process");
    if let Some(found) = findings(&output) {
        panic!("{found}");
    }
}

#[tokio::test]
async fn redocly_accepts_the_contract() {
    lint("redocly", &["lint", "--max-problems", "50", "--config"], "redocly.yaml").await;
}

#[tokio::test]
async fn spectral_accepts_the_contract() {
    let arguments = ["lint", "--fail-severity", "hint", "--ruleset"];
    lint("spectral", &arguments, "spectral.yaml").await;
}
