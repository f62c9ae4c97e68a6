//! Adding a comment to a record.

use super::{KINDS, lists};
use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

/// Adds a comment category that is in use or not.
async fn category(world: &World, id: i64, active: bool) {
    let columns = "comment_category_id, code, description, active_flag";
    let row = format!("{id}, 'C{id}', 'Category', {active}");
    world.sql(&format!("INSERT INTO comment_categories ({columns}) VALUES ({row})")).await;
}

/// How many comments there are.
async fn count(world: &World) -> i64 {
    world.count("SELECT COUNT(*) FROM comments").await
}

/// The field history of the record of each kind of comment.
fn histories(rows: &FilledRows) -> [String; 3] {
    let of_loan = format!("/loans/{}/field-history", rows.loan_id);
    [of_loan.clone(), format!("/contacts/{}/field-history", rows.contact_id), of_loan]
}

#[tokio::test]
async fn a_comment_is_added_with_what_was_sent_and_what_follows() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let parents = [
            ("Loan_ID", rows.loan_id),
            ("Contact_ID", rows.contact_id),
            ("Collateral_ID", rows.collateral_id),
        ];
        for ((list, kind), (parent, id)) in lists(&rows).iter().zip(KINDS).zip(parents) {
            let body = json!({"Comment_Category_ID": 1, "Comment": " Café,\n\"quoted\" "});
            let least = world.client.post(&admin, list, &body, None).await.expect(201);
            let tag = least.header("etag").to_owned();
            let least = least.json();
            let expected = json!({
                "Comment_ID": least["Comment_ID"], parent: id, "Comment_Category_ID": 1,
                "Comment_Category": "GENERAL", "Comment": " Café,\n\"quoted\" ",
                "Priority": "normal", "Pinned_Flag": false, "Entered_By_User_ID": 1,
                "Entered_Date": least["Entered_Date"], "versionHash": least["versionHash"],
            });
            assert_eq!(least, expected);
            assert_eq!(tag, format!("\"{}\"", least["versionHash"].as_str().expect("a hash")));
            let body = json!({
                "Comment_Category_ID": 1, "Comment": "All", "Action_Date": "2024-02-29",
                "Priority": "high", "Pinned_Flag": true,
            });
            let whole = world.client.post(&admin, list, &body, None).await.expect(201).json();
            for (name, sent) in body.as_object().expect("members") {
                assert_eq!(whole[name], *sent);
            }
            for added in [&least, &whole] {
                let path = format!("{kind}/{}", added["Comment_ID"]);
                assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), *added);
            }
            let listed = world.client.get(&admin, list).await.expect(200).json();
            let listed = listed.as_array().expect("comments").clone();
            assert_eq!(listed[1..], [least, whole]);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn an_added_comment_is_recorded_in_the_history_of_its_record() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        world.sql("DELETE FROM field_changes").await;
        let paths = ["Loan > Comments", "Contact > Comments", "Collateral > Comments"];
        for ((list, history), path) in lists(&rows).iter().zip(histories(&rows)).zip(paths) {
            let body = json!({"Comment_Category_ID": 1, "Comment": "Words", "Priority": "low"});
            let added = world.client.post(&admin, list, &body, None).await.expect(201);
            let request_id = added.header("x-request-id").to_owned();
            let id = added.json()["Comment_ID"].clone();
            let history = world.client.get(&admin, &format!("{history}?tableName=comments")).await;
            let changes = history.expect(200).json();
            let changes = changes.as_array().expect("changes").iter();
            let own: Vec<&Value> = changes.filter(|change| change["Record_ID"] == id).collect();
            let value = |name: &str| {
                let mut named = own.iter().filter(|change| change["Field_Name"] == name);
                named.next().map(|change| change["New_Value"].clone())
            };
            assert_eq!(value("Comment"), Some("Words".into()), "{own:?}");
            assert_eq!(value("Priority"), Some("low".into()));
            assert_eq!(value("Comment_Category_ID"), Some("1".into()));
            assert_eq!(value("Action_Date"), None);
            assert!(own.iter().all(|change| change["Source"] == "api"));
            assert!(own.iter().all(|change| change["Request_ID"] == request_id.as_str()));
            assert!(own.iter().all(|change| change.get("Old_Value").is_none()));
            let readers =
                format!("SELECT DISTINCT privilege_path FROM field_changes WHERE record_id = {id}");
            assert_eq!(world.texts(&readers).await, [path]);
        }
        // Collateral that secures two loans is in the history of both.
        let id = world.count("SELECT MAX(comment_id) FROM comments").await;
        let loans =
            format!("SELECT COUNT(DISTINCT loan_id) FROM field_changes WHERE record_id = {id}");
        assert_eq!(world.count(&loans).await, 2);
        world
    })
    .await;
}

