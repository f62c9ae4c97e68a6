//! What is foreseen of a loan comes true, and what is said of its past was so: random loans over
//! HTTP, whose figures come from the second book.
//!
//! The loans follow from `TEST_SEED`. Their entries are backdated, because here no clock can be
//! moved; `loan_books` lets the days come on which the same figures must hold.

use crate::PROGRAM;
use acceptance::loan_drivers::database::booking::{self, SetupIds};
use acceptance::loan_drivers::{money, plans};
use acceptance::loan_model::foresight::{DayEnd, Quote, ScheduleRow};
use acceptance::loan_model::plan::{Action, Plan};
use acceptance::loan_model::{AdjustmentKind, Amount, Books, CENT, Event, Parts, Payment};
use acceptance::test_seed::test_seed;
use acceptance::{Database, TestResponse, World, on_each_database};
use chrono::{Days, NaiveDate};
use serde_json::{Value, json};
use shared::amounts::Accrual;
use shared::database;

/// Due dates of a schedule that are compared.
const ROWS: usize = 24;
/// How far the second book has to look ahead for them.
const AHEAD: u64 = (ROWS as u64 + 2) * 366;
/// Most days of a quote.
const QUOTED: u64 = 62;

#[tokio::test]
async fn what_is_foreseen_of_random_loans_comes_true() {
    let seed = test_seed();
    on_each_database(PROGRAM, |world| async move {
        let setup = SetupIds::add(&world.db).await.expect("setup rows");
        let count = if world.database == Database::Sqlite { 12 } else { 6 };
        let (mut figures, mut payoffs) = (0, 0);
        for (number, plan) in plans(count, seed).iter().enumerate() {
            let mut loan = ForeseenLoan::book(&world, &setup, number, plan).await;
            loan.enter(plan).await;
            loan.check_due_rows().await;
            loan.check_past().await;
            loan.check_quotes().await;
            loan.check_schedule().await;
            loan.pay_row_0().await;
            loan.pay_off().await;
            figures += loan.figures;
            payoffs += usize::from(loan.books.state.paid_off.is_some());
        }
        println!("{figures} figures of {count} loans, {payoffs} of them paid off");
        assert!(figures > count * 100 && payoffs > count / 2, "{figures} and {payoffs}");
        world
    })
    .await;
}

/// A loan, and the second book on it.
struct ForeseenLoan<'a> {
    world: &'a World,
    token: String,
    today: NaiveDate,
    path: String,
    creditline_id: i64,
    books: Books,
    /// For each entry of the book, its reference number.
    references: Vec<i64>,
    /// How many figures were compared.
    figures: usize,
}

impl<'a> ForeseenLoan<'a> {
    async fn book(world: &'a World, setup: &SetupIds, number: usize, plan: &Plan) -> Self {
        let today = database::clock(&world.db).await.expect("the clock").today;
        let books = Books::new(plan.terms.clone(), today + Days::new(AHEAD));
        let tx = database::begin_write(&world.db).await.expect("a transaction");
        let name = format!("LOAN-{number}");
        let booked = booking::book(&tx, setup, &name, &plan.terms, &books.state).await;
        let (loan_id, creditline_id, _) = booked.expect("a booked loan");
        tx.commit().await.expect("committed");
        let (token, path) = (world.token("admin").await, format!("/loans/{loan_id}"));
        let references = Vec::new();
        Self { world, token, today, path, creditline_id, books, references, figures: 0 }
    }

    async fn get(&self, path: &str) -> TestResponse {
        self.world.client.get(&self.token, &format!("{}/{path}", self.path)).await
    }

