//! `installer user list`, `show`, `grant` and `revoke`, and `installer privileges list`

use crate::PROGRAM;
use crate::installer::{CommandOutput, everything, installer, user_id};
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::{TestResponse, World, on_each_database};
use serde_json::{Value, json};

/// The privilege that [`pay`] requires.
const ADD: &str = "Loan > Payments > Add";

/// Adds a group with these members.
async fn add_group(world: &World, name: &str, members: &[&str]) {
    let row = format!("'{name}', 'Group {name}'");
    let columns = "name, description";
    let group_id = world.insert("user_groups", "group_id", columns, [row]).await[0];
    let mut rows = Vec::new();
    for member in members {
        rows.push(format!("{group_id}, {}", user_id(world, member).await));
    }
    world.insert("group_members", "row_id", "group_id, user_id", rows).await;
}

async fn user(world: &World, arguments: &[&str]) -> CommandOutput {
    installer(world, &[&["user"], arguments].concat()).await
}

/// Tries a payment, without posting it.
async fn pay(world: &World, token: &str, loan_id: i64) -> TestResponse {
    let path = format!("/loans/{loan_id}/transactions/payments?test=true");
    world.client.post(token, &path, &json!({"Amount": "10.00"}), None).await
}

/// Imports a loan that every user may see. Returns its id.
async fn loan(world: &World) -> i64 {
    let admin = world.token("admin").await;
    world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
    world.count("SELECT MAX(loan_id) FROM loans").await
}

/// What `show` lists: privilege, source, name of the source, and what it is inherited from.
async fn shown(world: &World, arguments: &[&str]) -> Vec<[String; 4]> {
    let shown = user(world, &[&["show", "--json"], arguments].concat()).await.json();
    let members = ["privilege", "source", "source_name", "inherited_from"];
    let text = |row: &Value| members.map(|name| row[name].as_str().unwrap_or("-").to_owned());
    shown["privileges"].as_array().expect("a list").iter().map(text).collect()
}

/// The audit's grants and revocations, oldest first: event, user, group and privilege.
async fn audited(world: &World) -> Vec<[String; 4]> {
    let kinds = ["audit", "--json", "--event", "privilege_granted", "privilege_revoked"];
    let lines = installer(world, &kinds).await.expect_success();
    let event = |line: &str| {
        let event: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(event["actor"], "installer:tester");
        ["event", "user_name", "group_name", "privilege"]
            .map(|name| event[name].as_str().unwrap_or("-").to_owned())
    };
    lines.lines().map(event).collect()
}

#[tokio::test]
async fn the_privilege_that_a_403_names_can_be_granted_and_revoked() {
    on_each_database(PROGRAM, |world| async move {
        let loan_id = loan(&world).await;
        let token = world.token("viewer").await;
        let refused = pay(&world, &token, loan_id).await.expect_problem(403, "privilege-missing");
        let detail = refused.json()["detail"].as_str().expect("a text").to_owned();
        let required = detail.strip_prefix("the privilege ").expect("a privilege");
        let required = required.strip_suffix(" is required").expect("a privilege");
        assert_eq!(required, ADD);
        let granted = user(&world, &["grant", "viewer", required]).await.expect_success();
        assert_eq!(granted, "user viewer: Loan > Payments > Add granted\n");
        pay(&world, &token, loan_id).await.expect(200);
        let again = user(&world, &["grant", "viewer", "Loan > Payments:Add"]).await;
        let again = again.expect_success();
        assert_eq!(again, "user viewer: Loan > Payments > Add was already granted\n");
        let revoked = user(&world, &["revoke", "viewer", required]).await.expect_success();
        assert_eq!(revoked, "user viewer: Loan > Payments > Add revoked\n");
        pay(&world, &token, loan_id).await.expect_problem(403, "privilege-missing");
        let again = user(&world, &["revoke", "viewer", required]).await.expect_success();
        assert_eq!(again, "user viewer: Loan > Payments > Add was not granted\n");
        let event = |kind: &str| [kind, "viewer", "-", ADD].map(str::to_owned);
        let expected = [event("privilege_granted"), event("privilege_revoked")];
        assert_eq!(audited(&world).await, expected, "no event without a change");
        world
    })
    .await;
}

