//! The round trip of the verification, with a temporary user and client.

use super::super::{CommandOutput, command, file, run};
use crate::PROGRAM;
use acceptance::servers::send_signal;
use acceptance::tcp_proxy::TcpProxy;
use acceptance::world::in_processes_on_each_database;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{World, on_each_database};
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::{sleep, timeout};

const TRIP: [&str; 5] =
    ["log-in", "introspection of a live token", "refresh", "log-out", "refused afterwards"];

fn verification(world: &World, extra: &[&str]) -> Command {
    let mut command = command(&["verify-auth-server", "--round-trip", "--json", "--url"]);
    command.args([&world.client.auth_url, "--ca"]).arg(&world.tls.authority).args(extra);
    command
}

async fn verify(world: &World, extra: &[&str]) -> CommandOutput {
    let env_file = world.folder.path().join("auth-server.env").display().to_string();
    run(verification(world, &[&["--env-file", &env_file], extra].concat())).await
}

/// The outcomes of the last checks, by name.
fn round_trip_outcomes(output: &CommandOutput) -> Vec<(String, String)> {
    let report: Value = serde_json::from_str(&output.stdout).expect("a report");
    let text = |check: &Value, member: &str| check[member].as_str().unwrap_or_default().to_owned();
    let checks = report["checks"].as_array().expect("checks").iter();
    let all: Vec<_> = checks.map(|item| (text(item, "name"), text(item, "outcome"))).collect();
    all[all.len() - TRIP.len()..].to_vec()
}

fn outcomes(arguments: [&str; 5]) -> Vec<(String, String)> {
    TRIP.iter().zip(arguments).map(|(name, word)| ((*name).to_owned(), word.to_owned())).collect()
}

/// The number of temporary users and clients.
async fn leftover_accounts(world: &World) -> i64 {
    let users = "SELECT COUNT(*) FROM users WHERE user_name LIKE 'verify-round-trip-%'";
    let clients = "SELECT COUNT(*) FROM oauth_clients WHERE client_id LIKE 'verify-round-trip-%'";
    world.count(users).await + world.count(clients).await
}

/// Everything that a round trip could leave behind, apart from the audit.
async fn rows(world: &World) -> Value {
    let all = super::super::everything(world).await;
    serde_json::json!([all[0], all[1].as_array().expect("counts")[1..]])
}

#[tokio::test]
async fn the_probe_user_logs_in_and_out_and_is_removed() {
    on_each_database(PROGRAM, |world| async move {
        let before = rows(&world).await;
        let output = verify(&world, &[]).await;
        assert_eq!(output.code, Some(0), "{} {}", output.stdout, output.stderr);
        assert_eq!(round_trip_outcomes(&output), outcomes(["passed"; 5]));
        assert_eq!(rows(&world).await, before);
        assert!(
            world.count("SELECT COUNT(*) FROM auth_events WHERE event = 'logged_out'").await > 0
        );
        let refreshed = "SELECT COUNT(*) FROM auth_events WHERE event = 'token_refreshed'";
        assert_eq!(world.count(refreshed).await, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn a_database_other_than_the_servers_fails_the_log_in() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let other = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}", other.path().join("other.sqlite").display());
        acceptance::databases::fill(&url).await;
        let output = run(verification(&world, &["--database-url", &url])).await;
        assert_eq!(output.code, Some(1));
        assert_eq!(
            round_trip_outcomes(&output),
            outcomes(["failed", "skipped", "skipped", "skipped", "skipped"])
        );
        assert!(output.stdout.contains("make sure this is the database of"), "{}", output.stdout);
        assert_eq!(leftover_accounts(&world).await, 0);
        let nothing = file(&world, "nothing.env", "");
        let unknown = run(verification(&world, &["--env-file", &nothing])).await;
        unknown.expect_refusal("no database given");
        world
    })
    .await;
}

/// Waits until the temporary user exists, then sends the command this signal while the server
/// answers nothing.
async fn interrupt_and_verify(world: &World, signal: &str) -> CommandOutput {
    let proxy = TcpProxy::in_front_of(&format!("{}/", world.client.auth_url)).await;
    let proxy_address = proxy.url().trim_start_matches("https://").trim_end_matches('/');
    let env_file = world.folder.path().join("auth-server.env").display().to_string();
    let extra = ["--env-file", &env_file, "--connect-to", proxy_address];
    let mut command = verification(world, &extra);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("a process");
    while leftover_accounts(world).await == 0 {
        assert!(child.try_wait().expect("a status").is_none(), "it has ended");
        sleep(Duration::from_millis(1)).await;
    }
    proxy.freeze();
    send_signal(signal, &[child.id().expect("an id")]).expect("sent");
    let ended = timeout(Duration::from_secs(10), child.wait_with_output()).await;
    ended.expect("it ends").expect("an output").into()
}

#[tokio::test]
async fn an_interrupted_verification_cleans_up_and_a_killed_one_is_cleaned_up_next_time() {
    // A log-in hashes for so long that it is interrupted meanwhile.
    let settings = [("AUTH_PASSWORD_MEMORY_KIB", "19456"), ("AUTH_PASSWORD_ITERATIONS", "25")];
    let auth = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let environment = Environment { auth, ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let interrupted = interrupt_and_verify(&world, "INT").await;
        assert_eq!(interrupted.code, Some(1), "{}", interrupted.stdout);
        assert_eq!(leftover_accounts(&world).await, 0, "{}", interrupted.stdout);
        assert_eq!(interrupt_and_verify(&world, "KILL").await.code, None);
        assert_eq!(leftover_accounts(&world).await, 2);
        verify(&world, &[]).await.expect_success();
        assert_eq!(leftover_accounts(&world).await, 2, "another run may still need them");
        world.age("users", &["created_date"], 3601).await;
        verify(&world, &[]).await.expect_success();
        assert_eq!(leftover_accounts(&world).await, 0);
        world
    })
    .await;
}
