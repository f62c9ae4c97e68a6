//! Imports that end before their file does, and resume.

use super::{import, import_command};
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::servers::send_signal;
use acceptance::world::in_processes_on_each_database;
use acceptance::{World, on_each_database};
use api_server::audit::Actor;
use api_server::auth::caller::{Caller, RequestContext};
use api_server::xml_import::idempotent_import::{self, ImportClaim};
use api_server::xml_import::spool::pieces;
use api_server::xml_import::{Import, ImportMode};
use serde_json::{Value, json};
use shared::entity::field_changes::ChangeSource;
use shared::passwords::Passwords;
use shared::telemetry::RequestId;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::Child;
use tokio::time::sleep;

const COUNT: i64 = 300;
const POSTED: &str = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
const NOTED: &str = "SELECT COUNT(*) FROM import_records";
const CLAIMS: &str = "SELECT COUNT(*) FROM idempotency_records";

/// Payments of one cent, each a record of its own.
fn single_payments(root: &str) -> String {
    let payment = "<Transactions><Payment LoanNumber=\"L-1\" Amount=\"0.01\" \
         EffectiveDate=\"2024-01-01\"/></Transactions>";
    format!("{root}{}</Core>", payment.repeat(COUNT as usize))
}

async fn add_a_loan(world: &World) {
    let admin = world.token("admin").await;
    world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
}

fn start(world: &World, xml: &str, arguments: &[&str]) -> Child {
    let mut command = import_command(world, xml, arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process")
}

/// Waits until at least this many of the payments are posted.
async fn wait_until_posted(world: &World, least: i64) {
    while world.count(POSTED).await < least {
        sleep(Duration::from_millis(10)).await;
    }
}

/// Exit code and standard error of a command.
async fn wait_for_end(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().await.expect("an end");
    (output.status.code(), String::from_utf8(output.stderr).expect("text"))
}

fn signal_child(signal: &str, child: &Child) {
    send_signal(signal, &[child.id().expect("a process")]).expect("a signal");
}

#[tokio::test]
async fn a_killed_import_resumes_after_its_last_record() {
    on_each_database(PROGRAM, |world| async move {
        add_a_loan(&world).await;
        let payments = single_payments("<Core>");
        let mut first = start(&world, &payments, &[]);
        wait_until_posted(&world, 20).await;
        first.kill().await.expect("killed");
        let posted_so_far = world.count(POSTED).await;
        assert!((20..COUNT).contains(&posted_so_far), "{posted_so_far}");
        let interrupted_message = "was interrupted, and holds its key until ";
        import(&world, &payments, &["--wait-seconds", "0"])
            .await
            .expect_refusal(interrupted_message);

        let mut waiting = start(&world, &payments, &["--json"]);
        let mut printed = BufReader::new(waiting.stderr.take().expect("a pipe")).lines();
        let line = printed.next_line().await.expect("a line").expect("a line");
        assert!(line.contains("waiting for up to 900 seconds"), "{line}");
        assert_eq!(world.count(POSTED).await, posted_so_far, "the key is another one's");
        // A shortcut for waiting: the lease holds for a minute and no longer.
        world.age("idempotency_records", &["lease_until"], 60).await;
        let (mut error, mut rest) = (String::new(), printed.into_inner());
        let (output, read) =
            tokio::join!(waiting.wait_with_output(), rest.read_to_string(&mut error));
        let (output, _) = (output.expect("an end"), read.expect("text"));
        assert_eq!(output.status.code(), Some(0), "{error}");
        let response: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((&response["Inserted"], &response["Failed"]), (&json!(COUNT), &json!(0)));
        assert!(error.contains("records imported already: continuing after them"), "{error}");
        assert_eq!(world.count(POSTED).await, COUNT, "each record once");
        world
    })
    .await;
}

#[tokio::test]
async fn ctrl_c_ends_an_import_after_a_record_and_releases_its_key() {
    on_each_database(PROGRAM, |world| async move {
        add_a_loan(&world).await;
        let payments = single_payments("<Core>");
        for signal in ["INT", "TERM"] {
            let before = world.count(POSTED).await;
            let child = start(&world, &payments, &[]);
            wait_until_posted(&world, before + 20).await;
            signal_child(signal, &child);
            let (code, error) = wait_for_end(child).await;
            let done = world.count(POSTED).await;
            assert!((before + 20..COUNT).contains(&done), "{done}");
            assert_eq!(world.count(NOTED).await, done);
            let output = format!(
                "import: stopped; {done} records imported: the same command continues after them\n"
            );
            assert_eq!((code, error), (Some(1), output));
        }
        let done = import(&world, &payments, &["--wait-seconds", "0"]).await.expect_success();
        assert!(done.contains("records imported already: continuing after them\n"), "{done}");
        assert!(done.ends_with("\ncommitted\n"), "{done}");
        assert_eq!(world.count(POSTED).await, COUNT, "each record once");
        world
    })
    .await;
}

#[tokio::test]
async fn ctrl_c_rolls_back_an_unfinished_block() {
    on_each_database(PROGRAM, |world| async move {
        add_a_loan(&world).await;
        let block = single_payments("<Core CommitBlock=\"1\">");
        let before = world.snapshot().await;
        let child = start(&world, &block, &[]);
        while world.count(CLAIMS).await < 1 {
            sleep(Duration::from_millis(5)).await;
        }
        signal_child("INT", &child);
        let (code, error) = wait_for_end(child).await;
        let output = "import: stopped; nothing was committed, because the file is one block: the \
                    same command starts over\n";
        assert_eq!((code, error.as_str()), (Some(1), output));
        assert_eq!(world.snapshot().await, before);
        assert!(import(&world, &block, &[]).await.expect_success().ends_with("\ncommitted\n"));
        assert_eq!(world.count(POSTED).await, COUNT);
        world
    })
    .await;
}

#[tokio::test]
async fn the_command_resumes_an_import_of_the_api_server_and_vice_versa() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        add_a_loan(&world).await;
        let payments = single_payments("<Core>");
        let admin = world.token("admin").await;
        let (client, token, sent) = (world.client.clone(), admin.clone(), payments.clone());
        let sending = tokio::spawn(async move {
            let path = "/core/xml-import?test=false";
            let request = client.request(reqwest::Method::POST, &token, path);
            let request = request.header("content-type", "application/xml");
            client.send(request.header("Idempotency-Key", "k").body(sent)).await
        });
        wait_until_posted(&world, 20).await;
        world.api.kill().await;
        assert!(sending.await.expect("a task").is_err(), "no answer came");
        let http = world.client.http.clone();
        world.api.restart(&http).await;
        world.age("idempotency_records", &["lease_until"], 600).await;
        let before = world.count(POSTED).await;
        let child = start(&world, &payments, &["--key", "k"]);
        wait_until_posted(&world, before + 20).await;
        signal_child("INT", &child);
        let (code, error) = wait_for_end(child).await;
        assert_eq!(code, Some(1), "{error}");
        let posted_so_far = world.count(POSTED).await;
        assert!((before + 20..COUNT).contains(&posted_so_far), "{posted_so_far}");
        let remaining = world.client.import(&admin, false, &payments, Some("k")).await.expect(200);
        assert_eq!(
            (&remaining.json()["Inserted"], &remaining.json()["Failed"]),
            (&json!(COUNT), &json!(0))
        );
        assert_eq!(world.count(POSTED).await, COUNT, "each record once");
        let refused = import(&world, &payments, &["--key", "k", "--json"]).await;
        assert_eq!((refused.code, refused.stdout), (Some(0), remaining.text));
        world
    })
    .await;
}

