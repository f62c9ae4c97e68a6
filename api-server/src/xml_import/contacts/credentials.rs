//! `<WebCredentials>`: a contact's log-in as a web user.

use crate::audit::{self, HasAuditTarget};
use crate::xml_import::element_fields::{ElementFields, UpdateMode};
use crate::xml_import::format::{AttributeKind, ElementShape, RowShape, attribute};
use crate::xml_import::lookup_cache::{NameKind, TAKEN};
use crate::xml_import::parse::Element;
use crate::xml_import::refusals::ImportError;
use crate::xml_import::{ElementOutcome, Import, ImportTransaction, RecordError};
use futures_util::{StreamExt, TryStreamExt, stream};
use sea_orm::{DatabaseTransaction, EntityTrait};
use shared::entity::web_credentials::{Column, Entity, Model};
use shared::introspection::UserKind;
use shared::passwords::{PASSWORD_BYTES_MAX, Verdict};
use shared::secrets::Secret;
use shared::sessions;
use shared::user_names::{self, check_name, check_password, skeleton_hash};
use std::collections::HashMap;
use std::sync::LazyLock;

pub(crate) static WEB_CREDENTIALS: LazyLock<RowShape<Entity>> = LazyLock::new(|| {
    let password = attribute("Password", AttributeKind::Text(PASSWORD_BYTES_MAX));
    let columns = [
        (Column::WebUserName, AttributeKind::Text(50)),
        (Column::WebAccessFlag, AttributeKind::Flag),
    ];
    RowShape::new(ElementShape::new("WebCredentials").with([password]), columns)
        .also_needing("WebUserName and Password, if the contact has no credentials yet")
});

/// Passwords of a batch handed over for hashing concurrently. How many really run at the same time
/// depends on the machine.
const CONCURRENT_HASHES_MAX: usize = 16;

/// Password hashes for the current records, by line, user name and password.
pub(crate) type Hashes = HashMap<(u64, String, String), Secret>;

impl Import<'_> {
    /// Hashes the passwords of records before their transaction begins. Hashing takes far longer
    /// than writing the records, and no lock is held meanwhile.
    pub(in crate::xml_import) async fn hash_passwords(
        &mut self,
        records: &[Element],
    ) -> Result<(), ImportError> {
        let to_hash = records.iter().flat_map(|record| &record.children).filter_map(|child| {
            let user_name =
                child.attribute("WebUserName").filter(|_| child.name == "WebCredentials");
            let password = child.attribute("Password").filter(|text| may_be_password(text));
            let (name, password) = user_name.zip(password)?;
            let key = (child.line, name.to_owned(), password.to_owned());
            Some((key, self.passwords.clone()))
        });
        let to_hash: Vec<_> = to_hash.collect();
        let hashed = stream::iter(to_hash)
            .map(async |(key, passwords)| {
                let hash = passwords.hash(&key.2).await?;
                Ok((key, hash))
            })
            .buffer_unordered(CONCURRENT_HASHES_MAX);
        let hashed: Result<Hashes, String> = hashed.try_collect().await;
        self.hashes = hashed.map_err(ImportError::defect)?;
        Ok(())
    }
}

impl ImportTransaction<'_, '_> {
    /// Returns the hash of a password: the one computed in advance, or a new one.
    async fn hash(&mut self, element: &Element, password: &str) -> Result<Secret, RecordError> {
        let name = element.attribute("WebUserName").unwrap_or_default().to_owned();
        match self.hashes.remove(&(element.line, name, password.to_owned())) {
            Some(hash) => Ok(hash),
            None => {
                let hash = self.passwords.hash(password).await;
                hash.map_err(|error| RecordError::from(ImportError::defect(error)))
            }
        }
    }

