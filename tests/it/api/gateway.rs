//! `/gateway/…`: pages for adding cards, and webhooks of the gateway. Listing and charging cards is
//! tested in `loans/payment_gateway.rs`.

mod browser;
mod checkout;
mod origin;
mod refusals;
mod sandbox_page;
mod webhooks;

use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file, web_access};
use acceptance::{TestResponse, World};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const SANDBOX_PAGE: &str = "/gateway/sandbox/add-payment-method";
const STRIPE_RETURN: &str = "/gateway/stripe/return";
/// The longest that work running after an answer takes, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Books a loan whose borrower may log in. Returns the ids of loan and borrower.
async fn book(world: &World, admin: &str) -> (i64, i64) {
    let records = borrower_with_loan(1, OPEN_TERMS) + web_access(1).as_str();
    let result = world.import(admin, &file(&records)).await;
    let records = result["Records"].as_array().expect("records");
    let id = |element: &str| {
        let of_kind = records.iter().find(|record| record["Element"] == element);
        of_kind.and_then(|record| record["New_ID"].as_i64()).expect("an id")
    };
    (id("Loan"), id("Contact"))
}

/// Requests the address of a page.
async fn request_url(world: &World, token: &str, loan: i64) -> TestResponse {
    world.client.get(token, &url_path(loan)).await
}

fn url_path(loan: i64) -> String {
    format!("/loans/{loan}/payment-gateway/add-payment-method-url")
}

/// Opens a page. Returns the secret at the end of its address.
async fn open(world: &World, token: &str, loan: i64) -> String {
    let opened = request_url(world, token, loan).await.expect(200).json();
    let url = opened["Url"].as_str().expect("a URL").to_owned();
    let (_, secret) = url.split_once("?session=").expect("a session");
    secret.to_owned()
}

/// Gets a page of a gateway.
async fn show(world: &World, path: &str, secret: &str) -> TestResponse {
    world.client.get("", &format!("{path}?session={secret}")).await
}

/// Submits the sandbox's form.
async fn submit(world: &World, form: &[(&str, &str)]) -> TestResponse {
    let request = world.client.request(Method::POST, "", SANDBOX_PAGE).form(form);
    world.client.send(request).await.expect("a response")
}

/// All cards of a loan's borrower, including unused ones.
async fn cards(world: &World, token: &str, loan: i64) -> Vec<Value> {
    let path = format!("/loans/{loan}/payment-gateway/credit-cards?includeUnused=true");
    let list = world.client.get(token, &path).await.expect(200).json();
    list.as_array().expect("a list").clone()
}

/// The states of all pages, oldest first.
async fn states(world: &World) -> Vec<String> {
    world.texts("SELECT state FROM payment_method_sessions ORDER BY session_id").await
}

/// Waits until the pages have these states.
async fn expect_states(world: &World, expected: &[&str]) {
    let deadline = Instant::now() + PATIENCE;
    while states(world).await != expected {
        assert!(Instant::now() < deadline, "{:?}, {}", states(world).await, world.api.log());
        sleep(Duration::from_millis(50)).await;
    }
}

/// Lets all pages opened so far expire.
async fn expire_sessions(world: &World) {
    world.age("payment_method_sessions", &["created_date", "expires_at"], 15 * 60 + 1).await;
}

/// Fails the test unless this is an HTML page with the security headers of every page.
#[track_caller]
fn expect_page(response: TestResponse, status: u16, heading: &str) -> TestResponse {
    let response = response.expect(status);
    assert!(response.text.contains(&format!("<h1>{heading}</h1>")), "{heading}: {}", response.text);
    assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(response.header("cache-control"), "no-store");
    assert_eq!(response.header("referrer-policy"), "same-origin");
    assert_eq!(response.header("x-frame-options"), "DENY");
    assert_eq!(response.header("x-content-type-options"), "nosniff");
    let policy = response.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(policy.ends_with("; base-uri 'none'; form-action 'self'"), "{policy}");
    assert!(response.text.contains("<meta name=\"robots\" content=\"noindex\">"));
    assert!(!response.text.contains("<script") && !response.text.contains(" style="));
    response
}

const OVER: &str = "This page is no longer valid";
const ADDED: &str = "Card added";

fn valid_form(secret: &str) -> [(&str, &str); 3] {
    [("session", secret), ("card", "tok_mastercard"), ("cardholder_name", "Ann Rivera")]
}

/// The entries about cards in the field history of a loan or contact, oldest first.
async fn history(world: &World, token: &str, owner: &str) -> Vec<Value> {
    let path = format!("{owner}/field-history?limit=1000&tableName=payment_gateway_tokens");
    let list = world.client.get(token, &path).await.expect(200).json();
    let members = ["Field_Name", "New_Value", "Modified_By_Name", "Source"];
    let row = |row: &Value| json!(members.map(|member| row[member].clone()));
    list.as_array().expect("a list").iter().map(row).collect()
}
