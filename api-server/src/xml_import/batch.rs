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
use shared::database::batch;
use shared::entity::*;
use shared::time::Timestamp;
use shared::user_names;

/// A row to be inserted, and where its field history goes.
#[derive(Clone, Debug)]
pub(super) struct BatchRow<M> {
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

/// A table whose rows are staged.
pub(super) trait BatchTable: ModelTrait + Audited + Clone {
    /// The table's staged rows, and how many there were when the current record began.
    #[doc(hidden)]
    fn rows(stage: &mut Batch) -> (&mut Vec<BatchRow<Self>>, usize);
}

macro_rules! tables {
    ($($table:ident,)*) => {
        /// Staged rows, table by table, ordered so that referenced rows come first.
        #[derive(Default)]
        pub(crate) struct Batch {
            last_placeholder: i64,
            record_start: Lengths,
            $($table: Vec<BatchRow<$table::Model>>,)*
            /// Transactions, each a journal entry of its own.
            pub(super) transactions: Vec<loan_transactions::Model>,
            /// Field-history notes that belong to no staged row.
            pub(super) notes: Vec<FieldNote>,
            /// User names to take, by the hashes of their skeletons.
            pub(super) name_skeletons: Vec<String>,
        }

        /// How many rows of each kind there are.
        #[derive(Default, PartialEq)]
        struct Lengths {
            $($table: usize,)*
            transactions: usize,
            notes: usize,
            name_skeletons: usize,
        }

        $(impl BatchTable for $table::Model {
            fn rows(stage: &mut Batch) -> (&mut Vec<BatchRow<Self>>, usize) {
                (&mut stage.$table, stage.record_start.$table)
            }
        })*

        impl Batch {
            fn lengths(&self) -> Lengths {
                Lengths {
                    $($table: self.$table.len(),)*
                    transactions: self.transactions.len(),
                    notes: self.notes.len(),
                    name_skeletons: self.name_skeletons.len(),
                }
            }

            /// Removes everything staged by the current record.
            pub(crate) fn roll_back_record(&mut self) {
                $(self.$table.truncate(self.record_start.$table);)*
                self.transactions.truncate(self.record_start.transactions);
                self.notes.truncate(self.record_start.notes);
                self.name_skeletons.truncate(self.record_start.name_skeletons);
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
                        keys.resolve(&mut note.target);
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
    pub(super) fn begin_record(&mut self) {
        self.record_start = self.lengths();
    }

    /// True if there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.lengths() == Lengths::default()
    }

    /// Returns a new placeholder for the key of a row to be staged.
    pub(super) fn next_placeholder(&mut self) -> i64 {
        self.last_placeholder -= 1;
        self.last_placeholder
    }

    /// Stages a row that has a placeholder for its key.
    pub(super) fn add<M: BatchTable>(&mut self, row: M, target: AuditTarget) {
        let (rows, _) = M::rows(self);
        rows.push(BatchRow { row, target });
    }

    /// Returns the last staged row of the current record that matches.
    pub(super) fn find<M: BatchTable>(&mut self, matches: impl Fn(&M) -> bool) -> Option<&mut M> {
        let (rows, from) = M::rows(self);
        let mut rows = rows[from..].iter_mut().map(|staged| &mut staged.row);
        rows.rfind(|row| matches(row))
    }

    /// Removes the first staged row of the current record that matches.
    pub(super) fn remove<M: BatchTable>(&mut self, matches: impl Fn(&M) -> bool) {
        let (rows, from) = M::rows(self);
        if let Some(index) = rows[from..].iter().position(|staged| matches(&staged.row)) {
            rows.remove(from + index);
        }
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
            let written = batch::insert_numbered(tx, rows).await?;
            for (BatchRow { row, .. }, key) in staged.iter_mut().zip(written) {
                keys.set(row.record_id(), key);
                for column in <M::Entity as EntityTrait>::PrimaryKey::iter() {
                    row.try_set(column.into_column(), key.into())?;
                }
            }
        }
        false => batch::insert_rows(tx, rows).await?,
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
