//! `/gateway/sandbox/…`: the sandbox's page for adding a card. It offers test cards, never asks for
//! a card number, and works without script.

use super::{CLOSE, SITE, message, page_of, session_over};
use crate::cards::checkout_sessions;
use crate::cards::refusals::CardError;
use crate::cards::sandbox::TEST_CARDS;
use crate::http::operations::{SANDBOX_DONE, SANDBOX_PAGE};
use crate::http::pan_scan;
use crate::state::State;
use maud::{Markup, html};
use poem::http::StatusCode;
use poem::http::header::{CONTENT_TYPE, LOCATION};
use poem::web::Data;
use poem::{Request, Response, handler};
use serde::Deserialize;
use shared::entity::payment_gateway_tokens::Gateway;
use shared::entity::payment_method_sessions::Model;
use shared::html::{Page, hidden, respond};
use shared::problem::Problem;
use std::sync::Arc;
use std::time::Duration;

const FORM_BYTES_MAX: usize = 16 * 1024;
const FORM_TIME_MAX: Duration = Duration::from_secs(10);
const HEADING: &str = "Add a card";
/// Most characters in the name on a card.
const NAME_LENGTH_MAX: usize = 80;

#[derive(Deserialize)]
struct SandboxQuery {
    session: String,
}

#[derive(Deserialize)]
struct CardForm {
    session: String,
    #[serde(default)]
    card: String,
    #[serde(default)]
    cardholder_name: String,
}

/// Previously submitted values that the page shows again.
#[derive(Default)]
struct Shown<'a> {
    card: &'a str,
    name: &'a str,
    fault: Option<CardFormFault>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CardFormFault {
    UnknownCard,
    CardNumber,
    LongName,
    UnreadableName,
}

impl CardFormFault {
    fn text(self) -> &'static str {
        match self {
            Self::UnknownCard => "Choose one of these cards.",
            Self::CardNumber => "This looks like a card number, which this page never accepts.",
            Self::LongName => "The name is longer than 80 characters.",
            Self::UnreadableName => "The name contains a character that cannot be stored.",
        }
    }

    /// True if the message belongs to the card choice, false if it belongs to the name.
    fn is_about_card(self) -> bool {
        self == Self::UnknownCard
    }
}

/// `GET /gateway/sandbox/add-payment-method?session=…`
#[handler]
pub(crate) async fn show(state: Data<&Arc<State>>, request: &Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let Ok(SandboxQuery { session: secret }) = serde_urlencoded::from_str(query) else {
        return session_over();
    };
    match checkout_sessions::find(&state.cards, &secret, Gateway::Sandbox).await {
        Ok(Some(session)) => {
            let shown = page(&state, &secret, &session, &Shown::default()).await;
            shown.unwrap_or_else(|problem| page_of(&problem))
        }
        Ok(None) => session_over(),
        Err(error) => page_of(&error.into()),
    }
}

/// `POST /gateway/sandbox/add-payment-method`
#[handler]
pub(crate) async fn submit(
    state: Data<&Arc<State>>,
    request: &Request,
    body: poem::Body,
) -> Response {
    let Some(form) = read(request, body).await else {
        let (text, advice) =
            ("The form could not be read.", "Go back to the page and submit it again.");
        return message(StatusCode::BAD_REQUEST, "Something went wrong", text, advice);
    };
    add_card(state.0, form).await.unwrap_or_else(|problem| page_of(&problem))
}

/// `GET /gateway/sandbox/payment-method-added`
#[handler]
pub(crate) fn done() -> Response {
    message(StatusCode::OK, "Card added", "You can use it from now on.", CLOSE)
}

async fn read(request: &Request, body: poem::Body) -> Option<CardForm> {
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok())?;
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return None;
    }
    let body = tokio::time::timeout(FORM_TIME_MAX, body.into_bytes_limit(FORM_BYTES_MAX)).await;
    serde_urlencoded::from_bytes(&body.ok()?.ok()?).ok()
}

