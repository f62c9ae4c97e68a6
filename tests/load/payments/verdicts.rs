//! Verdict on responses, given what went wrong meanwhile.

use super::responses::{Attempt, Outcome};
use shared::problem::ProblemType;
use std::time::Instant;

/// The outcomes that must not occur. Connections may fail during `downtimes` of the api-server; a
/// 503 must be explained by what went wrong.
pub fn unexpected_outcomes(
    attempts: &[Attempt],
    downtimes: &[(Instant, Instant)],
    is_explained: impl Fn(ProblemType, &Attempt) -> bool,
) -> Vec<String> {
    let is_during_downtime = |attempt: &Attempt| {
        downtimes.iter().any(|(from, to)| attempt.sent <= *to && attempt.answered_at() >= *from)
    };
    let wrong = attempts.iter().filter(|attempt| match &attempt.outcome {
        Outcome::Posted(_) | Outcome::Replayed(_) => false,
        Outcome::Refused(kind) if kind.status() == 503 => !is_explained(*kind, attempt),
        Outcome::Refused(_) => false,
        Outcome::Lost(_) => !is_during_downtime(attempt),
        Outcome::TimedOut | Outcome::Balancer(_) | Outcome::Wrong(_) => true,
    });
    wrong
        .map(|attempt| {
            let Attempt { kind, latency, outcome, .. } = attempt;
            format!("{kind} after {:.1} s: {outcome:?}", latency.as_secs_f64())
        })
        .collect()
}

/// True if a problem of this type may mean that the database is away. The auth server depends on
/// it, too, and may be the one to report it; the sandbox's books are in it.
pub fn is_database_problem(kind: ProblemType) -> bool {
    matches!(
        kind,
        ProblemType::AuthServerUnavailable
            | ProblemType::DatabaseUnavailable
            | ProblemType::GatewayUnavailable
            | ProblemType::GatewayOutcomeUnknown
    )
}
