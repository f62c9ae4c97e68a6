//! Example paths: for each read operation, a path with ids for which the admin account gets a
//! non-empty response.

use api_server::router::operations;
use reqwest::Method;
use sea_orm::{
    ColumnTrait, Condition, DatabaseConnection, DbErr, EntityTrait, Iterable, PrimaryKeyToColumn,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
};
use shared::entity::documents::DocumentOwner;
use shared::entity::payment_gateway_tokens::EntryType;
use shared::entity::*;

/// Returns operation ids with example paths. Operations for which the database has no data are left
/// out.
pub async fn examples(db: &DatabaseConnection) -> Result<Vec<(&'static str, String)>, DbErr> {
    let mut finder = Finder { db, paths: Vec::new() };
    finder.loans().await?;
    finder.collateral().await?;
    finder.comments().await?;
    finder.contacts().await?;
    finder.documents().await?;
    finder.gateway().await?;
    finder.drawers_and_users().await?;
    let reads = operations().all().filter(|operation| operation.method == Method::GET);
    let without_id = reads.filter(|operation| !operation.path.contains('{'));
    finder.paths.extend(without_id.map(|operation| (operation.id, operation.path.clone())));
    Ok(finder.paths)
}

struct Finder<'a> {
    db: &'a DatabaseConnection,
    paths: Vec<(&'static str, String)>,
}

