//! Imports go one way: in every package a top-level module imports only modules below it in its list.
//! The installer's commands do not import each other.

use crate::rules::source_layout::files;
use std::collections::BTreeSet;

/// From top to bottom: each module may need the modules below it.
const API_SERVER: &[&str] = &[
    "router",
    "background",
    "endpoints",
    "openapi",
    "state",
    "config",
    "cards",
    "xml_import",
    "documents",
    "loans",
    "drawers",
    "audit",
    "command",
    "http",
    "auth",
];

const AUTH_SERVER: &[&str] =
    &["router", "background", "endpoints", "state", "config", "web", "store", "login", "http"];

const INSTALLER: &[&str] = &["cli", "commands", "demo", "seed", "verification", "installation"];

const INSTALLATION: &[&str] = &[
    "settings_files",
    "new_password",
    "document_files",
    "database",
    "credentials",
    "certificates",
    "accounts",
    "grants",
    "registration",
    "core_settings",
    "output",
    "cli_error",
    "server_process",
    "db_probe",
    "files",
    "trusted_path",
    "table",
    "checks",
    "actor",
];

const SHARED: &[&str] = &[
    "tasks",
    "runtime",
    "certificate_expiry",
    "disk_space",
    "settings",
    "sessions",
    "rate_limit",
    "tls",
    "server",
    "shutdown",
    "keyed_permits",
    "html",
    "networks",
    "user_names",
    "passwords",
    "envelope_encryption",
    "fair_queue",
    "middleware",
    "audit",
    "database",
    "telemetry",
    "problem",
    "random",
    "entity",
    "time",
    "text_file",
    "secrets",
    "json_columns",
    "introspection",
    "amounts",
];

const HARNESS: &[&str] = &[
    "wire",
    "web_servers",
    "test_seed",
    "terminal",
    "stalled_reader",
    "snapshot",
    "filled_tables",
    "quickstart",
    "published_loans",
    "pgbench",
    "log_in_form",
    "loan_drivers",
    "loan_model",
    "accessibility",
    "web_browser",
    "latencies",
    "installer_under_test",
    "generators",
    "galera",
    "postgres",
    "haproxy",
    "forms",
    "third_party_clients",
    "visitor",
    "table_contents",
    "catalogue",
    "application",
    "world",
    "seeds",
    "provider",
    "webhooks",
    "stripe_proxy",
    "environment",
    "server_settings",
    "moto",
    "localstripe",
    "python_server",
    "servers",
    "memory",
    "cpu_time",
    "installed_clients",
    "file_faults",
    "statement_proxy",
    "tcp_proxy",
    "databases",
    "client",
    "contract",
    "lean_client",
    "response",
];

#[test]
fn modules_of_the_auth_server_import_only_modules_below_them() {
    check("auth-server/src", AUTH_SERVER);
}

#[test]
fn modules_of_the_api_server_import_only_modules_below_them() {
    check("api-server/src", API_SERVER);
}

#[test]
fn modules_of_the_installer_import_only_modules_below_them() {
    check("installer/src", INSTALLER);
    check("installer/src/installation", INSTALLATION);
}

#[test]
fn commands_of_the_installer_do_not_import_each_other() {
    for (file, command, imported) in imports("installer/src/commands") {
        for other in &imported {
            assert_eq!(
                *other, command,
                "{file}: {command} → {other}; what both need belongs into a module below the commands"
            );
        }
    }
}

#[test]
fn modules_of_the_shared_crate_import_only_modules_below_them() {
    check("shared/src", SHARED);
}

#[test]
fn modules_of_the_test_harness_import_only_modules_below_them() {
    check("tests/harness", HARNESS);
}

/// Checks that no module imports a module above its own, and that every module is listed.
fn check(source: &str, order: &[&str]) {
    let of_files = imports(source);
    let found: BTreeSet<&str> = of_files.iter().map(|(_, module, _)| module.as_str()).collect();
    let listed: BTreeSet<&str> = order.iter().copied().collect();
    assert_eq!(found, listed, "the modules of {source} and their order");
    let position = |module: &str| order.iter().position(|listed| *listed == module);
    for (file, module, imported) in &of_files {
        for other in imported.iter().filter(|other| *other != module) {
            assert!(
                position(module) < position(other),
                "{file}: {module} stands below {other}, and may not import it"
            );
        }
    }
}

/// File, module and imported modules, without comments and tests. The modules are those of a package, or
/// of one module within it, such as `installer/src/commands`.
fn imports(source: &str) -> Vec<(String, String, BTreeSet<String>)> {
    let mut found = Vec::new();
    let above =
        source.split_once("/src/").map_or(String::new(), |(_, module)| format!("{module}::"));
    let of_crate = format!("crate::{}", above.replace('/', "::"));
    for (name, text) in files() {
        let Some(path) = name.strip_prefix(&format!("{source}/")) else { continue };
        let module = path.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        if ["lib", "main"].contains(&module.as_str()) || name.ends_with("/tests.rs") {
            continue;
        }
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let supers = "super::".repeat(1 + path.matches('/').count());
        let mut imported = BTreeSet::new();
        for line in text.lines() {
            let code = line.split("//").next().unwrap_or_default();
            for path in [&of_crate, &supers].into_iter().flat_map(|above| code.split(above).skip(1))
            {
                let end = path.find(|c: char| !c.is_alphanumeric() && c != '_');
                let other = &path[..end.unwrap_or(path.len())];
                // A macro is exported from the root, whichever module it is in.
                if path[other.len()..].starts_with('!') {
                    continue;
                }
                assert!(!other.is_empty(), "{name}: one line for each module that is imported");
                imported.insert(other.to_owned());
            }
        }
        found.push((name, module, imported));
    }
    found
}
