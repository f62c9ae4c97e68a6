//! Recovery of card work that got stuck: payments whose request died, forgotten cards that are
//! still at the gateway, pages from which the browser never returned, and tokens sealed under an
//! older master key.
//!
//! It never starts a charge. Several servers may run it at the same time: each skips what another
//! has finished.

use super::payment::{self, Initiator, resume};
use super::{CardProcessor, checkout_sessions, saved_cards};
use crate::audit::Actor;
use crate::cards::refusals::CardError;
use crate::command::idempotency::RESPONSE_RETENTION_SECONDS;
use futures_util::StreamExt;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect};
use shared::database;
use shared::entity::field_changes::ChangeSource;
use shared::entity::{payment_gateway_secrets as secrets, payment_gateway_tokens as tokens};
use shared::tasks::Tasks;
use std::future::Future;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Payments, or cards, handled concurrently: an unavailable gateway holds up each for some seconds.
const CONCURRENT_MAX: usize = 8;
/// Rows of the other kinds that are read per query.
const ROWS_MAX: u64 = 100;

/// Starts all tasks of the recovery.
pub fn start(tasks: &Tasks, processor: &Arc<CardProcessor>) {
    let interval = processor.gateway.recovery_interval();
    tasks.every(processor, interval, "card payments", resume_payments);
    tasks.every(processor, interval, "forgotten cards", remove_forgotten);
    tasks.every(processor, interval, "checkout sessions", settle_pages);
    tasks.every(processor, interval, "re-encryption of card tokens", reseal_tokens);
    tasks.every(processor, interval, "idempotency keys of card payments", release_keys);
}

async fn settle_pages(processor: Arc<CardProcessor>) -> Result<(), CardError> {
    checkout_sessions::sweep(&processor).await
}

async fn release_keys(processor: Arc<CardProcessor>) -> Result<(), DbErr> {
    database::retry(|| payment::release_keys(&processor.db, RESPONSE_RETENTION_SECONDS))
        .await
        .map(drop)
}

/// Limits the webhooks handled concurrently. Any beyond that are left to the next pass of the
/// recovery.
static WEBHOOKS: Semaphore = Semaphore::const_new(CONCURRENT_MAX);

/// Immediately moves on a payment that a webhook names.
pub fn payment_notified(processor: &Arc<CardProcessor>, reference: String) {
    let processor = Arc::clone(processor);
    after_the_response(async move {
        match payment::find_by_reference(&processor.db, &reference).await? {
            Some(payment) => {
                resume(&processor, payment.card_payment_id, Initiator::Webhook).await.map(drop)
            }
            None => {
                // After a restore of the database this may be the only trace of a charge.
                tracing::warn!(reference, "a webhook names a payment that is not in the database");
                Ok(())
            }
        }
    });
}

/// Immediately settles a page that a webhook names.
pub fn session_notified(processor: &Arc<CardProcessor>, reference: String) {
    let processor = Arc::clone(processor);
    after_the_response(async move {
        match checkout_sessions::find_by_reference(&processor.db, &reference).await? {
            Some(session) => checkout_sessions::settle(&processor, &session, false).await.map(drop),
            None => Ok(()),
        }
    });
}

fn after_the_response(work: impl Future<Output = Result<(), CardError>> + Send + 'static) {
    let Ok(permit) = WEBHOOKS.try_acquire() else { return };
    tokio::spawn(async move {
        if let Err(error) = work.await {
            tracing::warn!(%error, "a webhook could not be handled: the recovery's next pass will");
        }
        drop(permit);
    });
}