async fn add_card(state: &Arc<State>, form: CardForm) -> Result<Response, Problem> {
    let Some(session) =
        checkout_sessions::find(&state.cards, &form.session, Gateway::Sandbox).await?
    else {
        return Ok(session_over());
    };
    let name = form.cardholder_name.trim();
    if let Some(fault) = find_fault(&form.card, name) {
        // A card number typed into the name field is not shown again either.
        let name = if fault == CardFormFault::CardNumber { "" } else { name };
        let shown = Shown { card: &form.card, name, fault: Some(fault) };
        return page(state, &form.session, &session, &shown).await;
    }
    let described = state.cards.gateway.describe(&form.card, session.contact_id).await;
    let described = described.map_err(CardError::from)?;
    let name = (!name.is_empty()).then(|| name.to_owned());
    match checkout_sessions::add_card(&state.cards, &session, described, name).await? {
        None => Ok(session_over()),
        Some(_) => Ok(Response::builder()
            .status(StatusCode::SEE_OTHER)
            .header(LOCATION, last_segment(SANDBOX_DONE))
            .finish()),
    }
}

fn find_fault(card: &str, name: &str) -> Option<CardFormFault> {
    if pan_scan::found_in(name) {
        Some(CardFormFault::CardNumber)
    } else if name.contains('\0') {
        Some(CardFormFault::UnreadableName)
    } else if name.chars().count() > NAME_LENGTH_MAX {
        Some(CardFormFault::LongName)
    } else if !TEST_CARDS.iter().any(|test_card| test_card.token == card) {
        Some(CardFormFault::UnknownCard)
    } else {
        None
    }
}

async fn page(
    state: &State,
    secret: &str,
    session: &Model,
    shown: &Shown<'_>,
) -> Result<Response, Problem> {
    let loan_number = checkout_sessions::loan_number(&state.cards, session).await?;
    let page = Page {
        site: SITE,
        title: match shown.fault {
            Some(_) => format!("Error: {HEADING}"),
            None => HEADING.to_owned(),
        },
        main: main(secret, &loan_number, shown),
        note: Some("This is a sandbox: the cards are fictitious, and no money moves."),
    };
    let status = match shown.fault {
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    Ok(respond(status, &page, ""))
}

fn main(secret: &str, loan_number: &str, shown: &Shown) -> Markup {
    html! {
        div class="title" {
            h1 { (HEADING) }
            span class="tag" { "Sandbox" }
        }
        p { "for loan " strong { bdi { (loan_number) } } }
        form method="post" action=(last_segment(SANDBOX_PAGE)) {
            (hidden("session", secret))
            (cards(shown))
            (name_field(shown))
            button type="submit" { "Add card" }
        }
    }
}

fn cards(shown: &Shown) -> Markup {
    let is_invalid = shown.fault.is_some_and(CardFormFault::is_about_card);
    let chosen = TEST_CARDS.iter().position(|card| card.token == shown.card).unwrap_or(0);
    html! {
        fieldset aria-describedby=[is_invalid.then_some("error")] {
            legend { "Card" }
            @if is_invalid { (error(shown)) }
            @for (index, card) in TEST_CARDS.iter().enumerate() {
                label class="choice" for=(card.token) {
                    input #(card.token) type="radio" name="card" value=(card.token) required
                        checked[index == chosen] autofocus[is_invalid && index == chosen];
                    span { (card.name) }
                    span class="digits" { "•••• " (card.last_four) }
                }
            }
        }
    }
}

fn name_field(shown: &Shown) -> Markup {
    let is_invalid = shown.fault.is_some_and(|fault| !fault.is_about_card());
    html! {
        label for="cardholder_name" { "Name on the card " span class="hint" { "(optional)" } }
        @if is_invalid { (error(shown)) }
        input #cardholder_name name="cardholder_name" type="text" value=(shown.name)
            maxlength=(NAME_LENGTH_MAX) autocomplete="cc-name" autocapitalize="words"
            spellcheck="false" autofocus[is_invalid]
            aria-invalid=[is_invalid.then_some("true")]
            aria-describedby=[is_invalid.then_some("error")];
    }
}

fn error(shown: &Shown) -> Markup {
    html! { p #error class="error" role="alert" { (shown.fault.map_or("", CardFormFault::text)) } }
}

/// Returns the last segment of a path. Relative links between sibling pages work under any prefix
/// that a proxy strips.
fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
