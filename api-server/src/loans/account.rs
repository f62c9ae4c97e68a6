//! Loan account: the terms and state of one loan in the form that the arithmetic uses, read for a
//! response or locked for an entry, and the rows that an entry changes.
//!
//! The account's row lock is here: [`LoanAccount::lock`]. One writer per loan: an entry holds that
//! lock from its first statement to commit. The queue in the process that comes before it is in
//! `command/lock_queues.rs`.

use crate::audit::{self, Actor, UpdatedRow};
use crate::auth::caller::Caller;
use crate::loans::refusals::{LoanError, LoanRefusal};
use crate::loans::servicing::{DueRow, LoanState, RateStep, Terms};
use crate::loans::terms::{accrues, terms};
use chrono::NaiveDate;
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, Query, UnionType};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, Iterable,
    JoinType, ModelTrait, QueryFilter, QueryOrder, QueryResult, QuerySelect,
};
use shared::amounts::Money;
use shared::database::batch::{self, RowUpdate, WriteBatch};
use shared::database::coalesced::padded;
use shared::database::galera;
use shared::entity::{loan_interest_rates, loan_status_codes, loans, payments_due};
use shared::time::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Status code of a loan closed by a payoff.
pub const PAID_OFF: &str = "PAID_OFF";
/// Maximum attempts at a read of several statements while entries are committed between them.
pub(super) const READ_ATTEMPTS: usize = 5;

/// A loan with everything that its arithmetic needs.
#[derive(Clone, Debug)]
pub struct LoanAccount {
    /// Row of the loan.
    pub loan: loans::Model,
    /// Row of its status, which says what is forbidden.
    pub status: loan_status_codes::Model,
    pub terms: Terms,
    pub state: LoanState,
}

impl LoanAccount {
    /// Reads the accounts of those of these loans that the caller may see, in two statements,
    /// however long the loans' histories. If an entry on a loan was committed between the two, both
    /// are repeated for it, at most `READ_ATTEMPTS` times; then the loan counts as locked.
    pub async fn read(
        db: &impl ConnectionTrait,
        caller: &Caller,
        mut loan_ids: Vec<i64>,
    ) -> Result<HashMap<i64, Result<Arc<Self>, LoanError>>, DbErr> {
        let mut accounts = HashMap::new();
        for _ in 0..READ_ATTEMPTS {
            let found = Self::find(db, caller, loan_ids).await?;
            if found.is_empty() {
                return Ok(accounts);
            }
            loan_ids = found.iter().map(|(loan, _)| loan.loan_id).collect();
            let mut rows = RatesAndDueRows::read(db, &loan_ids).await?;
            for (loan, status) in found {
                let rows = rows.remove(&loan.loan_id).unwrap_or_default();
                if rows.are_consistent_with(&loan) {
                    let account = Self::assemble(loan, status, rows);
                    accounts.insert(account.loan.loan_id, Ok(Arc::new(account)));
                }
            }
            loan_ids.retain(|loan_id| !accounts.contains_key(loan_id));
            if loan_ids.is_empty() {
                return Ok(accounts);
            }
        }
        accounts
            .extend(loan_ids.into_iter().map(|loan_id| (loan_id, Err(LoanError::Locked(None)))));
        Ok(accounts)
    }

    async fn find(
        db: &impl ConnectionTrait,
        caller: &Caller,
        loan_ids: Vec<i64>,
    ) -> Result<Vec<(loans::Model, loan_status_codes::Model)>, DbErr> {
        let status = loans::Entity::belongs_to(loan_status_codes::Entity)
            .from(loans::Column::StatusCodeId)
            .to(loan_status_codes::Column::StatusCodeId);
        let found = caller
            .find::<loans::Entity>()
            .filter(loans::Column::LoanId.is_in(padded(loan_ids)))
            .join(JoinType::InnerJoin, status.into())
            .select_also(loan_status_codes::Entity)
            .all(db)
            .await?;
        Ok(found.into_iter().filter_map(|(loan, status)| Some((loan, status?))).collect())
    }

