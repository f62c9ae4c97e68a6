//! Card payment repository: the rows of `gateway_payments`. A change is made only if the payment is
//! still in the state that was read. A change that comes too late has no effect, and the payment is
//! read again.

use crate::cards::GatewayRefusal;
use crate::cards::refusals::CardError;
use crate::command::idempotency::{self, Claim};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    QueryFilter, QueryOrder, QuerySelect,
};
use shared::database;
use shared::entity::gateway_payments::{
    ActiveModel, CardPaymentRequest, CardPaymentState as State, Column, Entity, Model,
};
use shared::entity::payment_gateway_tokens::Gateway;
use shared::time::Timestamp;

/// Payments that the recovery reads per query.
const STUCK_MAX: u64 = 100;

/// Reads a payment, regardless of the caller: callers see a payment only in the response to their
/// own request.
#[expect(clippy::disallowed_methods, reason = "advanced by the service, never shown to a caller")]
pub(super) async fn read(db: &impl ConnectionTrait, id: i64) -> Result<Model, CardError> {
    let found = Entity::find_by_id(id).one(db).await?;
    found.ok_or_else(|| CardError::defect("a card payment is missing"))
}

/// Reads a payment under its row lock.
#[expect(clippy::disallowed_methods, reason = "advanced by the service, never shown to a caller")]
pub(super) async fn lock(tx: &DatabaseTransaction, id: i64) -> Result<Model, CardError> {
    let found = Entity::find_by_id(id).lock_exclusive().one(tx).await?;
    found.ok_or_else(|| CardError::defect("a card payment is missing"))
}

/// Finds the payment that an earlier request began under the same key. A different query or body is
/// a 422.
#[expect(clippy::disallowed_methods, reason = "the key's scope names the caller")]
pub(super) async fn find_by_claim(
    db: &impl ConnectionTrait,
    claim: &Claim,
) -> Result<Option<Model>, CardError> {
    let found = Entity::find().filter(Column::KeyHash.eq(claim.key_hash())).one(db).await?;
    match found {
        Some(intent) if intent.fingerprint.as_deref() != Some(claim.fingerprint()) => {
            Err(CardError::KeyMismatch)
        }
        found => Ok(found),
    }
}

/// Returns the gateway at which a payment was begun.
pub(super) fn gateway_of(intent: &Model) -> Result<Gateway, CardError> {
    let request = CardPaymentRequest::read(&intent.request).map_err(CardError::defect)?;
    Ok(request.gateway)
}

/// Finds the payment with a gateway's reference.
#[expect(clippy::disallowed_methods, reason = "advanced by the service, never shown to a caller")]
pub(in super::super) async fn find_by_reference(
    db: &impl ConnectionTrait,
    reference: &str,
) -> Result<Option<Model>, DbErr> {
    Entity::find().filter(Column::GatewayReference.eq(reference)).one(db).await
}

/// Returns the unfinished payments older than `seconds`, with ids above `after_id`, in ascending
/// order of id.
#[expect(clippy::disallowed_methods, reason = "advanced by the service, never shown to a caller")]
pub(in super::super) async fn stuck(
    db: &DatabaseConnection,
    seconds: i64,
    after_id: i64,
) -> Result<Vec<i64>, DbErr> {
    let old = database::seconds_ago(db, Expr::value(seconds));
    Entity::find()
        .select_only()
        .column(Column::CardPaymentId)
        .filter(Column::State.is_in([State::Created, State::Unknown, State::Charged]))
        .filter(Column::CreatedDate.into_expr().lt(old))
        .filter(Column::CardPaymentId.gt(after_id))
        .order_by_asc(Column::CardPaymentId)
        .limit(STUCK_MAX)
        .into_tuple()
        .all(db)
        .await
}

/// Changes a payment if its state, reference and failure code are still those that were read.
async fn change(db: &impl ConnectionTrait, from: &Model, to: ActiveModel) -> Result<(), DbErr> {
    let reference = match &from.gateway_reference {
        Some(reference) => Column::GatewayReference.eq(reference.as_str()),
        None => Column::GatewayReference.is_null(),
    };
    let failure = match &from.failure_code {
        Some(code) => Column::FailureCode.eq(code.as_str()),
        None => Column::FailureCode.is_null(),
    };
    Entity::update_many()
        .set(to)
        .filter(Column::CardPaymentId.eq(from.card_payment_id))
        .filter(Column::State.eq(from.state))
        .filter(reference)
        .filter(failure)
        .exec(db)
        .await
        .map(drop)
}

