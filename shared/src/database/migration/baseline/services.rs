//! Recurring transactions, automated payments, credit lines, cards, cash drawers and batches.

#![expect(clippy::too_many_lines, reason = "lists of tables and rows, not logic")]

use super::super::table::{
    BRANDS, PERIODS, Table, YEARS, amount, choice, date, flag, id, int, json, key, string, text,
    time,
};

/// The tables, in the order of their references.
pub(super) fn tables() -> impl Iterator<Item = Table> {
    [gateway(), loans(), drawers(), batches()].into_iter().flatten()
}

fn gateway() -> Vec<Table> {
    vec![
        Table::new("payment_gateway_tokens")
            .columns([
                key("payment_gateway_token_id"),
                choice("brand_type", BRANDS),
                choice("entry_type", &["wallet", "one_time"]),
                flag("forget_flag"),
                id("contact_id").references("contacts", "contact_id"),
                id("loan_id").references("loans", "loan_id"),
                string("last_four", 4),
                int("expiry_month"),
                int("expiry_year"),
                string("cardholder_name", 80).optional(),
                choice("gateway", &["sandbox", "stripe"]),
                time("created_date"),
                time("last_used_date").optional(),
                int("used_count"),
            ])
            .index(&["contact_id", "payment_gateway_token_id"])
            .index(&["loan_id"]),
        Table::new("convenience_fee_rules").columns([
            key("rule_id"),
            id("loan_group_id").optional().references("loan_groups", "loan_group_id"),
            choice("brand_type", BRANDS).optional(),
            amount("flat_amount"),
            amount("percentage"),
            amount("minimum_fee").optional(),
            amount("maximum_fee").optional(),
            flag("active_flag"),
        ]),
    ]
}

fn loans() -> Vec<Table> {
    vec![
        Table::new("recurring_transactions")
            .columns([
                key("row_id"),
                id("loan_id").references("loans", "loan_id"),
                string("description", 50),
                flag("active_flag"),
                choice(
                    "event_type",
                    &[
                        "scheduled",
                        "periodic",
                        "billing",
                        "daily_accrual",
                        "on_post_payment",
                        "on_pre_payment",
                    ],
                ),
                date("event_start_date"),
                date("event_expire_date").optional(),
                date("next_event_date").optional(),
                int("start_date_day_value"),
                choice("event_period", PERIODS),
                int("event_number_of_periods"),
                int("event_max_repeat").optional(),
                int("event_count"),
                int("transaction_code"),
                choice("amount_type", &["fixed", "annual_percent_of_principal"]),
                amount("transaction_amount").optional(),
                amount("annual_percentage").optional(),
                choice("numerator", YEARS).optional(),
                choice("denominator", YEARS).optional(),
            ])
            .index(&["loan_id", "row_id"]),
        Table::new("automated_payments")
            .columns([
                key("row_id"),
                id("loan_id").references("loans", "loan_id"),
                string("description", 50),
                choice("payment_type", &["ach", "card"]),
                choice("status", &["active", "disabled", "expired"]),
                string("bank_routing_number", 9).optional(),
                string("bank_account_number", 17).optional(),
                choice("bank_account_type", &["checking", "savings"]).optional(),
                id("payment_gateway_token_id")
                    .optional()
                    .references("payment_gateway_tokens", "payment_gateway_token_id"),
                choice("amount_type", &["fixed", "percent_of_principal", "billing"]),
                amount("amount").optional(),
                amount("percentage").optional(),
                amount("minimum_amount").optional(),
                amount("maximum_amount").optional(),
                choice("debit_or_credit", &["debit", "credit"]),
                choice("billing_type", &["billing", "one_time", "recurring"]),
                choice("billing_period", PERIODS),
                date("start_date"),
                date("next_date").optional(),
                date("expire_date").optional(),
                int("temp_grace_period"),
            ])
            .index(&["loan_id", "row_id"])
            .index(&["payment_gateway_token_id"]),
        Table::new("credit_lines")
            .columns([
                key("creditline_id"),
                id("loan_id").references("loans", "loan_id"),
                string("name", 50),
                string("description", 255).optional(),
                int("transaction_code"),
                amount("credit_line_limit"),
                amount("credit_total_draw_limit").optional(),
                amount("min_draw_amount").optional(),
                amount("max_draw_amount").optional(),
                int("max_number_of_draws").optional(),
                choice(
                    "draw_until_type",
                    &["none", "from_origination", "from_first_draw", "fixed_date"],
                ),
                choice("draw_until_period", PERIODS).optional(),
                int("number_of_periods").optional(),
                date("draw_until_date").optional(),
                int("draw_count"),
                amount("draw_total"),
            ])
            .index(&["loan_id", "creditline_id"]),
    ]
}

