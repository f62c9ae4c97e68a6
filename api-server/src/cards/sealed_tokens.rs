//! Whether the keys in the settings open the cards' sealed gateway tokens.

use super::label;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter, QuerySelect};
use shared::database::gate::key_checks::{KeyCheck, Keys};
use shared::database::gate::{Closed, Unready};
use shared::entity::payment_gateway_secrets::{Column, Entity, Model};
use shared::envelope_encryption::MasterKeys;

const SETTING: &str = "API_MASTER_KEYS";

/// The keys that seal the gateway's tokens of cards.
pub struct CardKeys(pub MasterKeys);

#[async_trait::async_trait]
impl Keys for CardKeys {
    fn checks(&self) -> Vec<KeyCheck> {
        self.0.iter().map(|(id, key)| KeyCheck::new(SETTING, id, key)).collect()
    }

    /// Opens a token of each key, and looks for tokens of other keys.
    #[expect(clippy::disallowed_methods, reason = "the cards of all callers are opened")]
    async fn prove(&self, db: &DatabaseConnection) -> Result<(), Unready> {
        let mut of_others = Entity::find();
        for (id, _) in self.0.iter() {
            let is_under = Column::GatewayToken.starts_with(format!("{id}:"));
            let sample = Entity::find().filter(is_under.clone()).one(db).await?;
            sample.map_or(Ok(()), |sample| self.open(&sample))?;
            of_others = of_others.filter(is_under.not());
        }
        let other = of_others.limit(1).one(db).await?;
        other.map_or(Ok(()), |other| self.open(&other))
    }

    /// False: `prove` opens a token of each key.
    async fn has_unproved(&self, _: &DatabaseConnection, _: &KeyCheck) -> Result<bool, Unready> {
        Ok(false)
    }
}

impl CardKeys {
    fn open(&self, sealed: &Model) -> Result<(), Unready> {
        let card_id = sealed.payment_gateway_token_id;
        match self.0.unseal(&label(card_id), &sealed.gateway_token) {
            Ok(_) => Ok(()),
            Err(why) => {
                Err(Closed::Keys(format!("card {card_id}: {why}: correct {SETTING}")).into())
            }
        }
    }
}