async fn resume_payments(processor: Arc<CardProcessor>) -> Result<(), CardError> {
    let seconds = 2 * processor.gateway.recovery_interval().as_secs() as i64;
    let mut after_id = 0;
    loop {
        let stuck = payment::stuck(&processor.db, seconds, after_id).await?;
        let Some(last) = stuck.last() else { return Ok(()) };
        after_id = *last;
        let processor = &processor;
        futures_util::stream::iter(stuck)
            .for_each_concurrent(CONCURRENT_MAX, |id| async move {
                match resume(processor, id, Initiator::Recovery).await {
                    Ok(payment) => {
                        let state = payment.state;
                        tracing::info!(id, ?state, "the recovery moved a card payment on");
                    }
                    Err(error) => tracing::warn!(id, %error, "a card payment is stuck"),
                }
            })
            .await;
    }
}

/// Removes forgotten cards from the gateway. A failure with one card does not hold up the others.
#[expect(clippy::disallowed_methods, reason = "maintained by the service, never shown to a caller")]
async fn remove_forgotten(processor: Arc<CardProcessor>) -> Result<(), CardError> {
    let author = Actor::service(ChangeSource::Gateway);
    let mut after_id = 0;
    loop {
        let forgotten = tokens::Entity::find()
            .filter(tokens::Column::ForgetFlag.eq(true))
            .filter(tokens::Column::Gateway.eq(processor.gateway.kind()))
            .filter(tokens::Column::PaymentGatewayTokenId.gt(after_id))
            .join(JoinType::InnerJoin, saved_cards::secret_of_card())
            .order_by_asc(tokens::Column::PaymentGatewayTokenId)
            .limit(ROWS_MAX)
            .all(&processor.db)
            .await?;
        let Some(last) = forgotten.last() else { return Ok(()) };
        after_id = last.payment_gateway_token_id;
        let (processor, author) = (&processor, &author);
        let removed: Vec<bool> = futures_util::stream::iter(forgotten)
            .map(|card| async move { remove_card(processor, author, &card).await })
            .buffer_unordered(CONCURRENT_MAX)
            .collect()
            .await;
        // The gateway is unavailable: the next pass calls it again.
        if !removed.contains(&true) {
            return Ok(());
        }
    }
}

async fn remove_card(processor: &Arc<CardProcessor>, author: &Actor, card: &tokens::Model) -> bool {
    let removed = saved_cards::remove_from_gateway(processor, author, card).await;
    if let Err(error) = &removed {
        let id = card.payment_gateway_token_id;
        tracing::warn!(id, %error, "a forgotten card is still at the gateway");
    }
    removed.is_ok()
}

/// Reseals tokens that were not sealed under the first key, so that old keys can be removed from
/// the settings.
#[expect(clippy::disallowed_methods, reason = "maintained by the service, never shown to a caller")]
async fn reseal_tokens(processor: Arc<CardProcessor>) -> Result<(), CardError> {
    let prefix = processor.gateway.settings.master_keys.current_prefix();
    let outdated = secrets::Column::GatewayToken.starts_with(prefix).not();
    let mut after_id = 0;
    loop {
        let rows = secrets::Entity::find()
            .filter(outdated.clone())
            .filter(secrets::Column::PaymentGatewayTokenId.gt(after_id))
            .order_by_asc(secrets::Column::PaymentGatewayTokenId)
            .limit(ROWS_MAX)
            .all(&processor.db)
            .await?;
        let Some(last) = rows.last() else { return Ok(()) };
        after_id = last.payment_gateway_token_id;
        for row in rows {
            let id = row.payment_gateway_token_id;
            let sealed = match processor.gateway.reseal(id, &row.gateway_token) {
                Ok(Some(sealed)) => sealed,
                Ok(None) => continue,
                Err(error) => {
                    tracing::warn!(id, %error, "a card's token cannot be resealed");
                    continue;
                }
            };
            secrets::Entity::update_many()
                .col_expr(secrets::Column::GatewayToken, sealed.reveal().into())
                .filter(secrets::Column::PaymentGatewayTokenId.eq(id))
                .filter(secrets::Column::GatewayToken.eq(row.gateway_token.reveal()))
                .exec(&processor.db)
                .await?;
        }
    }
}
