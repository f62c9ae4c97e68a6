//! Repeated installation, and installation from an answer file.

use super::{Machine, behind, command, fault, printed, program};
use acceptance::Database;
use acceptance::servers::free_port;
use installer::installation::{certificates, core_settings};
use sea_orm::{ConnectionTrait, Statement};
use shared::db::BUSINESS_TIME_ZONE;
use std::path::Path;

#[tokio::test]
async fn it_keeps_keys_data_and_what_was_written_by_hand_and_changes_what_is_asked_for() {
    for database in Database::all() {
        let mut machine = Machine::new(&database).await;
        let first = printed(&machine.install(&[]).await);
        let password = behind(&first, "the password of admin:").to_owned();
        let secret = behind(&first, "the secret of the client integration:").to_owned();
        let settings = machine.text("etc/auth-server.env");
        let by_hand = settings + "\n# ours\nAUTH_DISPLAY_NAME=Our Loans\n";
        std::fs::write(machine.path("etc/auth-server.env"), &by_hand).expect("written");
        let authority = machine.text("etc/tls/ca.pem");
        let certificate = machine.text("etc/tls/server.pem");

        let same = machine.install(&[]).await;
        let same = printed(&same);
        assert!(same.contains("  1. run Verify Auth Server") && !same.contains("  2."), "{same}");
        assert!(!same.contains("password of") && !same.contains("secret of"), "{same}");
        assert_eq!(machine.text("etc/auth-server.env"), by_hand);

        machine.auth_port = free_port();
        machine.api_port = free_port();
        // Flags only: values not given stay as they are.
        let given = [
            format!("--dir={}", machine.path("etc").display()),
            format!("--auth-port={}", machine.auth_port),
            format!("--api-port={}", machine.api_port),
            "--service-user=root".to_owned(),
            "--no-units".to_owned(),
            "--yes".to_owned(),
        ];
        let output = command(&given, &[]).output().await.expect("a process");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let changed = machine.text("etc/auth-server.env");
        let port = format!("AUTH_LISTEN=127.0.0.1:{}", machine.auth_port);
        let issuer = format!("AUTH_ISSUER=https://localhost:{}", machine.auth_port);
        for line in ["AUTH_DISPLAY_NAME=Our Loans", "# ours", &port, &issuer] {
            assert!(changed.lines().any(|it| it == line), "no {line} in {changed}");
        }
        let keys = |text: &str| {
            let keys = text.lines().filter(|line| line.contains("_KEYS="));
            keys.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(keys(&changed), keys(&by_hand), "no key has changed");
        assert_eq!(machine.text("etc/tls/server.pem"), certificate);
        assert_eq!(machine.text("etc/tls/ca.pem"), authority);
        let documentation = receivers(&machine).await;
        assert_eq!(documentation.split(' ').count(), 2, "{documentation}");
        assert!(documentation.contains(&machine.api_port.to_string()), "{documentation}");
        machine.try_out("admin", &password, &secret).await;
        machine.remove().await;
    }
}

/// The redirect URIs of the documentation's client.
async fn receivers(machine: &Machine) -> String {
    let sql = "SELECT redirect_uris FROM oauth_clients WHERE client_id = 'browser'";
    let db = shared::db::connect(&machine.database_url, 1, false).await.expect("a connection");
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let row = db.query_one_raw(statement).await.expect("a response").expect("a client");
    let receivers = row.try_get_by_index(0).expect("a text");
    db.close().await.expect("closed");
    receivers
}

#[tokio::test]
async fn a_dry_run_tells_what_would_be_done_and_does_nothing() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        let output = machine.install(&["--dry-run"]).await;
        let printed = printed(&output);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(
            printed.contains("create the schema in") && printed.contains("nothing was changed")
        );
        assert_eq!(machine.leftovers().await, [""; 0]);
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_file_of_answers_does_for_flags_which_go_before_it() {
    let machine = Machine::new(&Database::Sqlite).await;
    let flags = machine.all_flags();
    let lines = flags.iter().map(|flag| match flag.trim_start_matches("--").split_once('=') {
        Some((name, value)) => format!("{name} = {value}\n"),
        None => format!("{} = yes\n", flag.trim_start_matches("--")),
    });
    let responses = machine.path("answers");
    let text = format!("# Ours.\n\n{}client = wrong id\n", lines.collect::<String>());
    std::fs::write(&responses, text).expect("answers");
    let given = ["--answers".to_owned(), responses.display().to_string()];
    let output = command(&given, &["--client=programs"]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    behind(&printed(&output), "the secret of the client programs:");

    std::fs::write(&responses, "host = localhost\nport = 7\n").expect("answers");
    let output = command(&given, &[]).output().await.expect("a process");
    let text = super::fault(&output);
    assert!(text.contains("answers line 2: unknown option port"), "{text}");
}

#[tokio::test]
async fn what_is_before_the_servers_has_a_name_that_their_certificate_has_not() {
    let machine = Machine::new(&Database::Sqlite).await;
    let given = certificates::own(&machine.path("given"), &["localhost".to_owned()]);
    let given = given.expect("certificates");
    let tls =
        [("certificate", given.certificate), ("key", given.key), ("authority", given.authority)];
    let mut flags = machine.all_flags();
    flags.extend(tls.map(|(name, path)| format!("--tls-{name}={}", path.display())));
    flags.push("--auth-url=https://auth.example.com".to_owned());
    flags.push("--proxies=127.0.0.1".to_owned());
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = printed(&output);
    assert!(printed.contains("20 of 20 checks passed"), "{printed}");
    let api = machine.text("etc/api-server.env");
    let direct = format!("API_AUTH_URL=https://localhost:{}", machine.auth_port);
    for line in [direct.as_str(), "API_AUTH_PUBLIC_URL=https://auth.example.com"] {
        assert!(api.lines().any(|it| it == line), "no {line} in {api}");
    }
}

#[tokio::test]
async fn the_business_time_zone_is_set_once_and_changed_only_when_told() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        let zone = async || {
            let db = shared::db::connect(&machine.database_url, 1, false).await.expect("connected");
            let zone = core_settings::read(&db, BUSINESS_TIME_ZONE).await.expect("read");
            db.close().await.expect("closed");
            zone.expect("a zone")
        };
        let install = async |more: &[&str], this_machine: &str| {
            let mut command = command(&machine.all_flags(), more);
            let output = command.env("TZ", this_machine).output().await.expect("a process");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            printed(&output)
        };
        let said = install(&["--client=x"], "America/Chicago").await;
        assert!(said.contains("set the business time zone to America/Chicago"), "{said}");
        assert_eq!(zone().await, "America/Chicago");
        let said = install(&[], "Europe/Berlin").await;
        assert!(said.contains("in the time zone America/Chicago"), "{said}");
        assert!(!said.contains("set the business time zone"), "{said}");
        let said = install(&["--time-zone=Asia/Tokyo"], "Europe/Berlin").await;
        assert!(said.contains("to Asia/Tokyo, previously America/Chicago"), "{said}");
        assert_eq!(zone().await, "Asia/Tokyo");
        let refused = machine.install(&["--time-zone=Tokyo"]).await;
        assert!(super::fault(&refused).contains("unknown time zone \"Tokyo\""));
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_certificate_of_an_authority_that_this_machine_trusts_needs_no_other_file() {
    let machine = Machine::new(&Database::Sqlite).await;
    let given = certificates::own(&machine.path("given"), &["localhost".to_owned()]);
    let given = given.expect("certificates");
    let public = certificates::own(&machine.path("public"), &["example.com".to_owned()]);
    let public = public.expect("certificates");
    // A machine's trust store is a file with many authorities.
    let text = |path| std::fs::read_to_string(path).expect("a file");
    let trusted = machine.path("trusted.pem");
    std::fs::write(&trusted, [text(&public.authority), text(&given.authority)].concat())
        .expect("a file");
    let mut flags = machine.all_flags();
    for (name, path) in [("certificate", &given.certificate), ("key", &given.key)] {
        flags.push(format!("--tls-{name}={}", path.display()));
    }
    let install = async |trusted: &Path| {
        let mut command = command(&flags, &[]);
        command.env("SSL_CERT_FILE", trusted).output().await.expect("a process")
    };
    let fault = super::fault(&install(&public.authority).await);
    assert!(fault.contains("does not verify with"), "{fault}");
    assert_eq!(machine.leftovers().await, [""; 0]);
    let output = install(&trusted).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let api = machine.text("etc/api-server.env");
    let line = format!("API_AUTH_CA={}", trusted.display());
    assert!(api.lines().any(|it| it == line), "no {line} in {api}");
}

#[tokio::test]
async fn tables_of_something_else_are_named_and_stay() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        if database.name() == "sqlite" {
            std::fs::create_dir_all(machine.path("data")).expect("a folder");
        }
        let db = shared::db::connect(&machine.database_url, 1, true).await.expect("connected");
        for number in 0..12 {
            let sql = format!("CREATE TABLE wiki_page_{number} (id integer)");
            db.execute_unprepared(&sql).await.expect(&sql);
        }
        db.close().await.expect("closed");
        let said = printed(&machine.install(&["--dry-run"]).await);
        let told = "unrelated tables, which stay as they are: wiki_page_";
        assert!(said.contains(told) && said.contains("and 2 more"), "{said}");
        let output = machine.install(&[]).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(tables(&machine).await, 12);
        machine.remove().await;
    }
}