#[tokio::test]
async fn what_is_granted_to_a_group_its_members_may_do() {
    on_each_database(PROGRAM, |world| async move {
        let loan_id = loan(&world).await;
        add_group(&world, "Payers", &["viewer"]).await;
        let token = world.token("viewer").await;
        pay(&world, &token, loan_id).await.expect_problem(403, "privilege-missing");
        let granted = user(&world, &["grant", "Payers", "--group", "Loan > Add"]).await;
        assert_eq!(granted.expect_success(), "group Payers: Loan > Add granted\n");
        pay(&world, &token, loan_id).await.expect(200);
        let inherited = [ADD, "group", "Payers", "Loan > Add"].map(str::to_owned);
        assert!(shown(&world, &["viewer"]).await.contains(&inherited));
        assert!(shown(&world, &["Payers", "--group"]).await.contains(&inherited));
        let before = everything(&world).await;
        user(&world, &["revoke", "viewer", ADD]).await.expect_refusal(
            "user viewer holds Loan > Payments > Add only through group Payers (\"Loan > Add\"); \
             nothing was changed",
        );
        user(&world, &["revoke", "Payers", "--group", ADD])
            .await
            .expect_refusal("group Payers holds Loan > Payments > Add only through ");
        assert_eq!(everything(&world).await, before);
        user(&world, &["grant", "viewer", ADD]).await.expect_success();
        let revoked = user(&world, &["revoke", "viewer", ADD]).await.expect_success();
        assert!(revoked.contains("revoked, but is still held through group Payers"), "{revoked}");
        pay(&world, &token, loan_id).await.expect(200);
        let revoked = user(&world, &["revoke", "Payers", "--group", "Loan > Add"]).await;
        assert_eq!(revoked.expect_success(), "group Payers: Loan > Add revoked\n");
        pay(&world, &token, loan_id).await.expect_problem(403, "privilege-missing");
        let of_group: Vec<_> =
            audited(&world).await.into_iter().filter(|it| it[1] == "-").collect();
        let event = |kind: &str| [kind, "-", "Payers", "Loan > Add"].map(str::to_owned);
        assert_eq!(of_group, [event("privilege_granted"), event("privilege_revoked")]);
        let table = installer(&world, &["audit"]).await.expect_success();
        let line = table.lines().find(|line| line.contains("group:Payers")).expect("the group");
        assert!(line.contains("privilege_granted  Loan > Add"), "{table}");
        world
    })
    .await;
}

#[tokio::test]
async fn every_privilege_is_listed_once_and_can_be_granted_by_its_name() {
    on_each_database(PROGRAM, |world| async move {
        let listed = installer(&world, &["privileges", "list", "--json"]).await.json();
        let listed = listed.as_array().expect("a list");
        let rows = world.count("SELECT COUNT(*) FROM privileges").await;
        assert_eq!(i64::try_from(listed.len()), Ok(rows));
        let names: Vec<&str> =
            listed.iter().map(|row| row["privilege"].as_str().expect("a name")).collect();
        for row in listed {
            assert!(row["allows"].is_string(), "{row}");
            let text = |name: &str| row[name].as_str().expect("a text");
            assert_eq!(text("privilege"), format!("{} > {}", text("path"), text("verb")));
        }
        let table = installer(&world, &["privileges", "list"]).await.expect_success();
        assert_eq!(table.lines().count(), names.len() + 1, "{table}");
        let line = table.lines().find(|line| line.starts_with("Loan > Payments > Reverse "));
        assert!(line.is_some_and(|line| line.ends_with("  Reverse payments and other entries.")));
        world.sql("DELETE FROM privilege_grants").await;
        let output = user(&world, &[&["grant", "viewer"], &names[..]].concat()).await;
        assert_eq!(output.expect_success().lines().count(), names.len());
        let shown = shown(&world, &["viewer"]).await;
        let direct: Vec<&str> =
            shown.iter().filter(|row| row[3] == "-").map(|row| row[0].as_str()).collect();
        assert_eq!(direct.len(), names.len());
        assert!(names.iter().all(|name| direct.contains(name)));
        world
    })
    .await;
}

