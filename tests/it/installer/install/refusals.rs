//! Problems with the machine or the database: each is one sentence that says what to do, and
//! nothing is changed.

use super::{TestMachine, command, error_line, printed};
use acceptance::Database;
use acceptance::installed_clients::{faketime, skip};
use installer::installation::certificates;
use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use sea_orm::ConnectionTrait;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use url::Url;

/// Installs with these additional flags, which must be refused with these words.
async fn expect_refusal(machine: &TestMachine, extra: &[&str], expected: &[&str]) {
    let output = machine.install(extra).await;
    let text = error_line(&output);
    for fragment in expected {
        assert!(text.contains(fragment), "{text} is not about {fragment}\n{}", printed(&output));
    }
    assert_eq!(machine.leftovers().await, [""; 0], "{text}");
}

/// The database's URL with a change.
fn url(machine: &TestMachine, change: impl Fn(&mut Url)) -> String {
    let mut url = Url::parse(&machine.database_url).expect("a URL");
    change(&mut url);
    format!("--database-url={url}")
}

#[tokio::test]
async fn a_wrong_database_user_password_host_or_name_is_refused() {
    for database in Database::all().into_iter().skip(1) {
        let machine = TestMachine::new(&database).await;
        let wrong_user = url(&machine, |url| {
            url.set_username("nobody_at_all").expect("a user");
            url.set_password(Some("p%40ss")).expect("a password");
        });
        let expected =
            ["the database rejects the user \"nobody_at_all\"", "correct the user or the password"];
        expect_refusal(&machine, &[&wrong_user], &expected).await;
        let closed = acceptance::servers::free_port();
        let nothing_listens = url(&machine, |url| url.set_port(Some(closed)).expect("a port"));
        expect_refusal(
            &machine,
            &[&nothing_listens],
            &["no database answers at", "start the database"],
        )
        .await;
        let unreachable =
            url(&machine, |url| url.set_host(Some("no.such.host.invalid")).expect("a host"));
        expect_refusal(
            &machine,
            &[&unreachable],
            &["no database answers at", "no.such.host.invalid"],
        )
        .await;
        let nameless = url(&machine, |url| url.set_path("no_such_database"));
        let expected = ["the database \"no_such_database\" does not exist", "CREATE DATABASE"];
        expect_refusal(&machine, &[&nameless], &expected).await;
        machine.remove().await;
    }
    let machine = TestMachine::new(&Database::Sqlite).await;
    let expected = ["must be sqlite://…, postgres://… or mysql://…"];
    expect_refusal(&machine, &["--database-url=oracle://u:secret@h/x"], &expected).await;
    expect_refusal(&machine, &["--database-url=sqlite://core.sqlite"], &["must start with /"])
        .await;
}

#[tokio::test]
async fn an_ambiguous_database_url_is_refused() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    for (url, expected) in [
        ("postgres://u:a#b@127.0.0.1/x", &["percent-encoded", "--database-password-file"][..]),
        ("postgres://u:a/b@127.0.0.1/x", &["percent-encoded"]),
        ("postgres://u:1/b@127.0.0.1/x", &["percent-encoded"]),
        ("mysql://u:a@127.0.0.1:99:/x", &["the port is not a number"]),
        ("postgres://u@127.0.0.1:1/x?sslmod=verify-full", &["a parameter sslmod", "sslmode"]),
        ("mysql://u@127.0.0.1:1/x?sslrootcert=/ca", &["parameter sslrootcert", "sslca"]),
        ("postgres://u@127.0.0.1/x?sslrootcert=/no/file", &["cannot read /no/file"]),
        ("postgres://u@/x?host=/run", &["has a user but no host", "&user=USER"]),
        ("postgres://u@%2Fno/x", &["no database answers at postgres://u@%2Fno/x"]),
        (
            "postgres:///x?host=/no&user=u",
            &["no database answers at postgres:///x?host=/no&user=u"],
        ),
        (
            "mysql://u@localhost/x?socket=/no",
            &["no database answers at mysql://u@localhost/x?socket=/no"],
        ),
        ("postgres:///x", &["must name a host and a database", "?socket=/FILE"]),
    ] {
        expect_refusal(&machine, &[&format!("--database-url={url}")], expected).await;
    }
}

