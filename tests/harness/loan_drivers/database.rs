//! Driver for the api-server's posting functions, on the rows of a database.
//!
//! A history is one transaction that is rolled back at the end; each entry is a nested one, as a
//! request would be, so that a refused entry leaves nothing.

pub mod booking;
mod foresight;
mod stored;

use self::stored::{ListedRow, listed, row, state, units};
use super::{Play, Tally, money};
use crate::databases::Database;
use crate::loan_model::plan::{Action, Plan};
use crate::loan_model::{
    Adjustment, AdjustmentKind, Allocation, Amount, Books, Entry, Event, LARGEST, LoanFigures,
    Payment, Refusal, Row, State, foresight::DayEnd,
};
use api_server::audit::Actor;
use api_server::auth::caller::{Caller, CoreCaller};
use api_server::auth::privileges::Rights;
use api_server::loans::account::{self, LoanAccount};
use api_server::loans::adjustments::{self, ValidatedAdjustment};
use api_server::loans::modifications;
use api_server::loans::payments::{self, LoanPayment, LockedLoans, NewPayment, ValidatedPayment};
use api_server::loans::refusals::LoanError;
use api_server::loans::reversals::{self, ReturnedPayment, ValidatedReversal};
use api_server::loans::servicing::adjustment as engine;
use chrono::{NaiveDate, NaiveTime};
use sea_orm::{
    ColumnTrait, DatabaseConnection, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder,
    TransactionTrait,
};
use serde_json::{Value, json};
use shared::database;
use shared::database::batch::WriteBatch;
use shared::entity::field_changes::ChangeSource;
use shared::entity::{loan_transactions, loans, payment_allocations, payments_due};
use shared::problem::{Problem, ProblemType};
use shared::telemetry::RequestId;
use shared::time::{Clock, Day, Timestamp};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A database with everything that a loan refers to.
pub struct DatabaseDriver {
    db: DatabaseConnection,
    url: String,
    caller: Caller,
    author: Actor,
    setup: booking::SetupIds,
}

/// A loan on a desk.
struct DatabaseEngine<'a> {
    driver: &'a DatabaseDriver,
    tx: DatabaseTransaction,
    loan_id: i64,
    creditline_id: i64,
    /// Number of rows of its opening, which have no entry in the model.
    opening: usize,
    /// For each entry of the model, the ids of its rows.
    keys: Vec<Vec<i64>>,
    /// Payments that the model has entered and that are posted together, with its rows for them.
    gathered: Vec<(Payment, Result<Vec<Row>, Refusal>)>,
    /// Days that have ended, with the model's balances then.
    ended: Vec<(NaiveDate, Result<DayEnd, Refusal>)>,
}

impl DatabaseDriver {
    /// Creates a desk on a fresh database, in the directory or on the server.
    pub async fn fresh(database: &Database, folder: &Path) -> Self {
        let url = database.create(folder).await;
        Self::open(&url).await
    }

    async fn open(database_url: &str) -> Self {
        let db = database::connect(database_url, 1).await.expect("a connection");
        let user_id = installer::seed::user_id(&db, "admin").await.expect("the admin");
        let user = CoreCaller { user_id, user_name: "admin".to_owned(), rights: Rights::All };
        let caller = Caller::Core(user);
        let author = Actor::new(&caller, ChangeSource::Batch, &RequestId::random());
        let setup = booking::SetupIds::add(&db).await.expect("setup rows");
        Self { db, url: database_url.to_owned(), caller, author, setup }
    }

    /// Closes the desk and drops its database.
    pub async fn close(self, database: &Database) {
        self.db.close().await.expect("closed");
        database.drop(&self.url).await;
    }

    /// Plays a plan on both, with every entry posted alone, and returns the first difference.
    pub async fn compare(&self, plan: &Plan) -> Result<Tally, String> {
        self.play(plan, false).await
    }

    /// Plays a plan on both, with payments of one day posted together, and returns the first
    /// difference.
    pub async fn compare_gathered(&self, plan: &Plan) -> Result<Tally, String> {
        self.play(plan, true).await
    }

