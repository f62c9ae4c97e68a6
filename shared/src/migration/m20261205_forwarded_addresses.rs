//! Clients that name the addresses of the people whose passwords they pass on, and the setting that
//! readiness writes.

use super::steps::Steps;
use sea_orm::sea_query::{ColumnDef, Query};

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    let flag = ColumnDef::new("forwards_addresses_flag").boolean().not_null().default(false).take();
    steps.add_column("oauth_clients", "forwards_addresses_flag", flag);
    let mut setting = Query::insert();
    setting.into_table("settings").columns(["name", "value"]);
    setting.values_panic(["readiness_probe".into(), String::new().into()]);
    steps.write(&setting);
}
