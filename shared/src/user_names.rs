//! User names and passwords: one rule for core-system users and web users, wherever they come from.
//!
//! A user name is NFC, without invisible characters or outer spaces, and its *skeleton* (case,
//! width, spaces and confusable characters folded, after UTS 39) belongs to no other user of its
//! kind. The skeletons stand in `name_skeletons`, whose primary key decides who comes first.
//! Names from before the rule keep working; those that share a skeleton share its row.

use crate::db;
use crate::entity::name_skeletons::{Column, Entity, Model};
use crate::entity::{settings, users, web_credentials};
use crate::introspection::UserKind;
use crate::passwords::PASSWORD_BYTES_MAX;
use crate::rows;
use aws_lc_rs::digest;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect,
};
use std::collections::BTreeMap;
use std::fmt;
use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_security::GeneralSecurityProfile;
use unicode_security::confusable_detection::skeleton as confusable_skeleton;

/// Characters of a user name.
pub const NAME_CHARACTERS_MAX: usize = 50;
/// The least that NIST SP 800-63B takes; it asks for no mixture of letters and digits.
pub const PASSWORD_CHARACTERS_MIN: usize = 8;
/// A name this short may be part of a password: nearly every password contains some letter.
const NAME_IN_PASSWORD_MIN: usize = 4;
/// Set once the names of before the rule are in `name_skeletons`.
const FILLED: &str = "name_skeletons_filled";
/// Names that are read together.
const NAMES_PER_PAGE: u64 = 5_000;

/// Why a user may not be called so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameFault {
    /// Empty, or too long.
    Length,
    /// A space at either end.
    OuterSpace,
    /// Invisible, or of no script that names are written in.
    Character,
    /// Not in Unicode's composed form.
    NotComposed,
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length => write!(f, "must have 1 to {NAME_CHARACTERS_MAX} characters"),
            Self::OuterSpace => f.write_str("must have no space at either end"),
            Self::Character => f.write_str(
                "must have letters, digits, ASCII punctuation and single spaces only, and no \
                 control or invisible character",
            ),
            Self::NotComposed => f.write_str("must be in Unicode's composed form (NFC)"),
        }
    }
}

/// Why this may not be the password of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordFault {
    /// Too few characters.
    Short,
    /// Too many bytes.
    Long,
    /// The user name is part of it.
    ContainsName,
}

impl fmt::Display for PasswordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => write!(f, "must have {PASSWORD_CHARACTERS_MIN} characters or more"),
            Self::Long => write!(f, "must have {PASSWORD_BYTES_MAX} bytes at most"),
            Self::ContainsName => f.write_str("must not contain the user's name"),
        }
    }
}

/// Refuses a name that no user may get.
pub fn check_name(name: &str) -> Result<(), NameFault> {
    if !(1..=NAME_CHARACTERS_MAX).contains(&name.chars().count()) {
        return Err(NameFault::Length);
    }
    if name.trim() != name {
        return Err(NameFault::OuterSpace);
    }
    if !is_nfc(name) {
        return Err(NameFault::NotComposed);
    }
    let is_plain = |it: char| it == ' ' || it.is_ascii_graphic() || it.identifier_allowed();
    match name.chars().all(is_plain) && !name.contains("  ") {
        true => Ok(()),
        false => Err(NameFault::Character),
    }
}

/// Refuses a password that is easily guessed, or too long.
pub fn check_password(password: &str, user_name: &str) -> Result<(), PasswordFault> {
    if password.chars().count() < PASSWORD_CHARACTERS_MIN {
        return Err(PasswordFault::Short);
    }
    if password.len() > PASSWORD_BYTES_MAX {
        return Err(PasswordFault::Long);
    }
    let (password, user_name) = (password.to_lowercase(), user_name.to_lowercase());
    let contains =
        user_name.chars().count() >= NAME_IN_PASSWORD_MIN && password.contains(user_name.as_str());
    match contains || password == user_name {
        true => Err(PasswordFault::ContainsName),
        false => Ok(()),
    }
}

/// What names that people could take for each other have in common.
pub fn skeleton(name: &str) -> String {
    let folded = name.nfkc().collect::<String>().to_uppercase().to_lowercase();
    let folded = confusable_skeleton(&folded).collect::<String>().to_lowercase();
    // Confusables may stand for spaces and for characters of their own: once more is enough.
    let is_visible = |it: &char| it.is_ascii_graphic() || it.identifier_allowed();
    confusable_skeleton(&folded).filter(is_visible).collect::<String>().nfkc().collect()
}

