//! `/contacts/{contact_id}/field-history` and `/loans/{loan_id}/field-history`

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::seeds::file;
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

/// An instant as a literal of the database.
fn instant(world: &World, utc: &str) -> String {
    match world.database.name() {
        "sqlite" => format!("'{utc}+00:00'"),
        _ => format!("'{}'", utc.replace('T', " ")),
    }
}

/// Inserts a change into the history of a loan and of its borrower: table, field, user, time, new
/// value.
async fn change(world: &World, rows: &FilledRows, [table, field, user, utc, value]: [&str; 5]) {
    for (owner, id, path) in [
        ("loan", rows.loan_id, "Loan > Records"),
        ("contact", rows.contact_id, "Contact > Records"),
    ] {
        let columns = format!(
            "{owner}_id, table_name, record_id, field_name, field_label, old_value, new_value, \
             modified_by_user_id, modified_by_name, modified_date, source, request_id, \
             privilege_path"
        );
        let row = format!(
            "{id}, '{table}', 4711, '{field}', 'Label', '{value}', '{value}', {user}, 'Somebody', \
             {}, 'api', 'r1', '{path}'",
            instant(world, utc)
        );
        world.sql(&format!("INSERT INTO field_changes ({columns}) VALUES ({row})")).await;
    }
}

/// The histories of a loan and of its borrower.
fn histories(rows: &FilledRows) -> [String; 2] {
    [
        format!("/loans/{}/field-history", rows.loan_id),
        format!("/contacts/{}/field-history", rows.contact_id),
    ]
}

/// New values in both histories, which must be the same.
async fn values(world: &World, token: &str, rows: &FilledRows, query: &str) -> Vec<Value> {
    let mut both = Vec::new();
    for history in histories(rows) {
        let response = world.client.get(token, &format!("{history}?{query}")).await.expect(200);
        both.push(response.column("New_Value"));
    }
    assert_eq!(both[0], both[1], "{query}");
    both.swap_remove(0)
}

async fn set_zone(world: &World, zone: &str) {
    let sql = format!("UPDATE settings SET value = '{zone}' WHERE name = 'business_time_zone'");
    world.sql(&sql).await;
}

/// Adds a user who may read the histories of loans and contacts, and has these privileges as well.
async fn log_in_reader(world: &World, extra: &[(&str, &str)]) -> String {
    let base = [
        ("Loan > Records", "View"),
        ("Loan > Field History", "View"),
        ("Contact > Records", "View"),
        ("Contact > Field History", "View"),
    ];
    world.sql("DELETE FROM privilege_grants").await;
    for (path, verb) in base.iter().chain(extra) {
        world
            .sql(&format!(
                "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                 user_id FROM privileges, users WHERE user_name = 'viewer' AND path = '{path}' \
                 AND verb = '{verb}'"
            ))
            .await;
    }
    world.token("viewer").await
}

#[tokio::test]
async fn a_field_change_names_the_field_user_and_time() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        world.sql("DELETE FROM field_changes").await;
        change(&world, &rows, ["loans", "City", "3", "2024-03-10T04:59:59", "x"]).await;
        for (history, owner) in histories(&rows)
            .iter()
            .zip([("Loan_ID", rows.loan_id), ("Contact_ID", rows.contact_id)])
        {
            let list = world.client.get(&admin, history).await.expect(200).json();
            let expected = json!([{
                "Row_ID": list[0]["Row_ID"], owner.0: owner.1, "Table_Name": "loans",
                "Record_ID": 4711, "Field_Name": "City", "Field_Label": "Label", "Old_Value": "x",
                "New_Value": "x", "Modified_By_User_ID": 3, "Modified_By_Name": "Somebody",
                "Modified_Date": "2024-03-10T04:59:59Z", "Source": "api", "Request_ID": "r1",
            }]);
            assert_eq!(list, expected, "without the columns that decide who may see it");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn field_changes_are_filtered_by_table_field_and_user() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        world.sql("DELETE FROM field_changes").await;
        let day = "2024-01-01T00:00:00";
        for change_row in [
            ["loans", "City", "1", day, "a"],
            ["contacts", "City", "1", day, "b"],
            ["loans", "State", "2", day, "c"],
            ["loans ", "city", "2", day, "d"],
        ] {
            change(&world, &rows, change_row).await;
        }
        for (query, expected) in [
            ("", &["a", "b", "c", "d"][..]),
            ("tableName=loans", &["a", "c"]),
            ("tableName=loans%20", &["d"]),
            ("tableName=LOANS", &[]),
            ("fieldName=City", &["a", "b"]),
            ("fieldName=City&tableName=loans", &["a"]),
            ("userId=2", &["c", "d"]),
            ("userId=2&fieldName=State", &["c"]),
            ("userId=0", &[]),
            ("tableName=%25", &[]),
            ("tableName=", &[]),
        ] {
            assert_eq!(values(&world, &admin, &rows, query).await, expected, "{query}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn from_and_to_are_business_days_of_the_business_time_zone() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        world.sql("DELETE FROM field_changes").await;
        // In New York the tenth of March has 23 hours, because the clocks go forward.
        for (utc, value) in [
            ("2024-03-10T04:59:59.999", "last of the 9th"),
            ("2024-03-10T05:00:00", "first of the 10th"),
            ("2024-03-11T03:59:59.999", "last of the 10th"),
            ("2024-03-11T04:00:00", "first of the 11th"),
        ] {
            change(&world, &rows, ["loans", "City", "1", utc, value]).await;
        }
        let all = ["last of the 9th", "first of the 10th", "last of the 10th", "first of the 11th"];
        set_zone(&world, "America/New_York").await;
        for (query, expected) in [
            ("from=2024-03-10&to=2024-03-10", &all[1..3]),
            ("from=2024-03-10", &all[1..]),
            ("to=2024-03-10", &all[..3]),
            ("from=2024-03-11&to=2024-03-10", &[]),
            ("from=2024-03-09&to=2024-03-11", &all),
        ] {
            assert_eq!(values(&world, &admin, &rows, query).await, expected, "{query}");
        }
        set_zone(&world, "UTC").await;
        let day = values(&world, &admin, &rows, "from=2024-03-10&to=2024-03-10").await;
        assert_eq!(day, all[..2]);
        world
    })
    .await;
}

