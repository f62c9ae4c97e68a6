//! Why an import, or one of its records, does not go on.

use super::parse::Fault;
use crate::command::failure::Failure;
use crate::documents::refusals::{DocumentError, DocumentRefusal};
use crate::loans::refusals::{LoanError, LoanRefusal};
use shared::problem::{Problem, ProblemType};

/// Why an import ended early.
pub type ImportError = Failure<ImportRefusal>;

/// A rule that said no to a record, or to the whole file.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportRefusal {
    /// The file is no XML of an import.
    Malformed(Fault),
    /// Whoever asked for the import has stopped it.
    Stopped,
    /// A rule of loans.
    Loan(LoanRefusal),
    /// A rule of comments.
    Document(DocumentRefusal),
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

impl From<Fault> for ImportError {
    fn from(fault: Fault) -> Self {
        Self::Refused(ImportRefusal::Malformed(fault))
    }
}

/// Where a file is malformed, the problem has the line and the column.
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

/// What the report says of a rule that a record breaks: the member at fault, and what is wrong.
pub(super) fn described(error: ImportError) -> (Option<String>, String) {
    let problem = Problem::from(error);
    let field = problem.first_field().map(|(field, _)| field.to_owned());
    (field, problem.message())
}