/// The key of a name's skeleton: SHA-256, because skeletons are longer than names.
pub fn skeleton_hash(kind: UserKind, name: &str) -> String {
    let text = format!("{}\0{}", kind.as_str(), skeleton(name));
    hex::encode(digest::digest(&digest::SHA256, text.as_bytes()))
}

/// Takes a name for a new user, or for one who is renamed. A conflict means that another user of
/// this kind has it, or one like it.
pub async fn take(tx: &impl ConnectionTrait, kind: UserKind, name: &str) -> Result<(), DbErr> {
    take_all(tx, vec![skeleton_hash(kind, name)]).await
}

/// Takes many names by the hashes of their skeletons.
pub async fn take_all(tx: &impl ConnectionTrait, hashes: Vec<String>) -> Result<(), DbErr> {
    let rows = hashes.into_iter().map(|skeleton_hash| Model { skeleton_hash, holders: 1 });
    rows::add_all(tx, rows.collect::<Vec<_>>()).await
}

/// Gives up the name of a user who is removed or renamed.
pub async fn release(tx: &impl ConnectionTrait, kind: UserKind, name: &str) -> Result<(), DbErr> {
    let hash = skeleton_hash(kind, name);
    let of_name = Column::SkeletonHash.eq(hash);
    Entity::update_many()
        .col_expr(Column::Holders, Expr::col(Column::Holders).sub(1))
        .filter(of_name.clone())
        .exec(tx)
        .await?;
    let unheld = Entity::delete_many().filter(of_name).filter(Column::Holders.lte(0));
    unheld.exec(tx).await.map(drop)
}

/// Those of these hashes that are taken.
#[expect(clippy::disallowed_methods, reason = "names are no rows of the resource API")]
pub async fn taken(
    db: &impl ConnectionTrait,
    hashes: impl IntoIterator<Item = &str>,
) -> Result<Vec<String>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::SkeletonHash)
        .filter(Column::SkeletonHash.is_in(hashes))
        .into_tuple()
        .all(db)
        .await
}

/// A user whose name breaks the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultyName {
    /// Core-system user, or web user.
    pub kind: UserKind,
    /// What the user logs in with.
    pub name: String,
    /// What the rule says against it; `None` where it is only too much like another's.
    pub fault: Option<NameFault>,
}

/// Every user whose name breaks the rule.
#[expect(clippy::disallowed_methods, reason = "names are no rows of the resource API")]
pub async fn faulty(db: &DatabaseConnection) -> Result<Vec<FaultyName>, DbErr> {
    let shared: Vec<String> = Entity::find()
        .select_only()
        .column(Column::SkeletonHash)
        .filter(Column::Holders.gt(1))
        .into_tuple()
        .all(db)
        .await?;
    let mut found = Vec::new();
    for kind in [UserKind::Core, UserKind::Web] {
        let mut after = i64::MIN;
        loop {
            let page = names(db, kind, after).await?;
            let Some((last, _)) = page.last() else { break };
            after = *last;
            for (_, name) in page {
                let fault = check_name(&name).err();
                let is_shared =
                    || !shared.is_empty() && shared.contains(&skeleton_hash(kind, &name));
                if fault.is_some() || is_shared() {
                    found.push(FaultyName { kind, name, fault });
                }
            }
        }
    }
    Ok(found)
}

/// True once the names of before the rule are counted.
#[expect(clippy::disallowed_methods, reason = "settings are no rows of the resource API")]
pub async fn is_filled(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
    Ok(settings::Entity::find_by_id(FILLED).one(db).await?.is_some())
}

/// Counts the names of before the rule, once.
pub async fn fill(db: &DatabaseConnection) -> Result<(), DbErr> {
    if is_filled(db).await? {
        return Ok(());
    }
    let tx = db::begin_write(db).await?;
    let filled = settings::Model { name: FILLED.to_owned(), value: "1".to_owned() };
    match rows::add_all(&tx, vec![filled]).await {
        // Another upgrade did it meanwhile.
        Err(error) if db::fault(&error) == db::Fault::Conflict => return tx.rollback().await,
        written => written?,
    }
    for kind in [UserKind::Core, UserKind::Web] {
        let mut after = i64::MIN;
        loop {
            let page = names(&tx, kind, after).await?;
            let Some((last, _)) = page.last() else { break };
            after = *last;
            let mut counts = BTreeMap::<String, i32>::new();
            for (_, name) in &page {
                *counts.entry(skeleton_hash(kind, name)).or_default() += 1;
            }
            let rows = counts.into_iter();
            let rows = rows.map(|(skeleton_hash, holders)| Model { skeleton_hash, holders });
            count(&tx, rows.collect()).await?;
        }
    }
    tx.commit().await
}

