//! The jobs that senders request: payments on loans, money into and out of drawers, and counts.

use serde_json::{Value, json};
use std::fmt;

/// A request as its sender keeps it, from before it is sent until its response is known.
#[derive(Clone, Debug)]
pub struct Job {
    /// The Idempotency-Key, and its name in the books: the External_ID, the Reference, the Comment.
    pub name: String,
    pub work: Work,
    pub state: State,
    /// True if it has a key and can be sent again; imported payments have none.
    pub keyed: bool,
}

/// The kind of request, by which responses are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// A payment that does not go into a drawer.
    Payment,
    /// A payment into a drawer.
    CashPayment,
    CardPayment,
    /// Money into a drawer, out of it, or to another one.
    Movement,
    /// A count of a drawer.
    Count,
}

impl JobKind {
    /// True for payments of any kind.
    pub fn is_payment(self) -> bool {
        matches!(self, Self::Payment | Self::CashPayment | Self::CardPayment)
    }

    /// True if it involves a drawer.
    pub fn is_at_drawer(self) -> bool {
        matches!(self, Self::CashPayment | Self::Movement | Self::Count)
    }
}

impl fmt::Display for JobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Payment => "payment",
            Self::CashPayment => "cash payment",
            Self::CardPayment => "card payment",
            Self::Movement => "drawer",
            Self::Count => "count",
        })
    }
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is unknown whether it is in the books.
    Open,
    /// It is in the books; its first row has this id.
    Acknowledged(i64),
    /// It is not in the books, and will not be sent again.
    Refused,
}

/// The work requested. Amounts are in cents.
#[derive(Clone, Debug)]
pub enum Work {
    /// A payment; in cash if it goes into a drawer.
    Payment {
        loan_id: i64,
        drawer_id: Option<i64>,
        cents: i64,
    },
    CardPayment {
        loan_id: i64,
        card_id: i64,
        cents: i64,
    },
    /// Money into a drawer or out of it.
    Movement {
        drawer_id: i64,
        movement_type: MovementType,
        tender: &'static str,
        cents: i64,
    },
    Count {
        drawer_id: i64,
        cash: i64,
        check: i64,
        close: bool,
    },
}

/// The direction of a movement of money.
#[derive(Clone, Copy, Debug)]
pub enum MovementType {
    BankIn,
    BankOut,
    /// A correction upwards.
    AdjustmentIn,
    /// A correction downwards.
    AdjustmentOut,
    /// To this drawer.
    Transfer(i64),
}

impl MovementType {
    /// The Transaction_Type.
    pub fn name(self) -> &'static str {
        match self {
            Self::BankIn => "bank_in",
            Self::BankOut => "bank_out",
            Self::AdjustmentIn => "adjustment_in",
            Self::AdjustmentOut => "adjustment_out",
            Self::Transfer(_) => "transfer",
        }
    }
}

impl Job {
    /// Creates a job that has not been sent yet.
    pub fn new(name: String, work: Work) -> Self {
        Self { name, work, state: State::Open, keyed: true }
    }

    /// The kind under which its responses are counted.
    pub fn kind(&self) -> JobKind {
        match self.work {
            Work::Payment { drawer_id: None, .. } => JobKind::Payment,
            Work::Payment { drawer_id: Some(_), .. } => JobKind::CashPayment,
            Work::CardPayment { .. } => JobKind::CardPayment,
            Work::Movement { .. } => JobKind::Movement,
            Work::Count { .. } => JobKind::Count,
        }
    }

    /// The path of its operation.
    pub fn path(&self) -> String {
        match self.work {
            Work::Payment { loan_id, .. } => format!("/loans/{loan_id}/transactions/payments"),
            Work::CardPayment { loan_id, .. } => {
                format!("/loans/{loan_id}/payment-gateway/payments")
            }
            Work::Movement { drawer_id, .. } => format!("/cash-drawers/{drawer_id}/transactions"),
            Work::Count { drawer_id, .. } => format!("/cash-drawers/{drawer_id}/reconciliations"),
        }
    }

    /// The body of its request.
    pub fn body(&self) -> Value {
        let mut body = match self.work {
            Work::Payment { cents, .. } => {
                json!({"Amount": amount(cents), "External_ID": self.name})
            }
            Work::CardPayment { card_id, cents, .. } => json!({
                "PaymentGatewayTokenID": card_id,
                "Amount": amount(cents),
                "External_ID": self.name,
            }),
            Work::Movement { movement_type, tender, cents, .. } => json!({
                "Transaction_Type": movement_type.name(),
                "Tender": tender,
                "Amount": amount(cents),
                "Reference": self.name,
            }),
            Work::Count { cash, check, close, .. } => json!({
                "Counted_Cash": amount(cash),
                "Counted_Check": amount(check),
                "Comment": self.name,
                "Close_Drawer": close,
            }),
        };
        match self.work {
            Work::Payment { drawer_id: Some(drawer_id), .. } => {
                body["Payment_Method_Code"] = json!("CASH");
                body["Cash_Drawer_ID"] = json!(drawer_id);
            }
            Work::Movement { movement_type: MovementType::Transfer(target), .. } => {
                body["Counter_Drawer_ID"] = json!(target);
            }
            _ => {}
        }
        body
    }

    /// The rows it leaves in the books, in the format that [`super::books`] reads.
    pub fn lines(&self) -> Vec<String> {
        match self.work {
            Work::Payment { loan_id, drawer_id: None, cents } => {
                vec![format!("loan {loan_id}, {cents}")]
            }
            Work::Payment { loan_id, drawer_id: Some(drawer_id), cents } => vec![
                format!("loan {loan_id}, {cents}, drawer {drawer_id}, CASH"),
                format!("drawer {drawer_id}, payment, cash, {cents}"),
            ],
            Work::CardPayment { loan_id, card_id, cents } => {
                vec![format!("loan {loan_id}, {cents}, card {card_id}")]
            }
            Work::Movement { drawer_id, movement_type, tender, cents } => match movement_type {
                MovementType::BankIn | MovementType::AdjustmentIn => {
                    vec![format!("drawer {drawer_id}, {}, {tender}, {cents}", movement_type.name())]
                }
                MovementType::BankOut | MovementType::AdjustmentOut => {
                    vec![format!(
                        "drawer {drawer_id}, {}, {tender}, -{cents}",
                        movement_type.name()
                    )]
                }
                MovementType::Transfer(target) => vec![
                    format!("drawer {drawer_id}, transfer_out, {tender}, -{cents}"),
                    format!("drawer {target}, transfer_in, {tender}, {cents}"),
                ],
            },
            Work::Count { drawer_id, cash, check, .. } => {
                vec![format!("count of {drawer_id}, cash {cash}, check {check}")]
            }
        }
    }
}

/// Formats cents as the API expects.
fn amount(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}
