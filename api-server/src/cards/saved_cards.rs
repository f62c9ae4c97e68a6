//! Saved cards: how one is added, charged and forgotten.

use super::{CardDetails, CardProcessor, GatewayError, GatewayRefusal, PaymentGateway, rules};
use crate::audit::{self, Actor, AuditTarget, Changes, HistoryOwner};
use crate::auth::caller::Caller;
use crate::cards::refusals::{CardError, CardRefusal};
use crate::command::execute::{self, Command, ExecutionMode};
use crate::command::idempotency::{IdempotencyScope, Replayable};
use crate::http::bounded_string::BoundedString;
use poem_openapi::Object;
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait,
    QueryFilter, QueryOrder, QuerySelect,
};
use shared::database::{batch, galera};
use shared::entity::automated_payments::{self, AutomatedPaymentStatus};
use shared::entity::payment_gateway_tokens::{self as cards, EntryType};
use shared::entity::{contacts, loan_contacts, loans, payment_gateway_secrets as secrets};
use shared::interface_names;
use shared::time::Clock;
use std::sync::Arc;

/// A card to be added.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct NewCard {
    /// The gateway's token for the card, never its number. Up to 255 characters.
    pub gateway_token: BoundedString<255, 1>,
    /// Purpose of the card; default `wallet`.
    pub entry_type: Option<EntryType>,
    /// Name on the card. Up to 80 characters.
    pub cardholder_name: Option<BoundedString<80>>,
    /// Owner of the card: the borrower (default) or a contact linked to the loan; for a web user,
    /// their own contact.
    pub contact_id: Option<i64>,
}

/// A card that is being added.
pub struct AddCard {
    caller: Caller,
    author: Actor,
    loan_id: i64,
    new: NewCard,
    processor: Arc<CardProcessor>,
    described: Option<CardDetails>,
}

impl AddCard {
    /// Returns a card to be added.
    pub fn new(
        processor: &Arc<CardProcessor>,
        caller: Caller,
        author: Actor,
        loan_id: i64,
        new: NewCard,
    ) -> Self {
        Self { caller, author, loan_id, new, processor: Arc::clone(processor), described: None }
    }

    /// Checks the request. Returns the loan, and the contact who will own the card.
    async fn check(&self, db: &impl ConnectionTrait) -> Result<(loans::Model, i64), CardError> {
        let loan = self.caller.get::<loans::Entity>(db, self.loan_id).await?;
        let NewCard { gateway_token, cardholder_name, contact_id, .. } = &self.new;
        gateway_token.check("Gateway_Token")?;
        cardholder_name.as_ref().map_or(Ok(()), |name| name.check("Cardholder_Name"))?;
        if gateway_token.is_empty() {
            return Err(CardError::missing("Gateway_Token", "must not be empty"));
        }
        rules::refuse_disabled(db, &loan).await?;
        let contact_id = self.contact(db, &loan, *contact_id).await?;
        Ok((loan, contact_id))
    }

    async fn contact(
        &self,
        db: &impl ConnectionTrait,
        loan: &loans::Model,
        requested: Option<i64>,
    ) -> Result<i64, CardError> {
        let own = match &self.caller {
            Caller::Web { contact_id } => *contact_id,
            Caller::Core(_) => loan.contact_id,
        };
        let refused = |message| Err(CardError::invalid("Contact_ID", message));
        match (&self.caller, requested) {
            (_, None) => Ok(own),
            (_, Some(requested)) if requested == own => Ok(own),
            (Caller::Web { .. }, Some(_)) => refused("must be your own"),
            (Caller::Core(_), Some(requested)) => {
                let link = self.caller.find::<loan_contacts::Entity>();
                let link = link.filter(loan_contacts::Column::LoanId.eq(loan.loan_id));
                let link = link.filter(loan_contacts::Column::ContactId.eq(requested));
                match link.one(db).await? {
                    Some(_) => Ok(requested),
                    None => refused("must be the borrower or a contact linked to the loan"),
                }
            }
        }
    }
}

