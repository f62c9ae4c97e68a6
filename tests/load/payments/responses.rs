//! The responses allowed for a job, and a table of those received.

use super::jobs::{Job, JobKind, MovementType, State, Work};
use acceptance::TestResponse;
use acceptance::lean_client::NoResponse;
use serde_json::Value;
use shared::problem::ProblemType;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// The outcome of sending a job once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Posted; this is the id of its first row.
    Posted(i64),
    /// Posted before: the response to an earlier request.
    Replayed(i64),
    /// A problem document of a type that the job's sender must expect.
    Refused(ProblemType),
    /// The connection failed.
    Lost(String),
    /// There was no response in time.
    TimedOut,
    /// The load balancer had no response from a server, and answered with this status.
    Balancer(u16),
    /// A response that must not occur.
    Wrong(String),
}

impl Outcome {
    /// True if the reason was the whole service, not this job.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Refused(kind) => kind.status() == 503,
            Self::Lost(_) | Self::TimedOut | Self::Balancer(_) => true,
            _ => false,
        }
    }

    /// True if the job is in the books.
    pub fn is_posted(&self) -> bool {
        matches!(self, Self::Posted(_) | Self::Replayed(_))
    }

    /// True if the same request was sent before.
    pub fn is_of_earlier_request(&self) -> bool {
        matches!(self, Self::Replayed(_) | Self::Refused(ProblemType::IdempotencyInProgress))
    }

    /// The state of the job after this outcome.
    pub fn state(&self) -> State {
        match self {
            Self::Posted(id) | Self::Replayed(id) => State::Acknowledged(*id),
            // Final: what was not charged by then never will be.
            Self::Refused(ProblemType::DrawerNegative | ProblemType::CardDeclined) => {
                State::Refused
            }
            _ => State::Open,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Posted(_) => write!(f, "201"),
            Self::Replayed(_) => write!(f, "201 replayed"),
            Self::Refused(kind) => write!(f, "{} {}", kind.status().as_u16(), kind.name()),
            Self::Lost(_) => write!(f, "connection lost"),
            Self::TimedOut => write!(f, "no response in time"),
            Self::Balancer(status) => write!(f, "{status} of the balancer"),
            Self::Wrong(_) => write!(f, "WRONG"),
        }
    }
}

/// A job sent once, with its response or the lack of one.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The kind of job sent.
    pub kind: JobKind,
    /// When the request was sent.
    pub sent: Instant,
    pub latency: Duration,
    pub outcome: Outcome,
}

impl Attempt {
    /// When the outcome was known.
    pub fn answered_at(&self) -> Instant {
        self.sent + self.latency
    }
}

pub fn classify(job: &Job, response: Result<&TestResponse, &NoResponse>) -> Outcome {
    match response {
        Ok(response) => classify_response(job, response).unwrap_or_else(Outcome::Wrong),
        Err(NoResponse::TimedOut) => Outcome::TimedOut,
        Err(NoResponse::Lost(error)) => Outcome::Lost(error.clone()),
    }
}

fn classify_response(job: &Job, response: &TestResponse) -> Result<Outcome, String> {
    let description = || format!("{}: {} {:.400}", job.kind(), response.status, response.text);
    if response.status == 201 {
        let id = first_row(job, &response.json()).ok_or_else(description)?;
        return match response.header("idempotency-replayed") {
            "true" => Ok(Outcome::Replayed(id)),
            _ => Ok(Outcome::Posted(id)),
        };
    }
    if let Some(status) = balancer_status(response) {
        return Ok(Outcome::Balancer(status));
    }
    let document = response.json();
    let name = response.problem();
    let kind = ProblemType::ALL.iter().find(|kind| kind.name() == name);
    let kind = *kind.filter(|kind| is_allowed_problem(job, **kind)).ok_or_else(description)?;
    let is_final = matches!(kind, ProblemType::DrawerNegative | ProblemType::CardDeclined);
    let has_retry_after = is_final || response.header("retry-after").parse::<u64>().is_ok();
    let is_valid = document["type"] == format!("urn:problem-type:core:{name}")
        && kind.status() == response.status
        && document["status"] == response.status.as_u16()
        && document["requestId"] == response.header("x-request-id")
        && response.header("content-type") == "application/problem+json"
        && has_retry_after;
    if is_valid { Ok(Outcome::Refused(kind)) } else { Err(description()) }
}

/// The status that a load balancer with the sample settings answers with itself: a problem without
/// a type and a request id.
fn balancer_status(response: &TestResponse) -> Option<u16> {
    let document = response.json();
    let status = response.status.as_u16();
    let is_valid = document["type"] == "about:blank"
        && document["status"] == status
        && response.header("content-type") == "application/problem+json"
        && response.header("x-request-id").is_empty()
        && (status != 503 || response.header("retry-after") == "5");
    (is_valid && [502, 503, 504].contains(&status)).then_some(status)
}

