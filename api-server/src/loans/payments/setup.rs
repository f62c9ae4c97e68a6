//! What the checks of payments read: setup lists, and the rows that requests refer to. For any
//! number of payments on locked loans.

use super::NewPayment;
use crate::loans::account::PAID_OFF;
use crate::loans::field_values;
use crate::loans::refusals::{LoanError, LoanRefusal};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
};
use shared::database::coalesced::padded;
use shared::entity::{
    loan_contacts, loan_status_codes, loan_transactions, loans, payment_methods,
    user_defined_fields,
};
use std::collections::{HashMap, HashSet};

/// Setup lists, and the rows that some payments refer to.
pub(super) struct Setup {
    methods: Vec<payment_methods::Model>,
    /// Read only for payoffs, because nothing else closes a loan.
    statuses: Vec<loan_status_codes::Model>,
    /// Fields of the form `transaction_entry`.
    pub(super) user_fields: Vec<user_defined_fields::Model>,
    /// Named payers who are linked to the loan: loan and contact.
    linked_payers: HashSet<(i64, i64)>,
    /// Transactions that have the External_IDs of the payments, by loan and External_ID.
    with_external_ids: HashMap<(i64, String), i64>,
}

impl Setup {
    /// Reads what payments need, each on its loan: two statements, and one more each if a payment is
    /// a payoff, names a payer, or has an External_ID.
    pub(super) async fn read(
        db: &impl ConnectionTrait,
        payments: &[(i64, &NewPayment)],
    ) -> Result<Self, DbErr> {
        let has_payoff = payments.iter().any(|(_, payment)| payment.is_payoff());
        let (methods, statuses, user_fields, linked_payers, with_external_ids) = tokio::join!(
            active_methods(db),
            statuses(db, has_payoff),
            field_values::of_transactions(db),
            linked_payers(db, payments),
            transactions_with_external_ids(db, payments),
        );
        Ok(Self {
            methods: methods?,
            statuses: statuses?,
            user_fields: user_fields?,
            linked_payers: linked_payers?,
            with_external_ids: with_external_ids?,
        })
    }

    /// Returns the active payment method with this code, or the default one.
    pub(super) fn method(&self, code: Option<&str>) -> Result<&payment_methods::Model, LoanError> {
        let method = self.methods.iter().find(|method| match code {
            Some(code) => method.payment_method_code == code,
            None => method.default_flag,
        });
        method.ok_or_else(|| match code {
            Some(code) => LoanError::unknown_code("Payment_Method_Code", code),
            None => LoanError::missing(
                "Payment_Method_Code",
                "is required: there is no active default payment method",
            ),
        })
    }

    /// Returns the contact who paid: the borrower, or a contact linked to the loan.
    pub(super) fn paid_by(
        &self,
        loan: &loans::Model,
        named: Option<i64>,
    ) -> Result<i64, LoanError> {
        let payer = named.unwrap_or(loan.contact_id);
        let is_linked = self.linked_payers.contains(&(loan.loan_id, payer));
        match is_linked || payer == loan.contact_id {
            true => Ok(payer),
            false => Err(LoanError::invalid(
                "Paid_By_Contact_ID",
                "must be the borrower or a contact linked to the loan",
            )),
        }
    }

    /// Refuses an External_ID that another transaction of the loan has.
    pub(super) fn check_external_id(
        &self,
        loan_id: i64,
        external_id: Option<&str>,
    ) -> Result<(), LoanError> {
        let key = external_id.map(|external_id| (loan_id, external_id.to_owned()));
        match key.and_then(|key| self.with_external_ids.get(&key)) {
            None => Ok(()),
            Some(id) => Err(LoanError::Refused(LoanRefusal::DuplicateExternalId(*id))),
        }
    }

    /// Returns the status of a loan that was paid off.
    pub(super) fn paid_off(&self) -> Result<&loan_status_codes::Model, LoanError> {
        let status = self.statuses.iter().find(|status| status.code == PAID_OFF);
        status.ok_or_else(|| LoanError::unknown_code("Status_Code", PAID_OFF))
    }
}

#[expect(clippy::disallowed_methods, reason = "a list that every core user may see")]
async fn active_methods(db: &impl ConnectionTrait) -> Result<Vec<payment_methods::Model>, DbErr> {
    payment_methods::Entity::find()
        .filter(payment_methods::Column::ActiveFlag.eq(true))
        .all(db)
        .await
}

#[expect(clippy::disallowed_methods, reason = "a list that every core user may see")]
async fn statuses(
    db: &impl ConnectionTrait,
    are_needed: bool,
) -> Result<Vec<loan_status_codes::Model>, DbErr> {
    match are_needed {
        true => loan_status_codes::Entity::find().all(db).await,
        false => Ok(Vec::new()),
    }
}

/// Returns those payers that these payments name who are linked to the loan: loan and contact.
#[expect(clippy::disallowed_methods, reason = "visible with the loan, which was checked before")]
async fn linked_payers(
    db: &impl ConnectionTrait,
    payments: &[(i64, &NewPayment)],
) -> Result<HashSet<(i64, i64)>, DbErr> {
    use loan_contacts::Column::{ContactId, LoanId};
    let named =
        payments.iter().filter_map(|(loan, payment)| Some((*loan, payment.paid_by_contact_id?)));
    let links = named.map(|(loan, contact)| LoanId.eq(loan).and(ContactId.eq(contact)));
    let links: Vec<Expr> = links.collect();
    let mut linked = HashSet::new();
    for links in links.chunks(ALTERNATIVES_MAX) {
        let rows = loan_contacts::Entity::find().filter(any_of(links)).select_only();
        let rows: Vec<(i64, i64)> = rows.columns([LoanId, ContactId]).into_tuple().all(db).await?;
        linked.extend(rows);
    }
    Ok(linked)
}

/// Returns the transactions that have the External_IDs of these payments, by loan and External_ID.
#[expect(clippy::disallowed_methods, reason = "the id is unique among all rows of the loan")]
async fn transactions_with_external_ids(
    db: &impl ConnectionTrait,
    payments: &[(i64, &NewPayment)],
) -> Result<HashMap<(i64, String), i64>, DbErr> {
    use loan_transactions::Column::{ExternalId, LoanId, TransactionId};
    let given = payments
        .iter()
        .filter_map(|(loan, payment)| Some((*loan, payment.external_id.as_deref()?)));
    let given = given.map(|(loan, external_id)| LoanId.eq(loan).and(ExternalId.eq(external_id)));
    let given: Vec<Expr> = given.collect();
    let mut found = HashMap::new();
    for given in given.chunks(ALTERNATIVES_MAX) {
        let rows = loan_transactions::Entity::find().filter(any_of(given));
        let rows = rows.select_only().columns([LoanId, ExternalId, TransactionId]);
        let rows: Vec<(i64, String, i64)> = rows.into_tuple().all(db).await?;
        found.extend(rows.into_iter().map(|(loan, external_id, id)| ((loan, external_id), id)));
    }
    Ok(found)
}

/// Alternatives in a condition: SQLite refuses a thousand.
const ALTERNATIVES_MAX: usize = 256;

fn any_of(alternatives: &[Expr]) -> Condition {
    padded(alternatives.to_vec()).into_iter().fold(Condition::any(), Condition::add)
}
