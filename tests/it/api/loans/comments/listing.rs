//! Lists of the comments on a record.

use super::{KINDS, lists};
use crate::PROGRAM;
use acceptance::on_each_database;
use serde_json::Value;

#[tokio::test]
async fn a_list_has_the_comments_of_its_record_as_each_is_read_by_id() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 3).await;
        let other = world.rows(&admin, 2, 1).await;
        for ((list, other), kind) in lists(&rows).iter().zip(lists(&other)).zip(KINDS) {
            let comments = world.client.get(&admin, list).await.expect(200).json();
            let comments = comments.as_array().expect("comments").clone();
            assert_eq!(comments.len(), 3);
            for comment in &comments {
                let path = format!("{kind}/{}", comment["Comment_ID"]);
                assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), *comment);
            }
            let first = &comments[0]["Comment_ID"];
            let others = world.client.get(&admin, &other).await.expect(200).column("Comment_ID");
            assert!(others.len() == 1 && !others.contains(first), "{others:?}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn comments_are_filtered_by_category_and_business_day() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        world
            .sql("UPDATE settings SET value = 'America/New_York' WHERE name = 'business_time_zone'")
            .await;
        let rows = world.rows(&admin, 1, 3).await;
        let category = "comment_category_id, code, description, active_flag";
        let category = format!(
            "INSERT INTO comment_categories ({category}) VALUES (77, 'Legal', 'Legal', true)"
        );
        world.sql(&category).await;
        // Midnight in New York is at five o'clock UTC in winter.
        for (position, day) in [(0, "2024-01-15T04:59:59"), (1, "2024-01-15T05:00:00")] {
            let date = world.long_ago().replace("2020-01-01T00:00:00", day);
            let date = date.replace("2020-01-01 00:00:00", &day.replace('T', " "));
            for first in rows.comment_ids {
                let id = first + position;
                world
                    .sql(&format!(
                        "UPDATE comments SET comment_category_id = 77, entered_date = {date} \
                         WHERE comment_id = {id}"
                    ))
                    .await;
            }
        }
        for (list, first) in lists(&rows).iter().zip(rows.comment_ids) {
            for (query, expected) in [
                ("", &[0, 1, 2][..]),
                ("category=Legal", &[0, 1]),
                ("category=GENERAL", &[2]),
                ("category=legal", &[]),
                ("category=", &[]),
                ("from=2024-01-15", &[1]),
                ("to=2024-01-14", &[0, 2]),
                ("from=2024-01-14&to=2024-01-14", &[0]),
                ("from=2024-01-14&category=GENERAL", &[]),
                ("from=2024-01-16&to=2024-01-14", &[]),
            ] {
                let path = format!("{list}?{query}");
                let found = world.client.get(&admin, &path).await.expect(200).column("Comment_ID");
                let expected: Vec<Value> =
                    expected.iter().map(|position| (first + position).into()).collect();
                assert_eq!(found, expected, "{path}");
            }
            for (wrong, field) in [
                ("from=yesterday", "from"),
                ("to=2024-02-30", "to"),
                ("after=junk", "after"),
                ("categoryId=1", "categoryId"),
                ("category=Legal&category=Legal", "category"),
            ] {
                let path = format!("{list}?{wrong}");
                let refused = world.client.get(&admin, &path).await;
                let refused = refused.expect_problem(400, "bad-request").json();
                assert_eq!(refused["errors"][0]["field"], field, "{refused}");
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_category_without_the_caller_as_trustee_is_left_out() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        world.sql("DELETE FROM privilege_grants").await;
        let grants = "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                      user_id FROM privileges, users WHERE user_name = 'viewer'";
        world.sql(grants).await;
        let viewer = world.token("viewer").await;
        for list in lists(&rows) {
            assert_eq!(world.client.get(&viewer, &list).await.column("Comment_ID").len(), 2);
        }
        let trustee = "INSERT INTO trustees (object_type, object_id, user_id) \
                       SELECT 'comment_category', 1, user_id FROM users WHERE user_name = 'teller'";
        world.sql(trustee).await;
        for list in lists(&rows) {
            let found = world.client.get(&viewer, &list).await.expect(200);
            assert_eq!(found.text, "[]", "{list}");
            assert_eq!(world.client.get(&admin, &list).await.column("Comment_ID").len(), 2);
        }
        world
    })
    .await;
}
