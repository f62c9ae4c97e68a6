//! Loan account: the terms and state of one loan in the form that the arithmetic uses, read for a
//! response or locked for an entry, and the rows that an entry changes.
//!
//! The account's row lock is here: [`LoanAccount::lock`]. One writer per loan: an entry holds that
//! lock from its first statement to commit. The queue in the process that comes before it is in
//! `command/row_locks.rs`.

use crate::audit::{self, Actor};
use crate::auth::caller::Caller;
use crate::loans::refusals::{LoanError, LoanRefusal};
use crate::loans::servicing::schedule::Schedule;
use crate::loans::servicing::{DueRow, LoanState, RateStep, Terms};
use chrono::NaiveDate;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Query, UnionType};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, JoinType, NotSet,
    QueryFilter, QueryResult, QuerySelect,
};
use shared::amounts::{Money, Rate};
use shared::entity::{loan_interest_rates, loan_status_codes, loans, payments_due};
use shared::galera;
use shared::time::Clock;

/// Status code of a loan closed by a payoff.
pub const PAID_OFF: &str = "PAID_OFF";
/// Maximum attempts to read an account while entries are committed between its two statements.
const READ_ATTEMPTS: usize = 5;

/// A loan with everything that its arithmetic needs.
#[derive(Clone, Debug)]
pub struct LoanAccount {
    /// Row of the loan.
    pub loan: loans::Model,
    /// Row of its status, which says what is forbidden.
    pub status: loan_status_codes::Model,
    /// Contract terms.
    pub terms: Terms,
    /// Current state.
    pub state: LoanState,
}

impl LoanAccount {
    /// Reads the account of a loan that the caller may see, in two statements, however long the
    /// loan's history. If an entry was committed between the two, both are repeated, at most
    /// `READ_ATTEMPTS` times; then the loan counts as locked.
    pub async fn read(
        db: &impl ConnectionTrait,
        caller: &Caller,
        loan_id: i64,
    ) -> Result<Self, LoanError> {
        for _ in 0..READ_ATTEMPTS {
            let (loan, status) = Self::find(db, caller, loan_id).await?;
            let rows = RatesAndDueRows::read(db, loan_id).await?;
            if rows.are_consistent_with(&loan) {
                return Ok(Self::assemble(loan, status, rows));
            }
        }
        Err(LoanError::Locked(None))
    }

    async fn find(
        db: &impl ConnectionTrait,
        caller: &Caller,
        loan_id: i64,
    ) -> Result<(loans::Model, loan_status_codes::Model), LoanError> {
        let status = loans::Entity::belongs_to(loan_status_codes::Entity)
            .from(loans::Column::StatusCodeId)
            .to(loan_status_codes::Column::StatusCodeId);
        let found = caller
            .find::<loans::Entity>()
            .filter(loans::Column::LoanId.eq(loan_id))
            .join(JoinType::InnerJoin, status.into())
            .select_also(loan_status_codes::Entity)
            .one(db)
            .await?;
        match found {
            Some((loan, Some(status))) => Ok((loan, status)),
            _ => Err(LoanError::NotFound),
        }
    }

    /// Locks the loan's row and reads its account, regardless of the caller: visibility and
    /// privileges must have been checked before.
    #[expect(clippy::disallowed_methods, reason = "visibility was checked before")]
    pub async fn lock(tx: &DatabaseTransaction, loan_id: i64) -> Result<Self, LoanError> {
        let loan = loans::Entity::find_by_id(loan_id).lock_exclusive().one(tx).await?;
        let loan = loan.ok_or(LoanError::NotFound)?;
        // Galera: a transaction that locks the loan without changing its row would not conflict
        // with one on another node. The guard row, which both write, makes it conflict.
        galera::guard_row(tx, "loans", loan_id).await?;
        let status = loan_status_codes::Entity::find_by_id(loan.status_code_id).one(tx).await?;
        let status = status.ok_or_else(|| LoanError::defect("a loan has no status"))?;
        let rows = RatesAndDueRows::read(tx, loan_id).await?;
        Ok(Self::assemble(loan, status, rows))
    }

