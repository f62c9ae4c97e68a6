//! `/contacts/comments`: contact comments and their documents.

use crate::endpoints::documents::comment_operations;

pub struct ContactComments;

comment_operations! {
    ContactComments, Contact;

    record: path = "/contacts/:contact_id/comments", contact_id,
    /// List a contact's comments.
    list_contact_comments,
    /// Add a comment to a contact.
    create_contact_comment;

    comment: path = "/contacts/comments/:comment_id",
    /// Get a contact comment.
    get_contact_comment;

    documents: path = "/contacts/comments/:comment_id/documents",
    /// List the documents of a contact comment.
    list_contact_comment_documents,
    /// Attach a document with one file to a contact comment.
    create_contact_comment_document,
    /// Remove a document and its files from a contact comment.
    remove_contact_comment_document
}