/// True if a job may be refused like this. Whether a 503 is explained by a fault is checked later.
fn is_allowed_problem(job: &Job, kind: ProblemType) -> bool {
    match kind {
        ProblemType::IdempotencyInProgress => true,
        ProblemType::LoanLocked => job.kind().is_payment(),
        ProblemType::DrawerLocked => job.kind().is_at_drawer(),
        ProblemType::CardDeclined => job.kind() == JobKind::CardPayment,
        ProblemType::DrawerNegative => matches!(
            job.work,
            Work::Movement {
                movement_type: MovementType::BankOut
                    | MovementType::AdjustmentOut
                    | MovementType::Transfer(_),
                ..
            }
        ),
        kind => kind.status() == 503,
    }
}

/// The id of the first row, if the rows belong to this job.
fn first_row(job: &Job, response: &Value) -> Option<i64> {
    match job.work {
        Work::Payment { loan_id, drawer_id, cents } => {
            total_row(&job.name, (loan_id, drawer_id, cents), response)
        }
        Work::CardPayment { loan_id, card_id, cents } => {
            let is_right =
                response["State"] == "posted" && response["PaymentGatewayTokenID"] == card_id;
            let row = total_row(&job.name, (loan_id, None, cents), &response["Transactions"])?;
            is_right.then_some(row)
        }
        Work::Movement { .. } => movement_row(job, response),
        Work::Count { drawer_id, cash, check, .. } => {
            let is_right = response["Drawer_ID"] == drawer_id
                && response["Comment"] == job.name
                && is_counted(response, "Cash", cash)?
                && is_counted(response, "Check", check)?;
            is_right.then(|| response["Reconciliation_ID"].as_i64())?
        }
    }
}

/// The id of the entry's total row, if the entry belongs to this payment and its parts add up to
/// it.
fn total_row(
    name: &str,
    (loan_id, drawer_id, paid): (i64, Option<i64>, i64),
    rows: &Value,
) -> Option<i64> {
    let (total, parts) = rows.as_array()?.split_first()?;
    let is_own = total["Transaction_Code"] == 120
        && total["External_ID"] == name
        && total["Loan_ID"] == loan_id
        && total["Cash_Drawer_ID"].as_i64() == drawer_id
        && cents(&total["Transaction_Amount"])? == paid;
    let mut sum = 0;
    for part in parts {
        let amount = cents(&part["Transaction_Amount"])?;
        sum += if part["Transaction_Code"] == 134 { -amount } else { amount };
    }
    (is_own && sum == paid).then(|| total["Transaction_ID"].as_i64())?
}

/// The id of a movement's first row, if the rows are those it must leave in the books.
fn movement_row(job: &Job, rows: &Value) -> Option<i64> {
    let rows = rows.as_array()?;
    let mut lines = Vec::new();
    for row in rows {
        let (drawer, amount) = (row["Drawer_ID"].as_i64()?, cents(&row["Amount"])?);
        let (kind, tender) = (row["Transaction_Type"].as_str()?, row["Tender"].as_str()?);
        lines.push(format!("drawer {drawer}, {kind}, {tender}, {amount}"));
    }
    let first = rows.first()?;
    let linked = rows.len() == 1
        || rows.iter().all(|row| row["Transfer_Reference_No"] == first["Drawer_Transaction_ID"]);
    let is_own = rows.iter().all(|row| row["Reference"] == job.name);
    let is_right = lines == job.lines() && linked && is_own;
    is_right.then(|| first["Drawer_Transaction_ID"].as_i64())?
}

/// True if this was counted, and the amount over or short is the difference to what was expected.
fn is_counted(count: &Value, tender: &str, counted: i64) -> Option<bool> {
    let amount = |name: &str| cents(&count[format!("{name}_{tender}")]);
    Some(amount("Counted")? == counted && amount("Over_Short")? == counted - amount("Expected")?)
}

/// An amount with two decimals.
fn cents(value: &Value) -> Option<i64> {
    let (whole, fraction) = value.as_str()?.split_once('.')?;
    if fraction.len() != 2 {
        return None;
    }
    format!("{whole}{fraction}").parse().ok()
}

/// Counts of responses by kind, with their latencies.
pub struct ResponseTable<'a>(pub &'a [Attempt]);

impl fmt::Display for ResponseTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
        for attempt in self.0 {
            let kind = format!("{}: {}", attempt.kind, attempt.outcome);
            kinds.entry(kind).or_default().push(attempt.latency);
        }
        writeln!(f, "  {:<40}{:>8}{:>9}{:>11}", "responses", "count", "percent", "longest s")?;
        for (kind, latencies) in kinds {
            let percent = 100.0 * latencies.len() as f64 / self.0.len() as f64;
            let longest = latencies.iter().max().map_or(0.0, Duration::as_secs_f64);
            writeln!(f, "  {kind:<40}{:>8}{percent:>9.2}{longest:>11.2}", latencies.len())?;
        }
        Ok(())
    }
}
