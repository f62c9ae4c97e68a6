//! For each operation that reads, a path with ids filled in for which the admin account gets an
//! answer with something in it.

use sea_orm::{
    ColumnTrait, Condition, DatabaseConnection, DbErr, EntityTrait, Iterable, PrimaryKeyToColumn,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
};
use shared::entity::documents::DocumentOwner;
use shared::entity::payment_gateway_tokens::EntryType;
use shared::entity::*;

/// The id of an operation, and its path. `{}` stands for the id that is looked up.
type Operation = (&'static str, &'static str);

/// Operations that need no id.
const WITHOUT_ID: [Operation; 20] = [
    ("list_drawers", "/cash-drawers"),
    ("list_users", "/users"),
    ("list_contact_officers", "/users/contact-officers"),
    ("list_loan_officers", "/users/loan-officers"),
    ("list_collection_officers", "/users/collection-officers"),
    ("get_ach_batch_status", "/status/ach-batch"),
    ("get_batch_accrual_status", "/status/batch-accrual"),
    ("list_loan_groups", "/setup/loan/groups"),
    ("list_payment_methods", "/setup/loan/payment-methods"),
    ("list_portfolios", "/setup/loan/portfolios"),
    ("list_loan_status_codes", "/setup/loan/status-codes"),
    ("list_risk_ratings", "/setup/loan/risk-ratings"),
    ("list_interest_plans", "/setup/loan/interest-plans"),
    ("list_transaction_entry_fields", "/setup/loan/fields/transaction-entry"),
    ("list_batch_transaction_fields", "/setup/loan/fields/batch-transaction"),
    ("list_participant1_fields", "/setup/loan/fields/participant1-detail"),
    ("list_participant2_fields", "/setup/loan/fields/participant2-detail"),
    ("list_entities", "/setup/contact/entities"),
    ("list_relationship_codes", "/setup/contact/relationship-codes"),
    ("list_contact_types", "/setup/contact/types"),
];

/// Operation ids with example paths. Operations for which the database has nothing are left out.
pub async fn examples(db: &DatabaseConnection) -> Result<Vec<(&'static str, String)>, DbErr> {
    let mut finder = Finder { db, found: Vec::new() };
    finder.loans().await?;
    finder.collateral().await?;
    finder.comments().await?;
    finder.contacts().await?;
    finder.documents().await?;
    finder.gateway().await?;
    finder.drawers_and_users().await?;
    finder.found.extend(WITHOUT_ID.map(|(operation, path)| (operation, path.to_owned())));
    Ok(finder.found)
}

struct Finder<'a> {
    db: &'a DatabaseConnection,
    found: Vec<(&'static str, String)>,
}

