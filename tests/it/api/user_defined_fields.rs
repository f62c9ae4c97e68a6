//! `/user-defined-fields`, and the lists of documents of fields and comments.

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::{World, on_each_database};
use reqwest::Method;
use reqwest::header::IF_NONE_MATCH;
use serde_json::{Value, json};

/// The path that lists the documents of a form's fields, and the privilege path that reads them.
fn forms(rows: &FilledRows) -> [(&'static str, String, &'static str); 5] {
    let (loan, contact) = (rows.loan_id, rows.contact_id);
    [
        ("loan_detail1", format!("/loans/{loan}/detail1"), "Loan > Detail 1"),
        ("loan_detail2", format!("/loans/{loan}/detail2"), "Loan > Detail 2"),
        ("contact_detail", format!("/contacts/{contact}/detail"), "Contact > Detail"),
        (
            "contact_demographics",
            format!("/contacts/{contact}/demographics"),
            "Contact > Demographics",
        ),
        ("contact_financials", format!("/contacts/{contact}/financials"), "Contact > Financials"),
    ]
}

async fn define(world: &World, form: &str, name: &str, kind: &str, hidden: bool) {
    let columns = "form, field_name, label, data_type, pick_list, required_flag, hidden_flag, \
                   read_only_flag, web_visible_flag, sequence";
    let row =
        format!("'{form}', '{name}', 'Field', '{kind}', '[]', false, {hidden}, false, false, 9");
    world.sql(&format!("INSERT INTO user_defined_fields ({columns}) VALUES ({row})")).await;
}

/// The first and the last id of an owner's documents, by the columns that identify the owner.
async fn documents(world: &World, condition: &str) -> (i64, i64) {
    let aggregate =
        |function: &str| format!("SELECT {function}(document_id) FROM documents WHERE {condition}");
    (world.count(&aggregate("MIN")).await, world.count(&aggregate("MAX")).await)
}

/// Grants this user the View of a path and nothing else.
async fn grant_only(world: &World, user: &str, path: &str) {
    world.sql("DELETE FROM privilege_grants").await;
    let others = "path LIKE '%Access to Other Officers'";
    world
        .sql(&format!(
            "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, user_id \
             FROM privileges, users WHERE user_name = '{user}' AND \
             ((path = '{path}' AND verb = 'View') OR {others})"
        ))
        .await;
}

#[tokio::test]
async fn a_fields_documents_are_found_by_name_in_any_letter_case() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        for (form, path, _) in forms(&rows) {
            let owner = if form.starts_with("loan") { rows.loan_id } else { rows.contact_id };
            let ids = documents(&world, &format!("owner_type = '{form}'")).await;
            for field in ["userdef80", "USERDEF80", "UserDef80"] {
                let list = format!("{path}/{field}/documents");
                let list = world.client.get(&admin, &list).await.expect(200);
                assert_eq!(list.column("Document_ID"), [ids.0, ids.1], "{form}");
                assert_eq!(list.column("Row_ID"), [ids.0, ids.1], "{form}");
                let first = &list.json()[0];
                let file = &first["Files"][0];
                let expected = json!({
                    "Document_ID": ids.0, "Row_ID": ids.0, "Owner_Type": form, "Owner_ID": owner,
                    "Field_Name": "userdef80", "Name": "Document 1", "Created_By_User_ID": 1,
                    "Created_Date": "2020-01-01T00:00:00Z", "Files": first["Files"],
                    "versionHash": first["versionHash"],
                });
                assert_eq!(*first, expected);
                let expected = json!({
                    "File_ID": file["File_ID"], "Document_ID": ids.0, "File_Name": "a.txt",
                    "Content_Type": "text/plain", "Size_Bytes": 1, "SHA256": "ab",
                    "Download_Path": format!("/files/{}", file["File_ID"]),
                    "Uploaded_By_User_ID": 1, "Uploaded_Date": "2020-01-01T00:00:00Z",
                });
                assert_eq!(*file, expected, "the key in the object store is in no answer");
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn an_undefined_or_hidden_field_is_not_found_and_other_types_have_no_documents() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for (index, (form, path, _)) in forms(&rows).into_iter().enumerate() {
            define(&world, form, "userdef02", "document", true).await;
            define(&world, form, "userdef03", "document", false).await;
            define(&world, form, "userdef04", "text", true).await;
            // Only this form has this field.
            let own_path = format!("userdef1{index}");
            define(&world, form, &own_path, "document", false).await;
            let get = async |field: &str| {
                world.client.get(&admin, &format!("{path}/{field}/documents")).await
            };
            assert_eq!(get("userdef03").await.expect(200).json(), json!([]), "it has none yet");
            get(&own_path).await.expect(200);
            for missing in ["userdef01", "userdef02", "USERDEF04", "userdef81", "name"] {
                get(missing).await.expect_problem(404, "not-found");
            }
            get(&format!("userdef1{}", (index + 1) % 5)).await.expect_problem(404, "not-found");
            for kind in ["text", "number", "money", "date", "flag", "pick_list"] {
                define(&world, form, "userdef05", kind, false).await;
                get("UserDef05").await.expect_problem(422, "field-not-document");
                world.sql("DELETE FROM user_defined_fields WHERE field_name = 'userdef05'").await;
            }
            let nobodys = path.replace(&format!("/{}/", rows.loan_id), "/999999/");
            let nobodys = nobodys.replace(&format!("/{}/", rows.contact_id), "/999999/");
            // A missing record is reported before any error in the field.
            let missing = world.client.get(&admin, &format!("{nobodys}/userdef99/documents")).await;
            missing.expect_problem(404, "not-found");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_document_is_selected_by_id_within_its_owner_only() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        let mut lists: Vec<(String, i64)> = Vec::new();
        for (form, path, _) in forms(&rows) {
            let (_, last) = documents(&world, &format!("owner_type = '{form}'")).await;
            lists.push((format!("{path}/userdef80/documents"), last));
        }
        let paths = ["/loans/comments", "/contacts/comments", "/loans/collateral/comments"];
        for (path, id) in paths.iter().zip(rows.comment_ids) {
            let condition = format!("owner_type LIKE '%_comment' AND owner_id = {id}");
            lists.push((format!("{path}/{id}/documents"), documents(&world, &condition).await.1));
        }
        for (index, (list, own_path)) in lists.iter().enumerate() {
            let pick =
                async |id: i64| world.client.get(&admin, &format!("{list}?documentId={id}")).await;
            assert_eq!(pick(*own_path).await.expect(200).column("Document_ID"), [*own_path]);
            let paged = format!("{list}?documentId={own_path}&limit=1");
            assert_eq!(world.client.get(&admin, &paged).await.expect(200).header("link"), "");
            for (other, (_, id)) in lists.iter().enumerate() {
                if other != index {
                    pick(*id).await.expect_problem(404, "not-found");
                }
            }
        }
        // The same loan and form, but another field.
        define(&world, "loan_detail1", "userdef01", "document", false).await;
        let other = format!("/loans/{}/detail1/userdef01/documents", rows.loan_id);
        let other = format!("{other}?documentId={}", lists[0].1);
        world.client.get(&admin, &other).await.expect_problem(404, "not-found");
        world
    })
    .await;
}

