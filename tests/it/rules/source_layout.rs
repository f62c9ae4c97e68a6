//! House rules that can be checked on the source text.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace")
}

/// Every Rust file of the product, with its text.
pub fn files() -> Vec<(String, String)> {
    fn walk(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(root, &path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).expect("below the root").display().to_string();
                found.push((name, std::fs::read_to_string(&path).expect("text")));
            }
        }
    }
    let root = root();
    let mut found = Vec::new();
    for package in ["shared", "auth-server", "api-server", "installer", "tests"] {
        walk(&root, &root.join(package), &mut found);
    }
    assert!(found.len() > 100, "the walk found {} files", found.len());
    found
}

/// A file's text without comments and unit tests.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn every_file_starts_with_a_header() {
    for (name, text) in files() {
        assert!(text.starts_with("//! "), "{name} has no //! header");
    }
}

#[test]
fn files_are_short_and_named_after_their_contents() {
    for (name, text) in files() {
        let stem = name.rsplit('/').next().unwrap_or_default();
        let banned = [
            "mod.rs",
            "utils.rs",
            "util.rs",
            "helpers.rs",
            "common.rs",
            "types.rs",
            "misc.rs",
            "manager.rs",
        ];
        assert!(!banned.contains(&stem), "{name}: the name says nothing");
        let lines = text.lines().count();
        assert!(lines <= 600, "{name} has {lines} lines");
    }
}

#[test]
fn unsafe_blocks_are_in_one_file() {
    // The lint refuses such code without an attribute that names it.
    let lint = ["unsafe", "_code"].concat();
    let found = files().into_iter().filter(|(_, text)| text.contains(&lint));
    let found: Vec<String> = found.map(|(name, _)| name).collect();
    assert_eq!(found, ["shared/src/database/nodelay.rs"]);
}

#[test]
fn drivers_are_known_to_one_folder() {
    for (name, text) in files() {
        if name.starts_with("shared/src/database") || name.starts_with("tests/") {
            continue;
        }
        // The log filter names a driver's messages.
        let text = text.replace("sqlx=warn", "");
        for word in ["sqlx", "statement-cache"] {
            assert!(!text.contains(word), "{name} has {word:?} in it");
        }
    }
}

#[test]
fn requests_are_validated_before_they_wait() {
    let mut checked = 0;
    for (name, text) in files().iter().filter(|(name, _)| !name.starts_with("tests/")) {
        for rest in text.split("    async fn apply").skip(1) {
            let body = rest.split("\n    }\n").next().unwrap_or_default();
            assert!(!body.contains(".validate("), "{name} validates within a transaction");
            checked += 1;
        }
    }
    assert!(checked > 10, "only {checked} commands");
}

/// What the installer alone asks a database, or tells it.
const KINDS_OF_DATABASES: [&str; 6] = [
    "installer/src/commands/backup_check/reading.rs",
    "installer/src/commands/backup_check/sealed.rs",
    "installer/src/commands/install/checks/database.rs",
    "installer/src/commands/upgrade/connections.rs",
    "installer/src/demo/template.rs",
    "installer/src/installation/database.rs",
];

#[test]
fn servers_do_not_distinguish_kinds_of_databases() {
    let distinguish = |(name, text): &(String, String)| {
        let is_apart = name.starts_with("shared/src/database") || name.starts_with("tests/");
        !is_apart && text.contains("DbBackend")
    };
    let found: BTreeSet<_> =
        files().into_iter().filter(distinguish).map(|(name, _)| name).collect();
    assert_eq!(found, KINDS_OF_DATABASES.map(str::to_owned).into());
}

#[test]
fn the_arithmetic_of_loans_is_pure() {
    let mut checked = 0;
    for (name, text) in files() {
        if !name.starts_with("api-server/src/loans/servicing") {
            continue;
        }
        checked += 1;
        for word in ["poem", "sea_orm", "async ", "tokio", "f32", "f64", "::now"] {
            assert!(!text.contains(word), "{name} has {word:?} in it");
        }
    }
    assert!(checked > 5, "only {checked} files of servicing");
}

#[test]
fn the_two_servers_share_no_code_but_the_shared_crate() {
    for (name, text) in files() {
        if name.starts_with("api-server/") {
            assert!(!text.contains("auth_server"), "{name} reaches into the auth server");
        }
        if name.starts_with("auth-server/") || name.starts_with("shared/") {
            assert!(!text.contains("api_server"), "{name} reaches into the api-server");
        }
    }
}

#[test]
fn endpoints_are_in_the_folder_of_their_path() {
    for (name, text) in files() {
        let Some(url_prefix) = name.strip_prefix("api-server/src/endpoints/") else { continue };
        let url_prefix = format!("/{}", url_prefix.trim_end_matches(".rs").replace('_', "-"));
        let paths = text.split("path = \"").skip(1).filter_map(|rest| rest.split('"').next());
        for path in paths.filter(|path| path.starts_with('/')) {
            let fixed: Vec<&str> = path.split('/').filter(|part| !part.starts_with(':')).collect();
            assert!(fixed.join("/").starts_with(&url_prefix), "{path} is not in {name}");
        }
    }
}

