//! `/loans/collateral/comments`: changing and removing comments.

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::forms::Form;
use acceptance::{TestResponse, World, on_each_database};
use reqwest::Method;
use reqwest::header::IF_MATCH;
use serde_json::{Value, json};

fn path(rows: &FilledRows) -> String {
    format!("/loans/collateral/comments/{}", rows.comment_ids[2])
}

/// A valid change, but without the version.
fn change_of(text: &str) -> Value {
    json!({
        "Comment_Category_ID": 1, "Comment": text, "Action_Date": "2026-12-24",
        "Priority": "high", "Pinned_Flag": true,
    })
}

/// Replaces members of a change.
fn with(mut change: Value, members: Value) -> Value {
    for (name, value) in members.as_object().expect("members") {
        change[name] = value.clone();
    }
    change
}

async fn put(world: &World, token: &str, path: &str, body: &Value, tags: &[&str]) -> TestResponse {
    let request = world.client.request(Method::PUT, token, path).json(body);
    let request = tags.iter().fold(request, |request, tag| request.header(IF_MATCH, *tag));
    world.client.send(request).await.expect("a response")
}

async fn delete(world: &World, token: &str, path: &str, tags: &[&str]) -> TestResponse {
    let request = world.client.request(Method::DELETE, token, path);
    let request = tags.iter().fold(request, |request, tag| request.header(IF_MATCH, *tag));
    world.client.send(request).await.expect("a response")
}

async fn version(world: &World, token: &str, path: &str) -> String {
    let response = world.client.get(token, path).await.expect(200).json();
    response["versionHash"].as_str().expect("a version").to_owned()
}

/// A table's entries in the loan's history: field, old value, new value.
async fn history(world: &World, token: &str, path: &str, table: &str) -> Vec<[Value; 3]> {
    let path = format!("{path}/field-history?limit=1000&tableName={table}");
    let changes = world.client.get(token, &path).await.expect(200).json();
    let changes = changes.as_array().expect("a list").iter();
    changes.map(|row| ["Field_Name", "Old_Value", "New_Value"].map(|m| row[m].clone())).collect()
}

#[tokio::test]
async fn a_comment_is_replaced_and_the_change_is_in_the_history() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let (path, loan) = (path(&rows), format!("/loans/{}", rows.loan_id));
        let before = world.client.get(&admin, &path).await.expect(200).json();
        let body = with(change_of("Größer"), json!({"versionHash": before["versionHash"]}));
        let changed = put(&world, &admin, &path, &body, &[]).await.expect(200);
        let now = changed.json();
        let expected = json!({
            "Comment_ID": before["Comment_ID"], "Collateral_ID": rows.collateral_id,
            "Comment_Category_ID": 1, "Comment_Category": "GENERAL", "Comment": "Größer",
            "Action_Date": "2026-12-24", "Priority": "high", "Pinned_Flag": true,
            "Entered_By_User_ID": before["Entered_By_User_ID"],
            "Entered_Date": before["Entered_Date"], "Modified_By_User_ID": 1,
            "Modified_Date": now["Modified_Date"], "versionHash": now["versionHash"],
        });
        assert_eq!(now, expected);
        assert_eq!(changed.header("etag"), format!("{}", now["versionHash"]));
        assert_ne!(now["versionHash"], before["versionHash"]);
        assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), now);
        let written = history(&world, &admin, &loan, "comments").await;
        let expected = [
            json!(["Comment", "Words", "Größer"]),
            json!(["Action_Date", null, "2026-12-24"]),
            json!(["Priority", "normal", "high"]),
            json!(["Pinned_Flag", "false", "true"]),
            json!(["Modified_By_User_ID", null, "1"]),
            json!(["Modified_Date", null, now["Modified_Date"]]),
        ];
        let mut sorted: Vec<Value> = written.iter().map(|change| json!(change)).collect();
        sorted.sort_by_key(Value::to_string);
        let mut expected = expected.to_vec();
        expected.sort_by_key(Value::to_string);
        assert_eq!(sorted, expected);
        // Repeating the change alters nothing, not even who made the last change.
        let tag = format!("\"{}\"", now["versionHash"].as_str().expect("a version"));
        let unchanged = put(&world, &admin, &path, &change_of("Größer"), &[&tag]).await.expect(200);
        assert_eq!(unchanged.json(), now);
        assert_eq!(history(&world, &admin, &loan, "comments").await, written);
        // Members left out are cleared.
        let mut short = change_of("Größer");
        short.as_object_mut().expect("members").remove("Action_Date");
        let cleared = put(&world, &admin, &path, &short, &[&tag]).await.expect(200).json();
        assert_eq!(cleared["Action_Date"], Value::Null);
        let written = history(&world, &admin, &loan, "comments").await;
        assert!(written.contains(&[json!("Action_Date"), json!("2026-12-24"), Value::Null]));
        world
    })
    .await;
}

