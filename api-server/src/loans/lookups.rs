//! Batched loan reads: while one batch runs, further requests of the same caller wait, and the next
//! batch serves them all ([`Coalesced`]).

use crate::auth::caller::Caller;
use crate::auth::visibility::Visible;
use crate::loans::account::LoanAccount;
use crate::loans::refusals::LoanError;
use sea_orm::sea_query::{Expr, Query, UnionType};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryFilter, QuerySelect};
use shared::database::coalesced::{BatchLimits, Coalesced, padded};
use shared::database::reads::ReadPool;
use shared::entity::{cash_drawers, loan_transactions, loans, transaction_codes};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

const LOANS_MAX: usize = 64;

/// An answer about a loan.
type OfLoan<T> = Result<Arc<T>, LoanError>;

/// Looks loans up in batches.
pub struct LoanLookups {
    accounts: Coalesced<i64, OfLoan<LoanAccount>, Caller>,
    codes: Coalesced<i64, OfLoan<VisibleCodes>, Caller>,
    db: ReadPool,
}

impl LoanLookups {
    /// Returns the look-ups in this database.
    pub fn new(db: &ReadPool) -> Self {
        let (accounts, codes) = (db.clone(), db.clone());
        Self {
            accounts: Coalesced::grouped(BatchLimits::of_reads(LOANS_MAX), move |caller, ids| {
                let db = accounts.clone();
                async move {
                    let found = LoanAccount::read(&db, &caller, ids.clone()).await;
                    in_order(&ids, found)
                }
            }),
            codes: Coalesced::grouped(BatchLimits::of_reads(LOANS_MAX), move |caller, ids| {
                let db = codes.clone();
                async move {
                    let found = VisibleCodes::read(&db, &caller, &ids).await;
                    in_order(&ids, found)
                }
            }),
            db: db.clone(),
        }
    }

    /// Returns those of these cash drawers that the caller may see.
    pub async fn visible_drawers(
        &self,
        caller: &Caller,
        drawer_ids: BTreeSet<i64>,
    ) -> Result<BTreeSet<i64>, LoanError> {
        if drawer_ids.is_empty() {
            return Ok(drawer_ids);
        }
        let drawers = caller.find::<cash_drawers::Entity>().select_only();
        let drawers = drawers.column(cash_drawers::Column::DrawerId);
        let drawers = drawers.filter(cash_drawers::Column::DrawerId.is_in(drawer_ids));
        let drawer_ids: Vec<i64> = drawers.into_tuple().all(&self.db).await?;
        Ok(drawer_ids.into_iter().collect())
    }

    /// Returns the account of a loan; 404 if the caller may not see it.
    pub async fn account(&self, caller: &Caller, loan_id: i64) -> Result<LoanAccount, LoanError> {
        let account = self.accounts.ask_in(caller.clone(), loan_id).await??;
        Ok(Arc::unwrap_or_clone(account))
    }

    /// Returns the transaction codes whose rows the caller may see; 404 if the caller may not see
    /// the loan.
    pub async fn visible_codes(
        &self,
        caller: &Caller,
        loan_id: i64,
    ) -> Result<Arc<VisibleCodes>, LoanError> {
        self.codes.ask_in(caller.clone(), loan_id).await?
    }
}

/// The transaction codes whose rows a caller may see on the loans that the caller may see.
#[derive(Clone, Debug)]
pub enum VisibleCodes {
    /// All: the admin account.
    All,
    /// These, whose trustees include the caller.
    Only(BTreeSet<i64>),
}

impl VisibleCodes {
    /// Reads them for those of these loans that the caller may see, in one statement.
    async fn read(
        db: &impl ConnectionTrait,
        caller: &Caller,
        loan_ids: &[i64],
    ) -> Result<HashMap<i64, Result<Arc<Self>, LoanError>>, DbErr> {
        const LOAN: i32 = 0;
        const CODE: i32 = 1;
        let code_rule = transaction_codes::Entity::visible_to(caller);
        let sees_all = code_rule.is_empty();
        let mut select = Query::select()
            .expr_as(Expr::value(LOAN), "kind")
            .expr_as(loans::Column::LoanId.into_expr(), "id")
            .from(loans::Entity)
            .and_where(loans::Column::LoanId.is_in(padded(loan_ids.to_vec())))
            .cond_where(loans::Entity::visible_to(caller))
            .take();
        if !sees_all {
            let codes = Query::select()
                .expr_as(Expr::value(CODE), "kind")
                .expr_as(transaction_codes::Column::TransactionCode.into_expr(), "id")
                .from(transaction_codes::Entity)
                .cond_where(code_rule)
                .take();
            select.union(UnionType::All, codes);
        }
        let (mut visible_loans, mut codes) = (Vec::new(), BTreeSet::new());
        for row in db.query_all(&select).await? {
            let id: i64 = row.try_get_by_index(1)?;
            match row.try_get_by_index(0)? {
                LOAN => visible_loans.push(id),
                _ => drop(codes.insert(id)),
            }
        }
        let codes = Arc::new(if sees_all { Self::All } else { Self::Only(codes) });
        Ok(visible_loans.into_iter().map(|loan_id| (loan_id, Ok(Arc::clone(&codes)))).collect())
    }

    /// True if the caller may see rows with this code.
    pub fn contain(&self, code: i32) -> bool {
        match self {
            Self::All => true,
            Self::Only(codes) => codes.contains(&i64::from(code)),
        }
    }

    /// Returns those of these rows that the caller may see.
    pub fn of_rows(
        &self,
        mut rows: Vec<loan_transactions::Model>,
    ) -> Vec<loan_transactions::Model> {
        rows.retain(|row| self.contain(row.transaction_code));
        rows
    }
}

/// Returns the answers in the order of the questions. A loan that was not found is not visible.
fn in_order<T>(loan_ids: &[i64], found: Result<HashMap<i64, OfLoan<T>>, DbErr>) -> Vec<OfLoan<T>> {
    match found.map_err(LoanError::from) {
        Ok(mut found) => {
            let answer = |id| found.remove(id).unwrap_or(Err(LoanError::NotFound));
            loan_ids.iter().map(answer).collect()
        }
        Err(failure) => loan_ids.iter().map(|_| Err(failure.clone())).collect(),
    }
}
