//! Upgrades that are refused, that stop half-way, and that resume.

use super::{UpgradedDatabase, command, run};
use crate::PROGRAM;
use acceptance::{Database, World};
use sea_orm::{ConnectionTrait, Statement};
use shared::db;
use shared::migration::SchemaState;
use std::process::Stdio;
use std::time::Duration;
use tokio::time::sleep;

#[tokio::test]
async fn an_obstacle_stops_the_upgrade_and_it_resumes_once_removed() {
    for database in Database::all() {
        let keeps_steps = database.name() == "mysql";
        let old_database = UpgradedDatabase::load(database, "first").await;
        let rows = old_database.all().await.1;
        old_database.sql("CREATE TABLE import_runs (number int)").await;
        let before = old_database.all().await;
        for _ in 0..2 {
            let output = old_database.upgrade(&["--yes"]).await;
            assert_eq!(output.code, Some(1));
            for expected in
                ["m20261124_import_runs stopped at step ", " (create table import_runs)"]
            {
                assert!(output.stderr.contains(expected), "{} {}", output.stdout, output.stderr);
            }
            let left = if keeps_steps { "continues there" } else { "nothing was changed" };
            assert!(output.stderr.contains(left), "{}", output.stderr);
            assert_eq!(old_database.all().await == before, !keeps_steps);
        }
        if keeps_steps {
            let output = old_database.upgrade(&["--dry-run"]).await.expect_success();
            assert!(output.contains("unfinished m20261124_import_runs"), "{output}");
        }
        old_database.sql("DROP TABLE import_runs").await;
        old_database.upgrade(&["--yes"]).await.expect_success();
        old_database.check_schema_is_current().await;
        old_database.check_rows_are_kept(&rows).await;
        old_database.drop().await;
    }
}

#[tokio::test]
async fn a_repeatedly_killed_upgrade_completes() {
    for database in Database::all() {
        let old_database = UpgradedDatabase::load(database, "first").await;
        let rows = old_database.all().await.1;
        let mut kills = 0;
        for delay in (40..).step_by(47) {
            let mut command = command(&["upgrade", "--yes", "--others-connected"]);
            command.args(["--database-url", &old_database.url]).stdout(Stdio::null());
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
        println!("{}: killed {kills} times", old_database.database.name());
        assert!(kills > 0);
        old_database.check_schema_is_current().await;
        old_database.check_rows_are_kept(&rows).await;
        old_database.drop().await;
    }
}

#[tokio::test]
async fn an_upgrade_killed_after_its_last_migration_is_cleaned_up() {
    for database in Database::all().into_iter().filter(|database| database.name() == "mysql") {
        let old_database = UpgradedDatabase::load(database, "first").await;
        old_database.upgrade(&["--yes"]).await.expect_success();
        let marks = "CREATE TABLE migration_steps (migration varchar(100) NOT NULL PRIMARY KEY, \
                     done int NOT NULL, announced_flag bool NOT NULL)";
        old_database.sql(marks).await;
        let is_there = "SELECT COUNT(*) FROM migration_steps";
        old_database.upgrade(&["--dry-run"]).await.expect_success();
        old_database.sql(is_there).await;
        let output = old_database.upgrade(&["--yes"]).await.expect_success();
        assert!(output.contains("up to date: nothing to do"), "{output}");
        old_database.check_schema_is_current().await;
        old_database.drop().await;
    }
}

#[tokio::test]
async fn the_upgrade_gives_up_waiting_for_a_reader_of_a_changed_table() {
    for database in Database::all().into_iter().skip(1) {
        let old_database = UpgradedDatabase::load(database, "first").await;
        let reader = db::connect(&old_database.url, 1, false).await.expect("a connection");
        let reading = db::begin_write(&reader).await.expect("a transaction");
        let all = "SELECT COUNT(*) FROM import_records";
        reading.execute_unprepared(all).await.expect("read");
        let started = std::time::Instant::now();
        let output = old_database.upgrade(&["--yes", "--others-connected"]).await;
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains("its tables are in use"), "{}", output.stderr);
        reading.rollback().await.expect("ended");
        reader.close().await.expect("closed");
        old_database.upgrade(&["--yes"]).await.expect_success();
        old_database.check_schema_is_current().await;
        old_database.drop().await;
    }
}

#[tokio::test]
async fn concurrent_upgrades_run_once() {
    for database in Database::all() {
        let old_database = UpgradedDatabase::load(database, "first").await;
        let rows = old_database.all().await.1;
        let arguments = ["--yes", "--others-connected"];
        let (first, other) =
            tokio::join!(old_database.upgrade(&arguments), old_database.upgrade(&arguments));
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
        old_database.check_schema_is_current().await;
        old_database.check_rows_are_kept(&rows).await;
        old_database.drop().await;
    }
}

