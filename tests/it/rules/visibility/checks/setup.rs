//! Section 3.10: setup lists and field definitions.

use crate::rules::visibility::caller::{Caller, Operation};
use serde_json::Value;
use shared::entity::trustees::TrusteeObject;
use shared::entity::user_defined_fields::Form;

const fn loan(id: &'static str) -> Operation {
    Operation::core(id, "Setup > Loan > View")
}

const fn contact(id: &'static str) -> Operation {
    Operation::core(id, "Setup > Contact > View")
}

pub async fn check(caller: &mut Caller<'_>) {
    guarded_lists(caller).await;
    open_lists(caller).await;
    codes_and_categories(caller).await;
    fields(caller).await;
}

async fn guarded_lists(caller: &mut Caller<'_>) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let keys = rows.loan_groups.iter().map(|row| row.loan_group_id);
    let keys = keys.filter(|id| rules.admitted(TrusteeObject::LoanGroup, *id));
    let path = "/setup/loan/groups";
    caller.list(&loan("list_loan_groups"), path, true, "Loan_Group_ID", keys).await;
    let keys = rows.portfolios.iter().map(|row| row.portfolio_id);
    let keys = keys.filter(|id| rules.admitted(TrusteeObject::Portfolio, *id));
    let path = "/setup/loan/portfolios";
    caller.list(&loan("list_portfolios"), path, true, "Portfolio_ID", keys).await;
    let keys = rows.contact_types.iter().map(|row| row.contact_type_id);
    let keys = keys.filter(|id| rules.admitted(TrusteeObject::ContactType, *id));
    let path = "/setup/contact/types";
    caller.list(&contact("list_contact_types"), path, true, "Contact_Type_ID", keys).await;
}

/// Transaction codes, comment categories and privileges.
async fn codes_and_categories(caller: &mut Caller<'_>) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let keys = rows.transaction_codes.iter().map(|row| i64::from(row.transaction_code));
    let keys = keys.filter(|code| rules.admitted(TrusteeObject::TransactionCode, *code));
    let path = "/setup/transaction-codes";
    caller.list(&loan("list_transaction_codes"), path, true, "Transaction_Code", keys).await;
    let keys = rows.comment_categories.iter().map(|row| row.comment_category_id);
    let keys = keys.filter(|id| rules.admitted(TrusteeObject::CommentCategory, *id));
    let path = "/setup/comment-categories";
    let may_comment = [
        "Setup > Loan > View",
        "Setup > Contact > View",
        "Loan > Comments > Change",
        "Contact > Comments > Change",
        "Collateral > Comments > Change",
    ];
    let held = may_comment.into_iter().find(|privilege| rules.holds(privilege));
    let categories = Operation::core("list_comment_categories", held.unwrap_or(may_comment[0]));
    caller.list(&categories, path, true, "Comment_Category_ID", keys).await;
    let privileges = Operation::core("list_privileges", "Security > Privileges > View");
    let keys = rows.privileges.iter().map(|row| row.privilege_id);
    caller.list(&privileges, "/setup/privileges", true, "Privilege_ID", keys).await;
}

/// Lists that every caller who may call them sees in full.
async fn open_lists(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    let keys = rows.payment_methods.iter().map(|row| row.payment_method_id);
    let path = "/setup/loan/payment-methods";
    caller.list(&loan("list_payment_methods"), path, true, "Payment_Method_ID", keys).await;
    let keys = rows.loan_status_codes.iter().map(|row| row.status_code_id);
    let path = "/setup/loan/status-codes";
    caller.list(&loan("list_loan_status_codes"), path, true, "Status_Code_ID", keys).await;
    let keys = rows.risk_ratings.iter().map(|row| row.risk_rating_id);
    let path = "/setup/loan/risk-ratings";
    caller.list(&loan("list_risk_ratings"), path, true, "Risk_Rating_ID", keys).await;
    // "All, without any privilege, never 403."
    let plans = Operation::core("list_interest_plans", "");
    let keys = rows.interest_plans.iter().map(|row| row.interest_plan_id);
    let path = "/setup/loan/interest-plans";
    caller.list(&plans, path, true, "Interest_Plan_ID", keys).await;
    let keys = rows.entities.iter().map(|row| row.entity_code.clone());
    let path = "/setup/contact/entities";
    caller.list(&contact("list_entities"), path, true, "Entity_Code", keys).await;
    let keys = rows.relationship_codes.iter().map(|row| row.relationship_code.clone());
    let operation = contact("list_relationship_codes");
    let path = "/setup/contact/relationship-codes";
    caller.list(&operation, path, true, "Relationship_Code", keys).await;
}

/// "FieldDefinition = these, hidden ones left out."
async fn fields(caller: &mut Caller<'_>) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    for (id, form, name) in [
        ("list_transaction_entry_fields", Form::TransactionEntry, "transaction-entry"),
        ("list_batch_transaction_fields", Form::BatchTransaction, "batch-transaction"),
        ("list_participant1_fields", Form::Participant1Detail, "participant1-detail"),
        ("list_participant2_fields", Form::Participant2Detail, "participant2-detail"),
    ] {
        let path = format!("/setup/loan/fields/{name}");
        let fields = rows.user_defined_fields.iter();
        let fields = fields.filter(|field| field.form == form && rules.field(field));
        let keys = fields.map(|field| Value::from(field.field_id));
        caller.list(&loan(id), &path, true, "Field_ID", keys).await;
    }
}
