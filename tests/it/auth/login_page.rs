//! `/login` and related pages in a real browser, as a person sees and uses them.

use crate::PROGRAM;
use acceptance::World;
use acceptance::application::Application;
use acceptance::seeds::file;
use acceptance::web_browser::{Scripts, WebBrowser, in_browser};
use thirtyfour::{By, Key};

const REFUSED: &str = "Incorrect user name or password. \
     After several failed attempts, the account is locked for half an hour.";

#[tokio::test]
async fn logging_in_works_by_keyboard_and_without_scripts() {
    in_browser(PROGRAM, Scripts::Forbidden, |world, browser| async {
        let mut application = Application::start(&world).await;
        let extra = [("state", "s & t"), ("nonce", "n-1")];
        browser.open(&application.authorize_url("openid core", &extra)).await;
        assert_eq!(browser.text("h1").await, "Log in");
        assert_eq!(browser.driver.title().await.unwrap(), "Log in – Loan Servicing");
        assert_eq!(browser.focus().await, "username");
        browser.inspect("log-in").await;

        browser.press("viewer" + Key::Tab).await;
        assert_eq!(browser.focus().await, "password");
        browser.press("a wrong one" + Key::Enter).await;
        assert_eq!(browser.text("[role=alert]").await, REFUSED);
        assert_eq!(browser.driver.title().await.unwrap(), "Error: Log in – Loan Servicing");
        assert_eq!(browser.focus().await, "password");
        let user_name_field = browser.see("#username").await;
        assert_eq!(user_name_field.prop("value").await.unwrap().as_deref(), Some("viewer"));
        let password = browser.see("#password").await;
        assert_eq!(password.prop("value").await.unwrap().as_deref(), Some(""));
        assert_eq!(password.attr("aria-describedby").await.unwrap().as_deref(), Some("error"));
        assert_eq!(password.attr("aria-invalid").await.unwrap().as_deref(), Some("true"));
        browser.inspect("log-in-refused").await;
        assert!(!application.has_arrivals());

        browser.press(world.credentials.viewer.as_str() + Key::Tab).await;
        assert_eq!(browser.focus().await, "button");
        browser.press(Key::Enter).await;
        let arrival = application.arrival().await;
        assert_eq!(arrival["state"], "s & t");
        assert_eq!(arrival["iss"], world.client.auth_url);
        let tokens = application.exchange(&world, &arrival["code"]).await.expect(200).json();
        let access = tokens["access_token"].as_str().expect("a token");
        world.client.get(access, "/loans/1").await.expect_problem(404, "not-found");
        assert!(tokens["id_token"].is_string() && tokens["refresh_token"].is_string());
        (world, browser)
    })
    .await;
}

#[tokio::test]
async fn a_locked_account_looks_like_a_wrong_password() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async {
        let mut application = Application::start(&world).await;
        for _ in 0..10 {
            world.client.log_in("core", "viewer", "a wrong one").await.unwrap_err();
        }
        browser.open(&application.authorize_url("core", &[])).await;
        log_in(&browser, "teller", "a wrong one").await;
        browser.see("[role=alert]").await;
        let wrong = main(&browser).await;
        browser.open(&application.authorize_url("core", &[])).await;
        log_in(&browser, "viewer", &world.credentials.viewer).await;
        browser.see("[role=alert]").await;
        assert_eq!(main(&browser).await.replace("\"viewer\"", "\"teller\""), wrong);
        assert!(!application.has_arrivals());
        (world, browser)
    })
    .await;
}

#[tokio::test]
async fn a_browser_stays_logged_in_until_it_logs_out() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async {
        let mut application = Application::start(&world).await;
        browser.open(&application.authorize_url("openid core", &[])).await;
        log_in(&browser, "viewer", &world.credentials.viewer).await;
        let first = application.arrival().await;
        let tokens = application.exchange(&world, &first["code"]).await.expect(200).json();

        browser.open(&application.authorize_url("openid core", &[])).await;
        let second = application.arrival().await;
        assert_ne!(second["code"], first["code"]);
        application.exchange(&world, &second["code"]).await.expect(200);

        browser.open(&application.authorize_url("openid core", &[("prompt", "login")])).await;
        assert_eq!(browser.text("h1").await, "Log in");
        browser.open(&application.authorize_url("web", &[])).await;
        assert_eq!(browser.text("h1").await, "Log in to your loans");
        assert!(!application.has_arrivals());

        // The application logs the user out with its ID token, without a confirmation.
        let hint = tokens["id_token"].as_str().expect("an ID token");
        let returned = ("post_logout_redirect_uri", application.redirect_uri().to_owned());
        let parameters = [("id_token_hint", hint), (returned.0, &returned.1), ("state", "bye")];
        browser.open(&log_out_url(&world, &parameters)).await;
        assert_eq!(application.arrival().await["state"], "bye");
        let access = tokens["access_token"].as_str().expect("a token");
        world.client.get(access, "/loans/1").await.expect_problem(401, "token-invalid");
        browser.open(&application.authorize_url("openid core", &[])).await;
        assert_eq!(browser.text("h1").await, "Log in");
        (world, browser)
    })
    .await;
}

