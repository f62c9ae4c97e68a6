//! Loan deletion, allowed as long as nothing but its advance has been posted to the loan.

use crate::audit::{self, AuditTarget, HasAuditTarget, HistoryOwner};
use crate::documents;
use crate::documents::comments::CommentParent;
use crate::loans::account::LoanAccount;
use crate::loans::journal::codes;
use crate::xml_import::parse::Element;
use crate::xml_import::report::Action;
use crate::xml_import::{ElementOutcome, ImportTransaction, RecordError, refuse};
use sea_orm::sea_query::{ExprTrait, Query};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use shared::entity::user_defined_fields::Form;
use shared::entity::{
    automated_payments, credit_lines, gateway_payments, loan_collaterals, loan_contacts,
    loan_interest_rates, loan_snapshots, loan_transactions, loans, payment_gateway_tokens,
    payment_method_sessions, payments_due, recurring_transactions,
};

impl ImportTransaction<'_, '_> {
    /// Deletes a loan with everything that depends on it.
    pub(super) async fn delete_loan(
        &mut self,
        element: &Element,
        loan: loans::Model,
    ) -> Result<ElementOutcome, RecordError> {
        let loan_id = loan.loan_id;
        let account = LoanAccount::lock(self.tx, loan_id).await?;
        let others = loan_transactions::Column::LoanId
            .eq(loan_id)
            .and(loan_transactions::Column::TransactionCode.ne(codes::ADVANCE.number));
        if self.exists::<loan_transactions::Entity>(others).await? {
            return Err(refuse(
                element,
                "a loan with transactions other than its advance cannot be deleted",
            ));
        }
        let forms = [Form::LoanDetail1, Form::LoanDetail2];
        if documents::are_on_fields_of(self.tx, &forms, loan_id).await? {
            return Err(refuse(element, "a loan with documents cannot be deleted"));
        }
        self.check_cards(element, loan_id).await?;
        self.remove_comments(CommentParent::Loan(loan_id)).await?;
        self.remove_values(&forms, loan_id).await?;
        self.release_collateral(loan_id).await?;
        let author = self.author.clone();
        let recorded = audit::recording(self.tx, &author, self.clock.now, async |changes| {
            let target = account.loan.audit_target();
            let target_of = |path| AuditTarget::of(HistoryOwner::Loan(loan_id), path);
            let of_loan = loan_interest_rates::Column::LoanId;
            self.remove_all(changes, &target, of_loan, loan_id).await?;
            let of_loan = loan_contacts::Column::LoanId;
            self.remove_all(changes, &target, of_loan, loan_id).await?;
            let recurring = target_of("Loan > Recurring Transactions");
            let of_loan = recurring_transactions::Column::LoanId;
            self.remove_all(changes, &recurring, of_loan, loan_id).await?;
            let automated = target_of("Loan > Automated Payments");
            let of_loan = automated_payments::Column::LoanId;
            self.remove_all(changes, &automated, of_loan, loan_id).await?;
            let lines = target_of("Loan > Credit Lines");
            self.remove_all(changes, &lines, credit_lines::Column::LoanId, loan_id).await?;
            self.delete_entries(loan_id).await?;
            loans::Entity::delete_by_id(loan_id).exec(self.tx).await?;
            Ok::<_, RecordError>(changes.add(&target, Some(&account.loan), None)?)
        });
        recorded.await?;
        let key = Some(loan.loan_number);
        Ok(ElementOutcome::one(element, Action::Deleted, key, loan_id, Vec::new()))
    }

    /// Refuses to delete a loan that has cards or card payments. Open sessions for adding a card
    /// are deleted with the loan.
    async fn check_cards(&mut self, element: &Element, loan_id: i64) -> Result<(), RecordError> {
        let cards = payment_gateway_tokens::Column::LoanId.eq(loan_id);
        if self.exists::<payment_gateway_tokens::Entity>(cards).await? {
            return Err(refuse(element, "a loan with cards, even forgotten, cannot be deleted"));
        }
        let payments = gateway_payments::Column::LoanId.eq(loan_id);
        if self.exists::<gateway_payments::Entity>(payments).await? {
            return Err(refuse(element, "a loan with card payments cannot be deleted"));
        }
        self.delete_all(payment_method_sessions::Column::LoanId, loan_id).await
    }

    /// Unlinks the collateral of a loan that is being deleted. Collateral that then secures no loan
    /// and belongs to no contact is deleted too, because no user could see it any more.
    async fn release_collateral(&mut self, loan_id: i64) -> Result<(), RecordError> {
        let links = self.caller.find::<loan_collaterals::Entity>();
        let links = links.filter(loan_collaterals::Column::LoanId.eq(loan_id)).all(self.tx).await?;
        for link in links {
            self.release(&link, |collateral| collateral.contact_id.is_none()).await?;
        }
        Ok(())
    }

    async fn delete_entries(&self, loan_id: i64) -> Result<(), RecordError> {
        self.delete_all(payments_due::Column::LoanId, loan_id).await?;
        let advances = Query::select()
            .column(loan_transactions::Column::TransactionId)
            .from(loan_transactions::Entity)
            .and_where(loan_transactions::Column::LoanId.eq(loan_id))
            .take();
        loan_snapshots::Entity::delete_many()
            .filter(loan_snapshots::Column::TransactionId.in_subquery(advances))
            .exec(self.tx)
            .await?;
        self.delete_all(loan_transactions::Column::LoanId, loan_id).await
    }
}
