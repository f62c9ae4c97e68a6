//! Reconciliation: what localstripe has charged, what the card payments say, and what is posted to
//! the loans.

use super::fixture::StripeFixture;
use acceptance::localstripe::{Charge, Intent, Refund};
use sea_orm::EntityTrait;
use shared::entity::gateway_payments::{CardPaymentState as State, Entity, Model};
use shared::entity::loan_transactions;

/// The transaction code of a posted payment.
const ENTRY: i32 = 120;
/// The transaction code of its fee, a memo row.
const FEE: i32 = 144;

/// What happened to an intent at localstripe, in cents.
struct ProviderTotals {
    charges: usize,
    charged: i64,
    refunds: usize,
    refunded: i64,
}

impl ProviderTotals {
    fn of(intent: &Intent, charges: &[Charge], refunds: &[Refund]) -> Self {
        let charges: Vec<&Charge> = charges
            .iter()
            .filter(|charge| charge.payment_intent.as_deref() == Some(intent.id.as_str()))
            .filter(|charge| charge.status == "succeeded")
            .collect();
        let of_these = |refund: &&Refund| charges.iter().any(|charge| charge.id == refund.charge);
        let refunds: Vec<&Refund> = refunds.iter().filter(of_these).collect();
        Self {
            charges: charges.len(),
            charged: charges.iter().map(|charge| charge.amount).sum(),
            refunds: refunds.len(),
            refunded: refunds.iter().map(|refund| refund.amount).sum(),
        }
    }

    fn net(&self) -> i64 {
        self.charged - self.refunded
    }
}

impl StripeFixture {
    /// Fails the test unless every charge is posted or refunded, and nothing else is, to the cent.
    /// All payments must have ended.
    pub async fn check_books(&self) {
        let rows = Entity::find().all(&self.world.db).await.expect("the payments");
        let entries = loan_transactions::Entity::find().all(&self.world.db).await;
        let entries = entries.expect("the transactions");
        let stripe = &self.provider().stripe;
        let (intents, charges, refunds) =
            (stripe.intents().await, stripe.charges().await, stripe.refunds().await);
        let mut net_total = 0;
        for intent in &intents {
            let money = ProviderTotals::of(intent, &charges, &refunds);
            net_total += money.net();
            assert!(money.charges <= 1 && money.refunds <= 1, "{intent:?} was charged twice");
            let refers = |row: &&Model| row.gateway_reference.as_deref() == Some(&*intent.id);
            let referring: Vec<&Model> = rows.iter().filter(refers).collect();
            match referring.as_slice() {
                [] => assert_eq!(money.charges, 0, "{intent:?} is nobody's, and charged"),
                [row] => check_row(row, intent, &money),
                _ => panic!("{intent:?} is of several payments"),
            }
        }
        let mut posted = 0;
        for row in rows.iter().filter(|row| row.state == State::Posted) {
            posted += cents(row.total_charged);
            let reference = row.gateway_reference.as_deref();
            assert!(intents.iter().any(|intent| Some(&*intent.id) == reference), "{row:?}");
            check_entry(row, &entries);
        }
        assert_eq!(net_total, posted, "what localstripe has, and what is posted");
        let count = rows.iter().filter(|row| row.state == State::Posted).count();
        let by_card = |row: &&loan_transactions::Model| row.transaction_code == ENTRY;
        assert_eq!(entries.iter().filter(by_card).count(), count, "entries by card");
        self.check_balances().await;
    }

    async fn check_balances(&self) {
        let sum = |sign: &str| {
            format!(
                "(SELECT COALESCE(SUM({sign}c.sign * t.transaction_amount), 0) FROM \
                 loan_transactions t JOIN transaction_codes c ON c.transaction_code = \
                 t.transaction_code WHERE t.loan_id = l.loan_id AND t.balance_name = "
            )
        };
        for balance in ["principal", "late_charge", "fees", "impound", "suspense"] {
            let violations = format!(
                "SELECT COUNT(*) FROM loans l WHERE current_{balance}_balance <> {}'{balance}')",
                sum("")
            );
            assert_eq!(self.world.count(&violations).await, 0, "{balance}");
        }
        let violations = format!(
            "SELECT COUNT(*) FROM loans l WHERE interest_settled_total <> {}'interest')",
            sum("-")
        );
        assert_eq!(self.world.count(&violations).await, 0, "interest");
    }
}

fn check_row(row: &Model, intent: &Intent, money: &ProviderTotals) {
    assert_eq!(intent.amount, cents(row.total_charged), "{intent:?} {row:?}");
    let number = row.card_payment_id.to_string();
    assert_eq!(intent.metadata.get("Card_Payment_ID"), Some(&number), "{intent:?}");
    let found = (money.charged, money.refunded);
    match row.state {
        State::Posted => assert_eq!(found, (intent.amount, 0), "{intent:?} {row:?}"),
        State::Voided => assert_eq!(found, (intent.amount, intent.amount), "{intent:?} {row:?}"),
        State::Failed => {
            assert_eq!(found, (0, 0), "{intent:?} {row:?}");
            let over = matches!(intent.status.as_str(), "canceled" | "requires_payment_method");
            assert!(over, "{intent:?} can still be charged");
        }
        State::Created | State::Charged | State::Unknown => panic!("{row:?} is not over"),
    }
}

/// Checks that the loan has one journal entry for the amount requested, with the fee as a memo row.
fn check_entry(row: &Model, entries: &[loan_transactions::Model]) {
    let amounts = |code: i32| {
        let of_entry = entries.iter().filter(|entry| {
            entry.transaction_code == code
                && entry.loan_id == row.loan_id
                && Some(entry.transaction_reference_no) == row.transaction_reference_no
        });
        of_entry.map(|entry| entry.transaction_amount).collect::<Vec<_>>()
    };
    assert_eq!(amounts(ENTRY), [row.amount], "{row:?}");
    assert_eq!(amounts(FEE), [row.convenience_fee], "{row:?}");
    let card = row.payment_gateway_token_id;
    for entry in entries {
        if Some(entry.transaction_reference_no) == row.transaction_reference_no {
            assert_eq!(entry.payment_gateway_token_id, Some(card), "{entry:?}");
        }
    }
}

fn cents(money: shared::amounts::Money) -> i64 {
    assert_eq!(money.units() % 100, 0, "{money}");
    money.units() / 100
}
