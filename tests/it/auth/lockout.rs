//! Guessed passwords: accounts are locked, networks are rate-limited, and answers reveal nothing.

use crate::PROGRAM;
use acceptance::world::Environment;
use acceptance::world::in_processes_on_each_database;
use acceptance::world::on_each_database_with;
use acceptance::{Client, TestResponse, World, on_each_database};
use futures_util::future::join_all;
use std::time::{Duration, Instant};

async fn attempt(client: &Client, name: &str, password: &str) -> TestResponse {
    let form =
        [("grant_type", "password"), ("scope", "core"), ("username", name), ("password", password)];
    client.form(("integration", &client.client_secret), "/oauth2/token", &form).await
}

fn environment(settings: &[(&str, &str)]) -> Environment {
    let pairs = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Environment { auth: pairs.collect(), ..Environment::default() }
}

/// Status, body and headers of an answer, without the headers that always differ.
fn visible_parts(response: &TestResponse) -> (u16, String, Vec<(String, String)>) {
    let headers = response
        .headers
        .iter()
        .filter(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()));
    let headers =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    (response.status.as_u16(), response.text.clone(), headers.collect())
}

#[tokio::test]
async fn ten_wrong_passwords_over_two_replicas_lock_the_account_on_both() {
    on_each_database(PROGRAM, |world| async move {
        let replica = world.replica().await;
        let clients = [&world.client, &replica.client];
        let viewer = &world.credentials.viewer;
        for n in 0..9 {
            attempt(clients[n % 2], "viewer", "wrong").await.expect(400);
        }
        attempt(&world.client, "viewer", viewer).await.expect(200);
        for n in 0..10 {
            attempt(clients[n % 2], "viewer", "wrong").await.expect(400);
        }
        for client in clients {
            let refused = attempt(client, "viewer", viewer).await.expect(400);
            let unknown = attempt(client, "nobody", viewer).await.expect(400);
            assert_eq!(visible_parts(&refused), visible_parts(&unknown), "locked looks like wrong");
        }
        attempt(&world.client, "teller", &world.credentials.teller).await.expect(200);
        world.age("log_in_failures", &["first_failure_date", "last_failure_date"], 1790).await;
        attempt(&world.client, "viewer", viewer).await.expect(400);
        world.age("log_in_failures", &["first_failure_date", "last_failure_date"], 1801).await;
        attempt(&replica.client, "viewer", viewer).await.expect(200);
        let count =
            |event: &str| format!("SELECT COUNT(*) FROM auth_events WHERE event = '{event}'");
        assert_eq!(world.count(&count("locked")).await, 1);
        replica.close().await;
        world
    })
    .await;
}

#[tokio::test]
async fn concurrent_guesses_do_not_bypass_the_lockout() {
    on_each_database(PROGRAM, |world| async move {
        let viewer = world.credentials.viewer.clone();
        let guesses = (0..60).map(|n| {
            let password = if n == 50 { viewer.clone() } else { format!("wrong {n}") };
            let client = &world.client;
            async move {
                // The right password arrives while the wrong ones are being checked.
                let wait = if n == 50 { 400 } else { 0 };
                tokio::time::sleep(std::time::Duration::from_millis(wait)).await;
                attempt(client, "viewer", &password).await.status.as_u16()
            }
        });
        let responses = join_all(guesses).await;
        assert!(responses.iter().all(|status| [400, 429].contains(status)), "{responses:?}");
        attempt(&world.client, "viewer", &viewer).await.expect(400);
        world
    })
    .await;
}

#[tokio::test]
async fn concurrent_correct_log_ins_of_one_user_all_succeed() {
    on_each_database(PROGRAM, |world| async move {
        let viewer = &world.credentials.viewer;
        let responses = join_all((0..20).map(|_| attempt(&world.client, "viewer", viewer))).await;
        assert!(responses.iter().all(|response| response.status == 200));
        world
    })
    .await;
}

