//! Every element of the format: inserted, changed, deleted, read back through the API, and recorded
//! in the field history.

use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

/// One of each element.
pub const EVERYTHING: &str = r#"<Core CommitBlock="1" EnforceTagExistence="1">
  <Contact ContactNumber="C-1" ContactTypeCode="BORROWER" EntityCode="INDIVIDUAL" FirstName1="Ana"
           LastName1="Rivera" StreetAddress1="1 Main Street" City="Newark" StoreRecordID="ana">
    <Detail Userdef01="Ana" Userdef02="Spanish"/>
    <Demographics Userdef01="Teacher" Userdef03="2"/>
    <Financials Userdef01="4200.5" Userdef03="true"/>
    <Address RelationshipCode="PREVIOUS" StreetAddress1="7 Old Mill Road" City="Austin"
             FromDate="2019-01-01" ToDate="2023-06-30"/>
    <Comment CommentCategoryCode="GENERAL" Priority="high" ActionDate="2030-01-02">Prefers e-mail.</Comment>
    <WebCredentials WebUserName="ana.rivera" Password="a long pass phrase"/>
  </Contact>
  <Contact ContactNumber="C-2" ContactTypeCode="BORROWER" EntityCode="COMPANY" Company="Co-signers"/>
  <Loan LoanNumber="L-1" GetRecordID="ana" LoanGroupCode="CONSUMER" PortfolioCode="MAIN"
        OriginationDate="2024-01-15" LoanAmount="28000.00" InterestRate="14.07" PaymentPeriod="none"
        LoanType="revolving" LateChargeBalance="25.00" FeesBalance="10.00" ImpoundBalance="120.50"
        SuspenseBalance="3.00" LoanOfficerUserName="officer">
    <Detail1 Userdef01="Dealer" Userdef04="2024-01-31"/>
    <Detail2 Userdef01="true"/>
    <InterestRate EffectiveDate="2025-01-15" InterestRate="12.5"/>
    <Relationship ContactNumber="C-2" RelationshipCode="COBORROWER" WebAccessFlag="true"/>
    <CreditLine Name="Main line" CreditLineLimit="30000.00"/>
    <CreditLine Name="Cash" CreditLineLimit="1000.00" TransactionCode="110" DrawUntilType="fixed_date"
                DrawUntilDate="2030-12-31" MinDrawAmount="50.00"/>
    <RecurringTransaction Description="Statement fee" EventType="billing" EventStartDate="2024-02-01"
                          EventPeriod="monthly" TransactionCode="142" TransactionAmount="1.50"/>
    <RecurringTransaction Description="Servicing" EventType="daily_accrual" EventStartDate="2024-02-01"
                          EventPeriod="none" TransactionCode="142" AnnualPercentage="0.25"
                          Numerator="ACT" Denominator="365"/>
    <AutomatedPayment Description="Salary account" PaymentType="ach" BankRoutingNumber="021000021"
                      BankAccountNumber="123456789" BankAccountType="checking" AmountType="fixed"
                      Amount="652.53" BillingType="recurring" BillingPeriod="monthly"
                      StartDate="2024-02-15" TempGracePeriod="3"/>
    <Collateral CollateralCode="AUTO" NumberOfUnits="1" PricePerUnit="30000.00" PercentageValue="80"
                Description="Four doors.">
      <Vehicle VIN="1HGCM82633A004352" Year="2003" TitleType="electronic"/>
      <Location ContactName="Ana" City="Newark" Phone="555-0100"/>
      <Insurance Company="Harbor Mutual" PolicyNumber="HM-1" CoverageType="collision"
                 DeductibleAmount="500.00"/>
      <Tax Authority="Essex County" TaxYear="2024" TaxAmount="2130.40" DueDate="2024-11-01"/>
      <Comment CommentCategoryCode="GENERAL">Two keys.</Comment>
    </Collateral>
    <Comment CommentCategoryCode="GENERAL" PinnedFlag="true">Call before noon.</Comment>
  </Loan>
