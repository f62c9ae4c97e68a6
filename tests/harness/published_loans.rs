//! Real loans with the lender's own books: booked and paid through the API, then compared.
//!
//! The table is a CSV with one row per loan: the contract (`loan_amount`, `term`, `interest_rate`,
//! `installment`, `issue_month`), what the books showed (`balance`, `paid_principal`), and the
//! number of whole installments that explains it (`payments_made`). A loan is booked on the first of
//! its issue month, 30/360, and its installments are posted on the first of each following month.

use crate::client::Client;
use crate::response::TestResponse;
use chrono::{Days, Months, NaiveDate};
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
    pub loan_amount: String,
    /// Number of monthly payments.
    pub term: u32,
    /// Percent per year.
    pub interest_rate: String,
    pub installment: String,
    /// `YYYY-MM`.
    pub issue_month: String,
    pub balance: String,
    /// Principal paid so far.
    pub paid_principal: String,
    /// The number of whole installments, if it explains the figures.
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

    /// The dates on which its installments were paid.
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
    /// Equal to the cent.
    pub exact: usize,
    /// Off by one cent.
    pub within_a_cent: usize,
    /// Off by more.
    pub worse: usize,
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

/// Reads every loan back, this many concurrently, and compares it with the books.
pub async fn compare(
    admin: &AdminSession<'_>,
    loans: &[PublishedLoan],
    loan_ids: &[i64],
    workers: usize,
) -> Result<Comparison, String> {
    let comparable = loans.iter().zip(loan_ids).filter(|(loan, _)| loan.payments_made.is_some());
    let differences = comparable.map(|(loan, loan_id)| difference(admin, loan, *loan_id));
    let mut differences = stream::iter(differences).buffer_unordered(workers);
    let mut comparison = Comparison::default();
    while let Some(difference) = differences.next().await {
        comparison.rows += 1;
        match difference? {
            0 => comparison.exact += 1,
            1..=100 => comparison.within_a_cent += 1,
            _ => comparison.worse += 1,
        }
    }
    Ok(comparison)
}

/// Returns by how much a loan differs from the books at most, in hundredths of a cent: in its
/// balance, in the principal paid, and in the payoff quoted for the day of the last payment. The
/// payment due after it must be the installment.
async fn difference(
    admin: &AdminSession<'_>,
    loan: &PublishedLoan,
    loan_id: i64,
) -> Result<u64, String> {
    let path = format!("/loans/{loan_id}");
    let stored = read_back(admin, &path).await?;
    let balance = amount(&stored["Current_Principal_Balance"])?;
    let paid = amount(&stored["Original_Note_Amount"])?.minus(balance);
    let paid = paid.map_err(|error| error.to_string())?;
    let mut figures = vec![(balance, &loan.balance), (paid, &loan.paid_principal)];
    let payments = loan.payment_dates();
    let last = payments.last().copied().unwrap_or(loan.booked());
    if !balance.is_zero() {
        let quote = read_back(admin, &format!("{path}/payoff-quote?date={last}")).await?;
        figures.push((amount(&quote["Quotes"][0]["Payoff_Amount"])?, &loan.balance));
    }
    // The last payment of all takes what is left.
    if payments.len() + 1 < loan.term as usize {
        let from = last + Days::new(1);
        let due = read_back(admin, &format!("{path}/payments-due?from={from}&limit=1")).await?;
        let (interest, principal) = (&due[0]["Interest_Due"], &due[0]["Principal_Due"]);
        let next = amount(interest)?.plus(amount(principal)?);
        if next != Ok(money(&loan.installment)?) {
            return Err(format!("{path}: {due} is not the installment of {}", loan.installment));
        }
    }
    let mut differences = figures
        .into_iter()
        .map(|(ours, theirs)| money(theirs).map(|theirs| ours.units().abs_diff(theirs.units())));
    differences.try_fold(0, |most, difference| Ok(most.max(difference?)))
}

async fn read_back(admin: &AdminSession<'_>, path: &str) -> Result<Value, String> {
    let response = admin.client.get(&admin.token().await?, path).await;
    match response.status.as_u16() {
        200 => Ok(response.json()),
        status => Err(format!("{path}: {status} {}", response.text)),
    }
}

fn amount(value: &Value) -> Result<Money, String> {
    money(value.as_str().unwrap_or_default())
}

fn money(text: &str) -> Result<Money, String> {
    text.parse::<Money>().map_err(|error| error.to_string())
}
