//! The wizard in a terminal, operated by key presses.

use super::{Machine, behind};
use crate::PROGRAM;
use acceptance::Database;
use acceptance::terminal::{Terminal, keys};
use url::Url;

/// Starts the wizard in a terminal, with the flags that keep it within the folder.
pub fn start(machine: &Machine) -> Terminal {
    let flags = machine.flags();
    // The wizard asks for the other values.
    let told = |flag: &&str| flag.starts_with("--dir") || flag.starts_with("--service-user");
    let flags: Vec<&str> = flags.iter().map(String::as_str).filter(told).collect();
    Terminal::start(PROGRAM, &[&["install"], flags.as_slice()].concat(), &[])
}

/// Answers the questions about the database, for this user.
fn answer_database(terminal: &mut Terminal, machine: &Machine, user: &str, password: &str) {
    const QUESTION: &str = "Which database?";
    let url = Url::parse(&machine.database_url).expect("a URL");
    match machine.database.name() {
        "sqlite" => {
            terminal.answer(QUESTION, &[keys::DOWN, keys::DOWN].concat());
            return terminal.answer("File of the database:", "");
        }
        "mysql" => terminal.answer(QUESTION, keys::DOWN),
        _ => terminal.answer(QUESTION, ""),
    }
    terminal.answer("Host:", url.host_str().expect("a host"));
    terminal.answer("Port:", &url.port().expect("a port").to_string());
    terminal.answer("Name of the database:", url.path().trim_start_matches('/'));
    terminal.answer("User:", user);
    terminal.answer("Password:", password);
}

/// User and password in the database's URL.
fn user(machine: &Machine) -> (String, String) {
    let url = Url::parse(&machine.database_url).expect("a URL");
    (url.username().to_owned(), url.password().unwrap_or_default().to_owned())
}

/// Answers all questions up to the certificates, with the embedded database.
pub fn answer_to_certificates(terminal: &mut Terminal, machine: &Machine) {
    terminal.answer("Folder for data:", &machine.path("data").display().to_string());
    answer_database(terminal, machine, "", "");
    answer_addresses(terminal, machine);
}

/// Answers all questions between the database and the certificates.
fn answer_addresses(terminal: &mut Terminal, machine: &Machine) {
    terminal.answer("Business time zone:", "");
    terminal.answer("Name of this machine:", "localhost");
    terminal.answer("Who connects to the servers?", keys::DOWN);
    terminal.answer("Port of the auth server:", &machine.auth_port.to_string());
    terminal.answer("Port of the api-server:", &machine.api_port.to_string());
    terminal.answer("Is a web server or a load balancer before them?", "");
    terminal.answer("Certificates:", "");
}

/// Answers all questions from after the database to the admin account's password.
fn answer_the_rest(terminal: &mut Terminal, machine: &Machine) {
    answer_addresses(terminal, machine);
    terminal.answer("Where are the files of documents kept?", "");
    terminal.answer("Their folder:", "");
    terminal.answer("Name of the admin account:", "boss");
    terminal.answer("Register a client for programs", "y");
    terminal.answer("Its id:", "");
    terminal.answer("Write units for systemd?", "n");
}

#[tokio::test]
async fn it_asks_checks_tells_does_and_verifies() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        let (user, password) = user(&machine);
        let mut terminal = start(&machine);
        let data = machine.path("data").display().to_string();
        terminal.answer("Folder for data:", &data);
        answer_database(&mut terminal, &machine, &user, &password);
        answer_the_rest(&mut terminal, &machine);
        // One that is easily guessed, then two that differ, then a good one.
        terminal.answer("Password of boss:", "short");
        terminal.wait_for("the password must have 8 characters or more");
        terminal.press(keys::CLEAR);
        terminal.answer("Password of boss:", "correct horse");
        terminal.answer("The same again:", "correct hose");
        terminal.wait_for("The two differ.");
        terminal.answer("Password of boss:", "correct horse");
        terminal.answer("The same again:", "correct horse");
        terminal.wait_for("This will be done:");
        assert!(!machine.path("etc").exists(), "nothing is done before it is confirmed");
        terminal.answer("Go on?", "y");
        terminal.wait_for("Installed.");
        let (status, screen) = terminal.ended();
        assert_eq!(status, 0, "{screen}");
        for said in ["20 of 20 checks hold", "the admin account boss", "make the schema in"] {
            assert!(screen.contains(said), "no {said:?} on\n{screen}");
        }
        assert!(!screen.contains("correct"), "no password is shown\n{screen}");
        let secret = behind(&screen, "the secret of the client integration:");
        machine.try_out("boss", "correct horse", secret).await;
        machine.remove().await;
    }
}

#[tokio::test]
async fn whoever_stops_it_has_changed_nothing() {
    let machine = Machine::new(&Database::Sqlite).await;
    for key in [keys::CTRL_C, keys::ESC] {
        let mut terminal = start(&machine);
        terminal.wait_for("Folder for data:");
        terminal.press(key);
        let (status, screen) = terminal.ended();
        assert_eq!(status, 1, "{screen}");
        assert!(screen.contains("stopped: nothing was done"), "{screen}");
    }
    let mut terminal = start(&machine);
    terminal.answer("Folder for data:", &machine.path("data").display().to_string());
    answer_database(&mut terminal, &machine, "", "");
    answer_the_rest(&mut terminal, &machine);
    terminal.answer("Password of boss:", "correct horse");
    terminal.answer("The same again:", "correct horse");
    terminal.answer("Go on?", "n");
    let (status, screen) = terminal.ended();
    assert_eq!(status, 1, "{screen}");
    assert!(screen.contains("nothing was done"), "{screen}");
    assert_eq!(machine.leftovers().await, [""; 0]);
}