/// Logs a core user in through a client, with this `X-Forwarded-For`.
async fn log_in_from(
    world: &World,
    address: &str,
    client: (&str, &str),
    username: &str,
    password: &str,
) -> TestResponse {
    let form = [
        ("grant_type", "password"),
        ("scope", "core"),
        ("username", username),
        ("password", password),
    ];
    let request = world.client.http.post(format!("{}/oauth2/token", world.client.auth_url));
    let request = request.form(&form).header("x-forwarded-for", address);
    world.client.send(request.basic_auth(client.0, Some(client.1))).await.unwrap()
}

#[tokio::test]
async fn a_network_with_too_many_wrong_secrets_is_told_when_to_retry() {
    let settings = [("AUTH_SOURCE_FAILURES_MAX", "12"), ("AUTH_TRUSTED_PROXIES", "127.0.0.0/8")];
    on_each_database_with(PROGRAM, environment(&settings), |world| async move {
        let log_in_from = async |address: &str, client: (&str, &str), password: &str| {
            log_in_from(&world, address, client, "teller", password).await
        };
        let secret = world.credentials.integration.as_str();
        for n in 0..12 {
            let (client, status) = match n % 2 {
                0 => (("integration", "wrong"), 401),
                _ => (("nobody", secret), 401),
            };
            log_in_from(&format!("10.9.9.1, 203.0.113.{n}"), client, "x").await.expect(status);
        }
        let teller = world.credentials.teller.as_str();
        let wrong = ("integration", "wrong");
        let refused = log_in_from("203.0.113.77", wrong, teller).await.expect(429);
        let seconds: i64 = refused.header("retry-after").parse().unwrap();
        assert!((1700..=1800).contains(&seconds), "{seconds}");
        // The right secret is another matter, and so are log-ins.
        log_in_from("203.0.113.77", ("integration", secret), teller).await.expect(200);
        log_in_from("203.0.114.77", ("integration", secret), teller).await.expect(200);
        // A resource server is never blocked because of failures in its network.
        let form = [("token", "junk")];
        let url = format!("{}/oauth2/introspect", world.client.auth_url);
        let request =
            world.client.http.post(url).form(&form).header("x-forwarded-for", "203.0.113.1");
        let api_server = ("api-server", Some(world.credentials.api_server.as_str()));
        let response = world.client.send(request.basic_auth(api_server.0, api_server.1)).await;
        response.unwrap().expect(200);
        world.age("log_in_failures", &["first_failure_date"], 1801).await;
        log_in_from("203.0.113.77", wrong, teller).await.expect(401);
        world
    })
    .await;
}

