//! What is foreseen of a loan and what is said of its past, compared with the model; and whether it
//! comes true when the day comes.

use super::stored::units;
use super::{DatabaseEngine, clock};
use crate::loan_drivers::Play;
use crate::loan_model::foresight::{DayEnd, Quote, ScheduleRow};
use crate::loan_model::plan::Action;
use crate::loan_model::{Books, CENT, Event, Refusal};
use api_server::auth::caller::RequestContext;
use api_server::loans::past_balances::{self, AsOf};
use api_server::loans::servicing::amortization::{Amortization, RowRange};
use api_server::loans::servicing::payoff::Payoff;
use chrono::{Days, NaiveDate};
use sea_orm::{DatabaseTransaction, TransactionTrait};
use shared::problem::{Problem, ProblemType};

/// Due dates of a schedule that are compared.
const ROWS: usize = 12;
/// Rows of a schedule that are paid.
const PAID: usize = 3;
/// How many days ahead the model can look: more than the longest schedule of this many rows.
const AHEAD: u64 = (ROWS as u64 + 2) * 366;
/// The latest day that is quoted, in days after today.
const QUOTED: u64 = 366;

impl DatabaseEngine<'_> {
    /// Compares what is foreseen today, and pays as foreseen.
    pub(super) async fn foresee(
        &self,
        play: &mut Play<'_>,
        today: NaiveDate,
    ) -> Result<(), String> {
        let books = play.books.up_to(today + Days::new(AHEAD));
        for day in days_to_quote(&books, today) {
            self.foresee_payoff(play, &books, day).await?;
        }
        self.foresee_schedule(play, &books, today).await
    }

    /// Compares the payoff quote for a day. Then that day has come: a cent less is short, and the
    /// amount quoted closes the loan.
    async fn foresee_payoff(
        &self,
        play: &mut Play<'_>,
        books: &Books,
        day: NaiveDate,
    ) -> Result<(), String> {
        if !books.takes_payments() {
            return Ok(());
        }
        play.tally.read += 1;
        let account = self.account(&self.tx).await?;
        let quotes = account.state.payoff_quotes(&account.terms, day, day);
        let quoted = quotes.map_err(|_| Refusal::OutOfRange).map(|quotes| {
            let Payoff {
                principal,
                interest,
                late_charges,
                fees,
                suspense_applied,
                amount,
                impound_held,
                suspense_held,
            } = quotes[0].payoff;
            Quote {
                principal: units(principal),
                interest: units(interest),
                late_charges: units(late_charges),
                fees: units(fees),
                suspense_applied: units(suspense_applied),
                amount: units(amount),
                per_diem: quotes[0].per_diem.units().into(),
                held: [units(impound_held), units(suspense_held)],
            }
        });
        let expected = books.quote(day);
        play.transcript.check_equal("the quote", (day, &expected), (day, &quoted))?;
        let Ok(Quote { amount, .. }) = expected else { return Ok(()) };
        let tx = self.tx.begin().await.expect("a savepoint");
        for amount in [amount - CENT, amount] {
            if amount >= 0 && amount % CENT == 0 {
                let payoff = Books::payoff_of(amount, day);
                self.try_event(play, &tx, &mut books.clone(), payoff).await?;
            }
        }
        tx.rollback().await.expect("rolled back");
        Ok(())
    }

    /// Compares the schedule. Then its first rows are paid, each on its day.
    async fn foresee_schedule(
        &self,
        play: &mut Play<'_>,
        books: &Books,
        today: NaiveDate,
    ) -> Result<(), String> {
        play.tally.read += 1;
        let account = self.account(&self.tx).await?;
        let range = RowRange { from: today, limit: ROWS };
        let found = account.state.amortization(&account.terms, today, range);
        let found = found.map(rows).map_err(|_| Refusal::OutOfRange);
        // The model posts the rows, so it also needs a payoff amount that can be stored.
        let Ok(expected) = books.schedule(today, ROWS) else { return Ok(()) };
        play.transcript.check_equal("the schedule", Ok(&expected), found.as_ref())?;
        let (rows, _) = expected;
        if !books.takes_payments() {
            return Ok(());
        }
        let tx = self.tx.begin().await.expect("a savepoint");
        let mut books = books.clone();
        let due = rows.iter().filter_map(|row| Some((row, row.payment()?)));
        for (row, payment) in due.take(PAID).filter(|(_, payment)| payment.amount % CENT == 0) {
            self.try_event(play, &tx, &mut books, Event::Pay(payment)).await?;
            let account = self.account(&tx).await?;
            let left = units(account.state.principal);
            play.transcript.check_equal("the ending balance", row.ending_balance, left)?;
        }
        tx.rollback().await.expect("rolled back");
        Ok(())
    }

    /// Posts on the day of the event, in the model's book as well.
    async fn try_event(
        &self,
        play: &mut Play<'_>,
        tx: &DatabaseTransaction,
        books: &mut Books,
        event: Event,
    ) -> Result<(), String> {
        let Event::Pay(payment) = event else { unreachable!("only payments are foreseen") };
        play.transcript.record(payment.date, &Action::Enter(event));
        let expected = books.enter(payment.date, event).map(|entry| entry.entered.rows.clone());
        let nested = tx.begin().await.expect("a savepoint");
        let actual = self.pay(&nested, payment.date, &payment).await;
        let end = if actual.is_ok() { nested.commit().await } else { nested.rollback().await };
        end.expect("the end of a savepoint");
        self.compare_entry(play, expected, actual)
    }

    /// Compares the balances of past days: as they were when the day ended, as they were known on
    /// the next day on which something happened, and as they are known today.
    pub(super) async fn look_back(
        &self,
        play: &mut Play<'_>,
        today: NaiveDate,
    ) -> Result<(), String> {
        let origination = play.plan.terms.origination;
        let later: Vec<NaiveDate> = self.ended.iter().map(|(day, _)| *day).chain([today]).collect();
        for (index, (day, then)) in self.ended.iter().enumerate() {
            if *day < origination {
                continue;
            }
            let known = self.past(play, today, [*day, *day]).await?;
            play.transcript.check_equal("the day", (day, then), (day, &known))?;
            let known_on = [later.get(index), later.get(index + 1), later.last()];
            for known_on in known_on.into_iter().flatten() {
                let expected = play.books.day_end(*day, *known_on);
                let known = self.past(play, today, [*day, *known_on]).await?;
                let what = format!("balances of {day} known on {known_on}");
                play.transcript.check_equal(&what, expected, known)?;
            }
        }
        Ok(())
    }

    async fn past(
        &self,
        play: &mut Play<'_>,
        today: NaiveDate,
        [date, known_on]: [NaiveDate; 2],
    ) -> Result<Result<DayEnd, Refusal>, String> {
        play.tally.read += 1;
        let as_of = AsOf { date, known_on };
        let context = RequestContext { caller: self.driver.caller.clone(), clock: clock(today) };
        let read = past_balances::read(&self.tx, &context, self.loan_id, as_of).await;
        let account = match read.map_err(Problem::from) {
            Ok(account) => account,
            Err(problem) if problem.kind() == ProblemType::InvalidValue => {
                return Ok(Err(Refusal::OutOfRange));
            }
            Err(problem) => return Err(problem.message()),
        };
        let state = &account.state;
        let interest = state.interest_owed_on(&account.terms, date);
        Ok(interest.map_err(|_| Refusal::OutOfRange).map(|interest| DayEnd {
            principal: units(state.principal),
            interest: units(interest),
            late_charges: units(state.late_charges),
            fees: units(state.fees),
            impound: units(state.impound),
            suspense: units(state.suspense),
        }))
    }
}

