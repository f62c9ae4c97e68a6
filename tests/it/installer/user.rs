//! `installer user`

mod rights;

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
async fn expect_alive(world: &World, token: &str, expected: bool) {
    let response = world.client.get(token, "/loans/1").await;
    match expected {
        true => assert!([403, 404].contains(&response.status.as_u16()), "{}", response.text),
        false => drop(response.expect_problem(401, "token-invalid")),
    }
}

async fn log_in(world: &World, scope: &str, name: &str, password: &str) -> Option<String> {
    world.client.log_in(scope, name, password).await.ok()
}

#[tokio::test]
async fn names_confusable_with_another_users_are_refused() {
    on_each_database(PROGRAM, |world| async move {
        installer(&world, &["user", "add", "jo.smith", "--generate"]).await.expect_success();
        for (name, expected) in [
            ("jo.smith", "the user jo.smith already exists"),
            ("Jo.Smith", "already has a name that looks like this one"),
            ("j\u{43e}.smith", "already has a name that looks like this one"),
            ("jo\u{200b}.smith", "no control or invisible character"),
            ("o\u{308}zil", "composed form"),
        ] {
            let output = installer(&world, &["user", "add", name, "--generate"]).await;
            assert!(output.stderr.contains(expected), "{name:?}: {}", output.stderr);
            assert_eq!(output.code, Some(1));
        }
        let password = file(&world, "word", "my Ann.Miller 1\n");
        let output = ["user", "add", "ann.miller", "--password-file", &password];
        let output = installer(&world, &output).await;
        assert!(output.stderr.contains("must not contain the user's name"), "{}", output.stderr);
        world
    })
    .await;
}

#[tokio::test]
async fn an_added_user_can_log_in_and_has_the_granted_privileges() {
    on_each_database(PROGRAM, |world| async move {
        let password = file(&world, "word", "correct horse battery\n");
        let arguments = [
            "user",
            "add",
            "jo",
            "--full-name",
            "Jo Smith",
            "--email",
            "jo@example.com",
            "--loan-officer",
            "--privilege",
            "Loan > View",
            "Loan > Payments:Add",
            "Loan:View",
            "--password-file",
            &password,
        ];
        assert_eq!(installer(&world, &arguments).await.expect_success(), "user jo added\n");
        let token = log_in(&world, "core", "jo", "correct horse battery").await.expect("a token");
        world.client.get(&token, "/loans/1").await.expect_problem(404, "not-found");
        world.client.get(&token, "/contacts/1").await.expect_problem(403, "privilege-missing");
        let jo = user_id(&world, "jo").await;
        let flags = "loan_officer_flag AND NOT (admin_flag OR dba_flag OR contact_officer_flag)";
        let row = format!("SELECT COUNT(*) FROM users WHERE user_id = {jo} AND {flags}");
        assert_eq!(world.count(&row).await, 1);
        let grants = format!("SELECT COUNT(*) FROM privilege_grants WHERE user_id = {jo}");
        assert_eq!(world.count(&grants).await, 2);
        let granted = audit(&world, &["--user", "jo", "--event", "privilege_granted"]).await;
        assert_eq!(granted.len(), 2);

        let added = installer(&world, &["user", "add", "root2", "--admin", "--generate"]).await;
        let added = added.expect_success();
        let password = added.lines().find_map(|line| line.strip_prefix("password  "));
        let token = log_in(&world, "core", "root2", password.expect("a password")).await;
        world.client.get(&token.expect("a token"), "/contacts/1").await.expect(404);
        assert_eq!(audit(&world, &["--event", "user_added"]).await.len(), 2);
        assert_eq!(audit(&world, &["--user", "jo", "--event", "user_added"]).await.len(), 1);
        let output = installer(&world, &["audit", "--json"]).await.expect_success();
        assert!(
            !output.contains(password.expect("a password")) && !output.contains("argon2"),
            "{output}"
        );
        world
    })
    .await;
}

/// Live tokens of the core-system user `viewer`, of the borrower `one`, and of another user.
struct UserTokens {
    core: String,
    web: String,
    other: String,
}

impl UserTokens {
    async fn issue(world: &World, web_word: &str) -> Self {
        let web = log_in(world, "web", "one", web_word).await.expect("a token");
        Self { core: world.token("viewer").await, web, other: world.token("teller").await }
    }

    async fn expect(&self, world: &World, core: bool, web: bool, other: bool) {
        expect_alive(world, &self.core, core).await;
        expect_alive(world, &self.web, web).await;
        expect_alive(world, &self.other, other).await;
    }
}

