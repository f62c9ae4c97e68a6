//! `/gateway/sandbox/add-payment-method`: forms it refuses.

use super::{OVER, SANDBOX_PAGE, STRIPE_RETURN, book, cards, expect_page, open, valid_form};
use super::{history, states, submit};
use crate::PROGRAM;
use acceptance::world::in_processes_on_each_database;
use acceptance::{TestResponse, World, on_each_database};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;

const UNREADABLE: &str = "Something went wrong";
const FORM: &str = "application/x-www-form-urlencoded";
const NASTY: &str = "<script>alert(1)</script>\"'&";

async fn send(world: &World, media_type: Option<&str>, body: impl Into<Vec<u8>>) -> TestResponse {
    let request = world.client.request(Method::POST, "", SANDBOX_PAGE).body(body.into());
    let request = match media_type {
        Some(media_type) => request.header(CONTENT_TYPE, media_type),
        None => request,
    };
    world.client.send(request).await.expect("a response")
}

#[tokio::test]
async fn an_unknown_session_or_malformed_form_does_nothing() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let secret = open(&world, &admin, loan).await;
        for query in [
            String::new(),
            "?".to_owned(),
            "?session=".to_owned(),
            format!("?Session={secret}"),
            format!("?session={}", &secret[1..]),
            format!("?session={secret}a"),
            format!("?session={secret}%20"),
            format!("?session={secret}&session={secret}"),
            "?session=%FF%FE".to_owned(),
            "?session=%00".to_owned(),
            "?session=4242424242424242".to_owned(),
            format!("?session={}", "a".repeat(8000)),
            format!("?session={NASTY}"),
        ] {
            for path in [SANDBOX_PAGE, STRIPE_RETURN] {
                let response = world.client.get("", &format!("{path}{query}")).await;
                let page = expect_page(response, 410, OVER);
                assert!(!page.text.contains("42424242") && !page.text.contains("alert"), "{query}");
            }
        }
        let good = format!("session={secret}&card=tok_visa&cardholder_name=Ann");
        for (media_type, body) in [
            (None, good.clone()),
            (Some("text/plain"), good.clone()),
            (Some("multipart/form-data; boundary=x"), good.clone()),
            (Some("application/json"), "{}".to_owned()),
            (Some(FORM), String::new()),
            (Some(FORM), "%".to_owned()),
            (Some(FORM), "card=tok_visa".to_owned()),
            (Some(FORM), format!("{good}&session={secret}")),
            (Some(FORM), format!("{good}&card=tok_amex")),
            (Some(FORM), format!("{good}&cardholder_name=Bob")),
            (Some(FORM), format!("{good}&more={}", "x".repeat(1 << 20))),
        ] {
            expect_page(send(&world, media_type, body).await, 400, UNREADABLE);
        }
        for unknown in ["", "a", "\0", "4242424242424242", &secret[1..], NASTY] {
            let response = submit(&world, &valid_form(unknown)).await;
            expect_page(response, 410, OVER);
        }
        assert_eq!(cards(&world, &admin, loan).await.len(), 0);
        assert_eq!(states(&world).await, ["open"]);
        // The media type may be in another case and have a charset.
        let odd = Some("Application/X-WWW-Form-Urlencoded; charset=UTF-8");
        send(&world, odd, good).await.expect(303);
        assert!(!world.api.log().contains(&secret));
        world
    })
    .await;
}

