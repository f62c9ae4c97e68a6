//! Refresh tokens: rotation, families, lifetimes

use super::introspect::introspect;
use crate::PROGRAM;
use acceptance::log_in_form::AuthorizationRequest;
use acceptance::seeds::file;
use acceptance::{Client, TestResponse, World, on_each_database};
use futures_util::future::join_all;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// The tokens of a new session of the viewer, or of the web user `one`.
async fn session(world: &World, scope: &str) -> Value {
    let (user, password) = match scope {
        "web" => ("one", "first words"),
        _ => ("viewer", world.credentials.viewer.as_str()),
    };
    AuthorizationRequest::new(scope).tokens(&world.client, user, password).await
}

async fn refresh(client: &Client, token: &str) -> TestResponse {
    let form =
        [("grant_type", "refresh_token"), ("client_id", "browser"), ("refresh_token", token)];
    client.form(("", ""), "/oauth2/token", &form).await
}

async fn refresh_once(client: &Client, tokens: &Value) -> Value {
    refresh(client, member(tokens, "refresh_token")).await.expect(200).json()
}

#[track_caller]
fn assert_invalid_grant(response: &TestResponse) {
    assert_eq!(response.status, 400, "{}", response.text);
    assert_eq!(response.json()["error"], "invalid_grant");
}

fn member<'a>(tokens: &'a Value, name: &str) -> &'a str {
    tokens[name].as_str().unwrap_or_else(|| panic!("{tokens}"))
}

async fn add_web_user(world: &World) {
    let contact = "<Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" \
         EntityCode=\"COMPANY\" Company=\"One\">\
         <WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>";
    world.import(&world.token("admin").await, &file(contact)).await;
}

