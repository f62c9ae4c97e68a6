//! No query per row: what an operation reads takes as many statements for a hundred rows as for
//! one.

use crate::PROGRAM;
use acceptance::rows::Rows;
use acceptance::{World, on_each_database};
use serde_json::Value;
use std::collections::BTreeMap;

/// The ids of all reading operations of the served document.
async fn reading_operations(world: &World) -> Vec<String> {
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    let paths = document["paths"].as_object().expect("paths").clone();
    let reads = paths.values().filter_map(|path| path.get("get"));
    let id = |operation: &Value| operation["operationId"].as_str().expect("an id").to_owned();
    reads.map(id).collect()
}

/// How many statements each operation takes for these rows, both servers counted.
async fn statements(world: &World, token: &str, rows: &Rows) -> BTreeMap<String, u64> {
    let mut counted = BTreeMap::new();
    for (id, path) in rows.paths() {
        let before = world.statements().await;
        let answer = world.client.get(token, &path).await.expect(200).json();
        assert!(rows.are_in(&answer), "{id}: fewer than {} rows: {answer}", rows.count);
        counted.insert(id, world.statements().await - before);
    }
    counted
}

#[tokio::test]
async fn every_read_takes_as_many_statements_for_a_hundred_rows_as_for_one() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        // A caller whose every right is looked up, unlike the admin account's.
        world.sql("DELETE FROM privilege_grants").await;
        let grants = "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                      user_id FROM privileges, users WHERE user_name = 'viewer'";
        world.sql(grants).await;
        let viewer = world.token("viewer").await;
        let one = world.rows(&admin, 1, 1).await;
        let few = statements(&world, &viewer, &one).await;
        let hundred = world.rows(&admin, 2, 100).await;
        let many = statements(&world, &viewer, &hundred).await;
        for id in reading_operations(&world).await {
            let (few, many) = (few.get(&id), many.get(&id));
            assert!(few.is_some(), "{id} is not counted here");
            assert_eq!(few, many, "{id}: statements for one row, and for a hundred");
            assert!(many.is_some_and(|count| *count <= 7), "{id} takes {many:?} statements");
        }
        world
    })
    .await;
}
