//! The rows of a newly booked loan, and of what they refer to.

use super::super::money;
use crate::loan_model::{Amount, LARGEST, State, Terms};
use chrono::NaiveDate;
use sea_orm::{
    ColumnTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait, QueryFilter,
};
use shared::amounts::{Money, Rate};
use shared::database;
use shared::database::batch::{insert_row, insert_rows};
use shared::entity::contacts;
use shared::entity::credit_lines::{self, DrawUntilType};
use shared::entity::loan_transactions::{self, BalanceName};
use shared::entity::loans::{InterestMethod, LoanType};
use shared::entity::payment_distribution::PaymentDistribution;
use shared::entity::{
    contact_types, loan_groups, loan_interest_rates, loan_status_codes, loans, portfolios,
};
use shared::time::Timestamp;

/// Ids of the rows that loans refer to.
pub struct SetupIds {
    contact_id: i64,
    loan_group_id: i64,
    portfolio_id: i64,
    entered_by: i64,
    now: Timestamp,
    /// Statuses by whether they stop accrual, and whether they refuse payments.
    open: [[i64; 2]; 2],
    paid_off: i64,
}

impl SetupIds {
    /// Adds the rows that a fresh database lacks.
    pub async fn add(db: &DatabaseConnection) -> Result<Self, DbErr> {
        let now = database::time(db).await?;
        let kind = contact_types::Entity::find().one(db).await?.expect("a type of contacts");
        let group = loan_groups::Entity::find().one(db).await?.expect("a group of loans");
        let portfolio = portfolios::Entity::find().one(db).await?.expect("a portfolio");
        let entity = shared::entity::entities::Entity::find().one(db).await?.expect("an entity");
        let contact = contacts::Model {
            contact_number: "BORROWER".to_owned(),
            contact_type_id: kind.contact_type_id,
            entity_code: entity.entity_code,
            last_name1: Some("Borrower".to_owned()),
            created_date: now,
            ..contacts::Model::default()
        };
        let mut open = [[0; 2]; 2];
        for (stops, row) in open.iter_mut().enumerate() {
            for (refuses, status_code_id) in row.iter_mut().enumerate() {
                *status_code_id = insert_row(db, status(stops == 1, refuses == 1)).await?;
            }
        }
        let paid_off = loan_status_codes::Column::Code.eq("PAID_OFF");
        let paid_off = loan_status_codes::Entity::find().filter(paid_off).one(db).await?;
        Ok(Self {
            contact_id: insert_row(db, contact).await?,
            loan_group_id: group.loan_group_id,
            portfolio_id: portfolio.portfolio_id,
            entered_by: installer::seed::user_id(db, "admin").await?,
            now,
            open,
            paid_off: paid_off.expect("the status of closed loans").status_code_id,
        })
    }

    /// The status of a loan with these terms.
    pub fn status(&self, terms: &Terms, paid_off: Option<NaiveDate>) -> i64 {
        let open = self.open[usize::from(terms.stops_now())][usize::from(terms.refuses_payments)];
        if paid_off.is_some() { self.paid_off } else { open }
    }

    /// The row of a newly booked loan.
    pub fn loan(&self, number: &str, terms: &Terms, booked: &State) -> loans::Model {
        let distribution = PaymentDistribution::new(terms.distribution.clone());
        loans::Model {
            loan_number: number.to_owned(),
            contact_id: self.contact_id,
            loan_group_id: self.loan_group_id,
            portfolio_id: self.portfolio_id,
            status_code_id: self.status(terms, None),
            loan_type: LoanType::Term,
            interest_method: InterestMethod::SI,
            interest_year_numerator: terms.numerator,
            interest_year_denominator: terms.denominator,
            starting_interest_rate: rate(terms.rates[0].1),
            current_interest_rate: rate(terms.rates[0].1),
            original_note_amount: money(terms.opening.principal),
            origination_date: terms.origination,
            last_activity_date: Some(terms.origination),
            interest_start_date: terms.interest_start,
            payment_period: terms.period,
            payment_amount: terms.payment_amount.map(money),
            number_of_payments: terms.number_of_payments.map(|count| count as i32),
            first_payment_date: terms.first_payment,
            next_due_date: booked.next_due,
            maturity_date: terms.calendar().maturity,
            payment_day: terms.payment_day.map(|day| day as i32),
            advance_days: terms.advance_days as i32,
            payment_distribution: distribution.expect("a distribution"),
            excess_handling: terms.excess,
            current_principal_balance: money(booked.principal),
            current_late_charge_balance: money(booked.late_charges),
            current_fees_balance: money(booked.fees),
            current_impound_balance: money(booked.impound),
            current_suspense_balance: money(booked.suspense),
            interest_accrued_thru_date: booked.base_date,
            accrual_base_date: booked.base_date,
            created_date: self.now,
            ..loans::Model::default()
        }
    }

