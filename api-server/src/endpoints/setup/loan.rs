//! `/setup/loan`: setup lists for loans, and the fields of entry forms.

use super::super::Group;
use super::setup_lists;
use crate::http::admission::CoreUser;
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::web::Data;
use poem_openapi::OpenApi;
use sea_orm::{ColumnTrait, Condition, QueryFilter};
use shared::entity::user_defined_fields::{self, Form};
use shared::entity::{
    interest_plans, loan_groups, loan_status_codes, payment_methods, portfolios, risk_ratings,
};
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

pub struct LoanSetup;

setup_lists! {
    LoanSetup:
    /// List the loan groups.
    ///
    /// Inactive rows are included; a new entry that uses one is refused. Groups whose trustees do
    /// not include the caller are left out.
    path = "/setup/loan/groups", list_loan_groups of loan_groups;

    /// List the payment methods.
    ///
    /// Inactive rows are included; a new entry that uses one is refused.
    path = "/setup/loan/payment-methods", list_payment_methods of payment_methods;

    /// List the portfolios.
    ///
    /// Inactive rows are included; a new entry that uses one is refused. Portfolios whose trustees
    /// do not include the caller are left out.
    path = "/setup/loan/portfolios", list_portfolios of portfolios;

    /// List the loan status codes.
    ///
    /// Inactive rows are included; a new entry that uses one is refused.
    path = "/setup/loan/status-codes", list_loan_status_codes of loan_status_codes;

    /// List the risk ratings.
    ///
    /// Inactive rows are included; a new entry that uses one is refused.
    path = "/setup/loan/risk-ratings", list_risk_ratings of risk_ratings;

    /// List the interest plans.
    ///
    /// Open to every core-system user, without any privilege.
    path = "/setup/loan/interest-plans", list_interest_plans of interest_plans;

    /// List the fields of the transaction entry form.
    path = "/setup/loan/fields/transaction-entry",
    list_transaction_entry_fields of user_defined_fields where shown_on(Form::TransactionEntry);

    /// List the fields of the batch transaction entry form.
    path = "/setup/loan/fields/batch-transaction",
    list_batch_transaction_fields of user_defined_fields where shown_on(Form::BatchTransaction);

    /// List the fields of a participant's first detail form.
    path = "/setup/loan/fields/participant1-detail",
    list_participant1_fields of user_defined_fields where shown_on(Form::Participant1Detail);

    /// List the fields of a participant's second detail form.
    path = "/setup/loan/fields/participant2-detail",
    list_participant2_fields of user_defined_fields where shown_on(Form::Participant2Detail);
}

/// Condition: the field is on this form and not hidden.
fn shown_on(form: Form) -> Condition {
    use user_defined_fields::Column::{Form as OfForm, HiddenFlag};
    Condition::all().add(OfForm.eq(form)).add(HiddenFlag.eq(false))
}
