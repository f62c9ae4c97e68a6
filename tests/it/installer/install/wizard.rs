//! The wizard in a terminal, operated by key presses.

use super::{TestMachine, text_after};
use crate::PROGRAM;
use acceptance::Database;
use acceptance::terminal::{Terminal, keys};
use url::Url;

/// Starts the wizard in a terminal, with the flags that keep it within the folder.
pub fn start(machine: &TestMachine) -> Terminal {
    let flags = machine.flags();
    // The wizard asks for the other values.
    let message = |flag: &&str| flag.starts_with("--dir") || flag.starts_with("--service-user");
    let flags: Vec<&str> = flags.iter().map(String::as_str).filter(message).collect();
    Terminal::start(PROGRAM, &[&["install"], flags.as_slice()].concat(), &[])
}

/// Answers the questions about the database, for this user.
fn answer_database(terminal: &mut Terminal, machine: &TestMachine, user: &str, password: &str) {
    const QUESTION: &str = "Which database?";
    let url = Url::parse(&machine.database_url).expect("a URL");
    match machine.database.name() {
        "sqlite" => {
            terminal.answer(QUESTION, &[keys::DOWN, keys::DOWN].concat());
            return terminal.answer("Database file:", "");
        }
        "mysql" => terminal.answer(QUESTION, keys::DOWN),
        _ => terminal.answer(QUESTION, ""),
    }
    terminal.answer("Host:", url.host_str().expect("a host"));
    terminal.answer("Port:", &url.port().expect("a port").to_string());
    terminal.answer("Database name:", url.path().trim_start_matches('/'));
    terminal.answer("User:", user);
    terminal.answer("Password:", password);
}

/// User and password in the database's URL.
fn user(machine: &TestMachine) -> (String, String) {
    let url = Url::parse(&machine.database_url).expect("a URL");
    (url.username().to_owned(), url.password().unwrap_or_default().to_owned())
}

/// Answers all questions up to the certificates, with the embedded database.
pub fn answer_up_to_certificates(terminal: &mut Terminal, machine: &TestMachine) {
    terminal.answer("Folder for data:", &machine.path("data").display().to_string());
    answer_database(terminal, machine, "", "");
    answer_addresses(terminal, machine);
}

/// Answers all questions between the database and the certificates.
fn answer_addresses(terminal: &mut Terminal, machine: &TestMachine) {
    terminal.answer("Business time zone:", "");
    terminal.answer("Host name of this machine:", "localhost");
    terminal.answer("Who connects to the servers?", keys::DOWN);
    terminal.answer("Port of the auth server:", &machine.auth_port.to_string());
    terminal.answer("Port of the api-server:", &machine.api_port.to_string());
    terminal.answer("Is there a web server or load balancer in front of the servers?", "");
    terminal.answer("Certificates:", "");
}

/// Answers all questions from after the database to the admin account's password.
fn answer_the_rest(terminal: &mut Terminal, machine: &TestMachine) {
    answer_addresses(terminal, machine);
    terminal.answer("Where should documents be stored?", "");
    terminal.answer("Document folder:", "");
    terminal.answer("Name of the admin account:", "boss");
    terminal.answer("Register a client for programs", "y");
    terminal.answer("Client id:", "");
}

#[tokio::test]
async fn the_wizard_asks_checks_shows_the_plan_installs_and_verifies() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        let (user, password) = user(&machine);
        let mut terminal = start(&machine);
        let data = machine.path("data").display().to_string();
        terminal.answer("Folder for data:", &data);
        answer_database(&mut terminal, &machine, &user, &password);
        answer_the_rest(&mut terminal, &machine);
        // One that is easily guessed, then two that differ, then a good one.
        terminal.answer("Password for boss:", "short");
        terminal.wait_for("the password must have 8 characters or more");
        terminal.press(keys::CLEAR);
        terminal.answer("Password for boss:", "correct horse");
        terminal.answer("Repeat the password:", "correct hose");
        terminal.wait_for("The passwords do not match.");
        terminal.answer("Password for boss:", "correct horse");
        terminal.answer("Repeat the password:", "correct horse");
        terminal.wait_for("The installer will:");
        assert!(!machine.path("etc").exists(), "nothing is done before it is confirmed");
        terminal.answer("Continue?", "y");
        terminal.wait_for("Installed.");
        let (status, screen) = terminal.wait_for_end();
        assert_eq!(status, 0, "{screen}");
        for output in ["21 of 21 checks passed", "the admin account boss", "create the schema in"] {
            assert!(screen.contains(output), "no {output:?} on\n{screen}");
        }
        assert!(!screen.contains("correct"), "no password is shown\n{screen}");
        let secret = text_after(&screen, "the secret of the client integration:");
        machine.check_works("boss", "correct horse", secret).await;
        machine.remove().await;
    }
}

