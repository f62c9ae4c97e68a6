//! Search keys of contacts: names as people type them, without case and accents, phones as reversed digits, e-mail
//! addresses without case, tax ids without punctuation.
//!
//! The keys are in `contact_search_keys`. Each contact also keeps the values from which its keys
//! were made (`search_source`, `search_officer_user_id`); the database compares these with the
//! current ones in the generated column `search_stale`. So an index finds every contact that a
//! program has inserted or changed, and [`refill`] makes its keys anew.

use crate::database;
use crate::database::batch;
use crate::database::coalesced::padded;
use crate::entity::contact_search_keys::{ActiveModel, Column, Entity, Model, SearchKeyKind};
use crate::entity::contacts;
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, Order, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    EntityTrait, QueryFilter, QueryResult,
};
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Kinds of keys, as stored. A migration depends on it, as on the constants below and [`is_stale`].
pub(crate) const KIND_WORDS: &[&str] = &["name", "phone", "email", "tax_id"];
/// Maximum characters of a key; further ones are not compared.
pub(crate) const KEY_CHARACTERS_MAX: u32 = 120;
/// Maximum characters of `search_source`.
pub(crate) const SOURCE_CHARACTERS_MAX: u32 = 600;

/// Minimum letters and digits of a name to search for.
pub const NAME_CHARACTERS_MIN: usize = 2;
/// Minimum digits of a phone to search for.
pub const PHONE_DIGITS_MIN: usize = 7;

const CONTACTS_PER_BATCH: u64 = 5_000;
const CONTACTS_PER_STATEMENT: usize = 512;

/// Columns from which keys are made, in the order of `search_source`.
const SOURCES: [&str; 12] = [
    "company",
    "last_name1",
    "first_name1",
    "last_name2",
    "first_name2",
    "email",
    "email2",
    "home_phone",
    "work_phone",
    "mobile_phone",
    "tax_id1",
    "tax_id2",
];

/// Returns the SQL expression for a contact's `search_source`: its sources, with a unit separator
/// between them.
fn source(backend: DbBackend) -> String {
    let columns = SOURCES.map(|column| format!("COALESCE({column}, '')"));
    match backend {
        DbBackend::MySql => format!("CONCAT({})", columns.join(", '\u{1f}', ")),
        _ => columns.join(" || '\u{1f}' || "),
    }
}

/// Returns the SQL expression for whether a contact's keys must be made anew.
pub(crate) fn is_stale(backend: DbBackend) -> Expr {
    let source = source(backend);
    let officers = ["search_officer_user_id", "contact_officer_user_id"];
    Expr::cust(match (backend, officers) {
        (DbBackend::MySql, [before, now]) => {
            format!("NOT (search_source <=> {source}) OR NOT ({before} <=> {now})")
        }
        (DbBackend::Postgres, [before, now]) => {
            format!("search_source IS DISTINCT FROM ({source}) OR {before} IS DISTINCT FROM {now}")
        }
        (_, [before, now]) => {
            format!("search_source IS NOT ({source}) OR {before} IS NOT {now}")
        }
    })
}

/// Returns a text without case, accents and differences of width, with single spaces, one kind of
/// apostrophe, and the letters that people type for those that their keyboard lacks.
fn fold(text: &str) -> String {
    let text: String = text.chars().map(plain_apostrophe).collect();
    let cased = without_accents(&text).flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    let mut folded = String::new();
    for letter in without_accents(&cased.collect::<String>()) {
        match typed_as(letter) {
            Some(typed) => folded.push_str(typed),
            None => folded.push(letter),
        }
    }
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Before compatibility forms: that of an acute accent begins with a space.
fn plain_apostrophe(character: char) -> char {
    match character {
        '\u{60}'
        | '\u{b4}'
        | '\u{2b9}'
        | '\u{2bb}'..='\u{2bf}'
        | '\u{2c8}'
        | '\u{2018}'..='\u{201b}'
        | '\u{2032}'
        | '\u{a78c}'
        | '\u{ff07}' => '\'',
        other => other,
    }
}

/// Returns what people type for a lower-case letter that has no accent to be left out.
const fn typed_as(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ł' => "l",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        _ => return None,
    })
}

fn without_accents(text: &str) -> impl Iterator<Item = char> {
    text.nfkd().filter(|character| !is_combining_mark(*character))
}

