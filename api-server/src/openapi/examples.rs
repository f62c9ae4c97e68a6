//! Example requests and responses, recorded from the demo portfolio, with long lists cut short. A
//! test sends the requests to a demo portfolio and rewrites `examples.json` on request.

use crate::openapi::{id, operations};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

const EXAMPLES: &str = include_str!("examples.json");

/// A request by the admin account, and its response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Example {
    pub path: String,
    /// Request body if it is text: JSON, or the text itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Value>,
    pub status: u16,
    /// Response body if it is JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
}

/// Returns the examples by operation id.
pub fn all() -> BTreeMap<String, Example> {
    serde_json::from_str(EXAMPLES).unwrap_or_default()
}

/// Adds the examples to the document.
pub(super) fn show(document: &mut Value) {
    let examples = all();
    for (path, _, operation) in operations(document) {
        if let Some(example) = examples.get(id(operation)) {
            show_parameters(operation, path, &example.path);
            show_bodies(operation, example);
        }
    }
}

fn show_parameters(operation: &mut Value, path: &str, example: &str) {
    let (filled, query) = example.split_once('?').unwrap_or((example, ""));
    let in_path = path.split('/').zip(filled.split('/'));
    let in_path = in_path.filter_map(|(name, value)| {
        Some((name.strip_prefix('{')?.strip_suffix('}')?, value.to_owned()))
    });
    let in_query: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap_or_default();
    let in_query = in_query.iter().map(|(name, value)| (name.as_str(), value.clone()));
    let values: BTreeMap<&str, String> = in_path.chain(in_query).collect();
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        let Some(value) = values.get(name) else { continue };
        parameter["example"] = match parameter["schema"]["type"].as_str() {
            Some("string") => Value::from(value.as_str()),
            _ => serde_json::from_str(value).unwrap_or_else(|_| Value::from(value.as_str())),
        };
    }
}

fn show_bodies(operation: &mut Value, example: &Example) {
    show_in(operation.pointer_mut("/requestBody/content"), example.request.as_ref());
    // A dry run responds 200 with the body that is 201 otherwise.
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for (status, response) in responses.into_iter().flatten() {
        if status.starts_with('2') {
            show_in(response.get_mut("content"), example.answer.as_ref());
        }
    }
}

fn show_in(content: Option<&mut Value>, example: Option<&Value>) {
    let content = content.and_then(Value::as_object_mut);
    for ((_, content), example) in content.into_iter().flatten().zip(example) {
        content["example"] = example.clone();
    }
}
