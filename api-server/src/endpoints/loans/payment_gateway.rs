//! `/loans/…/payment-gateway`: saved cards, card payments and convenience fees.

use super::super::Group;
use crate::audit::Actor;
use crate::auth::caller::RequestContext;
use crate::cards::checkout_sessions::{self, AddPaymentMethodUrl};
use crate::cards::convenience_fee;
use crate::cards::payment::{CardPayment, NewCardPayment, NewIntent, pay};
use crate::cards::rules;
use crate::cards::saved_cards::{AddCard, NewCard, add, forget};
use crate::command::idempotency::{Created, IdempotencyScope};
use crate::http::admission::{AnyUser, CoreUser};
use crate::http::json_body::JsonBody;
use crate::http::pagination::{List, Page};
use crate::loans::payments::posted;
use crate::state::State;
use poem::Request;
use poem::web::Data;
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use sea_orm::{ColumnTrait, Condition, QueryFilter};
use shared::amounts::{AmountText, Money, Rate};
use shared::entity::field_changes::ChangeSource;
use shared::entity::loans;
use shared::entity::payment_gateway_tokens::{self as cards, BrandType, EntryType};
use shared::interface_names;
use shared::middleware::HeadOnly;
use shared::operations;
use shared::problem::{JsonResult, Problem};
use shared::telemetry::RequestId;
use std::sync::Arc;

/// Convenience fee for a card payment.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct ConvenienceFee {
    loan_id: i64,
    /// Amount to be paid on the loan.
    amount: Money,
    /// Card to be charged, if one was specified.
    payment_gateway_token_id: Option<i64>,
    brand_type: Option<BrandType>,
    /// Convenience fee; zero if none is assessed.
    fee: Money,
    /// Amount plus fee: the total charged to the card.
    total: Money,
    /// True if a fee is assessed.
    assessed_flag: bool,
    reason_not_assessed: Option<ReasonNotAssessed>,
    /// Flat amount of the rule that applies.
    flat_amount: Option<Money>,
    /// Percentage of the amount, by the rule that applies.
    percentage: Option<Rate>,
    /// Minimum fee of the rule that applies.
    minimum_fee: Option<Money>,
    /// Maximum fee of the rule that applies.
    maximum_fee: Option<Money>,
}

/// Reason why a card payment carries no fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReasonNotAssessed {
    /// No rule applies.
    NoRule,
    /// The borrower is present in person.
    BorrowerPresent,
    /// The fee was waived.
    Waived,
}

pub struct LoanPaymentGateway;

#[operations]
#[OpenApi(tag = "Group::PaymentGateway")]
impl LoanPaymentGateway {
    /// List a loan's cards.
    ///
    /// Wallet cards of the borrower and of the contacts linked to the loan that were used at least
    /// once and have not been forgotten. Borrowers see only their own.
    #[oai(path = "/loans/:loan_id/payment-gateway/credit-cards", method = "get")]
    async fn list_cards(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        /// Also list cards that were never used.
        include_unused: Query<Option<bool>>,
        page: Page,
    ) -> Result<List<cards::Model>, Problem> {
        use cards::Column::{EntryType as OfEntry, ForgetFlag, UsedCount};
        let caller = &admitted.caller;
        let loan = caller.get::<loans::Entity>(&state.reads, loan_id.0).await?;
        let used = match include_unused.0 {
            Some(true) => Condition::all(),
            Some(false) | None => Condition::all().add(UsedCount.gt(0)),
        };
        let wallet = caller
            .find::<cards::Entity>()
            .filter(rules::of_loan(&loan))
            .filter(OfEntry.eq(EntryType::Wallet))
            .filter(ForgetFlag.eq(false))
            .filter(used);
        page.by_key(wallet, &state.reads).await
    }

    /// Add a card.
    ///
    /// The card is identified by a token from the gateway, which supplies the card's brand, last
    /// four digits and expiry date. A card number is refused wherever it appears in the request.
    /// Borrowers may add only their own cards.
    #[oai(path = "/loans/:loan_id/payment-gateway/credit-cards", method = "post")]
    async fn create_card(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        request: &Request,
        request_id: Data<&RequestId>,
        loan_id: Path<i64>,
        /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
        _idempotency_key: Header<Option<String>>,
        card: JsonBody<NewCard>,
    ) -> Result<Created<cards::Model>, Problem> {
        let caller = admitted.caller;
        caller.get::<loans::Entity>(&state.reads, loan_id.0).await?;
        let scope = IdempotencyScope::of(request, &caller, &[&card.bytes])?;
        let author = Actor::new(&caller, ChangeSource::Api, request_id.0);
        let add_card = AddCard::new(&state.cards, caller, author, loan_id.0, card.value);
        Ok(Created(add(add_card, scope).await?))
    }

    /// Get a card.
    ///
    /// Forgotten cards are still returned here. Borrowers see only their own.
    #[oai(path = "/loans/payment-gateway/credit-cards/:token_id", method = "get")]
    async fn get_card(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        /// Card id.
        token_id: Path<i64>,
    ) -> JsonResult<cards::Model> {
        Ok(Json(admitted.caller.get::<cards::Entity>(&state.reads, token_id.0).await?))
    }

