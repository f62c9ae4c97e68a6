//! Checkout sessions: pages of the gateway on which a card is added. Each is opened for one loan,
//! accepts one card, and is usable only for some minutes.
//!
//! The URL of a page ends with a secret, of which only the hash is stored. The sandbox's page is
//! served by this server. Stripe's page sends the browser back here when it is done; if the browser
//! does not return, the recovery asks Stripe for the state of the page.

use super::saved_cards::Card;
use super::stripe::checkout::CheckoutState;
use super::{CardDetails, CardProcessor, GatewayError};
use crate::audit::Actor;
use crate::auth::caller::{Caller, CoreCaller};
use crate::auth::privileges::Forbidden;
use crate::auth::privileges::Rights;
use crate::cards::refusals::{CardError, CardRefusal};
use crate::cards::rules;
use crate::command::execute::{self, Command};
use crate::http::operations::{SANDBOX_PAGE, STRIPE_RETURN};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::StreamExt;
use poem_openapi::Object;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DatabaseConnection,
    DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use shared::database::{self, batch};
use shared::entity::field_changes::ChangeSource;
use shared::entity::payment_gateway_tokens::{self as cards, EntryType, Gateway};
use shared::entity::payment_method_sessions::{ActiveModel, Column, Entity, Model, SessionState};
use shared::entity::{loans, users};
use shared::interface_names;
use shared::random::random_bytes;
use shared::telemetry::RequestId;
use shared::time::{Clock, Timestamp};
use std::sync::Arc;

const MINUTES: i64 = 15;
/// How much longer Stripe's page stays open if no server closes it.
const STRIPE_SECONDS_MORE: i64 = 25 * 60;
const UNUSED_RETENTION_SECONDS: i64 = 24 * 60 * 60;
/// Sessions that the recovery reads per query, and for how many it calls the gateway concurrently.
const SESSIONS_PER_QUERY: u64 = 100;
const CONCURRENT_MAX: usize = 8;

/// A gateway page on which the borrower can add a card.
#[interface_names]
#[derive(Debug, Object)]
#[oai(rename = "AddPaymentMethodUrl")]
pub struct AddPaymentMethodUrl {
    /// URL of the page. Anyone who has it can add one card, once: give it only to the borrower.
    url: String,
    /// Time at which the URL expires.
    expires_at: Timestamp,
}

/// Outcome of a page on which a card was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionOutcome {
    /// Its card is on file.
    Added,
    /// It may still be filled in.
    Pending,
    /// Nothing was added, and nothing will be.
    Ended,
}

/// Opens a page on which a card of the loan's borrower can be added. `origin`: the URL at which
/// browsers reach this server. `dry_run`: returns what a page would look like, without opening one.
pub async fn open(
    processor: &CardProcessor,
    caller: &Caller,
    clock: Clock,
    loan_id: i64,
    origin: &str,
    dry_run: bool,
) -> Result<AddPaymentMethodUrl, CardError> {
    let loan = caller.get::<loans::Entity>(&processor.db, loan_id).await?;
    rules::refuse_disabled(&processor.db, &loan).await?;
    let user_id = caller.user_id().ok_or(Forbidden::CoreUserOnly)?;
    let secret = URL_SAFE_NO_PAD.encode(random_bytes::<32>());
    let expires_at = Timestamp(clock.now.0 + chrono::TimeDelta::minutes(MINUTES));
    let own_url = format!("{origin}{SANDBOX_PAGE}?session={secret}");
    if dry_run {
        return Ok(AddPaymentMethodUrl { url: own_url, expires_at });
    }
    let (url, gateway_reference) = match processor.gateway.stripe() {
        None => (own_url, None),
        Some(stripe) => {
            let done_url = format!("{origin}{STRIPE_RETURN}?session={secret}");
            let cancel_url = format!("{done_url}&cancelled=1");
            // Stripe does not allow less than half an hour, by its own clock.
            let closes_at = expires_at.0.timestamp() + STRIPE_SECONDS_MORE;
            let opened =
                stripe.open_checkout(loan.contact_id, closes_at, &done_url, &cancel_url).await;
            let opened = opened?;
            (opened.url, Some(opened.reference))
        }
    };
    let session = Model {
        session_id: 0,
        loan_id,
        contact_id: loan.contact_id,
        user_id,
        state_hash: hash(&secret),
        gateway: processor.gateway.kind(),
        gateway_reference,
        state: SessionState::Open,
        created_date: clock.now,
        expires_at,
    };
    batch::insert_row(&processor.db, session).await?;
    Ok(AddPaymentMethodUrl { url, expires_at })
}

fn hash(secret: &str) -> String {
    hex::encode(digest(&SHA256, secret.as_bytes()))
}

