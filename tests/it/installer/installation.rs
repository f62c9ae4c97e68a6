//! How an administrator's command finds its installation.

use super::{command, file, installer, run};
use crate::PROGRAM;
use acceptance::on_each_database;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const LIST: [&str; 2] = ["client", "list"];

#[tokio::test]
async fn the_database_comes_from_the_settings_the_environment_or_the_command_line() {
    on_each_database(PROGRAM, |world| async move {
        let listed = installer(&world, &LIST).await.expect_success();
        assert!(listed.contains("integration"), "{listed}");
        let mut from_environment = command(&LIST);
        from_environment.env("AUTH_DATABASE_URL", &world.database_url);
        assert_eq!(run(from_environment).await.expect_success(), listed);
        let mut environment_first = command(&LIST);
        let other_settings =
            file(&world, "other.env", "AUTH_DATABASE_URL=sqlite:///no/such/file\n");
        environment_first
            .args(["--env-file", &other_settings])
            .env("AUTH_DATABASE_URL", &world.database_url);
        assert_eq!(run(environment_first).await.expect_success(), listed);
        let mut from_command_line = command(&LIST);
        from_command_line.args(["--database-url", &world.database_url]);
        assert_eq!(run(from_command_line).await.expect_success(), listed);
        let mut standard = command(&LIST);
        let folder = world.folder.path().join("here");
        std::fs::create_dir_all(folder.join("loan-servicing")).expect("a folder");
        std::fs::copy(
            world.folder.path().join("auth-server.env"),
            folder.join("loan-servicing/auth-server.env"),
        )
        .expect("a copy");
        standard.current_dir(&folder);
        let output = run(standard).await;
        assert!(output.stderr.contains("settings: those in ./loan-servicing"), "{}", output.stderr);
        assert_eq!((output.code, output.stdout), (Some(0), listed));
        world
    })
    .await;
}

#[tokio::test]
async fn settings_that_another_user_could_have_placed_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = folder.path().join("loan-servicing");
    std::fs::create_dir(&settings).expect("a folder");
    let file = settings.join("auth-server.env");
    std::fs::write(&file, "AUTH_DATABASE_URL=sqlite:///no/such/file\n").expect("settings");
    let refused = async |expected: &str| {
        for arguments in [&LIST[..], &["audit"], &["user", "list"]] {
            let mut command = command(arguments);
            command.current_dir(folder.path());
            run(command).await.expect_refusal(expected);
        }
    };
    let allow = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
    };
    allow(&settings, 0o777);
    refused("others can write to ./loan-servicing: run chmod go-w").await;
    allow(&settings, 0o755);
    allow(&file, 0o660);
    refused("others can write to ./loan-servicing/auth-server.env").await;
    std::fs::rename(&file, folder.path().join("elsewhere.env")).expect("a name");
    std::os::unix::fs::symlink("../elsewhere.env", &file).expect("a link");
    refused("./loan-servicing/auth-server.env is a symbolic link").await;
}

#[tokio::test]
async fn a_missing_database_or_another_schema_is_a_one_line_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty.sqlite");
    std::fs::write(&empty, "").expect("a file");
    let empty = format!("sqlite://{}", empty.display());
    for (extra, expected) in [
        (vec![], "AUTH_DATABASE_URL is not set"),
        (vec!["--env-file", "/no/such/file"], "cannot read /no/such/file"),
        (vec!["--database-url", &empty], "the database has no schema"),
        (vec!["--database-url", "sqlite:///no/such/file"], "cannot be reached"),
        (vec!["--database-url", "postgres://nobody@127.0.0.1:1/none"], "cannot be reached"),
        (
            vec!["--database-url", "mysql://nobody@127.0.0.1:1/none"],
            "Connection refused (os error 111): start the database",
        ),
        (
            vec!["--database-url", "postgres://nobody@127.0.0.1:1/none?sslmod=require"],
            "has a parameter sslmod that PostgreSQL does not support; supported are",
        ),
    ] {
        for arguments in [&LIST[..], &["audit"], &["user", "log-out", "--all"]] {
            let mut command = command(arguments);
            command.args(&extra).current_dir(folder.path());
            run(command).await.expect_refusal(expected);
        }
    }
    let mut secret = command(&LIST);
    secret.args(["--database-url", "oracle://me:a-password@host/db"]);
    let output = run(secret).await;
    assert!(!output.stderr.contains("a-password"), "{}", output.stderr);
    output.expect_refusal("must be sqlite://");
}
