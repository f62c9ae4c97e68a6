//! `/loans/{loan_id}/payment-gateway/convenience-fee`

use super::{USED, book, card, link};
use crate::PROGRAM;
use acceptance::{TestResponse, World, on_each_database};
use chrono::{Datelike, Months, NaiveDate};
use serde_json::{Value, json};

/// Adds a rule: group and brand as SQL literals, flat amount, percentage, minimum and maximum.
pub(super) async fn rule(
    world: &World,
    [group, brand, flat, percent, minimum, maximum]: [&str; 6],
) -> i64 {
    let columns = "loan_group_id, brand_type, flat_amount, percentage, minimum_fee, maximum_fee, \
                   active_flag";
    let group = match group {
        "NULL" => group.to_owned(),
        code => format!("(SELECT loan_group_id FROM loan_groups WHERE code = '{code}')"),
    };
    let row = format!("{group}, {brand}, {flat}, {percent}, {minimum}, {maximum}, true");
    world.insert("convenience_fee_rules", "rule_id", columns, [row]).await[0]
}

async fn request_fee(world: &World, token: &str, loan: i64, query: &str) -> TestResponse {
    let path = format!("/loans/{loan}/payment-gateway/convenience-fee?{query}");
    world.client.get(token, &path).await
}

#[tokio::test]
async fn the_most_specific_active_fee_rule_applies() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 1).await;
        let visa = card(&world, contacts[0], loans[0], USED).await;
        let amex = card(&world, contacts[0], loans[0], ["amex", "one_time", "false", "0"]).await;
        // None of these applies to this loan: other groups, other brands.
        rule(&world, ["COMMERCIAL", "NULL", "990000", "0", "NULL", "NULL"]).await;
        rule(&world, ["COMMERCIAL", "'visa'", "990000", "0", "NULL", "NULL"]).await;
        rule(&world, ["CONSUMER", "'discover'", "990000", "0", "NULL", "NULL"]).await;
        let fee = async |token: Option<i64>| {
            let token = token.map(|id| format!("&tokenId={id}")).unwrap_or_default();
            let response =
                request_fee(&world, &admin, loans[0], &format!("amount=10.00{token}")).await;
            response.expect(200).json()["Fee"].as_str().expect("a fee").to_owned()
        };
        let mut rules = Vec::new();
        for (group, brand, flat) in [
            ("NULL", "NULL", "10000"),
            ("NULL", "'visa'", "20000"),
            ("CONSUMER", "NULL", "30000"),
            ("CONSUMER", "'visa'", "40000"),
        ] {
            rules.push(rule(&world, [group, brand, flat, "0", "NULL", "NULL"]).await);
        }
        for (switched_off, by_visa, by_amex, without_card) in [
            (None, "4.00", "3.00", "3.00"),
            (Some(rules[3]), "3.00", "3.00", "3.00"),
            (Some(rules[2]), "2.00", "1.00", "1.00"),
            (Some(rules[1]), "1.00", "1.00", "1.00"),
            (Some(rules[0]), "0.00", "0.00", "0.00"),
        ] {
            if let Some(id) = switched_off {
                let off = "UPDATE convenience_fee_rules SET active_flag = false WHERE rule_id";
                world.sql(&format!("{off} = {id}")).await;
            }
            assert_eq!(fee(Some(visa)).await, by_visa);
            assert_eq!(fee(Some(amex)).await, by_amex);
            assert_eq!(fee(None).await, without_card, "no rule for a brand counts without a card");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn the_fee_is_rounded_half_up_and_kept_within_its_bounds() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 1).await;
        let visa = card(&world, contacts[0], loans[0], USED).await;
        // 1.00 plus 2.5 percent, at least 1.10 and at most 20.00.
        rule(&world, ["NULL", "NULL", "10000", "250000000", "11000", "200000"]).await;
        for (amount, fee, total) in [
            ("0.01", "1.10", "1.11"),
            ("4.19", "1.10", "5.29"),
            ("4.20", "1.11", "5.31"),
            ("652.53", "17.31", "669.84"),
            ("652.5", "17.31", "669.81"),
            ("759.99", "20.00", "779.99"),
            ("760", "20.00", "780.00"),
            ("100000.00", "20.00", "100020.00"),
        ] {
            let response = request_fee(&world, &admin, loans[0], &format!("amount={amount}")).await;
            let response = response.expect(200).json();
            assert_eq!(
                (&response["Fee"], &response["Total"]),
                (&json!(fee), &json!(total)),
                "{amount}"
            );
            assert_eq!(response.get("Reason_Not_Assessed"), None);
        }
        let response =
            request_fee(&world, &admin, loans[0], &format!("amount=652.53&tokenId={visa}")).await;
        let expected = json!({
            "Loan_ID": loans[0], "Amount": "652.53", "PaymentGatewayTokenID": visa,
            "BrandType": "visa", "Fee": "17.31", "Total": "669.84", "Assessed_Flag": true,
            "Flat_Amount": "1.00", "Percentage": "2.50", "Minimum_Fee": "1.10",
            "Maximum_Fee": "20.00",
        });
        assert_eq!(response.expect(200).json(), expected);
        world
    })
    .await;
}

