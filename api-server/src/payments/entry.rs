//! The rows a payment leaves: the total row, one row per balance it touched, and which of them paid
//! how much of which due row.

use super::{Order, PAYMENT_TOTAL};
use crate::history::Author;
use crate::loan_book::Book;
use crate::servicing::allocation::Parts;
use crate::servicing::payment::Posting;
use chrono::NaiveDate;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, NotSet, QueryFilter, QuerySelect,
};
use shared::amounts::Money;
use shared::entity::loan_transactions::{self, BalanceName};
use shared::entity::{payment_allocations, payments_due};
use shared::problem::{Problem, ProblemType};
use shared::time::Clock;
use std::collections::HashMap;

const PRINCIPAL_PAYMENT: i32 = 122;
const INTEREST_PAYMENT: i32 = 124;

/// The rows of one payment.
pub(super) struct Entry<'a> {
    pub(super) book: &'a Book,
    pub(super) order: &'a Order,
    pub(super) posting: &'a Posting,
    pub(super) effective_date: NaiveDate,
    pub(super) clock: Clock,
}

/// A row of an entry beside its total: code, description, balance, amount, balance after.
type Line = (i32, &'static str, BalanceName, Money, Money);

impl Entry<'_> {
    /// Writes the total row and one row per balance; gives back the entry's reference number.
    pub(super) async fn write(
        &self,
        tx: &DatabaseTransaction,
        author: &Author,
        payment_method_code: String,
        paid_by: i64,
    ) -> Result<i64, Problem> {
        let entered_by = author.user_id();
        let entered_by = entered_by.ok_or_else(|| Problem::new(ProblemType::CoreUserOnly))?;
        let row = loan_transactions::ActiveModel {
            transaction_id: NotSet,
            loan_id: Set(self.book.loan.loan_id),
            transaction_reference_no: Set(0),
            transaction_code: Set(PAYMENT_TOTAL),
            transaction_description: Set("Payment total".to_owned()),
            transaction_date: Set(self.clock.now),
            effective_date: Set(self.effective_date),
            gl_date: Set(self.clock.today),
            transaction_amount: Set(self.order.amount),
            balance_name: Set(None),
            resulting_balance: Set(Some(self.posting.payoff_after)),
            payment_method_code: Set(Some(payment_method_code)),
            payment_method_reference: Set(self.order.payment_method_reference.clone()),
            user_reference: Set(self.order.user_reference.clone()),
            paid_by_contact_id: Set(Some(paid_by)),
            entered_by_user_id: Set(entered_by),
            reversed_flag: Set(false),
            nsf_flag: Set(false),
            ..Default::default()
        };
        let mut total = row.clone();
        total.external_id = Set(self.order.external_id.clone());
        let inserted = loan_transactions::Entity::insert(total).exec(tx).await?;
        let reference = inserted.last_insert_id;
        loan_transactions::Entity::update_many()
            .col_expr(loan_transactions::Column::TransactionReferenceNo, Expr::value(reference))
            .filter(loan_transactions::Column::TransactionId.eq(reference))
            .exec(tx)
            .await?;
        let lines = self.lines()?.into_iter().map(|(code, text, balance, amount, after)| {
            loan_transactions::ActiveModel {
                transaction_reference_no: Set(reference),
                transaction_code: Set(code),
                transaction_description: Set(text.to_owned()),
                transaction_amount: Set(amount),
                balance_name: Set(Some(balance)),
                resulting_balance: Set(Some(after)),
                ..row.clone()
            }
        });
        let lines: Vec<_> = lines.collect();
        if !lines.is_empty() {
            loan_transactions::Entity::insert_many(lines).exec_without_returning(tx).await?;
        }
        Ok(reference)
    }

    /// One line per balance with a part, in the order in which the balances move.
    fn lines(&self) -> Result<Vec<Line>, Problem> {
        let Posting { parts, after, .. } = self.posting;
        let Parts { principal, interest, late_charges, fees, impound, suspense, suspense_applied } =
            *parts;
        let suspense_between = self.book.state.suspense.minus(suspense_applied)?;
        let interest_after = after.interest_owed_on(&self.book.terms, self.effective_date)?;
        use BalanceName as B;
        let lines = [
            (134, "Suspense applied", B::Suspense, suspense_applied, suspense_between),
            (PRINCIPAL_PAYMENT, "Principal payment", B::Principal, principal, after.principal),
            (INTEREST_PAYMENT, "Interest payment", B::Interest, interest, interest_after),
            (126, "Late charge payment", B::LateCharge, late_charges, after.late_charges),
            (128, "Fee payment", B::Fees, fees, after.fees),
            (130, "Impound payment", B::Impound, impound, after.impound),
            (132, "Suspense payment", B::Suspense, suspense, after.suspense),
        ];
        Ok(lines.into_iter().filter(|(_, _, _, amount, _)| amount.is_positive()).collect())
    }

    /// Writes which of the entry's rows paid how much of which due row.
    #[expect(clippy::disallowed_methods, reason = "an entry names its own rows")]
    pub(super) async fn allocate(
        &self,
        tx: &DatabaseTransaction,
        reference: i64,
    ) -> Result<(), DbErr> {
        let parts = &self.posting.due_row_parts;
        if parts.is_empty() {
            return Ok(());
        }
        let rows: Vec<(i32, i64)> = loan_transactions::Entity::find()
            .select_only()
            .columns([
                loan_transactions::Column::TransactionCode,
                loan_transactions::Column::TransactionId,
            ])
            .filter(loan_transactions::Column::TransactionReferenceNo.eq(reference))
            .into_tuple()
            .all(tx)
            .await?;
        let rows: HashMap<i32, i64> = rows.into_iter().collect();
        let dates = parts.iter().map(|part| part.due_date);
        let due: Vec<(NaiveDate, i64)> = payments_due::Entity::find()
            .select_only()
            .columns([payments_due::Column::DueDate, payments_due::Column::RowId])
            .filter(payments_due::Column::LoanId.eq(self.book.loan.loan_id))
            .filter(payments_due::Column::DueDate.is_in(dates))
            .into_tuple()
            .all(tx)
            .await?;
        let due: HashMap<NaiveDate, i64> = due.into_iter().collect();
        let mut allocations = Vec::with_capacity(2 * parts.len());
        for part in parts {
            let row = due.get(&part.due_date).ok_or_else(|| missing("due row"))?;
            for (code, amount) in
                [(INTEREST_PAYMENT, part.interest), (PRINCIPAL_PAYMENT, part.principal)]
            {
                if amount.is_positive() {
                    let transaction = rows.get(&code).ok_or_else(|| missing("transaction"))?;
                    allocations.push(payment_allocations::ActiveModel {
                        row_id: NotSet,
                        transaction_id: Set(*transaction),
                        payment_due_id: Set(*row),
                        amount: Set(amount),
                    });
                }
            }
        }
        for chunk in allocations.chunks(500) {
            payment_allocations::Entity::insert_many(chunk.to_vec())
                .exec_without_returning(tx)
                .await?;
        }
        Ok(())
    }
}

fn missing(what: &str) -> DbErr {
    DbErr::RecordNotFound(format!("the {what} of an allocation"))
}
