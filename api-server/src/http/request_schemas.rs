//! Request schemas: what the contract expects of a request, in plain words, for every parameter and
//! every body member. The framework's own messages name internal types.

use crate::http::operations::{Operation, Operations};
use poem::http::Uri;
use serde_json::{Map, Value};
use shared::amounts::AmountText;
use shared::problem::Problem;
use shared::time::Day;

/// What the contract expects of requests.
pub struct RequestSchemas {
    /// Operations that every request is checked against.
    pub operations: Operations,
    /// The contract: the OpenAPI document.
    contract: Value,
}

const FAULTS_MAX: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyFault {
    /// Path of the member, such as `Denominations[0].Value`.
    pub field: String,
    /// Description of the fault, which never quotes the value.
    pub message: String,
    /// True if the name is the client's, not the contract's.
    pub is_unknown: bool,
}

impl RequestSchemas {
    /// Returns what this contract expects.
    pub fn of(contract: Value, operations: Operations) -> Self {
        Self { operations, contract }
    }

    /// The problem for a path parameter that cannot be read. The framework numbers them: `param0`.
    pub fn refuse_path(&'static self, operation: Option<&Operation>, number: &str) -> Problem {
        let index = number.trim_start_matches("param").parse().unwrap_or(0);
        let name = operation.and_then(|operation| operation.path_parameter(index));
        let name = name.unwrap_or(number);
        Problem::bad_request("the path is malformed")
            .field(name, self.must_be(operation, "path", name))
    }

    /// The problem for a query parameter that is missing or cannot be read.
    pub fn refuse_parameter(
        &'static self,
        operation: Option<&Operation>,
        uri: &Uri,
        name: &str,
    ) -> Problem {
        let query = uri.query().unwrap_or_default();
        let parameters: Vec<(String, String)> =
            serde_urlencoded::from_str(query).unwrap_or_default();
        match parameters.iter().any(|(sent, _)| sent.eq_ignore_ascii_case(name)) {
            true => {
                let message = self.must_be(operation, "query", name);
                Problem::bad_request("a parameter is malformed").field(name, message)
            }
            false => Problem::bad_request("a parameter is missing").field(name, "is required"),
        }
    }

    fn must_be(&'static self, operation: Option<&Operation>, location: &str, name: &str) -> String {
        let parameter = operation.and_then(|operation| self.parameter(operation, location, name));
        let Some(parameter) = parameter else { return "cannot be read".to_owned() };
        match self.resolved(&parameter["schema"]) {
            amount if is_amount(amount) => "must be a decimal, like 652.53".to_owned(),
            schema => expected(schema),
        }
    }

