//! An installation that fails or is cut short: what is in use stays as it was, and the next run
//! completes it with the same secrets.

use super::{TestMachine, command, error_line, printed, text_after};
use acceptance::Database;
use acceptance::servers::free_port;
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::sleep;

/// An installation whose checks all pass and whose verification fails: the environment gives the auth
/// server to be verified another issuer than its settings do.
fn failing_verification(machine: &TestMachine, extra: &[&str]) -> tokio::process::Command {
    let mut command = command(&machine.all_flags(), extra);
    command.env("AUTH_ISSUER", "https://other.example.com");
    command
}

/// The secrets that an unfinished installation has promised.
fn promised(machine: &TestMachine) -> Option<Value> {
    serde_json::from_str(&machine.text("etc/install.unfinished")).ok()
}

/// Runs until its end, with an output that cannot be written to.
async fn run_unseen(machine: &TestMachine, extra: &[&str]) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = command(&machine.all_flags(), extra);
    let output = command.stdout(writer).stderr(Stdio::piped()).spawn().expect("a process");
    let output = output.wait_with_output().await.expect("ended");
    let text = error_line(&output);
    assert!(text.contains("its result could not be printed"), "{text}");
}

/// Uses the installation with the secrets that it has shown, which must be those it had promised.
async fn check_shown(machine: &TestMachine, shown: &str, promised: &Value) {
    let password = text_after(shown, "the password of admin:");
    let secret = text_after(shown, "the secret of the client integration:");
    assert_eq!(
        [password, secret].map(Value::from),
        [promised["admin"][1].clone(), promised["clients"]["integration"].clone()]
    );
    for (server, names) in [
        ("auth-server", &["AUTH_TOKEN_KEYS", "AUTH_MASTER_KEYS"][..]),
        ("api-server", &["API_MASTER_KEYS", "API_AUTH_CLIENT_SECRET"]),
    ] {
        let settings = machine.text(&format!("etc/{server}.env"));
        for name in names {
            let value = promised["settings"][name].as_str().expect("a secret");
            assert!(settings.lines().any(|line| line == format!("{name}={value}")), "{name}");
        }
    }
    assert_eq!(machine.entries("etc"), ["api-server.env", "auth-server.env", "host", "tls"]);
    machine.check_works("admin", password, secret).await;
}

#[tokio::test]
async fn a_failed_verification_leaves_no_settings_and_the_next_run_completes_it() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        let output = failing_verification(&machine, &[]).output().await.expect("a process");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("other.example.com"), "{text}");
        assert!(text.contains("settings and services are as they were"), "{text}");
        let failed = printed(&output);
        assert!(failed.contains("issuer") && failed.contains("FAILED"), "{failed}");
        assert_eq!(machine.entries("etc"), ["install.unfinished"]);
        let promised = promised(&machine).expect("secrets");
        // Neither another database nor a dry run changes that.
        let other = format!("sqlite://{}", machine.path("data/other.sqlite").display());
        let text = error_line(&machine.install(&["--database-url", &other]).await);
        assert!(text.contains("is unfinished: complete it with that database"), "{text}");
        let dry = machine.install(&["--dry-run"]).await;
        assert!(dry.status.success() && printed(&dry).contains("has not finished"));
        assert_eq!(machine.entries("etc"), ["install.unfinished"]);
        let output = machine.install(&[]).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        check_shown(&machine, &printed(&output), &promised).await;
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
        let flags = ["--client=another", "--auth-url=https://new.example.com"];
        let output = failing_verification(&machine, &flags).output().await.expect("a process");
        assert!(!output.status.success());
        assert_eq!(files.map(|name| machine.text(name)), before);
        assert!(!machine.path("etc/install.staged").exists());
        let promised = promised(&machine).expect("secrets");
        let output = machine.install(&["--client=another"]).await;
        let secret = printed(&output);
        let secret = text_after(&secret, "the secret of the client another:");
        assert_eq!(promised["clients"]["another"], secret);
        assert_eq!(files.map(|name| machine.text(name)), before);
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_client_that_is_not_wanted_any_more_is_not_registered() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let failing = failing_verification(&machine, &["--client=mistyped"]).output();
    assert!(!failing.await.expect("a process").status.success());
    let output = machine.install(&["--client=programs"]).await;
    let shown = printed(&output);
    text_after(&shown, "the secret of the client programs:");
    assert!(!shown.contains("mistyped"), "{shown}");
}

