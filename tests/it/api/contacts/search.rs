//! `GET /contacts`

use crate::PROGRAM;
use crate::api::loans::search::{half_an_hour_ago, pages};
use acceptance::seeds::file;
use acceptance::{World, on_each_database};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long it may take until what another program has written is found.
const PATIENCE: Duration = Duration::from_secs(60);

/// A contact `C-<number>` with these attributes.
fn contact(number: usize, attributes: &str) -> String {
    format!(
        "<Contact ContactNumber=\"C-{number}\" ContactTypeCode=\"BORROWER\" \
         EntityCode=\"INDIVIDUAL\" {attributes}/>"
    )
}

/// Imports a contact for each of these attributes, and returns their ids.
async fn add(world: &World, admin: &str, attributes: &[&str]) -> Vec<i64> {
    let records = (1..).zip(attributes).map(|(number, it)| contact(number, it));
    let result = world.import(admin, &file(&records.collect::<String>())).await;
    let records = result["Records"].as_array().expect("records");
    records.iter().map(|record| record["New_ID"].as_i64().expect("an id")).collect()
}

/// The numbers of the contacts found with these criteria.
async fn found(world: &World, token: &str, query: &str) -> Vec<String> {
    let rows = pages(world, token, &format!("/contacts{query}"), 2).await;
    let number = |row: &Value| row["Contact_Number"].as_str().expect("a number").to_owned();
    rows.iter().map(number).collect()
}

