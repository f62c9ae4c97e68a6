//! The OpenAPI document. It is generated from the types, corrected in one place where the
//! framework's output is wrong or generators stumble over it, and completed with what types cannot
//! express: the problems of each operation ([`problems`]), limits of bodies and parameters
//! ([`limits`]), what members mean that have the same name in many objects ([`members`]), examples
//! ([`examples`]), and which operations are extensions ([`extensions`]). A test compares it with
//! `openapi.json`, and the document of the interface alone with `openapi-interface.json`.

pub mod examples;
pub mod extensions;
mod limits;
mod members;
pub mod problems;

use crate::http::operations::privilege_of;
use serde_json::{Map, Value, json};

/// The release. Supports core system 5.22.1, schema 5.22.
pub const VERSION: &str = "12.0.0";

/// Request headers, which the framework writes in lower case.
const HEADERS: [&str; 4] = ["Idempotency-Key", "If-Match", "If-Range", "Range"];

/// Returns the served document, made from the framework's.
pub fn finish(spec: &str) -> Value {
    let mut document: Value = serde_json::from_str(spec).unwrap_or_default();
    correct(&mut document);
    limits::describe(&mut document);
    describe_read_only_members(&mut document);
    members::describe(&mut document);
    problems::describe(&mut document);
    extensions::mark(&mut document);
    describe_callers(&mut document);
    describe_headers(&mut document);
    examples::show(&mut document);
    document
}

pub fn text(document: &Value) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

/// Corrects the framework's output.
fn correct(document: &mut Value) {
    if let Some(info) = document.get_mut("info").and_then(Value::as_object_mut) {
        info.remove("license");
    }
    // Paths are relative to the root of the host that serves the document.
    document["servers"] = json!([{"url": "/"}]);
    walk(document);
    for (_, method, operation) in operations(document) {
        describe_responses(operation);
        if method == "get" {
            describe_headers_and_pages(operation);
        }
    }
}

/// Corrects what is wrong in many places: formats, media types with a charset, noise.
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
    // The framework repeats the description of a reference in a separate schema beside it.
    // openapi-python-client refuses that and drops the whole object.
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

/// Adds the parameters common to all lists and all versioned rows. They are read in one place, so
/// they are described in one place.
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
            "description": "Cursor from the `Link` header of the previous page.",
            "schema": {"type": "string"},
        }));
    }
    if has("ETag") {
        added.push(json!({
            "name": "If-None-Match", "in": "header", "required": false,
            "description": "Versions the client has; 304 if one of them is current.",
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

/// Writes who may call into the description. In the program that is the type of an endpoint's first
/// argument; for clients it is always a bearer token.
fn describe_callers(document: &mut Value) {
    for (.., operation) in operations(document) {
        let callers = &operation["security"][0];
        let borrowers = callers["any_user"].is_array();
        let who = match privilege_of(id(operation)) {
            _ if callers["admin_user"].is_array() => "the admin account".to_owned(),
            Some(privilege) => format!("core-system users with the privilege `{privilege}`"),
            None => "core-system users".to_owned(),
        };
        let who = who + if borrowers { "; borrowers, for their own records." } else { "." };
        let text = operation["description"].as_str().map(|text| format!("{text}\n\n"));
        operation["description"] = json!(text.unwrap_or_default() + "**Who:** " + &who);
        operation["security"] = json!([{"bearer": []}]);
    }
    document["components"]["securitySchemes"] = json!({"bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "opaque",
        "description": "Access token from the auth server, with the scope `core` or `web`.",
    }});
}

/// Adds to the body of each PUT, as read-only, the members of its GET that it does not change.
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
        // Anything beside a reference is ignored.
        false => json!({"allOf": [schema]}),
    };
    schema["readOnly"] = json!(true);
    schema
}

/// Describes headers that mean the same everywhere.
fn describe_headers(document: &mut Value) {
    let header = |description: &str, kind: &str| json!({"description": description, "schema": {"type": kind}});
    document["components"]["headers"] = json!({
        "Accept-Encoding": header("Only unencoded bodies are accepted.", "string"),
        "Content-Range": header("Size of the file (RFC 9110, 14.4).", "string"),
        "Retry-After": header("Seconds to wait before sending the request again.", "integer"),
        "WWW-Authenticate": header("Authentication challenge (RFC 6750, section 3).", "string"),
        "X-Request-Id": header("Id of the request, as it appears in the log.", "string"),
    });
    for (.., operation) in operations(document) {
        let responses = operation["responses"].as_object_mut().into_iter().flatten();
        for (_, response) in responses.filter(|(_, response)| response["$ref"].is_null()) {
            let reference = json!({"$ref": "#/components/headers/X-Request-Id"});
            response["headers"]["X-Request-Id"] = reference;
        }
    }
}

/// Returns every operation of the document with its path and method.
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

fn describe_responses(operation: &mut Value) {
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else {
        return;
    };
    for (status, response) in responses {
        let missing = response["description"].as_str().unwrap_or_default().is_empty();
        if missing {
            let text = if status == "default" { "A problem." } else { "The response." };
            response["description"] = json!(text);
        }
    }
}