/// Runs until this step has ended, then kills it. Returns what it printed if it has ended before.
async fn kill_after(machine: &TestMachine, step: &str) -> Option<String> {
    let mut command = command(&machine.all_flags(), &[]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("a process");
    let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
    let mut printed = String::new();
    while let Some(line) = lines.next_line().await.expect("a line") {
        if line.starts_with('[') && line.contains(step) {
            child.kill().await.expect("killed");
            return None;
        }
        printed += &format!("{line}\n");
    }
    assert!(child.wait().await.expect("ended").success(), "{printed}");
    Some(printed)
}

#[tokio::test]
async fn a_run_killed_after_any_step_is_completed_with_the_same_secrets() {
    const STEPS: [&str; 6] = [
        "data/spool",
        "an authority",
        "write the settings",
        "the schema in",
        "register the api-server",
        "run Verify Auth Server",
    ];
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        let (mut first, mut shown) = (None, None);
        for step in STEPS {
            shown = kill_after(&machine, step).await;
            match promised(&machine) {
                Some(now) => assert_eq!(first.get_or_insert_with(|| now.clone()), &now, "{step}"),
                None => break,
            }
        }
        let first = first.expect("secrets");
        let add = ["user", "add", "jo", "--generate", "--database-url", &machine.database_url];
        crate::installer::run(crate::installer::command(&add)).await.expect_success();
        // The process may have been faster than its end.
        let shown = match shown {
            Some(shown) => shown,
            None => {
                run_unseen(&machine, &[]).await;
                assert_eq!(promised(&machine).as_ref(), Some(&first));
                let output = machine.install(&[]).await;
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                printed(&output)
            }
        };
        check_shown(&machine, &shown, &first).await;
        let list = ["user", "list", "--database-url", &machine.database_url];
        let users = crate::installer::run(crate::installer::command(&list)).await.expect_success();
        assert!(users.contains("jo") && users.contains("admin"), "{users}");
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_run_killed_at_any_moment_is_completed_with_the_same_secrets() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        let (mut kills, mut first) = (0, None);
        let shown = loop {
            let file = std::fs::File::create(machine.path("shown")).expect("a file");
            let mut child = command(&machine.all_flags(), &[]).stdout(file).spawn();
            let child = child.as_mut().expect("a process");
            tokio::select! {
                // The first attempt may meet a lock of a killed process in its database.
                status = child.wait() => if status.expect("ended").success() {
                    break machine.text("shown");
                },
                () = sleep(Duration::from_millis(50 + 230 * kills)) => {
                    child.kill().await.expect("killed");
                    kills += 1;
                }
            }
            match promised(&machine) {
                Some(now) => {
                    assert_eq!(first.get_or_insert_with(|| now.clone()), &now, "{kills}");
                }
                // Killed when all was shown.
                None if first.is_some() => break machine.text("shown"),
                None => {}
            }
        };
        println!("killed {kills} times");
        let db = shared::database::connect(&machine.database_url, 2).await.expect("a connection");
        acceptance::catalogue::assert_new(&database, &db).await;
        db.close().await.expect("closed");
        check_shown(&machine, &shown, &first.expect("secrets")).await;
        let list = ["client", "list", "--database-url", &machine.database_url];
        let clients =
            crate::installer::run(crate::installer::command(&list)).await.expect_success();
        assert!(clients.contains("integration") && !clients.contains("verify-"), "{clients}");
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_new_client_whose_secret_was_not_shown_is_shown_by_the_next_run() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        assert!(machine.install(&[]).await.status.success());
        run_unseen(&machine, &["--client=another"]).await;
        let promised = promised(&machine).expect("secrets");
        let output = machine.install(&[]).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let shown = printed(&output);
        let secret = text_after(&shown, "the secret of the client another:");
        assert_eq!(promised["clients"]["another"], secret);
        assert!(!shown.contains("the password of"), "{shown}");
        assert!(!printed(&machine.install(&[]).await).contains("the secret of"));
        machine.remove().await;
    }
}

#[tokio::test]
async fn only_one_run_at_a_time_works_in_a_folder() {
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
async fn a_database_belongs_to_one_of_two_concurrent_installations() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        let other_settings = [
            format!("--dir={}", machine.path("other/etc").display()),
            format!("--data-dir={}", machine.path("other/data").display()),
            format!("--auth-port={}", free_port()),
        ];
        let other_settings = other_settings.each_ref().map(String::as_str);
        let (first, second) = tokio::join!(machine.install(&[]), machine.install(&other_settings));
        let (winner, extra, folder) = match first.status.success() {
            true => (first, &other_settings[..], "etc"),
            false => (second, &[][..], "other/etc"),
        };
        assert!(winner.status.success(), "{}", String::from_utf8_lossy(&winner.stderr));
        let loser = error_line(&machine.install(extra).await);
        assert!(loser.contains("an existing installation, but its keys are not here"), "{loser}");
        let env_file = machine.path(folder).join("auth-server.env").display().to_string();
        let list = crate::installer::command(&["client", "list", "--env-file", &env_file]);
        let clients = crate::installer::run(list).await.expect_success();
        assert!(clients.contains("integration"), "{clients}");
        let again = machine.install(if folder == "etc" { &[] } else { &other_settings }).await;
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
        machine.remove().await;
    }
}