/// Waits until these contacts are found.
async fn expect_soon(world: &World, token: &str, query: &str, numbers: &[&str]) {
    let deadline = Instant::now() + PATIENCE;
    while found(world, token, query).await != numbers {
        assert!(Instant::now() < deadline, "{query} does not find {numbers:?}");
        sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test]
async fn contacts_are_found_by_each_criterion_and_by_several() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let contacts = [
            "LastName1=\"Rivera\" FirstName1=\"Ana\" Email=\"Ana@example.com\" \
             TaxID1=\"123-45-6789\" HomePhone=\"+1 (555) 010-2345\" MobilePhone=\"999 010-2345\"",
            "LastName1=\"Rivers\" FirstName1=\"Bo\" LastName2=\"Riviera\" FirstName2=\"Cleo\" \
             Email2=\"ANA@EXAMPLE.COM\" TaxID2=\"987654321\"",
            "Company=\"Rivera Farms, Inc.\" WorkPhone=\"555-010-9999\"",
        ];
        let ids = add(&world, &admin, &contacts).await;
        let columns = "code, description, active_flag";
        let row = ["'OTHER', 'Other', true".to_owned()];
        let other = world.insert("contact_types", "contact_type_id", columns, row).await[0];
        let sql =
            format!("UPDATE contacts SET contact_type_id = {other} WHERE contact_id = {}", ids[2]);
        world.sql(&sql).await;
        for (query, numbers) in [
            ("", vec!["C-1", "C-2", "C-3"]),
            ("?contactNumber=C-2", vec!["C-2"]),
            ("?contactNumber=c-2", vec![]),
            ("?email=ana@Example.com", vec!["C-1", "C-2"]),
            ("?email=ana@example", vec![]),
            (&format!("?typeId={other}"), vec!["C-3"]),
            ("?taxId=123456789", vec!["C-1"]),
            ("?taxId=987-65-4321", vec!["C-2"]),
            ("?taxId=98765432", vec![]),
            ("?name=ri", vec!["C-3", "C-1", "C-2"]),
            ("?name=RIVERA", vec!["C-3", "C-1"]),
            ("?name=rivera,a", vec!["C-1"]),
            ("?name=rivera%20farms,%20inc", vec!["C-3"]),
            ("?name=riviera,%20cleo", vec!["C-2"]),
            ("?name=ana", vec!["C-1"]),
            ("?name=Ana%20Riv", vec!["C-1"]),
            ("?name=cleo%20riviera", vec!["C-2"]),
            ("?name=ana,%20rivera", vec![]),
            ("?phone=0102345", vec!["C-1"]),
            ("?phone=(555)%20010-2345", vec!["C-1"]),
            ("?phone=010-9999", vec!["C-3"]),
            ("?phone=0102346", vec![]),
            ("?name=ri&email=ana@example.com", vec!["C-1", "C-2"]),
            ("?name=ri&phone=0109999", vec!["C-3"]),
            ("?name=rivera&email=ana@example.com&contactNumber=C-2", vec![]),
            ("?modifiedSince=1900-01-01T00:00:00Z&taxId=123456789", vec!["C-1"]),
            ("?modifiedSince=2100-01-01T00:00:00Z", vec![]),
        ] {
            assert_eq!(found(&world, &admin, query).await, numbers, "{query}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn names_are_compared_without_case_accents_and_width() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let names =
            ["Éluard", "Groß", "İpek", "Ｆｕｌｌ", "eluarde", "Gross-Mann", "Ηλίας", "O’Søærłđ"];
        let names = names.map(|name| format!("LastName1=\"{name}\""));
        add(&world, &admin, &names.each_ref().map(String::as_str)).await;
        for (name, numbers) in [
            ("eluard", vec!["C-1", "C-5"]),
            ("ÉLUARDE", vec!["C-5"]),
            ("e%CC%81luard", vec!["C-1", "C-5"]),
            ("gross", vec!["C-2", "C-6"]),
            ("GROß", vec!["C-2", "C-6"]),
            ("ipek", vec!["C-3"]),
            ("IPEK", vec!["C-3"]),
            ("ıpek", vec!["C-3"]),
            ("full", vec!["C-4"]),
            ("ｆｕ", vec!["C-4"]),
            ("ΗΛΙΑΣ", vec!["C-7"]),
            ("o'soaerld", vec!["C-8"]),
            ("O´SØÆRŁĐ", vec!["C-8"]),
            ("o‘soaer", vec!["C-8"]),
        ] {
            assert_eq!(found(&world, &admin, &format!("?name={name}")).await, numbers, "{name}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn tax_ids_are_searched_and_shown_only_with_their_privilege() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        add(&world, &admin, &["LastName1=\"Rivera\" TaxID1=\"123-45-6789\""]).await;
        let teller = world.token("teller").await;
        let refused = world.client.get(&teller, "/contacts?taxId=123456789").await;
        let refused = refused.expect_problem(403, "privilege-missing");
        assert!(refused.text.contains("Contact > Tax ID > View"), "{}", refused.text);
        for (user, tax_id) in [("admin", "123-45-6789"), ("teller", "*******6789")] {
            let rows = pages(&world, &world.token(user).await, "/contacts?name=ri", 10).await;
            assert_eq!(rows[0]["Tax_ID1"], tax_id, "{user}");
            assert_eq!(rows[0]["Contact_Name"], "Rivera");
        }
        let viewer = world.token("viewer").await;
        world.client.get(&viewer, "/contacts").await.expect_problem(403, "privilege-missing");
        world
    })
    .await;
}

#[tokio::test]
async fn a_search_finds_only_what_the_caller_may_see() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let same = "Email=\"a@example.com\" HomePhone=\"5550102345\" TaxID1=\"123456789\"";
        let officers = ["officer", "teller", ""].map(|officer| match officer {
            "" => format!("LastName1=\"Rivera\" {same}"),
            name => format!("LastName1=\"Rivera\" {same} ContactOfficerUserName=\"{name}\""),
        });
        add(&world, &admin, &officers.each_ref().map(String::as_str)).await;
        let (officer, teller) = (world.token("officer").await, world.token("teller").await);
        for query in ["", "?name=rivera", "?email=a@example.com", "?phone=0102345"] {
            assert_eq!(found(&world, &officer, query).await, ["C-1", "C-3"], "{query}");
            assert_eq!(found(&world, &teller, query).await, ["C-1", "C-2", "C-3"], "{query}");
        }
        assert_eq!(found(&world, &officer, "?taxId=123456789").await, ["C-1", "C-3"]);
        let hidden = world.client.get(&officer, "/contacts?contactNumber=C-2").await.expect(200);
        assert_eq!((hidden.text.as_str(), hidden.header("link")), ("[]", ""));
        world
    })
    .await;
}