    /// The rows of its opening, each a journal entry of its own.
    fn opening(&self, loan_id: i64, terms: &Terms) -> Vec<loan_transactions::Model> {
        let opening = &terms.opening;
        let balances = [
            (100, BalanceName::Principal, opening.principal),
            (130, BalanceName::Impound, opening.impound),
            (132, BalanceName::Suspense, opening.suspense),
            (140, BalanceName::LateCharge, opening.late_charges),
            (142, BalanceName::Fees, opening.fees),
        ];
        let positive = balances.into_iter().filter(|(_, _, amount)| *amount > 0);
        let row = |(code, name, amount)| loan_transactions::Model {
            transaction_id: 0,
            loan_id,
            transaction_reference_no: 0,
            transaction_code: code,
            transaction_description: "Opening".to_owned(),
            transaction_date: self.now,
            effective_date: terms.origination,
            gl_date: terms.origination,
            transaction_amount: money(amount),
            balance_name: Some(name),
            resulting_balance: Some(money(amount)),
            payment_method_code: None,
            payment_method_reference: None,
            user_reference: None,
            paid_by_contact_id: None,
            creditline_id: None,
            cash_drawer_id: None,
            payment_gateway_token_id: None,
            external_id: None,
            userdef01: None,
            userdef02: None,
            userdef03: None,
            userdef04: None,
            userdef05: None,
            entered_by_user_id: self.entered_by,
            reversed_flag: false,
            reversal_transaction_id: None,
            nsf_flag: false,
            nsf_date: None,
        };
        positive.map(row).collect()
    }
}

/// A status of open loans.
fn status(stops_accrual: bool, refuses_payments: bool) -> loan_status_codes::Model {
    let code = format!("S{}R{}", u8::from(stops_accrual), u8::from(refuses_payments));
    loan_status_codes::Model {
        status_code_id: 0,
        description: code.clone(),
        code,
        active_flag: true,
        closed_flag: false,
        stop_accrual_flag: stops_accrual,
        stop_late_charge_flag: false,
        refuse_payments_flag: refuses_payments,
    }
}

/// Books a loan. Returns its id, the id of its credit line, and the number of rows of its opening.
pub async fn book(
    tx: &DatabaseTransaction,
    setup: &SetupIds,
    number: &str,
    terms: &Terms,
    booked: &State,
) -> Result<(i64, i64, usize), DbErr> {
    let loan_id = insert_row(tx, setup.loan(number, terms, booked)).await?;
    let rates = terms.rates.iter().map(|(effective_date, units)| loan_interest_rates::Model {
        row_id: 0,
        loan_id,
        effective_date: *effective_date,
        interest_rate: rate(*units),
    });
    insert_rows(tx, rates.collect()).await?;
    let opening = setup.opening(loan_id, terms);
    let rows = opening.len();
    insert_rows(tx, opening).await?;
    let line = credit_lines::Model {
        creditline_id: 0,
        loan_id,
        name: "Main line".to_owned(),
        description: None,
        transaction_code: 0,
        credit_line_limit: money(LARGEST),
        credit_total_draw_limit: None,
        min_draw_amount: None,
        max_draw_amount: None,
        max_number_of_draws: None,
        draw_until_type: DrawUntilType::None,
        draw_until_period: None,
        number_of_periods: None,
        draw_until_date: None,
        draw_count: 0,
        draw_total: Money::ZERO,
    };
    Ok((loan_id, insert_row(tx, line).await?, rows))
}

/// The number and the sum of a line's draws, as stored.
pub async fn drawn(tx: &DatabaseTransaction, creditline_id: i64) -> Result<(i32, Amount), DbErr> {
    let line = credit_lines::Entity::find_by_id(creditline_id).one(tx).await?;
    let line = line.expect("the credit line");
    Ok((line.draw_count, line.draw_total.units().into()))
}

fn rate(units: i128) -> Rate {
    Rate::from_wide_units(units).expect("a rate")
}