    /// Forget a card.
    ///
    /// The card can no longer be charged, automated payments that draw on it are disabled, and the
    /// gateway forgets it too. Repeating the request returns the same response. Borrowers may
    /// forget only their own cards.
    #[oai(path = "/loans/payment-gateway/credit-cards/:token_id/forget", method = "post")]
    async fn forget_card(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        request_id: Data<&RequestId>,
        /// Card id.
        token_id: Path<i64>,
    ) -> JsonResult<cards::Model> {
        let author = Actor::new(&admitted.caller, ChangeSource::Api, request_id.0);
        Ok(Json(forget(&state.cards, admitted.caller, author, token_id.0).await?))
    }

    /// Get the convenience fee for a card payment.
    ///
    /// The most specific active rule applies: first one for the loan's group and the card's brand,
    /// then one for the group, one for the brand, and one for all cards. There is no fee if the
    /// borrower is present in person.
    #[oai(path = "/loans/:loan_id/payment-gateway/convenience-fee", method = "get")]
    async fn get_convenience_fee(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        /// Amount to be paid, above zero.
        amount: Query<AmountText>,
        /// Id of the card to be charged. Without it, rules for a brand do not apply.
        token_id: Query<Option<i64>>,
        /// True if the borrower is present in person.
        borrower_present: Query<Option<bool>>,
    ) -> JsonResult<ConvenienceFee> {
        let loan = admitted.caller.get::<loans::Entity>(&state.reads, loan_id.0).await?;
        let card = match token_id.0 {
            None => None,
            Some(id) => Some(rules::card_of_loan(&state.reads, &admitted.caller, &loan, id).await?),
        };
        let amount = posted("amount", &amount.0)?;
        if !amount.is_positive() {
            return Err(Problem::invalid("amount", "must be above zero"));
        }
        rules::refuse_disabled(&state.reads, &loan).await?;
        if let Some(card) = &card {
            rules::refuse_unusable(&state.cards.gateway, card, admitted.clock.today)?;
        }
        let brand = card.as_ref().map(|card| card.brand_type);
        let rule = rules::fee_rule(&state.reads, &admitted.caller, &loan, brand).await?;
        let present = borrower_present.0.unwrap_or(false);
        let reason = match &rule {
            None => Some(ReasonNotAssessed::NoRule),
            Some(_) if present => Some(ReasonNotAssessed::BorrowerPresent),
            Some(_) => None,
        };
        let fee = match &rule {
            Some(rule) if reason.is_none() => convenience_fee::fee(rule, amount)?,
            Some(_) | None => Money::ZERO,
        };
        Ok(Json(ConvenienceFee {
            loan_id: loan.loan_id,
            amount,
            payment_gateway_token_id: card.map(|card| card.payment_gateway_token_id),
            brand_type: brand,
            fee,
            total: amount.plus(fee)?,
            assessed_flag: reason.is_none(),
            reason_not_assessed: reason,
            flat_amount: rule.as_ref().map(|rule| rule.flat_amount),
            percentage: rule.as_ref().map(|rule| rule.percentage),
            minimum_fee: rule.as_ref().and_then(|rule| rule.minimum_fee),
            maximum_fee: rule.as_ref().and_then(|rule| rule.maximum_fee),
        }))
    }

    /// Post a card payment.
    ///
    /// Charges the card the amount plus the convenience fee, and posts the amount on the loan as a
    /// payment with the method CARD and the fee as a memo row.
    ///
    /// Send an `Idempotency-Key`: after 423, 503 or a lost response, the same request continues the
    /// same payment, and the card is charged once. Without a key, a completed charge is posted or
    /// refunded within a few minutes. 422 `card-declined` (its `declineCode` gives the reason) and
    /// `charge-voided` are final.
    #[oai(path = "/loans/:loan_id/payment-gateway/payments", method = "post")]
    async fn post_card_payment(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        request_id: Data<&RequestId>,
        loan_id: Path<i64>,
        /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
        _idempotency_key: Header<Option<String>>,
        payment: JsonBody<NewCardPayment>,
    ) -> Result<Created<CardPayment>, Problem> {
        let caller = admitted.caller;
        let author = Actor::new(&caller, ChangeSource::Gateway, request_id.0);
        let new = payment.value;
        let intent = NewIntent::admit(&state.cards, caller, author, loan_id.0, new).await?;
        let scope = IdempotencyScope::of(request, &intent.caller, &[&payment.bytes])?;
        Ok(Created(pay(&state.cards, intent, scope).await?))
    }

    /// Open a page on which the borrower can add a card.
    ///
    /// The page is the gateway's own; it accepts one card, within 15 minutes.
    #[oai(path = "/loans/:loan_id/payment-gateway/add-payment-method-url", method = "get")]
    async fn get_add_payment_method_url(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        loan_id: Path<i64>,
    ) -> JsonResult<AddPaymentMethodUrl> {
        let RequestContext { caller, clock } = admitted;
        let origin = state.cards.gateway.origin().to_owned();
        // HEAD checks that a page could be opened, and opens none.
        let head_only = request.data::<HeadOnly>().is_some();
        let page =
            checkout_sessions::open(&state.cards, &caller, clock, loan_id.0, &origin, head_only);
        Ok(Json(page.await?))
    }
}