</Core>
"#;

/// The id of the first result with this element.
fn id(result: &Value, element: &str) -> i64 {
    ids(result, element)[0]
}

fn ids(result: &Value, element: &str) -> Vec<i64> {
    let records = result["Records"].as_array().expect("records").iter();
    let of_element = records.filter(|record| record["Element"] == element);
    of_element.map(|record| record["New_ID"].as_i64().expect("an id")).collect()
}

async fn read(world: &World, path: &str) -> Value {
    let admin = world.token("admin").await;
    world.client.get(&admin, path).await.expect(200).json()
}

/// Selects members of an object by name.
fn select_members(value: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| ((*name).to_owned(), value[*name].clone())).collect()
}

/// Checks the loan of [`EVERYTHING`] and the elements that only loans have.
async fn check_loan(world: &World, result: &Value) {
    let loan = id(result, "Loan");
    let row = read(world, &format!("/loans/{loan}")).await;
    let expected = json!({"Current_Principal_Balance": "28000.00",
        "Current_Late_Charge_Balance": "25.00", "Current_Fees_Balance": "10.00",
        "Current_Impound_Balance": "120.50", "Current_Suspense_Balance": "3.00",
        "Current_Interest_Rate": "12.50", "Loan_Type": "revolving"});
    let members: Vec<&str> = expected.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(select_members(&row, &members), expected);
    let transactions = read(world, &format!("/loans/{loan}/transactions")).await;
    let own = |row: &Value| row["Transaction_Reference_No"] == row["Transaction_ID"];
    assert!(transactions.as_array().unwrap().iter().all(own), "{transactions}");
    assert_eq!(transactions.as_array().unwrap().len(), 5);
    let lines = read(world, &format!("/loans/{loan}/credit-lines")).await;
    assert_eq!(
        (&lines[0]["Name"], &lines[1]["Min_Draw_Amount"]),
        (&json!("Main line"), &json!("50.00"))
    );
    let recurring = read(world, &format!("/loans/{loan}/recurring-transactions")).await;
    assert_eq!(recurring[0]["Next_Event_Date"], "2024-02-01");
    assert_eq!(recurring[1]["Amount_Type"], "annual_percent_of_principal");
    let automated = id(result, "AutomatedPayment");
    let automated = read(world, &format!("/loans/automated-payments/{automated}")).await;
    assert_eq!(automated["Bank_Account_Number"], "123456789");
    assert_eq!(
        (&automated["Temp_Grace_Period"], &automated["Next_Date"]),
        (&json!(3), &json!("2024-02-15"))
    );
}

/// Checks its collateral, and the comments on both.
async fn check_collateral(world: &World, result: &Value) {
    let (loan, comments) = (id(result, "Loan"), ids(result, "Comment"));
    let collateral = format!("/loans/collateral/{}", id(result, "Collateral"));
    let row = read(world, &collateral).await;
    assert_eq!((&row["Net_Value"], &row["Linked_Loan_IDs"]), (&json!("24000.00"), &json!([loan])));
    for (part, member, value) in [
        ("vehicle", "VIN", "1HGCM82633A004352"),
        ("location", "Phone", "555-0100"),
        ("description", "Description", "Four doors."),
    ] {
        assert_eq!(read(world, &format!("{collateral}/{part}")).await[member], value);
    }
    let insurance = read(world, &format!("{collateral}/insurance")).await;
    assert_eq!(
        (&insurance[0]["Row_ID"], &insurance[0]["Status"]),
        (&json!(id(result, "Insurance")), &json!("active"))
    );
    let taxes = read(world, &format!("{collateral}/taxes")).await;
    assert_eq!(
        (&taxes[0]["Row_ID"], &taxes[0]["Tax_Amount"]),
        (&json!(id(result, "Tax")), &json!("2130.40"))
    );
    let on_collateral = format!("/loans/collateral/comments/{}", comments[1]);
    assert_eq!(read(world, &on_collateral).await["Comment"], "Two keys.");
    assert_eq!(read(world, &format!("/loans/comments/{}", comments[2])).await["Pinned_Flag"], true);
}