    async fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.world.client.post(&self.token, &format!("{}/{path}", self.path), body, None).await
    }

    fn compare(&mut self, what: &str, book: Value, service: Value) {
        self.figures += book.as_array().map_or(1, Vec::len);
        assert_eq!(book, service, "{what} of {}: {:#?}", self.path, self.books);
    }

    /// Enters whatever of the plan the book accepts, all of it today.
    async fn enter(&mut self, plan: &Plan) {
        let mut planned = plan.first_day();
        for step in &plan.moves {
            let (day, action) = step.action(&self.books, planned, self.today);
            planned = day;
            let Action::Enter(event) = action else { continue };
            let mut books = self.books.clone();
            if books.enter(self.today, event).is_err() {
                continue;
            }
            let (path, body) = self.request(event);
            let rows = self.post(&path, &body).await.expect(201).json();
            self.references.push(rows[0]["Transaction_ID"].as_i64().expect("an id"));
            self.books = books;
        }
    }

    /// The request that enters an event.
    fn request(&self, event: Event) -> (String, Value) {
        match event {
            Event::Pay(payment) => ("transactions/payments".to_owned(), body(&payment)),
            Event::Adjust(adjustment) => {
                let mut body = json!({
                    "Kind": kind(adjustment.kind),
                    "Amount": text(adjustment.amount),
                    "Effective_Date": adjustment.date,
                });
                if adjustment.kind == AdjustmentKind::Draw {
                    body["Creditline_ID"] = json!(self.creditline_id);
                }
                ("transactions/adjustments".to_owned(), body)
            }
            Event::Reverse { entry, returned } => {
                let body = match returned {
                    None => json!({"Reason": "error"}),
                    Some(date) => json!({"Reason": "nsf", "Returned_Date": date}),
                };
                (format!("transactions/{}/reversal", self.references[entry]), body)
            }
        }
    }

    /// The amount due on each due date up to today.
    async fn check_due_rows(&mut self) {
        let mut state = self.books.state.clone();
        let Books { terms, interest, .. } = &self.books;
        state.fall_due(terms, interest, self.today).expect("due rows");
        let rows = state.due_rows.iter().zip(1..).map(|(row, number)| {
            let unpaid = row.unpaid_interest() + row.unpaid_principal();
            let age = if unpaid > 0 { (self.today - row.date).num_days() } else { 0 };
            json!({
                "Payment_Number": number,
                "Due_Date": row.date,
                "Interest_Due": text(row.interest),
                "Principal_Due": text(row.principal),
                "Interest_Paid": text(row.interest_paid),
                "Principal_Paid": text(row.principal_paid),
                "Unpaid_Amount": text(unpaid),
                "Days_Past_Due": age,
            })
        });
        let book = rows.collect();
        let service = self.get("payments-due?limit=1000").await.expect(200).json();
        self.compare("due rows", book, service);
    }

    /// The balances on the day of each entry, the day before and the day after.
    async fn check_past(&mut self) {
        let entries = self.books.entries.iter();
        let dates = entries.map(|entry| entry.entered.rows[0].effective);
        let mut days: Vec<NaiveDate> = dates
            .chain([self.books.terms.origination, self.today])
            .flat_map(|day| [day - Days::new(1), day, day + Days::new(1)])
            .filter(|day| self.books.terms.origination <= *day && *day <= self.today)
            .collect();
        days.sort();
        days.dedup();
        for day in days {
            let Ok(book) = self.books.day_end(day, self.today) else { continue };
            let service = self.get(&format!("balances?date={day}")).await.expect(200).json();
            let DayEnd { principal, interest, late_charges, fees, impound, suspense } = book;
            let named = [
                ("Principal_Balance", principal),
                ("Interest_Balance", interest),
                ("Late_Charge_Balance", late_charges),
                ("Fees_Balance", fees),
                ("Impound_Balance", impound),
                ("Suspense_Balance", suspense),
                ("Payoff_Balance", book.payoff()),
            ];
            let found = named.map(|(name, _)| service[name].clone());
            let book = named.map(|(_, amount)| text(amount));
            self.compare(&format!("balances of {day}"), json!(book), json!(found));
        }
    }

    /// Quotes from the earliest day on, from today on, and up to the latest day. What is quoted for
    /// a past day is what a payoff takes.
    async fn check_quotes(&mut self) {
        if !self.books.takes_payments() {
            self.get("payoff-quote").await.expect_problem(422, "loan-closed");
            return;
        }
        let state = &self.books.state;
        let paid = state.last_payment.map_or(state.base_date, |(date, _)| date);
        let earliest = paid.max(state.base_date).max(self.books.terms.origination);
        let before = earliest - Days::new(1);
        let early = self.get(&format!("payoff-quote?date={before}")).await;
        early.expect_problem(422, "effective-date-too-early");
        for from in [earliest, self.today, self.today + Days::new(366 - QUOTED + 1)] {
            let through = from + Days::new(QUOTED - 1);
            let days: Vec<NaiveDate> = from.iter_days().take(QUOTED as usize).collect();
            let quotes: Result<Vec<Quote>, _> =
                days.iter().map(|day| self.books.quote(*day)).collect();
            let Ok(quotes) = quotes else { return };
            let book = days.iter().zip(&quotes).map(|(day, quote)| quoted(*day, quote));
            let book = book.collect();
            let path = format!("payoff-quote?date={from}&through={through}");
            let service = self.get(&path).await.expect(200).json();
            self.compare("quotes", book, service["Quotes"].clone());
            let past = days.iter().zip(&quotes).filter(|(day, _)| **day <= self.today);
            for (day, quote) in past.step_by(17) {
                self.try_payoff(*day, quote.amount).await;
            }
        }
    }

    /// Pays off as a dry run: the amount is right, and a cent less is short.
    async fn try_payoff(&self, day: NaiveDate, amount: Amount) {
        let path = "transactions/payments?test=true";
        let payoff = |amount| payoff(amount, day);
        self.post(path, &payoff(amount)).await.expect(200);
        if amount > CENT {
            let short = self.post(path, &payoff(amount - CENT)).await;
            let short = short.expect_problem(422, "payoff-short");
            assert!(short.text.contains(&text(amount)), "{}", short.text);
        }
    }

    async fn check_schedule(&mut self) {
        let Ok((rows, complete)) = self.books.schedule(self.today, ROWS) else { return };
        let service = self.get(&format!("schedule?limit={ROWS}")).await.expect(200).json();
        let sum = |part: fn(&ScheduleRow) -> Amount| text(rows.iter().map(part).sum());
        let totals = [
            ("Total_Payments", sum(|row| row.interest + row.principal)),
            ("Total_Interest", sum(|row| row.interest)),
            ("Total_Principal", sum(|row| row.principal)),
            ("Late_Charges", text(self.books.state.late_charges)),
            ("Fees", text(self.books.state.fees)),
        ];
        for (name, book) in totals {
            self.compare(name, json!(book), service[name].clone());
        }
        self.compare("the end", json!(complete), service["Complete_Flag"].clone());
        self.compare("rows", rows.iter().map(scheduled).collect(), service["Rows"].clone());
    }

    /// What is due today, paid as a split, leaves the balance of row 0.
    async fn pay_row_0(&mut self) {
        let Ok((rows, _)) = self.books.schedule(self.today, 0) else { return };
        let payment = rows[0].payment().filter(|payment| payment.amount % CENT == 0);
        let Some(payment) = payment.filter(|_| self.books.takes_payments()) else { return };
        self.books.enter(self.today, Event::Pay(payment)).expect("a payment");
        self.post("transactions/payments", &body(&payment)).await.expect(201);
        let schedule = self.get("schedule?limit=1").await.expect(200).json();
        let left = json!([text(0), text(rows[0].ending_balance)]);
        let row_0 = &schedule["Rows"][0];
        self.compare("row 0", left, json!([row_0["Payment"], row_0["Ending_Balance"]]));
    }

    /// Today's quote closes the loan.
    async fn pay_off(&mut self) {
        let Ok(Quote { amount, .. }) = self.books.quote(self.today) else { return };
        if !self.books.takes_payments() || amount % CENT != 0 {
            return;
        }
        let quote = self.get("payoff-quote").await.expect(200).json();
        self.compare(
            "today's quote",
            json!(text(amount)),
            quote["Quotes"][0]["Payoff_Amount"].clone(),
        );
        self.books.enter(self.today, Books::payoff_of(amount, self.today)).expect("a payoff");
        self.post("transactions/payments", &payoff(amount, self.today)).await.expect(201);
        self.get("payoff-quote").await.expect_problem(422, "loan-closed");
        let schedule = self.get("schedule").await.expect(200).json();
        let row_0 = &schedule["Rows"][0];
        self.compare("nothing is left", json!("0.00"), row_0["Ending_Balance"].clone());
        self.check_past().await;
    }
}

