//! Loan snapshots: the state of a loan before an entry that moved its accrual base. Reversing the
//! entry restores it.
//!
//! The stored form carries its own field names and a version, so it stays readable when the columns
//! of `loans` change.

use chrono::NaiveDate;
use sea_orm::DbErr;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::amounts::{Accrual, Money};
use shared::entity::loan_snapshots::Model;
use shared::entity::loans::{self, PaymentPeriod, YearLength};

/// Version written by this release.
const VERSION: u32 = 1;

/// Columns of the terms that interest and installments depend on, the status among them.
pub const TERMS: [&str; 9] = [
    "status_code_id",
    "interest_year_numerator",
    "interest_year_denominator",
    "payment_period",
    "first_payment_date",
    "payment_day",
    "maturity_date",
    "payment_amount",
    "interest_start_date",
];

/// State of a loan before an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoanSnapshot {
    version: u32,
    /// Status of the loan.
    pub status_code_id: i64,
    /// Effective date of the payoff.
    pub payoff_date: Option<NaiveDate>,
    /// Day on which the loan was closed.
    pub closed_date: Option<NaiveDate>,
    pub accrual_base_date: NaiveDate,
    /// Interest accrued since booking up to that date, unrounded, paid or not.
    pub accrual_base_total: Accrual,
    /// Amount that early payments have paid toward the next installment.
    pub paid_ahead_amount: Money,
    /// First due date without a due row; `None` after maturity or payoff.
    pub next_due_date: Option<NaiveDate>,
    /// Effective date of the latest payment.
    pub last_payment_date: Option<NaiveDate>,
    pub last_payment_amount: Option<Money>,
    interest_year_numerator: YearLength,
    interest_year_denominator: YearLength,
    payment_period: PaymentPeriod,
    first_payment_date: Option<NaiveDate>,
    payment_day: Option<i32>,
    maturity_date: Option<NaiveDate>,
    payment_amount: Option<Money>,
    interest_start_date: NaiveDate,
}

impl LoanSnapshot {
    /// Returns the snapshot of a loan in its current state.
    pub fn of(loan: &loans::Model) -> Self {
        Self {
            version: VERSION,
            status_code_id: loan.status_code_id,
            payoff_date: loan.payoff_date,
            closed_date: loan.closed_date,
            accrual_base_date: loan.accrual_base_date,
            accrual_base_total: loan.accrual_base_total,
            paid_ahead_amount: loan.paid_ahead_amount,
            next_due_date: loan.next_due_date,
            last_payment_date: loan.last_payment_date,
            last_payment_amount: loan.last_payment_amount,
            interest_year_numerator: loan.interest_year_numerator,
            interest_year_denominator: loan.interest_year_denominator,
            payment_period: loan.payment_period,
            first_payment_date: loan.first_payment_date,
            payment_day: loan.payment_day,
            maturity_date: loan.maturity_date,
            payment_amount: loan.payment_amount,
            interest_start_date: loan.interest_start_date,
        }
    }

    /// Reads a stored snapshot.
    pub fn read(stored: Value) -> Result<Self, String> {
        let snapshot: Self = serde_json::from_value(stored).map_err(|error| error.to_string())?;
        match snapshot.version {
            VERSION => Ok(snapshot),
            version => Err(format!("snapshot version {version} was written by a later release")),
        }
    }

    /// Returns a loan with the accrual base and the terms of the snapshot.
    pub fn restored(&self, loan: &loans::Model) -> loans::Model {
        loans::Model {
            status_code_id: self.status_code_id,
            accrual_base_date: self.accrual_base_date,
            accrual_base_total: self.accrual_base_total,
            interest_year_numerator: self.interest_year_numerator,
            interest_year_denominator: self.interest_year_denominator,
            payment_period: self.payment_period,
            first_payment_date: self.first_payment_date,
            payment_day: self.payment_day,
            maturity_date: self.maturity_date,
            payment_amount: self.payment_amount,
            interest_start_date: self.interest_start_date,
            ..loan.clone()
        }
    }