#[tokio::test]
async fn other_schemas_and_databases_are_refused_by_every_command() {
    for database in Database::all() {
        let old_database = UpgradedDatabase::load(database, "second").await;
        let enter = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m2099_later', 0)";
        old_database.sql(enter).await;
        let newer = SchemaState::Newer(vec!["m2099_later".to_owned()]);
        assert_eq!(old_database.state().await, newer);
        let before = old_database.all().await;
        for arguments in [&["upgrade", "--yes"][..], &["upgrade", "--dry-run"], &["client", "list"]]
        {
            let mut command = command(arguments);
            command.args(["--database-url", &old_database.url]);
            let output = run(command).await;
            assert_eq!(output.code, Some(1), "{arguments:?}");
            assert!(
                output.stderr.contains("of a later release (m2099_later)"),
                "{}",
                output.stderr
            );
        }
        old_database.sql("DELETE FROM seaql_migrations WHERE version LIKE 'm2026%'").await;
        let output = old_database.upgrade(&["--yes"]).await;
        assert!(output.stderr.contains("another product"), "{}", output.stderr);
        old_database.sql("DELETE FROM seaql_migrations").await;
        let output = old_database.upgrade(&["--yes"]).await;
        assert!(output.stderr.contains("never set up"), "{}", output.stderr);
        assert_eq!(old_database.state().await, SchemaState::Missing);
        assert_eq!(old_database.all().await.0, before.0);
        old_database.drop().await;
    }
}

#[tokio::test]
async fn an_upgrade_is_refused_while_others_are_connected() {
    for database in Database::all() {
        let old_database = UpgradedDatabase::load(database, "second").await;
        let before = old_database.all().await;
        let other = db::connect(&old_database.url, 1, false).await.expect("a connection");
        other.execute_unprepared("SELECT 1").await.expect("a response");
        let output = old_database.upgrade(&["--yes"]).await;
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains("others are connected"), "{}", output.stderr);
        assert!(!output.stdout.contains("no one else"), "{}", output.stdout);
        assert_eq!(old_database.all().await, before);
        let output = old_database.upgrade(&["--dry-run"]).await.expect_success();
        assert!(output.contains("trial      none"), "{output}");
        old_database.upgrade(&["--yes", "--others-connected"]).await.expect_success();
        other.close().await.expect("closed");
        old_database.check_schema_is_current().await;
        old_database.drop().await;
    }
}

#[tokio::test]
async fn servers_report_the_schema_they_found() {
    acceptance::on_each_database(PROGRAM, |world: World| async move {
        for (sql, expected) in [
            (
                "DELETE FROM settings WHERE name = 'contact_search_keys_filled'",
                "search keys are not complete: run installer upgrade",
            ),
            (
                "DELETE FROM seaql_migrations WHERE version LIKE 'm20261125%'",
                "run installer upgrade",
            ),
            ("INSERT INTO seaql_migrations (version, applied_at) VALUES ('m2099_x', 0)", "later"),
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

/// The search keys of existing contacts are made after the migrations, some thousands at a time.
#[tokio::test]
async fn an_upgrade_interrupted_while_it_fills_search_keys_goes_on() {
    for database in Database::all() {
        let old_database = UpgradedDatabase::load(database, "third").await;
        let copies = "INSERT INTO contacts (contact_number, contact_type_id, entity_code, \
                      last_name1, contact_method, created_date) SELECT CONCAT(b.contact_number, \
                      '-', a.number), b.contact_type_id, b.entity_code, 'Ünal', \
                      b.contact_method, b.created_date FROM contacts b CROSS JOIN (ROWS_WANTED) a \
                      WHERE b.contact_number = (SELECT MIN(contact_number) FROM contacts)";
        let digits = |name| {
            let digits: Vec<String> = (0..10).map(|digit| format!("SELECT {digit} AS d")).collect();
            format!("({}) {name}", digits.join(" UNION ALL "))
        };
        let all = ["a", "b", "c", "d"].map(digits).join(" CROSS JOIN ");
        let numbers = format!(
            "SELECT a.d + 10 * b.d + 100 * c.d + 1000 * d.d AS number FROM {all} WHERE d.d < 6"
        );
        old_database.sql(&copies.replace("ROWS_WANTED", &numbers)).await;
        old_database.upgrade(&["--yes"]).await.expect_success();
        let read = async |sql: &str| -> i64 {
            old_database
                .with(async |db| {
                    let statement = Statement::from_string(db.get_database_backend(), sql);
                    let row = db.query_one_raw(statement).await.expect(sql).expect("a row");
                    row.try_get_by_index(0).expect("a number")
                })
                .await
        };
        let filled = "SELECT COUNT(*) FROM contact_search_keys WHERE search_key = 'unal'";
        assert_eq!(read(filled).await, 6000);
        // As after the first batch.
        let last = read("SELECT MAX(contact_id) FROM contacts").await - 1000;
        for sql in [
            "DELETE FROM settings WHERE name = 'contact_search_keys_filled'".to_owned(),
            format!("DELETE FROM contact_search_keys WHERE contact_id > {last}"),
            format!("UPDATE contacts SET search_source = NULL WHERE contact_id > {last}"),
        ] {
            old_database.sql(&sql).await;
        }
        assert_eq!(old_database.state().await, SchemaState::Unfilled);
        let newest = "SELECT MAX(row_id) FROM contact_search_keys";
        let kept = read(newest).await;
        let output = old_database.upgrade(&["--dry-run"]).await.expect_success();
        assert!(output.contains("the search keys are not complete"), "{output}");
        let output = old_database.upgrade(&["--yes"]).await.expect_success();
        assert!(output.contains("the search keys are complete"), "{output}");
        assert_eq!(old_database.state().await, SchemaState::Current);
        assert_eq!(read(filled).await, 6000);
        let made = format!("SELECT COUNT(*) FROM contact_search_keys WHERE row_id > {kept}");
        assert_eq!(read(&made).await, 1000, "the others are kept");
        old_database.drop().await;
    }
}
