//! Level installment: the smallest one whose last payment is not larger than it.

use super::{Amount, Books, Event, OpeningBalances, Payment, Terms};
use shared::entity::payment_distribution::PaymentDistribution;

/// The last payment of a loan whose borrower pays each due row on its date. The loan must have a
/// last due date. `None` if amounts become too large.
pub fn last_payment(terms: &Terms, installment: Amount) -> Option<Amount> {
    let maturity = terms.calendar().maturity?;
    let terms = Terms {
        payment_amount: Some(installment),
        advance_days: 0,
        distribution: PaymentDistribution::default().items().to_vec(),
        opening: OpeningBalances {
            principal: terms.opening.principal,
            ..OpeningBalances::default()
        },
        ..terms.clone()
    };
    let mut books = Books::new(terms, maturity);
    while let Some(date) = books.state.next_due {
        let mut on_date = books.state.clone();
        on_date.move_base(&books.terms, &books.interest, date).ok()?;
        let row = *on_date.due_rows.last()?;
        let amount = row.interest + row.principal;
        if date == maturity {
            return Some(amount);
        }
        if amount == 0 {
            books.state = on_date;
            continue;
        }
        let payment = Payment { amount, date, payoff: false, excess: None, split: None };
        books.enter(date, Event::Pay(payment)).ok()?;
    }
    None
}