/// Returns the key of a name, or of the beginning of one. Commas are followed by one space.
pub fn name_key(name: &str) -> String {
    let parts: Vec<String> = name.split(',').map(fold).collect();
    parts.join(", ").chars().take(KEY_CHARACTERS_MAX as usize).collect()
}

/// Returns the key of a phone number, or of its last digits.
pub fn phone_key(phone: &str) -> String {
    let digits: Vec<char> = phone.nfkd().filter(char::is_ascii_digit).collect();
    digits.into_iter().rev().collect()
}

/// Returns the key of an e-mail address.
pub fn email_key(email: &str) -> String {
    email.trim().chars().flat_map(char::to_lowercase).collect()
}

/// Returns the key of a tax id.
pub fn tax_id_key(tax_id: &str) -> String {
    let characters = tax_id.chars().filter(|character| character.is_alphanumeric());
    characters.flat_map(char::to_uppercase).collect()
}

/// Returns the keys of a contact with these values, in the order of [`SOURCES`].
fn keys(values: &[String; SOURCES.len()]) -> BTreeSet<(SearchKeyKind, String)> {
    use SearchKeyKind::{Email, Name, Phone, TaxId};
    let [company, last1, first1, last2, first2, email, email2, home, work, mobile, tax1, tax2] =
        values;
    let person = |last: &str, first: &str| match (fold(last).is_empty(), fold(first).is_empty()) {
        (true, _) => [String::new(), String::new()],
        (false, true) => [name_key(last), String::new()],
        (false, false) => {
            [format!("{last}, {first}"), format!("{first} {last}")].map(|it| name_key(&it))
        }
    };
    let phones = [home, work, mobile].map(|phone| phone_key(phone));
    let phones = phones.into_iter().filter(|key| key.len() >= PHONE_DIGITS_MIN);
    let people = [person(last1, first1), person(last2, first2)];
    let names = people.into_iter().flatten().chain([name_key(company)]);
    let keys = (names.map(|key| (Name, key)))
        .chain(phones.map(|key| (Phone, key)))
        .chain([email, email2].map(|email| (Email, email_key(email))))
        .chain([tax1, tax2].map(|tax_id| (TaxId, tax_id_key(tax_id))));
    keys.filter(|(_, key)| !key.is_empty()).collect()
}

/// Makes the keys of contacts whose keys are stale, beginning after an id, and returns the last id
/// if there may be more. Contacts that another transaction holds are left out; those that this
/// transaction has written are not.
pub async fn refill_batch(tx: &DatabaseTransaction, after: i64) -> Result<Option<i64>, DbErr> {
    let select = Query::select()
        .columns(["contact_id", "contact_officer_user_id"])
        .columns(SOURCES)
        .from(contacts::Entity)
        .and_where(Expr::col("search_stale").eq(true))
        .and_where(Expr::col("contact_id").gt(after))
        .order_by("contact_id", Order::Asc)
        .limit(CONTACTS_PER_BATCH)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take();
    let contacts = tx.query_all(&select).await?;
    let mut ids = Vec::new();
    let mut rows = Vec::new();
    for contact in &contacts {
        let contact_id = contact.try_get("", "contact_id")?;
        let officer: Option<i64> = contact.try_get("", "contact_officer_user_id")?;
        ids.push(contact_id);
        rows.extend(keys(&values(contact)?).into_iter().map(|(kind, search_key)| Model {
            row_id: 0,
            contact_id,
            contact_officer_user_id: officer,
            kind,
            search_key,
        }));
    }
    for ids in ids.chunks(CONTACTS_PER_STATEMENT) {
        let ids = padded(ids.to_vec());
        Entity::delete_many().filter(Column::ContactId.is_in(ids.clone())).exec(tx).await?;
        mark_fresh(tx, ids).await?;
    }
    batch::insert_rows::<_, ActiveModel>(tx, rows).await?;
    let is_full = contacts.len() as u64 == CONTACTS_PER_BATCH;
    Ok(ids.last().copied().filter(|_| is_full))
}

fn values(contact: &QueryResult) -> Result<[String; SOURCES.len()], DbErr> {
    let mut values = [const { String::new() }; SOURCES.len()];
    for (value, column) in values.iter_mut().zip(SOURCES) {
        *value = contact.try_get::<Option<String>>("", column)?.unwrap_or_default();
    }
    Ok(values)
}