/// Adds these numbers of holders to those that are there.
async fn count(tx: &impl ConnectionTrait, rows: Vec<Model>) -> Result<(), DbErr> {
    for rows in rows.chunks(500) {
        let hashes = rows.iter().map(|row| row.skeleton_hash.as_str());
        let known = taken(tx, hashes).await?;
        let (more, new): (Vec<_>, Vec<_>) =
            rows.iter().cloned().partition(|row| known.contains(&row.skeleton_hash));
        for row in more {
            Entity::update_many()
                .col_expr(Column::Holders, Expr::col(Column::Holders).add(row.holders))
                .filter(Column::SkeletonHash.eq(row.skeleton_hash))
                .exec(tx)
                .await?;
        }
        rows::add_all(tx, new).await?;
    }
    Ok(())
}

/// A page of names by the ids of their users.
#[expect(clippy::disallowed_methods, reason = "names are no rows of the resource API")]
async fn names(
    db: &impl ConnectionTrait,
    kind: UserKind,
    after: i64,
) -> Result<Vec<(i64, String)>, DbErr> {
    match kind {
        UserKind::Core => {
            use users::Column::{UserId, UserName};
            users::Entity::find()
                .select_only()
                .columns([UserId, UserName])
                .filter(UserId.gt(after))
                .order_by_asc(UserId)
                .limit(NAMES_PER_PAGE)
                .into_tuple()
                .all(db)
                .await
        }
        UserKind::Web => {
            use web_credentials::Column::{ContactId, WebUserName};
            web_credentials::Entity::find()
                .select_only()
                .columns([ContactId, WebUserName])
                .filter(ContactId.gt(after))
                .order_by_asc(ContactId)
                .limit(NAMES_PER_PAGE)
                .into_tuple()
                .all(db)
                .await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_composed_visible_and_without_outer_spaces() {
        let longest = "ä".repeat(50);
        for good in ["jo", "jo.smith@example.com", "Ana Rivera", "Łukasz", "田中", longest.as_str()]
        {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        let too_long = "ä".repeat(51);
        for (bad, fault) in [
            ("", NameFault::Length),
            (too_long.as_str(), NameFault::Length),
            (" jo", NameFault::OuterSpace),
            ("jo\u{a0}", NameFault::OuterSpace),
            ("j\to", NameFault::Character),
            ("jo  smith", NameFault::Character),
            ("j\u{200b}o", NameFault::Character),
            ("j\u{2060}o", NameFault::Character),
            ("j\u{ad}o", NameFault::Character),
            ("jo\u{3164}", NameFault::Character),
            ("j\u{202e}o", NameFault::Character),
            ("\u{ff4a}o", NameFault::Character),
            ("a\u{308}", NameFault::NotComposed),
        ] {
            assert_eq!(check_name(bad), Err(fault), "{bad:?}");
        }
    }

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        for (one, other) in [
            ("ana.rivera", "Ana.Rivera"),
            ("ana.rivera", "ANA.RIVERA"),
            ("ana.rivera", "\u{ff41}na.rivera"),
            ("ana.rivera", "ana\u{200b}.rivera"),
            ("ana.rivera", "ana.rivera "),
            ("ana rivera", "ana  rivera"),
            ("ana.rivera", "\u{430}na.rivera"),
            ("modern", "rnodern"),
            ("user10", "user1O"),
            ("straße", "STRASSE"),
        ] {
            assert_eq!(skeleton(one), skeleton(other), "{one:?} {other:?}");
        }
        for (one, other) in [("ana", "anna"), ("user1", "user2"), ("jo.smith", "jo.smyth")] {
            assert_ne!(skeleton(one), skeleton(other), "{one} {other}");
        }
        let hash = skeleton_hash(UserKind::Core, "ana");
        assert_ne!(hash, skeleton_hash(UserKind::Web, "ana"), "each kind has names of its own");
    }

    #[test]
    fn passwords_are_long_enough_and_do_not_contain_the_name() {
        let (longest, too_long) = ("x".repeat(1024), "x".repeat(1025));
        for good in ["12345678", "ääääääää", "        ", &longest] {
            assert_eq!(check_password(good, "viewer01"), Ok(()), "{good}");
        }
        assert_eq!(check_password("joyful days", "jo"), Ok(()), "two letters are in many words");
        for (bad, fault) in [
            ("", PasswordFault::Short),
            ("1234567", PasswordFault::Short),
            ("äöüß", PasswordFault::Short),
            (too_long.as_str(), PasswordFault::Long),
            ("viewer01", PasswordFault::ContainsName),
            ("my VIEWER01!", PasswordFault::ContainsName),
        ] {
            assert_eq!(check_password(bad, "viewer01"), Err(fault), "{bad}");
        }
    }
}
