//! Background tasks: a failing task shows in readiness and metrics, is retried, and does not block
//! any other task.

use crate::PROGRAM;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{Database, TestResponse, World};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const PATIENCE: Duration = Duration::from_secs(60);

async fn ready(world: &World) -> TestResponse {
    let request = world.client.http.get(format!("{}/health/ready", world.client.api_url));
    world.client.send(request).await.expect("a response").expect(200)
}

/// Waits until exactly these tasks are failing.
async fn expect_failing(world: &World, tasks: &[&str]) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let failing = ready(world).await.json()["failing_tasks"].clone();
        let names = failing.as_array().expect("a list").iter().map(|failing| &failing["task"]);
        if names.eq(tasks) {
            return;
        }
        assert!(Instant::now() < deadline, "{failing} in place of {tasks:?}");
        sleep(Duration::from_millis(200)).await;
    }
}

/// A metric of the api-server, by name and labels: 0 if it has no value.
async fn figure(world: &World, name: &str) -> u64 {
    let text = world.client.http.get(&world.metrics.1).send().await.expect("metrics");
    let text = text.text().await.expect("metrics");
    let found = text.lines().find_map(|line| line.strip_prefix(name));
    found.map_or(0, |number| number.trim().parse().expect("a figure"))
}

#[tokio::test]
async fn a_failing_task_is_reported_and_recovers() {
    let mut environment = Environment::default();
    environment.api.insert("API_GATEWAY_RECOVERY_SECONDS".to_owned(), "1".to_owned());
    on_each_database_with(PROGRAM, environment, |world| async move {
        expect_failing(&world, &[]).await;
        world.sql("ALTER TABLE payment_method_sessions RENAME TO elsewhere").await;
        expect_failing(&world, &["checkout sessions"]).await;
        let task = "task=\"checkout sessions\"";
        let runs = async |outcome| {
            figure(&world, &format!("background_runs_total{{{task},outcome=\"{outcome}\"}}")).await
        };
        assert!(figure(&world, &format!("background_failures{{{task}}}")).await >= 3);
        assert!(runs("failed").await >= 3);
        let done = runs("done").await;
        world.sql("ALTER TABLE elsewhere RENAME TO payment_method_sessions").await;
        expect_failing(&world, &[]).await;
        assert!(runs("done").await > done);
        world
    })
    .await;
}

/// The supervisor catches panics of the tasks that run under it. This checks that all of them do.
#[tokio::test]
async fn every_background_task_runs_under_the_supervisor() {
    let auth = [
        "audit events",
        "certificate",
        "client assertions",
        "failed log-ins",
        "rate limits",
        "sessions",
        "signing keys",
    ];
    let api = [
        "card payments",
        "certificate",
        "checkout sessions",
        "contact search",
        "forgotten cards",
        "free space",
        "idempotency keys of card payments",
        "orphaned objects",
        "rate limits",
        "re-encryption of card tokens",
        "stored responses",
    ];
    let world = World::new(PROGRAM, Database::Sqlite, Environment::default()).await;
    for (url, tasks) in [(&world.metrics.0, &auth[..]), (&world.metrics.1, &api[..])] {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = world.client.http.get(url).send().await.expect("metrics");
            let text = text.text().await.expect("metrics");
            let lines = text.lines().filter(|line| line.contains("outcome=\"done\""));
            let named = lines.filter_map(|line| line.strip_prefix("background_runs_total{task=\""));
            let done: BTreeSet<&str> = named.filter_map(|rest| rest.split('"').next()).collect();
            if done.iter().copied().eq(tasks.iter().copied()) {
                break;
            }
            assert!(Instant::now() < deadline, "{done:?} in place of {tasks:?}");
            sleep(Duration::from_millis(200)).await;
        }
    }
    world.close().await;
}
