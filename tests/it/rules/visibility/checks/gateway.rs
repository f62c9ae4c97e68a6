//! Section 3.7: cards, and the fee for paying with them.

use crate::rules::visibility::caller::{Caller, Operation};
use serde_json::Value;
use shared::entity::payment_gateway_tokens::{self, BrandType, EntryType};
use shared::entity::{convenience_fee_rules, loans};

const CARDS: Operation = Operation::any("list_cards", "Payment Gateway > Cards > View");
const CARD: Operation = Operation::any("get_card", "Payment Gateway > Cards > View");
const FEE: Operation =
    Operation::any("get_convenience_fee", "Payment Gateway > Convenience Fee > View");

const PAYMENTS: Operation = Operation::core("list_card_payments", "Payment Gateway > Cards > View")
    .and("Loan > Transactions > View");

pub async fn check(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for id in caller.ids(&CARDS, rows.loans.iter().map(|loan| loan.loan_id)) {
        cards_of_loan(caller, id).await;
    }
    let cards = rows.payment_gateway_tokens.iter();
    for id in caller.ids(&CARD, cards.map(|card| card.payment_gateway_token_id)) {
        let path = format!("/loans/payment-gateway/credit-cards/{id}");
        let mut cards = rows.payment_gateway_tokens.iter();
        let card = cards.find(|card| card.payment_gateway_token_id == id);
        let is_seen = card.is_some_and(|card| caller.rules.card(card));
        if let Some(found) = caller.read(&CARD, &path, is_seen).await {
            let found = &found["PaymentGatewayTokenID"];
            caller.compare(&CARD, &path, "PaymentGatewayTokenID", id, found);
        }
    }
    for id in caller.ids(&FEE, rows.loans.iter().map(|loan| loan.loan_id)) {
        fee(caller, id).await;
        fee_of_cards(caller, id).await;
    }
    for id in caller.ids(&PAYMENTS, rows.loans.iter().map(|loan| loan.loan_id)) {
        payments_of_loan(caller, id).await;
    }
}

/// Card payments with the visible rows of their entries, and the last four digits of visible cards.
async fn payments_of_loan(caller: &mut Caller<'_>, loan_id: i64) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let path = format!("/loans/{loan_id}/card-payments");
    let own = rows.gateway_payments.iter().filter(|row| row.loan_id == loan_id);
    let own: Vec<_> = own.collect();
    let (keys, is_seen) = (own.iter().map(|row| row.card_payment_id), rules.on_loan(loan_id));
    let found = caller.list(&PAYMENTS, &path, is_seen, "Card_Payment_ID", keys).await;
    for (row, found) in own.iter().zip(&found) {
        let mut cards = rows.payment_gateway_tokens.iter();
        let token_id = row.payment_gateway_token_id;
        let card = cards.find(|card| card.payment_gateway_token_id == token_id);
        let digits = card.filter(|card| rules.card(card)).map(|card| card.last_four.as_str());
        caller.compare(&PAYMENTS, &path, "Last_Four", digits, &found["Last_Four"]);
        let entry = rows.loan_transactions.iter().filter(|entry| {
            Some(entry.transaction_reference_no) == row.transaction_reference_no
                && rules.transaction(entry)
        });
        let entry: Value = entry.map(|entry| entry.transaction_id).collect();
        let shown = found["Transactions"].as_array().into_iter().flatten();
        let shown: Value = shown.map(|entry| entry["Transaction_ID"].clone()).collect();
        caller.compare(&PAYMENTS, &path, "Transactions", entry, &shown);
    }
}