/// All users of a backend come from its address: what strangers type into its form must not shut them
/// out.
#[tokio::test]
async fn failures_through_a_client_do_not_close_its_network() {
    let settings = [("AUTH_SOURCE_FAILURES_MAX", "12")];
    on_each_database_with(PROGRAM, environment(&settings), |world| async move {
        let viewer = &world.credentials.viewer;
        for n in 0..12 {
            attempt(&world.client, &format!("nobody{n}"), "wrong").await.expect(400);
        }
        // Beyond that, wrong passwords take longer.
        let begun = Instant::now();
        let (wrong, right) = tokio::join!(
            async {
                attempt(&world.client, "nobody", "wrong").await.expect(400);
                begun.elapsed()
            },
            async {
                attempt(&world.client, "viewer", viewer).await.expect(200);
                begun.elapsed()
            }
        );
        assert!(wrong >= Duration::from_secs(2) && right < wrong, "{wrong:?}, {right:?}");
        let counted = "SELECT COUNT(*) FROM log_in_failures WHERE subject LIKE 'source:%'";
        assert_eq!(world.count(counted).await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn failures_count_for_the_address_that_a_client_names_if_it_may() {
    let settings = [("AUTH_SOURCE_FAILURES_MAX", "12")];
    on_each_database_with(PROGRAM, environment(&settings), |world| async move {
        let secret = world.credentials.integration.as_str();
        let client = ("integration", secret);
        let log_in_from = async |address: &str, password: &str| {
            log_in_from(&world, address, client, "viewer", password).await
        };
        let viewer = world.credentials.viewer.as_str();
        let source = "SELECT source FROM auth_events ORDER BY event_id DESC LIMIT 1";
        log_in_from("203.0.113.5", viewer).await.expect(200);
        assert_eq!(world.text(source).await, "127.0.0.1");
        let allow = "UPDATE oauth_clients SET forwards_addresses_flag = true \
                     WHERE client_id = 'integration'";
        world.sql(allow).await;
        log_in_from("1.1.1.1, 203.0.113.5", viewer).await.expect(200);
        assert_eq!(world.text(source).await, "203.0.113.5");
        for n in 0..12 {
            log_in_from(&format!("203.0.113.{n}"), "wrong").await.expect(400);
        }
        log_in_from("203.0.113.99", viewer).await.expect(429);
        world.sql("DELETE FROM log_in_failures WHERE subject LIKE 'core:%'").await;
        log_in_from("198.51.100.7", viewer).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn x_forwarded_for_is_ignored_unless_it_comes_from_a_trusted_proxy() {
    on_each_database(PROGRAM, |world| async move {
        let request = world.client.http.post(format!("{}/oauth2/token", world.client.auth_url));
        let request = request.header("x-forwarded-for", "203.0.113.5").form(&[("x", "y")]);
        world
            .client
            .send(request.basic_auth("integration", Some("wrong")))
            .await
            .unwrap()
            .expect(401);
        let source =
            world.text("SELECT source FROM auth_events WHERE event = 'client_failed'").await;
        assert_eq!(source, "127.0.0.1");
        world
    })
    .await;
}

async fn reasons(world: &World) -> Vec<String> {
    let mut reasons = Vec::new();
    for id in 1..=world.count("SELECT COUNT(*) FROM auth_events").await {
        let sql = format!(
            "SELECT event || ' ' || COALESCE(reason, '-') || ' ' || COALESCE(user_name, '-') \
             || ' ' || COALESCE(client_id, '-') || ' ' || source FROM auth_events WHERE event_id = {id}"
        );
        let sql = match world.database.name() {
            "mysql" => format!(
                "SELECT CONCAT_WS(' ', event, COALESCE(reason, '-'), COALESCE(user_name, '-'), \
                 COALESCE(client_id, '-'), source) FROM auth_events WHERE event_id = {id}"
            ),
            _ => sql,
        };
        reasons.push(world.text(&sql).await);
    }
    reasons
}

#[tokio::test]
async fn the_audit_log_records_reasons_and_never_what_was_typed() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let client = &world.client;
        attempt(client, "viewer", "typed password").await.expect(400);
        attempt(client, "typed name", "typed password").await.expect(400);
        world.sql("UPDATE users SET status = 'disabled' WHERE user_name = 'teller'").await;
        attempt(client, "teller", &world.credentials.teller).await.expect(400);
        let tokens = attempt(client, "viewer", &world.credentials.viewer).await.expect(200).json();
        client.form(("integration", "typed secret"), "/oauth2/token", &[]).await.expect(401);
        client.form(("typed client", "x"), "/oauth2/token", &[]).await.expect(401);
        let refresh = tokens["refresh_token"].as_str().unwrap();
        let form = [("grant_type", "refresh_token"), ("refresh_token", refresh)];
        let integration = ("integration", client.client_secret.as_str());
        client.form(integration, "/oauth2/token", &form).await.expect(200);
        client.log_out(tokens["access_token"].as_str().unwrap()).await.expect(204);
        let expected = [
            "log_in_failed wrong_password viewer integration 127.0.0.1",
            "log_in_failed unknown_user - integration 127.0.0.1",
            "log_in_failed disabled teller integration 127.0.0.1",
            "log_in - viewer integration 127.0.0.1",
            "token_issued - - integration 127.0.0.1",
            "client_failed wrong_secret - integration 127.0.0.1",
            "client_failed unknown_client - - 127.0.0.1",
            "token_refreshed - - integration 127.0.0.1",
            "logged_out bearer - integration 127.0.0.1",
        ];
        assert_eq!(reasons(&world).await, expected);
        let log = world.auth.log();
        for secret in ["typed", refresh, &world.credentials.viewer, &client.client_secret] {
            assert!(!log.contains(secret), "{secret}");
        }
        world
    })
    .await;
}
