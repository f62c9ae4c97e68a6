//! The documentation page in a real browser: navigating, reading, searching.

use crate::PROGRAM;
use acceptance::World;
use acceptance::web_browser::{Scripts, WebBrowser, in_browser};
use shared::problem::ProblemType;
use thirtyfour::{By, Key, WebElement};

const SECTIONS: [&str; 5] = ["start", "operations", "problems", "auth-server", "files"];
const GET_LOAN: &str = "#operations-Loans-get_loan";
const PAYMENTS: &str = "#operations-Loans-post_payment";

fn url(world: &World, rest: &str) -> String {
    format!("{}/docs{rest}", world.client.api_url)
}

async fn open(world: &World, browser: &WebBrowser, rest: &str) {
    // Changing only the anchor would not reload the page.
    browser.open("data:text/html,").await;
    browser.open(&url(world, rest)).await;
    browser.see("h2").await;
}

async fn open_sections(browser: &WebBrowser) -> Vec<String> {
    let mut shown = Vec::new();
    for section in browser.driver.find_all(By::Css("main > section")).await.unwrap() {
        if section.is_displayed().await.unwrap() {
            shown.push(section.id().await.unwrap().unwrap_or_default());
        }
    }
    shown
}

#[tokio::test]
async fn the_page_opens_at_getting_started_and_the_keyboard_and_links_reach_everything() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async {
        open(&world, &browser, "").await;
        assert_eq!(open_sections(&browser).await, ["start"]);
        let links = browser.driver.find_all(By::Css("nav a")).await.unwrap();
        for (index, section) in SECTIONS.into_iter().enumerate() {
            if let Some(previous) = index.checked_sub(1) {
                links[previous].focus().await.unwrap();
            }
            browser.press(Key::Tab + "").await;
            browser.press(Key::Enter + "").await;
            browser.see(&format!("#{section}")).await;
            assert_eq!(open_sections(&browser).await, [section]);
            let current = browser.see("nav [aria-current]").await.attr("href").await.unwrap();
            assert_eq!(current, Some(format!("#{section}")));
        }

        browser.open(&url(&world, "#problems")).await;
        browser.open(&url(&world, "#/Loans/post_payment")).await;
        browser.see(&format!("{PAYMENTS} .try-out__btn")).await;
        assert_eq!(open_sections(&browser).await, ["operations"]);
        check_samples_of_an_operation(&world, &browser).await;
        super::expect_only_underscore_warnings(&browser).await;
        (world, browser)
    })
    .await;
}

async fn check_samples_of_an_operation(world: &World, browser: &WebBrowser) {
    browser.open(&url(world, "#/Loans/get_loan")).await;
    browser.see(&format!("{GET_LOAN} .opblock-description pre")).await;
    super::find_operations(browser, "get_loan").await;
    for (language, call) in [
        ("curl", "\"$API/loans/1\""),
        ("python", "LoansApi(session).get_loan(loan_id=1)"),
        ("typescript", "await new LoansApi(session.configuration).getLoan({ loanId: 1 })"),
        ("go", "\"$API/loans/1\""),
    ] {
        let radio = browser.see(&format!("#in-{language}")).await;
        radio.send_keys(Key::Space + "").await.unwrap();
        let shown = browser.text(&format!("{GET_LOAN} .opblock-description")).await;
        assert!(shown.contains(call), "{language}: {shown}");
        assert_eq!(shown.matches("get_loan(").count(), usize::from(language == "python"));
    }
    browser.inspect_part("docs-operation-samples", GET_LOAN).await;
}

