//! Operations as the table and the document have them together, and which one a request is for.

use super::{
    Body, FORM, FORMER_PATHS, JSON, PRIVILEGES, PUBLIC_PATHS, PUBLIC_POSTS, XML, is_about_cards,
};
use crate::auth::privileges::Privilege;
use poem::http::Method;
use poem::{PathPattern, Request};
use serde_json::Value;
use std::collections::HashMap;

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its id.
    pub id: &'static str,
    /// Its method.
    pub method: Method,
    /// Its path with `{parameters}`.
    pub path: String,
    /// The privilege it needs of a core-system user, if any.
    pub privilege: Option<Privilege>,
    /// The body it takes, if any.
    pub body: Option<Body>,
    /// The media type it answers with, if it has anything to say.
    pub gives: Option<String>,
    /// The names of the parameters that its query may have.
    pub query: Vec<String>,
}

impl Operation {
    /// What the document says of an operation, and its line in the table.
    fn of(path: &str, method: &str, described: &Value) -> Result<Self, String> {
        let id = described["operationId"].as_str().unwrap_or_default();
        let &(id, privilege) = PRIVILEGES
            .iter()
            .find(|(known, _)| *known == id)
            .ok_or_else(|| format!("{id} ({method} {path}) is not in the table of operations"))?;
        let body = match media_type(&described["requestBody"]) {
            None => None,
            Some(sent) => {
                let body = [JSON, XML, FORM].into_iter().find(|body| body.media_type == sent);
                Some(body.ok_or_else(|| format!("{id} takes {sent}, of which no limit is known"))?)
            }
        };
        let responses = described["responses"].as_object().into_iter().flatten();
        let mut good = responses.filter(|(status, _)| status.starts_with('2'));
        let parameters = described["parameters"].as_array().into_iter().flatten();
        let query = parameters.filter(|parameter| parameter["in"] == "query");
        Ok(Self {
            id,
            method: method
                .to_uppercase()
                .parse()
                .map_err(|_| format!("{id}: what is {method}?"))?,
            path: path.to_owned(),
            privilege,
            body,
            gives: good.find_map(|(_, response)| media_type(response)).map(str::to_owned),
            query: query.filter_map(|known| known["name"].as_str()).map(str::to_owned).collect(),
        })
    }

    /// True for operations about cards: their requests are searched for card numbers.
    pub fn is_about_cards(&self) -> bool {
        is_about_cards(&self.path)
    }

    /// True for the names of parameters that its query may have.
    pub fn is_parameter(&self, name: &str) -> bool {
        self.query.iter().any(|known| known == name)
    }

    /// The name of the nth parameter of its path.
    pub fn path_parameter(&self, index: usize) -> Option<&str> {
        self.path.split('/').filter_map(parameter).nth(index)
    }
}

/// The media type of a body or an answer.
fn media_type(described: &Value) -> Option<&str> {
    described["content"].as_object()?.keys().next().map(String::as_str)
}

