//! No query per row: a read takes as many statements for a hundred rows as for one.

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::{World, on_each_database};
use serde_json::Value;
use std::collections::BTreeMap;

/// All read operations of the served document: id and path.
async fn reading_operations(world: &World) -> Vec<(String, String)> {
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    let paths = document["paths"].as_object().expect("paths").clone();
    let read = |(path, operations): (String, Value)| {
        let id = operations["get"]["operationId"].as_str()?.to_owned();
        Some((id, path))
    };
    paths.into_iter().filter_map(read).collect()
}

/// How many statements each operation takes for these rows, in both servers together.
async fn statements(world: &World, token: &str, rows: &FilledRows) -> BTreeMap<String, u64> {
    let mut counted = BTreeMap::new();
    for (id, path) in reading_operations(world).await {
        let mut sent = u64::MAX;
        // Until a number repeats: background tasks of the servers send statements, too.
        for _ in 0..10 {
            let before = world.statements().await;
            let response = world.client.get(token, &rows.path(&path)).await.expect(200).json();
            assert!(rows.all_are_in(&response), "{id}: fewer than {} rows: {response}", rows.count);
            let sent_before = std::mem::replace(&mut sent, world.statements().await - before);
            if sent == sent_before {
                break;
            }
        }
        assert!((1..=7).contains(&sent), "{id} takes {sent} statements");
        counted.insert(id, sent);
    }
    counted
}

#[tokio::test]
async fn every_read_takes_the_same_number_of_statements_for_one_row_and_a_hundred() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        // A caller whose every privilege is looked up, unlike the admin account's.
        world.sql("DELETE FROM privilege_grants").await;
        let grants = "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                      user_id FROM privileges, users WHERE user_name = 'viewer'";
        world.sql(grants).await;
        let viewer = world.token("viewer").await;
        let single_rows = world.rows(&admin, 1, 1).await;
        let few = statements(&world, &viewer, &single_rows).await;
        let hundred = world.rows(&admin, 2, 100).await;
        let many = statements(&world, &viewer, &hundred).await;
        assert!(few.len() > 60, "{few:?}");
        assert_eq!(few, many, "statements for one row, and for a hundred");
        world
    })
    .await;
}
