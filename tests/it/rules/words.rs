//! Words: what users read is plain English, and a type's name stands for one thing in its crate.

use super::source_layout::files;
use crate::PROGRAM;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Words and phrases that are absent from texts for users, in lower case.
const ABSENT: &[&str] = &[
    "anybody",
    "everybody",
    "give back",
    "given back",
    "gives back",
    "he",
    "him",
    "his",
    "in vain",
    "is undone",
    "nobody",
    "somebody",
    "what becomes of",
    "what came of",
    "whoever",
    "whomever",
];

/// Names that repeat in a package: sea-orm expects two in each entity's module, and each load
/// program parses its own arguments.
const REPEATED: &[(&str, &str)] =
    &[("shared", "Model"), ("shared", "Relation"), ("tests/load", "Arguments")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Fails if a text has a word of the list.
fn check(source: &str, text: &str) {
    let words = text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " ");
    let words = format!(" {} ", words.split_whitespace().collect::<Vec<_>>().join(" "));
    for absent in ABSENT {
        assert!(!words.contains(&format!(" {absent} ")), "{source}: {absent:?} in {text}");
    }
}

/// Calls with every title, summary and description of a document.
fn texts(value: &Value, call: &mut impl FnMut(&str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| texts(item, call)),
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str() {
                    Some(text) if ["title", "summary", "description"].contains(&&**name) => {
                        call(text);
                    }
                    _ => texts(member, call),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_contract_is_in_plain_english() {
    let document: Value = serde_json::from_str(api_server::router::document()).expect("JSON");
    let mut checked = 0;
    texts(&document, &mut |text| {
        check("openapi.json", text);
        checked += 1;
    });
    assert!(checked > 500, "only {checked} texts");
    for (_, operations) in document["paths"].as_object().expect("paths") {
        for (_, operation) in operations.as_object().expect("operations") {
            let summary = operation["summary"].as_str().expect("a summary");
            let first = summary.split_whitespace().next().unwrap_or_default();
            let is_verb = !["A", "An", "The", "All", "What", "Which", "How"].contains(&first);
            assert!(is_verb, "{}: {summary:?} names no action", operation["operationId"]);
        }
    }
}

#[test]
fn settings_samples_and_readmes_are_in_plain_english() {
    for setting in auth_server::config::SETTINGS.iter().chain(api_server::config::SETTINGS) {
        check(setting.name, setting.help);
    }
    let mut checked = 0;
    for folder in [
        ".",
        "deploy",
        "installer",
        "api-server",
        "api-server/docs",
        "auth-server",
        "shared",
        "tests",
    ] {
        for entry in std::fs::read_dir(root().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if [".md", ".sample", ".xsd"].iter().any(|end| name.ends_with(end)) {
                check(&name, &std::fs::read_to_string(&path).expect("text"));
                checked += 1;
            }
        }
    }
    assert!(checked > 15, "only {checked} files");
}

/// The help of a command and of the commands below it.
fn check_help(command: &[String]) -> usize {
    let output = Command::new(PROGRAM).args(command).arg("--help").output().expect("a process");
    let help = String::from_utf8(output.stdout).expect("text");
    check(&command.join(" "), &help);
    let listed = help.split("Commands:\n").nth(1).unwrap_or_default().lines();
    let listed = listed.take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    let below = names.map(|name| check_help(&[command, &[name.to_owned()]].concat()));
    1 + below.sum::<usize>()
}

#[test]
fn the_help_of_every_command_is_in_plain_english() {
    let checked = check_help(&[]);
    assert!(checked > 20, "only {checked} commands");
}

/// The package of a file: below `tests/` each folder is one.
fn package(file: &str) -> String {
    match file.strip_prefix("tests/").and_then(|path| path.split_once('/')) {
        Some((folder, _)) => format!("tests/{folder}"),
        None => file.split("/src/").next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn type_names_are_unique_in_their_crate() {
    let mut files_of_type: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (file, text) in files() {
        let package = package(&file);
        for line in text.lines() {
            let declared = line.trim_start().trim_start_matches("pub ");
            let declared =
                declared.trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
            let mut words = declared.split([' ', '<', '(', '{', ';', ':', '=']);
            let kind = words.next().unwrap_or_default();
            // Associated types belong to their trait.
            let is_type = kind == "type" && !line.starts_with(' ');
            if is_type || ["struct", "enum", "trait", "union"].contains(&kind) {
                let name = words.next().unwrap_or_default().to_owned();
                // A macro's variable.
                if name.starts_with('$') {
                    continue;
                }
                files_of_type.entry((package.clone(), name)).or_default().push(file.clone());
            }
        }
    }
    let in_tests =
        files_of_type.keys().filter(|(package, _)| package.starts_with("tests/")).count();
    assert!(in_tests > 200, "only {in_tests} types in tests");
    assert!(files_of_type.len() > 700, "only {} types", files_of_type.len());
    for ((package, name), files) in files_of_type {
        let is_unique = files.len() == 1 || REPEATED.contains(&(&*package, &*name));
        assert!(is_unique, "{package} has {name} in {}", files.join(", "));
    }
}
