//! An answer of a server, and what tests expect of it.

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// An answer, read to the end.
#[derive(Clone, Debug)]
pub struct TestResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The body as text.
    pub text: String,
}

impl TestResponse {
    /// The body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// The last segment of a problem's type.
    pub fn problem(&self) -> String {
        let document = self.json();
        let kind = document["type"].as_str().unwrap_or_default();
        kind.rsplit(':').next().unwrap_or_default().to_owned()
    }

    /// The value of a header; empty if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The values of this member in the rows of a list; null where a row lacks it.
    pub fn column(&self, member: &str) -> Vec<Value> {
        let rows = self.json();
        let rows = rows.as_array().unwrap_or_else(|| panic!("no list: {:.500}", self.text));
        rows.iter().map(|row| row[member].clone()).collect()
    }

    /// Fails the test unless the answer has this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{:.2000} {:?}", self.text, self.headers);
        self
    }

    /// Fails the test unless the answer is this problem.
    #[track_caller]
    pub fn expect_problem(self, status: u16, kind: &str) -> Self {
        let answer = self.expect(status);
        assert_eq!(answer.problem(), kind, "{}", answer.text);
        assert_eq!(answer.header("content-type"), "application/problem+json");
        assert_eq!(answer.json()["status"], status);
        assert_eq!(answer.json()["requestId"], answer.header("x-request-id"));
        answer
    }
}
