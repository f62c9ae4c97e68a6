//! The loans that payments are posted to: of several kinds, so that payments go to due rows,
//! accrued interest, charges, unbilled principal and suspense.

use acceptance::{World, seeds};
use chrono::{Days, NaiveDate};
use std::fmt::Write;

/// Loans per import file, which is one transaction and one request.
const BLOCK: u32 = 500;

#[derive(Clone)]
pub struct Loans {
    /// The loan on which many payments contend.
    pub hot: i64,
    pub others: Vec<i64>,
}

impl Loans {
    /// Books this many loans and the hot one through the API.
    pub async fn book(world: &World, count: u32) -> Result<Self, String> {
        let token = world.token("admin").await;
        let today = world.text("SELECT CAST(CURRENT_DATE AS char(10))").await;
        let today: NaiveDate = today.parse().map_err(|_| format!("{today} is not a date"))?;
        let mut loan_ids = Vec::new();
        let numbers: Vec<u32> = (0..=count).collect();
        for block in numbers.chunks(BLOCK as usize) {
            let mut records = String::new();
            for number in block {
                let terms = terms(today, *number);
                let loan = seeds::borrower_with_loan(*number, &terms);
                write!(records, "{loan}").map_err(|error| error.to_string())?;
            }
            let result = world.import(&token, &seeds::file(&records)).await;
            let records = result["Records"].as_array().cloned().unwrap_or_default();
            let loans = records.iter().filter(|record| record["Element"] == "Loan");
            loan_ids.extend(loans.filter_map(|loan| loan["New_ID"].as_i64()));
        }
        match loan_ids.split_first() {
            Some((hot, others)) if others.len() == count as usize => {
                Ok(Self { hot: *hot, others: others.to_vec() })
            }
            _ => Err(format!("{} of {count} loans were booked", loan_ids.len())),
        }
    }
}

/// The kinds in turn. All loans are large and cheap enough to take payments for hours, and small
/// payments are enough to settle what fell due before today.
fn terms(today: NaiveDate, number: u32) -> String {
    let days_ago = |days: u64| today - Days::new(days);
    let (amount, rate) = if number == 0 { (90_000_000, "0.001") } else { (1_000_000, "0.1") };
    let scheduled = |period: &str, installment: &str, first_due_days: u64| {
        format!(
            "PaymentPeriod=\"{period}\" PaymentAmount=\"{installment}\" NumberOfPayments=\"500\" \
             FirstPaymentDate=\"{}\"",
            days_ago(first_due_days)
        )
    };
    let schedule = match number % 4 {
        0 => {
            let charges = "LateChargeBalance=\"12.35\" FeesBalance=\"7.65\"";
            format!("{} {charges}", scheduled("weekly", "35.35", 133))
        }
        1 => "PaymentPeriod=\"none\" InterestYearNumerator=\"ACT\" \
              InterestYearDenominator=\"360\""
            .to_owned(),
        2 => {
            let more =
                "ExcessHandling=\"suspense\" SuspenseBalance=\"0.55\" ImpoundBalance=\"9.99\"";
            format!("{} {more}", scheduled("biweekly", "71.03", 112))
        }
        _ => {
            let day_count = "InterestYearNumerator=\"360\" InterestYearDenominator=\"360\"";
            format!("{} {day_count}", scheduled("weekly", "52.07", 70))
        }
    };
    let origination_date = days_ago(140);
    format!(
        "OriginationDate=\"{origination_date}\" LoanAmount=\"{amount}.00\" \
         InterestRate=\"{rate}\" {schedule}"
    )
}
