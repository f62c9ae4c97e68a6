//! `/logout`, `/oauth2/logout`

use crate::PROGRAM;
use acceptance::log_in_form::{AuthorizationRequest, Browser, LogInPage, REDIRECT_URI};
use acceptance::seeds::file;
use acceptance::world::in_processes_on_each_database;
use acceptance::{World, on_each_database};
use serde_json::Value;

#[tokio::test]
async fn after_log_out_the_token_is_refused_and_the_active_user_is_removed() {
    on_each_database(PROGRAM, |world| async move {
        let (token, other) = (world.token("viewer").await, world.token("viewer").await);
        let path = "/loans/1";
        world.client.get(&token, path).await.expect_problem(404, "not-found");
        world.client.log_out(&token).await.expect(204);
        let refused = world.client.get(&token, path).await.expect_problem(401, "token-invalid");
        let challenge = refused.header("www-authenticate");
        assert_eq!(challenge, r#"Bearer realm="core", error="invalid_token""#);
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 1);
        world.client.get(&other, path).await.expect_problem(404, "not-found");
        world
    })
    .await;
}

#[tokio::test]
async fn logging_out_twice_or_with_a_dead_token_is_not_an_error() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        for _ in 0..2 {
            world.client.log_out(&token).await.expect(204);
        }
        world.client.log_out("junk").await.expect(204);
        let url = format!("{}/logout", world.client.auth_url);
        let anonymous = world.client.send(world.client.http.post(url)).await.expect("a response");
        assert!(anonymous.expect(401).header("www-authenticate").starts_with("Bearer"));
        world
    })
    .await;
}

#[tokio::test]
async fn an_expired_token_can_still_log_out() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        let long_ago = world.long_ago();
        world.sql(&format!("UPDATE active_users SET active_date = {long_ago}")).await;
        world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
        world.client.log_out(&token).await.expect(204);
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn web_users_are_tracked_in_their_own_table() {
    on_each_database(PROGRAM, |world| async move {
        let contact = "<Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" \
             EntityCode=\"COMPANY\" Company=\"One\">\
             <WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>";
        world.import(&world.token("admin").await, &file(contact)).await;
        let token = world.client.log_in("web", "one", "first words").await.expect("a token");
        assert_eq!(world.count("SELECT COUNT(*) FROM cif_web_active_users").await, 1);
        let refused = world.client.get(&token, "/loans/1").await;
        refused.expect_problem(403, "core-user-only");
        world.client.log_out(&token).await.expect(204);
        assert_eq!(world.count("SELECT COUNT(*) FROM cif_web_active_users").await, 0);
        world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
        assert!(world.client.log_in("core", "one", "first words").await.is_err());
        world
    })
    .await;
}

/// A browser in which the viewer is logged in, and the tokens of an application used there.
async fn logged_in(world: &World) -> (Browser, Value) {
    let authorization = AuthorizationRequest::new("openid core");
    let browser = Browser::new(&world.client);
    let code = browser.log_in(&authorization, "viewer", &world.credentials.viewer).await;
    let tokens = authorization.exchange(&world.client, &code).await.expect(200).json();
    (browser, tokens)
}

/// True if the browser gets a code without any prompt.
async fn is_logged_in(world: &World, browser: &Browser) -> bool {
    let authorization = AuthorizationRequest::new("core").with("prompt", "none");
    let response = browser.get(&authorization.url(&world.client.auth_url)).await;
    authorization.redirect_parameters(&response).contains_key("code")
}

async fn can_refresh(world: &World, tokens: &Value) -> bool {
    let form = [
        ("grant_type", "refresh_token"),
        ("client_id", "browser"),
        ("refresh_token", tokens["refresh_token"].as_str().unwrap()),
    ];
    world.client.form(("", ""), "/oauth2/token", &form).await.status == 200
}

#[tokio::test]
async fn logging_out_with_a_token_ends_the_browser_session_and_all_its_tokens() {
    on_each_database(PROGRAM, |world| async move {
        let (browser, tokens) = logged_in(&world).await;
        let authorization = AuthorizationRequest::new("core");
        let code =
            authorization.code(&browser.get(&authorization.url(&world.client.auth_url)).await);
        let second = authorization.exchange(&world.client, &code).await.expect(200).json();
        let unused =
            authorization.code(&browser.get(&authorization.url(&world.client.auth_url)).await);
        let (other_browser, other) = logged_in(&world).await;
        world.client.log_out(tokens["access_token"].as_str().unwrap()).await.expect(204);
        for ended in [&tokens, &second] {
            let token = ended["access_token"].as_str().unwrap();
            world.client.get(token, "/loans/1").await.expect_problem(401, "token-invalid");
            assert!(!can_refresh(&world, ended).await);
        }
        authorization.exchange(&world.client, &unused).await.expect(400);
        assert!(!is_logged_in(&world, &browser).await);
        assert!(is_logged_in(&world, &other_browser).await, "other sessions of the user live on");
        assert!(can_refresh(&world, &other).await);
        world
    })
    .await;
}