/// Finds the session of a page's secret, if a card can still be added in it.
pub async fn find(
    processor: &CardProcessor,
    secret: &str,
    gateway: Gateway,
) -> Result<Option<Model>, CardError> {
    let now = database::time(&processor.db).await?;
    let found = find_by_secret(processor, secret, gateway).await?;
    let usable = |session: &Model| session.state == SessionState::Open && session.expires_at > now;
    Ok(found.filter(usable))
}

/// Returns the number of the loan on which a card is added.
#[expect(clippy::disallowed_methods, reason = "the secret of the page grants access")]
pub async fn loan_number(processor: &CardProcessor, session: &Model) -> Result<String, CardError> {
    let loan = loans::Entity::find_by_id(session.loan_id).one(&processor.db).await?;
    Ok(loan.ok_or(CardError::NotFound)?.loan_number)
}

/// Finds the session of a page's secret, whatever its state.
#[expect(clippy::disallowed_methods, reason = "the secret of the session grants access")]
async fn find_by_secret(
    processor: &CardProcessor,
    secret: &str,
    gateway: Gateway,
) -> Result<Option<Model>, CardError> {
    if gateway != processor.gateway.kind() {
        return Ok(None);
    }
    let found = Entity::find().filter(Column::StateHash.eq(hash(secret)));
    Ok(found.filter(Column::Gateway.eq(gateway)).one(&processor.db).await?)
}

/// Adds the card of a page to the wallet; `None` if the session has ended by now.
pub async fn add_card(
    processor: &Arc<CardProcessor>,
    session: &Model,
    described: CardDetails,
    cardholder_name: Option<String>,
) -> Result<Option<cards::Model>, CardError> {
    let command = AddSessionCard {
        processor: Arc::clone(processor),
        session: session.clone(),
        described,
        cardholder_name,
    };
    execute::execute_without_key(&processor.executor, command).await
}

/// Handles the browser's return from Stripe's page. A webhook or the recovery may have been faster,
/// and the card may have been entered in the last seconds: the borrower sees the same result in
/// either case.
pub async fn handle_return(
    processor: &Arc<CardProcessor>,
    secret: &str,
) -> Result<SessionOutcome, CardError> {
    let now = database::time(&processor.db).await?;
    let Some(session) = find_by_secret(processor, secret, Gateway::Stripe).await? else {
        return Ok(SessionOutcome::Ended);
    };
    match session.state {
        SessionState::Used => Ok(SessionOutcome::Added),
        SessionState::Open => settle(processor, &session, session.expires_at <= now).await,
        SessionState::Expired => Ok(SessionOutcome::Ended),
    }
}

/// Asks Stripe for the state of a page, and adds its card. `expire`: the page's lifetime is over.
pub async fn settle(
    processor: &Arc<CardProcessor>,
    session: &Model,
    expire: bool,
) -> Result<SessionOutcome, CardError> {
    let (Some(stripe), Some(reference)) = (processor.gateway.stripe(), &session.gateway_reference)
    else {
        return Ok(SessionOutcome::Ended);
    };
    let state = match stripe.retrieve_checkout(reference).await {
        Ok(CheckoutState::Open) if expire => stripe.expire_checkout(reference).await,
        found => found,
    };
    let described = match state {
        Ok(CheckoutState::Open) => return Ok(SessionOutcome::Pending),
        Ok(CheckoutState::Complete(method)) => {
            processor.gateway.describe(&method, session.contact_id).await.map(Some)
        }
        Ok(CheckoutState::Expired) => Ok(None),
        Err(error) => Err(error),
    };
    let described = match described {
        Ok(Some(described)) => described,
        Ok(None) => return close(processor, session, SessionState::Expired).await,
        // Stripe does not know the page, or the card was removed again: no card will come from it.
        Err(GatewayError::Refused(_)) if expire => {
            return close(processor, session, SessionState::Expired).await;
        }
        Err(_) => return Err(GatewayError::Unavailable.into()),
    };
    match add_card(processor, session, described, None).await {
        Ok(_) => Ok(SessionOutcome::Added),
        // Already on file: it has been added by its gateway token.
        Err(CardError::Refused(CardRefusal::OnFile { .. })) => {
            close(processor, session, SessionState::Used).await
        }
        Err(error) => Err(error),
    }
}

async fn close(
    processor: &CardProcessor,
    session: &Model,
    state: SessionState,
) -> Result<SessionOutcome, CardError> {
    let update = Entity::update_many()
        .col_expr(Column::State, state.into())
        .filter(Column::SessionId.eq(session.session_id))
        .filter(Column::State.eq(SessionState::Open));
    database::retry(|| update.clone().exec(&processor.db)).await?;
    Ok(match state {
        SessionState::Used => SessionOutcome::Added,
        SessionState::Open | SessionState::Expired => SessionOutcome::Ended,
    })
}

