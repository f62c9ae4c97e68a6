//! Repeated installation, and installation from an answer file.

use super::{TestMachine, command, error_line, printed, text_after};
use acceptance::Database;
use acceptance::servers::free_port;
use installer::installation::{certificates, core_settings};
use sea_orm::{ConnectionTrait, Statement};
use shared::database::BUSINESS_TIME_ZONE;
use std::path::Path;

#[tokio::test]
async fn a_repeated_installation_keeps_keys_data_and_manual_settings() {
    for database in Database::all() {
        let mut machine = TestMachine::new(&database).await;
        let first = printed(&machine.install(&[]).await);
        let password = text_after(&first, "the password of admin:").to_owned();
        let secret = text_after(&first, "the secret of the client integration:").to_owned();
        let settings = machine.text("etc/auth-server.env");
        let by_hand = settings + "\n# ours\nAUTH_DISPLAY_NAME=Our Loans\n";
        std::fs::write(machine.path("etc/auth-server.env"), &by_hand).expect("written");
        let authority = machine.text("etc/tls/ca.pem");
        let certificate = machine.text("etc/tls/server.pem");

        let unchanged = machine.install(&[]).await;
        let unchanged = printed(&unchanged);
        assert!(
            unchanged.contains("  1. run Verify Auth Server") && !unchanged.contains("  2."),
            "{unchanged}"
        );
        assert!(
            !unchanged.contains("password of") && !unchanged.contains("secret of"),
            "{unchanged}"
        );
        assert_eq!(machine.text("etc/auth-server.env"), by_hand);

        machine.auth_port = free_port();
        machine.api_port = free_port();
        // Flags only: values not given stay as they are.
        let own_flags = [
            format!("--dir={}", machine.path("etc").display()),
            format!("--auth-port={}", machine.auth_port),
            format!("--api-port={}", machine.api_port),
            "--service-user=root".to_owned(),
            "--yes".to_owned(),
        ];
        let output = command(&own_flags, &[]).output().await.expect("a process");
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
        let documentation = registered_receivers(&machine).await;
        assert_eq!(documentation.split(' ').count(), 2, "{documentation}");
        assert!(documentation.contains(&machine.api_port.to_string()), "{documentation}");
        machine.check_works("admin", &password, &secret).await;
        machine.remove().await;
    }
}

/// The redirect URIs of the documentation's client.
async fn registered_receivers(machine: &TestMachine) -> String {
    let sql = "SELECT redirect_uris FROM oauth_clients WHERE client_id = 'browser'";
    let db = shared::database::connect(&machine.database_url, 1).await.expect("a connection");
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let row = db.query_one_raw(statement).await.expect("a response").expect("a client");
    let receivers = row.try_get_by_index(0).expect("a text");
    db.close().await.expect("closed");
    receivers
}

#[tokio::test]
async fn a_dry_run_shows_the_plan_and_changes_nothing() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
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
async fn an_answers_file_supplies_flags_and_the_command_line_overrides_it() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let flags = machine.all_flags();
    let lines = flags.iter().map(|flag| match flag.trim_start_matches("--").split_once('=') {
        Some((name, value)) => format!("{name} = {value}\n"),
        None => format!("{} = yes\n", flag.trim_start_matches("--")),
    });
    let responses = machine.path("answers");
    let text = format!("# Ours.\n\n{}client = wrong id\n", lines.collect::<String>());
    std::fs::write(&responses, text).expect("answers");
    let own_flags = ["--answers".to_owned(), responses.display().to_string()];
    let output = command(&own_flags, &["--client=programs"]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    text_after(&printed(&output), "the secret of the client programs:");

    std::fs::write(&responses, "host = localhost\nport = 7\n").expect("answers");
    let output = command(&own_flags, &[]).output().await.expect("a process");
    let text = super::error_line(&output);
    assert!(text.contains("answers line 2: unknown option port"), "{text}");
}

