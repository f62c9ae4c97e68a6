//! `/setup/loan`: setup lists for loans, and the fields of entry forms.

use super::super::Group;
use crate::auth::caller::RequestContext;
use crate::http::admission::CoreUser;
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::web::Data;
use poem_openapi::OpenApi;
use sea_orm::{ColumnTrait, QueryFilter};
use shared::entity::user_defined_fields::{self, Form};
use shared::entity::{
    interest_plans, loan_groups, loan_status_codes, payment_methods, portfolios, risk_ratings,
};
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

/// `/setup/loan`
pub struct LoanSetup;

#[operations]
#[OpenApi(tag = "Group::Setup")]
impl LoanSetup {
    /// List the loan groups.
    ///
    /// Inactive rows are included; a new entry that uses one is refused. Groups whose trustees do
    /// not include the caller are left out.
    #[oai(path = "/setup/loan/groups", method = "get")]
    async fn list_loan_groups(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<loan_groups::Model>, Problem> {
        page.by_key(admitted.caller.find::<loan_groups::Entity>(), &state.reads).await
    }

    /// List the payment methods.
    ///
    /// Inactive rows are included; a new entry that uses one is refused.
    #[oai(path = "/setup/loan/payment-methods", method = "get")]
    async fn list_payment_methods(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<payment_methods::Model>, Problem> {
        page.by_key(admitted.caller.find::<payment_methods::Entity>(), &state.reads).await
    }

    /// List the portfolios.
    ///
    /// Inactive rows are included; a new entry that uses one is refused. Portfolios whose trustees
    /// do not include the caller are left out.
    #[oai(path = "/setup/loan/portfolios", method = "get")]
    async fn list_portfolios(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<portfolios::Model>, Problem> {
        page.by_key(admitted.caller.find::<portfolios::Entity>(), &state.reads).await
    }

    /// List the loan status codes.
    ///
    /// Inactive rows are included; a new entry that uses one is refused.
    #[oai(path = "/setup/loan/status-codes", method = "get")]
    async fn list_loan_status_codes(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<loan_status_codes::Model>, Problem> {
        page.by_key(admitted.caller.find::<loan_status_codes::Entity>(), &state.reads).await
    }

    /// List the risk ratings.
    ///
    /// Inactive rows are included; a new entry that uses one is refused.
    #[oai(path = "/setup/loan/risk-ratings", method = "get")]
    async fn list_risk_ratings(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<risk_ratings::Model>, Problem> {
        page.by_key(admitted.caller.find::<risk_ratings::Entity>(), &state.reads).await
    }

    /// List the interest plans.
    ///
    /// Open to every core-system user, without any privilege.
    #[oai(path = "/setup/loan/interest-plans", method = "get")]
    async fn list_interest_plans(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<interest_plans::Model>, Problem> {
        page.by_key(admitted.caller.find::<interest_plans::Entity>(), &state.reads).await
    }

    /// List the fields of the transaction entry form.
    #[oai(path = "/setup/loan/fields/transaction-entry", method = "get")]
    async fn list_transaction_entry_fields(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<user_defined_fields::Model>, Problem> {
        list_fields(&state, &admitted, Form::TransactionEntry, &page).await
    }

    /// List the fields of the batch transaction entry form.
    #[oai(path = "/setup/loan/fields/batch-transaction", method = "get")]
    async fn list_batch_transaction_fields(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<user_defined_fields::Model>, Problem> {
        list_fields(&state, &admitted, Form::BatchTransaction, &page).await
    }

    /// List the fields of a participant's first detail form.
    #[oai(path = "/setup/loan/fields/participant1-detail", method = "get")]
    async fn list_participant1_fields(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<user_defined_fields::Model>, Problem> {
        list_fields(&state, &admitted, Form::Participant1Detail, &page).await
    }

    /// List the fields of a participant's second detail form.
    #[oai(path = "/setup/loan/fields/participant2-detail", method = "get")]
    async fn list_participant2_fields(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<user_defined_fields::Model>, Problem> {
        list_fields(&state, &admitted, Form::Participant2Detail, &page).await
    }
}

/// Returns a page of a form's fields, without hidden ones.
async fn list_fields(
    state: &State,
    admitted: &RequestContext,
    form: Form,
    page: &Page,
) -> Result<List<user_defined_fields::Model>, Problem> {
    use user_defined_fields::Column::{Form as OfForm, HiddenFlag};
    let fields = admitted.caller.find::<user_defined_fields::Entity>();
    page.by_key(fields.filter(OfForm.eq(form)).filter(HiddenFlag.eq(false)), &state.reads).await
}
