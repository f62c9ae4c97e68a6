//! Example paths: for each read operation, a path with ids for which the admin account gets a
//! non-empty response.

use api_server::router::operations;
use chrono::NaiveDate;
use reqwest::Method;
use sea_orm::sea_query::{IntoCondition, SelectStatement};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, Iterable,
    PrimaryKeyToColumn, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};
use shared::entity::documents::DocumentOwner;
use shared::entity::payment_gateway_tokens::EntryType;
use shared::entity::*;

/// Returns operation ids with example paths. Operations for which the database has no data are left
/// out.
pub async fn examples(db: &DatabaseConnection) -> Result<Vec<(&'static str, String)>, DbErr> {
    let mut paths = Vec::new();
    let first_rows = [loans_and_collateral(), comments_and_contacts(), documents(), others()];
    for (operation, first_row) in first_rows.into_iter().flatten() {
        if let Some(row) = db.query_one(&first_row).await? {
            let id = row.try_get_by_index(0)?;
            // Only documents on fields have one.
            let field = row.try_get("", "field_name").unwrap_or_default();
            let query = query(operation, row.try_get("", "effective_date").ok());
            paths.push((operation, path(operation, id, field) + &query));
        }
    }
    let reads = operations().all().filter(|operation| operation.method == Method::GET);
    let without_id = reads.filter(|operation| !operation.path.contains('{'));
    paths.extend(without_id.map(|operation| (operation.id, operation.path.clone())));
    Ok(paths)
}

