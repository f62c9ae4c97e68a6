//! Refusals of card commands, and the problems that clients get for them.

use super::{GatewayError, GatewayRefusal};
use crate::command::failure::{Failure, UnavailableService};
use crate::command::idempotency::replayed;
use crate::loans::refusals::{LoanError, LoanRefusal};
use shared::amounts::Money;
use shared::problem::{Problem, ProblemType};

/// Reason why a card command was not executed, or not completed.
pub type CardError = Failure<CardRefusal>;

/// The rule that refused a card command: ours, or the gateway's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardRefusal {
    /// The loan's group does not accept cards.
    Disabled,
    /// The card cannot be charged here.
    NotHere {
        /// The reason.
        detail: &'static str,
    },
    /// The card was forgotten.
    Forgotten,
    /// The card has expired.
    Expired {
        /// Year in which it expired.
        year: i32,
        /// Month in which it expired.
        month: i32,
    },
    /// The card is already on file.
    OnFile {
        card_id: i64,
        /// True if it was forgotten and is yet to be removed from the gateway: that would remove
        /// the new one, too.
        forgotten: bool,
    },
    /// The convenience fee is not the one that the payer agreed to.
    FeeMismatch {
        /// The fee that applies.
        fee: Money,
    },
    /// The gateway refused the card.
    Declined(GatewayRefusal),
    /// The payment has ended, and was not posted.
    NotPosted {
        /// The reason.
        refusal: GatewayRefusal,
        /// True if the card was charged and the charge refunded.
        voided: bool,
        /// True if an earlier request already got this response.
        replayed: bool,
    },
    /// A posting rule of loans was broken.
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

/// For calls where it does not matter whether they were executed.
impl From<GatewayError> for CardError {
    fn from(error: GatewayError) -> Self {
        match error {
            GatewayError::Refused(refusal) => Self::Refused(CardRefusal::Declined(refusal)),
            GatewayError::Unavailable | GatewayError::Unknown => {
                Self::Unavailable(UnavailableService::Gateway)
            }
        }
    }
}

impl CardRefusal {
    /// Returns the reason for refunding a charge, as stored with its payment.
    pub(super) fn of_posting(error: CardError) -> GatewayRefusal {
        const CHARACTERS_MAX: usize = 255;
        let problem = Problem::from(error);
        let message = problem.message().chars().take(CHARACTERS_MAX).collect();
        GatewayRefusal { code: problem.kind().name().to_owned(), message }
    }
}

impl From<CardRefusal> for Problem {
    fn from(refusal: CardRefusal) -> Self {
        use ProblemType as Type;
        match refusal {
            CardRefusal::Disabled => Self::new(Type::GatewayDisabled),
            CardRefusal::NotHere { detail } => Self::new(Type::GatewayDisabled).detail(detail),
            CardRefusal::Forgotten => Self::new(Type::CardForgotten),
            CardRefusal::Expired { year, month } => Self::new(Type::CardExpired)
                .detail(format!("the card expired at the end of {year}-{month:02}")),
            CardRefusal::OnFile { card_id, forgotten: false } => Self::invalid(
                "Gateway_Token",
                format!("is already on file as PaymentGatewayTokenID {card_id}"),
            ),
            CardRefusal::OnFile { forgotten: true, .. } => Self::invalid(
                "Gateway_Token",
                "belongs to a forgotten card: get another token from the gateway",
            ),
            CardRefusal::FeeMismatch { fee } => Self::new(Type::FeeMismatch)
                .detail(format!("the convenience fee is {fee}"))
                .field("Convenience_Fee", format!("must be {fee}")),
            CardRefusal::Declined(refusal) => declined(refusal),
            CardRefusal::NotPosted { refusal, voided, replayed: was_replayed } => {
                let problem = match voided {
                    true => Self::new(Type::ChargeVoided)
                        .detail(format!("{}: {}", refusal.code, refusal.message)),
                    false => declined(refusal),
                };
                if was_replayed { replayed(problem) } else { problem }
            }
            CardRefusal::Loan(refusal) => refusal.into(),
        }
    }
}

fn declined(GatewayRefusal { code, message }: GatewayRefusal) -> Problem {
    Problem::new(ProblemType::CardDeclined).detail(message).member("declineCode", code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawers::DrawerRefusal;
    use crate::loans::servicing::payment::PaymentRefusal as Arithmetic;
    use chrono::NaiveDate;
    use poem::http::StatusCode;
    use shared::entity::cash_drawer_transactions::Tender;

    /// The same request is refused again at any later time, so the charge can be refunded.
    #[test]
    fn every_refusal_to_post_a_charge_is_final() {
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
            LoanRefusal::TakesNoPayments("CLOSED".to_owned()),
            LoanRefusal::Closed("CLOSED".to_owned()),
            LoanRefusal::DateInFuture(day),
            LoanRefusal::DateTooEarly(day),
            LoanRefusal::DuplicateExternalId(1),
        ];
        let amounts = of_amounts.map(|refusal| LoanRefusal::Amount { refusal, amount: money });
        let refusals = amounts.into_iter().chain(of_loans);
        for refusal in refusals.chain(of_drawers.map(LoanRefusal::Drawer)) {
            let problem = Problem::from(CardError::from(LoanError::Refused(refusal)));
            assert_eq!(problem.kind().status(), StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        }
    }
}