#[tokio::test]
async fn the_example_of_the_documentation_is_imported() {
    let documentation = include_str!("../../../../../api-server/src/endpoints/docs/start.md");
    let topic = documentation.split("\n## ").find(|topic| topic.starts_with("import-format: "));
    let example = topic.and_then(|topic| topic.split("```\n").nth(1)).expect("an example");
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let result = world.client.import(&admin, true, example, None).await.expect(200).json();
        assert_eq!((&result["Failed"], &result["Read"]), (&json!(0), &json!(3)), "{result}");
        world
    })
    .await;
}

#[tokio::test]
async fn every_element_is_imported_and_readable() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let result = world.import(&world.token("admin").await, EVERYTHING).await;
        assert_eq!((&result["Read"], &result["Inserted"]), (&json!(17), &json!(17)), "{result}");
        let contact = id(&result, "Contact");
        let detail = read(&world, &format!("/contacts/{contact}/detail")).await;
        assert_eq!((&detail[0]["Value"], &detail[1]["Value"]), (&json!("Ana"), &json!("Spanish")));
        let comments = ids(&result, "Comment");
        let comment = read(&world, &format!("/contacts/comments/{}", comments[0])).await;
        let expected = json!({"Comment": "Prefers e-mail.", "Priority": "high",
            "Action_Date": "2030-01-02", "Pinned_Flag": false});
        let members = ["Comment", "Priority", "Action_Date", "Pinned_Flag"];
        assert_eq!(select_members(&comment, &members), expected);
        let address = "SELECT street_address1 FROM contact_addresses";
        assert_eq!(world.text(address).await, "7 Old Mill Road");
        world.client.log_in("web", "ana.rivera", "a long pass phrase").await.expect("a token");

        check_loan(&world, &result).await;
        check_collateral(&world, &result).await;
        world
    })
    .await;
}

/// Each element with no more than an insertion needs.
const MINIMAL: &str = r#"
<Core CommitBlock="1">
  <Contact ContactNumber="C-1" ContactTypeCode="BORROWER" EntityCode="COMPANY" Company="One">
    <WebCredentials WebUserName="company.one" Password="a long pass phrase"/>
  </Contact>
  <Contact ContactNumber="C-2" ContactTypeCode="BORROWER" EntityCode="COMPANY" Company="Two"/>
  <Loan LoanNumber="L-1" ContactNumber="C-1" LoanGroupCode="CONSUMER" PortfolioCode="MAIN"
        OriginationDate="2024-01-15" LoanAmount="1000.00" InterestRate="10" NumberOfPayments="12"
        FirstPaymentDate="2024-02-15">
    <Relationship ContactNumber="C-2" RelationshipCode="COBORROWER"/>
    <CreditLine Name="Main line" CreditLineLimit="5000.00"/>
    <RecurringTransaction Description="Fee" EventType="billing" EventStartDate="2024-02-01"
                          EventPeriod="monthly" TransactionCode="142" TransactionAmount="1.50"/>
    <AutomatedPayment Description="Salary" PaymentType="ach" BankRoutingNumber="021000021"
                      BankAccountNumber="123456789" BankAccountType="checking" AmountType="fixed"
                      Amount="90.00" BillingType="billing" StartDate="2024-02-15"/>
    <Collateral CollateralCode="AUTO" PricePerUnit="500.00">
      <Insurance Company="Harbor Mutual" PolicyNumber="HM-1" CoverageType="collision"/>
    </Collateral>
    <Comment CommentCategoryCode="GENERAL">Call before noon.</Comment>
  </Loan>
</Core>
"#;

