//! Real loans with the lender's own books: booked and paid through the API, then compared.
//!
//! The table is a CSV with one row per loan: the contract (`loan_amount`, `term`, `interest_rate`,
//! `installment`, `issue_month`), what the books showed (`balance`, `paid_principal`), and the
//! number of whole instalments that explains it (`payments_made`). A loan is booked on the first of
//! its issue month, 30/360, and its instalments are posted on the first of each following month.

use crate::client::Client;
use crate::response::TestResponse;
use chrono::{Months, NaiveDate};
use futures_util::StreamExt;
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::amounts::Money;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::time::sleep;

/// How long a payment is retried while the service allows it.
const RETRY_FOR: Duration = Duration::from_secs(90);

/// One row of the table.
#[derive(Clone, Debug, Deserialize)]
pub struct PublishedLoan {
    /// Identifies the loan.
    pub row: u32,
    /// Amount lent.
    pub loan_amount: String,
    /// Number of monthly payments.
    pub term: u32,
    /// Percent per year.
    pub interest_rate: String,
    /// Level instalment.
    pub installment: String,
    /// `YYYY-MM`.
    pub issue_month: String,
    /// The balance.
    pub balance: String,
    /// Principal paid so far.
    pub paid_principal: String,
    /// The number of whole instalments, if it explains the figures.
    pub payments_made: Option<u32>,
}

/// The rows of a table.
pub fn read(path: &Path) -> Result<Vec<PublishedLoan>, String> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| error.to_string())?;
    let rows: Result<Vec<_>, _> = reader.deserialize().collect();
    rows.map_err(|error| format!("{}: {error}", path.display()))
}

impl PublishedLoan {
    /// The date on which the loan is booked.
    pub fn booked(&self) -> NaiveDate {
        format!("{}-01", self.issue_month).parse().expect("an issue month")
    }

    /// The dates on which its instalments were paid.
    pub fn payment_dates(&self) -> Vec<NaiveDate> {
        let count = self.payments_made.unwrap_or_default();
        (1..=count).map(|month| self.booked() + Months::new(month)).collect()
    }

    fn xml(&self) -> String {
        let Self { row, loan_amount, term, interest_rate, installment, .. } = self;
        let (booked, first) = (self.booked(), self.booked() + Months::new(1));
        format!(
            "<Contact ContactNumber=\"C-{row}\" ContactTypeCode=\"BORROWER\" \
             EntityCode=\"INDIVIDUAL\" LastName1=\"Borrower {row}\"/>\n\
             <Loan LoanNumber=\"L-{row}\" ContactNumber=\"C-{row}\" LoanGroupCode=\"CONSUMER\" \
             PortfolioCode=\"MAIN\" OriginationDate=\"{booked}\" LoanAmount=\"{loan_amount}\" \
             InterestRate=\"{interest_rate}\" InterestYearNumerator=\"360\" \
             InterestYearDenominator=\"360\" PaymentPeriod=\"monthly\" \
             NumberOfPayments=\"{term}\" PaymentAmount=\"{installment}\" \
             FirstPaymentDate=\"{first}\"/>\n"
        )
    }
}

/// The import file of these loans.
pub fn import_file(loans: &[PublishedLoan]) -> String {
    let records: String = loans.iter().map(PublishedLoan::xml).collect();
    format!("<Core CommitBlock=\"1\" EnforceTagExistence=\"1\">\n{records}</Core>\n")
}

/// The service's figures compared with the lender's books.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Rows with `payments_made`.
    pub rows: usize,
    /// Balance equal to the cent.
    pub exact: usize,
    /// Off by one cent.
    pub within_a_cent: usize,
    /// Off by more.
    pub worse: usize,
    /// Number of payments posted.
    pub payments: usize,
    /// How long posting them took.
    pub posting: Duration,
}

impl Comparison {
    /// True if at least 93 % are exact and all are within one cent.
    pub fn holds(&self) -> bool {
        self.rows > 0 && self.worse == 0 && self.exact * 100 >= self.rows * 93
    }
}

/// A caller whose token is renewed before it expires.
pub struct AdminSession<'a> {
    client: &'a Client,
    password: &'a str,
    token: Mutex<Option<(String, Instant)>>,
}

impl<'a> AdminSession<'a> {
    /// The admin account.
    pub fn new(client: &'a Client, password: &'a str) -> Self {
        Self { client, password, token: Mutex::new(None) }
    }

    /// A token that is valid for several more minutes.
    pub async fn token(&self) -> Result<String, String> {
        let mut token = self.token.lock().await;
        match &*token {
            Some((text, since)) if since.elapsed() < Duration::from_secs(600) => Ok(text.clone()),
            _ => {
                let text = self.client.log_in("core", "admin", self.password).await?;
                *token = Some((text.clone(), Instant::now()));
                Ok(text)
            }
        }
    }
}