#[tokio::test]
async fn no_fee_applies_without_a_rule_or_in_person() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let free = |response: &Value, reason: &str| {
            assert_eq!(response["Fee"], "0.00");
            assert_eq!(response["Total"], "10.00");
            assert_eq!(response["Assessed_Flag"], false);
            assert_eq!(response["Reason_Not_Assessed"], reason);
        };
        let get = async |query: &str| {
            request_fee(&world, &admin, loans[0], &format!("amount=10.00{query}"))
                .await
                .expect(200)
                .json()
        };
        let none = get("").await;
        free(&none, "no_rule");
        assert_eq!(none.get("Flat_Amount"), None);
        free(&get("&borrowerPresent=true").await, "no_rule");
        rule(&world, ["NULL", "NULL", "10000", "0", "NULL", "NULL"]).await;
        free(&get("&borrowerPresent=true").await, "borrower_present");
        for absent in ["", "&borrowerPresent=false"] {
            let paid = get(absent).await;
            assert_eq!((&paid["Fee"], &paid["Total"]), (&json!("1.00"), &json!("11.00")));
            assert_eq!(paid["Assessed_Flag"], true);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_malformed_amount_is_a_400_and_an_unpayable_one_a_422() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        rule(&world, ["NULL", "NULL", "10000", "0", "NULL", "NULL"]).await;
        for query in [
            "",
            "amount=",
            "amount=ten",
            "amount=1e3",
            "amount=1,50",
            "amount=0x10",
            "amount=NaN",
            "amount=%201",
            "amount=1.",
            "amount=.5",
            "amount=1.00&amount=1.00",
        ] {
            let refused = request_fee(&world, &admin, loans[0], query).await;
            let refused = refused.expect_problem(400, "bad-request");
            assert_eq!(refused.json()["errors"][0]["field"], "amount", "{query}");
        }
        for amount in [
            "0",
            "0.00",
            "-1",
            "-0.01",
            "1.005",
            "1.001",
            "900000000000000.01",
            "900000000000000",
            "99999999999999999999999999",
        ] {
            let refused = request_fee(&world, &admin, loans[0], &format!("amount={amount}")).await;
            refused.expect_problem(422, "invalid-value");
        }
        request_fee(&world, &admin, loans[0], "amount=899999999999999.00").await.expect(200);
        // A caller who may not see the loan learns nothing about the amount.
        let unseen = request_fee(&world, &admin, loans[0] + 1, "amount=0").await;
        unseen.expect_problem(404, "not-found");
        world
    })
    .await;
}

#[tokio::test]
async fn a_card_must_be_chargeable_for_the_loan() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 4).await;
        link(&world, loans[0], contacts[1], true).await;
        let own_card = card(&world, contacts[0], loans[3], USED).await;
        let linked = card(&world, contacts[1], loans[1], USED).await;
        let foreign_card = card(&world, contacts[2], loans[0], USED).await;
        let forgotten = card(&world, contacts[0], loans[0], ["visa", "wallet", "true", "1"]).await;
        let charge = async |token: &str, loan: i64, card: i64| {
            request_fee(&world, token, loan, &format!("amount=1.00&tokenId={card}")).await
        };
        charge(&admin, loans[0], own_card).await.expect(200);
        charge(&admin, loans[0], linked).await.expect(200);
        charge(&admin, loans[0], foreign_card).await.expect_problem(404, "not-found");
        charge(&admin, loans[0], 999_999).await.expect_problem(404, "not-found");
        charge(&admin, loans[1], own_card).await.expect_problem(404, "not-found");
        charge(&admin, loans[0], forgotten).await.expect_problem(422, "card-forgotten");
        // Borrowers who share a loan may each charge only their own card.
        let (first, second) = (world.web_token(1).await, world.web_token(2).await);
        charge(&first, loans[0], own_card).await.expect(200);
        charge(&first, loans[0], linked).await.expect_problem(404, "not-found");
        charge(&second, loans[0], linked).await.expect(200);
        charge(&second, loans[0], own_card).await.expect_problem(404, "not-found");
        charge(&first, loans[1], own_card).await.expect_problem(404, "not-found");
        world.sql("UPDATE loan_groups SET payment_gateway_flag = false").await;
        charge(&admin, loans[0], own_card).await.expect_problem(422, "gateway-disabled");
        request_fee(&world, &first, loans[0], "amount=1.00")
            .await
            .expect_problem(422, "gateway-disabled");
        let list = format!("/loans/{}/payment-gateway/credit-cards", loans[0]);
        world.client.get(&first, &list).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn a_card_is_valid_through_the_end_of_its_expiry_month() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 1).await;
        let id = card(&world, contacts[0], loans[0], USED).await;
        let loan =
            world.client.get(&admin, &format!("/loans/{}", loans[0])).await.expect(200).json();
        let today: NaiveDate =
            loan["As_Of_Date"].as_str().expect("a date").parse().expect("a date");
        let first = today.with_day(1).expect("a day");
        let months = [
            (first, 200),
            (first + Months::new(1), 200),
            (first - Months::new(1), 422),
            (first - Months::new(12), 422),
            (first + Months::new(11), 200),
        ];
        for (month, status) in months {
            let sql = format!(
                "UPDATE payment_gateway_tokens SET expiry_month = {}, expiry_year = {}",
                month.month(),
                month.year()
            );
            world.sql(&sql).await;
            let response =
                request_fee(&world, &admin, loans[0], &format!("amount=1.00&tokenId={id}")).await;
            match status {
                200 => drop(response.expect(200)),
                _ => drop(response.expect_problem(422, "card-expired")),
            }
        }
        world
    })
    .await;
}
