//! The document store's id, so that the servers of another database do not treat the objects in it
//! as orphans.

use super::steps::Steps;
use crate::random::random_bytes;
use sea_orm::sea_query::Query;

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    let mut setting = Query::insert();
    setting.into_table("settings").columns(["name", "value"]);
    setting.values_panic(["document_store_id".into(), hex::encode(random_bytes::<16>()).into()]);
    steps.write(&setting);
}
