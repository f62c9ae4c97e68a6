//! The object store is unavailable: it refuses connections, is silent, or goes away in the middle
//! of a file. Requests that need it are told so soon, all others are unaffected, and no row is
//! written without its object.

use super::{
    MIB, bucket_environment, check_reads, delete, orphans, row_counts, sha256, text, upload_paths,
    wait_for_objects,
};
use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::forms::{Form, chunked_body, media_type};
use acceptance::installed_clients::skip;
use acceptance::moto::MotoProgram;
use acceptance::world::on_each_database_with;
use acceptance::{Database, TestResponse, World};
use api_server::documents::store::gc_report::{GcError, GcReport};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, IF_NONE_MATCH};
use serde_json::{Value, json};
use shared::settings::Settings;
use std::time::Duration;
use tokio::time::Instant;

/// The longest a request waits for a store that refuses connections, with room for the upload of
/// 12 MiB to a busy machine.
const REFUSED_MAX: Duration = Duration::from_secs(40);
/// The longest a request waits for a store that accepts connections and stays silent: twenty
/// seconds, plus two for giving up, and the same room.
const SILENT_MAX: Duration = Duration::from_secs(60);
/// The longest a removal waits for any store: less than requests wait for a silent one.
const REMOVAL_MAX: Duration = Duration::from_secs(20);

/// Awaits an operation, and fails the test if it takes longer than this.
async fn within<T>(longest: Duration, work: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let result = tokio::time::timeout(longest, work).await;
    println!("{:.1} s of {}", started.elapsed().as_secs_f64(), longest.as_secs());
    result.expect("an answer in time")
}

/// Uploads this many bytes under a key.
async fn upload(world: &World, token: &str, path: &str, bytes: usize, key: &str) -> TestResponse {
    let form = Form::file("Paper.txt", &text(bytes, bytes));
    world.client.upload(token, path, form, Some(key)).await
}

#[track_caller]
fn expect_unavailable(response: TestResponse) {
    let response = response.expect_problem(503, "object-store-unavailable");
    assert_eq!(response.header("retry-after"), "5");
    assert!(!response.text.contains("127.0.0.1"), "{}", response.text);
}

/// Runs `api-server --check`.
async fn check(world: &World) -> Result<(), String> {
    let env_file = world.folder.path().join("api-server.env");
    api_server::check(Settings::read(api_server::config::SETTINGS, Some(&env_file))).await
}

#[track_caller]
fn expect_one_line(error: Result<(), String>) -> String {
    let error = error.expect_err("the store is away");
    assert!(error.starts_with("API_DOCUMENTS: "), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    println!("{error}");
    error
}

/// Attaches a document to a field, before the store goes away.
async fn attach(world: &World, token: &str, rows: &FilledRows) -> Value {
    upload(world, token, &upload_paths(rows)[0], 300, "before").await.expect(201).json()
}

/// Checks that operations that need no bytes still work.
async fn check_metadata(world: &World, token: &str, document: &Value) {
    let file = &document["Files"][0];
    let path = format!("/user-defined-fields/documents/{}", document["Row_ID"]);
    let found = world.client.get(token, &path).await.expect(200);
    assert_eq!(found.json(), *document);
    let listed = world.client.get(token, &format!("{path}/files")).await.expect(200);
    assert_eq!(listed.json(), json!([file]));
    let path = file["Download_Path"].as_str().expect("a path");
    let head = world.client.request(Method::HEAD, token, path);
    world.client.send(head).await.expect("a response").expect(200);
    let tag = format!("\"{}\"", file["SHA256"].as_str().expect("a hash"));
    let conditional = world.client.request(Method::GET, token, path).header(IF_NONE_MATCH, tag);
    world.client.send(conditional).await.expect("a response").expect(304);
    world.client.get("", "/health/ready").await.expect(200);
}

#[tokio::test]
async fn while_the_bucket_refuses_connections_uploads_fail_and_can_be_retried() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto,
        Err(missing) => return skip(&missing),
    };
    on_each_database_with(
        PROGRAM,
        bucket_environment(moto, &[]).in_processes(),
        |mut world| async move {
            let mut moto = world.moto.take().expect("a store");
            let admin = world.token("admin").await;
            let rows = world.rows(&admin, 1, 1).await;
            let document = attach(&world, &admin, &rows).await;
            let path = document["Files"][0]["Download_Path"].as_str().expect("a path");
            let (before, sizes) = (row_counts(&world).await, [40, 12 * MIB]);
            moto.server.kill().await;
            for (upload_path, bytes) in upload_paths(&rows).iter().zip(sizes) {
                let key = bytes.to_string();
                let sent = upload(&world, &admin, upload_path, bytes, &key);
                expect_unavailable(within(REFUSED_MAX, sent).await);
            }
            expect_unavailable(within(REFUSED_MAX, world.client.get(&admin, path)).await);
            check_metadata(&world, &admin, &document).await;
            assert_eq!(row_counts(&world).await, before);
            // A server that starts while the store is away is ready all the same.
            world.api.kill().await;
            world.api.restart(&world.client.http).await;
            check_metadata(&world, &admin, &document).await;
            let error = expect_one_line(within(REFUSED_MAX, check(&world)).await);
            assert!(error.contains("Connection refused"), "{error}");
            moto.restart().await;
            for (upload_path, bytes) in upload_paths(&rows).iter().zip(sizes) {
                let created = upload(&world, &admin, upload_path, bytes, &bytes.to_string())
                    .await
                    .expect(201);
                let path = created.json()["Files"][0]["Download_Path"]
                    .as_str()
                    .expect("a path")
                    .to_owned();
                check_reads(&world, &admin, &path, &text(bytes, bytes)).await;
            }
            wait_for_objects(&moto, sizes.len(), 0).await;
            // The store lost its objects when it was killed, its own name among them, which is not
            // the same as being unavailable.
            let error = check(&world).await.expect_err("another store");
            assert!(error.contains("not the database's object store"), "{error}");
            world.client.get(&admin, path).await.expect_problem(500, "internal-error");
            world
        },
    )
    .await;
}