#[tokio::test]
async fn a_forged_token_ends_no_session() {
    on_each_database(PROGRAM, |world| async move {
        let (_, tokens) = logged_in(&world).await;
        let token = tokens["access_token"].as_str().unwrap();
        let (head, last) = token.split_at(token.len() - 2);
        let changed = format!("{head}{}", if last == "AA" { "BB" } else { "AA" });
        world.client.log_out(&changed).await.expect(204);
        let form = [("client_id", "browser"), ("token", changed.as_str())];
        world.client.form(("", ""), "/oauth2/revoke", &form).await.expect(200);
        // Only a server that has the key could tell.
        let (_, rest) = token.split_once('.').unwrap();
        world.client.log_out(&format!("lsa_k9.{rest}")).await.expect(503);
        assert_eq!(world.count("SELECT COUNT(*) FROM auth_sessions").await, 1);
        assert!(can_refresh(&world, &tokens).await);
        world
    })
    .await;
}

#[tokio::test]
async fn a_swept_token_can_still_log_out() {
    on_each_database(PROGRAM, |world| async move {
        let (_, tokens) = logged_in(&world).await;
        world.sql("DELETE FROM active_users").await;
        world.client.log_out(tokens["access_token"].as_str().unwrap()).await.expect(204);
        assert!(!can_refresh(&world, &tokens).await);
        world
    })
    .await;
}

#[tokio::test]
async fn an_application_can_log_its_user_out_with_an_id_token() {
    on_each_database(PROGRAM, |world| async move {
        let (browser, tokens) = logged_in(&world).await;
        let hint = tokens["id_token"].as_str().unwrap();
        let url = |uri: &str| {
            format!("/oauth2/logout?id_token_hint={hint}&state=s&post_logout_redirect_uri={uri}")
        };
        browser.get(&url("https://evil.example/")).await.expect(400);
        browser.get(&(url(REDIRECT_URI) + "&client_id=integration")).await.expect(400);
        assert!(is_logged_in(&world, &browser).await);
        let response = browser.get(&url(REDIRECT_URI)).await.expect(303);
        assert_eq!(response.header("location"), format!("{REDIRECT_URI}?state=s"));
        assert_eq!(browser.cookie("__Host-login"), None);
        assert!(!can_refresh(&world, &tokens).await);
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 0);
        assert_eq!(world.count("SELECT COUNT(*) FROM browser_log_ins").await, 0);
        browser.get(&url(REDIRECT_URI)).await.expect(303);
        world
    })
    .await;
}

