//! The sandbox's page in a real browser, as a person sees and uses it.

use super::{ADDED, OVER, PATIENCE, SANDBOX_PAGE, book, cards, open};
use crate::PROGRAM;
use acceptance::World;
use acceptance::web_browser::{Scripts, WebBrowser, in_browser};
use std::time::Duration;
use thirtyfour::{By, Key};
use tokio::time::{Instant, sleep};

/// Opens a page for a loan. Returns admin's token and the loan.
async fn begin(world: &World, browser: &WebBrowser) -> (String, i64) {
    let admin = world.token("admin").await;
    let (loan, _) = book(world, &admin).await;
    go_to_new_page(world, browser, &admin, loan).await;
    (admin, loan)
}

async fn go_to_new_page(world: &World, browser: &WebBrowser, admin: &str, loan: i64) -> String {
    let secret = open(world, admin, loan).await;
    let url = format!("{}{SANDBOX_PAGE}?session={secret}", world.client.api_url);
    browser.open(&url).await;
    assert_eq!(browser.text("h1").await, "Add a card");
    url
}

/// Waits for a page with one of these headings. The title appears before the page does.
async fn wait_for(browser: &WebBrowser, headings: &[&'static str]) -> &'static str {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let title = browser.driver.title().await.unwrap();
        let heading = title.strip_suffix(" – Loan Servicing").unwrap_or(&title);
        if let Some(found) = headings.iter().find(|expected| **expected == heading) {
            return found;
        }
        assert!(Instant::now() < deadline, "{title} is none of {headings:?}");
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn adding_a_card_works_by_keyboard_and_without_scripts() {
    for scripts in [Scripts::Forbidden, Scripts::Run] {
        in_browser(PROGRAM, scripts, |world, browser| async move {
            let (admin, loan) = begin(&world, &browser).await;
            assert_eq!(browser.driver.title().await.unwrap(), "Add a card – Loan Servicing");
            assert_eq!(browser.text("legend").await, "Card");
            browser.inspect("add-card").await;

            browser.press(Key::Tab + "").await;
            assert_eq!(browser.focus().await, "tok_visa");
            browser.press(Key::Down + Key::Down).await;
            assert_eq!(browser.focus().await, "tok_amex");
            browser.inspect("add-card-chosen").await;
            browser.press(Key::Tab + "").await;
            assert_eq!(browser.focus().await, "cardholder_name");
            browser.press("4242 4242 4242 4242" + Key::Enter).await;
            let fault = browser.text("[role=alert]").await;
            assert_eq!(fault, "This looks like a card number, which this page never accepts.");
            assert_eq!(browser.driver.title().await.unwrap(), "Error: Add a card – Loan Servicing");
            assert_eq!(browser.focus().await, "cardholder_name");
            let name = browser.see("#cardholder_name").await;
            assert_eq!(name.prop("value").await.unwrap().as_deref(), Some(""));
            assert_eq!(name.attr("aria-describedby").await.unwrap().as_deref(), Some("error"));
            assert!(browser.see("#tok_amex").await.is_selected().await.unwrap());
            browser.inspect("add-card-refused").await;

            browser.press("Zoë Ångström" + Key::Tab).await;
            assert_eq!(browser.focus().await, "button");
            browser.press(Key::Enter + "").await;
            wait_for(&browser, &[ADDED]).await;
            assert_eq!(browser.text("h1").await, ADDED);
            browser.inspect("card-added").await;
            let added = cards(&world, &admin, loan).await;
            assert_eq!(added.len(), 1);
            assert_eq!(added[0]["BrandType"], "amex");
            assert_eq!(added[0]["Cardholder_Name"], "Zoë Ångström");
            // The browser itself logs that the form came back with 422.
            let complaints = browser.console_errors().await;
            assert!(complaints.len() == 1 && complaints[0].contains("422"), "{complaints:?}");
            (world, browser)
        })
        .await;
    }
}

#[tokio::test]
async fn a_used_page_says_that_it_was_used() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async move {
        let (admin, loan) = begin(&world, &browser).await;
        browser.see("button").await.click().await.unwrap();
        wait_for(&browser, &[ADDED]).await;
        browser.driver.back().await.unwrap();
        // The browser may have cached the form; submitting it again does nothing.
        if wait_for(&browser, &[OVER, "Add a card"]).await != OVER {
            browser.see("button").await.click().await.unwrap();
            wait_for(&browser, &[OVER]).await;
        }
        browser.inspect("page-over").await;
        assert_eq!(cards(&world, &admin, loan).await.len(), 1);
        let complaints = browser.console_errors().await;
        assert!(complaints.iter().all(|text| text.contains("410")), "{complaints:?}");
        (world, browser)
    })
    .await;
}

#[tokio::test]
async fn the_card_page_is_legible_in_light_and_dark_mode_on_small_screens_and_in_large_type() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async move {
        let (admin, loan) = begin(&world, &browser).await;
        for scheme in ["light", "dark"] {
            browser.prefer(scheme).await;
            go_to_new_page(&world, &browser, &admin, loan).await;
            for state in ["", "-refused"] {
                if !state.is_empty() {
                    browser
                        .see("#cardholder_name")
                        .await
                        .send_keys("4242 4242 4242 4242")
                        .await
                        .unwrap();
                    browser.see("button").await.click().await.unwrap();
                    browser.see("[role=alert]").await;
                }
                let found = browser.contrasts().await;
                assert!(found.len() > 20, "{found:?}");
                for (text, contrast) in found {
                    assert!(contrast >= 4.5, "{scheme}{state}: {contrast} {text}");
                }
                browser.inspect(&format!("add-card{state}-{scheme}")).await;
            }
        }
        // 320 pixels is the width of a phone, or of a desktop at 400 %.
        browser.resize(320, 256).await;
        go_to_new_page(&world, &browser, &admin, loan).await;
        assert!(!browser.scrolls_sideways().await);
        // Every row is large enough for a finger.
        for row in browser.driver.find_all(By::Css("label.choice, button")).await.unwrap() {
            let size = row.rect().await.unwrap();
            assert!(size.height >= 44.0 && size.width >= 200.0, "{size:?}");
        }
        let labels = "return [...document.querySelectorAll('input:not([type=hidden])')]\
                      .map(input => input.labels.length)";
        let labels = browser.driver.execute(labels, Vec::new()).await.unwrap();
        let labels = labels.json().as_array().expect("a list").clone();
        assert!(labels.len() == 11 && labels.iter().all(|count| *count == 1));
        let complaints = browser.console_errors().await;
        assert!(complaints.iter().all(|text| text.contains("422")), "{complaints:?}");
        (world, browser)
    })
    .await;
}
