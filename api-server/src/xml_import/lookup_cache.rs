//! Lookup cache for the rows that a batch of records refers to: filled with one query per table for
//! the whole batch, and kept in step with the rows the batch stages.

use super::parse::Element;
use super::{Import, RecordError};
use crate::auth::visibility::Visible;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QuerySelect,
};
use shared::entity::{contacts, loans, web_credentials};
use shared::introspection::UserKind;
use shared::user_names::{self, skeleton_hash};
use std::collections::{BTreeSet, HashMap};

/// Placeholder id for a name that is taken, where it does not matter by which row.
pub(super) const TAKEN: i64 = 0;
/// Names per statement.
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
    /// Clears the cache.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.added.clear();
    }

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

    fn add(&mut self, kind: NameKind, name: &str, id: i64) {
        self.ids.insert((kind, name.to_owned()), Some(id));
        self.added.push((kind, name.to_owned()));
    }
}

impl Import<'_> {
    /// Looks up all rows that these records refer to.
    pub(super) async fn look_up(
        &mut self,
        tx: &DatabaseTransaction,
        records: &[Element],
    ) -> Result<(), DbErr> {
        self.lookup_cache.clear();
        let mut names_by_kind = BTreeSet::new();
        let mut skeletons = BTreeSet::new();
        let mut refs = Vec::new();
        for record in records {
            names_in(record, &mut names_by_kind);
            let elements = std::iter::once(record).chain(&record.children);
            refs.extend(elements.filter_map(|element| element.attribute("GetRecordID")));
        }
        self.record_refs.fetch(refs).await?;
        for (_, name) in names_by_kind.iter().filter(|(kind, _)| *kind == NameKind::WebUser) {
            skeletons.insert(skeleton_hash(UserKind::Web, name));
        }
        names_by_kind.extend(skeletons.iter().map(|hash| (NameKind::NameSkeleton, hash.as_str())));
        for kind in [NameKind::Contact, NameKind::Loan, NameKind::WebUser, NameKind::NameSkeleton] {
            let names: Vec<&str> = names_by_kind
                .iter()
                .filter(|(listed, _)| *listed == kind)
                .map(|(_, name)| *name)
                .collect();
            for chunk in names.chunks(NAMES_PER_STATEMENT) {
                let found = self.ids_of(tx, kind, chunk).await?;
                let absent = chunk.iter().map(|name| ((kind, (*name).to_owned()), None));
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
        tx: &DatabaseTransaction,
        kind: NameKind,
        name: &str,
    ) -> Result<Option<i64>, RecordError> {
        if let Some(cached) = self.lookup_cache.ids.get(&(kind, name.to_owned())) {
            return Ok(*cached);
        }
        Ok(self.ids_of(tx, kind, &[name]).await?.pop().map(|(id, _)| id))
    }

    /// Notes that a name is free again.
    pub(super) fn remove_name(&mut self, kind: NameKind, name: &str) {
        if !self.direct {
            self.lookup_cache.ids.insert((kind, name.to_owned()), None);
        }
    }

    /// Notes that a row with this name is staged.
    pub(super) fn add_name(&mut self, kind: NameKind, name: &str, id: i64) {
        if !self.direct {
            self.lookup_cache.add(kind, name, id);
        }
    }

    async fn ids_of(
        &self,
        db: &impl ConnectionTrait,
        kind: NameKind,
        names: &[&str],
    ) -> Result<Vec<(i64, String)>, DbErr> {
        let names = names.iter().copied();
        match kind {
            NameKind::Contact => {
                use contacts::Column::{ContactId, ContactNumber};
                self.pairs::<contacts::Entity>(ContactId, ContactNumber)
                    .filter(ContactNumber.is_in(names))
                    .into_tuple()
                    .all(db)
                    .await
            }
            NameKind::Loan => {
                use loans::Column::{LoanId, LoanNumber};
                self.pairs::<loans::Entity>(LoanId, LoanNumber)
                    .filter(LoanNumber.is_in(names))
                    .into_tuple()
                    .all(db)
                    .await
            }
            NameKind::WebUser => web_users(db, names).await,
            NameKind::NameSkeleton => {
                let taken = user_names::taken(db, names).await?;
                Ok(taken.into_iter().map(|hash| (TAKEN, hash)).collect())
            }
        }
    }

    fn pairs<E: Visible>(&self, id: E::Column, name: E::Column) -> sea_orm::Select<E> {
        self.caller.find::<E>().select_only().columns([id, name])
    }
}

#[expect(clippy::disallowed_methods, reason = "credentials are in no response")]
async fn web_users(
    db: &impl ConnectionTrait,
    names: impl Iterator<Item = &str>,
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

fn names_in<'e>(element: &'e Element, names: &mut BTreeSet<(NameKind, &'e str)>) {
    for (name, value) in &element.attributes {
        let kind = match name.as_str() {
            "ContactNumber" => NameKind::Contact,
            "LoanNumber" => NameKind::Loan,
            "WebUserName" => NameKind::WebUser,
            _ => continue,
        };
        names.insert((kind, value));
    }
    for child in &element.children {
        names_in(child, names);
    }
}