#[tokio::test]
async fn an_application_can_log_its_user_out_after_revoking_its_tokens() {
    on_each_database(PROGRAM, |world| async move {
        let (browser, tokens) = logged_in(&world).await;
        let refresh_token = tokens["refresh_token"].as_str().unwrap();
        let form = [("client_id", "browser"), ("token", refresh_token)];
        world.client.form(("", ""), "/oauth2/revoke", &form).await.expect(200);
        assert!(is_logged_in(&world, &browser).await);
        let hint = tokens["id_token"].as_str().unwrap();
        let url = format!("/oauth2/logout?id_token_hint={hint}&post_logout_redirect_uri=");
        let response = browser.get(&(url + REDIRECT_URI)).await.expect(303);
        assert_eq!(response.header("location"), REDIRECT_URI, "to the letter");
        assert_eq!(world.count("SELECT COUNT(*) FROM browser_log_ins").await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn another_users_id_token_does_not_log_out_this_browser() {
    on_each_database(PROGRAM, |world| async move {
        let (browser, tokens) = logged_in(&world).await;
        let authorization = AuthorizationRequest::new("openid core");
        let other_tokens =
            authorization.tokens(&world.client, "teller", &world.credentials.teller).await;
        let hint = other_tokens["id_token"].as_str().unwrap();
        browser.get(&format!("/oauth2/logout?id_token_hint={hint}")).await.expect(200);
        assert!(is_logged_in(&world, &browser).await);
        assert!(can_refresh(&world, &tokens).await);
        assert!(!can_refresh(&world, &other_tokens).await);
        world
    })
    .await;
}

#[tokio::test]
async fn a_link_alone_cannot_log_a_user_out() {
    on_each_database(PROGRAM, |world| async move {
        let (browser, tokens) = logged_in(&world).await;
        let forged = tokens["id_token"].as_str().unwrap().rsplit_once('.').unwrap().0.to_owned();
        let links = [
            "/oauth2/logout".to_owned(),
            "/oauth2/logout?client_id=browser".to_owned(),
            format!("/oauth2/logout?id_token_hint={forged}.AAAA"),
            format!("/oauth2/logout?id_token_hint={forged}."),
            "/oauth2/logout?id_token_hint=junk".to_owned(),
            "/oauth2/logout?csrf=junk".to_owned(),
        ];
        for link in &links {
            let page = browser.get(link).await.expect(200);
            assert!(page.text.contains("Do you want to log out?"), "{link}");
        }
        let page = LogInPage::read(browser.get("/oauth2/logout").await);
        let token = page.field("csrf").to_owned();
        browser.post("/oauth2/logout", &[]).await.expect(200);
        let cross_origin =
            world.client.http.post(format!("{}/oauth2/logout", world.client.auth_url));
        let cross_origin =
            cross_origin.header("origin", "https://evil.example").form(&[("csrf", &token)]);
        browser.send(cross_origin).await.expect(200);
        assert!(is_logged_in(&world, &browser).await);
        let logged_out = browser.post("/oauth2/logout", &[("csrf", &token)]).await.expect(200);
        assert!(logged_out.text.contains("You are logged out"));
        assert!(!is_logged_in(&world, &browser).await);
        assert!(!can_refresh(&world, &tokens).await);
        world
    })
    .await;
}

#[tokio::test]
async fn a_log_out_on_one_replica_is_effective_on_the_other() {
    on_each_database(PROGRAM, |world| async move {
        let replica = world.replica().await;
        for _ in 0..10 {
            let token = world.token("viewer").await;
            let form = [("token", token.as_str())];
            let api_server = ("api-server", world.credentials.api_server.as_str());
            let introspect = || world.client.form(api_server, "/oauth2/introspect", &form);
            assert_eq!(introspect().await.json()["active"], true);
            replica.client.log_out(&token).await.expect(204);
            assert_eq!(introspect().await.text, r#"{"active":false}"#);
            world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
        }
        replica.close().await;
        world
    })
    .await;
}

#[tokio::test]
async fn log_ins_of_one_user_in_one_browser_end_together_and_another_users_log_in_ends_them() {
    on_each_database(PROGRAM, |world| async move {
        let is_alive = async |tokens: &Value| {
            let token = tokens["access_token"].as_str().unwrap();
            world.client.get(token, "/loans/1").await.status == 404
        };
        let authorization = AuthorizationRequest::new("core").with("prompt", "login");
        let (browser, first) = logged_in(&world).await;
        let code = browser.log_in(&authorization, "viewer", &world.credentials.viewer).await;
        let second = authorization.exchange(&world.client, &code).await.expect(200).json();
        world.client.log_out(second["access_token"].as_str().unwrap()).await.expect(204);
        assert_eq!((is_alive(&first).await, is_alive(&second).await), (false, false));

        let (browser, first) = logged_in(&world).await;
        let code = browser.log_in(&authorization, "teller", &world.credentials.teller).await;
        let second = authorization.exchange(&world.client, &code).await.expect(200).json();
        assert_eq!((is_alive(&first).await, is_alive(&second).await), (false, true));
        world
    })
    .await;
}

#[tokio::test]
async fn an_expired_session_is_kept_while_one_of_its_tokens_lives() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let (_, tokens) = logged_in(&world).await;
        world.age("auth_sessions", &["log_in_date", "refreshed_date"], 40_000).await;
        let http = world.client.http.clone();
        world.auth.stop().await;
        world.auth.restart(&http).await;
        // A server begins by sweeping.
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        let token = tokens["access_token"].as_str().unwrap();
        world.client.get(token, "/loans/1").await.expect_problem(404, "not-found");
        world.client.log_out(token).await.expect(204);
        world.client.get(token, "/loans/1").await.expect_problem(401, "token-invalid");
        world
    })
    .await;
}
