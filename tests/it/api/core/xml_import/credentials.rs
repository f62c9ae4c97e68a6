//! `<WebCredentials>`: the rules for web users' names and passwords.

use crate::PROGRAM;
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

/// A contact with this number and web credentials.
fn borrower(number: &str, update: u8, credentials: &str) -> String {
    format!(
        "<Contact UpdateFlag=\"{update}\" ContactNumber=\"{number}\" \
         ContactTypeCode=\"BORROWER\" EntityCode=\"INDIVIDUAL\" LastName1=\"Rivera\">\
         <WebCredentials UpdateFlag=\"{update}\" {credentials}/></Contact>"
    )
}

fn named(number: &str, name: &str, password: &str) -> String {
    borrower(number, 0, &format!("WebUserName=\"{name}\" Password=\"{password}\""))
}

async fn import(world: &World, token: &str, records: &[String]) -> Value {
    let file = format!("<Core EnforceTagExistence=\"1\">{}</Core>", records.concat());
    world.client.import(token, false, &file, None).await.expect(200).json()
}

/// Attribute and text of the first message of a failed record.
fn fault(result: &Value, record: usize) -> String {
    let record = &result["Records"][record];
    assert_eq!(record["Action"], "failed", "{result}");
    let message = &record["Messages"][0];
    format!("{} {}", message["Attribute"], message["Message"])
}

#[tokio::test]
async fn imported_passwords_follow_the_rules_and_are_not_quoted() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        for (password, expected) in [
            ("x", "must have 8 characters or more"),
            ("seven77", "must have 8 characters or more"),
            ("my Ana.Rivera!", "must not contain the user's name"),
        ] {
            let result = import(&world, &admin, &[named("A", "ana.rivera", password)]).await;
            assert_eq!(fault(&result, 0), format!("\"Password\" \"{expected}\""));
            assert!(!result.to_string().contains(password) || password == "x", "{result}");
        }
        assert_eq!(world.count("SELECT COUNT(*) FROM web_credentials").await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn confusable_user_names_are_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let first = import(&world, &admin, &[named("A", "ana.rivera", "a long phrase")]).await;
        assert_eq!(first["Inserted"], 1, "{first}");
        for name in ["Ana.Rivera", "\u{430}na.rivera", "ana. rivera"] {
            let repeated = import(&world, &admin, &[named("B", name, "a long phrase")]).await;
            assert!(fault(&repeated, 0).contains("looks like another contact"), "{repeated}");
        }
        for name in [" ana.rivera", "ana\u{200b}.rivera", "\u{ff41}na.rivera", "a\u{301}na"] {
            let repeated = import(&world, &admin, &[named("B", name, "a long phrase")]).await;
            assert!(fault(&repeated, 0).contains("WebUserName"), "{name:?} {repeated}");
        }
        // Within one file too, where neither name exists yet.
        let both =
            [named("C", "eva.stone", "a long phrase"), named("D", "EVA.STONE", "other words")];
        let both = import(&world, &admin, &both).await;
        assert_eq!((&both["Inserted"], &both["Failed"]), (&json!(1), &json!(1)), "{both}");
        assert!(fault(&both, 1).contains("looks like"), "{both}");
        // A name is free once its user has given it up, or its contact is deleted.
        let renamed = borrower("A", 1, "WebUserName=\"rivera.ana\"");
        let next = named("B", "ANA.RIVERA", "a long phrase");
        let result = import(&world, &admin, &[renamed, next]).await;
        assert_eq!(result["Failed"], 0, "{result}");
        let deletion = "<Contact UpdateFlag=\"2\" ContactNumber=\"B\"/>".to_owned();
        let result =
            import(&world, &admin, &[deletion, named("E", "ana.rivera", "a long phrase")]).await;
        assert_eq!(result["Failed"], 0, "{result}");
        world.client.log_in("web", "ana.rivera", "a long phrase").await.expect("a token");
        world
    })
    .await;
}

#[tokio::test]
async fn of_two_concurrent_imports_one_gets_the_user_name() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        for round in 0..5 {
            let record = |number: &str, name: &str| {
                [named(&format!("{number}{round}"), &format!("{name}{round}"), "a long phrase")]
            };
            let (one, other) = (record("A", "sam.reed"), record("B", "SAM.REED"));
            let (one, other) =
                tokio::join!(import(&world, &admin, &one), import(&world, &admin, &other));
            let inserted = [&one, &other].map(|result| result["Inserted"].as_i64().unwrap_or(9));
            assert_eq!(inserted.iter().sum::<i64>(), 1, "{one} {other}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn credentials_older_than_the_rules_keep_working_and_can_be_reimported() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let older_rows = [
            named("A", "first.user", "a long phrase"),
            named("B", "second.user", "x".repeat(8).as_str()),
        ];
        import(&world, &admin, &older_rows).await;
        // As left by a release before the rule: two names that look alike, and a short password.
        let hash = shared::passwords::Passwords::recommended().expect("a rule").hash("x").await;
        let hash = hash.expect("a hash").reveal().to_owned();
        world.sql("UPDATE web_credentials SET web_user_name = 'ana' WHERE contact_id = 1").await;
        let second = format!(
            "UPDATE web_credentials SET web_user_name = 'ANA ', password_hash = '{hash}' \
             WHERE contact_id = 2"
        );
        world.sql(&second).await;
        world.client.log_in("web", "ANA ", "x").await.expect("a token");
        let same = borrower("B", 1, "WebUserName=\"ANA \" Password=\"x\"");
        let repeated = import(&world, &admin, &[same]).await;
        assert_eq!(
            (&repeated["Updated"], &repeated["Failed"]),
            (&json!(1), &json!(0)),
            "{repeated}"
        );
        let short = borrower("B", 1, "Password=\"y\"");
        let refused = import(&world, &admin, &[short]).await;
        assert!(fault(&refused, 0).contains("8 characters"), "{refused}");
        world.client.log_in("web", "ANA ", "x").await.expect("a token");
        world
    })
    .await;
}
