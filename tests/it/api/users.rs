//! `/users`

use crate::PROGRAM;
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

/// Adds a user with these flags (loan, collection and contact officer) and this status.
async fn user(world: &World, name: &str, officer: [bool; 3], status: &str) -> i64 {
    let columns = "user_name, full_name, email, status, admin_flag, dba_flag, loan_officer_flag, \
                   collection_officer_flag, contact_officer_flag, created_date";
    let [loan, collection, contact] = officer;
    let row = format!(
        "'{name}', 'Full {name}', '{name}@example.com', '{status}', false, false, {loan}, \
         {collection}, {contact}, NOW"
    );
    world.insert("users", "user_id", columns, [row]).await[0]
}

async fn group(world: &World, name: &str, members: &[i64]) -> i64 {
    let id = world.insert("user_groups", "group_id", "name", [format!("'{name}'")]).await[0];
    let rows = members.iter().map(|member| format!("{id}, {member}"));
    world.insert("group_members", "row_id", "group_id, user_id", rows).await;
    id
}

/// Grants a privilege to a user or a group.
async fn grant(world: &World, grantee: &str, id: i64, path: &str, verb: &str) {
    world
        .sql(&format!(
            "INSERT INTO privilege_grants (privilege_id, {grantee}_id) SELECT privilege_id, {id} \
             FROM privileges WHERE path = '{path}' AND verb = '{verb}'"
        ))
        .await;
}

async fn id_of(world: &World, name: &str) -> i64 {
    world.count(&format!("SELECT user_id FROM users WHERE user_name = '{name}'")).await
}

/// A user's privileges: path, verb, source, name of the source and granted path.
async fn privileges(world: &World, token: &str, user_id: i64) -> Vec<[String; 5]> {
    let path = format!("/users/{user_id}/privileges?limit=1000");
    let rows = world.client.get(token, &path).await.expect(200).json();
    let members = ["Path", "Verb", "Source", "Source_Name", "Granted_Path"];
    let text = |row: &Value| members.map(|name| row[name].as_str().expect("a text").to_owned());
    rows.as_array().expect("rows").iter().map(text).collect()
}

#[tokio::test]
async fn users_are_listed_with_group_names_and_without_passwords() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let one = user(&world, "one", [true, false, true], "active").await;
        let two = user(&world, "two", [false; 3], "disabled").await;
        group(&world, "Zebra", &[one]).await;
        group(&world, "Ärzte", &[one]).await;
        group(&world, "Alpha", &[one]).await;
        group(&world, "Nobody", &[]).await;
        let all = world.client.get(&admin, "/users").await.expect(200);
        let rows = all.json();
        let row = |id: i64| {
            let rows = rows.as_array().expect("rows");
            rows.iter().find(|row| row["User_ID"] == id).expect("the user").clone()
        };
        let mut expected = json!({
            "User_ID": one, "User_Name": "one", "Full_Name": "Full one",
            "Email": "one@example.com", "Status": "active", "Admin_Flag": false,
            "DBA_Flag": false, "Loan_Officer_Flag": true, "Collection_Officer_Flag": false,
            "Contact_Officer_Flag": true, "Created_Date": "2020-01-01T00:00:00Z",
            "Groups": ["Alpha", "Zebra", "Ärzte"],
        });
        assert_eq!(row(one), expected);
        for (member, value) in [
            ("User_ID", json!(two)),
            ("User_Name", json!("two")),
            ("Full_Name", json!("Full two")),
            ("Email", json!("two@example.com")),
            ("Status", json!("disabled")),
            ("Loan_Officer_Flag", json!(false)),
            ("Contact_Officer_Flag", json!(false)),
            ("Groups", json!([])),
        ] {
            expected[member] = value;
        }
        assert_eq!(row(two), expected);
        assert_eq!(row(id_of(&world, "admin").await).get("Email"), None);
        assert!(!all.text.contains("argon") && !all.text.to_lowercase().contains("hash"));
        world
    })
    .await;
}

