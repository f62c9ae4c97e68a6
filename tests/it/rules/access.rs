//! Who may call: every operation of the served document is tried without a token, as the wrong
//! kind of caller, and without the privilege. An operation that nobody listed here fails.

use crate::PROGRAM;
use acceptance::forms::{self, Form};
use acceptance::rows::with_known;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::{Answer, World, on_each_database};
use reqwest::Method;
use serde_json::{Value, json};

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    /// Core-system users who hold the privilege.
    Core(&'static str, &'static str),
    /// Web users, and core-system users who hold the privilege.
    Any(&'static str, &'static str),
    /// Every core-system user.
    EveryCoreUser,
    /// Every core-system user; what he has no privilege for does not exist for him.
    WhoeverSeesTheRow,
    /// The admin account.
    Admin,
}

/// Every operation, by its id.
const OPERATIONS: &[(&str, Who)] = &[
    ("get_loan", Who::Core("Loan > Records", "View")),
    ("list_transactions", Who::Core("Loan > Transactions", "View")),
    ("list_recurring_transactions", Who::Core("Loan > Recurring Transactions", "View")),
    ("get_automated_payment", Who::Core("Loan > Automated Payments", "View")),
    ("list_loan_field_history", Who::Core("Loan > Field History", "View")),
    ("list_loan_detail1_documents", Who::Core("Loan > Detail 1", "View")),
    ("list_loan_detail2_documents", Who::Core("Loan > Detail 2", "View")),
    ("create_loan_detail1_document", Who::Core("Loan > Detail 1", "Change")),
    ("create_loan_detail2_document", Who::Core("Loan > Detail 2", "Change")),
    ("list_loan_collateral", Who::Core("Collateral > Records", "View")),
    ("get_collateral", Who::Core("Collateral > Records", "View")),
    ("get_collateral_vehicle", Who::Core("Collateral > Records", "View")),
    ("get_collateral_location", Who::Core("Collateral > Records", "View")),
    ("list_collateral_insurance", Who::Core("Collateral > Records", "View")),
    ("list_collateral_taxes", Who::Core("Collateral > Records", "View")),
    ("get_collateral_description", Who::Core("Collateral > Records", "View")),
    ("get_loan_comment", Who::Core("Loan > Comments", "View")),
    ("list_loan_comment_documents", Who::Core("Loan > Comments", "View")),
    ("create_loan_comment_document", Who::Core("Loan > Comments", "Change")),
    ("remove_loan_comment_document", Who::Core("Loan > Comments", "Change")),
    ("get_contact_comment", Who::Core("Contact > Comments", "View")),
    ("list_contact_comment_documents", Who::Core("Contact > Comments", "View")),
    ("create_contact_comment_document", Who::Core("Contact > Comments", "Change")),
    ("remove_contact_comment_document", Who::Core("Contact > Comments", "Change")),
    ("get_collateral_comment", Who::Core("Collateral > Comments", "View")),
    ("change_collateral_comment", Who::Core("Collateral > Comments", "Change")),
    ("remove_collateral_comment", Who::Core("Collateral > Comments", "Delete")),
    ("list_collateral_comment_documents", Who::Core("Collateral > Comments", "View")),
    ("create_collateral_comment_document", Who::Core("Collateral > Comments", "Change")),
    ("remove_collateral_comment_document", Who::Core("Collateral > Comments", "Change")),
    ("get_contact", Who::Core("Contact > Records", "View")),
    ("list_contact_field_history", Who::Core("Contact > Field History", "View")),
    ("get_credit_profile", Who::Core("Contact > Credit Profiles", "View")),
    ("list_contact_demographics_documents", Who::Core("Contact > Demographics", "View")),
    ("list_contact_detail_documents", Who::Core("Contact > Detail", "View")),
    ("list_contact_financials_documents", Who::Core("Contact > Financials", "View")),
    ("create_contact_demographics_document", Who::Core("Contact > Demographics", "Change")),
    ("create_contact_detail_document", Who::Core("Contact > Detail", "Change")),
    ("create_contact_financials_document", Who::Core("Contact > Financials", "Change")),
    ("list_drawers", Who::Core("Cash Drawer > Drawers", "View")),
    ("get_drawer", Who::Core("Cash Drawer > Drawers", "View")),
    ("list_drawer_active_users", Who::Core("Cash Drawer > Drawers", "View")),
    ("list_drawer_assigned_users", Who::Core("Cash Drawer > Drawers", "View")),
    ("list_reconciliations", Who::Core("Cash Drawer > Reconciliations", "View")),
    ("list_drawer_transactions", Who::Core("Cash Drawer > Transactions", "View")),
    ("reconcile_drawer", Who::Core("Cash Drawer > Reconciliations", "Add")),
    ("post_drawer_transaction", Who::Core("Cash Drawer > Transactions", "Add")),
    ("list_users", Who::Core("Security > Users", "View")),
    ("list_user_privileges", Who::Core("Security > Privileges", "View")),
    ("get_ach_batch_status", Who::Core("Processing > ACH Batch", "View")),
    ("get_batch_accrual_status", Who::Core("Processing > Accrual", "View")),
    ("list_loan_groups", Who::Core("Setup > Loan", "View")),
    ("list_payment_methods", Who::Core("Setup > Loan", "View")),
    ("list_portfolios", Who::Core("Setup > Loan", "View")),
    ("list_loan_status_codes", Who::Core("Setup > Loan", "View")),
    ("list_risk_ratings", Who::Core("Setup > Loan", "View")),
    ("list_transaction_entry_fields", Who::Core("Setup > Loan", "View")),
    ("list_batch_transaction_fields", Who::Core("Setup > Loan", "View")),
    ("list_participant1_fields", Who::Core("Setup > Loan", "View")),
    ("list_participant2_fields", Who::Core("Setup > Loan", "View")),
    ("list_entities", Who::Core("Setup > Contact", "View")),
    ("list_relationship_codes", Who::Core("Setup > Contact", "View")),
    ("list_contact_types", Who::Core("Setup > Contact", "View")),
    ("post_payment", Who::Core("Loan > Payments", "Add")),
    ("list_credit_lines", Who::Any("Loan > Credit Lines", "View")),
    ("get_credit_used", Who::Any("Loan > Credit Lines", "View")),
    ("list_draws", Who::Any("Loan > Credit Lines", "View")),
    ("list_contact_detail", Who::Any("Contact > Detail", "View")),
    ("list_cards", Who::Any("Payment Gateway > Cards", "View")),
    ("get_card", Who::Any("Payment Gateway > Cards", "View")),
    ("create_card", Who::Any("Payment Gateway > Cards", "Add")),
    ("forget_card", Who::Any("Payment Gateway > Cards", "Forget")),
    ("post_card_payment", Who::Core("Payment Gateway > Payments", "Add")),
    ("get_add_payment_method_url", Who::Core("Payment Gateway > Cards", "Add")),
    ("get_convenience_fee", Who::Any("Payment Gateway > Convenience Fee", "View")),
    ("list_interest_plans", Who::EveryCoreUser),
    ("list_contact_officers", Who::EveryCoreUser),
    ("list_loan_officers", Who::EveryCoreUser),
    ("list_collection_officers", Who::EveryCoreUser),
    ("get_document", Who::WhoeverSeesTheRow),
    ("list_document_files", Who::WhoeverSeesTheRow),
    ("change_document", Who::WhoeverSeesTheRow),
    ("remove_document", Who::WhoeverSeesTheRow),
    ("create_document_file", Who::WhoeverSeesTheRow),
    ("remove_document_file", Who::WhoeverSeesTheRow),
    ("download_file", Who::WhoeverSeesTheRow),
    ("import_xml", Who::Admin),
];