#[tokio::test]
async fn a_log_out_without_an_id_token_requires_confirmation() {
    in_browser(PROGRAM, Scripts::Forbidden, |world, browser| async {
        let mut application = Application::start(&world).await;
        for has_redirect in [false, true] {
            browser.open(&application.authorize_url("core", &[])).await;
            log_in(&browser, "viewer", &world.credentials.viewer).await;
            let arrival = application.arrival().await;
            let tokens = application.exchange(&world, &arrival["code"]).await.expect(200).json();
            let access = tokens["access_token"].as_str().expect("a token");

            let returned = application.redirect_uri().to_owned();
            let parameters = [("client_id", "browser"), ("post_logout_redirect_uri", &returned)];
            let parameters = if has_redirect { &parameters[..] } else { &[] };
            // The browser's log-in has been idle for too long to be used, but its session lives on.
            world.age("browser_log_ins", &["used_date"], 3601).await;
            browser.open(&log_out_url(&world, parameters)).await;
            assert_eq!(browser.text("h1").await, "Do you want to log out?");
            browser.inspect("log-out").await;
            world.client.get(access, "/loans/1").await.expect_problem(404, "not-found");
            browser.press(Key::Tab).await;
            assert_eq!(browser.focus().await, "button");
            browser.press(Key::Enter).await;
            match has_redirect {
                true => assert!(application.arrival().await.is_empty()),
                false => {
                    browser.see("p").await;
                    assert_eq!(browser.text("h1").await, "You are logged out");
                    browser.inspect("logged-out").await;
                }
            }
            world.client.get(access, "/loans/1").await.expect_problem(401, "token-invalid");
        }
        browser.open(&application.authorize_url("core", &[])).await;
        assert_eq!(browser.text("h1").await, "Log in");
        (world, browser)
    })
    .await;
}

#[tokio::test]
async fn borrowers_have_their_own_log_in_page_and_errors_are_shown_on_a_page() {
    in_browser(PROGRAM, Scripts::Forbidden, |world, browser| async {
        let contact = "<Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" \
             EntityCode=\"COMPANY\" Company=\"One\">\
             <WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>";
        world.import(&world.token("admin").await, &file(contact)).await;
        let mut application = Application::start(&world).await;
        let url = application.authorize_url("web", &[("login_hint", "one")]);
        browser.open(&url).await;
        assert_eq!(browser.text("h1").await, "Log in to your loans");
        assert_eq!(browser.focus().await, "password");
        browser.inspect("log-in-web").await;
        browser.press("first words" + Key::Enter).await;
        let arrival = application.arrival().await;
        let tokens = application.exchange(&world, &arrival["code"]).await.expect(200).json();
        assert_eq!(tokens["scope"], "web");

        let (base, _) = url.split_once("redirect_uri=").expect("a redirect URI");
        let unregistered = format!("{base}redirect_uri=https://elsewhere.example/");
        browser.open(&unregistered).await;
        assert_eq!(browser.text("h1").await, "This request cannot be processed");
        assert!(browser.text("main").await.contains("not registered"));
        browser.inspect("mistake").await;
        // The browser itself logs that the page came with 400.
        let errors = browser.console_errors().await;
        assert!(errors.len() == 1 && errors[0].contains("400"), "{errors:?}");
        (world, browser)
    })
    .await;
}

/// Fills in the focused form and submits it.
async fn log_in(browser: &WebBrowser, user_name: &str, password: &str) {
    browser.see("#username").await;
    assert_eq!(browser.focus().await, "username");
    browser.press(user_name + Key::Tab).await;
    browser.press(password + Key::Enter).await;
}

/// The text of the page, without parts that differ each time.
async fn main(browser: &WebBrowser) -> String {
    let main = browser.driver.find(By::Css("main")).await.expect("a page");
    let html = main.inner_html().await.expect("its text");
    let (before, fields) = html.split_once("<input type=\"hidden\"").expect("hidden fields");
    let (_, after) = fields.split_once("<label").expect("the visible fields");
    format!("{before}<label{after}")
}

fn log_out_url(world: &World, parameters: &[(&str, &str)]) -> String {
    let url = format!("{}/oauth2/logout", world.client.auth_url);
    reqwest::Url::parse_with_params(&url, parameters).expect("a URL").into()
}
