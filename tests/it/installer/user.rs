//! `installer user`

use super::{
    add_session, audit, borrower, command, everything, file, installer, sessions, user_id,
};
use crate::PROGRAM;
use acceptance::{World, on_each_database};
use serde_json::Value;
use shared::entity::log_in_failures;
use shared::introspection::UserKind;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

/// Fails the test unless the api-server accepts the token, or rejects it, at this very moment.
async fn alive(world: &World, token: &str, expected: bool) {
    let response = world.client.get(token, "/loans/1").await;
    match expected {
        true => assert!([403, 404].contains(&response.status.as_u16()), "{}", response.text),
        false => drop(response.expect_problem(401, "token-invalid")),
    }
}

async fn log_in(world: &World, scope: &str, name: &str, word: &str) -> Option<String> {
    world.client.log_in(scope, name, word).await.ok()
}

#[tokio::test]
async fn names_that_look_like_another_users_are_refused() {
    on_each_database(PROGRAM, |world| async move {
        installer(&world, &["user", "add", "jo.smith", "--generate"]).await.done();
        for (name, why) in [
            ("jo.smith", "the user jo.smith already exists"),
            ("Jo.Smith", "already has a name that looks like this one"),
            ("j\u{43e}.smith", "already has a name that looks like this one"),
            ("jo\u{200b}.smith", "no control or invisible character"),
            ("o\u{308}zil", "composed form"),
        ] {
            let said = installer(&world, &["user", "add", name, "--generate"]).await;
            assert!(said.error.contains(why), "{name:?}: {}", said.error);
            assert_eq!(said.code, Some(1));
        }
        let word = file(&world, "word", "my Ann.Miller 1\n");
        let said = ["user", "add", "ann.miller", "--password-file", &word];
        let said = installer(&world, &said).await;
        assert!(said.error.contains("must not contain the user's name"), "{}", said.error);
        world
    })
    .await;
}

#[tokio::test]
async fn a_user_who_was_added_logs_in_and_may_do_what_he_was_granted() {
    on_each_database(PROGRAM, |world| async move {
        let word = file(&world, "word", "correct horse battery\n");
        let words = [
            "user",
            "add",
            "jo",
            "--full-name",
            "Jo Smith",
            "--email",
            "jo@example.com",
            "--loan-officer",
            "--privilege",
            "Loan:View",
            "Loan > Payments:Add",
            "Loan:View",
            "--password-file",
            &word,
        ];
        assert_eq!(installer(&world, &words).await.done(), "user jo added\n");
        let token = log_in(&world, "core", "jo", "correct horse battery").await.expect("a token");
        world.client.get(&token, "/loans/1").await.expect_problem(404, "not-found");
        world.client.get(&token, "/contacts/1").await.expect_problem(403, "privilege-missing");
        let jo = user_id(&world, "jo").await;
        let flags = "loan_officer_flag AND NOT (admin_flag OR dba_flag OR contact_officer_flag)";
        let row = format!("SELECT COUNT(*) FROM users WHERE user_id = {jo} AND {flags}");
        assert_eq!(world.count(&row).await, 1);
        let grants = format!("SELECT COUNT(*) FROM privilege_grants WHERE user_id = {jo}");
        assert_eq!(world.count(&grants).await, 2);

        let made = installer(&world, &["user", "add", "root2", "--admin", "--generate"]).await;
        let made = made.done();
        let word = made.lines().find_map(|line| line.strip_prefix("password  "));
        let token = log_in(&world, "core", "root2", word.expect("a password")).await;
        world.client.get(&token.expect("a token"), "/contacts/1").await.expect(404);
        assert_eq!(audit(&world, &["--event", "user_added"]).await.len(), 2);
        assert_eq!(audit(&world, &["--user", "jo", "--event", "user_added"]).await.len(), 1);
        let said = installer(&world, &["audit", "--json"]).await.done();
        assert!(!said.contains(word.expect("a password")) && !said.contains("argon2"), "{said}");
        world
    })
    .await;
}

/// Live tokens of the core-system user `viewer`, of the borrower `one`, and of another user.
struct Tokens {
    core: String,
    web: String,
    other: String,
}

impl Tokens {
    async fn issue(world: &World, web_word: &str) -> Self {
        let web = log_in(world, "web", "one", web_word).await.expect("a token");
        Self { core: world.token("viewer").await, web, other: world.token("teller").await }
    }

    async fn expect(&self, world: &World, core: bool, web: bool, other: bool) {
        alive(world, &self.core, core).await;
        alive(world, &self.web, web).await;
        alive(world, &self.other, other).await;
    }
}

