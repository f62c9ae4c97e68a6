//! `/oauth2/token`

use crate::PROGRAM;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{TestResponse, World, on_each_database};

async fn ask(world: &World, form: &[(&str, &str)]) -> TestResponse {
    let secret = world.credentials.integration.clone();
    world.client.form(("integration", &secret), "/oauth2/token", form).await
}

fn password<'a>(name: &'a str, word: &'a str, scope: &'a str) -> [(&'a str, &'a str); 4] {
    [("grant_type", "password"), ("username", name), ("password", word), ("scope", scope)]
}

#[tokio::test]
async fn a_right_password_gives_a_token_and_a_row_of_active_users() {
    on_each_database(PROGRAM, |world| async move {
        let response = ask(&world, &password("admin", &world.credentials.admin, "core")).await;
        let response = response.expect(200);
        let token = response.json();
        assert_eq!(token["token_type"], "Bearer");
        assert_eq!(token["expires_in"], 720);
        assert_eq!(token["scope"], "core");
        assert_eq!(response.header("cache-control"), "no-store");
        let text = token["access_token"].as_str().expect("a token");
        assert!(text.starts_with("lsa_"));
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 1);
        let clear = format!("SELECT COUNT(*) FROM active_users WHERE token_hash LIKE '%{text}%'");
        assert_eq!(world.count(&clear).await, 0, "a token is kept as a keyed hash only");
        world
    })
    .await;
}

#[tokio::test]
async fn every_refused_log_in_looks_alike() {
    on_each_database(PROGRAM, |world| async move {
        world.sql("UPDATE users SET status = 'disabled' WHERE user_name = 'viewer'").await;
        let viewer = world.credentials.viewer.clone();
        let wrong = ask(&world, &password("admin", "wrong", "core")).await.expect(400);
        for (name, word) in [
            ("nobody", "wrong"),
            ("viewer", viewer.as_str()),
            ("Admin", &world.credentials.admin),
            ("admin ", &world.credentials.admin),
            ("ad\u{0}min", "wrong"),
        ] {
            let refused = ask(&world, &password(name, word, "core")).await.expect(400);
            assert_eq!(refused.text, wrong.text, "{name:?}");
        }
        assert_eq!(wrong.json()["error"], "invalid_grant");
        let as_web = ask(&world, &password("admin", &world.credentials.admin, "web")).await;
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
        let form = password("admin", &admin, "core");
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
async fn malformed_requests_have_the_errors_of_rfc_6749() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.credentials.admin.clone();
        for (form, error) in [
            (vec![], "invalid_request"),
            (vec![("grant_type", "implicit")], "unsupported_grant_type"),
            (vec![("grant_type", "password"), ("scope", "core")], "invalid_request"),
            (password("admin", &admin, "core web").to_vec(), "invalid_scope"),
            (password("admin", &admin, "").to_vec(), "invalid_scope"),
            (vec![("grant_type", "password"), ("grant_type", "password")], "invalid_request"),
        ] {
            assert_eq!(ask(&world, &form).await.expect(400).json()["error"], error, "{form:?}");
        }
        let long = "x".repeat(1025);
        let refused = ask(&world, &password("admin", &long, "core")).await.expect(400);
        assert_eq!(refused.json()["error"], "invalid_request");
        let huge = "x".repeat(20_000);
        let refused = ask(&world, &password("admin", &huge, "core")).await.expect(400);
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
async fn a_password_is_hashed_anew_at_log_in_when_the_settings_have_become_stronger() {
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
        assert!(before.contains("t=2") && !before.contains("keyid"), "{before}");
        let first = world.token("viewer").await;
        let after = world.text(hash).await;
        assert!(after.contains("t=3") && after.contains("keyid=cDE"), "{after}");
        world.token("viewer").await;
        assert_eq!(world.text(hash).await, after, "and stays as it is");
        let alive = super::introspect::introspect(&world, &first).await.json();
        assert_eq!(alive["active"], true, "that was no change of the password");
        world
    })
    .await;
}
