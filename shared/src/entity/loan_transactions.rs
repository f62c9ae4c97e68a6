//! Transactions on loans: every change of a balance.

use crate::amounts::Money;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A transaction on a loan: one line of its history.
#[shared_macros::table("loan_transactions", object = "LoanTransaction")]
#[derive(Default)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub transaction_id: i64,
    pub loan_id: i64,
    /// `Transaction_ID` of the entry's total row, or of the row itself if it is the only one.
    pub transaction_reference_no: i64,
    pub transaction_code: i32,
    pub transaction_description: String,
    /// Time at which the row was posted.
    pub transaction_date: Timestamp,
    /// Date on which the row takes effect.
    pub effective_date: Date,
    /// Date of the row in the general ledger.
    pub gl_date: Date,
    /// Amount, always positive; the transaction code gives the sign.
    pub transaction_amount: Money,
    /// Balance that the row changes; absent on total and memo rows.
    pub balance_name: Option<BalanceName>,
    /// That balance after the row; on a total row, the payoff amount on the `Effective_Date`.
    pub resulting_balance: Option<Money>,
    pub payment_method_code: Option<String>,
    pub payment_method_reference: Option<String>,
    pub user_reference: Option<String>,
    pub paid_by_contact_id: Option<i64>,
    pub creditline_id: Option<i64>,
    pub cash_drawer_id: Option<i64>,
    pub payment_gateway_token_id: Option<i64>,
    /// The integrator's own id, unique per loan; on total rows only.
    pub external_id: Option<String>,
    pub userdef01: Option<String>,
    pub userdef02: Option<String>,
    pub userdef03: Option<String>,
    pub userdef04: Option<String>,
    pub userdef05: Option<String>,
    pub entered_by_user_id: i64,
    pub reversed_flag: bool,
    /// `Transaction_ID` of the reversal, and on the reversal that of the original.
    pub reversal_transaction_id: Option<i64>,
    /// True for a returned payment.
    pub nsf_flag: bool,
    pub nsf_date: Option<Date>,
}

text_enum! {
    /// Balances of a loan.
    pub enum BalanceName {
        /// Principal owed.
        Principal,
        /// Interest owed.
        Interest,
        /// Late charges owed.
        LateCharge,
        /// Fees owed.
        Fees,
        /// Impound, held for the borrower.
        Impound,
        /// Suspense, held for the borrower.
        Suspense,
    }
}
