//! `installer import`. [`cut_short`] covers imports that end before their file does.

mod interrupted;

use super::{CommandOutput, command, file, run};
use crate::PROGRAM;
use acceptance::World;
use acceptance::on_each_database;
use acceptance::seeds::WORKED_EXAMPLE;
use acceptance::world::Environment;
use tokio::process::Command;

/// The report of a complete import.
const TABLE: &str = "\
element     inserted  updated  deleted  failed  rolled back
Contact     1         0        0        0       0
Comment     1         0        0        0       0
Loan        1         0        0        0       0
Collateral  1         0        0        0       0
Payment     3         0        0        0       0
total       7         0        0        0       0
";

/// The command for a file with this text, with the settings of this world's api-server.
fn import_command(world: &World, xml: &str, arguments: &[&str]) -> Command {
    let mut command = command(&["import", &file(world, "import.xml", xml)]);
    command.args(arguments).arg("--env-file").arg(world.folder.path().join("api-server.env"));
    command
}

async fn import(world: &World, xml: &str, arguments: &[&str]) -> CommandOutput {
    run(import_command(world, xml, arguments)).await
}

/// Three contacts, the second of which lacks required values.
fn three_contacts(root: &str) -> String {
    format!(
        "{root}\n<Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" \
         EntityCode=\"COMPANY\" Company=\"One\"/>\n\
         <Contact ContactNumber=\"C-2\" ContactTypeCode=\"NOBODY\"\n EntityCode=\"COMPANY\"/>\n\
         <Contact ContactNumber=\"C-3\" ContactTypeCode=\"BORROWER\" EntityCode=\"COMPANY\" \
         Company=\"Three\" ShoeSize=\"44\"/>\n</Core>"
    )
}

#[tokio::test]
async fn a_file_is_imported_once_and_its_report_replayed() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let before = world.snapshot().await;
        let test_run = import(&world, WORKED_EXAMPLE, &["--test"]).await.expect_success();
        let rolled_back =
            "\ntest run: nothing was committed; everything would have been imported\n";
        assert_eq!(test_run, format!("{TABLE}{rolled_back}"));
        assert_eq!(world.snapshot().await, before);

        let done = import(&world, WORKED_EXAMPLE, &[]).await.expect_success();
        assert_eq!(done, format!("{TABLE}\ncommitted\n"));
        let admin = world.token("admin").await;
        let loan_id = world.count("SELECT loan_id FROM loans").await;
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        assert_eq!(loan["Current_Principal_Balance"], "27015.86");
        assert_eq!(loan["Next_Due_Date"], "2024-05-15");
        world.client.log_in("web", "ana.rivera", "a long pass phrase").await.expect("a token");
        let sources = "SELECT DISTINCT source FROM field_changes";
        assert_eq!(world.texts(sources).await, ["xml"]);
        let by = "SELECT DISTINCT modified_by_name FROM field_changes";
        assert_eq!(world.texts(by).await, ["admin"]);

        let after = world.snapshot().await;
        let repeated = import(&world, WORKED_EXAMPLE, &[]).await.expect_success();
        assert!(
            repeated.starts_with("this file was already imported within the last 24 hours"),
            "{repeated}"
        );
        assert!(repeated.ends_with(&format!("{TABLE}\ncommitted\n")), "{repeated}");
        assert_eq!(world.snapshot().await, after);
        let once_more = import(&world, WORKED_EXAMPLE, &["--key", "once more"]).await;
        assert_eq!(once_more.code, Some(1), "{}", once_more.stdout);
        assert!(once_more.stdout.ends_with("\nnothing was committed\n"), "{}", once_more.stdout);
        world
    })
    .await;
}

#[tokio::test]
async fn failed_records_are_named_with_their_line_and_the_status_is_1() {
    on_each_database(PROGRAM, |world| async move {
        let before = world.snapshot().await;
        let block = three_contacts("<Core CommitBlock=\"1\">");
        let test_run = import(&world, &block, &["--test"]).await;
        assert_eq!(
            (test_run.code, test_run.stderr.as_str()),
            (Some(1), "import: 1 of 3 elements failed\n")
        );
        assert!(
            test_run.stdout.ends_with("\ntest run: nothing was committed\n"),
            "{}",
            test_run.stdout
        );
        assert_eq!(world.snapshot().await, before);
        let refused = import(&world, &block, &[]).await;
        assert_eq!(
            (refused.code, refused.stderr.as_str()),
            (Some(1), "import: 1 of 3 elements failed\n")
        );
        assert!(refused.stdout.ends_with("\nnothing was committed\n"), "{}", refused.stdout);
        assert_eq!(world.count("SELECT COUNT(*) FROM contacts").await, 0);

        let apart = import(&world, &three_contacts("<Core>"), &[]).await;
        assert_eq!(
            (apart.code, apart.stderr.as_str()),
            (Some(1), "import: 1 of 3 elements failed\n")
        );
        let lines: Vec<&str> = apart.stdout.lines().collect();
        assert_eq!(lines[1], "Contact  2         0        0        1       0", "{}", apart.stdout);
        assert_eq!(lines[4], "failed:", "{}", apart.stdout);
        assert!(lines[5].starts_with("line 3, Contact C-2: ContactTypeCode: "), "{}", lines[5]);
        assert_eq!(lines[7], "warnings:", "{}", apart.stdout);
        assert!(lines[8].starts_with("line 5, Contact C-3: ShoeSize: "), "{}", lines[8]);
        assert_eq!(
            *lines.last().expect("a line"),
            "committed, except for the records with failures"
        );
        assert_eq!(world.count("SELECT COUNT(*) FROM contacts").await, 2);
        world
    })
    .await;
}

