//! Documents in an S3-compatible bucket, on another project's server: the state of the bucket after
//! each request, as the bucket itself reports it. [`away`] covers a store that does not answer.

mod large_files;
mod outage;

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::forms::{Form, chunked_body, media_type};
use acceptance::installed_clients::skip;
use acceptance::moto::{Moto, MotoProgram, PREFIX};
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{TestResponse, World};
use api_server::documents::store::gc_report::{GcError, GcReport};
use api_server::documents::store::{DocumentStore, Orphan};
use aws_lc_rs::digest;
use futures_util::TryStreamExt;
use futures_util::future::join_all;
use reqwest::Method;

use reqwest::header::{CONTENT_TYPE, HeaderName, IF_NONE_MATCH, RANGE};
use serde_json::json;
use std::io;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const MIB: usize = 1024 * 1024;

/// A world that keeps its documents in a bucket, with these settings of the api-server.
fn bucket_environment(moto: MotoProgram, api: &[(&str, &str)]) -> Environment {
    let api = api.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Environment { moto: Some(moto), api: api.collect(), ..Environment::default() }
}

/// Returns this many bytes of text, different for each number.
fn text(bytes: usize, number: usize) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(number as u64);
    let mut text: Vec<u8> = (0..bytes).map(|_| rng.alphanumeric() as u8).collect();
    text.iter_mut().step_by(64).for_each(|byte| *byte = b'\n');
    text
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(digest::digest(&digest::SHA256, bytes))
}

/// Places for documents: a field of a loan, and the three kinds of comments.
fn upload_paths(rows: &FilledRows) -> [String; 4] {
    let [loan, contact, collateral] = rows.comment_ids;
    [
        format!("/loans/{}/detail1/userdef80/documents", rows.loan_id),
        format!("/loans/comments/{loan}/documents"),
        format!("/contacts/comments/{contact}/documents"),
        format!("/loans/collateral/comments/{collateral}/documents"),
    ]
}

async fn delete(world: &World, token: &str, path: &str) -> TestResponse {
    let request = world.client.request(Method::DELETE, token, path);
    world.client.send(request).await.expect("a response")
}

/// Waits until the bucket holds this many documents and unfinished uploads.
async fn wait_for_objects(moto: &Moto, documents: usize, unfinished: usize) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let found = (moto.documents().await, moto.unfinished_uploads().await);
        if (found.0.len(), found.1.len()) == (documents, unfinished) {
            return;
        }
        assert!(Instant::now() < deadline, "{documents} and {unfinished} expected: {found:?}");
        sleep(Duration::from_millis(50)).await;
    }
}

/// The objects that have no row.
async fn orphans(world: &World, store: &DocumentStore) -> Vec<Orphan> {
    let batches: Vec<Vec<Orphan>> =
        store.orphans(&world.db, None).try_collect().await.expect("keys");
    batches.into_iter().flatten().collect()
}

/// The numbers of rows in every table that a request may write: documents, files, history and keys.
async fn row_counts(world: &World) -> [i64; 4] {
    let tables = ["documents", "document_files", "field_changes", "idempotency_records"];
    let mut counts = [0; 4];
    for (count, table) in counts.iter_mut().zip(tables) {
        *count = world.count(&format!("SELECT COUNT(*) FROM {table}")).await;
    }
    counts
}

/// Checks that a file reads back exactly as sent, as a whole and in ranges.
async fn check_reads(world: &World, token: &str, path: &str, sent: &[u8]) {
    let bytes = sent.len();
    let whole = world.client.get(token, path).await.expect(200);
    assert!(whole.text.as_bytes() == sent, "{bytes} bytes are not what was sent");
    assert_eq!(whole.header("content-length"), bytes.to_string());
    let conditional = async |header: HeaderName, value: &str| {
        let request = world.client.request(Method::GET, token, path).header(header, value);
        world.client.send(request).await.expect("a response")
    };
    for (range, from, to) in [
        ("bytes=0-9".to_owned(), 0, 10),
        ("bytes=-7".to_owned(), bytes - 7, bytes),
        (format!("bytes={}-", bytes - 3), bytes - 3, bytes),
        (format!("bytes={}-{}", bytes / 2, bytes + 5), bytes / 2, bytes),
    ] {
        let part = conditional(RANGE, &range).await.expect(206);
        assert!(part.text.as_bytes() == &sent[from..to], "{range} of {bytes}");
        assert_eq!(part.header("content-range"), format!("bytes {from}-{}/{bytes}", to - 1));
    }
    conditional(RANGE, &format!("bytes={bytes}-"))
        .await
        .expect_problem(416, "range-not-satisfiable");
    conditional(IF_NONE_MATCH, whole.header("etag")).await.expect(304);
}

