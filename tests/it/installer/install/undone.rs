//! An installation that fails or is cut short leaves nothing behind.

use super::{Machine, command, fault, printed};
use acceptance::Database;
use acceptance::terminal::{Terminal, keys};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::sleep;

/// An installation whose checks all pass and whose last step fails: the environment gives the auth
/// server to be verified another issuer than its settings do.
fn failing_at_last(machine: &Machine, more: &[&str]) -> tokio::process::Command {
    let mut command = command(&machine.all_flags(), more);
    command.env("AUTH_ISSUER", "https://other.example.com");
    command
}

#[tokio::test]
async fn a_failure_of_the_last_step_undoes_all() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        let output = failing_at_last(&machine, &[]).output().await.expect("a process");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("other.example.com"), "{text}");
        assert!(text.contains("everything done so far was undone"), "{text}");
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
async fn a_failure_on_an_installation_that_was_there_leaves_it_as_it_was() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        assert!(machine.install(&[]).await.status.success());
        let files = ["etc/auth-server.env", "etc/api-server.env", "etc/tls/server.pem"];
        let before = files.map(|name| machine.text(name));
        let tables = machine.leftovers().await;
        let failing = failing_at_last(&machine, &["--client=another"]).output();
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
async fn kill_at(machine: &Machine, step: &str, more: &[&str]) {
    let mut command = command(&machine.all_flags(), more);
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
async fn a_run_that_was_killed_is_undone_by_the_next_one() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        // After each of these steps: in the middle of creating the schema, and of the verification.
        for step in ["write the settings", "add the admin account"] {
            kill_at(&machine, step, &[]).await;
            assert!(machine.path("etc/install.unfinished").exists(), "{step}");
            let dry = fault(&machine.install(&["--dry-run"]).await);
            assert!(dry.contains("run it without --dry-run"), "{dry}");
            // Although refused for another reason, it has rolled back what was left.
            let text = fault(&machine.install(&["--host=no.such.host.invalid"]).await);
            assert!(text.contains("no.such.host.invalid"), "{text}");
            assert_eq!(machine.leftovers().await, [""; 0], "{step}");
        }
        kill_at(&machine, "write the settings", &[]).await;
        let output = machine.install(&[]).await;
        let printed = printed(&output);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(printed.contains("An earlier run") && printed.contains("was undone"), "{printed}");
        machine.remove().await;
    }
}

#[tokio::test]
async fn what_people_have_worked_with_since_is_not_undone() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        kill_at(&machine, "add the admin account", &[]).await;
        let env_file = machine.path("etc/auth-server.env").display().to_string();
        let add = ["user", "add", "jo", "--generate", "--env-file", &env_file];
        crate::installer::run(crate::installer::command(&add)).await.done();
        let text = fault(&machine.install(&[]).await);
        assert!(text.contains("has been worked with since: if that is to stay, remove"), "{text}");
        assert!(machine.path("etc/auth-server.env").exists());
        // The administrator decides: this is an installation.
        std::fs::remove_file(machine.path("etc/install.unfinished")).expect("removed");
        let output = machine.install(&[]).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_client_that_a_killed_run_added_to_what_people_work_with_is_added_again() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        assert!(machine.install(&[]).await.status.success());
        let env_file = machine.path("etc/auth-server.env").display().to_string();
        let add = ["user", "add", "jo", "--generate", "--env-file", &env_file];
        crate::installer::run(crate::installer::command(&add)).await.done();
        kill_at(&machine, "add the client another", &["--client=another"]).await;
        let output = machine.install(&["--client=another"]).await;
        let printed = printed(&output);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(printed.contains("the secret of the client another"), "{printed}");
        let password = ["user", "password", "jo", "--generate", "--env-file", &env_file];
        crate::installer::run(crate::installer::command(&password)).await.done();
        machine.remove().await;
    }
}

#[tokio::test]
async fn killed_at_whatever_moment_it_ends_as_if_it_had_not_been() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
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
        let clients = crate::installer::run(crate::installer::command(&list)).await.done();
        assert!(clients.contains("integration") && !clients.contains("verify-"), "{clients}");
        machine.remove().await;
    }
}

#[tokio::test]
async fn two_at_once_do_not_undo_each_other() {
    let machine = Machine::new(&Database::Sqlite).await;
    let mut first = command(&machine.all_flags(), &[]);
    let mut first = first.stdout(Stdio::piped()).spawn().expect("a process");
    let mut lines = BufReader::new(first.stdout.take().expect("output")).lines();
    while let Some(line) = lines.next_line().await.expect("a line") {
        if line.starts_with("[1/") {
            break;
        }
    }
    let text = fault(&machine.install(&[]).await);
    assert!(text.contains("another installer is at work in"), "{text}");
    while lines.next_line().await.expect("a line").is_some() {}
    assert!(first.wait().await.expect("ended").success());
}

#[tokio::test]
async fn two_at_once_in_one_database_do_not_undo_each_other() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        let elsewhere = [
            format!("--dir={}", machine.path("other/etc").display()),
            format!("--data-dir={}", machine.path("other/data").display()),
            format!("--auth-port={}", acceptance::servers::free_port()),
        ];
        let elsewhere = elsewhere.each_ref().map(String::as_str);
        let (first, second) = tokio::join!(machine.install(&[]), machine.install(&elsewhere));
        let (won, lost, folder) = match first.status.success() {
            true => (first, second, "etc"),
            false => (second, first, "other/etc"),
        };
        assert!(won.status.success(), "{}", String::from_utf8_lossy(&won.stderr));
        let why = fault(&lost);
        let late = why.contains("an installation whose keys are not here");
        assert!(late || why.contains("another installer is at work in this database"), "{why}");
        let env_file = machine.path(folder).join("auth-server.env").display().to_string();
        let list = crate::installer::command(&["client", "list", "--env-file", &env_file]);
        crate::installer::run(list).await.done();
        machine.remove().await;
    }
}

#[tokio::test]
async fn ctrl_c_in_the_middle_undoes_all() {
    let machine = Machine::new(&Database::Sqlite).await;
    let flags = machine.all_flags();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(crate::PROGRAM, &[&["install"], &*flags].concat(), &[]);
    terminal.wait_for("[1/7]");
    terminal.press(keys::CTRL_C);
    let (status, screen) = terminal.ended();
    assert_eq!(status, 1, "{screen}");
    assert!(screen.contains("stopped by a signal"), "{screen}");
    assert!(screen.contains("everything done so far was undone"), "{screen}");
    assert_eq!(machine.leftovers().await, [""; 0]);
}
