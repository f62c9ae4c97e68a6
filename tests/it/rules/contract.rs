//! The contract: the committed document equals the served one and follows its own rules, and the
//! sample settings match the servers.
//!
//! After a change of the API or of settings, `UPDATE_OPENAPI=1 cargo test -p acceptance contract`
//! regenerates them. The interface's own document changes only with `UPDATE_INTERFACE=1`, and only in
//! what clients of the interface need not know, such as the kinds of problems.

use serde_json::Value;
use shared::entity::json_names::json_name;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn document() -> Value {
    serde_json::from_str(api_server::router::document()).expect("JSON")
}

#[test]
fn the_committed_contract_matches_the_served_one() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../api-server/openapi.json");
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(&path, api_server::router::document()).expect("written");
    }
    let committed = std::fs::read_to_string(&path).expect("api-server/openapi.json");
    assert!(
        committed == api_server::router::document(),
        "api-server/openapi.json is not up to date: see the head of this file"
    );
}

#[test]
fn the_interface_alone_is_as_it_was_before_the_extensions() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../api-server");
    let path = path.join("openapi-interface.json");
    if std::env::var_os("UPDATE_INTERFACE").is_some() {
        std::fs::write(&path, &api_server::router::contract(false).document).expect("written");
    }
    let before = std::fs::read_to_string(path).expect("a document");
    assert!(api_server::router::contract(false).document == before, "the interface has changed");
    let interface = &api_server::router::contract(false).schemas.operations;
    // The download of a file is not counted among them.
    assert_eq!(interface.all().count(), 86 + 1);
}

#[test]
fn only_what_is_not_in_the_interface_is_marked_as_an_extension() {
    let (all, interface) = (document(), &api_server::router::contract(false).document);
    let interface: Value = serde_json::from_str(interface).expect("JSON");
    assert!(!interface.to_string().contains("x-extension"));
    for (path, operations) in all["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            let own = &interface["paths"][path][method];
            assert_eq!(operation["x-extension"] == true, own.is_null(), "{method} {path}");
            if own.is_null() {
                continue;
            }
            let mut without = operation.clone();
            let parameters = without.get_mut("parameters").and_then(Value::as_array_mut);
            if let Some(parameters) = parameters {
                parameters.retain(|parameter| parameter["x-extension"] != true);
            }
            assert_eq!(&without, own, "{method} {path}");
        }
    }
}

#[test]
fn the_sample_settings_list_every_setting() {
    use shared::settings::sample;
    for (server, settings) in [
        ("auth-server", auth_server::config::SETTINGS),
        ("api-server", api_server::config::SETTINGS),
    ] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../deploy");
        let path = path.join(format!("{server}.env.sample"));
        if std::env::var_os("UPDATE_OPENAPI").is_some() {
            std::fs::write(&path, sample(settings)).expect("written");
        }
        let committed = std::fs::read_to_string(&path).expect("a sample");
        assert!(committed == sample(settings), "{server}: see the head of this file");
    }
}

#[test]
fn every_operation_is_described_secured_and_in_the_access_table() {
    let document = document();
    assert_eq!(document["info"]["version"], "12.0.0");
    let mut ids = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            let id = operation["operationId"].as_str().expect("an operation id");
            assert!(ids.insert(id.to_owned()), "{id} appears twice");
            assert!(operation["summary"].is_string(), "{id} has no summary");
            assert_eq!(operation["security"][0]["bearer"], Value::Array(Vec::new()), "{id}");
            assert!(operation["tags"][0].is_string(), "{id} has no tag");
            for (status, response) in operation["responses"].as_object().expect("responses") {
                let pointer = response["$ref"].as_str().unwrap_or_default().trim_start_matches('#');
                let response =
                    if pointer.is_empty() { Some(response) } else { document.pointer(pointer) };
                let response = response.unwrap_or_else(|| panic!("{pointer} is nowhere"));
                let described = response["description"].as_str().unwrap_or_default();
                assert!(!described.is_empty(), "{id} {status}");
            }
            assert!(operation["responses"]["default"].is_object(), "{id} has no problem");
            let method = method.to_uppercase().parse().expect("a method");
            let candidates = api_server::router::operations().find(&method, path);
            assert_eq!(candidates.map(|candidates| candidates.id), Some(id));
        }
    }
    assert_eq!(ids.len(), api_server::router::operations().all().count());
}