    async fn play(&self, plan: &Plan, gathers: bool) -> Result<Tally, String> {
        let mut play = Play::new(plan);
        let mut engine = DatabaseEngine::book(self, plan, &play.books.state).await;
        let outcome = engine.play(&mut play, gathers).await;
        engine.tx.rollback().await.expect("rolled back");
        outcome.map(|()| play.tally)
    }
}

fn validated(payment: &Payment) -> Result<ValidatedPayment, LoanError> {
    let mut new = NewPayment::of(money(payment.amount).into());
    new.effective_date = Some(Day(payment.date));
    new.payoff = Some(payment.payoff);
    new.excess_handling = payment.excess;
    if let Some(parts) = payment.split {
        let part = |amount: Amount| Some(money(amount).into());
        new.principal_amount = part(parts.principal);
        new.interest_amount = part(parts.interest);
        new.late_charge_amount = part(parts.late_charges);
        new.fee_amount = part(parts.fees);
        new.impound_amount = part(parts.impound);
        new.suspense_amount = part(parts.suspense);
    }
    new.validate()
}

/// Noon of a day.
fn clock(today: NaiveDate) -> Clock {
    let noon = NaiveTime::from_hms_opt(12, 0, 0).expect("noon");
    Clock::new(Timestamp(today.and_time(noon).and_utc()), None)
}

impl<'a> DatabaseEngine<'a> {
    async fn book(driver: &'a DatabaseDriver, plan: &Plan, booked: &State) -> Self {
        let tx = database::begin_write(&driver.db).await.expect("a transaction");
        let loan = booking::book(&tx, &driver.setup, "LOAN", &plan.terms, booked).await;
        let (loan_id, creditline_id, opening) = loan.expect("a booked loan");
        let (keys, gathered, ended) = (Vec::new(), Vec::new(), Vec::new());
        Self { driver, tx, loan_id, creditline_id, opening, keys, gathered, ended }
    }

    async fn play(&mut self, play: &mut Play<'_>, gathers: bool) -> Result<(), String> {
        self.compare_state(play).await?;
        let mut today = play.plan.first_day();
        for step in &play.plan.moves {
            let (day, action) = step.action(&play.books, today, play.plan.last_day());
            let gathered = match action {
                Action::Enter(Event::Pay(payment)) if gathers => Some(payment),
                _ => None,
            };
            // A payment that can be made today joins those of today.
            let joins = gathered.is_some_and(|payment| payment.date <= today);
            if !joins {
                self.post_gathered(play, today).await?;
                if today < day {
                    self.ended.push((today, play.books.day_end_now(today)));
                }
                today = day;
            }
            play.transcript.record(today, &action);
            match (gathered, action) {
                (Some(payment), _) => {
                    let entered = play.enter(today, Event::Pay(payment), draw_total_fits)?;
                    self.gathered.push((payment, entered.map(|entered| entered.rows)));
                }
                (None, Action::Enter(event)) => self.enter(play, today, event).await?,
                (None, Action::SwitchAccrual) => self.switch_accrual(play, today).await?,
                (None, Action::Read) => {
                    self.read(play, today).await?;
                    if !gathers {
                        self.foresee(play, today).await?;
                    }
                }
            }
        }
        self.post_gathered(play, today).await?;
        self.compare_rows(play).await?;
        if gathers {
            self.ended.clear();
        } else {
            self.foresee(play, today).await?;
        }
        self.look_back(play, today).await?;
        self.reverse_all(play, today).await?;
        self.look_back(play, today).await?;
        self.compare_rows(play).await
    }

    /// Reverses every entry, the latest first, or first the one that stands in its way. In the end
    /// the loan must be as it was booked, but for changes of its status.
    async fn reverse_all(&mut self, play: &mut Play<'_>, today: NaiveDate) -> Result<(), String> {
        let is_left = |entry: &Entry| {
            entry.partner.is_none() && !matches!(entry.event, Event::Reverse { .. })
        };
        while let Some(latest) = play.books.entries.iter().rposition(is_left) {
            let mut next = latest;
            loop {
                let event = Event::Reverse { entry: next, returned: None };
                play.transcript.record(today, &Action::Enter(event));
                let refusal = play.books.clone().enter(today, event).err();
                self.enter(play, today, event).await?;
                match refusal {
                    None => break,
                    Some(Refusal::Blocked(entry)) if entry != next => next = entry,
                    // A figure on the way cannot be stored, or the status has changed.
                    Some(Refusal::OutOfRange | Refusal::StatusChanged) => return Ok(()),
                    Some(refusal) => return Err(format!("{next} is stuck: {refusal:?}")),
                }
            }
        }
        let mut books = play.plan.books();
        for day in &play.books.terms.accrual_switches {
            books.switch_accrual(*day).expect("switched before");
        }
        play.transcript.check_equal("the loan as booked", &books.state, &play.books.state)
    }

