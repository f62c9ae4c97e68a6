//! User names that violate the naming rule: they keep working, but an administrator should know
//! about them.

use crate::installation::checks::Report;
use sea_orm::{DatabaseConnection, DbErr};
use shared::introspection::UserKind;
use shared::user_names::{self, FaultyName};

const NAMES: &str = "visible characters, composed form, no two alike";
/// Names that are listed; the rest are only counted.
const LISTED_MAX: usize = 10;

/// Checks the names of all users.
pub(super) async fn check(db: Option<&DatabaseConnection>, report: &mut Report) {
    let Some(db) = db else {
        let found = "the database cannot be reached, or has another release's schema";
        return report.skip("user names", NAMES, found);
    };
    match find(db).await {
        Ok((false, _)) => report.fail(
            "user names",
            NAMES,
            "not yet compared with each other",
            "run installer upgrade, which compares them in a moment",
        ),
        Ok((true, faulty)) if faulty.is_empty() => report.pass("user names", NAMES, NAMES),
        Ok((true, faulty)) => report.pass_for_now(
            "user names",
            NAMES,
            &describe(&faulty),
            "they keep working; rename these users, borrowers by import",
        ),
        Err(error) => {
            report.fail("user names", NAMES, &error.to_string(), "see the database's log")
        }
    }
}

async fn find(db: &DatabaseConnection) -> Result<(bool, Vec<FaultyName>), DbErr> {
    Ok((user_names::is_filled(db).await?, user_names::faulty(db).await?))
}

fn describe(faulty: &[FaultyName]) -> String {
    let describe_one = |it: &FaultyName| {
        let kind = if it.kind == UserKind::Web { "web user" } else { "user" };
        let fault = it.fault.map_or_else(|| "looks like another".to_owned(), |it| it.to_string());
        // Escaped, because invisible characters are part of the problem.
        format!("{kind} {:?} {fault}", it.name)
    };
    let mut text = faulty.iter().take(LISTED_MAX).map(describe_one).collect::<Vec<_>>().join("; ");
    if faulty.len() > LISTED_MAX {
        text += &format!("; and {} more", faulty.len() - LISTED_MAX);
    }
    text
}
