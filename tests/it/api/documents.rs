//! Documents, wherever they are attached: uploading, changing and removing them.

mod changes;
mod concurrency;
mod hidden_fields;
mod refusals;

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::forms::Form;
use acceptance::{TestResponse, World, on_each_database};
use aws_lc_rs::digest;
use serde_json::{Value, json};

/// Where documents are attached, with the `Owner_Type` of each.
fn owners(rows: &FilledRows) -> [(&'static str, String); 8] {
    let (loan, contact) = (rows.loan_id, rows.contact_id);
    let [on_loan, on_contact, on_collateral] = rows.comment_ids;
    [
        ("loan_comment", format!("/loans/comments/{on_loan}/documents")),
        ("contact_comment", format!("/contacts/comments/{on_contact}/documents")),
        ("collateral_comment", format!("/loans/collateral/comments/{on_collateral}/documents")),
        ("loan_detail1", format!("/loans/{loan}/detail1/userdef80/documents")),
        ("loan_detail2", format!("/loans/{loan}/detail2/UserDef80/documents")),
        ("contact_demographics", format!("/contacts/{contact}/demographics/userdef80/documents")),
        ("contact_detail", format!("/contacts/{contact}/detail/USERDEF80/documents")),
        ("contact_financials", format!("/contacts/{contact}/financials/userdef80/documents")),
    ]
}

/// SHA-256 in lower-case hex.
fn sha256(bytes: &[u8]) -> String {
    hex::encode(digest::digest(&digest::SHA256, bytes))
}

/// Downloads the bytes of a file.
async fn download(world: &World, token: &str, file: &Value) -> Vec<u8> {
    let path = file["Download_Path"].as_str().expect("a path");
    let request = world.client.request(reqwest::Method::GET, token, path);
    let response = request.send().await.expect("a response");
    assert_eq!(response.status(), 200);
    response.bytes().await.expect("all bytes").to_vec()
}

/// The numbers of rows of documents and of files.
async fn counts(world: &World) -> (i64, i64) {
    (
        world.count("SELECT COUNT(*) FROM documents").await,
        world.count("SELECT COUNT(*) FROM document_files").await,
    )
}

/// Gives a user every privilege except these, on everyone's rows.
async fn grant_all_but(world: &World, user: &str, but: &str) {
    world.sql("DELETE FROM privilege_grants").await;
    world
        .sql(&format!(
            "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, user_id \
             FROM privileges, users WHERE user_name = '{user}' AND NOT ({but})"
        ))
        .await;
}

/// The field named by an answer's only error.
fn field(response: &TestResponse) -> Value {
    response.json()["errors"][0]["field"].clone()
}

#[tokio::test]
async fn a_file_can_be_attached_listed_downloaded_and_removed_for_each_owner() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        // Several multipart parts of the object store, so that part boundaries are crossed.
        let bytes: Vec<u8> = b"%PDF-1.7\n"
            .iter()
            .copied()
            .chain((0..900_000_u32).map(|n| (n * 7 % 256) as u8))
            .collect();
        for (owner, path) in owners(&rows) {
            let listed = world.client.get(&admin, &path).await.expect(200).json();
            let form =
                Form::default().and_text("name", "Größe").and_file("file", "a b.pdf", &bytes);
            let form = form.and_text("description", "two\nlines");
            let document = world.client.upload(&admin, &path, form, None).await.expect(201).json();
            let of_field = !owner.ends_with("comment");
            let (document_id, file) = (&document["Document_ID"], &document["Files"][0]);
            let mut expected = json!({
                "Document_ID": document_id, "Owner_Type": owner, "Owner_ID": document["Owner_ID"],
                "Name": "Größe", "Description": "two\nlines", "Created_By_User_ID": 1,
                "Created_Date": document["Created_Date"], "versionHash": document["versionHash"],
                "Files": [{
                    "File_ID": file["File_ID"], "Document_ID": document_id,
                    "File_Name": "a b.pdf", "Content_Type": "application/pdf",
                    "Size_Bytes": bytes.len(), "SHA256": sha256(&bytes),
                    "Download_Path": format!("/files/{}", file["File_ID"]),
                    "Uploaded_By_User_ID": 1, "Uploaded_Date": document["Created_Date"],
                }],
            });
            if of_field {
                expected["Field_Name"] = json!("userdef80");
                expected["Row_ID"] = document_id.clone();
            }
            assert_eq!(document, expected);
            let now = world.client.get(&admin, &path).await.expect(200).json();
            let length = listed.as_array().map_or(0, Vec::len);
            assert_eq!(now.as_array().map(Vec::len), Some(length + 1));
            assert_eq!(now[length], document);
            assert_eq!(download(&world, &admin, file).await, bytes);
            let removal = match of_field {
                true => format!(
                    "/user-defined-fields/documents/{document_id}?versionHash={}",
                    document["versionHash"].as_str().expect("a version")
                ),
                false => format!("{path}?documentId={document_id}"),
            };
            let request = || world.client.request(reqwest::Method::DELETE, &admin, &removal);
            world.client.send(request()).await.expect("a response").expect(204);
            let repeated = world.client.send(request()).await.expect("a response");
            repeated.expect_problem(404, "not-found");
            assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), listed);
            let file = file["Download_Path"].as_str().expect("a path");
            world.client.get(&admin, file).await.expect_problem(404, "not-found");
        }
        assert!(!world.objects().iter().any(|name| name.len() == 32), "{:?}", world.objects());
        world
    })
    .await;
}