#[tokio::test]
async fn a_comment_that_breaks_a_rule_is_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        category(&world, 77, false).await;
        let before = count(&world).await;
        let long = "é".repeat(32 * 1024 + 1);
        for list in lists(&rows) {
            for (body, status, problem, field) in [
                (json!({"Comment_Category_ID": 1, "Comment": ""}), 422, "invalid-value", "Comment"),
                (
                    json!({"Comment_Category_ID": 1, "Comment": " \n"}),
                    422,
                    "invalid-value",
                    "Comment",
                ),
                (
                    json!({"Comment_Category_ID": 1, "Comment": long}),
                    422,
                    "invalid-value",
                    "Comment",
                ),
                (
                    json!({"Comment_Category_ID": 1, "Comment": "a\0b"}),
                    422,
                    "invalid-value",
                    "Comment",
                ),
                (
                    json!({"Comment_Category_ID": 77, "Comment": "Words"}),
                    422,
                    "unknown-code",
                    "Comment_Category_ID",
                ),
                (
                    json!({"Comment_Category_ID": 999, "Comment": "Words"}),
                    422,
                    "unknown-code",
                    "Comment_Category_ID",
                ),
                (json!({"Comment": "Words"}), 400, "bad-request", "Comment_Category_ID"),
                (json!({"Comment_Category_ID": 1}), 400, "bad-request", "Comment"),
                (
                    json!({"Comment_Category_ID": 1, "Comment": "Words", "Priority": "urgent"}),
                    400,
                    "bad-request",
                    "Priority",
                ),
                (
                    json!({"Comment_Category_ID": 1, "Comment": "Words", "Comment_ID": 7}),
                    400,
                    "bad-request",
                    "Comment_ID",
                ),
            ] {
                let refused = world.client.post(&admin, &list, &body, None).await;
                let refused = refused.expect_problem(status, problem).json();
                assert_eq!(refused["errors"][0]["field"], field, "{refused}");
            }
        }
        assert_eq!(count(&world).await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn a_category_closed_to_the_caller_is_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        category(&world, 77, true).await;
        world.sql("DELETE FROM privilege_grants").await;
        let grants = "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                      user_id FROM privileges, users WHERE user_name IN ('viewer', 'teller')";
        world.sql(grants).await;
        let trustee = "INSERT INTO trustees (object_type, object_id, user_id) \
                       SELECT 'comment_category', 77, user_id FROM users WHERE user_name = 'teller'";
        world.sql(trustee).await;
        let (viewer, teller) = (world.token("viewer").await, world.token("teller").await);
        let before = count(&world).await;
        let body = json!({"Comment_Category_ID": 77, "Comment": "Words"});
        for list in lists(&rows) {
            let refused = world.client.post(&viewer, &list, &body, None).await;
            let refused = refused.expect_problem(403, "privilege-missing");
            assert!(refused.text.contains("comment category 77"), "{}", refused.text);
            world.client.post(&teller, &list, &body, None).await.expect(201);
        }
        assert_eq!(count(&world).await, before + 3);
        world
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_gets_the_first_response_and_adds_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let body = json!({"Comment_Category_ID": 1, "Comment": "Words"});
        for list in lists(&rows) {
            let before = count(&world).await;
            let key = Some(list.as_str());
            let first = world.client.post(&admin, &list, &body, key).await.expect(201);
            assert_eq!(first.header("idempotency-replayed"), "");
            let again = world.client.post(&admin, &list, &body, key).await.expect(201);
            assert_eq!(again.header("idempotency-replayed"), "true");
            assert_eq!((&again.text, again.header("etag")), (&first.text, first.header("etag")));
            let other = json!({"Comment_Category_ID": 1, "Comment": "Other words"});
            let refused = world.client.post(&admin, &list, &other, key).await;
            refused.expect_problem(422, "idempotency-mismatch");
            assert_eq!(count(&world).await, before + 1);
            world.client.post(&admin, &list, &body, None).await.expect(201);
            assert_eq!(count(&world).await, before + 2);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn equal_requests_at_once_add_one_comment() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [list, ..] = lists(&rows);
        let before = count(&world).await;
        let body = json!({"Comment_Category_ID": 1, "Comment": "Words"});
        world.client.post_fifty_times(&admin, &list, &body).await;
        assert_eq!(count(&world).await, before + 1);
        world
    })
    .await;
}
