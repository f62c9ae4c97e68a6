//! The sample for two replicas of each server, each on its own node of a MariaDB Galera cluster.
//! `galera_load` runs such a cluster.

use std::collections::BTreeSet;

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
