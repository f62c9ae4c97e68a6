//! The systemd units in `deploy/systemd/`, as systemd reads them: nothing is misspelt, and a
//! compromised server has few rights.

use acceptance::installed_clients::{skip, system_program};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// The limit on what `systemd-analyze security` calls exposure, in tenths: 100 is a service without
/// any restriction.
const EXPOSURE_MAX: &str = "20";
const UNITS: [(&str, &str); 2] = [("auth-server", "auth"), ("api-server", "api")];
/// Paths that differ between installations.
const PLACES: [&str; 3] = ["/usr/local/bin", "/etc/loan-servicing", "/var/lib/loan-servicing"];

fn deployed(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/systemd").join(name);
    std::fs::read_to_string(path).expect("a file of deploy/systemd")
}

fn output_text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|said| String::from_utf8_lossy(said)).concat()
}

#[test]
fn systemd_accepts_the_units_and_rates_them_as_hardened() {
    let analyze = match system_program("systemd-analyze", "systemd") {
        Ok(analyze) => analyze,
        Err(missing) => return skip(&missing),
    };
    let folder = tempfile::tempdir().expect("a folder");
    for (program, name) in UNITS {
        let executable = folder.path().join(program);
        std::fs::write(&executable, "#!/bin/sh\n").expect("a program");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&executable, mode).expect("a program");
        let unit = deployed(&format!("loan-servicing-{name}.service"));
        let unit = unit.replace(PLACES[0], &folder.path().display().to_string());
        let file = folder.path().join(format!("loan-servicing-{name}.service"));
        std::fs::write(&file, unit).expect("a unit");
        let verified = Command::new(&analyze).arg("verify").arg(&file).output().expect("systemd");
        let output = output_text(&verified);
        assert!(verified.status.success() && !output.contains("loan-servicing-"), "{output}");
        let security = Command::new(&analyze)
            .args(["security", "--offline=true", "--no-pager", "--threshold", EXPOSURE_MAX])
            .arg(&file)
            .output()
            .expect("systemd");
        assert!(security.status.success(), "{}", output_text(&security));
    }
}

#[test]
fn the_units_differ_only_in_the_server_and_have_literal_paths() {
    let [auth, api] = UNITS.map(|(_, name)| deployed(&format!("loan-servicing-{name}.service")));
    let settings = |unit: &str| {
        let lines = unit.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let turned = auth.replace("auth-server", "api-server").replace("authorization server", "API");
    assert_eq!(settings(&turned), settings(&api));
    for place in PLACES {
        assert!(api.contains(place), "no {place}");
    }
    // The servers need only the first signal, and the drain delay and the drain fit into the
    // timeout.
    for line in ["KillSignal=SIGTERM", "TimeoutStopSec=60", "User=loan-servicing", "UMask=0077"] {
        assert!(api.lines().any(|found| found == line), "no {line}");
    }
    let user = deployed("sysusers.conf");
    assert!(user.contains("\nu loan-servicing - ") && user.contains(PLACES[2]), "{user}");
}