#[tokio::test]
async fn of_concurrent_changes_of_one_version_one_succeeds() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let path = path(&rows);
        for round in 0..3 {
            let version = version(&world, &admin, &path).await;
            let tag = format!("\"{version}\"");
            let attempts = (0..8).map(|n| {
                let text = change_of(&format!("Words {round} {n}"));
                let (world, admin, path, tag, version) = (&world, &admin, &path, &tag, &version);
                async move {
                    match n % 2 {
                        0 => {
                            let body = with(text, json!({"versionHash": version}));
                            put(world, admin, path, &body, &[]).await
                        }
                        _ => put(world, admin, path, &text, &[tag]).await,
                    }
                }
            });
            let responses = futures_util::future::join_all(attempts).await;
            let current = world.client.get(&admin, &path).await.expect(200).json();
            let mut won = 0;
            for (n, response) in responses.into_iter().enumerate() {
                if response.status == 200 {
                    assert_eq!(response.json(), current);
                    won += 1;
                    continue;
                }
                let refused = match n % 2 {
                    0 => response.expect_problem(409, "stale-version"),
                    _ => response.expect_problem(412, "precondition-failed"),
                };
                assert_eq!(refused.json()["currentVersionHash"], current["versionHash"]);
            }
            assert_eq!(won, 1);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_change_requires_the_current_version() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let path = path(&rows);
        let current = version(&world, &admin, &path).await;
        let (tag, old) = (format!("\"{current}\""), "\"0000\"");
        let stale = with(change_of("x"), json!({"versionHash": "0000"}));
        let valid = with(change_of("x"), json!({"versionHash": current}));
        for (body, tags, status, kind) in [
            (&change_of("x"), &[][..], 400, "bad-request"),
            (&change_of("x"), &["*"], 400, "bad-request"),
            (&stale, &[], 409, "stale-version"),
            (&stale, &["*"], 409, "stale-version"),
            (&stale, &[&tag], 409, "stale-version"),
            (&stale, &[old], 412, "precondition-failed"),
            (&valid, &[old], 412, "precondition-failed"),
            (&change_of("x"), &[old], 412, "precondition-failed"),
            (&change_of("x"), &[&current], 412, "precondition-failed"),
        ] {
            let refused = put(&world, &admin, &path, body, tags).await.expect_problem(status, kind);
            let named = match status {
                400 => Value::Null,
                _ => json!(current),
            };
            assert_eq!(refused.json()["currentVersionHash"], named);
            let query = match body["versionHash"].as_str() {
                Some(version) => format!("{path}?versionHash={version}"),
                None => path.clone(),
            };
            delete(&world, &admin, &query, tags).await.expect_problem(status, kind);
        }
        // Whether the comment exists is checked before its version.
        let missing = "/loans/collateral/comments/999999";
        put(&world, &admin, missing, &stale, &[]).await.expect_problem(404, "not-found");
        let other = format!("/loans/collateral/comments/{}", rows.comment_ids[0]);
        put(&world, &admin, &other, &stale, &[]).await.expect_problem(404, "not-found");
        assert_eq!(version(&world, &admin, &path).await, current);
        put(&world, &admin, &path, &valid, &[old, &tag]).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn a_change_that_breaks_a_rule_is_refused_and_changes_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let path = path(&rows);
        let columns = "code, description, active_flag";
        let row = |code: &str, active| format!("'{code}', 'Category', {active}");
        let categories = [row("OLD", false), row("CLOSED", true)];
        let categories =
            world.insert("comment_categories", "comment_category_id", columns, categories).await;
        let current = version(&world, &admin, &path).await;
        let valid = with(change_of("Words"), json!({"versionHash": current}));
        let mut lacking = valid.clone();
        lacking.as_object_mut().expect("members").remove("Priority");
        for (body, status, kind, field) in [
            (with(valid.clone(), json!({"Comment": ""})), 422, "invalid-value", "Comment"),
            (with(valid.clone(), json!({"Comment": " \n"})), 422, "invalid-value", "Comment"),
            (with(valid.clone(), json!({"Comment": "a\0"})), 422, "invalid-value", "Comment"),
            (
                with(valid.clone(), json!({"Comment": "x".repeat(65 * 1024)})),
                422,
                "invalid-value",
                "Comment",
            ),
            (
                with(valid.clone(), json!({"Comment_Category_ID": 999_999})),
                422,
                "unknown-code",
                "Comment_Category_ID",
            ),
            (
                with(valid.clone(), json!({"Comment_Category_ID": categories[0]})),
                422,
                "unknown-code",
                "Comment_Category_ID",
            ),
            (with(valid.clone(), json!({"Priority": "urgent"})), 400, "bad-request", "Priority"),
            (with(valid.clone(), json!({"Comment": 5})), 400, "bad-request", "Comment"),
            (with(valid.clone(), json!({"Action_Date": "x"})), 400, "bad-request", "Action_Date"),
            (with(valid.clone(), json!({"Loan_ID": 1})), 400, "bad-request", "Loan_ID"),
            (lacking, 400, "bad-request", "Priority"),
        ] {
            let refused = put(&world, &admin, &path, &body, &[]).await.expect_problem(status, kind);
            assert_eq!(refused.json()["errors"][0]["field"], field, "{}", refused.text);
        }
        assert_eq!(version(&world, &admin, &path).await, current);
        // A category that its trustees restrict; and one no longer in use, which stays where it is.
        let trustee = format!(
            "INSERT INTO trustees (object_type, object_id, user_id) VALUES ('comment_category', \
             {}, 1)",
            categories[1]
        );
        world.sql(&trustee).await;
        let grants = "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                      user_id FROM privileges, users WHERE user_name = 'viewer'";
        world.sql(grants).await;
        let viewer = world.token("viewer").await;
        let closed = with(valid.clone(), json!({"Comment_Category_ID": categories[1]}));
        let refused = put(&world, &viewer, &path, &closed, &[]).await;
        refused.expect_problem(403, "privilege-missing");
        world.sql("UPDATE comment_categories SET active_flag = false").await;
        let accepted = put(&world, &viewer, &path, &valid, &[]).await.expect(200);
        assert_eq!(accepted.json()["Comment_Category"], "GENERAL");
        world
    })
    .await;
}

