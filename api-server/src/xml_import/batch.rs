//! Staged rows, waiting for a bulk insert. They turn a batch of records into a few statements,
//! however many records it has.
//!
//! A staged row has no key yet. Its key column holds a negative placeholder, by which other staged
//! rows refer to it; [`Batch::write`] replaces placeholders with keys. Rolling a record back means
//! removing its rows from the stage.

use crate::audit::{
    self, Actor, AuditTarget, Audited, Changes, CommentTarget, FieldNote, HistoryOwner,
};
use crate::loans::journal;
use sea_orm::{
    ActiveModelTrait, DatabaseTransaction, DbErr, EntityTrait, IdenStatic, IntoActiveModel,
    Iterable, ModelTrait, PrimaryKeyToColumn, PrimaryKeyTrait, Value,
};
use shared::bulk_insert;
use shared::entity::*;
use shared::time::Timestamp;
use shared::user_names;

/// A row to be inserted, and where its field history goes.
#[derive(Clone, Debug)]
struct BatchRow<M> {
    row: M,
    target: AuditTarget,
}

/// The keys of staged rows, by placeholder.
#[derive(Debug, Default)]
pub(super) struct BatchKeys(Vec<i64>);

impl BatchKeys {
    /// Resolves a placeholder to its key, if its row is written. Returns any other id unchanged.
    pub(super) fn of(&self, id: i64) -> i64 {
        match usize::try_from(-1 - id) {
            Ok(index) => self.0.get(index).copied().filter(|key| *key != 0).unwrap_or(id),
            Err(_) => id,
        }
    }

    fn set(&mut self, placeholder: i64, key: i64) {
        let Ok(index) = usize::try_from(-1 - placeholder) else { return };
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] = key;
    }

    fn resolve(&self, target: &mut AuditTarget) {
        for owner in &mut target.owners {
            match owner {
                HistoryOwner::Loan(id) | HistoryOwner::Contact(id) => *id = self.of(*id),
            }
        }
        if let Some(CommentTarget { comment_id, .. }) = &mut target.comment {
            *comment_id = self.of(*comment_id);
        }
    }
}

/// How many rows each list of a stage held at some point.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchMark([usize; LISTS]);

/// A table whose rows are staged.
pub(super) trait BatchTable: ModelTrait + Audited + Clone {
    /// The table's staged rows, and how many there were when the current record began.
    #[doc(hidden)]
    fn list(stage: &mut Batch) -> (&mut dyn BatchRows<Self>, usize);
}

/// Staged rows of one table.
pub(super) trait BatchRows<M> {
    /// Adds a row.
    fn push(&mut self, row: M, target: AuditTarget);
    /// Returns the last matching row from this index on.
    fn find(&mut self, from: usize, matches: &dyn Fn(&M) -> bool) -> Option<&mut M>;
    /// Removes the first matching row from this index on.
    fn remove(&mut self, from: usize, matches: &dyn Fn(&M) -> bool);
}

impl<M> BatchRows<M> for Vec<BatchRow<M>> {
    fn push(&mut self, row: M, target: AuditTarget) {
        self.push(BatchRow { row, target });
    }

    fn find(&mut self, from: usize, matches: &dyn Fn(&M) -> bool) -> Option<&mut M> {
        let rows = self.iter_mut().skip(from).map(|staged| &mut staged.row);
        rows.rev().find(|row| matches(row))
    }

    fn remove(&mut self, from: usize, matches: &dyn Fn(&M) -> bool) {
        let index = self.iter().skip(from).position(|staged| matches(&staged.row));
        if let Some(index) = index {
            Vec::remove(self, from + index);
        }
    }
}

