//! Card rules: which card may be charged on which loan, and which convenience fee applies.

use super::PaymentGateway;
use crate::auth::caller::Caller;
use crate::cards::convenience_fee;
use crate::cards::refusals::{CardError, CardRefusal};
use chrono::{Datelike, NaiveDate};
use sea_orm::sea_query::Query;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, QueryFilter};
use shared::entity::payment_gateway_tokens::{self as cards, BrandType};
use shared::entity::{convenience_fee_rules, loan_contacts, loan_groups, loans};

/// Selects the cards of the borrower and of the contacts linked to the loan.
pub fn of_loan(loan: &loans::Model) -> Condition {
    let linked = Query::select()
        .column(loan_contacts::Column::ContactId)
        .from(loan_contacts::Entity)
        .and_where(loan_contacts::Column::LoanId.eq(loan.loan_id))
        .take();
    Condition::any()
        .add(cards::Column::ContactId.eq(loan.contact_id))
        .add(cards::Column::ContactId.in_subquery(linked))
}

/// Returns the card to charge for a loan. A card that is not of this loan counts as missing.
pub async fn card_of_loan(
    db: &impl ConnectionTrait,
    caller: &Caller,
    loan: &loans::Model,
    token_id: i64,
) -> Result<cards::Model, CardError> {
    let card = caller
        .find::<cards::Entity>()
        .filter(cards::Column::PaymentGatewayTokenId.eq(token_id))
        .filter(of_loan(loan))
        .one(db)
        .await?;
    card.ok_or(CardError::NotFound)
}

/// Refuses a card that can no longer be charged. A card is valid to the end of its expiry month.
pub fn refuse_unusable(
    gateway: &PaymentGateway,
    card: &cards::Model,
    today: NaiveDate,
) -> Result<(), CardError> {
    if card.forget_flag {
        return Err(CardError::Refused(CardRefusal::Forgotten));
    }
    if card.gateway != gateway.kind() {
        let detail = "the card is kept by a gateway other than the one in use";
        return Err(CardError::Refused(CardRefusal::NotHere { detail }));
    }
    let month = (today.year(), today.month() as i32);
    if (card.expiry_year, card.expiry_month) < month {
        let (year, month) = (card.expiry_year, card.expiry_month);
        return Err(CardError::Refused(CardRefusal::Expired { year, month }));
    }
    Ok(())
}

/// Refuses a loan if its group does not accept cards, even if the caller may not see the group.
#[expect(clippy::disallowed_methods, reason = "a rule of the loan; the row is not shown")]
pub async fn refuse_disabled(
    db: &impl ConnectionTrait,
    loan: &loans::Model,
) -> Result<(), CardError> {
    use sea_orm::EntityTrait;
    let group = loan_groups::Entity::find_by_id(loan.loan_group_id).one(db).await?;
    match group.is_some_and(|group| group.payment_gateway_flag) {
        true => Ok(()),
        false => Err(CardError::Refused(CardRefusal::Disabled)),
    }
}

/// Returns the convenience-fee rule that applies to a loan and a card brand.
pub async fn fee_rule(
    db: &impl ConnectionTrait,
    caller: &Caller,
    loan: &loans::Model,
    brand: Option<BrandType>,
) -> Result<Option<convenience_fee_rules::Model>, DbErr> {
    use convenience_fee_rules::Column::{ActiveFlag, BrandType as OfBrand, LoanGroupId};
    let group = Condition::any().add(LoanGroupId.is_null()).add(LoanGroupId.eq(loan.loan_group_id));
    let brand = brand.map(|brand| OfBrand.eq(brand));
    let brand = Condition::any().add(OfBrand.is_null()).add_option(brand);
    let rules = caller.find::<convenience_fee_rules::Entity>();
    let rules = rules.filter(ActiveFlag.eq(true)).filter(group).filter(brand).all(db).await?;
    Ok(convenience_fee::most_specific(rules))
}
