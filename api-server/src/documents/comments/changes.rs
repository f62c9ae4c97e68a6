//! Commands that add, change and remove comments. A change or removal locks the comment and checks
//! its version in one transaction.

use super::{Comment, CommentKind, CommentParent};
use crate::audit::{self, Actor, AuditTarget};
use crate::auth::caller::Caller;
use crate::auth::privileges::Forbidden;
use crate::auth::visibility::Visible;
use crate::command::execute::Command;
use crate::command::failure::LockedRow;
use crate::command::lock_queues::RowKey;
use crate::documents::changes::{self as documents, DocumentEditor};
use crate::documents::refusals::{DocumentError, DocumentRefusal};
use crate::http::bounded_string::LongString;
use crate::http::etag::{self, ExpectedVersion};
use crate::http::json_body::ReadOnlyMembers;
use poem_openapi::Object;
use sea_orm::sea_query::{CaseStatement, Condition, Expr, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, IntoActiveModel, NotSet,
    QueryFilter,
};
use shared::database::galera;
use shared::entity::comment_categories;
use shared::entity::comments::{self, CommentPriority};
use shared::entity::field_changes;
use shared::entity::trustees::{self, TrusteeObject};
use shared::interface_names;
use shared::problem::InvalidValue;
use shared::time::{Clock, Day};

/// A comment to be added to a record.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct NewRecordComment {
    /// Id of an active category whose trustees include the caller.
    pub comment_category_id: i64,
    /// Text of the comment: not empty, up to 64 KiB.
    pub comment: LongString<1>,
    /// Date on which action is due.
    pub action_date: Option<Day>,
    /// Priority of the comment; default: `normal`.
    pub priority: Option<CommentPriority>,
    /// True if the comment is pinned; default: false.
    pub pinned_flag: Option<bool>,
}

/// The new state of a comment: members left out are cleared. Read-only members are accepted if they
/// equal those of the comment, and change nothing.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CommentChange {
    /// Id of an active category whose trustees include the caller, or of the comment's current
    /// category.
    pub comment_category_id: i64,
    /// Text of the comment: not empty, up to 64 KiB.
    pub comment: LongString<1>,
    /// Date on which action is due.
    pub action_date: Option<Day>,
    /// Priority of the comment.
    pub priority: CommentPriority,
    /// True if the comment is pinned.
    pub pinned_flag: bool,
    /// Version to be updated. Required unless `If-Match` specifies it.
    #[oai(rename = "versionHash")]
    pub version_hash: Option<String>,
}

/// A comment category, as a caller who writes a comment sees it.
#[derive(Clone, Debug)]
pub struct Category {
    id: i64,
    code: String,
    active: bool,
}

impl Category {
    /// Returns the category with this id, if there is one. It is an error if its trustees do not
    /// admit the caller.
    pub async fn find(
        db: &impl ConnectionTrait,
        caller: &Caller,
        id: i64,
    ) -> Result<Option<Self>, DocumentError> {
        use comment_categories::Column::{ActiveFlag, Code, CommentCategoryId};
        let admits = comment_categories::Entity::visible_to(caller);
        let admits: CaseStatement = Expr::case(admits, 1).finally(0);
        let select = Query::select()
            .columns([Code, ActiveFlag])
            .expr_as(admits, "admits")
            .from(comment_categories::Entity)
            .and_where(CommentCategoryId.eq(id))
            .take();
        let Some(row) = db.query_one(&select).await? else { return Ok(None) };
        if row.try_get::<i32>("", "admits")? == 0 {
            return Err(Forbidden::CommentCategory(id).into());
        }
        let (code, active) = (row.try_get("", "code")?, row.try_get("", "active_flag")?);
        Ok(Some(Self { id, code, active }))
    }
}

/// Fails unless a comment may have this text.
fn check_text(text: &LongString<1>) -> Result<(), InvalidValue> {
    match text.trim().is_empty() {
        true => Err(InvalidValue::new("Comment", "must not be empty")),
        false => text.check("Comment"),
    }
}

/// The category that was asked for does not exist, or is no longer in use.
fn unknown_category(id: i64) -> DocumentError {
    DocumentError::unknown_code("Comment_Category_ID", &id.to_string())
}

/// An admitted new comment.
pub struct AddComment {
    editor: DocumentEditor,
    parent: CommentParent,
    category: Option<Category>,
    new: NewRecordComment,
}

