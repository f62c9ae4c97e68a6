//! Upgrades that are refused, that stop half-way, and that resume.

use super::{InstalledDatabase, command, run};
use crate::PROGRAM;
use acceptance::{Database, World};
use sea_orm::ConnectionTrait;
use shared::database;
use shared::database::migration::{self, SchemaState};
use std::process::Stdio;
use std::time::Duration;
use tokio::time::sleep;

#[tokio::test]
async fn an_obstacle_stops_the_upgrade_and_it_resumes_once_removed() {
    for database in Database::all() {
        let keeps_steps = database.name() == "mysql";
        let unfinished = InstalledDatabase::unfinished(database).await;
        let rows = unfinished.all().await.1;
        let rename = "ALTER TABLE comment_categories RENAME COLUMN";
        unfinished.sql(&format!("{rename} description TO elsewhere")).await;
        let before = unfinished.all().await;
        for _ in 0..2 {
            let output = unfinished.upgrade(&["--yes"]).await;
            assert_eq!(output.code, Some(1));
            for expected in ["m12_0_0_baseline stopped at step ", " (write rows)"] {
                assert!(output.stderr.contains(expected), "{} {}", output.stdout, output.stderr);
            }
            let left = if keeps_steps { "completed steps stay" } else { "nothing was changed" };
            assert!(output.stderr.contains(left), "{}", output.stderr);
            assert_eq!(unfinished.all().await == before, !keeps_steps);
        }
        unfinished.sql(&format!("{rename} elsewhere TO description")).await;
        unfinished.upgrade(&["--yes"]).await.expect_success();
        unfinished.check_schema_is_current().await;
        unfinished.check_rows_are_kept(&rows).await;
        unfinished.drop().await;
    }
}

#[tokio::test]
async fn a_repeatedly_killed_upgrade_completes() {
    for database in Database::all() {
        let unfinished = InstalledDatabase::unfinished(database).await;
        let tables = migration::all_tables().into_iter();
        let tables: Vec<_> = tables.filter(|table| *table != "schema_migrations").collect();
        let all_but_its_beginning = match unfinished.database.name() {
            "mysql" => {
                let there = "DROP TABLE IF EXISTS";
                let tables = tables.join(", ");
                format!("SET foreign_key_checks = 0; {there} {tables}; SET foreign_key_checks = 1")
            }
            "sqlite" => {
                let drops = tables.iter().map(|table| format!("DROP TABLE IF EXISTS {table};"));
                format!("PRAGMA foreign_keys = OFF; {}", drops.collect::<String>())
            }
            _ => format!("DROP TABLE IF EXISTS {} CASCADE", tables.join(", ")),
        };
        unfinished.sql(&all_but_its_beginning).await;
        let mut kills = 0;
        for delay in (40..).step_by(47) {
            let mut command = command(&["upgrade", "--yes", "--others-connected"]);
            command.args(["--database-url", &unfinished.url]).stdout(Stdio::null());
            let mut child = command.stderr(Stdio::null()).spawn().expect("a process");
            tokio::select! {
                status = child.wait() => {
                    // A database server may still hold the locks of the killed process.
                    if status.is_ok_and(|status| status.success()) { break }
                }
                () = sleep(Duration::from_millis(delay)) => {
                    child.kill().await.expect("killed");
                    kills += 1;
                }
            }
        }
        println!("{}: killed {kills} times", unfinished.database.name());
        assert!(kills > 0);
        unfinished.check_schema_is_current().await;
        unfinished.drop().await;
    }
}

#[tokio::test]
async fn the_upgrade_gives_up_waiting_for_a_writer() {
    for database in Database::all().into_iter().skip(1) {
        let unfinished = InstalledDatabase::unfinished(database).await;
        let writer = database::connect(&unfinished.url, 1).await.expect("a connection");
        let writing = database::begin_write(&writer).await.expect("a transaction");
        for table in ["contacts SET contact_number = contact_number", "settings SET value = value"]
        {
            writing.execute_unprepared(&format!("UPDATE {table}")).await.expect("written");
        }
        let started = std::time::Instant::now();
        let output = unfinished.upgrade(&["--yes", "--others-connected"]).await;
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains("its tables are in use"), "{}", output.stderr);
        writing.rollback().await.expect("ended");
        writer.close().await.expect("closed");
        unfinished.upgrade(&["--yes"]).await.expect_success();
        unfinished.check_schema_is_current().await;
        unfinished.drop().await;
    }
}

