//! Command failures. Code that refunds, removes or retries matches on these variants; only the
//! response to the client is a [`Problem`].

use crate::auth::privileges::Forbidden;
use crate::auth::visible_rows::FindError;
use crate::command::idempotency::KeyError;
use crate::command::lock_queues::RowKey;
use crate::http::import_gate;
use sea_orm::DbErr;
use shared::amounts::OutOfRange;
use shared::database::coalesced::Unanswered;
use shared::database::{self, Contended, Fault};
use shared::problem::{InvalidValue, Problem, ProblemType};
use std::fmt;

/// Reason why a command was not executed. `R` is what the rules of its module refuse.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure<R> {
    /// A rule of the module was broken.
    Refused(R),
    /// The row is missing, or the caller may not see it.
    NotFound,
    /// The caller lacks a privilege, or may not execute this command at all.
    Forbidden(Forbidden),
    /// A value of the request breaks a rule.
    Invalid(InvalidValue),
    /// A result exceeds what can be stored.
    OutOfRange(OutOfRange),
    /// The `Idempotency-Key` was used for a different request.
    KeyMismatch,
    /// A request with this `Idempotency-Key` is still running.
    KeyInProgress,
    /// Lock timeout: another request held the row for too long.
    Locked(Option<LockedRow>),
    /// Contention: another transaction came first, and a retry may succeed.
    Contended(Option<LockedRow>),
    /// A unique or foreign key constraint refused a row.
    Conflict,
    /// A service that the command needs is unavailable or too slow. If it is the database, a commit
    /// may or may not have succeeded.
    Unavailable(UnavailableService),
    /// The payment gateway did not report the outcome of a charge.
    OutcomeUnknown,
    /// A defect of this product, logged where it was detected.
    Defect,
}

/// A service that may be unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableService {
    Database,
    /// The database, while an import locks all of it.
    Import,
    /// The payment gateway: nothing was charged.
    Gateway,
    /// The directory in which imports are spooled.
    Spool,
}

/// Rows that a 423 response names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockedRow {
    Loan,
    Drawer,
}

impl LockedRow {
    /// Returns the row as a 423 response names it. There is no 423 for comments and documents.
    pub const fn of(row: RowKey) -> Option<Self> {
        match row {
            RowKey::Loan(_) => Some(Self::Loan),
            RowKey::Drawer(_) => Some(Self::Drawer),
            RowKey::Comment(_) | RowKey::Document(_) => None,
        }
    }
}

