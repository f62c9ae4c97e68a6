//! Credit lines of revolving and non-revolving loans, and the draws on them.

use super::block::{Block, LoanRef, cents};
use super::loans::{LoanProfile, profile};
use api_server::loans::adjustments::{self, ValidatedAdjustment};
use api_server::loans::journal::codes::DRAW;
use api_server::loans::servicing::adjustment::AdjustmentKind;
use chrono::Days;
use sea_orm::{DatabaseTransaction, DbErr};
use shared::amounts::Money;
use shared::bulk_insert;
use shared::entity::credit_lines;
use shared::entity::credit_lines::DrawUntilType;
use shared::entity::loans::PaymentPeriod;

/// Days after origination, and cents. Later than the loan's only payment, so that they are posted
/// in the order in which they move the loan's accrual base.
type Drawn = &'static [(u64, i64)];

/// Adds a main line and a line for draws to each such loan.
pub(super) async fn add(tx: &DatabaseTransaction, block: &Block) -> Result<(), DbErr> {
    let open_ended =
        |slot| matches!(profile(slot), LoanProfile::Revolving | LoanProfile::NonRevolving);
    for loan in block.at(open_ended) {
        let main: Drawn = &[(35, 35_000)];
        let cash: Drawn = &[(40, 60_000), (45, 12_550)];
        let main_line = bulk_insert::add(tx, line(loan, 0)).await?;
        let cash_line = bulk_insert::add(tx, line(loan, DRAW.number)).await?;
        let drawn = main.iter().map(|draw| (main_line, draw));
        for (line_id, (days, amount)) in drawn.chain(cash.iter().map(|draw| (cash_line, draw))) {
            let day = loan.origination + Days::new(*days);
            let draw = ValidatedAdjustment {
                kind: AdjustmentKind::Draw,
                amount: cents(*amount),
                effective_date: day,
                creditline_id: Some(line_id),
                user_reference: Some("By telephone".to_owned()),
            };
            let posted =
                adjustments::post(tx, &block.actor, block.clock, loan.loan_id, &draw).await;
            posted.map_err(|problem| DbErr::Custom(problem.message()))?;
        }
    }
    Ok(())
}

fn line(loan: &LoanRef, transaction_code: i32) -> credit_lines::Model {
    let main = transaction_code == 0;
    let non_revolving = profile(loan.slot) == LoanProfile::NonRevolving;
    let draw_until_type = match (main, non_revolving) {
        (true, _) => DrawUntilType::FromOrigination,
        (false, true) => DrawUntilType::FixedDate,
        (false, false) => DrawUntilType::None,
    };
    let periods = draw_until_type == DrawUntilType::FromOrigination;
    let fixed_date = draw_until_type == DrawUntilType::FixedDate;
    credit_lines::Model {
        creditline_id: 0,
        loan_id: loan.loan_id,
        name: if main { "Main line" } else { "Cash advances" }.to_owned(),
        description: (!main).then(|| "Draws by transfer to the borrower's account".to_owned()),
        transaction_code,
        credit_line_limit: cents(if main { 1_000_000 } else { 400_000 }),
        credit_total_draw_limit: non_revolving.then(|| cents(800_000)),
        min_draw_amount: Some(cents(5000)),
        max_draw_amount: Some(cents(250_000)),
        max_number_of_draws: (!main).then_some(24),
        draw_until_type,
        draw_until_period: periods.then_some(PaymentPeriod::Monthly),
        number_of_periods: periods.then_some(60),
        draw_until_date: fixed_date.then(|| loan.origination + Days::new(730)),
        draw_count: 0,
        draw_total: Money::ZERO,
    }
}
