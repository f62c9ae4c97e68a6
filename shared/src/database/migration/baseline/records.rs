//! Collateral, comments, documents, user-defined fields, and more contact tables.

#![expect(clippy::too_many_lines, reason = "lists of tables and rows, not logic")]

use super::super::table::{
    Table, amount, choice, date, flag, id, int, json, key, long, string, text, time,
};

/// The tables, in the order of their references.
pub(super) fn tables() -> impl Iterator<Item = Table> {
    [collateral(), comments(), contacts(), fields()].into_iter().flatten()
}

fn collateral() -> Vec<Table> {
    vec![
        Table::new("collaterals")
            .columns([
                key("collateral_id"),
                id("contact_id").optional().references("contacts", "contact_id"),
                string("collateral_code", 15),
                date("acquisition_date").optional(),
                date("priced_date").optional(),
                int("number_of_units"),
                amount("price_per_unit"),
                amount("percentage_value"),
                amount("net_value"),
                text("notes").optional(),
            ])
            .index(&["contact_id"]),
        Table::new("loan_collaterals")
            .columns([
                key("row_id"),
                id("loan_id").references("loans", "loan_id"),
                id("collateral_id").references("collaterals", "collateral_id"),
            ])
            .unique(&["loan_id", "collateral_id"])
            .index(&["collateral_id"]),
        Table::new("collateral_vehicles").columns([
            id("collateral_id").primary().references("collaterals", "collateral_id"),
            string("vin", 17).optional(),
            int("year").optional(),
            string("make", 25).optional(),
            string("model", 25).optional(),
            string("style", 25).optional(),
            string("color", 25).optional(),
            string("registered_state", 25).optional(),
            string("license_plate", 25).optional(),
            int("original_miles").optional(),
            int("current_miles").optional(),
            choice("title_type", &["none", "paper", "electronic", "lien"]),
            choice("title_status", &["not_received", "submitted", "perfected", "released"]),
            date("title_status_date").optional(),
            string("title_number", 25).optional(),
            choice("branded_title", &["none", "salvage", "flood", "rebuilt", "other"]),
            amount("purchase_price").optional(),
            amount("current_value").optional(),
            string("valuation_method", 25).optional(),
            date("valuation_date").optional(),
            text("comments").optional(),
        ]),
        Table::new("collateral_locations").columns([
            id("collateral_id").primary().references("collaterals", "collateral_id"),
            id("contact_id").optional().references("contacts", "contact_id"),
            string("contact_name", 40).optional(),
            string("company_name", 40).optional(),
            string("street_address1", 40).optional(),
            string("street_address2", 40).optional(),
            string("city", 25).optional(),
            string("state", 25).optional(),
            string("zip", 10).optional(),
            string("county", 40).optional(),
            string("country", 40).optional(),
            string("phone", 20).optional(),
        ]),
        Table::new("collateral_insurance_policies")
            .columns([
                key("row_id"),
                id("collateral_id").references("collaterals", "collateral_id"),
                string("company", 80),
                string("agent_name", 40).optional(),
                string("policy_number", 30),
                choice(
                    "coverage_type",
                    &["collision", "comprehensive", "hazard", "flood", "title", "other"],
                ),
                amount("coverage_amount").optional(),
                amount("deductible_amount").optional(),
                amount("premium_amount").optional(),
                date("effective_date").optional(),
                date("expiration_date").optional(),
                date("cancel_date").optional(),
                flag("loss_payee_flag"),
                flag("force_placed_flag"),
                choice("status", &["active", "expired", "cancelled"]),
            ])
            .index(&["collateral_id", "row_id"]),
        Table::new("collateral_taxes")
            .columns([
                key("row_id"),
                id("collateral_id").references("collaterals", "collateral_id"),
                string("authority", 80),
                string("parcel_number", 40).optional(),
                int("tax_year"),
                amount("assessed_value").optional(),
                amount("tax_amount"),
                date("due_date"),
                date("paid_date").optional(),
                flag("delinquent_flag"),
            ])
            .index(&["collateral_id", "row_id"]),
        Table::new("collateral_descriptions").columns([
            id("collateral_id").primary().references("collaterals", "collateral_id"),
            text("description"),
            id("modified_by_user_id").references("users", "user_id"),
            time("modified_date"),
        ]),
    ]
}