#[tokio::test]
async fn officers_are_listed_by_flag_with_one_of_two_privileges() {
    on_each_database(PROGRAM, |world| async move {
        world.sql("DELETE FROM privilege_grants").await;
        world
            .sql(
                "UPDATE users SET loan_officer_flag = false, collection_officer_flag = false, \
                 contact_officer_flag = false",
            )
            .await;
        let one = user(&world, "one", [true, true, false], "active").await;
        let two = user(&world, "two", [true, false, true], "disabled").await;
        let viewer = id_of(&world, "viewer").await;
        let token = world.token("viewer").await;
        let row = |id: i64, name: &str, active: bool| {
            json!({
                "User_ID": id, "User_Name": name, "Full_Name": format!("Full {name}"),
                "Active_Flag": active,
            })
        };
        let (one, two) = (row(one, "one", true), row(two, "two", false));
        for (kind, expected) in
            [("loan", json!([one, two])), ("collection", json!([one])), ("contact", json!([two]))]
        {
            let path = format!("/users/{kind}-officers");
            let records = if kind == "contact" { "Contact > Records" } else { "Loan > Records" };
            let refused = world.client.get(&token, &path).await;
            let refused = refused.expect_problem(403, "privilege-missing");
            for sufficient in [records, "Security > Users"] {
                assert!(refused.text.contains(&format!("{sufficient} > View")), "{}", refused.text);
                grant(&world, "user", viewer, sufficient, "View").await;
                let list = world.client.get(&token, &path).await;
                assert_eq!(list.expect(200).json(), expected, "{kind} with {sufficient}");
                world.sql("DELETE FROM privilege_grants").await;
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn users_can_read_their_own_privileges_and_others_need_a_privilege() {
    on_each_database(PROGRAM, |world| async move {
        world.sql("DELETE FROM privilege_grants").await;
        let (viewer, teller) = (id_of(&world, "viewer").await, id_of(&world, "teller").await);
        let token = world.token("viewer").await;
        assert!(privileges(&world, &token, viewer).await.is_empty());
        for other in [teller, 999_999, 0, -1, i64::MAX] {
            let path = format!("/users/{other}/privileges");
            let refused = world.client.get(&token, &path).await;
            let refused = refused.expect_problem(403, "privilege-missing");
            assert!(refused.text.contains("Security > Privileges > View"), "{}", refused.text);
        }
        grant(&world, "user", viewer, "Security > Privileges", "View").await;
        assert!(privileges(&world, &token, teller).await.is_empty());
        let missing = world.client.get(&token, "/users/999999/privileges").await;
        missing.expect_problem(404, "not-found");
        // Other security privileges are not enough.
        world.sql("DELETE FROM privilege_grants").await;
        grant(&world, "user", viewer, "Security > Users", "View").await;
        let refused = world.client.get(&token, &format!("/users/{teller}/privileges")).await;
        refused.expect_problem(403, "privilege-missing");
        world
    })
    .await;
}

#[tokio::test]
async fn a_privilege_shows_its_source_and_the_granted_path() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        world.sql("DELETE FROM privilege_grants").await;
        let one = user(&world, "one", [false; 3], "active").await;
        let (zebra, alpha) =
            (group(&world, "Zebra", &[one]).await, group(&world, "Alpha", &[one]).await);
        let other_group = group(&world, "Strangers", &[]).await;
        grant(&world, "group", other_group, "Loan", "View").await;
        grant(&world, "user", one, "Contact", "Change").await;
        grant(&world, "user", one, "Contact > Comments", "Change").await;
        grant(&world, "user", one, "Contact > Comments", "Change").await;
        grant(&world, "group", zebra, "Contact > Comments", "Change").await;
        grant(&world, "group", alpha, "Contact > Comments", "Change").await;
        let mut expected = Vec::new();
        let row = |path: &str, source: &str, name: &str, granted: &str| {
            [path, "Change", source, name, granted].map(str::to_owned)
        };
        for path in [
            "Contact",
            "Contact > Comments",
            "Contact > Demographics",
            "Contact > Detail",
            "Contact > Financials",
        ] {
            expected.push(row(path, "user", "one", "Contact"));
        }
        expected.insert(2, row("Contact > Comments", "user", "one", "Contact > Comments"));
        expected.insert(3, row("Contact > Comments", "group", "Alpha", "Contact > Comments"));
        expected.insert(4, row("Contact > Comments", "group", "Zebra", "Contact > Comments"));
        assert_eq!(privileges(&world, &admin, one).await, expected);
        world.sql("UPDATE users SET dba_flag = true WHERE user_name = 'one'").await;
        let dba: Vec<_> = privileges(&world, &admin, one).await;
        let dba: Vec<_> = dba.into_iter().filter(|row| row[2] == "dba").collect();
        let view =
            |path: &str, granted: &str| [path, "View", "dba", "one", granted].map(str::to_owned);
        let expected = [
            view("Processing", "Processing"),
            view("Processing > ACH Batch", "Processing"),
            view("Processing > Accrual", "Processing"),
            view("Setup", "Setup"),
            view("Setup > Contact", "Setup"),
            view("Setup > Loan", "Setup"),
        ];
        assert_eq!(dba, expected);
        world
    })
    .await;
}

#[tokio::test]
async fn the_admin_account_has_every_privilege_once() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let id = id_of(&world, "admin").await;
        grant(&world, "user", id, "Loan", "View").await;
        let held = privileges(&world, &admin, id).await;
        let all = world.count("SELECT COUNT(*) FROM privileges").await;
        assert_eq!(held.len() as i64, all);
        for [path, _, source, name, granted] in &held {
            assert_eq!((source.as_str(), name.as_str(), granted), ("admin", "admin", path));
        }
        world
    })
    .await;
}

#[tokio::test]
async fn paging_through_privileges_yields_each_row_once() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let one = user(&world, "one", [false; 3], "active").await;
        // More than nine groups, to show that names are not sorted as numbers.
        for n in 1..=11 {
            let id = group(&world, &format!("Group {n}"), &[one]).await;
            grant(&world, "group", id, "Contact", "Change").await;
        }
        grant(&world, "user", one, "Contact > Comments", "Change").await;
        let all = world.client.get(&admin, &format!("/users/{one}/privileges?limit=1000")).await;
        let all = all.expect(200).json().as_array().expect("rows").clone();
        assert_eq!(all.len(), 5 * 11 + 1);
        let ids: Vec<i64> =
            all.iter().map(|row| row["Privilege_ID"].as_i64().expect("an id")).collect();
        assert!(ids.is_sorted(), "{ids:?}");
        for limit in [1, 7, 55] {
            let mut path = format!("/users/{one}/privileges?limit={limit}");
            let mut seen = Vec::new();
            loop {
                let page = world.client.get(&admin, &path).await.expect(200);
                let rows = page.json().as_array().expect("rows").clone();
                assert!(!rows.is_empty() && rows.len() <= limit);
                seen.extend(rows);
                let Some((next, _)) = page.header("link").split_once('>') else { break };
                path = next.trim_start_matches('<').to_owned();
            }
            assert_eq!(seen, all, "{limit}");
        }
        world
    })
    .await;
}
