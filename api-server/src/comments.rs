//! Comments on loans, contacts and collateral: one table, three kinds, each with paths of its own.

use crate::access::Caller;
use crate::versions::{self, Known, Versioned};
use poem_openapi::Object;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, JoinType, QueryFilter, QuerySelect};
use shared::entity::{comment_categories, comments};
use shared::problem::Problem;

/// A comment.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Comment {
    /// The comment's row.
    #[oai(flatten)]
    row: comments::Model,
    /// The code of its category.
    #[oai(rename = "Comment_Category")]
    comment_category: String,
    /// The version: PUT and DELETE need it.
    #[oai(rename = "versionHash")]
    version_hash: String,
}

impl Comment {
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

/// A comment of this kind; those of other kinds do not exist here.
pub async fn get(
    db: &impl ConnectionTrait,
    caller: &Caller,
    kind: Kind,
    comment_id: i64,
) -> Result<Comment, Problem> {
    use comments::Column::{CollateralId, CommentCategoryId, CommentId, ContactId, LoanId};
    let on = match kind {
        Kind::Loan => LoanId,
        Kind::Contact => ContactId,
        Kind::Collateral => CollateralId,
    };
    let category = comments::Entity::belongs_to(comment_categories::Entity)
        .from(CommentCategoryId)
        .to(comment_categories::Column::CommentCategoryId);
    let found = caller
        .find::<comments::Entity>()
        .filter(CommentId.eq(comment_id))
        .filter(on.is_not_null())
        .join(JoinType::InnerJoin, category.into())
        .select_also(comment_categories::Entity)
        .one(db)
        .await?;
    let Some((row, Some(category))) = found else { return Err(Problem::not_found()) };
    let version_hash = versions::hash(&row, &[])?;
    Ok(Comment { row, comment_category: category.code, version_hash })
}
