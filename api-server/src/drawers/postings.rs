//! Drawer transactions that clients enter: to and from the bank, transfers between drawers,
//! adjustments.

use super::ledger::{Movement, negated};
use super::{Drawer, DrawerError, DrawerRefusal, lock_row};
use crate::auth::caller::Caller;
use crate::auth::privileges::{FUND_DRAWERS, Forbidden, SUPERVISE_DRAWERS};
use crate::http::bounded_string::{BoundedString, check};
use poem_openapi::{Enum, Object};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder,
};
use shared::amounts::{AmountText, Money, OutOfRange};
use shared::entity::cash_drawer_transactions::{
    self as entries, DrawerTransactionType as TransactionType, Tender,
};
use shared::entity::cash_drawers::{self, DrawerStatus, DrawerType};
use shared::interface_names;
use shared::problem::InvalidValue;
use shared::time::Timestamp;
use std::collections::BTreeSet;

/// Transaction types that clients can enter. Stored transactions have further types, for payments,
/// counts and transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "NewDrawerTransactionType", rename_all = "snake_case")]
pub enum NewDrawerTransactionType {
    /// Received from the bank.
    BankIn,
    /// Sent to the bank.
    BankOut,
    /// Transferred to another drawer.
    Transfer,
    /// Correction that adds money.
    AdjustmentIn,
    /// Correction that removes money.
    AdjustmentOut,
}

use NewDrawerTransactionType as NewType;

/// A cash-drawer transaction to be posted.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct NewDrawerTransaction {
    /// Type of transaction. `bank_in` and `bank_out` require the Funding privilege, `adjustment_in`
    /// and `adjustment_out` the Supervise privilege, and `transfer` the Funding privilege if either
    /// drawer is a reserve.
    pub transaction_type: NewDrawerTransactionType,
    /// Form of the money; default `cash`.
    pub tender: Option<Tender>,
    /// Amount, above zero in either direction.
    pub amount: AmountText,
    /// Check number. Up to 25 characters; only with the tender `check`.
    pub check_number: Option<BoundedString<25>>,
    /// Id of the drawer to transfer to: a different drawer, which must be open. Required for a
    /// transfer, and allowed only for one.
    pub counter_drawer_id: Option<i64>,
    /// The caller's own reference. Up to 100 characters; required for adjustments.
    pub reference: Option<BoundedString<100>>,
}

/// A drawer transaction that passed the checks that need no database.
#[derive(Clone, Debug)]
pub struct ValidatedTransaction {
    request: NewDrawerTransaction,
    transaction_type: TransactionType,
    amount: Money,
}

impl NewDrawerTransaction {
    /// Returns the drawers that the transaction writes to when it is entered into this one, in
    /// ascending order of id: the lock order.
    pub fn drawers(&self, drawer_id: i64) -> BTreeSet<i64> {
        BTreeSet::from([drawer_id, self.counter_drawer_id.unwrap_or(drawer_id)])
    }

    /// Checks the privileges that the transaction needs. A closed target drawer counts as missing,
    /// so its type is not revealed.
    pub async fn check_rights(
        &self,
        db: &impl ConnectionTrait,
        caller: &Caller,
        drawer: &cash_drawers::Model,
    ) -> Result<(), DrawerError> {
        match self.transaction_type {
            NewType::BankIn | NewType::BankOut => caller.require(FUND_DRAWERS)?,
            NewType::AdjustmentIn | NewType::AdjustmentOut => caller.require(SUPERVISE_DRAWERS)?,
            NewType::Transfer if !caller.holds(FUND_DRAWERS) => {
                let target = match self.counter_drawer_id {
                    Some(id) => open_drawer(db, id).await?,
                    None => None,
                };
                check_funding(caller, [Some(drawer), target.as_ref()])?;
            }
            NewType::Transfer => {}
        }
        Ok(())
    }

    /// Runs the checks that need no database, and returns the validated transaction.
    pub fn validate(self) -> Result<ValidatedTransaction, InvalidValue> {
        check("Check_Number", &self.check_number)?;
        check("Reference", &self.reference)?;
        let amount = self.amount.posted();
        let amount = amount.map_err(|error| InvalidValue::new("Amount", error.to_string()))?;
        if !amount.is_positive() {
            return Err(InvalidValue::new("Amount", "must be above zero"));
        }
        if self.check_number.is_some() && self.tender != Some(Tender::Check) {
            return Err(InvalidValue::new("Check_Number", "is only allowed with the tender check"));
        }
        let target = self.counter_drawer_id;
        if target.is_some() && self.transaction_type != NewType::Transfer {
            return Err(InvalidValue::new("Counter_Drawer_ID", "is only allowed for a transfer"));
        }
        let has_reference = self.reference.as_ref().is_some_and(|text| !text.trim().is_empty());
        let transaction_type = match self.transaction_type {
            NewType::AdjustmentIn | NewType::AdjustmentOut if !has_reference => {
                return Err(InvalidValue::missing("Reference", "is required for an adjustment"));
            }
            NewType::Transfer if target.is_none() => {
                let message = "is required for a transfer";
                return Err(InvalidValue::missing("Counter_Drawer_ID", message));
            }
            NewType::BankIn => TransactionType::BankIn,
            NewType::BankOut => TransactionType::BankOut,
            NewType::AdjustmentIn => TransactionType::AdjustmentIn,
            NewType::AdjustmentOut => TransactionType::AdjustmentOut,
            NewType::Transfer => TransactionType::TransferOut,
        };
        Ok(ValidatedTransaction { request: self, transaction_type, amount })
    }
}

