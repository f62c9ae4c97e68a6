//! Staged rows, waiting for a bulk insert. They turn a batch of records into a few statements,
//! however many records it has.
//!
//! A staged row has no key yet. Its key column holds a negative placeholder, by which other staged
//! rows refer to it; [`Batch::write`] replaces placeholders with keys. Rolling a record back means
//! removing its rows from the stage.

use crate::audit::{
    self, Actor, AuditTarget, Audited, Changes, CommentTarget, FieldNote, HistoryOwner,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue, ColumnTrait, DatabaseTransaction, DbErr, EntityTrait,
    IdenStatic, IntoActiveModel, Iterable, ModelTrait, PrimaryKeyToColumn, PrimaryKeyTrait,
    QueryFilter, Value,
};
use shared::bulk_insert;
use shared::entity::*;
use shared::time::Timestamp;
use shared::user_names;

/// Rows per UPDATE that sets reference numbers.
const ROWS_PER_UPDATE: usize = 1000;

/// A row to be inserted, and where its field history goes.
#[derive(Clone, Debug)]
struct BatchRow<M> {
    row: M,
    place: AuditTarget,
}

/// The keys of staged rows, by placeholder.
#[derive(Debug, Default)]
pub struct BatchKeys(Vec<i64>);

impl BatchKeys {
    /// Resolves a placeholder to its key, if its row is written. Returns any other id unchanged.
    pub fn of(&self, id: i64) -> i64 {
        match usize::try_from(-1 - id) {
            Ok(place) => self.0.get(place).copied().filter(|key| *key != 0).unwrap_or(id),
            Err(_) => id,
        }
    }

    fn set(&mut self, number: i64, key: i64) {
        let Ok(place) = usize::try_from(-1 - number) else { return };
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        self.0[place] = key;
    }

    fn settle(&self, place: &mut AuditTarget) {
        for owner in &mut place.owners {
            match owner {
                HistoryOwner::Loan(id) | HistoryOwner::Contact(id) => *id = self.of(*id),
            }
        }
        if let Some(CommentTarget { comment_id, .. }) = &mut place.comment {
            *comment_id = self.of(*comment_id);
        }
    }
}

/// How many rows each list of a stage held at some point.
#[derive(Clone, Copy, Debug)]
pub struct BatchMark([usize; LISTS]);

/// A table whose rows are staged.
pub trait BatchTable: ModelTrait + Audited + Clone {
    /// The table's staged rows, and how many there were when the current record began.
    #[doc(hidden)]
    fn list(stage: &mut Batch) -> (&mut dyn BatchRows<Self>, usize);
}

/// BatchRow rows of one table.
pub trait BatchRows<M> {
    /// Adds a row.
    fn push(&mut self, row: M, place: AuditTarget);
    /// Returns the last matching row from this index on.
    fn find(&mut self, from: usize, fits: &dyn Fn(&M) -> bool) -> Option<&mut M>;
    /// Removes the first matching row from this index on.
    fn remove(&mut self, from: usize, fits: &dyn Fn(&M) -> bool);
}

impl<M> BatchRows<M> for Vec<BatchRow<M>> {
    fn push(&mut self, row: M, place: AuditTarget) {
        self.push(BatchRow { row, place });
    }

    fn find(&mut self, from: usize, fits: &dyn Fn(&M) -> bool) -> Option<&mut M> {
        let rows = self.iter_mut().skip(from).map(|staged| &mut staged.row);
        rows.rev().find(|row| fits(row))
    }

    fn remove(&mut self, from: usize, fits: &dyn Fn(&M) -> bool) {
        let place = self.iter().skip(from).position(|staged| fits(&staged.row));
        if let Some(place) = place {
            Vec::remove(self, from + place);
        }
    }
}

macro_rules! tables {
    ($($table:ident,)*) => {
        /// BatchRow rows, table by table, ordered so that referenced rows come first.
        #[derive(Default)]
        pub struct Batch {
            numbers: i64,
            begun: Begun,
            $($table: Vec<BatchRow<$table::Model>>,)*
            transactions: Vec<loan_transactions::ActiveModel>,
            notes: Vec<FieldNote>,
            name_skeletons: Vec<String>,
        }

        /// How many rows there were when the current record began.
        #[derive(Default)]
        struct Begun {
            $($table: usize,)*
        }

        const LISTS: usize = [$(stringify!($table)),*].len() + 3;

        $(impl BatchTable for $table::Model {
            fn list(stage: &mut Batch) -> (&mut dyn BatchRows<Self>, usize) {
                (&mut stage.$table, stage.begun.$table)
            }
        })*

        impl Batch {
            /// Begins a record. Returns the mark to rewind to if it fails.
            pub fn begin_record(&mut self) -> BatchMark {
                self.begun = Begun { $($table: self.$table.len(),)* };
                self.mark()
            }

            fn mark(&self) -> BatchMark {
                BatchMark([$(self.$table.len(),)* self.transactions.len(), self.notes.len(),
                    self.name_skeletons.len()])
            }

            /// Removes everything staged since the mark.
            pub fn rewind(&mut self, mark: BatchMark) {
                let BatchMark([$($table,)* transactions, notes, name_skeletons]) = mark;
                $(self.$table.truncate($table);)*
                self.transactions.truncate(transactions);
                self.notes.truncate(notes);
                self.name_skeletons.truncate(name_skeletons);
            }

            /// Inserts all rows with their field history, and leaves the stage empty.
            pub async fn write(
                &mut self,
                tx: &DatabaseTransaction,
                author: &Actor,
                now: Timestamp,
            ) -> Result<BatchKeys, DbErr> {
                let stage = std::mem::take(self);
                let mut keys = BatchKeys::default();
                user_names::take_all(tx, stage.name_skeletons).await?;
                let written = audit::recording(tx, author, now, async |changes| {
                    $(write(tx, stage.$table, &mut keys, changes).await?;)*
                    write_transactions(tx, stage.transactions, &keys).await?;
                    for mut note in stage.notes {
                        keys.settle(&mut note.place);
                        note.record_id = keys.of(note.record_id);
                        changes.note(note);
                    }
                    Ok::<_, DbErr>(keys)
                });
                written.await
            }
        }
    };
}