impl<R> Failure<R> {
    /// Returns the failure for a value that breaks a rule, and the field that carries it.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(InvalidValue::new(field, message))
    }

    /// Returns the failure for a missing value.
    pub fn missing(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(InvalidValue::missing(field, message))
    }

    /// Returns the failure for a code that is not in its setup list, or no longer in use.
    pub fn unknown_code(field: impl Into<String>, code: &str) -> Self {
        Self::Invalid(InvalidValue::unknown_code(field, code))
    }

    /// Logs a defect of this product. The client gets only the request id.
    pub fn defect(error: impl fmt::Display) -> Self {
        tracing::error!(%error, "request failed");
        Self::Defect
    }

    /// True if a rule refused the command: nothing was written, and the same request would be
    /// refused again.
    pub const fn is_refusal(&self) -> bool {
        match self {
            Self::Refused(_)
            | Self::NotFound
            | Self::Forbidden(_)
            | Self::Invalid(_)
            | Self::OutOfRange(_)
            | Self::KeyMismatch => true,
            Self::KeyInProgress
            | Self::Locked(_)
            | Self::Contended(_)
            | Self::Conflict
            | Self::Unavailable(_)
            | Self::OutcomeUnknown
            | Self::Defect => false,
        }
    }

    /// True if another transaction or request held the row.
    pub const fn is_blocked(&self) -> bool {
        matches!(self, Self::Locked(_) | Self::Contended(_))
    }

    /// Names the row that was held, unless it is named already.
    #[must_use]
    pub fn at(self, row: Option<LockedRow>) -> Self {
        match self {
            Self::Locked(None) => Self::Locked(row),
            Self::Contended(None) => Self::Contended(row),
            other => other,
        }
    }

    /// Removes the name of the row, for imports: they have no 423.
    #[must_use]
    pub fn at_no_row(self) -> Self {
        match self {
            Self::Locked(_) => Self::Locked(None),
            Self::Contended(_) => Self::Contended(None),
            other => other,
        }
    }

    /// Converts the failure of another module's command into a failure of this one.
    pub fn through<Q: Into<R>>(failure: Failure<Q>) -> Self {
        match failure {
            Failure::Refused(rule) => Self::Refused(rule.into()),
            Failure::NotFound => Self::NotFound,
            Failure::Forbidden(forbidden) => Self::Forbidden(forbidden),
            Failure::Invalid(value) => Self::Invalid(value),
            Failure::OutOfRange(error) => Self::OutOfRange(error),
            Failure::KeyMismatch => Self::KeyMismatch,
            Failure::KeyInProgress => Self::KeyInProgress,
            Failure::Locked(row) => Self::Locked(row),
            Failure::Contended(row) => Self::Contended(row),
            Failure::Conflict => Self::Conflict,
            Failure::Unavailable(away) => Self::Unavailable(away),
            Failure::OutcomeUnknown => Self::OutcomeUnknown,
            Failure::Defect => Self::Defect,
        }
    }
}

impl<R: Clone + Into<Problem>> Failure<R> {
    /// Returns the failure in one line, for reports that are not HTTP responses.
    pub fn message(&self) -> String {
        Problem::from(self.clone()).message()
    }
}

impl<R> Contended for Failure<R> {
    fn is_contention(&self) -> bool {
        matches!(self, Self::Contended(_))
    }
}

impl<R> From<DbErr> for Failure<R> {
    fn from(error: DbErr) -> Self {
        let failure = match database::fault(&error) {
            Fault::Contention => Self::Contended(None),
            Fault::LockTimeout => Self::Locked(None),
            Fault::Unavailable => Self::Unavailable(UnavailableService::Database),
            Fault::Conflict => {
                tracing::error!(%error, "request failed");
                return Self::Conflict;
            }
            Fault::Defect => return Self::defect(error),
        };
        tracing::warn!(%error, "database");
        failure
    }
}

impl<R> From<FindError> for Failure<R> {
    fn from(error: FindError) -> Self {
        match error {
            FindError::NotFound => Self::NotFound,
            FindError::Database(error) => error.into(),
        }
    }
}

impl<R> From<Forbidden> for Failure<R> {
    fn from(forbidden: Forbidden) -> Self {
        Self::Forbidden(forbidden)
    }
}

impl<R> From<InvalidValue> for Failure<R> {
    fn from(value: InvalidValue) -> Self {
        Self::Invalid(value)
    }
}

impl<R> From<OutOfRange> for Failure<R> {
    fn from(error: OutOfRange) -> Self {
        Self::OutOfRange(error)
    }
}

impl<R> From<KeyError> for Failure<R> {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Mismatch => Self::KeyMismatch,
            KeyError::InProgress => Self::KeyInProgress,
            KeyError::Taken => Self::Contended(None),
            KeyError::Database(error) => error.into(),
        }
    }
}

impl<R> From<Unanswered> for Failure<R> {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Overloaded => Self::Locked(None),
            Unanswered::TimedOut => Self::Unavailable(UnavailableService::Database),
            Unanswered::Panicked => Self::defect(unanswered),
        }
    }
}

impl<R: Clone + Into<Problem>> fmt::Display for Failure<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Problem::from(self.clone()).fmt(f)
    }
}

