//! Comments on loans, contacts and collateral: one table, three kinds, each with separate paths.

pub mod changes;

use crate::audit::{AuditTarget, CommentTarget, HistoryOwner};
use crate::auth::caller::{Caller, RequestContext};
use crate::auth::visible_rows::FindError;
use crate::documents::refusals::DocumentError;
use crate::http::business_day_filter;
use crate::http::etag::{self, IfNoneMatch, Updated, WithEtag};
use poem_openapi::Object;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, JoinType,
    QueryFilter, QueryOrder, QuerySelect, Select, SelectTwo,
};
use shared::database::galera;
use shared::entity::comments::CommentPriority;
use shared::entity::documents::DocumentOwner;
use shared::entity::{
    collaterals, comment_categories, comments, contacts, loan_collaterals, loans,
};
use shared::interface_names;
use shared::time::{Day, Timestamp};

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
    /// Returns a comment that was read with its category.
    pub fn read(
        (row, category): (comments::Model, Option<comment_categories::Model>),
    ) -> Result<Self, DbErr> {
        let category = category.ok_or_else(|| DbErr::RecordNotFound("a category".to_owned()))?;
        Self::new(row, category.code)
    }

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
    Loan,
    Contact,
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

/// The record that a comment is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentParent {
    /// The loan with this id.
    Loan(i64),
    /// The contact with this id.
    Contact(i64),
    /// The collateral item with this id.
    Collateral(i64),
}

impl CommentParent {
    /// Returns the record that a stored comment is on.
    fn of(comment: &comments::Model) -> Option<Self> {
        let on_collateral = comment.collateral_id.map(Self::Collateral);
        comment.loan_id.map(Self::Loan).or(comment.contact_id.map(Self::Contact)).or(on_collateral)
    }

    /// Returns the kind of comments on it.
    pub const fn kind(self) -> CommentKind {
        match self {
            Self::Loan(_) => CommentKind::Loan,
            Self::Contact(_) => CommentKind::Contact,
            Self::Collateral(_) => CommentKind::Collateral,
        }
    }

    /// Returns the column of comments that refers to it, and its id.
    pub const fn column(self) -> (comments::Column, i64) {
        match self {
            Self::Loan(id) => (comments::Column::LoanId, id),
            Self::Contact(id) => (comments::Column::ContactId, id),
            Self::Collateral(id) => (comments::Column::CollateralId, id),
        }
    }

    /// Returns a comment on it without a category and a text.
    pub fn new_comment(
        self,
        comment_id: i64,
        entered_by_user_id: i64,
        entered_date: Timestamp,
    ) -> comments::Model {
        let of_kind = |kind| (self.kind() == kind).then_some(self.column().1);
        comments::Model {
            comment_id,
            loan_id: of_kind(CommentKind::Loan),
            contact_id: of_kind(CommentKind::Contact),
            collateral_id: of_kind(CommentKind::Collateral),
            comment_category_id: 0,
            comment: String::new(),
            action_date: None,
            priority: CommentPriority::Normal,
            pinned_flag: false,
            entered_by_user_id,
            entered_date,
            modified_by_user_id: None,
            modified_date: None,
        }
    }

    /// Fails unless the caller may see it.
    pub async fn check_visible(
        self,
        db: &impl ConnectionTrait,
        caller: &Caller,
    ) -> Result<(), FindError> {
        match self {
            Self::Loan(id) => caller.get::<loans::Entity>(db, id).await.map(drop),
            Self::Contact(id) => caller.get::<contacts::Entity>(db, id).await.map(drop),
            Self::Collateral(id) => caller.get::<collaterals::Entity>(db, id).await.map(drop),
        }
    }

    /// Locks its row, so that it is not deleted while a comment is added to it.
    async fn hold(self, tx: &DatabaseTransaction, caller: &Caller) -> Result<(), FindError> {
        match self {
            Self::Loan(id) => caller.hold(tx, loans::Column::LoanId, id).await,
            Self::Contact(id) => caller.hold(tx, contacts::Column::ContactId, id).await,
            Self::Collateral(id) => caller.hold(tx, collaterals::Column::CollateralId, id).await,
        }
    }

    /// Returns the owners of the histories that record it and its comments.
    async fn history_owners(self, db: &impl ConnectionTrait) -> Result<Vec<HistoryOwner>, DbErr> {
        match self {
            Self::Loan(id) => Ok(vec![HistoryOwner::Loan(id)]),
            Self::Contact(id) => Ok(vec![HistoryOwner::Contact(id)]),
            Self::Collateral(id) => collateral_owners(db, id).await,
        }
    }
}

/// Filter for the comments to list.
#[derive(Clone, Debug, Default)]
pub struct CommentFilter {
    /// Code of their category.
    pub category: Option<String>,
    /// First business day on which they were entered.
    pub from: Option<Day>,
    /// Last business day on which they were entered.
    pub to: Option<Day>,
}

/// Selects the comments on a record that the caller may see, each with its category. The caller's
/// access to the record must have been checked before.
pub fn on_record(
    db: &impl ConnectionTrait,
    context: &RequestContext,
    parent: CommentParent,
    filter: CommentFilter,
) -> SelectTwo<comments::Entity, comment_categories::Entity> {
    let RequestContext { caller, clock } = context;
    let CommentFilter { category, from, to } = filter;
    let (column, id) = parent.column();
    let of_category = category.map(|code| comment_categories::Column::Code.eq(code));
    let condition = Condition::all()
        .add(column.eq(id))
        .add_option(of_category)
        .add(business_day_filter::within(db, clock, comments::Column::EnteredDate, from, to));
    with_category(caller.find::<comments::Entity>().filter(condition))
}

/// Returns a comment of this kind. A comment of another kind counts as missing.
pub async fn get(
    db: &impl ConnectionTrait,
    caller: &Caller,
    kind: CommentKind,
    comment_id: i64,
) -> Result<Comment, DocumentError> {
    let found = with_category(find(caller, kind, comment_id)).one(db).await?;
    Ok(Comment::read(found.ok_or(DocumentError::NotFound)?)?)
}

fn with_category(
    found: Select<comments::Entity>,
) -> SelectTwo<comments::Entity, comment_categories::Entity> {
    let category = comments::Entity::belongs_to(comment_categories::Entity)
        .from(comments::Column::CommentCategoryId)
        .to(comment_categories::Column::CommentCategoryId);
    found.join(JoinType::InnerJoin, category.into()).select_also(comment_categories::Entity)
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
    let parent = CommentParent::of(comment);
    let (kind, owners) = match parent {
        Some(parent) => (parent.kind(), parent.history_owners(db).await?),
        None => (CommentKind::Collateral, Vec::new()),
    };
    Ok(target(kind, owners, comment))
}

/// Returns where the changes of a comment are recorded, given the owners of these histories.
pub fn target(
    kind: CommentKind,
    owners: Vec<HistoryOwner>,
    comment: &comments::Model,
) -> AuditTarget {
    let (comment_id, category_id) = (comment.comment_id, comment.comment_category_id);
    let comment = Some(CommentTarget { comment_id, category_id });
    AuditTarget { owners, privilege_path: kind.privilege_path(), comment }
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
