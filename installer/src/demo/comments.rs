//! Comments on loans, contacts and collateral, in every priority, with documents.

use super::block::Block;
use super::collateral::CollateralRef;
use super::documents::document;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter};
use shared::bulk_insert;
use shared::entity::comments::{CommentPriority, Model};
use shared::entity::documents::DocumentOwner;
use shared::entity::{comment_categories, comments, documents};

const PRIORITIES: [CommentPriority; 3] =
    [CommentPriority::Low, CommentPriority::Normal, CommentPriority::High];

/// The subject of a comment: its kind, as that of documents, and its id.
type CommentOwner = (DocumentOwner, i64);

struct CommentWriter<'a> {
    tx: &'a DatabaseTransaction,
    block: &'a Block,
    general: i64,
    collections: i64,
    legal: i64,
}

/// Adds comments of all kinds and priorities at the first place of the mix, and some at others.
/// Returns the documents that belong to them.
pub(super) async fn add(
    tx: &DatabaseTransaction,
    block: &Block,
    collateral: &[CollateralRef],
) -> Result<Vec<documents::Model>, DbErr> {
    let writer = CommentWriter {
        tx,
        block,
        general: category(tx, "GENERAL").await?,
        collections: category(tx, "COLLECTIONS").await?,
        legal: category(tx, "LEGAL").await?,
    };
    let mut new_documents = Vec::new();
    for loan in block.at(|slot| slot == 0 || slot % 4 == 1 || slot % 6 == 5 || slot == 8) {
        let slot = loan.slot as usize;
        let on_loan = (DocumentOwner::LoanComment, loan.loan_id);
        let on_contact = (DocumentOwner::ContactComment, loan.contact_id);
        match loan.slot {
            0 => {
                new_documents.push(writer.all_priorities(on_loan).await?);
                new_documents.push(writer.all_priorities(on_contact).await?);
            }
            // Only the admin account and the Audit group can read it.
            8 => {
                let text = "Referred to counsel.";
                writer.write(on_loan, writer.legal, text, CommentPriority::High).await?;
            }
            _ if slot % 4 == 1 => {
                let category = if slot % 5 >= 2 { writer.collections } else { writer.general };
                let priority = PRIORITIES[slot / 4 % 3];
                let text = "Called about the next payment; the borrower will pay on time.";
                let comment_id = writer.write(on_loan, category, text, priority).await?;
                if slot % 12 == 1 {
                    new_documents.push(writer.document(on_loan, comment_id));
                }
            }
            _ => {
                let text = "Prefers to be reached by e-mail.";
                writer.write(on_contact, writer.general, text, PRIORITIES[slot / 6 % 3]).await?;
            }
        }
    }
    for CollateralRef { slot, collateral_id } in collateral {
        let on_collateral = (DocumentOwner::CollateralComment, *collateral_id);
        match slot {
            0 => new_documents.push(writer.all_priorities(on_collateral).await?),
            13 | 23 | 33 => {
                let text = "The appraisal is to be renewed.";
                let priority = PRIORITIES[(slot / 10 % 3) as usize];
                writer.write(on_collateral, writer.general, text, priority).await?;
            }
            _ => {}
        }
    }
    Ok(new_documents)
}

async fn category(tx: &DatabaseTransaction, code: &str) -> Result<i64, DbErr> {
    let category = comment_categories::Entity::find()
        .filter(comment_categories::Column::Code.eq(code))
        .one(tx)
        .await?;
    let category = category.ok_or_else(|| DbErr::RecordNotFound(format!("category {code}")))?;
    Ok(category.comment_category_id)
}

impl CommentWriter<'_> {
    /// Writes a comment in each priority; the first one has a document.
    async fn all_priorities(&self, owner: CommentOwner) -> Result<documents::Model, DbErr> {
        let first = self.write(owner, self.general, "For the file.", PRIORITIES[0]).await?;
        let text = "Asks for a statement of the year.";
        self.write(owner, self.general, text, PRIORITIES[1]).await?;
        let text = "Call back before the end of the week.";
        self.write(owner, self.collections, text, PRIORITIES[2]).await?;
        Ok(self.document(owner, first))
    }

    fn document(&self, (owner_type, _): CommentOwner, comment_id: i64) -> documents::Model {
        let name = match owner_type {
            DocumentOwner::LoanComment => "Letter to the borrower",
            DocumentOwner::ContactComment => "Letter from the borrower",
            _ => "Appraisal",
        };
        document(self.block, owner_type, comment_id, None, name)
    }

    async fn write(
        &self,
        (owner, id): CommentOwner,
        comment_category_id: i64,
        text: &str,
        priority: CommentPriority,
    ) -> Result<i64, DbErr> {
        let urgent = priority == CommentPriority::High;
        let comment = Model {
            comment_id: 0,
            loan_id: (owner == DocumentOwner::LoanComment).then_some(id),
            contact_id: (owner == DocumentOwner::ContactComment).then_some(id),
            collateral_id: (owner == DocumentOwner::CollateralComment).then_some(id),
            comment_category_id,
            comment: text.to_owned(),
            action_date: urgent.then(|| self.block.day(4)),
            priority,
            pinned_flag: urgent,
            entered_by_user_id: self.block.staff.officer,
            entered_date: self.block.days_ago(12),
            modified_by_user_id: urgent.then_some(self.block.staff.admin),
            modified_date: urgent.then(|| self.block.days_ago(3)),
        };
        bulk_insert::add::<_, comments::ActiveModel>(self.tx, comment).await
    }
}