fn drawers() -> Vec<Table> {
    vec![
        Table::new("cash_drawers")
            .columns([
                key("drawer_id"),
                string("name", 50),
                string("description", 255).optional(),
                choice("drawer_type", &["individual", "reserve"]),
                string("gl_account", 25).optional(),
                string("branch", 25).optional(),
                choice("status", &["open", "closed"]),
                amount("cash_balance"),
                amount("check_balance"),
                time("last_reconciled_date").optional(),
            ])
            .unique(&["name"]),
        Table::new("cash_drawer_assignments")
            .columns([
                key("row_id"),
                id("drawer_id").references("cash_drawers", "drawer_id"),
                id("user_id").references("users", "user_id"),
                time("assigned_date"),
                id("assigned_by_user_id").references("users", "user_id"),
            ])
            .unique(&["drawer_id", "user_id"])
            .index(&["user_id"]),
        Table::new("cash_drawer_sessions")
            .columns([
                key("row_id"),
                id("drawer_id").references("cash_drawers", "drawer_id"),
                id("user_id").references("users", "user_id"),
                time("opened_date"),
                amount("opening_cash_balance"),
                time("ended_date").optional(),
            ])
            .index(&["drawer_id", "row_id"])
            .index(&["drawer_id", "ended_date"])
            .index(&["user_id", "ended_date"]),
        Table::new("cash_drawer_reconciliations")
            .columns([
                key("reconciliation_id"),
                id("drawer_id").references("cash_drawers", "drawer_id"),
                id("user_id").references("users", "user_id"),
                time("reconciled_date"),
                amount("expected_cash"),
                amount("counted_cash"),
                amount("expected_check"),
                amount("counted_check"),
                amount("over_short_cash"),
                amount("over_short_check"),
                json("denominations"),
                choice("status", &["balanced", "over", "short", "mixed"]),
                text("comment").optional(),
            ])
            .index(&["drawer_id", "reconciliation_id"]),
        Table::new("cash_drawer_transactions")
            .columns([
                key("drawer_transaction_id"),
                id("drawer_id").references("cash_drawers", "drawer_id"),
                choice(
                    "transaction_type",
                    &[
                        "bank_in",
                        "bank_out",
                        "transfer_out",
                        "transfer_in",
                        "adjustment_in",
                        "adjustment_out",
                        "payment",
                        "payment_reversal",
                        "over_short",
                    ],
                ),
                choice("tender", &["cash", "check"]),
                amount("amount"),
                amount("resulting_balance"),
                string("check_number", 25).optional(),
                id("loan_id").optional().references("loans", "loan_id"),
                id("transaction_id").optional().references("loan_transactions", "transaction_id"),
                id("counter_drawer_id").optional().references("cash_drawers", "drawer_id"),
                id("transfer_reference_no").optional(),
                id("reconciliation_id")
                    .optional()
                    .references("cash_drawer_reconciliations", "reconciliation_id"),
                id("user_id").references("users", "user_id"),
                time("transaction_date"),
                string("reference", 100).optional(),
            ])
            .index(&["drawer_id", "drawer_transaction_id"])
            .index(&["drawer_id", "transaction_date"])
            .index(&["drawer_id", "reconciliation_id"])
            .index(&["transaction_id"]),
    ]
}

/// Runs of the core system's batch programs.
fn batches() -> Vec<Table> {
    vec![
        Table::new("batch_runs")
            .columns([
                key("batch_id"),
                choice("kind", &["ach", "accrual"]),
                date("business_date"),
                choice("state", &["idle", "running", "succeeded", "partial", "failed"]),
                choice("trigger_type", &["manual", "schedule"]),
                time("started_date"),
                time("ended_date").optional(),
                id("started_by_user_id").optional().references("users", "user_id"),
                int("total"),
                int("processed"),
                int("succeeded"),
                int("failed"),
                int("skipped"),
                text("last_error").optional(),
                amount("amount_total").optional(),
                int("debit_count").optional(),
                int("credit_count").optional(),
                int("returned_count").optional(),
                string("file_name", 255).optional(),
                amount("interest_accrued_total").optional(),
                date("oldest_unaccrued_date").optional(),
            ])
            .index(&["kind", "business_date", "batch_id"]),
        Table::new("batch_failures")
            .columns([
                key("row_id"),
                id("batch_id").references("batch_runs", "batch_id"),
                id("loan_id").references("loans", "loan_id"),
                string("code", 50),
                string("message", 255),
            ])
            .index(&["batch_id", "row_id"]),
    ]
}