#[tokio::test]
async fn while_the_bucket_is_unresponsive_requests_time_out_and_removals_succeed() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto,
        Err(missing) => return skip(&missing),
    };
    // The test waits for half a minute, and the kind of database does not matter.
    let world = World::new(PROGRAM, Database::Sqlite, bucket_environment(moto, &[])).await;
    let moto = world.moto.as_ref().expect("a store");
    let admin = world.token("admin").await;
    let rows = world.rows(&admin, 1, 1).await;
    let document = attach(&world, &admin, &rows).await;
    let [.., upload_path, other] = upload_paths(&rows);
    let removed = upload(&world, &admin, &other, 50, "gone").await.expect(201).json();
    let path = document["Files"][0]["Download_Path"].as_str().expect("a path");
    let before = row_counts(&world).await;
    moto.server.suspend();
    let small = upload(&world, &admin, &upload_path, 40, "small");
    let large = upload(&world, &admin, &upload_path, 12 * MIB, "large");
    let (small, large, read, error, ()) = tokio::join!(
        within(SILENT_MAX, small),
        within(SILENT_MAX, large),
        within(SILENT_MAX, world.client.get(&admin, path)),
        within(SILENT_MAX, check(&world)),
        within(REMOVAL_MAX, check_metadata(&world, &admin, &document)),
    );
    for response in [small, large, read] {
        expect_unavailable(response);
    }
    let error = expect_one_line(error);
    assert!(error.contains("timed out"), "{error}");
    assert_eq!(row_counts(&world).await, before);
    let removal = format!("{other}?documentId={}", removed["Document_ID"]);
    within(REMOVAL_MAX, delete(&world, &admin, &removal)).await.expect(204);
    moto.server.resume();
    for (bytes, key) in [(40, "small"), (12 * MIB, "large")] {
        upload(&world, &admin, &upload_path, bytes, key).await.expect(201);
    }
    world.client.get(&admin, path).await.expect(200);
    // The store may have read the abandoned requests and made objects of them.
    world.documents().sweep(&world.db, 0).await.expect("a sweep");
    assert_eq!(moto.documents().await.len(), 3);
    world.close().await;
}