#[tokio::test]
async fn cancelling_the_wizard_changes_nothing() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    for key in [keys::CTRL_C, keys::ESC] {
        let mut terminal = start(&machine);
        terminal.wait_for("Folder for data:");
        terminal.press(key);
        let (status, screen) = terminal.wait_for_end();
        assert_eq!(status, 1, "{screen}");
        assert!(screen.contains("stopped: nothing was changed"), "{screen}");
    }
    let mut terminal = start(&machine);
    terminal.answer("Folder for data:", &machine.path("data").display().to_string());
    answer_database(&mut terminal, &machine, "", "");
    answer_the_rest(&mut terminal, &machine);
    terminal.answer("Password for boss:", "correct horse");
    terminal.answer("Repeat the password:", "correct horse");
    terminal.answer("Continue?", "n");
    let (status, screen) = terminal.wait_for_end();
    assert_eq!(status, 1, "{screen}");
    assert!(screen.contains("nothing was changed"), "{screen}");
    assert_eq!(machine.leftovers().await, [""; 0]);
}

#[tokio::test]
async fn an_unusable_database_is_asked_for_again() {
    for database in Database::all().into_iter().skip(1) {
        let machine = TestMachine::new(&database).await;
        let (user, password) = user(&machine);
        let mut terminal = start(&machine);
        terminal.answer("Folder for data:", &machine.path("data").display().to_string());
        answer_database(&mut terminal, &machine, "nobody_at_all", "wrong");
        terminal.wait_for("the database rejects the user \"nobody_at_all\" with this password");
        terminal.answer("Answer again?", "y");
        answer_database(&mut terminal, &machine, &user, &password);
        terminal.wait_for("? Business time zone:");
        terminal.press(keys::CTRL_C);
        let (status, screen) = terminal.wait_for_end();
        assert_eq!(status, 1, "{screen}");
        assert_eq!(machine.leftovers().await, [""; 0]);
        machine.remove().await;
    }
}

#[tokio::test]
async fn answers_that_fail_the_final_checks_are_asked_again() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let mut terminal = start(&machine);
    terminal.answer("Folder for data:", &machine.path("data").display().to_string());
    answer_database(&mut terminal, &machine, "", "");
    terminal.answer("Business time zone:", "Berlin");
    terminal.wait_for("unknown time zone \"Berlin\"");
    terminal.press(&keys::BACKSPACE.repeat("Berlin".len()));
    terminal.answer("Business time zone:", "Europe/Berlin");
    terminal.answer("Host name of this machine:", "no.such.host.invalid");
    terminal.answer("Who connects to the servers?", keys::DOWN);
    terminal.answer("Port of the auth server:", &machine.auth_port.to_string());
    terminal.answer("Port of the api-server:", &machine.api_port.to_string());
    terminal.answer("Is there a web server or load balancer in front of the servers?", "");
    terminal.answer("Certificates:", "");
    terminal.answer("Where should documents be stored?", "");
    terminal.answer("Document folder:", "");
    terminal.answer("Name of the admin account:", "");
    terminal.answer("Register a client for programs", "y");
    terminal.answer("Client id:", "browser");
    terminal.wait_for("the client id browser is reserved for the servers");
    terminal.press(&keys::BACKSPACE.repeat("browser".len()));
    terminal.answer("Client id:", "ours");
    terminal.answer("Answer again?", "y");
    terminal.answer("Folder for data:", "");
    terminal.answer("Keep the database", "y");
    terminal.wait_for("(Europe/Berlin)");
    terminal.answer("Business time zone:", "");
    terminal.wait_for("(no.such.host.invalid)");
    terminal.answer("Host name of this machine:", "localhost");
    terminal.answer("Who connects to the servers?", "");
    for question in ["Port of the auth server:", "Port of the api-server:"] {
        terminal.answer(question, "");
    }
    terminal.answer("Is there a web server or load balancer in front of the servers?", "n");
    terminal.answer("Certificates:", "");
    terminal.wait_for("as before, in");
    terminal.answer("Where should documents be stored?", "");
    terminal.answer("Name of the admin account:", "");
    terminal.answer("Register a client for programs", "n");
    terminal.wait_for("10 of 10 checks passed");
    terminal.press(keys::CTRL_C);
    let (_, screen) = terminal.wait_for_end();
    let port = machine.auth_port;
    assert!(screen.contains(&format!("127.0.0.1:{port} is free")), "{screen}");
    assert_eq!(machine.leftovers().await, [""; 0]);
}

#[tokio::test]
async fn a_wizard_dry_run_shows_the_plan_and_changes_nothing() {
    for database in Database::all() {
        let machine = TestMachine::new(&database).await;
        let (user, password) = user(&machine);
        let flags = machine.flags();
        let message = |flag: &&str| flag.starts_with("--dir") || flag.starts_with("--service-user");
        let flags: Vec<&str> = flags.iter().map(String::as_str).filter(message).collect();
        let arguments = [&["install", "--dry-run"], flags.as_slice()].concat();
        let mut terminal = Terminal::start(PROGRAM, &arguments, &[("TZ", "America/Chicago")]);
        terminal.answer("Folder for data:", &machine.path("data").display().to_string());
        answer_database(&mut terminal, &machine, &user, &password);
        answer_the_rest(&mut terminal, &machine);
        terminal.wait_for("Dry run: nothing was changed.");
        let (status, screen) = terminal.wait_for_end();
        assert_eq!(status, 0, "{screen}");
        for output in ["the admin account boss", "set the business time zone to America/Chicago"] {
            assert!(screen.contains(output), "no {output:?} on\n{screen}");
        }
        assert!(!screen.contains("Password for boss"), "{screen}");
        assert_eq!(machine.leftovers().await, [""; 0]);
        machine.remove().await;
    }
}
