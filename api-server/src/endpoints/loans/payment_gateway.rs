//! `/loans/…/payment-gateway`: cards, and what paying by them costs.

use super::super::Group;
use crate::access::{Admitted, AnyUser, Caller};
use crate::app::App;
use crate::convenience_fee;
use crate::paging::{List, Page};
use chrono::{Datelike, NaiveDate};
use poem::web::Data;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use sea_orm::sea_query::Query as Sql;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, QueryFilter};
use shared::amounts::{AmountText, Money, Rate};
use shared::entity::payment_gateway_tokens::{self as cards, BrandType, EntryType};
use shared::entity::{convenience_fee_rules, loan_contacts, loan_groups, loans};
use shared::problem::{Answer, Problem, ProblemType};
use std::sync::Arc;

/// What paying an amount by card costs.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct ConvenienceFee {
    #[oai(rename = "Loan_ID")]
    loan_id: i64,
    #[oai(rename = "Amount")]
    amount: Money,
    #[oai(rename = "PaymentGatewayTokenID")]
    payment_gateway_token_id: Option<i64>,
    #[oai(rename = "BrandType")]
    brand_type: Option<BrandType>,
    #[oai(rename = "Fee")]
    fee: Money,
    /// Amount and fee: what the card is charged.
    #[oai(rename = "Total")]
    total: Money,
    #[oai(rename = "Assessed_Flag")]
    assessed_flag: bool,
    #[oai(rename = "Reason_Not_Assessed")]
    reason_not_assessed: Option<ReasonNotAssessed>,
    /// Of the rule that counts.
    #[oai(rename = "Flat_Amount")]
    flat_amount: Option<Money>,
    /// Of the rule that counts: percent of the amount.
    #[oai(rename = "Percentage")]
    percentage: Option<Rate>,
    /// Of the rule that counts.
    #[oai(rename = "Minimum_Fee")]
    minimum_fee: Option<Money>,
    /// Of the rule that counts.
    #[oai(rename = "Maximum_Fee")]
    maximum_fee: Option<Money>,
}

/// Why a card payment costs no fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReasonNotAssessed {
    /// No rule asks for one.
    NoRule,
    /// The borrower is there in person.
    BorrowerPresent,
    /// Somebody waived it.
    Waived,
}

/// `/loans/…/payment-gateway`
pub struct PaymentGateway;

#[OpenApi(tag = "Group::PaymentGateway")]
impl PaymentGateway {
    /// The cards of a loan's borrower and of the contacts linked to it.
    ///
    /// Cards of a wallet that were used at least once and not forgotten. Borrowers see their own.
    #[oai(
        path = "/loans/:loan_id/payment-gateway/credit-cards",
        method = "get",
        operation_id = "list_cards"
    )]
    async fn list_cards(
        &self,
        AnyUser(admitted): AnyUser,
        app: Data<&Arc<App>>,
        /// The loan.
        loan_id: Path<i64>,
        /// Adds the cards that were never used.
        #[oai(name = "includeUnused")]
        include_unused: Query<Option<bool>>,
        page: Page,
    ) -> Result<List<cards::Model>, Problem> {
        use cards::Column::{EntryType as OfEntry, ForgetFlag, UsedCount};
        let caller = &admitted.caller;
        let loan = caller.get::<loans::Entity>(&app.db, loan_id.0).await?;
        let used = match include_unused.0 {
            Some(true) => Condition::all(),
            Some(false) | None => Condition::all().add(UsedCount.gt(0)),
        };
        let wallet = caller
            .find::<cards::Entity>()
            .filter(of_loan(&loan))
            .filter(OfEntry.eq(EntryType::Wallet))
            .filter(ForgetFlag.eq(false))
            .filter(used);
        page.by_key(wallet, &app.db).await
    }

    /// A card.
    ///
    /// Forgotten cards are still shown here. Borrowers see their own.
    #[oai(
        path = "/loans/payment-gateway/credit-cards/:token_id",
        method = "get",
        operation_id = "get_card"
    )]
    async fn get_card(
        &self,
        AnyUser(admitted): AnyUser,
        app: Data<&Arc<App>>,
        /// The card.
        token_id: Path<i64>,
    ) -> Answer<cards::Model> {
        Ok(Json(admitted.caller.get::<cards::Entity>(&app.db, token_id.0).await?))
    }

    /// What paying an amount by card costs.
    ///
    /// The most specific active rule counts: for the loan's group and the card's brand, for the
    /// group, for the brand, for all. Nobody who is there in person pays a fee.
    #[oai(
        path = "/loans/:loan_id/payment-gateway/convenience-fee",
        method = "get",
        operation_id = "get_convenience_fee"
    )]
    async fn get_convenience_fee(
        &self,
        AnyUser(admitted): AnyUser,
        app: Data<&Arc<App>>,
        /// The loan.
        loan_id: Path<i64>,
        /// What is to be paid, above zero.
        amount: Query<AmountText>,
        /// The card to be charged; without it no rule for a brand counts.
        #[oai(name = "tokenId")]
        token_id: Query<Option<i64>>,
        /// The borrower is there in person.
        #[oai(name = "borrowerPresent")]
        borrower_present: Query<Option<bool>>,
    ) -> Answer<ConvenienceFee> {
        let loan = admitted.caller.get::<loans::Entity>(&app.db, loan_id.0).await?;
        let card = match token_id.0 {
            None => None,
            Some(id) => Some(card_of_loan(&app.db, &admitted.caller, &loan, id).await?),
        };
        let amount = amount.0.posted().map_err(|e| Problem::invalid("amount", e.to_string()))?;
        if !amount.is_positive() {
            return Err(Problem::invalid("amount", "must be above zero"));
        }
        let taken = takes_cards(&app.db, &loan).await?;
        if !taken {
            return Err(Problem::new(ProblemType::GatewayDisabled));
        }
        if let Some(card) = &card {
            refuse_unusable(card, admitted.clock.today)?;
        }
        let brand = card.as_ref().map(|card| card.brand_type);
        let rule = rule_for(&app, &admitted, &loan, brand).await?;
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
}