    fn assemble(
        loan: loans::Model,
        status: loan_status_codes::Model,
        RatesAndDueRows { mut rates, due_rows, .. }: RatesAndDueRows,
    ) -> Self {
        if rates.is_empty() {
            let effective_date = loan.interest_start_date;
            rates.push(RateStep { effective_date, rate: loan.starting_interest_rate });
        }
        let terms = Terms {
            numerator: loan.interest_year_numerator,
            denominator: loan.interest_year_denominator,
            rates,
            interest_start_date: loan.interest_start_date,
            schedule: Schedule {
                period: loan.payment_period,
                first_payment_date: loan.first_payment_date,
                payment_day: loan.payment_day.and_then(|day| u32::try_from(day).ok()),
                maturity_date: loan.maturity_date,
            },
            payment_amount: loan.payment_amount,
            advance_days: loan.advance_days,
            accrues: accrues(&status),
        };
        let state = LoanState {
            principal: loan.current_principal_balance,
            late_charges: loan.current_late_charge_balance,
            fees: loan.current_fees_balance,
            impound: loan.current_impound_balance,
            suspense: loan.current_suspense_balance,
            accrual_base_date: loan.accrual_base_date,
            accrual_base_total: loan.accrual_base_total,
            interest_settled_total: loan.interest_settled_total,
            paid_ahead_amount: loan.paid_ahead_amount,
            next_due_date: loan.next_due_date,
            due_row_count: due_rows.iter().map(|row| row.payment_number).max().unwrap_or(0),
            due_rows,
        };
        Self { loan, status, terms, state }
    }

    /// Returns the rate of a day: that of the latest row in effect, or of the first row for a day
    /// before it.
    pub fn rate_on(&self, day: NaiveDate) -> Rate {
        let in_effect = self.terms.rates.iter().rev().find(|step| step.effective_date <= day);
        in_effect.or(self.terms.rates.first()).map_or(Rate::ZERO, |step| step.rate)
    }

    /// Writes what an entry changed: due rows, the loan's row, and the loan's field history.
    /// `change` sets the columns that the arithmetic does not. Only changed rows and columns are
    /// written.
    pub async fn save(
        &self,
        tx: &DatabaseTransaction,
        author: &Actor,
        clock: Clock,
        after: &LoanState,
        change: impl FnOnce(&mut loans::Model),
    ) -> Result<loans::Model, LoanError> {
        save_due_rows(tx, self.loan.loan_id, &self.state.due_rows, &after.due_rows).await?;
        let base_date = after.accrual_base_date;
        let mut loan = loans::Model {
            current_principal_balance: after.principal,
            current_interest_balance: after.interest_owed_on(&self.terms, base_date)?,
            current_late_charge_balance: after.late_charges,
            current_fees_balance: after.fees,
            current_impound_balance: after.impound,
            current_suspense_balance: after.suspense,
            interest_accrued_thru_date: base_date,
            interest_accrued_total: after.accrual_base_total,
            interest_settled_total: after.interest_settled_total,
            paid_ahead_amount: after.paid_ahead_amount,
            accrual_base_date: base_date,
            accrual_base_total: after.accrual_base_total,
            next_due_date: after.next_due_date,
            ..self.loan.clone()
        };
        change(&mut loan);
        if let Some(columns) = audit::changed_columns::<_, loans::ActiveModel>(&self.loan, &loan) {
            loans::Entity::update_many()
                .set(columns)
                .filter(loans::Column::LoanId.eq(loan.loan_id))
                .exec(tx)
                .await?;
        }
        audit::record(tx, author, clock.now, Some(&self.loan), Some(&loan)).await?;
        Ok(loan)
    }
}

