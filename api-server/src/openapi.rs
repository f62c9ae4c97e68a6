//! The OpenAPI document: made from the types, then put right in one place where the framework's
//! output is wrong or where generators trip over it, and told what types cannot say: which problems
//! an operation answers with ([`problems`]), what bodies and parameters may be ([`limits`]), and what
//! it all looks like ([`examples`]). A test compares it with `openapi.json`.

pub mod examples;
mod limits;
pub mod problems;

use crate::auth::privileges::Privilege;
use crate::http::operations::privilege_of;
use serde_json::{Map, Value, json};

/// The release: supports core system 5.22.1, schema 5.22.
pub const VERSION: &str = "12.0.0";

/// Headers of requests, which the framework writes in small letters.
const HEADERS: [&str; 4] = ["Idempotency-Key", "If-Match", "If-Range", "Range"];

/// The document that is served, from the framework's own.
pub fn finish(spec: &str) -> Value {
    let mut document: Value = serde_json::from_str(spec).unwrap_or_default();
    correct(&mut document);
    limits::describe(&mut document);
    describe_read_only_members(&mut document);
    problems::describe(&mut document);
    describe_callers(&mut document);
    describe_headers(&mut document);
    examples::show(&mut document);
    document
}

/// The document as it is sent.
pub fn text(document: &Value) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

/// Puts the framework's output right.
fn correct(document: &mut Value) {
    if let Some(info) = document.get_mut("info").and_then(Value::as_object_mut) {
        info.remove("license");
    }
    // Paths begin at the root of whichever host serves the document.
    document["servers"] = json!([{"url": "/"}]);
    walk(document);
    for (_, method, operation) in operations(document) {
        describe_responses(operation);
        if method == "get" {
            describe_headers_and_pages(operation);
        }
    }
}

/// What is wrong in many places: formats, media types with a charset, noise.
fn walk(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(walk),
        Value::Object(members) => {
            correct_members(members);
            members.values_mut().for_each(walk);
        }
        _ => {}
    }
}

fn correct_members(members: &mut Map<String, Value>) {
    match members.get("format").and_then(Value::as_str) {
        Some("naive-date") => drop(members.insert("format".to_owned(), json!("date"))),
        Some(format @ ("uint16" | "uint32" | "uint64")) => {
            let signed = if format == "uint64" { "int64" } else { "int32" };
            members.insert("format".to_owned(), json!(signed));
            members.insert("minimum".to_owned(), json!(0));
        }
        _ => {}
    }
    // A reference with a description gets the description once more, in a schema of its own:
    // openapi-python-client refuses it, and drops the whole object.
    if let Some(parts) = members.get_mut("allOf").and_then(Value::as_array_mut) {
        parts.retain(|part| part.as_object().is_none_or(|part| !part.keys().eq(["description"])));
    }
    if members.get("deprecated") == Some(&json!(false)) {
        members.remove("deprecated");
    }
    if members.get("explode") == Some(&json!(true)) {
        members.remove("explode");
    }
    let header = members
        .get("name")
        .and_then(Value::as_str)
        .and_then(|name| HEADERS.iter().find(|header| header.to_ascii_lowercase() == name));
    if let Some(header) = header {
        members.insert("name".to_owned(), json!(header));
    }
    if let Some(content) = members.remove("application/json; charset=utf-8") {
        members.insert("application/json".to_owned(), content);
    }
}

/// What every list and every row with a version takes besides its own parameters: they are read in
/// one place, so they are described in one place.
fn describe_headers_and_pages(operation: &mut Value) {
    let has = |header: &str| {
        let headers = &operation["responses"]["200"]["headers"];
        headers.as_object().is_some_and(|headers| headers.contains_key(header))
    };
    let mut added = Vec::new();
    if has("Link") {
        added.push(json!({
            "name": "limit", "in": "query", "required": false,
            "description": "Rows per page, 1 to 1000; default 100.",
            "schema": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 1000},
        }));
        added.push(json!({
            "name": "after", "in": "query", "required": false,
            "description": "The cursor in the `Link` of the page before.",
            "schema": {"type": "string"},
        }));
    }
    if has("ETag") {
        added.push(json!({
            "name": "If-None-Match", "in": "header", "required": false,
            "description": "The versions the client has: 304 if one of them is the current one.",
            "schema": {"type": "string"},
        }));
    }
    if added.is_empty() {
        return;
    }
    match operation.get_mut("parameters").and_then(Value::as_array_mut) {
        Some(parameters) => parameters.extend(added),
        None => operation["parameters"] = added.into(),
    }
}