#[tokio::test]
async fn flags_and_grants_of_users_and_groups_are_shown() {
    on_each_database(PROGRAM, |world| async move {
        world.sql("DELETE FROM privilege_grants").await;
        let dba = "UPDATE users SET dba_flag = true, loan_officer_flag = true \
                   WHERE user_name = 'viewer'";
        world.sql(dba).await;
        world.sql("UPDATE users SET status = 'disabled' WHERE user_name = 'teller'").await;
        add_group(&world, "Zeta", &["viewer"]).await;
        add_group(&world, "Audit", &["viewer", "officer"]).await;
        user(&world, &["grant", "Audit", "--group", "Security > View"]).await.expect_success();
        user(&world, &["grant", "viewer", "Loan > Reverse"]).await.expect_success();
        let row = |row: [&str; 4]| row.map(str::to_owned);
        let rows = shown(&world, &["viewer"]).await;
        for expected in [
            ["Loan > Reverse", "user", "viewer", "-"],
            ["Loan > Payments > Reverse", "user", "viewer", "Loan > Reverse"],
            ["Security > Users > View", "group", "Audit", "Security > View"],
            ["Setup > View", "dba", "viewer", "-"],
            ["Setup > Loan > View", "dba", "viewer", "Setup > View"],
        ] {
            assert!(rows.contains(&row(expected)), "{expected:?}: {rows:?}");
        }
        let table = user(&world, &["show", "viewer"]).await.expect_success();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "user viewer: Viewer, active");
        assert_eq!(lines[1..4], ["flags: DBA, loan officer", "groups: Audit, Zeta", ""]);
        let cells: Vec<Vec<&str>> = lines[4..]
            .iter()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(cells[0], ["privilege", "source", "inherited from"]);
        assert!(cells.contains(&vec!["Security > Users > View", "group Audit", "Security > View"]));
        assert!(cells.contains(&vec!["Setup > View", "DBA flag", "-"]));
        assert_eq!(cells.len(), rows.len() + 1);
        let admin = user(&world, &["show", "admin"]).await.expect_success();
        assert!(admin.contains("flags: admin: holds every privilege\n"), "{admin}");
        assert!(admin.ends_with("\n\nno privileges are granted\n"), "{admin}");
        user(&world, &["revoke", "admin", ADD])
            .await
            .expect_refusal("only through the admin flag; nothing was changed");
        let group = user(&world, &["show", "Audit", "--group"]).await.expect_success();
        let heading = "group Audit\ndescription: Group Audit\nmembers: officer, viewer\n\n";
        assert!(group.starts_with(heading), "{group}");
        let group = user(&world, &["show", "Zeta", "--group", "--json"]).await.json();
        let expected = json!({
            "group_name": "Zeta", "description": "Group Zeta", "members": ["viewer"],
            "privileges": [],
        });
        assert_eq!(group, expected);
        world
    })
    .await;
}

