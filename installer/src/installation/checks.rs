//! Checks by name, what each found, and the report made of them: the same lines for every command
//! that checks something.

use serde::Serialize;
use serde_json::json;
use std::fmt::Write;

/// What every check found, in the order of the checks.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One for each check, those that could not run included.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What is checked.
    pub name: &'static str,
    /// How it went.
    pub outcome: Outcome,
    /// What holds where all is in order.
    pub expected: String,
    /// What was found in its place, or as it should be.
    pub found: String,
    /// What to do about it: on every failure, seldom on a pass.
    pub advice: Option<String>,
}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Found as expected.
    Passed,
    /// Not as expected.
    Failed,
    /// Could not run because another check failed; counts as not holding.
    Skipped,
}

impl Report {
    /// True if every check passed.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.outcome == Outcome::Passed)
    }

    /// A line for each check, and a last one that sums up.
    pub fn to_text(&self) -> String {
        let width = self.checks.iter().map(|check| check.name.chars().count()).max();
        let width = width.unwrap_or_default();
        let mut text = String::new();
        for check in &self.checks {
            let outcome = match check.outcome {
                Outcome::Passed => "ok",
                Outcome::Failed => "FAILED",
                Outcome::Skipped => "skipped",
            };
            let (name, expected, found) = (check.name, &check.expected, &check.found);
            let advice = check.advice.iter().map(|advice| format!("; to do: {advice}"));
            let advice: String = advice.collect();
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{outcome:<7}  {name:<width$}  expected: {expected}; found: {found}{advice}"
            );
        }
        let passed = self.checks.iter().filter(|check| check.outcome == Outcome::Passed).count();
        let _ = writeln!(text, "{passed} of {} checks hold", self.checks.len());
        text
    }

    /// `{"holds": …, "checks": [{"name", "outcome", "expected", "found", "advice"}, …]}`
    pub fn to_json(&self) -> String {
        format!("{:#}", json!({"holds": self.holds(), "checks": self.checks}))
    }

    /// What does not hold and what to do about it, a sentence each.
    pub fn faults(&self) -> Vec<String> {
        let failed = self.checks.iter().filter(|check| check.outcome == Outcome::Failed);
        let fault = |check: &Check| match &check.advice {
            Some(advice) => format!("{}: {advice}", check.found),
            None => check.found.clone(),
        };
        failed.map(fault).collect()
    }
}

impl Report {
    /// Adds what was found as expected.
    pub fn pass(&mut self, name: &'static str, expected: &str, found: &str) {
        self.checks.push(Check::made(name, Outcome::Passed, expected, found, None));
    }

    /// Adds what was found as expected, with something to do before long.
    pub fn pass_for_now(&mut self, name: &'static str, expected: &str, found: &str, advice: &str) {
        self.checks.push(Check::made(name, Outcome::Passed, expected, found, Some(advice)));
    }

    /// Adds what was not found as expected, and what to do about it.
    pub fn fail(&mut self, name: &'static str, expected: &str, found: &str, advice: &str) {
        self.checks.push(Check::made(name, Outcome::Failed, expected, found, Some(advice)));
    }

    /// Adds what could not be looked at, and why.
    pub fn skip(&mut self, name: &'static str, expected: &str, why: &str) {
        self.checks.push(Check::made(name, Outcome::Skipped, expected, why, None));
    }
}

impl Check {
    /// A check that was made.
    pub fn made(
        name: &'static str,
        outcome: Outcome,
        expected: impl Into<String>,
        found: &str,
        advice: Option<&str>,
    ) -> Self {
        let advice = advice.map(on_one_line);
        Self { name, outcome, expected: expected.into(), found: on_one_line(found), advice }
    }
}

/// Much of what is found was written by the other side: it must neither break the line nor send
/// control sequences to a terminal.
fn on_one_line(text: &str) -> String {
    const LONGEST: usize = 400;
    let mut line: String =
        text.chars().take(LONGEST).map(|char| if char.is_control() { ' ' } else { char }).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}
