//! `<Comment>` in a contact, a loan or collateral.

use super::element_fields::{ElementFields, UpdateMode};
use super::format::{
    AttributeKind, ElementShape, Needed, RowShape, TEXT_BYTES_MAX, attribute, choice,
};
use super::parse::Element;
use super::report::Action;
use super::{ElementOutcome, ImportTransaction, RecordError};
use crate::audit::HistoryOwner;
use crate::documents::comments::changes as comment_changes;
use crate::documents::comments::{self, CommentParent};
use sea_orm::{ColumnTrait, QueryFilter};
use shared::entity::comment_categories;
use shared::entity::comments::{Column, CommentPriority, Entity};
use std::sync::LazyLock;

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

impl ImportTransaction<'_, '_> {
    /// Adds, changes or deletes a comment on a record, whose histories have these owners.
    pub(super) async fn comment(
        &mut self,
        element: &Element,
        parent: CommentParent,
        owners: Vec<HistoryOwner>,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &COMMENT, self.enforce);
        let before = self.own_row(&mut fields, Column::CommentId, parent.column()).await?;
        let category = self.code::<comment_categories::Entity>(&mut fields, "CommentCategoryCode");
        let category = category.await?;
        let mut row = match &before {
            Some(before) => before.clone(),
            None => {
                let user_id = self.user_id()?;
                parent.new_comment(self.stage.next_placeholder(), user_id, self.clock.now)
            }
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
                let target = comments::target(parent.kind(), owners, &row);
                self.stage.add(row, target);
                Action::Inserted
            }
        };
        Ok(ElementOutcome::one(element, action, None, comment_id, messages))
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
