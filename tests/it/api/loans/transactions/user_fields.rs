//! Userdef01 to Userdef05 of a payment, as the installation defines them.

use super::super::import_loan;
use crate::PROGRAM;
use acceptance::seeds::OPEN_TERMS;
use acceptance::{World, on_each_database};
use serde_json::json;

async fn define(world: &World, rows: &[&str]) {
    let columns = "form, field_name, label, data_type, size, pick_list, required_flag, \
                   hidden_flag, read_only_flag, web_visible_flag, sequence";
    let rows = rows.iter().map(|row| format!("'transaction_entry', {row}"));
    world.insert("user_defined_fields", "field_id", columns, rows).await;
}

#[tokio::test]
async fn a_payment_stores_the_installations_user_defined_fields() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        world.sql("DELETE FROM user_defined_fields").await;
        let none = json!({"Amount": "1.00", "Userdef01": "x"});
        let refused = world.pay(&admin, loan_id, none).await;
        assert!(refused.expect_problem(422, "invalid-value").text.contains("not defined"));
        define(
            &world,
            &[
                "'userdef01', 'Branch', 'text', 4, '[]', false, false, false, false, 1",
                "'userdef02', 'Came by', 'pick_list', NULL, '[\"Mail\", \"Phone\"]', true, false, \
                 false, false, 2",
                "'userdef03', 'Tip', 'money', NULL, '[]', false, false, false, false, 3",
                "'userdef04', 'Secret', 'text', NULL, '[]', false, true, false, false, 4",
                "'userdef05', 'Shown', 'text', NULL, '[]', false, false, true, false, 5",
            ],
        )
        .await;
        let before = world.snapshot().await;
        for (body, kind, field) in [
            (json!({}), "required-field", "Userdef02"),
            (json!({"Userdef02": ""}), "required-field", "Userdef02"),
            (json!({"Userdef02": "Fax"}), "invalid-value", "Userdef02"),
            (json!({"Userdef02": "Mail", "Userdef01": "Branch"}), "invalid-value", "Userdef01"),
            (json!({"Userdef02": "Mail", "Userdef03": "1.005"}), "invalid-value", "Userdef03"),
            (json!({"Userdef02": "Mail", "Userdef04": "x"}), "invalid-value", "Userdef04"),
            (json!({"Userdef02": "Mail", "Userdef05": "x"}), "invalid-value", "Userdef05"),
            (json!({"Userdef01": "x".repeat(51)}), "invalid-value", "Userdef01"),
        ] {
            let mut payment = json!({"Amount": "1.00"});
            payment
                .as_object_mut()
                .expect("members")
                .extend(body.as_object().expect("members").clone());
            let refused = world.pay(&admin, loan_id, payment).await.expect_problem(422, kind);
            assert_eq!(refused.json()["errors"][0]["field"], field, "{}", refused.text);
        }
        assert_eq!(world.snapshot().await, before);
        let payment = json!({"Amount": "1.00", "Userdef01": "Nord", "Userdef02": "Phone",
            "Userdef03": "2.5"});
        let rows = world.pay(&admin, loan_id, payment).await.expect(201).json();
        assert_eq!(rows[0]["Userdef01"], "Nord");
        assert_eq!(rows[0]["Userdef02"], "Phone");
        assert_eq!(rows[0]["Userdef03"], "2.50");
        assert_eq!(rows[1].get("Userdef01"), None, "on the total row only");
        world
    })
    .await;
}

#[tokio::test]
async fn a_field_holds_at_most_fifty_characters_and_no_u0000() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        world.sql("DELETE FROM user_defined_fields").await;
        let large = "'userdef01', 'Large', 'text', 80, '[]', false, false, false, false, 1";
        let free = "'userdef02', 'Free', 'text', NULL, '[]', false, false, false, false, 2";
        define(&world, &[large, free]).await;
        for field in ["Userdef01", "Userdef02"] {
            for value in ["\u{10ffff}".repeat(51), "a\0b".to_owned()] {
                let payment = json!({"Amount": "1.00", field: value});
                let refused = world.pay(&admin, loan_id, payment).await;
                let refused = refused.expect_problem(422, "invalid-value");
                assert_eq!(refused.json()["errors"][0]["field"], field, "{}", refused.text);
            }
            let payment = json!({"Amount": "1.00", field: "\u{10ffff}".repeat(50)});
            world.pay(&admin, loan_id, payment).await.expect(201);
        }
        world
    })
    .await;
}
