//! `/user-defined-fields/documents/{row_id}`: renaming a field's document, and its files.

use super::{counts, download, field, grant_all_but, owners};
use crate::PROGRAM;
use acceptance::forms::Form;
use acceptance::{TestResponse, World, on_each_database};
use reqwest::Method;
use reqwest::header::IF_MATCH;
use serde_json::{Value, json};

/// Attaches a document with one file to a field.
async fn attach(world: &World, token: &str, path: &str) -> Value {
    let form = Form::file("first.txt", b"first");
    world.client.upload(token, path, form, None).await.expect(201).json()
}

fn path_of(document: &Value) -> String {
    format!("/user-defined-fields/documents/{}", document["Row_ID"])
}

fn version(document: &Value) -> &str {
    document["versionHash"].as_str().expect("a version")
}

async fn send(
    world: &World,
    token: &str,
    method: Method,
    path: &str,
    body: Option<Value>,
) -> TestResponse {
    let request = world.client.request(method, token, path);
    let request = match &body {
        Some(body) => request.json(body),
        None => request,
    };
    world.client.send(request).await.expect("a response")
}

#[tokio::test]
async fn renaming_a_document_requires_its_current_version() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for (_, list) in &owners(&rows)[3..] {
            let document = attach(&world, &admin, list).await;
            let path = path_of(&document);
            let put =
                async |body: Value| send(&world, &admin, Method::PUT, &path, Some(body)).await;
            let hash = version(&document);
            let new = json!({"Name": "Contract", "Description": "Signed", "versionHash": hash});
            let now = put(new.clone()).await.expect(200);
            let tag = now.header("etag").to_owned();
            let now = now.json();
            assert_eq!((&now["Name"], &now["Description"]), (&json!("Contract"), &json!("Signed")));
            assert_eq!((&now["Files"], &now["Row_ID"]), (&document["Files"], &document["Row_ID"]));
            assert_eq!(now["Modified_By_User_ID"], 1);
            assert_eq!(tag, format!("\"{}\"", version(&now)));
            assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), now);
            let refused = put(new).await.expect_problem(409, "stale-version");
            assert_eq!(refused.json()["currentVersionHash"], now["versionHash"]);
            put(json!({"Name": "Contract"})).await.expect_problem(400, "bad-request");
            let named = |name: Value| json!({"Name": name, "versionHash": version(&now)});
            for (name, status, kind) in [
                (json!(""), 422, "invalid-value"),
                (json!(" "), 422, "invalid-value"),
                (json!("x".repeat(256)), 422, "invalid-value"),
                (json!("a\0b"), 422, "invalid-value"),
                (json!(7), 400, "bad-request"),
                (Value::Null, 400, "bad-request"),
            ] {
                let refused = put(named(name)).await.expect_problem(status, kind);
                assert_eq!(field(&refused), "Name");
            }
            // Only the name: the description is cleared.
            let request = world.client.request(Method::PUT, &admin, &path).header(IF_MATCH, &tag);
            let short = request.json(&json!({"Name": "Größe ".repeat(42)}));
            let short = world.client.send(short).await.expect("a response").expect(200).json();
            assert_eq!(short["Description"], Value::Null);
            let request = world.client.request(Method::DELETE, &admin, &path);
            let stale =
                world.client.send(request.header(IF_MATCH, &tag)).await.expect("a response");
            stale.expect_problem(412, "precondition-failed");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn files_can_be_added_and_removed_except_the_last() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [.., (_, list)] = owners(&rows);
        let (document, other) =
            (attach(&world, &admin, &list).await, attach(&world, &admin, &list).await);
        let path = path_of(&document);
        let files = format!("{path}/files");
        let form = Form::file("second.csv", b"1,2").and_text("name", "ignored");
        let second = world.client.upload(&admin, &files, form, None).await.expect(201).json();
        let now = world.client.get(&admin, &path).await.expect(200).json();
        assert_eq!(now["Files"], json!([document["Files"][0], second]));
        assert_eq!(now["Name"], "first.txt");
        assert_ne!(now["versionHash"], document["versionHash"]);
        assert_eq!(world.client.get(&admin, &files).await.expect(200).json(), now["Files"]);
        assert_eq!(download(&world, &admin, &second).await, b"1,2");
        let remove = async |query: &str| {
            send(&world, &admin, Method::DELETE, &format!("{files}{query}"), None).await
        };
        remove("").await.expect_problem(400, "bad-request");
        remove("?fileId=x").await.expect_problem(400, "bad-request");
        let others = format!("?fileId={}", other["Files"][0]["File_ID"]);
        remove(&others).await.expect_problem(404, "not-found");
        let before = world.objects();
        remove(&format!("?fileId={}", document["Files"][0]["File_ID"])).await.expect(204);
        assert_eq!(before.len() - world.objects().len(), 1);
        let last = remove(&format!("?fileId={}", second["File_ID"])).await;
        last.expect_problem(422, "last-file");
        assert_eq!(download(&world, &admin, &second).await, b"1,2");
        world
    })
    .await;
}

