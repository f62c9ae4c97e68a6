//! A caller with a token who tries the API and notes every answer that the model did not expect.

use super::model::{Principal, Rules};
use super::population::{ACCOUNT_MARK, IDENTITY_MARK};
use super::random::Random;
use acceptance::{TestResponse, client::Client};
use serde_json::Value;
use std::collections::BTreeMap;

/// An id that no row has.
const MISSING: i64 = 999_999;

/// A GET operation and who may call it, stated by the rules and independently of the server's
/// table.
#[derive(Clone, Copy)]
pub struct Operation {
    id: &'static str,
    /// `path > verb`, empty if no privilege is needed.
    right: &'static str,
    /// A second one that is needed, too.
    and_right: Option<&'static str>,
    any_user: bool,
}

impl Operation {
    /// An operation for core-system users who hold this privilege.
    pub const fn core(id: &'static str, right: &'static str) -> Self {
        Self { id, right, and_right: None, any_user: false }
    }

    /// An operation open to web users, too, that needs no privilege.
    pub const fn any(id: &'static str, right: &'static str) -> Self {
        Self { id, right, and_right: None, any_user: true }
    }

    /// The same operation, which also needs this privilege.
    pub const fn and(self, right: &'static str) -> Self {
        Self { and_right: Some(right), ..self }
    }

    /// The first privilege needed that the rules do not give the caller.
    fn missing_right(&self, rules: &Rules<'_>) -> Option<&'static str> {
        let needed = [Some(self.right).filter(|right| !right.is_empty()), self.and_right];
        needed.into_iter().flatten().find(|right| !rules.holds(right))
    }
}

pub struct Caller<'a> {
    name: String,
    client: &'a Client,
    token: String,
    /// What the model says about the caller.
    pub rules: Rules<'a>,
    /// Texts that must not appear in any answer to the caller.
    secrets: Vec<&'static str>,
    /// Chooses which of the many requests are sent.
    pub random: Random,
    /// Answers that the model did not expect.
    pub differences: Vec<String>,
    /// What each operation first answered about a missing or invisible row.
    missing: BTreeMap<&'static str, Value>,
    /// How many answers each operation gave: all, and those without a problem.
    pub response_counts: BTreeMap<&'static str, (usize, usize)>,
}

impl<'a> Caller<'a> {
    /// A caller who has logged in.
    pub fn new(
        name: &str,
        client: &'a Client,
        token: String,
        rules: Rules<'a>,
        random: Random,
    ) -> Self {
        let name = name.to_owned();
        let mut secrets = vec!["Object_Key", "Privilege_Path", "Password_Hash", "argon2"];
        if !rules.holds("Contact > Tax ID > View") {
            secrets.push(IDENTITY_MARK);
        }
        if !rules.holds("Loan > Automated Payments > View Account") {
            secrets.push(ACCOUNT_MARK);
        }
        Self {
            name,
            client,
            token,
            rules,
            secrets,
            random,
            differences: Vec::new(),
            missing: BTreeMap::new(),
            response_counts: BTreeMap::new(),
        }
    }

    /// The problem, if any, that every request of this operation gets before any row is looked up.
    fn refusal(&self, operation: &Operation) -> Option<(u16, &'static str)> {
        match self.rules.principal {
            Principal::WebUser(_) if operation.any_user => None,
            Principal::WebUser(_) => Some((403, "core-user-only")),
            Principal::User(_) => {
                operation.missing_right(&self.rules).map(|_| (403, "privilege-missing"))
            }
        }
    }

    /// True if the caller may call the operation at all.
    pub fn may_call(&self, operation: &Operation) -> bool {
        self.refusal(operation).is_none()
    }

    /// The ids to try an operation with: these and a missing one; only two if all are refused.
    pub fn ids(&mut self, operation: &Operation, ids: impl IntoIterator<Item = i64>) -> Vec<i64> {
        let mut ids: Vec<i64> = ids.into_iter().chain([MISSING]).collect();
        if !self.may_call(operation) {
            self.random.shuffle(&mut ids);
            ids.truncate(2);
        }
        ids
    }

    pub fn differ(&mut self, operation: &Operation, path: &str, expected: &str, found: &str) {
        let identity = (&self.name, self.rules.principal);
        let id = operation.id;
        self.differences.push(format!(
            "{} {:?}: {id} {path}\n  expected {expected}\n  found    {found}",
            identity.0, identity.1
        ));
    }