fn text(amount: Amount) -> String {
    money(amount).to_string()
}

/// A payment that is to close the loan.
fn payoff(amount: Amount, day: NaiveDate) -> Value {
    json!({"Amount": text(amount), "Effective_Date": day, "Payoff": true})
}

fn body(payment: &Payment) -> Value {
    let mut body = payoff(payment.amount, payment.date);
    body["Payoff"] = json!(payment.payoff);
    if let Some(excess) = payment.excess {
        body["Excess_Handling"] = json!(format!("{excess:?}").to_lowercase());
    }
    if let Some(parts) = payment.split {
        let Parts { principal, interest, late_charges, fees, impound, suspense } = parts;
        for (name, part) in [
            ("Principal", principal),
            ("Interest", interest),
            ("Late_Charge", late_charges),
            ("Fee", fees),
            ("Impound", impound),
            ("Suspense", suspense),
        ] {
            body[format!("{name}_Amount")] = json!(text(part));
        }
    }
    body
}

fn kind(kind: AdjustmentKind) -> &'static str {
    match kind {
        AdjustmentKind::Advance => "advance",
        AdjustmentKind::Draw => "draw",
        AdjustmentKind::LateCharge => "late_charge",
        AdjustmentKind::Fee => "fee",
        AdjustmentKind::InterestReduction => "interest_reduction",
        AdjustmentKind::PrincipalWriteOff => "principal_write_off",
        AdjustmentKind::ImpoundDisbursement => "impound_disbursement",
        AdjustmentKind::SuspenseDisbursement => "suspense_disbursement",
        AdjustmentKind::LateChargeWaived => "late_charge_waived",
        AdjustmentKind::FeeWaived => "fee_waived",
    }
}

fn quoted(day: NaiveDate, quote: &Quote) -> Value {
    let per_diem = Accrual::from_wide_units(quote.per_diem).expect("an accrual");
    json!({
        "Date": day,
        "Principal": text(quote.principal),
        "Interest": text(quote.interest),
        "Late_Charges": text(quote.late_charges),
        "Fees": text(quote.fees),
        "Suspense_Applied": text(quote.suspense_applied),
        "Payoff_Amount": text(quote.amount),
        "Per_Diem": per_diem.to_rate(),
        "Impound_Held": text(quote.held[0]),
        "Suspense_Held": text(quote.held[1]),
    })
}

fn scheduled(row: &ScheduleRow) -> Value {
    json!({
        "Payment_Number": row.number,
        "Date": row.date,
        "Payment": text(row.interest + row.principal),
        "Principal": text(row.principal),
        "Interest": text(row.interest),
        "Ending_Balance": text(row.ending_balance),
    })
}