#[tokio::test]
async fn the_first_and_last_supported_days_include_everything() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        world.sql("DELETE FROM field_changes").await;
        change(&world, &rows, ["loans", "City", "1", "2024-03-10T05:00:00", "a"]).await;
        for zone in ["UTC", "Asia/Tokyo", "Pacific/Kiritimati", "America/New_York"] {
            set_zone(&world, zone).await;
            for query in ["from=0001-01-01", "to=9999-12-31", "from=0001-01-01&to=9999-12-31"] {
                assert_eq!(values(&world, &admin, &rows, query).await, ["a"], "{query} {zone}");
            }
            for query in ["to=0001-01-01", "from=9999-12-31"] {
                let none: [&str; 0] = [];
                assert_eq!(values(&world, &admin, &rows, query).await, none, "{query} {zone}");
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn identity_numbers_are_masked_in_the_history() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let number =
            format!("SELECT contact_number FROM contacts WHERE contact_id = {}", rows.contact_id);
        let number = world.text(&number).await;
        let update = format!(
            "<Contact UpdateFlag=\"1\" ContactNumber=\"{number}\" TaxID1=\"987-65-4321\" \
             TaxID2=\"1234\" IDNumber1=\"X7654321\" IDNumber2=\"Y99999\" City=\"Newark\"/>"
        );
        world.import(&admin, &file(&update)).await;
        let history = format!("/contacts/{}/field-history", rows.contact_id);
        let changes = async |token: &str, field: &str| {
            let path = format!("{history}?tableName=contacts&fieldName={field}");
            let list = world.client.get(token, &path).await.expect(200).json();
            let last = list.as_array().expect("rows").last().expect("a change").clone();
            [last["Old_Value"].clone(), last["New_Value"].clone()]
        };
        let null = Value::Null;
        let whole = [
            ("Tax_ID1", [json!("123-45-6789"), json!("987-65-4321")]),
            ("Tax_ID2", [null.clone(), json!("1234")]),
            ("ID_Number1", [json!("P1234567"), json!("X7654321")]),
            ("ID_Number2", [null.clone(), json!("Y99999")]),
            ("City", [null.clone(), json!("Newark")]),
        ];
        let masked = [
            ("Tax_ID1", [json!("*******6789"), json!("*******4321")]),
            ("Tax_ID2", [null.clone(), json!("****")]),
            ("ID_Number1", [json!("****4567"), json!("****4321")]),
            ("ID_Number2", [null.clone(), json!("**9999")]),
            ("City", [null, json!("Newark")]),
        ];
        let viewer = log_in_reader(&world, &[]).await;
        for (field, expected) in &masked {
            assert_eq!(changes(&viewer, field).await, *expected, "{field}");
        }
        let all = world.client.get(&viewer, &history).await.expect(200).text;
        for secret in ["123-45", "987-65", "1234567", "7654321", "Y9999", "\"1234\""] {
            assert!(!all.contains(secret), "{secret} is in the history");
        }
        let trusted = log_in_reader(&world, &[("Contact > Tax ID", "View")]).await;
        for token in [&admin, &trusted] {
            for (field, expected) in &whole {
                assert_eq!(changes(token, field).await, *expected, "{field}");
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn bank_accounts_are_masked_in_the_history() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let change_row = [
            "automated_payments",
            "Bank_Account_Number",
            "1",
            "2024-01-01T00:00:00",
            "12345678901",
        ];
        change(&world, &rows, change_row).await;
        let (payment, routing) =
            (format!("/loans/automated-payments/{}", rows.automated_payment_id), "x");
        change(
            &world,
            &rows,
            ["automated_payments", "Bank_Routing_Number", "1", change_row[3], routing],
        )
        .await;
        let shown = async |token: &str| {
            let history =
                format!("/loans/{}/field-history?tableName=automated_payments", rows.loan_id);
            let history = world.client.get(token, &history).await.expect(200);
            assert_eq!(history.column("Old_Value"), history.column("New_Value"));
            assert_eq!(history.column("New_Value")[1], routing);
            let row = world.client.get(token, &payment).await.expect(200).json();
            assert_eq!(row["Temp_Grace_Period"], 0);
            [history.column("New_Value")[0].clone(), row["Bank_Account_Number"].clone()]
        };
        let path = "Loan > Automated Payments";
        let viewer = log_in_reader(&world, &[(path, "View")]).await;
        assert_eq!(shown(&viewer).await, ["*******8901", "*******8901"]);
        let trusted = log_in_reader(&world, &[(path, "View"), (path, "View Account")]).await;
        for token in [&trusted, &admin] {
            assert_eq!(shown(token).await, ["12345678901", "12345678901"]);
        }
        world
    })
    .await;
}
