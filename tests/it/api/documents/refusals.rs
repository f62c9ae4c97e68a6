//! Uploads that are refused, cut short or mislabelled: each gets a clear answer and leaves no row
//! and no object.

use super::{counts, field, owners, zipped};
use crate::PROGRAM;
use acceptance::forms::{Form, media_type};
use acceptance::wire::Wire;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{TestResponse, World, on_each_database};
use futures_util::{StreamExt, stream};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, Version};
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Fails the test unless nothing is left of the refused uploads.
async fn assert_unchanged(world: &World, before: (i64, i64)) {
    assert_eq!(counts(world).await, before);
    let objects = world.objects();
    assert!(objects.iter().all(|name| name.len() < 32), "{objects:?}");
    let history = "SELECT COUNT(*) FROM field_changes WHERE table_name LIKE 'document%'";
    assert_eq!(world.count(history).await, 0);
}

async fn send(world: &World, token: &str, path: &str, media: &str, body: &[u8]) -> TestResponse {
    let request = world.client.request(Method::POST, token, path).header(CONTENT_TYPE, media);
    world.client.send(request.body(body.to_vec())).await.expect("a response")
}

#[tokio::test]
async fn a_form_with_unexpected_parts_is_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [(_, path), ..] = owners(&rows);
        let before = counts(&world).await;
        let file = || Form::file("a.txt", b"words");
        let nothing = Form::default().finish();
        for (form, named) in [
            (Form::default().and_text("name", "x").finish(), "file"),
            (file().and_file("file", "b.txt", b"more").finish(), "file"),
            (file().and_text("name", "a").and_text("name", "b").finish(), "name"),
            (file().and_text("owner", "1").finish(), "owner"),
            (file().and_part("form-data; name=\"name\"", b"\xff\xfe").finish(), "name"),
            (nothing, "file"),
        ] {
            let refused = send(&world, &admin, &path, &media_type(), &form).await;
            let refused = refused.expect_problem(400, "bad-request");
            assert_eq!(field(&refused), named, "{}", refused.text);
        }
        let headers =
            format!("form-data; name=\"file\"; filename=\"a.txt\"; x={}", "y".repeat(200_000));
        for form in [
            file().unfinished(),
            Form::default().and_part(&headers, b"words").finish(),
            Form::default().and_part("attachment", b"words").finish(),
            Form::default().and_part("form-data; name=file; NAME=file", b"words").finish(),
            Form::default().and_part("form-data; name=file; filename=\"a.txt", b"words").finish(),
            Form::file("bell\u{7}.txt", b"words").finish(),
            [file().finish(), vec![b' '; 300_000]].concat(),
            b"no form at all".to_vec(),
            Vec::new(),
            vec![b'-'; 300_000],
        ] {
            let refused = send(&world, &admin, &path, &media_type(), &form).await;
            refused.expect_problem(400, "bad-request");
        }
        for media in ["application/json", "text/plain", "multipart/mixed; boundary=x", ""] {
            let refused = send(&world, &admin, &path, media, &file().finish()).await;
            refused.expect_problem(415, "unsupported-media-type");
        }
        let without_boundary =
            send(&world, &admin, &path, "multipart/form-data", &file().finish()).await;
        without_boundary.expect_problem(400, "bad-request");
        assert_unchanged(&world, before).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_file_of_a_disallowed_or_mismatched_type_is_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [(_, path), ..] = owners(&rows);
        let before = counts(&world).await;
        let zip = b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0a.txtwords";
        // Only the last byte shows that it is not a text.
        let late_nul = [vec![b'a'; 300_000], vec![0]].concat();
        let odd = [b"\xff\xfe".to_vec(), b"a\0".repeat(200_000), vec![b'a']].concat();
        let sheet = zipped("xl/workbook.xml", &vec![b'<'; 400_000]);
        let macros = [sheet, zipped("xl/vbaProject.bin", b"words")].concat();
        for (name, bytes) in [
            ("contract.pdf", zip.as_slice()),
            ("contract.docx", zip),
            ("setup.exe", b"MZ\x90\0\x03\0\0\0"),
            ("page.html", b"<!DOCTYPE html><script>alert(1)</script>"),
            ("page.txt", b"<!DOCTYPE html><script>alert(1)</script>"),
            ("run.sh", b"#!/bin/sh\n"),
            ("data.bin", b"\0\x01\x02"),
            ("letter.txt", &late_nul),
            ("letter.txt", &odd),
            ("book.xlsx", &macros),
            ("book.xlsm", &macros),
            ("contract.pdf", b"just words"),
            ("photo.png", b"%PDF-1.7\n"),
            ("letter.hta", b"just words"),
            ("letter.js", b"just words"),
            ("letter.bat", b"just words"),
            ("letter.exe", b"just words"),
            ("letter.txt.", b"just words"),
            ("letter.txt:js", b"just words"),
            ("picture.txt", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
            ("picture.csv", b" <svg/onload=alert(1)>"),
            ("picture", b"<x><script>alert(1)</script></x>"),
        ] {
            let refused = world.client.upload(&admin, &path, Form::file(name, bytes), None).await;
            let refused = refused.expect_problem(415, "unsupported-media-type");
            assert_eq!(field(&refused), "file", "{name}: {}", refused.text);
            assert!(refused.text.contains("pdf, png, jpeg, tiff, txt, csv, docx, xlsx"));
        }
        assert_unchanged(&world, before).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_document_that_breaks_a_rule_stores_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let before = counts(&world).await;
        let file = || Form::file("a.txt", b"words");
        let long = Form::file(&format!("{}.txt", "n".repeat(10_000)), b"words");
        let files = format!("/user-defined-fields/documents/{}/files", rows.document_id);
        for (_, path) in owners(&rows).into_iter().chain([("a file", files)]) {
            for (form, named) in [
                (long.clone(), "file"),
                (Form::file("a.txt", b""), "file"),
                (file().and_text("name", &"n".repeat(256)), "name"),
                (file().and_text("name", "a\0b"), "name"),
                (file().and_text("description", &"d".repeat(65 * 1024)), "description"),
            ] {
                let refused = world.client.upload(&admin, &path, form, None).await;
                let refused = refused.expect_problem(422, "invalid-value");
                assert_eq!(field(&refused), named, "{}", refused.text);
            }
            let endless = file().and_text("description", &"d".repeat(300 * 1024));
            let refused = world.client.upload(&admin, &path, endless, None).await;
            refused.expect_problem(413, "too-large");
        }
        let loan = format!("/loans/{}/detail1", rows.loan_id);
        let columns = "form, field_name, label, data_type, pick_list, required_flag, hidden_flag, \
                       read_only_flag, web_visible_flag, sequence";
        for (field, kind, hidden) in [("userdef02", "document", true), ("userdef03", "text", false)]
        {
            let row = format!(
                "'loan_detail1', '{field}', 'F', '{kind}', '[]', false, {hidden}, false, false, 9"
            );
            world.sql(&format!("INSERT INTO user_defined_fields ({columns}) VALUES ({row})")).await;
        }
        for (field, status, kind) in [
            ("userdef02", 404, "not-found"),
            ("userdef04", 404, "not-found"),
            ("userdef03", 422, "field-not-document"),
        ] {
            let path = format!("{loan}/{field}/documents");
            let refused = world.client.upload(&admin, &path, file(), None).await;
            refused.expect_problem(status, kind);
        }
        let missing = "/loans/comments/999999/documents";
        let refused = world.client.upload(&admin, missing, file(), None).await;
        refused.expect_problem(404, "not-found");
        assert_unchanged(&world, before).await;
        world
    })
    .await;
}