#[tokio::test]
async fn a_disabled_user_is_logged_out_and_stays_out_until_enabled() {
    on_each_database(PROGRAM, |world| async move {
        let contact_id = borrower(&world).await;
        let (viewer, password) =
            (user_id(&world, "viewer").await, world.credentials.viewer.clone());
        let tokens = UserTokens::issue(&world, "first words").await;
        add_session(&world, "viewer", "core", viewer, "browser").await;
        add_session(&world, "one", "web", contact_id, "browser").await;
        tokens.expect(&world, true, true, true).await;
        let output = installer(&world, &["user", "disable", "viewer"]).await.expect_success();
        assert_eq!(output, "user viewer disabled; tokens revoked: 1\n");
        tokens.expect(&world, false, true, true).await;
        assert_eq!(sessions(&world).await, [1, 1, 1]);
        assert_eq!(log_in(&world, "core", "viewer", &password).await, None);
        let output = installer(&world, &["user", "disable", "one", "--web"]).await.expect_success();
        assert_eq!(output, "web user one disabled; tokens revoked: 1\n");
        tokens.expect(&world, false, false, true).await;
        assert_eq!(sessions(&world).await, [0, 0, 0]);
        assert_eq!(log_in(&world, "web", "one", "first words").await, None);
        installer(&world, &["user", "enable", "viewer"]).await.expect_success();
        installer(&world, &["user", "enable", "one", "--web"]).await.expect_success();
        tokens.expect(&world, false, false, true).await;
        let repeated = UserTokens::issue(&world, "first words").await;
        repeated.expect(&world, true, true, true).await;
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
async fn a_new_password_ends_every_session_of_the_old_one() {
    on_each_database(PROGRAM, |world| async move {
        let contact_id = borrower(&world).await;
        let viewer = user_id(&world, "viewer").await;
        let tokens = UserTokens::issue(&world, "first words").await;
        add_session(&world, "viewer", "core", viewer, "browser").await;
        add_session(&world, "one", "web", contact_id, "browser").await;
        let password = file(&world, "word", "a better word");
        let set = |name: &'static str, extra: &[&'static str]| {
            let password = password.clone();
            let arguments = [&["user", "password", name, "--password-file"][..]].concat();
            let arguments = arguments.into_iter().map(str::to_owned).chain([password]);
            arguments.chain(extra.iter().map(|password| (*password).to_owned())).collect::<Vec<_>>()
        };
        let run = async |arguments: Vec<String>| {
            installer(&world, &arguments.iter().map(String::as_str).collect::<Vec<_>>()).await
        };
        run(set("viewer", &[])).await.expect_success();
        tokens.expect(&world, false, true, true).await;
        assert_eq!(sessions(&world).await, [1, 1, 1]);
        run(set("one", &["--web"])).await.expect_success();
        tokens.expect(&world, false, false, true).await;
        assert_eq!(sessions(&world).await, [0, 0, 0]);
        let old = world.credentials.viewer.clone();
        assert_eq!(log_in(&world, "core", "viewer", &old).await, None);
        assert_eq!(log_in(&world, "web", "one", "first words").await, None);
        assert!(log_in(&world, "core", "viewer", "a better word").await.is_some());
        assert!(log_in(&world, "web", "one", "a better word").await.is_some());
        assert_eq!(audit(&world, &["--event", "password_changed"]).await.len(), 2);
        for arguments in [&["audit"][..], &["audit", "--json"]] {
            let output = installer(&world, arguments).await.expect_success();
            assert!(!output.contains("better") && !output.contains("argon2"), "{output}");
        }
        world.sql("DELETE FROM user_credentials").await;
        run(set("teller", &[])).await.expect_success();
        assert!(log_in(&world, "core", "teller", "a better word").await.is_some());
        world
    })
    .await;
}

#[tokio::test]
async fn logging_out_ends_the_sessions_of_one_user_or_all() {
    on_each_database(PROGRAM, |world| async move {
        let contact_id = borrower(&world).await;
        let viewer = user_id(&world, "viewer").await;
        let tokens = UserTokens::issue(&world, "first words").await;
        add_session(&world, "viewer", "core", viewer, "browser").await;
        add_session(&world, "one", "web", contact_id, "browser").await;
        installer(&world, &["user", "log-out", "viewer"]).await.expect_success();
        tokens.expect(&world, false, true, true).await;
        installer(&world, &["user", "log-out", "one", "--web"]).await.expect_success();
        tokens.expect(&world, false, false, true).await;
        assert_eq!(sessions(&world).await, [0, 0, 0]);
        let repeated = UserTokens::issue(&world, "first words").await;
        add_session(&world, "viewer", "core", viewer, "browser").await;
        world.sql("UPDATE authorization_requests SET user_id = NULL").await;
        repeated.expect(&world, true, true, true).await;
        installer(&world, &["user", "log-out", "--all"]).await.expect_success();
        repeated.expect(&world, false, false, false).await;
        assert_eq!(sessions(&world).await, [0, 0, 1], "an open log-in page is nobody's");
        let events = audit(&world, &["--event", "logged_out"]).await;
        assert_eq!(events, ["logged_out administrator"; 3]);
        UserTokens::issue(&world, "first words").await.expect(&world, true, true, true).await;
        world
    })
    .await;
}

#[tokio::test]
async fn unlocking_clears_the_failures_of_one_user() {
    on_each_database(PROGRAM, |world| async move {
        borrower(&world).await;
        let date = world.long_ago();
        for subject in [
            log_in_failures::account(UserKind::Core, "viewer"),
            log_in_failures::account(UserKind::Core, "teller"),
            log_in_failures::account(UserKind::Web, "one"),
        ] {
            let row =
                format!("INSERT INTO log_in_failures VALUES ('{subject}', 9, {date}, {date})");
            world.sql(&row).await;
        }
        let failures = async || world.count("SELECT COUNT(*) FROM log_in_failures").await;
        let output = installer(&world, &["user", "unlock", "viewer"]).await.expect_success();
        assert!(output.starts_with("user viewer unlocked"), "{output}");
        assert_eq!(failures().await, 2);
        let before = everything(&world).await;
        let output = installer(&world, &["user", "unlock", "viewer"]).await.expect_success();
        assert!(output.starts_with("user viewer was not locked"), "{output}");
        assert_eq!(everything(&world).await, before);
        installer(&world, &["user", "unlock", "one", "--web"]).await.expect_success();
        assert_eq!(failures().await, 1);
        let unlocked = audit(&world, &["--event", "unlocked"]).await;
        assert_eq!(unlocked, ["unlocked -", "unlocked -"]);
        world
    })
    .await;
}

#[tokio::test]
async fn refused_user_commands_change_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let tokens = (borrower(&world).await, UserTokens::issue(&world, "first words").await).1;
        let good = file(&world, "good", "correct horse");
        let short = file(&world, "short", "1234567\n");
        let long = file(&world, "long", &"x".repeat(1025));
        let name = file(&world, "name", "Longer.Name\n");
        let before = everything(&world).await;
        for (arguments, expected) in [
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
            installer(&world, &[&["user"], arguments].concat()).await.expect_refusal(expected);
        }
        for arguments in
            [&["log-out"][..], &["log-out", "viewer", "--all"], &["password", "a", "b"]]
        {
            let output = installer(&world, &[&["user"], arguments].concat()).await;
            assert_eq!(output.code, Some(2), "{}", output.stderr);
        }
        let without_name = installer(&world, &["user", "log-out"]).await;
        assert!(without_name.stderr.contains("<NAME|--all>"), "{}", without_name.stderr);
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
async fn a_terminal_asks_for_the_password_twice_and_never_shows_it() {
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
async fn the_audit_log_names_the_user_who_ran_the_command() {
    on_each_database(PROGRAM, |world| async move {
        installer(&world, &["user", "log-out", "viewer"]).await.expect_success();
        let mut by_sudo = command(&["user", "log-out", "viewer"]);
        by_sudo.env("SUDO_USER", "jo").args(["--database-url", &world.database_url]);
        super::run(by_sudo).await.expect_success();
        let mut by_nobody = command(&["user", "log-out", "viewer"]);
        by_nobody.env_remove("USER").env_remove("LOGNAME");
        by_nobody.args(["--database-url", &world.database_url]);
        super::run(by_nobody).await.expect_success();
        let lines =
            installer(&world, &["audit", "--json", "--event", "logged_out"]).await.expect_success();
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
async fn a_log_in_during_disabling_or_log_out_leaves_no_live_token() {
    on_each_database(PROGRAM, |world| async move {
        let password = world.credentials.viewer.clone();
        let others = world.token("teller").await;
        for arguments in [&["user", "disable", "viewer"][..], &["user", "log-out", "viewer"]] {
            let log_ins = (0..24u64).map(|n| {
                let (world, password) = (&world, &password);
                async move {
                    sleep(Duration::from_millis(20 * n)).await;
                    log_in(world, "core", "viewer", password).await
                }
            });
            let command = async {
                sleep(Duration::from_millis(150)).await;
                installer(&world, arguments).await.expect_success();
                // From here on, only log-ins that come later may leave a session.
                let live_sessions = "SELECT COUNT(*) FROM auth_sessions WHERE user_id = \
                     (SELECT user_id FROM users WHERE user_name = 'viewer')";
                world.count(live_sessions).await
            };
            let (tokens, remaining) =
                tokio::join!(futures_util::future::join_all(log_ins), command);
            if arguments[1] == "disable" {
                assert_eq!(remaining, 0);
                installer(&world, &["user", "enable", "viewer"]).await.expect_success();
                for token in tokens.into_iter().flatten() {
                    expect_alive(&world, &token, false).await;
                }
            }
        }
        expect_alive(&world, &others, true).await;
        world
    })
    .await;
}
