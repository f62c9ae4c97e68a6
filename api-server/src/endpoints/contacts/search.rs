//! Search for contacts: criteria, their order, and the branches by which they are read.

use super::summary::ContactSummary;
use crate::auth::caller::Caller;
use crate::auth::privileges::TAX_IDS;
use crate::auth::visibility::{Visible, branches};
use crate::http::keyset::{self, Keyset, SortKey};
use crate::http::pagination::{List, Page};
use sea_orm::sea_query::{Expr, ExprTrait, IntoIden, Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, QueryFilter};
use shared::database;
use shared::database::coalesced::padded;
use shared::database::contact_search::{
    NAME_CHARACTERS_MIN, PHONE_DIGITS_MIN, email_key, name_key, phone_key, tax_id_key,
};
use shared::entity::contact_search_keys::{self, SearchKeyKind};
use shared::entity::contacts;
use shared::problem::Problem;
use shared::time::Timestamp;
use std::collections::HashMap;

/// Criteria, all of which a contact must meet.
#[derive(Clone, Debug, Default)]
pub struct ContactSearch {
    pub contact_number: Option<String>,
    /// One of its e-mail addresses.
    pub email: Option<String>,
    pub type_id: Option<i64>,
    /// One of its tax ids.
    pub tax_id: Option<String>,
    /// Beginning of a last name, of "last, first", of "first last", or of the company.
    pub name: Option<String>,
    /// Last digits of one of its phone numbers.
    pub phone: Option<String>,
    /// Earliest time of its last change.
    pub modified_since: Option<Timestamp>,
}

#[derive(Clone, Debug)]
struct SearchKey {
    kind: SearchKeyKind,
    text: String,
    /// True if keys that begin with the text match, too.
    prefix: bool,
}

impl ContactSearch {
    /// Returns a page of the contacts that the caller may see. To search by tax id, the caller must
    /// be allowed to view tax ids.
    pub async fn page(
        &self,
        db: &impl ConnectionTrait,
        caller: &Caller,
        page: &Page,
        order: Option<&str>,
    ) -> Result<List<ContactSummary>, Problem> {
        if self.tax_id.is_some() {
            caller.require(TAX_IDS)?;
        }
        let keys = self.keys()?;
        let mut keyset = Keyset::new(page, self.sort_key(), order)?;
        loop {
            let branches = self.branches(&keyset, caller, &keys, db);
            let mut positions = keyset.read(db, branches).await?;
            let more = positions.len() > page.rows_max();
            positions.truncate(page.rows_max());
            let ids = padded(positions.iter().map(|position| position.id).collect());
            let found = caller.find::<contacts::Entity>();
            let found = found.filter(contacts::Column::ContactId.is_in(ids)).all(db).await?;
            let mut found: HashMap<i64, contacts::Model> =
                found.into_iter().map(|row| (row.contact_id, row)).collect();
            let rows = positions.iter().filter_map(|position| {
                let row = found.remove(&position.id)?;
                Some((position.cursor(), ContactSummary::new(caller, row)))
            });
            let rows: Vec<_> = rows.collect();
            // Rows may have been removed since their ids were read.
            match positions.pop() {
                Some(last) if rows.is_empty() && more => keyset.continue_after(last),
                _ => return Ok(page.of_some(rows, more)),
            }
        }
    }

    /// Returns the statement that finds the ids of a first page of this many rows, to see how a
    /// database plans it.
    pub fn first_statement(
        &self,
        caller: &Caller,
        rows_max: u64,
        db: &impl ConnectionTrait,
    ) -> Result<Option<SelectStatement>, Problem> {
        let keyset = Keyset::first_page(self.sort_key(), rows_max);
        Ok(keyset.merge(self.branches(&keyset, caller, &self.keys()?, db)))
    }

    /// What the contacts are sorted by: what begins with a text, the column of a range, or else the
    /// id.
    fn sort_key(&self) -> SortKey {
        if self.name.is_some() {
            SortKey::Text("name")
        } else if self.phone.is_some() {
            SortKey::Text("phone")
        } else if self.modified_since.is_some() {
            SortKey::Time("modifiedDate")
        } else {
            SortKey::Id
        }
    }

