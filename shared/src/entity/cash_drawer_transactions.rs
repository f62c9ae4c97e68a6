//! Transactions of cash drawers: money put in and taken out.

use crate::amounts::Money;
use crate::time::Timestamp;

/// A cash-drawer transaction: money put into a drawer or taken out of it.
#[shared_macros::table("cash_drawer_transactions", object = "DrawerTransaction")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub drawer_transaction_id: i64,
    pub drawer_id: i64,
    pub transaction_type: DrawerTransactionType,
    pub tender: Tender,
    /// Amount: positive into the drawer, negative out of it.
    pub amount: Money,
    /// Drawer balance of this tender after the transaction.
    pub resulting_balance: Money,
    pub check_number: Option<String>,
    /// Loan, for a payment or its reversal.
    pub loan_id: Option<i64>,
    /// Transaction on that loan.
    pub transaction_id: Option<i64>,
    /// Other drawer of a transfer.
    pub counter_drawer_id: Option<i64>,
    /// Reference number shared by both rows of a transfer.
    pub transfer_reference_no: Option<i64>,
    /// Reconciliation that covers the row; from then on the row cannot change.
    pub reconciliation_id: Option<i64>,
    pub user_id: i64,
    pub transaction_date: Timestamp,
    pub reference: Option<String>,
}

text_enum! {
    /// Type of a cash-drawer transaction.
    pub enum DrawerTransactionType {
        /// Received from the bank.
        BankIn,
        /// Sent to the bank.
        BankOut,
        /// Transferred to another drawer.
        TransferOut,
        /// Transferred from another drawer.
        TransferIn,
        /// Correction that adds money.
        AdjustmentIn,
        /// Correction that removes money.
        AdjustmentOut,
        /// Payment on a loan.
        Payment,
        /// Reversal of a payment.
        PaymentReversal,
        /// Difference found by a count.
        OverShort,
    }

    /// Form of the money.
    pub enum Tender {
        /// Cash.
        Cash,
        /// A check.
        Check,
    }
}