#[expect(clippy::disallowed_methods, reason = "the target of a transfer may be any drawer")]
async fn open_drawer(
    db: &impl ConnectionTrait,
    drawer_id: i64,
) -> Result<Option<cash_drawers::Model>, DbErr> {
    let drawer = cash_drawers::Entity::find_by_id(drawer_id).one(db).await?;
    Ok(drawer.filter(|drawer| drawer.status == DrawerStatus::Open))
}

/// Requires the privilege Funding if one of the drawers is a reserve.
fn check_funding(
    caller: &Caller,
    drawers: [Option<&cash_drawers::Model>; 2],
) -> Result<(), Forbidden> {
    let mut drawers = drawers.into_iter().flatten();
    match drawers.any(|drawer| drawer.drawer_type == DrawerType::Reserve) {
        true => caller.require(FUND_DRAWERS),
        false => Ok(()),
    }
}

/// Enters a transaction into a drawer that the caller may see. Returns the new rows that the caller
/// may see.
pub async fn post(
    tx: &DatabaseTransaction,
    caller: &Caller,
    now: Timestamp,
    drawer_id: i64,
    transaction: &ValidatedTransaction,
) -> Result<Vec<entries::Model>, DrawerError> {
    let row_ids = match transaction.request.counter_drawer_id {
        Some(target) => transaction.transfer(tx, caller, now, (drawer_id, target)).await?.to_vec(),
        None => {
            let mut drawer = Drawer::lock(tx, caller, drawer_id).await?;
            let movement = transaction.movement(transaction.transaction_type, now)?;
            vec![drawer.enter(tx, movement, transaction.row()).await?]
        }
    };
    let rows = caller
        .find::<entries::Entity>()
        .filter(entries::Column::DrawerTransactionId.is_in(row_ids))
        .order_by_asc(entries::Column::DrawerTransactionId);
    Ok(rows.all(tx).await?)
}

impl ValidatedTransaction {
    fn movement(
        &self,
        transaction_type: TransactionType,
        now: Timestamp,
    ) -> Result<Movement, OutOfRange> {
        let amount = match transaction_type {
            TransactionType::BankOut
            | TransactionType::AdjustmentOut
            | TransactionType::TransferOut => negated(self.amount)?,
            _ => self.amount,
        };
        let tender = self.request.tender.unwrap_or(Tender::Cash);
        Ok(Movement { transaction_type, tender, amount, now })
    }

    fn row(&self) -> entries::ActiveModel {
        entries::ActiveModel {
            check_number: Set(self.request.check_number.clone().map(String::from)),
            reference: Set(self.request.reference.clone().map(String::from)),
            ..Default::default()
        }
    }

    /// Enters a transfer: two rows, out of one drawer and into the other, under the id of the
    /// first. Locks both drawers in ascending order of id.
    async fn transfer(
        &self,
        tx: &DatabaseTransaction,
        caller: &Caller,
        now: Timestamp,
        (source, target): (i64, i64),
    ) -> Result<[i64; 2], DrawerError> {
        let (mut from, mut to) = (None, None);
        for drawer_id in BTreeSet::from([source, target]) {
            match drawer_id == source {
                true => from = lock_row(tx, drawer_id).await?,
                false => to = lock_row(tx, drawer_id).await?,
            }
        }
        let from = from.ok_or(DrawerError::NotFound)?;
        let mut from = Drawer::usable(tx, caller, from).await?;
        let to = to.filter(|drawer| drawer.status == DrawerStatus::Open).ok_or_else(|| {
            let (detail, message) = (
                "the other drawer does not accept transfers",
                "must be another drawer that is open",
            );
            DrawerRefusal::not_usable_in(detail, "Counter_Drawer_ID", message)
        })?;
        check_funding(caller, [Some(&from.row), Some(&to)])?;
        let mut to = Drawer { row: to, active: false, becomes_active: false, ..from.clone() };
        let mut row = self.row();
        row.counter_drawer_id = Set(Some(target));
        let movement = self.movement(self.transaction_type, now)?;
        let out_id = from.enter(tx, movement, row.clone()).await?;
        row.counter_drawer_id = Set(Some(source));
        row.transfer_reference_no = Set(Some(out_id));
        let movement = self.movement(TransactionType::TransferIn, now)?;
        let in_id = to.enter(tx, movement, row).await?;
        entries::Entity::update_many()
            .col_expr(entries::Column::TransferReferenceNo, Expr::value(out_id))
            .filter(entries::Column::DrawerTransactionId.eq(out_id))
            .exec(tx)
            .await?;
        Ok([out_id, in_id])
    }
}
