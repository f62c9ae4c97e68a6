//! Sandbox: the built-in gateway, with fixed test tokens, no real money, and its own records in the
//! core database.
//!
//! | Token | Result |
//! |---|---|
//! | `tok_visa`, `tok_mastercard`, `tok_amex`, `tok_discover` | charged |
//! | `tok_declined`, `tok_insufficient` | declined |
//! | `tok_expired` | an expired card |
//! | `tok_lost_charged`, `tok_lost_failed` | no response to the charge; charged, or not charged |
//! | `tok_down` | the gateway cannot be reached to prepare a payment |

use super::{CardDetails, ChargeOutcome, ChargeRequest, GatewayError, GatewayRefusal};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter};
use shared::database::{self, Fault};
use shared::entity::payment_gateway_tokens::BrandType;
use shared::entity::sandbox_payments::{
    ActiveModel, Column, Entity, Model, SandboxOutcome, SandboxState,
};

/// A test card of the sandbox.
#[derive(Clone, Copy, Debug)]
pub struct TestCard {
    /// Token of the card.
    pub token: &'static str,
    /// Name shown to people.
    pub name: &'static str,
    brand: BrandType,
    /// The last four digits of its number.
    pub last_four: &'static str,
    /// `None`: the gateway cannot be reached with it.
    outcome: Option<SandboxOutcome>,
    expiry_year: i32,
}

const fn card(
    token: &'static str,
    name: &'static str,
    brand: BrandType,
    last_four: &'static str,
    outcome: SandboxOutcome,
) -> TestCard {
    TestCard { token, name, brand, last_four, outcome: Some(outcome), expiry_year: 2099 }
}

pub const TEST_CARDS: [TestCard; 10] = {
    use BrandType::{Amex, Discover, Mastercard, Visa};
    use SandboxOutcome::{CardDeclined, Charged, InsufficientFunds, LostCharged, LostFailed};
    [
        card("tok_visa", "Visa", Visa, "4242", Charged),
        card("tok_mastercard", "Mastercard", Mastercard, "4444", Charged),
        card("tok_amex", "American Express", Amex, "8431", Charged),
        card("tok_discover", "Discover", Discover, "1117", Charged),
        card("tok_declined", "Visa, declined", Visa, "0002", CardDeclined),
        card("tok_insufficient", "Visa, insufficient funds", Visa, "9995", InsufficientFunds),
        TestCard {
            expiry_year: 2020,
            ..card("tok_expired", "Visa, expired", Visa, "0069", CardDeclined)
        },
        card("tok_lost_charged", "Visa, charged without a response", Visa, "0077", LostCharged),
        card("tok_lost_failed", "Visa, charge lost", Visa, "0085", LostFailed),
        TestCard {
            outcome: None,
            ..card("tok_down", "Visa, gateway unreachable", Visa, "0093", LostFailed)
        },
    ]
};

pub struct Sandbox {
    db: DatabaseConnection,
}

impl Sandbox {
    pub(super) fn new(db: DatabaseConnection) -> Self {
        Self { db }
    }

    pub(super) fn describe(&self, token: &str) -> Result<CardDetails, GatewayError> {
        let card = find(token)?;
        Ok(CardDetails {
            token: card.token.to_owned(),
            brand: card.brand,
            last_four: card.last_four.to_owned(),
            expiry_month: 12,
            expiry_year: card.expiry_year,
            cardholder_name: None,
        })
    }

    pub(super) async fn prepare(&self, request: ChargeRequest<'_>) -> Result<String, GatewayError> {
        let card = find(request.token)?;
        let outcome = card.outcome.ok_or(GatewayError::Unavailable)?;
        let reference = format!("sandbox-{}", request.card_payment_id);
        let now = database::time(&self.db).await.map_err(unavailable)?;
        let row = ActiveModel {
            reference: Set(reference.clone()),
            outcome: Set(outcome),
            amount: Set(request.total),
            state: Set(SandboxState::Prepared),
            charge_count: Set(0),
            refund_count: Set(0),
            created_date: Set(now),
            charged_date: Set(None),
        };
        let insert = || Entity::insert(row.clone()).exec_without_returning(&self.db);
        match database::retry(insert).await {
            Ok(_) => Ok(reference),
            // It was prepared before, and the response was lost.
            Err(error) if database::fault(&error) == Fault::Conflict => Ok(reference),
            Err(error) => Err(unavailable(error)),
        }
    }