/// The row that [`MINIMAL`] inserts into each table.
const DEFAULTS: [(&str, &str); 9] = [
    ("web_credentials", "web_access_flag = true"),
    (
        "loans",
        "loan_type = 'term' AND interest_year_numerator = 'ACT' AND interest_year_denominator = '365' \
         AND payment_period = 'monthly' AND advance_days = 21 AND excess_handling = 'principal' \
         AND interest_start_date = origination_date AND payment_day = 15",
    ),
    ("loan_contacts", "web_access_flag = false"),
    ("credit_lines", "min_draw_amount IS NULL AND draw_until_date IS NULL"),
    (
        "recurring_transactions",
        "active_flag = true AND amount_type = 'fixed' AND next_event_date = event_start_date",
    ),
    (
        "automated_payments",
        "status = 'active' AND debit_or_credit = 'debit' AND billing_period = 'none' \
         AND temp_grace_period = 0 AND next_date = start_date",
    ),
    ("collaterals", "number_of_units = 1 AND net_value = price_per_unit"),
    (
        "collateral_insurance_policies",
        "loss_payee_flag = false AND force_placed_flag = false AND status = 'active'",
    ),
    ("comments", "pinned_flag = false AND action_date IS NULL"),
];

#[tokio::test]
async fn omitted_attributes_have_defaults_and_a_net_value_follows_each_factor() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let result = world.import(&admin, MINIMAL).await;
        for (table, defaults) in DEFAULTS {
            let rows = world.count(&format!("SELECT COUNT(*) FROM {table}")).await;
            let right =
                world.count(&format!("SELECT COUNT(*) FROM {table} WHERE {defaults}")).await;
            assert_eq!((rows, right), (1, 1), "{table}: {defaults}");
        }
        let collateral = id(&result, "Collateral");
        for (factor, value, net_value) in [
            ("PercentageValue", "80", "400.00"),
            ("NumberOfUnits", "3", "1200.00"),
            ("PricePerUnit", "0.01", "0.02"),
            ("NetValue", "7.00", "7.00"),
        ] {
            let change = format!(
                "<Loan UpdateFlag=\"1\" LoanNumber=\"L-1\"><Collateral UpdateFlag=\"1\" \
                 CollateralID=\"{collateral}\" {factor}=\"{value}\"/></Loan>"
            );
            world.import(&admin, &file(&change)).await;
            let row = read(&world, &format!("/loans/collateral/{collateral}")).await;
            assert_eq!(row["Net_Value"], net_value, "{factor}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn the_history_records_each_imported_column_once() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let result = world.import(&world.token("admin").await, EVERYTHING).await;
        let (contact, loan) = (id(&result, "Contact"), id(&result, "Loan"));
        let duplicates = "SELECT COUNT(*) FROM (SELECT table_name, record_id, field_name FROM \
                     field_changes GROUP BY table_name, record_id, field_name HAVING COUNT(*) > 1) x";
        assert_eq!(world.count(duplicates).await, 0);
        let odd = "SELECT COUNT(*) FROM field_changes WHERE source <> 'xml' OR old_value IS NOT NULL \
                   OR new_value IS NULL OR record_id <= 0 OR modified_by_user_id IS NULL";
        assert_eq!(world.count(odd).await, 0);
        let history_of = async |owner: &str, owner_id: i64| {
            let tables = format!(
                "SELECT DISTINCT table_name FROM field_changes WHERE {owner} = {owner_id} ORDER BY 1"
            );
            world.texts(&tables).await
        };
        assert_eq!(
            history_of("contact_id", contact).await,
            ["comments", "contact_addresses", "contact_demographics", "contact_detail",
                "contact_financials", "contacts", "web_credentials"]
        );
        assert_eq!(
            history_of("loan_id", loan).await,
            ["automated_payments", "collateral_descriptions", "collateral_insurance_policies",
                "collateral_locations", "collateral_taxes", "collateral_vehicles", "collaterals",
                "comments", "credit_lines", "loan_collaterals", "loan_contacts", "loan_detail1",
                "loan_detail2", "loan_interest_rates", "loans", "recurring_transactions"]
        );
        let history = read(&world, &format!("/contacts/{contact}/field-history?tableName=contact_detail")).await;
        let expected = json!({"Field_Name": "Userdef01", "Field_Label": "Preferred name",
            "New_Value": "Ana", "Record_ID": contact, "Source": "xml"});
        let members = ["Field_Name", "Field_Label", "New_Value", "Record_ID", "Source"];
        assert_eq!(select_members(&history[0], &members), expected);
        let link = format!("SELECT COUNT(*) FROM field_changes WHERE table_name = 'loans' AND field_name = 'Contact_ID' AND new_value = '{contact}'");
        assert_eq!(world.count(&link).await, 1, "keys stand in the history, no numbers below zero");
        world
    })
    .await;
}

