//! Card payments: gateway tokens, payments in progress at the gateway, sessions in which a card is
//! added, and the sandbox gateway's ledger.

use super::super::table::{Table, amount, choice, id, int, json, key, string, text, time};

/// The tables, in the order of their references.
pub(super) fn tables() -> [Table; 4] {
    [secrets(), payments(), sessions(), sandbox()]
}

fn secrets() -> Table {
    Table::new("payment_gateway_secrets").columns([
        id("payment_gateway_token_id")
            .primary()
            .references("payment_gateway_tokens", "payment_gateway_token_id"),
        text("gateway_token"),
    ])
}

fn payments() -> Table {
    Table::new("gateway_payments")
        .columns([
            key("card_payment_id"),
            id("loan_id").references("loans", "loan_id"),
            id("payment_gateway_token_id")
                .references("payment_gateway_tokens", "payment_gateway_token_id"),
            choice("state", &["created", "charged", "posted", "voided", "failed", "unknown"]),
            amount("amount"),
            amount("convenience_fee"),
            amount("total_charged"),
            string("waive_reason", 100).optional(),
            string("gateway_reference", 100).optional(),
            string("failure_code", 50).optional(),
            string("failure_message", 255).optional(),
            id("transaction_reference_no").optional(),
            time("created_date"),
            time("charged_date").optional(),
            time("posted_date").optional(),
            time("ended_date").optional(),
            id("entered_by_user_id").references("users", "user_id"),
            json("request"),
            string("request_id", 64),
            string("key_hash", 64).optional(),
            string("fingerprint", 64).optional(),
        ])
        .unique(&["key_hash"])
        .index(&["loan_id", "card_payment_id"])
        .index(&["payment_gateway_token_id"])
        .index(&["gateway_reference"])
        .index(&["state", "created_date"])
}

fn sessions() -> Table {
    Table::new("payment_method_sessions")
        .columns([
            key("session_id"),
            id("loan_id").references("loans", "loan_id"),
            id("contact_id").references("contacts", "contact_id"),
            id("user_id").references("users", "user_id"),
            string("state_hash", 64),
            choice("gateway", &["sandbox", "stripe"]),
            string("gateway_reference", 255).optional(),
            choice("state", &["open", "used", "expired"]),
            time("created_date"),
            time("expires_at"),
        ])
        .unique(&["state_hash"])
        .index(&["state", "expires_at"])
        .index(&["gateway_reference"])
        .index(&["loan_id"])
}

fn sandbox() -> Table {
    Table::new("sandbox_payments").columns([
        string("reference", 100).primary(),
        choice(
            "outcome",
            &["charged", "card_declined", "insufficient_funds", "lost_charged", "lost_failed"],
        ),
        amount("amount"),
        choice("state", &["prepared", "charged", "declined", "cancelled", "refunded"]),
        int("charge_count"),
        int("refund_count"),
        time("created_date"),
        time("charged_date").optional(),
    ])
}
