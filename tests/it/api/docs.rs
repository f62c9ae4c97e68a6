//! `/docs`: the documentation page logs in and tries operations out.

use crate::PROGRAM;
use crate::api::loans::book;
use acceptance::seeds::PUBLISHED_TERMS;
use acceptance::web_browser::{Scripts, WebBrowser, in_browser};
use acceptance::{World, on_each_database};
use std::time::{Duration, Instant};
use thirtyfour::{By, Key, WindowHandle};
use tokio::time::sleep;

#[tokio::test]
async fn there_are_two_pages_and_what_each_may_do_is_in_its_policy() {
    on_each_database(PROGRAM, |world| async move {
        let auth_url = &world.client.auth_url;
        for path in ["/docs", "/docs/"] {
            let page = world.client.get("", path).await.expect(200);
            assert!(page.text.contains("usePkceWithAuthorizationCodeGrant"));
            assert!(page.text.contains(&format!("{auth_url}/oauth2/authorize")));
            assert!(page.header("content-type").starts_with("text/html"));
            let policy = page.header("content-security-policy");
            assert!(policy.contains(&format!("connect-src 'self' {auth_url};")), "{policy}");
            assert!(!page.text.contains("<script src"), "the page brings everything with it");
            assert_eq!(page.header("cross-origin-opener-policy"), "");
        }
        let receiver = world.client.get("", "/docs/oauth-receiver.html").await.expect(200);
        assert!(receiver.text.contains("window.opener"));
        assert_eq!(receiver.header("cross-origin-opener-policy"), "");
        let policy = receiver.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
        for path in ["/docs/index.html", "/docs/oauth-receiver.html/", "/docs//"] {
            world.client.get("", path).await.expect_problem(404, "not-found");
        }
        let contract = world.client.get("", "/openapi.json").await.expect(200);
        assert!(!contract.text.contains("localhost"), "the contract names no host");
        world
    })
    .await;
}

#[tokio::test]
async fn it_logs_in_and_shows_what_an_operation_answers() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async {
        register(&world).await;
        let loan_id = book(&world, &world.token("admin").await, PUBLISHED_TERMS).await;
        browser.open(&format!("{}/docs", world.client.api_url)).await;
        browser.see(".btn.authorize").await;
        browser.picture("docs").await;
        let page = browser.driver.window().await.unwrap();

        browser.see(".btn.authorize").await.click().await.unwrap();
        let core = browser.driver.find(By::Css(".scopes input[data-value=core]")).await.unwrap();
        assert!(core.is_selected().await.unwrap());
        let secret = browser.driver.find(By::Css("[id^=client_secret]")).await.unwrap();
        assert!(!secret.is_displayed().await.unwrap());
        browser.picture("docs-authorize").await;
        browser.see(".dialog-ux .auth-container .btn.authorize").await.click().await.unwrap();
        let popup = other_window(&browser, &page).await;
        browser.driver.switch_to_window(popup).await.unwrap();
        browser.see("#username").await;
        browser.picture("docs-log-in").await;
        browser.press("viewer" + Key::Tab).await;
        browser.press(world.credentials.viewer.as_str() + Key::Enter).await;
        browser.driver.switch_to_window(page.clone()).await.unwrap();
        // The button says "Authorize" until the page has exchanged its code.
        let button = ".dialog-ux .auth-container .auth-btn-wrapper .btn";
        let waited = Instant::now();
        while browser.text(button).await != "Logout" {
            assert!(waited.elapsed() < Duration::from_secs(30), "no token came");
            sleep(Duration::from_millis(50)).await;
        }
        browser.picture("docs-authorized").await;
        assert_eq!(browser.driver.windows().await.unwrap(), [page], "the popup is gone");

        browser.see(".dialog-ux .btn-done").await.click().await.unwrap();
        browser
            .see("#operations-Loans-get_loan .opblock-summary-control")
            .await
            .click()
            .await
            .unwrap();
        try_out(&browser, loan_id).await;
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 2);
        (world, browser)
    })
    .await;
}

#[tokio::test]
async fn a_token_can_be_pasted() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async {
        let loan_id = book(&world, &world.token("admin").await, PUBLISHED_TERMS).await;
        browser.open(&format!("{}/docs/#/Loans/get_loan", world.client.api_url)).await;
        // The page moves to the operation while one would click.
        browser.see(".btn.authorize").await.send_keys(Key::Enter).await.unwrap();
        let token = world.token("viewer").await;
        browser.see("#auth-bearer-value").await.send_keys(token + Key::Enter).await.unwrap();
        browser.see(".dialog-ux .btn-done").await.click().await.unwrap();
        try_out(&browser, loan_id).await;
        // Swagger UI takes the underscore of an operation's name for a space of former times.
        let complaints = browser.complaints().await;
        assert!(
            complaints.iter().all(|text| text.contains("escaping deep link")),
            "{complaints:?}"
        );
        (world, browser)
    })
    .await;
}

/// What a quickstart does for its own client.
async fn register(world: &World) {
    let api_url = &world.client.api_url;
    world
        .sql(&format!(
            "UPDATE oauth_clients SET redirect_uris = '{api_url}/docs/oauth-receiver.html', \
             cors_origins = '{api_url}' WHERE client_id = 'browser'"
        ))
        .await;
}

async fn other_window(browser: &WebBrowser, page: &WindowHandle) -> WindowHandle {
    loop {
        let windows = browser.driver.windows().await.unwrap();
        if let Some(other) = windows.into_iter().find(|window| window != page) {
            return other;
        }
        tokio::task::yield_now().await;
    }
}

/// Sends `GET /loans/{loan_id}` with the form of the page.
async fn try_out(browser: &WebBrowser, loan_id: i64) {
    let operation = "#operations-Loans-get_loan";
    browser.see(&format!("{operation} .try-out__btn")).await.click().await.unwrap();
    let field = browser.see(&format!("{operation} .parameters input")).await;
    // It holds the example of the contract.
    field.clear().await.unwrap();
    field.send_keys(loan_id.to_string()).await.unwrap();
    browser.see(&format!("{operation} .btn.execute")).await.click().await.unwrap();
    let answer = browser.see(&format!("{operation} .live-responses-table tbody tr.response")).await;
    let status = answer.find(By::Css(".response-col_status")).await.unwrap().text().await.unwrap();
    assert_eq!(status.trim(), "200");
    assert!(answer.text().await.unwrap().contains("\"Loan_Number\": \"L-1\""));
    answer.scroll_into_view().await.unwrap();
    browser.picture("docs-answer").await;
}
