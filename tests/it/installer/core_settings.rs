//! `installer settings`: core-system settings, listed and changed while both servers run.

use super::installer;
use crate::PROGRAM;
use crate::api::loans::import_loan;
use acceptance::on_each_database;
use acceptance::seeds::OPEN_TERMS;
use serde_json::{Value, json};

#[tokio::test]
async fn settings_are_listed_with_values_and_descriptions() {
    on_each_database(PROGRAM, |world| async move {
        let text = installer(&world, &["settings", "list"]).await.expect_success();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        let value = lines[0].find("value").expect("a heading");
        for (line, name, is) in [
            (1, "business_time_zone", "UTC "),
            (2, "vin_check", "- "),
            (3, "web_inactivity_timeout", "20 "),
        ] {
            assert!(lines[line].starts_with(name), "{text}");
            assert!(lines[line][value..].starts_with(is), "{text}");
        }
        let listed = installer(&world, &["settings", "list", "--json"]).await.json();
        assert_eq!(listed[0]["value"], "UTC");
        assert_eq!((&listed[1]["name"], &listed[1]["value"]), (&json!("vin_check"), &Value::Null));
        assert!(listed[2]["meaning"].as_str().is_some_and(|text| text.contains("1 to 10080")));
        world
    })
    .await;
}

#[tokio::test]
async fn a_changed_business_time_zone_applies_from_the_next_request() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}/transactions/payments?test=true");
        let today = async || {
            let body = json!({"Amount": "10.00"});
            let rows = world.client.post(&admin, &path, &body, None).await.expect(200).json();
            rows[0]["Effective_Date"].as_str().expect("a date").to_owned()
        };
        // The two zones are 26 hours apart.
        let set = async |zone: &str| {
            installer(&world, &["settings", "set", "business_time_zone", zone])
                .await
                .expect_success()
        };
        let output = set("Pacific/Kiritimati").await;
        assert!(output.contains("is Pacific/Kiritimati (was UTC)"), "{output}");
        let east = today().await;
        assert!(output.contains(&east), "{output}");
        set("Etc/GMT+12").await;
        assert_ne!(today().await, east);
        // Set to its current value: nothing changes, and the audit gets no event.
        set("Etc/GMT+12").await;
        let audit = installer(&world, &["audit", "--event", "setting_changed", "--json"]).await;
        assert_eq!(audit.expect_success().matches("\"business_time_zone\"").count(), 2);
        let missing = world.sql("DELETE FROM settings WHERE name = 'vin_check'");
        missing.await;
        let output =
            installer(&world, &["settings", "set", "vin_check", "off"]).await.expect_success();
        assert!(output.contains("vin_check is off (was not set)"), "{output}");
        world
    })
    .await;
}

#[tokio::test]
async fn an_invalid_setting_name_or_value_changes_nothing() {
    on_each_database(PROGRAM, |world| async move {
        for (name, value, expected) in [
            ("business_time_zone", "Berlin", "unknown time zone \"Berlin\""),
            ("web_inactivity_timeout", "0", "from 1 to 10080"),
            ("vin_check", "maybe", "off, warn or refuse"),
            ("demo_portfolio", "begun", "the settings are business_time_zone, vin_check"),
        ] {
            installer(&world, &["settings", "set", name, value]).await.expect_refusal(expected);
        }
        let events = "SELECT COUNT(*) FROM auth_events WHERE event = 'setting_changed'";
        assert_eq!(world.count(events).await, 0);
        world
    })
    .await;
}