async fn tables(machine: &Machine) -> usize {
    let db = shared::db::connect(&machine.database_url, 1, false).await.expect("connected");
    let mut there = 0;
    for number in 0..12 {
        let sql = format!("SELECT id FROM wiki_page_{number}");
        there += usize::from(db.execute_unprepared(&sql).await.is_ok());
    }
    db.close().await.expect("closed");
    there
}

#[tokio::test]
async fn units_have_the_paths_of_the_installation() {
    let machine = Machine::new(&Database::Sqlite).await;
    let programs = machine.path("programs");
    std::fs::create_dir(&programs).expect("a folder");
    let mut flags = machine.all_flags();
    flags.retain(|flag| flag != "--no-units");
    flags.push(format!("--units={}", machine.path("units").display()));
    flags.push(format!("--programs={}", programs.display()));
    let output = command(&flags, &[]).output().await.expect("a process");
    let text = super::fault(&output);
    assert!(text.contains("auth-server") && text.contains("--programs"), "{text}");
    for (name, version) in [("auth-server", "12.0.0"), ("api-server", "11.0.0")] {
        program(&programs.join(name), name, version);
    }
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(super::fault(&output).contains("is release 11.0.0"));
    program(&programs.join("api-server"), "api-server", env!("CARGO_PKG_VERSION"));
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (unit, server) in [
        ("loan-servicing-auth.service", "auth-server"),
        ("loan-servicing-api.service", "api-server"),
    ] {
        let text = machine.text(&format!("units/{unit}"));
        let start = format!(
            "ExecStart={}/{server} --env-file {}/{server}.env",
            programs.display(),
            machine.path("etc").display()
        );
        let data = machine.path("data").display().to_string();
        for line in [start, format!("ReadWritePaths={data}"), format!("WorkingDirectory={data}")] {
            assert!(text.lines().any(|it| it == line), "no {line} in {text}");
        }
        assert!(
            !text.contains("StateDirectory") && !text.contains("/etc/loan-servicing"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn what_was_written_by_hand_into_the_settings_of_one_server_is_not_the_others() {
    let machine = Machine::new(&Database::Sqlite).await;
    assert!(machine.install(&[]).await.status.success());
    let settings = machine.text("etc/auth-server.env");
    let (before, after) = (format!("127.0.0.1:{}", machine.auth_port), "0.0.0.0:");
    let by_hand = settings.replace(&before, &before.replace("127.0.0.1:", after));
    std::fs::write(machine.path("etc/auth-server.env"), &by_hand).expect("written");
    let api = machine.text("etc/api-server.env");
    let again = [&machine.flags()[..], &["--yes".to_owned(), "--client=more".to_owned()]].concat();
    let output = command(&again, &[]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(machine.text("etc/auth-server.env"), by_hand);
    assert_eq!(machine.text("etc/api-server.env"), api);
    let port = free_port();
    let said = command(&again, &[&format!("--api-port={port}"), "--dry-run"]).output().await;
    let said = printed(&said.expect("a process"));
    let told = format!("API_LISTEN from 127.0.0.1:{} to 127.0.0.1:{port}", machine.api_port);
    assert!(said.contains(&told), "no {told:?} in {said}");
}

#[tokio::test]
async fn new_settings_are_verified_while_servers_run_with_the_former_ones() {
    let machine = Machine::new(&Database::Sqlite).await;
    assert!(machine.install(&[]).await.status.success());
    let mut auth = machine.start_auth_server().await;
    let url = "--auth-url=https://auth.example.com";
    let output = machine.install(&[url, "--api-url=https://api.example.com"]).await;
    let printed = printed(&output);
    assert!(output.status.success(), "{printed} {}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("20 of 20 checks passed"), "{printed}");
    assert!(printed.contains("restart both servers"), "{printed}");
    assert!(auth.stop().await, "{}", auth.log());
}

#[tokio::test]
async fn answers_that_cannot_be_are_refused_before_anything_is_looked_at() {
    let machine = Machine::new(&Database::Sqlite).await;
    let within = format!("--dir={}", machine.path("data/etc").display());
    let (auth_url, api_url) = ("--auth-url=https://x.example", "--api-url=https://x.example");
    for (flags, why) in [
        (&[&*within][..], "the settings folder must not be inside the data folder"),
        (&[auth_url, api_url], "the two servers cannot share the URL https://x.example"),
        (&["--client=bad id"], "is not a client id: use 1 to 100 characters"),
        (&["--client=api-server"], "the client id api-server is reserved for the servers"),
    ] {
        let text = fault(&machine.install(flags).await);
        assert!(text.contains(why), "{flags:?}: {text}");
    }
    assert_eq!(machine.leftovers().await, [""; 0]);
}
