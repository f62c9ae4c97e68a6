//! Sections 3.3 and 3.5: the three kinds of comments and their documents.

use super::documents::{compare_document, keys};
use crate::rules::visibility::caller::{Caller, Operation};
use crate::rules::visibility::model::Rules;
use crate::rules::visibility::tables::Tables;
use shared::entity::comments;
use shared::entity::documents::{self, DocumentOwner};

struct CommentKind {
    path: &'static str,
    owner: DocumentOwner,
    is_own: fn(&comments::Model) -> bool,
    /// Path of the list of a record's comments, around its id.
    record_path: &'static str,
    record: fn(&comments::Model) -> Option<i64>,
    /// Ids of all records, and which of them the caller sees.
    records: fn(&Tables) -> Vec<i64>,
    is_record_seen: fn(&Rules<'_>, i64) -> bool,
    list: Operation,
    get: Operation,
    documents: Operation,
}

const KINDS: [CommentKind; 3] = [
    CommentKind {
        path: "/loans/comments",
        owner: DocumentOwner::LoanComment,
        is_own: |row| row.loan_id.is_some(),
        record_path: "/loans",
        record: |row| row.loan_id,
        records: |rows| rows.loans.iter().map(|row| row.loan_id).collect(),
        is_record_seen: |rules, id| rules.on_loan(id),
        list: Operation::core("list_loan_comments", "Loan > Comments > View"),
        get: Operation::core("get_loan_comment", "Loan > Comments > View"),
        documents: Operation::core("list_loan_comment_documents", "Loan > Comments > View"),
    },
    CommentKind {
        path: "/contacts/comments",
        owner: DocumentOwner::ContactComment,
        is_own: |row| row.contact_id.is_some(),
        record_path: "/contacts",
        record: |row| row.contact_id,
        records: |rows| rows.contacts.iter().map(|row| row.contact_id).collect(),
        is_record_seen: |rules, id| rules.on_contact(id),
        list: Operation::core("list_contact_comments", "Contact > Comments > View"),
        get: Operation::core("get_contact_comment", "Contact > Comments > View"),
        documents: Operation::core("list_contact_comment_documents", "Contact > Comments > View"),
    },
    CommentKind {
        path: "/loans/collateral/comments",
        owner: DocumentOwner::CollateralComment,
        is_own: |row| row.collateral_id.is_some(),
        record_path: "/loans/collateral",
        record: |row| row.collateral_id,
        records: |rows| rows.collaterals.iter().map(|row| row.collateral_id).collect(),
        is_record_seen: |rules, id| rules.collateral(id),
        list: Operation::core("list_collateral_comments", "Collateral > Comments > View"),
        get: Operation::core("get_collateral_comment", "Collateral > Comments > View"),
        documents: Operation::core(
            "list_collateral_comment_documents",
            "Collateral > Comments > View",
        ),
    },
];

/// "Each comment path finds only its own kind."
pub async fn check(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for kind in &KINDS {
        of_records(caller, kind).await;
        let (own, foreign): (Vec<_>, Vec<_>) =
            rows.comments.iter().partition(|row| (kind.is_own)(row));
        let foreign = caller.random.some_of(10, &foreign);
        let ids = own.iter().chain(&foreign).map(|row| row.comment_id);
        for id in caller.ids(&kind.get, ids) {
            let path = format!("{}/{id}", kind.path);
            let rules = caller.rules;
            let of_kind = |row: &&comments::Model| row.comment_id == id && (kind.is_own)(row);
            let row = rows.comments.iter().find(of_kind);
            let is_seen = row.is_some_and(|row| rules.comment(row));
            if let Some(found) = caller.read(&kind.get, &path, is_seen).await {
                caller.compare(&kind.get, &path, "Comment_ID", id, &found["Comment_ID"]);
            }
            documents_of(caller, kind, id, is_seen).await;
        }
    }
}

/// The comments on each record, of all categories and of each.
async fn of_records(caller: &mut Caller<'_>, kind: &CommentKind) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    for id in caller.ids(&kind.list, (kind.records)(rows)) {
        let category = caller.random.one_of(&rows.comment_categories);
        for category in [None, Some(category)] {
            let query = category.as_ref().map(|row| format!("?category={}", row.code));
            let path = format!("{}/{id}/comments{}", kind.record_path, query.unwrap_or_default());
            let is_listed = |row: &&comments::Model| {
                let of_category = category
                    .as_ref()
                    .is_none_or(|known| known.comment_category_id == row.comment_category_id);
                (kind.record)(row) == Some(id) && of_category && rules.comment(row)
            };
            let keys = rows.comments.iter().filter(is_listed).map(|row| row.comment_id);
            let is_seen = (kind.is_record_seen)(&rules, id);
            caller.list(&kind.list, &path, is_seen, "Comment_ID", keys).await;
        }
    }
}

async fn documents_of(caller: &mut Caller<'_>, kind: &CommentKind, id: i64, is_seen: bool) {
    let rows = caller.rules.rows;
    let path = format!("{}/{id}/documents", kind.path);
    let is_own = |row: &documents::Model| row.owner_type == kind.owner && row.owner_id == id;
    let own = || rows.documents.iter().filter(|row| is_own(row));
    let found = caller.list(&kind.documents, &path, is_seen, "Document_ID", keys(own())).await;
    for document in found {
        compare_document(caller, &kind.documents, &path, &document);
    }
    // "`documentId=N` keeps that one. Everywhere an id of another owner's document is 404."
    let any_document = caller.random.maybe(30, &rows.documents);
    for row in own().chain(&any_document) {
        let path = format!("{path}?documentId={}", row.document_id);
        let is_seen = is_seen && is_own(row);
        caller.list(&kind.documents, &path, is_seen, "Document_ID", keys([row])).await;
    }
}
