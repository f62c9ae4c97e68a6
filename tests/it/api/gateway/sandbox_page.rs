//! `/gateway/sandbox/add-payment-method`: from the address to the card.

use super::{
    ADDED, OVER, SANDBOX_PAGE, book, cards, expect_page, expect_states, expire_sessions, history,
    open, request_url, show, states, submit, url_path, valid_form,
};
use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::world::in_processes_on_each_database;
use acceptance::world::{Environment, on_each_database_with};
use aws_lc_rs::digest::{SHA256, digest};
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn a_sandbox_page_adds_one_card_to_the_borrowers_wallet() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let (admin, officer) = (world.token("admin").await, world.token("officer").await);
        let (loan, contact) = book(&world, &admin).await;
        let opened = request_url(&world, &officer, loan).await.expect(200).json();
        let expires: DateTime<Utc> = opened["Expires_At"].as_str().unwrap().parse().unwrap();
        let remaining = expires - Utc::now();
        assert!(
            (TimeDelta::minutes(14)..=TimeDelta::minutes(15)).contains(&remaining),
            "{remaining}"
        );
        let page = format!("{}{SANDBOX_PAGE}?session=", world.client.api_url);
        let secret = opened["Url"].as_str().unwrap().strip_prefix(&page).expect("the page");
        assert_eq!(secret.len(), 43, "256 bits in base64url");

        let page = expect_page(show(&world, SANDBOX_PAGE, secret).await, 200, "Add a card");
        assert!(page.text.contains("for loan <strong><bdi>L-1</bdi></strong>"), "{}", page.text);
        assert_eq!(page.text.matches(" checked").count(), 1);
        assert_eq!(page.text.matches(secret).count(), 1, "in its form and nowhere else");
        // Viewing the page changes nothing, with HEAD too.
        let request = world.client.request(Method::HEAD, "", SANDBOX_PAGE);
        let head = world.client.send(request.query(&[("session", secret)])).await.unwrap();
        assert_eq!(head.expect(200).header("content-length"), page.text.len().to_string());

        let sent = submit(&world, &valid_form(secret)).await.expect(303);
        assert_eq!(sent.header("location"), "payment-method-added");
        let done = world.client.get("", "/gateway/sandbox/payment-method-added").await;
        expect_page(done, 200, ADDED);
        let path = format!("/loans/{loan}/payment-gateway/credit-cards");
        assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), json!([]));
        let added = cards(&world, &admin, loan).await;
        assert_eq!(added.len(), 1);
        for (member, value) in [
            ("BrandType", json!("mastercard")),
            ("EntryType", json!("wallet")),
            ("ForgetFlag", json!(false)),
            ("Contact_ID", json!(contact)),
            ("Loan_ID", json!(loan)),
            ("Last_Four", json!("4444")),
            ("Expiry_Month", json!(12)),
            ("Expiry_Year", json!(2099)),
            ("Cardholder_Name", json!("Ann Rivera")),
            ("Gateway", json!("sandbox")),
            ("Used_Count", json!(0)),
        ] {
            assert_eq!(added[0][member], value, "{member}");
        }
        for owner in [format!("/loans/{loan}"), format!("/contacts/{contact}")] {
            let changes = history(&world, &admin, &owner).await;
            let name = json!(["Cardholder_Name", "Ann Rivera", "officer", "gateway"]);
            assert!(changes.contains(&name), "{changes:#?}");
            assert!(
                changes.iter().all(|row| row[2] == "officer" && row[3] == "gateway"),
                "{changes:?}"
            );
        }

        for response in [
            submit(&world, &valid_form(secret)).await,
            show(&world, SANDBOX_PAGE, secret).await,
            submit(&world, &[("session", secret), ("card", "no card")]).await,
        ] {
            expect_page(response, 410, OVER);
        }
        assert_eq!(cards(&world, &admin, loan).await, added);
        assert_eq!(states(&world).await, ["used"]);
        let hash = hex::encode(digest(&SHA256, secret.as_bytes()));
        let stored = world.text("SELECT state_hash FROM payment_method_sessions").await;
        assert_eq!(stored, hash);
        let log = world.api.log();
        assert!(log.contains(SANDBOX_PAGE) && !log.contains(secret), "{log}");
        world
    })
    .await;
}

#[tokio::test]
async fn of_concurrent_forms_one_adds_a_card() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let secret = open(&world, &admin, loan).await;
        let form = valid_form(&secret);
        let responses = join_all((0..8).map(|_| submit(&world, &form))).await;
        let (added, over): (Vec<_>, Vec<_>) =
            responses.into_iter().partition(|response| response.status == 303);
        assert_eq!((added.len(), over.len()), (1, 7));
        over.into_iter().for_each(|response| drop(expect_page(response, 410, OVER)));
        assert_eq!(cards(&world, &admin, loan).await.len(), 1);
        assert_eq!(world.count("SELECT COUNT(*) FROM payment_gateway_secrets").await, 1);

        // Pages are independent: the next one accepts the same card again.
        let second = open(&world, &admin, loan).await;
        submit(&world, &valid_form(&second)).await.expect(303);
        assert_eq!(cards(&world, &admin, loan).await.len(), 2);
        assert_eq!(states(&world).await, ["used", "used"]);
        world
    })
    .await;
}

