//! Whether the keys in the settings are those with which the database was written.

use crate::store::keys;
use crate::store::tokens::TokenKeys;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter,
    QuerySelect, QueryTrait,
};
use shared::database::gate::key_checks::{KeyCheck, Keys};
use shared::database::gate::{Closed, Unready};
use shared::entity::{active_users, auth_sessions, cif_web_active_users};
use shared::envelope_encryption::MasterKeys;

const MASTER_KEYS: &str = "AUTH_MASTER_KEYS";
const TOKEN_KEYS: &str = "AUTH_TOKEN_KEYS";

/// The keys of the auth server.
pub struct ServerKeys {
    /// Keys that seal signing keys.
    pub master_keys: MasterKeys,
    /// Keys that sign and hash tokens.
    pub token_keys: TokenKeys,
}

#[async_trait::async_trait]
impl Keys for ServerKeys {
    fn checks(&self) -> Vec<KeyCheck> {
        let master_keys = self.master_keys.iter().map(|key| (MASTER_KEYS, key));
        let token_keys = self.token_keys.iter().map(|key| (TOKEN_KEYS, key));
        let keys = master_keys.chain(token_keys);
        keys.map(|(setting, (id, key))| KeyCheck::new(setting, id, key)).collect()
    }

    /// Opens all signing keys. What token keys make cannot be opened.
    async fn prove(&self, db: &DatabaseConnection) -> Result<(), Unready> {
        match keys::unopened(db, &self.master_keys).await? {
            None => Ok(()),
            Some(why) => Err(Closed::Keys(format!("{why}: correct {MASTER_KEYS}")).into()),
        }
    }

    /// True if the database has tokens whose hashes were made with a token key of this id.
    #[expect(clippy::disallowed_methods, reason = "tokens are not rows of the resource API")]
    async fn has_unproved(&self, db: &DatabaseConnection, key: &KeyCheck) -> Result<bool, Unready> {
        if key.setting != TOKEN_KEYS {
            return Ok(false);
        }
        let prefix = format!("{}:", key.key_id);
        let refresh = Condition::any()
            .add(auth_sessions::Column::RefreshHash.starts_with(&prefix))
            .add(auth_sessions::Column::PreviousRefreshHash.starts_with(&prefix));
        let core = active_users::Column::TokenHash.starts_with(&prefix);
        let web = cif_web_active_users::Column::TokenHash.starts_with(&prefix);
        Ok(exists(db, auth_sessions::Entity::find().filter(refresh)).await?
            || exists(db, active_users::Entity::find().filter(core)).await?
            || exists(db, cif_web_active_users::Entity::find().filter(web)).await?)
    }
}

async fn exists(
    db: &DatabaseConnection,
    rows: impl QuerySelect<QueryStatement = sea_orm::sea_query::SelectStatement> + QueryTrait,
) -> Result<bool, DbErr> {
    let statement = rows.limit(1).build(db.get_database_backend());
    Ok(db.query_one_raw(statement).await?.is_some())
}