/// Adds a card, and stores the response under the key.
pub async fn add(
    add: AddCard,
    scope: Option<IdempotencyScope>,
) -> Result<Replayable<cards::Model, true>, CardError> {
    let processor = Arc::clone(&add.processor);
    execute::execute(&processor.executor, add, ExecutionMode::Commit(scope)).await
}

impl Command for AddCard {
    type Answer = cards::Model;
    type Refusal = CardRefusal;

    const PREPARES: bool = true;

    async fn prepare(&mut self) -> Result<(), CardError> {
        let (_, contact_id) = self.check(&self.processor.db).await?;
        let described = self.processor.gateway.describe(&self.new.gateway_token, contact_id).await;
        let token_errors = ["resource_missing", "payment_method_"];
        self.described = Some(described.map_err(|error| match error {
            GatewayError::Refused(GatewayRefusal { code, message })
                if token_errors.iter().any(|prefix| code.starts_with(prefix)) =>
            {
                CardError::invalid("Gateway_Token", message)
            }
            error => error.into(),
        })?);
        Ok(())
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Self::Answer, CardError> {
        let (loan, contact_id) = self.check(tx).await?;
        let described = self
            .described
            .clone()
            .ok_or_else(|| CardError::defect("the gateway has not described the card"))?;
        let cardholder_name = self.new.cardholder_name.clone().filter(|name| !name.is_empty());
        let card = Card {
            loan_id: loan.loan_id,
            contact_id,
            entry_type: self.new.entry_type.unwrap_or(EntryType::Wallet),
            cardholder_name: cardholder_name.map(String::from),
            described,
        };
        card.insert(tx, &self.processor.gateway, &self.author, clock).await
    }
}

/// A card with everything that is stored about it.
pub struct Card {
    /// Loan on which it is added.
    pub loan_id: i64,
    /// Contact who owns it.
    pub contact_id: i64,
    /// Purpose of the card.
    pub entry_type: EntryType,
    /// Name on the card.
    pub cardholder_name: Option<String>,
    /// The gateway's description of the card.
    pub described: CardDetails,
}

impl Card {
    /// Writes the card, its sealed gateway token, and both histories.
    pub async fn insert(
        self,
        tx: &DatabaseTransaction,
        gateway: &PaymentGateway,
        author: &Actor,
        clock: Clock,
    ) -> Result<cards::Model, CardError> {
        let Self { loan_id, contact_id, entry_type, cardholder_name, described } = self;
        let cardholder_name = cardholder_name.or(described.cardholder_name);
        if gateway.tokens_are_unique() {
            refuse_duplicate(tx, gateway, contact_id, &described.token).await?;
        }
        let mut card = cards::Model {
            payment_gateway_token_id: 0,
            brand_type: described.brand,
            entry_type,
            forget_flag: false,
            contact_id,
            loan_id,
            last_four: described.last_four,
            expiry_month: described.expiry_month,
            expiry_year: described.expiry_year,
            cardholder_name,
            gateway: gateway.kind(),
            created_date: clock.now,
            last_used_date: None,
            used_count: 0,
        };
        card.payment_gateway_token_id = batch::insert_row(tx, card.clone()).await?;
        let secret = secrets::Model {
            payment_gateway_token_id: card.payment_gateway_token_id,
            gateway_token: gateway.seal(card.payment_gateway_token_id, &described.token)?,
        };
        batch::insert_rows(tx, vec![secret.clone()]).await?;
        let recorded = audit::recording(tx, author, clock.now, async |changes| {
            changes.add(&audit_target(&card), None, Some(&card))?;
            changes.add(&audit_target(&card), None, Some(&secret))
        });
        recorded.await?;
        Ok(card)
    }
}

/// Changes of a card go to the history of the loan on which it was added, and of the contact who
/// owns it.
fn audit_target(card: &cards::Model) -> AuditTarget {
    let owners = vec![HistoryOwner::Loan(card.loan_id), HistoryOwner::Contact(card.contact_id)];
    AuditTarget { owners, privilege_path: "Payment Gateway > Cards", comment: None }
}

/// Refuses a card that is already on file, and one that was forgotten and is yet to be removed from
/// the gateway: that would remove the new one, too.
#[expect(clippy::disallowed_methods, reason = "a rule of the gateway; the rows are not shown")]
async fn refuse_duplicate(
    tx: &DatabaseTransaction,
    gateway: &PaymentGateway,
    contact_id: i64,
    token: &str,
) -> Result<(), CardError> {
    // Another request that adds the same card at the same time waits here for the contact's row
    // lock, and then finds the card.
    let contact = contacts::Entity::find_by_id(contact_id).select_only();
    let contact = contact.column(contacts::Column::ContactId).lock_exclusive();
    contact.into_tuple::<i64>().one(tx).await?;
    galera::guard_row(tx, "contacts", contact_id).await?;
    let existing: Vec<(cards::Model, Option<secrets::Model>)> = cards::Entity::find()
        .filter(cards::Column::ContactId.eq(contact_id))
        .filter(cards::Column::Gateway.eq(gateway.kind()))
        .join(sea_orm::JoinType::LeftJoin, secret_of_card())
        .select_also(secrets::Entity)
        .all(tx)
        .await?;
    for (card, secret) in existing {
        let id = card.payment_gateway_token_id;
        let Some(secret) = secret else { continue };
        // A token that cannot be unsealed under the current keys does not keep other cards from
        // being added.
        let Ok(existing_token) = gateway.unseal(id, &secret.gateway_token) else { continue };
        if existing_token == token {
            let on_file = CardRefusal::OnFile { card_id: id, forgotten: card.forget_flag };
            return Err(CardError::Refused(on_file));
        }
    }
    Ok(())
}

/// Relation from cards to their gateway tokens.
pub(super) fn secret_of_card() -> sea_orm::RelationDef {
    cards::Entity::belongs_to(secrets::Entity)
        .from(cards::Column::PaymentGatewayTokenId)
        .to(secrets::Column::PaymentGatewayTokenId)
        .into()
}

/// Refuses a card without a gateway token: it was on file before there was a gateway.
#[expect(clippy::disallowed_methods, reason = "for the gateway, never in a response")]
pub(super) async fn refuse_without_token(
    db: &impl ConnectionTrait,
    card_id: i64,
) -> Result<(), CardError> {
    match secrets::Entity::find_by_id(card_id).one(db).await? {
        Some(_) => Ok(()),
        None => {
            let detail = "the gateway does not know the card: it has to be added again";
            Err(CardError::Refused(CardRefusal::NotHere { detail }))
        }
    }
}

/// Returns the gateway's token of a card, unless the card was forgotten.
#[expect(clippy::disallowed_methods, reason = "for the gateway, never in a response")]
pub(super) async fn token_to_charge(
    processor: &CardProcessor,
    card_id: i64,
) -> Result<Option<String>, CardError> {
    let card = cards::Entity::find_by_id(card_id).one(&processor.db).await?;
    match card.is_some_and(|card| !card.forget_flag) {
        true => secret(processor, card_id).await,
        false => Ok(None),
    }
}

/// Returns the gateway's token of a card; `None` once the card was removed from the gateway.
#[expect(clippy::disallowed_methods, reason = "for the gateway, never in a response")]
async fn secret(processor: &CardProcessor, card_id: i64) -> Result<Option<String>, CardError> {
    match secrets::Entity::find_by_id(card_id).one(&processor.db).await? {
        None => Ok(None),
        Some(secret) => processor.gateway.unseal(card_id, &secret.gateway_token).map(Some),
    }
}

/// Forgets a card: it is no longer charged, and its automated payments are disabled. If it was
/// forgotten before, the response is the same.
pub async fn forget(
    processor: &Arc<CardProcessor>,
    caller: Caller,
    author: Actor,
    card_id: i64,
) -> Result<cards::Model, CardError> {
    let forget = ForgetCard { caller, author: author.clone(), card_id };
    let card = execute::execute_without_key(&processor.executor, forget).await?;
    // The card is forgotten here, whatever the gateway says; the recovery calls the gateway again.
    if card.gateway == processor.gateway.kind()
        && let Err(error) = remove_from_gateway(processor, &author, &card).await
    {
        tracing::warn!(%error, "a forgotten card is still at the gateway");
    }
    Ok(card)
}

/// Removes a forgotten card from the gateway, unless that was done before.
pub(super) async fn remove_from_gateway(
    processor: &Arc<CardProcessor>,
    author: &Actor,
    card: &cards::Model,
) -> Result<(), CardError> {
    let card_id = card.payment_gateway_token_id;
    let Some(token) = secret(processor, card_id).await? else { return Ok(()) };
    processor.gateway.forget(&token).await?;
    let removal = RemovedFromGateway { author: author.clone(), card: card.clone() };
    execute::execute_without_key(&processor.executor, removal).await
}

struct ForgetCard {
    caller: Caller,
    author: Actor,
    card_id: i64,
}

impl Command for ForgetCard {
    type Answer = cards::Model;
    type Refusal = CardRefusal;

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Self::Answer, CardError> {
        let card = self.caller.find::<cards::Entity>();
        let card = card.filter(cards::Column::PaymentGatewayTokenId.eq(self.card_id));
        let card = card.lock_exclusive().one(tx).await?.ok_or(CardError::NotFound)?;
        galera::guard_row(tx, "payment_gateway_tokens", self.card_id).await?;
        if card.forget_flag {
            return Ok(card);
        }
        let forgotten = cards::Model { forget_flag: true, ..card.clone() };
        let mut update: cards::ActiveModel = card.clone().into();
        update.forget_flag = Set(true);
        update.update(tx).await?;
        let recorded = audit::recording(tx, &self.author, clock.now, async |changes| {
            changes.add(&audit_target(&card), Some(&card), Some(&forgotten))?;
            self.disable_payments(tx, changes).await
        });
        recorded.await?;
        Ok(forgotten)
    }
}

impl ForgetCard {
    #[expect(clippy::disallowed_methods, reason = "on every loan that is paid with the card")]
    async fn disable_payments(
        &self,
        tx: &DatabaseTransaction,
        changes: &mut Changes<'_>,
    ) -> Result<(), DbErr> {
        use automated_payments::Column::{PaymentGatewayTokenId, RowId, Status};
        let payments = automated_payments::Entity::find()
            .filter(PaymentGatewayTokenId.eq(self.card_id))
            .filter(Status.eq(AutomatedPaymentStatus::Active))
            .order_by_asc(RowId)
            .lock_exclusive()
            .all(tx)
            .await?;
        for payment in &payments {
            let after = automated_payments::Model {
                status: AutomatedPaymentStatus::Disabled,
                ..payment.clone()
            };
            let target =
                AuditTarget::of(HistoryOwner::Loan(payment.loan_id), "Loan > Automated Payments");
            changes.add(&target, Some(payment), Some(&after))?;
        }
        automated_payments::Entity::update_many()
            .col_expr(Status, AutomatedPaymentStatus::Disabled.into())
            .filter(RowId.is_in(payments.iter().map(|payment| payment.row_id)))
            .exec(tx)
            .await?;
        Ok(())
    }
}

/// Records that a card is no longer at the gateway.
struct RemovedFromGateway {
    author: Actor,
    card: cards::Model,
}

impl Command for RemovedFromGateway {
    type Answer = ();
    type Refusal = CardRefusal;

    #[expect(clippy::disallowed_methods, reason = "for the history, never in a response")]
    async fn apply(&self, tx: &DatabaseTransaction, clock: Clock) -> Result<(), CardError> {
        let card_id = self.card.payment_gateway_token_id;
        let secret = secrets::Entity::find_by_id(card_id).lock_exclusive().one(tx).await?;
        let Some(secret) = secret else { return Ok(()) };
        secrets::Entity::delete_by_id(card_id).exec(tx).await?;
        let target = audit_target(&self.card);
        Ok(audit::record_in(&target, tx, &self.author, clock.now, Some(&secret), None).await?)
    }
}
