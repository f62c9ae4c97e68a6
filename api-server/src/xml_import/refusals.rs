//! Refusals of an import or of one of its records, and the problems that clients get for them.

use super::parse::XmlFault;
use crate::command::failure::{Failure, UnavailableService};
use crate::documents::refusals::{DocumentError, DocumentRefusal};
use crate::loans::refusals::{LoanError, LoanRefusal};
use shared::problem::{Problem, ProblemType};
use std::io;

/// Why an import failed.
pub type ImportError = Failure<ImportRefusal>;

/// A rule that refuses a record or the whole file.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportRefusal {
    /// The file is not a well-formed import file.
    Malformed(XmlFault),
    /// The user who started the import has stopped it.
    Stopped,
    /// A rule of loans.
    Loan(LoanRefusal),
    /// A rule of comments.
    Document(DocumentRefusal),
}

impl ImportError {
    /// Logs that the spool cannot be used, most likely because its disk is full.
    pub fn spool_failed(error: io::Error) -> Self {
        tracing::error!(%error, "the import spool (API_SPOOL_DIRECTORY) cannot be used");
        Self::Unavailable(UnavailableService::Spool)
    }
}

impl From<LoanRefusal> for ImportRefusal {
    fn from(refusal: LoanRefusal) -> Self {
        Self::Loan(refusal)
    }
}

impl From<DocumentRefusal> for ImportRefusal {
    fn from(refusal: DocumentRefusal) -> Self {
        Self::Document(refusal)
    }
}

impl From<LoanError> for ImportError {
    fn from(error: LoanError) -> Self {
        Self::through(error)
    }
}

impl From<DocumentError> for ImportError {
    fn from(error: DocumentError) -> Self {
        Self::through(error)
    }
}

impl From<XmlFault> for ImportError {
    fn from(fault: XmlFault) -> Self {
        Self::Refused(ImportRefusal::Malformed(fault))
    }
}

/// The problem of a malformed file has members for line and column.
impl From<ImportRefusal> for Problem {
    fn from(refusal: ImportRefusal) -> Self {
        match refusal {
            ImportRefusal::Malformed(fault) => Self::new(ProblemType::BadRequest)
                .detail(fault.to_string())
                .member("line", fault.line)
                .member("column", fault.column),
            ImportRefusal::Stopped => Self::bad_request("the import was stopped"),
            ImportRefusal::Loan(refusal) => refusal.into(),
            ImportRefusal::Document(refusal) => refusal.into(),
        }
    }
}

/// Returns what the report says about a broken rule: the member at fault, and the message.
pub(super) fn described(error: ImportError) -> (Option<String>, String) {
    let problem = Problem::from(error);
    let field = problem.first_field().map(|(field, _)| field.to_owned());
    (field, problem.message())
}
