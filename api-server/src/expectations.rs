//! What a request should have carried, in plain words: the contract says it of every parameter and
//! of every member of a body. The framework's own messages name types of the program.

use crate::contract;
use crate::operations::{self, Operation};
use poem::http::{Method, Uri};
use serde_json::{Map, Value};
use shared::amounts::AmountText;
use shared::problem::Problem;
use shared::time::Day;
use std::sync::LazyLock;

/// The contract, to look things up in.
static CONTRACT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(contract::document()).unwrap_or_default());

/// What is wrong with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The member, as `Denominations[0].Value`.
    pub field: String,
    /// What is wrong with it: nothing of its value.
    pub message: String,
    /// The client gave the member its name, not the contract.
    pub is_foreign: bool,
}

/// A path whose parameter cannot be read. The framework numbers them: `param0`.
pub fn refuse_path(method: &Method, uri: &Uri, number: &str) -> Problem {
    let index = number.trim_start_matches("param").parse().unwrap_or(0);
    let name = operations::parameter_name(uri.path(), index).unwrap_or(number);
    Problem::bad_request("the path is malformed").field(name, must_be(method, uri, "path", name))
}

/// A parameter of the query that cannot be read, or is not there.
pub fn refuse_parameter(method: &Method, uri: &Uri, name: &str) -> Problem {
    let query = uri.query().unwrap_or_default();
    let parameters: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap_or_default();
    match parameters.iter().any(|(sent, _)| sent == name) {
        true => {
            let message = must_be(method, uri, "query", name);
            Problem::bad_request("a parameter is malformed").field(name, message)
        }
        false => Problem::bad_request("a parameter is missing").field(name, "is required"),
    }
}

fn must_be(method: &Method, uri: &Uri, place: &str, name: &str) -> String {
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let Some(operation) = operations::find(method, uri.path()) else { return unreadable() };
    let Some(parameter) = parameter(operation, place, name) else { return unreadable() };
    match resolved(&parameter["schema"]) {
        amount if is_amount(amount) => "must be a decimal, like 652.53".to_owned(),
        schema => expected(schema),
    }
}

/// True for the names of parameters that the query of an operation may have.
pub fn is_parameter(operation: &Operation, name: &str) -> bool {
    parameter(operation, "query", name).is_some()
}

fn parameter(operation: &Operation, place: &str, name: &str) -> Option<&'static Value> {
    let method = operation.method.as_str().to_ascii_lowercase();
    let described = &CONTRACT["paths"][operation.path][method]["parameters"];
    let mut described = described.as_array().into_iter().flatten();
    described.find(|parameter| parameter["in"] == place && parameter["name"] == name)
}

fn unreadable() -> String {
    "cannot be read".to_owned()
}

/// A sentence about a value of this schema.
fn expected(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return format!("must be one of {}", words.join(", "));
    }
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("integer"), format) => expected_integer(schema, format == Some("int32")),
        (Some("boolean"), _) => "must be true or false".to_owned(),
        (Some("array"), _) => "must be an array".to_owned(),
        (Some("object"), _) => "must be an object".to_owned(),
        (_, Some("date")) => "must be a date as YYYY-MM-DD".to_owned(),
        _ if is_amount(schema) => "must be a decimal in a string, like \"652.53\"".to_owned(),
        _ => "must be a string".to_owned(),
    }
}

fn expected_integer(schema: &Value, is_short: bool) -> String {
    let largest = if is_short { i64::from(i32::MAX) } else { i64::MAX };
    match (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
        (None, None) => {
            let bits = if is_short { 32 } else { 64 };
            format!("must be a whole number of at most {bits} bits")
        }
        (least, most) => {
            let (least, most) = (least.unwrap_or(0), most.unwrap_or(largest));
            format!("must be a whole number from {least} to {most}")
        }
    }
}

fn is_amount(schema: &Value) -> bool {
    schema["pattern"] == AmountText::PATTERN
}

/// A schema behind its references. One that has a description of its own stands in a list.
fn resolved(schema: &'static Value) -> &'static Value {
    let reference = [&schema["$ref"], &schema["allOf"][0]["$ref"]].into_iter();
    match reference.filter_map(Value::as_str).next() {
        Some(reference) => named(reference.rsplit('/').next().unwrap_or_default()),
        None => schema,
    }
}

fn named(name: &str) -> &'static Value {
    &CONTRACT["components"]["schemas"][name]
}

/// The first fault of a body whose schema has this name: in the order of the contract, missing
/// members first.
pub fn first_fault(schema: &str, members: &Map<String, Value>) -> Option<Fault> {
    fault_of_members(named(schema), members, "")
}

fn fault_of_members(
    schema: &'static Value,
    members: &Map<String, Value>,
    at: &str,
) -> Option<Fault> {
    let fault = |name: &str, message: &str, is_foreign| {
        Some(Fault { field: format!("{at}{name}"), message: message.to_owned(), is_foreign })
    };
    let mut required = schema["required"].as_array().into_iter().flatten();
    let missing = |name: &&str| members.get(*name).is_none_or(Value::is_null);
    if let Some(name) = required.by_ref().filter_map(Value::as_str).find(missing) {
        return fault(name, "is required", false);
    }
    let properties = schema["properties"].as_object()?;
    if let Some(name) = members.keys().find(|name| !properties.contains_key(*name)) {
        return fault(name, "is no member of this body", true);
    }
    properties.iter().find_map(|(name, schema)| {
        let value = members.get(name).filter(|value| !value.is_null())?;
        fault_of_value(resolved(schema), value, &format!("{at}{name}"))
    })
}

