//! User names that violate the naming rule: they keep working, but an administrator should know
//! about them.

use super::NO_DATABASE;
use crate::installation::checks::{CheckName, Report};
use sea_orm::DatabaseConnection;
use shared::introspection::UserKind;
use shared::user_names::{self, FaultyName};

const NAMES: CheckName = ("user names", "visible characters, composed form");
/// Names that are listed; the rest are only counted.
const LISTED_MAX: usize = 10;

pub(super) async fn check(db: Option<&DatabaseConnection>, report: &mut Report) {
    let Some(db) = db else { return report.skip(NAMES, NO_DATABASE) };
    match user_names::faulty(db).await {
        Ok(faulty) if faulty.is_empty() => report.pass(NAMES, NAMES.1),
        Ok(faulty) => {
            let advice = "they keep working; rename these users, borrowers by import";
            report.pass_for_now(NAMES, describe(&faulty), advice);
        }
        Err(error) => report.record(NAMES, Err(error.into())),
    }
}

fn describe(faulty: &[FaultyName]) -> String {
    let describe_one = |it: &FaultyName| {
        let kind = if it.kind == UserKind::Web { "web user" } else { "user" };
        // Escaped, because invisible characters are part of the problem.
        format!("{kind} {:?} {}", it.name, it.fault)
    };
    let mut text = faulty.iter().take(LISTED_MAX).map(describe_one).collect::<Vec<_>>().join("; ");
    if faulty.len() > LISTED_MAX {
        text += &format!("; and {} more", faulty.len() - LISTED_MAX);
    }
    text
}