/// The lease of one second is renewed every tenth of a second, while the record has its claim's row
/// locked.
#[tokio::test]
async fn an_import_is_not_blocked_by_its_own_claim() {
    on_each_database(PROGRAM, |world| async move {
        add_a_loan(&world).await;
        let payment = "<Payment LoanNumber=\"L-1\" Amount=\"0.01\" EffectiveDate=\"2024-01-01\"/>";
        let long = format!("{payment}{}", " ".repeat(10_000)).repeat(150);
        let xml = format!("<Core><Transactions>{long}</Transactions></Core>");
        let admin = Caller::admin(&world.db, 1, "admin").await.expect("a caller");
        let RequestContext { caller, clock } = &admin;
        let author = Actor::new(caller, ChangeSource::Xml, &RequestId::random());
        let passwords = Passwords::recommended().expect("a hash");
        let folder = world.folder.path();
        let scope = idempotent_import::scope(caller, "k", b"a hash");
        let started =
            idempotent_import::begin(&world.db, &scope, 1, folder).await.expect("a claim");
        let ImportClaim::New(claim) = started else { panic!("it is done already") };
        let import = Import::new(caller, author, &passwords, *clock, true, folder);
        let mode = ImportMode { test: false, block: false, enforce: true };
        let pieces = pieces(std::io::Cursor::new(xml.into_bytes()));
        let response =
            idempotent_import::carry_out(&world.db, import, mode, pieces, Some(&claim)).await;
        assert_eq!(response.expect("a response").totals.inserted, 150);
        world
    })
    .await;
}