/// The operations of the served document: id, method, path with ids filled in. Who may call is
/// decided before rows are looked for, so any id will do.
async fn operations(world: &World) -> Vec<(String, Method, String)> {
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    let mut found = Vec::new();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        let segments = path.split('/').map(|segment| match segment {
            "{field}" => "userdef01",
            // Nobody's own id.
            name if name.starts_with('{') => "999999",
            word => word,
        });
        let path = segments.collect::<Vec<_>>().join("/");
        for (method, operation) in operations.as_object().expect("operations") {
            let id = operation["operationId"].as_str().expect("an id").to_owned();
            let method = method.to_uppercase().parse().expect("a method");
            found.push((id, method, path.clone()));
        }
    }
    found
}

async fn call(world: &World, token: &str, method: &Method, path: &str) -> Answer {
    let request = world.client.request(method.clone(), token, path);
    let request = match *method == Method::GET {
        true => request,
        // Rubbish: who may call is decided before the body is looked at.
        false => request.header("content-type", "text/plain").body("rubbish"),
    };
    world.client.send(request).await.expect("an answer")
}

/// A request that is sound but for the row it names.
async fn call_soundly(world: &World, token: &str, method: &Method, path: &str) -> Answer {
    let request = |path: &str| world.client.request(method.clone(), token, path);
    let request = match *method {
        Method::PUT if path.contains("/comments/") => request(path).json(&json!({
            "Comment_Category_ID": 1, "Comment": "Words", "Priority": "low", "Pinned_Flag": false,
            "versionHash": "any",
        })),
        Method::PUT => request(path).json(&json!({"Name": "Words", "versionHash": "any"})),
        Method::POST => request(path)
            .header("content-type", forms::media_type())
            .body(Form::file("a.txt", b"words").finish()),
        Method::DELETE => {
            let all = [("documentId", "1"), ("fileId", "1"), ("versionHash", "any")];
            request(&with_known(method, path, &all))
        }
        _ => request(path),
    };
    world.client.send(request).await.expect("an answer")
}

