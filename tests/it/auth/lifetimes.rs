//! Token lifetimes, by the database's clock, to the second.

use super::introspect::introspect;
use crate::PROGRAM;
use acceptance::installed_clients::{faketime, skip};
use acceptance::log_in_form::{AuthorizationRequest, Browser};
use acceptance::seeds::file;
use acceptance::world::Environment;
use acceptance::world::in_processes_on_each_database;
use acceptance::{Database, World, on_each_database};
use base64::Engine;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;

/// Makes every token this many seconds older, by the database's own clock.
async fn age(world: &World, seconds: i64) {
    let sql = match world.database.name() {
        "sqlite" => format!(
            "UPDATE active_users SET active_date = \
             strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', '-{seconds} seconds')"
        ),
        "mysql" => format!(
            "UPDATE active_users SET active_date = utc_timestamp(6) - interval {seconds} second"
        ),
        _ => format!(
            "UPDATE active_users SET active_date = clock_timestamp() - interval '{seconds} seconds'"
        ),
    };
    world.sql(&sql).await;
}

async fn is_alive(world: &World, token: &str) -> bool {
    introspect(world, token).await.expect(200).json()["active"] == true
}

async fn check_access_token_lifetime(world: &World) {
    let token = world.token("viewer").await;
    age(world, 717).await;
    assert!(is_alive(world, &token).await, "three seconds before its time");
    world.client.get(&token, "/loans/1").await.expect_problem(404, "not-found");
    sleep(Duration::from_millis(3200)).await;
    assert!(!is_alive(world, &token).await, "just after its time");
    world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
}

#[tokio::test]
async fn a_core_users_token_expires_twelve_minutes_after_its_creation() {
    on_each_database(PROGRAM, |world| async move {
        check_access_token_lifetime(&world).await;
        world
    })
    .await;
}

/// The database's clock was ahead when it was created, and has been corrected.
#[tokio::test]
async fn a_token_from_the_future_is_not_live() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        world.age("active_users", &["active_date"], -30).await;
        assert!(is_alive(&world, &token).await, "clocks are corrected by seconds");
        world.age("active_users", &["active_date"], -86_400).await;
        assert!(!is_alive(&world, &token).await);
        world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
        // It can still be logged out, by a server that has its key.
        let key = token.split(['_', '.']).nth(1).expect("a key");
        let foreign = token.replacen(key, "other", 1);
        let refused = world.client.log_out(&foreign).await.expect(503);
        assert!(refused.text.contains("does not have the key of this token"), "{}", refused.text);
        let revoked = [("token", foreign.as_str())];
        let client = ("integration", world.credentials.integration.as_str());
        world.client.form(client, "/oauth2/revoke", &revoked).await.expect(503);
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 1);
        world.client.log_out(&token).await.expect(204);
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 0);
        world
    })
    .await;
}

/// SQLite has no clock but the process's, so only database servers can be right when it is wrong.
#[tokio::test]
async fn tokens_expire_on_time_on_a_server_whose_clock_is_ten_minutes_off() {
    let library = match faketime() {
        Ok(library) => library,
        Err(missing) => return skip(&missing),
    };
    for database in Database::all().into_iter().skip(1) {
        for shift in ["+10m", "-10m"] {
            println!("on {} with the clock at {shift}", database.name());
            let fake_clock: BTreeMap<String, String> = [
                ("LD_PRELOAD", library),
                ("FAKETIME", shift),
                ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
            ]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
            let environment =
                Environment { auth: fake_clock.clone(), api: fake_clock, ..Environment::default() };
            let world = World::new(PROGRAM, database.clone(), environment).await;
            check_access_token_lifetime(&world).await;
            check_other_lifetimes(&world).await;
            world.close().await;
        }
    }
}