/// Books the loans with one import, sent twice under one key: the second answer must equal the
/// first.
pub async fn book(
    admin: &AdminSession<'_>,
    loans: &[PublishedLoan],
    key: &str,
) -> Result<Vec<i64>, String> {
    let (token, file) = (admin.token().await?, import_file(loans));
    let first = admin.client.import(&token, false, &file, Some(key)).await;
    let again = admin.client.import(&token, false, &file, Some(key)).await;
    if first.status != 200 || again.text != first.text {
        return Err(format!("import: {} {:.300}", first.status, first.text));
    }
    let result = first.json();
    if result["Failed"] != 0 || result["Committed"] != true {
        return Err(format!("import: {:.300}", first.text));
    }
    let records = result["Records"].as_array().cloned().unwrap_or_default();
    let booked = records.iter().filter(|record| record["Element"] == "Loan");
    booked.map(|loan| loan["New_ID"].as_i64().ok_or_else(|| loan.to_string())).collect()
}

/// Posts every loan's payments, this many loans concurrently, each payment under its own key.
/// Payments already posted under the same keys are not posted again.
pub async fn pay(
    admin: &AdminSession<'_>,
    loans: &[PublishedLoan],
    loan_ids: &[i64],
    workers: usize,
    posted: impl Fn(),
) -> Result<usize, String> {
    let payments_of_loans = loans.iter().zip(loan_ids).map(|(loan, loan_id)| {
        let posted = &posted;
        async move {
            let dates = loan.payment_dates();
            for date in &dates {
                let body = json!({
                    "Amount": loan.installment,
                    "Effective_Date": date,
                    "User_Reference": format!("published row {}", loan.row),
                });
                let path = format!("/loans/{loan_id}/transactions/payments");
                post_with_retries(admin, &path, &body, &format!("{}-{date}", loan.row)).await?;
                posted();
            }
            Ok::<usize, String>(dates.len())
        }
    });
    let outcomes: Vec<_> =
        stream::iter(payments_of_loans).buffer_unordered(workers).collect().await;
    outcomes.into_iter().sum()
}

/// Retries a request while its answer allows it, or while there is none.
async fn post_with_retries(
    admin: &AdminSession<'_>,
    path: &str,
    body: &Value,
    key: &str,
) -> Result<TestResponse, String> {
    let started = Instant::now();
    loop {
        let response = match admin.token().await {
            Ok(token) => {
                let response = admin.client.try_post(&token, path, body, Some(key)).await;
                response.map_err(|error| error.to_string())
            }
            Err(error) => Err(error),
        };
        match response {
            Ok(response) if response.status == 201 => return Ok(response),
            Ok(response) if !matches!(response.status.as_u16(), 409 | 423 | 503) => {
                return Err(format!("{path}: {} {}", response.status, response.text));
            }
            other if started.elapsed() > RETRY_FOR => return Err(format!("{path}: {other:?}")),
            _ => sleep(Duration::from_millis(200)).await,
        }
    }
}

/// Reads every loan back and compares it with the books.
pub async fn compare(
    admin: &AdminSession<'_>,
    loans: &[PublishedLoan],
    loan_ids: &[i64],
) -> Result<Comparison, String> {
    let mut comparison = Comparison::default();
    let comparable = loans.iter().zip(loan_ids).filter(|(loan, _)| loan.payments_made.is_some());
    for (loan, loan_id) in comparable {
        let response = admin.client.get(&admin.token().await?, &format!("/loans/{loan_id}")).await;
        if response.status != 200 {
            return Err(format!("loan {loan_id}: {} {}", response.status, response.text));
        }
        let money = |text: &str| text.parse::<Money>().map_err(|error| error.to_string());
        let loan_json = response.json();
        let balance = money(loan_json["Current_Principal_Balance"].as_str().unwrap_or_default())?;
        let original = money(loan_json["Original_Note_Amount"].as_str().unwrap_or_default())?;
        let paid = original.minus(balance).map_err(|error| error.to_string())?;
        let difference = |ours: Money, theirs: &str| {
            money(theirs).map(|theirs| ours.units().abs_diff(theirs.units()))
        };
        comparison.rows += 1;
        match difference(balance, &loan.balance)?.max(difference(paid, &loan.paid_principal)?) {
            0 => comparison.exact += 1,
            1..=100 => comparison.within_a_cent += 1,
            _ => comparison.worse += 1,
        }
    }
    Ok(comparison)
}
