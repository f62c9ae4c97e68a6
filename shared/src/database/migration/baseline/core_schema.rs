//! The core system's schema, to the extent that this release serves it.

#![expect(clippy::too_many_lines, reason = "lists of tables and rows, not logic")]

use super::super::table::{
    BALANCES, PERIODS, Table, YEARS, amount, choice, date, flag, id, int, json, key, long,
    modified_date, string, text, time,
};
use crate::database::contact_search::{
    KEY_CHARACTERS_MAX, KIND_WORDS, SOURCE_CHARACTERS_MAX, is_stale,
};
use sea_orm::DbBackend;
use sea_orm::sea_query::{Expr, ExprTrait};

/// The tables, in the order of their references.
pub(super) fn tables() -> impl Iterator<Item = Table> {
    [security(), setup(), contacts(), tokens(), loans(), records()].into_iter().flatten()
}

/// Users, groups, privileges, settings and OAuth clients.
fn security() -> Vec<Table> {
    vec![
        Table::new("users")
            .columns([
                key("user_id"),
                string("user_name", 50),
                string("full_name", 80),
                string("email", 100).optional(),
                choice("status", &["active", "disabled"]),
                flag("admin_flag"),
                flag("dba_flag"),
                flag("loan_officer_flag"),
                flag("collection_officer_flag"),
                flag("contact_officer_flag"),
                time("created_date"),
            ])
            .unique(&["user_name"]),
        Table::new("user_credentials").columns([
            id("user_id").primary().references("users", "user_id"),
            string("password_hash", 255),
        ]),
        Table::new("user_groups")
            .columns([key("group_id"), string("name", 50), string("description", 255).optional()])
            .unique(&["name"]),
        Table::new("group_members")
            .columns([
                key("row_id"),
                id("group_id").references("user_groups", "group_id"),
                id("user_id").references("users", "user_id"),
            ])
            .unique(&["group_id", "user_id"])
            .index(&["user_id"]),
        Table::new("privileges")
            .columns([key("privilege_id"), string("path", 100), string("verb", 20)])
            .unique(&["path", "verb"]),
        Table::new("privilege_grants")
            .columns([
                key("grant_id"),
                id("privilege_id").references("privileges", "privilege_id"),
                id("user_id").optional().references("users", "user_id"),
                id("group_id").optional().references("user_groups", "group_id"),
            ])
            .index(&["user_id"])
            .index(&["group_id"]),
        Table::new("trustees")
            .columns([
                key("trustee_id"),
                choice(
                    "object_type",
                    &[
                        "comment_category",
                        "loan_group",
                        "portfolio",
                        "contact_type",
                        "transaction_code",
                    ],
                ),
                id("object_id"),
                id("user_id").optional().references("users", "user_id"),
                id("group_id").optional().references("user_groups", "group_id"),
            ])
            .index(&["object_type", "object_id"]),
        Table::new("settings").columns([string("name", 50).primary(), string("value", 255)]),
        Table::new("oauth_clients").columns([
            string("client_id", 100).primary(),
            choice("kind", &["confidential", "public"]),
            string("secret_hash1", 255).optional(),
            string("secret_hash2", 255).optional(),
            text("public_keys").optional(),
            text("redirect_uris"),
            text("post_logout_redirect_uris"),
            text("cors_origins"),
            text("grants"),
            text("user_kinds"),
            flag("resource_server_flag"),
            time("created_date"),
            string("display_name", 100).optional(),
            flag("forwards_addresses_flag"),
        ]),
    ]
}