#[tokio::test]
async fn removing_a_comment_removes_its_documents_and_objects() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        let (path, loan) = (path(&rows), format!("/loans/{}", rows.loan_id));
        let documents = format!("{path}/documents");
        for name in ["one.txt", "two.txt"] {
            world
                .client
                .upload(&admin, &documents, Form::file(name, b"words"), None)
                .await
                .expect(201);
        }
        let others = format!("/loans/comments/{}/documents", rows.comment_ids[0]);
        let form = Form::file("other.txt", b"words");
        world.client.upload(&admin, &others, form, None).await.expect(201);
        let objects = world.objects();
        let count = async |table: &str| world.count(&format!("SELECT COUNT(*) FROM {table}")).await;
        let before = (count("documents").await, count("document_files").await);
        let listed = world.client.get(&admin, &documents).await.expect(200).json();
        let file = listed[2]["Files"][0]["Download_Path"].as_str().expect("a path").to_owned();
        world.client.get(&admin, &file).await.expect(200);
        let version = version(&world, &admin, &path).await;
        let removed = delete(&world, &admin, &format!("{path}?versionHash={version}"), &[]).await;
        assert_eq!(removed.expect(204).text, "");
        for path in [&path, &documents, &file] {
            world.client.get(&admin, path).await.expect_problem(404, "not-found");
        }
        let repeated = delete(&world, &admin, &format!("{path}?versionHash={version}"), &[]).await;
        repeated.expect_problem(404, "not-found");
        // The comment came with two documents of two files each; two more were uploaded.
        let after = (count("documents").await, count("document_files").await);
        assert_eq!(after, (before.0 - 4, before.1 - 6));
        let remaining = world.objects();
        assert_eq!(objects.difference(&remaining).count(), 2);
        assert!(remaining.is_subset(&objects));
        let listed = world.client.get(&admin, &others).await.expect(200).json();
        assert_eq!(listed.as_array().map(Vec::len), Some(3));
        for (table, field, values) in [
            ("comments", "Comment", vec!["Words"]),
            (
                "document_files",
                "File_Name",
                vec!["a.txt", "a.txt", "a.txt", "a.txt", "one.txt", "two.txt"],
            ),
        ] {
            let written = history(&world, &admin, &loan, table).await;
            let removed = written
                .iter()
                .filter(|[name, old, new]| name == field && new.is_null() && !old.is_null());
            let mut removed: Vec<&str> = removed.filter_map(|[_, old, _]| old.as_str()).collect();
            removed.sort_unstable();
            assert_eq!(removed, values, "{written:?}");
            assert!(!written.iter().any(|[name, ..]| name == "Object_Key"));
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_collateral_comment_is_in_the_history_of_each_loan_or_its_contact() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        let path = path(&rows);
        let linked = format!(
            "SELECT COUNT(DISTINCT loan_id) FROM loan_collaterals WHERE collateral_id = {}",
            rows.collateral_id
        );
        let loans = world.count(&linked).await;
        let changes = "SELECT COUNT(*) FROM field_changes WHERE table_name = 'comments' AND \
                       field_name = 'Comment' AND new_value = ";
        let change = async |text: &str| {
            let tag = format!("\"{}\"", version(&world, &admin, &path).await);
            put(&world, &admin, &path, &change_of(text), &[&tag]).await.expect(200);
        };
        change("first").await;
        assert_eq!(world.count(&format!("{changes} 'first' AND loan_id IS NOT NULL")).await, loans);
        assert_eq!(world.count(&format!("{changes} 'first'")).await, loans);
        world.sql("DELETE FROM loan_collaterals").await;
        world.sql(&format!("UPDATE collaterals SET contact_id = {}", rows.contact_id)).await;
        change("second").await;
        assert_eq!(world.count(&format!("{changes} 'second'")).await, 1);
        let contact = format!("/contacts/{}", rows.contact_id);
        let written = history(&world, &admin, &contact, "comments").await;
        assert!(written.contains(&[json!("Comment"), json!("first"), json!("second")]));
        world
    })
    .await;
}

