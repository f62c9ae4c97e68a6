//! `<Comment>` in a contact, a loan or collateral.

use super::element_fields::{ElementFields, UpdateMode};
use super::format::{
    AttributeKind, ElementShape, Needed, RowShape, TEXT_BYTES_MAX, attribute, choice,
};
use super::parse::Element;
use super::report::Action;
use super::{ElementOutcome, ImportTransaction, RecordError};
use crate::audit::{AuditTarget, CommentTarget, HistoryOwner};
use crate::documents::comments::CommentKind;
use crate::documents::comments::changes as comment_changes;
use sea_orm::{ColumnTrait, QueryFilter};
use shared::entity::comment_categories;
use shared::entity::comments::{Column, CommentPriority, Entity, Model};
use std::sync::LazyLock;

/// `<Comment>`
pub(super) static COMMENT: LazyLock<RowShape<Entity>> = LazyLock::new(|| {
    let shape = ElementShape::new("Comment").holding_text().with([
        attribute("CommentID", AttributeKind::Id),
        attribute("CommentCategoryCode", AttributeKind::Text(25)),
    ]);
    let columns = [
        (Column::ActionDate, AttributeKind::Date),
        (Column::Priority, choice::<CommentPriority>()),
        (Column::PinnedFlag, AttributeKind::Flag),
    ];
    RowShape::new(shape, columns).needing(Needed::ToInsert, &["CommentCategoryCode"])
});

/// The record that a comment is on.
#[derive(Clone, Debug)]
pub(super) enum CommentParent {
    Loan(i64),
    Contact(i64),
    /// The collateral, and the owners whose field history records its changes.
    Collateral(i64, Vec<HistoryOwner>),
}

impl CommentParent {
    fn kind(&self) -> CommentKind {
        match self {
            Self::Loan(_) => CommentKind::Loan,
            Self::Contact(_) => CommentKind::Contact,
            Self::Collateral(..) => CommentKind::Collateral,
        }
    }

    fn column(&self) -> (Column, i64) {
        match *self {
            Self::Loan(id) => (Column::LoanId, id),
            Self::Contact(id) => (Column::ContactId, id),
            Self::Collateral(id, _) => (Column::CollateralId, id),
        }
    }

    fn owners(&self) -> Vec<HistoryOwner> {
        match self {
            Self::Loan(id) => vec![HistoryOwner::Loan(*id)],
            Self::Contact(id) => vec![HistoryOwner::Contact(*id)],
            Self::Collateral(_, owners) => owners.clone(),
        }
    }
}

impl ImportTransaction<'_, '_> {
    /// Adds, changes or deletes a comment.
    pub(super) async fn comment(
        &mut self,
        element: &Element,
        parent: CommentParent,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &COMMENT, self.enforce);
        let before = self.own_row(&mut fields, Column::CommentId, parent.column()).await?;
        let category = self.code::<comment_categories::Entity>(&mut fields, "CommentCategoryCode");
        let category = category.await?;
        let mut row = match &before {
            Some(before) => before.clone(),
            None => self.new_comment(&parent)?,
        };
        fields.fill(&COMMENT, &mut row);
        row.comment_category_id = category.unwrap_or(row.comment_category_id);
        if !element.text.is_empty() {
            row.comment = element.text.clone();
        }
        if fields.update != UpdateMode::Delete && row.comment.is_empty() {
            fields.refuse("the comment has no text: write it as the text of the element");
        }
        if row.comment.len() > TEXT_BYTES_MAX {
            fields.refuse("a comment must have at most 64 KiB");
        }
        let update = fields.update;
        let messages = fields.finish()?;
        let comment_id = row.comment_id;
        let action = match (update, before) {
            (UpdateMode::Delete, before) => {
                // The object store's sweep deletes the orphaned files of its documents.
                let removed = before.unwrap_or(row);
                comment_changes::remove(self.tx, &self.author, self.clock, parent.kind(), &removed)
                    .await?;
                Action::Deleted
            }
            (_, Some(before)) => {
                if row != before {
                    row.modified_by_user_id = self.caller.user_id();
                    row.modified_date = Some(self.clock.now);
                    comment_changes::write(self.tx, &self.author, self.clock, &before, &row)
                        .await?;
                }
                Action::Updated
            }
            (_, None) => {
                let target = AuditTarget {
                    owners: parent.owners(),
                    privilege_path: parent.kind().privilege_path(),
                    comment: Some(CommentTarget {
                        comment_id,
                        category_id: row.comment_category_id,
                    }),
                };
                self.stage.add(row, target);
                Action::Inserted
            }
        };
        Ok(ElementOutcome::one(element, action, None, comment_id, messages))
    }

    fn new_comment(&mut self, parent: &CommentParent) -> Result<Model, RecordError> {
        let (loan_id, contact_id, collateral_id) = match *parent {
            CommentParent::Loan(id) => (Some(id), None, None),
            CommentParent::Contact(id) => (None, Some(id), None),
            CommentParent::Collateral(id, _) => (None, None, Some(id)),
        };
        Ok(Model {
            comment_id: self.stage.next_placeholder(),
            loan_id,
            contact_id,
            collateral_id,
            comment_category_id: 0,
            comment: String::new(),
            action_date: None,
            priority: CommentPriority::Normal,
            pinned_flag: false,
            entered_by_user_id: self.user_id()?,
            entered_date: self.clock.now,
            modified_by_user_id: None,
            modified_date: None,
        })
    }

    /// Deletes all comments on a record that is being deleted.
    pub(super) async fn remove_comments(
        &mut self,
        parent: CommentParent,
    ) -> Result<(), RecordError> {
        let (column, id) = parent.column();
        for comment in self.caller.find::<Entity>().filter(column.eq(id)).all(self.tx).await? {
            comment_changes::remove(self.tx, &self.author, self.clock, parent.kind(), &comment)
                .await?;
        }
        Ok(())
    }
}
