//! An installation that fails or is cut short leaves nothing behind.

use super::{TestMachine, command, error_line, printed};
use acceptance::Database;
use acceptance::terminal::{Terminal, keys};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::sleep;

/// An installation whose checks all pass and whose last step fails: the environment gives the auth
/// server to be verified another issuer than its settings do.
fn failing_in_last_step(machine: &TestMachine, extra: &[&str]) -> tokio::process::Command {
    let mut command = command(&machine.all_flags(), extra);
    command.env("AUTH_ISSUER", "https://other.example.com");
    command
}

#[tokio::test]
async fn a_failure_in_the_last_step_rolls_everything_back() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        let output = failing_in_last_step(&machine, &[]).output().await.expect("a process");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("other.example.com"), "{text}");
        assert!(text.contains("everything done so far was rolled back"), "{text}");
        let printed = printed(&output);
        assert!(printed.contains("issuer") && printed.contains("FAILED"), "{printed}");
        assert_eq!(machine.leftovers().await, [""; 0]);
        // After the correction it runs as if nothing had happened.
        let output = machine.install(&[]).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_failed_reinstallation_leaves_the_existing_one_unchanged() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        assert!(machine.install(&[]).await.status.success());
        let files = ["etc/auth-server.env", "etc/api-server.env", "etc/tls/server.pem"];
        let before = files.map(|name| machine.text(name));
        let tables = machine.leftovers().await;
        let failing = failing_in_last_step(&machine, &["--client=another"]).output();
        let output = failing.await.expect("a process");
        assert!(!output.status.success());
        assert_eq!(files.map(|name| machine.text(name)), before);
        assert_eq!(machine.leftovers().await, tables);
        let output = machine.install(&["--client=another"]).await;
        assert!(printed(&output).contains("the secret of the client another"), "it was undone");
        machine.remove().await;
    }
}

/// Runs until this step ends, then kills it.
async fn kill_at(machine: &TestMachine, step: &str, extra: &[&str]) {
    let mut command = command(&machine.all_flags(), extra);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("a process");
    let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
    while let Some(line) = lines.next_line().await.expect("a line") {
        if line.starts_with('[') && line.contains(step) {
            break;
        }
    }
    child.kill().await.expect("killed");
}

#[tokio::test]
async fn a_killed_run_is_rolled_back_by_the_next_one() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        // After each of these steps: in the middle of creating the schema, and of the verification.
        for step in ["write the settings", "add the admin account"] {
            kill_at(&machine, step, &[]).await;
            assert!(machine.path("etc/install.unfinished").exists(), "{step}");
            let dry = error_line(&machine.install(&["--dry-run"]).await);
            assert!(dry.contains("run it without --dry-run"), "{dry}");
            // Although refused for another reason, it has rolled back what was left.
            let text = error_line(&machine.install(&["--host=no.such.host.invalid"]).await);
            assert!(text.contains("no.such.host.invalid"), "{text}");
            assert_eq!(machine.leftovers().await, [""; 0], "{step}");
        }
        kill_at(&machine, "write the settings", &[]).await;
        let output = machine.install(&[]).await;
        let printed = printed(&output);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(
            printed.contains("An earlier run") && printed.contains("was rolled back"),
            "{printed}"
        );
        machine.remove().await;
    }
}