fn setup() -> Vec<Table> {
    vec![
        Table::new("loan_groups")
            .columns([
                key("loan_group_id"),
                string("code", 25),
                string("description", 80),
                flag("active_flag"),
                flag("payment_gateway_flag"),
            ])
            .unique(&["code"]),
        Table::new("portfolios")
            .columns([
                key("portfolio_id"),
                string("code", 25),
                string("description", 80),
                flag("active_flag"),
                string("number_mask", 25).optional(),
            ])
            .unique(&["code"]),
        Table::new("loan_status_codes")
            .columns([
                key("status_code_id"),
                string("code", 25),
                string("description", 80),
                flag("active_flag"),
                flag("closed_flag"),
                flag("stop_accrual_flag"),
                flag("stop_late_charge_flag"),
                flag("refuse_payments_flag"),
            ])
            .unique(&["code"]),
        Table::new("risk_ratings")
            .columns([
                key("risk_rating_id"),
                string("code", 25),
                string("description", 80),
                flag("active_flag"),
                int("rank"),
            ])
            .unique(&["code"]),
        Table::new("interest_plans")
            .columns([
                key("interest_plan_id"),
                string("name", 50),
                flag("active_flag"),
                choice("interest_method", &["SI"]),
                choice("interest_year_numerator", YEARS),
                choice("interest_year_denominator", YEARS),
                choice("rate_type", &["fixed", "variable"]),
                amount("starting_rate"),
            ])
            .unique(&["name"]),
        Table::new("entities").columns([
            string("entity_code", 25).primary(),
            string("description", 80),
            flag("active_flag"),
            flag("person_flag"),
        ]),
        Table::new("relationship_codes").columns([
            string("relationship_code", 25).primary(),
            string("description", 80),
            flag("active_flag"),
            choice("applies_to", &["contact", "loan", "address"]),
            flag("auto_prev_addr"),
        ]),
        Table::new("contact_types")
            .columns([
                key("contact_type_id"),
                string("code", 25),
                string("description", 80),
                flag("active_flag"),
            ])
            .unique(&["code"]),
        Table::new("payment_methods")
            .columns([
                key("payment_method_id"),
                string("payment_method_code", 25),
                string("description", 80),
                flag("active_flag"),
                flag("cash_flag"),
                flag("check_flag"),
                flag("default_flag"),
            ])
            .unique(&["payment_method_code"]),
        Table::new("transaction_codes").columns([
            int("transaction_code").primary(),
            string("description", 50),
            choice("balance_name", BALANCES).optional(),
            int("sign"),
            int("reversal_code").optional(),
            flag("active_flag"),
        ]),
    ]
}

fn contacts() -> Vec<Table> {
    vec![
        Table::new("contacts")
            .columns([
                key("contact_id"),
                string("contact_number", 25),
                id("contact_type_id").references("contact_types", "contact_type_id"),
                string("entity_code", 25),
                id("contact_officer_user_id").optional().references("users", "user_id"),
                string("short_name", 20).optional(),
                string("company", 80).optional(),
                string("salutation1", 10).optional(),
                string("first_name1", 20).optional(),
                string("middle_name1", 20).optional(),
                string("last_name1", 40).optional(),
                string("suffix1", 5).optional(),
                string("full_name1", 80).optional(),
                string("title1", 25).optional(),
                date("birth_date1").optional(),
                date("deceased_date1").optional(),
                string("tax_id1", 15).optional(),
                string("id_type1", 25).optional(),
                string("id_number1", 30).optional(),
                string("id_issuer1", 40).optional(),
                date("id_expiry_date1").optional(),
                string("salutation2", 10).optional(),
                string("first_name2", 20).optional(),
                string("middle_name2", 20).optional(),
                string("last_name2", 40).optional(),
                string("suffix2", 5).optional(),
                string("full_name2", 80).optional(),
                string("title2", 25).optional(),
                date("birth_date2").optional(),
                date("deceased_date2").optional(),
                string("tax_id2", 15).optional(),
                string("id_type2", 25).optional(),
                string("id_number2", 30).optional(),
                string("id_issuer2", 40).optional(),
                date("id_expiry_date2").optional(),
                string("street_address1", 40).optional(),
                string("street_address2", 40).optional(),
                string("city", 25).optional(),
                string("state", 25).optional(),
                string("zip", 10).optional(),
                string("county", 40).optional(),
                string("country", 40).optional(),
                string("email", 100).optional(),
                string("email2", 100).optional(),
                string("home_phone", 20).optional(),
                string("work_phone", 20).optional(),
                string("mobile_phone", 20).optional(),
                choice("contact_method", &["none", "mail", "email", "phone", "text"]),
                time("created_date"),
                string("search_source", SOURCE_CHARACTERS_MAX).optional(),
                id("search_officer_user_id").optional(),
                flag("search_stale").computed(is_stale),
                modified_date(),
            ])
            .unique(&["contact_number"])
            .index(&["search_stale", "contact_id"])
            // As with loans, the column that decides who may see a row leads.
            .index(&["contact_officer_user_id", "contact_id"])
            .index(&["contact_officer_user_id", "modified_date", "contact_id"])
            .index(&["contact_type_id", "contact_id"])
            .index(&["modified_date", "contact_id"]),
        // Names, phones, e-mail addresses and tax ids in the form in which they are compared. A program
        // that deletes a contact knows nothing of its keys.
        Table::new("contact_search_keys")
            .columns([
                key("row_id"),
                id("contact_id").references("contacts", "contact_id").cascading(),
                id("contact_officer_user_id").optional(),
                choice("kind", KIND_WORDS),
                string("search_key", KEY_CHARACTERS_MAX),
            ])
            .unique(&["contact_id", "kind", "search_key"])
            .index(&["kind", "search_key", "contact_id"])
            .index(&["contact_officer_user_id", "kind", "search_key", "contact_id"]),
        Table::new("web_credentials")
            .columns([
                id("contact_id").primary().references("contacts", "contact_id"),
                string("web_user_name", 50),
                flag("web_access_flag"),
                string("password_hash", 255),
                time("created_date"),
            ])
            .unique(&["web_user_name"]),
    ]
}

