//! Files larger than the memory a server may use for them.

use super::{MIB, bucket_environment, upload_paths, wait_for_objects};
use crate::PROGRAM;
use acceptance::forms::{Form, media_type};
use acceptance::installed_clients::skip;
use acceptance::moto::MotoProgram;
use acceptance::{Database, World};
use aws_lc_rs::digest::{Context, SHA256};
use futures_util::stream;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Body, Method};
use std::io;

/// Two hundred pieces of 1 MiB that contain no repetition.
const PIECES: u64 = 200;
/// How much a server's memory may grow while such a file is uploaded and downloaded. The server
/// holds two parts of 5 MiB and the buffers of two connections; its allocator keeps for a while
/// what each thread has freed, which was up to 30 MiB. A server that held the whole file would need
/// twice this limit.
const GROWTH_MAX_KIB: u64 = 100 * 1024;

fn chunk(number: u64) -> Vec<u8> {
    let mut bytes = vec![0; MIB];
    fastrand::Rng::with_seed(number).fill(&mut bytes);
    match number {
        0 => [b"%PDF-1.7\n", bytes.as_slice()].concat(),
        _ => bytes,
    }
}

#[tokio::test]
async fn memory_stays_flat_during_large_transfers() {
    let moto = match MotoProgram::find() {
        Ok(moto) => moto,
        Err(missing) => return skip(&missing),
    };
    let limit = ("API_UPLOAD_BYTES_MAX", "1073741824");
    let world = World::new(PROGRAM, Database::Sqlite, bucket_environment(moto, &[limit])).await;
    let moto = world.moto.as_ref().expect("a store");
    let admin = world.token("admin").await;
    let rows = world.rows(&admin, 1, 1).await;
    let upload_path = &upload_paths(&rows)[0];
    let small = Form::file("Paper.txt", b"A paper");
    world.client.upload(&admin, upload_path, small, None).await.expect(201);
    let before = world.api.memory_peak_kib();
    let [head, tail] = Form::around_file("Paper.pdf");
    let pieces = [head].into_iter().chain((0..PIECES).map(chunk)).chain([tail]);
    let body = Body::wrap_stream(stream::iter(pieces.map(Ok::<_, io::Error>)));
    let request = world.client.request(Method::POST, &admin, upload_path);
    let request = request.header(CONTENT_TYPE, media_type()).body(body);
    let document = world.client.send(request).await.expect("a response").expect(201).json();
    let file = &document["Files"][0];
    let mut sent = Context::new(&SHA256);
    (0..PIECES).for_each(|number| sent.update(&chunk(number)));
    let sent = sent.finish();
    assert_eq!(file["SHA256"], hex::encode(sent));
    wait_for_objects(moto, 2, 0).await;
    let path = file["Download_Path"].as_str().expect("a path");
    let mut found = world.client.request(Method::GET, &admin, path).send().await.expect("a file");
    let mut read = Context::new(&SHA256);
    while let Some(chunk) = found.chunk().await.expect("bytes") {
        read.update(&chunk);
    }
    assert_eq!(read.finish().as_ref(), sent.as_ref());
    if let (Some(before), Some(after)) = (before, world.api.memory_peak_kib()) {
        println!("{before} KiB, then {after} KiB");
        assert!(after - before <= GROWTH_MAX_KIB, "{before} KiB, then {after} KiB");
    }
    world.close().await;
}
