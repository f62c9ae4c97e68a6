//! Past rows of a loan: the sums of the rows that count, and the entries that moved its accrual base.

use super::AsOf;
use crate::auth::caller::Caller;
use crate::auth::visibility::Visible;
use crate::loans::refusals::LoanError;
use crate::loans::snapshots::LoanSnapshot;
use chrono::NaiveDate;
use sea_orm::sea_query::{DynIden, Expr, ExprTrait, Order, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, JoinType, QueryResult};
use serde_json::Value;
use shared::amounts::Money;
use shared::database;
use shared::entity::loan_transactions::{self, BalanceName};
use shared::entity::{loan_snapshots, loans, transaction_codes};
use shared::time::Timestamp;

/// Name of the reversing rows in statements.
const REVERSAL: &str = "reversal";
/// Name of an entry's own rows in statements.
const OF_ENTRY: &str = "of_entry";

/// What the rows that count add up to.
#[derive(Default)]
pub(super) struct CountedRows {
    /// Sum by balance; what was paid lowers it.
    sums: Vec<(BalanceName, Money)>,
    /// The last entry that moved the accrual base and was not reversed, as known then.
    pub(super) last_entry: Option<i64>,
}

impl CountedRows {
    /// Adds up the rows of a loan that the caller may see; of another loan, it reads none.
    pub(super) async fn read(
        db: &impl ConnectionTrait,
        caller: &Caller,
        loan_id: i64,
        as_of: AsOf,
    ) -> Result<Self, DbErr> {
        use loan_transactions::Column as C;
        let AsOf { date, known_on } = as_of;
        let reversed_on = Expr::col((REVERSAL, C::GlDate));
        let stands = reversed_on.clone().is_null().or(reversed_on.gt(known_on));
        let moved_base = loan_snapshots::Column::TransactionId.is_not_null();
        let standing_entry: Expr =
            Expr::case(moved_base.and(stands), C::TransactionId.into_expr()).into();
        let amount = C::TransactionAmount.into_expr();
        let visible_loan = Query::select()
            .column(loans::Column::LoanId.as_column_ref())
            .from(loans::Entity)
            .and_where(loans::Column::LoanId.eq(loan_id))
            .cond_where(loans::Entity::visible_to(caller))
            .take();
        let select = Query::select()
            .expr_as(C::BalanceName.into_expr(), "name")
            .expr_as(signed_sum(db, amount), "total")
            .expr_as(standing_entry.max(), "last_entry")
            .from(loan_transactions::Entity)
            .inner_join(transaction_codes::Entity, C::TransactionCode.into_expr().equals(sign_of()))
            .left_join(loan_snapshots::Entity, C::TransactionId.into_expr().equals(snapshot_of()))
            .join_as(
                JoinType::LeftJoin,
                loan_transactions::Entity,
                REVERSAL,
                C::ReversalTransactionId.into_expr().equals((REVERSAL, C::TransactionId)),
            )
            .and_where(
                C::LoanId.into_expr().eq(Expr::SubQuery(None, Box::new(visible_loan.into()))),
            )
            .and_where(C::EffectiveDate.lte(date))
            .and_where(C::GlDate.lte(known_on))
            .group_by_col(C::BalanceName.as_column_ref())
            .take();
        let mut counted = Self::default();
        for row in db.query_all(&select).await? {
            if let Some(name) = row.try_get("", "name")? {
                counted.sums.push((name, row.try_get("", "total")?));
            }
            let last_entry: Option<i64> = row.try_get("", "last_entry")?;
            counted.last_entry = Ord::max(counted.last_entry, last_entry);
        }
        Ok(counted)
    }

    /// Returns a balance; for interest, what was settled, below zero.
    pub(super) fn balance(&self, name: BalanceName) -> Money {
        let found = self.sums.iter().find(|(of, _)| *of == name);
        found.map_or(Money::ZERO, |(_, sum)| *sum)
    }
}

/// An entry that moved the accrual base.
pub(super) struct BaseEntry {
    /// Id of its first row.
    pub(super) transaction_id: i64,
    /// When it was posted.
    pub(super) posted: Timestamp,
    pub(super) effective_date: NaiveDate,
    /// First row of its reversal, if it is reversed by now.
    pub(super) reversal: Option<i64>,
    pub(super) before: LoanSnapshot,
    /// What it added to the principal.
    pub(super) principal: Money,
}

impl BaseEntry {
    /// Reads the entry with this id, if there is one, and the first that was posted after it.
    pub(super) async fn read_from(
        db: &impl ConnectionTrait,
        loan_id: i64,
        last_entry: Option<i64>,
    ) -> Result<Vec<Self>, LoanError> {
        use loan_transactions::Column as C;
        let amount = Expr::col((OF_ENTRY, C::TransactionAmount));
        let principal = Query::select()
            .expr(signed_sum(db, amount))
            .from_as(loan_transactions::Entity, OF_ENTRY)
            .inner_join(
                transaction_codes::Entity,
                Expr::col((OF_ENTRY, C::TransactionCode)).equals(sign_of()),
            )
            .and_where(Expr::col((OF_ENTRY, C::LoanId)).eq(loan_id))
            .and_where(Expr::col((OF_ENTRY, C::BalanceName)).eq(BalanceName::Principal))
            .and_where(
                Expr::col((OF_ENTRY, C::TransactionReferenceNo))
                    .equals(C::TransactionId.as_column_ref()),
            )
            .take();
        let columns =
            [C::TransactionId, C::TransactionDate, C::EffectiveDate, C::ReversalTransactionId];
        let select = Query::select()
            .columns(columns.map(|column| column.as_column_ref()))
            .column(loan_snapshots::Column::PriorState.as_column_ref())
            .expr_as(principal, "principal")
            .from(loan_transactions::Entity)
            .inner_join(loan_snapshots::Entity, C::TransactionId.into_expr().equals(snapshot_of()))
            .and_where(C::LoanId.eq(loan_id))
            .and_where(C::TransactionId.gte(last_entry.unwrap_or(0)))
            .order_by(C::TransactionId.as_column_ref(), Order::Asc)
            .limit(2)
            .take();
        db.query_all(&select).await?.iter().map(Self::from_row).collect()
    }

    fn from_row(row: &QueryResult) -> Result<Self, LoanError> {
        let prior_state: Value = row.try_get("", "prior_state")?;
        let principal: Option<Money> = row.try_get("", "principal")?;
        Ok(Self {
            transaction_id: row.try_get("", "transaction_id")?,
            posted: row.try_get("", "transaction_date")?,
            effective_date: row.try_get("", "effective_date")?,
            reversal: row.try_get("", "reversal_transaction_id")?,
            before: LoanSnapshot::read(prior_state).map_err(LoanError::defect)?,
            principal: principal.unwrap_or(Money::ZERO),
        })
    }
}

/// Returns the sum of amounts by the signs of their transaction codes.
fn signed_sum(db: &impl ConnectionTrait, amount: Expr) -> Expr {
    amount
        .mul(transaction_codes::Column::Sign.into_expr())
        .sum()
        .cast_as(database::integer_type(db))
}

fn sign_of() -> (DynIden, DynIden) {
    transaction_codes::Column::TransactionCode.as_column_ref()
}

fn snapshot_of() -> (DynIden, DynIden) {
    loan_snapshots::Column::TransactionId.as_column_ref()
}