impl AddComment {
    /// Checks that the caller may see the record and is admitted to the category.
    pub async fn admit(
        db: &impl ConnectionTrait,
        editor: DocumentEditor,
        parent: CommentParent,
        new: NewRecordComment,
    ) -> Result<Self, DocumentError> {
        parent.check_visible(db, &editor.caller).await?;
        let category = Category::find(db, &editor.caller, new.comment_category_id).await?;
        Ok(Self { editor, parent, category, new })
    }
}

impl Command for AddComment {
    type Answer = Comment;
    type Refusal = DocumentRefusal;

    /// A payment locks the loan's row, so a comment on the loan waits for it.
    fn rows(&self) -> Vec<RowKey> {
        match self.parent {
            CommentParent::Loan(id) => vec![RowKey::Loan(id)],
            CommentParent::Contact(_) | CommentParent::Collateral(_) => Vec::new(),
        }
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Comment, DocumentError> {
        let Self { editor, parent, category, new } = self;
        let locked = self.rows().first().and_then(|row| LockedRow::of(*row));
        let held = parent.hold(tx, &editor.caller).await;
        held.map_err(|error| DocumentError::from(error).at(locked))?;
        check_text(&new.comment)?;
        let category = category.as_ref().filter(|category| category.active);
        let category = category.ok_or_else(|| unknown_category(new.comment_category_id))?;
        let row = comments::Model {
            comment_category_id: category.id,
            comment: new.comment.to_string(),
            action_date: new.action_date.map(|Day(date)| date),
            priority: new.priority.unwrap_or(CommentPriority::Normal),
            pinned_flag: new.pinned_flag.unwrap_or(false),
            ..parent.new_comment(0, editor.user_id()?, clock.now)
        };
        let row = comments::ActiveModel { comment_id: NotSet, ..row.into_active_model() };
        let row = comments::Entity::insert(row).exec_with_returning(tx).await?;
        let target = super::audit_target(tx, &row).await?;
        audit::record_in(&target, tx, &editor.author, clock.now, None, Some(&row)).await?;
        Ok(Comment::new(row, category.code.clone())?)
    }
}

/// An admitted change of a comment.
pub struct ChangeComment {
    /// User who changes it.
    pub editor: DocumentEditor,
    /// Kind of record that it is on.
    pub kind: CommentKind,
    pub comment_id: i64,
    /// The version to be changed.
    pub expected: ExpectedVersion,
    /// New category, if it exists.
    pub category: Option<Category>,
    pub new: CommentChange,
    /// Read-only members, as the client sent them.
    pub read_only: ReadOnlyMembers,
}

impl Command for ChangeComment {
    type Answer = Comment;
    type Refusal = DocumentRefusal;

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Comment(self.comment_id)]
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Comment, DocumentError> {
        let before = super::lock(tx, &self.editor.caller, self.kind, self.comment_id).await?;
        self.expected.check(&etag::hash(&before, &[])?)?;
        if !self.read_only.is_empty() {
            let comment = super::get(tx, &self.editor.caller, self.kind, self.comment_id).await?;
            self.read_only.check(&comment)?;
        }
        let new = &self.new;
        check_text(&new.comment)?;
        let changes_category = new.comment_category_id != before.comment_category_id;
        let category = match &self.category {
            Some(category) if category.active || !changes_category => category,
            _ => return Err(unknown_category(new.comment_category_id)),
        };
        let mut after = comments::Model {
            comment_category_id: category.id,
            comment: new.comment.to_string(),
            action_date: new.action_date.map(|Day(date)| date),
            priority: new.priority,
            pinned_flag: new.pinned_flag,
            ..before.clone()
        };
        if after != before {
            after.modified_by_user_id = self.editor.caller.user_id();
            after.modified_date = Some(clock.now);
            write(tx, &self.editor.author, clock, &before, &after).await?;
        }
        Ok(Comment::new(after, category.code.clone())?)
    }
}

/// Writes the changes of a locked comment, with their history.
pub async fn write(
    tx: &DatabaseTransaction,
    author: &Actor,
    clock: Clock,
    before: &comments::Model,
    after: &comments::Model,
) -> Result<(), DocumentError> {
    if let Some(columns) = audit::changed_columns::<_, comments::ActiveModel>(before, after) {
        let by_id = comments::Column::CommentId.eq(before.comment_id);
        comments::Entity::update_many().set(columns).filter(by_id).exec(tx).await?;
    }
    if after.comment_category_id != before.comment_category_id {
        move_history(tx, after).await?;
    }
    let (from, to) = audit_targets(tx, before, after).await?;
    let recorded = audit::recording(tx, author, clock.now, async |changes| {
        changes.add_across(&from, &to, Some(before), Some(after))
    });
    Ok(recorded.await?)
}

