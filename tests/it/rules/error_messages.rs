//! Messages about unreadable requests: plain words, with the names that callers know, for every
//! parameter and every member of every operation.

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::{TestResponse, World, on_each_database};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A value that must not appear in any answer of an operation about cards.
const SECRET: &str = "hush-1234";
/// Phrases that only internal texts contain.
const FOREIGN: &[&str] = &[
    "poem",
    "serde",
    "_int64",
    "_int32",
    "_float",
    "integer(",
    "string(",
    "at line ",
    "Type \"",
    "failed to",
    "expects an input",
    "Expected",
    "found \"",
    "parse",
    "::",
    "`",
    "struct",
    "field ",
];

/// A request, and the field that its answer must name.
struct InvalidRequest {
    id: String,
    method: Method,
    path: String,
    body: Option<Value>,
    field: String,
}

/// All names in the contract.
fn names(document: &Value) -> BTreeSet<String> {
    fn walk(value: &Value, names: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::Object(properties)) = members.get("properties") {
                    names.extend(properties.keys().cloned());
                }
                if let (Some(Value::String(name)), Some(_)) =
                    (members.get("name"), members.get("in"))
                {
                    names.insert(name.clone());
                    // Its words, such as those of an order.
                    let described = members.get("description").and_then(Value::as_str);
                    let words = described.unwrap_or_default().split('`').skip(1).step_by(2);
                    names.extend(words.map(str::to_owned));
                }
                members.values().for_each(|value| walk(value, names));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, names)),
            _ => {}
        }
    }
    let mut names = BTreeSet::new();
    walk(document, &mut names);
    names
}

/// Returns what is wrong with a message, if anything.
fn fault(message: &str, names: &BTreeSet<String>) -> Option<&'static str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    for word in message.split(|c| !is_word(c)).filter(|word| !names.contains(*word)) {
        let letters: Vec<char> = word.chars().collect();
        if letters.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase())
        {
            return Some("a name of the program");
        }
    }
    FOREIGN.iter().find(|foreign| message.contains(**foreign)).copied()
}

/// All texts of an answer.
fn texts_of(response: &TestResponse) -> Vec<String> {
    let document = response.json();
    let errors = document["errors"].as_array().cloned().unwrap_or_default();
    let messages = errors.iter().map(|error| error["message"].clone());
    let texts = messages.chain([document["detail"].clone(), document["title"].clone()]);
    texts.filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str());
    match reference {
        Some(reference) => {
            &document["components"]["schemas"][reference.rsplit('/').next().expect("a name")]
        }
        None => schema,
    }
}

/// Values of a type that a parameter or member with this schema does not accept.
fn invalid_values(schema: &Value) -> Vec<Value> {
    let all = [json!(SECRET), json!(1.5), json!(true), json!([SECRET]), json!({SECRET: 1})];
    let kind = schema["type"].as_str().unwrap_or_default();
    let is_plain = schema["format"].is_null() && schema["pattern"].is_null();
    let is_accepted = |value: &Value| match value {
        Value::String(_) => kind == "string" && is_plain && schema["enum"].is_null(),
        Value::Bool(_) => kind == "boolean",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
        _ => false,
    };
    all.into_iter().filter(|value| !is_accepted(value)).collect()
}

