//! What is wrong with the machine or the database is one sentence that says what to do, and nothing
//! was done.

use super::{Machine, command, fault, printed};
use crate::auth::lifetimes::FAKETIME;
use acceptance::Database;
use installer::certificates;
use sea_orm::ConnectionTrait;
use std::path::Path;
use url::Url;

/// Installs with these flags too, which must be refused with these words.
async fn refused(machine: &Machine, more: &[&str], why: &[&str]) {
    let output = machine.install(more).await;
    let text = fault(&output);
    for word in why {
        assert!(text.contains(word), "{text} is not about {word}\n{}", printed(&output));
    }
    assert_eq!(machine.leftovers().await, [""; 0], "{text}");
}

/// The database's URL with something changed.
fn url(machine: &Machine, change: impl Fn(&mut Url)) -> String {
    let mut url = Url::parse(&machine.database_url).expect("a URL");
    change(&mut url);
    format!("--database-url={url}")
}

#[tokio::test]
async fn a_wrong_user_or_password_host_or_name_of_the_database() {
    for database in Database::all().into_iter().skip(1) {
        let machine = Machine::new(&database).await;
        let wrong_user = url(&machine, |url| {
            url.set_username("nobody_at_all").expect("a user");
            url.set_password(Some("p%40ss")).expect("a password");
        });
        let why = ["the database refuses the user \"nobody_at_all\"", "correct user or password"];
        refused(&machine, &[&wrong_user], &why).await;
        let closed = acceptance::servers::free_port();
        let nobody = url(&machine, |url| url.set_port(Some(closed)).expect("a port"));
        refused(&machine, &[&nobody], &["no database answers at", "start the database"]).await;
        let nowhere =
            url(&machine, |url| url.set_host(Some("no.such.host.invalid")).expect("a host"));
        refused(&machine, &[&nowhere], &["no database answers at no.such.host.invalid"]).await;
        let nameless = url(&machine, |url| url.set_path("no_such_database"));
        let why = ["there is no database \"no_such_database\"", "CREATE DATABASE"];
        refused(&machine, &[&nameless], &why).await;
        machine.remove().await;
    }
    let machine = Machine::new(&Database::Sqlite).await;
    let why = ["postgres://…, mysql://… or sqlite:///…"];
    refused(&machine, &["--database-url=oracle://u:secret@h/x"], &why).await;
    refused(&machine, &["--database-url=sqlite://core.sqlite"], &["must begin with /"]).await;
}

