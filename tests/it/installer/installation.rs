//! How an administrator's command finds its installation.

use super::{command, file, installer, run};
use crate::PROGRAM;
use acceptance::on_each_database;

const LIST: [&str; 2] = ["client", "list"];

#[tokio::test]
async fn the_database_is_that_of_the_settings_the_environment_or_the_command_line() {
    on_each_database(PROGRAM, |world| async move {
        let listed = installer(&world, &LIST).await.done();
        assert!(listed.contains("integration"), "{listed}");
        let mut from_environment = command(&LIST);
        from_environment.env("AUTH_DATABASE_URL", &world.database_url);
        assert_eq!(run(from_environment).await.done(), listed);
        let mut environment_first = command(&LIST);
        let elsewhere = file(&world, "other.env", "AUTH_DATABASE_URL=sqlite:///no/such/file\n");
        environment_first
            .args(["--env-file", &elsewhere])
            .env("AUTH_DATABASE_URL", &world.database_url);
        assert_eq!(run(environment_first).await.done(), listed);
        let mut from_command_line = command(&LIST);
        from_command_line.args(["--database-url", &world.database_url]);
        assert_eq!(run(from_command_line).await.done(), listed);
        let mut standard = command(&LIST);
        let folder = world.folder.path().join("here");
        std::fs::create_dir_all(folder.join("loan-servicing")).expect("a folder");
        std::fs::copy(
            world.folder.path().join("auth-server.env"),
            folder.join("loan-servicing/auth-server.env"),
        )
        .expect("a copy");
        standard.current_dir(&folder);
        assert_eq!(run(standard).await.done(), listed);
        world
    })
    .await;
}

#[tokio::test]
async fn no_database_or_another_schema_is_one_clear_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty.sqlite");
    std::fs::write(&empty, "").expect("a file");
    let empty = format!("sqlite://{}", empty.display());
    for (more, why) in [
        (vec![], "AUTH_DATABASE_URL is not set"),
        (vec!["--env-file", "/no/such/file"], "cannot read /no/such/file"),
        (vec!["--database-url", &empty], "does not have the schema of this release"),
        (vec!["--database-url", "sqlite:///no/such/file"], "cannot be reached"),
        (vec!["--database-url", "postgres://nobody@127.0.0.1:1/none"], "cannot be reached"),
        (
            vec!["--database-url", "mysql://nobody@127.0.0.1:1/none"],
            "no database answers at 127.0.0.1 port 1: Connection refused (os error 111): start",
        ),
        (
            vec!["--database-url", "postgres://nobody@127.0.0.1:1/none?sslmod=require"],
            "has a parameter sslmod that PostgreSQL does not have; those it has are",
        ),
    ] {
        for words in [&LIST[..], &["audit"], &["user", "log-out", "--all"]] {
            let mut command = command(words);
            command.args(&more).current_dir(folder.path());
            run(command).await.refused(why);
        }
    }
    let mut secret = command(&LIST);
    secret.args(["--database-url", "oracle://me:a-password@host/db"]);
    let said = run(secret).await;
    assert!(!said.error.contains("a-password"), "{}", said.error);
    said.refused("must be sqlite://");
}