#[tokio::test]
async fn comment_documents_have_no_row_id_and_no_own_path() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let paths = ["/loans/comments", "/contacts/comments", "/loans/collateral/comments"];
        for (path, id) in paths.iter().zip(rows.comment_ids) {
            let list = world.client.get(&admin, &format!("{path}/{id}/documents")).await;
            let list = list.expect(200);
            assert_eq!(list.column("Row_ID"), [Value::Null]);
            assert!(!list.text.contains("Row_ID") && !list.text.contains("Object_Key"));
            assert!(!list.text.contains("\"k"), "the key in the object store is in no answer");
            let document = &list.json()[0];
            assert_eq!(document["Files"].as_array().map(Vec::len), Some(2));
            for tail in ["", "/files"] {
                let own_path =
                    format!("/user-defined-fields/documents/{}{tail}", document["Document_ID"]);
                world.client.get(&admin, &own_path).await.expect_problem(404, "not-found");
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_field_documents_version_covers_its_columns_and_files() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let id = rows.document_id;
        let path = format!("/user-defined-fields/documents/{id}");
        let get = async || world.client.get(&admin, &path).await.expect(200);
        let listed = format!("/contacts/{}/financials/userdef80/documents", rows.contact_id);
        let listed = world.client.get(&admin, &listed).await.expect(200);
        assert_eq!(listed.json()[0], get().await.json(), "alone as in the list");
        assert_eq!(listed.header("etag"), "");
        let mut seen = Vec::new();
        let file = "document_id, file_name, content_type, size_bytes, sha256, object_key, \
                    uploaded_by_user_id, uploaded_date";
        let row =
            format!("{id}, 'c.txt', 'text/plain', 1, 'cd', 'unique', 1, {}", world.long_ago());
        for change in [
            "UPDATE documents SET name = 'Other'",
            "UPDATE documents SET description = 'Words'",
            "UPDATE documents SET modified_by_user_id = 1",
            &format!("UPDATE documents SET modified_date = {}", world.long_ago()),
            &format!("INSERT INTO document_files ({file}) VALUES ({row})"),
            "UPDATE document_files SET sha256 = 'ef' WHERE sha256 = 'cd'",
            "DELETE FROM document_files WHERE sha256 = 'ef'",
        ] {
            let response = get().await;
            let hash = response.json()["versionHash"].as_str().expect("a hash").to_owned();
            assert_eq!(response.header("etag"), format!("\"{hash}\""));
            for method in [Method::GET, Method::HEAD] {
                let request = world.client.request(method, &admin, &path);
                let request = request.header(IF_NONE_MATCH, format!("W/\"{hash}\""));
                let not_modified =
                    world.client.send(request).await.expect("a response").expect(304);
                assert_eq!(not_modified.text, "");
            }
            seen.push(hash);
            world.sql(change).await;
            let now = get().await.json()["versionHash"].as_str().expect("a hash").to_owned();
            assert_ne!(Some(&now), seen.last(), "{change}");
        }
        let files = world.client.get(&admin, &format!("{path}/files")).await.expect(200);
        assert_eq!(files.json(), get().await.json()["Files"]);
        assert_eq!(files.header("etag"), "");
        world
    })
    .await;
}

#[tokio::test]
async fn a_document_is_not_found_without_view_of_its_form() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let viewer = world.token("viewer").await;
        for (form, _, privilege) in forms(&rows) {
            grant_only(&world, "viewer", privilege).await;
            for (other, ..) in forms(&rows) {
                let (id, _) = documents(&world, &format!("owner_type = '{other}'")).await;
                for tail in ["", "/files"] {
                    let path = format!("/user-defined-fields/documents/{id}{tail}");
                    let response = world.client.get(&viewer, &path).await;
                    match form == other {
                        true => drop(response.expect(200)),
                        false => drop(response.expect_problem(404, "not-found")),
                    }
                }
            }
        }
        world
    })
    .await;
}