/// Codes, refreshes, lockouts and ID token claims do not depend on the clock of the process.
async fn check_other_lifetimes(world: &World) {
    let (authorization, password) =
        (AuthorizationRequest::new("openid core"), world.credentials.viewer.as_str());
    let browser = Browser::new(&world.client);
    let code = browser.log_in(&authorization, "viewer", password).await;
    world.age("authorization_requests", &["code_date"], 50).await;
    let tokens = authorization.exchange(&world.client, &code).await.expect(200).json();
    let claims = tokens["id_token"].as_str().unwrap().split('.').nth(1).unwrap();
    let claims = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(claims).unwrap();
    let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
    let now = shared::database::time(&world.db).await.unwrap().0.timestamp();
    assert!((0..30).contains(&(now - claims["iat"].as_i64().unwrap())), "{claims} at {now}");
    let code = authorization.code(&browser.get(&authorization.url(&world.client.auth_url)).await);
    world.age("authorization_requests", &["code_date"], 61).await;
    authorization.exchange(&world.client, &code).await.expect(400);

    let refresh = async |tokens: &serde_json::Value| {
        let token = tokens["refresh_token"].as_str().unwrap();
        let form =
            [("grant_type", "refresh_token"), ("client_id", "browser"), ("refresh_token", token)];
        world.client.form(("", ""), "/oauth2/token", &form).await
    };
    world.age("auth_sessions", &["refreshed_date"], 3590).await;
    let tokens = refresh(&tokens).await.expect(200).json();
    world.age("auth_sessions", &["refreshed_date"], 3601).await;
    refresh(&tokens).await.expect(400);

    for _ in 0..10 {
        assert!(world.client.log_in("core", "teller", "wrong").await.is_err());
    }
    let teller = &world.credentials.teller;
    world.age("log_in_failures", &["last_failure_date"], 1780).await;
    assert!(world.client.log_in("core", "teller", teller).await.is_err());
    world.age("log_in_failures", &["last_failure_date"], 1801).await;
    assert!(world.client.log_in("core", "teller", teller).await.is_ok());
}

#[tokio::test]
async fn a_web_users_token_lifetime_follows_the_current_web_inactivity_timeout() {
    on_each_database(PROGRAM, |world| async move {
        let contact = "<Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" \
             EntityCode=\"COMPANY\" Company=\"One\">\
             <WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>";
        world.import(&world.token("admin").await, &file(contact)).await;
        let form = [
            ("grant_type", "password"),
            ("username", "one"),
            ("password", "first words"),
            ("scope", "web"),
        ];
        let secret = world.credentials.integration.clone();
        let issue = || world.client.form(("integration", &secret), "/oauth2/token", &form);
        let response = issue().await.expect(200).json();
        assert_eq!(response["expires_in"], 1200);
        let token = response["access_token"].as_str().expect("a token").to_owned();
        let set = async |value: &str| {
            let name = "web_inactivity_timeout";
            let sql = format!("UPDATE settings SET value = '{value}' WHERE name = '{name}'");
            world.sql(&sql).await;
        };
        for (value, expected) in [
            ("10080", true),
            ("0", false),
            ("10081", false),
            ("soon", false),
            ("-5", false),
            ("", false),
            ("1; DROP TABLE x", false),
            ("30", true),
        ] {
            set(value).await;
            assert_eq!(is_alive(&world, &token).await, expected, "{value:?}");
        }
        set("soon").await;
        issue().await.expect(503);
        world.sql("UPDATE web_credentials SET web_access_flag = (1 = 0)").await;
        set("30").await;
        assert!(!is_alive(&world, &token).await, "access was withdrawn");
        world
    })
    .await;
}

/// Tables with rows that expire, the columns that say when, and how many rows one log-in leaves.
const SWEPT: [(&str, &[&str], i64); 5] = [
    ("active_users", &["active_date"], 1),
    ("auth_sessions", &["log_in_date", "refreshed_date"], 1),
    ("browser_log_ins", &["log_in_date", "used_date"], 1),
    ("authorization_requests", &["created_date", "code_date"], 2),
    ("log_in_failures", &["first_failure_date", "last_failure_date"], 1),
];

#[tokio::test]
async fn expired_rows_are_swept_and_live_ones_are_kept() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let fill = async || {
            let (authorization, password) =
                (AuthorizationRequest::new("core"), world.credentials.viewer.as_str());
            Browser::new(&world.client).open(&authorization).await;
            assert!(world.client.log_in("core", "teller", "wrong").await.is_err());
            authorization.tokens(&world.client, "viewer", password).await
        };
        fill().await;
        for (table, columns, _) in SWEPT {
            world.age(table, columns, 36_001).await;
        }
        let (past, future) = (world.long_ago(), world.long_ago().replace("2020", "2100"));
        for (hash, expires) in [("used", past), ("used and still valid", &future)] {
            let row = format!("'{hash}', 'keyed', {expires}");
            world.sql(&format!("INSERT INTO client_assertions VALUES ({row})")).await;
        }
        let live_tokens = fill().await;
        // A server begins by sweeping.
        let http = world.client.http.clone();
        world.auth.stop().await;
        world.auth.restart(&http).await;
        let expected = SWEPT.into_iter().map(|(table, _, rows)| (table, rows));
        for (table, expected) in expected.chain([("client_assertions", 1)]) {
            let mut rows = -1;
            for _ in 0..50 {
                rows = world.count(&format!("SELECT COUNT(*) FROM {table}")).await;
                if rows == expected {
                    break;
                }
                sleep(Duration::from_millis(100)).await;
            }
            assert_eq!(rows, expected, "{table}");
        }
        assert!(is_alive(&world, live_tokens["access_token"].as_str().unwrap()).await);
        world
    })
    .await;
}
