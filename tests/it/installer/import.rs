//! `installer import`. [`cut_short`] covers imports that end before their file does.

mod cut_short;

use super::{Said, command, file, run};
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
fn importing(world: &World, xml: &str, arguments: &[&str]) -> Command {
    let mut command = command(&["import", &file(world, "import.xml", xml)]);
    command.args(arguments).arg("--env-file").arg(world.folder.path().join("api-server.env"));
    command
}

async fn import(world: &World, xml: &str, arguments: &[&str]) -> Said {
    run(importing(world, xml, arguments)).await
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
async fn a_file_comes_in_once_and_the_report_is_told_again() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let before = world.snapshot().await;
        let tried = import(&world, WORKED_EXAMPLE, &["--test"]).await.done();
        let kept = "\ntest run: nothing was committed; everything would have been imported\n";
        assert_eq!(tried, format!("{TABLE}{kept}"));
        assert_eq!(world.snapshot().await, before);

        let done = import(&world, WORKED_EXAMPLE, &[]).await.done();
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
        let again = import(&world, WORKED_EXAMPLE, &[]).await.done();
        assert!(
            again.starts_with("this file was already imported within the last 24 hours"),
            "{again}"
        );
        assert!(again.ends_with(&format!("{TABLE}\ncommitted\n")), "{again}");
        assert_eq!(world.snapshot().await, after);
        let once_more = import(&world, WORKED_EXAMPLE, &["--key", "once more"]).await;
        assert_eq!(once_more.code, Some(1), "{}", once_more.output);
        assert!(once_more.output.ends_with("\nnothing was committed\n"), "{}", once_more.output);
        world
    })
    .await;
}

#[tokio::test]
async fn what_fails_is_named_with_its_line_and_the_status_is_1() {
    on_each_database(PROGRAM, |world| async move {
        let before = world.snapshot().await;
        let block = three_contacts("<Core CommitBlock=\"1\">");
        let tried = import(&world, &block, &["--test"]).await;
        assert_eq!(
            (tried.code, tried.error.as_str()),
            (Some(1), "import: 1 of 3 elements failed\n")
        );
        assert!(tried.output.ends_with("\ntest run: nothing was committed\n"), "{}", tried.output);
        assert_eq!(world.snapshot().await, before);
        let undone = import(&world, &block, &[]).await;
        assert_eq!(
            (undone.code, undone.error.as_str()),
            (Some(1), "import: 1 of 3 elements failed\n")
        );
        assert!(undone.output.ends_with("\nnothing was committed\n"), "{}", undone.output);
        assert_eq!(world.count("SELECT COUNT(*) FROM contacts").await, 0);

        let apart = import(&world, &three_contacts("<Core>"), &[]).await;
        assert_eq!(
            (apart.code, apart.error.as_str()),
            (Some(1), "import: 1 of 3 elements failed\n")
        );
        let lines: Vec<&str> = apart.output.lines().collect();
        assert_eq!(lines[1], "Contact  2         0        0        1       0", "{}", apart.output);
        assert_eq!(lines[4], "failed:", "{}", apart.output);
        assert!(lines[5].starts_with("line 3, Contact C-2: ContactTypeCode: "), "{}", lines[5]);
        assert_eq!(lines[7], "warnings:", "{}", apart.output);
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
async fn fifty_failures_are_named_and_all_are_counted() {
    on_each_database(PROGRAM, |world| async move {
        let many = format!("<Core>{}</Core>", "<Contact ContactNumber=\"C-1\"/>".repeat(62));
        let said = import(&world, &many, &[]).await;
        assert_eq!(said.error, "import: 62 of 62 elements failed\n");
        let named = said.output.lines().filter(|line| line.starts_with("line 1, Contact C-1: "));
        assert_eq!(named.count(), 50, "{}", said.output);
        assert!(said.output.contains("\nand 12 more: --json lists them all\n"), "{}", said.output);
        world
    })
    .await;
}

#[tokio::test]
async fn json_is_the_answer_of_the_api_which_goes_on_with_the_same_key() {
    on_each_database(PROGRAM, |world| async move {
        let database = world.database.clone();
        let other = World::new(PROGRAM, database, Environment::default()).await;
        world.define_fields().await;
        other.define_fields().await;
        let admin = other.token("admin").await;
        for xml in [WORKED_EXAMPLE.to_owned(), three_contacts("<Core>")] {
            let key = format!("key {}", xml.len());
            let response = other.client.import(&admin, false, &xml, Some(&key)).await.expect(200);
            let said = import(&world, &xml, &["--json", "--key", &key]).await;
            assert_eq!(said.output, response.text);
            // Each replays what the other did.
            let here = world.token("admin").await;
            let replayed = world.client.import(&here, false, &xml, Some(&key)).await.expect(200);
            assert_eq!(replayed.header("idempotency-replayed"), "true");
            assert_eq!(replayed.text, response.text);
            let said = import(&other, &xml, &["--json", "--key", &key]).await;
            assert_eq!(said.output, response.text);
            let first = said.error.lines().next().expect("a line");
            assert!(first.starts_with("import: this file was already imported within"), "{first}");
        }
        import(&world, "<Core/>", &["--key", &format!("key {}", WORKED_EXAMPLE.len())])
            .await
            .refused("the key was already used for another file");
        other.close().await;
        world
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_read_is_one_clear_line_and_nothing_is_done() {
    on_each_database(PROGRAM, |world| async move {
        let before = world.snapshot().await;
        for (xml, why) in [
            (
                "<Core>\n  <Contact ContactNumber=\"1\">\n  </Loan>\n</Core>",
                "import: line 3, column 3: ",
            ),
            ("<Core CommitBlock=\"yes\"/>", "import: line 1, column 1: CommitBlock must be 0 or 1"),
            ("", "import: line 1, column 1: "),
        ] {
            for arguments in [&[][..], &["--test"], &["--json"]] {
                import(&world, xml, arguments).await.refused(why);
            }
        }
        let large = file(&world, "large.xml", "<Core>");
        let handle = std::fs::File::options().write(true).open(&large).expect("a file");
        handle.set_len(1024 * 1024 * 1024 + 1).expect("a length");
        let folder = world.folder.path().display().to_string();
        let settings = world.folder.path().join("api-server.env");
        let settings = settings.to_str().expect("text");
        let elsewhere = std::fs::read_to_string(settings).expect("settings");
        let elsewhere = format!("{elsewhere}API_SPOOL_DIRECTORY=/no/such/folder\n");
        let elsewhere = file(&world, "elsewhere.env", &elsewhere);
        let sound = file(&world, "sound.xml", "<Core/>");
        for (name, env_file, why) in [
            (large.as_str(), settings, "import files must not exceed 1 GiB"),
            (folder.as_str(), settings, " is a folder"),
            ("/no/such/file", settings, "cannot read /no/such/file: "),
            (sound.as_str(), elsewhere.as_str(), "API_SPOOL_DIRECTORY: "),
            (sound.as_str(), "/no/such/settings", "cannot read /no/such/settings"),
        ] {
            run(command(&["import", name, "--env-file", env_file])).await.refused(why);
        }
        let mistyped = import(&world, "<Core/>", &["--key", "schlüssel"]).await;
        assert_eq!(mistyped.code, Some(2), "{}", mistyped.error);
        let both = import(&world, "<Core/>", &["--key", "k", "--test"]).await;
        assert_eq!(both.code, Some(2), "{}", both.error);
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}