#[test]
fn only_formats_known_to_generators_are_used() {
    fn walk(value: &Value, formats: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(format)) = members.get("format") {
                    formats.insert(format.clone());
                }
                members.values().for_each(|value| walk(value, formats));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, formats)),
            _ => {}
        }
    }
    let mut formats = BTreeSet::new();
    walk(&document(), &mut formats);
    let candidates = ["binary", "date", "date-time", "int32", "int64"].map(str::to_owned);
    assert!(formats.is_subset(&candidates.into()), "{formats:?}");
    assert!(!document().to_string().contains(":null"), "a member that is not there is left out");
    assert!(!api_server::router::document().contains("charset"));
}

#[test]
fn members_are_named_after_their_columns() {
    use sea_orm::{EntityTrait, IdenStatic, Iterable};
    fn check<E: EntityTrait>(document: &Value, schema: &str) {
        let properties = &document["components"]["schemas"][schema]["properties"];
        for column in E::Column::iter() {
            let name = json_name(column.as_str());
            assert!(properties[&name].is_object(), "{schema} has no {name}");
        }
    }
    let document = document();
    check::<shared::entity::loans::Entity>(&document, "Loan");
    check::<shared::entity::loan_transactions::Entity>(&document, "LoanTransaction");
    check::<shared::entity::contacts::Entity>(&document, "Contact");
    check::<shared::entity::recurring_transactions::Entity>(&document, "RecurringTransaction");
    check::<shared::entity::automated_payments::Entity>(&document, "AutomatedPayment");
    check::<shared::entity::credit_lines::Entity>(&document, "CreditLine");
    check::<shared::entity::collaterals::Entity>(&document, "Collateral");
    check::<shared::entity::collateral_vehicles::Entity>(&document, "CollateralVehicle");
    check::<shared::entity::collateral_locations::Entity>(&document, "CollateralLocation");
    check::<shared::entity::collateral_insurance_policies::Entity>(&document, "InsurancePolicy");
    check::<shared::entity::collateral_taxes::Entity>(&document, "CollateralTax");
    check::<shared::entity::collateral_descriptions::Entity>(&document, "CollateralDescription");
    check::<shared::entity::comments::Entity>(&document, "Comment");
    check::<shared::entity::documents::Entity>(&document, "Document");
    check::<shared::entity::credit_profiles::Entity>(&document, "CreditProfile");
    check::<shared::entity::user_defined_fields::Entity>(&document, "FieldDefinition");
    check::<shared::entity::users::Entity>(&document, "User");
    check::<shared::entity::payment_gateway_tokens::Entity>(&document, "CreditCard");
    check::<shared::entity::cash_drawers::Entity>(&document, "CashDrawer");
    check::<shared::entity::cash_drawer_assignments::Entity>(&document, "DrawerAssignedUser");
    check::<shared::entity::cash_drawer_sessions::Entity>(&document, "DrawerActiveUser");
    check::<shared::entity::cash_drawer_reconciliations::Entity>(&document, "Reconciliation");
    check::<shared::entity::cash_drawer_transactions::Entity>(&document, "DrawerTransaction");
    check::<shared::entity::loan_groups::Entity>(&document, "LoanGroup");
    check::<shared::entity::payment_methods::Entity>(&document, "PaymentMethod");
    check::<shared::entity::portfolios::Entity>(&document, "Portfolio");
    check::<shared::entity::loan_status_codes::Entity>(&document, "LoanStatusCode");
    check::<shared::entity::risk_ratings::Entity>(&document, "RiskRating");
    check::<shared::entity::interest_plans::Entity>(&document, "InterestPlan");
    check::<shared::entity::entities::Entity>(&document, "Entity");
    check::<shared::entity::relationship_codes::Entity>(&document, "RelationshipCode");
    check::<shared::entity::contact_types::Entity>(&document, "ContactType");
}
