//! Imports beside other work.

use super::elements::EVERYTHING;
use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::seeds::file;
use sea_orm::ConnectionTrait;
use shared::db;

/// A change of the contact's credentials.
fn credentials(attributes: &str) -> String {
    file(&format!(
        "<Contact UpdateFlag=\"1\" ContactNumber=\"C-1\">\
         <WebCredentials UpdateFlag=\"1\" {attributes}/></Contact>"
    ))
}

#[tokio::test]
async fn only_credentials_that_end_sessions_are_kept_from_log_ins() {
    on_each_database(PROGRAM, |world| async move {
        // SQLite has one lock for everything.
        if world.database.name() == "sqlite" {
            return world;
        }
        world.define_fields().await;
        let admin = world.token("admin").await;
        world.import(&admin, EVERYTHING).await;
        // Somebody logs in and has not come to the end of it.
        let log_in = db::begin_write(&world.db).await.expect("a transaction");
        let held = "SELECT * FROM web_credentials FOR SHARE";
        let held = if world.database.name() == "mysql" {
            "SELECT * FROM web_credentials LOCK IN SHARE MODE"
        } else {
            held
        };
        log_in.execute_unprepared(held).await.expect("held");
        let same = credentials("WebAccessFlag=\"true\" WebUserName=\"ana.rivera\"");
        let result = world.import(&admin, &same).await;
        assert_eq!(result["Failed"], 0, "{result}");
        let other = credentials("Password=\"another long phrase\"");
        let refused = world.client.import(&admin, false, &other, None).await;
        refused.expect_problem(503, "database-unavailable");
        log_in.rollback().await.expect("ended");
        let result = world.import(&admin, &other).await;
        assert_eq!(result["Failed"], 0, "{result}");
        let token = world.client.log_in("web", "ana.rivera", "another long phrase").await;
        token.expect("a token");
        world
    })
    .await;
}
