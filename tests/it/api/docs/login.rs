//! The documentation page in a real browser: logging in, trying out operations, logging out.

use super::{find_operations, wait_for};
use crate::PROGRAM;
use crate::api::loans::import_loan;
use acceptance::World;
use acceptance::seeds::PUBLISHED_TERMS;
use acceptance::web_browser::{POLL_INTERVAL, Scripts, WebBrowser, in_browser};

use thirtyfour::{By, Key, WindowHandle};
use tokio::time::sleep;

const GET_LOAN: &str = "#operations-Loans-get_loan";
/// Where Swagger UI shows the status of a response.
const STATUS: &str = ".live-responses-table tbody tr.response .response-col_status";
const LOGGED_IN: &str = "SELECT COUNT(*) FROM active_users";

#[tokio::test]
async fn the_page_logs_in_and_shows_an_operations_response() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async {
        register(&world).await;
        let loan_id = import_loan(&world, &world.token("admin").await, PUBLISHED_TERMS).await;
        browser.open(&format!("{}/docs#operations", world.client.api_url)).await;
        browser.see(".btn.authorize").await;
        find_operations(&browser, "get_loan").await;
        let page = browser.driver.window().await.unwrap();

        browser.see(".btn.authorize").await.click().await.unwrap();
        let core = browser.driver.find(By::Css(".scopes input[data-value=core]")).await.unwrap();
        assert!(core.is_selected().await.unwrap());
        let secret = browser.driver.find(By::Css("[id^=client_secret]")).await.unwrap();
        assert!(!secret.is_displayed().await.unwrap());
        assert!(browser.focus().await.starts_with("core-"), "the keyboard is in the dialog");
        browser.press(Key::Escape + "").await;
        assert!(browser.driver.find(By::Css(".dialog-ux")).await.is_err());
        assert_eq!(browser.focus().await, "button", "and back where it was");
        browser.press(Key::Enter + "").await;
        browser.see(".dialog-ux .scopes").await;
        browser.inspect_part("docs-authorize", ".dialog-ux").await;
        browser.see(".dialog-ux .auth-container .btn.authorize").await.click().await.unwrap();
        let popup = other_window(&browser, &page).await;
        browser.driver.switch_to_window(popup).await.unwrap();
        browser.see("#username").await;
        browser.inspect("docs-log-in").await;
        browser.press("viewer" + Key::Tab).await;
        browser.press(world.credentials.viewer.as_str() + Key::Enter).await;
        browser.driver.switch_to_window(page.clone()).await.unwrap();
        // The button says "Authorize" until the page has exchanged its code.
        wait_for(&browser, ".dialog-ux .auth-container .auth-btn-wrapper .btn", "Logout").await;
        browser.inspect_part("docs-authorized", ".dialog-ux").await;
        assert_eq!(browser.driver.windows().await.unwrap(), [page], "the popup is gone");

        browser.see(".dialog-ux .btn-done").await.click().await.unwrap();
        let operation = format!("{GET_LOAN} .opblock-summary-control");
        browser.see(&operation).await.click().await.unwrap();
        try_out(&browser, loan_id).await;
        assert_eq!(world.count(LOGGED_IN).await, 2);

        wait_for(&browser, "#who", "Logged in as viewer (core)").await;
        browser.see("#log-out").await.send_keys(Key::Enter).await.unwrap();
        wait_for(&browser, "#said", "Logged out.").await;
        assert_eq!(world.count(LOGGED_IN).await, 1, "the page's token is dead");
        assert!(browser.driver.find(By::Css("#who")).await.is_err());
        browser.inspect_part("docs-logged-out", "#said").await;
        // A discarded token is not sent either.
        browser.see(&format!("{GET_LOAN} .btn.execute")).await.click().await.unwrap();
        wait_for(&browser, &format!("{GET_LOAN} {STATUS}"), "401").await;
        let complaints = browser.console_errors().await;
        assert!(complaints.iter().all(|text| text.contains("401")), "{complaints:?}");
        (world, browser)
    })
    .await;
}

/// Registers the page as a client, as a quickstart does for its own.
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
        sleep(POLL_INTERVAL).await;
    }
}

/// Sends `GET /loans/{loan_id}` from the form on the page.
async fn try_out(browser: &WebBrowser, loan_id: i64) {
    browser.see(&format!("{GET_LOAN} .try-out__btn")).await.click().await.unwrap();
    // The field holds the contract's example.
    browser.fill(&format!("{GET_LOAN} .parameters input"), &loan_id.to_string()).await;
    browser.see(&format!("{GET_LOAN} .btn.execute")).await.click().await.unwrap();
    wait_for(browser, &format!("{GET_LOAN} {STATUS}"), "200").await;
    let response =
        browser.see(&format!("{GET_LOAN} .live-responses-table tbody tr.response")).await;
    assert!(response.text().await.unwrap().contains("\"Loan_Number\": \"L-1\""));
    response.scroll_into_view().await.unwrap();
    browser.inspect_part("docs-answer", GET_LOAN).await;
}
