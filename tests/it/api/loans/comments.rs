//! `/loans/comments`, and what all three kinds of comments have in common.

mod adding;
mod listing;

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::{TestResponse, World, on_each_database};
use reqwest::Method;
use reqwest::header::{CONTENT_LENGTH, ETAG, IF_NONE_MATCH};
use serde_json::json;

/// The paths of the three kinds of comments.
const KINDS: [&str; 3] = ["/loans/comments", "/contacts/comments", "/loans/collateral/comments"];

/// The lists of comments on the records of the three kinds.
fn lists(rows: &FilledRows) -> [String; 3] {
    [
        format!("/loans/{}/comments", rows.loan_id),
        format!("/contacts/{}/comments", rows.contact_id),
        format!("/loans/collateral/{}/comments", rows.collateral_id),
    ]
}

/// Sends a request once for each of these spellings of `If-None-Match`.
async fn get_with_tags(
    world: &World,
    method: Method,
    token: &str,
    path: &str,
    tags: &[&str],
) -> TestResponse {
    let request = world.client.request(method, token, path);
    let request = tags.iter().fold(request, |request, tag| request.header(IF_NONE_MATCH, *tag));
    world.client.send(request).await.expect("a response")
}

#[tokio::test]
async fn each_path_finds_only_its_own_kind_of_comment() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let parents = [
            ("Loan_ID", rows.loan_id),
            ("Contact_ID", rows.contact_id),
            ("Collateral_ID", rows.collateral_id),
        ];
        for (kind, path) in KINDS.iter().enumerate() {
            for (other, id) in rows.comment_ids.iter().enumerate() {
                let comment_path = format!("{path}/{id}");
                let response = world.client.get(&admin, &comment_path).await;
                let documents =
                    world.client.get(&admin, &format!("{comment_path}/documents")).await;
                if kind != other {
                    response.expect_problem(404, "not-found");
                    documents.expect_problem(404, "not-found");
                    continue;
                }
                let response = response.expect(200).json();
                let (parent, parent_id) = parents[kind];
                let expected = json!({
                    "Comment_ID": id, parent: parent_id, "Comment_Category_ID": 1,
                    "Comment_Category": "GENERAL", "Comment": "Words", "Priority": "normal",
                    "Pinned_Flag": false, "Entered_By_User_ID": rows.user_id,
                    "Entered_Date": "2020-01-01T00:00:00Z", "versionHash": response["versionHash"],
                });
                assert_eq!(response, expected);
                assert_eq!(documents.expect(200).column("Owner_ID"), [*id]);
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_comments_version_changes_with_every_column() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let category = "comment_category_id, code, description, active_flag";
        world
            .sql(&format!(
                "INSERT INTO comment_categories ({category}) VALUES (77, 'X', 'X', true)"
            ))
            .await;
        let later = world.long_ago().replace("2020-01-01", "2020-01-02");
        for (path, id) in KINDS.iter().zip(rows.comment_ids) {
            let path = format!("{path}/{id}");
            let version = async || {
                let response = world.client.get(&admin, &path).await.expect(200);
                let hash = response.json()["versionHash"].as_str().expect("a hash").to_owned();
                assert_eq!(hash.len(), 64);
                assert!(hash.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
                assert_eq!(response.header("etag"), format!("\"{hash}\""));
                hash
            };
            let mut seen = vec![version().await];
            assert_eq!(version().await, seen[0], "reading changes nothing");
            for change in [
                "comment_category_id = 77",
                "comment = 'words'",
                "comment = 'words '",
                "action_date = '2024-02-29'",
                "priority = 'high'",
                "pinned_flag = true",
                "entered_by_user_id = 2",
                &format!("entered_date = {later}"),
                "modified_by_user_id = 1",
                &format!("modified_date = {later}"),
            ] {
                world.sql(&format!("UPDATE comments SET {change} WHERE comment_id = {id}")).await;
                let hash = version().await;
                assert!(!seen.contains(&hash), "{change} did not change the hash");
                seen.push(hash);
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_matching_if_none_match_gets_304_without_a_body() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for (path, id) in KINDS.iter().zip(rows.comment_ids) {
            let path = format!("{path}/{id}");
            let whole = world.client.get(&admin, &path).await.expect(200);
            let tag = whole.header("etag").to_owned();
            let hash = tag.trim_matches('"');
            let (weak, list) = (format!("W/{tag}"), format!("\"old\", {tag} ,\"older\""));
            for tags in [&[tag.as_str()][..], &[&weak], &[&list], &["*"], &["\"old\"", &tag]] {
                for method in [Method::GET, Method::HEAD] {
                    let response =
                        get_with_tags(&world, method, &admin, &path, tags).await.expect(304);
                    assert_eq!(response.text, "", "{tags:?}");
                    assert_eq!(response.header("etag"), tag);
                    assert_eq!(response.header("content-type"), "");
                    let length = response.headers.get(CONTENT_LENGTH);
                    assert_eq!(length, None, "it would be the length of another answer");
                }
            }
            for tags in [&["\"old\""][..], &[hash], &[""], &["W/\"*\""], &["\"*\""]] {
                let response =
                    get_with_tags(&world, Method::GET, &admin, &path, tags).await.expect(200);
                assert_eq!(response.json(), whole.json());
            }
            let head =
                get_with_tags(&world, Method::HEAD, &admin, &path, &["\"old\""]).await.expect(200);
            assert_eq!((head.text.as_str(), head.headers.get(ETAG)), ("", whole.headers.get(ETAG)));
            assert_eq!(head.header("content-length"), whole.text.len().to_string());
            world.sql(&format!("UPDATE comments SET comment = 'x' WHERE comment_id = {id}")).await;
            get_with_tags(&world, Method::GET, &admin, &path, &[&tag]).await.expect(200);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_category_without_the_caller_as_trustee_hides_its_comments() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        // The viewer in these tests may read comments of all kinds.
        world.sql("DELETE FROM privilege_grants").await;
        world
            .sql(
                "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                 user_id FROM privileges, users WHERE user_name IN ('viewer', 'teller')",
            )
            .await;
        let (viewer, teller) = (world.token("viewer").await, world.token("teller").await);
        let get = async |token: &str, tags: &[&str], status: u16| {
            for (path, id) in KINDS.iter().zip(rows.comment_ids) {
                let path = format!("{path}/{id}");
                get_with_tags(&world, Method::GET, token, &path, tags).await.expect(status);
                let documents = format!("{path}/documents");
                let seen = if status == 404 { 404 } else { 200 };
                world.client.get(token, &documents).await.expect(seen);
            }
        };
        get(&viewer, &[], 200).await;
        world
            .sql(
                "INSERT INTO trustees (object_type, object_id, user_id) \
                 SELECT 'comment_category', 1, user_id FROM users WHERE user_name = 'teller'",
            )
            .await;
        get(&viewer, &[], 404).await;
        get(&viewer, &["*"], 404).await;
        get(&teller, &[], 200).await;
        get(&teller, &["*"], 304).await;
        get(&admin, &[], 200).await;
        world
    })
    .await;
}