fn tokens() -> Vec<Table> {
    vec![
        Table::new("active_users")
            .columns([
                key("row_id"),
                id("user_id").references("users", "user_id"),
                time("active_date"),
                string("session_id", 43),
                string("client_id", 100),
                string("token_hash", 90),
            ])
            .unique(&["token_hash"])
            .index(&["user_id"])
            .index(&["session_id"])
            .index(&["active_date"]),
        Table::new("cif_web_active_users")
            .columns([
                key("row_id"),
                id("contact_id").references("contacts", "contact_id"),
                time("token_datestamp"),
                string("session_id", 43),
                string("client_id", 100),
                string("token_hash", 90),
            ])
            .unique(&["token_hash"])
            .index(&["contact_id"])
            .index(&["session_id"])
            .index(&["token_datestamp"]),
    ]
}

fn loans() -> Vec<Table> {
    vec![
        Table::new("loans")
            .columns([
                key("loan_id"),
                string("loan_number", 25),
                id("contact_id").references("contacts", "contact_id"),
                string("loan_nickname", 50).optional(),
                id("loan_group_id").references("loan_groups", "loan_group_id"),
                id("portfolio_id").references("portfolios", "portfolio_id"),
                id("status_code_id").references("loan_status_codes", "status_code_id"),
                id("risk_rating_id").optional().references("risk_ratings", "risk_rating_id"),
                id("interest_plan_id").optional().references("interest_plans", "interest_plan_id"),
                string("entity_code", 25).optional(),
                string("contractual_jurisdiction", 50).optional(),
                id("loan_officer_user_id").optional().references("users", "user_id"),
                id("collection_officer_user_id").optional().references("users", "user_id"),
                choice("loan_type", &["term", "revolving", "non_revolving"]),
                choice("interest_method", &["SI"]),
                choice("interest_year_numerator", YEARS),
                choice("interest_year_denominator", YEARS),
                amount("starting_interest_rate"),
                amount("current_interest_rate"),
                amount("original_note_amount"),
                date("origination_date"),
                date("interest_start_date"),
                choice("payment_period", PERIODS),
                amount("payment_amount").optional(),
                int("number_of_payments").optional(),
                date("first_payment_date").optional(),
                date("next_due_date").optional(),
                date("maturity_date").optional(),
                int("payment_day").optional(),
                int("advance_days"),
                string("payment_distribution", 255),
                choice("excess_handling", &["principal", "suspense", "reject"]),
                amount("current_principal_balance"),
                amount("current_interest_balance"),
                amount("current_late_charge_balance"),
                amount("current_fees_balance"),
                amount("current_impound_balance"),
                amount("current_suspense_balance"),
                date("interest_accrued_thru_date"),
                amount("interest_accrued_total"),
                amount("interest_settled_total"),
                amount("paid_ahead_amount"),
                date("accrual_base_date"),
                amount("accrual_base_total"),
                date("last_payment_date").optional(),
                amount("last_payment_amount").optional(),
                date("last_activity_date").optional(),
                date("payoff_date").optional(),
                date("closed_date").optional(),
                time("created_date"),
                modified_date(),
            ])
            .unique(&["loan_number"])
            .index(&["contact_id"])
            // The columns that decide who may see a row lead, so that a search reads no rows of other
            // officers.
            .index(&["loan_officer_user_id", "collection_officer_user_id", "loan_id"])
            .index(&[
                "loan_officer_user_id",
                "collection_officer_user_id",
                "maturity_date",
                "loan_id",
            ])
            .index(&[
                "loan_officer_user_id",
                "collection_officer_user_id",
                "modified_date",
                "loan_id",
            ])
            .index(&[
                "loan_officer_user_id",
                "collection_officer_user_id",
                "next_due_date",
                "loan_id",
            ])
            .index(&["collection_officer_user_id", "loan_id"])
            .index(&["status_code_id", "loan_id"])
            .index(&["loan_group_id", "loan_id"])
            .index(&["portfolio_id", "loan_id"])
            .index(&["maturity_date", "loan_id"])
            .index(&["modified_date", "loan_id"])
            .index(&["next_due_date", "loan_id"])
            // Open loans past maturity.
            .index(&["closed_date", "maturity_date", "loan_id"]),
        Table::new("loan_contacts")
            .columns([
                key("row_id"),
                id("loan_id").references("loans", "loan_id"),
                id("contact_id").references("contacts", "contact_id"),
                string("relationship_code", 25),
                flag("web_access_flag"),
            ])
            .unique(&["loan_id", "contact_id", "relationship_code"])
            .index(&["contact_id"]),
        Table::new("loan_interest_rates")
            .columns([
                key("row_id"),
                id("loan_id").references("loans", "loan_id"),
                date("effective_date"),
                amount("interest_rate"),
            ])
            .unique(&["loan_id", "effective_date"]),
        Table::new("payments_due")
            .columns([
                key("row_id"),
                id("loan_id").references("loans", "loan_id"),
                int("payment_number"),
                date("due_date"),
                amount("interest_due"),
                amount("principal_due"),
                amount("interest_paid"),
                amount("principal_paid"),
                date("unpaid_date").computed(unpaid_date),
            ])
            .unique(&["loan_id", "due_date"])
            .index(&["unpaid_date", "loan_id"])
            .index(&["loan_id", "unpaid_date"]),
        Table::new("loan_transactions")
            .columns([
                key("transaction_id"),
                id("loan_id").references("loans", "loan_id"),
                id("transaction_reference_no"),
                int("transaction_code"),
                string("transaction_description", 50),
                time("transaction_date"),
                date("effective_date"),
                date("gl_date"),
                amount("transaction_amount"),
                choice("balance_name", BALANCES).optional(),
                amount("resulting_balance").optional(),
                string("payment_method_code", 25).optional(),
                string("payment_method_reference", 50).optional(),
                string("user_reference", 100).optional(),
                id("paid_by_contact_id").optional().references("contacts", "contact_id"),
                id("creditline_id").optional(),
                id("cash_drawer_id").optional(),
                id("payment_gateway_token_id").optional(),
                string("external_id", 100).optional(),
                string("userdef01", 50).optional(),
                string("userdef02", 50).optional(),
                string("userdef03", 50).optional(),
                string("userdef04", 50).optional(),
                string("userdef05", 50).optional(),
                id("entered_by_user_id").references("users", "user_id"),
                flag("reversed_flag"),
                id("reversal_transaction_id").optional(),
                flag("nsf_flag"),
                date("nsf_date").optional(),
            ])
            .unique(&["loan_id", "external_id"])
            .of_rows_with("external_id")
            .index(&["loan_id", "effective_date", "transaction_id"])
            .index(&["transaction_reference_no"])
            .index(&["creditline_id", "transaction_id"])
            .of_rows_with("creditline_id")
            .index(&["loan_id", "transaction_code", "effective_date", "transaction_id"]),
        Table::new("payment_allocations")
            .columns([
                key("row_id"),
                id("transaction_id").references("loan_transactions", "transaction_id"),
                id("payment_due_id").references("payments_due", "row_id"),
                amount("amount"),
            ])
            .index(&["transaction_id"])
            .index(&["payment_due_id"]),
        // Loans before each entry that moved the accrual base: a reversal restores them.
        Table::new("loan_snapshots").columns([
            id("transaction_id").primary().references("loan_transactions", "transaction_id"),
            json("prior_state"),
        ]),
    ]
}

