//! `installer quickstart`

use crate::PROGRAM;
use acceptance::quickstart::Quickstart;
use acceptance::{Database, databases};
use installer::installation::database::tables;
use serde_json::{Value, json};
use shared::database;
use tokio::process::Command;

#[tokio::test]
async fn quickstart_starts_servers_with_users_and_loans_and_keeps_the_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = Quickstart::start(PROGRAM, folder.path(), &[]).await;
    for user in ["admin", "officer", "teller", "viewer", "web"] {
        first.token(user).await.unwrap_or_else(|error| panic!("{user}: {error}"));
    }
    assert!(first.printed.contains("  /loans/1\n"), "{}", first.printed);
    let (client, admin) = (first.client(), first.token("admin").await.expect("a token"));
    let loan = client.get(&admin, "/loans/1").await.expect(200).json();
    assert_eq!(loan["Loan_Number"], "L-000001");
    client.get(&admin, "/loans/50").await.expect(200);
    client.get(&admin, "/loans/51").await.expect(404);
    let contact = format!("/contacts/{}", first.report["users"]["web"]["contact_id"]);
    let contact = client.get(&admin, &contact).await.expect(200).json();
    assert_eq!(contact["Web_User_Name"], first.report["users"]["web"]["username"]);
    let viewer = first.token("viewer").await.expect("a token");
    client.get(&viewer, "/loans/2").await.expect(200);
    client.get(&viewer, "/contacts/1").await.expect_problem(403, "privilege-missing");
    let officer = first.token("officer").await.expect("a token");
    client.get(&officer, "/loans/2").await.expect(200);
    client.get(&officer, "/loans/3").await.expect_problem(404, "not-found");
    let paid = json!({"Amount": "5.00", "Excess_Handling": "suspense"});
    client.post(&admin, "/loans/2/transactions/payments", &paid, None).await.expect(201);
    let transactions = "/loans/2/transactions";
    let before = client.get(&admin, transactions).await.expect(200).text;
    let old_report = first.report.clone();
    first.stop().await;

    let second = Quickstart::start(PROGRAM, folder.path(), &[]).await;
    assert_eq!(second.report["users"], old_report["users"], "passwords stay");
    let (client, admin) = (second.client(), second.token("admin").await.expect("a token"));
    assert_eq!(client.get(&admin, transactions).await.expect(200).text, before, "data stays");
    second.stop().await;
}

#[tokio::test]
async fn the_printed_curl_lines_work_as_pasted() {
    let folder = tempfile::tempdir().expect("a folder");
    let quickstart = Quickstart::start(PROGRAM, folder.path(), &["--loans", "3"]).await;
    let lines: Vec<&str> =
        quickstart.printed.lines().filter(|line| line.starts_with("curl ")).collect();
    assert_eq!(lines.len(), 2, "{}", quickstart.printed);
    if Command::new("curl").arg("--version").output().await.is_err() {
        println!("skipped: curl is not installed");
        return quickstart.stop().await;
    }
    let run = async |line: &str| {
        let output = Command::new("sh").args(["-c", line]).output().await.expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str::<Value>(&text).unwrap_or_else(|_| panic!("{line}: {output:?}"))
    };
    assert_eq!(run(lines[0]).await["token_type"], "Bearer");
    assert_eq!(run(lines[1]).await["Loan_ID"], 1);
    quickstart.stop().await;
}

#[tokio::test]
async fn an_empty_quickstart_has_only_users_and_setup_lists() {
    let folder = tempfile::tempdir().expect("a folder");
    let quickstart = Quickstart::start(PROGRAM, folder.path(), &["--empty"]).await;
    assert_eq!(quickstart.report["users"].get("web"), None);
    let (client, admin) = (quickstart.client(), quickstart.token("admin").await.expect("a token"));
    client.get(&admin, "/loans/1").await.expect_problem(404, "not-found");
    client.get(&admin, "/contacts/1").await.expect_problem(404, "not-found");
    let borrower = acceptance::seeds::borrower_with_loan(1, acceptance::seeds::PUBLISHED_TERMS);
    let file = acceptance::seeds::file(&borrower);
    let result = client.import(&admin, false, &file, None).await.expect(200).json();
    assert_eq!(result["Inserted"], 2, "{result}");
    let docs = client.get("", "/docs").await.expect(200);
    assert!(docs.text.contains("post_payment"));
    let auth_url = quickstart.report["auth_url"].as_str().expect("a URL");
    assert!(docs.text.contains(&format!("{auth_url}/oauth2/authorize")), "it can log in");
    quickstart.stop().await;
}

#[tokio::test]
async fn a_quickstart_that_cannot_start_prints_a_one_line_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let occupied = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = occupied.local_addr().expect("an address").port().to_string();
    let unreachable = "postgres://nobody@127.0.0.1:1/none";
    for (arguments, expected) in [
        (vec!["--api-port", port.as_str()], format!("cannot use port {port}")),
        (vec!["--dir", "/proc/nowhere"], "cannot use the folder /proc/nowhere".to_owned()),
        (vec!["--database-url", unreachable], "cannot use the database".to_owned()),
        (vec!["--database-url", "oracle://x"], "cannot use the database".to_owned()),
    ] {
        let mut command = Command::new(PROGRAM);
        command.args(["quickstart", "--auth-port", "0"]);
        if !arguments.contains(&"--api-port") {
            command.args(["--api-port", "0"]);
        }
        if !arguments.contains(&"--dir") {
            command.arg("--dir").arg(folder.path());
        }
        let output = command.args(&arguments).output().await.expect("a process");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(&expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_stays_as_it_is() {
    for database in Database::all() {
        let Database::Server(server) = &database else { continue };
        let maintenance = server.clone();
        let url = databases::create_empty(server).await;
        let db = database::connect(&url, 1).await.expect("a connection");
        let create = "CREATE TABLE somebodys (id int)";
        sea_orm::ConnectionTrait::execute_unprepared(&db, create).await.expect("created");
        for (url, reason) in [
            (&url, "it has tables of another program, such as somebodys"),
            (&maintenance, "is the server's own database"),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut quickstart = Command::new(PROGRAM);
            quickstart.arg("quickstart").arg("--dir").arg(folder.path());
            quickstart.args(["--auth-port", "0", "--api-port", "0", "--database-url", url]);
            let output = quickstart.output().await.expect("a process");
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && text.contains(reason), "{text}");
        }
        assert_eq!(tables(&db).await.expect("tables"), ["somebodys"]);
        db.close().await.expect("closed");
        database.drop(&url).await;
    }
}
