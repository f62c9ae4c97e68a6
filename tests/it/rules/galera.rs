//! Two replicas of each server, each on its own node of a MariaDB Galera cluster: concurrent
//! postings and log-outs are right, and losing a replica's node loses nothing.

use acceptance::galera;
use acceptance::installed_clients::skip;
use std::collections::BTreeSet;
use std::process::Command;

/// The program that runs the test; it can also be run manually for longer.
const PROGRAM: &str = env!("CARGO_BIN_EXE_galera_load");

#[test]
fn replicas_on_separate_galera_nodes_keep_books_and_sessions_consistent() {
    if let Some(missing) = galera::missing() {
        return skip(&missing);
    }
    let arguments = ["--seconds", "10", "--clients", "4", "--loans", "8", "--rounds", "4"];
    let run = Command::new(PROGRAM).args(arguments).output().expect("a run");
    let output = String::from_utf8_lossy(&run.stdout);
    println!("{output}");
    assert!(run.status.success(), "{output}{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn the_galera_sample_has_server_settings_for_both_pairs() {
    let sample = include_str!("../../../deploy/galera/servers.env.sample");
    let assigned = |line: &'static str| {
        let (name, value) = line.trim_start_matches("# ").split_once('=')?;
        (!name.contains(' ')).then_some((name, value))
    };
    let settings: Vec<_> = sample.lines().filter_map(assigned).collect();
    let setting_names = auth_server::config::SETTINGS.iter().chain(api_server::config::SETTINGS);
    let setting_names: Vec<_> = setting_names.map(|setting| setting.name).collect();
    for (name, _) in &settings {
        assert!(setting_names.contains(name), "{name} is no setting");
    }
    for own in
        ["AUTH_LISTEN", "API_LISTEN", "AUTH_DATABASE_URL", "API_DATABASE_URL", "API_AUTH_URL"]
    {
        let values: BTreeSet<_> =
            settings.iter().filter(|(name, _)| *name == own).map(|(_, value)| value).collect();
        assert_eq!(values.len(), 2, "each pair has {own} of its own");
    }
}
