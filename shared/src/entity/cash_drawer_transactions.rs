//! What went into and out of cash drawers.

use crate::amounts::Money;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// Money that went into or out of a cash drawer.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "cash_drawer_transactions")]
#[oai(rename = "DrawerTransaction", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Drawer_Transaction_ID")]
    pub drawer_transaction_id: i64,
    #[oai(rename = "Drawer_ID")]
    pub drawer_id: i64,
    #[oai(rename = "Transaction_Type")]
    pub transaction_type: DrawerTransactionType,
    #[oai(rename = "Tender")]
    pub tender: Tender,
    /// Above zero: in; below: out.
    #[oai(rename = "Amount")]
    pub amount: Money,
    /// The drawer's balance of this tender afterwards.
    #[oai(rename = "Resulting_Balance")]
    pub resulting_balance: Money,
    #[oai(rename = "Check_Number")]
    pub check_number: Option<String>,
    #[oai(rename = "Loan_ID")]
    pub loan_id: Option<i64>,
    #[oai(rename = "Transaction_ID")]
    pub transaction_id: Option<i64>,
    /// The other drawer of a transfer.
    #[oai(rename = "Counter_Drawer_ID")]
    pub counter_drawer_id: Option<i64>,
    /// The same on both rows of a transfer.
    #[oai(rename = "Transfer_Reference_No")]
    pub transfer_reference_no: Option<i64>,
    /// The count that froze the row.
    #[oai(rename = "Reconciliation_ID")]
    pub reconciliation_id: Option<i64>,
    #[oai(rename = "User_ID")]
    pub user_id: i64,
    #[oai(rename = "Transaction_Date")]
    pub transaction_date: Timestamp,
    #[oai(rename = "Reference")]
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
