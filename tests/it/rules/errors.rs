//! Failures: each answer is a problem document of a known type, including the framework's own
//! failures and those of servers that are unavailable.

use crate::PROGRAM;
use acceptance::seeds::OPEN_TERMS;
use acceptance::world::in_processes_on_each_database;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{Client, TestResponse, World, on_each_database};
use futures_util::future::join_all;
use reqwest::Method;
use sea_orm::{ConnectionTrait, DbBackend};
use serde_json::json;
use shared::database;
use std::time::Duration;

async fn import_loan(world: &World, token: &str) -> i64 {
    crate::api::loans::import_loan(world, token, OPEN_TERMS).await
}

#[tokio::test]
async fn errors_of_the_framework_are_problems() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin).await;
        let call = async |method: Method, path: &str| {
            let request = world.client.request(method, &admin, path);
            world.client.send(request).await.expect("a response")
        };
        call(Method::GET, "/nowhere").await.expect_problem(404, "not-found");
        call(Method::GET, "/loans/1/").await.expect_problem(404, "not-found");
        call(Method::GET, "//loans/1").await.expect_problem(404, "not-found");
        let method_error = call(Method::DELETE, "/loans/1").await;
        let method_error = method_error.expect_problem(405, "method-not-allowed");
        assert_eq!(method_error.header("allow"), "GET, HEAD");
        let malformed = call(Method::GET, "/loans/seven").await;
        let malformed = malformed.expect_problem(400, "bad-request");
        assert_eq!(malformed.json()["errors"][0]["field"], "loan_id");
        let unseen = call(Method::GET, "/loans/999999").await.expect_problem(404, "not-found");
        assert_eq!(unseen.json()["instance"], "/loans/999999");
        call(Method::GET, "/loans/99999999999999999999").await.expect_problem(400, "bad-request");
        let accept = world
            .client
            .request(Method::GET, &admin, &format!("/loans/{loan_id}"))
            .header("accept", "text/html, application/xml;q=0.9");
        let accept = world.client.send(accept).await.expect("a response");
        accept.expect_problem(406, "not-acceptable");
        for (accept, status) in [
            ("application/json;q=0, */*", 406),
            ("application/json;Q=0", 406),
            ("*/*;q=0, application/json", 200),
            ("application/*", 200),
            ("text/html, */*;q=0.1", 200),
        ] {
            let request = world.client.request(Method::GET, &admin, &format!("/loans/{loan_id}"));
            let response = world.client.send(request.header("accept", accept)).await;
            assert_eq!(response.expect("a response").status, status, "{accept}");
        }
        let repeated = format!("/loans/{loan_id}/transactions?limit=1&limit=2");
        call(Method::GET, &repeated).await.expect_problem(400, "bad-request");
        for former in ["/loans/5/transaction-history", "/core/post-payment"] {
            let moved = world.client.get("", former).await.expect_problem(410, "former-path");
            let current = moved.json()["currentPath"].as_str().expect("a path").to_owned();
            assert!(current.starts_with("/loans/"), "{current}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn bodies_are_limited_in_size_and_must_be_json() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin).await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let post = async |media: &str, body: Vec<u8>| {
            let request = world.client.request(Method::POST, &admin, &path);
            let request = request.header("content-type", media).body(body);
            world.client.send(request).await.expect("a response")
        };
        let json = "application/json";
        let refused = post("text/plain", b"{}".to_vec()).await;
        refused.expect_problem(415, "unsupported-media-type");
        let malformed = "/loans/abc/transactions/payments?test=banana";
        let request = world.client.request(Method::POST, &admin, malformed).body("x");
        let refused = world.client.send(request).await.expect("a response");
        refused.expect_problem(415, "unsupported-media-type");
        let repeated = br#"{"Amount": "1.00", "Amount": "2.00"}"#;
        post(json, repeated.to_vec()).await.expect_problem(400, "bad-request");
        let huge = format!("{{\"Amount\": \"1\", \"x\": \"{}\"}}", "x".repeat(1 << 20));
        post(json, huge.into_bytes()).await.expect_problem(413, "too-large");
        for rubbish in [&b""[..], b"{", b"[1]", b"null", b"\xff\xfe", b"{\"Amount\": \"1\"} x"] {
            post(json, rubbish.to_vec()).await.expect_problem(400, "bad-request");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn every_call_is_refused_while_the_auth_server_is_unavailable() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin).await;
        let path = format!("/loans/{loan_id}");
        world.auth.kill().await;
        let unavailable = world.client.get(&admin, &path).await;
        let unavailable = unavailable.expect_problem(503, "auth-server-unavailable");
        assert_eq!(unavailable.header("retry-after"), "5");
        let http = world.client.http.clone();
        world.auth.restart(&http).await;
        world.client.get(&admin, &path).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn an_unavailable_database_is_a_503_and_never_a_false_inactive() {
    let environment = Environment { database_proxy: true, ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let secret = world.credentials.api_server.clone();
        let form = [("token", admin.as_str())];
        let introspect = || world.client.form(("api-server", &secret), "/oauth2/introspect", &form);
        introspect().await.expect(200);
        match &world.database_proxy {
            Some(proxy) => {
                proxy.shut();
                let unavailable = introspect().await.expect(503);
                assert_eq!(unavailable.json()["error"], "temporarily_unavailable");
                assert_eq!(unavailable.header("retry-after"), "5");
                let call = world.client.get(&admin, "/loans/1").await;
                call.expect_problem(503, "auth-server-unavailable");
                let pay = world.pay(&admin, 1, json!({"Amount": "1"})).await;
                pay.expect_problem(503, "auth-server-unavailable");
                let ready = world.client.get("", "/health/ready").await;
                ready.expect_problem(503, "database-unavailable");
                world.client.log_out(&admin).await.expect(503);
                proxy.open();
            }
            // SQLite is a file: it cannot be stopped, but its tables can be renamed.
            None => {
                world.sql("ALTER TABLE active_users RENAME TO away").await;
                introspect().await.expect(500);
                world.sql("ALTER TABLE away RENAME TO active_users").await;
            }
        }
        // A connection that was just cut may still fail one request.
        for _ in 0..50 {
            if world.client.get(&admin, "/loans/1").await.status == 404 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        world.client.get(&admin, "/loans/1").await.expect_problem(404, "not-found");
        assert_eq!(introspect().await.expect(200).json()["active"], true);
        world
    })
    .await;
}

/// Sends more requests at once than the pool has connections.
async fn flood(client: Client, token: String) -> Vec<TestResponse> {
    join_all((0..100).map(|_| client.get(&token, "/loans/1"))).await
}

#[tokio::test]
async fn requests_to_a_silent_database_time_out_and_its_connections_are_given_up() {
    let environment = Environment { database_proxy: true, ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        // The embedded database has no network that could fail.
        let Some(proxy) = &world.database_proxy else { return world };
        let admin = world.token("admin").await;
        // Requests wait for a lock, on all connections of the api-server's pool, when it falls
        // silent.
        let lock = database::begin_write(&world.db).await.expect("a transaction");
        let (locks, unlocks) = match lock.get_database_backend() {
            DbBackend::Postgres => ("LOCK TABLE loans", "ROLLBACK"),
            _ => ("LOCK TABLES loans WRITE", "UNLOCK TABLES"),
        };
        lock.execute_unprepared(locks).await.expect("a lock");
        let in_flight = tokio::spawn(flood(world.client.clone(), admin.clone()));
        tokio::time::sleep(Duration::from_secs(1)).await;
        proxy.freeze();
        lock.execute_unprepared(unlocks).await.expect("no lock");
        let started = std::time::Instant::now();
        let secret = world.credentials.api_server.clone();
        let form = [("token", admin.as_str())];
        let page = format!("{}/oauth2/authorize?client_id=portal", world.client.auth_url);
        let (introspected, called, shown) = tokio::join!(
            world.client.form(("api-server", &secret), "/oauth2/introspect", &form),
            world.client.get(&admin, "/loans/1"),
            world.client.http.get(page).send(),
        );
        let introspected = introspected.expect(503);
        assert_eq!(introspected.json()["error"], "temporarily_unavailable");
        assert_eq!(introspected.header("retry-after"), "5");
        called.expect_problem(503, "auth-server-unavailable");
        let shown = shown.expect("a response");
        assert_eq!(shown.status(), 503);
        assert_eq!(shown.headers()["retry-after"], "5");
        let text = shown.text().await.expect("the page is text");
        assert!(text.contains("The service cannot be reached at the moment."), "{text}");
        let elapsed = started.elapsed();
        assert!(elapsed < Duration::from_secs(40), "{elapsed:?}");
        for response in in_flight.await.expect("responses") {
            let status = response.status.as_u16();
            assert!([404, 503].contains(&status), "{status}");
        }
        // The connections from before stay silent for ever; new ones work.
        proxy.open();
        for _ in 0..100 {
            if world.client.get(&admin, "/loans/1").await.status == 404 {
                for response in flood(world.client.clone(), admin.clone()).await {
                    response.expect_problem(404, "not-found");
                }
                return world;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the service did not come back");
    })
    .await;
}
