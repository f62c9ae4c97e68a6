//! `/loans/{loan_id}/collateral` and `/loans/collateral`

mod comments;

use super::loan_ids;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

/// Books loans with these officers. Visibility of collateral follows from its loans.
async fn book(world: &World, admin: &str, officers: &[&str]) -> Vec<i64> {
    let loan = |(number, officer): (usize, &&str)| {
        let terms = format!("{OPEN_TERMS} LoanOfficerUserName=\"{officer}\"");
        borrower_with_loan(number as u32 + 1, &terms)
    };
    let records: String = officers.iter().enumerate().map(loan).collect();
    loan_ids(&world.import(admin, &file(&records)).await)
}

/// Adds collateral of this contact, or of none, that secures these loans.
async fn collateral(world: &World, contact: Option<i64>, loans: &[i64]) -> i64 {
    let columns = "contact_id, collateral_code, number_of_units, price_per_unit, \
                   percentage_value, net_value";
    let contact = contact.map_or("NULL".to_owned(), |id| id.to_string());
    let row = format!("{contact}, 'AUTO', 3, 100050000, 7550000000, 226613250");
    let id = world.insert("collaterals", "collateral_id", columns, [row]).await[0];
    let links = loans.iter().map(|loan| format!("{loan}, {id}"));
    world.insert("loan_collaterals", "row_id", "loan_id, collateral_id", links).await;
    id
}

/// Adds a row to a table that belongs to collateral.
async fn add(world: &World, table: &str, id: i64, columns: &str, values: &str) {
    let sql = format!("INSERT INTO {table} (collateral_id, {columns}) VALUES ({id}, {values})");
    world.sql(&sql.replace("NOW", world.long_ago())).await;
}

/// The id of the contact with this number.
async fn contact(world: &World, number: u32) -> i64 {
    let sql = format!("SELECT contact_id FROM contacts WHERE contact_number = 'C-{number}'");
    world.count(&sql).await
}

#[tokio::test]
async fn a_collateral_lists_only_its_visible_loans() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = book(&world, &admin, &["officer", "teller", "officer"]).await;
        let id = collateral(&world, None, &[loans[2], loans[1], loans[0]]).await;
        let officer = world.token("officer").await;
        let whole = world.client.get(&admin, &format!("/loans/collateral/{id}")).await.expect(200);
        let expected = json!({
            "Collateral_ID": id, "Collateral_Code": "AUTO", "Number_Of_Units": 3,
            "Price_Per_Unit": "10005.00", "Percentage_Value": "75.50", "Net_Value": "22661.325",
            "Linked_Loan_IDs": loans,
        });
        assert_eq!(whole.json(), expected);
        let seen = world.client.get(&officer, &format!("/loans/collateral/{id}")).await;
        assert_eq!(seen.expect(200).json()["Linked_Loan_IDs"], json!([loans[0], loans[2]]));
        let list = format!("/loans/{}/collateral", loans[0]);
        let listed = world.client.get(&officer, &list).await.expect(200);
        assert_eq!(listed.column("Linked_Loan_IDs"), [json!([loans[0], loans[2]])]);
        let listed = world.client.get(&admin, &list).await.expect(200);
        assert_eq!(listed.json(), json!([expected]));
        let hidden = format!("/loans/{}/collateral", loans[1]);
        world.client.get(&officer, &hidden).await.expect_problem(404, "not-found");
        world
    })
    .await;
}

#[tokio::test]
async fn a_collateral_of_only_hidden_loans_is_not_found() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = book(&world, &admin, &["officer", "teller"]).await;
        // Seeing its contact does not help: it secures a loan.
        let id = collateral(&world, Some(contact(&world, 1).await), &[loans[1]]).await;
        add(&world, "collateral_locations", id, "city", "'Newark'").await;
        add(
            &world,
            "collateral_descriptions",
            id,
            "description, modified_by_user_id, modified_date",
            "'Red', 1, NOW",
        )
        .await;
        let titles = "title_type, title_status, branded_title";
        add(&world, "collateral_vehicles", id, titles, "'paper', 'perfected', 'none'").await;
        let officer = world.token("officer").await;
        for tail in ["", "/vehicle", "/location", "/insurance", "/taxes", "/description"] {
            let path = format!("/loans/collateral/{id}{tail}");
            world.client.get(&officer, &path).await.expect_problem(404, "not-found");
            world.client.get(&admin, &path).await.expect(200);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_collateral_without_loans_is_visible_with_its_contact() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        book(&world, &admin, &["officer", "officer"]).await;
        let others = "UPDATE contacts SET contact_officer_user_id = (SELECT user_id FROM users \
                      WHERE user_name = 'teller') WHERE contact_number = 'C-2'";
        world.sql(others).await;
        let officer = world.token("officer").await;
        let nobodys = collateral(&world, None, &[]).await;
        let seen = collateral(&world, Some(contact(&world, 1).await), &[]).await;
        let hidden = collateral(&world, Some(contact(&world, 2).await), &[]).await;
        let get =
            async |id: i64| world.client.get(&officer, &format!("/loans/collateral/{id}")).await;
        let response = get(nobodys).await.expect(200).json();
        assert_eq!(response["Linked_Loan_IDs"], json!([]));
        assert_eq!(response.get("Contact_ID"), None);
        assert_eq!(get(seen).await.expect(200).json()["Contact_ID"], contact(&world, 1).await);
        get(hidden).await.expect_problem(404, "not-found");
        world
    })
    .await;
}

