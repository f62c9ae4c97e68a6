//! `installer status`: whether all is well, one line per check.

use super::{Said, command, run};
use crate::PROGRAM;
use acceptance::world::{Environment, on_each_database_with, on_embedded_database};
use acceptance::{World, on_each_database};
use rcgen::{CertificateParams, KeyPair};
use std::time::Instant;
use tokio::process::Command;

const FILES: [(&str, &str); 2] =
    [("--env-file", "auth-server.env"), ("--api-env-file", "api-server.env")];

fn status(world: &World, more: &[&str]) -> Command {
    let mut command = command(&["status"]);
    for (option, name) in FILES {
        command.arg(option).arg(world.folder.path().join(name));
    }
    command.args(more);
    command
}

async fn ask(world: &World, environment: &[(&str, &str)]) -> Said {
    let mut command = status(world, &["--json"]);
    command.envs(environment.iter().copied());
    run(command).await
}

#[tokio::test]
async fn an_installation_in_order_is_well() {
    on_each_database(PROGRAM, |world| async move {
        let _token = world.token("admin").await;
        let said = ask(&world, &[]).await;
        assert_eq!(said.code, Some(0), "{}", said.output);
        assert!(said.output.contains("1 users and 0 borrowers"), "{}", said.output);
        let checks = said.checks();
        assert!(checks.values().all(|outcome| outcome == "passed"), "{checks:?}");
        let text = run(status(&world, &[])).await.done();
        assert_eq!(text.lines().count(), checks.len() + 1, "{text}");
        for name in checks.keys() {
            assert!(text.contains(&format!("ok       {name}")), "{name}: {text}");
        }
        // The other file is found next to the one given.
        for (option, name) in FILES {
            let mut one = command(&["status"]);
            one.arg(option).arg(world.folder.path().join(name));
            let said = run(one).await.done();
            assert_eq!(said.lines().last(), text.lines().last(), "{said}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_server_that_cannot_do_its_own_work_is_not_well() {
    let mut environment = Environment::default();
    environment.api.insert("API_GATEWAY_RECOVERY_SECONDS".to_owned(), "1".to_owned());
    on_each_database_with(PROGRAM, environment, |world| async move {
        world.sql("ALTER TABLE payment_method_sessions RENAME TO elsewhere").await;
        let begun = Instant::now();
        loop {
            let said = ask(&world, &[]).await;
            if said.output.contains("tasks are failing: pages to add cards on (failed ") {
                assert!(said.failed().contains(&"api-server".to_owned()), "{}", said.output);
                break;
            }
            assert!(begun.elapsed().as_secs() < 60, "{}", said.output);
        }
        world.sql("ALTER TABLE elsewhere RENAME TO payment_method_sessions").await;
        world
    })
    .await;
}

#[tokio::test]
async fn what_is_not_well_is_named_and_nothing_else() {
    on_each_database(PROGRAM, |world| async move {
        let nobody = match world.database.name() {
            "sqlite" => "sqlite:///no/such/file",
            name if name.starts_with("postgres") => "postgres://nobody@127.0.0.1:1/none",
            _ => "mysql://nobody@127.0.0.1:1/none",
        };
        let other_keys = format!("k1:{}", hex::encode([7; 32]));
        let certificate = world.tls.authority.display().to_string();
        for (name, value, failed) in [
            ("AUTH_MASTER_KEYS", other_keys.as_str(), &["signing keys"][..]),
            ("API_DOCUMENTS", "/no/such/folder", &["document store"]),
            ("AUTH_DATABASE_URL", nobody, &["database"]),
            ("API_DATABASE_URL", nobody, &["one database"]),
            ("API_AUTH_URL", "https://localhost:1", &["way to the auth-server"]),
            ("API_LISTEN", "127.0.0.1:1", &["api-server"]),
            ("AUTH_ISSUER", "nothing", &["auth-server settings"]),
            ("API_TLS_CERTIFICATE", &certificate, &["api-server", "api-server certificate"]),
        ] {
            let said = ask(&world, &[(name, value)]).await;
            assert_eq!(said.failed(), failed, "{name}: {}", said.output);
            assert!(said.output.contains("\"advice\": \""), "{}", said.output);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn users_whose_names_break_the_rule_are_listed_and_log_in_all_the_same() {
    on_each_database(PROGRAM, |world| async move {
        let said = ask(&world, &[]).await;
        assert_eq!(said.checks()["user names"], "passed");
        assert!(!said.output.contains("looks like another"), "{}", said.output);
        // As left by a release before the rule, and counted by its upgrade.
        for (name, id) in [("ANNA", 901), ("anna", 902), ("bob\u{200b}", 903)] {
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
        world.sql("DELETE FROM name_skeletons").await;
        world.sql("DELETE FROM settings WHERE name = 'name_skeletons_filled'").await;
        let said = ask(&world, &[]).await;
        assert_eq!(said.failed(), ["user names"], "{}", said.output);
        assert!(said.output.contains("run installer upgrade"), "{}", said.output);
        shared::user_names::fill(&world.db).await.expect("filled");
        shared::user_names::fill(&world.db).await.expect("filled once");
        let said = ask(&world, &[]).await;
        assert!(said.failed().is_empty(), "{}", said.output);
        for found in ["ANNA", "anna", "looks like another", "200b", "invisible"] {
            assert!(said.output.contains(found), "{found}: {}", said.output);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn it_works_with_the_servers_down_and_another_schema() {
    on_each_database(PROGRAM, |mut world| async move {
        assert!(world.api.stop().await && world.auth.stop().await);
        let said = ask(&world, &[]).await;
        assert_eq!(said.failed(), ["api-server", "auth-server", "way to the auth-server"]);
        assert!(said.output.contains("refused"), "{}", said.output);
        world.sql("DELETE FROM seaql_migrations WHERE version LIKE 'm20261125%'").await;
        let said = ask(&world, &[]).await;
        assert!(said.failed().contains(&"schema".to_owned()), "{}", said.output);
        assert_eq!(said.checks()["signing keys"], "skipped");
        assert!(said.output.contains("run installer upgrade"), "{}", said.output);
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
async fn a_certificate_in_its_last_30_days_and_one_that_the_server_does_not_present_are_not_well() {
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
            let said = ask(&world, &settings).await;
            assert_eq!(said.failed(), failed, "{}", said.output);
            let why = "presents a certificate other than the one in its settings\"";
            assert!(said.output.contains(why), "{}", said.output);
            assert!(said.output.contains("(SIGHUP), or restart it"), "{}", said.output);
            assert!(!said.output.contains("unexpected"), "{}", said.output);
            let renew = "\"have it renewed, then send the server SIGHUP\"";
            assert_eq!(said.output.contains(renew), days == 29, "{}", said.output);
        }
        std::fs::write(world.folder.path().join("ca.key"), "").expect("an authority of its own");
        let own = settings(29);
        let own = own.each_ref().map(|(name, path)| (*name, path.as_str()));
        let said = ask(&world, &own).await;
        assert!(said.output.contains("\"run installer install again"), "{}", said.output);
        world
    })
    .await;
}

#[tokio::test]
async fn a_client_that_the_auth_server_refuses_is_told() {
    on_each_database(PROGRAM, |world| async move {
        let failed = ["client of the api-server"];
        let said = ask(&world, &[("API_AUTH_CLIENT_SECRET", "another")]).await;
        assert_eq!(said.failed(), failed, "{}", said.output);
        assert!(said.output.contains("401 Unauthorized"), "{}", said.output);
        assert!(said.output.contains("API_AUTH_CLIENT_SECRET in /"), "{}", said.output);
        let remove = ["client", "remove", "api-server", "--of-the-api-server"];
        super::installer(&world, &remove).await.done();
        let said = ask(&world, &[]).await;
        assert_eq!(said.failed(), failed, "{}", said.output);
        assert!(said.output.contains("api-server.env to it, and restart"), "{}", said.output);
        world
    })
    .await;
}

#[tokio::test]
async fn without_the_database_it_says_so_once_and_soon() {
    let environment = Environment { database_proxy: true, ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let Some(proxy) = &world.database_proxy else { return world };
        proxy.shut();
        let began = Instant::now();
        let said = ask(&world, &[]).await;
        // Each server waits five seconds for the database, both at the same time.
        assert!(began.elapsed().as_secs() < 9, "{:?}: {}", began.elapsed(), said.output);
        let failed = ["api-server", "auth-server", "database", "way to the auth-server"];
        assert_eq!(said.failed(), failed, "{}", said.output);
        assert!(said.output.contains("no database answers at"), "{}", said.output);
        assert!(said.output.contains("start the database, correct"), "{}", said.output);
        assert!(!said.output.contains("pool"), "{}", said.output);
        let silent = "503 Service Unavailable\"";
        assert!(!said.output.contains(silent), "{}", said.output);
        assert!(!said.output.contains("Unavailable \""), "{}", said.output);
        proxy.open();
        world
    })
    .await;
}

#[tokio::test]
async fn unsettled_card_payments_and_broken_off_imports_are_told() {
    on_each_database(PROGRAM, |mut world| async move {
        let admin = world.token("admin").await;
        world.rows(&admin, 1, 1).await;
        // The running api-server would settle them.
        assert!(world.api.stop().await);
        let at = world.long_ago();
        world
            .sql(&format!(
                "INSERT INTO gateway_payments (loan_id, payment_gateway_token_id, state, amount, \
                 convenience_fee, total_charged, created_date, entered_by_user_id, request, \
                 request_id) SELECT MIN(loan_id), MIN(payment_gateway_token_id), 'unknown', 1, 0, \
                 1, {at}, 1, '{{}}', 'x' FROM payment_gateway_tokens"
            ))
            .await;
        world
            .sql(&format!(
                "INSERT INTO import_runs (scope_hash, body_hash, started_date, read_count, \
                 inserted_count, updated_count, deleted_count, failed_count) \
                 VALUES ('x', 'x', {at}, 0, 0, 0, 0, 0)"
            ))
            .await;
        let said = ask(&world, &[]).await;
        let failed = ["api-server", "card payments"];
        assert_eq!(said.failed(), failed, "{}", said.output);
        assert!(said.output.contains("0 under way, 1 interrupted"), "{}", said.output);
        world.sql("DELETE FROM gateway_payments WHERE request_id = 'x'").await;
        world
    })
    .await;
}

#[tokio::test]
async fn without_any_settings_it_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command(&["status", "--json"]);
    command.current_dir(folder.path());
    let said = run(command).await;
    assert_eq!(said.failed(), ["api-server settings", "auth-server settings"], "{}", said.output);
    assert!(said.output.contains("AUTH_DATABASE_URL"), "{}", said.output);
}