    /// Posts the payments that gathered on this day, together, in a nested transaction.
    async fn post_gathered(&mut self, play: &mut Play<'_>, day: NaiveDate) -> Result<(), String> {
        let gathered = std::mem::take(&mut self.gathered);
        if gathered.is_empty() {
            return Ok(());
        }
        if gathered.len() > 1 {
            play.tally.gathered += gathered.len() as u64;
        }
        let validated: Vec<_> = gathered.iter().map(|(payment, _)| validated(payment)).collect();
        let DatabaseDriver { caller, author, .. } = self.driver;
        let loan_id = self.loan_id;
        let payments = validated.iter().flatten();
        let payments = payments.map(|payment| LoanPayment { caller, author, loan_id, payment });
        let payments: Vec<_> = payments.collect();
        let tx = self.tx.begin().await.expect("a savepoint");
        let loans = LoanAccount::lock_available(&tx, vec![loan_id]).await.expect("the loan");
        let requests: Vec<_> = payments.iter().map(|it| (loan_id, it.payment.request())).collect();
        let loans = LockedLoans::read(&tx, loans, &requests).await.expect("the account");
        let mut writes = WriteBatch::new(&tx);
        let posted = payments::post_all(&tx, &mut writes, clock(day), loans, &payments).await;
        let mut outcomes = posted.map_err(|problem| problem.message())?.into_iter();
        writes.execute(&tx).await.map_err(|error| error.to_string())?;
        tx.commit().await.expect("the end of a savepoint");
        for ((_, expected), payment) in gathered.into_iter().zip(&validated) {
            let actual = match payment {
                Err(error) => Err(error.clone()),
                Ok(_) => match outcomes.next().flatten() {
                    Some(posted) => posted,
                    None => return Err("a payment was left out".to_owned()),
                },
            };
            self.check_entry(play, expected, actual)?;
        }
        self.compare_state(play).await
    }

    async fn enter(
        &mut self,
        play: &mut Play<'_>,
        today: NaiveDate,
        event: Event,
    ) -> Result<(), String> {
        let expected = play.enter(today, event, draw_total_fits)?.map(|entered| entered.rows);
        let actual = self.post(today, event).await;
        self.check_entry(play, expected, actual)?;
        self.compare_state(play).await
    }

    /// Changes the status to the one that differs in whether it stops accrual.
    async fn switch_accrual(&self, play: &mut Play<'_>, today: NaiveDate) -> Result<(), String> {
        // Also what a refused change asked for.
        let mut changed = play.books.terms.clone();
        changed.accrual_switches.push(today);
        let expected = play.switch_accrual(today);
        let author = Actor::new(&self.driver.caller, ChangeSource::Batch, &RequestId::random());
        let tx = self.tx.begin().await.expect("a savepoint");
        let account = LoanAccount::lock(&tx, self.loan_id).await.expect("the account");
        let status = self.driver.setup.status(&changed, None);
        let loan = loans::Model { status_code_id: status, ..account.loan.clone() };
        let status = account::status(&tx, status).await.expect("a status");
        assert_ne!(status.stop_accrual_flag, account.status.stop_accrual_flag, "{expected:?}");
        let change = modifications::modify(&account, &author, today, loan, &status);
        let saved = match change {
            Ok(change) => {
                account::save(&tx, clock(today).now, &[change]).await.expect("saved");
                tx.commit().await.expect("the end of a savepoint");
                Ok(())
            }
            Err(_) => Err(Refusal::OutOfRange),
        };
        play.transcript.check_equal("the change of status", expected, saved)?;
        self.compare_state(play).await
    }

