//! Runs of the core system's batch programs: one that failed for a few loans, one that succeeded.

use super::block::{Block, cents};
use sea_orm::{DatabaseTransaction, DbErr};
use shared::bulk_insert;
use shared::entity::batch_failures;
use shared::entity::batch_runs::{self, BatchKind, BatchState, TriggerType};

/// Failed bank drafts: code, message.
const RETURNS: [(&str, &str); 2] =
    [("R01", "Insufficient funds"), ("R03", "No account, or it could not be found")];

/// Adds yesterday's runs.
pub(super) async fn add(tx: &DatabaseTransaction, block: &Block) -> Result<(), DbErr> {
    let returned = block.at(|slot| slot == 0 || slot % 5 == 2);
    let failures: Vec<_> = returned.zip(RETURNS).collect();
    let count = |number: usize| i32::try_from(number).unwrap_or_default();
    let (failed, succeeded) = (count(failures.len()), 18);
    let ach = batch_runs::Model {
        batch_id: 0,
        kind: BatchKind::Ach,
        business_date: block.day(-1),
        state: BatchState::Partial,
        trigger_type: TriggerType::Schedule,
        started_date: block.time(-24 * 60),
        ended_date: Some(block.time(-24 * 60 + 3)),
        started_by_user_id: None,
        total: succeeded + failed,
        processed: succeeded + failed,
        succeeded,
        failed,
        skipped: 0,
        last_error: Some(RETURNS[0].1.to_owned()),
        amount_total: Some(cents(369_540)),
        debit_count: Some(succeeded),
        credit_count: Some(0),
        returned_count: Some(failed),
        file_name: Some(format!("ACH-{}.txt", block.day(-1))),
        interest_accrued_total: None,
        oldest_unaccrued_date: None,
    };
    let accrued = count(block.loans.len());
    let accrual = batch_runs::Model {
        kind: BatchKind::Accrual,
        state: BatchState::Succeeded,
        trigger_type: TriggerType::Manual,
        started_date: block.time(-23 * 60),
        ended_date: Some(block.time(-23 * 60 + 5)),
        started_by_user_id: Some(block.staff.supervisor),
        total: accrued,
        processed: accrued,
        succeeded: accrued,
        failed: 0,
        last_error: None,
        amount_total: None,
        debit_count: None,
        credit_count: None,
        returned_count: None,
        file_name: None,
        interest_accrued_total: Some(cents(128_417)),
        oldest_unaccrued_date: Some(block.clock.today),
        ..ach.clone()
    };
    let batch_id = bulk_insert::add(tx, ach).await?;
    bulk_insert::add(tx, accrual).await?;
    let failures = failures.into_iter().map(|(loan, (code, message))| batch_failures::Model {
        row_id: 0,
        batch_id,
        loan_id: loan.loan_id,
        code: code.to_owned(),
        message: message.to_owned(),
    });
    bulk_insert::add_all(tx, failures.collect()).await
}
