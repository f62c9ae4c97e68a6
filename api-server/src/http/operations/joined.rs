//! Operations joined from the tables and the document, and the lookup of a request's operation.

use super::{
    Body, EXTENSION_PARAMETERS, EXTENSIONS, FORM, FORMER_PATHS, JSON, PRIVILEGES, PUBLIC_PATHS,
    PUBLIC_POSTS, Table, XML, is_about_cards, is_extension,
};
use crate::auth::privileges::Privilege;
use poem::http::Method;
use poem::{PathPattern, Request};
use serde_json::Value;
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub struct Operation {
    pub id: &'static str,
    pub method: Method,
    /// Path with `{parameters}`.
    pub path: String,
    /// Privilege required of a core-system user, if any.
    pub privilege: Option<Privilege>,
    /// Request body, if any.
    pub body: Option<Body>,
    /// Media type of the response, if it has a body.
    pub produces: Option<String>,
    /// The query parameters it accepts.
    pub query: Vec<QueryParameter>,
    /// True if it is not part of the interface.
    pub is_extension: bool,
}

#[derive(Clone, Debug)]
pub struct QueryParameter {
    /// Its name, as the contract spells it.
    pub name: String,
    is_boolean: bool,
}

impl Operation {
    /// Joins an operation of the document with its line in one of the tables.
    fn of(path: &str, method: &str, described: &Value, tables: &[Table]) -> Result<Self, String> {
        let id = described["operationId"].as_str().unwrap_or_default();
        let mut listed = tables.iter().copied().flatten();
        let &(id, privilege) = listed
            .find(|(listed, _)| *listed == id)
            .ok_or_else(|| format!("{id} ({method} {path}) is not in the tables of operations"))?;
        let body = match media_type(&described["requestBody"]) {
            None => None,
            Some(sent) => {
                let body = [JSON, XML, FORM].into_iter().find(|body| body.media_type == sent);
                Some(body.ok_or_else(|| format!("{id} accepts {sent}, which has no size limit"))?)
            }
        };
        let responses = described["responses"].as_object().into_iter().flatten();
        let mut successful = responses.filter(|(status, _)| status.starts_with('2'));
        let parameters = described["parameters"].as_array().into_iter().flatten();
        let query = parameters.filter(|parameter| parameter["in"] == "query");
        Ok(Self {
            id,
            method: method
                .to_uppercase()
                .parse()
                .map_err(|_| format!("{id}: unknown method {method}"))?,
            path: path.to_owned(),
            privilege,
            body,
            produces: successful.find_map(|(_, response)| media_type(response)).map(str::to_owned),
            query: query
                .filter_map(|parameter| {
                    let name = parameter["name"].as_str()?.to_owned();
                    Some(QueryParameter {
                        name,
                        is_boolean: parameter["schema"]["type"] == "boolean",
                    })
                })
                .collect(),
            is_extension: is_extension(id),
        })
    }

    /// True for operations about cards: their requests are searched for card numbers.
    pub fn is_about_cards(&self) -> bool {
        is_about_cards(&self.path)
    }

    /// True if the query may have a parameter of this name, in any case.
    pub fn is_parameter(&self, name: &str) -> bool {
        self.parameter_named(name).is_some()
    }

    /// Returns a query parameter by its name in any case: the interface writes `Test`.
    fn parameter_named(&self, name: &str) -> Option<&QueryParameter> {
        self.query.iter().find(|accepted| accepted.name.eq_ignore_ascii_case(name))
    }

    /// Returns the query with names and truth values as the contract spells them; `None` if it is
    /// spelt so, or is malformed.
    pub fn canonical_query(&self, query: &str) -> Option<String> {
        let mut pairs: Vec<(String, String)> = serde_urlencoded::from_str(query).ok()?;
        let mut differs = false;
        for (name, value) in &mut pairs {
            let Some(parameter) = self.parameter_named(name) else { continue };
            let truth = ["true", "false"].into_iter().find(|it| it.eq_ignore_ascii_case(value));
            let truth = truth.filter(|_| parameter.is_boolean);
            let canonical = (parameter.name.as_str(), truth.unwrap_or(value));
            if canonical != (name.as_str(), value.as_str()) {
                (*name, *value) = (canonical.0.to_owned(), canonical.1.to_owned());
                differs = true;
            }
        }
        differs.then(|| serde_urlencoded::to_string(pairs).ok())?
    }

