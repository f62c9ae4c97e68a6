//! What an answer to a payment may be, and a table of those that came.

use super::sender::Payment;
use acceptance::Answer;
use serde_json::Value;
use shared::problem::ProblemType;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// What came of sending a payment once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Posted: this is its total row.
    Posted(i64),
    /// It had been posted: the answer of an earlier request.
    Replayed(i64),
    /// A problem document of a type that the payment's sender has to expect.
    Refused(ProblemType),
    /// The connection failed.
    Lost(String),
    /// There was no answer in time.
    TimedOut,
    /// An answer that must not be.
    Wrong(String),
}

impl Outcome {
    /// True where the whole service, not this payment, was the reason.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Refused(kind) => kind.status() == 503,
            Self::Lost(_) | Self::TimedOut => true,
            _ => false,
        }
    }

    /// The transaction, if the payment is acknowledged.
    pub fn transaction(&self) -> Option<i64> {
        match self {
            Self::Posted(id) | Self::Replayed(id) => Some(*id),
            _ => None,
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
            Self::TimedOut => write!(f, "no answer in time"),
            Self::Wrong(_) => write!(f, "WRONG"),
        }
    }
}

/// An answer, or that there was none, and when.
#[derive(Clone, Debug)]
pub struct Answered {
    /// When the request was sent.
    pub sent: Instant,
    /// How long it took.
    pub took: Duration,
    /// What came of it.
    pub outcome: Outcome,
}

impl Answered {
    /// When it was known.
    pub fn at(&self) -> Instant {
        self.sent + self.took
    }
}

/// What an answer says of the payment it answers.
pub fn judge(payment: &Payment, answer: Result<&Answer, &reqwest::Error>) -> Outcome {
    match answer {
        Ok(answer) => judge_answer(payment, answer).unwrap_or_else(Outcome::Wrong),
        Err(error) if error.is_timeout() => Outcome::TimedOut,
        Err(error) => Outcome::Lost(format!("{error:?}")),
    }
}

fn judge_answer(payment: &Payment, answer: &Answer) -> Result<Outcome, String> {
    let shown = || format!("{} {:.400}", answer.status, answer.text);
    match answer.status.as_u16() {
        201 => {
            let id = total_row(payment, &answer.json()).ok_or_else(shown)?;
            match answer.header("idempotency-replayed") {
                "true" => Ok(Outcome::Replayed(id)),
                _ => Ok(Outcome::Posted(id)),
            }
        }
        409 | 423 | 503 => {
            let document = answer.json();
            let name = answer.problem();
            let kind = ProblemType::ALL.iter().find(|kind| kind.name() == name);
            let kind = *kind.ok_or_else(shown)?;
            let sound = document["type"] == format!("urn:problem-type:core:{name}")
                && kind.status() == answer.status
                && document["status"] == answer.status.as_u16()
                && document["requestId"] == answer.header("x-request-id")
                && answer.header("content-type") == "application/problem+json"
                && answer.header("retry-after").parse::<u64>().is_ok();
            if sound { Ok(Outcome::Refused(kind)) } else { Err(shown()) }
        }
        _ => Err(shown()),
    }
}

/// The id of the entry's total row, if the entry is this payment's and its parts come to it.
fn total_row(payment: &Payment, rows: &Value) -> Option<i64> {
    let (total, parts) = rows.as_array()?.split_first()?;
    let mine = total["Transaction_Code"] == 120
        && total["External_ID"] == payment.name
        && total["Loan_ID"] == payment.loan_id
        && cents(&total["Transaction_Amount"])? == payment.cents;
    let mut sum = 0;
    for part in parts {
        let amount = cents(&part["Transaction_Amount"])?;
        sum += if part["Transaction_Code"] == 134 { -amount } else { amount };
    }
    (mine && sum == payment.cents).then(|| total["Transaction_ID"].as_i64())?
}

/// An amount with two decimals.
fn cents(value: &Value) -> Option<i64> {
    let (whole, fraction) = value.as_str()?.split_once('.')?;
    if fraction.len() != 2 {
        return None;
    }
    format!("{whole}{fraction}").parse().ok()
}

/// How many answers there were of each kind, and their latencies.
pub struct Table<'a>(pub &'a [Answered]);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
        for answered in self.0 {
            kinds.entry(answered.outcome.to_string()).or_default().push(answered.took);
        }
        writeln!(f, "  {:<32}{:>8}{:>9}{:>11}", "answers", "count", "percent", "longest s")?;
        for (kind, times) in kinds {
            let percent = 100.0 * times.len() as f64 / self.0.len() as f64;
            let longest = times.iter().max().map_or(0.0, Duration::as_secs_f64);
            writeln!(f, "  {kind:<32}{:>8}{percent:>9.2}{longest:>11.2}", times.len())?;
        }
        Ok(())
    }
}
