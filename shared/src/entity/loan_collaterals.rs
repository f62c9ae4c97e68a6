//! Links between loans and the collateral that secures them.

#[shared_macros::table("loan_collaterals", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub loan_id: i64,
    pub collateral_id: i64,
}
