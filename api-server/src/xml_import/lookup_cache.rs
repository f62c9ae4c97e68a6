//! Lookup cache for the rows that a batch of records refers to: filled with one query per table for
//! the whole batch, and kept in step with the rows the batch stages.

use super::parse::Element;
use super::{Import, ImportTransaction, RecordError};
use crate::auth::visibility::Visible;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use shared::entity::{contacts, loans, web_credentials};
use shared::introspection::UserKind;
use shared::user_names::{self, skeleton_hash};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Placeholder id for a name that is taken, where it does not matter by which row.
pub(super) const TAKEN: i64 = 0;
const NAMES_PER_STATEMENT: usize = 1_000;

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NameKind {
    /// A contact, by ContactNumber.
    Contact,
    /// A loan, by LoanNumber.
    Loan,
    /// A contact, by its web user name.
    WebUser,
    /// A user name that is taken, by the hash of its skeleton; see [`user_names`].
    NameSkeleton,
}

/// Ids of rows by name; `None` for a name that no row has.
#[derive(Default)]
pub(super) struct LookupCache {
    ids: HashMap<(NameKind, String), Option<i64>>,
    /// Names added by the current record.
    added: Vec<(NameKind, String)>,
}

impl LookupCache {
    /// Begins a new record.
    pub(super) fn begin_record(&mut self) {
        self.added.clear();
    }

    /// Rolls back the names that the current record has added.
    pub(super) fn roll_back_record(&mut self) {
        for name in self.added.drain(..) {
            self.ids.insert(name, None);
        }
    }
}

impl Import<'_> {
    /// Notes that a name is free again.
    pub(super) fn remove_name(&mut self, kind: NameKind, name: &str) {
        if !self.direct {
            self.lookup_cache.ids.insert((kind, name.to_owned()), None);
        }
    }

    /// Notes that a row with this name is staged.
    pub(super) fn add_name(&mut self, kind: NameKind, name: &str, id: i64) {
        if !self.direct {
            self.lookup_cache.ids.insert((kind, name.to_owned()), Some(id));
            self.lookup_cache.added.push((kind, name.to_owned()));
        }
    }
}

impl ImportTransaction<'_, '_> {
    /// Looks up all rows that these records refer to.
    pub(super) async fn look_up(&mut self, records: &[Element]) -> Result<(), DbErr> {
        let mut names = BTreeMap::new();
        let mut refs = Vec::new();
        for record in records {
            names_in(record, &mut names);
            let elements = std::iter::once(record).chain(&record.children);
            refs.extend(elements.filter_map(|element| element.attribute("GetRecordID")));
        }
        self.record_refs.fetch(refs).await?;
        if let Some(web_users) = names.get(&NameKind::WebUser) {
            let hashes = web_users.iter().map(|name| skeleton_hash(UserKind::Web, name)).collect();
            names.insert(NameKind::NameSkeleton, hashes);
        }
        for (kind, names) in names {
            let names: Vec<String> = names.into_iter().collect();
            for chunk in names.chunks(NAMES_PER_STATEMENT) {
                let found = self.ids_of(kind, chunk).await?;
                let absent = chunk.iter().map(|name| ((kind, name.clone()), None));
                self.lookup_cache.ids.extend(absent);
                let found = found.into_iter().map(|(id, name)| ((kind, name), Some(id)));
                self.lookup_cache.ids.extend(found);
            }
        }
        Ok(())
    }

    /// Returns the id of the row with this name.
    pub(super) async fn id_of(
        &self,
        kind: NameKind,
        name: &str,
    ) -> Result<Option<i64>, RecordError> {
        if let Some(cached) = self.lookup_cache.ids.get(&(kind, name.to_owned())) {
            return Ok(*cached);
        }
        Ok(self.ids_of(kind, &[name.to_owned()]).await?.pop().map(|(id, _)| id))
    }

    async fn ids_of(&self, kind: NameKind, names: &[String]) -> Result<Vec<(i64, String)>, DbErr> {
        match kind {
            NameKind::Contact => {
                use contacts::Column::{ContactId, ContactNumber};
                self.pairs(ContactId, ContactNumber, names).await
            }
            NameKind::Loan => {
                use loans::Column::{LoanId, LoanNumber};
                self.pairs(LoanId, LoanNumber, names).await
            }
            NameKind::WebUser => web_users(self.tx, names).await,
            NameKind::NameSkeleton => {
                let taken = user_names::taken(self.tx, names.iter().map(String::as_str)).await?;
                Ok(taken.into_iter().map(|hash| (TAKEN, hash)).collect())
            }
        }
    }

    async fn pairs<C: ColumnTrait<EntityName: Visible>>(
        &self,
        id: C,
        name: C,
        names: &[String],
    ) -> Result<Vec<(i64, String)>, DbErr> {
        let rows = self.caller.find::<C::EntityName>().filter(name.is_in(names));
        rows.select_only().columns([id, name]).into_tuple().all(self.tx).await
    }
}

#[expect(clippy::disallowed_methods, reason = "credentials are in no response")]
async fn web_users(
    db: &impl ConnectionTrait,
    names: &[String],
) -> Result<Vec<(i64, String)>, DbErr> {
    use web_credentials::Column::{ContactId, WebUserName};
    web_credentials::Entity::find()
        .select_only()
        .columns([ContactId, WebUserName])
        .filter(WebUserName.is_in(names))
        .into_tuple()
        .all(db)
        .await
}

fn names_in(element: &Element, names: &mut BTreeMap<NameKind, BTreeSet<String>>) {
    for (name, value) in &element.attributes {
        let kind = match name.as_str() {
            "ContactNumber" => NameKind::Contact,
            "LoanNumber" => NameKind::Loan,
            "WebUserName" => NameKind::WebUser,
            _ => continue,
        };
        names.entry(kind).or_default().insert(value.clone());
    }
    for child in &element.children {
        names_in(child, names);
    }
}