    /// Locks the loan's row and reads its account, regardless of the caller: visibility and
    /// privileges must have been checked before.
    #[expect(clippy::disallowed_methods, reason = "visibility was checked before")]
    pub async fn lock(tx: &DatabaseTransaction, loan_id: i64) -> Result<Self, LoanError> {
        let loan = loans::Entity::find_by_id(loan_id).lock_exclusive().one(tx).await?;
        let loan = loan.ok_or(LoanError::NotFound)?;
        guard(tx, std::slice::from_ref(&loan)).await?;
        let accounts = Self::of_locked(tx, vec![loan]).await?;
        accounts.into_iter().next().ok_or(LoanError::NotFound)
    }

    /// Locks the rows of those of these loans that no other transaction holds, and returns them in
    /// ascending order of id.
    #[expect(clippy::disallowed_methods, reason = "visibility was checked before")]
    pub async fn lock_available(
        tx: &DatabaseTransaction,
        loan_ids: Vec<i64>,
    ) -> Result<Vec<loans::Model>, LoanError> {
        let loans = loans::Entity::find()
            .filter(loans::Column::LoanId.is_in(padded(loan_ids)))
            .order_by_asc(loans::Column::LoanId)
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .all(tx)
            .await?;
        guard(tx, &loans).await?;
        Ok(loans)
    }

    /// Reads the accounts of locked loans, in their order.
    #[expect(clippy::disallowed_methods, reason = "visibility was checked before")]
    pub async fn of_locked(
        db: &impl ConnectionTrait,
        loans: Vec<loans::Model>,
    ) -> Result<Vec<Self>, LoanError> {
        if loans.is_empty() {
            return Ok(Vec::new());
        }
        let loan_ids: Vec<i64> = loans.iter().map(|loan| loan.loan_id).collect();
        let (statuses, rows) = tokio::join!(
            loan_status_codes::Entity::find().all(db),
            RatesAndDueRows::read(db, &loan_ids),
        );
        let (statuses, mut rows) = (statuses?, rows?);
        let accounts = loans.into_iter().map(|loan| {
            let status =
                statuses.iter().find(|status| status.status_code_id == loan.status_code_id);
            let status = status.ok_or_else(|| LoanError::defect("a loan has no status"))?;
            let rows = rows.remove(&loan.loan_id).unwrap_or_default();
            Ok(Self::assemble(loan, status.clone(), rows))
        });
        accounts.collect()
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
        let terms = terms(&loan, &status, rates);
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

    /// Returns the change that an entry makes. `change` sets the columns that the arithmetic does
    /// not.
    pub fn changed<'a>(
        &self,
        author: &'a Actor,
        after: &LoanState,
        change: impl FnOnce(&mut loans::Model),
    ) -> Result<AccountChange<'a>, LoanError> {
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
        let changed_rows = after.due_rows.iter().filter(|row| !self.state.due_rows.contains(row));
        let due_rows = changed_rows.cloned().collect();
        let before = self.loan.clone();
        Ok(AccountChange { author, before, after: loan, due_rows, deleted_due_rows: None })
    }

    /// Returns the account after an entry that is yet to be written.
    #[must_use]
    pub fn after(
        &self,
        change: &AccountChange<'_>,
        state: LoanState,
        status: loan_status_codes::Model,
    ) -> Self {
        let terms = Terms { accrues: accrues(&status), ..self.terms.clone() };
        Self { loan: change.after.clone(), status, terms, state }
    }
}

/// Writes the guards of locked loans. On Galera a transaction that locks the loan without changing
/// its row would not conflict with one on another node. The guard row, which both write, makes it
/// conflict.
async fn guard(tx: &DatabaseTransaction, loans: &[loans::Model]) -> Result<(), DbErr> {
    for loan in loans {
        galera::guard_row(tx, "loans", loan.loan_id).await?;
    }
    Ok(())
}

/// What an entry changes on its loan.
pub struct AccountChange<'a> {
    /// Author of the change.
    pub author: &'a Actor,
    /// Row of the loan before.
    pub before: loans::Model,
    /// Row of the loan after.
    pub after: loans::Model,
    /// New due rows, and those on which another amount is paid.
    due_rows: Vec<DueRow>,
    /// The due rows due on or after this day are deleted, because the entry that created them is
    /// reversed.
    pub deleted_due_rows: Option<NaiveDate>,
}

