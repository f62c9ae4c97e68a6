//! Comments on loans, contacts and collateral: one table, three kinds, each with separate paths.

pub mod changes;

use crate::audit::{AuditTarget, CommentTarget, HistoryOwner};
use crate::auth::caller::Caller;
use crate::documents::refusals::DocumentError;
use crate::http::etag::{self, IfNoneMatch, Updated, WithEtag};
use poem_openapi::Object;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, JoinType, QueryFilter,
    QueryOrder, QuerySelect, Select,
};
use shared::entity::documents::DocumentOwner;
use shared::entity::{collaterals, comment_categories, comments, loan_collaterals};
use shared::galera;
use shared::interface_names;

/// A comment.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Comment {
    /// The stored comment.
    #[oai(flatten)]
    row: comments::Model,
    /// Code of the comment's category.
    comment_category: String,
    /// Version of the comment, required by PUT and DELETE.
    #[oai(rename = "versionHash")]
    version_hash: String,
}

impl Comment {
    fn new(row: comments::Model, comment_category: String) -> Result<Self, DbErr> {
        let version_hash = etag::hash(&row, &[])?;
        Ok(Self { row, comment_category, version_hash })
    }

    /// Returns the response to the client that has just changed it.
    pub fn changed(self) -> Updated<Self> {
        let hash = self.version_hash.clone();
        Updated::new(self, &hash)
    }

    /// Returns the response to a client that already has these versions.
    pub fn versioned(self, if_none_match: &IfNoneMatch) -> WithEtag<Self> {
        let hash = self.version_hash.clone();
        WithEtag::new(self, &hash, if_none_match)
    }
}

/// Kind of record that a comment is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentKind {
    /// A loan.
    Loan,
    /// A contact.
    Contact,
    /// A collateral item.
    Collateral,
}

impl CommentKind {
    /// Returns the owner type of documents of such a comment.
    pub const fn owner(self) -> DocumentOwner {
        match self {
            Self::Loan => DocumentOwner::LoanComment,
            Self::Contact => DocumentOwner::ContactComment,
            Self::Collateral => DocumentOwner::CollateralComment,
        }
    }

    /// Returns the kind of comment for an owner type of documents; `None` for owner types of
    /// fields.
    pub fn of(owner: DocumentOwner) -> Option<Self> {
        let kinds = [Self::Loan, Self::Contact, Self::Collateral];
        kinds.into_iter().find(|kind| kind.owner() == owner)
    }

    /// Returns the privilege path of comments of this kind.
    pub const fn privilege_path(self) -> &'static str {
        match self {
            Self::Loan => "Loan > Comments",
            Self::Contact => "Contact > Comments",
            Self::Collateral => "Collateral > Comments",
        }
    }
}

/// Returns a comment of this kind. A comment of another kind counts as missing.
pub async fn get(
    db: &impl ConnectionTrait,
    caller: &Caller,
    kind: CommentKind,
    comment_id: i64,
) -> Result<Comment, DocumentError> {
    let category = comments::Entity::belongs_to(comment_categories::Entity)
        .from(comments::Column::CommentCategoryId)
        .to(comment_categories::Column::CommentCategoryId);
    let found = find(caller, kind, comment_id)
        .join(JoinType::InnerJoin, category.into())
        .select_also(comment_categories::Entity)
        .one(db)
        .await?;
    let Some((row, Some(category))) = found else { return Err(DocumentError::NotFound) };
    Ok(Comment::new(row, category.code)?)
}

/// Locks a comment's row. A request that changes a comment, or anything that belongs to it, holds
/// this lock.
pub async fn lock(
    tx: &DatabaseTransaction,
    caller: &Caller,
    kind: CommentKind,
    comment_id: i64,
) -> Result<comments::Model, DocumentError> {
    let found = find(caller, kind, comment_id).lock_exclusive().one(tx).await?;
    galera::guard_row(tx, "comments", comment_id).await?;
    found.ok_or(DocumentError::NotFound)
}

fn find(caller: &Caller, kind: CommentKind, comment_id: i64) -> Select<comments::Entity> {
    use comments::Column::{CollateralId, CommentId, ContactId, LoanId};
    let column = match kind {
        CommentKind::Loan => LoanId,
        CommentKind::Contact => ContactId,
        CommentKind::Collateral => CollateralId,
    };
    caller.find::<comments::Entity>().filter(CommentId.eq(comment_id)).filter(column.is_not_null())
}

/// Returns where the changes of a comment, and of what belongs to it, are recorded: in the history
/// of its loan or contact. For a comment on a collateral item it is that of each loan that the item
/// secures or, if there is none, of the contact who owns it.
pub async fn audit_target(
    db: &impl ConnectionTrait,
    comment: &comments::Model,
) -> Result<AuditTarget, DbErr> {
    let (kind, owners) = match (comment.loan_id, comment.contact_id, comment.collateral_id) {
        (Some(loan_id), ..) => (CommentKind::Loan, vec![HistoryOwner::Loan(loan_id)]),
        (None, Some(id), _) => (CommentKind::Contact, vec![HistoryOwner::Contact(id)]),
        (None, None, Some(id)) => (CommentKind::Collateral, collateral_owners(db, id).await?),
        (None, None, None) => (CommentKind::Collateral, Vec::new()),
    };
    let (comment_id, category_id) = (comment.comment_id, comment.comment_category_id);
    let comment = Some(CommentTarget { comment_id, category_id });
    Ok(AuditTarget { owners, privilege_path: kind.privilege_path(), comment })
}

/// Returns the owners of the histories that record a collateral item: each loan that it secures or,
/// if there is none, the contact who owns it.
#[expect(
    clippy::disallowed_methods,
    reason = "the history is that of all loans, seen by the caller or not"
)]
pub async fn collateral_owners(
    db: &impl ConnectionTrait,
    collateral_id: i64,
) -> Result<Vec<HistoryOwner>, DbErr> {
    use loan_collaterals::Column::{CollateralId, LoanId};
    let links = loan_collaterals::Entity::find().filter(CollateralId.eq(collateral_id));
    let links = links.order_by_asc(LoanId).all(db).await?;
    if !links.is_empty() {
        return Ok(links.into_iter().map(|link| HistoryOwner::Loan(link.loan_id)).collect());
    }
    let collateral = collaterals::Entity::find_by_id(collateral_id).one(db).await?;
    let contact_id = collateral.and_then(|collateral| collateral.contact_id);
    Ok(contact_id.map(HistoryOwner::Contact).into_iter().collect())
}
