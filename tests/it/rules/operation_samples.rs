//! The samples of each operation on the documentation page are accepted by the server, and fit the
//! client packages. The demo has been changed by other programs, so a sample may find nothing, or be
//! refused because of the state that a row is in.

use super::generated_clients::Quickstart;
use acceptance::installed_clients::{skip, system_program};
use api_server::endpoints::docs::samples::{OperationSamples, by_operation};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

/// Statuses of requests that are wrong, whatever the state of a row.
const WRONG: [u16; 8] = [400, 401, 405, 406, 413, 415, 429, 500];

fn samples() -> BTreeMap<String, OperationSamples> {
    let document: Value = serde_json::from_str(api_server::router::document()).expect("JSON");
    by_operation(&document)
}

/// The samples in Python, by operation.
pub(super) fn in_python() -> BTreeMap<String, String> {
    samples().into_iter().map(|(id, sample)| (id, sample.python)).collect()
}

/// A module with a function for each sample in TypeScript.
pub(super) fn typescript_module() -> String {
    let samples = samples();
    let words = samples.values().flat_map(|sample| {
        let words = sample.typescript.split(|letter: char| !letter.is_ascii_alphanumeric());
        words.filter(|word| word.ends_with("Api") || word.ends_with("FromJSON"))
    });
    let names: BTreeSet<&str> = words.chain(["type Session"]).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut module = format!("import {{ {} }} from \"loan-servicing\";\n", names.join(", "));
    for (id, OperationSamples { typescript, .. }) in &samples {
        let parameters =
            "session: Session, content: Uint8Array<ArrayBuffer>, xml: string, versionHash: string";
        // Writing to a string cannot fail.
        let _ = writeln!(module, "export async function {id}({parameters}) {{\n{typescript};\n}}");
    }
    module
}

#[tokio::test]
async fn every_command_is_accepted() {
    let curl = match system_program("curl", "curl") {
        Ok(curl) => curl,
        Err(missing) => return skip(&missing),
    };
    let quickstart = Quickstart::running().await;
    let _turn = quickstart.lock.lock().await;
    let token = quickstart.log_in().await;
    let report = quickstart.report();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("scan.png"), b"\x89PNG\r\n\x1a\n\0").expect("a file");
    std::fs::write(folder.path().join("loans.xml"), "<Core/>").expect("a file");
    let print_status = format!("{} -s -o answer -w '%{{http_code}}' ", curl.display());
    for (id, sample) in samples() {
        let command = sample.curl.replacen("curl ", &print_status, 1);
        let ran = Command::new("sh")
            .args(["-c", &command])
            .current_dir(folder.path())
            .env("API", report["api_url"].as_str().expect("a URL"))
            .env("TOKEN", &token)
            .env("VERSION_HASH", "0".repeat(64))
            .env("CURL_CA_BUNDLE", report["ca_certificate"].as_str().expect("a path"))
            .output()
            .expect("a shell");
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
        let status: u16 = printed.parse().unwrap_or_else(|_| panic!("{id}: {command}: {ran:?}"));
        let answer = std::fs::read_to_string(folder.path().join("answer")).unwrap_or_default();
        assert!(!WRONG.contains(&status), "{id}: {command}: {status} {answer:.500}");
    }
}
