//! Comments on loans, contacts and collateral, in every priority, with documents.

use super::block::Block;
use super::collateral::Added;
use super::documents::Paper;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter};
use shared::bulk_insert;
use shared::entity::comments::{CommentPriority, Model};
use shared::entity::documents::DocumentOwner;
use shared::entity::{comment_categories, comments};

const PRIORITIES: [CommentPriority; 3] =
    [CommentPriority::Low, CommentPriority::Normal, CommentPriority::High];

/// The subject of a comment.
#[derive(Clone, Copy)]
enum CommentOwner {
    Loan(i64),
    Contact(i64),
    Collateral(i64),
}

/// Writes comments.
struct CommentWriter<'a> {
    tx: &'a DatabaseTransaction,
    block: &'a Block,
    general: i64,
    collections: i64,
    legal: i64,
}

/// Adds comments of all kinds and priorities at the first place of the mix, and some at others.
/// Returns the documents that belong to them.
pub async fn add(
    tx: &DatabaseTransaction,
    block: &Block,
    collateral: &[Added],
) -> Result<Vec<Paper>, DbErr> {
    let pen = CommentWriter {
        tx,
        block,
        general: category(tx, "GENERAL").await?,
        collections: category(tx, "COLLECTIONS").await?,
        legal: category(tx, "LEGAL").await?,
    };
    let mut papers = Vec::new();
    for place in block.at(|slot| slot == 0 || slot % 4 == 1 || slot % 6 == 5 || slot == 8) {
        let slot = place.slot as usize;
        let (loan, contact) =
            (CommentOwner::Loan(place.loan_id), CommentOwner::Contact(place.contact_id));
        match place.slot {
            0 => {
                papers.push(pen.all_priorities(loan).await?);
                papers.push(pen.all_priorities(contact).await?);
            }
            // Only the admin account and the Audit group can read it.
            8 => {
                let text = "Referred to counsel.";
                pen.write(loan, pen.legal, text, CommentPriority::High).await?;
            }
            _ if slot % 4 == 1 => {
                let category = if slot % 5 >= 2 { pen.collections } else { pen.general };
                let priority = PRIORITIES[slot / 4 % 3];
                let text = "Called about the next payment; the borrower will pay on time.";
                let comment_id = pen.write(loan, category, text, priority).await?;
                if slot % 12 == 1 {
                    papers.push(paper(loan, comment_id));
                }
            }
            _ => {
                let text = "Prefers to be reached by e-mail.";
                pen.write(contact, pen.general, text, PRIORITIES[slot / 6 % 3]).await?;
            }
        }
    }
    for Added { slot, collateral_id } in collateral {
        let on = CommentOwner::Collateral(*collateral_id);
        match slot {
            0 => papers.push(pen.all_priorities(on).await?),
            13 | 23 | 33 => {
                let text = "The appraisal is to be renewed.";
                pen.write(on, pen.general, text, PRIORITIES[(slot / 10 % 3) as usize]).await?;
            }
            _ => {}
        }
    }
    Ok(papers)
}

async fn category(tx: &DatabaseTransaction, code: &str) -> Result<i64, DbErr> {
    let category = comment_categories::Entity::find()
        .filter(comment_categories::Column::Code.eq(code))
        .one(tx)
        .await?;
    let category = category.ok_or_else(|| DbErr::RecordNotFound(format!("category {code}")))?;
    Ok(category.comment_category_id)
}

fn paper(on: CommentOwner, comment_id: i64) -> Paper {
    let (owner_type, name) = match on {
        CommentOwner::Loan(_) => (DocumentOwner::LoanComment, "Letter to the borrower"),
        CommentOwner::Contact(_) => (DocumentOwner::ContactComment, "Letter from the borrower"),
        CommentOwner::Collateral(_) => (DocumentOwner::CollateralComment, "Appraisal"),
    };
    Paper { owner_type, owner_id: comment_id, field_name: None, name: name.to_owned(), files: 1 }
}

impl CommentWriter<'_> {
    /// Writes a comment in each priority; the first one has a document.
    async fn all_priorities(&self, on: CommentOwner) -> Result<Paper, DbErr> {
        let first = self.write(on, self.general, "For the file.", PRIORITIES[0]).await?;
        let text = "Asks for a statement of the year.";
        self.write(on, self.general, text, PRIORITIES[1]).await?;
        let text = "Call back before the end of the week.";
        self.write(on, self.collections, text, PRIORITIES[2]).await?;
        Ok(paper(on, first))
    }

    async fn write(
        &self,
        on: CommentOwner,
        comment_category_id: i64,
        text: &str,
        priority: CommentPriority,
    ) -> Result<i64, DbErr> {
        let urgent = priority == CommentPriority::High;
        let comment = Model {
            comment_id: 0,
            loan_id: if let CommentOwner::Loan(id) = on { Some(id) } else { None },
            contact_id: if let CommentOwner::Contact(id) = on { Some(id) } else { None },
            collateral_id: if let CommentOwner::Collateral(id) = on { Some(id) } else { None },
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