    /// Returns the name of the nth path parameter.
    pub fn path_parameter(&self, index: usize) -> Option<&str> {
        self.path.split('/').filter_map(parameter).nth(index)
    }
}

/// Returns the media type of a request or response body.
fn media_type(described: &Value) -> Option<&str> {
    described["content"].as_object()?.keys().next().map(String::as_str)
}

/// Returns the parameter's name if a segment is a parameter.
fn parameter(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

/// Returns the router's pattern of a path of the document. The framework numbers the parameters.
pub fn router_pattern(path: &str) -> String {
    let mut numbers = 0..;
    let segments = path.split('/').map(|segment| match parameter(segment) {
        None => segment.to_owned(),
        Some(_) => format!(":param{}", numbers.next().unwrap_or_default()),
    });
    segments.collect::<Vec<_>>().join("/")
}

/// A path, and the operations on it.
struct PathItem {
    /// Number of segments.
    length: usize,
    /// Bits of the segments that are parameters, the first segment highest: of two paths, the
    /// router prefers the smaller number.
    parameters: u32,
    operations: Vec<Operation>,
}

impl PathItem {
    fn path(&self) -> &str {
        self.operations.first().map_or("", |operation| &operation.path)
    }

    fn operation(&self, method: &Method) -> Option<&Operation> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        self.operations.iter().find(|operation| operation.method == method)
    }
}

/// All operations of a document.
#[derive(Default)]
pub struct Operations {
    /// In document order.
    items: Vec<PathItem>,
    /// Index into `items` by the router's path pattern.
    patterns: HashMap<String, usize>,
    /// Mismatches between tables and document.
    faults: Vec<String>,
}

impl Operations {
    /// Joins the operations of a document that has the extensions with the tables.
    pub fn with_extensions(document: &Value) -> Self {
        let mut joined = Self::of(document, &[PRIVILEGES, EXTENSIONS]);
        for (id, name) in EXTENSION_PARAMETERS {
            let extended = joined.by_id(id).filter(|operation| !operation.is_extension);
            if extended.is_none_or(|operation| !operation.is_parameter(name)) {
                joined.faults.push(format!("{name} is not a parameter of {id} in the interface"));
            }
        }
        joined
    }

    /// Joins the operations of the interface's document with their table.
    pub fn of_interface(document: &Value) -> Self {
        Self::of(document, &[PRIVILEGES])
    }

    fn of(document: &Value, tables: &[Table]) -> Self {
        let mut joined = Self::default();
        for (path, described) in document["paths"].as_object().into_iter().flatten() {
            joined.add(path, described, tables);
        }
        let listed = tables.iter().copied().flatten().map(|(id, _)| id);
        let moved = FORMER_PATHS.iter().map(|(_, id)| id);
        for id in listed.clone().chain(moved) {
            if joined.all().filter(|operation| operation.id == *id).count() != 1 {
                joined.faults.push(format!("{id} is not exactly once in the document"));
            }
            if listed.clone().filter(|listed| *listed == id).count() > 1 {
                joined.faults.push(format!("{id} is more than once in the tables of operations"));
            }
        }
        joined
    }

    fn add(&mut self, path: &str, described: &Value, tables: &[Table]) {
        let mut operations = Vec::new();
        for (method, described) in described.as_object().into_iter().flatten() {
            match Operation::of(path, method, described, tables) {
                Ok(operation) => operations.push(operation),
                Err(fault) => self.faults.push(fault),
            }
        }
        if operations.is_empty() {
            return;
        }
        let bits = path.split('/').skip(1).map(|segment| u32::from(parameter(segment).is_some()));
        let parameters = bits.fold(0, |parameters, bit| parameters << 1 | bit);
        self.patterns.insert(router_pattern(path), self.items.len());
        self.items.push(PathItem { length: path.split('/').count(), parameters, operations });
    }

