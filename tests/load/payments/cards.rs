//! The cards that are charged: sandbox cards, for the hot loan and some of the others.

use super::jobs::Work;
use super::loans::Loans;
use acceptance::World;
use serde_json::json;

/// Loans with a card, in addition to the hot one.
const LOANS: usize = 64;

/// A loan, and the card that pays it.
#[derive(Clone, Copy)]
struct Card {
    loan_id: i64,
    card_id: i64,
}

#[derive(Clone)]
pub struct Cards {
    hot: Card,
    others: Vec<Card>,
}

impl Cards {
    /// Adds the cards through the API, and lets the teller charge them.
    pub async fn add(world: &World, loans: &Loans) -> Result<Self, String> {
        let grant = "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                     user_id FROM privileges, users WHERE path = 'Payment Gateway > Payments' \
                     AND verb = 'Add' AND user_name = 'teller'";
        world.sql(grant).await;
        let token = world.token("admin").await;
        let mut cards = Vec::new();
        for loan_id in [loans.hot].iter().chain(loans.others.iter().take(LOANS)) {
            let path = format!("/loans/{loan_id}/payment-gateway/credit-cards");
            let body = json!({"Gateway_Token": "tok_visa"});
            let added = world.client.post(&token, &path, &body, None).await;
            let card_id = added.json()["PaymentGatewayTokenID"].as_i64();
            let card_id = card_id.ok_or_else(|| format!("{}: {}", added.status, added.text))?;
            cards.push(Card { loan_id: *loan_id, card_id });
        }
        match cards.split_first() {
            Some((hot, others)) => Ok(Self { hot: *hot, others: others.to_vec() }),
            None => Err("no card was added".to_owned()),
        }
    }

    /// Draws a payment with an odd number of cents, from 0.01 to 99.99.
    pub fn draw_payment(&self, rng: &mut fastrand::Rng, hot_percent: u32) -> Work {
        let is_hot = rng.u32(0..100) < hot_percent || self.others.is_empty();
        let Card { loan_id, card_id } = match is_hot {
            true => self.hot,
            false => self.others[rng.usize(0..self.others.len())],
        };
        Work::CardPayment { loan_id, card_id, cents: 2 * rng.i64(0..5000) + 1 }
    }
}
