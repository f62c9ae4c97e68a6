//! Who may call: every operation of the served document is tried without a token, as the wrong
//! kind of caller, and without the privilege. An operation that nobody listed here fails.

use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::{Answer, World, on_each_database};
use reqwest::Method;
use serde_json::Value;

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    /// Core-system users who hold the privilege.
    Core(&'static str, &'static str),
    /// The admin account.
    Admin,
}

/// Every operation, by its id.
const OPERATIONS: [(&str, Who); 5] = [
    ("get_loan", Who::Core("Loan > Records", "View")),
    ("list_transactions", Who::Core("Loan > Transactions", "View")),
    ("post_payment", Who::Core("Loan > Payments", "Add")),
    ("get_contact", Who::Core("Contact > Records", "View")),
    ("import_xml", Who::Admin),
];

/// The operations of the served document: id, method, path with ids filled in.
async fn operations(
    world: &World,
    loan_id: &Value,
    contact_id: &Value,
) -> Vec<(String, Method, String)> {
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    let mut found = Vec::new();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        let path = path
            .replace("{loan_id}", &loan_id.to_string())
            .replace("{contact_id}", &contact_id.to_string());
        assert!(!path.contains('{'), "no id for {path}");
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

#[tokio::test]
async fn every_operation_refuses_whoever_may_not_call_it() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let records = borrower_with_loan(1, OPEN_TERMS)
            + "<Contact UpdateFlag=\"1\" ContactNumber=\"C-1\">\
               <WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>";
        let result = world.import(&admin, &file(&records)).await;
        let (contact, loan) = (&result["Records"][0]["New_ID"], &result["Records"][1]["New_ID"]);
        let web = world.client.log_in("web", "one", "first words").await.expect("a token");
        world.sql("DELETE FROM privilege_grants").await;
        let nobody = world.token("viewer").await;
        let found = operations(&world, loan, contact).await;
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
                Who::Core(privilege, verb) => {
                    call(&world, &web, method, path).await.expect_problem(403, "core-user-only");
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
