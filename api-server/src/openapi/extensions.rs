//! Extensions: operations, query parameters and members of problems beyond the interface. The
//! document marks them; the interface alone, [`InterfaceOnly`], has none of them.

use crate::http::operations::{is_extension, is_extension_parameter, router_pattern};
use crate::openapi::{id, operations};
use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem_openapi::OpenApi;
use poem_openapi::registry::{MetaApi, Registry};
use serde_json::{Value, json};
use shared::problem::ProblemType;
use std::collections::HashMap;

/// What the description of every extension says.
pub const NOTE: &str =
    "An extension to the interface: a server with `API_EXTENSIONS=off` does not have it.";

/// Members that only problems of extensions have.
const PROBLEM_MEMBERS: [(&str, ProblemType); 1] = [("blockedBy", ProblemType::NotReversible)];

/// Marks the extensions in the document. Parameters of the interface come first, where generated
/// clients pass them by position.
pub(super) fn mark(document: &mut Value) {
    for (.., operation) in operations(document) {
        let operation_id = id(operation).to_owned();
        if is_extension(&operation_id) {
            describe(operation, "\n\n");
        }
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        let Some(parameters) = parameters else { continue };
        let is_extension = |parameter: &Value| {
            is_extension_parameter(&operation_id, parameter["name"].as_str().unwrap_or_default())
        };
        parameters.sort_by_key(is_extension);
        for parameter in parameters.iter_mut().filter(|parameter| is_extension(parameter)) {
            describe(parameter, " ");
        }
    }
    for (member, kind) in PROBLEM_MEMBERS {
        let occurs = document["components"]["examples"].get(kind.name()).is_some();
        let members = &mut document["components"]["schemas"]["Problem"]["properties"];
        match members.as_object_mut() {
            Some(members) if !occurs => members.retain(|name, _| name != member),
            _ => describe(&mut members[member], " "),
        }
    }
}

fn describe(extension: &mut Value, separator: &str) {
    let text = extension["description"].as_str().map(|text| format!("{text}{separator}"));
    extension["description"] = json!(text.unwrap_or_default() + NOTE);
    extension["x-extension"] = json!(true);
}

/// Resource groups without the extensions: these are neither routed nor documented.
pub struct InterfaceOnly<A>(pub A);

impl<A: OpenApi> OpenApi for InterfaceOnly<A> {
    fn meta() -> Vec<MetaApi> {
        let mut groups = A::meta();
        for path in groups.iter_mut().flat_map(|group| &mut group.paths) {
            path.operations.retain(|operation| !operation.operation_id.is_some_and(is_extension));
            for operation in &mut path.operations {
                let id = operation.operation_id.unwrap_or_default();
                operation.params.retain(|parameter| !is_extension_parameter(id, &parameter.name));
            }
        }
        for group in &mut groups {
            group.paths.retain(|path| !path.operations.is_empty());
        }
        groups
    }

    fn register(registry: &mut Registry) {
        A::register(registry);
    }

    fn add_routes(self, routes: &mut HashMap<String, HashMap<Method, BoxEndpoint<'static>>>) {
        let mut all = HashMap::new();
        self.0.add_routes(&mut all);
        for path in Self::meta().into_iter().flat_map(|group| group.paths) {
            let pattern = router_pattern(&path.path);
            let Some(endpoints) = all.get_mut(&pattern) else { continue };
            for operation in path.operations {
                if let Some(endpoint) = endpoints.remove(&operation.method) {
                    let routes = routes.entry(pattern.clone()).or_default();
                    routes.insert(operation.method, endpoint);
                }
            }
        }
    }
}
