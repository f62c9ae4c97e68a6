//! Credit lines of revolving and non-revolving loans, and what was drawn on them.

use super::block::{Block, Place, cents};
use super::loans::{Sort, sort};
use crate::rows;
use api_server::loan_book::Book;
use chrono::{Days, NaiveDate};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter};
use shared::amounts::Money;
use shared::entity::credit_lines::DrawUntilType;
use shared::entity::loan_transactions::BalanceName;
use shared::entity::loans::PaymentPeriod;
use shared::entity::{credit_lines, loan_transactions};

/// The code of a draw.
const DRAW: i32 = 110;

/// Days after origination and cents; later than the loan's only payment, so in the order in which
/// they move the loan's accrual base.
type Drawn = &'static [(u64, i64)];

/// A main line and a line for draws on each such loan.
pub async fn add(tx: &DatabaseTransaction, block: &Block) -> Result<(), DbErr> {
    let open_ended = |slot| matches!(sort(slot), Sort::Revolving | Sort::NonRevolving);
    for place in block.at(open_ended) {
        let main: Drawn = &[(35, 35_000)];
        let cash: Drawn = &[(40, 60_000), (45, 12_550)];
        let main_line = rows::add(tx, line(place, 0, main)).await?;
        let cash_line = rows::add(tx, line(place, DRAW, cash)).await?;
        let drawn = main.iter().map(|draw| (main_line, draw));
        for (line_id, (days, amount)) in drawn.chain(cash.iter().map(|draw| (cash_line, draw))) {
            let day = place.origination + Days::new(*days);
            draw(tx, block, place.loan_id, line_id, day, cents(*amount)).await?;
        }
    }
    Ok(())
}

fn line(place: &Place, transaction_code: i32, drawn: Drawn) -> credit_lines::Model {
    let main = transaction_code == 0;
    let non_revolving = sort(place.slot) == Sort::NonRevolving;
    let draw_until_type = match (main, non_revolving) {
        (true, _) => DrawUntilType::FromOrigination,
        (false, true) => DrawUntilType::FixedDate,
        (false, false) => DrawUntilType::None,
    };
    let periods = draw_until_type == DrawUntilType::FromOrigination;
    let fixed_date = draw_until_type == DrawUntilType::FixedDate;
    credit_lines::Model {
        creditline_id: 0,
        loan_id: place.loan_id,
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
        draw_until_date: fixed_date.then(|| place.origination + Days::new(730)),
        draw_count: i32::try_from(drawn.len()).unwrap_or_default(),
        draw_total: cents(drawn.iter().map(|(_, amount)| amount).sum()),
    }
}

/// Posts a draw: brings the interest to its day, then the principal rises.
async fn draw(
    tx: &DatabaseTransaction,
    block: &Block,
    loan_id: i64,
    creditline_id: i64,
    day: NaiveDate,
    amount: Money,
) -> Result<(), DbErr> {
    let refused = |problem: &dyn ToString| DbErr::Custom(problem.to_string());
    let book = Book::lock(tx, loan_id).await.map_err(|problem| refused(&problem))?;
    let mut after = book.state.clone();
    after.move_base(&book.terms, day).map_err(|error| refused(&error))?;
    after.principal = after.principal.plus(amount).map_err(|error| refused(&error))?;
    let row = loan_transactions::ActiveModel {
        loan_id: Set(loan_id),
        transaction_reference_no: Set(0),
        transaction_code: Set(DRAW),
        transaction_description: Set("Draw on credit line".to_owned()),
        transaction_date: Set(block.clock.now),
        effective_date: Set(day),
        gl_date: Set(block.clock.today),
        transaction_amount: Set(amount),
        balance_name: Set(Some(BalanceName::Principal)),
        resulting_balance: Set(Some(after.principal)),
        user_reference: Set(Some("By telephone".to_owned())),
        creditline_id: Set(Some(creditline_id)),
        entered_by_user_id: Set(block.staff.officer),
        reversed_flag: Set(false),
        nsf_flag: Set(false),
        ..Default::default()
    };
    use loan_transactions::Column::{TransactionId, TransactionReferenceNo};
    let id = loan_transactions::Entity::insert(row).exec(tx).await?.last_insert_id;
    loan_transactions::Entity::update_many()
        .col_expr(TransactionReferenceNo, Expr::value(id))
        .filter(TransactionId.eq(id))
        .exec(tx)
        .await?;
    book.save(tx, &block.author, block.clock, &after, |loan| loan.last_activity_date = Some(day))
        .await
        .map_err(|problem| refused(&problem))?;
    Ok(())
}