    /// Returns the keys that a contact must have; the contacts are read by the first.
    fn keys(&self) -> Result<Vec<SearchKey>, Problem> {
        use SearchKeyKind::{Email, Name, Phone, TaxId};
        let refused = |parameter: &'static str, message: String| {
            Problem::bad_request("a parameter is malformed").field(parameter, message)
        };
        let mut keys = Vec::new();
        if let Some(name) = &self.name {
            let text = name_key(name);
            if text.chars().filter(|it| it.is_alphanumeric()).count() < NAME_CHARACTERS_MIN {
                let message = format!("must have at least {NAME_CHARACTERS_MIN} letters or digits");
                return Err(refused("name", message));
            }
            keys.push(SearchKey { kind: Name, text, prefix: true });
        }
        if let Some(phone) = &self.phone {
            let text = phone_key(phone);
            if text.len() < PHONE_DIGITS_MIN {
                let message = format!("must have at least the last {PHONE_DIGITS_MIN} digits");
                return Err(refused("phone", message));
            }
            keys.push(SearchKey { kind: Phone, text, prefix: true });
        }
        let mut add = |kind, text| keys.push(SearchKey { kind, text, prefix: false });
        if let Some(tax_id) = &self.tax_id {
            add(TaxId, tax_id_key(tax_id));
        }
        if let Some(email) = &self.email {
            add(Email, email_key(email));
        }
        Ok(keys)
    }

    /// Returns the branches of the search: those of the caller's visibility.
    fn branches(
        &self,
        keyset: &Keyset,
        caller: &Caller,
        keys: &[SearchKey],
        db: &impl ConnectionTrait,
    ) -> Vec<SelectStatement> {
        use contact_search_keys::Column as Key;
        let visible = branches::of_contacts(caller);
        let condition = self.filter(visible.len() == 1, db);
        let id = contacts::Column::ContactId.into_expr();
        let Some((first, others)) = keys.split_first() else {
            let sort_key = match self.sort_key() {
                SortKey::Time(_) => modified_date(),
                _ => id.clone(),
            };
            let branches = visible.into_iter().map(|visible| {
                let mut rows = Query::select();
                rows.from(contacts::Entity).cond_where(visible).cond_where(condition.clone());
                keyset.branch(rows, sort_key.clone(), id.clone(), db)
            });
            return branches.collect();
        };
        // A key's officer may be that of a minute ago.
        let condition = condition.add(contacts::Entity::visible_to(caller));
        let condition = others.iter().fold(condition, |all, key| all.add(key.is_held()));
        let condition = condition.add(first.condition(contact_search_keys::Entity));
        let condition = match first.prefix {
            true => condition.add(first.is_held_earlier().not()),
            false => condition,
        };
        let key_contact_id = Key::ContactId.into_expr();
        let sort_key = match self.sort_key() {
            SortKey::Text(_) => Key::SearchKey.into_expr(),
            SortKey::Time(_) => modified_date(),
            SortKey::Id | SortKey::Date(_) => key_contact_id.clone(),
        };
        let branches = branches::of_contact_officer(caller, Key::ContactOfficerUserId);
        let branches = branches.into_iter().map(|officer| {
            let mut rows = Query::select();
            rows.from(contact_search_keys::Entity)
                .inner_join(contacts::Entity, id.clone().eq(key_contact_id.clone()))
                .cond_where(officer)
                .cond_where(condition.clone());
            keyset.branch(rows, sort_key.clone(), key_contact_id.clone(), db)
        });
        branches.collect()
    }

    /// Condition: the contact meets the criteria that its own columns decide.
    fn filter(&self, sees_all_officers: bool, db: &impl ConnectionTrait) -> Condition {
        use contacts::Column::{ContactNumber, ContactTypeId};
        let modified_since =
            self.modified_since.map(|since| modified_date().gte(database::literal(db, since)));
        let contact_type = || keyset::criterion(ContactTypeId.into_expr(), sees_all_officers);
        Condition::all()
            .add_option(self.contact_number.as_ref().map(|number| ContactNumber.eq(number)))
            .add_option(self.type_id.map(|id| contact_type().eq(id)))
            .add_option(modified_since)
    }
}

fn modified_date() -> Expr {
    Expr::col((contacts::Entity, "modified_date"))
}

/// Alias of a further key of the same contact.
const OTHER: &str = "other_key";

impl SearchKey {
    /// Condition: the key in this table matches.
    fn condition(&self, table: impl IntoIden + Clone) -> Condition {
        use contact_search_keys::Column::{Kind, SearchKey};
        let kind = Expr::col((table.clone(), Kind)).eq(self.kind);
        let key = || Expr::col((table.clone(), SearchKey));
        let condition = Condition::all().add(kind);
        match self.prefix {
            false => condition.add(key().eq(self.text.as_str())),
            // In the order of code points, these are the keys that begin with the text.
            true => condition.add(key().gte(self.text.as_str())).add(key().lt(format!(
                "{}{}",
                self.text,
                char::MAX
            ))),
        }
    }

    /// Selects the contact's other keys that match.
    fn others(&self) -> SelectStatement {
        let contact_id = Expr::col((OTHER, contact_search_keys::Column::ContactId));
        Query::select()
            .expr(Expr::value(1))
            .from_as(contact_search_keys::Entity, OTHER)
            .and_where(contact_id.eq(contacts::Column::ContactId.into_expr()))
            .cond_where(self.condition(OTHER))
            .take()
    }

    /// Condition: the contact has a key that matches.
    fn is_held(&self) -> Expr {
        Expr::exists(self.others())
    }

    /// Condition: the contact has a key that matches and comes earlier than the one it is read by.
    fn is_held_earlier(&self) -> Expr {
        let key = contact_search_keys::Column::SearchKey;
        let earlier = Expr::col((OTHER, key)).lt(key.into_expr());
        Expr::exists(self.others().and_where(earlier).take())
    }
}