#[tokio::test]
async fn everything_but_the_operations_works_without_scripts() {
    in_browser(PROGRAM, Scripts::Forbidden, |world, browser| async {
        open(&world, &browser, "").await;
        assert_eq!(open_sections(&browser).await, ["start"]);
        for section in SECTIONS {
            open(&world, &browser, &format!("#{section}")).await;
            assert_eq!(open_sections(&browser).await, [section]);
        }
        open(&world, &browser, "#operations").await;
        assert!(browser.text("noscript p").await.contains("/openapi.json"));
        open(&world, &browser, "#problem-loan-locked").await;
        let row = browser.text("#problem-loan-locked").await;
        assert!(row.contains("423") && row.contains(ProblemType::LoanLocked.title()), "{row}");
        assert_eq!(
            browser.driver.find_all(By::Css(".problems tbody tr")).await.unwrap().len(),
            ProblemType::ALL.len()
        );
        assert!(
            !browser
                .driver
                .find(By::Id("search-problems"))
                .await
                .unwrap()
                .is_displayed()
                .await
                .unwrap()
        );
        check_samples_without_scripts(&world, &browser).await;
        (world, browser)
    })
    .await;
}

async fn check_samples_without_scripts(world: &World, browser: &WebBrowser) {
    open(world, browser, "#start").await;
    for (language, log_in) in [
        ("curl", "grant_type=password"),
        ("python", "session.log_in(username, password)"),
        ("typescript", "await session.logIn(username, password);"),
        ("java", "HttpClient.newBuilder()"),
        ("go", "http.NewRequestWithContext("),
    ] {
        let radio = browser.driver.find(By::Id(format!("in-{language}"))).await.unwrap();
        radio.send_keys(Key::Space + "").await.unwrap();
        let shown = browser.text("#start-log-in").await;
        assert!(shown.contains(log_in), "{language}: {shown}");
        assert_eq!(shown.matches("TOKEN=$(curl").count(), usize::from(language == "curl"));
        let discovery = browser.text("#start-code-flow").await;
        assert!(discovery.contains("openid-configuration"), "the same in every language");
        browser.inspect(&format!("docs-samples-{language}")).await;
    }
}

/// The ids of the visible operations.
async fn operations(browser: &WebBrowser) -> Vec<String> {
    let script = "return [...document.querySelectorAll('#ui .opblock')].map(one => one.id)";
    let found = browser.driver.execute(script, Vec::new()).await.unwrap();
    let ids = found.json().as_array().expect("a list").clone();
    let id = |id: &serde_json::Value| {
        id.as_str().and_then(|id| id.rsplit('-').next()).unwrap_or_default().to_owned()
    };
    ids.iter().map(id).collect()
}

async fn search(browser: &WebBrowser, id: &str, query: &str) -> String {
    browser.fill(&format!("#{id}"), query).await;
    browser.text(&format!("#{id}-found")).await
}

#[tokio::test]
async fn a_search_finds_operations_by_any_of_their_text_and_touch_targets_are_large() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async {
        open(&world, &browser, "#operations").await;
        browser.see(".opblock").await;
        let all = operations(&browser).await;
        assert!(all.len() > 80, "{all:?}");
        // A collapsed group is expanded when the search finds something in it.
        browser.see("#operations-tag-Users .expand-operation").await.click().await.unwrap();
        for (query, expected) in [
            ("/loans/credit-lines/{creditline_id}/draws", "list_draws"),
            ("get_payoff_or_so", ""),
            ("LIST_loan_officers", "list_loan_officers"),
            ("unrounded remainder", "post_payment"),
            ("includeUnused", "list_cards"),
            ("\"import\" <b>", ""),
            ("xml post", "import_xml"),
        ] {
            let listed = search(&browser, "search-operations", query).await;
            let found = operations(&browser).await;
            match expected {
                "" => {
                    assert_eq!(listed, format!("No operation matches “{query}”."));
                    assert_eq!(found, [""; 0]);
                    browser.inspect_part("docs-nothing-found", "#operations").await;
                }
                expected => {
                    assert_eq!(listed, format!("1 of {} operations", all.len()), "{query}");
                    assert_eq!(found, [expected]);
                    browser.inspect_part("docs-found", "#operations").await;
                }
            }
        }
        assert!(search(&browser, "search-operations", "drawers").await.contains(" of "));
        assert!(operations(&browser).await.len() >= 8, "a tag");
        let field = browser.see("#search-operations").await;
        field.send_keys(Key::Control + "a").await.unwrap();
        field.send_keys(Key::Delete + "").await.unwrap();
        assert_eq!(operations(&browser).await.len(), all.len());

        browser.open(&url(&world, "#problems")).await;
        let listed = search(&browser, "search-problems", "423 retry-after").await;
        assert_eq!(listed, format!("2 of {} problems", ProblemType::ALL.len()));
        let listed = search(&browser, "search-problems", "418").await;
        assert_eq!(listed, "No problem matches “418”.");
        browser.open(&url(&world, "#operations")).await;
        check_touch_targets(&world, &browser).await;
        (world, browser)
    })
    .await;
}