/// Records the gateway's reference of a payment.
pub(super) async fn set_reference(
    db: &impl ConnectionTrait,
    from: &Model,
    reference: &str,
) -> Result<(), DbErr> {
    let to =
        ActiveModel { gateway_reference: Set(Some(reference.to_owned())), ..state(from.state) };
    change(db, from, to).await
}

/// Records that the card was charged, at the gateway's time if it is known. The gateway's clock may
/// differ from the database's: the time is kept between that of the intent and now.
pub(super) async fn set_charged(
    db: &impl ConnectionTrait,
    from: &Model,
    at: Option<Timestamp>,
) -> Result<(), DbErr> {
    let now = database::time(db).await?;
    let at = Ord::max(Ord::min(at.unwrap_or(now), now), from.created_date);
    change(db, from, ActiveModel { charged_date: Set(Some(at)), ..state(State::Charged) }).await
}

/// Records that it is unknown whether the card was charged.
pub(super) async fn set_unknown(db: &impl ConnectionTrait, from: &Model) -> Result<(), DbErr> {
    change(db, from, state(State::Unknown)).await
}

/// Records that the card was not charged.
pub(super) async fn set_failed(
    db: &impl ConnectionTrait,
    from: &Model,
    refusal: &GatewayRefusal,
) -> Result<(), DbErr> {
    let ended_date = Set(Some(database::time(db).await?));
    change(db, from, ActiveModel { ended_date, ..with_failure(refusal, State::Failed) }).await
}

/// Records the decision to refund a charge, before the refund. Otherwise, if the refund were made
/// but not recorded, a later posting could find the loan open again and post a charge that was
/// refunded.
pub(super) async fn set_refund_due(
    db: &impl ConnectionTrait,
    from: &Model,
    refusal: &GatewayRefusal,
) -> Result<(), DbErr> {
    change(db, from, with_failure(refusal, State::Charged)).await
}

/// Records that a charge was refunded.
pub(super) async fn set_voided(db: &impl ConnectionTrait, from: &Model) -> Result<(), DbErr> {
    let ended_date = Set(Some(database::time(db).await?));
    change(db, from, ActiveModel { ended_date, ..state(State::Voided) }).await
}

/// Records that a payment is posted on the loan.
pub(super) async fn set_posted(
    tx: &DatabaseTransaction,
    from: &Model,
    reference: i64,
    now: Timestamp,
) -> Result<(), DbErr> {
    let to = ActiveModel {
        transaction_reference_no: Set(Some(reference)),
        posted_date: Set(Some(now)),
        ended_date: Set(Some(now)),
        ..state(State::Posted)
    };
    change(tx, from, to).await
}

fn state(state: State) -> ActiveModel {
    ActiveModel { state: Set(state), ..Default::default() }
}

fn with_failure(refusal: &GatewayRefusal, to: State) -> ActiveModel {
    ActiveModel {
        failure_code: Set(Some(refusal.code.clone())),
        failure_message: Set(Some(refusal.message.clone())),
        ..state(to)
    }
}

/// Releases the keys of payments that ended more than `seconds` ago. Until then, the request that
/// began a payment is recognized when it is sent again, even if its response came late.
pub async fn release_keys(db: &DatabaseConnection, seconds: i64) -> Result<u64, DbErr> {
    let old = database::seconds_ago(db, Expr::value(seconds));
    let ended = Column::KeyHash.is_not_null().and(Column::EndedDate.into_expr().lt(old));
    let keys = Query::select().column(Column::KeyHash).from(Entity).and_where(ended.clone()).take();
    idempotency::free(db, keys).await?;
    let release = Entity::update_many().col_expr(Column::KeyHash, Expr::value(None::<String>));
    Ok(release.filter(ended).exec(db).await?.rows_affected)
}