/// A server that accepts only small files of two types.
fn small_limits() -> Environment {
    let settings = [("API_UPLOAD_BYTES_MAX", "100000"), ("API_UPLOAD_TYPES", "pdf,txt")];
    let api = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Environment { api: api.into(), ..Environment::default() }
}

#[tokio::test]
async fn the_size_and_types_of_files_are_configurable() {
    on_each_database_with(PROGRAM, small_limits(), |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [(_, path), ..] = owners(&rows);
        let largest = Form::file("a.txt", &vec![b'a'; 100_000]);
        let document = world.client.upload(&admin, &path, largest, None).await.expect(201).json();
        assert_eq!(document["Files"][0]["Size_Bytes"], 100_000);
        let (before, objects) = (counts(&world).await, world.objects());
        let large = Form::file("a.txt", &vec![b'a'; 100_001]);
        let refused = world.client.upload(&admin, &path, large.clone(), None).await;
        let refused = refused.expect_problem(413, "too-large");
        assert_eq!(refused.json()["detail"], "files may have at most 100000 bytes");
        // With or without a length in advance, however much is sent: the client receives the
        // reason.
        let huge = Form::file("a.txt", &vec![b'a'; 20_000_000]);
        let refused = world.client.upload(&admin, &path, huge.clone(), None).await;
        refused.expect_problem(413, "too-large");
        for (form, http) in [(large, "1.1"), (huge.clone(), "1.1"), (huge, "2")] {
            let chunks = form.finish().chunks(50_000).map(<[u8]>::to_vec).collect::<Vec<_>>();
            let chunks = chunks.into_iter().map(Ok::<_, std::io::Error>);
            let body = reqwest::Body::wrap_stream(futures_util::stream::iter(chunks));
            let request = world.client.request(Method::POST, &admin, &path);
            let version =
                if http == "2" { reqwest::Version::HTTP_2 } else { reqwest::Version::HTTP_11 };
            let request = request.version(version).header(CONTENT_TYPE, media_type()).body(body);
            let refused = world.client.send(request).await.expect("a response");
            refused.expect_problem(413, "too-large");
        }
        let image = Form::file("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
        let refused = world.client.upload(&admin, &path, image, None).await;
        let refused = refused.expect_problem(415, "unsupported-media-type");
        assert_eq!(refused.json()["detail"], "accepted file types: pdf, txt");
        assert_eq!((counts(&world).await, world.objects()), (before, objects));
        world
    })
    .await;
}