/// Inserts new due rows with the amounts already paid on them, and updates stored due rows whose
/// paid amounts changed: up to 500 rows per statement.
async fn save_due_rows(
    tx: &DatabaseTransaction,
    loan_id: i64,
    before: &[DueRow],
    after: &[DueRow],
) -> Result<(), DbErr> {
    let new: Vec<payments_due::ActiveModel> = after
        .iter()
        .filter(|row| row.row_id.is_none())
        .map(|row| payments_due::ActiveModel {
            row_id: NotSet,
            loan_id: Set(loan_id),
            payment_number: Set(row.payment_number),
            due_date: Set(row.due_date),
            interest_due: Set(row.interest_due),
            principal_due: Set(row.principal_due),
            interest_paid: Set(row.interest_paid),
            principal_paid: Set(row.principal_paid),
        })
        .collect();
    for rows in new.chunks(500) {
        payments_due::Entity::insert_many(rows.to_vec()).exec_without_returning(tx).await?;
    }
    let changed = after.iter().filter(|row| !before.contains(row));
    let changed: Vec<_> = changed
        .filter_map(|row| Some((row.row_id?, row.interest_paid, row.principal_paid)))
        .collect();
    for rows in changed.chunks(500) {
        update_paid(tx, rows.iter().copied()).await?;
    }
    Ok(())
}

/// Writes the paid amounts of stored due rows, each as key, interest and principal, in one
/// statement.
pub async fn update_paid(
    tx: &DatabaseTransaction,
    rows: impl IntoIterator<Item = (i64, Money, Money)>,
) -> Result<(), DbErr> {
    use payments_due::Column::{InterestPaid, PrincipalPaid, RowId};
    let mut interest = CaseStatement::new();
    let mut principal = CaseStatement::new();
    let mut ids = Vec::new();
    for (row_id, interest_paid, principal_paid) in rows {
        interest = interest.case(RowId.eq(row_id), interest_paid.units());
        principal = principal.case(RowId.eq(row_id), principal_paid.units());
        ids.push(row_id);
    }
    if ids.is_empty() {
        return Ok(());
    }
    payments_due::Entity::update_many()
        .col_expr(InterestPaid, interest.finally(InterestPaid.into_expr()).into())
        .col_expr(PrincipalPaid, principal.finally(PrincipalPaid.into_expr()).into())
        .filter(RowId.is_in(ids))
        .exec(tx)
        .await
        .map(drop)
}

/// Rates and due rows of a loan. The due rows are those not fully paid, and the newest.
struct RatesAndDueRows {
    rates: Vec<RateStep>,
    due_rows: Vec<DueRow>,
    /// Columns of the loan that entries change together with due rows, read in the same statement.
    loan: Option<(Option<NaiveDate>, Money, Money)>,
}

/// Marks a row with a rate, in place of a payment number.
const RATE_ROW: i32 = 0;
/// Marks the row with the loan itself.
const LOAN_ROW: i32 = -1;

