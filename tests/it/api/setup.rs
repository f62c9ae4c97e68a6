//! `/setup/loan` and `/setup/contact`

use crate::PROGRAM;
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

async fn list(world: &World, token: &str, path: &str) -> Value {
    world.client.get(token, path).await.expect(200).json()
}

#[tokio::test]
async fn each_setup_list_shows_every_member_of_its_rows() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        for (path, first) in [
            (
                "loan/groups",
                json!({"Loan_Group_ID": 1, "Code": "CONSUMER", "Description": "Consumer loans",
                    "Active_Flag": true, "Payment_Gateway_Flag": true}),
            ),
            (
                "loan/payment-methods",
                json!({"Payment_Method_ID": 1, "Payment_Method_Code": "ACH",
                    "Description": "Bank transfer", "Active_Flag": true, "Cash_Flag": false,
                    "Check_Flag": false, "Default_Flag": true}),
            ),
            (
                "loan/portfolios",
                json!({"Portfolio_ID": 1, "Code": "MAIN", "Description": "Main portfolio",
                    "Active_Flag": true}),
            ),
            (
                "loan/status-codes",
                json!({"Status_Code_ID": 1, "Code": "ACTIVE", "Description": "Active",
                    "Active_Flag": true, "Closed_Flag": false, "Stop_Accrual_Flag": false,
                    "Stop_Late_Charge_Flag": false, "Refuse_Payments_Flag": false}),
            ),
            (
                "loan/risk-ratings",
                json!({"Risk_Rating_ID": 1, "Code": "A", "Description": "Low risk",
                    "Active_Flag": true, "Rank": 1}),
            ),
            (
                "loan/interest-plans",
                json!({"Interest_Plan_ID": 1, "Name": "STANDARD", "Active_Flag": true,
                    "Interest_Method": "SI", "Interest_Year_Numerator": "ACT",
                    "Interest_Year_Denominator": "365", "Rate_Type": "fixed",
                    "Starting_Rate": "10.00"}),
            ),
            (
                "contact/entities",
                json!({"Entity_Code": "COMPANY", "Description": "Company", "Active_Flag": true,
                    "Person_Flag": false}),
            ),
            (
                "contact/relationship-codes",
                json!({"Relationship_Code": "COBORROWER", "Description": "Co-borrower",
                    "Active_Flag": true, "Applies_To": "loan", "Auto_Prev_Addr": false}),
            ),
            (
                "contact/types",
                json!({"Contact_Type_ID": 1, "Code": "BORROWER", "Description": "Borrower",
                    "Active_Flag": true}),
            ),
        ] {
            assert_eq!(list(&world, &admin, &format!("/setup/{path}")).await[0], first, "{path}");
        }
        let codes = world.client.get(&admin, "/setup/contact/relationship-codes").await;
        assert_eq!(codes.column("Auto_Prev_Addr"), [false, true]);
        world
    })
    .await;
}

