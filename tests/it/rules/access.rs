//! Access control: every operation of the served document is tried without a token, as the wrong
//! kind of caller, and without the privilege. The required privileges are repeated here on purpose,
//! so that an error in the server's table is not mistaken for the rule. Reads and their privileges
//! are listed in `visibility/checks/`, which tries them all as such callers; an operation in
//! neither list fails the test.

use crate::PROGRAM;
use acceptance::filled_tables::with_known_parameters;
use acceptance::forms::{self, Form};
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::{TestResponse, World, on_each_database};
use reqwest::Method;
use serde_json::{Value, json};

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RequiredAccess {
    /// Core-system users who hold the privilege.
    CorePrivilege(&'static str, &'static str),
    /// Web users, and core-system users who hold the privilege.
    AnyPrivilege(&'static str, &'static str),
    /// Every core-system user. Rows for which the user lacks the privilege do not exist.
    RowVisibility,
    Admin,
}

/// Every operation that does more than read rows, by id.
const OPERATIONS: &[(&str, RequiredAccess)] = &[
    ("create_loan_detail1_document", RequiredAccess::CorePrivilege("Loan > Detail 1", "Change")),
    ("create_loan_detail2_document", RequiredAccess::CorePrivilege("Loan > Detail 2", "Change")),
    ("create_loan_comment", RequiredAccess::CorePrivilege("Loan > Comments", "Change")),
    ("create_contact_comment", RequiredAccess::CorePrivilege("Contact > Comments", "Change")),
    ("create_collateral_comment", RequiredAccess::CorePrivilege("Collateral > Comments", "Change")),
    ("create_loan_comment_document", RequiredAccess::CorePrivilege("Loan > Comments", "Change")),
    ("remove_loan_comment_document", RequiredAccess::CorePrivilege("Loan > Comments", "Change")),
    (
        "create_contact_comment_document",
        RequiredAccess::CorePrivilege("Contact > Comments", "Change"),
    ),
    (
        "remove_contact_comment_document",
        RequiredAccess::CorePrivilege("Contact > Comments", "Change"),
    ),
    ("change_collateral_comment", RequiredAccess::CorePrivilege("Collateral > Comments", "Change")),
    ("remove_collateral_comment", RequiredAccess::CorePrivilege("Collateral > Comments", "Delete")),
    (
        "create_collateral_comment_document",
        RequiredAccess::CorePrivilege("Collateral > Comments", "Change"),
    ),
    (
        "remove_collateral_comment_document",
        RequiredAccess::CorePrivilege("Collateral > Comments", "Change"),
    ),
    (
        "create_contact_demographics_document",
        RequiredAccess::CorePrivilege("Contact > Demographics", "Change"),
    ),
    ("create_contact_detail_document", RequiredAccess::CorePrivilege("Contact > Detail", "Change")),
    (
        "create_contact_financials_document",
        RequiredAccess::CorePrivilege("Contact > Financials", "Change"),
    ),
    ("reconcile_drawer", RequiredAccess::CorePrivilege("Cash Drawer > Reconciliations", "Add")),
    ("post_drawer_transaction", RequiredAccess::CorePrivilege("Cash Drawer > Transactions", "Add")),
    ("post_payment", RequiredAccess::CorePrivilege("Loan > Payments", "Add")),
    ("post_payments", RequiredAccess::CorePrivilege("Loan > Payments", "Add")),
    ("reverse_entry", RequiredAccess::CorePrivilege("Loan > Payments", "Reverse")),
    // Depends on the kind of adjustment.
    ("post_adjustment", RequiredAccess::RowVisibility),
    ("create_card", RequiredAccess::AnyPrivilege("Payment Gateway > Cards", "Add")),
    ("forget_card", RequiredAccess::AnyPrivilege("Payment Gateway > Cards", "Forget")),
    ("post_card_payment", RequiredAccess::CorePrivilege("Payment Gateway > Payments", "Add")),
    ("get_add_payment_method_url", RequiredAccess::CorePrivilege("Payment Gateway > Cards", "Add")),
    ("change_document", RequiredAccess::RowVisibility),
    ("remove_document", RequiredAccess::RowVisibility),
    ("create_document_file", RequiredAccess::RowVisibility),
    ("remove_document_file", RequiredAccess::RowVisibility),
    ("import_xml", RequiredAccess::Admin),
];

