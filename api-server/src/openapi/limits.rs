//! Limits the server enforces that the program's types do not express: ranges of ids, patterns of
//! headers, and bodies without additional members.

use crate::http::business_day_filter::DAYS_BACK_MAX;
use crate::http::pagination::LIMIT_MAX;
use crate::loans::payments::PAYMENTS_MAX;
use crate::openapi::operations;
use serde_json::{Map, Value, json};

/// Parameters and headers with a pattern.
const PATTERNS: [(&str, &str); 5] = [
    // Whitespace around a header is not part of its value.
    ("Idempotency-Key", "^[!-~]([ -~]{0,253}[!-~])?$"),
    ("field", "^[Uu][Ss][Ee][Rr][Dd][Ee][Ff](0[1-9]|[1-7][0-9]|80)$"),
    ("after", "^[A-Za-z0-9_-]{8,}$"),
    ("order", "^-?[a-z][A-Za-z]*$"),
    ("phone", "^([^0-9]*[0-9]){7,}[^0-9]*$"),
];
/// Query parameters with a range: name, minimum, maximum.
const RANGES: [(&str, i32, i32); 2] =
    [("minPastDueDays", 1, DAYS_BACK_MAX), ("limit", 1, LIMIT_MAX as i32)];
/// Members with limits beyond their type.
const LIMITS: [(&str, &str, &str, i64); 2] = [
    ("NewReconciliation", "Denominations", "maxItems", 100),
    ("NewDenomination", "Count", "minimum", 0),
];
/// Members with the pattern of a header.
const PATTERNED: [(&str, &str, &str); 1] = [("PaymentItem", "Key", "Idempotency-Key")];
const ID_MIN: i64 = 1;

/// Writes the limits into the document.
pub(super) fn describe(document: &mut Value) {
    let mut bodies = Vec::new();
    for (.., operation) in operations(document) {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        parameters.into_iter().flatten().for_each(limit_parameter);
        let content = operation.pointer_mut("/requestBody/content").and_then(Value::as_object_mut);
        for schema in content.into_iter().flat_map(Map::values_mut).map(|it| &mut it["schema"]) {
            if schema["type"] == "array" {
                schema["minItems"] = json!(1);
                schema["maxItems"] = json!(PAYMENTS_MAX);
            }
            bodies.extend(name(schema).or_else(|| name(&schema["items"])));
        }
    }
    while let Some(body) = bodies.pop() {
        limit_body(&body, &mut document["components"]["schemas"][&body], &mut bodies);
    }
}

/// Returns the name of the schema that a schema refers to.
pub(super) fn name(schema: &Value) -> Option<String> {
    let list = schema["allOf"].as_array().into_iter().flatten();
    let reference = [schema].into_iter().chain(list).find_map(|schema| schema["$ref"].as_str());
    reference.and_then(|reference| reference.rsplit('/').next()).map(str::to_owned)
}

fn limit_parameter(parameter: &mut Value) {
    if parameter["in"] == "path" && parameter["schema"]["format"] == "int64" {
        parameter["schema"]["minimum"] = json!(ID_MIN);
    }
    if let Some(pattern) = parameter["name"].as_str().and_then(pattern_of) {
        parameter["schema"]["pattern"] = json!(pattern);
    }
    let listed = RANGES.iter().find(|(name, ..)| parameter["name"] == *name);
    if let Some((_, minimum, maximum)) = listed {
        parameter["schema"]["minimum"] = json!(minimum);
        parameter["schema"]["maximum"] = json!(maximum);
    }
}

/// Returns the pattern of a parameter, if it has one.
fn pattern_of(name: &str) -> Option<&'static str> {
    PATTERNS.iter().find(|(listed, _)| *listed == name).map(|(_, pattern)| *pattern)
}

fn limit_body(body_name: &str, schema: &mut Value, nested: &mut Vec<String>) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (member, schema) in properties {
        if schema["format"] == "int64" {
            schema["minimum"] = json!(ID_MIN);
        }
        let limits =
            LIMITS.iter().filter(|(body, limited, ..)| *body == body_name && limited == member);
        for (.., limit, number) in limits {
            schema[*limit] = json!(number);
        }
        let patterned =
            PATTERNED.iter().find(|(body, named, _)| *body == body_name && named == member);
        if let Some((.., header)) = patterned {
            schema["pattern"] = json!(pattern_of(header));
        }
        nested.extend(name(&schema["items"]));
    }
    schema["additionalProperties"] = json!(false);
}