/// The name of a segment that is a parameter.
fn parameter(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

/// A path, and the operations on it.
struct PathItem {
    /// Its segments.
    length: usize,
    /// Which of them are parameters, a bit for each, that of the first one highest: of two paths
    /// the router prefers the smaller number.
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

/// All operations.
#[derive(Default)]
pub struct Operations {
    /// In the order of the document.
    items: Vec<PathItem>,
    /// Which of them has the pattern that the router calls a path by.
    patterns: HashMap<String, usize>,
    /// What does not fit together.
    faults: Vec<String>,
}

impl Operations {
    /// The operations of a document that are in the table.
    pub fn of(document: &Value) -> Self {
        let mut joined = Self::default();
        for (path, described) in document["paths"].as_object().into_iter().flatten() {
            joined.add(path, described);
        }
        let moved = FORMER_PATHS.iter().map(|(_, id)| id);
        for id in PRIVILEGES.iter().map(|(id, _)| id).chain(moved) {
            if joined.all().filter(|operation| operation.id == *id).count() != 1 {
                joined.faults.push(format!("{id} is not once in the document"));
            }
        }
        joined
    }

    fn add(&mut self, path: &str, described: &Value) {
        let mut operations = Vec::new();
        for (method, described) in described.as_object().into_iter().flatten() {
            match Operation::of(path, method, described) {
                Ok(operation) => operations.push(operation),
                Err(fault) => self.faults.push(fault),
            }
        }
        if operations.is_empty() {
            return;
        }
        let (mut pattern, mut numbered, mut parameters) = (String::new(), 0, 0);
        for segment in path.split('/').skip(1) {
            pattern.push('/');
            parameters <<= 1;
            if parameter(segment).is_none() {
                pattern.push_str(segment);
                continue;
            }
            // The framework numbers them.
            pattern.push_str(&format!(":param{numbered}"));
            (numbered, parameters) = (numbered + 1, parameters | 1);
        }
        self.patterns.insert(pattern, self.items.len());
        self.items.push(PathItem { length: path.split('/').count(), parameters, operations });
    }

    /// Fails with everything that is in the table and not in the document, or the other way round.
    pub fn check(&self) -> Result<(), String> {
        if self.faults.is_empty() { Ok(()) } else { Err(self.faults.join("; ")) }
    }

    /// All of them, in the order of the document.
    pub fn all(&self) -> impl Iterator<Item = &Operation> {
        self.items.iter().flat_map(|item| &item.operations)
    }

    /// The operation with this id.
    pub fn named(&self, id: &str) -> Option<&Operation> {
        self.all().find(|operation| operation.id == id)
    }

    /// The operation that the router chose for a request.
    pub fn asked(&self, request: &Request) -> Option<&Operation> {
        self.at(request.method(), request.data()?)
    }

    /// The operation with this method on a path that the router chose.
    pub fn at(&self, method: &Method, chosen: &PathPattern) -> Option<&Operation> {
        self.item(chosen)?.operation(method)
    }

    fn item(&self, PathPattern(pattern): &PathPattern) -> Option<&PathItem> {
        self.patterns.get(&**pattern).and_then(|index| self.items.get(*index))
    }

    /// The operation that answers to this method and path, where no router was asked: as it does,
    /// from left to right a word is preferred to a parameter.
    pub fn find(&self, method: &Method, path: &str) -> Option<&Operation> {
        let length = path.split('/').count();
        let items = self.items.iter().filter(|item| item.length == length);
        let matching = items.filter(|item| matches(item.path(), path));
        matching.min_by_key(|item| item.parameters)?.operation(method)
    }

    /// The methods on a path that the router chose, for `Allow`; `None` for one that is none of
    /// ours.
    pub fn allowed_methods(&self, chosen: &PathPattern) -> Option<String> {
        let operations = self.item(chosen).into_iter().flat_map(|item| &item.operations);
        let mut methods: Vec<&str> = operations.map(|one| one.method.as_str()).collect();
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

    /// Where a former path is now, with the ids it carries filled in.
    pub fn current_path(&self, path: &str) -> Option<String> {
        let (former, id) = FORMER_PATHS.iter().find(|(former, _)| matches(former, path))?;
        let mut current = self.named(id)?.path.clone();
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
    use crate::router::operations;
    use serde_json::json;

    #[test]
    fn the_table_and_the_document_have_the_same_operations() {
        assert_eq!(operations().check(), Ok(()));
        assert_eq!(operations().all().count(), PRIVILEGES.len());
    }

    #[test]
    fn an_operation_that_only_one_of_the_two_has_is_named_and_refused() {
        let get = |id: &str| json!({"get": {"operationId": id, "responses": {}}});
        let body = json!({"content": {"text/plain": {}}});
        let strange = json!({"post": {"operationId": "post_payment", "requestBody": body}});
        let paths = json!({"/a": get("get_loan"), "/b": get("get_nothing"), "/c": strange});
        let joined = Operations::of(&json!({"paths": paths}));
        let told = joined.check().unwrap_err();
        assert!(told.contains("get_nothing (get /b) is not in the table"), "{told}");
        assert!(told.contains("post_payment takes text/plain"), "{told}");
        assert!(told.contains("list_transactions is not once in the document"), "{told}");
        assert!(!told.contains("get_loan "), "{told}");
        assert_eq!(joined.all().map(|operation| operation.id).collect::<Vec<_>>(), ["get_loan"]);
        assert!(joined.find(&Method::GET, "/b").is_none());
    }

    #[test]
    fn a_word_in_a_path_is_preferred_to_a_parameter() {
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