/// Checks that every visible text has the minimum contrast for legibility.
async fn check_contrasts(browser: &WebBrowser, context: &str) {
    let found = browser.contrasts().await;
    assert!(found.len() > 10, "{context}: {found:?}");
    let faint: Vec<_> = found.iter().filter(|(_, contrast)| *contrast < 4.5).collect();
    assert!(faint.is_empty(), "{context}: {faint:?}");
}

/// Checks in both schemes, on a small phone and a large screen, in this order, that all text is
/// legible and nothing reaches beyond the page.
async fn check_legibility(browser: &WebBrowser, context: &str) {
    for (width, height) in [(320, 568), (1280, 800)] {
        browser.resize(width, height).await;
        for scheme in ["dark", "light"] {
            browser.prefer(scheme).await;
            check_contrasts(browser, &format!("{context}, {width}, {scheme}")).await;
        }
        assert!(!browser.scrolls_sideways().await, "{context}, {width}");
    }
}

#[tokio::test]
async fn the_documentation_is_legible_in_light_and_dark_mode_and_on_a_phone() {
    in_browser(PROGRAM, Scripts::Run, |world, browser| async {
        open(&world, &browser, "").await;
        // The operations last: from then on, each step takes longer.
        for section in SECTIONS.into_iter().filter(|section| *section != "operations") {
            browser.open(&url(&world, &format!("#{section}"))).await;
            browser.see(&format!("#{section}")).await;
            browser.inspect(&format!("docs-{section}")).await;
            check_legibility(&browser, section).await;
        }
        browser.open(&url(&world, "#operations")).await;
        browser.see(".opblock").await;
        browser.inspect("docs-operations").await;
        check_legibility(&browser, "operations").await;
        super::find_operations(&browser, "post_payment").await;
        browser.open(&url(&world, "#/Loans/post_payment")).await;
        let try_out = browser.see(&format!("{PAYMENTS} .try-out__btn")).await;
        try_out.send_keys(Key::Enter).await.unwrap();
        browser.see(&format!("{PAYMENTS} textarea")).await;
        check_legibility(&browser, "an operation").await;
        browser.see(".btn.authorize").await.send_keys(Key::Enter).await.unwrap();
        browser.see(".dialog-ux .scopes").await;
        check_legibility(&browser, "logging in").await;
        super::expect_only_underscore_warnings(&browser).await;
        (world, browser)
    })
    .await;
}

/// Checks on a phone that what is touched is large enough.
async fn check_touch_targets(world: &World, browser: &WebBrowser) {
    browser.resize(390, 844).await;
    browser.see(".opblock").await;
    let targets = "nav a, #search-operations, .btn.authorize, .opblock-summary-control, \
                   .expand-operation";
    let targets = browser.driver.find_all(By::Css(targets)).await.unwrap();
    assert!(targets.len() > 100);
    check_sizes(&targets).await;
    browser.open(&url(world, "#start")).await;
    let languages = browser.driver.find_all(By::Css(".languages label")).await.unwrap();
    assert_eq!(languages.len(), 6);
    check_sizes(&languages).await;
}

async fn check_sizes(targets: &[WebElement]) {
    for target in targets {
        let size = target.rect().await.unwrap();
        assert!(size.height >= 44.0 && size.width >= 36.0, "{size:?}");
    }
}