    /// Notes a difference unless the two are equal.
    pub fn compare<T: Into<Value>>(
        &mut self,
        operation: &Operation,
        path: &str,
        what: &str,
        expected: T,
        found: &Value,
    ) {
        let expected: Value = expected.into();
        if expected != *found {
            self.differ(operation, path, &format!("{what} {expected}"), &found.to_string());
        }
    }

    async fn get(&mut self, operation: &Operation, path: &str) -> TestResponse {
        let response = self.client.get(&self.token, path).await;
        let count = self.response_counts.entry(operation.id).or_default();
        count.0 += 1;
        count.1 += usize::from(response.status == 200);
        for secret in self.secrets.clone() {
            if response.text.contains(secret) {
                self.differ(operation, path, &format!("no {secret:?}"), &excerpt(&response));
            }
        }
        response
    }

    /// Sends a request, and expects this problem unless the caller may not call the operation.
    pub async fn expect_refusal(
        &mut self,
        operation: &Operation,
        path: &str,
        problem: (u16, &str),
    ) {
        let problem = self.refusal(operation).unwrap_or(problem);
        let response = self.get(operation, path).await;
        if (response.status.as_u16(), response.problem().as_str()) != problem {
            self.differ(operation, path, &format!("{problem:?}"), &excerpt(&response));
        }
        let missing = operation.missing_right(&self.rules).unwrap_or_default();
        if problem.1 == "privilege-missing" && !response.text.contains(missing) {
            self.differ(operation, path, missing, &excerpt(&response));
        }
        // "A row missing or not visible: indistinguishable."
        if response.status == 404 {
            let detail = &response.json()["detail"];
            let first = self.missing.entry(operation.id).or_insert_with(|| detail.clone()).clone();
            self.compare(operation, path, "detail", first, detail);
        }
    }

    /// Requests one row and expects it if the caller sees it, otherwise 404. Returns the row if it
    /// was found.
    pub async fn read(
        &mut self,
        operation: &Operation,
        path: &str,
        is_seen: bool,
    ) -> Option<Value> {
        if !is_seen || !self.may_call(operation) {
            self.expect_refusal(operation, path, (404, "not-found")).await;
            return None;
        }
        let response = self.get(operation, path).await;
        if response.status != 200 {
            self.differ(operation, path, "200", &excerpt(&response));
            return None;
        }
        Some(response.json())
    }

    /// Requests a list, page by page, and expects exactly these keys in this order if the caller
    /// sees the parent, otherwise 404. Returns the rows if they are as expected.
    pub async fn list<K: Into<Value>>(
        &mut self,
        operation: &Operation,
        path: &str,
        is_seen: bool,
        key: &str,
        expected: impl IntoIterator<Item = K>,
    ) -> Vec<Value> {
        let mark = if path.contains('?') { '&' } else { '?' };
        let limit = self.random.between(1, 5);
        let mut next = format!("{path}{mark}limit={limit}");
        if !is_seen || !self.may_call(operation) {
            self.expect_refusal(operation, &next, (404, "not-found")).await;
            return Vec::new();
        }
        let mut rows = Vec::new();
        loop {
            let response = self.get(operation, &next).await;
            let Value::Array(page) = response.json() else {
                self.differ(operation, &next, "a list", &excerpt(&response));
                return Vec::new();
            };
            // "`Link` appears only when more rows exist."
            let following = next_page(&response);
            let is_full = page.len() as i64 == limit;
            let is_last = following.is_none() && page.len() as i64 <= limit;
            let is_needed = !page.is_empty() || rows.is_empty();
            if !is_needed || !(is_full || is_last) {
                self.differ(operation, &next, "a full page, or the last one", &excerpt(&response));
                break;
            }
            rows.extend(page);
            match following {
                Some(path) => next = path,
                None => break,
            }
        }
        let expected: Value = expected.into_iter().map(Into::into).collect();
        let found: Value = rows.iter().map(|row| row[key].clone()).collect();
        if expected == found {
            return rows;
        }
        self.differ(operation, path, &expected.to_string(), &found.to_string());
        Vec::new()
    }
}

/// The path of `Link: </path?query>; rel="next"`.
fn next_page(response: &TestResponse) -> Option<String> {
    let link = response.header("link").strip_suffix(">; rel=\"next\"")?;
    link.strip_prefix('<').map(str::to_owned)
}

fn excerpt(response: &TestResponse) -> String {
    format!("{} {:.300}", response.status, response.text)
}
