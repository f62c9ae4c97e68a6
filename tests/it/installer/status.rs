//! `installer status`: whether all is well, one line per check.

use super::{CommandOutput, command, run};
use crate::PROGRAM;
use acceptance::world::in_processes_on_each_database;
use acceptance::world::{Environment, on_each_database_with, on_embedded_database};
use acceptance::{World, on_each_database};
use rcgen::{CertificateParams, KeyPair};
use shared::disk_space::DiskSpace;
use std::time::{Duration, Instant};
use tokio::process::Command;
use tokio::time::sleep;

const FILES: [(&str, &str); 2] =
    [("--env-file", "auth-server.env"), ("--api-env-file", "api-server.env")];

fn status(world: &World, extra: &[&str]) -> Command {
    let mut command = command(&["status"]);
    for (option, name) in FILES {
        command.arg(option).arg(world.folder.path().join(name));
    }
    command.args(extra);
    command
}

async fn status_report(world: &World, environment: &[(&str, &str)]) -> CommandOutput {
    let mut command = status(world, &["--json"]);
    command.envs(environment.iter().copied());
    run(command).await
}

/// The failed checks, except that of the disk on which these tests happen to run.
#[track_caller]
fn failed_checks(output: &CommandOutput) -> Vec<String> {
    let mut failed = output.failed_checks();
    failed.retain(|name| name != "free space");
    failed
}