/// Marks the keys of these contacts as made from their current values. That is no modification.
async fn mark_fresh(tx: &DatabaseTransaction, contact_ids: Vec<i64>) -> Result<(), DbErr> {
    let backend = tx.get_database_backend();
    let mut update = Query::update();
    update
        .table(contacts::Entity)
        .value("search_source", Expr::cust(source(backend)))
        .value("search_officer_user_id", Expr::col("contact_officer_user_id"))
        .and_where(Expr::col("contact_id").is_in(contact_ids));
    if backend == DbBackend::MySql {
        update.value("modified_date", Expr::col("modified_date"));
    }
    tx.execute(&update).await.map(drop)
}

/// Makes the keys of all contacts that this transaction has written.
pub async fn refill_in(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    let mut after = Some(i64::MIN);
    while let Some(last) = after {
        after = refill_batch(tx, last).await?;
    }
    Ok(())
}

/// Makes the keys of all contacts whose keys are stale, in many transactions.
pub async fn refill(db: &DatabaseConnection) -> Result<(), DbErr> {
    let mut after = Some(i64::MIN);
    while let Some(last) = after
        && has_stale(db, last).await?
    {
        after = database::write(db, async |tx| refill_batch(tx, last).await).await?;
    }
    Ok(())
}

/// True if a contact after this id has stale keys. Unlike [`refill_batch`], it takes no lock.
async fn has_stale(db: &impl ConnectionTrait, after: i64) -> Result<bool, DbErr> {
    let stale = Query::select()
        .column("contact_id")
        .from(contacts::Entity)
        .and_where(Expr::col("search_stale").eq(true))
        .and_where(Expr::col("contact_id").gt(after))
        .limit(1)
        .take();
    Ok(db.query_one(&stale).await?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sea_orm::{ActiveEnum, Iterable};

    #[test]
    fn names_are_equal_without_case_accents_and_width() {
        for (name, key) in [
            ("Éva  ÅNGSTRÖM", "eva angstrom"),
            ("Straße", "strasse"),
            ("STRASSE", "strasse"),
            ("İpek", "ipek"),
            ("ıpek", "ipek"),
            ("Ｓｍｉｔｈ", "smith"),
            ("E\u{301}va", "eva"),
            ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ"),
            ("ﬁnn", "finn"),
            ("Smith ,John", "smith, john"),
            ("Smith,", "smith, "),
            ("Łukasz Øst Đorđe Æsop Œuvre Þór", "lukasz ost dorde aesop oeuvre thor"),
            ("O\u{2019}Brien", "o'brien"),
            ("O\u{b4}Brien", "o'brien"),
            ("O\u{2bc}Brien", "o'brien"),
            ("O`Brien", "o'brien"),
        ] {
            assert_eq!(name_key(name), key, "{name}");
        }
        assert_eq!(name_key(&"ﷺ".repeat(80)).chars().count(), KEY_CHARACTERS_MAX as usize);
    }

    #[test]
    fn other_keys_ignore_what_people_write_differently() {
        assert_eq!(phone_key("+1 (555) 010-2345"), "54320105551");
        assert_eq!(phone_key("５５５"), "555");
        assert_eq!(email_key(" Ana.Rivera@Example.COM "), "ana.rivera@example.com");
        assert_eq!(tax_id_key("12-345 678a"), "12345678A");
    }

    #[test]
    fn a_contact_has_one_key_for_each_value() {
        let values = [
            "Rivera Farms",
            "Rivera",
            "Ana",
            "Rivera",
            "",
            "a@example.com",
            "A@example.com",
            "555-010-2345",
            "5550102345",
            "12345",
            "12-3456789",
            "",
        ];
        use SearchKeyKind::{Email, Name, Phone, TaxId};
        let expected = [
            (Name, "rivera"),
            (Name, "rivera farms"),
            (Name, "rivera, ana"),
            (Name, "ana rivera"),
            (Phone, "5432010555"),
            (Email, "a@example.com"),
            (TaxId, "123456789"),
        ];
        let expected = expected.map(|(kind, key)| (kind, key.to_owned()));
        assert_eq!(keys(&values.map(str::to_owned)), expected.into_iter().collect());
    }

    #[test]
    fn the_database_accepts_every_kind() {
        let kinds: Vec<String> = SearchKeyKind::iter().map(|kind| kind.to_value()).collect();
        assert_eq!(kinds, KIND_WORDS);
    }
}
