//! Contract checks on every answer that a test gets from an operation: the status is documented,
//! the body matches the schema and has no other member, and a failure is a problem of a known type.

use crate::response::TestResponse;
use api_server::http::operations::Operation;
use api_server::openapi::problems::ANYWHERE;
use api_server::router;
use jsonschema::{Draft, Validator};
use reqwest::Method;
use serde_json::{Value, json};
use shared::problem::ProblemType;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(router::document()).expect("the contract is JSON"));

/// The contract's components, with all members not named there forbidden: clients may meet new
/// members one day, but none of this release that are undocumented.
static COMPONENTS: LazyLock<Value> = LazyLock::new(|| {
    let mut components = DOCUMENT["components"].clone();
    let schemas = components["schemas"].as_object_mut().expect("schemas");
    for (name, schema) in schemas {
        // A problem's additional members depend on its type.
        if schema["properties"].is_object() && name != "Problem" {
            schema["additionalProperties"] = json!(false);
        }
    }
    components
});

/// Validators, created once for each schema.
type Validators = Mutex<HashMap<String, Arc<Validator>>>;
static VALIDATORS: LazyLock<Validators> = LazyLock::new(Validators::default);

/// Fails the test if the contract does not document such an answer to this request.
pub fn check(method: &Method, path: &str, answer: &TestResponse) {
    let Some(operation) = router::operations().find(method, path) else { return };
    if *method == Method::HEAD {
        assert_eq!(answer.text, "", "HEAD {path}");
        return;
    }
    let description = format!("{method} {path}: {} {:.1000}", answer.status, answer.text);
    let response =
        response(operation, answer).unwrap_or_else(|| panic!("undocumented: {description}"));
    let content = &response["content"];
    if content.is_null() {
        assert_eq!(answer.text, "", "{description}");
        return;
    }
    let media_type = answer.header("content-type").split(';').next().unwrap_or_default();
    let content =
        content[media_type].as_object().unwrap_or_else(|| panic!("{media_type}: {description}"));
    if !media_type.ends_with("json") {
        return;
    }
    let body = serde_json::from_str(&answer.text).unwrap_or_else(|e| panic!("{e}: {description}"));
    let faults = faults(&content["schema"], &body);
    assert!(faults.is_empty(), "not as the contract says: {faults:?} in {description}");
}

/// The contract's entry for this answer.
fn response(operation: &Operation, answer: &TestResponse) -> Option<&'static Value> {
    let method = operation.method.as_str().to_lowercase();
    let responses = &DOCUMENT["paths"][&operation.path][method]["responses"];
    let mut response = &responses[answer.status.as_str()];
    if answer.status.is_client_error() || answer.status.is_server_error() {
        let problem_type = answer.problem();
        let problem_type =
            ProblemType::ALL.iter().find(|candidate| candidate.name() == problem_type)?;
        assert_eq!(problem_type.status(), answer.status, "{}", answer.text);
        if ANYWHERE.contains(problem_type) {
            response = &responses["default"];
        }
        response = resolve(response)?;
        let example =
            response["content"]["application/problem+json"]["examples"].get(problem_type.name());
        assert!(example.is_some(), "{} has no example of {}", operation.path, problem_type.name());
    }
    Some(response).filter(|response| !response.is_null())
}

fn resolve(value: &'static Value) -> Option<&'static Value> {
    match value["$ref"].as_str() {
        Some(reference) => DOCUMENT.pointer(reference.trim_start_matches('#')),
        None => Some(value),
    }
}

/// Returns the ways in which a value does not match a schema.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let validator = validator(schema);
    let faults = validator.iter_errors(value);
    faults.map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

fn validator(schema: &Value) -> Arc<Validator> {
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let made = validators.entry(schema.to_string()).or_insert_with(|| {
        let root = json!({"allOf": [schema], "components": *COMPONENTS});
        let options = jsonschema::options().with_draft(Draft::Draft4);
        Arc::new(options.should_validate_formats(true).build(&root).expect("a schema"))
    });
    Arc::clone(made)
}