#[tokio::test]
async fn whoever_is_disabled_is_logged_out_at_once_and_stays_out_until_he_is_enabled() {
    on_each_database(PROGRAM, |world| async move {
        let contact_id = borrower(&world).await;
        let (viewer, word) = (user_id(&world, "viewer").await, world.credentials.viewer.clone());
        let tokens = Tokens::issue(&world, "first words").await;
        add_session(&world, "viewer", "core", viewer, "browser").await;
        add_session(&world, "one", "web", contact_id, "browser").await;
        tokens.expect(&world, true, true, true).await;
        let said = installer(&world, &["user", "disable", "viewer"]).await.done();
        assert_eq!(said, "user viewer disabled; tokens revoked: 1\n");
        tokens.expect(&world, false, true, true).await;
        assert_eq!(sessions(&world).await, [1, 1, 1]);
        assert_eq!(log_in(&world, "core", "viewer", &word).await, None);
        let said = installer(&world, &["user", "disable", "one", "--web"]).await.done();
        assert_eq!(said, "web user one disabled; tokens revoked: 1\n");
        tokens.expect(&world, false, false, true).await;
        assert_eq!(sessions(&world).await, [0, 0, 0]);
        assert_eq!(log_in(&world, "web", "one", "first words").await, None);
        installer(&world, &["user", "enable", "viewer"]).await.done();
        installer(&world, &["user", "enable", "one", "--web"]).await.done();
        tokens.expect(&world, false, false, true).await;
        let again = Tokens::issue(&world, "first words").await;
        again.expect(&world, true, true, true).await;
        let by_installer = ["--event", "user_disabled", "user_enabled"];
        let events = audit(&world, &[&["--user", "viewer"], &by_installer[..]].concat()).await;
        assert_eq!(events, ["user_disabled -", "user_enabled -"]);
        let events =
            audit(&world, &[&["--user", "one", "--web"], &by_installer[..]].concat()).await;
        assert_eq!(events, ["user_disabled -", "user_enabled -"]);
        world
    })
    .await;
}

#[tokio::test]
async fn another_password_ends_every_session_of_the_old_one() {
    on_each_database(PROGRAM, |world| async move {
        let contact_id = borrower(&world).await;
        let viewer = user_id(&world, "viewer").await;
        let tokens = Tokens::issue(&world, "first words").await;
        add_session(&world, "viewer", "core", viewer, "browser").await;
        add_session(&world, "one", "web", contact_id, "browser").await;
        let word = file(&world, "word", "a better word");
        let set = |name: &'static str, more: &[&'static str]| {
            let word = word.clone();
            let words = [&["user", "password", name, "--password-file"][..]].concat();
            let words = words.into_iter().map(str::to_owned).chain([word]);
            words.chain(more.iter().map(|word| (*word).to_owned())).collect::<Vec<_>>()
        };
        let run = async |words: Vec<String>| {
            installer(&world, &words.iter().map(String::as_str).collect::<Vec<_>>()).await
        };
        run(set("viewer", &[])).await.done();
        tokens.expect(&world, false, true, true).await;
        assert_eq!(sessions(&world).await, [1, 1, 1]);
        run(set("one", &["--web"])).await.done();
        tokens.expect(&world, false, false, true).await;
        assert_eq!(sessions(&world).await, [0, 0, 0]);
        let old = world.credentials.viewer.clone();
        assert_eq!(log_in(&world, "core", "viewer", &old).await, None);
        assert_eq!(log_in(&world, "web", "one", "first words").await, None);
        assert!(log_in(&world, "core", "viewer", "a better word").await.is_some());
        assert!(log_in(&world, "web", "one", "a better word").await.is_some());
        assert_eq!(audit(&world, &["--event", "password_changed"]).await.len(), 2);
        for words in [&["audit"][..], &["audit", "--json"]] {
            let said = installer(&world, words).await.done();
            assert!(!said.contains("better") && !said.contains("argon2"), "{said}");
        }
        world.sql("DELETE FROM user_credentials").await;
        run(set("teller", &[])).await.done();
        assert!(log_in(&world, "core", "teller", "a better word").await.is_some());
        world
    })
    .await;
}

