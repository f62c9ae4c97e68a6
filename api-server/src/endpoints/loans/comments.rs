//! `/loans/comments`: loan comments and their documents.

use crate::endpoints::documents::comment_operations;

pub struct LoanComments;

comment_operations! {
    LoanComments, Loan;

    record: path = "/loans/:loan_id/comments", loan_id,
    /// List a loan's comments.
    list_loan_comments,
    /// Add a comment to a loan.
    create_loan_comment;

    comment: path = "/loans/comments/:comment_id",
    /// Get a loan comment.
    get_loan_comment;

    documents: path = "/loans/comments/:comment_id/documents",
    /// List the documents of a loan comment.
    list_loan_comment_documents,
    /// Attach a document with one file to a loan comment.
    create_loan_comment_document,
    /// Remove a document and its files from a loan comment.
    remove_loan_comment_document
}
