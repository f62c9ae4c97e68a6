//! `/oauth2/authorize`, and the authorization codes it issues.

use super::introspect::introspect;
use crate::PROGRAM;
use acceptance::log_in_form::{AuthorizationRequest, Browser, LogInPage};
use acceptance::{TestResponse, World, on_each_database};

async fn authorize(world: &World, authorization: &AuthorizationRequest) -> TestResponse {
    Browser::new(&world.client).get(&authorization.url(&world.client.auth_url)).await
}

#[tokio::test]
async fn a_browser_log_in_returns_a_code_that_yields_tokens() {
    on_each_database(PROGRAM, |world| async move {
        let (authorization, viewer) =
            (AuthorizationRequest::new("openid core"), &world.credentials.viewer);
        let browser = Browser::new(&world.client);
        let page = browser.open(&authorization).await;
        let response = browser.submit(&page, "viewer", viewer).await;
        let returned = authorization.redirect_parameters(&response);
        assert_eq!(returned["state"], "a state & more");
        assert_eq!(returned["iss"], world.client.auth_url, "RFC 9207");
        let tokens = authorization.exchange(&world.client, &returned["code"]).await.expect(200);
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
async fn a_logged_in_browser_is_not_prompted_again_unless_the_client_asks() {
    on_each_database(PROGRAM, |world| async move {
        let authorization = AuthorizationRequest::new("core");
        let browser = Browser::new(&world.client);
        let none = authorization.clone().with("prompt", "none");
        let url = |authorization: &AuthorizationRequest| authorization.url(&world.client.auth_url);
        let refused = none.redirect_parameters(&browser.get(&url(&none)).await);
        assert_eq!(refused["error"], "login_required");
        browser.log_in(&authorization, "viewer", &world.credentials.viewer).await;
        let first = browser.cookie("__Host-login").unwrap();
        for silent in [&authorization, &none, &authorization.clone().with("max_age", "600")] {
            let code = silent.code(&browser.get(&url(silent)).await);
            silent.exchange(&world.client, &code).await.expect(200);
        }
        // A log-in by the other kind of user is separate.
        assert!(
            browser.open(&AuthorizationRequest::new("web")).await.html.contains("to your loans")
        );
        for repeated in [
            authorization.clone().with("prompt", "login"),
            authorization.clone().with("max_age", "0"),
        ] {
            let page = browser.open(&repeated).await;
            repeated.code(&browser.submit(&page, "viewer", &world.credentials.viewer).await);
        }
        assert_ne!(browser.cookie("__Host-login").unwrap(), first, "a new one at each log-in");
        assert_eq!(world.count("SELECT COUNT(*) FROM browser_log_ins").await, 1);
        world.sql("UPDATE users SET status = 'disabled' WHERE user_name = 'viewer'").await;
        browser.open(&authorization).await;
        world
    })
    .await;
}

#[tokio::test]
async fn an_invalid_client_or_redirect_uri_shows_a_page_and_never_redirects() {
    on_each_database(PROGRAM, |world| async move {
        let authorization = AuthorizationRequest::new("core");
        let wrong = [
            authorization.clone().with("client_id", ""),
            authorization.clone().with("client_id", "nobody"),
            authorization.clone().with("client_id", "x\0"),
            authorization.clone().with("redirect_uri", ""),
            authorization.clone().with("redirect_uri", "https://127.0.0.1:8765/callback"),
            authorization.clone().with("redirect_uri", "http://127.0.0.1:8765/callback/"),
            authorization.clone().with("redirect_uri", "http://evil.example/callback"),
            authorization.clone().with("redirect_uri", "javascript:alert(1)"),
        ];
        for wrong in wrong {
            let page = authorize(&world, &wrong).await.expect(400);
            assert!(page.header("content-type").starts_with("text/html"), "{wrong:?}");
            assert_eq!(page.header("location"), "");
        }
        let twice = format!("{}&client_id=browser", authorization.url(&world.client.auth_url));
        Browser::new(&world.client).get(&twice).await.expect(400);
        world
    })
    .await;
}

#[tokio::test]
async fn other_errors_are_returned_to_the_client_with_its_state() {
    on_each_database(PROGRAM, |world| async move {
        let authorization = AuthorizationRequest::new("core");
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
            let authorization = authorization.clone().with(name, value);
            let returned =
                authorization.redirect_parameters(&authorize(&world, &authorization).await);
            assert_eq!(returned["error"], error, "{name}={value:.30}");
            assert_eq!(returned["state"], "a state & more");
            assert_eq!(returned["iss"], world.client.auth_url);
        }
        world.sql("UPDATE oauth_clients SET user_kinds = 'web' WHERE client_id = 'browser'").await;
        let returned = authorization.redirect_parameters(&authorize(&world, &authorization).await);
        assert_eq!(returned["error"], "invalid_scope", "not one of this client's kinds of user");
        world.sql("UPDATE oauth_clients SET grants = '' WHERE client_id = 'browser'").await;
        let returned = authorization.redirect_parameters(&authorize(&world, &authorization).await);
        assert_eq!(returned["error"], "unauthorized_client");
        world
    })
    .await;
}

#[tokio::test]
async fn a_native_application_may_choose_its_loopback_port() {
    on_each_database(PROGRAM, |world| async move {
        let authorization =
            AuthorizationRequest::of("browser", "http://127.0.0.1:50001/callback", "core");
        authorization.tokens(&world.client, "viewer", &world.credentials.viewer).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_code_works_once_for_its_client_and_verifier_and_reuse_ends_the_session() {
    on_each_database(PROGRAM, |world| async move {
        let authorization = AuthorizationRequest::new("core");
        let browser = Browser::new(&world.client);
        let code = browser.log_in(&authorization, "viewer", &world.credentials.viewer).await;
        let other_verifier =
            AuthorizationRequest { verifier: "x".repeat(43), ..authorization.clone() };
        let other_uri = authorization.clone().with("redirect_uri", "http://127.0.0.1:1/callback");
        for wrong in [&other_verifier, &other_uri] {
            let refused = wrong.exchange(&world.client, &code).await.expect(400);
            assert_eq!(refused.json()["error"], "invalid_grant");
        }
        world.sql("UPDATE oauth_clients SET grants = 'authorization_code' WHERE client_id = 'integration'").await;
        let form = [
            ("grant_type", "authorization_code"),
            ("redirect_uri", authorization.parameter("redirect_uri")),
            ("code", &code),
            ("code_verifier", &authorization.verifier),
        ];
        let integration = ("integration", world.credentials.integration.as_str());
        let refused = world.client.form(integration, "/oauth2/token", &form).await.expect(400);
        assert_eq!(refused.json()["error"], "invalid_grant", "another client");
        let tokens = authorization.exchange(&world.client, &code).await.expect(200).json();
        let token = tokens["access_token"].as_str().unwrap();
        assert_eq!(introspect(&world, token).await.json()["active"], true);
        let repeated = authorization.exchange(&world.client, &code).await.expect(400);
        assert_eq!(repeated.json()["error"], "invalid_grant");
        assert_eq!(introspect(&world, token).await.json()["active"], false);
        assert_eq!(world.count("SELECT COUNT(*) FROM auth_sessions").await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn a_code_expires_after_a_minute_of_database_time() {
    on_each_database(PROGRAM, |world| async move {
        let authorization = AuthorizationRequest::new("core");
        let browser = Browser::new(&world.client);
        let code = browser.log_in(&authorization, "viewer", &world.credentials.viewer).await;
        world.age("authorization_requests", &["code_date"], 61).await;
        assert_eq!(
            authorization.exchange(&world.client, &code).await.expect(400).json()["error"],
            "invalid_grant"
        );
        let code =
            authorization.code(&browser.get(&authorization.url(&world.client.auth_url)).await);
        world.age("authorization_requests", &["code_date"], 55).await;
        authorization.exchange(&world.client, &code).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn concurrent_exchanges_of_one_code_yield_at_most_one_session() {
    on_each_database(PROGRAM, |world| async move {
        let authorization = AuthorizationRequest::new("core");
        let browser = Browser::new(&world.client);
        let code = browser.log_in(&authorization, "viewer", &world.credentials.viewer).await;
        let attempts = (0..20).map(|_| authorization.exchange(&world.client, &code));
        let responses = futures_util::future::join_all(attempts).await;
        let successes = responses.iter().filter(|response| response.status == 200).count();
        assert!(successes <= 1, "{successes}");
        assert_eq!(world.count("SELECT COUNT(*) FROM auth_sessions").await, 0, "a second use");
        world
    })
    .await;
}

#[tokio::test]
async fn a_log_in_form_works_only_in_its_own_browser_and_from_its_own_origin() {
    on_each_database(PROGRAM, |world| async move {
        let (authorization, password) =
            (AuthorizationRequest::new("core"), world.credentials.viewer.clone());
        let browser = Browser::new(&world.client);
        let page = browser.open(&authorization).await;
        let stranger = Browser::new(&world.client);
        stranger.submit(&page, "viewer", &password).await.expect(400);
        stranger.open(&authorization).await;
        stranger.submit(&page, "viewer", &password).await.expect(400);
        let form =
            [("request", page.field("request")), ("username", "viewer"), ("password", &password)];
        browser.post("/login", &form).await.expect(403);
        let csrf = [form.as_slice(), &[("csrf", page.field("csrf"))]].concat();
        let url = format!("{}/login", world.client.auth_url);
        let cross_origin = world.client.http.post(&url).header("origin", "https://evil.example");
        browser.send(cross_origin.form(&csrf)).await.expect(403);
        let null_origin = world.client.http.post(&url).header("origin", "null").form(&csrf);
        browser.send(null_origin).await.expect(403);
        // A double click gets two answers: the browser shows the last one, and its code works.
        let submissions = futures_util::future::join_all(
            (0..2).map(|_| browser.submit(&page, "viewer", &password)),
        );
        let codes = submissions
            .await
            .iter()
            .map(|response| authorization.code(response))
            .collect::<Vec<_>>();
        let mut exchanged = 0;
        for code in &codes {
            exchanged += u16::from(authorization.exchange(&world.client, code).await.status == 200);
        }
        assert_eq!(exchanged, 1);
        browser.submit(&page, "viewer", &password).await.expect(400);
        let expired_page = browser.open(&authorization.clone().with("prompt", "login")).await;
        world.age("authorization_requests", &["created_date"], 601).await;
        browser.submit(&expired_page, "viewer", &password).await.expect(400);
        world
    })
    .await;
}

#[tokio::test]
async fn a_wrong_password_shows_the_form_again_and_reveals_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let authorization = AuthorizationRequest::new("core").with("login_hint", "viewer");
        let browser = Browser::new(&world.client);
        let page = browser.open(&authorization).await;
        assert!(page.html.contains("value=\"viewer\""), "the hint is filled in");
        let mut pages = Vec::new();
        for (name, password) in [("viewer", "wrong"), ("nobody", "wrong"), ("x\0y", "wrong")] {
            let repeated = browser.submit(&page, name, password).await.expect(200);
            let policy = repeated.header("content-security-policy");
            assert!(
                policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'")
            );
            assert!(policy.contains("form-action 'self' http://127.0.0.1:8765"), "{policy}");
            assert!(!policy.contains("script-src") && !policy.contains("unsafe"));
            assert!(repeated.text.contains("role=\"alert\""));
            pages.push(LogInPage::read(repeated).html.replace(name, "NAME"));
        }
        assert!(pages.iter().all(|page| *page == pages[0]));
        let script = "<script>alert(1)</script>";
        let shown = browser.submit(&page, script, "wrong").await.expect(200);
        assert!(!shown.text.contains(script), "escaped");
        authorization.code(&browser.submit(&page, "viewer", &world.credentials.viewer).await);
        world
    })
    .await;
}

#[tokio::test]
async fn only_a_top_level_navigation_gets_a_code_and_only_for_the_hinted_user() {
    on_each_database(PROGRAM, |world| async move {
        let authorization = AuthorizationRequest::new("openid core");
        let browser = Browser::new(&world.client);
        let code = browser.log_in(&authorization, "viewer", &world.credentials.viewer).await;
        let tokens = authorization.exchange(&world.client, &code).await.expect(200).json();
        let hint = tokens["id_token"].as_str().unwrap();
        let teller = Browser::new(&world.client);
        teller.log_in(&authorization, "teller", &world.credentials.teller).await;
        let silent = authorization.clone().with("prompt", "none").with("id_token_hint", hint);
        let url = silent.url(&world.client.auth_url);
        silent.code(&browser.get(&url).await);
        assert_eq!(silent.redirect_parameters(&teller.get(&url).await)["error"], "login_required");
        let requests = "SELECT COUNT(*) FROM authorization_requests";
        let before = world.count(requests).await;
        let plain = authorization.url(&world.client.auth_url);
        let head = browser.send(world.client.http.head(&plain)).await.expect(200);
        assert_eq!(head.header("location"), "");
        let image = world.client.http.get(&plain).header("sec-fetch-dest", "image");
        browser.send(image).await.expect(400);
        assert_eq!(world.count(requests).await, before);
        let url = format!("{}/oauth2/authorize", world.client.auth_url);
        let posted =
            browser.send(world.client.http.post(url).form(&authorization.parameters)).await;
        authorization.code(&posted);
        world
    })
    .await;
}
