//! Refusals of commands on documents and comments, and the problems that clients get for them.

use crate::command::failure::Failure;
use crate::http::etag::VersionMismatch;
use crate::http::json_body::ReadOnlyChanged;
use shared::problem::{Problem, ProblemType};

/// Reason why a command on a document or comment was not executed.
pub type DocumentError = Failure<DocumentRefusal>;

/// The rule of documents or comments that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentRefusal {
    /// It has a version other than the one the client expects.
    OtherVersion(VersionMismatch),
    /// The client changes a read-only member.
    ReadOnly(ReadOnlyChanged),
    /// The field does not hold documents.
    FieldNotDocument {
        /// Name of the field.
        field: String,
    },
    /// The last file of a document cannot be removed.
    LastFile,
}

impl From<VersionMismatch> for DocumentError {
    fn from(mismatch: VersionMismatch) -> Self {
        Self::Refused(DocumentRefusal::OtherVersion(mismatch))
    }
}

impl From<ReadOnlyChanged> for DocumentError {
    fn from(changed: ReadOnlyChanged) -> Self {
        Self::Refused(DocumentRefusal::ReadOnly(changed))
    }
}

impl From<DocumentRefusal> for Problem {
    fn from(refusal: DocumentRefusal) -> Self {
        match refusal {
            DocumentRefusal::OtherVersion(mismatch) => mismatch.into(),
            DocumentRefusal::ReadOnly(changed) => changed.into(),
            DocumentRefusal::FieldNotDocument { field } => Self::new(ProblemType::FieldNotDocument)
                .detail(format!("{field} does not hold documents")),
            DocumentRefusal::LastFile => Self::new(ProblemType::LastFile)
                .detail("a document must keep at least one file: remove the document instead"),
        }
    }
}
