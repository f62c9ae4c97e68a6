//! Visibility: random databases, and every GET operation on each of their rows as several callers,
//! compared with a model that reads like the tables of the rules.
//!
//! The databases follow from `TEST_SEED`, and `VISIBILITY_WORLDS` is their number (default 1).

mod caller;
mod checks;
mod model;
mod population;
mod random;
mod tables;

use crate::PROGRAM;
use acceptance::databases;
use acceptance::test_seed::test_seed;
use acceptance::{World, on_each_database};
use caller::Caller;
use futures_util::future::join_all;
use model::{Principal, Rules};
use random::Random;
use shared::entity::web_credentials;
use std::collections::BTreeMap;
use tables::Tables;

const PASSWORD: &str = "the same words for everybody";
/// Random core-system users who log in.
const CORE_USERS: usize = 3;
/// A core-system user without any privilege, whom every read that needs one refuses.
const NOBODY: &str = "viewer";
/// GET operations with their own tests, because they do more than read rows.
const ELSEWHERE: [&str; 1] = ["get_add_payment_method_url"];
/// Differences listed in a failure; the rest are counted.
const TOLD: usize = 20;

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

#[tokio::test]
async fn every_caller_sees_exactly_what_the_visibility_rules_allow() {
    let first = test_seed();
    for seed in first..first + setting("VISIBILITY_WORLDS").unwrap_or(1) {
        println!("TEST_SEED={seed}");
        on_each_database(PROGRAM, move |world| async move {
            check_world(&world, seed).await;
            world
        })
        .await;
    }
}

async fn check_world(world: &World, seed: u64) {
    let hash = databases::passwords().hash(PASSWORD).await.expect("a hash");
    population::write(&world.db, &mut Random::new(seed), &hash).await;
    shared::database::contact_search::refill(&world.db).await.expect("search keys");
    let unassigned = format!("(SELECT user_id FROM users WHERE user_name = '{NOBODY}')");
    world.sql(&format!("DELETE FROM privilege_grants WHERE user_id = {unassigned}")).await;
    let rows = Tables::read(&world.db).await;
    let checked = join_all(log_in(world, &rows, seed).await.into_iter().map(async |mut caller| {
        checks::check(&mut caller).await;
        caller
    }));
    let callers = checked.await;
    let unanswered = operations_without_success(world, &callers).await;
    let found: Vec<String> = callers.into_iter().flat_map(|caller| caller.differences).collect();
    let report = found.iter().take(TOLD).cloned().collect::<Vec<_>>().join("\n");
    assert!(
        found.is_empty(),
        "TEST_SEED={seed} on {}: {} differences\n{report}",
        world.database.name(),
        found.len()
    );
    assert!(unanswered.is_empty(), "TEST_SEED={seed}: nobody got an answer of {unanswered:?}");
}

/// The GET operations of the API that were never called, or never answered without a problem.
async fn operations_without_success(world: &World, callers: &[Caller<'_>]) -> Vec<String> {
    let mut responses: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (id, (all, successful)) in callers.iter().flat_map(|caller| &caller.response_counts) {
        let total = responses.entry(id).or_default();
        *total = (total.0 + all, total.1 + successful);
    }
    let all: usize = responses.values().map(|count| count.0).sum();
    let successful: usize = responses.values().map(|count| count.1).sum();
    println!("{all} answers, {successful} of them no problem");
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    let paths = document["paths"].as_object().expect("paths").values();
    let ids = paths.filter_map(|operations| operations["get"]["operationId"].as_str());
    ids.filter(|id| !ELSEWHERE.contains(id))
        .filter(|id| responses.get(id).is_none_or(|(_, successful)| *successful == 0))
        .map(str::to_owned)
        .collect()
}

/// The admin, a user without privileges, some of the random users and every random web user.
async fn log_in<'a>(world: &'a World, rows: &'a Tables, seed: u64) -> Vec<Caller<'a>> {
    let mut tokens = Vec::new();
    for name in ["admin", NOBODY] {
        let user = rows.users.iter().find(|user| user.user_name == name).expect("a user");
        tokens.push((name.to_owned(), Principal::User(user.user_id), world.token(name).await));
    }
    let mut users: Vec<i64> = population::USERS.collect();
    Random::new(seed).shuffle(&mut users);
    for user_id in users.into_iter().take(CORE_USERS) {
        let name = format!("user{user_id}");
        let token = world.client.log_in("core", &name, PASSWORD).await.expect("a token");
        tokens.push((name, Principal::User(user_id), token));
    }
    for web_user in tables::read::<web_credentials::Entity>(&world.db).await {
        let name = web_user.web_user_name;
        let token = world.client.log_in("web", &name, PASSWORD).await.expect("a token");
        tokens.push((name, Principal::WebUser(web_user.contact_id), token));
    }
    let callers = tokens.into_iter().zip(1..).map(|((name, principal, token), number)| {
        let random = Random::new(seed.wrapping_mul(100).wrapping_add(number));
        Caller::new(&name, &world.client, token, Rules { rows, principal }, random)
    });
    callers.collect()
}
