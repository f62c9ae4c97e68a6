//! Starting the services, with a systemd of the test's own.

use super::{TestMachine, command, error_line, printed, text_after};
use acceptance::Database;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use tokio::process::Command;

/// A fake `systemctl`: prints the units in a folder, records its arguments, and starts servers.
const SYSTEMCTL: &str = r#"#!/bin/sh
echo "$*" >>"$UNITS/told"
case $1 in
cat) exec cat "$UNITS/$2.service" ;;
restart)
    shift
    # Servers end with their input, which this one's never does.
    mkfifo "$UNITS/input"
    for service; do
        command=$(sed -n 's/^ExecStart=//p' "$UNITS/$service.service")
        $command <>"$UNITS/input" >"$UNITS/$service.log" 2>&1 &
    done
    ;;
esac
"#;

/// A machine whose services run this installer's servers.
struct Services {
    machine: TestMachine,
    units: PathBuf,
}

impl Services {
    async fn new() -> Self {
        let machine = TestMachine::new(&Database::Sqlite).await;
        let units = machine.path("units");
        std::fs::create_dir(&units).expect("a folder");
        let program = units.join("systemctl");
        std::fs::write(&program, SYSTEMCTL).expect("a program");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(program, executable).expect("rights");
        Self { machine, units }
    }

    /// Adds the units, whose servers read their settings in this folder.
    fn add_units(&self, settings: &str) {
        for (name, hidden, server) in [
            ("loan-servicing-auth", "serve-auth", "auth-server"),
            ("loan-servicing-api", "serve-api", "api-server"),
        ] {
            let program = crate::PROGRAM;
            let env_file = self.machine.path(settings).join(format!("{server}.env"));
            let start = format!("ExecStart={program} {hidden} --env-file {}\n", env_file.display());
            std::fs::write(self.units.join(format!("{name}.service")), start).expect("a unit");
        }
    }

    fn install(&self, extra: &[&str]) -> Command {
        let mut command = command(&self.machine.all_flags(), extra);
        let path = std::env::var("PATH").expect("a path");
        command.env("PATH", format!("{}:{path}", self.units.display())).env("UNITS", &self.units);
        command.arg("--start");
        command
    }

    fn told(&self) -> String {
        std::fs::read_to_string(self.units.join("told")).unwrap_or_default()
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        let pattern = self.machine.path("etc").display().to_string();
        let _ = std::process::Command::new("pkill").args(["-f", &pattern]).status();
    }
}

#[tokio::test]
async fn services_start_with_verified_settings_and_are_checked_before() {
    let services = Services::new().await;
    let refused = async |extra: &[&str]| {
        error_line(&services.install(extra).output().await.expect("a process"))
    };
    let text = refused(&[]).await;
    assert!(text.contains("systemd has no service loan-servicing-auth: install the package"));
    services.add_units("elsewhere");
    let text = refused(&[]).await;
    assert!(text.contains("does not read") && text.contains("systemctl edit"), "{text}");
    services.add_units("etc");
    let text = refused(&["--documents=/home/nowhere"]).await;
    let is_root = installer::commands::install::is_root();
    assert_eq!(text.contains("/home/nowhere is hidden from services"), is_root, "{text}");
    assert_eq!(services.machine.leftovers().await, [""; 0]);
    // Neither is started unless the verification passes.
    let mut failing = services.install(&[]);
    failing.env("AUTH_ISSUER", "https://other.example.com");
    assert!(!failing.output().await.expect("a process").status.success());
    assert!(!services.told().contains("restart"), "{}", services.told());

    let output = services.install(&[]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = "loan-servicing-auth loan-servicing-api";
    for told in [format!("enable {names}"), format!("restart {names}")] {
        assert!(services.told().lines().any(|line| line == told), "{}", services.told());
    }
    let shown = printed(&output);
    let client =
        services.machine.client(text_after(&shown, "the secret of the client integration:"));
    let password = text_after(&shown, "the password of admin:");
    let token = client.log_in("core", "admin", password).await.expect("a token");
    client.get(&token, "/loans").await.expect(200);
}
