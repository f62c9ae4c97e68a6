//! A blocked log: the server still responds, stops in time, and counts the lines it dropped.

use crate::PROGRAM;
use acceptance::world::Environment;
use acceptance::{Database, World};
use futures_util::{StreamExt, stream};
use std::io::Read;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};

/// More requests than a pipe holds lines and a server lets wait.
const REQUESTS: u64 = 6000;

/// Sends many requests, all of which must be answered.
async fn send_requests(world: &World) {
    let url = format!("{}/health/live", world.client.api_url);
    let answered = stream::iter(0..REQUESTS)
        .map(|_| world.client.http.get(&url).send())
        .buffer_unordered(16)
        .filter(|response| {
            let is_answered = response.as_ref().is_ok_and(|it| it.status().is_success());
            async move { is_answered }
        })
        .count();
    let answered = timeout(Duration::from_secs(120), answered).await;
    assert_eq!(answered, Ok(REQUESTS as usize));
}

#[tokio::test]
async fn a_blocked_log_does_not_block_the_server() {
    let mut world = World::new(PROGRAM, Database::Sqlite, Environment::default()).await;
    world.api.kill().await;
    let http = world.client.http.clone();
    let mut log = world.api.restart_with_unread_log(&http).await;
    send_requests(&world).await;

    // Every request was logged or counted as not logged.
    let metrics = [&world.metrics.1];
    let dropped: u64 = world.counted(&metrics, "log_lines_dropped").await;
    let reading = spawn_blocking(move || {
        let mut text = String::new();
        log.read_to_string(&mut text).map(|_| text)
    });
    assert!(world.api.stop().await);
    let text = reading.await.expect("read").expect("text");
    let logged = text.lines().filter(|line| line.contains("answered")).count() as u64;
    assert!(dropped > 0 && logged > 0, "{dropped} lines dropped, {logged} logged");
    assert!(dropped + logged >= REQUESTS, "{dropped} lines dropped, {logged} logged");

    // It stops even if its last lines cannot be written.
    let _unread = world.api.restart_with_unread_log(&http).await;
    send_requests(&world).await;
    let told_at = Instant::now();
    assert!(timeout(Duration::from_secs(60), world.api.stop()).await == Ok(true));
    assert!(told_at.elapsed() < Duration::from_secs(20), "{:?}", told_at.elapsed());
    world.close().await;
}