#[tokio::test]
async fn every_operation_refuses_whoever_may_not_call_it() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let records = borrower_with_loan(1, OPEN_TERMS)
            + "<Contact UpdateFlag=\"1\" ContactNumber=\"C-1\">\
               <WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>";
        world.import(&admin, &file(&records)).await;
        let web = world.client.log_in("web", "one", "first words").await.expect("a token");
        world.sql("DELETE FROM privilege_grants").await;
        let nobody = world.token("viewer").await;
        let found = operations(&world).await;
        for (id, method, path) in &found {
            let listed = OPERATIONS.iter().find(|(known, _)| known == id);
            let (_, who) = listed.unwrap_or_else(|| panic!("{id} is not listed here"));
            let missing = call(&world, "", method, path).await;
            let missing = missing.expect_problem(401, "token-missing");
            assert_eq!(missing.header("www-authenticate"), r#"Bearer realm="core""#);
            call(&world, "junk", method, path).await.expect_problem(401, "token-invalid");
            match who {
                Who::Admin => {
                    call(&world, &web, method, path).await.expect_problem(403, "admin-only");
                    call(&world, &nobody, method, path).await.expect_problem(403, "admin-only");
                }
                Who::EveryCoreUser | Who::WhoeverSeesTheRow => {
                    call(&world, &web, method, path).await.expect_problem(403, "core-user-only");
                    let answer = call_soundly(&world, &nobody, method, path).await;
                    let expected = if *who == Who::EveryCoreUser { 200 } else { 404 };
                    assert_eq!(answer.status, expected, "{id}: {}", answer.text);
                }
                Who::Core(privilege, verb) | Who::Any(privilege, verb) => {
                    let answer = call(&world, &web, method, path).await;
                    match who {
                        Who::Any(..) => assert_ne!(answer.status, 403, "{id}: {}", answer.text),
                        _ => drop(answer.expect_problem(403, "core-user-only")),
                    }
                    let refused = call(&world, &nobody, method, path).await;
                    let refused = refused.expect_problem(403, "privilege-missing");
                    let named = format!("{privilege} > {verb}");
                    assert!(refused.text.contains(&named), "{id}: {}", refused.text);
                }
            }
            let allowed = call(&world, &admin, method, path).await;
            assert!(![401, 403].contains(&allowed.status.as_u16()), "{id}: {}", allowed.text);
        }
        for (id, _) in OPERATIONS {
            assert!(found.iter().any(|(known, ..)| known == id), "{id} is not served");
        }
        world
    })
    .await;
}

/// Lists without an id in their path from which rows are left out; the others are everybody's.
const FILTERED: [&str; 4] =
    ["list_drawers", "list_loan_groups", "list_portfolios", "list_contact_types"];