#[tokio::test]
async fn users_are_listed_with_flags_and_groups() {
    on_each_database(PROGRAM, |world| async move {
        add_group(&world, "Zeta", &["viewer"]).await;
        add_group(&world, "Audit", &["viewer"]).await;
        world.sql("UPDATE users SET status = 'disabled' WHERE user_name = 'teller'").await;
        let users = user(&world, &["list", "--json"]).await.json();
        let names: Vec<&Value> =
            users.as_array().expect("a list").iter().map(|user| &user["user_name"]).collect();
        assert_eq!(names, ["admin", "officer", "teller", "viewer"]);
        let mut viewer = users[3].clone();
        assert!(viewer["created_date"].take().is_string());
        let expected = json!({
            "user_name": "viewer", "full_name": "Viewer", "email": null, "status": "active",
            "admin_flag": false, "dba_flag": false, "loan_officer_flag": false,
            "collection_officer_flag": false, "contact_officer_flag": false,
            "created_date": null, "groups": ["Audit", "Zeta"],
        });
        assert_eq!(viewer, expected);
        assert_eq!(
            (&users[0]["admin_flag"], &users[2]["status"]),
            (&json!(true), &json!("disabled"))
        );
        let table = user(&world, &["list"]).await.expect_success();
        let rows: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(rows[0], ["name", "full name", "status", "flags", "groups"]);
        assert_eq!(rows[1], ["admin", "Administrator", "active", "admin", "-"]);
        assert_eq!(rows[3][2], "disabled");
        assert_eq!(rows[4], ["viewer", "Viewer", "active", "-", "Audit, Zeta"]);
        world
    })
    .await;
}

#[tokio::test]
async fn refused_grants_change_nothing() {
    on_each_database(PROGRAM, |world| async move {
        add_group(&world, "Payers", &["viewer"]).await;
        let before = everything(&world).await;
        let unknown = "no such privilege: \"Loan > Payment > Add\"; the closest is \"Loan > \
                       Payments > Add\" (installer privileges list shows them all)";
        for (arguments, expected) in [
            (&["grant", "viewer", ADD, "Loan > Payment > Add"][..], unknown),
            (&["revoke", "viewer", "Loan > Payment > Add"], unknown),
            (&["grant", "viewer", "Loan"], "no such privilege: \"Loan\"; the closest is \"Loan > "),
            (&["grant", "nobody", ADD], "no such user: nobody (for a group, pass --group"),
            (&["grant", "Payers", ADD], "no such user: Payers (for a group, pass --group"),
            (
                &["grant", "payer", "--group", ADD],
                "no such group: payer; the closest is \"Payers\"",
            ),
            (&["show", "nobody"], "no such user: nobody"),
            (&["show", "viewer", "--group"], "no such group: viewer; the closest is \"Payers\""),
            (&["revoke", "viewer", "Loan > Records > View"], "only through \"Loan > View\""),
        ] {
            user(&world, arguments).await.expect_refusal(expected);
        }
        let output = user(&world, &["grant", "viewer"]).await;
        assert_eq!(output.code, Some(2), "{}", output.stderr);
        assert_eq!(everything(&world).await, before);
        world.sql("DELETE FROM group_members").await;
        world.sql("DELETE FROM user_groups").await;
        user(&world, &["show", "Payers", "--group"])
            .await
            .expect_refusal("no such group: Payers; the database has no groups");
        world
    })
    .await;
}

#[tokio::test]
async fn a_privilege_granted_concurrently_is_granted_once() {
    on_each_database(PROGRAM, |world| async move {
        let grant = || user(&world, &["grant", "viewer", ADD, "Loan > Payments > Split"]);
        let outputs = tokio::join!(grant(), grant(), grant(), grant());
        let outputs = [outputs.0, outputs.1, outputs.2, outputs.3].map(|it| it.expect_success());
        let new = outputs.iter().filter(|output| output.contains("Add granted\n")).count();
        assert_eq!(new, 1, "{outputs:?}");
        let viewer = user_id(&world, "viewer").await;
        let grants = format!(
            "SELECT COUNT(*) FROM privilege_grants g JOIN privileges p \
             ON p.privilege_id = g.privilege_id WHERE g.user_id = {viewer} AND p.path = \
             'Loan > Payments'"
        );
        assert_eq!(world.count(&grants).await, 2);
        assert_eq!(audited(&world).await.len(), 2);
        world
    })
    .await;
}