/// Every query and path parameter with an invalid value, and every member of every body.
fn invalid_requests(document: &Value, rows: &FilledRows) -> Vec<InvalidRequest> {
    let mut invalid_requests_list = Vec::new();
    for (pattern, operations) in document["paths"].as_object().expect("paths") {
        let path = rows.path(pattern).split('?').next().expect("a path").to_owned();
        for (method, operation) in operations.as_object().expect("operations") {
            let method: Method = method.to_ascii_uppercase().parse().expect("a method");
            let id = operation["operationId"].as_str().expect("an id").to_owned();
            let new = |path: String, body: Option<Value>, field: &str| {
                let (id, method, field) = (id.clone(), method.clone(), field.to_owned());
                InvalidRequest { id, method, path, body, field }
            };
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let schema = resolved(document, schema);
            let body = schema.is_object().then(|| json!({}));
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let name = parameter["name"].as_str().expect("a name");
                let kind = resolved(document, &parameter["schema"]);
                let sent = format!("{SECRET}%C3%A4");
                match parameter["in"].as_str() {
                    Some("query") if invalid_values(kind).contains(&json!(SECRET)) => {
                        // Other parameters that the operation requires.
                        let extra_query = if path.ends_with("-fee") { "&amount=1" } else { "" };
                        let extra_query = if name == "amount" { "" } else { extra_query };
                        let path = format!("{path}?{name}={sent}{extra_query}");
                        invalid_requests_list.push(new(path, body.clone(), name));
                    }
                    Some("path") if kind["type"] == "integer" => {
                        let parts = pattern.split('/').zip(path.split('/'));
                        let parts =
                            parts.map(|(place, part)| match place == format!("{{{name}}}") {
                                true => sent.as_str(),
                                false => part,
                            });
                        let path = parts.collect::<Vec<_>>().join("/");
                        invalid_requests_list.push(new(path, body.clone(), name));
                    }
                    _ => {}
                }
                if parameter["required"] == true && parameter["in"] == "query" {
                    invalid_requests_list.push(new(path.clone(), body.clone(), name));
                }
            }
            if let Some(members) = schema["properties"].as_object() {
                // Read-only members of a PUT are skipped: they are compared with the row later.
                for (name, kind) in members.iter().filter(|(_, kind)| kind["readOnly"] != true) {
                    for value in invalid_values(resolved(document, kind)) {
                        let body = valid_body(document, schema, name, value);
                        invalid_requests_list.push(new(path.clone(), Some(body), name));
                    }
                }
                for name in schema["required"].as_array().into_iter().flatten() {
                    let name = name.as_str().expect("a name");
                    let body = valid_body(document, schema, name, Value::Null);
                    invalid_requests_list.push(new(path.clone(), Some(body), name));
                }
            }
        }
    }
    invalid_requests_list
}

/// A body with everything that is required, and this member.
fn valid_body(document: &Value, schema: &Value, name: &str, value: Value) -> Value {
    let mut body = json!({});
    for member in schema["required"].as_array().into_iter().flatten() {
        let member = member.as_str().expect("a name");
        let kind = resolved(document, &schema["properties"][member]);
        body[member] = match (&kind["enum"][0], &kind["example"]) {
            (Value::String(word), _) => json!(word),
            (_, Value::String(example)) => json!(example),
            _ if kind["type"] == "integer" => json!(1),
            _ if kind["type"] == "boolean" => json!(true),
            _ => json!("x"),
        };
    }
    body[name] = value;
    body
}

async fn send(world: &World, token: &str, trial: &InvalidRequest) -> TestResponse {
    let request = world.client.request(trial.method.clone(), token, &trial.path);
    let request = match (&trial.body, trial.path.contains("xml-import")) {
        (Some(body), _) => request.json(body),
        (None, true) => request.header("content-type", "application/xml").body("<Core/>"),
        (None, false) if trial.method == Method::POST => {
            request.header("content-type", "multipart/form-data; boundary=x").body("--x--\r\n")
        }
        (None, false) => request,
    };
    world.client.send(request).await.expect("a response")
}

#[tokio::test]
async fn unreadable_input_is_reported_in_plain_words_under_the_callers_own_name() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let document = world.client.get("", "/openapi.json").await.expect(200).json();
        let names = names(&document);
        let invalid_requests_list = invalid_requests(&document, &rows);
        assert!(invalid_requests_list.len() > 300, "only {} trials", invalid_requests_list.len());
        let mut faults = Vec::new();
        for request in &invalid_requests_list {
            let response = send(&world, &admin, request).await;
            let field = response.json()["errors"][0]["field"].as_str().unwrap_or("").to_owned();
            let is_named =
                (response.status.as_u16(), field.as_str()) == (400, request.field.as_str());
            let faulty = texts_of(&response).into_iter().find_map(|text| fault(&text, &names));
            let about_cards = request.path.contains("payment-gateway");
            let quoted =
                about_cards && texts_of(&response).iter().any(|text| text.contains(SECRET));
            if !is_named || faulty.is_some() || quoted {
                let InvalidRequest { id, path, body, .. } = request;
                faults.push(format!("{id} {path} {body:?}: {faulty:?} {:.500}", response.text));
            }
        }
        assert!(
            faults.is_empty(),
            "{} of {}\n{}",
            faults.len(),
            invalid_requests_list.len(),
            faults.join("\n")
        );
        world
    })
    .await;
}

#[test]
fn internal_error_messages_are_detected() {
    let names = BTreeSet::from(["documentId".to_owned()]);
    for message in [
        r#"failed to parse "AmountText": not a decimal"#,
        r#"Type "integer(int64)" expects an input value."#,
        "missing value `Amount` at line 1 column 2",
        "optional_integer_int64",
    ] {
        assert!(fault(message, &names).is_some(), "{message}");
    }
    assert_eq!(fault("documentId must be a whole number from 1 to 7", &names), None);
}
