//! Pages of the auth server: log-in, log-out, and notices.
//!
//! The layout that all pages of the product share is in [`shared::html`].

use crate::web::redirects;
use maud::{Markup, html};
use poem::Response;
use poem::http::StatusCode;
use shared::entity::oauth_clients;
use shared::html::{Back, Notice, Page, back_button, hidden, notice, respond};
use shared::introspection::UserKind;

/// Content of the log-in page.
#[derive(Clone, Copy)]
pub struct LogInForm<'a> {
    /// Display name of this installation, such as "Loan Servicing".
    pub site: &'a str,
    /// Kind of user who logs in.
    pub kind: UserKind,
    /// Display name of the application.
    pub application: &'a str,
    /// Id of the authorization request, carried in a hidden field.
    pub request: &'a str,
    /// The client, in a hidden field as well.
    pub client_id: &'a str,
    /// CSRF token, in a hidden field as well.
    pub csrf: &'a str,
    /// Initial value of the user name field.
    pub user_name: &'a str,
    /// The last attempt was refused: wrong name or password, or a locked account.
    pub refused: bool,
    /// Where the response to the form may redirect to besides this server, as sources of a Content
    /// Security Policy: `https://app.example`. Chromium applies `form-action` to redirects too.
    pub form_action_origins: &'a str,
}

/// Renders the log-in form, which posts to `/login`.
pub fn log_in(form: &LogInForm) -> Response {
    let heading = log_in_heading(form.kind);
    let page = Page {
        site: form.site,
        title: if form.refused { format!("Error: {heading}") } else { heading.to_owned() },
        main: log_in_main(form),
        note: Some("Check the address of this page before you enter your password."),
    };
    respond(StatusCode::OK, &page, form.form_action_origins)
}

/// Renders the page after a log-out, where no application takes the user back.
pub fn logged_out(site: &str, back: Option<&Back>) -> Response {
    let text = "Your session in this browser has ended.";
    let advice = "You can close this page now.";
    notice(site, StatusCode::OK, &Notice { title: "You are logged out", text, advice, back })
}

/// Renders the page at `/` for visitors who know only the host.
pub fn about(site: &str, metadata: &str) -> Response {
    let text = "This server handles log-in and log-out. It has no other pages.";
    let advice = "Open the application you want to use. It sends you here when you need to log in.";
    let back = Back { label: "Server metadata".to_owned(), url: metadata.to_owned() };
    let title = "Auth server";
    notice(site, StatusCode::OK, &Notice { title, text, advice, back: Some(&back) })
}

/// Returns a link to an application's origin, not to a page inside the application.
pub fn link_back(client: &oauth_clients::Model, redirect_uri: Option<&str>) -> Option<Back> {
    let registered = client.redirect_uris.split_ascii_whitespace().next();
    let url = redirects::origin_url(redirect_uri.or(registered)?)?;
    Some(Back { label: format!("Back to {}", client.name()), url })
}

/// Renders the log-out confirmation; its form posts `csrf` and all of `fields` to `/oauth2/logout`.
///
/// `form_action_origins` is as in [`LogInForm`]: where the log-out may redirect to.
pub fn confirm_log_out(
    site: &str,
    csrf: &str,
    fields: &[(&str, &str)],
    form_action_origins: &str,
    back: Option<&Back>,
) -> Response {
    const TITLE: &str = "Do you want to log out?";
    let main = html! {
        h1 { (TITLE) }
        p { "To stay logged in, go back or close this page." }
        form method="post" action="/oauth2/logout" {
            (hidden("csrf", csrf))
            @for (name, value) in fields { (hidden(name, value)) }
            button type="submit" { "Log out" }
        }
        (back_button(back))
    };
    let page = Page { site, title: TITLE.to_owned(), main, note: None };
    respond(StatusCode::OK, &page, form_action_origins)
}

/// One text for every reason: an attacker who guesses must not learn which part was wrong.
const REFUSED: &str = "Incorrect user name or password. \
    After several failed attempts, the account is locked for half an hour.";

fn log_in_heading(kind: UserKind) -> &'static str {
    match kind {
        UserKind::Core => "Log in",
        UserKind::Web => "Log in to your loans",
    }
}

fn log_in_main(form: &LogInForm) -> Markup {
    html! {
        div class="title" {
            h1 { (log_in_heading(form.kind)) }
            @if form.kind == UserKind::Core { span class="tag" { "Staff" } }
        }
        p { "to continue to " strong { bdi { (form.application) } } }
        form method="post" action="/login" {
            (hidden("request", form.request))
            (hidden("client_id", form.client_id))
            (hidden("csrf", form.csrf))
            (user_name_field(form))
            (password_field(form))
            button type="submit" { "Log in" }
        }
    }
}