#[tokio::test]
async fn a_form_error_is_shown_next_to_its_field_and_can_be_corrected() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let secret = open(&world, &admin, loan).await;
        let long = "é".repeat(81);
        for (card, name, fault, about_name) in [
            ("", "Ann", "Choose one of these cards.", false),
            ("tok_other", "Ann", "Choose one of these cards.", false),
            ("4242424242424242", "Ann", "Choose one of these cards.", false),
            ("tok_amex", &long, "The name is longer than 80 characters.", true),
            ("tok_amex", "An\0n", "The name contains a character that cannot be stored.", true),
        ] {
            let form = [("session", &*secret), ("card", card), ("cardholder_name", name)];
            let page = expect_page(submit(&world, &form).await, 422, "Add a card").text;
            assert!(page.contains("<title>Error: Add a card – Loan Servicing</title>"));
            assert!(page.contains(&format!("role=\"alert\">{fault}</p>")), "{page}");
            assert_eq!(page.matches("aria-describedby=\"error\"").count(), 1);
            assert_eq!(page.matches("aria-invalid=\"true\"").count(), usize::from(about_name));
            assert_eq!(page.matches(" autofocus").count(), 1);
            assert!(!page.contains("4242424242424242"));
            if about_name {
                let chosen = "value=\"tok_amex\" required checked";
                assert!(page.contains(chosen), "what was chosen stays: {page}");
            } else {
                assert!(page.contains("value=\"Ann\""), "what was typed stays: {page}");
            }
        }
        assert_eq!(cards(&world, &admin, loan).await.len(), 0);

        // Values are shown again as text, not as HTML.
        let form = [("session", &*secret), ("card", ""), ("cardholder_name", NASTY)];
        let page = expect_page(submit(&world, &form).await, 422, "Add a card").text;
        assert!(page.contains("value=\"&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;\""));
        let form = [("session", &*secret), ("card", "tok_visa"), ("cardholder_name", NASTY)];
        submit(&world, &form).await.expect(303);
        assert_eq!(cards(&world, &admin, loan).await[0]["Cardholder_Name"], NASTY);
        world
    })
    .await;
}

#[tokio::test]
async fn a_card_number_as_a_name_is_refused_and_neither_shown_nor_stored_nor_logged() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loan, contact) = book(&world, &admin).await;
        let secret = open(&world, &admin, loan).await;
        for name in ["4242424242424242", "Ann 4242-4242 4242\u{a0}4242", "(378282246310005)"] {
            let form = [("session", &*secret), ("card", "tok_visa"), ("cardholder_name", name)];
            let page = expect_page(submit(&world, &form).await, 422, "Add a card").text;
            let fault = "This looks like a card number, which this page never accepts.";
            assert!(page.contains(&format!("role=\"alert\">{fault}</p>")), "{page}");
            let seen = page.replace("•••• 4242", "").replace(&*secret, "");
            assert!(!seen.contains("4242") && !seen.contains("3782"), "{seen}");
        }
        assert_eq!(cards(&world, &admin, loan).await.len(), 0);
        assert!(history(&world, &admin, &format!("/contacts/{contact}")).await.is_empty());
        let log = world.api.log();
        for digits in ["42424242", "4242-4242", "378282246310005"] {
            assert!(!log.contains(digits), "{digits} is in the log");
        }
        // A blank name counts as none, and surrounding spaces are removed.
        let form = [("session", &*secret), ("card", "tok_visa"), ("cardholder_name", "  ")];
        submit(&world, &form).await.expect(303);
        assert_eq!(cards(&world, &admin, loan).await[0].get("Cardholder_Name"), None);
        let secret = open(&world, &admin, loan).await;
        let form = [("session", &*secret), ("card", "tok_visa"), ("cardholder_name", " Ann ")];
        submit(&world, &form).await.expect(303);
        assert_eq!(cards(&world, &admin, loan).await[1]["Cardholder_Name"], "Ann");
        world
    })
    .await;
}

#[tokio::test]
async fn unknown_gateway_paths_and_methods_are_problems() {
    on_each_database(PROGRAM, |world| async move {
        for (path, allowed) in [
            (SANDBOX_PAGE, "GET, HEAD, POST"),
            ("/gateway/sandbox/payment-method-added", "GET, HEAD"),
            (STRIPE_RETURN, "GET, HEAD"),
            ("/gateway/stripe/webhook", "POST"),
        ] {
            for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
                if allowed.contains(method.as_str()) {
                    continue;
                }
                let request = world.client.request(method.clone(), "", path);
                let response = world.client.send(request).await.expect("a response");
                let response = response.expect_problem(405, "method-not-allowed");
                let mut named: Vec<&str> = response.header("allow").split(", ").collect();
                named.sort_unstable();
                assert_eq!(named.join(", "), allowed, "{method} {path}");
            }
            for other in [format!("{path}/"), format!("{path}/x"), format!("/{path}")] {
                world.client.get("", &other).await.expect_problem(404, "not-found");
            }
        }
        for path in ["/gateway", "/gateway/", "/gateway/sandbox", "/gateway/stripe/"] {
            world.client.get("", path).await.expect_problem(404, "not-found");
        }
        world
    })
    .await;
}
