//! `/oauth2/authorize`, and the authorization codes it issues.

use super::introspect::introspect;
use crate::PROGRAM;
use acceptance::log_in_form::{AuthorizationRequest, Browser, LogInPage};
use acceptance::{TestResponse, World, on_each_database};

async fn authorize(world: &World, asking: &AuthorizationRequest) -> TestResponse {
    Browser::new(&world.client).get(&asking.url(&world.client.auth_url)).await
}

#[tokio::test]
async fn a_browser_logs_in_and_comes_back_with_a_code_that_gives_tokens() {
    on_each_database(PROGRAM, |world| async move {
        let (asking, viewer) =
            (AuthorizationRequest::new("openid core"), &world.credentials.viewer);
        let browser = Browser::new(&world.client);
        let page = browser.open(&asking).await;
        let response = browser.submit(&page, "viewer", viewer).await;
        let back = asking.redirect_parameters(&response);
        assert_eq!(back["state"], "a state & more");
        assert_eq!(back["iss"], world.client.auth_url, "RFC 9207");
        let tokens = asking.exchange(&world.client, &back["code"]).await.expect(200);
        assert_eq!(tokens.header("cache-control"), "no-store");
        let tokens = tokens.json();
        assert_eq!(tokens["token_type"], "Bearer");
        assert_eq!(tokens["expires_in"], 720);
        assert_eq!(tokens["scope"], "openid core");
        let token = tokens["access_token"].as_str().unwrap();
        assert_eq!(introspect(&world, token).await.json()["client_id"], "browser");
        world.client.get(token, "/loans/1").await.expect_problem(404, "not-found");
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn who_is_logged_in_in_a_browser_is_not_asked_again_unless_the_client_wants_it() {
    on_each_database(PROGRAM, |world| async move {
        let asking = AuthorizationRequest::new("core");
        let browser = Browser::new(&world.client);
        let none = asking.clone().with("prompt", "none");
        let url = |asking: &AuthorizationRequest| asking.url(&world.client.auth_url);
        let refused = none.redirect_parameters(&browser.get(&url(&none)).await);
        assert_eq!(refused["error"], "login_required");
        browser.log_in(&asking, "viewer", &world.credentials.viewer).await;
        let first = browser.cookie("__Host-login").unwrap();
        for again in [&asking, &none, &asking.clone().with("max_age", "600")] {
            let code = again.code(&browser.get(&url(again)).await);
            again.exchange(&world.client, &code).await.expect(200);
        }
        // A log-in by the other kind of user is separate.
        assert!(
            browser.open(&AuthorizationRequest::new("web")).await.html.contains("to your loans")
        );
        for asks in [asking.clone().with("prompt", "login"), asking.clone().with("max_age", "0")] {
            let page = browser.open(&asks).await;
            asks.code(&browser.submit(&page, "viewer", &world.credentials.viewer).await);
        }
        assert_ne!(browser.cookie("__Host-login").unwrap(), first, "a new one at each log-in");
        assert_eq!(world.count("SELECT COUNT(*) FROM browser_log_ins").await, 1);
        world.sql("UPDATE users SET status = 'disabled' WHERE user_name = 'viewer'").await;
        browser.open(&asking).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_request_that_may_not_be_the_clients_is_shown_on_a_page_and_never_redirected() {
    on_each_database(PROGRAM, |world| async move {
        let asking = AuthorizationRequest::new("core");
        let wrong = [
            asking.clone().with("client_id", ""),
            asking.clone().with("client_id", "nobody"),
            asking.clone().with("client_id", "x\0"),
            asking.clone().with("redirect_uri", ""),
            asking.clone().with("redirect_uri", "https://127.0.0.1:8765/callback"),
            asking.clone().with("redirect_uri", "http://127.0.0.1:8765/callback/"),
            asking.clone().with("redirect_uri", "http://evil.example/callback"),
            asking.clone().with("redirect_uri", "javascript:alert(1)"),
        ];
        for wrong in wrong {
            let page = authorize(&world, &wrong).await.expect(400);
            assert!(page.header("content-type").starts_with("text/html"), "{wrong:?}");
            assert_eq!(page.header("location"), "");
        }
        let twice = format!("{}&client_id=browser", asking.url(&world.client.auth_url));
        Browser::new(&world.client).get(&twice).await.expect(400);
        world
    })
    .await;
}

#[tokio::test]
async fn other_mistakes_go_back_to_the_client_with_its_state() {
    on_each_database(PROGRAM, |world| async move {
        let asking = AuthorizationRequest::new("core");
        let long = "x".repeat(5000);
        let wrong = [
            ("response_type", "token", "unsupported_response_type"),
            ("response_type", "", "invalid_request"),
            ("response_mode", "fragment", "invalid_request"),
            ("scope", "", "invalid_scope"),
            ("scope", "core web", "invalid_scope"),
            ("scope", "openid", "invalid_scope"),
            ("scope", "profile loans:read", "invalid_scope"),
            ("code_challenge", "", "invalid_request"),
            ("code_challenge", "short", "invalid_request"),
            ("code_challenge_method", "plain", "invalid_request"),
            ("code_challenge_method", "", "invalid_request"),
            ("prompt", "none login", "invalid_request"),
            ("prompt", "dance", "invalid_request"),
            ("max_age", "-1", "invalid_request"),
            ("nonce", &long, "invalid_request"),
            ("request", "x.y.z", "request_not_supported"),
            ("request_uri", "https://x.example", "request_uri_not_supported"),
        ];
        for (name, value, error) in wrong {
            let asking = asking.clone().with(name, value);
            let back = asking.redirect_parameters(&authorize(&world, &asking).await);
            assert_eq!(back["error"], error, "{name}={value:.30}");
            assert_eq!(back["state"], "a state & more");
            assert_eq!(back["iss"], world.client.auth_url);
        }
        world.sql("UPDATE oauth_clients SET user_kinds = 'web' WHERE client_id = 'browser'").await;
        let back = asking.redirect_parameters(&authorize(&world, &asking).await);
        assert_eq!(back["error"], "invalid_scope", "not one of this client's kinds of user");
        world.sql("UPDATE oauth_clients SET grants = '' WHERE client_id = 'browser'").await;
        let back = asking.redirect_parameters(&authorize(&world, &asking).await);
        assert_eq!(back["error"], "unauthorized_client");
        world
    })
    .await;
}

#[tokio::test]
async fn a_program_on_the_users_machine_may_choose_its_port() {
    on_each_database(PROGRAM, |world| async move {
        let asking = AuthorizationRequest::of("browser", "http://127.0.0.1:50001/callback", "core");
        asking.tokens(&world.client, "viewer", &world.credentials.viewer).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_code_works_once_for_its_client_and_verifier_and_a_second_use_ends_the_session() {
    on_each_database(PROGRAM, |world| async move {
        let asking = AuthorizationRequest::new("core");
        let browser = Browser::new(&world.client);
        let code = browser.log_in(&asking, "viewer", &world.credentials.viewer).await;
        let other_verifier = AuthorizationRequest { verifier: "x".repeat(43), ..asking.clone() };
        let other_uri = asking.clone().with("redirect_uri", "http://127.0.0.1:1/callback");
        for wrong in [&other_verifier, &other_uri] {
            let refused = wrong.exchange(&world.client, &code).await.expect(400);
            assert_eq!(refused.json()["error"], "invalid_grant");
        }
        world.sql("UPDATE oauth_clients SET grants = 'authorization_code' WHERE client_id = 'integration'").await;
        let form = [
            ("grant_type", "authorization_code"),
            ("redirect_uri", asking.parameter("redirect_uri")),
            ("code", &code),
            ("code_verifier", &asking.verifier),
        ];
        let integration = ("integration", world.credentials.integration.as_str());
        let refused = world.client.form(integration, "/oauth2/token", &form).await.expect(400);
        assert_eq!(refused.json()["error"], "invalid_grant", "another client");
        let tokens = asking.exchange(&world.client, &code).await.expect(200).json();
        let token = tokens["access_token"].as_str().unwrap();
        assert_eq!(introspect(&world, token).await.json()["active"], true);
        let again = asking.exchange(&world.client, &code).await.expect(400);
        assert_eq!(again.json()["error"], "invalid_grant");
        assert_eq!(introspect(&world, token).await.json()["active"], false);
        assert_eq!(world.count("SELECT COUNT(*) FROM auth_sessions").await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn a_code_lives_for_a_minute_of_database_time() {
    on_each_database(PROGRAM, |world| async move {
        let asking = AuthorizationRequest::new("core");
        let browser = Browser::new(&world.client);
        let code = browser.log_in(&asking, "viewer", &world.credentials.viewer).await;
        world.age("authorization_requests", &["code_date"], 61).await;
        assert_eq!(
            asking.exchange(&world.client, &code).await.expect(400).json()["error"],
            "invalid_grant"
        );
        let code = asking.code(&browser.get(&asking.url(&world.client.auth_url)).await);
        world.age("authorization_requests", &["code_date"], 55).await;
        asking.exchange(&world.client, &code).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn twenty_exchanges_of_one_code_at_once_give_one_session_at_most() {
    on_each_database(PROGRAM, |world| async move {
        let asking = AuthorizationRequest::new("core");
        let browser = Browser::new(&world.client);
        let code = browser.log_in(&asking, "viewer", &world.credentials.viewer).await;
        let attempts = (0..20).map(|_| asking.exchange(&world.client, &code));
        let responses = futures_util::future::join_all(attempts).await;
        let successes = responses.iter().filter(|response| response.status == 200).count();
        assert!(successes <= 1, "{successes}");
        assert_eq!(world.count("SELECT COUNT(*) FROM auth_sessions").await, 0, "a second use");
        world
    })
    .await;
}

#[tokio::test]
async fn a_form_works_only_in_the_browser_that_asked_and_only_from_our_page() {
    on_each_database(PROGRAM, |world| async move {
        let (asking, word) = (AuthorizationRequest::new("core"), world.credentials.viewer.clone());
        let browser = Browser::new(&world.client);
        let page = browser.open(&asking).await;
        let stranger = Browser::new(&world.client);
        stranger.submit(&page, "viewer", &word).await.expect(400);
        stranger.open(&asking).await;
        stranger.submit(&page, "viewer", &word).await.expect(400);
        let form =
            [("request", page.field("request")), ("username", "viewer"), ("password", &word)];
        browser.post("/login", &form).await.expect(403);
        let csrf = [form.as_slice(), &[("csrf", page.field("csrf"))]].concat();
        let url = format!("{}/login", world.client.auth_url);
        let foreign = world.client.http.post(&url).header("origin", "https://evil.example");
        browser.send(foreign.form(&csrf)).await.expect(403);
        let opaque = world.client.http.post(&url).header("origin", "null").form(&csrf);
        browser.send(opaque).await.expect(403);
        // A double click gets two answers: the browser shows the last one, and its code works.
        let clicks =
            futures_util::future::join_all((0..2).map(|_| browser.submit(&page, "viewer", &word)));
        let codes = clicks.await.iter().map(|response| asking.code(response)).collect::<Vec<_>>();
        let mut exchanged = 0;
        for code in &codes {
            exchanged += u16::from(asking.exchange(&world.client, code).await.status == 200);
        }
        assert_eq!(exchanged, 1);
        browser.submit(&page, "viewer", &word).await.expect(400);
        let waiting = browser.open(&asking.clone().with("prompt", "login")).await;
        world.age("authorization_requests", &["created_date"], 601).await;
        browser.submit(&waiting, "viewer", &word).await.expect(400);
        world
    })
    .await;
}

#[tokio::test]
async fn a_wrong_password_shows_the_form_again_and_tells_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let asking = AuthorizationRequest::new("core").with("login_hint", "viewer");
        let browser = Browser::new(&world.client);
        let page = browser.open(&asking).await;
        assert!(page.html.contains("value=\"viewer\""), "the hint stands in the field");
        let mut pages = Vec::new();
        for (name, word) in [("viewer", "wrong"), ("nobody", "wrong"), ("x\0y", "wrong")] {
            let again = browser.submit(&page, name, word).await.expect(200);
            let policy = again.header("content-security-policy");
            assert!(
                policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'")
            );
            assert!(policy.contains("form-action 'self' http://127.0.0.1:8765"), "{policy}");
            assert!(!policy.contains("script-src") && !policy.contains("unsafe"));
            assert!(again.text.contains("role=\"alert\""));
            pages.push(LogInPage::read(again).html.replace(name, "NAME"));
        }
        assert!(pages.iter().all(|page| *page == pages[0]));
        let script = "<script>alert(1)</script>";
        let shown = browser.submit(&page, script, "wrong").await.expect(200);
        assert!(!shown.text.contains(script), "escaped");
        asking.code(&browser.submit(&page, "viewer", &world.credentials.viewer).await);
        world
    })
    .await;
}

#[tokio::test]
async fn only_a_browsers_window_gets_a_code_and_only_for_whom_the_client_expects() {
    on_each_database(PROGRAM, |world| async move {
        let asking = AuthorizationRequest::new("openid core");
        let browser = Browser::new(&world.client);
        let code = browser.log_in(&asking, "viewer", &world.credentials.viewer).await;
        let tokens = asking.exchange(&world.client, &code).await.expect(200).json();
        let hint = tokens["id_token"].as_str().unwrap();
        let teller = Browser::new(&world.client);
        teller.log_in(&asking, "teller", &world.credentials.teller).await;
        let silent = asking.clone().with("prompt", "none").with("id_token_hint", hint);
        let url = silent.url(&world.client.auth_url);
        silent.code(&browser.get(&url).await);
        assert_eq!(silent.redirect_parameters(&teller.get(&url).await)["error"], "login_required");
        let requests = "SELECT COUNT(*) FROM authorization_requests";
        let before = world.count(requests).await;
        let plain = asking.url(&world.client.auth_url);
        let head = browser.send(world.client.http.head(&plain)).await.expect(200);
        assert_eq!(head.header("location"), "");
        let image = world.client.http.get(&plain).header("sec-fetch-dest", "image");
        browser.send(image).await.expect(400);
        assert_eq!(world.count(requests).await, before);
        let url = format!("{}/oauth2/authorize", world.client.auth_url);
        let posted = browser.send(world.client.http.post(url).form(&asking.parameters)).await;
        asking.code(&posted);
        world
    })
    .await;
}
