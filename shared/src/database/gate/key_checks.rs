//! Check values of keys: by them a server notices that a key in its settings is not the one with
//! which the database was written, before it answers the first request.
//!
//! A server stores a key's check value in `settings` when it first uses the key. A key with the
//! same id and another check value is a different key.

use super::{Closed, Unready};
use crate::database::{self, Fault, batch};
use crate::entity::settings::{Column, Entity, Model};
use aws_lc_rs::hmac;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseConnection, EntityTrait, QueryFilter,
};
use std::collections::BTreeSet;

/// A key of a server's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCheck {
    /// The setting.
    pub setting: &'static str,
    /// The key's id in it.
    pub key_id: String,
    /// Its check value.
    pub value: String,
}

impl KeyCheck {
    /// Returns the check value of a key, which does not disclose the key.
    pub fn new(setting: &'static str, key_id: &str, key: &[u8]) -> Self {
        let message = format!("check value of {setting} {key_id}");
        let value = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message.as_bytes());
        Self { setting, key_id: key_id.to_owned(), value: hex::encode(value) }
    }

    fn row_name(&self) -> String {
        format!("{}{}", prefix_of(self.setting), self.key_id)
    }
}

/// The keys of a server, and what is sealed under them.
#[async_trait::async_trait]
pub trait Keys: Send + Sync {
    /// Returns the check values of all keys.
    fn checks(&self) -> Vec<KeyCheck>;

    /// Checks that the keys open what is sealed in the database.
    async fn prove(&self, db: &DatabaseConnection) -> Result<(), Unready>;

    /// True if the database has values made with a key of this id, and `prove` has not opened them.
    async fn has_unproved(&self, db: &DatabaseConnection, key: &KeyCheck) -> Result<bool, Unready>;
}

/// No keys, for programs that use none.
#[derive(Debug)]
pub struct NoKeys;

#[async_trait::async_trait]
impl Keys for NoKeys {
    fn checks(&self) -> Vec<KeyCheck> {
        Vec::new()
    }

    async fn prove(&self, _: &DatabaseConnection) -> Result<(), Unready> {
        Ok(())
    }

    async fn has_unproved(&self, _: &DatabaseConnection, _: &KeyCheck) -> Result<bool, Unready> {
        Ok(false)
    }
}

/// What becomes of keys that have no check value yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adoption {
    /// They get one, unless the database has values that may be another key's of that id.
    WhileUnused,
    /// They are left as they are.
    Never,
}

/// Checks that these are the keys with which the database was written, and changes nothing.
pub async fn verify(db: &DatabaseConnection, keys: &dyn Keys) -> Result<(), Unready> {
    check(db, keys, Adoption::Never).await?;
    keys.prove(db).await
}

/// Compares the keys with their check values.
#[expect(clippy::disallowed_methods, reason = "settings are not rows of the resource API")]
pub(super) async fn check(
    db: &DatabaseConnection,
    keys: &dyn Keys,
    adoption: Adoption,
) -> Result<(), Unready> {
    let configured = keys.checks();
    if configured.is_empty() {
        return Ok(());
    }
    let prefixes = configured.iter().map(|key| Column::Name.starts_with(prefix_of(key.setting)));
    let any_prefix = prefixes.fold(Condition::any(), Condition::add);
    let stored = Entity::find().filter(any_prefix).all(db).await?;
    check_kinship(db, keys, &configured, &stored).await?;
    for key in configured {
        let (prefix, name) = (prefix_of(key.setting), key.row_name());
        // The first key of all is that of the server that wrote what there is.
        let is_first = !stored.iter().any(|row| row.name.starts_with(&prefix));
        match stored.iter().find(|row| row.name == name) {
            Some(row) if row.value == key.value => {}
            Some(_) => return Err(another_key(&key).into()),
            None if adoption == Adoption::Never => {}
            None if !is_first && keys.has_unproved(db, &key).await? => {
                return Err(another_key(&key).into());
            }
            None => store(db, key).await?,
        }
    }
    Ok(())
}

/// Refuses keys of a setting that have none in common with those of the database while one of those is
/// in use: another server would not know what this one makes. A rotation adds a key to the others.
async fn check_kinship(
    db: &DatabaseConnection,
    keys: &dyn Keys,
    configured: &[KeyCheck],
    stored: &[Model],
) -> Result<(), Unready> {
    let settings: BTreeSet<&'static str> = configured.iter().map(|key| key.setting).collect();
    for setting in settings {
        let of_setting = |key: &&KeyCheck| key.setting == setting;
        let is_known = |key: &KeyCheck| stored.iter().any(|row| row.name == key.row_name());
        if configured.iter().filter(of_setting).any(is_known) {
            continue;
        }
        let prefix = prefix_of(setting);
        for row in stored {
            let Some(key_id) = row.name.strip_prefix(&prefix) else { continue };
            let (key_id, value) = (key_id.to_owned(), row.value.clone());
            let key = KeyCheck { setting, key_id, value };
            if keys.has_unproved(db, &key).await? {
                return Err(Closed::Keys(format!(
                    "{setting} lacks the key {:?}, which is in use in this database: add it",
                    key.key_id
                ))
                .into());
            }
        }
    }
    Ok(())
}

/// Prefix of the rows with the check values of a setting's keys.
fn prefix_of(setting: &str) -> String {
    format!("key_check:{setting}:")
}

fn another_key(KeyCheck { setting, key_id, .. }: &KeyCheck) -> Closed {
    Closed::Keys(format!(
        "the key {key_id:?} in {setting} is not the one with which this database was written: \
         correct {setting}"
    ))
}

/// Stores a check value. Another server may have stored one meanwhile, which the next check compares.
async fn store(db: &DatabaseConnection, key: KeyCheck) -> Result<(), Unready> {
    let row = [(Column::Name, key.row_name().into()), (Column::Value, key.value.into())];
    match db.execute(&batch::insert_values(Entity, row)).await {
        Err(error) if database::fault(&error) != Fault::Conflict => Err(error.into()),
        _ => Ok(()),
    }
}
