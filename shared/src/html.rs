//! Browser pages of both servers.
//!
//! The pages are plain HTML with one inline style sheet and no scripts, and load no images or
//! fonts. The Content Security Policy forbids everything else, so that even a value that slipped
//! through unescaped could do nothing.

use crate::telemetry::RequestId;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use poem::Response;
use poem::http::{StatusCode, header};
use std::sync::LazyLock;

/// Content of a page without a form, usually an error.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notice<'a> {
    /// Heading, a few words.
    pub title: &'a str,
    /// What has happened.
    pub text: &'a str,
    /// What to do next.
    pub advice: &'a str,
    /// Link onward, if any.
    pub back: Option<&'a Back>,
}

/// A link back, or onward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Back {
    /// Link text.
    pub label: String,
    /// Link target.
    pub url: String,
}

/// Renders a notice, with the request id as a reference to the log.
pub fn notice(site: &str, status: StatusCode, notice: &Notice) -> Response {
    let Notice { title, text, advice, back } = *notice;
    let main = html! {
        h1 { (title) }
        p { (text) }
        @if !advice.is_empty() { p { (advice) } }
        (back_button(back))
    };
    respond(status, &Page { site, title: title.to_owned(), main, note: None }, "")
}

/// Renders the link, styled as a button.
pub fn back_button(back: Option<&Back>) -> Markup {
    html! { @if let Some(Back { label, url }) = back { a.button href=(url) { (label) } } }
}

/// Renders a hidden form field.
pub fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

/// Content of a page.
pub struct Page<'a> {
    /// Display name of this installation, such as "Loan Servicing".
    pub site: &'a str,
    /// Title of the browser tab.
    pub title: String,
    /// Main content.
    pub main: Markup,
    /// Small print in the footer.
    pub note: Option<&'a str>,
}

/// Renders a page as a response.
///
/// `form_action_origins`: where the response to its form may redirect to besides this server, as
/// sources of a Content Security Policy: `https://app.example`. Chromium applies `form-action` to
/// redirects too.
pub fn respond(status: StatusCode, page: &Page, form_action_origins: &str) -> Response {
    Response::builder()
        .status(status)
        .content_type("text/html; charset=utf-8")
        .header(header::CACHE_CONTROL, "no-store")
        // With no-referrer, Chromium would send `Origin: null` with the form.
        .header(header::REFERRER_POLICY, "same-origin")
        .header(header::CONTENT_SECURITY_POLICY, security_policy(form_action_origins))
        .header(header::X_FRAME_OPTIONS, "DENY")
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .body(document(page).into_string())
}

/// Colors of all pages, light and dark, as custom properties of the root.
pub const PALETTE: &str = include_str!("pages/palette.css");

const STYLE: &str = concat!(include_str!("pages/palette.css"), include_str!("pages/style.css"));

/// CSP source expression that allows [`STYLE`] and nothing else.
static STYLE_SOURCE: LazyLock<String> =
    LazyLock::new(|| format!("'sha256-{}'", STANDARD.encode(digest(&SHA256, STYLE.as_bytes()))));

fn security_policy(form_action_origins: &str) -> String {
    let mut policy = format!(
        "default-src 'none'; style-src {}; img-src data:; frame-ancestors 'none'; \
         base-uri 'none'; form-action 'self'",
        *STYLE_SOURCE
    );
    for source in form_action_origins.split_ascii_whitespace().filter(|source| is_source(source)) {
        policy.push(' ');
        policy.push_str(source);
    }
    policy
}

/// True if this is a single CSP source that cannot begin another directive or policy.
fn is_source(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic() && !b";,'\"*".contains(&byte))
}

/// A padlock on a 32 by 32 grid, for the page header and the tab icon.
const PADLOCK: &str = "M10 15v-2a6 6 0 0 1 12 0v2h.5a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1-1.5 \
    1.5h-13a1.5 1.5 0 0 1-1.5-1.5v-7a1.5 1.5 0 0 1 1.5-1.5zm2.5 0h7v-2a3.5 3.5 0 0 0-7 0z";

/// Returns an inline icon, so that browsers do not request one.
pub fn icon() -> String {
    format!(
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E\
         %3Crect width='32' height='32' rx='8' fill='%230f5499'/%3E\
         %3Cpath fill='%23fff' d='{PADLOCK}'/%3E%3C/svg%3E"
    )
}

fn document(page: &Page) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { (page.title) " – " (page.site) }
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                link rel="icon" href=(icon());
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { (padlock()) span { (page.site) } }
                main { (page.main) }
                @if let Some(note) = page.note { footer { p { (note) } } }
                @if let Some(id) = RequestId::current().filter(|_| page.note.is_none()) {
                    footer { p { "Reference: " (id.as_str()) } }
                }
            }
        }
    }
}

/// Renders the padlock beside the site name.
pub fn padlock() -> Markup {
    html! {
        svg viewBox="0 0 32 32" aria-hidden="true" {
            rect width="32" height="32" rx="8" fill="currentColor" {}
            path d=(PADLOCK) {}
        }
    }
}
