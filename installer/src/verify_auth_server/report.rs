//! The checks by name, what was found, and the report made of it.

use super::clock;
use serde::Serialize;
use serde_json::json;
use std::fmt::Write;

/// What every check found, in the order of the checks.
#[derive(Clone, Debug)]
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
    /// What holds on a server in order.
    pub expected: String,
    /// What this server showed.
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
                "{outcome:<7}  {name:<17}  expected: {expected}; found: {found}{advice}"
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
}

/// The checks, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Url,
    NameResolution,
    Tcp,
    Tls12,
    Tls13,
    OlderTls,
    Cipher,
    Chain,
    HostName,
    Expiry,
    Metadata,
    Issuer,
    Keys,
    Clock,
    Introspection,
}

impl Step {
    const ALL: [Self; 15] = [
        Self::Url,
        Self::NameResolution,
        Self::Tcp,
        Self::Tls12,
        Self::Tls13,
        Self::OlderTls,
        Self::Cipher,
        Self::Chain,
        Self::HostName,
        Self::Expiry,
        Self::Metadata,
        Self::Issuer,
        Self::Keys,
        Self::Clock,
        Self::Introspection,
    ];

    /// Its name, and what holds on a server in order.
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Url => ("URL", "https with a host, no query and no fragment"),
            Self::NameResolution => ("name resolution", "the host has an address"),
            Self::Tcp => ("TCP", "a connection is accepted"),
            Self::Tls12 => ("TLS 1.2", "a handshake with TLS 1.2 only succeeds"),
            Self::Tls13 => ("TLS 1.3", "a handshake with TLS 1.3 only succeeds"),
            Self::OlderTls => ("older TLS refused", "TLS 1.1 and older are refused"),
            Self::Cipher => {
                ("cipher", "authenticated encryption and forward secrecy; broken ciphers refused")
            }
            Self::Chain => ("chain", "issued by a trusted authority"),
            Self::HostName => ("host name", "the certificate names the host"),
            Self::Expiry => ("expiry", "the certificate is valid now"),
            Self::Metadata => ("metadata", "the metadata of an authorization server"),
            Self::Issuer => ("issuer", "equal to the URL, every endpoint under it"),
            Self::Keys => ("keys", "if keys are announced, at least one is usable"),
            Self::Clock => ("database clock", clock::EXPECTED),
            Self::Introspection => {
                ("introspection", r#"a junk token is answered with 200 and {"active":false}"#)
            }
        }
    }
}

/// The checks made so far.
pub(super) struct Course {
    steps: Vec<Step>,
    made: Vec<(Step, Check)>,
}

impl Course {
    /// Introspection takes part only if there is a client to do it with.
    pub(super) fn new(with_client: bool) -> Self {
        let steps = Step::ALL.into_iter();
        let steps = steps.filter(|step| with_client || *step != Step::Introspection);
        Self { steps: steps.collect(), made: Vec::new() }
    }

    /// True if this check takes part.
    pub(super) fn includes(&self, step: Step) -> bool {
        self.steps.contains(&step)
    }

    /// Found as expected.
    pub(super) fn pass(&mut self, step: Step, found: impl AsRef<str>) {
        self.add(step, Outcome::Passed, found.as_ref(), None);
    }

    /// Found as expected, but there is something to do before long.
    pub(super) fn pass_for_now(&mut self, step: Step, found: impl AsRef<str>, advice: &str) {
        self.add(step, Outcome::Passed, found.as_ref(), Some(advice));
    }

    /// Not as expected. Gives the step back, for the checks that depend on it.
    pub(super) fn fail(
        &mut self,
        step: Step,
        found: impl AsRef<str>,
        advice: impl AsRef<str>,
    ) -> Step {
        self.add(step, Outcome::Failed, found.as_ref(), Some(advice.as_ref()));
        step
    }

    /// The report. Checks that were not made are skipped because of the unmet one.
    pub(super) fn finish(mut self, unmet: Option<Step>) -> Report {
        let reason = unmet.map_or("not run".to_owned(), |step| {
            format!("not run, because the check \"{}\" failed", step.texts().0)
        });
        for step in self.steps.clone() {
            if !self.made.iter().any(|(made, _)| *made == step) {
                self.add(step, Outcome::Skipped, &reason, None);
            }
        }
        self.made.sort_by_key(|(step, _)| *step as usize);
        Report { checks: self.made.into_iter().map(|(_, check)| check).collect() }
    }

    fn add(&mut self, step: Step, outcome: Outcome, found: &str, advice: Option<&str>) {
        let (name, expected) = step.texts();
        let check = Check {
            name,
            outcome,
            expected: expected.to_owned(),
            found: on_one_line(found),
            advice: advice.map(on_one_line),
        };
        self.made.push((step, check));
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