#[tokio::test]
async fn setup_lists_include_inactive_rows() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        for (table, path) in [
            ("loan_groups", "loan/groups"),
            ("payment_methods", "loan/payment-methods"),
            ("portfolios", "loan/portfolios"),
            ("loan_status_codes", "loan/status-codes"),
            ("risk_ratings", "loan/risk-ratings"),
            ("interest_plans", "loan/interest-plans"),
            ("entities", "contact/entities"),
            ("relationship_codes", "contact/relationship-codes"),
            ("contact_types", "contact/types"),
        ] {
            let rows = world.count(&format!("SELECT COUNT(*) FROM {table}")).await;
            world.sql(&format!("UPDATE {table} SET active_flag = false")).await;
            let list = world.client.get(&admin, &format!("/setup/{path}")).await.expect(200);
            assert_eq!(list.column("Active_Flag"), vec![json!(false); rows as usize], "{path}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn only_visible_fields_of_the_form_are_listed() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let columns = "form, field_name, label, data_type, size, default_value, pick_list, \
                       required_flag, hidden_flag, read_only_flag, web_visible_flag, sequence";
        let forms = [
            ("transaction_entry", "transaction-entry"),
            ("batch_transaction", "batch-transaction"),
            ("participant1_detail", "participant1-detail"),
            ("participant2_detail", "participant2-detail"),
        ];
        for (form, path) in forms {
            let path = format!("/setup/loan/fields/{path}");
            assert_eq!(list(&world, &admin, &path).await, json!([]));
            let picked =
                "'Why', 'pick_list', NULL, NULL, '[\"b\", \"a\"]', true, false, true, true, 9";
            let hidden = "'Hidden', 'text', NULL, NULL, '[]', false, true, false, true, 1";
            let noted = "'Note', 'text', 20, 'x', '[]', false, false, false, false, 1";
            let rows = [("userdef02", picked), ("userdef03", hidden), ("userdef01", noted)];
            let rows = rows.map(|(name, rest)| format!("'{form}', '{name}', {rest}"));
            let ids = world.insert("user_defined_fields", "field_id", columns, rows).await;
            let expected = json!([
                {
                    "Field_ID": ids[0], "Form": form, "Field_Name": "userdef02", "Label": "Why",
                    "Data_Type": "pick_list", "Pick_List": ["b", "a"], "Required_Flag": true,
                    "Hidden_Flag": false, "Read_Only_Flag": true, "Web_Visible_Flag": true,
                    "Sequence": 9,
                },
                {
                    "Field_ID": ids[2], "Form": form, "Field_Name": "userdef01", "Label": "Note",
                    "Data_Type": "text", "Size": 20, "Default_Value": "x", "Pick_List": [],
                    "Required_Flag": false, "Hidden_Flag": false, "Read_Only_Flag": false,
                    "Web_Visible_Flag": false, "Sequence": 1,
                },
            ]);
            assert_eq!(list(&world, &admin, &path).await, expected, "{form}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn lists_keyed_by_a_code_are_paged_in_code_point_order() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let codes = "b|B|a b|a|a-b|Ä|ä|z|😀|1|10|2|A_|A%|é|e\u{301}|ﬁ";
        let codes: Vec<&str> = codes.split('|').collect();
        for code in &codes {
            let entity = format!("'{code}', 'x', true, true");
            let columns = "entity_code, description, active_flag, person_flag";
            world.sql(&format!("INSERT INTO entities ({columns}) VALUES ({entity})")).await;
            let relationship = format!("'{code}', 'x', true, 'loan', false");
            let columns = "relationship_code, description, active_flag, applies_to, auto_prev_addr";
            let into = format!("INSERT INTO relationship_codes ({columns})");
            world.sql(&format!("{into} VALUES ({relationship})")).await;
        }
        for (path, member, seeded) in [
            ("/setup/contact/entities", "Entity_Code", ["INDIVIDUAL", "COMPANY"]),
            ("/setup/contact/relationship-codes", "Relationship_Code", ["COBORROWER", "PREVIOUS"]),
        ] {
            let mut expected: Vec<&str> = codes.iter().chain(&seeded).copied().collect();
            expected.sort_unstable();
            assert_eq!(world.client.get(&admin, path).await.expect(200).column(member), expected);
            let mut next = format!("{path}?limit=1");
            let mut seen = Vec::new();
            loop {
                let page = world.client.get(&admin, &next).await.expect(200);
                seen.extend(page.column(member));
                let Some((link, _)) = page.header("link").split_once('>') else { break };
                next = link.trim_start_matches('<').to_owned();
            }
            assert_eq!(seen, expected, "limit=1 all the way");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn rows_without_the_caller_as_trustee_are_omitted() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        world
            .sql(
                "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                 user_id FROM privileges, users WHERE path = 'Setup' AND verb = 'View' AND \
                 user_name IN ('viewer', 'teller')",
            )
            .await;
        let (viewer, teller) = (world.token("viewer").await, world.token("teller").await);
        for (object, path, id) in [
            ("loan_group", "/setup/loan/groups", "Loan_Group_ID"),
            ("portfolio", "/setup/loan/portfolios", "Portfolio_ID"),
            ("contact_type", "/setup/contact/types", "Contact_Type_ID"),
        ] {
            let ids =
                async |token: &str| world.client.get(token, path).await.expect(200).column(id);
            let all = ids(&admin).await;
            assert_eq!(ids(&viewer).await, all);
            world
                .sql(&format!(
                    "INSERT INTO trustees (object_type, object_id, user_id) \
                     SELECT '{object}', 1, user_id FROM users WHERE user_name = 'teller'"
                ))
                .await;
            assert_eq!(ids(&viewer).await, all[1..]);
            assert_eq!(ids(&teller).await, all);
            assert_eq!(ids(&admin).await, all);
        }
        world
    })
    .await;
}
