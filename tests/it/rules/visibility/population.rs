//! A database of random rows, in which rules combine in ways that no one has thought of.
//!
//! Keys begin at 1 in every table and rows are inserted in any order: a key mistaken for another
//! table's finds a row, and an order that is right only by accident is noticed.

mod loans;
mod people;
mod records;
mod services;
mod setup;

use super::random::Random;
use sea_orm::{
    ActiveModelBehavior, ActiveModelTrait, DatabaseConnection, EntityTrait, IntoActiveModel,
};
use shared::amounts::{Money, Rate};
use shared::secrets::Secret;

/// Random users; the keys below them belong to the users of every installation.
pub const USERS: std::ops::RangeInclusive<i64> = 11..=18;
/// Contacts who may log in.
pub const WEB_USERS: usize = 3;
/// Part of each long tax id and identity number, and of nothing else.
pub const IDENTITY_MARK: &str = "-TAX-";
/// Part of each long bank account, and of nothing else.
pub const ACCOUNT_MARK: &str = "-ACCT-";
const GROUPS: std::ops::RangeInclusive<i64> = 1..=4;
const CONTACTS: std::ops::RangeInclusive<i64> = 1..=10;
const LOANS: std::ops::RangeInclusive<i64> = 1..=10;
const COLLATERALS: std::ops::RangeInclusive<i64> = 1..=8;

/// Fills a fresh database. All users who may log in have this password hash.
pub async fn write(db: &DatabaseConnection, random: &mut Random, password: &Secret) {
    let mut draft = Draft { db, random };
    draft.users_and_groups(password).await;
    draft.setup_lists().await;
    draft.field_definitions().await;
    draft.grants().await;
    draft.trustees().await;
    draft.contacts(password).await;
    draft.loans().await;
    draft.fees_and_cards().await;
    draft.on_loans().await;
    draft.transactions().await;
    draft.collateral().await;
    draft.on_collateral().await;
    draft.comments().await;
    draft.field_values().await;
    draft.documents().await;
    draft.credit_profiles().await;
    draft.drawers().await;
    draft.on_drawers().await;
    draft.batches().await;
    draft.history().await;
}

/// A database being filled.
struct Draft<'a> {
    db: &'a DatabaseConnection,
    random: &'a mut Random,
}

impl Draft<'_> {
    /// Inserts rows in random order.
    async fn insert<A, M>(&mut self, mut rows: Vec<M>)
    where
        A: ActiveModelTrait + ActiveModelBehavior + Send,
        M: IntoActiveModel<A>,
    {
        self.random.shuffle(&mut rows);
        let rows: Vec<A> = rows.into_iter().map(IntoActiveModel::into_active_model).collect();
        if !rows.is_empty() {
            let insert = <A::Entity as EntityTrait>::insert_many(rows);
            insert.exec_without_returning(self.db).await.expect("inserted");
        }
    }

    /// One of the random users.
    fn user(&mut self) -> i64 {
        self.random.one_of(&USERS.collect::<Vec<_>>())
    }

    /// One of the random contacts.
    fn contact(&mut self) -> i64 {
        self.random.one_of(&CONTACTS.collect::<Vec<_>>())
    }

    /// One of the random loans.
    fn loan(&mut self) -> i64 {
        self.random.one_of(&LOANS.collect::<Vec<_>>())
    }
}

fn money(cents: i64) -> Money {
    Money::from_units(cents * 100).expect("money")
}

fn rate(percent: i64) -> Rate {
    Rate::from_units(percent * 100_000_000).expect("a rate")
}