    fn check_entry(
        &mut self,
        play: &Play<'_>,
        expected: Result<Vec<Row>, Refusal>,
        actual: Result<Vec<loan_transactions::Model>, LoanError>,
    ) -> Result<(), String> {
        let keys = actual
            .as_ref()
            .ok()
            .map(|posted| posted.iter().map(|row| row.transaction_id).collect());
        self.compare_entry(play, expected, actual)?;
        self.keys.extend(keys);
        Ok(())
    }

    fn compare_entry(
        &self,
        play: &Play<'_>,
        expected: Result<Vec<Row>, Refusal>,
        actual: Result<Vec<loan_transactions::Model>, LoanError>,
    ) -> Result<(), String> {
        match (expected, actual) {
            (Ok(rows), Ok(posted)) => {
                let posted_rows: Vec<Row> = posted.iter().map(row).collect();
                play.transcript.check_equal("what was posted", rows, posted_rows)
            }
            (Err(refusal), Err(error)) => {
                let verdict = self.check_problem(&refusal, &Problem::from(error));
                play.transcript.check_equal("why it was refused", Ok(()), verdict)
            }
            (expected, actual) => {
                let actual = actual.map(|rows| rows.iter().map(row).collect());
                let actual = actual.map_err(|problem| problem.message());
                let expected = expected.map_err(|refusal| format!("{refusal:?}"));
                play.transcript.check_equal("what happened", expected, actual)
            }
        }
    }

    /// Checks that a problem says what the model says, figures included.
    fn check_problem(&self, refusal: &Refusal, problem: &Problem) -> Result<(), String> {
        use ProblemType as Type;
        let (problem_type, figure) = match *refusal {
            Refusal::AmountNotPositive => (Type::AmountNotPositive, None),
            Refusal::InFuture => (Type::EffectiveDateInFuture, None),
            Refusal::TooEarly(date) => (Type::EffectiveDateTooEarly, Some(date.to_string())),
            Refusal::Closed => (Type::LoanClosed, None),
            Refusal::SplitMismatch => (Type::SplitMismatch, None),
            Refusal::ExceedsBalance(most) => (Type::SplitExceedsBalance, Some(figure(most))),
            Refusal::Overpayment(most) => (Type::Overpayment, Some(figure(most))),
            Refusal::PayoffShort(payoff) => (Type::PayoffShort, Some(figure(payoff))),
            Refusal::Blocked(_) | Refusal::StatusChanged | Refusal::IsReversal => {
                (Type::NotReversible, None)
            }
            Refusal::InvalidValue | Refusal::NotApplicable | Refusal::OutOfRange => {
                (Type::InvalidValue, None)
            }
        };
        let blocker = match *refusal {
            Refusal::Blocked(entry) => json!(self.keys[entry][0]),
            _ => Value::Null,
        };
        let message = problem.message();
        let names_blocker = problem.document("", "")["blockedBy"] == blocker;
        match names_blocker
            && problem.kind() == problem_type
            && figure.is_none_or(|figure| message.contains(&figure))
        {
            true => Ok(()),
            false => Err(format!("{refusal:?} is not {}: {message}", problem.kind().name())),
        }
    }

    /// Posts in a nested transaction, which is rolled back if the entry is refused.
    async fn post(
        &self,
        today: NaiveDate,
        event: Event,
    ) -> Result<Vec<loan_transactions::Model>, LoanError> {
        let tx = self.tx.begin().await.expect("a savepoint");
        let posted = match event {
            Event::Pay(payment) => self.pay(&tx, today, &payment).await,
            Event::Adjust(adjustment) => self.adjust(&tx, today, &adjustment).await,
            Event::Reverse { entry, returned } => {
                let returned = returned.map(|date| ReturnedPayment { date, fee: None });
                let reversal = ValidatedReversal { returned, user_reference: None };
                let (author, loan_id) = (&self.driver.author, self.loan_id);
                let reference = self.keys[entry][0];
                reversals::reverse(&tx, author, clock(today), loan_id, reference, &reversal).await
            }
        };
        let end = if posted.is_ok() { tx.commit().await } else { tx.rollback().await };
        end.expect("the end of a savepoint");
        posted
    }

    async fn pay(
        &self,
        tx: &DatabaseTransaction,
        today: NaiveDate,
        payment: &Payment,
    ) -> Result<Vec<loan_transactions::Model>, LoanError> {
        let DatabaseDriver { caller, author, .. } = self.driver;
        let payment = validated(payment)?;
        payments::post(tx, caller, author, clock(today), self.loan_id, &payment).await
    }

