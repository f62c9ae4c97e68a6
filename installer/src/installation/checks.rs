//! Named checks, their findings, and the report built from them: the same format for every command
//! that checks something.

use sea_orm::DbErr;
use serde::Serialize;
use serde_json::json;
use std::fmt::Write;

/// The findings of all checks, in the order of the checks.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One entry per check, including skipped ones.
    pub checks: Vec<Check>,
}

/// A check's name, and what is expected when all is well.
pub type CheckName = (&'static str, &'static str);

/// What a check found.
pub type Finding = Result<String, Failure>;

/// What is not as expected, and what to do about it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What was found.
    pub found: String,
    /// What to do.
    pub advice: String,
}

impl Failure {
    /// Creates a failure.
    pub fn new(found: impl ToString, advice: impl Into<String>) -> Self {
        Self { found: found.to_string(), advice: advice.into() }
    }
}

impl From<DbErr> for Failure {
    fn from(error: DbErr) -> Self {
        Self::new(error, "see the database's log")
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub outcome: Outcome,
    /// What is expected when all is well.
    pub expected: &'static str,
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
            let (name, expected, found) = (check.name, check.expected, &check.found);
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

    /// Adds a passed check.
    pub fn pass(&mut self, check: CheckName, found: impl AsRef<str>) {
        self.checks.push(Check::new(check, Outcome::Passed, found.as_ref(), None));
    }

    /// Adds a passed check with something to do before long.
    pub fn pass_for_now(&mut self, check: CheckName, found: impl AsRef<str>, advice: &str) {
        self.checks.push(Check::new(check, Outcome::Passed, found.as_ref(), Some(advice)));
    }

    /// Adds a failed check, and what to do about it.
    pub fn fail(&mut self, check: CheckName, found: impl AsRef<str>, advice: impl AsRef<str>) {
        let advice = Some(advice.as_ref());
        self.checks.push(Check::new(check, Outcome::Failed, found.as_ref(), advice));
    }

    /// Adds a check that passes if this is true.
    pub fn require(&mut self, check: CheckName, holds: bool, found: impl AsRef<str>, advice: &str) {
        match holds {
            true => self.pass(check, found),
            false => self.fail(check, found, advice),
        }
    }

    /// Adds a check with this finding.
    pub fn record(&mut self, check: CheckName, finding: Finding) {
        match finding {
            Ok(found) => self.pass(check, found),
            Err(Failure { found, advice }) => self.fail(check, found, advice),
        }
    }

    /// Adds a skipped check, and why it was skipped.
    pub fn skip(&mut self, check: CheckName, why: &str) {
        self.checks.push(Check::new(check, Outcome::Skipped, why, None));
    }
}

impl Check {
    pub fn new(
        (name, expected): CheckName,
        outcome: Outcome,
        found: &str,
        advice: Option<&str>,
    ) -> Self {
        let advice = advice.map(on_one_line);
        Self { name, outcome, expected, found: on_one_line(found), advice }
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