    /// Sets or deletes the web credentials of a contact.
    pub(super) async fn web_credentials(
        &mut self,
        element: &Element,
        contact_id: i64,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &WEB_CREDENTIALS, self.enforce);
        if fields.update == UpdateMode::Delete {
            let messages = fields.finish()?;
            self.delete_web_credentials(contact_id).await?;
            return Ok(ElementOutcome::messages_only(messages));
        }
        // Only a change that ends sessions takes the lock, which blocks the contact's log-ins until
        // the transaction ends.
        if fields.has("Password") || fields.get("WebAccessFlag") == Some(false) {
            lock_credentials(self.tx, contact_id).await?;
        }
        let before = self.find_web_credentials(contact_id).await?;
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
        if let Some(password) = &password
            && let Err(fault) = check_password(password, &row.web_user_name)
            && !self.is_password_of(before.as_ref(), password).await?
        {
            fields.error("Password", fault.to_string());
        }
        let renamed =
            before.as_ref().is_none_or(|before| before.web_user_name != row.web_user_name);
        if renamed && let Err(fault) = check_name(&row.web_user_name) {
            fields.error("WebUserName", fault.to_string());
        }
        let other = self.id_of(NameKind::WebUser, &row.web_user_name).await?;
        let former = before.as_ref().map(|before| before.web_user_name.as_str());
        if other.is_some_and(|other| other != contact_id) {
            fields.error("WebUserName", "is already taken by another contact");
        } else if renamed && self.looks_like_another(former, &row.web_user_name).await? {
            fields.error("WebUserName", "looks like another contact's WebUserName");
        }
        if fields.has_errors() {
            return Err(fields.messages().into());
        }
        if let Some(password) = &password {
            row.password_hash = self.hash(element, password).await?;
        }
        // Losing web access or getting a new password ends all sessions immediately. Restoring
        // access does not bring them back.
        if before.is_some() && (!row.web_access_flag || password.is_some()) {
            sessions::end_all(self.tx, UserKind::Web, contact_id).await?;
        }
        if let Some(before) = before.as_ref().filter(|row| row.contact_id < 0) {
            self.remove_name(NameKind::WebUser, &before.web_user_name);
        }
        self.add_name(NameKind::WebUser, &row.web_user_name, contact_id);
        if renamed {
            self.take_name(before.as_ref(), &row.web_user_name).await?;
        }
        let target = row.audit_target();
        self.upsert(fields, before, row, target).await
    }

    /// True if this is the current password: a file may repeat one that predates the password rule.
    async fn is_password_of(
        &self,
        row: Option<&Model>,
        password: &str,
    ) -> Result<bool, RecordError> {
        let Some(row) = row.filter(|_| may_be_password(password)) else { return Ok(false) };
        let verdict = self.passwords.verify(password, Some(&row.password_hash)).await;
        let verdict = verdict.map_err(|error| RecordError::from(ImportError::defect(error)))?;
        Ok(verdict != Verdict::Wrong)
    }

    /// True if a user other than the one with the former name has a name that looks like this one.
    async fn looks_like_another(
        &self,
        former: Option<&str>,
        name: &str,
    ) -> Result<bool, RecordError> {
        let hash = skeleton_hash(UserKind::Web, name);
        if former.is_some_and(|former| skeleton_hash(UserKind::Web, former) == hash) {
            return Ok(false);
        }
        Ok(self.id_of(NameKind::NameSkeleton, &hash).await?.is_some())
    }

    /// Takes a name that was found to be free, and releases the former one.
    async fn take_name(&mut self, before: Option<&Model>, name: &str) -> Result<(), RecordError> {
        let hash = skeleton_hash(UserKind::Web, name);
        if let Some(before) = before {
            let former = skeleton_hash(UserKind::Web, &before.web_user_name);
            if former == hash {
                return Ok(());
            }
            self.remove_name(NameKind::NameSkeleton, &former);
            match before.contact_id {
                ..0 => self.stage.name_skeletons.retain(|staged| *staged != former),
                _ => user_names::release(self.tx, UserKind::Web, &before.web_user_name).await?,
            }
        }
        self.add_name(NameKind::NameSkeleton, &hash, TAKEN);
        match self.direct {
            true => Ok(user_names::take(self.tx, UserKind::Web, name).await?),
            false => {
                self.stage.name_skeletons.push(hash);
                Ok(())
            }
        }
    }

    /// Finds the web credentials of a contact. Those of a staged contact are staged, too.
    #[expect(clippy::disallowed_methods, reason = "credentials are in no response")]
    async fn find_web_credentials(
        &mut self,
        contact_id: i64,
    ) -> Result<Option<Model>, RecordError> {
        match contact_id {
            ..0 => Ok(self.stage.find::<Model>(|row| row.contact_id == contact_id).cloned()),
            _ => Ok(Entity::find_by_id(contact_id).one(self.tx).await?),
        }
    }

    pub(super) async fn delete_web_credentials(
        &mut self,
        contact_id: i64,
    ) -> Result<(), RecordError> {
        lock_credentials(self.tx, contact_id).await?;
        let Some(row) = self.find_web_credentials(contact_id).await? else { return Ok(()) };
        sessions::end_all(self.tx, UserKind::Web, contact_id).await?;
        Entity::delete_by_id(contact_id).exec(self.tx).await?;
        user_names::release(self.tx, UserKind::Web, &row.web_user_name).await?;
        self.remove_name(NameKind::WebUser, &row.web_user_name);
        let former = skeleton_hash(UserKind::Web, &row.web_user_name);
        self.remove_name(NameKind::NameSkeleton, &former);
        audit::record(self.tx, &self.author, self.clock.now, Some(&row), None).await?;
        Ok(())
    }
}

/// Locks a contact's credentials: a log-in that has begun finishes before this, or sees its effect.
/// Staged contacts are not visible to any log-in and need no lock.
async fn lock_credentials(tx: &DatabaseTransaction, contact_id: i64) -> Result<(), RecordError> {
    match contact_id {
        ..0 => Ok(()),
        _ => Ok(sessions::hold_credentials(tx, UserKind::Web, contact_id).await?),
    }
}

fn may_be_password(text: &str) -> bool {
    (1..=PASSWORD_BYTES_MAX).contains(&text.len())
}
