//! The checks of an auth server in order, and their findings so far.

use crate::installation::checks::{Check, CheckName, Failure, Finding, Outcome, Report};
use sea_orm::{EnumIter, Iterable};

/// The checks, in report order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter)]
pub(super) enum VerificationStep {
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
    WebUsers,
    Introspection,
    LogIn,
    LiveToken,
    Refresh,
    LogOut,
    Refused,
}

impl VerificationStep {
    /// The check's name, and what is expected of a server in order.
    const fn texts(self) -> CheckName {
        match self {
            Self::Url => ("URL", "https with a host, no query and no fragment"),
            Self::NameResolution => ("name resolution", "the host has an address"),
            Self::Tcp => ("TCP", "a connection is accepted"),
            Self::Tls12 => ("TLS 1.2", "a handshake with only TLS 1.2 succeeds"),
            Self::Tls13 => {
                ("TLS 1.3", "a handshake with only TLS 1.3 succeeds, or TLS 1.2 alone is offered")
            }
            Self::OlderTls => ("older TLS refused", "TLS 1.1 and older are refused"),
            Self::Cipher => {
                ("cipher", "authenticated encryption and forward secrecy; broken ciphers refused")
            }
            Self::Chain => ("chain", "issued by a trusted authority"),
            Self::HostName => ("host name", "the certificate names the host"),
            Self::Expiry => ("expiry", "the certificate is valid now"),
            Self::Metadata => ("metadata", "the metadata of an authorization server"),
            Self::Issuer => ("issuer", "equal to the URL, with every endpoint under it"),
            Self::Keys => ("keys", "if keys are announced, at least one is usable"),
            Self::Clock => ("database clock", "within 60 s of this machine's clock"),
            Self::WebUsers => ("web users", "their tokens have a lifetime"),
            Self::Introspection => {
                ("introspection", r#"a junk token is answered with 200 and {"active":false}"#)
            }
            Self::LogIn => ("log-in", "a temporary user gets a token through a temporary client"),
            Self::LiveToken => ("introspection of a live token", "active, and this user's"),
            Self::Refresh => ("refresh", "a new access token and a new refresh token"),
            Self::LogOut => ("log-out", "204"),
            Self::Refused => (
                "refused afterwards",
                r#"the token is {"active":false}, its refresh token is invalid_grant"#,
            ),
        }
    }
}

pub(super) struct VerificationRun {
    steps: Vec<VerificationStep>,
    checks: Vec<(VerificationStep, Check)>,
}

impl VerificationRun {
    /// The introspection of a junk token is included only if there is a client to do it with, the
    /// round trip only if requested.
    pub(super) fn new(with_client: bool, with_round_trip: bool) -> Self {
        let steps = VerificationStep::iter().filter(|step| match step {
            VerificationStep::Introspection => with_client,
            VerificationStep::LogIn
            | VerificationStep::LiveToken
            | VerificationStep::Refresh
            | VerificationStep::LogOut
            | VerificationStep::Refused => with_round_trip,
            _ => true,
        });
        Self { steps: steps.collect(), checks: Vec::new() }
    }

    pub(super) fn includes(&self, step: VerificationStep) -> bool {
        self.steps.contains(&step)
    }

    pub(super) fn pass(&mut self, step: VerificationStep, found: impl AsRef<str>) {
        self.add(step, Outcome::Passed, found.as_ref(), None);
    }

    /// Adds a passed check with something to improve.
    pub(super) fn pass_for_now(
        &mut self,
        step: VerificationStep,
        found: impl AsRef<str>,
        advice: &str,
    ) {
        self.add(step, Outcome::Passed, found.as_ref(), Some(advice));
    }

    /// Adds a failed check, and returns its step for the checks that depend on it.
    pub(super) fn fail(
        &mut self,
        step: VerificationStep,
        found: impl AsRef<str>,
        advice: impl AsRef<str>,
    ) -> VerificationStep {
        self.add(step, Outcome::Failed, found.as_ref(), Some(advice.as_ref()));
        step
    }

    /// Adds a check with this outcome, and returns what the next ones need; an error is its step.
    pub(super) fn record<T>(
        &mut self,
        step: VerificationStep,
        outcome: Result<(T, String), Failure>,
    ) -> Result<T, VerificationStep> {
        match outcome {
            Ok((value, found)) => {
                self.pass(step, found);
                Ok(value)
            }
            Err(Failure { found, advice }) => Err(self.fail(step, found, advice)),
        }
    }

    /// As [`Self::record`], if the next ones need nothing of it.
    pub(super) fn record_finding(
        &mut self,
        step: VerificationStep,
        finding: Finding,
    ) -> Result<(), VerificationStep> {
        self.record(step, finding.map(|found| ((), found)))
    }

    /// Marks the first remaining check as interrupted.
    pub(super) fn interrupted(&mut self) -> Option<VerificationStep> {
        let is_made = |step: &VerificationStep| self.checks.iter().any(|(done, _)| done == step);
        let next = self.steps.iter().copied().find(|step| !is_made(step))?;
        Some(self.fail(next, "interrupted", "verify again"))
    }

    /// Completes the report. Checks that were not made are skipped because of the unmet one.
    pub(super) fn finish(mut self, failed_step: Option<VerificationStep>) -> Report {
        let reason = failed_step.map_or("not run".to_owned(), |step| {
            format!("not run, because the check \"{}\" failed", step.texts().0)
        });
        for step in self.steps.clone() {
            if !self.checks.iter().any(|(done, _)| *done == step) {
                self.add(step, Outcome::Skipped, &reason, None);
            }
        }
        self.checks.sort_by_key(|(step, _)| *step as usize);
        Report { checks: self.checks.into_iter().map(|(_, check)| check).collect() }
    }

    fn add(&mut self, step: VerificationStep, outcome: Outcome, found: &str, advice: Option<&str>) {
        self.checks.push((step, Check::new(step.texts(), outcome, found, advice)));
    }
}