/// Finds the open session with a gateway's reference.
#[expect(clippy::disallowed_methods, reason = "settled by the service, never shown to a caller")]
pub async fn find_by_reference(
    db: &impl ConnectionTrait,
    reference: &str,
) -> Result<Option<Model>, DbErr> {
    let found = Entity::find().filter(Column::GatewayReference.eq(reference));
    found.filter(Column::State.eq(SessionState::Open)).one(db).await
}

/// Settles sessions whose lifetime is over, and deletes those left unused for a day.
pub(super) async fn sweep(processor: &Arc<CardProcessor>) -> Result<(), CardError> {
    expire_own(processor).await?;
    let mut after_id = 0;
    loop {
        let sessions = expired_at_stripe(&processor.db, after_id).await?;
        let Some(last) = sessions.last() else { break };
        after_id = last.session_id;
        futures_util::stream::iter(&sessions)
            .for_each_concurrent(CONCURRENT_MAX, |session| async {
                // A session that cannot be settled does not hold up the others.
                if let Err(error) = settle(processor, session, true).await {
                    let id = session.session_id;
                    tracing::warn!(id, %error, "a page to add a card on could not be settled");
                }
            })
            .await;
    }
    Ok(remove_unused(&processor.db).await?)
}

/// Expires the sessions for which no gateway can be asked: those of this server's own pages, and of
/// a gateway that is no longer in use.
async fn expire_own(processor: &CardProcessor) -> Result<(), DbErr> {
    let expired = Column::ExpiresAt.into_expr().lt(database::now(&processor.db));
    let own = processor.gateway.stripe().map(|_| Column::Gateway.ne(Gateway::Stripe));
    let update = Entity::update_many()
        .col_expr(Column::State, SessionState::Expired.into())
        .filter(Column::State.eq(SessionState::Open))
        .filter(expired)
        .filter(Condition::all().add_option(own));
    database::retry(|| update.clone().exec(&processor.db)).await.map(drop)
}

#[expect(clippy::disallowed_methods, reason = "settled by the service, never shown to a caller")]
async fn expired_at_stripe(db: &DatabaseConnection, after_id: i64) -> Result<Vec<Model>, DbErr> {
    let expired = Column::ExpiresAt.into_expr().lt(database::now(db));
    Entity::find()
        .filter(Column::State.eq(SessionState::Open))
        .filter(expired)
        .filter(Column::SessionId.gt(after_id))
        .order_by_asc(Column::SessionId)
        .limit(SESSIONS_PER_QUERY)
        .all(db)
        .await
}

async fn remove_unused(db: &DatabaseConnection) -> Result<(), DbErr> {
    let old = database::seconds_ago(db, Expr::value(UNUSED_RETENTION_SECONDS));
    let unused = Entity::delete_many()
        .filter(Column::State.eq(SessionState::Expired))
        .filter(Column::ExpiresAt.into_expr().lt(old));
    database::retry(|| unused.clone().exec(db)).await.map(drop)
}

/// A card that was added on a page.
struct AddSessionCard {
    processor: Arc<CardProcessor>,
    session: Model,
    described: CardDetails,
    cardholder_name: Option<String>,
}

impl Command for AddSessionCard {
    type Answer = Option<cards::Model>;
    type Refusal = CardRefusal;

    #[expect(clippy::disallowed_methods, reason = "the secret of the session grants access")]
    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Self::Answer, CardError> {
        let session = Entity::find_by_id(self.session.session_id).lock_exclusive().one(tx).await?;
        let Some(session) = session.filter(|session| session.state == SessionState::Open) else {
            return Ok(None);
        };
        let user = users::Entity::find_by_id(session.user_id).one(tx).await?;
        let caller = Caller::Core(CoreCaller {
            user_id: session.user_id,
            user_name: user.map(|user| user.user_name).unwrap_or_default(),
            rights: Rights::All,
        });
        let author = Actor::new(&caller, ChangeSource::Gateway, &RequestId::random());
        let card = Card {
            loan_id: session.loan_id,
            contact_id: session.contact_id,
            entry_type: EntryType::Wallet,
            cardholder_name: self.cardholder_name.clone(),
            described: self.described.clone(),
        };
        let card = card.insert(tx, &self.processor.gateway, &author, clock).await?;
        let mut update: ActiveModel = session.into();
        update.state = Set(SessionState::Used);
        update.update(tx).await?;
        Ok(Some(card))
    }
}