#[tokio::test]
async fn missing_collateral_parts_are_not_found_and_their_lists_empty() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = book(&world, &admin, &["officer"]).await;
        let list = format!("/loans/{}/collateral", loans[0]);
        assert_eq!(world.client.get(&admin, &list).await.expect(200).json(), json!([]));
        let id = collateral(&world, None, &loans).await;
        for tail in ["vehicle", "location", "description"] {
            let path = format!("/loans/collateral/{id}/{tail}");
            world.client.get(&admin, &path).await.expect_problem(404, "not-found");
        }
        for tail in ["insurance", "taxes"] {
            let path = format!("/loans/collateral/{id}/{tail}");
            assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), json!([]));
            let missing = format!("/loans/collateral/{}/{tail}", id + 1);
            world.client.get(&admin, &missing).await.expect_problem(404, "not-found");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn vehicle_policies_taxes_and_description_show_what_is_stored() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = book(&world, &admin, &["officer"]).await;
        let id = collateral(&world, None, &loans).await;
        let other = collateral(&world, None, &loans).await;
        let columns = "vin, year, original_miles, title_type, title_status, title_status_date, \
                       branded_title, purchase_price, comments";
        let values = "'1HGCM82633A004352', 2003, 0, 'electronic', 'not_received', '2024-02-29', \
                      'salvage', 300000000, 'Rückläufer'";
        add(&world, "collateral_vehicles", id, columns, values).await;
        let columns = "company, policy_number, coverage_type, coverage_amount, effective_date, \
                       loss_payee_flag, force_placed_flag, status";
        for (owner, number) in [(id, "P-1"), (other, "P-2"), (id, "P-3")] {
            let values = format!(
                "'Insurer', '{number}', 'flood', 10000, '2024-01-01', true, false, 'cancelled'"
            );
            add(&world, "collateral_insurance_policies", owner, columns, &values).await;
        }
        let columns = "authority, tax_year, tax_amount, due_date, delinquent_flag";
        add(&world, "collateral_taxes", id, columns, "'County', 2024, 1, '2024-12-31', true").await;
        let columns = "description, modified_by_user_id, modified_date";
        add(&world, "collateral_descriptions", id, columns, "'Red', 1, NOW").await;
        let get = async |tail: &str| -> Value {
            let path = format!("/loans/collateral/{id}/{tail}");
            world.client.get(&admin, &path).await.expect(200).json()
        };
        let vehicle = json!({
            "Collateral_ID": id, "VIN": "1HGCM82633A004352", "Year": 2003, "Original_Miles": 0,
            "Title_Type": "electronic", "Title_Status": "not_received",
            "Title_Status_Date": "2024-02-29", "Branded_Title": "salvage",
            "Purchase_Price": "30000.00", "Comments": "Rückläufer",
        });
        assert_eq!(get("vehicle").await, vehicle);
        let policies = get("insurance").await;
        assert_eq!(policies.as_array().map(Vec::len), Some(2));
        let policy = json!({
            "Row_ID": policies[0]["Row_ID"], "Collateral_ID": id, "Company": "Insurer",
            "Policy_Number": "P-1", "Coverage_Type": "flood", "Coverage_Amount": "1.00",
            "Effective_Date": "2024-01-01", "Loss_Payee_Flag": true, "Force_Placed_Flag": false,
            "Status": "cancelled",
        });
        assert_eq!((&policies[0], &policies[1]["Policy_Number"]), (&policy, &json!("P-3")));
        let taxes = get("taxes").await;
        let tax = json!([{
            "Row_ID": taxes[0]["Row_ID"], "Collateral_ID": id, "Authority": "County",
            "Tax_Year": 2024, "Tax_Amount": "0.0001", "Due_Date": "2024-12-31",
            "Delinquent_Flag": true,
        }]);
        assert_eq!(taxes, tax);
        let description = json!({
            "Collateral_ID": id, "Description": "Red", "Modified_By_User_ID": 1,
            "Modified_Date": "2020-01-01T00:00:00Z",
        });
        assert_eq!(get("description").await, description);
        world
    })
    .await;
}

#[tokio::test]
async fn a_location_at_a_contact_shows_the_contacts_address_if_visible() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = book(&world, &admin, &["officer"]).await;
        let id = collateral(&world, None, &loans).await;
        let contact_id = contact(&world, 1).await;
        // Columns stored next to the contact's id do not count.
        let values = format!("{contact_id}, 'Stale Street 1', 'Newark'");
        add(&world, "collateral_locations", id, "contact_id, street_address1, city", &values).await;
        let own = collateral(&world, None, &loans).await;
        let columns = "company_name, street_address1, zip";
        add(&world, "collateral_locations", own, columns, "'Yard', 'Own Street 1', '07102'").await;
        let address = format!(
            "UPDATE contacts SET first_name1 = 'Ana', street_address1 = 'Main Street 1', \
             state = 'NJ', work_phone = '555-0100' WHERE contact_id = {contact_id}"
        );
        world.sql(&address).await;
        let officer = world.token("officer").await;
        let get = async |id: i64| {
            let path = format!("/loans/collateral/{id}/location");
            world.client.get(&officer, &path).await.expect(200).json()
        };
        let whole = json!({
            "Collateral_ID": id, "Contact_ID": contact_id, "Contact_Name": "Ana Borrower 1",
            "Street_Address1": "Main Street 1", "State": "NJ", "Phone": "555-0100",
        });
        assert_eq!(get(id).await, whole);
        let yard = json!({
            "Collateral_ID": own, "Company_Name": "Yard", "Street_Address1": "Own Street 1",
            "Zip": "07102",
        });
        assert_eq!(get(own).await, yard);
        let others = "UPDATE contacts SET contact_officer_user_id = \
                      (SELECT user_id FROM users WHERE user_name = 'teller')";
        world.sql(others).await;
        assert_eq!(get(id).await, json!({"Collateral_ID": id}));
        assert_eq!(get(own).await, yard);
        world
    })
    .await;
}
