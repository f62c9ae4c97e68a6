//! What went into and out of cash drawers.

use crate::amounts::Money;
use crate::interface_names;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// Money that went into or out of a cash drawer.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "cash_drawer_transactions")]
#[oai(rename = "DrawerTransaction", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub drawer_transaction_id: i64,
    pub drawer_id: i64,
    pub transaction_type: DrawerTransactionType,
    pub tender: Tender,
    /// Above zero: in; below: out.
    pub amount: Money,
    /// The drawer's balance of this tender afterwards.
    pub resulting_balance: Money,
    pub check_number: Option<String>,
    pub loan_id: Option<i64>,
    pub transaction_id: Option<i64>,
    /// The other drawer of a transfer.
    pub counter_drawer_id: Option<i64>,
    /// The same on both rows of a transfer.
    pub transfer_reference_no: Option<i64>,
    /// The count that froze the row.
    pub reconciliation_id: Option<i64>,
    pub user_id: i64,
    pub transaction_date: Timestamp,
    pub reference: Option<String>,
}

no_relations!();

text_enum! {
    /// Why the money moved.
    pub enum DrawerTransactionType {
        /// From the bank.
        BankIn,
        /// To the bank.
        BankOut,
        /// To another drawer.
        TransferOut,
        /// From another drawer.
        TransferIn,
        /// A correction.
        AdjustmentIn,
        /// A correction.
        AdjustmentOut,
        /// A payment on a loan.
        Payment,
        /// A payment was reversed.
        PaymentReversal,
        /// A count found more or less.
        OverShort,
    }

    /// What was put in or taken out.
    pub enum Tender {
        /// Cash.
        Cash,
        /// A check.
        Check,
    }
}
