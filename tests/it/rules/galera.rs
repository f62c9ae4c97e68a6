//! Two replicas of each server, each on a node of its own of a MariaDB Galera cluster: what they
//! post and end together is right, and one that loses its node is no loss.

use acceptance::foreign::{skip, system_program};
use acceptance::galera;
use installer::certificates;
use std::process::Command;

/// The program that tries it, as it is run by hand for longer.
const PROGRAM: &str = env!("CARGO_BIN_EXE_galera_load");

#[test]
fn replicas_on_nodes_of_their_own_keep_books_and_sessions_right() {
    if let Some(missing) = galera::missing() {
        return skip(&missing);
    }
    let arguments = ["--seconds", "10", "--clients", "4", "--loans", "8", "--rounds", "4"];
    let run = Command::new(PROGRAM).args(arguments).output().expect("a run");
    let said = String::from_utf8_lossy(&run.stdout);
    println!("{said}");
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn haproxy_takes_the_sample() {
    let haproxy = match system_program("haproxy", "haproxy") {
        Ok(haproxy) => haproxy,
        Err(missing) => return skip(&missing),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let authority = certificates::local(folder.path()).expect("certificates").authority;
    let sample = include_str!("../../../deploy/galera/haproxy.cfg.sample");
    let place = "/etc/haproxy/authority.pem";
    assert!(sample.contains(place));
    let settings = folder.path().join("haproxy.cfg");
    std::fs::write(&settings, sample.replace(place, &authority.display().to_string()))
        .expect("settings");
    let checked = Command::new(haproxy).arg("-c").arg("-f").arg(settings).output().expect("a run");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
