//! The documentation page in a real browser: an operation that writes is a dry run at first, asks
//! for confirmation, and runs once.

use super::{find_operations, wait_for};
use crate::PROGRAM;
use crate::api::loans::import_loan;
use acceptance::seeds::OPEN_TERMS;
use acceptance::web_browser::{POLL_INTERVAL, Scripts, WebBrowser, in_browser};
use std::collections::BTreeSet;
use thirtyfour::{By, Key};
use tokio::time::sleep;

const PAY: &str = "#operations-Loans-post_payment";
const STATUS: &str = ".live-responses-table tbody tr.response .response-col_status";
const POSTED: &str = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
const KEYS: &str = "SELECT COUNT(*) FROM idempotency_records";

async fn click(browser: &WebBrowser, selector: &str) {
    let button = browser.see(selector).await;
    button.scroll_into_view().await.unwrap();
    button.click().await.unwrap();
}

async fn execute(browser: &WebBrowser) {
    click(browser, &format!("{PAY} .btn.execute")).await;
}

/// Changes the amount in the body.
async fn pay(browser: &WebBrowser, amount: &str) {
    let body = format!("{{\"Amount\": \"{amount}\"}}");
    browser.fill(&format!("{PAY} .body-param textarea"), &body).await;
}

/// The idempotency key in the form.
async fn key(browser: &WebBrowser) -> String {
    let field = format!("{PAY} tr[data-param-name=Idempotency-Key] input");
    browser.see(&field).await.value().await.unwrap().unwrap_or_default()
}

#[tokio::test]
async fn writes_with_a_pasted_token_require_confirmation_and_happen_once() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        browser.open(&format!("{}/docs/#/Loans/post_payment", world.client.api_url)).await;
        browser.see(&format!("{PAY} .try-out__btn")).await;
        find_operations(&browser, "post_payment").await;
        browser.see(".btn.authorize").await.send_keys(Key::Enter).await.unwrap();
        browser.fill("#auth-bearer-value", &admin).await;
        browser.press(Key::Enter + "").await;
        click(&browser, ".dialog-ux .btn-done").await;
        click(&browser, &format!("{PAY} .try-out__btn")).await;
        let loan = format!("{PAY} tr[data-param-name=loan_id] input");
        browser.fill(&loan, &loan_id.to_string()).await;
        pay(&browser, "10.00").await;
        let made_up = key(&browser).await;
        assert_eq!(made_up.len(), 36, "{made_up}");

        // The first click.
        execute(&browser).await;
        wait_for(&browser, &format!("{PAY} {STATUS}"), "200").await;
        browser.inspect_part("docs-test-run", PAY).await;
        assert_eq!((world.count(POSTED).await, world.count(KEYS).await), (0, 0));

        let test = browser.see(&format!("{PAY} tr[data-param-name=test] select")).await;
        test.find(By::Css("option[value=false]")).await.unwrap().click().await.unwrap();
        execute(&browser).await;
        assert_eq!(browser.text("#sure code").await, "POST /loans/{loan_id}/transactions/payments");
        browser.inspect_part("docs-sure", "#sure").await;
        browser.press(Key::Escape + "").await;
        execute(&browser).await;
        assert_eq!(browser.focus().await, "button", "Cancel");
        browser.press(Key::Enter + "").await;
        assert_eq!(world.count(POSTED).await, 0);
        assert!(
            browser
                .driver
                .find(By::Css(format!("{PAY} .loading-container .loading")))
                .await
                .is_err()
        );

        let mut posted = BTreeSet::new();
        for (amount, entries) in [("10.00", 1), ("10.00", 1), ("11.00", 2), ("11.00", 2)] {
            pay(&browser, amount).await;
            execute(&browser).await;
            click(&browser, "#sure button[value=send]").await;
            wait_for(&browser, &format!("{PAY} {STATUS}"), "201").await;
            while world.count(POSTED).await < entries {
                sleep(POLL_INTERVAL).await;
            }
            posted.insert(key(&browser).await);
            assert_eq!(world.count(POSTED).await, entries, "{amount}");
        }
        assert_eq!(posted.len(), 2);
        assert!(posted.contains(&made_up));
        super::expect_only_underscore_warnings(&browser).await;
        (world, browser)
    })
    .await;
}