fn user_name_field(form: &LogInForm) -> Markup {
    html! {
        label for="username" { "User name" }
        input #username name="username" type="text" value=(form.user_name) required maxlength="200"
            autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false"
            autofocus[form.user_name.is_empty()]
            aria-invalid=[form.refused.then_some("true")]
            aria-describedby=[form.refused.then_some("error")];
    }
}

fn password_field(form: &LogInForm) -> Markup {
    html! {
        label for="password" { "Password" }
        @if form.refused { p #error class="error" role="alert" { (REFUSED) } }
        input #password name="password" type="password" required maxlength="1024"
            autocomplete="current-password" autocapitalize="none" autocorrect="off"
            spellcheck="false"
            autofocus[!form.user_name.is_empty()]
            aria-invalid=[form.refused.then_some("true")]
            aria-describedby=[form.refused.then_some("error")];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::digest::{SHA256, digest};
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use shared::telemetry::RequestId;

    const NASTY: &str = "<script>alert(1)</script>\"'&";
    const FORM: LogInForm<'static> = LogInForm {
        site: "Loan Servicing",
        kind: UserKind::Web,
        application: "loan-portal",
        request: "request-1",
        client_id: "loan-portal",
        csrf: "csrf-1",
        user_name: "",
        refused: false,
        form_action_origins: "",
    };

    const NOTICE: Notice<'static> = Notice { title: NASTY, text: NASTY, advice: NASTY, back: None };

    fn back() -> Back {
        Back { label: NASTY.to_owned(), url: format!("https://app.example/{NASTY}") }
    }

    #[tokio::test]
    async fn an_error_page_has_instructions_a_reference_and_a_way_back() {
        let back = Back { label: "Back to X".to_owned(), url: "https://app.example/".to_owned() };
        let notice = Notice { advice: "Do this.", back: Some(&back), ..NOTICE };
        let id = RequestId::random();
        let page = async { shared::html::notice("Site", StatusCode::OK, &notice) };
        let text = text(id.clone().within(page).await).await;
        for part in [
            "<p>Do this.</p>".to_owned(),
            "<a class=\"button\" href=\"https://app.example/\">Back to X</a>".to_owned(),
            format!("Reference: {}", id.as_str()),
        ] {
            assert!(text.contains(&part), "no {part} in {text}");
        }
    }

    #[tokio::test]
    async fn the_log_in_page_escapes_its_input() {
        let form = LogInForm {
            site: NASTY,
            application: NASTY,
            request: NASTY,
            client_id: NASTY,
            csrf: NASTY,
            user_name: NASTY,
            ..FORM
        };
        let pages = [
            log_in(&form),
            logged_out(NASTY, None),
            confirm_log_out(NASTY, NASTY, &[(NASTY, NASTY)], "", Some(&back())),
            notice(NASTY, StatusCode::BAD_REQUEST, &NOTICE),
        ];
        for page in pages {
            let text = text(page).await;
            assert!(!text.contains("<script"), "{text}");
            assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;"), "{text}");
        }
    }

    #[tokio::test]
    async fn the_policy_allows_exactly_the_style_sheet_of_the_page() {
        let response = log_in(&FORM);
        let policy = response.header("content-security-policy").unwrap().to_owned();
        let text = text(response).await;
        let style = text.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
        let hash = STANDARD.encode(digest(&SHA256, style.as_bytes()));
        assert!(policy.contains(&format!("; style-src 'sha256-{hash}';")), "{policy}");
        assert_eq!(text.matches("<style").count(), 1);
        assert!(!text.contains(" style="), "the policy forbids style attributes");
        // Browsers hash the parsed text, in which line ends are \n.
        assert!(!style.contains('\r'));
    }

    #[tokio::test]
    async fn every_visible_field_has_a_label() {
        let text = text(log_in(&FORM)).await;
        let inputs: Vec<&str> = text.split("<input ").skip(1).collect();
        let (hidden, visible): (Vec<&str>, Vec<&str>) =
            inputs.iter().partition(|input| input.contains("type=\"hidden\""));
        assert_eq!((hidden.len(), visible.len()), (3, 2));
        for input in visible {
            let id = input.split_once("id=\"").unwrap().1.split_once('"').unwrap().0;
            assert!(text.contains(&format!("<label for=\"{id}\">")), "{id}");
        }
    }

    #[tokio::test]
    async fn a_refusal_is_shown_next_to_its_field() {
        let unsubmitted = text(log_in(&FORM)).await;
        assert!(unsubmitted.contains("<title>Log in to your loans – Loan Servicing</title>"));
        assert!(!unsubmitted.contains("aria-invalid=") && !unsubmitted.contains(REFUSED));

        let form = LogInForm { refused: true, user_name: "ann", ..FORM };
        let refused = text(log_in(&form)).await;
        assert!(refused.contains("<title>Error: Log in to your loans – Loan Servicing</title>"));
        assert_eq!(refused.matches("aria-describedby=\"error\"").count(), 2);
        assert_eq!(refused.matches("aria-invalid=\"true\"").count(), 2);
        assert!(refused.contains("<p id=\"error\" class=\"error\" role=\"alert\">"), "{refused}");
        assert!(refused.contains(REFUSED));
    }

    #[tokio::test]
    async fn the_first_empty_field_has_focus() {
        for (user_name, field) in [("", "username"), ("ann", "password")] {
            let text = text(log_in(&LogInForm { user_name, ..FORM })).await;
            assert_eq!(text.matches(" autofocus").count(), 1);
            let before = text.split_once(" autofocus").unwrap().0;
            assert!(before.rsplit_once("<input ").unwrap().1.contains(&format!("id=\"{field}\"")));
        }
    }

    #[tokio::test]
    async fn staff_and_borrowers_get_different_pages() {
        let staff = text(log_in(&LogInForm { kind: UserKind::Core, ..FORM })).await;
        assert!(staff.contains("<h1>Log in</h1>") && staff.contains("Staff"));
        let borrowers = text(log_in(&FORM)).await;
        assert!(
            borrowers.contains("<h1>Log in to your loans</h1>") && !borrowers.contains("Staff")
        );
    }

    #[test]
    fn the_policy_restricts_form_targets() {
        let own = form_action("");
        assert_eq!(own, "form-action 'self'");
        for one in ["https://app.example", "http://127.0.0.1:4000", "com.example.app:"] {
            assert_eq!(form_action(one), format!("{own} {one}"));
        }
        let two = "https://a.example https://b.example:8443";
        assert_eq!(form_action(two), format!("{own} {two}"));
        for bad in ["https://a.example;script-src", "*", "'unsafe-inline'", "a,b", "é", "\0"] {
            assert_eq!(form_action(bad), own, "{bad:?}");
        }
        assert_eq!(
            form_action("https://a.example\r\n;script-src"),
            "form-action 'self' https://a.example"
        );
    }

    #[test]
    fn every_page_has_the_same_security_headers() {
        let pages = [
            log_in(&FORM),
            logged_out("Site", Some(&back())),
            confirm_log_out("Site", "csrf", &[], "", None),
            notice("Site", StatusCode::BAD_REQUEST, &NOTICE),
        ];
        for page in &pages {
            assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
            assert_eq!(page.header("cache-control"), Some("no-store"));
            assert_eq!(page.header("referrer-policy"), Some("same-origin"));
            assert_eq!(page.header("x-frame-options"), Some("DENY"));
            assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
            let policy = page.header("content-security-policy").unwrap();
            assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
            for part in ["img-src data:", "frame-ancestors 'none'", "base-uri 'none'"] {
                assert!(policy.split("; ").any(|directive| directive == part), "{policy}");
            }
        }
        assert_eq!(pages.map(|page| page.status().as_u16()), [200, 200, 200, 400]);
    }

    #[tokio::test]
    async fn the_log_out_page_keeps_its_parameters() {
        let fields = [("state", "s1"), ("post_logout_redirect_uri", "https://app.example/")];
        let response = confirm_log_out("Site", "csrf-1", &fields, "https://app.example", None);
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.ends_with("; form-action 'self' https://app.example"), "{policy}");
        let text = text(response).await;
        assert!(text.contains("<form method=\"post\" action=\"/oauth2/logout\">"));
        for (name, value) in fields.iter().chain(&[("csrf", "csrf-1")]) {
            let field = format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">");
            assert!(text.contains(&field), "{text}");
        }
    }

    fn form_action(form_action_origins: &str) -> String {
        let response = log_in(&LogInForm { form_action_origins, ..FORM });
        let policy = response.header("content-security-policy").unwrap();
        assert_eq!(policy.split("; ").count(), 6, "{policy}");
        policy.rsplit("; ").next().unwrap().to_owned()
    }

    async fn text(response: Response) -> String {
        response.into_body().into_string().await.unwrap()
    }
}