/// Today, a month and a year ahead, and what lies in between: due dates and their next days, the
/// maturity, and days on which the rate changes.
fn days_to_quote(books: &Books, today: NaiveDate) -> Vec<NaiveDate> {
    let next = |day: NaiveDate| day + Days::new(1);
    let maturity = books.terms.calendar().maturity;
    let dates = books.state.next_due.into_iter().chain(maturity);
    let rates = books.terms.rates.iter().map(|(day, _)| *day);
    let mut days: Vec<_> = dates.chain(rates).flat_map(|day| [day, next(day)]).collect();
    days.extend([0, 1, 31, QUOTED].map(|ahead| today + Days::new(ahead)));
    days.retain(|day| today <= *day && *day <= today + Days::new(QUOTED));
    days.sort();
    days.dedup();
    days
}

/// A schedule in the model's terms.
fn rows(schedule: Amortization) -> (Vec<ScheduleRow>, bool) {
    let rows = schedule.rows.iter().map(|row| {
        assert_eq!(row.interest.plus(row.principal), Ok(row.payment));
        ScheduleRow {
            number: row.payment_number as usize,
            date: row.date,
            interest: units(row.interest),
            principal: units(row.principal),
            ending_balance: units(row.ending_balance),
        }
    });
    (rows.collect(), schedule.complete)
}
