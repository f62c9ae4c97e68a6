//! Rows that are to be inserted together: with them a batch of records becomes a few statements,
//! however many records it has.
//!
//! A staged row has no key yet. It gets a number below zero in its place, by which other staged
//! rows name it; [`Stage::write`] puts the keys there. Undoing a record is taking its rows off
//! again.

use crate::audit::{self, Author, Changes, FieldNote, OfComment, Owner, Place, Tracked};
use sea_orm::{
    ActiveModelTrait, ActiveValue, ColumnTrait, DatabaseTransaction, DbErr, EntityTrait,
    IdenStatic, IntoActiveModel, Iterable, ModelTrait, PrimaryKeyToColumn, PrimaryKeyTrait,
    QueryFilter, Value,
};
use shared::entity::*;
use shared::rows;
use shared::time::Timestamp;
use shared::user_names;

/// Rows whose own number is told again in one UPDATE.
const ROWS_PER_UPDATE: usize = 1000;

/// A row to be inserted, and whose history tells of it.
#[derive(Clone, Debug)]
struct Staged<M> {
    row: M,
    place: Place,
}

/// The keys that numbers of staged rows stand for.
#[derive(Debug, Default)]
pub struct Keys(Vec<i64>);

impl Keys {
    /// The key of a row: that of a staged one once it is written, any other as it is.
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

    fn settle(&self, place: &mut Place) {
        for owner in &mut place.owners {
            match owner {
                Owner::Loan(id) | Owner::Contact(id) => *id = self.of(*id),
            }
        }
        if let Some(OfComment { comment_id, .. }) = &mut place.comment {
            *comment_id = self.of(*comment_id);
        }
    }
}

/// How far a stage was filled.
#[derive(Clone, Copy, Debug)]
pub struct Mark([usize; LISTS]);

/// A table whose rows are staged.
pub trait Table: ModelTrait + Tracked + Clone {
    /// Its staged rows, and how many there were when the record at hand began.
    #[doc(hidden)]
    fn list(stage: &mut Stage) -> (&mut dyn List<Self>, usize);
}

/// Staged rows of one table.
pub trait List<M> {
    /// One more.
    fn push(&mut self, row: M, place: Place);
    /// One that fits, if any, from this place on.
    fn find(&mut self, from: usize, fits: &dyn Fn(&M) -> bool) -> Option<&mut M>;
    /// Takes off one that fits, from this place on.
    fn remove(&mut self, from: usize, fits: &dyn Fn(&M) -> bool);
}