/// An operation, and the query for the id in its path.
type Example = (&'static str, SelectStatement);

fn loans_and_collateral() -> Vec<Example> {
    use collateral_insurance_policies as policies;
    use loan_transactions::Column::{CreditlineId, EffectiveDate, LoanId as TransactionLoanId};
    use loans::Column::LoanId;
    vec![
        ("get_loan", first(LoanId)),
        ("list_payments_due", first(payments_due::Column::LoanId)),
        ("get_payoff_quote", first(LoanId)),
        ("get_loan_schedule", first(payments_due::Column::LoanId)),
        ("get_loan_balances", first(TransactionLoanId).column(EffectiveDate).to_owned()),
        ("list_transactions", first(TransactionLoanId)),
        ("list_recurring_transactions", first(recurring_transactions::Column::LoanId)),
        ("list_automated_payments", by_card(automated_payments::Column::LoanId)),
        ("list_loan_contacts", first(loan_contacts::Column::LoanId)),
        ("get_automated_payment", by_card(automated_payments::Column::RowId)),
        ("list_loan_field_history", first(field_changes::Column::LoanId)),
        ("list_credit_lines", first(credit_lines::Column::LoanId)),
        ("get_credit_used", first(CreditlineId)),
        ("list_draws", first(CreditlineId)),
        ("list_loan_collateral", first(loan_collaterals::Column::LoanId)),
        ("get_collateral", first(collaterals::Column::CollateralId)),
        ("get_collateral_vehicle", first(collateral_vehicles::Column::CollateralId)),
        ("get_collateral_location", first(collateral_locations::Column::CollateralId)),
        ("list_collateral_insurance", first(policies::Column::CollateralId)),
        ("list_collateral_taxes", first(collateral_taxes::Column::CollateralId)),
        ("get_collateral_description", first(collateral_descriptions::Column::CollateralId)),
    ]
}

fn comments_and_contacts() -> Vec<Example> {
    use comments::Column::{CollateralId, CommentId, ContactId, LoanId};
    vec![
        ("get_loan_comment", first_where(CommentId, LoanId.is_not_null())),
        ("get_contact_comment", first_where(CommentId, ContactId.is_not_null())),
        ("get_collateral_comment", first_where(CommentId, CollateralId.is_not_null())),
        ("list_loan_comments", first(LoanId)),
        ("list_contact_comments", first(ContactId)),
        ("list_collateral_comments", first(CollateralId)),
        ("list_contact_loans", first(loans::Column::ContactId)),
        ("list_credit_profiles", first(credit_profiles::Column::ContactId)),
        ("get_contact", first(contacts::Column::ContactId)),
        ("list_contact_detail", first(contacts::Column::ContactId)),
        ("list_contact_field_history", first(field_changes::Column::ContactId)),
        ("get_credit_profile", first(credit_profiles::Column::ReportId)),
    ]
}

fn documents() -> Vec<Example> {
    use DocumentOwner as O;
    use documents::Column::{DocumentId, FieldName, OwnerId, OwnerType};
    let of_owner = |owner: DocumentOwner| {
        first_where(OwnerId, OwnerType.eq(owner)).column(FieldName).to_owned()
    };
    let on_field = first_where(DocumentId, FieldName.is_not_null());
    vec![
        ("list_loan_comment_documents", of_owner(O::LoanComment)),
        ("list_contact_comment_documents", of_owner(O::ContactComment)),
        ("list_collateral_comment_documents", of_owner(O::CollateralComment)),
        ("list_loan_detail1_documents", of_owner(O::LoanDetail1)),
        ("list_loan_detail2_documents", of_owner(O::LoanDetail2)),
        ("list_contact_demographics_documents", of_owner(O::ContactDemographics)),
        ("list_contact_detail_documents", of_owner(O::ContactDetail)),
        ("list_contact_financials_documents", of_owner(O::ContactFinancials)),
        ("get_document", on_field.clone()),
        ("list_document_files", on_field),
        ("download_file", first(document_files::Column::FileId)),
    ]
}

/// Cards and fees, cash drawers, users' privileges.
fn others() -> Vec<Example> {
    use cash_drawer_sessions::Column::{DrawerId, EndedDate};
    use loan_groups::Column::{LoanGroupId, PaymentGatewayFlag};
    use payment_gateway_tokens::Column as T;
    // Other cards are not listed.
    let listed = Condition::all()
        .add(T::EntryType.eq(EntryType::Wallet))
        .add(T::ForgetFlag.eq(false))
        .add(T::UsedCount.gt(0));
    let groups = loan_groups::Entity::find().select_only().column(LoanGroupId);
    let groups = groups.filter(PaymentGatewayFlag.eq(true)).into_query();
    let payable =
        first_where(loans::Column::LoanId, loans::Column::LoanGroupId.in_subquery(groups));
    vec![
        ("list_cards", first_where(T::LoanId, listed.clone())),
        ("get_card", first_where(T::PaymentGatewayTokenId, listed)),
        ("list_card_payments", first(gateway_payments::Column::LoanId)),
        ("get_convenience_fee", payable.clone()),
        ("get_add_payment_method_url", payable),
        ("get_drawer", first(cash_drawers::Column::DrawerId)),
        ("list_drawer_active_users", first_where(DrawerId, EndedDate.is_null())),
        ("list_drawer_assigned_users", first(cash_drawer_assignments::Column::DrawerId)),
        ("list_reconciliations", first(cash_drawer_reconciliations::Column::DrawerId)),
        ("list_drawer_transactions", first(cash_drawer_transactions::Column::DrawerId)),
        ("list_user_privileges", first(privilege_grants::Column::UserId)),
    ]
}

/// Selects a column of the first automated payment by card, which has a gateway token.
fn by_card(column: automated_payments::Column) -> SelectStatement {
    first_where(column, automated_payments::Column::PaymentGatewayTokenId.is_not_null())
}

/// Selects a column of the first row that has a value in it.
fn first<C>(column: C) -> SelectStatement
where
    C: ColumnTrait,
    C::EntityName: EntityTrait<Column = C>,
{
    first_where(column, column.is_not_null())
}

/// Selects a column of the first row that meets a condition.
fn first_where<C>(column: C, condition: impl IntoCondition) -> SelectStatement
where
    C: ColumnTrait,
    C::EntityName: EntityTrait<Column = C>,
{
    let mut rows = C::EntityName::find().select_only().column(column).filter(condition).limit(1);
    for key in <C::EntityName as EntityTrait>::PrimaryKey::iter() {
        rows = rows.order_by_asc(key.into_column());
    }
    rows.into_query()
}

/// The path of an operation with this id as its first parameter.
fn path(operation: &str, id: i64, field: Option<String>) -> String {
    let template = operations().by_id(operation).map_or("", |found| found.path.as_str());
    let (before, rest) = template.split_once('{').unwrap_or((template, ""));
    let (_, after) = rest.split_once('}').unwrap_or_default();
    let after = after.replace("{field}", &field.unwrap_or_default());
    format!("{before}{id}{after}")
}

/// The query of an operation; `date` is that of the row in its path, if it has one.
fn query(operation: &str, date: Option<NaiveDate>) -> String {
    match (operation, date) {
        // The fee depends on an amount.
        ("get_convenience_fee", _) => "?amount=100.00".to_owned(),
        ("get_loan_schedule", _) => "?limit=2".to_owned(),
        ("get_loan_balances", Some(date)) => format!("?date={date}"),
        _ => String::new(),
    }
}