/// Moves the earlier history of the comment and its documents to the new category, except what only
/// trustees may read.
async fn move_history(
    tx: &DatabaseTransaction,
    comment: &comments::Model,
) -> Result<(), DocumentError> {
    use field_changes::Column::{CommentCategoryId, CommentId};
    use trustees::Column::{ObjectId, ObjectType};
    let with_trustees = Query::select()
        .column(ObjectId)
        .from(trustees::Entity)
        .and_where(ObjectType.eq(TrusteeObject::CommentCategory))
        .take();
    field_changes::Entity::update_many()
        .col_expr(CommentCategoryId, comment.comment_category_id.into())
        .filter(CommentId.eq(comment.comment_id))
        .filter(CommentCategoryId.not_in_subquery(with_trustees))
        .exec(tx)
        .await?;
    Ok(())
}

/// Returns where a change is recorded: in the new category, so that it can be read only by those
/// who may read the comment now; in the old one if only that one has trustees; and if both have,
/// the old value in the old one and the new value in the new one.
async fn audit_targets(
    tx: &DatabaseTransaction,
    before: &comments::Model,
    after: &comments::Model,
) -> Result<(AuditTarget, AuditTarget), DocumentError> {
    let (from, to) =
        (super::audit_target(tx, before).await?, super::audit_target(tx, after).await?);
    if from == to {
        return Ok((from, to));
    }
    Ok(match (has_trustees(tx, before).await?, has_trustees(tx, after).await?) {
        (true, true) => (from, to),
        (true, false) => (from.clone(), from),
        (false, _) => (to.clone(), to),
    })
}

/// True if the category of a comment has trustees.
async fn has_trustees(
    tx: &DatabaseTransaction,
    comment: &comments::Model,
) -> Result<bool, DocumentError> {
    use trustees::Column::{ObjectId, ObjectType};
    let of_category = Condition::all()
        .add(ObjectType.eq(TrusteeObject::CommentCategory))
        .add(ObjectId.eq(comment.comment_category_id));
    let select = Query::select()
        .expr(Expr::value(1))
        .from(trustees::Entity)
        .cond_where(of_category)
        .limit(1)
        .take();
    Ok(tx.query_one(&select).await?.is_some())
}

/// Removal of a comment with its documents. Returns the keys of the objects to be removed.
pub struct RemoveComment {
    /// User who removes it.
    pub editor: DocumentEditor,
    /// Kind of record that it is on.
    pub kind: CommentKind,
    pub comment_id: i64,
    /// The version to be removed.
    pub expected: ExpectedVersion,
}

impl Command for RemoveComment {
    type Answer = Vec<String>;
    type Refusal = DocumentRefusal;

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Comment(self.comment_id)]
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Vec<String>, DocumentError> {
        let comment = super::lock(tx, &self.editor.caller, self.kind, self.comment_id).await?;
        self.expected.check(&etag::hash(&comment, &[])?)?;
        remove(tx, &self.editor.author, clock, self.kind, &comment).await
    }
}

/// Removes a locked comment, with its documents, and records it in the history. Returns the keys of
/// the objects to be removed.
pub async fn remove(
    tx: &DatabaseTransaction,
    author: &Actor,
    clock: Clock,
    kind: CommentKind,
    comment: &comments::Model,
) -> Result<Vec<String>, DocumentError> {
    // Galera: no other node may attach a document in the meantime, because it would be left behind.
    galera::guard_row(tx, "comments", comment.comment_id).await?;
    let target = super::audit_target(tx, comment).await?;
    let removed = audit::recording(tx, author, clock.now, async |changes| {
        changes.add(&target, Some(comment), None)?;
        let comment_id = comment.comment_id;
        let objects = documents::remove_of_comment(tx, changes, &target, kind, comment_id).await?;
        comments::Entity::delete_by_id(comment_id).exec(tx).await?;
        Ok::<_, sea_orm::DbErr>(objects)
    });
    Ok(removed.await?)
}