    async fn adjust(
        &self,
        tx: &DatabaseTransaction,
        today: NaiveDate,
        adjustment: &Adjustment,
    ) -> Result<Vec<loan_transactions::Model>, LoanError> {
        let new = ValidatedAdjustment {
            kind: kind(adjustment.kind),
            amount: money(adjustment.amount),
            effective_date: Some(adjustment.date),
            creditline_id: Some(self.creditline_id)
                .filter(|_| adjustment.kind == AdjustmentKind::Draw),
            user_reference: None,
        };
        let author = &self.driver.author;
        let row = adjustments::post(tx, author, clock(today), self.loan_id, &new).await?;
        Ok(vec![row])
    }

    async fn read(&self, play: &mut Play<'_>, today: NaiveDate) -> Result<(), String> {
        play.tally.read += 1;
        let account = self.account(&self.tx).await?;
        let standing = account.state.standing(&account.terms, today);
        let actual = standing.map(|standing| LoanFigures {
            per_diem: standing.per_diem.units().into(),
            payoff: units(standing.payoff),
            past_due: units(standing.past_due),
            current_due: units(standing.current_due),
            days_past_due: standing.days_past_due.into(),
        });
        let actual = actual.map_err(|_| Refusal::OutOfRange);
        play.transcript.check_equal("what is read", play.books.read(today), actual)
    }

    async fn account(&self, tx: &DatabaseTransaction) -> Result<Arc<LoanAccount>, String> {
        let found = LoanAccount::read(tx, &self.driver.caller, vec![self.loan_id]).await;
        let account = found.expect("accounts").remove(&self.loan_id).expect("the loan");
        account.map_err(|problem| problem.message())
    }

    async fn compare_state(&self, play: &Play<'_>) -> Result<(), String> {
        let loan = loans::Entity::find_by_id(self.loan_id).one(&self.tx).await;
        let loan = loan.expect("a row").expect("the loan");
        let due = payments_due::Entity::find()
            .filter(payments_due::Column::LoanId.eq(self.loan_id))
            .order_by_asc(payments_due::Column::PaymentNumber);
        let due = due.all(&self.tx).await.expect("due rows");
        let paid_off = play.books.state.paid_off;
        let status = (loan.closed_date, loan.status_code_id);
        let model_status = (paid_off, self.driver.setup.status(&play.books.terms, paid_off));
        play.transcript.check_equal("closing date and status", model_status, status)?;
        let actual = state(&loan, &due);
        play.transcript.check_equal("the loan", &play.books.state, &actual)?;
        let numbers: Vec<i32> = due.iter().map(|row| row.payment_number).collect();
        let in_order = (1..=due.len() as i32).collect();
        play.transcript.check_equal("payment numbers", in_order, numbers)
    }

    /// Compares the loan's list: every row, its reversal, and its allocations to due rows.
    async fn compare_rows(&self, play: &mut Play<'_>) -> Result<(), String> {
        let rows = loan_transactions::Entity::find()
            .filter(loan_transactions::Column::LoanId.eq(self.loan_id))
            .order_by_asc(loan_transactions::Column::TransactionId);
        let rows = rows.all(&self.tx).await.expect("rows");
        let actual: Vec<ListedRow> = rows.iter().skip(self.opening).map(listed).collect();
        play.transcript.check_equal("the list", self.expected_rows(play), actual)?;
        balances_are_sums(play, &rows)?;
        play.transcript.check_equal(
            "allocations",
            play.books.allocations(),
            self.allocations(&rows).await,
        )?;
        let drawn = booking::drawn(&self.tx, self.creditline_id).await.expect("a credit line");
        play.transcript.check_equal("what was drawn", drawn_of(&play.books), drawn)
    }