    fn parameter(
        &'static self,
        operation: &Operation,
        location: &str,
        name: &str,
    ) -> Option<&'static Value> {
        let method = operation.method.as_str().to_ascii_lowercase();
        let parameters = &self.contract["paths"][&operation.path][method]["parameters"];
        let mut parameters = parameters.as_array().into_iter().flatten();
        parameters.find(|parameter| parameter["in"] == location && parameter["name"] == name)
    }

    /// Resolves a schema's reference. With a description beside it, the reference is the only item
    /// of `allOf`.
    fn resolved(&'static self, schema: &'static Value) -> &'static Value {
        let reference = [&schema["$ref"], &schema["allOf"][0]["$ref"]].into_iter();
        match reference.filter_map(Value::as_str).next() {
            Some(reference) => self.named(reference.rsplit('/').next().unwrap_or_default()),
            None => schema,
        }
    }

    fn named(&'static self, name: &str) -> &'static Value {
        &self.contract["components"]["schemas"][name]
    }

    /// Returns the faults of a body with this schema: missing members first, then unknown members,
    /// then values in contract order. At most as many as one problem lists.
    pub fn faults(&'static self, schema: &str, members: &Map<String, Value>) -> Vec<BodyFault> {
        let mut faults = Vec::new();
        self.faults_of_members(self.named(schema), members, "", &mut faults);
        faults.truncate(FAULTS_MAX);
        faults
    }

    /// Returns the faults of a list of items with this schema, as [`Self::faults`] does.
    pub fn faults_in_list(&'static self, schema: &str, items: &[Value]) -> Vec<BodyFault> {
        let mut faults = Vec::new();
        self.faults_of_items(self.named(schema), items, "", &mut faults);
        faults.truncate(FAULTS_MAX);
        faults
    }

    /// Returns the read-only members of this schema, which a client may send back.
    pub fn read_only_members(
        &'static self,
        schema: &str,
    ) -> impl Iterator<Item = &'static str> + use<> {
        let properties = self.named(schema)["properties"].as_object().into_iter().flatten();
        properties
            .filter(|(_, property)| property["readOnly"] == true)
            .map(|(name, _)| name.as_str())
    }

    fn faults_of_members(
        &'static self,
        schema: &'static Value,
        members: &Map<String, Value>,
        path: &str,
        faults: &mut Vec<BodyFault>,
    ) {
        let fault = |name: &str, message: &str, is_unknown| BodyFault {
            field: format!("{path}{name}"),
            message: message.to_owned(),
            is_unknown,
        };
        let required =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let missing = required.filter(|name| members.get(*name).is_none_or(Value::is_null));
        faults.extend(missing.map(|name| fault(name, "is required", false)));
        let Some(properties) = schema["properties"].as_object() else { return };
        let unknown =
            members.keys().filter(|name| !properties.contains_key(*name)).take(FAULTS_MAX);
        faults.extend(unknown.map(|name| fault(name, "is not a member of this body", true)));
        for (name, schema) in properties {
            if let Some(value) = members.get(name).filter(|value| !value.is_null()) {
                self.faults_of_value(
                    self.resolved(schema),
                    value,
                    &format!("{path}{name}"),
                    faults,
                );
            }
        }
    }

    fn faults_of_items(
        &'static self,
        schema: &'static Value,
        items: &[Value],
        path: &str,
        faults: &mut Vec<BodyFault>,
    ) {
        for (number, item) in items.iter().enumerate() {
            if faults.len() >= FAULTS_MAX {
                return;
            }
            self.faults_of_value(schema, item, &format!("{path}[{number}]"), faults);
        }
    }

    fn faults_of_value(
        &'static self,
        schema: &'static Value,
        value: &Value,
        path: &str,
        faults: &mut Vec<BodyFault>,
    ) {
        match value {
            Value::Object(members) if schema["type"] == "object" => {
                self.faults_of_members(schema, members, &format!("{path}."), faults);
            }
            Value::Array(items) if schema["type"] == "array" => {
                self.faults_of_items(self.resolved(&schema["items"]), items, path, faults);
            }
            value if conforms(schema, value) => {}
            _ => {
                let message = expected(schema);
                faults.push(BodyFault { field: path.to_owned(), message, is_unknown: false });
            }
        }
    }
}

/// Message about a query parameter that the operation does not define.
pub fn unknown_parameter(operation: &Operation, name: &str) -> String {
    let lowercase = name.to_ascii_lowercase();
    let distance =
        |known: &&String| strsim::damerau_levenshtein(&known.to_ascii_lowercase(), &lowercase);
    match operation.query.iter().map(|parameter| &parameter.name).min_by_key(distance) {
        Some(nearest) => format!("is not a parameter of this operation; the closest is {nearest}"),
        None => "is not a parameter: this operation takes none".to_owned(),
    }
}

/// Describes a valid value of this schema.
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
        (_, Some("date-time")) => "must be a time like 2024-05-15T09:30:00Z".to_owned(),
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
        (minimum, maximum) => {
            let (minimum, maximum) = (minimum.unwrap_or(0), maximum.unwrap_or(largest));
            format!("must be a whole number from {minimum} to {maximum}")
        }
    }
}

fn is_amount(schema: &Value) -> bool {
    schema["pattern"] == AmountText::PATTERN
}

