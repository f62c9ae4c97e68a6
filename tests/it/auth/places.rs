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
fn slow() -> Environment {
    environment(&[
        ("AUTH_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("AUTH_SOURCE_FAILURES_MAX", "1000000"),
        ("AUTH_PASSWORD_MEMORY_KIB", "19456"),
        ("AUTH_PASSWORD_ITERATIONS", "8"),
    ])
}

/// Opens the log-in page from an address. Returns the future that submits it.
async fn at_the_page(
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
async fn one_network_that_tries_many_passwords_at_once_keeps_nobody_else_waiting() {
    on_embedded_database_with(PROGRAM, slow(), |world| async move {
        let mut strangers = FuturesUnordered::new();
        for number in 0..60 {
            let (address, name) = (format!("203.0.113.{number}"), format!("guess{number}"));
            strangers.push(at_the_page(&world, &address, &name, "wrong").await);
        }
        let viewer = world.credentials.viewer.clone();
        let honest = at_the_page(&world, "198.51.100.7", "viewer", &viewer).await;
        let (mut refused, mut checked, mut before) = (0, 0, 0);
        let mut honest = Box::pin(async {
            // The strangers come first.
            sleep(Duration::from_millis(300)).await;
            honest.await
        });
        let mut logged_in = false;
        loop {
            tokio::select! {
                answer = &mut honest, if !logged_in => {
                    assert_eq!(answer.status, 303, "{}", answer.text);
                    logged_in = true;
                    before = checked;
                }
                answer = strangers.next() => {
                    let Some(answer) = answer else { break };
                    match answer.status.as_u16() {
                        429 => {
                            assert_eq!(answer.header("retry-after"), "1");
                            assert!(answer.text.contains("Too many log-ins"), "{}", answer.text);
                            refused += 1;
                        }
                        status => {
                            assert_eq!(status, 200, "{}", answer.text);
                            checked += 1;
                        }
                    }
                }
            }
        }
        println!("{refused} refused at once, {checked} checked, {before} of them before");
        assert!(logged_in && refused >= 20, "{refused} of 60 refused");
        assert!(before <= checked / 2, "the honest one waited for {before} of {checked}");
        world
    })
    .await;
}

#[tokio::test]
async fn an_account_has_few_log_ins_at_once_whether_there_is_such_a_user_or_not() {
    on_each_database_with(PROGRAM, slow(), |world| async move {
        for name in ["viewer", "nobody-of-this-name"] {
            let tries = (0..60).map(|number| {
                let address = format!("203.0.{number}.1");
                let world = &world;
                async move { at_the_page(world, &address, name, "wrong").await.await }
            });
            let tries = futures_util::future::join_all(tries).await;
            let refused = tries.iter().filter(|response| response.status == 429).count();
            assert!((1..60 - 20).contains(&refused), "{name}: {refused}");
            let others = tries.iter().filter(|response| response.status != 429);
            assert!(others.clone().all(|response| response.status == 200), "{name}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_client_that_has_proved_who_it_is_logs_many_users_in_from_one_network() {
    on_embedded_database_with(PROGRAM, slow(), |world| async move {
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
async fn a_session_is_refreshed_at_a_rate_and_lives_on_beyond_it() {
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
            let most = 61 + began.elapsed().as_secs() / 5;
            assert!(refreshed <= most, "{refreshed} refreshes in {:?}", began.elapsed());
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
async fn a_browser_that_is_logged_in_is_given_codes_at_a_rate() {
    on_each_database_with(PROGRAM, Environment::default(), |world| async move {
        let asking = AuthorizationRequest::new("core");
        let (browser, other) = (Browser::new(&world.client), Browser::new(&world.client));
        let viewer = &world.credentials.viewer;
        browser.log_in(&asking, "viewer", viewer).await;
        other.log_in(&asking, "viewer", viewer).await;
        let url = asking.url(&world.client.auth_url);
        let began = Instant::now();
        let mut codes = 0;
        let refused = loop {
            let response = browser.get(&url).await;
            if response.status != 303 {
                break response;
            }
            asking.code(&response);
            codes += 1;
            let most = 61 + began.elapsed().as_secs() / 5;
            assert!(codes <= most, "{codes} codes in {:?}", began.elapsed());
        };
        let seconds: u64 = refused.expect(429).header("retry-after").parse().expect("seconds");
        assert!((1..=6).contains(&seconds), "{seconds}");
        let silent = asking.clone().with("prompt", "none");
        let back =
            silent.redirect_parameters(&browser.get(&silent.url(&world.client.auth_url)).await);
        assert_eq!(back["error"], "temporarily_unavailable");
        asking.code(&other.get(&url).await);
        world
    })
    .await;
}

#[tokio::test]
async fn the_audit_is_kept_for_as_long_as_the_setting_says() {
    let settings = environment(&[("AUTH_EVENTS_RETENTION_DAYS", "30")]);
    on_each_database_with(PROGRAM, settings, |mut world| async move {
        world.token("viewer").await;
        world.age("auth_events", &["event_date"], 31 * 24 * 60 * 60).await;
        world.token("teller").await;
        let young = world.count("SELECT COUNT(*) FROM auth_events").await;
        assert!(young > 2, "{young}");
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
