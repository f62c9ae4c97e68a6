//! `/oauth2/token`

use crate::PROGRAM;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{TestResponse, World, on_each_database};
use futures_util::future::join_all;
use std::time::{Duration, Instant};
use tokio::time::sleep;

async fn request_token(world: &World, form: &[(&str, &str)]) -> TestResponse {
    let secret = world.credentials.integration.clone();
    world.client.form(("integration", &secret), "/oauth2/token", form).await
}

fn password_grant<'a>(name: &'a str, password: &'a str, scope: &'a str) -> [(&'a str, &'a str); 4] {
    [("grant_type", "password"), ("username", name), ("password", password), ("scope", scope)]
}

#[tokio::test]
async fn a_correct_password_yields_a_token_and_an_active_user() {
    on_each_database(PROGRAM, |world| async move {
        let response =
            request_token(&world, &password_grant("admin", &world.credentials.admin, "core")).await;
        let response = response.expect(200);
        let token = response.json();
        assert_eq!(token["token_type"], "Bearer");
        assert_eq!(token["expires_in"], 720);
        assert_eq!(token["scope"], "core");
        assert_eq!(response.header("cache-control"), "no-store");
        let text = token["access_token"].as_str().expect("a token");
        assert!(text.starts_with("lsa_"));
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 1);
        let stored_plain =
            format!("SELECT COUNT(*) FROM active_users WHERE token_hash LIKE '%{text}%'");
        assert_eq!(world.count(&stored_plain).await, 0, "a token is kept as a keyed hash only");
        world
    })
    .await;
}

#[tokio::test]
async fn every_refused_log_in_looks_the_same() {
    on_each_database(PROGRAM, |world| async move {
        world.sql("UPDATE users SET status = 'disabled' WHERE user_name = 'viewer'").await;
        let viewer = world.credentials.viewer.clone();
        let wrong =
            request_token(&world, &password_grant("admin", "wrong", "core")).await.expect(400);
        for (name, password) in [
            ("nobody", "wrong"),
            ("viewer", viewer.as_str()),
            ("Admin", &world.credentials.admin),
            ("admin ", &world.credentials.admin),
            ("ad\u{0}min", "wrong"),
        ] {
            let refused =
                request_token(&world, &password_grant(name, password, "core")).await.expect(400);
            assert_eq!(refused.text, wrong.text, "{name:?}");
        }
        assert_eq!(wrong.json()["error"], "invalid_grant");
        let as_web =
            request_token(&world, &password_grant("admin", &world.credentials.admin, "web")).await;
        assert_eq!(as_web.expect(400).text, wrong.text);
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn the_client_is_authenticated_before_anything_else() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.credentials.admin.clone();
        let secret = world.credentials.integration.clone();
        let form = password_grant("admin", &admin, "core");
        for client in [("integration", "wrong"), ("nobody", "x"), ("browser", ""), ("", "")] {
            let refused = world.client.form(client, "/oauth2/token", &form).await.expect(401);
            assert_eq!(refused.json()["error"], "invalid_client");
            assert!(refused.header("www-authenticate").starts_with("Basic"), "{client:?}");
        }
        let unsupported = [("grant_type", "magic")];
        let refused = world.client.form(("nobody", "x"), "/oauth2/token", &unsupported).await;
        assert_eq!(refused.expect(401).json()["error"], "invalid_client");
        let mut posted = form.to_vec();
        posted.extend([("client_id", "integration"), ("client_secret", secret.as_str())]);
        world.client.form(("", ""), "/oauth2/token", &posted).await.expect(200);
        let both = world.client.form(("integration", &secret), "/oauth2/token", &posted).await;
        assert_eq!(both.expect(400).json()["error"], "invalid_request");
        let resource_server = world.credentials.api_server.clone();
        let other =
            world.client.form(("api-server", &resource_server), "/oauth2/token", &form).await;
        assert_eq!(other.expect(400).json()["error"], "unauthorized_client");
        world
    })
    .await;
}

#[tokio::test]
async fn malformed_requests_get_rfc_6749_errors() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.credentials.admin.clone();
        for (form, error) in [
            (vec![], "invalid_request"),
            (vec![("grant_type", "implicit")], "unsupported_grant_type"),
            (vec![("grant_type", "password"), ("scope", "core")], "invalid_request"),
            (password_grant("admin", &admin, "core web").to_vec(), "invalid_scope"),
            (password_grant("admin", &admin, "").to_vec(), "invalid_scope"),
            (vec![("grant_type", "password"), ("grant_type", "password")], "invalid_request"),
        ] {
            assert_eq!(
                request_token(&world, &form).await.expect(400).json()["error"],
                error,
                "{form:?}"
            );
        }
        let long = "x".repeat(1025);
        let refused =
            request_token(&world, &password_grant("admin", &long, "core")).await.expect(400);
        assert_eq!(refused.json()["error"], "invalid_request");
        let huge = "x".repeat(20_000);
        let refused =
            request_token(&world, &password_grant("admin", &huge, "core")).await.expect(400);
        assert_eq!(refused.json()["error"], "invalid_request");
        let url = format!("{}/oauth2/token", world.client.auth_url);
        let json = world.client.http.post(&url).json(&serde_json::json!({"grant_type": "x"}));
        let json = world.client.send(json).await.expect("a response").expect(400);
        assert_eq!(json.json()["error"], "invalid_request");
        let get = world.client.send(world.client.http.get(&url)).await.expect("a response");
        assert_eq!(get.expect_problem(405, "method-not-allowed").header("allow"), "POST");
        world
    })
    .await;
}

#[tokio::test]
async fn a_password_is_rehashed_at_log_in_when_settings_become_stronger() {
    let settings = [
        ("AUTH_PASSWORD_ITERATIONS", "3".to_owned()),
        ("AUTH_PASSWORD_PEPPERS", format!("p1:{}", "ab".repeat(32))),
    ];
    let auth = settings.map(|(name, value)| (name.to_owned(), value)).into();
    let environment = Environment { auth, ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let hash = "SELECT password_hash FROM user_credentials WHERE user_id = \
             (SELECT user_id FROM users WHERE user_name = 'viewer')";
        let before = world.text(hash).await;
        assert!(before.contains("t=1") && !before.contains("keyid"), "{before}");
        // None is refused because another has replaced the hash that it verified.
        let tokens = join_all((0..8).map(|_| world.token("viewer"))).await;
        let first = tokens.first().expect("a token");
        let deadline = Instant::now() + Duration::from_secs(60);
        while world.text(hash).await == before && Instant::now() < deadline {
            sleep(Duration::from_millis(50)).await;
        }
        let after = world.text(hash).await;
        assert!(after.contains("t=3") && after.contains("keyid=cDE"), "{after}");
        world.token("viewer").await;
        assert_eq!(world.text(hash).await, after, "stays unchanged");
        let introspection = super::introspect::introspect(&world, first).await.json();
        assert_eq!(introspection["active"], true, "rehashing is not a password change");
        world
    })
    .await;
}