/// The due date of a row that is not fully paid.
fn unpaid_date(_: DbBackend) -> Expr {
    let is_unpaid = Expr::col("interest_due")
        .gt(Expr::col("interest_paid"))
        .or(Expr::col("principal_due").gt(Expr::col("principal_paid")));
    Expr::case(is_unpaid, Expr::col("due_date")).into()
}

/// The service's own records.
fn records() -> Vec<Table> {
    vec![
        Table::new("idempotency_records")
            .columns([
                key("record_id"),
                string("key_hash", 64),
                string("fingerprint", 64),
                string("claim_token", 32),
                time("lease_until"),
                flag("begun_flag"),
                int("status").optional(),
                text("body").optional(),
                time("created_date"),
            ])
            .unique(&["key_hash"])
            .index(&["created_date"]),
        // Imports that can be resumed and replayed, however long their responses are.
        Table::new("import_runs")
            .columns([
                key("import_id"),
                string("key_hash", 64),
                string("body_hash", 64),
                time("started_date"),
                flag("committed_flag").optional(),
                long("read_count"),
                long("inserted_count"),
                long("updated_count"),
                long("deleted_count"),
                long("failed_count"),
            ])
            .unique(&["key_hash"]),
        Table::new("import_records")
            .columns([
                key("row_id"),
                id("import_id").references("import_runs", "import_id"),
                long("record_index"),
                int("record_count"),
                int("part"),
                text("result"),
            ])
            .unique(&["import_id", "record_index", "part"]),
        Table::new("field_changes")
            .columns([
                key("row_id"),
                id("loan_id").optional(),
                id("contact_id").optional(),
                string("table_name", 50),
                id("record_id"),
                string("field_name", 50),
                string("field_label", 80),
                text("old_value").optional(),
                text("new_value").optional(),
                id("modified_by_user_id").optional(),
                string("modified_by_name", 80),
                time("modified_date"),
                choice("source", &["api", "xml", "gateway", "batch", "installer"]),
                string("request_id", 40),
                string("privilege_path", 100),
                id("comment_category_id").optional(),
                id("comment_id").optional(),
            ])
            // Histories are paged in row order.
            .index(&["loan_id", "row_id"])
            .index(&["contact_id", "row_id"])
            .of_rows_with("contact_id")
            .index(&["comment_id"])
            .of_rows_with("comment_id"),
        // Rows that cluster nodes write so that they detect each other's locks.
        Table::new("row_guards").columns([int("guard_id").primary(), long("writes")]),
        // User names that look alike have the same skeleton.
        Table::new("name_skeletons").columns([string("skeleton_hash", 64).primary()]),
    ]
}