#[tokio::test]
async fn the_owners_history_records_documents_and_files() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for (owner, path) in owners(&rows) {
            let form = || Form::file("letter.txt", b"Dear borrower").and_text("name", owner);
            world.client.upload(&admin, &path, form(), None).await.expect(201);
            let history = match owner.starts_with("contact") {
                true => format!("/contacts/{}/field-history", rows.contact_id),
                false => format!("/loans/{}/field-history", rows.loan_id),
            };
            let changes = async |token: &str| {
                let list = format!("{history}?limit=1000&tableName=documents&fieldName=Name");
                world.client.get(token, &list).await.expect(200).column("New_Value")
            };
            assert!(changes(&admin).await.contains(&json!(owner)));
            // A user who may not read the form or the kind of comment does not see its changes
            // either.
            let paths = match owner {
                "loan_comment" => "Loan > Comments",
                "contact_comment" => "Contact > Comments",
                "collateral_comment" => "Collateral > Comments",
                "loan_detail1" => "Loan > Detail 1",
                "loan_detail2" => "Loan > Detail 2",
                "contact_demographics" => "Contact > Demographics",
                "contact_detail" => "Contact > Detail",
                _ => "Contact > Financials",
            };
            let parent = paths.split(" > ").next().unwrap_or_default();
            let but = format!("path IN ('{paths}', '{parent}') AND verb = 'View'");
            grant_all_but(&world, "viewer", &but).await;
            let viewer = world.token("viewer").await;
            assert!(!changes(&viewer).await.contains(&json!(owner)), "{owner}");
        }
        let files = "SELECT COUNT(*) FROM field_changes WHERE table_name = 'document_files'";
        assert_eq!(world.count(&format!("{files} AND field_name = 'SHA256'")).await, 8);
        assert_eq!(world.count(&format!("{files} AND field_name = 'Object_Key'")).await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn file_names_lose_paths_and_invisible_characters() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [(_, path), ..] = owners(&rows);
        for (sent, stored_name) in [
            ("../../etc/passwd.txt", "passwd.txt"),
            ("C:\\Users\\me\\letter.txt", "letter.txt"),
            ("line%0D%0Atab\there.txt", "linetabhere.txt"),
            ("invoice\u{202e}fdp.txt", "invoicefdp.txt"),
            ("\u{200f}مرفق.txt", "مرفق.txt"),
            ("..", "document.txt"),
            ("", "document.txt"),
            ("say \"hi\".txt", "say \"hi\".txt"),
            ("letter", "letter.txt"),
            ("Letter.TXT", "Letter.TXT"),
        ] {
            let form = Form::file(sent, b"words");
            let document = world.client.upload(&admin, &path, form, None).await.expect(201).json();
            assert_eq!(document["Files"][0]["File_Name"], stored_name, "{sent:?}");
            assert_eq!(document["Name"], stored_name, "the document is called after its file");
        }
        for (disposition, stored_name) in [
            ("form-data; name=\"file\"", "document.txt"),
            (
                "form-data; filename=\"x; name=description; .txt\"; name=\"file\"",
                "x; name=description; .txt",
            ),
            ("Form-Data; NAME=file; FILENAME=\"C:\\dir\\a.txt\"", "a.txt"),
            (
                "form-data; name=file; filename=\"=?utf-8?B?R3LDtsOfZS5jc3Y=?=\"; \
                 filename*=utf-8\'\'Gr%C3%B6%C3%9Fe.csv",
                "Größe.csv",
            ),
        ] {
            let form = Form::default().and_part(disposition, b"a,b\n1,2\n");
            let form = form.and_text("name", " \t").and_text("description", "\n");
            let document = world.client.upload(&admin, &path, form, None).await.expect(201).json();
            assert_eq!(document["Files"][0]["File_Name"], stored_name, "{disposition}");
            assert_eq!(document["Name"], stored_name, "blanks are no name");
            assert_eq!(document.get("Description"), None, "{document}");
        }
        world
    })
    .await;
}

/// A file in a ZIP archive, preceded by its local header.
fn zipped(name: &str, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_le_bytes();
    let name_length = (name.len() as u32).to_le_bytes();
    let header = [b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0", &length[..], &length, &name_length];
    [&header.concat(), name.as_bytes(), content].concat()
}

#[tokio::test]
async fn files_written_by_common_programs_are_recognized() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [(_, path), ..] = owners(&rows);
        let wide = |text: &str| -> Vec<u8> {
            format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
        };
        let sheet = zipped("xl/worksheets/sheet1.xml", &vec![b'<'; 400_000]);
        let picture = zipped("docProps/thumbnail.jpeg", &[0xff; 100_000]);
        for (name, bytes, media_type) in [
            ("Loans.CSV", b"a,b\n1,2\n".to_vec(), "text/csv"),
            ("sheet.txt", wide(&"Größe\t€\r\n".repeat(40_001)), "text/plain"),
            ("dos.txt", b"words\r\n\x1a".to_vec(), "text/plain"),
            (
                "book.xlsx",
                [sheet, zipped("[Content_Types].xml", b"<Types/>")].concat(),
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            ),
            (
                "letter.docx",
                [picture, zipped("word/document.xml", b"<w/>")].concat(),
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            ),
        ] {
            let form = Form::file(name, &bytes);
            let document = world.client.upload(&admin, &path, form, None).await.expect(201).json();
            assert_eq!(document["Files"][0]["Content_Type"], media_type, "{name}");
            assert_eq!(document["Files"][0]["SHA256"], sha256(&bytes), "{name}");
        }
        world
    })
    .await;
}