#[tokio::test]
async fn an_outage_during_an_upload_leaves_neither_object_nor_row() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto,
        Err(missing) => return skip(&missing),
    };
    on_each_database_with(PROGRAM, bucket_environment(moto, &[]), |mut world| async move {
        let mut moto = world.moto.take().expect("a store");
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let (path, file) = (&upload_paths(&rows)[0], text(20 * MIB, 1));
        let before = row_counts(&world).await;
        let form = Form::file("Paper.txt", &file).finish();
        let (first, remainder) = form.split_at(11 * MIB);
        let request = |body: reqwest::Body| {
            let request = world.client.request(Method::POST, &admin, path);
            let request = request.header("Idempotency-Key", "twenty");
            world.client.send(request.header(CONTENT_TYPE, media_type()).body(body))
        };
        // The store stays away, or comes back without any memory of the upload it had begun.
        for restart in [false, true] {
            let (pieces, body) = chunked_body();
            let send_pieces = async {
                pieces.send(Ok(first.to_vec())).await.expect("sent");
                wait_for_objects(&moto, 0, 1).await;
                moto.server.kill().await;
                if restart {
                    moto.restart().await;
                }
                // The answer may arrive before everything is sent.
                let _ = pieces.send(Ok(remainder.to_vec())).await;
                drop(pieces);
            };
            let (response, ()) = tokio::join!(request(body), send_pieces);
            expect_unavailable(response.expect("a response"));
            assert_eq!(row_counts(&world).await, before);
            if !restart {
                moto.restart().await;
            }
            wait_for_objects(&moto, 0, 0).await;
        }
        let document = request(form.clone().into()).await.expect("a response").expect(201).json();
        assert_eq!(document["Files"][0]["SHA256"], sha256(&file));
        wait_for_objects(&moto, 1, 0).await;
        world
    })
    .await;
}

#[tokio::test]
async fn files_removed_during_an_outage_are_left_for_the_sweep() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto.behind_proxy(),
        Err(missing) => return skip(&missing),
    };
    on_each_database_with(PROGRAM, bucket_environment(moto, &[]), |world| async move {
        let moto = world.moto.as_ref().expect("a store");
        let proxy = moto.proxy.as_ref().expect("a proxy");
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [.., upload_path] = &upload_paths(&rows);
        let document = attach(&world, &admin, &rows).await;
        upload(&world, &admin, upload_path, 40, "one").await.expect(201);
        let remaining =
            upload(&world, &admin, &upload_paths(&rows)[1], 50, "kept").await.expect(201).json();
        let objects = moto.documents().await;
        proxy.shut();
        let version = document["versionHash"].as_str().expect("a hash");
        let path = format!("/user-defined-fields/documents/{}", document["Row_ID"]);
        let removal = format!("{path}?versionHash={version}");
        within(REMOVAL_MAX, delete(&world, &admin, &removal)).await.expect(204);
        let comment = upload_path.trim_end_matches("/documents");
        let version = world.client.get(&admin, comment).await.expect(200).json();
        let version = version["versionHash"].as_str().expect("a hash").to_owned();
        let removal = format!("{comment}?versionHash={version}");
        within(REMOVAL_MAX, delete(&world, &admin, &removal)).await.expect(204);
        for removed_path in [&path, comment] {
            world.client.get(&admin, removed_path).await.expect_problem(404, "not-found");
        }
        let store = world.documents();
        let swept = within(REFUSED_MAX, store.sweep(&world.db, 0)).await;
        let fault = swept.expect_err("it is away");
        assert!(matches!(fault, GcError::Store(_)), "{fault}");
        proxy.open();
        assert_eq!(moto.documents().await, objects, "they are all there");
        assert_eq!(orphans(&world, &store).await.len(), 2);
        let swept = store.sweep(&world.db, 0).await.expect("a sweep");
        assert_eq!(swept, GcReport { removed: 2, left: 0 });
        wait_for_objects(moto, 1, 0).await;
        let path = remaining["Files"][0]["Download_Path"].as_str().expect("a path");
        check_reads(&world, &admin, path, &text(50, 50)).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_missing_bucket_is_reported() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto,
        Err(missing) => return skip(&missing),
    };
    let world = World::new(PROGRAM, Database::Sqlite, bucket_environment(moto, &[])).await;
    let moto = world.moto.as_ref().expect("a store");
    let admin = world.token("admin").await;
    let rows = world.rows(&admin, 1, 1).await;
    check(&world).await.expect("all is well");
    assert!(moto.names().await.iter().all(|name| !name.contains("check")), "it leaves nothing");
    moto.remove_bucket().await;
    let error = expect_one_line(check(&world).await);
    assert!(error.contains("NoSuchBucket"), "{error}");
    for bytes in [40, 6 * MIB] {
        expect_unavailable(upload(&world, &admin, &upload_paths(&rows)[0], bytes, "key").await);
    }
    world.close().await;
}
