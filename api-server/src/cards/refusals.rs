//! What the rules of cards refuse.

use super::{Refusal, Trouble};
use crate::command::failure::{Away, Failure};
use crate::command::idempotency::replayed;
use crate::loans::refusals::{LoanError, LoanRefusal};
use shared::amounts::Money;
use shared::problem::{Problem, ProblemType};

/// Why nothing was done with a card, or not all of it.
pub type CardError = Failure<CardRefusal>;

/// A rule of cards that said no, or the gateway's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardRefusal {
    /// The loan's group takes no cards.
    Disabled,
    /// The card cannot be charged here.
    NotHere {
        /// Why not.
        detail: &'static str,
    },
    /// The card was forgotten.
    Forgotten,
    /// The card has expired.
    Expired {
        /// Its last year.
        year: i32,
        /// Its last month.
        month: i32,
    },
    /// The card is there already.
    OnFile {
        /// Its id.
        card_id: i64,
        /// It was forgotten, and is still to be taken from the gateway: that would take both.
        forgotten: bool,
    },
    /// The convenience fee is not the one that was agreed to.
    FeeMismatch {
        /// The fee.
        fee: Money,
    },
    /// The gateway refuses the card.
    Declined(Refusal),
    /// The payment is over, and not posted.
    NotPosted {
        /// Why.
        refusal: Refusal,
        /// The card was charged, and the money given back.
        voided: bool,
        /// An earlier request was told so.
        replayed: bool,
    },
    /// A rule of loans.
    Loan(LoanRefusal),
}

impl From<LoanRefusal> for CardRefusal {
    fn from(refusal: LoanRefusal) -> Self {
        Self::Loan(refusal)
    }
}

impl From<LoanError> for CardError {
    fn from(error: LoanError) -> Self {
        Self::through(error)
    }
}

/// Where nothing hangs on whether it was done.
impl From<Trouble> for CardError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Refused(refusal) => Self::Refused(CardRefusal::Declined(refusal)),
            Trouble::Unavailable | Trouble::Unknown => Self::Unavailable(Away::Gateway),
        }
    }
}

impl CardRefusal {
    /// Why a charge is given back, as its payment remembers it.
    pub(super) fn of_posting(error: CardError) -> Refusal {
        const CHARACTERS_MAX: usize = 255;
        let problem = Problem::from(error);
        let message = problem.message().chars().take(CHARACTERS_MAX).collect();
        Refusal { code: problem.kind().name().to_owned(), message }
    }
}

impl From<CardRefusal> for Problem {
    fn from(refusal: CardRefusal) -> Self {
        use ProblemType as Type;
        match refusal {
            CardRefusal::Disabled => Self::new(Type::GatewayDisabled),
            CardRefusal::NotHere { detail } => Self::new(Type::GatewayDisabled).detail(detail),
            CardRefusal::Forgotten => Self::new(Type::CardForgotten),
            CardRefusal::Expired { year, month } => {
                Self::new(Type::CardExpired).detail(format!("expired after {year}-{month:02}"))
            }
            CardRefusal::OnFile { card_id, forgotten: false } => Self::invalid(
                "Gateway_Token",
                format!("is on file as PaymentGatewayTokenID {card_id}"),
            ),
            CardRefusal::OnFile { forgotten: true, .. } => {
                Self::invalid("Gateway_Token", "was forgotten: ask the gateway for another one")
            }
            CardRefusal::FeeMismatch { fee } => Self::new(Type::FeeMismatch)
                .detail(format!("the convenience fee is {fee}"))
                .field("Convenience_Fee", format!("must be {fee}")),
            CardRefusal::Declined(refusal) => declined(refusal),
            CardRefusal::NotPosted { refusal, voided, replayed: before } => {
                let problem = match voided {
                    true => Self::new(Type::ChargeVoided)
                        .detail(format!("{}: {}", refusal.code, refusal.message)),
                    false => declined(refusal),
                };
                if before { replayed(problem) } else { problem }
            }
            CardRefusal::Loan(refusal) => refusal.into(),
        }
    }
}

fn declined(Refusal { code, message }: Refusal) -> Problem {
    Problem::new(ProblemType::CardDeclined).detail(message).member("declineCode", code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawers::DrawerRefusal;
    use crate::loans::servicing::payment::Refusal as Arithmetic;
    use chrono::NaiveDate;
    use poem::http::StatusCode;
    use shared::entity::cash_drawer_transactions::Tender;

    /// The same request is refused again, whenever it comes: the money can go back.
    #[test]
    fn what_refuses_the_posting_of_a_charge_refuses_it_for_good() {
        let (money, day) = (Money::ZERO, NaiveDate::MIN);
        let of_drawers = [
            DrawerRefusal::NotUsable { detail: "closed", field: None },
            DrawerRefusal::InUse,
            DrawerRefusal::Required,
            DrawerRefusal::Negative { held: money, tender: Tender::Cash, is_amount: true },
        ];
        let of_amounts = [
            Arithmetic::AmountNotPositive,
            Arithmetic::SplitMismatch { sum: money, amount: money },
            Arithmetic::SplitExceedsBalance { part: "fee", balance: money },
            Arithmetic::Overpayment { most: money },
            Arithmetic::PayoffShort { payoff: money },
        ];
        let of_loans = [
            LoanRefusal::TakesNoPayments { status: "CLOSED".to_owned() },
            LoanRefusal::Closed { status: "CLOSED".to_owned() },
            LoanRefusal::DateInFuture { today: day },
            LoanRefusal::DateTooEarly { earliest: day },
            LoanRefusal::DuplicateExternalId { transaction_id: 1 },
        ];
        let amounts = of_amounts.map(|refusal| LoanRefusal::Amount { refusal, amount: money });
        let refusals = amounts.into_iter().chain(of_loans);
        for refusal in refusals.chain(of_drawers.map(LoanRefusal::Drawer)) {
            let problem = Problem::from(CardError::from(LoanError::Refused(refusal)));
            assert_eq!(problem.kind().status(), StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        }
    }
}