/// A file that deletes each element of [`EVERYTHING`] that can be deleted individually.
fn delete_each_element(result: &Value) -> String {
    let id_of = |element: &str| id(result, element);
    let (comments, collateral) = (ids(result, "Comment"), id_of("Collateral"));
    let loan = format!(
        "<Loan UpdateFlag=\"1\" LoanNumber=\"L-1\"><Detail1 UpdateFlag=\"2\"/>\
         <InterestRate UpdateFlag=\"2\" EffectiveDate=\"2025-01-15\"/>\
         <Relationship UpdateFlag=\"2\" ContactNumber=\"C-2\" RelationshipCode=\"COBORROWER\"/>\
         <CreditLine UpdateFlag=\"2\" CreditlineID=\"{}\"/>\
         <RecurringTransaction UpdateFlag=\"2\" RowID=\"{}\"/>\
         <AutomatedPayment UpdateFlag=\"2\" RowID=\"{}\"/>\
         <Comment UpdateFlag=\"2\" CommentID=\"{}\"/>\
         <Collateral UpdateFlag=\"1\" CollateralID=\"{collateral}\"><Tax UpdateFlag=\"2\" RowID=\"{}\"/>\
         <Vehicle UpdateFlag=\"2\"/></Collateral>\
         <Collateral UpdateFlag=\"2\" CollateralID=\"{collateral}\"/></Loan>",
        id_of("CreditLine"),
        id_of("RecurringTransaction"),
        id_of("AutomatedPayment"),
        comments[2],
        id_of("Tax"),
    );
    let contact = format!(
        "<Contact UpdateFlag=\"1\" ContactNumber=\"C-1\"><Demographics UpdateFlag=\"2\"/>\
         <Address UpdateFlag=\"2\" RowID=\"{}\"/><Comment UpdateFlag=\"2\" CommentID=\"{}\"/>\
         <WebCredentials UpdateFlag=\"2\"/></Contact>",
        id_of("Address"),
        comments[0],
    );
    file(&[loan, contact].concat())
}