fn comments() -> Vec<Table> {
    vec![
        Table::new("comment_categories")
            .columns([
                key("comment_category_id"),
                string("code", 25),
                string("description", 80),
                flag("active_flag"),
            ])
            .unique(&["code"]),
        Table::new("comments")
            .columns([
                key("comment_id"),
                id("loan_id").optional().references("loans", "loan_id"),
                id("contact_id").optional().references("contacts", "contact_id"),
                id("collateral_id").optional().references("collaterals", "collateral_id"),
                id("comment_category_id").references("comment_categories", "comment_category_id"),
                text("comment"),
                date("action_date").optional(),
                choice("priority", &["low", "normal", "high"]),
                flag("pinned_flag"),
                id("entered_by_user_id").references("users", "user_id"),
                time("entered_date"),
                id("modified_by_user_id").optional().references("users", "user_id"),
                time("modified_date").optional(),
            ])
            .index(&["loan_id"])
            .index(&["contact_id"])
            .index(&["collateral_id"]),
        Table::new("documents")
            .columns([
                key("document_id"),
                choice(
                    "owner_type",
                    &[
                        "loan_comment",
                        "contact_comment",
                        "collateral_comment",
                        "loan_detail1",
                        "loan_detail2",
                        "contact_detail",
                        "contact_demographics",
                        "contact_financials",
                    ],
                ),
                id("owner_id"),
                string("field_name", 10).optional(),
                string("name", 255),
                text("description").optional(),
                id("created_by_user_id").references("users", "user_id"),
                time("created_date"),
                id("modified_by_user_id").optional().references("users", "user_id"),
                time("modified_date").optional(),
            ])
            .index(&["owner_type", "owner_id", "field_name", "document_id"]),
        Table::new("document_files")
            .columns([
                key("file_id"),
                id("document_id").references("documents", "document_id"),
                string("file_name", 255),
                string("content_type", 100),
                long("size_bytes"),
                string("sha256", 64),
                string("object_key", 100),
                id("uploaded_by_user_id").references("users", "user_id"),
                time("uploaded_date"),
            ])
            .unique(&["object_key"])
            .index(&["document_id", "file_id"]),
    ]
}

fn contacts() -> Vec<Table> {
    vec![
        Table::new("contact_addresses")
            .columns([
                key("row_id"),
                id("contact_id").references("contacts", "contact_id"),
                string("relationship_code", 25),
                string("street_address1", 40).optional(),
                string("street_address2", 40).optional(),
                string("city", 25).optional(),
                string("state", 25).optional(),
                string("zip", 10).optional(),
                string("county", 40).optional(),
                string("country", 40).optional(),
                date("from_date"),
                date("to_date").optional(),
            ])
            .index(&["contact_id"]),
        Table::new("credit_profiles")
            .columns([
                key("report_id"),
                id("contact_id").references("contacts", "contact_id"),
                int("person_number"),
                string("bureau_code", 20),
                choice("pull_type", &["hard", "soft"]),
                string("purpose_code", 20),
                time("pulled_date"),
                id("pulled_by_user_id").references("users", "user_id"),
                int("score").optional(),
                string("score_model", 30).optional(),
                json("score_factors"),
                int("tradeline_count"),
                int("inquiry_count"),
                int("public_record_count"),
                int("collection_count"),
                amount("open_balance"),
                amount("past_due_amount"),
                json("alerts"),
                date("expires_date").optional(),
            ])
            .index(&["contact_id"]),
    ]
}

fn fields() -> Vec<Table> {
    vec![
        Table::new("user_defined_fields")
            .columns([
                key("field_id"),
                choice(
                    "form",
                    &[
                        "loan_detail1",
                        "loan_detail2",
                        "contact_detail",
                        "contact_demographics",
                        "contact_financials",
                        "transaction_entry",
                        "batch_transaction",
                        "participant1_detail",
                        "participant2_detail",
                    ],
                ),
                string("field_name", 10),
                string("label", 50),
                choice(
                    "data_type",
                    &["text", "number", "money", "date", "flag", "pick_list", "document"],
                ),
                int("size").optional(),
                string("default_value", 100).optional(),
                json("pick_list"),
                flag("required_flag"),
                flag("hidden_flag"),
                flag("read_only_flag"),
                flag("web_visible_flag"),
                int("sequence"),
            ])
            .unique(&["form", "field_name"]),
        Table::new("user_defined_values")
            .columns([
                key("row_id"),
                id("field_id").references("user_defined_fields", "field_id"),
                id("record_id"),
                string("value", 255),
            ])
            .unique(&["field_id", "record_id"])
            .index(&["record_id"]),
    ]
}
