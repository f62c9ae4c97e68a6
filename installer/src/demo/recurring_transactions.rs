//! Recurring transactions of every event type.

use super::block::{Block, LoanRef, basis_points, cents};
use sea_orm::{DatabaseTransaction, DbErr};
use shared::entity::loans::{PaymentPeriod, YearLength};
use shared::entity::recurring_transactions::{Model, RecurringAmountType, RecurringEventType};

/// Event type, description, transaction code, cents each time.
type Event = (RecurringEventType, &'static str, i32, i64);

use RecurringEventType as E;
use shared::bulk_insert;
const EVENTS: [Event; 6] = [
    (E::DailyAccrual, "Servicing fee", 142, 0),
    (E::Scheduled, "Annual review fee", 142, 2500),
    (E::Periodic, "Impound for property taxes", 130, 3500),
    (E::Billing, "Statement fee", 142, 150),
    (E::OnPostPayment, "Rebate for paying", 150, 100),
    (E::OnPrePayment, "Late charge waiver", 156, 500),
];

/// Adds all six to the first loan of the mix, and one each to others.
pub(super) async fn add(tx: &DatabaseTransaction, block: &Block) -> Result<(), DbErr> {
    let mut recurring = Vec::new();
    for loan in block.at(|slot| slot == 0) {
        recurring.extend(EVENTS.iter().map(|event| transaction(block, loan, event)));
    }
    for loan in block.at(|slot| slot % 4 == 2) {
        let event = &EVENTS[(loan.slot / 4) as usize % EVENTS.len()];
        recurring.push(transaction(block, loan, event));
    }
    bulk_insert::add_all(tx, recurring).await
}

fn transaction(
    block: &Block,
    loan: &LoanRef,
    (event_type, description, code, amount): &Event,
) -> Model {
    let dated = matches!(event_type, E::Scheduled | E::Periodic);
    let periodic = *event_type == E::Periodic;
    let percentage = *event_type == E::DailyAccrual;
    Model {
        row_id: 0,
        loan_id: loan.loan_id,
        description: (*description).to_owned(),
        active_flag: loan.slot != 26,
        event_type: *event_type,
        event_start_date: loan.origination,
        event_expire_date: periodic.then(|| block.day(720)),
        next_event_date: dated.then(|| block.day(20)),
        start_date_day_value: if periodic { 31 } else { 0 },
        event_period: if periodic { PaymentPeriod::Monthly } else { PaymentPeriod::None },
        event_number_of_periods: 1,
        event_max_repeat: (*event_type == E::Scheduled).then_some(1),
        event_count: 0,
        transaction_code: *code,
        amount_type: match percentage {
            true => RecurringAmountType::AnnualPercentOfPrincipal,
            false => RecurringAmountType::Fixed,
        },
        transaction_amount: (!percentage).then(|| cents(*amount)),
        annual_percentage: percentage.then(|| basis_points(25)),
        numerator: percentage.then_some(YearLength::Actual),
        denominator: percentage.then_some(YearLength::D365),
    }
}