macro_rules! tables {
    ($($table:ident,)*) => {
        /// Staged rows, table by table, ordered so that referenced rows come first.
        #[derive(Default)]
        pub(crate) struct Batch {
            last_placeholder: i64,
            record_start: RecordStart,
            $($table: Vec<BatchRow<$table::Model>>,)*
            transactions: Vec<loan_transactions::Model>,
            notes: Vec<FieldNote>,
            name_skeletons: Vec<String>,
        }

        /// How many rows there were when the current record began.
        #[derive(Default)]
        struct RecordStart {
            $($table: usize,)*
        }

        const LISTS: usize = [$(stringify!($table)),*].len() + 3;

        $(impl BatchTable for $table::Model {
            fn list(stage: &mut Batch) -> (&mut dyn BatchRows<Self>, usize) {
                (&mut stage.$table, stage.record_start.$table)
            }
        })*

        impl Batch {
            /// Begins a record. Returns the mark to rewind to if it fails.
            pub(crate) fn begin_record(&mut self) -> BatchMark {
                self.record_start = RecordStart { $($table: self.$table.len(),)* };
                self.mark()
            }

            fn mark(&self) -> BatchMark {
                BatchMark([$(self.$table.len(),)* self.transactions.len(), self.notes.len(),
                    self.name_skeletons.len()])
            }

            /// Removes everything staged since the mark.
            pub(crate) fn rewind(&mut self, mark: BatchMark) {
                let BatchMark([$($table,)* transactions, notes, name_skeletons]) = mark;
                $(self.$table.truncate($table);)*
                self.transactions.truncate(transactions);
                self.notes.truncate(notes);
                self.name_skeletons.truncate(name_skeletons);
            }

            /// Inserts all rows with their field history, and leaves the stage empty.
            pub(crate) async fn write(
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
                        keys.resolve(&mut note.place);
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
    pub(super) fn is_empty(&self) -> bool {
        self.mark().0.iter().all(|length| *length == 0)
    }

    /// Returns a new placeholder for the key of a row to be staged.
    pub(super) fn next_placeholder(&mut self) -> i64 {
        self.last_placeholder -= 1;
        self.last_placeholder
    }

    /// Stages a row that has a placeholder for its key.
    pub(super) fn add<M: BatchTable>(&mut self, row: M, target: AuditTarget) {
        let (list, _) = M::list(self);
        list.push(row, target);
    }

    /// Returns a staged row of the current record that matches.
    pub(super) fn find<M: BatchTable>(&mut self, matches: impl Fn(&M) -> bool) -> Option<&mut M> {
        let (list, from) = M::list(self);
        list.find(from, &matches)
    }

    /// Removes a staged row of the current record.
    pub(super) fn remove<M: BatchTable>(&mut self, matches: impl Fn(&M) -> bool) {
        let (list, from) = M::list(self);
        list.remove(from, &matches);
    }

    /// Stages a transaction that is a journal entry on its own.
    pub(super) fn add_transaction(&mut self, row: loan_transactions::Model) {
        self.transactions.push(row);
    }

    /// Stages taking a user name, by the hash of its skeleton.
    pub(super) fn take_name(&mut self, skeleton_hash: String) {
        self.name_skeletons.push(skeleton_hash);
    }

    /// Removes a staged user name again.
    pub(super) fn release_name(&mut self, skeleton_hash: &str) {
        self.name_skeletons.retain(|staged| staged != skeleton_hash);
    }

    /// Stages a field-history note that belongs to no staged row.
    pub(super) fn add_note(&mut self, note: FieldNote) {
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
            if let Value::BigInt(Some(placeholder)) = row.get(*column)
                && placeholder < 0
            {
                row.try_set(*column, keys.of(placeholder).into())?;
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
    for BatchRow { row, target } in &mut staged {
        keys.resolve(target);
        changes.add(target, None, Some(row))?;
        changes.save_if_many(tx).await?;
    }
    Ok(())
}

/// Writes transactions, each a journal entry of its own.
async fn write_transactions(
    tx: &DatabaseTransaction,
    transactions: Vec<loan_transactions::Model>,
    keys: &BatchKeys,
) -> Result<(), DbErr> {
    let entries = transactions.into_iter().map(|mut row| {
        row.loan_id = keys.of(row.loan_id);
        vec![row]
    });
    let mut entries: Vec<_> = entries.collect();
    journal::insert(tx, &mut entries).await
}