/// Code that refunds a charge, deletes an object or retries a record matches on variants of its own
/// module's errors: problems and statuses are for answers.
#[test]
fn code_below_the_endpoints_does_not_branch_on_problems() {
    let modules = ["loans", "drawers", "cards", "documents", "xml_import", "command"];
    // The modules that turn refusals into problems, read requests or send answers.
    let adapters = [
        "/refusals.rs",
        "command/failure.rs",
        "command/idempotency.rs",
        "command/idempotency/",
        "src/documents.rs",
        "documents/attach.rs",
        "documents/store.rs",
        "documents/store/",
        "documents/downloads.rs",
        "documents/no_content.rs",
        "documents/multipart.rs",
        "documents/multipart/",
    ];
    let mut checked = 0;
    for (name, text) in files() {
        let Some(path) = name.strip_prefix("api-server/src/") else { continue };
        let code = code(&text);
        let module = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        let responses = ["endpoints", "openapi", "router"].contains(&module);
        for word in ["is_client_error()", "is_server_error()", "kind().status()"] {
            assert!(responses || !code.contains(word), "{name} decides by {word}");
        }
        if !modules.contains(&module) || adapters.iter().any(|adapter| name.contains(adapter)) {
            continue;
        }
        checked += 1;
        assert!(!code.contains("Problem"), "{name} knows of problems: it matches on variants");
    }
    assert!(checked > 50, "only {checked} files of modules");
}

/// What the guides put in backticks is there: files, `module::item`, and in the recipes each
/// `TypeName`.
#[test]
fn the_guides_name_only_what_exists() {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let has = |code: &str, name: &str| code.split(|c| !is_part(c)).any(|word| word == name);
    let sources = files().into_iter().filter(|(name, _)| !name.contains("tests"));
    let sources: Vec<_> = sources.map(|(name, text)| (name, code(&text))).collect();
    let has_type = |item: &str| {
        let mut api = sources.iter().filter(|(name, _)| name.starts_with("api-server/"));
        api.any(|(_, code)| has(code, item))
    };
    let has_item = |owner: &str, item: &str| {
        sources.iter().any(|(name, code)| {
            code.contains(&format!("{owner}::{item}"))
                || (name.ends_with(&format!("/{owner}.rs")) && has(code, item))
                || (has(code, owner) && code.contains(&format!("fn {item}")))
        })
    };
    let packages = ["api-server", "auth-server", "deploy", "installer", "shared", "tests"];
    let docs = std::fs::read_dir(root().join("api-server/docs")).expect("a folder");
    let mut guides: Vec<_> = docs.map(|entry| entry.expect("an entry").path()).collect();
    guides.extend(packages.map(|package| root().join(package).join("README.md")));
    guides.push(root().join("README.md"));
    let mut looked = 0;
    for guide in guides {
        let text = std::fs::read_to_string(&guide).expect("text");
        let prose = text.split("```").step_by(2);
        for span in prose.flat_map(|prose| prose.split('`').skip(1).step_by(2)) {
            let is_path = packages.iter().any(|package| span.starts_with(package));
            let names: Vec<&str> = span.rsplit("::").collect();
            let exists = if is_path && span.ends_with(".rs") && !span.contains('<') {
                root().join(span).exists()
            } else if !span.chars().all(|c| is_part(c) || c == ':') {
                continue;
            } else if let [item, owner, ..] = names[..] {
                has_item(owner, item)
            } else if guide.ends_with("recipes.md") && span.contains(char::is_lowercase) {
                !span.starts_with(char::is_uppercase) || has_type(span)
            } else {
                continue;
            };
            assert!(exists, "{}: there is no `{span}`", guide.display());
            looked += 1;
        }
    }
    assert!(looked > 50, "only {looked} names");
}
#[test]
fn each_dependency_is_used_by_its_package() {
    let files = files();
    let mut checked = 0;
    for package in
        ["shared", "shared/macros", "auth-server", "api-server", "installer", "tests", "tests/load"]
    {
        let manifest = std::fs::read_to_string(root().join(package).join("Cargo.toml"));
        let manifest = manifest.expect("a manifest");
        let code: String = files
            .iter()
            .filter(|(name, _)| name.starts_with(&format!("{package}/")))
            .map(|(_, text)| text.as_str())
            .collect();
        let mut lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
        // Dependencies that are there for their features alone come last, after a comment.
        while let Some(line) = lines.next().filter(|line| !line.starts_with('[')) {
            if line.starts_with("# For their features alone") {
                break;
            }
            let Some((name, _)) = line.split_once(['.', ' ']).filter(|_| !line.starts_with('#'))
            else {
                continue;
            };
            let crate_name = name.replace('-', "_");
            let is_used = [format!("{crate_name}::"), format!("use {crate_name}")]
                .iter()
                .any(|used| code.contains(used));
            assert!(is_used, "{package} does not use {name}");
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} dependencies");
}
