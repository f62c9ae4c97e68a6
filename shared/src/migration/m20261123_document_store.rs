//! What the database calls its store of documents, so that no other database's servers take the
//! objects in it for left over.

use super::steps::Steps;
use crate::random::random_bytes;
use sea_orm::sea_query::Query;

/// What it does, step by step.
pub fn steps(steps: &mut Steps) {
    let mut setting = Query::insert();
    setting.into_table("settings").columns(["name", "value"]);
    setting.values_panic(["document_store_id".into(), hex::encode(random_bytes::<16>()).into()]);
    steps.write(&setting);
}