/// True for columns that entries usually move. They are written even if they stay the same, so that
/// the statement does, too, and stays prepared.
const fn is_usually_moved(column: loans::Column) -> bool {
    use loans::Column::*;
    matches!(
        column,
        CurrentPrincipalBalance
            | CurrentInterestBalance
            | CurrentLateChargeBalance
            | CurrentFeesBalance
            | CurrentImpoundBalance
            | CurrentSuspenseBalance
            | InterestAccruedThruDate
            | InterestAccruedTotal
            | InterestSettledTotal
            | PaidAheadAmount
            | AccrualBaseDate
            | AccrualBaseTotal
            | NextDueDate
            | LastPaymentDate
            | LastPaymentAmount
            | LastActivityDate
    )
}

/// Keys of new due rows, by loan and due date.
pub type NewDueRows = HashMap<(i64, NaiveDate), i64>;

/// Writes the changes of entries in their order: due rows, the loans' rows, and their field history.
/// Each changed row is written once, however many entries change it.
pub async fn save(
    tx: &DatabaseTransaction,
    now: Timestamp,
    changes: &[AccountChange<'_>],
) -> Result<(), DbErr> {
    let mut writes = WriteBatch::new(tx);
    queue(tx, &mut writes, now, changes).await?;
    writes.execute(tx).await
}

/// Adds these changes to `writes`. Due rows that are created or deleted are written at once.
pub(super) async fn queue(
    tx: &DatabaseTransaction,
    writes: &mut WriteBatch,
    now: Timestamp,
    changes: &[AccountChange<'_>],
) -> Result<NewDueRows, DbErr> {
    let new_due_rows = save_due_rows(tx, writes, changes).await?;
    if changes.iter().any(|change| change.after != change.before) {
        let is_changed = |column: &loans::Column| {
            changes.iter().any(|it| it.after.get(*column) != it.before.get(*column))
        };
        let columns: Vec<loans::Column> = loans::Column::iter()
            .filter(|column| is_usually_moved(*column) || is_changed(column))
            .collect();
        let last: BTreeMap<i64, &loans::Model> =
            changes.iter().map(|change| (change.after.loan_id, &change.after)).collect();
        let rows = last.into_iter().map(|(key, loan)| RowUpdate {
            key,
            values: columns.iter().map(|column| loan.get(*column)).collect(),
        });
        let rows: Vec<RowUpdate> = rows.collect();
        writes.update(loans::Column::LoanId, &columns, &rows)?;
    }
    let updates = changes.iter().map(|AccountChange { author, before, after, .. }| UpdatedRow {
        author,
        before,
        after,
    });
    audit::queue_updates(writes, now, updates)?;
    Ok(new_due_rows)
}

/// Deletes due rows that reversed entries had created, inserts new ones with the amounts already
/// paid on them. Stored ones whose paid amounts changed are updated with these writes.
async fn save_due_rows(
    tx: &DatabaseTransaction,
    writes: &mut WriteBatch,
    changes: &[AccountChange<'_>],
) -> Result<NewDueRows, DbErr> {
    use payments_due::Column::{DueDate, LoanId};
    let mut last: BTreeMap<(i64, NaiveDate), &DueRow> = BTreeMap::new();
    let mut deleted = Vec::new();
    for AccountChange { after, due_rows, deleted_due_rows, .. } in changes {
        let loan_id = after.loan_id;
        if let Some(first) = *deleted_due_rows {
            last.retain(|(of_loan, due_date), _| *of_loan != loan_id || *due_date < first);
            deleted.push(LoanId.eq(loan_id).and(DueDate.gte(first)));
        }
        last.extend(due_rows.iter().map(|row| ((loan_id, row.due_date), row)));
    }
    if !deleted.is_empty() {
        let any = deleted.into_iter().fold(Condition::any(), Condition::add);
        payments_due::Entity::delete_many().filter(any).exec(tx).await?;
    }
    let mut new = Vec::new();
    let mut paid = Vec::new();
    for ((loan_id, _), row) in last {
        match row.row_id {
            None => new.push(payments_due::Model {
                row_id: 0,
                loan_id,
                payment_number: row.payment_number,
                due_date: row.due_date,
                interest_due: row.interest_due,
                principal_due: row.principal_due,
                interest_paid: row.interest_paid,
                principal_paid: row.principal_paid,
            }),
            Some(row_id) => paid.push((row_id, row.interest_paid, row.principal_paid)),
        }
    }
    queue_paid(writes, paid)?;
    let places: Vec<(i64, NaiveDate)> = new.iter().map(|row| (row.loan_id, row.due_date)).collect();
    let keys = batch::insert_numbered::<_, payments_due::ActiveModel>(tx, new).await?;
    Ok(places.into_iter().zip(keys).collect())
}

/// Adds the paid amounts of stored due rows to these writes, each as key, interest and principal.
fn queue_paid(
    writes: &mut WriteBatch,
    rows: impl IntoIterator<Item = (i64, Money, Money)>,
) -> Result<(), DbErr> {
    use payments_due::Column::{InterestPaid, PrincipalPaid, RowId};
    let rows = rows.into_iter().map(|(row_id, interest, principal)| RowUpdate {
        key: row_id,
        values: vec![interest.into(), principal.into()],
    });
    let rows: Vec<RowUpdate> = rows.collect();
    writes.update(RowId, &[InterestPaid, PrincipalPaid], &rows)
}

/// The columns of a loan that entries change together with due rows. If they are the same in two
/// reads, so are its due rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PostedColumns {
    next_due_date: Option<NaiveDate>,
    principal: Money,
    interest_settled: Money,
}

impl PostedColumns {
    /// The columns, in the order of the fields.
    pub(super) const COLUMNS: [loans::Column; 3] = [
        loans::Column::NextDueDate,
        loans::Column::CurrentPrincipalBalance,
        loans::Column::InterestSettledTotal,
    ];

    /// Returns those of a loan.
    pub(super) fn of(loan: &loans::Model) -> Self {
        Self {
            next_due_date: loan.next_due_date,
            principal: loan.current_principal_balance,
            interest_settled: loan.interest_settled_total,
        }
    }

    /// Reads them from a row with these columns.
    pub(super) fn read(row: &QueryResult, columns: [&str; 3]) -> Result<Self, DbErr> {
        let [next_due_date, principal, interest_settled] = columns;
        Ok(Self {
            next_due_date: row.try_get("", next_due_date)?,
            principal: row.try_get("", principal)?,
            interest_settled: row.try_get("", interest_settled)?,
        })
    }
}

/// Rates and due rows of a loan. The due rows are those not fully paid, and the newest.
#[derive(Default)]
struct RatesAndDueRows {
    rates: Vec<RateStep>,
    due_rows: Vec<DueRow>,
    /// The loan's columns that entries change with due rows, read in the same statement.
    loan: Option<PostedColumns>,
}

/// Marks a row with a rate, in place of a payment number.
const RATE_ROW: i32 = 0;
/// Marks the row with the loan itself.
const LOAN_ROW: i32 = -1;

impl RatesAndDueRows {
    /// Reads all kinds of rows of these loans in one statement.
    async fn read(
        db: &impl ConnectionTrait,
        loan_ids: &[i64],
    ) -> Result<HashMap<i64, Self>, DbErr> {
        use loan_interest_rates::Column as R;
        use loans::Column as L;
        use payments_due::Column as D;
        let loan_ids = padded(loan_ids.to_vec());
        let zero = || Expr::value(0i64);
        let newest = Query::select()
            .column(D::LoanId)
            .expr(D::PaymentNumber.max())
            .from(payments_due::Entity)
            .and_where(D::LoanId.is_in(loan_ids.iter().copied()))
            .group_by_col(D::LoanId)
            .take();
        let is_newest = Expr::tuple([D::LoanId.into_expr(), D::PaymentNumber.into_expr()]);
        let open = D::InterestDue
            .into_expr()
            .gt(D::InterestPaid.into_expr())
            .or(D::PrincipalDue.into_expr().gt(D::PrincipalPaid.into_expr()))
            .or(is_newest.in_subquery(newest));
        let due = Query::select()
            .expr_as(D::LoanId.into_expr(), "loan_id")
            .expr_as(D::PaymentNumber.into_expr(), "number")
            .expr_as(D::DueDate.into_expr(), "day")
            .expr_as(D::RowId.into_expr(), "row_id")
            .expr_as(D::InterestDue.into_expr(), "first")
            .expr_as(D::PrincipalDue.into_expr(), "second")
            .expr_as(D::InterestPaid.into_expr(), "third")
            .expr_as(D::PrincipalPaid.into_expr(), "fourth")
            .from(payments_due::Entity)
            .and_where(D::LoanId.is_in(loan_ids.iter().copied()))
            .and_where(open)
            .take();
        let loan = Query::select()
            .expr_as(L::LoanId.into_expr(), "loan_id")
            .expr_as(Expr::value(LOAN_ROW), "number")
            .expr_as(L::NextDueDate.into_expr(), "day")
            .expr_as(L::LoanId.into_expr(), "row_id")
            .expr_as(L::CurrentPrincipalBalance.into_expr(), "first")
            .expr_as(L::InterestSettledTotal.into_expr(), "second")
            .expr_as(zero(), "third")
            .expr_as(zero(), "fourth")
            .from(loans::Entity)
            .and_where(L::LoanId.is_in(loan_ids.iter().copied()))
            .take();
        let select = Query::select()
            .expr_as(R::LoanId.into_expr(), "loan_id")
            .expr_as(Expr::value(RATE_ROW), "number")
            .expr_as(R::EffectiveDate.into_expr(), "day")
            .expr_as(R::RowId.into_expr(), "row_id")
            .expr_as(R::InterestRate.into_expr(), "first")
            .expr_as(zero(), "second")
            .expr_as(zero(), "third")
            .expr_as(zero(), "fourth")
            .from(loan_interest_rates::Entity)
            .and_where(R::LoanId.is_in(loan_ids.iter().copied()))
            .union(UnionType::All, due)
            .union(UnionType::All, loan)
            .take();
        let mut of_loans: HashMap<i64, Self> = HashMap::new();
        for row in db.query_all(&select).await? {
            of_loans.entry(row.try_get("", "loan_id")?).or_default().push(&row)?;
        }
        for rows in of_loans.values_mut() {
            rows.rates.sort_by_key(|step| step.effective_date);
            rows.due_rows.sort_by_key(|row| row.due_date);
        }
        Ok(of_loans)
    }

    fn push(&mut self, row: &QueryResult) -> Result<(), DbErr> {
        let money = |column: &str| row.try_get::<Money>("", column);
        match row.try_get("", "number")? {
            LOAN_ROW => {
                self.loan = Some(PostedColumns::read(row, ["day", "first", "second"])?);
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
        self.loan == Some(PostedColumns::of(loan))
    }
}

#[expect(clippy::disallowed_methods, reason = "every user may see the statuses")]
pub async fn status(
    db: &impl ConnectionTrait,
    status_code_id: i64,
) -> Result<loan_status_codes::Model, LoanError> {
    let status = loan_status_codes::Entity::find_by_id(status_code_id).one(db).await?;
    status.ok_or_else(|| LoanError::defect("a loan has no status"))
}

/// Refuses if the loan's status does not allow payments.
pub fn refuse_payments(status: &loan_status_codes::Model) -> Result<(), LoanError> {
    if status.closed_flag || status.refuse_payments_flag {
        return Err(LoanError::Refused(LoanRefusal::TakesNoPayments(status.code.clone())));
    }
    Ok(())
}

/// Refuses if the loan is closed. A loan that does not accept payments may still be charged.
pub fn refuse_if_closed(status: &loan_status_codes::Model) -> Result<(), LoanError> {
    if status.closed_flag {
        return Err(LoanError::Refused(LoanRefusal::Closed(status.code.clone())));
    }
    Ok(())
}