impl RatesAndDueRows {
    /// Reads all kinds of rows in one statement.
    async fn read(db: &impl ConnectionTrait, loan_id: i64) -> Result<Self, DbErr> {
        use loan_interest_rates::Column as R;
        use loans::Column as L;
        use payments_due::Column as D;
        let zero = || Expr::value(0i64);
        let newest = Query::select()
            .expr(D::PaymentNumber.max())
            .from(payments_due::Entity)
            .and_where(D::LoanId.eq(loan_id))
            .take();
        let open = D::InterestDue
            .into_expr()
            .gt(D::InterestPaid.into_expr())
            .or(D::PrincipalDue.into_expr().gt(D::PrincipalPaid.into_expr()))
            .or(D::PaymentNumber.in_subquery(newest));
        let due = Query::select()
            .expr_as(D::PaymentNumber.into_expr(), "number")
            .expr_as(D::DueDate.into_expr(), "day")
            .expr_as(D::RowId.into_expr(), "row_id")
            .expr_as(D::InterestDue.into_expr(), "first")
            .expr_as(D::PrincipalDue.into_expr(), "second")
            .expr_as(D::InterestPaid.into_expr(), "third")
            .expr_as(D::PrincipalPaid.into_expr(), "fourth")
            .from(payments_due::Entity)
            .and_where(D::LoanId.eq(loan_id))
            .and_where(open)
            .take();
        let loan = Query::select()
            .expr_as(Expr::value(LOAN_ROW), "number")
            .expr_as(L::NextDueDate.into_expr(), "day")
            .expr_as(L::LoanId.into_expr(), "row_id")
            .expr_as(L::CurrentPrincipalBalance.into_expr(), "first")
            .expr_as(L::InterestSettledTotal.into_expr(), "second")
            .expr_as(zero(), "third")
            .expr_as(zero(), "fourth")
            .from(loans::Entity)
            .and_where(L::LoanId.eq(loan_id))
            .take();
        let select = Query::select()
            .expr_as(Expr::value(RATE_ROW), "number")
            .expr_as(R::EffectiveDate.into_expr(), "day")
            .expr_as(R::RowId.into_expr(), "row_id")
            .expr_as(R::InterestRate.into_expr(), "first")
            .expr_as(zero(), "second")
            .expr_as(zero(), "third")
            .expr_as(zero(), "fourth")
            .from(loan_interest_rates::Entity)
            .and_where(R::LoanId.eq(loan_id))
            .union(UnionType::All, due)
            .union(UnionType::All, loan)
            .take();
        let mut rows = Self { rates: Vec::new(), due_rows: Vec::new(), loan: None };
        for row in db.query_all(&select).await? {
            rows.push(&row)?;
        }
        rows.rates.sort_by_key(|step| step.effective_date);
        rows.due_rows.sort_by_key(|row| row.due_date);
        Ok(rows)
    }

    fn push(&mut self, row: &QueryResult) -> Result<(), DbErr> {
        let money = |column: &str| row.try_get::<Money>("", column);
        match row.try_get("", "number")? {
            LOAN_ROW => {
                let next_due_date = row.try_get("", "day")?;
                self.loan = Some((next_due_date, money("first")?, money("second")?));
            }
            RATE_ROW => self.rates.push(RateStep {
                effective_date: row.try_get("", "day")?,
                rate: row.try_get("", "first")?,
            }),
            payment_number => self.due_rows.push(DueRow {
                row_id: Some(row.try_get("", "row_id")?),
                payment_number,
                due_date: row.try_get("", "day")?,
                interest_due: money("first")?,
                principal_due: money("second")?,
                interest_paid: money("third")?,
                principal_paid: money("fourth")?,
            }),
        }
        Ok(())
    }

    /// True if no entry was written since this row of the loan was read.
    fn are_consistent_with(&self, loan: &loans::Model) -> bool {
        let columns =
            (loan.next_due_date, loan.current_principal_balance, loan.interest_settled_total);
        self.loan == Some(columns)
    }
}

/// True if a loan with this status bears interest.
pub fn accrues(status: &loan_status_codes::Model) -> bool {
    !status.stop_accrual_flag && !status.closed_flag
}

/// Refuses if the loan's status does not allow payments.
pub fn refuse_payments(status: &loan_status_codes::Model) -> Result<(), LoanError> {
    if status.closed_flag || status.refuse_payments_flag {
        let status = status.code.clone();
        return Err(LoanError::Refused(LoanRefusal::TakesNoPayments { status }));
    }
    Ok(())
}

/// Refuses if the loan is closed. A loan that does not accept payments may still be charged.
pub fn refuse_if_closed(status: &loan_status_codes::Model) -> Result<(), LoanError> {
    if status.closed_flag {
        let status = status.code.clone();
        return Err(LoanError::Refused(LoanRefusal::Closed { status }));
    }
    Ok(())
}
