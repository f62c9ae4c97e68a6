//! `/files/{file_id}`: the bytes of documents.

use crate::PROGRAM;
use acceptance::forms::Form;
use acceptance::world::in_processes_on_each_database;
use acceptance::{TestResponse, World, on_each_database};
use reqwest::Method;
use std::time::Duration;
use tokio::time::timeout;

const BYTES: &[u8] = b"0123456789";

/// Uploads a file with this name. Returns its path and its ETag.
async fn upload(world: &World, token: &str, name: &str, bytes: &[u8]) -> (String, String) {
    let rows = world.rows(token, 1, 1).await;
    let path = format!("/loans/comments/{}/documents", rows.comment_ids[0]);
    let uploaded = world.client.upload(token, &path, Form::file(name, bytes), None).await;
    let file = uploaded.expect(201).json()["Files"][0].clone();
    let text = |member: &str| file[member].as_str().expect("a text").to_owned();
    (text("Download_Path"), format!("\"{}\"", text("SHA256")))
}

async fn get_with_headers(
    world: &World,
    token: &str,
    path: &str,
    headers: &[(&str, &str)],
) -> TestResponse {
    let request = world.client.request(Method::GET, token, path);
    let request =
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    world.client.send(request).await.expect("a response")
}

#[tokio::test]
async fn a_download_has_headers_that_prevent_content_sniffing() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (path, tag) = upload(&world, &admin, "Größe.txt", BYTES).await;
        let whole = world.client.get(&admin, &path).await.expect(200);
        assert_eq!(whole.text.as_bytes(), BYTES);
        for (name, value) in [
            ("content-type", "application/octet-stream"),
            ("content-length", "10"),
            ("etag", tag.as_str()),
            ("accept-ranges", "bytes"),
            ("x-content-type-options", "nosniff"),
            (
                "content-disposition",
                "attachment; filename=\"Gr__e.txt\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.txt",
            ),
        ] {
            assert_eq!(whole.header(name), value, "{name}");
        }
        let head = world.client.request(Method::HEAD, &admin, &path).header("range", "bytes=0-1");
        let head = world.client.send(head).await.expect("a response").expect(200);
        assert_eq!(head.text, "");
        for name in ["content-type", "content-length", "etag", "content-disposition"] {
            assert_eq!(head.header(name), whole.header(name), "{name}");
        }
        let accept = |range| [("accept", range)];
        for range in [
            "application/octet-stream",
            "*/*",
            "application/*;q=0.1",
            "text/html, */*",
            "application/problem+json",
        ] {
            get_with_headers(&world, &admin, &path, &accept(range)).await.expect(200);
        }
        let but_problems = "application/octet-stream;q=0, application/problem+json";
        for range in ["application/json", "text/*", "application/octet-stream;q=0", but_problems] {
            let refused = get_with_headers(&world, &admin, &path, &accept(range)).await;
            refused.expect_problem(406, "not-acceptable");
        }
        for wrong in ["/files/999999", "/files/0", "/files/-1"] {
            world.client.get(&admin, wrong).await.expect_problem(404, "not-found");
        }
        world.client.get(&admin, "/files/x").await.expect_problem(400, "bad-request");
        world
    })
    .await;
}