/// Who may call is a type of the first argument, and for clients the same bearer token.
fn describe_callers(document: &mut Value) {
    for (.., operation) in operations(document) {
        let callers = &operation["security"][0];
        let borrowers = callers["any_user"].is_array();
        let who = match privilege_of(id(operation)) {
            _ if callers["admin_user"].is_array() => "the admin account".to_owned(),
            Some(Privilege(path, verb)) => {
                format!("core-system users with the privilege `{path} > {verb}`")
            }
            None => "core-system users".to_owned(),
        };
        let who = who + if borrowers { "; borrowers, of their own records." } else { "." };
        let text = operation["description"].as_str().map(|text| format!("{text}\n\n"));
        operation["description"] = json!(text.unwrap_or_default() + "**Who:** " + &who);
        operation["security"] = json!([{"bearer": []}]);
    }
    document["components"]["securitySchemes"] = json!({"bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "opaque",
        "description": "An access token of the auth server, with the scope `core` or `web`.",
    }});
}

/// A PUT takes the members of what its GET gives: those that it does not change are read-only.
fn describe_read_only_members(document: &mut Value) {
    let mut added = Vec::new();
    for (_, method, operation) in operations(document) {
        if method == "put" {
            let request = &operation["requestBody"]["content"]["application/json"]["schema"];
            let row = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            added.extend(limits::name(request).zip(limits::name(row)));
        }
    }
    for (request, row) in added {
        let schemas = &mut document["components"]["schemas"];
        let members = schemas[&row]["properties"].clone();
        let own = schemas[&request]["properties"].as_object_mut();
        let (Some(own), Value::Object(members)) = (own, members) else { continue };
        for (name, schema) in members.into_iter().filter(|(name, _)| name != "versionHash") {
            own.entry(name).or_insert_with(|| read_only(schema));
        }
    }
}

fn read_only(schema: Value) -> Value {
    let mut schema = match schema["$ref"].is_null() {
        true => schema,
        // What stands beside a reference counts for nothing.
        false => json!({"allOf": [schema]}),
    };
    schema["readOnly"] = json!(true);
    schema
}

/// Headers that have one meaning wherever they are.
fn describe_headers(document: &mut Value) {
    let header = |description: &str, kind: &str| json!({"description": description, "schema": {"type": kind}});
    document["components"]["headers"] = json!({
        "Accept-Encoding": header("Bodies are taken without an encoding alone.", "string"),
        "Content-Range": header("How long the file is (RFC 9110, 14.4).", "string"),
        "Retry-After": header("Send the request again after so many seconds.", "integer"),
        "WWW-Authenticate": header("How to send a token (RFC 6750, section 3).", "string"),
        "X-Request-Id": header("The id of the request, as in the log.", "string"),
    });
    for (.., operation) in operations(document) {
        let responses = operation["responses"].as_object_mut().into_iter().flatten();
        for (_, response) in responses.filter(|(_, response)| response["$ref"].is_null()) {
            let known = json!({"$ref": "#/components/headers/X-Request-Id"});
            response["headers"]["X-Request-Id"] = known;
        }
    }
}

/// Every operation of the document: its path, its method, and what is said of it.
fn operations(document: &mut Value) -> impl Iterator<Item = (&str, &str, &mut Value)> {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    paths.flat_map(|(path, methods)| {
        let methods = methods.as_object_mut().into_iter().flatten();
        methods.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    })
}

fn id(operation: &Value) -> &str {
    operation["operationId"].as_str().unwrap_or_default()
}

/// Every response has a description.
fn describe_responses(operation: &mut Value) {
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else {
        return;
    };
    for (status, response) in responses {
        let missing = response["description"].as_str().unwrap_or_default().is_empty();
        if missing {
            let text = if status == "default" { "A problem." } else { "The answer." };
            response["description"] = json!(text);
        }
    }
}