#[tokio::test]
async fn a_database_that_cannot_be_used_is_asked_for_again() {
    for database in Database::all().into_iter().skip(1) {
        let machine = Machine::new(&database).await;
        let (user, password) = user(&machine);
        let mut terminal = start(&machine);
        terminal.answer("Folder for data:", &machine.path("data").display().to_string());
        answer_database(&mut terminal, &machine, "nobody_at_all", "wrong");
        terminal.wait_for("the database refuses the user \"nobody_at_all\" with this password");
        terminal.answer("Answer again?", "y");
        answer_database(&mut terminal, &machine, &user, &password);
        terminal.wait_for("? Business time zone:");
        terminal.press(keys::CTRL_C);
        let (status, screen) = terminal.ended();
        assert_eq!(status, 1, "{screen}");
        assert_eq!(machine.leftovers().await, [""; 0]);
        machine.remove().await;
    }
}

#[tokio::test]
async fn what_does_not_hold_in_the_end_is_answered_again_and_the_rest_confirmed() {
    let machine = Machine::new(&Database::Sqlite).await;
    let mut terminal = start(&machine);
    terminal.answer("Folder for data:", &machine.path("data").display().to_string());
    answer_database(&mut terminal, &machine, "", "");
    terminal.answer("Business time zone:", "Berlin");
    terminal.wait_for("no time zone is called \"Berlin\"");
    terminal.press(&keys::BACKSPACE.repeat("Berlin".len()));
    terminal.answer("Business time zone:", "Europe/Berlin");
    terminal.answer("Name of this machine:", "no.such.host.invalid");
    terminal.answer("Who connects to the servers?", keys::DOWN);
    terminal.answer("Port of the auth server:", &machine.auth_port.to_string());
    terminal.answer("Port of the api-server:", &machine.api_port.to_string());
    terminal.answer("Is a web server or a load balancer before them?", "");
    terminal.answer("Certificates:", "");
    terminal.answer("Where are the files of documents kept?", "");
    terminal.answer("Their folder:", "");
    terminal.answer("Name of the admin account:", "");
    terminal.answer("Register a client for programs", "y");
    terminal.answer("Its id:", "browser");
    terminal.wait_for("browser is a client of the servers themselves");
    terminal.press(&keys::BACKSPACE.repeat("browser".len()));
    terminal.answer("Its id:", "ours");
    terminal.answer("Write units for systemd?", "n");
    terminal.answer("Answer again?", "y");
    terminal.answer("Folder for data:", "");
    terminal.answer("Keep the database", "y");
    terminal.wait_for("(Europe/Berlin)");
    terminal.answer("Business time zone:", "");
    terminal.wait_for("(no.such.host.invalid)");
    terminal.answer("Name of this machine:", "localhost");
    terminal.answer("Who connects to the servers?", "");
    for question in ["Port of the auth server:", "Port of the api-server:"] {
        terminal.answer(question, "");
    }
    terminal.answer("Is a web server or a load balancer before them?", "n");
    terminal.answer("Certificates:", "");
    terminal.wait_for("as before, in");
    terminal.answer("Where are the files of documents kept?", "");
    terminal.answer("Name of the admin account:", "");
    terminal.answer("Register a client for programs", "n");
    terminal.answer("Write units for systemd?", "n");
    terminal.wait_for("10 of 10 checks hold");
    terminal.press(keys::CTRL_C);
    let (_, screen) = terminal.ended();
    let port = machine.auth_port;
    assert!(screen.contains(&format!("127.0.0.1:{port} is free")), "{screen}");
    assert_eq!(machine.leftovers().await, [""; 0]);
}

#[tokio::test]
async fn a_dry_run_asks_and_tells_and_does_nothing() {
    for database in Database::all() {
        let machine = Machine::new(&database).await;
        let (user, password) = user(&machine);
        let flags = machine.flags();
        let told = |flag: &&str| flag.starts_with("--dir") || flag.starts_with("--service-user");
        let flags: Vec<&str> = flags.iter().map(String::as_str).filter(told).collect();
        let arguments = [&["install", "--dry-run"], flags.as_slice()].concat();
        let mut terminal = Terminal::start(PROGRAM, &arguments, &[("TZ", "America/Chicago")]);
        terminal.answer("Folder for data:", &machine.path("data").display().to_string());
        answer_database(&mut terminal, &machine, &user, &password);
        answer_the_rest(&mut terminal, &machine);
        terminal.wait_for("Nothing was done (--dry-run).");
        let (status, screen) = terminal.ended();
        assert_eq!(status, 0, "{screen}");
        for said in ["the admin account boss", "set the business time zone to America/Chicago"] {
            assert!(screen.contains(said), "no {said:?} on\n{screen}");
        }
        assert!(!screen.contains("Password of boss"), "{screen}");
        assert_eq!(machine.leftovers().await, [""; 0]);
        machine.remove().await;
    }
}
