//! Verdict on answers, given what went wrong meanwhile.

use super::answers::{Answered, Outcome};
use shared::problem::ProblemType;
use std::time::Instant;

/// The answers that must not occur. Connections may fail while the api-server is `dead`; a 503 must
/// be explained by what went wrong.
pub fn wrong_answers(
    answered: &[Answered],
    dead: &[(Instant, Instant)],
    explained: impl Fn(ProblemType, &Answered) -> bool,
) -> Vec<String> {
    let meanwhile = |answered: &Answered| {
        dead.iter().any(|(from, to)| answered.sent <= *to && answered.at() >= *from)
    };
    let wrong = answered.iter().filter(|answered| match &answered.outcome {
        Outcome::Posted(_) | Outcome::Replayed(_) => false,
        Outcome::Refused(kind) if kind.status() == 503 => !explained(*kind, answered),
        Outcome::Refused(_) => false,
        Outcome::Lost(_) => !meanwhile(answered),
        Outcome::TimedOut | Outcome::Balancer(_) | Outcome::Wrong(_) => true,
    });
    wrong
        .map(|answered| {
            let Answered { kind, took, outcome, .. } = answered;
            format!("{kind} after {:.1} s: {outcome:?}", took.as_secs_f64())
        })
        .collect()
}

/// True if a problem of this type may mean that the database is away. The auth server depends on
/// it, too, and may be the one to report it; the sandbox's books are in it.
pub fn is_of_database(kind: ProblemType) -> bool {
    matches!(
        kind,
        ProblemType::AuthServerUnavailable
            | ProblemType::DatabaseUnavailable
            | ProblemType::GatewayUnavailable
            | ProblemType::GatewayOutcomeUnknown
    )
}
