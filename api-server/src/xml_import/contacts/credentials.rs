//! `<WebCredentials>`: how a contact logs in as a web user.

use crate::history::{self, Placed};
use crate::xml_import::fields::{Fields, Update};
use crate::xml_import::format::{Kind, RowShape, Shape, attribute};
use crate::xml_import::known::Sort;
use crate::xml_import::parse::Element;
use crate::xml_import::{Applied, Import, Stop};
use futures_util::{StreamExt, TryStreamExt, stream};
use sea_orm::{DatabaseTransaction, EntityTrait};
use shared::entity::web_credentials::{Column, Entity, Model};
use shared::introspection::UserKind;
use shared::passwords::PASSWORD_BYTES_MAX;
use shared::problem::Problem;
use shared::secrecy::Secret;
use shared::sessions;
use std::collections::HashMap;
use std::sync::LazyLock;

/// `<WebCredentials>`
pub static WEB_CREDENTIALS: LazyLock<RowShape<Entity>> = LazyLock::new(|| {
    let password = attribute("Password", Kind::Text(PASSWORD_BYTES_MAX));
    let columns = [(Column::WebUserName, Kind::Text(50)), (Column::WebAccessFlag, Kind::Flag)];
    RowShape::new(Shape::new("WebCredentials").with([password]), columns)
});

/// Passwords of a batch that are hashed at once; how many really are, the machine decides.
const HASHED_AT_ONCE: usize = 16;

/// The hashes of passwords of the records at hand, by line, user name and password.
pub type Hashes = HashMap<(u64, String, String), Secret>;

impl Import<'_> {
    /// Hashes the passwords of records before their transaction begins: that takes far longer than
    /// writing them, and nobody waits for a lock meanwhile.
    pub(in crate::xml_import) async fn hash_passwords(
        &mut self,
        records: &[Element],
    ) -> Result<(), Problem> {
        let given = records.iter().flat_map(|record| &record.children).filter_map(|child| {
            let named = child.attribute("WebUserName").filter(|_| child.name == "WebCredentials");
            let password = child.attribute("Password").filter(|text| may_be_password(text));
            let (name, password) = named.zip(password)?;
            let key = (child.line, name.to_owned(), password.to_owned());
            Some((key, self.passwords.clone()))
        });
        let given: Vec<_> = given.collect();
        let hashed = stream::iter(given)
            .map(async |(key, passwords)| {
                let hash = passwords.hash(&key.2).await?;
                Ok((key, hash))
            })
            .buffer_unordered(HASHED_AT_ONCE);
        let hashed: Result<Hashes, String> = hashed.try_collect().await;
        self.hashes = hashed.map_err(Problem::internal)?;
        Ok(())
    }

    /// The hash of a password, made already or now.
    async fn hash(&mut self, element: &Element, password: &str) -> Result<Secret, Stop> {
        let name = element.attribute("WebUserName").unwrap_or_default().to_owned();
        match self.hashes.remove(&(element.line, name, password.to_owned())) {
            Some(hash) => Ok(hash),
            None => {
                let hash = self.passwords.hash(password).await;
                hash.map_err(|error| Stop::Problem(Problem::internal(error)))
            }
        }
    }

    /// Sets, or deletes, how a contact logs in as a web user.
    pub(super) async fn web_credentials(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        contact_id: i64,
    ) -> Result<Applied, Stop> {
        let mut fields = Fields::new(element, &WEB_CREDENTIALS, self.enforce);
        if fields.update == Update::Delete {
            let messages = fields.finish()?;
            self.delete_web_credentials(tx, contact_id).await?;
            return Ok(Applied::told(messages));
        }
        // Only what ends sessions keeps people from logging in until the transaction is over.
        if fields.has("Password") || fields.get("WebAccessFlag") == Some(false) {
            hold(tx, contact_id).await?;
        }
        let before = self.find_web_credentials(tx, contact_id).await?;
        let mut row = before.clone().unwrap_or_else(|| Model {
            contact_id,
            web_user_name: String::new(),
            web_access_flag: true,
            password_hash: Secret::new(""),
            created_date: self.clock.now,
        });
        fields.fill(&WEB_CREDENTIALS, &mut row);
        let password = fields.get::<String>("Password");
        if before.is_none() {
            for name in ["WebUserName", "Password"] {
                if !fields.has(name) {
                    fields.missing(name);
                }
            }
        }
        if password.as_ref().is_some_and(|text| !may_be_password(text)) {
            fields.error("Password", "must have 1 to 1024 bytes");
        }
        let other = self.id_of(tx, Sort::WebUser, &row.web_user_name).await?;
        if other.is_some_and(|other| other != contact_id) {
            fields.error("WebUserName", "is taken by another contact");
        }
        if fields.fail() {
            return Err(fields.finish().err().unwrap_or_default().into());
        }
        if let Some(password) = &password {
            row.password_hash = self.hash(element, password).await?;
        }
        // Who loses web access, or gets a new password, is logged out at once and for good.
        if before.is_some() && (!row.web_access_flag || password.is_some()) {
            sessions::end_all(tx, UserKind::Web, contact_id).await?;
        }
        if let Some(before) = before.as_ref().filter(|row| row.contact_id < 0) {
            self.forget_name(Sort::WebUser, &before.web_user_name);
        }
        self.note_name(Sort::WebUser, &row.web_user_name, contact_id);
        let place = row.place();
        self.set(tx, fields, before, row, place).await
    }

    /// Those of a contact that is staged itself are staged, too.
    #[expect(clippy::disallowed_methods, reason = "credentials are in nobody's answers")]
    async fn find_web_credentials(
        &mut self,
        tx: &DatabaseTransaction,
        contact_id: i64,
    ) -> Result<Option<Model>, Stop> {
        match contact_id {
            ..0 => Ok(self.stage.find::<Model>(|row| row.contact_id == contact_id).cloned()),
            _ => Ok(Entity::find_by_id(contact_id).one(tx).await?),
        }
    }

    pub(super) async fn delete_web_credentials(
        &mut self,
        tx: &DatabaseTransaction,
        contact_id: i64,
    ) -> Result<(), Stop> {
        hold(tx, contact_id).await?;
        let Some(row) = self.find_web_credentials(tx, contact_id).await? else { return Ok(()) };
        sessions::end_all(tx, UserKind::Web, contact_id).await?;
        Entity::delete_by_id(contact_id).exec(tx).await?;
        history::record(tx, &self.author, self.clock.now, Some(&row), None).await?;
        Ok(())
    }
}

/// Whatever log-in has begun is over before, or finds what this leaves. Of those that are staged
/// nobody knows.
async fn hold(tx: &DatabaseTransaction, contact_id: i64) -> Result<(), Stop> {
    match contact_id {
        ..0 => Ok(()),
        _ => Ok(sessions::hold_credentials(tx, UserKind::Web, contact_id).await?),
    }
}

fn may_be_password(text: &str) -> bool {
    (1..=PASSWORD_BYTES_MAX).contains(&text.len())
}
