//! Concurrency limits: strangers who log in, refresh or request codes as fast as they can do not
//! block other users.

use crate::PROGRAM;
use acceptance::log_in_form::{AuthorizationRequest, Browser};
use acceptance::world::{Environment, on_each_database_with, on_embedded_database_with};
use acceptance::{TestResponse, World};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::time::{Duration, Instant};
use tokio::time::sleep;

fn environment(settings: &[(&str, &str)]) -> Environment {
    let auth = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Environment { auth: auth.collect(), ..Environment::default() }
}

/// A proxy's X-Forwarded-For gives the client address, failures have no consequences, and hashing a
/// password takes a while.
fn slow_hashing(iterations: &str) -> Environment {
    environment(&[
        ("AUTH_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("AUTH_SOURCE_FAILURES_MAX", "1000000"),
        ("AUTH_PASSWORD_MEMORY_KIB", "19456"),
        ("AUTH_PASSWORD_ITERATIONS", iterations),
    ])
}

/// Opens the log-in page from an address. Returns the future that submits it.
async fn log_in_on_page(
    world: &World,
    address: &str,
    user_name: &str,
    password: &str,
) -> impl Future<Output = TestResponse> + use<> {
    let browser = Browser::new(&world.client).from(address);
    let page = browser.open(&AuthorizationRequest::new("core")).await;
    let (user_name, password) = (user_name.to_owned(), password.to_owned());
    async move { browser.submit(&page, &user_name, &password).await }
}

#[tokio::test]
async fn password_guessing_from_one_network_does_not_delay_other_users() {
    on_embedded_database_with(PROGRAM, slow_hashing("8"), |world| async move {
        let mut strangers = FuturesUnordered::new();
        for number in 0..60 {
            let (address, name) = (format!("203.0.113.{number}"), format!("guess{number}"));
            strangers.push(log_in_on_page(&world, &address, &name, "wrong").await);
        }
        let viewer = world.credentials.viewer.clone();
        let legitimate = log_in_on_page(&world, "198.51.100.7", "viewer", &viewer).await;
        let (mut refused, mut checked, mut checked_before) = (0, 0, 0);
        let mut legitimate = Box::pin(async {
            // The strangers come first.
            sleep(Duration::from_millis(300)).await;
            legitimate.await
        });
        let mut logged_in = false;
        loop {
            tokio::select! {
                response = &mut legitimate, if !logged_in => {
                    assert_eq!(response.status, 303, "{}", response.text);
                    logged_in = true;
                    checked_before = checked;
                }
                response = strangers.next() => {
                    let Some(response) = response else { break };
                    match response.status.as_u16() {
                        429 => {
                            assert_eq!(response.header("retry-after"), "1");
                            let text = &response.text;
                            assert!(text.contains("Too many log-ins"), "{text}");
                            refused += 1;
                        }
                        status => {
                            assert_eq!(status, 200, "{}", response.text);
                            checked += 1;
                        }
                    }
                }
            }
        }
        println!("{refused} refused at once, {checked} checked, {checked_before} of them before");
        assert!(logged_in && refused >= 20, "{refused} of 60 refused");
        assert!(
            checked_before <= checked / 2,
            "the legitimate log-in waited for {checked_before} of {checked}"
        );
        world
    })
    .await;
}

#[tokio::test]
async fn concurrent_log_ins_per_account_are_limited_whether_the_user_exists_or_not() {
    on_each_database_with(PROGRAM, slow_hashing("4"), |world| async move {
        // Hashes the password with this server's parameters.
        world.token("viewer").await;
        for name in ["viewer", "nobody-of-this-name"] {
            let responses = (0..60).map(|number| {
                let address = format!("203.0.{number}.1");
                let world = &world;
                async move { log_in_on_page(world, &address, name, "wrong").await.await }
            });
            let responses = futures_util::future::join_all(responses).await;
            let refused = responses.iter().filter(|response| response.status == 429).count();
            assert!((1..60 - 20).contains(&refused), "{name}: {refused}");
            let others = responses.iter().filter(|response| response.status != 429);
            assert!(others.clone().all(|response| response.status == 200), "{name}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn an_authenticated_client_is_exempt_from_the_per_network_limit() {
    on_embedded_database_with(PROGRAM, slow_hashing("4"), |world| async move {
        let log_ins = (0..60).map(|number| {
            let form = [
                ("grant_type", "password".to_owned()),
                ("scope", "core".to_owned()),
                ("username", format!("user{number}")),
                ("password", "wrong".to_owned()),
            ];
            let url = format!("{}/oauth2/token", world.client.auth_url);
            let request = world.client.http.post(url).form(&form);
            let secret = world.credentials.integration.as_str();
            let request = request.basic_auth("integration", Some(secret));
            world.client.send(request)
        });
        for response in futures_util::future::join_all(log_ins).await {
            assert_eq!(response.expect("a response").expect(400).json()["error"], "invalid_grant");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn refreshes_are_rate_limited_and_the_session_survives() {
    on_each_database_with(PROGRAM, Environment::default(), |world| async move {
        let viewer = &world.credentials.viewer;
        let mut tokens =
            AuthorizationRequest::new("core").tokens(&world.client, "viewer", viewer).await;
        let refresh = async |token: &str| {
            let form = [
                ("grant_type", "refresh_token"),
                ("client_id", "browser"),
                ("refresh_token", token),
            ];
            world.client.form(("", ""), "/oauth2/token", &form).await
        };
        let began = Instant::now();
        let mut refreshed = 0;
        let refused = loop {
            let token = tokens["refresh_token"].as_str().unwrap().to_owned();
            let response = refresh(&token).await;
            if response.status != 200 {
                break response;
            }
            tokens = response.json();
            refreshed += 1;
            let at_most = 61 + began.elapsed().as_secs() / 5;
            assert!(refreshed <= at_most, "{refreshed} refreshes in {:?}", began.elapsed());
        };
        assert!(refreshed >= 60);
        assert_eq!(refused.expect(429).json()["error"], "temporarily_unavailable");
        let events = "SELECT COUNT(*) FROM auth_events WHERE event = 'token_refreshed'";
        assert_eq!(world.count(events).await, refreshed as i64);
        let other = AuthorizationRequest::new("core").tokens(&world.client, "viewer", viewer).await;
        refresh(other["refresh_token"].as_str().unwrap()).await.expect(200);
        sleep(Duration::from_secs(6)).await;
        refresh(tokens["refresh_token"].as_str().unwrap()).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn authorization_codes_are_rate_limited_per_browser() {
    on_each_database_with(PROGRAM, Environment::default(), |world| async move {
        let authorization = AuthorizationRequest::new("core");
        let (browser, other) = (Browser::new(&world.client), Browser::new(&world.client));
        let viewer = &world.credentials.viewer;
        browser.log_in(&authorization, "viewer", viewer).await;
        other.log_in(&authorization, "viewer", viewer).await;
        let url = authorization.url(&world.client.auth_url);
        let began = Instant::now();
        let mut codes = 0;
        let refused = loop {
            let response = browser.get(&url).await;
            if response.status != 303 {
                break response;
            }
            authorization.code(&response);
            codes += 1;
            let at_most = 61 + began.elapsed().as_secs() / 5;
            assert!(codes <= at_most, "{codes} codes in {:?}", began.elapsed());
        };
        let seconds: u64 = refused.expect(429).header("retry-after").parse().expect("seconds");
        assert!((1..=6).contains(&seconds), "{seconds}");
        let silent = authorization.clone().with("prompt", "none");
        let returned =
            silent.redirect_parameters(&browser.get(&silent.url(&world.client.auth_url)).await);
        assert_eq!(returned["error"], "temporarily_unavailable");
        authorization.code(&other.get(&url).await);
        world
    })
    .await;
}

#[tokio::test]
async fn audit_events_are_kept_for_the_configured_retention() {
    let settings = environment(&[("AUTH_EVENTS_RETENTION_DAYS", "30")]);
    on_each_database_with(PROGRAM, settings.in_processes(), |mut world| async move {
        world.token("viewer").await;
        world.age("auth_events", &["event_date"], 31 * 24 * 60 * 60).await;
        world.token("teller").await;
        let recent = world.count("SELECT COUNT(*) FROM auth_events").await;
        assert!(recent > 2, "{recent}");
        world.auth.kill().await;
        world.auth.restart(&world.client.http).await;
        let names = "SELECT COUNT(*) FROM auth_events WHERE user_name = ";
        let deadline = Instant::now() + Duration::from_secs(30);
        while world.count(&format!("{names}'viewer'")).await > 0 {
            assert!(Instant::now() < deadline, "old events are still there");
            sleep(Duration::from_millis(50)).await;
        }
        assert!(world.count(&format!("{names}'teller'")).await > 0);
        world
    })
    .await;
}