#[tokio::test]
async fn single_part_and_multipart_files_round_trip() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto,
        Err(missing) => return skip(&missing),
    };
    on_each_database_with(PROGRAM, bucket_environment(moto, &[]), |world| async move {
        let moto = world.moto.as_ref().expect("a store");
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let sizes = [20, 5 * MIB - 1, 5 * MIB, 5 * MIB + 1, 12 * MIB + 3];
        for (number, bytes) in sizes.into_iter().enumerate() {
            let (sent, path) = (text(bytes, number), &upload_paths(&rows)[number % 4]);
            let form = Form::file("Paper.txt", &sent).and_text("name", "Of Mr. Doe");
            let document = world.client.upload(&admin, path, form, None).await.expect(201).json();
            let file = &document["Files"][0];
            assert_eq!(file["Size_Bytes"], bytes);
            assert_eq!(file["SHA256"], sha256(&sent));
            let listed = format!("{path}?documentId={}", document["Document_ID"]);
            let listed = world.client.get(&admin, &listed).await.expect(200);
            assert_eq!(listed.json(), json!([document]));
            check_reads(&world, &admin, file["Download_Path"].as_str().expect("a path"), &sent)
                .await;
            let objects = moto.documents().await;
            assert_eq!(objects.len(), number + 1, "one for each: {objects:?}");
        }
        wait_for_objects(moto, sizes.len(), 0).await;
        let mut stored = Vec::new();
        for name in moto.documents().await {
            // Nothing in an object's name reveals what the document is.
            let key = name.strip_prefix(PREFIX).expect("below the prefix");
            assert!(
                key.chars().all(|letter| letter == '/' || letter.is_ascii_hexdigit()),
                "{name}"
            );
            stored.push(sha256(&moto.bytes(&name).await));
        }
        for (number, bytes) in sizes.into_iter().enumerate() {
            assert!(stored.contains(&sha256(&text(bytes, number))), "{bytes} bytes are not there");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn removed_files_are_deleted_from_the_bucket_and_changed_ones_kept() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto,
        Err(missing) => return skip(&missing),
    };
    on_each_database_with(PROGRAM, bucket_environment(moto, &[]), |world| async move {
        let moto = world.moto.as_ref().expect("a store");
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let upload = async |upload_path: &str, number: usize| {
            let form = Form::file("Paper.txt", &text(6 * MIB * number + 10, number));
            world.client.upload(&admin, upload_path, form, None).await.expect(201).json()
        };
        let [field, .., comment] = &upload_paths(&rows);
        let created = upload(field, 0).await;
        let document = format!("/user-defined-fields/documents/{}", created["Row_ID"]);
        let first = moto.documents().await;
        // A new file replaces the first.
        let files = format!("{document}/files");
        let second = upload(&files, 1).await;
        wait_for_objects(moto, 2, 0).await;
        let removal = format!("{files}?fileId={}", created["Files"][0]["File_ID"]);
        delete(&world, &admin, &removal).await.expect(204);
        wait_for_objects(moto, 1, 0).await;
        assert_ne!(moto.documents().await, first, "the second one is left");
        let removal = format!("{files}?fileId={}", second["File_ID"]);
        delete(&world, &admin, &removal).await.expect_problem(422, "last-file");
        let now = world.client.get(&admin, &document).await.expect(200).json();
        assert_eq!(now["Files"], json!([second]));
        let change = json!({"Name": "New name", "versionHash": now["versionHash"]});
        let request = world.client.request(Method::PUT, &admin, &document).json(&change);
        let changed = world.client.send(request).await.expect("a response").expect(200).json();
        let path = second["Download_Path"].as_str().expect("a path");
        check_reads(&world, &admin, path, &text(6 * MIB + 10, 1)).await;
        let stale = format!("{document}?versionHash={}", now["versionHash"].as_str().unwrap());
        delete(&world, &admin, &stale).await.expect_problem(409, "stale-version");
        wait_for_objects(moto, 1, 0).await;
        let removal =
            format!("{document}?versionHash={}", changed["versionHash"].as_str().unwrap());
        delete(&world, &admin, &removal).await.expect(204);
        wait_for_objects(moto, 0, 0).await;
        world.client.get(&admin, path).await.expect_problem(404, "not-found");
        // Documents of a comment, removed one by one and with the comment.
        let one = upload(comment, 0).await;
        upload(comment, 0).await;
        upload(comment, 1).await;
        wait_for_objects(moto, 3, 0).await;
        let removal = format!("{comment}?documentId={}", one["Document_ID"]);
        delete(&world, &admin, &removal).await.expect(204);
        wait_for_objects(moto, 2, 0).await;
        let comment = comment.trim_end_matches("/documents");
        let hash = world.client.get(&admin, comment).await.expect(200).json();
        let hash = hash["versionHash"].as_str().unwrap().to_owned();
        delete(&world, &admin, &format!("{comment}?versionHash={hash}")).await.expect(204);
        wait_for_objects(moto, 0, 0).await;
        world
    })
    .await;
}

#[tokio::test]
async fn refused_and_interrupted_uploads_leave_nothing_in_the_bucket() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto,
        Err(missing) => return skip(&missing),
    };
    let limit = ("API_UPLOAD_BYTES_MAX", "8388608");
    on_each_database_with(PROGRAM, bucket_environment(moto, &[limit]), |world| async move {
        let moto = world.moto.as_ref().expect("a store");
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let path = &upload_paths(&rows)[1];
        let before = row_counts(&world).await;
        let content = text(6 * MIB, 1);
        let late_nul = [content.as_slice(), b"\0\x01\x02", &content[..MIB]].concat();
        let form = |bytes: &[u8]| Form::file("Paper.txt", bytes);
        let unnamed = form(&content).and_text("colour", "red");
        let long_name = form(&content).and_text("name", &"n".repeat(256));
        for (form, status, kind) in [
            (form(b"MZ\x90\0\x03\0\0\0"), 415, "unsupported-media-type"),
            (form(&late_nul), 415, "unsupported-media-type"),
            (form(&text(8 * MIB + 1, 2)), 413, "too-large"),
            (unnamed, 400, "bad-request"),
            (form(&content).and_file("file", "b.txt", b"Another one"), 400, "bad-request"),
            (long_name, 422, "invalid-value"),
        ] {
            let response = world.client.upload(&admin, path, form, Some("refused")).await;
            response.expect_problem(status, kind);
            wait_for_objects(moto, 0, 0).await;
        }
        // A form without its end, and nothing after it.
        let cut = form(&content).unfinished();
        let request = world.client.request(Method::POST, &admin, path);
        let request = request.header(CONTENT_TYPE, media_type()).body(cut);
        world.client.send(request).await.expect("a response").expect_problem(400, "bad-request");
        wait_for_objects(moto, 0, 0).await;
        // A client that disconnects when part of its file is already stored.
        let (pieces, body) = chunked_body();
        let request = world.client.request(Method::POST, &admin, path);
        let request = request.header(CONTENT_TYPE, media_type()).body(body);
        let sent = tokio::spawn(request.send());
        pieces.send(Ok(form(&content).unfinished())).await.expect("sent");
        wait_for_objects(moto, 0, 1).await;
        pieces.send(Err(io::Error::other("the client is gone"))).await.expect("sent");
        assert!(sent.await.expect("an end").is_err());
        wait_for_objects(moto, 0, 0).await;
        assert_eq!(row_counts(&world).await, before);
        // The largest allowed file is accepted, under the key that was refused.
        let largest = Form::file("Paper.txt", &text(8 * MIB, 2));
        world.client.upload(&admin, path, largest, Some("refused")).await.expect(201);
        wait_for_objects(moto, 1, 0).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_repeated_upload_leaves_one_object() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto,
        Err(missing) => return skip(&missing),
    };
    on_each_database_with(PROGRAM, bucket_environment(moto, &[]), |world| async move {
        let moto = world.moto.as_ref().expect("a store");
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let upload_path = &upload_paths(&rows)[0];
        let bytes = text(6 * MIB, 1);
        let upload = async |bytes: &[u8]| {
            let form = Form::file("Paper.txt", bytes);
            world.client.upload(&admin, upload_path, form, Some("once")).await
        };
        // Eight concurrent requests: those that arrive while the first is running are told that it
        // is in progress.
        let responses = join_all((0..8).map(|_| upload(&bytes))).await;
        let succeeded =
            responses.iter().find(|response| response.status == 201).expect("one is done");
        for response in &responses {
            match response.status.as_u16() {
                201 => assert_eq!(response.text, succeeded.text),
                _ => drop(response.clone().expect_problem(409, "idempotency-in-progress")),
            }
        }
        let repeated = upload(&bytes).await.expect(201);
        assert_eq!(repeated.header("idempotency-replayed"), "true");
        assert_eq!(repeated.text, succeeded.text);
        upload(b"Another text").await.expect_problem(422, "idempotency-mismatch");
        wait_for_objects(moto, 1, 0).await;
        let path =
            repeated.json()["Files"][0]["Download_Path"].as_str().expect("a path").to_owned();
        check_reads(&world, &admin, &path, &bytes).await;
        world
    })
    .await;
}