#[tokio::test]
async fn every_element_can_be_updated_and_deleted() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        let result = world.import(&admin, EVERYTHING).await;
        let id_of = |element: &str| id(&result, element);
        let comments = ids(&result, "Comment");
        let collateral = id_of("Collateral");
        let change = file(&format!(
            "<Contact UpdateFlag=\"1\" ContactNumber=\"C-1\">\
             <Detail UpdateFlag=\"1\" Userdef01=\"Anita\" Userdef02=\"##NULL##\"/>\
             <Address UpdateFlag=\"1\" RowID=\"{}\" City=\"Dallas\"/>\
             <Comment UpdateFlag=\"1\" CommentID=\"{}\">Prefers the phone.</Comment></Contact>\
             <Loan UpdateFlag=\"1\" LoanNumber=\"L-1\">\
             <InterestRate UpdateFlag=\"1\" EffectiveDate=\"2025-01-15\" InterestRate=\"12\"/>\
             <CreditLine UpdateFlag=\"1\" CreditlineID=\"{}\" CreditLineLimit=\"31000.00\"/>\
             <RecurringTransaction UpdateFlag=\"1\" RowID=\"{}\" ActiveFlag=\"false\"/>\
             <AutomatedPayment UpdateFlag=\"1\" RowID=\"{}\" Status=\"disabled\" Amount=\"700.00\"/>\
             <Collateral UpdateFlag=\"1\" CollateralID=\"{collateral}\" PricePerUnit=\"20000.00\" Description=\"Five doors.\">\
             <Vehicle UpdateFlag=\"1\" Color=\"Red\"/><Location City=\"Trenton\"/>\
             <Insurance UpdateFlag=\"1\" RowID=\"{}\" Status=\"cancelled\" CancelDate=\"2025-02-01\"/>\
             <Tax UpdateFlag=\"1\" RowID=\"{}\" PaidDate=\"2024-10-30\"/>\
             <Comment UpdateFlag=\"1\" CommentID=\"{}\" Priority=\"low\"/></Collateral></Loan>",
            id_of("Address"), comments[0], id_of("CreditLine"), id_of("RecurringTransaction"),
            id_of("AutomatedPayment"), id_of("Insurance"), id_of("Tax"), comments[1],
        ));
        let changed = world.import(&admin, &change).await;
        assert_eq!((&changed["Updated"], &changed["Read"]), (&json!(12), &json!(12)), "{changed}");
        let detail = read(&world, &format!("/contacts/{}/detail", id_of("Contact"))).await;
        assert_eq!((&detail[0]["Value"], detail[1].get("Value")), (&json!("Anita"), None));
        let comment = read(&world, &format!("/contacts/comments/{}", comments[0])).await;
        assert_eq!(comment["Comment"], "Prefers the phone.");
        assert!(comment["Modified_Date"].is_string(), "{comment}");
        let row = read(&world, &format!("/loans/collateral/{collateral}")).await;
        assert_eq!(row["Net_Value"], "16000.00", "it follows from its factors");
        let vehicle = read(&world, &format!("/loans/collateral/{collateral}/vehicle")).await;
        assert_eq!((&vehicle["Color"], &vehicle["Year"]), (&json!("Red"), &json!(2003)));
        let location = read(&world, &format!("/loans/collateral/{collateral}/location")).await;
        assert_eq!((&location["City"], &location["Phone"]), (&json!("Trenton"), &json!("555-0100")));
        let unchanged = world.import(&admin, &change).await;
        assert_eq!(unchanged["Updated"], 12);
        let changes_sql = "SELECT COUNT(*) FROM field_changes \
                           WHERE field_name = 'City' AND new_value = 'Dallas'";
        assert_eq!(world.count(changes_sql).await, 1, "what does not change is not told");

        let deleted = world.import(&admin, &delete_each_element(&result)).await;
        assert_eq!((&deleted["Deleted"], &deleted["Failed"]), (&json!(10), &json!(0)), "{deleted}");
        for (table, remaining) in [
            ("collaterals", 0), ("loan_collaterals", 0), ("collateral_insurance_policies", 0),
            ("collateral_locations", 0), ("collateral_descriptions", 0), ("comments", 0),
            ("contact_addresses", 0), ("web_credentials", 0), ("automated_payments", 0),
            ("recurring_transactions", 1), ("credit_lines", 1), ("loan_contacts", 0),
            ("loan_interest_rates", 1), ("user_defined_values", 4),
        ] {
            let count = world.count(&format!("SELECT COUNT(*) FROM {table}")).await;
            assert_eq!(count, remaining, "{table}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn deleted_records_leave_only_history() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        let before = world.snapshot().await;
        // Without opening balances, because a loan with more than its advance cannot be deleted.
        let everything = EVERYTHING.replace("LateChargeBalance=\"25.00\" FeesBalance=\"10.00\" ImpoundBalance=\"120.50\"", "")
            .replace("SuspenseBalance=\"3.00\"", "");
        world.import(&admin, &everything).await;
        let delete = "<Loan UpdateFlag=\"2\" LoanNumber=\"L-1\"/>\
             <Contact UpdateFlag=\"2\" ContactNumber=\"C-1\"/><Contact UpdateFlag=\"2\" ContactNumber=\"C-2\"/>";
        let deleted = world.import(&admin, &file(delete)).await;
        assert_eq!(deleted["Deleted"], 3, "{deleted}");
        let mut after = world.snapshot().await;
        let unpaired = "SELECT COUNT(*) FROM (SELECT table_name, record_id, field_name FROM field_changes \
             GROUP BY table_name, record_id, field_name HAVING COUNT(old_value) <> COUNT(new_value)) x";
        assert_eq!(world.count(unpaired).await, 0, "what came in is told to have gone");
        after.insert("field_changes", before["field_changes"].clone());
        assert_eq!(after, before);
        world
    })
    .await;
}