#[tokio::test]
async fn a_missing_right_in_the_database() {
    for database in Database::all().into_iter().skip(1) {
        let machine = Machine::new(&database).await;
        let db = shared::db::connect(&machine.database_url, 1, false).await.expect("a connection");
        let user = format!("may_look_{}", machine.auth_port);
        let name = Url::parse(&machine.database_url).expect("a URL").path()[1..].to_owned();
        let (make, remove) = match database.name() {
            "mysql" => (
                vec![
                    format!("CREATE USER {user} IDENTIFIED BY 'looks'"),
                    format!("GRANT SELECT, INSERT, UPDATE, DELETE ON {name}.* TO {user}"),
                ],
                vec![format!("DROP USER {user}")],
            ),
            _ => (
                vec![
                    format!("CREATE ROLE {user} LOGIN PASSWORD 'looks'"),
                    "REVOKE CREATE ON SCHEMA public FROM PUBLIC".to_owned(),
                ],
                vec![format!("DROP ROLE {user}")],
            ),
        };
        let mut granted = true;
        for sql in make {
            granted &= db.execute_unprepared(&sql).await.is_ok();
        }
        if granted {
            let limited = url(&machine, |url| {
                url.set_username(&user).expect("a user");
                url.set_password(Some("looks")).expect("a password");
            });
            let why = ["may not CREATE TABLE", "grant the user all rights"];
            refused(&machine, &[&limited], &why).await;
        } else {
            println!("skipped: the user of this database may not make others");
        }
        for sql in remove {
            let _ = db.execute_unprepared(&sql).await;
        }
        db.close().await.expect("closed");
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_database_of_something_else_or_with_a_character_set_that_loses_letters() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        if database == Database::Sqlite {
            std::fs::create_dir(machine.path("data")).expect("a folder");
        }
        let db = shared::db::connect(&machine.database_url, 1, true).await.expect("a connection");
        db.execute_unprepared("CREATE TABLE users (id BIGINT PRIMARY KEY)").await.expect("a table");
        let text = fault(&machine.install(&[]).await);
        assert!(text.contains("our names: users"), "{text}");
        db.execute_unprepared("DROP TABLE users").await.expect("dropped");
        if database.name() == "mysql" {
            let name = Url::parse(&machine.database_url).expect("a URL").path()[1..].to_owned();
            let latin = format!("ALTER DATABASE {name} CHARACTER SET latin1");
            db.execute_unprepared(&latin).await.expect("changed");
            refused(&machine, &[], &["character set is latin1", "utf8mb4"]).await;
        }
        db.close().await.expect("closed");
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_clock_that_is_off() {
    let Some(library) = FAKETIME.into_iter().find(|path| Path::new(path).exists()) else {
        println!("skipped: libfaketime is not installed");
        return;
    };
    for database in Database::all().into_iter().skip(1) {
        let machine = Machine::new(&database).await;
        for (shift, side) in [("+10m", "behind"), ("-10m", "ahead of")] {
            let mut command = command(&machine.all_flags(), &[]);
            command.env("LD_PRELOAD", library).env("FAKETIME", shift);
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            let text = fault(&command.output().await.expect("a process"));
            assert!(text.contains("the database's clock is 6"), "{text}");
            assert!(text.contains(&format!("s {side} this machine's: keep the clocks")), "{text}");
        }
        assert_eq!(machine.leftovers().await, [""; 0]);
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_port_in_use_and_a_folder_that_cannot_be_written() {
    let machine = Machine::new(&Database::Sqlite).await;
    let taken = std::net::TcpListener::bind(("127.0.0.1", machine.api_port)).expect("a port");
    let why = ["cannot be listened on: Address already in use", "--api-port"];
    refused(&machine, &[], &why).await;
    drop(taken);
    let same = format!("--api-port={}", machine.auth_port);
    refused(&machine, &[&same], &["choose two ports"]).await;
    let why = ["localhost is", "would listen on 127.0.0.5 alone", "--listen"];
    refused(&machine, &["--listen=127.0.0.5"], &why).await;
    // Not even root can make a folder in a file, or in /proc.
    let file = machine.path("file");
    std::fs::write(&file, "").expect("a file");
    let below = file.join("x").display().to_string();
    for (flag, name) in [("--dir", "--dir"), ("--data-dir", "--data-dir"), ("--units", "--units")] {
        for folder in [below.as_str(), "/proc/loan-servicing"] {
            let mut flags = machine.all_flags();
            flags.retain(|it| it != "--no-units" || flag != "--units");
            let given = format!("{flag}={folder}");
            let output = command(&flags, &[&given]).output().await.expect("a process");
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{text}");
            assert!(text.contains("cannot be written") && text.contains(name), "{text}");
        }
    }
    assert_eq!(machine.leftovers().await, [""; 0]);
}

#[tokio::test]
async fn certificates_that_do_not_fit() {
    let machine = Machine::new(&Database::Sqlite).await;
    let make = |name: &str, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        certificates::own(&machine.path(name), &names).expect("certificates")
    };
    let (own, other) = (make("own", &["localhost"]), make("other", &["elsewhere.example.com"]));
    let flags = |certificate: &Path, key: &Path, authority: &Path| {
        [("certificate", certificate), ("key", key), ("authority", authority)]
            .map(|(name, path)| format!("--tls-{name}={}", path.display()))
    };
    for (given, why) in [
        (flags(&other.certificate, &other.key, &other.authority), "does not name localhost"),
        (flags(&own.certificate, &other.key, &own.authority), "do not work together"),
        (flags(&own.certificate, &own.key, &other.authority), "does not verify with"),
        (flags(&own.key, &own.key, &own.authority), "cannot read certificates in"),
        (flags(Path::new("/no/file"), &own.key, &own.authority), "/no/file"),
    ] {
        refused(&machine, &given.each_ref().map(String::as_str), &[why]).await;
    }
}

#[tokio::test]
async fn answers_that_are_missing_or_make_no_sense() {
    let machine = Machine::new(&Database::Sqlite).await;
    let mut flags = machine.all_flags();
    flags.retain(|flag| !flag.starts_with("--database-url"));
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(fault(&output).contains("which database? give --database-url"));
    let mut flags = machine.all_flags();
    flags.retain(|flag| flag != "--generate-admin-password");
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(fault(&output).contains("the admin account needs a password"));
    for (flag, why) in [
        ("--host=our loans", "is no host name"),
        ("--host=no.such.host.invalid", "no.such.host.invalid cannot be found"),
        ("--auth-url=https://localhost/auth", "must be https://HOST or https://HOST:PORT"),
        ("--proxies=everybody", "is no network"),
        ("--admin= boss", "the user name must have"),
        ("--documents=ftp://somewhere", "it must be a folder, s3://BUCKET"),
        ("--data-dir=/tmp/a b", "characters that no settings file could hold"),
    ] {
        refused(&machine, &[flag], &[why]).await;
    }
}
