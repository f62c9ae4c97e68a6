//! Journal entries: the rows that a posting writes to `loan_transactions`, all under the reference
//! number of the first, their allocations to due rows, and the effective dates they may have.
//!
//! [`write()`] writes entries of every kind: payments, adjustments and reversals.

pub mod codes;

use self::codes::Code;
use crate::audit::Actor;
use crate::auth::privileges::Forbidden;
use crate::loans::account::{self, AccountChange, LoanAccount, NewDueRows};
use crate::loans::credit_lines::{self, CreditLineChange};
use crate::loans::refusals::{LoanError, LoanRefusal};
use crate::loans::servicing::allocation::DueRowPart;
use crate::loans::snapshots::LoanSnapshot;
use chrono::NaiveDate;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter};
use shared::amounts::Money;
use shared::database::batch::{self, RowUpdate, WriteBatch};
use shared::database::coalesced::padded;
use shared::entity::{loan_transactions, loans, payment_allocations};
use shared::time::{Clock, Timestamp};

/// Reference numbers per UPDATE, which for each row compares the keys of all.
const REFERENCES_MAX: usize = 64;

/// Values shared by all rows of an entry.
#[derive(Clone, Copy)]
pub struct EntryHeader<'a> {
    pub loan_id: i64,
    /// Author of the posting.
    pub author: &'a Actor,
    /// Time of the posting.
    pub clock: Clock,
    pub effective_date: NaiveDate,
}

impl EntryHeader<'_> {
    /// Returns a row with this code, amount and resulting balance, and nothing else beyond the
    /// shared values. It is numbered when it is written.
    pub fn row(
        &self,
        code: Code,
        amount: Money,
        after: Option<Money>,
    ) -> Result<loan_transactions::Model, Forbidden> {
        Ok(loan_transactions::Model {
            loan_id: self.loan_id,
            transaction_code: code.number,
            transaction_description: code.description.to_owned(),
            transaction_date: self.clock.now,
            effective_date: self.effective_date,
            gl_date: self.clock.today,
            transaction_amount: amount,
            balance_name: code.balance,
            resulting_balance: after,
            entered_by_user_id: self.author.user_id().ok_or(Forbidden::CoreUserOnly)?,
            ..Default::default()
        })
    }
}

/// An entry that was computed and is yet to be written.
pub struct Entry<'a> {
    /// Its rows, total row first. Rows of a reversal name the rows that they reverse, which were
    /// written before.
    pub rows: Vec<loan_transactions::Model>,
    /// What it changes on its loan.
    pub change: AccountChange<'a>,
    /// How much of which due row its interest and principal rows settle.
    pub due_row_parts: Vec<DueRowPart>,
    /// True if it moves the accrual base: a snapshot of the loan before it is kept.
    pub moves_base: bool,
    /// The change of the credit line that a draw is on.
    pub credit_line: Option<CreditLineChange>,
}

/// Writes entries at once, as [`queue`] describes.
pub async fn write(
    tx: &DatabaseTransaction,
    now: Timestamp,
    entries: Vec<Entry<'_>>,
) -> Result<Vec<Vec<loan_transactions::Model>>, DbErr> {
    let mut writes = WriteBatch::new(tx);
    let rows = queue(tx, &mut writes, now, entries).await?;
    writes.execute(tx).await?;
    Ok(rows)
}

/// Adds entries, of one loan in their order, to these writes, and numbers their rows: the key of an
/// entry's first row becomes the reference number of all of them. On PostgreSQL all tables take one
/// statement together, elsewhere each takes one, however many entries there are.
pub async fn queue(
    tx: &DatabaseTransaction,
    writes: &mut WriteBatch,
    now: Timestamp,
    entries: Vec<Entry<'_>>,
) -> Result<Vec<Vec<loan_transactions::Model>>, DbErr> {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows = Vec::with_capacity(entries.len());
    let mut changes = Vec::with_capacity(entries.len());
    let mut settled = Vec::with_capacity(entries.len());
    let mut credit_lines = Vec::new();
    for Entry { rows: of_entry, change, due_row_parts, moves_base, credit_line } in entries {
        rows.push(of_entry);
        credit_lines.extend(credit_line.map(|line| (change.author, line)));
        changes.push(change);
        settled.push((due_row_parts, moves_base));
    }
    number_rows(tx, writes, &mut rows).await?;
    mark_reversed(tx, writes, &rows).await?;
    let new_due_rows = account::queue(tx, writes, now, &changes).await?;
    let mut snapshots = Vec::new();
    let mut allocations = Vec::new();
    for ((rows, change), (parts, moves_base)) in rows.iter().zip(&changes).zip(&settled) {
        if *moves_base && let Some(first) = rows.first() {
            let snapshot = LoanSnapshot::of(&change.before);
            snapshots.push(snapshot.row(first.transaction_id)?);
        }
        allocations.extend(allocate(rows, parts, change.after.loan_id, &new_due_rows)?);
    }
    writes.insert(snapshots)?;
    writes.insert(allocations)?;
    credit_lines::queue(writes, now, &credit_lines)?;
    Ok(rows)
}