#[tokio::test]
async fn the_history_of_a_recategorized_comment_respects_both_categories() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let (path, loan) = (path(&rows), format!("/loans/{}", rows.loan_id));
        let categories =
            ["OPEN", "LEGAL", "BOARD"].map(|code| format!("'{code}', 'Category', true"));
        let columns = "code, description, active_flag";
        let categories =
            world.insert("comment_categories", "comment_category_id", columns, categories).await;
        let [open, legal, board] = categories[..] else { panic!("{categories:?}") };
        for (category, user) in [(legal, "viewer"), (board, "teller")] {
            world
                .sql(&format!(
                    "INSERT INTO trustees (object_type, object_id, user_id) SELECT \
                     'comment_category', {category}, user_id FROM users WHERE user_name = '{user}'"
                ))
                .await;
        }
        world.sql("DELETE FROM privilege_grants").await;
        world
            .sql(
                "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, user_id \
                 FROM privileges, users WHERE user_name IN ('viewer', 'teller')",
            )
            .await;
        // Before the comment is restricted to counsel.
        let form = Form::file("secret-name.txt", b"words");
        let documents = format!("{path}/documents");
        let accepted =
            world.client.upload(&admin, &documents, form.clone(), None).await.expect(201);
        let removed = world.client.upload(&admin, &documents, form, None).await.expect(201).json();
        assert_eq!(accepted.header("etag"), accepted.json()["versionHash"].to_string());
        let removed = format!("{documents}?documentId={}", removed["Document_ID"]);
        delete(&world, &admin, &removed, &[]).await.expect(204);
        let moves =
            [(open, "free"), (legal, "for counsel"), (board, "for the board"), (open, "late")];
        for (category, text) in moves {
            let tag = format!("\"{}\"", version(&world, &admin, &path).await);
            let body = with(change_of(text), json!({"Comment_Category_ID": category}));
            put(&world, &admin, &path, &body, &[&tag]).await.expect(200);
        }
        for (user, hidden) in [("viewer", "for the board"), ("teller", "for counsel")] {
            let token = world.token(user).await;
            let seen = history(&world, &token, &loan, "comments").await;
            let shown = json!(seen).to_string();
            assert!(!shown.contains(hidden), "{user}: {shown}");
            assert!(shown.contains(if user == "viewer" { "for counsel" } else { "for the board" }));
            // The formerly public text became restricted together with the comment, so only the
            // viewer sees it.
            assert_eq!(shown.contains("free"), user == "viewer", "{shown}");
            for table in ["documents", "document_files"] {
                let shown = json!(history(&world, &token, &loan, table).await).to_string();
                assert_eq!(shown.contains("secret-name.txt"), user == "viewer", "{shown}");
            }
        }
        // The admin account sees every text, old and new.
        let all = json!(history(&world, &admin, &loan, "comments").await).to_string();
        for (_, text) in moves {
            assert!(all.contains(text), "{text}: {all}");
        }
        world
    })
    .await;
}