#[tokio::test]
async fn of_concurrent_removals_of_two_files_one_file_remains() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [.., (_, list)] = owners(&rows);
        for _ in 0..4 {
            let document = attach(&world, &admin, &list).await;
            let files = format!("{}/files", path_of(&document));
            let second = Form::file("second.txt", b"second");
            let second = world.client.upload(&admin, &files, second, None).await.expect(201).json();
            let removal = |id: &Value| {
                let path = format!("{files}?fileId={id}");
                let (world, admin) = (&world, &admin);
                async move { send(world, admin, Method::DELETE, &path, None).await }
            };
            let (one, two) = tokio::join!(
                removal(&document["Files"][0]["File_ID"]),
                removal(&second["File_ID"])
            );
            let (removed, remaining) = if one.status == 204 { (one, two) } else { (two, one) };
            removed.expect(204);
            remaining.expect_problem(422, "last-file");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn documents_need_the_view_and_change_privileges_of_their_form() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let paths = [
            "Loan > Detail 1",
            "Loan > Detail 2",
            "Contact > Demographics",
            "Contact > Detail",
            "Contact > Financials",
        ];
        for ((_, list), privilege) in owners(&rows)[3..].iter().zip(paths) {
            let document = attach(&world, &admin, list).await;
            let before = counts(&world).await;
            let (path, files) = (path_of(&document), format!("{}/files", path_of(&document)));
            for (verb, status, kind) in
                [("View", 404, "not-found"), ("Change", 403, "privilege-missing")]
            {
                let parent = privilege.split(" > ").next().unwrap_or_default();
                let but = format!("path IN ('{privilege}', '{parent}') AND verb = '{verb}'");
                grant_all_but(&world, "viewer", &but).await;
                let viewer = world.token("viewer").await;
                let body = json!({"Name": "x", "versionHash": version(&document)});
                let refused = [
                    send(&world, &viewer, Method::PUT, &path, Some(body)).await,
                    send(
                        &world,
                        &viewer,
                        Method::DELETE,
                        &format!("{path}?versionHash={}", version(&document)),
                        None,
                    )
                    .await,
                    world.client.upload(&viewer, &files, Form::file("a.txt", b"a"), None).await,
                    send(
                        &world,
                        &viewer,
                        Method::DELETE,
                        &format!("{files}?fileId={}", document["Files"][0]["File_ID"]),
                        None,
                    )
                    .await,
                ];
                for response in refused {
                    let response = response.expect_problem(status, kind);
                    if verb == "Change" {
                        assert!(response.text.contains(&format!("{privilege} > Change")));
                    }
                }
                let seen = world.client.get(&viewer, &path).await;
                assert_eq!(seen.status == 200, verb == "Change");
                let file = document["Files"][0]["Download_Path"].as_str().expect("a path");
                let bytes = world.client.get(&viewer, file).await;
                assert_eq!(bytes.status == 200, verb == "Change");
            }
            assert_eq!(counts(&world).await, before);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn documents_of_a_read_only_field_cannot_be_changed() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [_, _, _, (_, list), ..] = owners(&rows);
        let document = attach(&world, &admin, &list).await;
        let (path, files) = (path_of(&document), format!("{}/files", path_of(&document)));
        world.sql("UPDATE user_defined_fields SET read_only_flag = true").await;
        let before = counts(&world).await;
        let body = json!({"Name": "x", "versionHash": version(&document)});
        let removal = format!("{path}?versionHash={}", version(&document));
        let file = format!("{files}?fileId={}", document["Files"][0]["File_ID"]);
        let form = || Form::file("a.txt", b"a");
        for refused in [
            world.client.upload(&admin, &list, form(), None).await,
            world.client.upload(&admin, &files, form(), None).await,
            send(&world, &admin, Method::PUT, &path, Some(body)).await,
            send(&world, &admin, Method::DELETE, &removal, None).await,
            send(&world, &admin, Method::DELETE, &file, None).await,
        ] {
            refused.expect_problem(422, "invalid-value");
        }
        assert_eq!(counts(&world).await, before);
        assert_eq!(world.objects().iter().filter(|name| name.len() == 32).count(), 1);
        world
    })
    .await;
}