#[tokio::test]
async fn the_host_name_of_a_proxy_need_not_be_in_the_server_certificate() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let own_flags = certificates::own(&machine.path("given"), &["localhost".to_owned()]);
    let own_flags = own_flags.expect("certificates");
    let tls = [
        ("certificate", own_flags.certificate),
        ("key", own_flags.key),
        ("authority", own_flags.authority),
    ];
    let mut flags = machine.all_flags();
    flags.extend(tls.map(|(name, path)| format!("--tls-{name}={}", path.display())));
    flags.push("--auth-url=https://auth.example.com".to_owned());
    flags.push("--proxies=127.0.0.1".to_owned());
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = printed(&output);
    assert!(printed.contains("21 of 21 checks passed"), "{printed}");
    let api = machine.text("etc/api-server.env");
    let direct = format!("API_AUTH_URL=https://localhost:{}", machine.auth_port);
    for line in [
        direct.as_str(),
        "API_AUTH_PUBLIC_URL=https://auth.example.com",
        "API_TRUSTED_PROXIES=127.0.0.1",
    ] {
        assert!(api.lines().any(|it| it == line), "no {line} in {api}");
    }
}

#[tokio::test]
async fn the_business_time_zone_is_set_once_and_changed_only_on_request() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        let zone = async || {
            let db = shared::database::connect(&machine.database_url, 1).await.expect("connected");
            let zone = core_settings::read(&db, BUSINESS_TIME_ZONE).await.expect("read");
            db.close().await.expect("closed");
            zone.expect("a zone")
        };
        let install = async |extra: &[&str], this_machine: &str| {
            let mut command = command(&machine.all_flags(), extra);
            let output = command.env("TZ", this_machine).output().await.expect("a process");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            printed(&output)
        };
        let message = install(&["--client=x"], "America/Chicago").await;
        assert!(message.contains("set the business time zone to America/Chicago"), "{message}");
        assert_eq!(zone().await, "America/Chicago");
        let message = install(&[], "Europe/Berlin").await;
        assert!(message.contains("in the time zone America/Chicago"), "{message}");
        assert!(!message.contains("set the business time zone"), "{message}");
        let message = install(&["--time-zone=Asia/Tokyo"], "Europe/Berlin").await;
        assert!(message.contains("to Asia/Tokyo, previously America/Chicago"), "{message}");
        assert_eq!(zone().await, "Asia/Tokyo");
        let refused = machine.install(&["--time-zone=Tokyo"]).await;
        assert!(super::error_line(&refused).contains("unknown time zone \"Tokyo\""));
        machine.remove().await;
    }
}

#[tokio::test]
async fn a_certificate_of_a_system_trusted_authority_needs_no_ca_file() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let own_flags = certificates::own(&machine.path("given"), &["localhost".to_owned()]);
    let own_flags = own_flags.expect("certificates");
    let public = certificates::own(&machine.path("public"), &["example.com".to_owned()]);
    let public = public.expect("certificates");
    // A machine's trust store is a file with many authorities.
    let text = |path| std::fs::read_to_string(path).expect("a file");
    let trusted = machine.path("trusted.pem");
    std::fs::write(&trusted, [text(&public.authority), text(&own_flags.authority)].concat())
        .expect("a file");
    let mut flags = machine.all_flags();
    for (name, path) in [("certificate", &own_flags.certificate), ("key", &own_flags.key)] {
        flags.push(format!("--tls-{name}={}", path.display()));
    }
    let install = async |trusted: &Path| {
        let mut command = command(&flags, &[]);
        command.env("SSL_CERT_FILE", trusted).output().await.expect("a process")
    };
    let fault = super::error_line(&install(&public.authority).await);
    assert!(fault.contains("does not verify with"), "{fault}");
    assert_eq!(machine.leftovers().await, [""; 0]);
    let output = install(&trusted).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let api = machine.text("etc/api-server.env");
    let line = format!("API_AUTH_CA={}", trusted.display());
    assert!(api.lines().any(|it| it == line), "no {line} in {api}");
}

