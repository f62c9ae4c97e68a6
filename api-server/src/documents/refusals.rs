//! What the rules of documents and comments refuse.

use crate::command::failure::Failure;
use crate::http::request_body::ReadOnlyChanged;
use crate::http::versions::OtherVersion;
use shared::problem::{Problem, ProblemType};

/// Why nothing was done to a document or comment.
pub type DocumentError = Failure<DocumentRefusal>;

/// A rule of documents or comments that said no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentRefusal {
    /// It has another version than the client believes.
    OtherVersion(OtherVersion),
    /// The client changes what cannot be changed.
    ReadOnly(ReadOnlyChanged),
    /// The field holds no documents.
    FieldNotDocument {
        /// Its name.
        field: String,
    },
    /// A document keeps its last file.
    LastFile,
}

impl From<OtherVersion> for DocumentError {
    fn from(other: OtherVersion) -> Self {
        Self::Refused(DocumentRefusal::OtherVersion(other))
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
            DocumentRefusal::OtherVersion(other) => other.into(),
            DocumentRefusal::ReadOnly(changed) => changed.into(),
            DocumentRefusal::FieldNotDocument { field } => Self::new(ProblemType::FieldNotDocument)
                .detail(format!("{field} holds no documents")),
            DocumentRefusal::LastFile => Self::new(ProblemType::LastFile)
                .detail("a document has at least one file: remove the document itself"),
        }
    }
}
