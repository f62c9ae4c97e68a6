//! Everything that ever happened to a balance of a loan.

use crate::amounts::Money;
use crate::interface_names;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A transaction on a loan: one line of its history.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "loan_transactions")]
#[oai(rename = "LoanTransaction", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub transaction_id: i64,
    pub loan_id: i64,
    /// The Transaction_ID of the entry's total row, or the own one.
    pub transaction_reference_no: i64,
    pub transaction_code: i32,
    pub transaction_description: String,
    /// When it was posted.
    pub transaction_date: Timestamp,
    /// The day it counts for.
    pub effective_date: Date,
    /// The day it stands in the ledger.
    pub gl_date: Date,
    /// Always positive; the code gives the sign.
    pub transaction_amount: Money,
    /// The balance it moved; absent on total and memo rows.
    pub balance_name: Option<BalanceName>,
    /// That balance after the row; on a total row the payoff on the Effective_Date.
    pub resulting_balance: Option<Money>,
    pub payment_method_code: Option<String>,
    pub payment_method_reference: Option<String>,
    pub user_reference: Option<String>,
    pub paid_by_contact_id: Option<i64>,
    pub creditline_id: Option<i64>,
    pub cash_drawer_id: Option<i64>,
    pub payment_gateway_token_id: Option<i64>,
    /// The integrator's own id, unique per loan; total row only.
    pub external_id: Option<String>,
    pub userdef01: Option<String>,
    pub userdef02: Option<String>,
    pub userdef03: Option<String>,
    pub userdef04: Option<String>,
    pub userdef05: Option<String>,
    pub entered_by_user_id: i64,
    pub reversed_flag: bool,
    /// Reversal partners name each other.
    pub reversal_transaction_id: Option<i64>,
    /// A returned payment.
    pub nsf_flag: bool,
    pub nsf_date: Option<Date>,
}

no_relations!();

text_enum! {
    /// The balances of a loan.
    pub enum BalanceName {
        /// Owed.
        Principal,
        /// Owed.
        Interest,
        /// Owed.
        LateCharge,
        /// Owed.
        Fees,
        /// Held for the borrower.
        Impound,
        /// Held for the borrower.
        Suspense,
    }
}