#[tokio::test]
async fn logging_out_ends_the_sessions_of_one_or_of_everybody() {
    on_each_database(PROGRAM, |world| async move {
        let contact_id = borrower(&world).await;
        let viewer = user_id(&world, "viewer").await;
        let tokens = Tokens::issue(&world, "first words").await;
        add_session(&world, "viewer", "core", viewer, "browser").await;
        add_session(&world, "one", "web", contact_id, "browser").await;
        installer(&world, &["user", "log-out", "viewer"]).await.done();
        tokens.expect(&world, false, true, true).await;
        installer(&world, &["user", "log-out", "one", "--web"]).await.done();
        tokens.expect(&world, false, false, true).await;
        assert_eq!(sessions(&world).await, [0, 0, 0]);
        let again = Tokens::issue(&world, "first words").await;
        add_session(&world, "viewer", "core", viewer, "browser").await;
        world.sql("UPDATE authorization_requests SET user_id = NULL").await;
        again.expect(&world, true, true, true).await;
        installer(&world, &["user", "log-out", "--all"]).await.done();
        again.expect(&world, false, false, false).await;
        assert_eq!(sessions(&world).await, [0, 0, 1], "an open log-in page is nobody's");
        let events = audit(&world, &["--event", "logged_out"]).await;
        assert_eq!(events, ["logged_out administrator"; 3]);
        Tokens::issue(&world, "first words").await.expect(&world, true, true, true).await;
        world
    })
    .await;
}

#[tokio::test]
async fn unlocking_forgets_the_failures_of_one_user() {
    on_each_database(PROGRAM, |world| async move {
        borrower(&world).await;
        let at = world.long_ago();
        for subject in [
            log_in_failures::account(UserKind::Core, "viewer"),
            log_in_failures::account(UserKind::Core, "teller"),
            log_in_failures::account(UserKind::Web, "one"),
        ] {
            let row = format!("INSERT INTO log_in_failures VALUES ('{subject}', 9, {at}, {at})");
            world.sql(&row).await;
        }
        let failures = async || world.count("SELECT COUNT(*) FROM log_in_failures").await;
        let said = installer(&world, &["user", "unlock", "viewer"]).await.done();
        assert!(said.starts_with("user viewer unlocked"), "{said}");
        assert_eq!(failures().await, 2);
        let before = everything(&world).await;
        let said = installer(&world, &["user", "unlock", "viewer"]).await.done();
        assert!(said.starts_with("user viewer was not locked"), "{said}");
        assert_eq!(everything(&world).await, before);
        installer(&world, &["user", "unlock", "one", "--web"]).await.done();
        assert_eq!(failures().await, 1);
        let unlocked = audit(&world, &["--event", "unlocked"]).await;
        assert_eq!(unlocked, ["unlocked -", "unlocked -"]);
        world
    })
    .await;
}

#[tokio::test]
async fn what_is_refused_changes_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let tokens = (borrower(&world).await, Tokens::issue(&world, "first words").await).1;
        let good = file(&world, "good", "correct horse");
        let short = file(&world, "short", "1234567\n");
        let long = file(&world, "long", &"x".repeat(1025));
        let name = file(&world, "name", "Longer.Name\n");
        let before = everything(&world).await;
        for (words, why) in [
            (&["add", "viewer", "--generate"][..], "the user viewer already exists"),
            (&["add", "jo", "--web", "--generate"], "by import"),
            (&["add", "jo", "--email", "nowhere", "--generate"], "an address"),
            (
                &["add", "jo", "--privilege", "Loan:Fly", "--generate"],
                "no such privilege: \"Loan:Fly\"",
            ),
            (&["add", "jo", "--privilege", "Loan", "--generate"], "no such privilege: \"Loan\""),
            (&["add", "longer.name", "--password-file", &name], "must not contain the user's name"),
            (&["add", "jo", "--password-file", &short], "8 characters"),
            (&["add", "jo"], "no terminal"),
            (&["password", "viewer"], "no terminal"),
            (&["password", "viewer", "--password-file", &short], "8 characters"),
            (&["password", "viewer", "--password-file", &long], "1024 bytes"),
            (&["password", "viewer", "--password-file", "/no/such/file"], "cannot read"),
            (&["password", "one", "--password-file", &good], "no such user: one"),
            (&["password", "viewer", "--web", "--generate"], "no such web user: viewer"),
            (&["disable", "nobody"], "no such user: nobody"),
            (&["disable", "Viewer"], "no such user: Viewer"),
            (&["enable", "nobody"], "no such user: nobody"),
            (&["unlock", "nobody"], "no such user: nobody"),
            (&["unlock", "nobody", "--web"], "no such web user: nobody"),
            (&["log-out", "one"], "no such user: one"),
        ] {
            installer(&world, &[&["user"], words].concat()).await.refused(why);
        }
        for words in [&["log-out"][..], &["log-out", "viewer", "--all"], &["password", "a", "b"]] {
            let said = installer(&world, &[&["user"], words].concat()).await;
            assert_eq!(said.code, Some(2), "{}", said.error);
        }
        let nobody = installer(&world, &["user", "log-out"]).await;
        assert!(nobody.error.contains("<NAME|--all>"), "{}", nobody.error);
        assert_eq!(everything(&world).await, before);
        tokens.expect(&world, true, true, true).await;
        world
    })
    .await;
}

