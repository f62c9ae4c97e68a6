//! Rules for user names and passwords, the same for core users and web users however they are
//! created.
//!
//! A user name is in NFC, without invisible characters or outer spaces, and its *skeleton* (case,
//! width, spaces and confusable characters folded, after UTS 39) belongs to no other user of its
//! kind. The skeletons are in `name_skeletons`, whose primary key rejects concurrent duplicates.
//! Names that other programs have written keep working.

use crate::database::batch;
use crate::entity::name_skeletons::{Column, Entity, Model};
use crate::introspection::UserKind;
use crate::passwords::PASSWORD_BYTES_MAX;
use aws_lc_rs::digest;
use sea_orm::sea_query::{Expr, ExprTrait, Order, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter, QuerySelect,
};
use thiserror::Error;
use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_security::GeneralSecurityProfile;
use unicode_security::confusable_detection::skeleton as confusable_skeleton;

/// Maximum characters of a user name.
pub const NAME_CHARACTERS_MAX: usize = 50;
/// Minimum of NIST SP 800-63B, which requires no mixture of letters and digits.
pub const PASSWORD_CHARACTERS_MIN: usize = 8;
/// A shorter name may be part of a password: nearly every password contains some letter.
const NAME_IN_PASSWORD_MIN: usize = 4;
const NAMES_PER_PAGE: u64 = 5_000;

/// Why a user name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NameFault {
    /// Empty, or too long.
    #[error("must have 1 to {NAME_CHARACTERS_MAX} characters")]
    Length,
    /// A space at either end.
    #[error("must have no space at either end")]
    OuterSpace,
    /// An invisible character, or one of no script used for names.
    #[error(
        "may contain only letters, digits, ASCII punctuation and single spaces, no control or \
         invisible characters"
    )]
    Character,
    /// Not in Unicode's composed form.
    #[error("must be in Unicode's composed form (NFC)")]
    NotComposed,
}

/// Why a password is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PasswordFault {
    /// Too few characters.
    #[error("must have {PASSWORD_CHARACTERS_MIN} characters or more")]
    Short,
    /// Too many bytes.
    #[error("must have at most {PASSWORD_BYTES_MAX} bytes")]
    Long,
    /// Contains the user name.
    #[error("must not contain the user's name")]
    ContainsName,
}

/// Checks a new user name.
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

/// Checks a new password: refuses one that is easily guessed, or too long.
pub fn check_password(password: &str, user_name: &str) -> Result<(), PasswordFault> {
    let password = password.nfc().collect::<String>();
    if password.chars().count() < PASSWORD_CHARACTERS_MIN {
        return Err(PasswordFault::Short);
    }
    if password.len() > PASSWORD_BYTES_MAX {
        return Err(PasswordFault::Long);
    }
    let (password, user_name) = (password.to_lowercase(), user_name.to_lowercase());
    let contains_name =
        user_name.chars().count() >= NAME_IN_PASSWORD_MIN && password.contains(user_name.as_str());
    match contains_name || password == user_name {
        true => Err(PasswordFault::ContainsName),
        false => Ok(()),
    }
}

/// Returns the skeleton of a name, which is the same for names that look alike.
pub fn skeleton(name: &str) -> String {
    let folded = name.nfkc().collect::<String>().to_uppercase().to_lowercase();
    let folded = confusable_skeleton(&folded).collect::<String>().to_lowercase();
    // A confusable may map to a space or to a character that is itself confusable: a second pass is
    // enough.
    let is_visible = |it: &char| it.is_ascii_graphic() || it.identifier_allowed();
    confusable_skeleton(&folded).filter(is_visible).collect::<String>().nfkc().collect()
}

/// Returns the key of a name's skeleton: SHA-256, because a skeleton may be longer than its name.
pub fn skeleton_hash(kind: UserKind, name: &str) -> String {
    let text = format!("{}\0{}", kind.as_str(), skeleton(name));
    hex::encode(digest::digest(&digest::SHA256, text.as_bytes()))
}

/// Reserves a name for a new or renamed user. A conflict means that another user of this kind has
/// it, or one that looks like it.
pub async fn take(tx: &impl ConnectionTrait, kind: UserKind, name: &str) -> Result<(), DbErr> {
    take_all(tx, vec![skeleton_hash(kind, name)]).await
}

/// Reserves many names, given the hashes of their skeletons.
pub async fn take_all(tx: &impl ConnectionTrait, hashes: Vec<String>) -> Result<(), DbErr> {
    let rows = hashes.into_iter().map(|skeleton_hash| Model { skeleton_hash });
    batch::insert_rows(tx, rows.collect::<Vec<_>>()).await
}

/// Releases the name of a user who is removed or renamed.
pub async fn release(tx: &impl ConnectionTrait, kind: UserKind, name: &str) -> Result<(), DbErr> {
    Entity::delete_by_id(skeleton_hash(kind, name)).exec(tx).await.map(drop)
}

/// Returns those of these hashes that are taken.
#[expect(clippy::disallowed_methods, reason = "names are not rows of the resource API")]
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

/// A user whose name violates the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultyName {
    /// Core user or web user.
    pub kind: UserKind,
    /// User name.
    pub name: String,
    /// The violation.
    pub fault: NameFault,
}

/// Returns every user whose name violates the rule on characters.
pub async fn faulty(db: &DatabaseConnection) -> Result<Vec<FaultyName>, DbErr> {
    let mut faulty_names = Vec::new();
    for kind in [UserKind::Core, UserKind::Web] {
        let mut after = i64::MIN;
        while let Some((names, last)) = names(db, kind, after).await? {
            after = last;
            for name in names {
                if let Err(fault) = check_name(&name) {
                    faulty_names.push(FaultyName { kind, name, fault });
                }
            }
        }
    }
    Ok(faulty_names)
}

/// Reads a page of names in the order of their user ids, and the last of the ids; `None` after the
/// last page.
async fn names(
    db: &impl ConnectionTrait,
    kind: UserKind,
    after: i64,
) -> Result<Option<(Vec<String>, i64)>, DbErr> {
    let (table, id, name) = match kind {
        UserKind::Core => ("users", "user_id", "user_name"),
        UserKind::Web => ("web_credentials", "contact_id", "web_user_name"),
    };
    let select = Query::select()
        .columns([id, name])
        .from(table)
        .and_where(Expr::col(id).gt(after))
        .order_by(id, Order::Asc)
        .limit(NAMES_PER_PAGE)
        .take();
    let rows = db.query_all(&select).await?;
    let Some(last) = rows.last() else { return Ok(None) };
    let names = rows.iter().map(|row| row.try_get("", name)).collect::<Result<_, _>>()?;
    Ok(Some((names, last.try_get("", id)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_normalized_visible_and_trimmed() {
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
    fn confusable_names_have_the_same_skeleton() {
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