    /// Fails with every operation that is in the table but not in the document, or the reverse.
    pub fn check(&self) -> Result<(), String> {
        if self.faults.is_empty() { Ok(()) } else { Err(self.faults.join("; ")) }
    }

    /// All operations, in document order.
    pub fn all(&self) -> impl Iterator<Item = &Operation> {
        self.items.iter().flat_map(|item| &item.operations)
    }

    pub fn by_id(&self, id: &str) -> Option<&Operation> {
        self.all().find(|operation| operation.id == id)
    }

    /// Returns the operation that the router chose for a request.
    pub fn of_request(&self, request: &Request) -> Option<&Operation> {
        self.at(request.method(), request.data()?)
    }

    /// Returns the operation with this method on a path that the router chose.
    pub fn at(&self, method: &Method, chosen: &PathPattern) -> Option<&Operation> {
        self.item(chosen)?.operation(method)
    }

    fn item(&self, PathPattern(pattern): &PathPattern) -> Option<&PathItem> {
        self.patterns.get(&**pattern).and_then(|index| self.items.get(*index))
    }

    /// Returns the operation for this method and path without asking the router. Like the router it
    /// works from left to right and prefers a literal segment to a parameter.
    pub fn find(&self, method: &Method, path: &str) -> Option<&Operation> {
        let length = path.split('/').count();
        let items = self.items.iter().filter(|item| item.length == length);
        let matching = items.filter(|item| matches(item.path(), path));
        matching.min_by_key(|item| item.parameters)?.operation(method)
    }

    /// Returns the methods of a path that the router chose, for `Allow`; `None` if the path is not
    /// ours.
    pub fn allowed_methods(&self, chosen: &PathPattern) -> Option<String> {
        let operations = self.item(chosen).into_iter().flat_map(|item| &item.operations);
        let mut methods: Vec<&str> =
            operations.map(|operation| operation.method.as_str()).collect();
        let path = &*chosen.0;
        if PUBLIC_PATHS.contains(&path) {
            methods.push("GET");
        }
        if PUBLIC_POSTS.contains(&path) {
            methods.push("POST");
        }
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        (!methods.is_empty()).then(|| methods.join(", "))
    }

