//! Concurrent uploads, repeated uploads, and servers that die in the middle of them.

use super::{counts, download, owners};
use crate::PROGRAM;
use acceptance::forms::{Form, chunked_body, media_type};
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::world::in_processes_on_each_database;
use acceptance::{World, on_each_database};
use futures_util::future::join_all;
use reqwest::Method;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Objects of uploads. Objects that tests put there have shorter names.
fn uploaded(world: &World) -> BTreeSet<String> {
    world.objects().into_iter().filter(|name| name.len() >= 32).collect()
}

#[tokio::test]
async fn concurrent_uploads_to_one_comment_create_one_document_each() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let (_, path) = &owners(&rows)[2];
        let before = counts(&world).await;
        // More than a connection buffers for requests that are still waiting.
        let content = |n| [format!("words {n}").as_bytes(), &vec![b'x'; 600_000]].concat();
        let uploads = (0..40).map(|n| {
            let form = Form::file("a.txt", &content(n));
            let (client, admin) = (&world.client, &admin);
            async move { client.upload(admin, path, form, None).await.expect(201).json() }
        });
        let documents = join_all(uploads).await;
        assert_eq!(counts(&world).await, (before.0 + 40, before.1 + 40));
        assert_eq!(uploaded(&world).len(), 40);
        let ids: BTreeSet<String> =
            documents.iter().map(|row| row["Document_ID"].to_string()).collect();
        assert_eq!(ids.len(), 40);
        for (n, document) in documents.iter().enumerate() {
            let bytes = download(&world, &admin, &document["Files"][0]).await;
            assert!(bytes == content(n), "document {n}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn an_upload_repeated_with_its_key_is_attached_once() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for (owner, path) in owners(&rows) {
            let (before, objects) = (counts(&world).await, uploaded(&world).len());
            let form = || Form::file("a.txt", b"words").and_text("name", "One");
            let key = format!("key of {owner}");
            let sent = (0..12).map(|_| world.client.upload(&admin, &path, form(), Some(&key)));
            let mut bodies = BTreeSet::new();
            for response in join_all(sent).await {
                match response.status.as_u16() {
                    201 => drop(bodies.insert(response.text)),
                    _ => drop(response.expect_problem(409, "idempotency-in-progress")),
                }
            }
            let repeated = world.client.upload(&admin, &path, form(), Some(&key)).await.expect(201);
            assert_eq!(repeated.header("idempotency-replayed"), "true");
            bodies.insert(repeated.text);
            assert_eq!(bodies.len(), 1, "{bodies:?}");
            for other in [
                Form::file("a.txt", b"other").and_text("name", "One"),
                Form::file("b.txt", b"words").and_text("name", "One"),
                Form::file("a.txt", b"words").and_text("name", "Two"),
                Form::file("a.txt", b"words"),
                Form::file("a.txt", b"words").and_text("name", "One").and_text("description", ""),
            ] {
                let refused = world.client.upload(&admin, &path, other, Some(&key)).await;
                refused.expect_problem(422, "idempotency-mismatch");
            }
            assert_eq!(counts(&world).await, (before.0 + 1, before.1 + 1));
            assert_eq!(uploaded(&world).len(), objects + 1);
        }
        // A refusal releases the key.
        let (_, path) = &owners(&rows)[0];
        let long = Form::file("a.txt", b"words").and_text("name", &"n".repeat(300));
        let refused = world.client.upload(&admin, path, long, Some("again")).await;
        refused.expect_problem(422, "invalid-value");
        let form = Form::file("a.txt", b"words");
        world.client.upload(&admin, path, form, Some("again")).await.expect(201);
        world
    })
    .await;
}

/// Attaches and removes documents until told to stop. Documents attached and not removed stay; some
/// answers may be missing.
async fn work(
    world: Arc<World>,
    token: String,
    paths: Vec<String>,
    stop: Arc<AtomicBool>,
    done: Arc<AtomicUsize>,
) {
    let bytes = [b"words ".as_slice(), &vec![b'x'; 400_000]].concat();
    for n in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let path = &paths[n % paths.len()];
        let form = Form::file("a.txt", &bytes);
        let Ok(response) = world.client.try_upload(&token, path, form, None).await else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        if response.status != 201 {
            assert!([409, 503].contains(&response.status.as_u16()), "{}", response.text);
            continue;
        }
        done.fetch_add(1, Ordering::Relaxed);
        if n % 2 == 0 {
            let document = response.json();
            let removal = match document["Row_ID"].is_null() {
                true => format!("{path}?documentId={}", document["Document_ID"]),
                false => format!(
                    "/user-defined-fields/documents/{}?versionHash={}",
                    document["Row_ID"],
                    document["versionHash"].as_str().unwrap_or_default()
                ),
            };
            let request = world.client.request(Method::DELETE, &token, &removal);
            let _ = world.client.send(request).await;
        }
    }
}