    pub(super) async fn charge(&self, reference: &str) -> Result<ChargeOutcome, GatewayError> {
        let payment = self.read(reference).await?;
        if payment.state == SandboxState::Prepared {
            let to = match payment.outcome {
                SandboxOutcome::CardDeclined | SandboxOutcome::InsufficientFunds => {
                    SandboxState::Declined
                }
                SandboxOutcome::LostFailed => return Err(GatewayError::Unknown),
                SandboxOutcome::Charged | SandboxOutcome::LostCharged => SandboxState::Charged,
            };
            let charged = self.transition(reference, SandboxState::Prepared, to).await;
            charged.map_err(|error| {
                tracing::warn!(%error, "the sandbox's records cannot be used");
                GatewayError::Unknown
            })?;
        }
        match payment.outcome {
            SandboxOutcome::LostCharged => Err(GatewayError::Unknown),
            _ => self.retrieve(reference).await.map_err(|_| GatewayError::Unknown),
        }
    }

    pub(super) async fn retrieve(&self, reference: &str) -> Result<ChargeOutcome, GatewayError> {
        let payment = self.read(reference).await?;
        Ok(match payment.state {
            SandboxState::Prepared => ChargeOutcome::NotCharged,
            SandboxState::Charged => ChargeOutcome::Charged(payment.charged_date),
            SandboxState::Declined => ChargeOutcome::Declined(declined(payment.outcome)),
            SandboxState::Cancelled => ChargeOutcome::Cancelled,
            SandboxState::Refunded => ChargeOutcome::Refunded,
        })
    }

    pub(super) async fn cancel(&self, reference: &str) -> Result<ChargeOutcome, GatewayError> {
        let (from, to) = (SandboxState::Prepared, SandboxState::Cancelled);
        self.transition(reference, from, to).await.map_err(unavailable)?;
        self.retrieve(reference).await
    }

    pub(super) async fn refund(&self, reference: &str) -> Result<(), GatewayError> {
        let (from, to) = (SandboxState::Charged, SandboxState::Refunded);
        self.transition(reference, from, to).await.map_err(unavailable)
    }

    #[expect(clippy::disallowed_methods, reason = "the sandbox's own records")]
    async fn read(&self, reference: &str) -> Result<Model, GatewayError> {
        let found = Entity::find_by_id(reference).one(&self.db).await.map_err(unavailable)?;
        found.ok_or_else(|| GatewayError::refused("resource_missing", "there is no such payment"))
    }

    /// Moves a payment from one state to another, if it is in the first.
    async fn transition(
        &self,
        reference: &str,
        from: SandboxState,
        to: SandboxState,
    ) -> Result<(), DbErr> {
        let now = database::time(&self.db).await?;
        let mut update = Entity::update_many()
            .col_expr(Column::State, Expr::value(to))
            .filter(Column::Reference.eq(reference))
            .filter(Column::State.eq(from));
        if to == SandboxState::Charged {
            update = update
                .col_expr(Column::ChargeCount, Column::ChargeCount.into_expr().add(1))
                .col_expr(Column::ChargedDate, Expr::value(now));
        }
        if to == SandboxState::Refunded {
            update = update.col_expr(Column::RefundCount, Column::RefundCount.into_expr().add(1));
        }
        database::retry(|| update.clone().exec(&self.db)).await.map(drop)
    }
}

fn find(token: &str) -> Result<&'static TestCard, GatewayError> {
    let found = TEST_CARDS.iter().find(|card| card.token == token);
    found.ok_or_else(|| GatewayError::refused("resource_missing", "is not a token of the sandbox"))
}

fn declined(outcome: SandboxOutcome) -> GatewayRefusal {
    match outcome {
        SandboxOutcome::InsufficientFunds => {
            GatewayRefusal::new("insufficient_funds", "The card has insufficient funds.")
        }
        _ => GatewayRefusal::new("card_declined", "The card was declined."),
    }
}

fn unavailable(error: DbErr) -> GatewayError {
    tracing::warn!(%error, "the sandbox's records cannot be used");
    GatewayError::Unavailable
}