#[tokio::test]
async fn concurrent_upgrades_run_once() {
    for database in Database::all() {
        let unfinished = InstalledDatabase::unfinished(database).await;
        let rows = unfinished.all().await.1;
        let arguments = ["--yes", "--others-connected"];
        let (first, other) =
            tokio::join!(unfinished.upgrade(&arguments), unfinished.upgrade(&arguments));
        assert!(
            first.code == Some(0) || other.code == Some(0),
            "{} {}",
            first.stderr,
            other.stderr
        );
        for output in [first, other] {
            if output.code != Some(0) {
                output
                    .expect_refusal_after_output("another upgrade of this database is in progress");
            }
        }
        unfinished.check_schema_is_current().await;
        unfinished.check_rows_are_kept(&rows).await;
        unfinished.drop().await;
    }
}

#[tokio::test]
async fn other_schemas_and_databases_are_refused_by_every_command() {
    for database in Database::all() {
        let unfinished = InstalledDatabase::unfinished(database).await;
        let enter = "INSERT INTO schema_migrations (name, kind, release_version, started_date) SELECT \
                     'm13_later', 'contract', '13.0.0', started_date FROM schema_migrations";
        unfinished.sql(enter).await;
        let newer = SchemaState::Newer(vec!["m13_later".to_owned()]);
        assert_eq!(unfinished.state().await, newer);
        let before = unfinished.all().await;
        for arguments in [&["upgrade", "--yes"][..], &["upgrade", "--dry-run"], &["client", "list"]]
        {
            let mut command = command(arguments);
            command.args(["--database-url", &unfinished.url]);
            let output = run(command).await;
            assert_eq!(output.code, Some(1), "{arguments:?}");
            assert!(output.stderr.contains("of a later release (m13_later)"), "{}", output.stderr);
        }
        unfinished.sql("DELETE FROM schema_migrations WHERE kind = 'baseline'").await;
        let output = unfinished.upgrade(&["--yes"]).await;
        assert!(output.stderr.contains("another product"), "{}", output.stderr);
        unfinished.sql("DELETE FROM schema_migrations").await;
        let output = unfinished.upgrade(&["--yes"]).await;
        assert!(output.stderr.contains("never set up"), "{}", output.stderr);
        assert_eq!(unfinished.state().await, SchemaState::Missing);
        assert_eq!(unfinished.all().await.0, before.0);
        unfinished.drop().await;
    }
}

#[tokio::test]
async fn an_upgrade_is_refused_while_others_are_connected() {
    for database in Database::all() {
        let unfinished = InstalledDatabase::unfinished(database).await;
        let before = unfinished.all().await;
        let other = database::connect(&unfinished.url, 1).await.expect("a connection");
        other.execute_unprepared("SELECT 1").await.expect("a response");
        let output = unfinished.upgrade(&["--yes"]).await;
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains("others are connected"), "{}", output.stderr);
        assert!(!output.stdout.contains("no one else"), "{}", output.stdout);
        assert_eq!(unfinished.all().await, before);
        let output = unfinished.upgrade(&["--dry-run"]).await.expect_success();
        assert!(output.contains("trial      none"), "{output}");
        unfinished.upgrade(&["--yes", "--others-connected"]).await.expect_success();
        other.close().await.expect("closed");
        unfinished.check_schema_is_current().await;
        unfinished.drop().await;
    }
}

#[tokio::test]
async fn servers_report_the_schema_they_found() {
    acceptance::on_each_database(PROGRAM, |world: World| async move {
        for (sql, expected) in [
            ("UPDATE schema_migrations SET finished_date = NULL", "run installer upgrade"),
            ("UPDATE schema_migrations SET kind = 'contract', name = 'm13_later'", "later"),
        ] {
            world.sql(sql).await;
            for url in [&world.client.auth_url, &world.client.api_url] {
                let asked = world.client.http.get(format!("{url}/health/ready")).send().await;
                let response = asked.expect("a response");
                assert_eq!(response.status(), 503);
                let text = response.text().await.expect("text");
                assert!(text.contains(expected), "{text}");
            }
        }
        world
    })
    .await;
}
