//! The rows that every quickstart starts with: a fee rule, a teller's cash drawer, field
//! definitions.
//!
//! An administrator's changes are kept: nothing is added if there is already a rule, a drawer or a
//! field on the form, and nothing is changed.

use super::{field_definitions, user_id};
use sea_orm::{
    ColumnTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait, PaginatorTrait,
    QueryFilter,
};
use shared::amounts::{Money, Rate};
use shared::database::{self, batch};
use shared::entity::cash_drawers::{DrawerStatus, DrawerType};
use shared::entity::{cash_drawer_assignments, cash_drawers, convenience_fee_rules};

/// The cash drawer of the user `teller`.
pub const TELLER_DRAWER: &str = "Teller 1";

/// Adds the missing rows.
pub async fn ensure(db: &DatabaseConnection) -> Result<(), DbErr> {
    let tx = database::begin_write(db).await?;
    ensure_fee_rule(&tx).await?;
    ensure_teller_drawer(&tx).await?;
    field_definitions::ensure(&tx).await?;
    database::commit(tx).await
}

/// The fee rule for every loan group and every brand.
async fn ensure_fee_rule(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    use convenience_fee_rules::Column::{BrandType, LoanGroupId};
    let general = convenience_fee_rules::Entity::find()
        .filter(LoanGroupId.is_null())
        .filter(BrandType.is_null());
    if general.count(tx).await? > 0 {
        return Ok(());
    }
    let cents = |cents| Money::from_cents(cents).unwrap_or_default();
    let rule = convenience_fee_rules::Model {
        rule_id: 0,
        loan_group_id: None,
        brand_type: None,
        flat_amount: cents(150),
        percentage: Rate::from_units(100_000_000).unwrap_or_default(),
        minimum_fee: Some(cents(200)),
        maximum_fee: Some(cents(1500)),
        active_flag: true,
    };
    batch::insert_row(tx, rule).await.map(drop)
}

/// An individual drawer assigned to the teller.
async fn ensure_teller_drawer(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    let teller = user_id(tx, "teller").await?;
    let assigned = cash_drawer_assignments::Entity::find()
        .filter(cash_drawer_assignments::Column::UserId.eq(teller));
    let named = cash_drawers::Entity::find().filter(cash_drawers::Column::Name.eq(TELLER_DRAWER));
    if assigned.count(tx).await? > 0 || named.count(tx).await? > 0 {
        return Ok(());
    }
    let drawer = cash_drawers::Model {
        drawer_id: 0,
        name: TELLER_DRAWER.to_owned(),
        description: Some("The first window".to_owned()),
        drawer_type: DrawerType::Individual,
        gl_account: Some("1010-01".to_owned()),
        branch: Some("Main".to_owned()),
        status: DrawerStatus::Open,
        cash_balance: Money::ZERO,
        check_balance: Money::ZERO,
        last_reconciled_date: None,
    };
    let drawer_id = batch::insert_row(tx, drawer).await?;
    let assignment = cash_drawer_assignments::Model {
        row_id: 0,
        drawer_id,
        user_id: teller,
        assigned_date: database::time(tx).await?,
        assigned_by_user_id: user_id(tx, "admin").await?,
    };
    batch::insert_row(tx, assignment).await.map(drop)
}