/// Inserts the rows of entries, and numbers them.
pub async fn insert(
    tx: &DatabaseTransaction,
    entries: &mut [Vec<loan_transactions::Model>],
) -> Result<(), DbErr> {
    let mut writes = WriteBatch::new(tx);
    number_rows(tx, &mut writes, entries).await?;
    writes.execute(tx).await
}

/// Numbers the rows of entries. They are inserted with these writes, or, if the database numbers
/// them, at once.
async fn number_rows(
    tx: &DatabaseTransaction,
    writes: &mut WriteBatch,
    entries: &mut [Vec<loan_transactions::Model>],
) -> Result<(), DbErr> {
    let rows = entries.concat();
    if let Some(keys) = batch::reserve_keys(tx, loan_transactions::Entity, rows.len()).await? {
        number(entries, keys);
        return writes.insert_keyed(entries.concat());
    }
    number(entries, batch::insert_numbered(tx, rows).await?);
    set_references(tx, entries).await
}

fn number(entries: &mut [Vec<loan_transactions::Model>], keys: Vec<i64>) {
    let mut keys = keys.into_iter();
    for rows in entries {
        let mut reference = None;
        for (row, key) in rows.iter_mut().zip(&mut keys) {
            row.transaction_id = key;
            row.transaction_reference_no = *reference.get_or_insert(key);
        }
    }
}

/// Stores the reference numbers of rows that the database numbered.
async fn set_references(
    tx: &DatabaseTransaction,
    entries: &[Vec<loan_transactions::Model>],
) -> Result<(), DbErr> {
    use loan_transactions::Column::{TransactionId, TransactionReferenceNo};
    let updates = entries.iter().flatten().map(|row| RowUpdate {
        key: row.transaction_id,
        values: vec![row.transaction_reference_no.into()],
    });
    let updates: Vec<_> = updates.collect();
    for chunk in updates.chunks(REFERENCES_MAX) {
        batch::update_rows(tx, TransactionId, &[TransactionReferenceNo], chunk).await?;
    }
    Ok(())
}

/// Links the rows that reversals name to these, and removes their allocations to due rows.
async fn mark_reversed(
    tx: &DatabaseTransaction,
    writes: &mut WriteBatch,
    entries: &[Vec<loan_transactions::Model>],
) -> Result<(), DbErr> {
    use loan_transactions::Column::{
        NsfDate, NsfFlag, ReversalTransactionId, ReversedFlag, TransactionId,
    };
    let links = entries.iter().flatten().filter_map(|row| {
        let nsf = [row.nsf_flag.into(), row.nsf_date.into()];
        let values = [[true.into(), row.transaction_id.into()], nsf].concat();
        Some(RowUpdate { key: row.reversal_transaction_id?, values })
    });
    let links: Vec<RowUpdate> = links.collect();
    if links.is_empty() {
        return Ok(());
    }
    let columns = [ReversedFlag, ReversalTransactionId, NsfFlag, NsfDate];
    writes.update(TransactionId, &columns, &links)?;
    let reversed = padded(links.iter().map(|link| link.key).collect());
    payment_allocations::Entity::delete_many()
        .filter(payment_allocations::Column::TransactionId.is_in(reversed))
        .exec(tx)
        .await?;
    Ok(())
}

/// Returns the allocations of an entry to due rows, new ones of which must already be stored.
fn allocate(
    rows: &[loan_transactions::Model],
    parts: &[DueRowPart],
    loan_id: i64,
    new_due_rows: &NewDueRows,
) -> Result<Vec<payment_allocations::Model>, DbErr> {
    let settling = |codes: &[i32]| {
        let row = rows.iter().rfind(|row| codes.contains(&row.transaction_code));
        row.map(|row| row.transaction_id)
    };
    let (interest, principal) =
        (settling(&codes::SETTLES_INTEREST), settling(&codes::SETTLES_PRINCIPAL));
    let mut allocations = Vec::with_capacity(2 * parts.len());
    for part in parts {
        let new = || new_due_rows.get(&(loan_id, part.due_date)).copied();
        let due_row_id = part.row_id.or_else(new).ok_or_else(|| missing("due row"))?;
        for (row, amount) in [(interest, part.interest), (principal, part.principal)] {
            if amount.is_positive() {
                allocations.push(payment_allocations::Model {
                    row_id: 0,
                    transaction_id: row.ok_or_else(|| missing("transaction"))?,
                    payment_due_id: due_row_id,
                    amount,
                });
            }
        }
    }
    Ok(allocations)
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
        return Err(LoanError::Refused(LoanRefusal::DateInFuture(today)));
    }
    let earliest = match moves_base {
        true => earliest_date(&account.loan),
        false => account.loan.origination_date,
    };
    if effective_date < earliest {
        return Err(LoanError::Refused(LoanRefusal::DateTooEarly(earliest)));
    }
    Ok(())
}

/// Returns the earliest effective date of an entry that moves the accrual base.
pub fn earliest_date(loan: &loans::Model) -> NaiveDate {
    let payment = loan.last_payment_date;
    payment.into_iter().fold(loan.origination_date.max(loan.accrual_base_date), Ord::max)
}
