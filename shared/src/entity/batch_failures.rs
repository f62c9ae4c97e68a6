//! Loans on which a batch run failed.

#[shared_macros::table("batch_failures")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub batch_id: i64,
    pub loan_id: i64,
    pub code: String,
    pub message: String,
}