#[tokio::test]
async fn the_sweep_removes_only_this_databases_orphans() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto,
        Err(missing) => return skip(&missing),
    };
    on_each_database_with(PROGRAM, bucket_environment(moto, &[]), |world| async move {
        let moto = world.moto.as_ref().expect("a store");
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for path in upload_paths(&rows) {
            let form = Form::file("Paper.txt", b"A paper that stays");
            world.client.upload(&admin, &path, form, None).await.expect(201);
        }
        let objects = moto.documents().await;
        let store = world.documents();
        let orphan = "00112233445566778899aabbccddeeff";
        store.put(orphan, "left over".into()).await.expect("an object");
        let foreign_object = format!("elsewhere/00/{orphan}");
        moto.put(&foreign_object, b"another system's file").await;
        let found = orphans(&world, &store).await;
        assert_eq!(found, [Orphan { key: orphan.to_owned(), size_bytes: 9 }]);
        let sweep = async |hours| store.sweep(&world.db, hours).await.expect("a sweep");
        assert_eq!(sweep(24).await, GcReport::default(), "it is young");
        // To the store, this is another database.
        let store_id =
            world.text("SELECT value FROM settings WHERE name = 'document_store_id'").await;
        let rename = async |id: &str| {
            let update = format!("UPDATE settings SET value = '{id}'");
            world.sql(&format!("{update} WHERE name = 'document_store_id'")).await;
        };
        rename("another").await;
        let refused = store.sweep(&world.db, 0).await.expect_err("it is another's");
        assert!(matches!(refused, GcError::OtherOwner), "{refused}");
        assert_eq!(moto.documents().await.len(), objects.len() + 2);
        let owner = moto.bytes(&format!("{PREFIX}/owner")).await;
        let owner = String::from_utf8(owner.to_vec()).expect("a name");
        assert!(!store_id.contains(&owner), "a store without an owner is not swept");
        rename(&store_id).await;
        let refused = store.sweep(&world.db, 0).await.expect_err("it is nobody's");
        assert!(matches!(refused, GcError::OtherOwner), "{refused}");
        store.adopt(&world.db).await.expect("an owner");
        assert_eq!(sweep(0).await, GcReport { removed: 1, left: 0 });
        let mut remaining = moto.documents().await;
        remaining.retain(|name| *name != foreign_object);
        assert_eq!(remaining, objects);
        assert_eq!(moto.bytes(&foreign_object).await, b"another system's file");
        assert_eq!(sweep(0).await, GcReport::default());
        world
    })
    .await;
}