    /// Returns the current location of a former path, with the ids it carries filled in.
    pub fn current_path(&self, path: &str) -> Option<String> {
        let (former, id) = FORMER_PATHS.iter().find(|(former, _)| matches(former, path))?;
        let mut current = self.by_id(id)?.path.clone();
        for (name, value) in former.split('/').zip(path.split('/')) {
            if name.starts_with('{') {
                current = current.replace(name, value);
            }
        }
        Some(current)
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    let (mut names, mut segments) = (pattern.split('/'), path.split('/'));
    loop {
        match (names.next(), segments.next()) {
            (None, None) => return true,
            (Some(name), Some(segment)) if name.starts_with('{') && !segment.is_empty() => {}
            (Some(name), Some(segment)) if name == segment => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::operations::SANDBOX_PAGE;
    use crate::router::{contract, operations};
    use serde_json::json;

    #[test]
    fn the_tables_and_the_documents_have_the_same_operations() {
        assert_eq!(operations().check(), Ok(()));
        assert_eq!(operations().all().count(), PRIVILEGES.len() + EXTENSIONS.len());
        let interface = &contract(false).schemas.operations;
        assert_eq!(interface.check(), Ok(()));
        assert_eq!(interface.all().count(), PRIVILEGES.len());
    }

    #[test]
    fn an_operation_missing_in_one_of_the_two_is_reported() {
        let get = |id: &str| json!({"get": {"operationId": id, "responses": {}}});
        let body = json!({"content": {"text/plain": {}}});
        let unsupported = json!({"post": {"operationId": "post_payment", "requestBody": body}});
        let paths = json!({"/a": get("get_loan"), "/b": get("get_nothing"), "/c": unsupported});
        let joined = Operations::with_extensions(&json!({"paths": paths}));
        let report = joined.check().unwrap_err();
        assert!(report.contains("get_nothing (get /b) is not in the tables"), "{report}");
        assert!(report.contains("post_payment accepts text/plain"), "{report}");
        assert!(
            report.contains("list_transactions is not exactly once in the document"),
            "{report}"
        );
        assert!(report.contains("list_privileges is not exactly once"), "{report}");
        assert!(!report.contains("get_loan "), "{report}");
        assert_eq!(joined.all().map(|operation| operation.id).collect::<Vec<_>>(), ["get_loan"]);
        assert!(joined.find(&Method::GET, "/b").is_none());
    }

    #[test]
    fn names_of_parameters_and_truth_values_are_read_in_any_case() {
        let import = operations().by_id("import_xml").unwrap();
        let read = |query: &str| import.canonical_query(query);
        for query in ["Test=true", "test=True", "TEST=TRUE", "%74est=True"] {
            assert_eq!(read(query).as_deref(), Some("test=true"), "{query}");
        }
        // As the contract spells it, unknown, or not a truth value.
        for query in ["", "test=true", "Toast=True", "test=1", "test=%"] {
            assert_eq!(read(query), None, "{query}");
        }
        let search = operations().by_id("list_contacts").unwrap();
        let found = search.canonical_query("NAME=True+Smith&Limit=5");
        assert_eq!(found.as_deref(), Some("name=True+Smith&limit=5"));
    }

    #[test]
    fn a_literal_path_segment_takes_precedence_over_a_parameter() {
        let find = |method, path| operations().find(method, path).map(|found| found.id);
        assert_eq!(find(&Method::GET, "/loans/17"), Some("get_loan"));
        assert_eq!(find(&Method::HEAD, "/loans/17/transactions"), Some("list_transactions"));
        assert_eq!(find(&Method::GET, "/loans/collateral/17"), Some("get_collateral"));
        assert_eq!(find(&Method::GET, "/loans/comments/collateral"), Some("get_loan_comment"));
        assert_eq!(find(&Method::GET, "/users/loan-officers"), Some("list_loan_officers"));
        assert_eq!(find(&Method::PUT, "/loans/17"), None);
        assert_eq!(find(&Method::GET, "/loans//transactions"), None);
        assert_eq!(find(&Method::GET, "/loans/17/"), None);
    }

    #[test]
    fn a_former_path_leads_to_the_current_one() {
        let current = |path| operations().current_path(path).unwrap_or_default();
        assert_eq!(current("/loans/17/transaction-history"), "/loans/17/transactions");
        assert_eq!(current("/loan-collateral/3/taxes"), "/loans/collateral/3/taxes");
        assert_eq!(current("/core/user-priv/5"), "/users/5/privileges");
        assert_eq!(current("/core/post-payment"), "/loans/{loan_id}/transactions/payments");
        assert_eq!(operations().current_path("/loans/17/transactions"), None);
    }

    #[test]
    fn a_path_lists_its_methods() {
        let allowed = |pattern: &str| operations().allowed_methods(&PathPattern(pattern.into()));
        assert_eq!(allowed("/loans/:param0").as_deref(), Some("GET, HEAD"));
        let comment = allowed("/loans/collateral/comments/:param0");
        assert_eq!(comment.as_deref(), Some("GET, PUT, DELETE, HEAD"));
        assert_eq!(allowed("/core/xml-import").as_deref(), Some("POST"));
        assert_eq!(allowed(SANDBOX_PAGE).as_deref(), Some("GET, POST, HEAD"));
        assert_eq!(allowed("/nowhere"), None);
    }
}