#[tokio::test]
async fn a_single_range_is_served_and_others_are_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (path, tag) = upload(&world, &admin, "a.txt", BYTES).await;
        for (range, text, content_range) in [
            ("bytes=0-0", "0", "bytes 0-0/10"),
            ("bytes=3-5", "345", "bytes 3-5/10"),
            ("bytes=8-", "89", "bytes 8-9/10"),
            ("bytes=-3", "789", "bytes 7-9/10"),
            ("bytes=0-100", "0123456789", "bytes 0-9/10"),
        ] {
            let part =
                get_with_headers(&world, &admin, &path, &[("range", range)]).await.expect(206);
            assert_eq!((part.text.as_str(), part.header("content-range")), (text, content_range));
            assert_eq!(part.header("content-length"), text.len().to_string());
            assert_eq!(part.header("etag"), tag);
        }
        for range in ["bytes=10-", "bytes=5-4", "bytes=0-1,3-4", "bytes=-0", "bytes=x"] {
            let refused = get_with_headers(&world, &admin, &path, &[("range", range)]).await;
            let refused = refused.expect_problem(416, "range-not-satisfiable");
            assert_eq!(refused.header("content-range"), "bytes */10");
        }
        let whole =
            get_with_headers(&world, &admin, &path, &[("range", "lines=1-2")]).await.expect(200);
        assert_eq!(whole.text.as_bytes(), BYTES);
        let ranged = async |condition: &str| {
            get_with_headers(
                &world,
                &admin,
                &path,
                &[("range", "bytes=0-1"), ("if-range", condition)],
            )
            .await
        };
        assert_eq!(ranged(&tag).await.expect(206).text, "01");
        assert_eq!(ranged("\"old\"").await.expect(200).text.as_bytes(), BYTES);
        for tags in [tag.as_str(), "*", &format!("\"x\", W/{tag}")] {
            let headers = [("if-none-match", tags), ("range", "bytes=0-1")];
            let same = get_with_headers(&world, &admin, &path, &headers).await.expect(304);
            assert_eq!((same.text.as_str(), same.header("etag")), ("", tag.as_str()));
        }
        get_with_headers(&world, &admin, &path, &[("if-none-match", "\"old\"")]).await.expect(200);
        for named in [tag.as_str(), "*", &format!("\"old\", {tag}")] {
            get_with_headers(&world, &admin, &path, &[("if-match", named)]).await.expect(200);
        }
        for named in ["\"old\"", "", &format!("W/{tag}")] {
            let refused = get_with_headers(&world, &admin, &path, &[("if-match", named)]).await;
            refused.expect_problem(412, "precondition-failed");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_damaged_or_lost_file_is_never_served_as_intact() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let bytes = [b"words ".as_slice(), &[b'x'; 600_000]].concat();
        let (path, _) = upload(&world, &admin, "a.txt", &bytes).await;
        let key = world.text("SELECT object_key FROM document_files WHERE size_bytes > 1").await;
        let object = world.folder.path().join("documents").join(&key[..2]).join(&key);
        world.client.get(&admin, &path).await.expect(200);
        for damaged in [
            [&bytes[..bytes.len() - 1], b"y"].concat(),
            bytes[..bytes.len() - 1].to_vec(),
            Vec::new(),
        ] {
            std::fs::write(&object, &damaged).expect("damaged");
            let request = world.client.request(Method::GET, &admin, &path);
            // The answer must not look complete: the bytes sent are not what was announced.
            match world.client.send(request).await {
                Err(_) => {}
                Ok(response) => drop(response.expect_problem(500, "internal-error")),
            }
        }
        std::fs::remove_file(&object).expect("lost");
        let missing = world.client.get(&admin, &path).await;
        missing.expect_problem(500, "internal-error");
        assert!(world.api.log().contains("has been damaged"));
        world
    })
    .await;
}

#[tokio::test]
async fn stalled_downloads_block_only_their_own_caller() {
    on_each_database(PROGRAM, |world| async move {
        let (admin, teller) = (world.token("admin").await, world.token("teller").await);
        let bytes = [b"words ".as_slice(), &vec![b'x'; 8_000_000]].concat();
        let (path, _) = upload(&world, &admin, "a.txt", &bytes).await;
        let begin = |token: &str| world.client.request(Method::GET, token, &path).send();
        let mut stalled = Vec::new();
        for _ in 0..64 {
            stalled.push(begin(&admin).await.expect("a response"));
        }
        let pause = Duration::from_secs(2);
        assert!(timeout(pause, begin(&admin)).await.is_err(), "he has his places");
        let other = timeout(pause, begin(&teller)).await.expect("in time").expect("a response");
        assert_eq!(other.status(), 200);
        drop(stalled.pop());
        let next = timeout(pause, begin(&admin)).await.expect("in time").expect("a response");
        assert_eq!(next.status(), 200);
        world
    })
    .await;
}