tables! {
    contacts,
    web_credentials,
    contact_addresses,
    loans,
    loan_interest_rates,
    loan_contacts,
    credit_lines,
    recurring_transactions,
    automated_payments,
    collaterals,
    loan_collaterals,
    collateral_vehicles,
    collateral_locations,
    collateral_insurance_policies,
    collateral_taxes,
    collateral_descriptions,
    comments,
    user_defined_values,
}

impl Batch {
    /// True if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.mark().0.iter().all(|length| *length == 0)
    }

    /// Returns a new placeholder for the key of a row to be staged.
    pub fn number(&mut self) -> i64 {
        self.numbers -= 1;
        self.numbers
    }

    /// Stages a row that has a placeholder for its key.
    pub fn add<M: BatchTable>(&mut self, row: M, place: AuditTarget) {
        let (list, _) = M::list(self);
        list.push(row, place);
    }

    /// Returns a staged row of the current record that matches.
    pub fn find<M: BatchTable>(&mut self, fits: impl Fn(&M) -> bool) -> Option<&mut M> {
        let (list, from) = M::list(self);
        list.find(from, &fits)
    }

    /// Removes a staged row of the current record.
    pub fn take_off<M: BatchTable>(&mut self, fits: impl Fn(&M) -> bool) {
        let (list, from) = M::list(self);
        list.remove(from, &fits);
    }

    /// Stages a transaction that is a journal entry on its own.
    pub fn add_transaction(&mut self, row: loan_transactions::ActiveModel) {
        self.transactions.push(row);
    }

    /// Stages taking a user name, by the hash of its skeleton.
    pub fn take_name(&mut self, skeleton_hash: String) {
        self.name_skeletons.push(skeleton_hash);
    }

    /// Removes a staged user name again.
    pub fn release_name(&mut self, skeleton_hash: &str) {
        self.name_skeletons.retain(|staged| staged != skeleton_hash);
    }

    /// Stages a field-history note that belongs to no staged row.
    pub fn add_note(&mut self, note: FieldNote) {
        self.notes.push(note);
    }
}

/// The columns of a table that hold keys, which may be placeholders.
fn key_columns<E: EntityTrait>() -> Vec<E::Column> {
    E::Column::iter().filter(|column| column.as_str().ends_with("_id")).collect()
}

async fn write<M, A>(
    tx: &DatabaseTransaction,
    mut staged: Vec<BatchRow<M>>,
    keys: &mut BatchKeys,
    changes: &mut Changes<'_>,
) -> Result<(), DbErr>
where
    M: BatchTable + IntoActiveModel<A>,
    M::Entity: EntityTrait<Model = M>,
    A: ActiveModelTrait<Entity = M::Entity>,
    <M::Entity as EntityTrait>::PrimaryKey: PrimaryKeyTrait<ValueType = i64>,
{
    if staged.is_empty() {
        return Ok(());
    }
    let columns = key_columns::<M::Entity>();
    for BatchRow { row, .. } in &mut staged {
        for column in &columns {
            if let Value::BigInt(Some(number)) = row.get(*column)
                && number < 0
            {
                row.try_set(*column, keys.of(number).into())?;
            }
        }
    }
    let rows: Vec<M> = staged.iter().map(|staged| staged.row.clone()).collect();
    match <M::Entity as EntityTrait>::PrimaryKey::auto_increment() {
        true => {
            let written = bulk_insert::add_numbered(tx, rows).await?;
            for (BatchRow { row, .. }, key) in staged.iter_mut().zip(written) {
                keys.set(row.record_id(), key);
                for column in <M::Entity as EntityTrait>::PrimaryKey::iter() {
                    row.try_set(column.into_column(), key.into())?;
                }
            }
        }
        false => bulk_insert::add_all(tx, rows).await?,
    }
    for BatchRow { row, place } in &mut staged {
        keys.settle(place);
        changes.add(place, None, Some(row))?;
        changes.save_if_many(tx).await?;
    }
    Ok(())
}

/// Writes transactions, each a journal entry of its own whose reference number is its own id.
async fn write_transactions(
    tx: &DatabaseTransaction,
    mut transactions: Vec<loan_transactions::ActiveModel>,
    keys: &BatchKeys,
) -> Result<(), DbErr> {
    use loan_transactions::Column::{TransactionId, TransactionReferenceNo};
    for row in &mut transactions {
        if let ActiveValue::Set(loan_id) = row.loan_id {
            row.loan_id = ActiveValue::Set(keys.of(loan_id));
        }
    }
    let written = bulk_insert::add_numbered(tx, transactions).await?;
    for some in written.chunks(ROWS_PER_UPDATE) {
        loan_transactions::Entity::update_many()
            .col_expr(TransactionReferenceNo, TransactionId.into_expr())
            .filter(TransactionId.is_in(some.iter().copied()))
            .exec(tx)
            .await?;
    }
    Ok(())
}