#[tokio::test]
async fn a_page_expires_after_a_quarter_of_an_hour_and_is_deleted_a_day_later() {
    let extra = [("API_GATEWAY_RECOVERY_SECONDS".to_owned(), "1".to_owned())];
    for looked_after in [false, true] {
        let mut environment = Environment::default();
        if looked_after {
            environment.api.extend(extra.clone());
        }
        on_each_database_with(PROGRAM, environment, |world| async move {
            let admin = world.token("admin").await;
            let (loan, _) = book(&world, &admin).await;
            let used = open(&world, &admin, loan).await;
            submit(&world, &valid_form(&used)).await.expect(303);
            let secret = open(&world, &admin, loan).await;
            world.age("payment_method_sessions", &["expires_at"], 14 * 60).await;
            expect_page(show(&world, SANDBOX_PAGE, &secret).await, 200, "Add a card");
            world.age("payment_method_sessions", &["expires_at"], 61).await;
            expect_page(show(&world, SANDBOX_PAGE, &secret).await, 410, OVER);
            expect_page(submit(&world, &valid_form(&secret)).await, 410, OVER);
            if looked_after {
                expect_states(&world, &["used", "expired"]).await;
                expect_page(show(&world, SANDBOX_PAGE, &secret).await, 410, OVER);
                let day = 24 * 60 * 60;
                world.age("payment_method_sessions", &["expires_at"], day - 120).await;
                tokio::time::sleep(std::time::Duration::from_secs(3)).await;
                assert_eq!(states(&world).await, ["used", "expired"]);
                world.age("payment_method_sessions", &["expires_at"], 120).await;
                expect_states(&world, &["used"]).await;
            }
            assert_eq!(cards(&world, &admin, loan).await.len(), 1);
            world
        })
        .await;
    }
}

#[tokio::test]
async fn a_page_requires_the_add_privilege_and_a_visible_loan() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        request_url(&world, "", loan).await.expect_problem(401, "token-missing");
        request_url(&world, &world.web_token(1).await, loan)
            .await
            .expect_problem(403, "core-user-only");
        let viewer = request_url(&world, &world.token("viewer").await, loan).await;
        let viewer = viewer.expect_problem(403, "privilege-missing");
        assert!(viewer.text.contains("Payment Gateway > Cards > Add"), "{}", viewer.text);
        request_url(&world, &admin, loan + 999).await.expect_problem(404, "not-found");
        let teller = "(SELECT user_id FROM users WHERE user_name = 'teller')";
        world.sql(&format!("UPDATE loans SET loan_officer_user_id = {teller}")).await;
        let officer = world.token("officer").await;
        request_url(&world, &officer, loan).await.expect_problem(404, "not-found");

        // HEAD says whether there would be a page, and opens none.
        let head = async |token: &str| {
            let request = world.client.request(Method::HEAD, token, &url_path(loan));
            world.client.send(request).await.expect("a response")
        };
        let head_response = head(&admin).await.expect(200);
        assert!(head_response.text.is_empty());
        head(&officer).await.expect(404);
        assert_eq!(states(&world).await, [""; 0]);
        let shown = request_url(&world, &admin, loan).await.expect(200);
        assert_eq!(head_response.header("content-length"), shown.text.len().to_string());
        assert_eq!(states(&world).await, ["open"]);

        world.sql("UPDATE loan_groups SET payment_gateway_flag = false").await;
        request_url(&world, &admin, loan).await.expect_problem(422, "gateway-disabled");
        head(&admin).await.expect(422);
        assert_eq!(states(&world).await, ["open"]);
        world
    })
    .await;
}

#[tokio::test]
async fn a_page_of_another_gateway_adds_no_card() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let secret = open(&world, &admin, loan).await;
        expect_page(show(&world, super::STRIPE_RETURN, &secret).await, 410, OVER);
        let other = "UPDATE payment_method_sessions SET gateway = 'stripe', \
                     gateway_reference = 'cs_test_1'";
        world.sql(other).await;
        for path in [SANDBOX_PAGE, super::STRIPE_RETURN] {
            expect_page(show(&world, path, &secret).await, 410, OVER);
        }
        expect_page(submit(&world, &valid_form(&secret)).await, 410, OVER);
        // It also expires without a provider that could be asked.
        expire_sessions(&world).await;
        let mut world = world;
        world.api.kill().await;
        world.api.restart(&world.client.http).await;
        expect_states(&world, &["expired"]).await;
        world
    })
    .await;
}