#[tokio::test]
async fn the_first_fifty_failures_are_named_and_all_counted() {
    on_each_database(PROGRAM, |world| async move {
        let many = format!("<Core>{}</Core>", "<Contact ContactNumber=\"C-1\"/>".repeat(62));
        let output = import(&world, &many, &[]).await;
        assert_eq!(output.stderr, "import: 62 of 62 elements failed\n");
        let named = output.stdout.lines().filter(|line| line.starts_with("line 1, Contact C-1: "));
        assert_eq!(named.count(), 50, "{}", output.stdout);
        assert!(
            output.stdout.contains("\nand 12 more: --json lists them all\n"),
            "{}",
            output.stdout
        );
        world
    })
    .await;
}

#[tokio::test]
async fn json_output_is_the_apis_response_and_shares_its_key() {
    on_each_database(PROGRAM, |world| async move {
        let database = world.database.clone();
        let other = World::new(PROGRAM, database, Environment::default()).await;
        world.define_fields().await;
        other.define_fields().await;
        let admin = other.token("admin").await;
        for xml in [WORKED_EXAMPLE.to_owned(), three_contacts("<Core>")] {
            let key = format!("key {}", xml.len());
            let response = other.client.import(&admin, false, &xml, Some(&key)).await.expect(200);
            let output = import(&world, &xml, &["--json", "--key", &key]).await;
            assert_eq!(output.stdout, response.text);
            // Each replays what the other did.
            let token = world.token("admin").await;
            let replayed = world.client.import(&token, false, &xml, Some(&key)).await.expect(200);
            assert_eq!(replayed.header("idempotency-replayed"), "true");
            assert_eq!(replayed.text, response.text);
            let output = import(&other, &xml, &["--json", "--key", &key]).await;
            assert_eq!(output.stdout, response.text);
            let first = output.stderr.lines().next().expect("a line");
            assert!(first.starts_with("import: this file was already imported within"), "{first}");
        }
        import(&world, "<Core/>", &["--key", &format!("key {}", WORKED_EXAMPLE.len())])
            .await
            .expect_refusal("the key was already used for another file");
        other.close().await;
        world
    })
    .await;
}

#[tokio::test]
async fn unreadable_files_are_one_line_errors_and_import_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let before = world.snapshot().await;
        for (xml, expected) in [
            (
                "<Core>\n  <Contact ContactNumber=\"1\">\n  </Loan>\n</Core>",
                "import: line 3, column 3: ",
            ),
            ("<Core CommitBlock=\"yes\"/>", "import: line 1, column 1: CommitBlock must be 0 or 1"),
            ("", "import: line 1, column 1: "),
        ] {
            for arguments in [&[][..], &["--test"], &["--json"]] {
                import(&world, xml, arguments).await.expect_refusal(expected);
            }
        }
        let large = file(&world, "large.xml", "<Core>");
        let handle = std::fs::File::options().write(true).open(&large).expect("a file");
        handle.set_len(1024 * 1024 * 1024 + 1).expect("a length");
        let folder = world.folder.path().display().to_string();
        let settings = world.folder.path().join("api-server.env");
        let settings = settings.to_str().expect("text");
        let other_settings = std::fs::read_to_string(settings).expect("settings");
        let other_settings = format!("{other_settings}API_SPOOL_DIRECTORY=/no/such/folder\n");
        let other_settings = file(&world, "elsewhere.env", &other_settings);
        let valid_file = file(&world, "sound.xml", "<Core/>");
        for (name, env_file, expected) in [
            (large.as_str(), settings, "import files must not exceed 1 GiB"),
            (folder.as_str(), settings, " is a folder"),
            ("/no/such/file", settings, "cannot read /no/such/file: "),
            (valid_file.as_str(), other_settings.as_str(), "API_SPOOL_DIRECTORY: "),
            (valid_file.as_str(), "/no/such/settings", "cannot read /no/such/settings"),
        ] {
            run(command(&["import", name, "--env-file", env_file])).await.expect_refusal(expected);
        }
        let mistyped = import(&world, "<Core/>", &["--key", "schlüssel"]).await;
        assert_eq!(mistyped.code, Some(2), "{}", mistyped.stderr);
        let conflicting = import(&world, "<Core/>", &["--key", "k", "--test"]).await;
        assert_eq!(conflicting.code, Some(2), "{}", conflicting.stderr);
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}