fn fault_of_value(schema: &'static Value, value: &Value, at: &str) -> Option<Fault> {
    match value {
        Value::Object(members) if schema["type"] == "object" => {
            return fault_of_members(schema, members, &format!("{at}."));
        }
        Value::Array(items) if schema["type"] == "array" => {
            let schema = resolved(&schema["items"]);
            let mut items = items.iter().enumerate();
            return items.find_map(|(n, item)| fault_of_value(schema, item, &format!("{at}[{n}]")));
        }
        _ => {}
    }
    let message = expected(schema);
    (!is_of(schema, value)).then(|| Fault { field: at.to_owned(), message, is_foreign: false })
}

/// True if the program can read the value. What it can read and does not allow breaks a rule, which
/// is another problem.
fn is_of(schema: &Value, value: &Value) -> bool {
    if let Some(words) = schema["enum"].as_array() {
        return words.contains(value);
    }
    match schema["type"].as_str() {
        Some("integer") if schema["format"] == "int32" => {
            value.as_i64().is_some_and(|number| i32::try_from(number).is_ok())
        }
        Some("integer") => value.is_i64(),
        Some("boolean") => value.is_boolean(),
        Some("string") => value.as_str().is_some_and(|text| match schema["format"] == "date" {
            true => text.parse::<Day>().is_ok(),
            false => !is_amount(schema) || text.parse::<AmountText>().is_ok(),
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refuse(schema: &str, body: Value) -> (String, String) {
        let fault = first_fault(schema, body.as_object().unwrap()).unwrap();
        (fault.field, fault.message)
    }

    #[test]
    fn a_body_is_told_which_member_is_at_fault_and_what_belongs_there() {
        for (body, field, message) in [
            (json!({}), "Amount", "is required"),
            (json!({"Amount": null}), "Amount", "is required"),
            (json!({"Amount": "1", "amount": 1}), "amount", "is no member of this body"),
            (json!({"Amount": 1}), "Amount", "must be a decimal in a string, like \"652.53\""),
            (json!({"Amount": "1e3"}), "Amount", "must be a decimal in a string, like \"652.53\""),
            (
                json!({"Amount": "1", "Effective_Date": "2024-02-30"}),
                "Effective_Date",
                "must be a date as YYYY-MM-DD",
            ),
            (json!({"Amount": "1", "Payoff": "true"}), "Payoff", "must be true or false"),
            (json!({"Amount": "1", "User_Reference": 7}), "User_Reference", "must be a string"),
            (
                json!({"Amount": "1", "Excess_Handling": "keep"}),
                "Excess_Handling",
                "must be one of principal, suspense, reject",
            ),
            (
                json!({"Amount": "1", "Cash_Drawer_ID": 1.5}),
                "Cash_Drawer_ID",
                "must be a whole number from 1 to 9223372036854775807",
            ),
        ] {
            assert_eq!(refuse("NewPayment", body), (field.to_owned(), message.to_owned()));
        }
    }

    #[test]
    fn members_of_members_are_found_by_their_place() {
        let count = |denominations: Value| {
            let body = json!({
                "Counted_Cash": "1", "Counted_Check": "0", "Denominations": denominations,
            });
            refuse("NewReconciliation", body).0
        };
        assert_eq!(count(json!({})), "Denominations");
        assert_eq!(count(json!([1])), "Denominations[0]");
        assert_eq!(count(json!([{"Value": "1"}])), "Denominations[0].Count");
        let sound = json!({"Value": "1", "Count": 1});
        assert_eq!(count(json!([sound, {"Value": 1, "Count": 1}])), "Denominations[1].Value");
        assert_eq!(count(json!([sound, {"Value": "1", "Count": "1"}])), "Denominations[1].Count");
        assert_eq!(count(json!([sound, null])), "Denominations[1]");
    }

    #[test]
    fn what_is_sound_or_only_breaks_a_rule_has_no_fault() {
        let body = json!({"Amount": "-1.999", "User_Reference": "x".repeat(200), "Payoff": null});
        assert_eq!(first_fault("NewPayment", body.as_object().unwrap()), None);
    }

    #[test]
    fn a_parameter_is_told_by_its_name_and_kind() {
        let path = |path: &str, number| {
            refuse_path(&Method::HEAD, &path.parse().unwrap(), number).message()
        };
        assert_eq!(
            path("/loans/x", "param0"),
            "the path is malformed; loan_id: must be a whole number from 1 to 9223372036854775807"
        );
        let query = |query: &str, name| {
            let uri = format!("/loans/1/transactions?{query}").parse().unwrap();
            refuse_parameter(&Method::GET, &uri, name).message()
        };
        for (name, must) in [
            ("from", "must be a date as YYYY-MM-DD"),
            ("transactionCode", "must be a whole number of at most 32 bits"),
            ("referenceNo", "must be a whole number of at most 64 bits"),
        ] {
            let told = query(&format!("{name}=x"), name);
            assert_eq!(told, format!("a parameter is malformed; {name}: {must}"));
            assert_eq!(query("", name), format!("a parameter is missing; {name}: is required"));
        }
    }
}