    async fn allocations(&self, rows: &[loan_transactions::Model]) -> Vec<Allocation> {
        let codes: HashMap<i64, i32> =
            rows.iter().map(|row| (row.transaction_id, row.transaction_code)).collect();
        let due = payments_due::Entity::find()
            .filter(payments_due::Column::LoanId.eq(self.loan_id))
            .all(&self.tx)
            .await
            .expect("due rows");
        let dates: HashMap<i64, NaiveDate> =
            due.iter().map(|row| (row.row_id, row.due_date)).collect();
        let of_loan = payment_allocations::Column::TransactionId.is_in(codes.keys().copied());
        let stored = payment_allocations::Entity::find().filter(of_loan).all(&self.tx).await;
        let stored = stored.expect("allocations");
        let allocation = |row: &payment_allocations::Model| Allocation {
            code: codes[&row.transaction_id],
            due: dates[&row.payment_due_id],
            amount: units(row.amount),
        };
        let mut all: Vec<_> = stored.iter().map(allocation).collect();
        all.sort();
        all
    }

    fn expected_rows(&self, play: &Play<'_>) -> Vec<ListedRow> {
        let mut list = Vec::new();
        for (number, entry) in play.books.entries.iter().enumerate() {
            for (index, row) in entry.entered.rows.iter().enumerate() {
                let returned = entry.returned.filter(|_| row.balance.is_none());
                list.push(ListedRow {
                    row: *row,
                    reference: self.keys[number][0],
                    reversed: entry.partner.is_some(),
                    partner: entry.partner.map(|partner| self.keys[partner][index]),
                    returned,
                });
            }
        }
        list
    }
}

/// The number and the sum of draws that are not reversed.
fn drawn_of(books: &Books) -> (i32, Amount) {
    let unreversed = books.entries.iter().filter(|entry| entry.partner.is_none());
    let rows = unreversed.flat_map(|entry| &entry.entered.rows).filter(|row| row.code == 110);
    let amounts: Vec<Amount> = rows.map(|row| row.amount).collect();
    (amounts.len() as i32, amounts.iter().sum())
}

/// Checks that a credit line can store the sum of its draws, which may be large if the loan is paid
/// off in between.
fn draw_total_fits(books: &Books) -> Result<(), Refusal> {
    if drawn_of(books).1 > LARGEST { Err(Refusal::OutOfRange) } else { Ok(()) }
}

/// Checks that each balance except interest is the signed sum of its rows, and that settled
/// interest is the sum of interest rows.
fn balances_are_sums(play: &Play<'_>, rows: &[loan_transactions::Model]) -> Result<(), String> {
    use loan_transactions::BalanceName as Name;
    let sum = |name| -> Amount {
        let of_balance = rows.iter().filter(|row| row.balance_name == Some(name));
        of_balance.map(|row| sign(row.transaction_code) * units(row.transaction_amount)).sum()
    };
    let sums = [
        sum(Name::Principal),
        -sum(Name::Interest),
        sum(Name::LateCharge),
        sum(Name::Fees),
        sum(Name::Impound),
        sum(Name::Suspense),
    ];
    let at = &play.books.state;
    let balances = [at.principal, at.settled, at.late_charges, at.fees, at.impound, at.suspense];
    play.transcript.check_equal("sums of rows", balances, sums)
}

/// The sign of a code, reversals included.
fn sign(code: i32) -> Amount {
    let raises = matches!(code & !1, 100 | 110 | 130 | 132 | 140 | 142);
    if raises == (code % 2 == 0) { 1 } else { -1 }
}

/// The engine's name of a kind.
pub(super) fn kind(kind: AdjustmentKind) -> engine::AdjustmentKind {
    match kind {
        AdjustmentKind::Advance => engine::AdjustmentKind::Advance,
        AdjustmentKind::Draw => engine::AdjustmentKind::Draw,
        AdjustmentKind::LateCharge => engine::AdjustmentKind::LateCharge,
        AdjustmentKind::Fee => engine::AdjustmentKind::Fee,
        AdjustmentKind::InterestReduction => engine::AdjustmentKind::InterestReduction,
        AdjustmentKind::PrincipalWriteOff => engine::AdjustmentKind::PrincipalWriteOff,
        AdjustmentKind::ImpoundDisbursement => engine::AdjustmentKind::ImpoundDisbursement,
        AdjustmentKind::SuspenseDisbursement => engine::AdjustmentKind::SuspenseDisbursement,
        AdjustmentKind::LateChargeWaived => engine::AdjustmentKind::LateChargeWaived,
        AdjustmentKind::FeeWaived => engine::AdjustmentKind::FeeWaived,
    }
}

fn figure(amount: Amount) -> String {
    money(amount).to_string()
}
