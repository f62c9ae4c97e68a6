//! Upgrades that are refused, that stop half-way, and that resume.

use super::{Earlier, command, run};
use crate::PROGRAM;
use acceptance::{Database, World};
use sea_orm::ConnectionTrait;
use shared::db;
use shared::migration::SchemaState;
use std::process::Stdio;
use std::time::Duration;
use tokio::time::sleep;

#[tokio::test]
async fn what_is_in_the_way_stops_it_and_it_goes_on_when_that_is_gone() {
    for database in Database::all() {
        let keeps_steps = database.name() == "mysql";
        let earlier = Earlier::load(database, "first").await;
        let rows = earlier.all().await.1;
        earlier.sql("CREATE TABLE import_runs (number int)").await;
        let before = earlier.all().await;
        for _ in 0..2 {
            let said = earlier.upgrade(&["--yes"]).await;
            assert_eq!(said.code, Some(1));
            for why in ["m20261124_import_runs stopped at step ", " (create table import_runs)"] {
                assert!(said.error.contains(why), "{} {}", said.output, said.error);
            }
            let left = if keeps_steps { "continues there" } else { "nothing was changed" };
            assert!(said.error.contains(left), "{}", said.error);
            assert_eq!(earlier.all().await == before, !keeps_steps);
        }
        if keeps_steps {
            let said = earlier.upgrade(&["--dry-run"]).await.done();
            assert!(said.contains("unfinished m20261124_import_runs"), "{said}");
        }
        earlier.sql("DROP TABLE import_runs").await;
        earlier.upgrade(&["--yes"]).await.done();
        earlier.is_like_new().await;
        earlier.keeps(&rows).await;
        earlier.drop().await;
    }
}

#[tokio::test]
async fn one_that_is_killed_again_and_again_ends_well() {
    for database in Database::all() {
        let earlier = Earlier::load(database, "first").await;
        let rows = earlier.all().await.1;
        let mut kills = 0;
        for delay in (40..).step_by(47) {
            let mut command = command(&["upgrade", "--yes", "--others-connected"]);
            command.args(["--database-url", &earlier.url]).stdout(Stdio::null());
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
        println!("{}: killed {kills} times", earlier.database.name());
        assert!(kills > 0);
        earlier.is_like_new().await;
        earlier.keeps(&rows).await;
        earlier.drop().await;
    }
}

#[tokio::test]
async fn one_that_was_killed_behind_its_last_migration_leaves_nothing_for_long() {
    for database in Database::all().into_iter().filter(|database| database.name() == "mysql") {
        let earlier = Earlier::load(database, "first").await;
        earlier.upgrade(&["--yes"]).await.done();
        let marks = "CREATE TABLE migration_steps (migration varchar(100) NOT NULL PRIMARY KEY, \
                     done int NOT NULL, announced_flag bool NOT NULL)";
        earlier.sql(marks).await;
        let is_there = "SELECT COUNT(*) FROM migration_steps";
        earlier.upgrade(&["--dry-run"]).await.done();
        earlier.sql(is_there).await;
        let said = earlier.upgrade(&["--yes"]).await.done();
        assert!(said.contains("up to date: nothing to do"), "{said}");
        earlier.is_like_new().await;
        earlier.drop().await;
    }
}

#[tokio::test]
async fn who_reads_a_table_that_is_to_change_is_not_waited_for_all_day() {
    for database in Database::all().into_iter().skip(1) {
        let earlier = Earlier::load(database, "first").await;
        let reader = db::connect(&earlier.url, 1, false).await.expect("a connection");
        let reading = db::begin_write(&reader).await.expect("a transaction");
        let all = "SELECT COUNT(*) FROM import_records";
        reading.execute_unprepared(all).await.expect("read");
        let began = std::time::Instant::now();
        let said = earlier.upgrade(&["--yes", "--others-connected"]).await;
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        assert_eq!(said.code, Some(1));
        assert!(said.error.contains("its tables are in use"), "{}", said.error);
        reading.rollback().await.expect("ended");
        reader.close().await.expect("closed");
        earlier.upgrade(&["--yes"]).await.done();
        earlier.is_like_new().await;
        earlier.drop().await;
    }
}

#[tokio::test]
async fn two_at_once_do_it_once() {
    for database in Database::all() {
        let earlier = Earlier::load(database, "first").await;
        let rows = earlier.all().await.1;
        let arguments = ["--yes", "--others-connected"];
        let (one, other) = tokio::join!(earlier.upgrade(&arguments), earlier.upgrade(&arguments));
        assert!(one.code == Some(0) || other.code == Some(0), "{} {}", one.error, other.error);
        for said in [one, other] {
            if said.code != Some(0) {
                said.refused_at_all("another upgrade of this database is in progress");
            }
        }
        earlier.is_like_new().await;
        earlier.keeps(&rows).await;
        earlier.drop().await;
    }
}

#[tokio::test]
async fn other_schemas_and_databases_are_refused_by_everybody() {
    for database in Database::all() {
        let earlier = Earlier::load(database, "second").await;
        let enter = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m2099_later', 0)";
        earlier.sql(enter).await;
        let newer = SchemaState::Newer(vec!["m2099_later".to_owned()]);
        assert_eq!(earlier.state().await, newer);
        let before = earlier.all().await;
        for words in [&["upgrade", "--yes"][..], &["upgrade", "--dry-run"], &["client", "list"]] {
            let mut command = command(words);
            command.args(["--database-url", &earlier.url]);
            let said = run(command).await;
            assert_eq!(said.code, Some(1), "{words:?}");
            assert!(said.error.contains("of a later release (m2099_later)"), "{}", said.error);
        }
        earlier.sql("DELETE FROM seaql_migrations WHERE version LIKE 'm2026%'").await;
        let said = earlier.upgrade(&["--yes"]).await;
        assert!(said.error.contains("another product"), "{}", said.error);
        earlier.sql("DELETE FROM seaql_migrations").await;
        let said = earlier.upgrade(&["--yes"]).await;
        assert!(said.error.contains("never set up"), "{}", said.error);
        assert_eq!(earlier.state().await, SchemaState::Missing);
        assert_eq!(earlier.all().await.0, before.0);
        earlier.drop().await;
    }
}

#[tokio::test]
async fn nothing_is_done_while_others_are_connected() {
    for database in Database::all() {
        let earlier = Earlier::load(database, "second").await;
        let before = earlier.all().await;
        let other = db::connect(&earlier.url, 1, false).await.expect("a connection");
        other.execute_unprepared("SELECT 1").await.expect("a response");
        let said = earlier.upgrade(&["--yes"]).await;
        assert_eq!(said.code, Some(1));
        assert!(said.error.contains("others are connected"), "{}", said.error);
        assert!(!said.output.contains("no one else"), "{}", said.output);
        assert_eq!(earlier.all().await, before);
        let said = earlier.upgrade(&["--dry-run"]).await.done();
        assert!(said.contains("trial      none"), "{said}");
        earlier.upgrade(&["--yes", "--others-connected"]).await.done();
        other.close().await.expect("closed");
        earlier.is_like_new().await;
        earlier.drop().await;
    }
}

#[tokio::test]
async fn servers_say_which_schema_they_found() {
    acceptance::on_each_database(PROGRAM, |world: World| async move {
        for (sql, why) in [
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
                assert!(text.contains(why), "{text}");
            }
        }
        world
    })
    .await;
}