/// Runs a command on a terminal and types a line at each of its prompts. Returns the final screen.
async fn type_in(world: &World, arguments: &str, prompts: [(&str, &str); 2]) -> String {
    let env_file = world.folder.path().join("auth-server.env");
    let typed = format!("{PROGRAM} {arguments} --env-file {}", env_file.display());
    let mut script = Command::new("script");
    script.args(["-qec", &typed, "/dev/null"]).env_remove("AUTH_DATABASE_URL");
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut script = script.spawn().expect("a terminal");
    let mut input = script.stdin.take().expect("input");
    let mut output = script.stdout.take().expect("output");
    let mut shown = Vec::new();
    for (prompt, line) in prompts {
        while !shown.ends_with(prompt.as_bytes()) {
            assert!(output.read_buf(&mut shown).await.expect("output") > 0, "{shown:?}");
        }
        // Input before echo is switched off would be discarded.
        sleep(Duration::from_secs(1)).await;
        input.write_all(format!("{line}\n").as_bytes()).await.expect("typed");
    }
    output.read_to_end(&mut shown).await.expect("output");
    String::from_utf8(shown).expect("text")
}

#[tokio::test]
async fn on_a_terminal_the_password_is_asked_for_twice_and_never_shown() {
    if Command::new("script").arg("--version").output().await.is_err() {
        println!("skipped: script is not installed");
        return;
    }
    on_each_database(PROGRAM, |world| async move {
        let type_in = async |first: &str, second: &str| {
            let prompts = [("New password: ", first), ("Repeat the password: ", second)];
            let shown = type_in(&world, "user password viewer", prompts);
            timeout(Duration::from_secs(60), shown).await.expect("in time")
        };
        let differs = type_in("typed in secret", "typed in secre").await;
        assert!(differs.contains("the passwords do not match"), "{differs}");
        let old = world.credentials.viewer.clone();
        assert!(log_in(&world, "core", "viewer", &old).await.is_some());
        let shown = type_in("typed in secret", "typed in secret").await;
        assert!(shown.contains("user viewer has a new password"), "{shown}");
        assert!(!shown.contains("typed") && !differs.contains("typed"), "{shown}{differs}");
        assert!(log_in(&world, "core", "viewer", "typed in secret").await.is_some());
        world
    })
    .await;
}

#[tokio::test]
async fn whoever_gave_the_command_is_in_the_audit() {
    on_each_database(PROGRAM, |world| async move {
        installer(&world, &["user", "log-out", "viewer"]).await.done();
        let mut by_sudo = command(&["user", "log-out", "viewer"]);
        by_sudo.env("SUDO_USER", "jo").args(["--database-url", &world.database_url]);
        super::run(by_sudo).await.done();
        let mut by_nobody = command(&["user", "log-out", "viewer"]);
        by_nobody.env_remove("USER").env_remove("LOGNAME");
        by_nobody.args(["--database-url", &world.database_url]);
        super::run(by_nobody).await.done();
        let lines = installer(&world, &["audit", "--json", "--event", "logged_out"]).await.done();
        let events: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let actors: Vec<&str> = events.iter().filter_map(|event| event["actor"].as_str()).collect();
        assert_eq!(actors, ["installer:tester", "installer:jo", "installer"]);
        assert_eq!(events[0]["user_name"], "viewer");
        assert_eq!(events[0]["user_kind"], "core");
        assert_eq!(events[0]["user_id"], user_id(&world, "viewer").await);
        world
    })
    .await;
}

#[tokio::test]
async fn whoever_logs_in_while_he_is_disabled_or_logged_out_is_left_with_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let word = world.credentials.viewer.clone();
        let others = world.token("teller").await;
        for words in [&["user", "disable", "viewer"][..], &["user", "log-out", "viewer"]] {
            let log_ins = (0..24u64).map(|n| {
                let (world, word) = (&world, &word);
                async move {
                    sleep(Duration::from_millis(20 * n)).await;
                    log_in(world, "core", "viewer", word).await
                }
            });
            let command = async {
                sleep(Duration::from_millis(150)).await;
                installer(&world, words).await.done();
                // From here on, only log-ins that come later may leave a session.
                let alive = "SELECT COUNT(*) FROM auth_sessions WHERE user_id = \
                     (SELECT user_id FROM users WHERE user_name = 'viewer')";
                world.count(alive).await
            };
            let (tokens, left) = tokio::join!(futures_util::future::join_all(log_ins), command);
            if words[1] == "disable" {
                assert_eq!(left, 0);
                installer(&world, &["user", "enable", "viewer"]).await.done();
                for token in tokens.into_iter().flatten() {
                    alive(&world, &token, false).await;
                }
            }
        }
        alive(&world, &others, true).await;
        world
    })
    .await;
}