/// Cards of the borrower and of the contacts linked to the loan.
fn of_loan(loan: &loans::Model) -> Condition {
    let linked = Sql::select()
        .column(loan_contacts::Column::ContactId)
        .from(loan_contacts::Entity)
        .and_where(loan_contacts::Column::LoanId.eq(loan.loan_id))
        .take();
    Condition::any()
        .add(cards::Column::ContactId.eq(loan.contact_id))
        .add(cards::Column::ContactId.in_subquery(linked))
}

/// The card to charge for a loan: another loan's does not exist.
async fn card_of_loan(
    db: &impl ConnectionTrait,
    caller: &Caller,
    loan: &loans::Model,
    token_id: i64,
) -> Result<cards::Model, Problem> {
    let card = caller
        .find::<cards::Entity>()
        .filter(cards::Column::PaymentGatewayTokenId.eq(token_id))
        .filter(of_loan(loan))
        .one(db)
        .await?;
    card.ok_or_else(Problem::not_found)
}

/// 422 for a card that can no longer be charged: it counts to the end of its month.
fn refuse_unusable(card: &cards::Model, today: NaiveDate) -> Result<(), Problem> {
    if card.forget_flag {
        return Err(Problem::new(ProblemType::CardForgotten));
    }
    let month = (today.year(), today.month() as i32);
    if (card.expiry_year, card.expiry_month) < month {
        let expiry = format!("{}-{:02}", card.expiry_year, card.expiry_month);
        return Err(
            Problem::new(ProblemType::CardExpired).detail(format!("expired after {expiry}"))
        );
    }
    Ok(())
}

/// True if the loan's group takes cards, whoever may see the group.
#[expect(clippy::disallowed_methods, reason = "a rule of the loan, not a row that is shown")]
async fn takes_cards(db: &impl ConnectionTrait, loan: &loans::Model) -> Result<bool, DbErr> {
    use sea_orm::EntityTrait;
    let group = loan_groups::Entity::find_by_id(loan.loan_group_id).one(db).await?;
    Ok(group.is_some_and(|group| group.payment_gateway_flag))
}

/// The rule that counts for a loan and a brand of card.
async fn rule_for(
    app: &App,
    admitted: &Admitted,
    loan: &loans::Model,
    brand: Option<BrandType>,
) -> Result<Option<convenience_fee_rules::Model>, DbErr> {
    use convenience_fee_rules::Column::{ActiveFlag, BrandType as OfBrand, LoanGroupId};
    let group = Condition::any().add(LoanGroupId.is_null()).add(LoanGroupId.eq(loan.loan_group_id));
    let brand = brand.map(|brand| OfBrand.eq(brand));
    let brand = Condition::any().add(OfBrand.is_null()).add_option(brand);
    let rules = admitted.caller.find::<convenience_fee_rules::Entity>();
    let rules = rules.filter(ActiveFlag.eq(true)).filter(group).filter(brand).all(&app.db).await?;
    Ok(convenience_fee::most_specific(rules))
}