#[tokio::test]
async fn a_client_that_expects_100_continue_is_refused_early() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [(_, path), ..] = owners(&rows);
        let media = media_type();
        for (path, length, status) in [
            (path.as_str(), 30_000_000, "413"),
            ("/loans/comments/999999/documents", 1_000_000, "404"),
        ] {
            let mut wire = Wire::to_api(&world).await;
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {admin}\r\n\
                 Content-Type: {media}\r\nContent-Length: {length}\r\n\
                 Expect: 100-continue\r\n\r\n"
            );
            wire.send(head.as_bytes()).await;
            let response = wire.receive(Duration::from_secs(5)).await;
            assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{response}");
            assert!(response.to_lowercase().contains("\r\nconnection: close\r\n"), "{response}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_refusal_does_not_wait_for_the_rest_of_a_slow_upload() {
    on_each_database(PROGRAM, |world| async move {
        let (answered, is_answered) = tokio::sync::oneshot::channel();
        let beginning = stream::once(async { Ok::<_, std::io::Error>(vec![0; 100_000]) });
        let rest = stream::once(async move {
            is_answered.await.expect("an answer");
            Ok(vec![0; 100_000])
        });
        let path = "/loans/comments/1/documents";
        let request = world.client.request(Method::POST, "invalid", path);
        let request = request.header(CONTENT_TYPE, media_type()).version(Version::HTTP_2);
        let body = reqwest::Body::wrap_stream(beginning.chain(rest));
        let refused = world.client.send(request.body(body));
        let refused = timeout(Duration::from_secs(20), refused).await.expect("an early answer");
        refused.expect("a response").expect(401);
        answered.send(()).expect("the client is still sending");
        world
    })
    .await;
}

#[tokio::test]
async fn a_truncated_or_misdeclared_upload_stores_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let [(_, path), ..] = owners(&rows);
        let before = counts(&world).await;
        let form = Form::file("a.txt", &vec![b'a'; 900_000]).finish();
        let head = |length: &str| {
            format!(
                "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {admin}\r\n\
                 Content-Type: {}\r\n{length}\r\n\r\n",
                media_type()
            )
        };
        let first_half = &form[..form.len() / 2];
        let pause = Duration::from_secs(3);
        // Too short: the bytes after the announced length are not a request.
        let mut wire = Wire::to_api(&world).await;
        let short = format!("Content-Length: {}", first_half.len());
        wire.send(&[head(&short).as_bytes(), &form].concat()).await;
        let response = wire.receive(pause).await;
        assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
        assert!(response.contains("urn:problem-type:core:bad-request"), "{response}");
        // Too long, and chunked bodies without an end: the client closes the connection.
        for (length, body) in [
            (format!("Content-Length: {}", form.len() + 1000), form.clone()),
            (format!("Content-Length: {}", form.len()), first_half.to_vec()),
            (
                "Transfer-Encoding: chunked".to_owned(),
                [format!("{:x}\r\n", first_half.len()).as_bytes(), first_half, b"\r\n"].concat(),
            ),
            (
                "Transfer-Encoding: chunked".to_owned(),
                [
                    format!("{:x}\r\n", first_half.len()).as_bytes(),
                    first_half,
                    b"\r\nno length\r\n",
                ]
                .concat(),
            ),
        ] {
            let mut wire = Wire::to_api(&world).await;
            wire.send(&[head(&length).as_bytes(), &body].concat()).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
            wire.close_writing().await;
            let response = wire.receive(pause).await;
            assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
        }
        // A body that never arrives, and clients that disconnect without a word.
        for body in [&form[..0], first_half] {
            let mut wire = Wire::to_api(&world).await;
            let length = format!("Content-Length: {}", form.len());
            wire.send(&[head(&length).as_bytes(), body].concat()).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
            drop(wire);
        }
        // The server may notice a vanished client slightly later than the test does.
        let deadline = Instant::now() + Duration::from_secs(20);
        while world.objects().iter().any(|name| name.len() >= 32) && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_unchanged(&world, before).await;
        let valid = world.client.upload(&admin, &path, Form::file("a.txt", b"a"), None).await;
        assert_eq!(valid.expect(201).json()["Name"], json!("a.txt"));
        world
    })
    .await;
}
