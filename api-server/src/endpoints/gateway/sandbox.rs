//! `/gateway/sandbox/…`: the sandbox's page on which a card is added. It offers test cards and asks
//! for no number. It works without script.

use super::{SITE, message, page_of, session_over};
use crate::app::App;
use crate::card_numbers;
use crate::payment_gateway::sandbox::TEST_CARDS;
use crate::payment_gateway::sessions::{self, SANDBOX_DONE, SANDBOX_PAGE};
use maud::{Markup, html};
use poem::http::StatusCode;
use poem::http::header::{CONTENT_TYPE, LOCATION};
use poem::web::Data;
use poem::{Request, Response, handler};
use serde::Deserialize;
use shared::entity::payment_gateway_tokens::Gateway;
use shared::entity::payment_method_sessions::Model;
use shared::pages::{Page, hidden, respond};
use shared::problem::Problem;
use std::sync::Arc;
use std::time::Duration;

const FORM_BYTES_MAX: usize = 16 * 1024;
const FORM_TIME_MAX: Duration = Duration::from_secs(10);
/// Characters of the name on a card.
const NAME_LENGTH_MAX: usize = 80;

#[derive(Deserialize)]
struct Query {
    session: String,
}

#[derive(Deserialize)]
struct Form {
    session: String,
    #[serde(default)]
    card: String,
    #[serde(default)]
    cardholder_name: String,
}

/// `GET /gateway/sandbox/add-payment-method?session=…`
#[handler]
pub async fn show(app: Data<&Arc<App>>, request: &Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let Ok(Query { session: secret }) = serde_urlencoded::from_str(query) else {
        return session_over();
    };
    match sessions::find(&app, &secret, Gateway::Sandbox).await {
        Ok(Some(session)) => page(&secret, &session, "", None),
        Ok(None) => session_over(),
        Err(problem) => page_of(&problem),
    }
}

/// `POST /gateway/sandbox/add-payment-method`
#[handler]
pub async fn submit(app: Data<&Arc<App>>, request: &Request, body: poem::Body) -> Response {
    let Some(form) = read(request, body).await else {
        return message(StatusCode::BAD_REQUEST, "That did not work", "The form is not readable.");
    };
    take(app.0, form).await.unwrap_or_else(|problem| page_of(&problem))
}

/// `GET /gateway/sandbox/payment-method-added`
#[handler]
pub fn done() -> Response {
    message(StatusCode::OK, "The card was added", "You can close this page now.")
}

async fn read(request: &Request, body: poem::Body) -> Option<Form> {
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok())?;
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return None;
    }
    let body = tokio::time::timeout(FORM_TIME_MAX, body.into_bytes_limit(FORM_BYTES_MAX)).await;
    serde_urlencoded::from_bytes(&body.ok()?.ok()?).ok()
}

async fn take(app: &Arc<App>, form: Form) -> Result<Response, Problem> {
    let Some(session) = sessions::find(app, &form.session, Gateway::Sandbox).await? else {
        return Ok(session_over());
    };
    let name = form.cardholder_name.trim();
    let again = |fault| Ok(page(&form.session, &session, name, Some(fault)));
    if card_numbers::found_in(name) {
        // Not shown again, either.
        let fault = "A card number was entered. This page never takes one.";
        return Ok(page(&form.session, &session, "", Some(fault)));
    }
    if name.chars().count() > NAME_LENGTH_MAX || name.contains('\0') {
        return again("The name on the card has at most 80 characters.");
    }
    if !TEST_CARDS.iter().any(|card| card.token == form.card) {
        return again("Choose one of the cards.");
    }
    let described = app.gateway.describe(&form.card, session.contact_id).await;
    let described = described.map_err(Problem::from)?;
    let name = (!name.is_empty()).then(|| name.to_owned());
    match sessions::add_card(app, &session, described, name).await? {
        None => Ok(session_over()),
        Some(_) => Ok(Response::builder()
            .status(StatusCode::SEE_OTHER)
            .header(LOCATION, SANDBOX_DONE)
            .finish()),
    }
}

fn page(secret: &str, session: &Model, name: &str, fault: Option<&str>) -> Response {
    let heading = "Add a card";
    let page = Page {
        site: SITE,
        title: match fault {
            Some(_) => format!("Error: {heading}"),
            None => heading.to_owned(),
        },
        main: form(secret, session, name, fault),
        note: Some("This is a sandbox: its cards are made up, and no money moves."),
    };
    let status = match fault {
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    respond(status, &page, "")
}

fn form(secret: &str, session: &Model, name: &str, fault: Option<&str>) -> Markup {
    html! {
        div class="title" {
            h1 { "Add a card" }
            span class="tag" { "Sandbox" }
        }
        p { "for loan " strong { (session.loan_id) } }
        @if let Some(fault) = fault { p #error class="error" role="alert" { (fault) } }
        form method="post" action=(SANDBOX_PAGE) {
            (hidden("session", secret))
            fieldset {
                legend { "Card" }
                @for (place, card) in TEST_CARDS.iter().enumerate() {
                    label class="choice" for=(card.token) {
                        input #(card.token) type="radio" name="card" value=(card.token)
                            required checked[place == 0];
                        span { (card.name) }
                        span class="digits" { "•••• " (card.last_four()) }
                    }
                }
            }
            label for="cardholder_name" { "Name on the card" }
            input #cardholder_name name="cardholder_name" type="text" value=(name)
                maxlength=(NAME_LENGTH_MAX) autocomplete="cc-name" autocapitalize="words";
            button type="submit" { "Add card" }
        }
    }
}
