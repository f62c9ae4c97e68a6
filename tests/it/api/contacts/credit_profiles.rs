//! `/contacts/credit-profiles`

use crate::PROGRAM;
use acceptance::world::in_processes_on_each_database;
use acceptance::{World, on_each_database};
use reqwest::Method;
use serde_json::json;

/// A report with every field set, and one with the minimum.
async fn reports(world: &World, contact_id: i64) -> Vec<i64> {
    let columns = "contact_id, person_number, bureau_code, pull_type, purpose_code, pulled_date, \
                   pulled_by_user_id, score, score_model, score_factors, tradeline_count, \
                   inquiry_count, public_record_count, collection_count, open_balance, \
                   past_due_amount, alerts, expires_date";
    let rows = [
        format!(
            "{contact_id}, 2, 'EXPERIAN', 'hard', 'NEW_CREDIT', NOW, 1, 712, 'Score 8', \
             '[\"Utilization\", \"Straße, \\u00fc\"]', 3, 2, 1, 0, 123456, 1, \
             '[\"freeze\", \"fraud\"]', '2024-02-29'"
        ),
        format!(
            "{contact_id}, 1, 'EQUIFAX', 'soft', 'REVIEW', NOW, 1, NULL, NULL, '[]', 0, 0, 0, 0, \
             0, 0, '[]', NULL"
        ),
    ];
    let rows = rows.map(|row| match world.database.name() {
        // In MariaDB's SQL a backslash in a string escapes the next character.
        "mysql" => row.replace('\\', "\\\\"),
        _ => row,
    });
    world.insert("credit_profiles", "report_id", columns, rows).await
}

#[tokio::test]
async fn a_credit_profile_shows_its_lists_as_arrays() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let contact_id = world.rows(&admin, 1, 1).await.contact_id;
        let ids = reports(&world, contact_id).await;
        let get = async |id: i64| {
            let path = format!("/contacts/credit-profiles/{id}");
            world.client.get(&admin, &path).await.expect(200).json()
        };
        let whole = json!({
            "Report_ID": ids[0], "Contact_ID": contact_id, "Person_Number": 2,
            "Bureau_Code": "EXPERIAN", "Pull_Type": "hard", "Purpose_Code": "NEW_CREDIT",
            "Pulled_Date": "2020-01-01T00:00:00Z", "Pulled_By_User_ID": 1, "Score": 712,
            "Score_Model": "Score 8", "Score_Factors": ["Utilization", "Straße, ü"],
            "Tradeline_Count": 3, "Inquiry_Count": 2, "Public_Record_Count": 1,
            "Collection_Count": 0, "Open_Balance": "12.3456", "Past_Due_Amount": "0.0001",
            "Alerts": ["freeze", "fraud"], "Expires_Date": "2024-02-29",
        });
        assert_eq!(get(ids[0]).await, whole);
        let least = get(ids[1]).await;
        assert_eq!((&least["Score_Factors"], &least["Alerts"]), (&json!([]), &json!([])));
        for absent in ["Score", "Score_Model", "Expires_Date"] {
            assert_eq!(least.get(absent), None);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn each_read_of_a_credit_profile_is_logged_without_its_contents() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let ids = reports(&world, rows.contact_id).await;
        world.sql("DELETE FROM privilege_grants").await;
        let viewer = world.token("viewer").await;
        let path = format!("/contacts/credit-profiles/{}", ids[0]);
        world.client.get(&viewer, &path).await.expect_problem(403, "privilege-missing");
        world
            .client
            .get(&admin, &format!("/contacts/credit-profiles/{}", ids[1] + 1))
            .await
            .expect(404);
        let lines = || -> Vec<String> {
            let log = world.api.log();
            log.lines()
                .filter(|line| line.contains("credit profile read"))
                .map(String::from)
                .collect()
        };
        assert!(lines().is_empty(), "nobody has read anything yet");
        world.client.get(&admin, &path).await.expect(200);
        let head = world.client.request(Method::HEAD, &admin, &path);
        world.client.send(head).await.expect("a response").expect(200);
        assert_eq!(lines().len(), 2);
        for line in lines() {
            for logged in ["core:1", &ids[0].to_string(), "NEW_CREDIT"] {
                assert!(line.contains(logged), "{logged} is not in {line}");
            }
            for secret in
                ["Borrower", "712", "EXPERIAN", "Utilization", "freeze", "12.3456", "6789"]
            {
                // Whole words only: request ids and times can contain any digits.
                let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '.');
                assert!(!words.any(|word| word == secret), "{secret} is in {line}");
            }
        }
        world
    })
    .await;
}