#[tokio::test]
async fn a_refresh_issues_a_new_token_and_the_old_access_token_keeps_its_expiry() {
    on_each_database(PROGRAM, |world| async move {
        add_web_user(&world).await;
        for (scope, table, column) in [
            ("core", "active_users", "active_date"),
            ("web", "cif_web_active_users", "token_datestamp"),
        ] {
            world.sql(&format!("DELETE FROM {table}")).await;
            let first = session(&world, scope).await;
            world.age(table, &[column], 100).await;
            let second = refresh_once(&world.client, &first).await;
            assert_ne!(first["refresh_token"], second["refresh_token"]);
            assert_eq!(world.count(&format!("SELECT COUNT(*) FROM {table}")).await, 2);
            let (old, new) = (member(&first, "access_token"), member(&second, "access_token"));
            let (old, new) = (introspect(&world, old).await, introspect(&world, new).await);
            let (old, new) = (old.json(), new.json());
            assert_eq!((&old["active"], &new["active"]), (&true.into(), &true.into()));
            let seconds_later = new["iat"].as_i64().unwrap() - old["iat"].as_i64().unwrap();
            assert!((99..=110).contains(&seconds_later), "{seconds_later}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_refresh_can_be_repeated_within_a_minute_after_a_lost_response() {
    on_each_database(PROGRAM, |world| async move {
        let first = session(&world, "core").await;
        let lost_response = refresh_once(&world.client, &first).await;
        // Immediately, as when a connection breaks or two tabs refresh at the same time.
        for _ in 0..3 {
            let repeated = refresh_once(&world.client, &first).await;
            assert_eq!(
                repeated["refresh_token"], lost_response["refresh_token"],
                "the same successor"
            );
            assert_ne!(repeated["access_token"], lost_response["access_token"]);
            let introspection = introspect(&world, member(&repeated, "access_token")).await;
            assert_eq!(introspection.json()["active"], true);
        }
        // Introspecting an access token does not count as use of a refresh token.
        world.age("auth_sessions", &["refreshed_date"], 50).await;
        let repeated = refresh_once(&world.client, &first).await;
        assert_eq!(repeated["refresh_token"], lost_response["refresh_token"]);
        let last = refresh_once(&world.client, &repeated).await;
        refresh_once(&world.client, &last).await;
        world
    })
    .await;
}

#[tokio::test]
async fn refresh_token_reuse_after_a_minute_ends_the_family() {
    on_each_database(PROGRAM, |world| async move {
        let first = session(&world, "core").await;
        let second = refresh_once(&world.client, &first).await;
        world.age("auth_sessions", &["refreshed_date"], 61).await;
        assert_invalid_grant(&refresh(&world.client, member(&first, "refresh_token")).await);
        assert_invalid_grant(&refresh(&world.client, member(&second, "refresh_token")).await);
        let events = "SELECT COUNT(*) FROM auth_events WHERE event = 'reuse_detected'";
        assert_eq!(world.count(events).await, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn refresh_token_reuse_after_its_successor_was_used_ends_the_family() {
    on_each_database(PROGRAM, |world| async move {
        let first = session(&world, "core").await;
        let other = session(&world, "core").await;
        let second = refresh_once(&world.client, &first).await;
        let third = refresh_once(&world.client, &second).await;
        assert_invalid_grant(&refresh(&world.client, member(&first, "refresh_token")).await);
        assert_invalid_grant(&refresh(&world.client, member(&third, "refresh_token")).await);
        for tokens in [&first, &second, &third] {
            let response = introspect(&world, member(tokens, "access_token")).await;
            assert_eq!(response.text, r#"{"active":false}"#);
        }
        refresh_once(&world.client, &other).await;
        let events = "SELECT COUNT(*) FROM auth_events WHERE event = 'reuse_detected'";
        assert_eq!(world.count(events).await, 1);
        world
    })
    .await;
}

/// Rounds of concurrent refreshes; the load program `refresh_race` does ten thousand.
#[tokio::test]
async fn concurrent_refreshes_on_two_replicas_get_one_successor() {
    on_each_database(PROGRAM, |world| async move {
        let replica = world.replica().await;
        for _ in 0..3 {
            let first = session(&world, "core").await;
            let token = member(&first, "refresh_token");
            let clients = [&world.client, &replica.client];
            let responses = join_all((0..50).map(|n| refresh(clients[n % 2], token))).await;
            let mut successors = BTreeSet::new();
            for response in responses {
                let response = response.expect(200).json();
                successors.insert(member(&response, "refresh_token").to_owned());
                let introspection = introspect(&world, member(&response, "access_token")).await;
                assert_eq!(introspection.json()["active"], true);
            }
            assert_eq!(successors.len(), 1, "one live family");
            let successor = successors.pop_first().expect("one");
            refresh(&replica.client, &successor).await.expect(200);
            assert_invalid_grant(&refresh(&world.client, token).await);
            assert_eq!(world.count("SELECT COUNT(*) FROM auth_sessions").await, 0);
        }
        replica.close().await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_session_ends_at_its_idle_and_absolute_limit_by_the_database_clock() {
    on_each_database(PROGRAM, |world| async move {
        add_web_user(&world).await;
        // Core: one hour idle, ten hours in total. Web: twenty minutes idle, twelve hours in total.
        for (scope, idle, absolute) in [("core", 3600, 36_000), ("web", 1200, 43_200)] {
            let tokens = session(&world, scope).await;
            world.age("auth_sessions", &["refreshed_date"], idle - 10).await;
            let tokens = refresh_once(&world.client, &tokens).await;
            world.age("auth_sessions", &["refreshed_date"], idle + 1).await;
            assert_invalid_grant(&refresh(&world.client, member(&tokens, "refresh_token")).await);
            let tokens = session(&world, scope).await;
            world.age("auth_sessions", &["log_in_date"], absolute - 10).await;
            let tokens = refresh_once(&world.client, &tokens).await;
            world.age("auth_sessions", &["log_in_date"], 11).await;
            assert_invalid_grant(&refresh(&world.client, member(&tokens, "refresh_token")).await);
        }
        let tokens = session(&world, "web").await;
        world.age("auth_sessions", &["refreshed_date"], 100).await;
        let set = "UPDATE settings SET value = '1' WHERE name = 'web_inactivity_timeout'";
        world.sql(set).await;
        assert_invalid_grant(&refresh(&world.client, member(&tokens, "refresh_token")).await);
        world
    })
    .await;
}

#[tokio::test]
async fn a_refresh_is_refused_after_log_out_revocation_disabling_or_a_new_password() {
    on_each_database(PROGRAM, |world| async move {
        add_web_user(&world).await;
        let tokens = session(&world, "core").await;
        world.client.log_out(member(&tokens, "access_token")).await.expect(204);
        assert_invalid_grant(&refresh(&world.client, member(&tokens, "refresh_token")).await);

        let tokens = session(&world, "core").await;
        let form = [("client_id", "browser"), ("token", member(&tokens, "refresh_token"))];
        world.client.form(("", ""), "/oauth2/revoke", &form).await.expect(200);
        assert_invalid_grant(&refresh(&world.client, member(&tokens, "refresh_token")).await);
        let access = introspect(&world, member(&tokens, "access_token")).await;
        assert_eq!(access.json()["active"], false, "revoking one ends its whole session");

        let tokens = session(&world, "core").await;
        world.sql("UPDATE users SET status = 'disabled' WHERE user_name = 'viewer'").await;
        assert_invalid_grant(&refresh(&world.client, member(&tokens, "refresh_token")).await);

        let tokens = session(&world, "web").await;
        let change = "<Contact UpdateFlag=\"1\" ContactNumber=\"C-1\">\
             <WebCredentials UpdateFlag=\"1\" Password=\"second words\"/></Contact>";
        world.import(&world.token("admin").await, &file(change)).await;
        let access = introspect(&world, member(&tokens, "access_token")).await;
        assert_eq!(access.json()["active"], false, "a new password");
        assert_invalid_grant(&refresh(&world.client, member(&tokens, "refresh_token")).await);
        world
    })
    .await;
}

#[tokio::test]
async fn a_refresh_token_is_bound_to_its_client_and_scope() {
    on_each_database(PROGRAM, |world| async move {
        let tokens = session(&world, "core").await;
        let token = member(&tokens, "refresh_token");
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)];
        let integration = ("integration", world.credentials.integration.as_str());
        assert_invalid_grant(&world.client.form(integration, "/oauth2/token", &form).await);
        let wrong_scope = [
            ("grant_type", "refresh_token"),
            ("client_id", "browser"),
            ("refresh_token", token),
            ("scope", "web"),
        ];
        let response = world.client.form(("", ""), "/oauth2/token", &wrong_scope).await.expect(400);
        assert_eq!(response.json()["error"], "invalid_scope");
        for junk in ["junk", "lsr_", member(&tokens, "access_token")] {
            assert_invalid_grant(&refresh(&world.client, junk).await);
        }
        refresh_once(&world.client, &tokens).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_log_out_concurrent_with_a_refresh_leaves_no_live_token() {
    on_each_database(PROGRAM, |world| async move {
        let replica = world.replica().await;
        for delay in 0..15 {
            let tokens = session(&world, "core").await;
            let log_out = async {
                tokio::time::sleep(Duration::from_millis(delay)).await;
                replica.client.log_out(member(&tokens, "access_token")).await.expect(204)
            };
            let refresh = refresh(&world.client, member(&tokens, "refresh_token"));
            let (_, response) = tokio::join!(log_out, refresh);
            if response.status == 200 {
                let new = response.json();
                let access = introspect(&world, member(&new, "access_token")).await;
                assert_eq!(access.json()["active"], false, "after {delay} ms");
            }
            assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 0);
            assert_eq!(world.count("SELECT COUNT(*) FROM auth_sessions").await, 0);
        }
        replica.close().await;
        world
    })
    .await;
}