impl Finder<'_> {
    /// Fills this column of the first such row into the paths.
    async fn fill<E: EntityTrait>(
        &mut self,
        rows: Select<E>,
        column: E::Column,
        operations: &[Operation],
    ) -> Result<(), DbErr> {
        let mut first = rows.select_only().column(column);
        for key in E::PrimaryKey::iter() {
            first = first.order_by_asc(key.into_column());
        }
        let id: Option<i64> = first.into_tuple().one(self.db).await?;
        if let Some(id) = id {
            let path = |path: &str| path.replace("{}", &id.to_string());
            self.found.extend(operations.iter().map(|(operation, text)| (*operation, path(text))));
        }
        Ok(())
    }

    /// 3.1
    async fn loans(&mut self) -> Result<(), DbErr> {
        use loan_transactions::Column as T;
        self.fill(loans::Entity::find(), loans::Column::LoanId, &[("get_loan", "/loans/{}")])
            .await?;
        let list = [("list_transactions", "/loans/{}/transactions")];
        self.fill(loan_transactions::Entity::find(), T::LoanId, &list).await?;
        let list = [("list_recurring_transactions", "/loans/{}/recurring-transactions")];
        let recurring = recurring_transactions::Entity::find();
        self.fill(recurring, recurring_transactions::Column::LoanId, &list).await?;
        let one = [("get_automated_payment", "/loans/automated-payments/{}")];
        let automated = automated_payments::Entity::find();
        self.fill(automated, automated_payments::Column::RowId, &one).await?;
        use field_changes::Column::LoanId;
        let list = [("list_loan_field_history", "/loans/{}/field-history")];
        let changes = field_changes::Entity::find().filter(LoanId.is_not_null());
        self.fill(changes, LoanId, &list).await?;
        let list = [("list_credit_lines", "/loans/{}/credit-lines")];
        self.fill(credit_lines::Entity::find(), credit_lines::Column::LoanId, &list).await?;
        let line = [
            ("get_credit_used", "/loans/credit-lines/{}/credit-used"),
            ("list_draws", "/loans/credit-lines/{}/draws"),
        ];
        let draws = loan_transactions::Entity::find().filter(T::CreditlineId.is_not_null());
        self.fill(draws, T::CreditlineId, &line).await
    }

    /// 3.2
    async fn collateral(&mut self) -> Result<(), DbErr> {
        let list = [("list_loan_collateral", "/loans/{}/collateral")];
        let links = loan_collaterals::Entity::find();
        self.fill(links, loan_collaterals::Column::LoanId, &list).await?;
        let one = [("get_collateral", "/loans/collateral/{}")];
        let all = collaterals::Entity::find();
        self.fill(all, collaterals::Column::CollateralId, &one).await?;
        let one = [("get_collateral_vehicle", "/loans/collateral/{}/vehicle")];
        let all = collateral_vehicles::Entity::find();
        self.fill(all, collateral_vehicles::Column::CollateralId, &one).await?;
        let one = [("get_collateral_location", "/loans/collateral/{}/location")];
        let all = collateral_locations::Entity::find();
        self.fill(all, collateral_locations::Column::CollateralId, &one).await?;
        use collateral_insurance_policies as policies;
        let list = [("list_collateral_insurance", "/loans/collateral/{}/insurance")];
        let all = policies::Entity::find();
        self.fill(all, policies::Column::CollateralId, &list).await?;
        let list = [("list_collateral_taxes", "/loans/collateral/{}/taxes")];
        let all = collateral_taxes::Entity::find();
        self.fill(all, collateral_taxes::Column::CollateralId, &list).await?;
        let one = [("get_collateral_description", "/loans/collateral/{}/description")];
        let all = collateral_descriptions::Entity::find();
        self.fill(all, collateral_descriptions::Column::CollateralId, &one).await
    }

    /// 3.3
    async fn comments(&mut self) -> Result<(), DbErr> {
        use comments::Column::{CollateralId, CommentId, ContactId, LoanId};
        for (owner, operation) in [
            (LoanId, ("get_loan_comment", "/loans/comments/{}")),
            (ContactId, ("get_contact_comment", "/contacts/comments/{}")),
            (CollateralId, ("get_collateral_comment", "/loans/collateral/comments/{}")),
        ] {
            let comments = comments::Entity::find().filter(owner.is_not_null());
            self.fill(comments, CommentId, &[operation]).await?;
        }
        Ok(())
    }

    /// 3.4
    async fn contacts(&mut self) -> Result<(), DbErr> {
        let one = [("get_contact", "/contacts/{}"), ("list_contact_detail", "/contacts/{}/detail")];
        self.fill(contacts::Entity::find(), contacts::Column::ContactId, &one).await?;
        use field_changes::Column::ContactId;
        let list = [("list_contact_field_history", "/contacts/{}/field-history")];
        let changes = field_changes::Entity::find().filter(ContactId.is_not_null());
        self.fill(changes, ContactId, &list).await?;
        let one = [("get_credit_profile", "/contacts/credit-profiles/{}")];
        let profiles = credit_profiles::Entity::find();
        self.fill(profiles, credit_profiles::Column::ReportId, &one).await
    }

    /// 3.5 and 3.6
    async fn documents(&mut self) -> Result<(), DbErr> {
        use DocumentOwner as O;
        use documents::Column::{DocumentId, FieldName, OwnerId, OwnerType};
        for (owner, operation, path) in [
            (O::LoanComment, "list_loan_comment_documents", "/loans/comments/{}/documents"),
            (
                O::ContactComment,
                "list_contact_comment_documents",
                "/contacts/comments/{}/documents",
            ),
            (
                O::CollateralComment,
                "list_collateral_comment_documents",
                "/loans/collateral/comments/{}/documents",
            ),
            (O::LoanDetail1, "list_loan_detail1_documents", "/loans/{}/detail1/{field}/documents"),
            (O::LoanDetail2, "list_loan_detail2_documents", "/loans/{}/detail2/{field}/documents"),
            (
                O::ContactDemographics,
                "list_contact_demographics_documents",
                "/contacts/{}/demographics/{field}/documents",
            ),
            (
                O::ContactDetail,
                "list_contact_detail_documents",
                "/contacts/{}/detail/{field}/documents",
            ),
            (
                O::ContactFinancials,
                "list_contact_financials_documents",
                "/contacts/{}/financials/{field}/documents",
            ),
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
                let path = path.replace("{}", &owner_id.to_string());
                let path = path.replace("{field}", &field.unwrap_or_default());
                self.found.push((operation, path));
            }
        }
        let one = [
            ("get_document", "/user-defined-fields/documents/{}"),
            ("list_document_files", "/user-defined-fields/documents/{}/files"),
        ];
        let of_fields = documents::Entity::find().filter(FieldName.is_not_null());
        self.fill(of_fields, DocumentId, &one).await?;
        let files = document_files::Entity::find();
        self.fill(files, document_files::Column::FileId, &[("download_file", "/files/{}")]).await
    }

    /// 3.7
    async fn gateway(&mut self) -> Result<(), DbErr> {
        use payment_gateway_tokens::Column as T;
        // Others are not listed.
        let listed = Condition::all()
            .add(T::EntryType.eq(EntryType::Wallet))
            .add(T::ForgetFlag.eq(false))
            .add(T::UsedCount.gt(0));
        let cards = payment_gateway_tokens::Entity::find().filter(listed);
        let list = [("list_cards", "/loans/{}/payment-gateway/credit-cards")];
        self.fill(cards.clone(), T::LoanId, &list).await?;
        let one = [("get_card", "/loans/payment-gateway/credit-cards/{}")];
        self.fill(cards, T::PaymentGatewayTokenId, &one).await?;
        let groups = loan_groups::Entity::find()
            .select_only()
            .column(loan_groups::Column::LoanGroupId)
            .filter(loan_groups::Column::PaymentGatewayFlag.eq(true))
            .into_query();
        let payable = loans::Entity::find().filter(loans::Column::LoanGroupId.in_subquery(groups));
        let fee = "/loans/{}/payment-gateway/convenience-fee?amount=100.00";
        let page = "/loans/{}/payment-gateway/add-payment-method-url";
        let paths = [("get_convenience_fee", fee), ("get_add_payment_method_url", page)];
        self.fill(payable, loans::Column::LoanId, &paths).await
    }

    /// 3.8 and 3.9
    async fn drawers_and_users(&mut self) -> Result<(), DbErr> {
        let one = [("get_drawer", "/cash-drawers/{}")];
        self.fill(cash_drawers::Entity::find(), cash_drawers::Column::DrawerId, &one).await?;
        use cash_drawer_sessions::Column::{DrawerId, EndedDate};
        let list = [("list_drawer_active_users", "/cash-drawers/{}/active-users")];
        let open = cash_drawer_sessions::Entity::find().filter(EndedDate.is_null());
        self.fill(open, DrawerId, &list).await?;
        let list = [("list_drawer_assigned_users", "/cash-drawers/{}/assigned-users")];
        let assigned = cash_drawer_assignments::Entity::find();
        self.fill(assigned, cash_drawer_assignments::Column::DrawerId, &list).await?;
        let list = [("list_reconciliations", "/cash-drawers/{}/reconciliations")];
        let counts = cash_drawer_reconciliations::Entity::find();
        self.fill(counts, cash_drawer_reconciliations::Column::DrawerId, &list).await?;
        let list = [("list_drawer_transactions", "/cash-drawers/{}/transactions")];
        let entries = cash_drawer_transactions::Entity::find();
        self.fill(entries, cash_drawer_transactions::Column::DrawerId, &list).await?;
        use privilege_grants::Column::UserId;
        let list = [("list_user_privileges", "/users/{}/privileges")];
        let granted = privilege_grants::Entity::find().filter(UserId.is_not_null());
        self.fill(granted, UserId, &list).await
    }
}