#[tokio::test]
async fn a_server_killed_during_uploads_and_removals_keeps_rows_and_objects_consistent() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let paths: Vec<String> = owners(&rows).into_iter().map(|(_, path)| path).collect();
        for _ in 0..3 {
            let stop = Arc::new(AtomicBool::new(false));
            let done = Arc::new(AtomicUsize::new(0));
            let shared = Arc::new(world);
            let senders: Vec<_> = (0..8)
                .map(|_| {
                    let (world, token, paths) = (Arc::clone(&shared), admin.clone(), paths.clone());
                    tokio::spawn(work(world, token, paths, Arc::clone(&stop), Arc::clone(&done)))
                })
                .collect();
            while done.load(Ordering::Relaxed) < 24 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            shared.api.kill_without_waiting();
            stop.store(true, Ordering::Relaxed);
            for sender in senders {
                sender.await.expect("a sender");
            }
            world = Arc::into_inner(shared).expect("nobody else has it");
            world.api.kill().await;
            check(&world).await;
            let http = world.client.http.clone();
            world.api.restart(&http).await;
        }
        let (_, path) = &owners(&rows)[0];
        world.client.upload(&admin, path, Form::file("a.txt", b"a"), None).await.expect(201);
        world
    })
    .await;
}

/// Checks the store after a server died: the sweep removes objects without a row, and leaves
/// exactly the files.
async fn check(world: &World) {
    let before = uploaded(world).len();
    let swept = world.documents().sweep(&world.db, 0).await.expect("a sweep");
    let (remaining, removed) = (uploaded(world), swept.removed);
    assert_eq!((remaining.len() as u64 + removed, swept.left), (before as u64, 0));
    let keys = world.texts("SELECT object_key FROM document_files WHERE size_bytes > 1").await;
    assert_eq!(remaining, keys.into_iter().collect::<BTreeSet<_>>());
    println!("{before} objects, of which {removed} had no row");
}

#[tokio::test]
async fn a_document_attached_to_a_comment_being_removed_is_removed_with_it() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        for series in 1..=3 {
            let rows = world.rows(&admin, series, 1).await;
            let comment = format!("/loans/collateral/comments/{}", rows.comment_ids[2]);
            let documents = format!("{comment}/documents");
            let version = world.client.get(&admin, &comment).await.expect(200).json();
            let version = version["versionHash"].as_str().expect("a version").to_owned();
            let uploads = (0..10).map(|n| {
                let (client, admin, documents) = (&world.client, &admin, &documents);
                async move {
                    let form = Form::file("a.txt", format!("words {n}").as_bytes());
                    client.upload(admin, documents, form, None).await.status.as_u16()
                }
            });
            let removal = async {
                tokio::time::sleep(Duration::from_millis(15 * u64::from(series))).await;
                let path = format!("{comment}?versionHash={version}");
                let request = world.client.request(Method::DELETE, &admin, &path);
                world.client.send(request).await.expect("a response").expect(204);
            };
            let (statuses, ()) = tokio::join!(join_all(uploads), removal);
            assert!(statuses.iter().all(|status| [201, 404].contains(status)), "{statuses:?}");
            let remaining = format!(
                "SELECT COUNT(*) FROM documents WHERE owner_type = 'collateral_comment' AND \
                 owner_id = {}",
                rows.comment_ids[2]
            );
            assert_eq!(world.count(&remaining).await, 0);
        }
        // Objects of refused uploads may be deleted slightly after the answer arrives.
        let deadline = Instant::now() + Duration::from_secs(20);
        while !uploaded(&world).is_empty() && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(uploaded(&world), BTreeSet::new());
        let remaining = "SELECT COUNT(*) FROM document_files WHERE size_bytes > 1";
        assert_eq!(world.count(remaining).await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn an_upload_to_a_loan_or_contact_being_deleted_is_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        world.rows(&admin, 1, 1).await;
        let booked = world.import(&admin, &file(&borrower_with_loan(9, OPEN_TERMS))).await;
        let [contact, loan] = [0, 1].map(|n| booked["Records"][n]["New_ID"].clone());
        let before = (counts(&world).await, uploaded(&world));
        let deletions = [
            (format!("/loans/{loan}/detail1"), "<Loan UpdateFlag=\"2\" LoanNumber=\"L-9\"/>"),
            (
                format!("/contacts/{contact}/detail"),
                "<Contact UpdateFlag=\"2\" ContactNumber=\"C-9\"/>",
            ),
        ];
        for (form, deletion) in deletions {
            let path = format!("{form}/userdef80/documents");
            let [head, tail] = Form::around_file("a.txt");
            let (pieces, body) = chunked_body();
            let request = world.client.request(Method::POST, &admin, &path);
            let request = request.header("content-type", media_type()).body(body);
            let client = world.client.clone();
            let sent = tokio::spawn(async move { client.send(request).await.expect("a response") });
            pieces.send(Ok([head, b"words".to_vec()].concat())).await.expect("taken");
            // The first bytes have been read by now, so the owner was found to exist.
            pieces.send(Ok(b" and more".to_vec())).await.expect("taken");
            tokio::time::sleep(Duration::from_millis(500)).await;
            assert_eq!(world.import(&admin, &file(deletion)).await["Deleted"], 1);
            pieces.send(Ok(tail)).await.expect("taken");
            drop(pieces);
            let response = sent.await.expect("it ran");
            response.expect_problem(404, "not-found");
        }
        assert_eq!((counts(&world).await, uploaded(&world)), before);
        world
    })
    .await;
}