/// True if the value can be read. A value that can be read but is not allowed breaks a rule, which
/// is another problem.
fn conforms(schema: &Value, value: &Value) -> bool {
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
    use crate::router::{operations, request_schemas};
    use serde_json::json;

    fn refuse(schema: &str, body: Value) -> (String, String) {
        let mut faults = request_schemas().faults(schema, body.as_object().unwrap());
        let BodyFault { field, message, .. } = faults.remove(0);
        assert_eq!(faults, []);
        (field, message)
    }

    #[test]
    fn an_invalid_member_is_named_with_what_is_expected() {
        for (body, field, message) in [
            (json!({}), "Amount", "is required"),
            (json!({"Amount": null}), "Amount", "is required"),
            (json!({"Amount": "1", "amount": 1}), "amount", "is not a member of this body"),
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
    fn nested_members_are_named_by_their_path() {
        let count = |denominations: Value| {
            let body = json!({
                "Counted_Cash": "1", "Counted_Check": "0", "Denominations": denominations,
            });
            refuse("NewReconciliation", body).0
        };
        assert_eq!(count(json!({})), "Denominations");
        assert_eq!(count(json!([1])), "Denominations[0]");
        assert_eq!(count(json!([{"Value": "1"}])), "Denominations[0].Count");
        let valid = json!({"Value": "1", "Count": 1});
        assert_eq!(count(json!([valid, {"Value": 1, "Count": 1}])), "Denominations[1].Value");
        assert_eq!(count(json!([valid, {"Value": "1", "Count": "1"}])), "Denominations[1].Count");
        assert_eq!(count(json!([valid, null])), "Denominations[1]");
    }

    #[test]
    fn valid_bodies_and_rule_violations_have_no_schema_fault() {
        let body = json!({"Amount": "-1.999", "User_Reference": "x".repeat(200), "Payoff": null});
        assert_eq!(request_schemas().faults("NewPayment", body.as_object().unwrap()), []);
    }

    #[test]
    fn up_to_fifty_faults_of_a_body_are_reported_together() {
        let reported = |body: Value| -> Vec<String> {
            let faults = request_schemas().faults("NewReconciliation", body.as_object().unwrap());
            faults.into_iter().map(|fault| fault.field).collect()
        };
        let body = json!({
            "Counted_Check": 1, "Typed_Wrong": "x", "Another": 1,
            "Denominations": [{"Value": "1"}, {"Count": "1"}, 7],
        });
        let item_paths = ["[0].Count", "[1].Value", "[1].Count", "[2]"];
        let item_paths = item_paths.map(|path| format!("Denominations{path}"));
        let members = ["Counted_Cash", "Another", "Typed_Wrong", "Counted_Check"];
        let mut found = reported(body);
        let mut expected: Vec<_> =
            members.map(str::to_owned).into_iter().chain(item_paths).collect();
        assert_eq!(found[0], "Counted_Cash", "what is missing comes first");
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
        let items = vec![json!(null); 100];
        let all_wrong = json!({"Counted_Cash": 1, "Counted_Check": 1, "Denominations": items});
        assert_eq!(reported(all_wrong).len(), FAULTS_MAX);
    }

    #[test]
    fn the_names_are_those_of_the_contract() {
        let query = operations().by_id("post_payment").unwrap().query.iter();
        assert_eq!(query.map(|parameter| &parameter.name).collect::<Vec<_>>(), ["test"]);
        assert!(operations().by_id("list_transactions").unwrap().is_parameter("limit"));
        assert!(
            request_schemas().read_only_members("CommentChange").any(|name| name == "Entered_Date")
        );
        assert_eq!(request_schemas().read_only_members("NewPayment").count(), 0);
    }

    #[test]
    fn an_unknown_parameter_gets_the_nearest_known_one_suggested() {
        let reported = |id, name: &str| unknown_parameter(operations().by_id(id).unwrap(), name);
        for (name, nearest) in [("form", "from"), ("Limit", "limit"), ("afterwards", "after")] {
            assert!(reported("list_transactions", name).ends_with(&format!("is {nearest}")));
        }
        assert!(reported("get_loan", "x").ends_with("takes none"));
    }

    #[test]
    fn an_invalid_parameter_is_named_with_its_location() {
        let path =
            |id, number| request_schemas().refuse_path(operations().by_id(id), number).message();
        assert_eq!(
            path("get_loan", "param0"),
            "the path is malformed; loan_id: must be a whole number from 1 to 9223372036854775807"
        );
        let query = |query: &str, name| {
            let uri = format!("/loans/1/transactions?{query}").parse().unwrap();
            let operation = operations().by_id("list_transactions");
            request_schemas().refuse_parameter(operation, &uri, name).message()
        };
        for (name, must) in [
            ("from", "must be a date as YYYY-MM-DD"),
            ("transactionCode", "must be a whole number of at most 32 bits"),
            ("referenceNo", "must be a whole number of at most 64 bits"),
        ] {
            let reported = query(&format!("{name}=x"), name);
            assert_eq!(reported, format!("a parameter is malformed; {name}: {must}"));
            assert_eq!(query("", name), format!("a parameter is missing; {name}: is required"));
        }
    }
}
