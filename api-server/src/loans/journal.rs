//! Journal entries: the rows that a posting writes to `loan_transactions`, all under the reference
//! number of the first, their allocations to due rows, and the effective dates they may have.

pub mod codes;

use self::codes::Code;
use crate::audit::Actor;
use crate::auth::caller::Caller;
use crate::auth::privileges::Forbidden;
use crate::auth::visibility::Visible;
use crate::loans::account::LoanAccount;
use crate::loans::refusals::{LoanError, LoanRefusal};
use crate::loans::servicing::allocation::DueRowPart;
use chrono::NaiveDate;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, FromQueryResult, NotSet, QueryFilter,
    QueryOrder, QuerySelect,
};
use shared::amounts::Money;
use shared::entity::{loan_transactions, loans, payment_allocations, payments_due};
use shared::time::Clock;
use std::collections::HashMap;

/// Rows per INSERT.
const ROWS_PER_INSERT: usize = 500;

/// Values shared by all rows of an entry.
#[derive(Clone, Copy)]
pub struct EntryHeader<'a> {
    /// The loan.
    pub loan_id: i64,
    /// Author of the posting.
    pub author: &'a Actor,
    /// Time of the posting.
    pub clock: Clock,
    /// Effective date.
    pub effective_date: NaiveDate,
}

impl EntryHeader<'_> {
    /// Returns a row with this code, amount and resulting balance, and nothing else beyond the
    /// shared values.
    pub fn row(
        &self,
        code: Code,
        amount: Money,
        after: Option<Money>,
    ) -> Result<loan_transactions::ActiveModel, LoanError> {
        let entered_by = self.author.user_id();
        let entered_by = entered_by.ok_or(Forbidden::CoreUserOnly)?;
        Ok(loan_transactions::ActiveModel {
            transaction_id: NotSet,
            loan_id: Set(self.loan_id),
            transaction_reference_no: Set(0),
            transaction_code: Set(code.number),
            transaction_description: Set(code.description.to_owned()),
            transaction_date: Set(self.clock.now),
            effective_date: Set(self.effective_date),
            gl_date: Set(self.clock.today),
            transaction_amount: Set(amount),
            balance_name: Set(code.balance),
            resulting_balance: Set(after),
            entered_by_user_id: Set(entered_by),
            reversed_flag: Set(false),
            nsf_flag: Set(false),
            ..Default::default()
        })
    }
}

/// Writes the rows of an entry. Returns the id of the first, which becomes the reference number of
/// all of them.
pub async fn insert(
    tx: &DatabaseTransaction,
    first: loan_transactions::ActiveModel,
    others: impl IntoIterator<Item = loan_transactions::ActiveModel>,
) -> Result<i64, DbErr> {
    let reference = loan_transactions::Entity::insert(first).exec(tx).await?.last_insert_id;
    loan_transactions::Entity::update_many()
        .col_expr(loan_transactions::Column::TransactionReferenceNo, Expr::value(reference))
        .filter(loan_transactions::Column::TransactionId.eq(reference))
        .exec(tx)
        .await?;
    let numbered = others.into_iter().map(|mut row| {
        row.transaction_reference_no = Set(reference);
        row
    });
    let numbered: Vec<_> = numbered.collect();
    if !numbered.is_empty() {
        loan_transactions::Entity::insert_many(numbered).exec_without_returning(tx).await?;
    }
    Ok(reference)
}

/// A row of an entry, and whether the caller may see it.
#[derive(FromQueryResult)]
pub struct PostedRow {
    /// The row.
    #[sea_orm(nested)]
    pub row: loan_transactions::Model,
    visible: i32,
}

impl PostedRow {
    /// Returns the rows that the caller may see.
    pub fn visible_rows(rows: Vec<Self>) -> Vec<loan_transactions::Model> {
        rows.into_iter().filter(|row| row.visible == 1).map(|row| row.row).collect()
    }
}