#[tokio::test]
async fn a_working_installation_is_healthy() {
    on_each_database(PROGRAM, |world| async move {
        let _token = world.token("admin").await;
        let output = status_report(&world, &[]).await;
        assert!(output.stdout.contains("1 user and 0 borrowers"), "{}", output.stdout);
        let mut checks = output.checks();
        let is_low = DiskSpace::of(world.folder.path()).is_ok_and(DiskSpace::is_low);
        let code = Some(i32::from(is_low));
        assert_eq!(output.code, code, "{}", output.stdout);
        let space = checks.remove("free space").expect("a check");
        assert_eq!(space, if is_low { "failed" } else { "passed" });
        assert!(checks.values().all(|outcome| outcome == "passed"), "{checks:?}");
        let text = run(status(&world, &[])).await;
        assert_eq!(text.code, code, "{}", text.stderr);
        let text = text.stdout;
        assert_eq!(text.lines().count(), checks.len() + 2, "{text}");
        for name in checks.keys() {
            assert!(text.contains(&format!("ok       {name}")), "{name}: {text}");
        }
        // The other file is found next to the one given.
        for (option, name) in FILES {
            let mut database = command(&["status"]);
            database.arg(option).arg(world.folder.path().join(name));
            let output = run(database).await;
            assert_eq!(output.code, code, "{}", output.stderr);
            assert_eq!(output.stdout.lines().last(), text.lines().last(), "{}", output.stdout);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_lifetime_of_web_tokens_that_is_none_is_reported() {
    on_embedded_database(PROGRAM, |world| async move {
        for minutes in ["0", "10081", "twenty"] {
            let set = format!(
                "UPDATE settings SET value = '{minutes}' WHERE name = 'web_inactivity_timeout'"
            );
            world.sql(&set).await;
            let output = status_report(&world, &[]).await;
            assert_eq!(output.checks()["web users"], "failed", "{minutes}: {}", output.stdout);
            let url = format!("{}/health/ready", world.client.auth_url);
            let ready = world.client.send(world.client.http.get(url)).await.expect("a response");
            assert!(ready.expect(200).json().get("web_token_seconds").is_none());
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_server_with_a_failing_task_is_unhealthy() {
    let mut environment = Environment::default();
    environment.api.insert("API_GATEWAY_RECOVERY_SECONDS".to_owned(), "1".to_owned());
    on_each_database_with(PROGRAM, environment, |world| async move {
        world.sql("ALTER TABLE payment_method_sessions RENAME TO elsewhere").await;
        let started = Instant::now();
        loop {
            let output = status_report(&world, &[]).await;
            if output.stdout.contains("tasks are failing: checkout sessions (failed ") {
                assert!(
                    failed_checks(&output).contains(&"api-server".to_owned()),
                    "{}",
                    output.stdout
                );
                break;
            }
            assert!(started.elapsed().as_secs() < 60, "{}", output.stdout);
            sleep(Duration::from_millis(250)).await;
        }
        world.sql("ALTER TABLE elsewhere RENAME TO payment_method_sessions").await;
        world
    })
    .await;
}

#[tokio::test]
async fn only_the_failing_checks_are_named() {
    on_each_database(PROGRAM, |world| async move {
        let nothing_listens = match world.database.name() {
            "sqlite" => "sqlite:///no/such/file",
            name if name.starts_with("postgres") => "postgres://nobody@127.0.0.1:1/none",
            _ => "mysql://nobody@127.0.0.1:1/none",
        };
        let other_keys = format!("k1:{}", hex::encode([7; 32]));
        let certificate = world.tls.authority.display().to_string();
        for (name, value, failed) in [
            ("AUTH_MASTER_KEYS", other_keys.as_str(), &["keys"][..]),
            ("AUTH_TOKEN_KEYS", &other_keys, &["keys"]),
            ("API_MASTER_KEYS", &other_keys, &["keys"]),
            ("API_DOCUMENTS", "/no/such/folder", &["document store"]),
            ("AUTH_DATABASE_URL", nothing_listens, &["database"]),
            ("API_DATABASE_URL", nothing_listens, &["one database"]),
            ("API_AUTH_URL", "https://localhost:1", &["way to the auth-server"]),
            ("API_LISTEN", "127.0.0.1:1", &["api-server"]),
            ("AUTH_ISSUER", "nothing", &["auth-server settings"]),
            ("API_TLS_CERTIFICATE", &certificate, &["api-server", "api-server certificate"]),
        ] {
            let output = status_report(&world, &[(name, value)]).await;
            assert_eq!(failed_checks(&output), failed, "{name}: {}", output.stdout);
            assert!(output.stdout.contains("\"advice\": \""), "{}", output.stdout);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn users_with_nonconforming_names_are_listed_and_can_still_log_in() {
    on_each_database(PROGRAM, |world| async move {
        let output = status_report(&world, &[]).await;
        assert_eq!(output.checks()["user names"], "passed");
        // As written by another program.
        for (name, id) in [(" anna", 901), ("bob\u{200b}", 902)] {
            let user = "INSERT INTO users (user_id, user_name, full_name, status, admin_flag, \
                 dba_flag, loan_officer_flag, collection_officer_flag, contact_officer_flag, \
                 created_date)";
            let long_ago = world.long_ago();
            world
                .sql(&format!(
                    "{user} SELECT {id}, '{name}', '{name}', 'active', admin_flag, dba_flag, \
                     loan_officer_flag, collection_officer_flag, contact_officer_flag, {long_ago} \
                     FROM users WHERE user_name = 'viewer'"
                ))
                .await;
        }
        let output = status_report(&world, &[]).await;
        assert!(failed_checks(&output).is_empty(), "{}", output.stdout);
        for found in [" anna", "no space at either end", "200b", "invisible"] {
            assert!(output.stdout.contains(found), "{found}: {}", output.stdout);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn status_works_with_servers_down_and_another_schema() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        assert!(world.api.stop().await && world.auth.stop().await);
        let output = status_report(&world, &[]).await;
        assert_eq!(failed_checks(&output), ["api-server", "auth-server", "way to the auth-server"]);
        assert!(output.stdout.contains("refused"), "{}", output.stdout);
        world.sql("UPDATE schema_migrations SET finished_date = NULL").await;
        let output = status_report(&world, &[]).await;
        assert!(failed_checks(&output).contains(&"schema".to_owned()), "{}", output.stdout);
        assert_eq!(output.checks()["keys"], "skipped");
        assert!(output.stdout.contains("run installer upgrade"), "{}", output.stdout);
        world
    })
    .await;
}

/// A certificate in this world's folder that expires in this many days, and its key.
fn certificate(world: &World, days: i64) -> [String; 2] {
    let key = KeyPair::generate().expect("a key");
    let mut certificate = CertificateParams::new(["localhost".to_owned()]).expect("a name");
    certificate.not_after = (std::time::SystemTime::now()
        + std::time::Duration::from_secs(days.unsigned_abs() * 86_400))
    .into();
    let certificate = certificate.self_signed(&key).expect("a certificate");
    [("short.pem", certificate.pem()), ("short.key", key.serialize_pem())]
        .map(|(name, text)| super::file(world, name, &text))
}

#[tokio::test]
async fn an_expiring_certificate_or_one_not_presented_is_unhealthy() {
    on_embedded_database(PROGRAM, |world| async move {
        let settings = |days| {
            let [certificate, key] = certificate(&world, days);
            [("AUTH_TLS_CERTIFICATE", certificate), ("AUTH_TLS_KEY", key)]
        };
        for (days, failed) in
            [(29, &["auth-server", "auth-server certificate"][..]), (40, &["auth-server"])]
        {
            let settings = settings(days);
            let settings = settings.each_ref().map(|(name, path)| (*name, path.as_str()));
            let output = status_report(&world, &settings).await;
            assert_eq!(failed_checks(&output), failed, "{}", output.stdout);
            let expected = "presents a certificate other than the one in its settings\"";
            assert!(output.stdout.contains(expected), "{}", output.stdout);
            assert!(output.stdout.contains("(SIGHUP), or restart it"), "{}", output.stdout);
            assert!(!output.stdout.contains("unexpected"), "{}", output.stdout);
            let renew = "\"have it renewed, then send the server SIGHUP\"";
            assert_eq!(output.stdout.contains(renew), days == 29, "{}", output.stdout);
        }
        std::fs::write(world.folder.path().join("ca.key"), "").expect("an authority of its own");
        let own_settings = settings(29);
        let own_settings = own_settings.each_ref().map(|(name, path)| (*name, path.as_str()));
        let output = status_report(&world, &own_settings).await;
        assert!(output.stdout.contains("\"run installer install again"), "{}", output.stdout);
        world
    })
    .await;
}

#[tokio::test]
async fn a_client_refused_by_the_auth_server_is_reported() {
    on_each_database(PROGRAM, |world| async move {
        let failed = ["client of the api-server"];
        let output = status_report(&world, &[("API_AUTH_CLIENT_SECRET", "another")]).await;
        assert_eq!(failed_checks(&output), failed, "{}", output.stdout);
        assert!(output.stdout.contains("401 Unauthorized"), "{}", output.stdout);
        assert!(output.stdout.contains("API_AUTH_CLIENT_SECRET in /"), "{}", output.stdout);
        let remove = ["client", "remove", "api-server", "--of-the-api-server"];
        super::installer(&world, &remove).await.expect_success();
        let output = status_report(&world, &[]).await;
        assert_eq!(failed_checks(&output), failed, "{}", output.stdout);
        assert!(output.stdout.contains("api-server.env to it, and restart"), "{}", output.stdout);
        world
    })
    .await;
}

#[tokio::test]
async fn an_unavailable_database_is_reported_once_and_quickly() {
    let environment = Environment { database_proxy: true, ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let Some(proxy) = &world.database_proxy else { return world };
        proxy.shut();
        let started = Instant::now();
        let output = status_report(&world, &[]).await;
        // Each server waits five seconds for the database, both at the same time.
        assert!(started.elapsed().as_secs() < 9, "{:?}: {}", started.elapsed(), output.stdout);
        let failed = ["api-server", "auth-server", "database", "way to the auth-server"];
        assert_eq!(failed_checks(&output), failed, "{}", output.stdout);
        assert!(output.stdout.contains("no database answers at"), "{}", output.stdout);
        assert!(output.stdout.contains("start the database, correct"), "{}", output.stdout);
        assert!(!output.stdout.contains("pool"), "{}", output.stdout);
        let unavailable = "503 Service Unavailable\"";
        assert!(!output.stdout.contains(unavailable), "{}", output.stdout);
        assert!(!output.stdout.contains("Unavailable \""), "{}", output.stdout);
        proxy.open();
        world
    })
    .await;
}

#[tokio::test]
async fn unsettled_card_payments_and_interrupted_imports_are_reported() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let admin = world.token("admin").await;
        world.rows(&admin, 1, 1).await;
        // The running api-server would settle them.
        assert!(world.api.stop().await);
        let date = world.long_ago();
        world
            .sql(&format!(
                "INSERT INTO gateway_payments (loan_id, payment_gateway_token_id, state, amount, \
                 convenience_fee, total_charged, created_date, entered_by_user_id, request, \
                 request_id) SELECT MIN(loan_id), MIN(payment_gateway_token_id), 'unknown', 1, 0, \
                 1, {date}, 1, '{{}}', 'x' FROM payment_gateway_tokens"
            ))
            .await;
        world
            .sql(&format!(
                "INSERT INTO import_runs (key_hash, body_hash, started_date, read_count, \
                 inserted_count, updated_count, deleted_count, failed_count) \
                 VALUES ('x', 'x', {date}, 0, 0, 0, 0, 0)"
            ))
            .await;
        let output = status_report(&world, &[]).await;
        let failed = ["api-server", "card payments"];
        assert_eq!(failed_checks(&output), failed, "{}", output.stdout);
        assert!(output.stdout.contains("0 under way, 1 interrupted"), "{}", output.stdout);
        world.sql("DELETE FROM gateway_payments WHERE request_id = 'x'").await;
        world
    })
    .await;
}

#[tokio::test]
async fn missing_settings_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command(&["status", "--json"]);
    command.current_dir(folder.path());
    let output = run(command).await;
    assert_eq!(
        failed_checks(&output),
        ["api-server settings", "auth-server settings"],
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("AUTH_DATABASE_URL"), "{}", output.stdout);
}