#[tokio::test]
async fn a_new_address_keeps_the_old_one_as_previous() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        let contact = "<Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" EntityCode=\"COMPANY\" \
             Company=\"One\" StreetAddress1=\"1 First Street\" City=\"Newark\"/>";
        world.import(&admin, &file(contact)).await;
        let change = |attributes: &str| {
            file(&format!("<Contact UpdateFlag=\"1\" ContactNumber=\"C-1\" {attributes}/>"))
        };
        let addresses = "SELECT street_address1 FROM contact_addresses WHERE relationship_code = \
             'PREVIOUS' AND to_date IS NOT NULL ORDER BY row_id";
        world.import(&admin, &change("Email=\"one@example.com\"")).await;
        assert!(world.texts(addresses).await.is_empty(), "the same address");
        world.import(&admin, &change("StreetAddress1=\"2 Second Street\"")).await;
        world.import(&admin, &change("StreetAddress1=\"3 Third Street\"")).await;
        assert_eq!(world.texts(addresses).await, ["1 First Street", "2 Second Street"]);
        world.sql("UPDATE relationship_codes SET auto_prev_addr = (1 = 0)").await;
        world.import(&admin, &change("StreetAddress1=\"4 Fourth Street\"")).await;
        assert_eq!(world.texts(addresses).await.len(), 2, "only where the setup says so");
        world
    })
    .await;
}

#[tokio::test]
async fn collateral_can_secure_several_loans_and_is_deleted_with_the_last() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        let two = [1, 2].map(|number| borrower_with_loan(number, OPEN_TERMS)).concat();
        world.import(&admin, &file(&two)).await;
        let collateral_on = |number: u32, collateral: &str| {
            file(&format!("<Loan UpdateFlag=\"1\" LoanNumber=\"L-{number}\">{collateral}</Loan>"))
        };
        let added =
            world.import(&admin, &collateral_on(1, "<Collateral CollateralCode=\"AUTO\"/>")).await;
        let collateral = id(&added, "Collateral");
        let link = format!("<Collateral CollateralID=\"{collateral}\" Notes=\"shared\"/>");
        world.import(&admin, &collateral_on(2, &link)).await;
        let repeated = world
            .client
            .import(&admin, false, &collateral_on(2, &link), None)
            .await
            .expect(200)
            .json();
        assert_eq!(repeated["Failed"], 1, "{repeated}");
        let row = read(&world, &format!("/loans/collateral/{collateral}")).await;
        assert_eq!(row["Linked_Loan_IDs"].as_array().unwrap().len(), 2);
        assert_eq!(row["Notes"], "shared");
        let changes_sql = "SELECT COUNT(*) FROM field_changes WHERE field_name = 'Notes'";
        assert_eq!(world.count(changes_sql).await, 2, "once for each loan");
        let take = format!("<Collateral UpdateFlag=\"2\" CollateralID=\"{collateral}\"/>");
        world.import(&admin, &collateral_on(1, &take)).await;
        assert_eq!(world.count("SELECT COUNT(*) FROM collaterals").await, 1);
        world.import(&admin, &collateral_on(2, &take)).await;
        assert_eq!(world.count("SELECT COUNT(*) FROM collaterals").await, 0);
        world
    })
    .await;
}