/// "The visible cards of the borrower and the linked contacts: wallet cards used at least once and
/// not forgotten; `includeUnused=true` adds never-used wallet cards."
async fn cards_of_loan(caller: &mut Caller<'_>, loan_id: i64) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    for (query, with_unused) in
        [("", false), ("?includeUnused=false", false), ("?includeUnused=true", true)]
    {
        let path = format!("/loans/{loan_id}/payment-gateway/credit-cards{query}");
        let is_listed = |card: &&payment_gateway_tokens::Model| {
            rules.card(card)
                && rules.is_card_of_loan(card, loan_id)
                && card.entry_type == EntryType::Wallet
                && !card.forget_flag
                && (card.used_count > 0 || with_unused)
        };
        let keys = rows.payment_gateway_tokens.iter().filter(is_listed);
        let keys = keys.map(|card| card.payment_gateway_token_id);
        let is_seen = rules.loan(loan_id);
        caller.list(&CARDS, &path, is_seen, "PaymentGatewayTokenID", keys).await;
    }
}

async fn fee(caller: &mut Caller<'_>, loan_id: i64) {
    let path = format!("/loans/{loan_id}/payment-gateway/convenience-fee?amount=50.00");
    let loan = caller.rules.rows.loans.iter().find(|loan| loan.loan_id == loan_id);
    match loan.filter(|_| caller.rules.loan(loan_id)) {
        Some(loan) => check_fee(caller, &path, loan, None).await,
        None => caller.expect_refusal(&FEE, &path, (404, "not-found")).await,
    }
}

/// "Card to charge: visible, of the borrower or a linked contact (404); not forgotten, not past its
/// month. The same rule for `tokenId`."
async fn fee_of_cards(caller: &mut Caller<'_>, loan_id: i64) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let sample = caller.random.some_of(12, &rows.payment_gateway_tokens);
    for card in sample {
        let path = format!(
            "/loans/{loan_id}/payment-gateway/convenience-fee?amount=50.00&tokenId={}",
            card.payment_gateway_token_id
        );
        let loan = rows.loans.iter().find(|loan| loan.loan_id == loan_id);
        let is_seen =
            rules.loan(loan_id) && rules.card(&card) && rules.is_card_of_loan(&card, loan_id);
        match loan.filter(|_| is_seen) {
            Some(loan) => check_fee(caller, &path, loan, Some(&card)).await,
            None => caller.expect_refusal(&FEE, &path, (404, "not-found")).await,
        }
    }
}

/// Checks the fee for a caller who sees the loan and the card.
async fn check_fee(
    caller: &mut Caller<'_>,
    path: &str,
    loan: &loans::Model,
    card: Option<&payment_gateway_tokens::Model>,
) {
    let rows = caller.rules.rows;
    let takes_cards = rows
        .loan_groups
        .iter()
        .any(|group| group.loan_group_id == loan.loan_group_id && group.payment_gateway_flag);
    if !takes_cards {
        caller.expect_refusal(&FEE, path, (422, "gateway-disabled")).await;
    } else if card.is_some_and(|card| card.forget_flag) {
        caller.expect_refusal(&FEE, path, (422, "card-forgotten")).await;
    } else if card.is_some_and(|card| card.expiry_year == 2020) {
        caller.expect_refusal(&FEE, path, (422, "card-expired")).await;
    } else if let Some(found) = caller.read(&FEE, path, true).await {
        let rule = fee_rule(&rows.convenience_fee_rules, loan, card.map(|card| card.brand_type));
        let fee = rule.map_or("0.00".to_owned(), |rule| rule.flat_amount.to_string());
        caller.compare(&FEE, path, "Fee", Value::String(fee), &found["Fee"]);
    }
}

/// "Most specific active rule (group + brand, group, brand, general)."
fn fee_rule<'a>(
    rules: &'a [convenience_fee_rules::Model],
    loan: &loans::Model,
    brand: Option<BrandType>,
) -> Option<&'a convenience_fee_rules::Model> {
    let group = Some(loan.loan_group_id);
    let keys = [(group, brand), (group, None), (None, brand), (None, None)];
    keys.into_iter().find_map(|key| {
        rules.iter().find(|rule| rule.active_flag && (rule.loan_group_id, rule.brand_type) == key)
    })
}