/// Gives all loans and contacts to the teller, closes one row of each setup list that has trustees
/// to everybody else, and gives the viewer every privilege but those that see other people's rows.
async fn hide_everything_from_the_viewer(world: &World) {
    let teller = "(SELECT user_id FROM users WHERE user_name = 'teller')";
    let officers =
        format!("loan_officer_user_id = {teller}, collection_officer_user_id = {teller}");
    world.sql(&format!("UPDATE loans SET {officers}")).await;
    world.sql(&format!("UPDATE contacts SET contact_officer_user_id = {teller}")).await;
    for object in ["loan_group", "portfolio", "contact_type"] {
        let trustee = format!(
            "INSERT INTO trustees (object_type, object_id, user_id) VALUES ('{object}', 1, {teller})"
        );
        world.sql(&trustee).await;
    }
    world.sql("DELETE FROM privilege_grants").await;
    let grants = "INSERT INTO privilege_grants (privilege_id, user_id) \
                  SELECT privilege_id, user_id FROM privileges, users \
                  WHERE user_name = 'viewer' AND verb <> 'Allow'";
    world.sql(grants).await;
}

#[tokio::test]
async fn a_row_that_the_caller_may_not_see_does_not_exist_in_any_read() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        hide_everything_from_the_viewer(&world).await;
        let viewer = world.token("viewer").await;
        let document = world.client.get("", "/openapi.json").await.expect(200).json();
        for (template, operations) in document["paths"].as_object().expect("paths") {
            let Some(id) = operations["get"]["operationId"].as_str() else { continue };
            let path = rows.path(template);
            let whole = world.client.get(&admin, &path).await.expect(200).json();
            let answer = world.client.get(&viewer, &path).await;
            if template.contains('{') && !template.contains("{user_id}") {
                answer.expect_problem(404, "not-found");
                continue;
            }
            let seen = answer.expect(200).json();
            let length = |list: &Value| list.as_array().map_or(0, Vec::len);
            match FILTERED.contains(&id) {
                true => assert!(length(&seen) < length(&whole), "{id}: {seen}"),
                // Of batch runs everything but the loans they failed on is everybody's.
                false if id.ends_with("_status") => {
                    assert!(length(&whole["Failures"]) > 0, "{id}: {whole}");
                    assert_eq!(length(&seen["Failures"]), 0, "{id}: {seen}");
                    assert_eq!(seen["Failed"], whole["Failed"], "{id}");
                }
                false => assert_eq!(seen, whole, "{id}"),
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_row_that_the_caller_may_not_see_cannot_be_written_on() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        hide_everything_from_the_viewer(&world).await;
        let viewer = world.token("viewer").await;
        let document = world.client.get("", "/openapi.json").await.expect(200).json();
        let mut tried = 0;
        for (template, operations) in document["paths"].as_object().expect("paths") {
            let about_files = template.contains("/comments/") || template.contains("documents");
            for (method, _) in operations.as_object().expect("operations") {
                let method: Method = method.to_uppercase().parse().expect("a method");
                if about_files && method != Method::GET {
                    let path = rows.path(template);
                    let path = path.split('?').next().unwrap_or_default();
                    let answer = call_soundly(&world, &viewer, &method, path).await;
                    answer.expect_problem(404, "not-found");
                    tried += 1;
                }
            }
        }
        assert_eq!(tried, 17);
        world
    })
    .await;
}

#[tokio::test]
async fn a_privilege_granted_to_a_group_holds_for_its_members() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let result = world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
        let path = format!("/loans/{}", result["Records"][1]["New_ID"]);
        world.sql("DELETE FROM privilege_grants").await;
        let viewer = world.token("viewer").await;
        world.client.get(&viewer, &path).await.expect_problem(403, "privilege-missing");
        world.sql("INSERT INTO user_groups (name) VALUES ('Readers')").await;
        world
            .sql(
                "INSERT INTO group_members (group_id, user_id) \
                 SELECT g.group_id, u.user_id FROM user_groups g, users u \
                 WHERE g.name = 'Readers' AND u.user_name = 'viewer'",
            )
            .await;
        world
            .sql(
                "INSERT INTO privilege_grants (privilege_id, group_id) \
                 SELECT p.privilege_id, g.group_id FROM privileges p, user_groups g \
                 WHERE g.name = 'Readers' AND p.path = 'Loan' AND p.verb = 'View'",
            )
            .await;
        world.client.get(&viewer, &path).await.expect(200);
        world
    })
    .await;
}
