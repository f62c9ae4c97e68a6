//! User names that break the rule for names: they keep working, and an administrator should know.

use crate::installation::checks::Report;
use sea_orm::{DatabaseConnection, DbErr};
use shared::introspection::UserKind;
use shared::user_names::{self, FaultyName};

const NAMES: &str = "visible, composed, and none like another's";
/// Names that are listed; the rest are counted.
const LISTED: usize = 10;

/// Looks at the names of all users.
pub async fn check(db: Option<&DatabaseConnection>, report: &mut Report) {
    let Some(db) = db else {
        let found = "the database does not answer, or is not of this release";
        return report.skip("user names", NAMES, found);
    };
    match find(db).await {
        Ok((false, _)) => report.fail(
            "user names",
            NAMES,
            "not compared with each other yet",
            "run installer upgrade, which does it in a moment",
        ),
        Ok((true, faulty)) if faulty.is_empty() => report.pass("user names", NAMES, NAMES),
        Ok((true, faulty)) => report.pass_for_now(
            "user names",
            NAMES,
            &listed(&faulty),
            "they keep working; give these users other names, borrowers by import",
        ),
        Err(error) => {
            report.fail("user names", NAMES, &error.to_string(), "see the database's log")
        }
    }
}

async fn find(db: &DatabaseConnection) -> Result<(bool, Vec<FaultyName>), DbErr> {
    Ok((user_names::is_filled(db).await?, user_names::faulty(db).await?))
}

fn listed(faulty: &[FaultyName]) -> String {
    let one = |it: &FaultyName| {
        let kind = if it.kind == UserKind::Web { "web user" } else { "user" };
        let fault = it.fault.map_or_else(|| "looks like another".to_owned(), |it| it.to_string());
        // Escaped: what cannot be seen is what is wrong with it.
        format!("{kind} {:?} {fault}", it.name)
    };
    let mut text = faulty.iter().take(LISTED).map(one).collect::<Vec<_>>().join("; ");
    if faulty.len() > LISTED {
        text += &format!("; and {} more", faulty.len() - LISTED);
    }
    text
}