#[tokio::test]
async fn a_contact_is_listed_once_under_the_first_name_that_matches() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let contacts = [
            "LastName1=\"Stone\" FirstName1=\"Zoe\" Company=\"Stone Age\"",
            "LastName1=\"Stone\" FirstName1=\"Ada\"",
            "LastName1=\"Stone\" FirstName1=\"Ada\"",
            "Company=\"Stoneware\"",
        ];
        let contacts: Vec<String> = contacts.iter().map(|it| (*it).to_owned()).collect();
        add(&world, &admin, &contacts.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let order = ["C-1", "C-2", "C-3", "C-4"];
        assert_eq!(found(&world, &admin, "?name=stone&order=name").await, order);
        let reverse = ["C-4", "C-3", "C-2", "C-1"];
        assert_eq!(found(&world, &admin, "?name=stone&order=-name").await, reverse);
        assert_eq!(found(&world, &admin, "?name=stone,").await, ["C-2", "C-3", "C-1"]);
        for path in [
            "/contacts?name=s",
            "/contacts?name=s,",
            "/contacts?name=%CC%81%CC%81",
            "/contacts?phone=555-010",
            "/contacts?name=stone&order=id",
            "/contacts?order=name",
            "/contacts?email=a@example.com&order=email",
        ] {
            world.client.get(&admin, path).await.expect_problem(400, "bad-request");
        }
        world
    })
    .await;
}

/// The core tables belong to the core system, whose other programs write them, too.
#[tokio::test]
async fn contacts_that_another_program_writes_are_found_within_a_minute() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let ids = add(&world, &admin, &["LastName1=\"Rivera\" Email=\"a@example.com\""]).await;
        world.age("contacts", &["modified_date"], 3600).await;
        let modified = format!("?modifiedSince={}", half_an_hour_ago());
        assert_eq!(found(&world, &admin, &modified).await, Vec::<String>::new());
        let copy = "INSERT INTO contacts (contact_number, contact_type_id, entity_code, company, \
                    contact_method, created_date) SELECT 'C-9', contact_type_id, entity_code, \
                    'Ünal', contact_method, created_date FROM contacts";
        world.sql(copy).await;
        let change = "UPDATE contacts SET last_name1 = 'Müller', mobile_phone = '5550102345' \
                      WHERE contact_number = 'C-1'";
        world.sql(change).await;
        assert_eq!(found(&world, &admin, &modified).await, ["C-9", "C-1"]);
        for (query, numbers) in [
            ("?name=unal", vec!["C-9"]),
            ("?name=muller", vec!["C-1"]),
            ("?name=rivera", vec![]),
            ("?phone=0102345", vec!["C-1"]),
        ] {
            expect_soon(&world, &admin, query, &numbers).await;
        }
        let teller = "(SELECT user_id FROM users WHERE user_name = 'teller')";
        let assign = format!("UPDATE contacts SET contact_officer_user_id = {teller}");
        world.sql(&format!("{assign} WHERE contact_id = {}", ids[0])).await;
        let officer = world.token("officer").await;
        assert_eq!(found(&world, &officer, "?name=muller").await, Vec::<String>::new());
        expect_soon(&world, &world.token("teller").await, "?name=muller", &["C-1"]).await;
        world.sql("DELETE FROM contacts WHERE contact_number = 'C-9'").await;
        assert_eq!(found(&world, &admin, "?name=unal").await, Vec::<String>::new());
        let keys = "SELECT COUNT(*) FROM contact_search_keys WHERE search_key = 'unal'";
        assert_eq!(world.count(keys).await, 0);
        world
    })
    .await;
}
