//! Named checks, their findings, and the report built from them: the same format for every command
//! that checks something.

use serde::Serialize;
use serde_json::json;
use std::fmt::Write;

/// The findings of all checks, in the order of the checks.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One entry per check, including skipped ones.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// The check's name.
    pub name: &'static str,
    /// Its outcome.
    pub outcome: Outcome,
    /// What is expected when all is well.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// What to do about it: on every failure, occasionally on a pass.
    pub advice: Option<String>,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Found as expected.
    Passed,
    /// Not as expected.
    Failed,
    /// Could not run because another check failed; counts as not passed.
    Skipped,
}

impl Report {
    /// True if every check passed.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.outcome == Outcome::Passed)
    }

    /// One line per check, and a summary line.
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
        let _ = writeln!(text, "{passed} of {} checks passed", self.checks.len());
        text
    }

    /// `{"holds": …, "checks": [{"name", "outcome", "expected", "found", "advice"}, …]}`
    pub fn to_json(&self) -> String {
        format!("{:#}", json!({"holds": self.holds(), "checks": self.checks}))
    }

    /// The failures and what to do about them, one sentence each.
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
    /// Adds a passed check.
    pub fn pass(&mut self, name: &'static str, expected: &str, found: &str) {
        self.checks.push(Check::new(name, Outcome::Passed, expected, found, None));
    }

    /// Adds a passed check with something to do before long.
    pub fn pass_for_now(&mut self, name: &'static str, expected: &str, found: &str, advice: &str) {
        self.checks.push(Check::new(name, Outcome::Passed, expected, found, Some(advice)));
    }

    /// Adds a failed check, and what to do about it.
    pub fn fail(&mut self, name: &'static str, expected: &str, found: &str, advice: &str) {
        self.checks.push(Check::new(name, Outcome::Failed, expected, found, Some(advice)));
    }

    /// Adds a skipped check, and why it was skipped.
    pub fn skip(&mut self, name: &'static str, expected: &str, why: &str) {
        self.checks.push(Check::new(name, Outcome::Skipped, expected, why, None));
    }
}

impl Check {
    /// Creates a check.
    pub fn new(
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

/// Findings often quote the other side: they must neither break the line nor send control sequences
/// to a terminal.
fn on_one_line(text: &str) -> String {
    const LONGEST: usize = 400;
    let mut line: String =
        text.chars().take(LONGEST).map(|char| if char.is_control() { ' ' } else { char }).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}