/// The problem that the client gets.
impl<R: Into<Problem>> From<Failure<R>> for Problem {
    fn from(failure: Failure<R>) -> Self {
        use {ProblemType as Type, UnavailableService as Service};
        match failure {
            Failure::Refused(rule) => rule.into(),
            Failure::NotFound => Self::not_found(),
            Failure::Forbidden(forbidden) => forbidden.into(),
            Failure::Invalid(value) => value.into(),
            Failure::OutOfRange(error) => error.into(),
            Failure::KeyMismatch => Self::new(Type::IdempotencyMismatch).detail(
                "the Idempotency-Key was used for a request with a different path, query or body",
            ),
            Failure::KeyInProgress => Self::new(Type::IdempotencyInProgress),
            Failure::Locked(row) | Failure::Contended(row) => match row {
                Some(LockedRow::Loan) => Self::new(Type::LoanLocked),
                Some(LockedRow::Drawer) => Self::new(Type::DrawerLocked),
                None => Self::new(Type::DatabaseUnavailable)
                    .detail("other requests held the same rows: send the request again"),
            },
            Failure::Unavailable(Service::Database) => Self::new(Type::DatabaseUnavailable),
            Failure::Unavailable(Service::Import) => import_gate::busy(),
            Failure::Unavailable(Service::Gateway) => Self::new(Type::GatewayUnavailable),
            Failure::Unavailable(Service::Spool) => Self::new(Type::SpoolUnavailable),
            Failure::OutcomeUnknown => Self::new(Type::GatewayOutcomeUnknown),
            Failure::Conflict | Failure::Defect => Self::new(Type::InternalError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::privileges::Privilege;
    use poem::http::StatusCode;

    struct TestRefusal;

    impl From<TestRefusal> for Problem {
        fn from(_: TestRefusal) -> Self {
            Self::new(ProblemType::Overpayment)
        }
    }

    #[test]
    fn each_failure_has_its_status_and_only_rules_refuse() {
        let value = InvalidValue::new("Amount", "is wrong");
        let forbidden = Forbidden::Privilege(Privilege("Loan > Payments", "Add"));
        for (failure, status, is_refusal) in [
            (Failure::Refused(TestRefusal), 422, true),
            (Failure::NotFound, 404, true),
            (Failure::Forbidden(forbidden), 403, true),
            (Failure::Invalid(value), 422, true),
            (Failure::OutOfRange(OutOfRange), 422, true),
            (Failure::KeyMismatch, 422, true),
            (Failure::KeyInProgress, 409, false),
            (Failure::Locked(Some(LockedRow::Loan)), 423, false),
            (Failure::Contended(Some(LockedRow::Drawer)), 423, false),
            (Failure::Locked(None), 503, false),
            (Failure::Contended(None), 503, false),
            (Failure::Conflict, 500, false),
            (Failure::Unavailable(UnavailableService::Database), 503, false),
            (Failure::Unavailable(UnavailableService::Import), 503, false),
            (Failure::Unavailable(UnavailableService::Gateway), 503, false),
            (Failure::OutcomeUnknown, 503, false),
            (Failure::Defect, 500, false),
        ] {
            assert_eq!(failure.is_refusal(), is_refusal, "{status}");
            let problem = Problem::from(failure);
            let found = problem.kind().status();
            assert_eq!(found, StatusCode::from_u16(status).unwrap(), "{problem}");
        }
    }

    #[test]
    fn the_first_to_name_a_locked_row_is_right() {
        let locked = Failure::<TestRefusal>::Locked(None).at(Some(LockedRow::Drawer));
        let locked = locked.at(Some(LockedRow::Loan));
        assert!(matches!(locked, Failure::Locked(Some(LockedRow::Drawer))));
        assert!(locked.is_blocked());
        assert!(matches!(locked.at_no_row(), Failure::Locked(None)));
        let other = Failure::<TestRefusal>::NotFound.at(Some(LockedRow::Loan));
        assert!(matches!(other, Failure::NotFound) && !other.is_blocked());
    }
}