    /// Returns the snapshot with other values of these terms, in the form in which the field history
    /// stores them.
    pub fn with_terms<'a>(
        &self,
        terms: impl Iterator<Item = (&'static str, Option<&'a str>)>,
    ) -> Result<Self, String> {
        let mut stored = serde_json::to_value(self).map_err(|error| error.to_string())?;
        for (term, value) in terms {
            let is_number = matches!(term, "status_code_id" | "payment_day");
            let number = value.filter(|_| is_number).map(str::parse::<i64>).transpose();
            let number = number.map_err(|error| error.to_string())?;
            stored[term] = number.map_or_else(|| Value::from(value), Value::from);
        }
        serde_json::from_value(stored).map_err(|error| error.to_string())
    }

    /// Returns the row that stores the snapshot with the entry whose first row is `reference`.
    pub fn row(&self, reference: i64) -> Result<Model, DbErr> {
        let prior_state =
            serde_json::to_value(self).map_err(|error| DbErr::Json(error.to_string()))?;
        Ok(Model { transaction_id: reference, prior_state })
    }

    /// True if the terms that interest and installments depend on have not changed since the
    /// snapshot.
    pub fn has_same_terms(&self, loan: &loans::Model) -> bool {
        self.has_terms_of(&Self::of(loan))
    }

    /// True if the terms of both snapshots are the same, whatever the status.
    pub fn has_terms_of(&self, other: &Self) -> bool {
        let terms = |it: &Self| {
            (
                (it.interest_year_numerator, it.interest_year_denominator),
                (it.payment_period, it.first_payment_date, it.payment_day, it.maturity_date),
                (it.payment_amount, it.interest_start_date),
            )
        };
        terms(self) == terms(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn loan() -> loans::Model {
        loans::Model {
            loan_number: "L-1".to_owned(),
            status_code_id: 3,
            accrual_base_total: "12.3456".parse().unwrap(),
            payment_amount: Some("652.53".parse().unwrap()),
            payment_day: Some(31),
            last_payment_date: NaiveDate::from_ymd_opt(2024, 2, 29),
            ..loans::Model::default()
        }
    }

    #[test]
    fn snapshots_are_read_and_those_of_later_releases_refused() {
        let stored = serde_json::to_value(LoanSnapshot::of(&loan())).unwrap();
        assert_eq!(stored["version"], 1);
        assert_eq!(LoanSnapshot::read(stored.clone()).unwrap(), LoanSnapshot::of(&loan()));
        let mut later = stored.clone();
        later["version"] = json!(2);
        assert!(LoanSnapshot::read(later).unwrap_err().contains("version 2"));
        let mut truncated = stored;
        truncated.as_object_mut().unwrap().remove("accrual_base_total");
        assert!(LoanSnapshot::read(truncated).unwrap_err().contains("accrual_base_total"));
    }

    #[test]
    fn changed_terms_are_detected() {
        let before = LoanSnapshot::of(&loan());
        let changed = loans::Model { payment_day: Some(30), ..loan() };
        assert!(!before.has_same_terms(&changed));
        let renamed = loans::Model { loan_number: "L-2".to_owned(), ..loan() };
        assert!(before.has_same_terms(&renamed));
        assert!(before.has_same_terms(&before.restored(&changed)));
    }

    #[test]
    fn a_term_takes_a_value_of_the_field_history() {
        let before = LoanSnapshot::of(&loan());
        for (term, value) in [
            ("interest_year_numerator", "360"),
            ("interest_year_denominator", "364"),
            ("payment_period", "weekly"),
            ("first_payment_date", "2024-02-15"),
            ("payment_day", "30"),
            ("maturity_date", "2029-01-15"),
            ("payment_amount", "700.00"),
            ("interest_start_date", "2024-01-15"),
        ] {
            assert!(TERMS.contains(&term));
            let after = before.with_terms([(term, Some(value))].into_iter()).unwrap();
            assert!(!after.has_terms_of(&before), "{term}");
        }
        let status = before.with_terms([("status_code_id", Some("7"))].into_iter()).unwrap();
        assert_eq!(status.status_code_id, 7);
        let none = before.with_terms([("payment_day", None)].into_iter()).unwrap();
        assert_eq!(none.payment_day, None);
        assert!(before.with_terms([("payment_day", Some("x"))].into_iter()).is_err());
        assert!(before.with_terms([("payment_period", Some("x"))].into_iter()).is_err());
    }
}
