//! Everything that ever happened to a balance of a loan.

use crate::amounts::Money;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A transaction on a loan: one line of its history.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "loan_transactions")]
#[oai(rename = "LoanTransaction", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Transaction_ID")]
    pub transaction_id: i64,
    #[oai(rename = "Loan_ID")]
    pub loan_id: i64,
    /// The Transaction_ID of the entry's total row, or the own one.
    #[oai(rename = "Transaction_Reference_No")]
    pub transaction_reference_no: i64,
    #[oai(rename = "Transaction_Code")]
    pub transaction_code: i32,
    #[oai(rename = "Transaction_Description")]
    pub transaction_description: String,
    /// When it was posted.
    #[oai(rename = "Transaction_Date")]
    pub transaction_date: Timestamp,
    /// The day it counts for.
    #[oai(rename = "Effective_Date")]
    pub effective_date: Date,
    /// The day it stands in the ledger.
    #[oai(rename = "GL_Date")]
    pub gl_date: Date,
    /// Always positive; the code gives the sign.
    #[oai(rename = "Transaction_Amount")]
    pub transaction_amount: Money,
    /// The balance it moved; absent on total and memo rows.
    #[oai(rename = "Balance_Name")]
    pub balance_name: Option<BalanceName>,
    /// That balance after the row; on a total row the payoff on the Effective_Date.
    #[oai(rename = "Resulting_Balance")]
    pub resulting_balance: Option<Money>,
    #[oai(rename = "Payment_Method_Code")]
    pub payment_method_code: Option<String>,
    #[oai(rename = "Payment_Method_Reference")]
    pub payment_method_reference: Option<String>,
    #[oai(rename = "User_Reference")]
    pub user_reference: Option<String>,
    #[oai(rename = "Paid_By_Contact_ID")]
    pub paid_by_contact_id: Option<i64>,
    #[oai(rename = "Creditline_ID")]
    pub creditline_id: Option<i64>,
    #[oai(rename = "Cash_Drawer_ID")]
    pub cash_drawer_id: Option<i64>,
    #[oai(rename = "PaymentGatewayTokenID")]
    pub payment_gateway_token_id: Option<i64>,
    /// The integrator's own id, unique per loan; total row only.
    #[oai(rename = "External_ID")]
    pub external_id: Option<String>,
    #[oai(rename = "Userdef01")]
    pub userdef01: Option<String>,
    #[oai(rename = "Userdef02")]
    pub userdef02: Option<String>,
    #[oai(rename = "Userdef03")]
    pub userdef03: Option<String>,
    #[oai(rename = "Userdef04")]
    pub userdef04: Option<String>,
    #[oai(rename = "Userdef05")]
    pub userdef05: Option<String>,
    #[oai(rename = "Entered_By_User_ID")]
    pub entered_by_user_id: i64,
    #[oai(rename = "Reversed_Flag")]
    pub reversed_flag: bool,
    /// Reversal partners name each other.
    #[oai(rename = "Reversal_Transaction_ID")]
    pub reversal_transaction_id: Option<i64>,
    /// A returned payment.
    #[oai(rename = "NSF_Flag")]
    pub nsf_flag: bool,
    #[oai(rename = "NSF_Date")]
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
