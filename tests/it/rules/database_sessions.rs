//! Sessions on the database have what the servers rely on, whatever the defaults are, and cut
//! connections are replaced without a failed request.

use crate::PROGRAM;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{Database, World, on_each_database};
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use shared::database;

/// Requests in a row: as many as a server has connections for writers, and more.
const REQUESTS: usize = 14;

async fn text(db: &DatabaseConnection, sql: &str) -> String {
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await;
    let row = row.expect("a row").expect("a row");
    row.try_get_by_index(0).expect("a text")
}

#[tokio::test]
async fn sessions_set_what_the_code_was_written_for() {
    on_each_database(PROGRAM, |world| async move {
        let World { database, database_url, .. } = &world;
        let name = database_url.rsplit('/').next().expect("a name");
        let expected: &[(&str, &str)] = match database {
            Database::Sqlite => &[("PRAGMA foreign_keys", "")],
            Database::Server(server) if server.starts_with("postgres") => {
                for (setting, value) in [
                    ("default_transaction_isolation", "serializable"),
                    ("standard_conforming_strings", "off"),
                    ("transform_null_equals", "on"),
                    ("lock_timeout", "0"),
                ] {
                    let set = format!("ALTER DATABASE {name} SET {setting} = '{value}'");
                    world.sql(&set).await;
                }
                &[
                    ("SHOW transaction_isolation", "read committed"),
                    ("SHOW standard_conforming_strings", "on"),
                    ("SHOW transform_null_equals", "off"),
                    ("SHOW lock_timeout", "3s"),
                ]
            }
            Database::Server(_) => &[
                ("SELECT CAST(@@autocommit AS CHAR)", "ON"),
                ("SELECT @@completion_type", "NO_CHAIN"),
                ("SELECT @@tx_isolation", "READ-COMMITTED"),
                ("SELECT CAST(@@sql_safe_updates AS CHAR)", "OFF"),
                (
                    "SELECT @@sql_mode",
                    "PIPES_AS_CONCAT,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,\
                     NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION",
                ),
            ],
        };
        if matches!(database, Database::Server(_)) {
            let session = database::connect(database_url, 1).await.expect("a connection");
            for (show, value) in expected {
                assert_eq!(text(&session, show).await, *value, "{show}");
            }
            session.close().await.expect("closed");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn no_log_in_and_no_read_fails_after_all_connections_were_cut() {
    let environment = Environment { database_proxy: true, ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let Some(proxy) = &world.database_proxy else { return world };
        let admin = world.token("admin").await;
        for _ in 0..3 {
            // Each of the servers' connections is in use, and then idle for less than a second.
            let busy = (0..REQUESTS).map(|_| world.client.get(&admin, "/setup/loan/groups"));
            futures_util::future::join_all(busy)
                .await
                .into_iter()
                .for_each(|it| drop(it.expect(200)));
            let logging_in = (0..REQUESTS).map(|_| world.token("admin"));
            futures_util::future::join_all(logging_in).await;
            proxy.shut();
            proxy.open();
            for _ in 0..REQUESTS {
                world.token("admin").await;
                world.client.get(&admin, "/setup/loan/groups").await.expect(200);
            }
        }
        world
    })
    .await;
}
