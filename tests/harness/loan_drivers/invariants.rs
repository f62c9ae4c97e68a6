//! Invariants of a loan, checked after every entry on the model's figures, with which the engine's
//! are then compared.

use super::Play;
use crate::loan_model::{Amount, DueRow, Event, Row, State};
use std::collections::HashMap;

impl Play<'_> {
    /// Checks the loan after an entry that was accepted; `before` is the previous state.
    pub(super) fn check_invariants(&self, before: &State) -> Result<(), String> {
        let Some(entry) = self.books.entries.last() else { return Ok(()) };
        let rows = &entry.entered.rows;
        match entry.event {
            Event::Pay(_) => {
                self.transcript.check_equal(
                    "the sum of the parts",
                    rows[0].amount,
                    sum_of_parts(rows),
                )?;
                self.check_resulting(rows)?;
            }
            Event::Adjust(_) => self.check_resulting(rows)?,
            Event::Reverse { entry: reversed, .. } => {
                let is_next = reversed + 1 == self.books.entries.len() - 1;
                if is_next && self.entries_before_switch <= reversed {
                    self.check_reversed(reversed)?;
                }
            }
        }
        self.check_due_rows()?;
        let state = &self.books.state;
        // A cent is a million times 1e-8.
        let owed = (state.accrued_total - state.settled * 10_000 + 500_000).div_euclid(1_000_000);
        self.transcript.check_equal("the interest balance", owed.max(0) * 100, state.interest)?;
        let forward = state.base_date >= before.base_date;
        let reversal = matches!(entry.event, Event::Reverse { .. });
        self.transcript.check_equal("the base moves forward", true, forward || reversal)
    }

    /// Checks that an entry reversed immediately leaves the loan as it was.
    fn check_reversed(&self, reversed: usize) -> Result<(), String> {
        self.transcript.check_equal("the loan as it was", &self.before[reversed], &self.books.state)
    }

    /// Checks that each row shows the loan's balance after it; of two rows for suspense, only the
    /// last does.
    fn check_resulting(&self, rows: &[Row]) -> Result<(), String> {
        let mut state = self.books.state.clone();
        let last: HashMap<String, &Row> =
            rows.iter().map(|row| (format!("{:?}", row.balance), row)).collect();
        for row in last.values() {
            if let Some(name) = row.balance {
                let balance = *state.balance(name);
                self.transcript.check_equal(
                    "the resulting balance",
                    Some(balance),
                    row.resulting,
                )?;
            }
        }
        Ok(())
    }

    /// Checks that no due row is paid beyond its amount, and that each is paid exactly by its
    /// allocations.
    fn check_due_rows(&self) -> Result<(), String> {
        let state = &self.books.state;
        let mut allocated: HashMap<_, (Amount, Amount)> = HashMap::new();
        for allocation in self.books.allocations() {
            let (interest, principal) = allocated.entry(allocation.due).or_default();
            let allocated_part =
                if matches!(allocation.code, 124 | 150) { interest } else { principal };
            *allocated_part += allocation.amount;
        }
        for row in &state.due_rows {
            let DueRow { interest, principal, interest_paid, principal_paid, .. } = *row;
            let within_due = interest_paid <= interest && principal_paid <= principal;
            self.transcript.check_equal("paid as asked", true, within_due)?;
            let (of_interest, of_principal) = allocated.remove(&row.date).unwrap_or_default();
            self.transcript.check_equal("interest allocated", of_interest, interest_paid)?;
            self.transcript.check_equal("principal allocated", of_principal, principal_paid)?;
        }
        self.transcript.check_equal("allocations of no due row", true, allocated.is_empty())
    }
}

/// What a payment paid and set aside, less what it took from suspense.
fn sum_of_parts(rows: &[Row]) -> Amount {
    let signed = |row: &Row| if row.code == 134 { -row.amount } else { row.amount };
    rows.iter().filter(|row| row.balance.is_some()).map(signed).sum()
}