impl Finder<'_> {
    /// Fills this column of the first row into the paths of these operations.
    async fn fill<E: EntityTrait>(
        &mut self,
        rows: Select<E>,
        column: E::Column,
        ids: &[&'static str],
    ) -> Result<(), DbErr> {
        let mut first = rows.select_only().column(column);
        for key in E::PrimaryKey::iter() {
            first = first.order_by_asc(key.into_column());
        }
        let id: Option<i64> = first.into_tuple().one(self.db).await?;
        if let Some(id) = id {
            self.paths.extend(ids.iter().map(|operation| (*operation, path(operation, id))));
        }
        Ok(())
    }

    /// Loans, their transactions, payments and credit lines.
    async fn loans(&mut self) -> Result<(), DbErr> {
        use loan_transactions::Column as T;
        self.fill(loans::Entity::find(), loans::Column::LoanId, &["get_loan"]).await?;
        self.fill(loan_transactions::Entity::find(), T::LoanId, &["list_transactions"]).await?;
        let recurring = recurring_transactions::Entity::find();
        self.fill(
            recurring,
            recurring_transactions::Column::LoanId,
            &["list_recurring_transactions"],
        )
        .await?;
        let automated = automated_payments::Entity::find();
        self.fill(automated, automated_payments::Column::RowId, &["get_automated_payment"]).await?;
        use field_changes::Column::LoanId;
        let changes = field_changes::Entity::find().filter(LoanId.is_not_null());
        self.fill(changes, LoanId, &["list_loan_field_history"]).await?;
        self.fill(
            credit_lines::Entity::find(),
            credit_lines::Column::LoanId,
            &["list_credit_lines"],
        )
        .await?;
        let draws = loan_transactions::Entity::find().filter(T::CreditlineId.is_not_null());
        self.fill(draws, T::CreditlineId, &["get_credit_used", "list_draws"]).await
    }

    /// Collateral and its details.
    async fn collateral(&mut self) -> Result<(), DbErr> {
        let links = loan_collaterals::Entity::find();
        self.fill(links, loan_collaterals::Column::LoanId, &["list_loan_collateral"]).await?;
        let all = collaterals::Entity::find();
        self.fill(all, collaterals::Column::CollateralId, &["get_collateral"]).await?;
        let all = collateral_vehicles::Entity::find();
        self.fill(all, collateral_vehicles::Column::CollateralId, &["get_collateral_vehicle"])
            .await?;
        let all = collateral_locations::Entity::find();
        self.fill(all, collateral_locations::Column::CollateralId, &["get_collateral_location"])
            .await?;
        use collateral_insurance_policies as policies;
        let all = policies::Entity::find();
        self.fill(all, policies::Column::CollateralId, &["list_collateral_insurance"]).await?;
        let all = collateral_taxes::Entity::find();
        self.fill(all, collateral_taxes::Column::CollateralId, &["list_collateral_taxes"]).await?;
        let all = collateral_descriptions::Entity::find();
        self.fill(
            all,
            collateral_descriptions::Column::CollateralId,
            &["get_collateral_description"],
        )
        .await
    }

    /// Comments.
    async fn comments(&mut self) -> Result<(), DbErr> {
        use comments::Column::{CollateralId, CommentId, ContactId, LoanId};
        for (owner, operation) in [
            (LoanId, "get_loan_comment"),
            (ContactId, "get_contact_comment"),
            (CollateralId, "get_collateral_comment"),
        ] {
            let comments = comments::Entity::find().filter(owner.is_not_null());
            self.fill(comments, CommentId, &[operation]).await?;
        }
        Ok(())
    }

    /// Contacts, their history and credit profiles.
    async fn contacts(&mut self) -> Result<(), DbErr> {
        self.fill(
            contacts::Entity::find(),
            contacts::Column::ContactId,
            &["get_contact", "list_contact_detail"],
        )
        .await?;
        use field_changes::Column::ContactId;
        let changes = field_changes::Entity::find().filter(ContactId.is_not_null());
        self.fill(changes, ContactId, &["list_contact_field_history"]).await?;
        let profiles = credit_profiles::Entity::find();
        self.fill(profiles, credit_profiles::Column::ReportId, &["get_credit_profile"]).await
    }

    /// Documents and their files.
    async fn documents(&mut self) -> Result<(), DbErr> {
        use DocumentOwner as O;
        use documents::Column::{DocumentId, FieldName, OwnerId, OwnerType};
        for (owner, operation) in [
            (O::LoanComment, "list_loan_comment_documents"),
            (O::ContactComment, "list_contact_comment_documents"),
            (O::CollateralComment, "list_collateral_comment_documents"),
            (O::LoanDetail1, "list_loan_detail1_documents"),
            (O::LoanDetail2, "list_loan_detail2_documents"),
            (O::ContactDemographics, "list_contact_demographics_documents"),
            (O::ContactDetail, "list_contact_detail_documents"),
            (O::ContactFinancials, "list_contact_financials_documents"),
        ] {
            let first: Option<(i64, Option<String>)> = documents::Entity::find()
                .select_only()
                .columns([OwnerId, FieldName])
                .filter(OwnerType.eq(owner))
                .order_by_asc(DocumentId)
                .into_tuple()
                .one(self.db)
                .await?;
            if let Some((owner_id, field)) = first {
                let path = path(operation, owner_id);
                let path = path.replace("{field}", &field.unwrap_or_default());
                self.paths.push((operation, path));
            }
        }
        let field_documents = documents::Entity::find().filter(FieldName.is_not_null());
        self.fill(field_documents, DocumentId, &["get_document", "list_document_files"]).await?;
        let files = document_files::Entity::find();
        self.fill(files, document_files::Column::FileId, &["download_file"]).await
    }

    /// Cards and fees of the payment gateway.
    async fn gateway(&mut self) -> Result<(), DbErr> {
        use payment_gateway_tokens::Column as T;
        // Other cards are not listed.
        let listed = Condition::all()
            .add(T::EntryType.eq(EntryType::Wallet))
            .add(T::ForgetFlag.eq(false))
            .add(T::UsedCount.gt(0));
        let cards = payment_gateway_tokens::Entity::find().filter(listed);
        self.fill(cards.clone(), T::LoanId, &["list_cards"]).await?;
        self.fill(cards, T::PaymentGatewayTokenId, &["get_card"]).await?;
        let groups = loan_groups::Entity::find()
            .select_only()
            .column(loan_groups::Column::LoanGroupId)
            .filter(loan_groups::Column::PaymentGatewayFlag.eq(true))
            .into_query();
        let payable = loans::Entity::find().filter(loans::Column::LoanGroupId.in_subquery(groups));
        let ids = ["get_convenience_fee", "get_add_payment_method_url"];
        self.fill(payable, loans::Column::LoanId, &ids).await
    }

    /// Cash drawers and users' privileges.
    async fn drawers_and_users(&mut self) -> Result<(), DbErr> {
        self.fill(cash_drawers::Entity::find(), cash_drawers::Column::DrawerId, &["get_drawer"])
            .await?;
        use cash_drawer_sessions::Column::{DrawerId, EndedDate};
        let open = cash_drawer_sessions::Entity::find().filter(EndedDate.is_null());
        self.fill(open, DrawerId, &["list_drawer_active_users"]).await?;
        let assigned = cash_drawer_assignments::Entity::find();
        self.fill(
            assigned,
            cash_drawer_assignments::Column::DrawerId,
            &["list_drawer_assigned_users"],
        )
        .await?;
        let counts = cash_drawer_reconciliations::Entity::find();
        self.fill(counts, cash_drawer_reconciliations::Column::DrawerId, &["list_reconciliations"])
            .await?;
        let entries = cash_drawer_transactions::Entity::find();
        self.fill(
            entries,
            cash_drawer_transactions::Column::DrawerId,
            &["list_drawer_transactions"],
        )
        .await?;
        use privilege_grants::Column::UserId;
        let granted = privilege_grants::Entity::find().filter(UserId.is_not_null());
        self.fill(granted, UserId, &["list_user_privileges"]).await
    }
}

/// The path of an operation with this id as its first parameter.
fn path(operation: &str, id: i64) -> String {
    let template = operations().by_id(operation).map_or("", |found| found.path.as_str());
    let (before, rest) = template.split_once('{').unwrap_or((template, ""));
    let (_, after) = rest.split_once('}').unwrap_or_default();
    // The fee depends on an amount.
    let query = if operation == "get_convenience_fee" { "?amount=100.00" } else { "" };
    format!("{before}{id}{after}{query}")
}
