//! Problems with the machine or the database: each is one sentence that says what to do, and
//! nothing is changed.

use super::{Machine, command, fault, printed};
use crate::auth::lifetimes::FAKETIME;
use acceptance::Database;
use installer::installation::certificates;
use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use sea_orm::ConnectionTrait;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use url::Url;

/// Installs with these additional flags, which must be refused with these words.
async fn refused(machine: &Machine, more: &[&str], why: &[&str]) {
    let output = machine.install(more).await;
    let text = fault(&output);
    for word in why {
        assert!(text.contains(word), "{text} is not about {word}\n{}", printed(&output));
    }
    assert_eq!(machine.leftovers().await, [""; 0], "{text}");
}

/// The database's URL with a change.
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
    let why = ["must be sqlite://…, postgres://… or mysql://…"];
    refused(&machine, &["--database-url=oracle://u:secret@h/x"], &why).await;
    refused(&machine, &["--database-url=sqlite://core.sqlite"], &["must begin with /"]).await;
}

#[tokio::test]
async fn a_url_of_the_database_that_says_something_else_than_was_meant() {
    let machine = Machine::new(&Database::Sqlite).await;
    for (url, why) in [
        ("postgres://u:a#b@127.0.0.1/x", &["percent-encoded", "--database-password-file"][..]),
        ("postgres://u:a/b@127.0.0.1/x", &["percent-encoded"]),
        ("postgres://u:1/b@127.0.0.1/x", &["percent-encoded"]),
        ("mysql://u:a@127.0.0.1:99:/x", &["its port is no number"]),
        ("postgres://u@127.0.0.1:1/x?sslmod=verify-full", &["a parameter sslmod", "sslmode"]),
        ("mysql://u@127.0.0.1:1/x?sslrootcert=/ca", &["parameter sslrootcert", "sslca"]),
        ("postgres://u@127.0.0.1/x?sslrootcert=/no/file", &["cannot read /no/file"]),
        ("postgres://u@/x?host=/run", &["has a user and no host", "&user=USER"]),
        ("postgres://u@%2Fno/x", &["no database answers at /no/.s.PGSQL.5432", "its socket"]),
        ("postgres:///x?host=/no&user=u", &["no database answers at /no/.s.PGSQL.5432"]),
        ("mysql://u@localhost/x?socket=/no", &["no database answers at /no: "]),
        ("postgres:///x", &["must name a host and a database", "?socket=/FILE"]),
    ] {
        refused(&machine, &[&format!("--database-url={url}")], why).await;
    }
}

#[tokio::test]
async fn a_server_of_the_other_kind() {
    for database in Database::all().into_iter().skip(1) {
        let machine = Machine::new(&database).await;
        let (scheme, is, kind) = match database.name() {
            "mysql" => ("postgres", "MariaDB", "PostgreSQL"),
            _ => ("mysql", "PostgreSQL", "MariaDB"),
        };
        let (_, rest) = machine.database_url.split_once("://").expect("a URL");
        let other = format!("--database-url={scheme}://{rest}");
        let why = [format!("is no {kind}: it is {is}"), "begin the URL".to_owned()];
        refused(&machine, &[&other], &why.each_ref().map(String::as_str)).await;
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_database_behind_a_socket_is_none_of_these() {
    for database in Database::all().into_iter().skip(1) {
        let machine = Machine::new(&database).await;
        let url = Url::parse(&machine.database_url).expect("a URL");
        let port = url.port_or_known_default().unwrap_or(5432);
        let target = (url.host_str().expect("a host").to_owned(), port);
        let socket = machine.path(".s.PGSQL.5432");
        let listener = tokio::net::UnixListener::bind(&socket).expect("a socket");
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let (host, port) = target.clone();
                tokio::spawn(async move {
                    let mut far = tokio::net::TcpStream::connect((host, port)).await?;
                    tokio::io::copy_bidirectional(&mut near, &mut far).await
                });
            }
        });
        let by_socket = self::url(&machine, |url| {
            let (socket, folder) = (socket.display().to_string(), machine.folder.path().display());
            if database.name() == "mysql" {
                url.set_port(Some(1)).expect("a port");
                url.set_query(Some(&format!("socket={socket}")));
            } else {
                url.set_port(None).expect("no port");
                let folder = folder.to_string().replace('/', "%2F");
                url.set_host(Some(&folder)).expect("a host");
            }
        });
        let output = machine.install(&[&by_socket, "--dry-run"]).await;
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}{}", printed(&output));
        machine.remove().await;
    }
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
    // Not even root can create a folder inside a file, or in /proc.
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
    let text = |path: &Path| std::fs::read_to_string(path).expect("a file");
    let file = |name: &str, text: &str| {
        std::fs::write(machine.path(name), text).expect("a file");
        let own = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(machine.path(name), own).expect("rights");
        machine.path(name)
    };
    let (leaf, authority) = (text(&own.certificate), text(&own.authority));
    let reversed = file("reversed.pem", &format!("{authority}{leaf}"));
    let encrypted =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----";
    let encrypted = file("encrypted.key", encrypted);
    let weak = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    let weak = file("weak.key", weak);
    let by_itself = |name: &str, change: &dyn Fn(&mut CertificateParams)| {
        let key = KeyPair::generate().expect("a key");
        let mut made = CertificateParams::new(["localhost".to_owned()]).expect("a name");
        change(&mut made);
        let pem = made.self_signed(&key).expect("a certificate").pem();
        let pem = file(&format!("{name}.pem"), &pem);
        (pem, file(&format!("{name}.key"), &key.serialize_pem()))
    };
    let (ca, ca_key) = by_itself("ca", &|it| it.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    let (client, client_key) = by_itself("client", &|it| {
        it.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]
    });
    let (early, early_key) =
        by_itself("early", &|it| it.not_before = rcgen::date_time_ymd(2999, 1, 1));
    for (given, why) in [
        (flags(&reversed, &own.key, &own.authority), "put the server's own first"),
        (flags(&own.certificate, &encrypted, &own.authority), "is encrypted: decrypt it with"),
        (flags(&own.certificate, &weak, &own.authority), "must be RSA of 2048 to 8192 bits"),
        (flags(&ca, &ca_key, &ca), "certificate of an authority, not of a server: get one"),
        (flags(&client, &client_key, &client), "is not for servers: its extended key usage"),
        (flags(&early, &early_key, &early), "is not yet valid: it begins on 2999-01-01"),
        (flags(&other.certificate, &other.key, &other.authority), "does not name localhost"),
        (flags(&own.certificate, &other.key, &own.authority), "do not work together"),
        (flags(&own.certificate, &own.key, &other.authority), "does not verify with"),
        (flags(&own.key, &own.key, &own.authority), "cannot read certificates in"),
        (flags(Path::new("/no/file"), &own.key, &own.authority), "/no/file"),
    ] {
        refused(&machine, &given.each_ref().map(String::as_str), &[why]).await;
    }
    // The byte-order mark that some editors write is not an error.
    let marked = file("marked.pem", &format!("\u{feff}{leaf}"));
    let given = flags(&marked, &own.key, &own.authority);
    let given = given.each_ref().map(String::as_str);
    let output = machine.install(&[&given[..], &["--dry-run"]].concat()).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
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