/// Reads all rows of an entry, first row first.
#[expect(clippy::disallowed_methods, reason = "an entry is allocated whole, hidden rows too")]
pub async fn read(
    tx: &DatabaseTransaction,
    caller: &Caller,
    reference: i64,
) -> Result<Vec<PostedRow>, DbErr> {
    let rule = loan_transactions::Entity::visible_to(caller);
    let visible = match rule.is_empty() {
        true => Expr::value(1),
        false => Expr::case(rule, 1).finally(0).into(),
    };
    loan_transactions::Entity::find()
        .expr_as(visible, "visible")
        .filter(loan_transactions::Column::TransactionReferenceNo.eq(reference))
        .order_by_asc(loan_transactions::Column::TransactionId)
        .into_model()
        .all(tx)
        .await
}

/// Writes the allocations of an entry: how much of which due row its interest and principal rows
/// settled. The due rows must already be stored.
pub async fn allocate<'a>(
    tx: &DatabaseTransaction,
    loan_id: i64,
    rows: impl IntoIterator<Item = &'a loan_transactions::Model>,
    parts: &[DueRowPart],
) -> Result<(), DbErr> {
    if parts.is_empty() {
        return Ok(());
    }
    let (mut interest, mut principal) = (None, None);
    for row in rows {
        if codes::SETTLES_INTEREST.contains(&row.transaction_code) {
            interest = Some(row.transaction_id);
        } else if codes::SETTLES_PRINCIPAL.contains(&row.transaction_code) {
            principal = Some(row.transaction_id);
        }
    }
    let new_ids = new_due_rows(tx, loan_id, parts).await?;
    let mut allocations = Vec::with_capacity(2 * parts.len());
    for part in parts {
        let due_row_id = part.row_id.or_else(|| new_ids.get(&part.due_date).copied());
        let due_row_id = due_row_id.ok_or_else(|| missing("due row"))?;
        for (row, amount) in [(interest, part.interest), (principal, part.principal)] {
            if amount.is_positive() {
                allocations.push(payment_allocations::ActiveModel {
                    row_id: NotSet,
                    transaction_id: Set(row.ok_or_else(|| missing("transaction"))?),
                    payment_due_id: Set(due_row_id),
                    amount: Set(amount),
                });
            }
        }
    }
    for chunk in allocations.chunks(ROWS_PER_INSERT) {
        payment_allocations::Entity::insert_many(chunk.to_vec()).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// Returns the keys of the due rows that the entry itself created, by due date.
#[expect(clippy::disallowed_methods, reason = "due rows have no visibility rule")]
async fn new_due_rows(
    tx: &DatabaseTransaction,
    loan_id: i64,
    parts: &[DueRowPart],
) -> Result<HashMap<NaiveDate, i64>, DbErr> {
    let new = parts.iter().filter(|part| part.row_id.is_none()).map(|part| part.due_date);
    let (Some(first), Some(last)) = (new.clone().min(), new.max()) else {
        return Ok(HashMap::new());
    };
    let rows: Vec<(NaiveDate, i64)> = payments_due::Entity::find()
        .select_only()
        .columns([payments_due::Column::DueDate, payments_due::Column::RowId])
        .filter(payments_due::Column::LoanId.eq(loan_id))
        .filter(payments_due::Column::DueDate.between(first, last))
        .into_tuple()
        .all(tx)
        .await?;
    Ok(rows.into_iter().collect())
}

fn missing(what: &str) -> DbErr {
    DbErr::RecordNotFound(format!("the {what} of an allocation"))
}

/// Refuses an effective date in the future or before origination. An entry that moves the accrual
/// base must not be dated before the current base or the last payment either: it would have to undo
/// them.
pub fn check_date(
    account: &LoanAccount,
    effective_date: NaiveDate,
    today: NaiveDate,
    moves_base: bool,
) -> Result<(), LoanError> {
    if effective_date > today {
        return Err(LoanError::Refused(LoanRefusal::DateInFuture { today }));
    }
    let earliest = match moves_base {
        true => earliest_date(&account.loan),
        false => account.loan.origination_date,
    };
    if effective_date < earliest {
        return Err(LoanError::Refused(LoanRefusal::DateTooEarly { earliest }));
    }
    Ok(())
}

/// Returns the earliest effective date of an entry that moves the accrual base.
pub fn earliest_date(loan: &loans::Model) -> NaiveDate {
    let payment = loan.last_payment_date;
    payment.into_iter().fold(loan.origination_date.max(loan.accrual_base_date), Ord::max)
}