#[tokio::test]
async fn a_database_server_of_another_kind_is_refused() {
    for database in Database::all().into_iter().skip(1) {
        let machine = TestMachine::new(&database).await;
        let scheme = if database.name() == "mysql" { "postgres" } else { "mysql" };
        let (_, rest) = machine.database_url.split_once("://").expect("a URL");
        let other = format!("--database-url={scheme}://{rest}");
        let expected = ["no database answers at", "correct its kind"];
        expect_refusal(&machine, &[&other], &expected).await;
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_database_behind_a_socket_is_accepted() {
    for database in Database::all().into_iter().skip(1) {
        let machine = TestMachine::new(&database).await;
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
async fn a_missing_database_privilege_is_refused() {
    for database in Database::all().into_iter().skip(1) {
        let machine = TestMachine::new(&database).await;
        let db = shared::database::connect(&machine.database_url, 1).await.expect("a connection");
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
            let expected = ["may not CREATE TABLE", "grant the user all privileges"];
            expect_refusal(&machine, &[&limited], &expected).await;
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
async fn a_foreign_database_or_a_lossy_character_set_is_refused() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        if database == Database::Sqlite {
            std::fs::create_dir(machine.path("data")).expect("a folder");
        }
        let db = shared::database::connect_or_create(&machine.database_url, 1)
            .await
            .expect("a connection");
        db.execute_unprepared("CREATE TABLE users (id BIGINT PRIMARY KEY)").await.expect("a table");
        let text = error_line(&machine.install(&[]).await);
        assert!(text.contains("our names: users"), "{text}");
        db.execute_unprepared("DROP TABLE users").await.expect("dropped");
        if database.name() == "mysql" {
            let name = Url::parse(&machine.database_url).expect("a URL").path()[1..].to_owned();
            let latin = format!("ALTER DATABASE {name} CHARACTER SET latin1");
            db.execute_unprepared(&latin).await.expect("changed");
            expect_refusal(&machine, &[], &["character set is latin1", "utf8mb4"]).await;
        }
        db.close().await.expect("closed");
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_clock_that_is_off_is_refused() {
    let library = match faketime() {
        Ok(library) => library,
        Err(missing) => return skip(&missing),
    };
    for database in Database::all().into_iter().skip(1) {
        let machine = TestMachine::new(&database).await;
        for (shift, side) in [("+10m", "behind"), ("-10m", "ahead of")] {
            let mut command = command(&machine.all_flags(), &[]);
            command.env("LD_PRELOAD", library).env("FAKETIME", shift);
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            let text = error_line(&command.output().await.expect("a process"));
            assert!(text.contains("the database's clock is 6"), "{text}");
            assert!(text.contains(&format!("s {side} this machine's: synchronize")), "{text}");
        }
        assert_eq!(machine.leftovers().await, [""; 0]);
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_port_in_use_or_an_unwritable_folder_is_refused() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let occupied = std::net::TcpListener::bind(("127.0.0.1", machine.api_port)).expect("a port");
    let expected = ["cannot listen on", "Address already in use", "--api-port"];
    expect_refusal(&machine, &[], &expected).await;
    drop(occupied);
    let same = format!("--api-port={}", machine.auth_port);
    expect_refusal(&machine, &[&same], &["choose two ports"]).await;
    let expected = ["localhost is", "would listen only on 127.0.0.5", "--listen"];
    expect_refusal(&machine, &["--listen=127.0.0.5"], &expected).await;
    // Not even root can create a folder inside a file, or in /proc.
    let file = machine.path("file");
    std::fs::write(&file, "").expect("a file");
    let below = file.join("x").display().to_string();
    for flag in ["--dir", "--data-dir"] {
        for folder in [below.as_str(), "/proc/loan-servicing"] {
            let output = machine.install(&[&format!("{flag}={folder}")]).await;
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{text}");
            assert!(text.contains("cannot write to") && text.contains(flag), "{text}");
        }
    }
    assert_eq!(machine.leftovers().await, [""; 0]);
}

#[tokio::test]
async fn unsuitable_certificates_are_refused() {
    let machine = TestMachine::new(&Database::Sqlite).await;
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
    let (ca, ca_key) =
        by_itself("ca", &|params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    let (client, client_key) = by_itself("client", &|params| {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]
    });
    let (not_yet_valid, early_key) =
        by_itself("early", &|params| params.not_before = rcgen::date_time_ymd(2999, 1, 1));
    for (own_flags, expected) in [
        (flags(&reversed, &own.key, &own.authority), "put the server's own first"),
        (flags(&own.certificate, &encrypted, &own.authority), "is encrypted: decrypt it with"),
        (flags(&own.certificate, &weak, &own.authority), "must be RSA of 2048 to 8192 bits"),
        (flags(&ca, &ca_key, &ca), "certificate of an authority, not of a server: get one"),
        (flags(&client, &client_key, &client), "is not for servers: its extended key usage"),
        (flags(&not_yet_valid, &early_key, &not_yet_valid), "is not valid before 2999-01-01"),
        (flags(&other.certificate, &other.key, &other.authority), "is not valid for localhost"),
        (flags(&own.certificate, &other.key, &own.authority), "cannot be used together"),
        (flags(&own.certificate, &own.key, &other.authority), "does not verify with"),
        (flags(&own.key, &own.key, &own.authority), "cannot read certificates in"),
        (flags(Path::new("/no/file"), &own.key, &own.authority), "/no/file"),
    ] {
        expect_refusal(&machine, &own_flags.each_ref().map(String::as_str), &[expected]).await;
    }
    // The byte-order mark that some editors write is not an error.
    let marked = file("marked.pem", &format!("\u{feff}{leaf}"));
    let own_flags = flags(&marked, &own.key, &own.authority);
    let own_flags = own_flags.each_ref().map(String::as_str);
    let output = machine.install(&[&own_flags[..], &["--dry-run"]].concat()).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn missing_or_contradictory_answers_are_refused() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let mut flags = machine.all_flags();
    flags.retain(|flag| !flag.starts_with("--database-url"));
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(error_line(&output).contains("no database given: pass --database-url"));
    let mut flags = machine.all_flags();
    flags.retain(|flag| flag != "--generate-admin-password");
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(error_line(&output).contains("the admin account needs a password"));
    for (flag, expected) in [
        ("--host=our loans", "is not a host name"),
        ("--host=no.such.host.invalid", "cannot resolve no.such.host.invalid"),
        ("--auth-url=https://localhost/auth", "must be https://HOST or https://HOST:PORT"),
        ("--proxies=everybody", "is not a network"),
        ("--admin= boss", "the user name must have"),
        ("--documents=ftp://somewhere", "it must be a folder, s3://BUCKET"),
        ("--data-dir=/tmp/a b", "characters that a settings file cannot hold"),
    ] {
        expect_refusal(&machine, &[flag], &[expected]).await;
    }
}