#[tokio::test]
async fn unrelated_tables_are_named_and_kept() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        if database.name() == "sqlite" {
            std::fs::create_dir_all(machine.path("data")).expect("a folder");
        }
        let db =
            shared::database::connect_or_create(&machine.database_url, 1).await.expect("connected");
        for number in 0..12 {
            let sql = format!("CREATE TABLE wiki_page_{number} (id integer)");
            db.execute_unprepared(&sql).await.expect(&sql);
        }
        db.close().await.expect("closed");
        let said = printed(&machine.install(&["--dry-run"]).await);
        let message = "unrelated tables, which stay as they are: wiki_page_";
        assert!(said.contains(message) && said.contains("and 2 more"), "{said}");
        let output = machine.install(&[]).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(tables(&machine).await, 12);
        machine.remove().await;
    }
}

async fn tables(machine: &TestMachine) -> usize {
    let db = shared::database::connect(&machine.database_url, 1).await.expect("connected");
    let mut existing = 0;
    for number in 0..12 {
        let sql = format!("SELECT id FROM wiki_page_{number}");
        existing += usize::from(db.execute_unprepared(&sql).await.is_ok());
    }
    db.close().await.expect("closed");
    existing
}

#[tokio::test]
async fn manual_settings_of_one_server_do_not_affect_the_other() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    assert!(machine.install(&[]).await.status.success());
    let settings = machine.text("etc/auth-server.env");
    let (before, after) = (format!("127.0.0.1:{}", machine.auth_port), "0.0.0.0:");
    let by_hand = settings.replace(&before, &before.replace("127.0.0.1:", after));
    std::fs::write(machine.path("etc/auth-server.env"), &by_hand).expect("written");
    let api = machine.text("etc/api-server.env");
    let repeated =
        [&machine.flags()[..], &["--yes".to_owned(), "--client=more".to_owned()]].concat();
    let output = command(&repeated, &[]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(machine.text("etc/auth-server.env"), by_hand);
    assert_eq!(machine.text("etc/api-server.env"), api);
    let port = free_port();
    let said = command(&repeated, &[&format!("--api-port={port}"), "--dry-run"]).output().await;
    let said = printed(&said.expect("a process"));
    let message = format!("API_LISTEN from 127.0.0.1:{} to 127.0.0.1:{port}", machine.api_port);
    assert!(said.contains(&message), "no {message:?} in {said}");
}

#[tokio::test]
async fn new_settings_are_verified_while_servers_run_with_the_old_ones() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    assert!(machine.install(&[]).await.status.success());
    let mut auth = machine.start_auth_server().await;
    let url = "--auth-url=https://auth.example.com";
    let output = machine.install(&[url, "--api-url=https://api.example.com"]).await;
    let printed = printed(&output);
    assert!(output.status.success(), "{printed} {}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("21 of 21 checks passed"), "{printed}");
    assert!(printed.contains("restart both servers"), "{printed}");
    assert!(auth.stop().await, "{}", auth.log());
}

#[tokio::test]
async fn invalid_answers_are_refused_before_any_check() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let within = format!("--dir={}", machine.path("data/etc").display());
    let (auth_url, api_url) = ("--auth-url=https://x.example", "--api-url=https://x.example");
    for (flags, expected) in [
        (&[&*within][..], "the settings folder must not be inside the data folder"),
        (&[auth_url, api_url], "the two servers cannot share the URL https://x.example"),
        (&["--client=bad id"], "is not a client id: use 1 to 100 characters"),
        (&["--client=api-server"], "the client id api-server is reserved for the servers"),
    ] {
        let text = error_line(&machine.install(flags).await);
        assert!(text.contains(expected), "{flags:?}: {text}");
    }
    assert_eq!(machine.leftovers().await, [""; 0]);
}