impl<M> List<M> for Vec<Staged<M>> {
    fn push(&mut self, row: M, place: Place) {
        self.push(Staged { row, place });
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
        /// Staged rows, table by table, in the order in which they name each other.
        #[derive(Default)]
        pub struct Stage {
            numbers: i64,
            begun: Begun,
            $($table: Vec<Staged<$table::Model>>,)*
            transactions: Vec<loan_transactions::ActiveModel>,
            notes: Vec<FieldNote>,
            name_skeletons: Vec<String>,
        }

        /// How many rows there were when the record at hand began.
        #[derive(Default)]
        struct Begun {
            $($table: usize,)*
        }

        const LISTS: usize = [$(stringify!($table)),*].len() + 3;

        $(impl Table for $table::Model {
            fn list(stage: &mut Stage) -> (&mut dyn List<Self>, usize) {
                (&mut stage.$table, stage.begun.$table)
            }
        })*

        impl Stage {
            /// How far it is filled, now that a record begins.
            pub fn begin_record(&mut self) -> Mark {
                self.begun = Begun { $($table: self.$table.len(),)* };
                self.mark()
            }

            fn mark(&self) -> Mark {
                Mark([$(self.$table.len(),)* self.transactions.len(), self.notes.len(),
                    self.name_skeletons.len()])
            }

            /// Takes off what was staged since.
            pub fn rewind(&mut self, mark: Mark) {
                let Mark([$($table,)* transactions, notes, name_skeletons]) = mark;
                $(self.$table.truncate($table);)*
                self.transactions.truncate(transactions);
                self.notes.truncate(notes);
                self.name_skeletons.truncate(name_skeletons);
            }

            /// Inserts all rows with their history, and is empty afterwards.
            pub async fn write(
                &mut self,
                tx: &DatabaseTransaction,
                author: &Author,
                now: Timestamp,
            ) -> Result<Keys, DbErr> {
                let stage = std::mem::take(self);
                let mut keys = Keys::default();
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

impl Stage {
    /// True if there is nothing to be written.
    pub fn is_empty(&self) -> bool {
        self.mark().0.iter().all(|length| *length == 0)
    }

    /// A number for a row that is to be staged.
    pub fn number(&mut self) -> i64 {
        self.numbers -= 1;
        self.numbers
    }

    /// Stages a row, with its number in the place of its key.
    pub fn add<M: Table>(&mut self, row: M, place: Place) {
        let (list, _) = M::list(self);
        list.push(row, place);
    }

    /// A staged row of the record at hand that fits.
    pub fn find<M: Table>(&mut self, fits: impl Fn(&M) -> bool) -> Option<&mut M> {
        let (list, from) = M::list(self);
        list.find(from, &fits)
    }

    /// Takes off a staged row of the record at hand.
    pub fn take_off<M: Table>(&mut self, fits: impl Fn(&M) -> bool) {
        let (list, from) = M::list(self);
        list.remove(from, &fits);
    }

    /// Stages a transaction that is an entry by itself.
    pub fn add_transaction(&mut self, row: loan_transactions::ActiveModel) {
        self.transactions.push(row);
    }

    /// Stages that a user name is taken, by the hash of its skeleton.
    pub fn take_name(&mut self, skeleton_hash: String) {
        self.name_skeletons.push(skeleton_hash);
    }

    /// Takes off that a user name is taken, which the record at hand staged.
    pub fn release_name(&mut self, skeleton_hash: &str) {
        self.name_skeletons.retain(|staged| staged != skeleton_hash);
    }

    /// Stages what the history tells besides rows.
    pub fn add_note(&mut self, note: FieldNote) {
        self.notes.push(note);
    }
}

/// The columns of a table that hold keys.
fn key_columns<E: EntityTrait>() -> Vec<E::Column> {
    E::Column::iter().filter(|column| column.as_str().ends_with("_id")).collect()
}

async fn write<M, A>(
    tx: &DatabaseTransaction,
    mut staged: Vec<Staged<M>>,
    keys: &mut Keys,
    changes: &mut Changes<'_>,
) -> Result<(), DbErr>
where
    M: Table + IntoActiveModel<A>,
    M::Entity: EntityTrait<Model = M>,
    A: ActiveModelTrait<Entity = M::Entity>,
    <M::Entity as EntityTrait>::PrimaryKey: PrimaryKeyTrait<ValueType = i64>,
{
    if staged.is_empty() {
        return Ok(());
    }
    let columns = key_columns::<M::Entity>();
    for Staged { row, .. } in &mut staged {
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
            let written = rows::add_numbered(tx, rows).await?;
            for (Staged { row, .. }, key) in staged.iter_mut().zip(written) {
                keys.set(row.record_id(), key);
                for column in <M::Entity as EntityTrait>::PrimaryKey::iter() {
                    row.try_set(column.into_column(), key.into())?;
                }
            }
        }
        false => rows::add_all(tx, rows).await?,
    }
    for Staged { row, place } in &mut staged {
        keys.settle(place);
        changes.add(place, None, Some(row))?;
        changes.save_if_many(tx).await?;
    }
    Ok(())
}

/// Each of these is an entry by itself, whose reference is its own number.
async fn write_transactions(
    tx: &DatabaseTransaction,
    mut transactions: Vec<loan_transactions::ActiveModel>,
    keys: &Keys,
) -> Result<(), DbErr> {
    use loan_transactions::Column::{TransactionId, TransactionReferenceNo};
    for row in &mut transactions {
        if let ActiveValue::Set(loan_id) = row.loan_id {
            row.loan_id = ActiveValue::Set(keys.of(loan_id));
        }
    }
    let written = rows::add_numbered(tx, transactions).await?;
    for some in written.chunks(ROWS_PER_UPDATE) {
        loan_transactions::Entity::update_many()
            .col_expr(TransactionReferenceNo, TransactionId.into_expr())
            .filter(TransactionId.is_in(some.iter().copied()))
            .exec(tx)
            .await?;
    }
    Ok(())
}