#[tokio::test]
async fn an_installation_in_use_since_is_not_rolled_back() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        kill_at(&machine, "add the admin account", &[]).await;
        let env_file = machine.path("etc/auth-server.env").display().to_string();
        let add = ["user", "add", "jo", "--generate", "--env-file", &env_file];
        crate::installer::run(crate::installer::command(&add)).await.expect_success();
        let text = error_line(&machine.install(&[]).await);
        assert!(text.contains("has been used since then: to keep it, remove"), "{text}");
        assert!(machine.path("etc/auth-server.env").exists());
        // The administrator decides: this is an installation.
        std::fs::remove_file(machine.path("etc/install.unfinished")).expect("removed");
        let output = machine.install(&[]).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_client_added_by_a_killed_run_to_a_used_installation_is_added_again() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        assert!(machine.install(&[]).await.status.success());
        let env_file = machine.path("etc/auth-server.env").display().to_string();
        let add = ["user", "add", "jo", "--generate", "--env-file", &env_file];
        crate::installer::run(crate::installer::command(&add)).await.expect_success();
        kill_at(&machine, "add the client another", &["--client=another"]).await;
        let output = machine.install(&["--client=another"]).await;
        let printed = printed(&output);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(printed.contains("the secret of the client another"), "{printed}");
        let password = ["user", "password", "jo", "--generate", "--env-file", &env_file];
        crate::installer::run(crate::installer::command(&password)).await.expect_success();
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_run_killed_at_any_moment_leaves_no_trace_after_the_next() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        let mut kills = 0;
        for delay in (100..).step_by(430) {
            let mut command = command(&machine.all_flags(), &[]);
            let mut child = command.stdout(Stdio::null()).spawn().expect("a process");
            tokio::select! {
                status = child.wait() => {
                    let status = status.expect("ended");
                    // The first attempt may meet the lock of a killed process.
                    if status.success() { break }
                }
                () = sleep(Duration::from_millis(delay)) => {
                    child.kill().await.expect("killed");
                    kills += 1;
                }
            }
        }
        println!("killed {kills} times");
        let db = shared::db::connect(&machine.database_url, 2, false).await.expect("a connection");
        acceptance::catalogue::assert_new(&database, &db).await;
        db.close().await.expect("closed");
        for name in ["etc/install.unfinished", "etc/verifying.log", "etc/verifying.secret"] {
            assert!(!machine.path(name).exists(), "{name}");
        }
        let list = ["client", "list", "--database-url", &machine.database_url];
        let clients =
            crate::installer::run(crate::installer::command(&list)).await.expect_success();
        assert!(clients.contains("integration") && !clients.contains("verify-"), "{clients}");
        machine.remove().await;
    }
}

#[tokio::test]
async fn concurrent_runs_do_not_roll_each_other_back() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let mut first = command(&machine.all_flags(), &[]);
    let mut first = first.stdout(Stdio::piped()).spawn().expect("a process");
    let mut lines = BufReader::new(first.stdout.take().expect("output")).lines();
    while let Some(line) = lines.next_line().await.expect("a line") {
        if line.starts_with("[1/") {
            break;
        }
    }
    let text = error_line(&machine.install(&[]).await);
    assert!(text.contains("another installer is running in"), "{text}");
    while lines.next_line().await.expect("a line").is_some() {}
    assert!(first.wait().await.expect("ended").success());
}

#[tokio::test]
async fn concurrent_runs_in_one_database_do_not_roll_each_other_back() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        let other_settings = [
            format!("--dir={}", machine.path("other/etc").display()),
            format!("--data-dir={}", machine.path("other/data").display()),
            format!("--auth-port={}", acceptance::servers::free_port()),
        ];
        let other_settings = other_settings.each_ref().map(String::as_str);
        let (first, second) = tokio::join!(machine.install(&[]), machine.install(&other_settings));
        let (winner, loser, folder) = match first.status.success() {
            true => (first, second, "etc"),
            false => (second, first, "other/etc"),
        };
        assert!(winner.status.success(), "{}", String::from_utf8_lossy(&winner.stderr));
        let expected = error_line(&loser);
        let keys_are_missing =
            expected.contains("an existing installation, but its keys are not here");
        assert!(
            keys_are_missing || expected.contains("another installer is running on this database"),
            "{expected}"
        );
        let env_file = machine.path(folder).join("auth-server.env").display().to_string();
        let list = crate::installer::command(&["client", "list", "--env-file", &env_file]);
        crate::installer::run(list).await.expect_success();
        machine.remove().await;
    }
}

#[tokio::test]
async fn ctrl_c_rolls_everything_back() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let flags = machine.all_flags();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(crate::PROGRAM, &[&["install"], &*flags].concat(), &[]);
    terminal.wait_for("[1/7]");
    terminal.press(keys::CTRL_C);
    let (status, screen) = terminal.wait_for_end();
    assert_eq!(status, 1, "{screen}");
    assert!(screen.contains("stopped by a signal"), "{screen}");
    assert!(screen.contains("everything done so far was rolled back"), "{screen}");
    assert_eq!(machine.leftovers().await, [""; 0]);
}