/// The operations of the served document: id, method, path with ids filled in. Access is decided
/// before rows are looked up, so any id will do.
async fn operations(world: &World) -> Vec<(String, Method, String)> {
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    let mut found = Vec::new();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        let segments = path.split('/').map(|segment| match segment {
            "{field}" => "userdef01",
            // An id that no row has.
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

async fn call(world: &World, token: &str, method: &Method, path: &str) -> TestResponse {
    let request = world.client.request(method.clone(), token, path);
    let request = match *method == Method::GET {
        true => request,
        // Garbage, because access is decided before the body is read.
        false => request.header("content-type", "text/plain").body("rubbish"),
    };
    world.client.send(request).await.expect("a response")
}

/// Sends a request that is valid apart from the row it names.
async fn call_with_valid_parameters(
    world: &World,
    token: &str,
    method: &Method,
    path: &str,
) -> TestResponse {
    let request = |path: &str| world.client.request(method.clone(), token, path);
    let request = match *method {
        Method::PUT if path.contains("/comments/") => request(path).json(&json!({
            "Comment_Category_ID": 1, "Comment": "Words", "Priority": "low", "Pinned_Flag": false,
            "versionHash": "any",
        })),
        Method::POST if path.ends_with("/comments") => {
            request(path).json(&json!({"Comment_Category_ID": 1, "Comment": "Words"}))
        }
        Method::PUT => request(path).json(&json!({"Name": "Words", "versionHash": "any"})),
        Method::POST if path.ends_with("/adjustments") => {
            request(path).json(&json!({"Kind": "fee", "Amount": "1.00"}))
        }
        Method::POST => request(path)
            .header("content-type", forms::media_type())
            .body(Form::file("a.txt", b"words").finish()),
        Method::DELETE => {
            let all = [("documentId", "1"), ("fileId", "1"), ("versionHash", "any")];
            request(&with_known_parameters(method, path, &all))
        }
        _ => request(path),
    };
    world.client.send(request).await.expect("a response")
}

#[tokio::test]
async fn every_operation_refuses_unauthorized_callers() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let records = borrower_with_loan(1, OPEN_TERMS)
            + "<Contact UpdateFlag=\"1\" ContactNumber=\"C-1\">\
               <WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>";
        world.import(&admin, &file(&records)).await;
        let web = world.client.log_in("web", "one", "first words").await.expect("a token");
        world.sql("DELETE FROM privilege_grants").await;
        let unprivileged = world.token("viewer").await;
        let found = operations(&world).await;
        for (id, method, path) in &found {
            let missing = call(&world, "", method, path).await;
            let missing = missing.expect_problem(401, "token-missing");
            assert_eq!(missing.header("www-authenticate"), r#"Bearer realm="core""#);
            call(&world, "junk", method, path).await.expect_problem(401, "token-invalid");
            let Some((_, access)) = OPERATIONS.iter().find(|(operation_id, _)| operation_id == id)
            else {
                assert_eq!(method, Method::GET, "{id} is not listed here");
                continue;
            };
            match access {
                RequiredAccess::Admin => {
                    call(&world, &web, method, path).await.expect_problem(403, "admin-only");
                    call(&world, &unprivileged, method, path)
                        .await
                        .expect_problem(403, "admin-only");
                }
                RequiredAccess::RowVisibility => {
                    call(&world, &web, method, path).await.expect_problem(403, "core-user-only");
                    let response =
                        call_with_valid_parameters(&world, &unprivileged, method, path).await;
                    assert_eq!(response.status, 404, "{id}: {}", response.text);
                }
                RequiredAccess::CorePrivilege(privilege, verb)
                | RequiredAccess::AnyPrivilege(privilege, verb) => {
                    let response = call(&world, &web, method, path).await;
                    match access {
                        RequiredAccess::AnyPrivilege(..) => {
                            assert_ne!(response.status, 403, "{id}: {}", response.text)
                        }
                        _ => drop(response.expect_problem(403, "core-user-only")),
                    }
                    let refused = call(&world, &unprivileged, method, path).await;
                    let refused = refused.expect_problem(403, "privilege-missing");
                    let named = format!("{privilege} > {verb}");
                    assert!(refused.text.contains(&named), "{id}: {}", refused.text);
                }
            }
            let allowed = call(&world, &admin, method, path).await;
            assert!(![401, 403].contains(&allowed.status.as_u16()), "{id}: {}", allowed.text);
        }
        for (id, _) in OPERATIONS {
            assert!(
                found.iter().any(|(operation_id, ..)| operation_id == id),
                "{id} is not served"
            );
        }
        world
    })
    .await;
}

/// Lists without an id in their path that omit invisible rows; all users see the others in full.
const FILTERED: [&str; 6] = [
    "list_loans",
    "list_contacts",
    "list_drawers",
    "list_loan_groups",
    "list_portfolios",
    "list_contact_types",
];

/// Assigns all loans and contacts to the teller, restricts one row of each setup list that has
/// trustees to the teller, and gives the viewer every privilege except access to other users' rows.
async fn hide_all_rows_from_the_viewer(world: &World) {
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
async fn an_invisible_row_is_not_found_by_any_read() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        hide_all_rows_from_the_viewer(&world).await;
        let viewer = world.token("viewer").await;
        let document = world.client.get("", "/openapi.json").await.expect(200).json();
        for (template, operations) in document["paths"].as_object().expect("paths") {
            let Some(id) = operations["get"]["operationId"].as_str() else { continue };
            let path = rows.path(template);
            let unfiltered = world.client.get(&admin, &path).await.expect(200).json();
            let response = world.client.get(&viewer, &path).await;
            if template.contains('{') && !template.contains("{user_id}") {
                response.expect_problem(404, "not-found");
                continue;
            }
            let visible_rows = response.expect(200).json();
            let length = |list: &Value| list.as_array().map_or(0, Vec::len);
            match FILTERED.contains(&id) {
                true => {
                    assert!(length(&visible_rows) < length(&unfiltered), "{id}: {visible_rows}")
                }
                // Only the failed loans of batch runs are restricted.
                false if id.ends_with("_status") => {
                    assert!(length(&unfiltered["Failures"]) > 0, "{id}: {unfiltered}");
                    assert_eq!(length(&visible_rows["Failures"]), 0, "{id}: {visible_rows}");
                    assert_eq!(visible_rows["Failed"], unfiltered["Failed"], "{id}");
                }
                false => assert_eq!(visible_rows, unfiltered, "{id}"),
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn an_invisible_row_is_not_found_by_any_write() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        hide_all_rows_from_the_viewer(&world).await;
        let viewer = world.token("viewer").await;
        let document = world.client.get("", "/openapi.json").await.expect(200).json();
        let mut checked = 0;
        for (template, operations) in document["paths"].as_object().expect("paths") {
            let about_files = template.contains("/comments") || template.contains("documents");
            for (method, _) in operations.as_object().expect("operations") {
                let method: Method = method.to_uppercase().parse().expect("a method");
                if about_files && method != Method::GET {
                    let path = rows.path(template);
                    let path = path.split('?').next().unwrap_or_default();
                    let response = call_with_valid_parameters(&world, &viewer, &method, path).await;
                    response.expect_problem(404, "not-found");
                    checked += 1;
                }
            }
        }
        assert_eq!(checked, 20);
        world
    })
    .await;
}

#[tokio::test]
async fn a_privilege_granted_to_a_group_applies_to_its_members() {
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
