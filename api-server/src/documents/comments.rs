//! Comments on loans, contacts and collateral: one table, three kinds, each with paths of its own.

pub mod changes;

use crate::audit::{OfComment, Owner, Place};
use crate::auth::caller::Caller;
use crate::documents::refusals::DocumentError;
use crate::http::versions::{self, Changed, Known, Versioned};
use poem_openapi::Object;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, JoinType, QueryFilter,
    QueryOrder, QuerySelect, Select,
};
use shared::cluster;
use shared::entity::documents::DocumentOwner;
use shared::entity::{collaterals, comment_categories, comments, loan_collaterals};
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
        let version_hash = versions::hash(&row, &[])?;
        Ok(Self { row, comment_category, version_hash })
    }

    /// The answer to the client that has just changed it.
    pub fn changed(self) -> Changed<Self> {
        let hash = self.version_hash.clone();
        Changed::new(self, &hash)
    }

    /// The answer to a client that knows these versions.
    pub fn versioned(self, known: &Known) -> Versioned<Self> {
        let hash = self.version_hash.clone();
        Versioned::new(self, &hash, known)
    }
}

/// What a comment is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A loan.
    Loan,
    /// A contact.
    Contact,
    /// A collateral.
    Collateral,
}

impl Kind {
    /// What documents of such a comment say they are attached to.
    pub const fn owner(self) -> DocumentOwner {
        match self {
            Self::Loan => DocumentOwner::LoanComment,
            Self::Contact => DocumentOwner::ContactComment,
            Self::Collateral => DocumentOwner::CollateralComment,
        }
    }

    /// What a comment is on whose documents say that; `None` for those of fields.
    pub const fn of(owner: DocumentOwner) -> Option<Self> {
        match owner {
            DocumentOwner::LoanComment => Some(Self::Loan),
            DocumentOwner::ContactComment => Some(Self::Contact),
            DocumentOwner::CollateralComment => Some(Self::Collateral),
            DocumentOwner::LoanDetail1
            | DocumentOwner::LoanDetail2
            | DocumentOwner::ContactDetail
            | DocumentOwner::ContactDemographics
            | DocumentOwner::ContactFinancials => None,
        }
    }

    /// The privilege path of comments of this kind.
    pub const fn privilege_path(self) -> &'static str {
        match self {
            Self::Loan => "Loan > Comments",
            Self::Contact => "Contact > Comments",
            Self::Collateral => "Collateral > Comments",
        }
    }
}

/// A comment of this kind; those of other kinds do not exist here.
pub async fn get(
    db: &impl ConnectionTrait,
    caller: &Caller,
    kind: Kind,
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

/// The same under its row lock: who changes a comment, or what hangs on it, holds it.
pub async fn lock(
    tx: &DatabaseTransaction,
    caller: &Caller,
    kind: Kind,
    comment_id: i64,
) -> Result<comments::Model, DocumentError> {
    let found = find(caller, kind, comment_id).lock_exclusive().one(tx).await?;
    cluster::guard_row(tx, "comments", comment_id).await?;
    found.ok_or(DocumentError::NotFound)
}

fn find(caller: &Caller, kind: Kind, comment_id: i64) -> Select<comments::Entity> {
    use comments::Column::{CollateralId, CommentId, ContactId, LoanId};
    let on = match kind {
        Kind::Loan => LoanId,
        Kind::Contact => ContactId,
        Kind::Collateral => CollateralId,
    };
    caller.find::<comments::Entity>().filter(CommentId.eq(comment_id)).filter(on.is_not_null())
}

/// Where the changes of a comment go, and of what hangs on it: into the history of its loan or
/// contact; of a collateral's comment, into that of each loan that the collateral secures, else of
/// the contact whose it is.
pub async fn place(db: &impl ConnectionTrait, comment: &comments::Model) -> Result<Place, DbErr> {
    let at = |kind: Kind, owners| Place {
        owners,
        privilege_path: kind.privilege_path(),
        comment: Some(OfComment {
            comment_id: comment.comment_id,
            category_id: comment.comment_category_id,
        }),
    };
    if let Some(loan_id) = comment.loan_id {
        return Ok(at(Kind::Loan, vec![Owner::Loan(loan_id)]));
    }
    if let Some(contact_id) = comment.contact_id {
        return Ok(at(Kind::Contact, vec![Owner::Contact(contact_id)]));
    }
    let owners = match comment.collateral_id {
        Some(collateral_id) => collateral_owners(db, collateral_id).await?,
        None => Vec::new(),
    };
    Ok(at(Kind::Collateral, owners))
}

/// Whose history tells of a collateral: each loan that it secures; where it secures none, the
/// contact whose it is.
#[expect(clippy::disallowed_methods, reason = "history belongs to all loans, seen or not")]
pub async fn collateral_owners(
    db: &impl ConnectionTrait,
    collateral_id: i64,
) -> Result<Vec<Owner>, DbErr> {
    use loan_collaterals::Column::{CollateralId, LoanId};
    let links = loan_collaterals::Entity::find().filter(CollateralId.eq(collateral_id));
    let links = links.order_by_asc(LoanId).all(db).await?;
    if !links.is_empty() {
        return Ok(links.into_iter().map(|link| Owner::Loan(link.loan_id)).collect());
    }
    let collateral = collaterals::Entity::find_by_id(collateral_id).one(db).await?;
    let contact_id = collateral.and_then(|collateral| collateral.contact_id);
    Ok(contact_id.map(Owner::Contact).into_iter().collect())
}
