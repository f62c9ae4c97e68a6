//! Rows in every table that the API reads, as many of each as a test wants, for one loan, one
//! contact, one collateral item and one drawer.

use crate::seeds::{OPEN_TERMS, borrower_with_loan, file};
use crate::world::World;
use api_server::router::operations;
use reqwest::Method;
use serde_json::Value;

/// The rows created, by the ids that appear in paths.
#[derive(Clone, Copy, Debug)]
pub struct FilledRows {
    /// How many of each.
    pub count: usize,
    /// The loan that has this many of everything.
    pub loan_id: i64,
    /// Its borrower, who has this many of everything.
    pub contact_id: i64,
    /// An automated payment of the loan.
    pub automated_payment_id: i64,
    /// A credit line of the loan, with this many draws.
    pub creditline_id: i64,
    /// Collateral that secures this many loans.
    pub collateral_id: i64,
    /// The first comments with this many documents each: on a loan, a contact, collateral.
    pub comment_ids: [i64; 3],
    /// A credit profile.
    pub report_id: i64,
    /// A document of a field, with this many files.
    pub document_id: i64,
    /// One of its files, of one byte.
    pub file_id: i64,
    /// A card.
    pub token_id: i64,
    /// A drawer with this many of everything.
    pub drawer_id: i64,
    /// A user with this many groups and grants.
    pub user_id: i64,
}

/// The Transaction_Reference_No of the loan's transactions.
const TRANSACTION_REFERENCE: i64 = 1;
/// The field that has documents, on each of these forms.
const DOCUMENT_FIELD: &str = "userdef80";
const SHA256_OF_B: &str = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d";
const DOCUMENT_FORMS: [&str; 5] = [
    "loan_detail1",
    "loan_detail2",
    "contact_detail",
    "contact_demographics",
    "contact_financials",
];

impl World {
    /// Creates this many rows of everything. `series` distinguishes them from those of another
    /// call.
    pub async fn rows(&self, admin: &str, series: u32, count: usize) -> FilledRows {
        let numbers = (1..=count as u32).map(|number| series * 1000 + number);
        let records: String =
            numbers.map(|number| borrower_with_loan(number, OPEN_TERMS)).collect();
        let result = self.import(admin, &file(&records)).await;
        let ids = |element: &str| -> Vec<i64> {
            let records = result["Records"].as_array().expect("records");
            let of_kind = records.iter().filter(|record| record["Element"] == element);
            of_kind.map(|record| record["New_ID"].as_i64().expect("an id")).collect()
        };
        let maker = RowMaker { world: self, series, count };
        let (loan_ids, contact_id) = (ids("Loan"), ids("Contact")[0]);
        let loan_id = loan_ids[0];
        let user_id = maker.users().await;
        let (creditline_id, automated_payment_id) = maker.rows_of_loan(loan_id).await;
        let collateral_id = maker.collateral(&loan_ids).await;
        let comment_ids = maker.comments([loan_id, contact_id, collateral_id], user_id).await;
        let (report_id, document_id, file_id) =
            maker.rows_of_contact(loan_id, contact_id, user_id).await;
        let token_id = maker.cards(loan_id, contact_id).await;
        maker.links(&loan_ids, &ids("Contact")).await;
        maker.setup().await;
        maker.batches(&loan_ids).await;
        FilledRows {
            count,
            loan_id,
            contact_id,
            automated_payment_id,
            creditline_id,
            collateral_id,
            comment_ids,
            report_id,
            document_id,
            file_id,
            token_id,
            drawer_id: maker.drawers(user_id).await,
            user_id,
        }
    }
}

impl FilledRows {
    /// The path of a read operation that leads to these rows, from its path in the document. Lists
    /// are requested in full.
    pub fn path(&self, template: &str) -> String {
        let [loan_comment, contact_comment, collateral_comment] = self.comment_ids;
        let comment_id = match template {
            _ if template.starts_with("/loans/comments") => loan_comment,
            _ if template.starts_with("/contacts/comments") => contact_comment,
            _ => collateral_comment,
        };
        let row_id = match template.contains("automated-payments") {
            true => self.automated_payment_id,
            false => self.document_id,
        };
        let ids = [
            ("{loan_id}", self.loan_id),
            ("{transaction_id}", TRANSACTION_REFERENCE),
            ("{contact_id}", self.contact_id),
            ("{row_id}", row_id),
            ("{file_id}", self.file_id),
            ("{creditline_id}", self.creditline_id),
            ("{collateral_id}", self.collateral_id),
            ("{comment_id}", comment_id),
            ("{report_id}", self.report_id),
            ("{token_id}", self.token_id),
            ("{drawer_id}", self.drawer_id),
            ("{user_id}", self.user_id),
        ];
        let path = template.replace("{field}", DOCUMENT_FIELD);
        let fill = |path: String, (name, id): (&str, i64)| path.replace(name, &id.to_string());
        // The fee operation requires an amount. Balances of a past day take the most statements.
        let all = [("limit", "1000"), ("amount", "10.00"), ("date", "2024-02-01")];
        with_known_parameters(&Method::GET, &ids.into_iter().fold(path, fill), &all)
    }

    /// True unless the answer is a list of fewer rows than were created.
    pub fn all_are_in(&self, response: &Value) -> bool {
        response.as_array().is_none_or(|rows| rows.len() >= self.count)
    }
}

/// Adds those of the parameters to a path that its operation has.
pub fn with_known_parameters(method: &Method, path: &str, parameters: &[(&str, &str)]) -> String {
    let Some(operation) = operations().find(method, path) else { return path.to_owned() };
    let applicable = parameters.iter().filter(|(name, _)| operation.is_parameter(name));
    let applicable: Vec<_> = applicable.map(|(name, value)| format!("{name}={value}")).collect();
    if applicable.is_empty() { path.to_owned() } else { format!("{path}?{}", applicable.join("&")) }
}

struct RowMaker<'a> {
    world: &'a World,
    series: u32,
    count: usize,
}

impl RowMaker<'_> {
    /// Inserts this many rows into a table; `row` builds the values of one from its number.
    async fn insert_many(
        &self,
        table: &str,
        key: &str,
        columns: &str,
        row: impl Fn(usize) -> String,
    ) -> Vec<i64> {
        self.world.insert(table, key, columns, (1..=self.count).map(row)).await
    }

    /// A unique name of at most 25 characters.
    fn name(&self, number: usize) -> String {
        format!("'S{}-{number}'", self.series)
    }

    /// Officers, each a member of every group, with as many grants.
    async fn users(&self) -> i64 {
        let columns = "user_name, full_name, status, admin_flag, dba_flag, loan_officer_flag, \
                       collection_officer_flag, contact_officer_flag, created_date";
        let row = |n| {
            format!("{}, 'Some One', 'active', false, false, true, true, true, NOW", self.name(n))
        };
        let users = self.insert_many("users", "user_id", columns, row).await;
        let groups = self.insert_many("user_groups", "group_id", "name", |n| self.name(n)).await;
        let user = users[0];
        let member = |group: &i64| format!("{group}, {user}");
        let members = groups.iter().map(member);
        self.world.insert("group_members", "row_id", "group_id, user_id", members).await;
        let granted = groups.iter().map(|group| format!("1, {group}"));
        let columns = "privilege_id, group_id";
        self.world.insert("privilege_grants", "grant_id", columns, granted).await;
        user
    }

    async fn rows_of_loan(&self, loan_id: i64) -> (i64, i64) {
        let columns = "loan_id, payment_number, due_date, interest_due, principal_due, \
                       interest_paid, principal_paid";
        let day = |n: usize| format!("'2000-{:02}-{:02}'", n / 28 + 1, n % 28 + 1);
        let due = |n| format!("{loan_id}, {n}, {}, 10000, 10000, 0, 0", day(n));
        self.insert_many("payments_due", "row_id", columns, due).await;
        let columns = "loan_id, description, active_flag, event_type, event_start_date, \
                       start_date_day_value, event_period, event_number_of_periods, event_count, \
                       transaction_code, amount_type, transaction_amount";
        let recurring = |_| {
            format!(
                "{loan_id}, 'Fee', true, 'periodic', '2024-01-01', 0, 'monthly', 1, 0, 142, \
                 'fixed', 50000"
            )
        };
        self.insert_many("recurring_transactions", "row_id", columns, recurring).await;
        let columns = "loan_id, description, payment_type, status, bank_account_number, \
                       amount_type, debit_or_credit, billing_type, billing_period, start_date, \
                       temp_grace_period";
        let drawn = |_| {
            format!(
                "{loan_id}, 'ACH', 'ach', 'active', '12345678901', 'billing', 'debit', 'billing', \
                 'monthly', '2024-01-01', 0"
            )
        };
        let automated = self.insert_many("automated_payments", "row_id", columns, drawn).await;
        let columns = "loan_id, name, transaction_code, credit_line_limit, draw_until_type, \
                       draw_count, draw_total";
        let line = |n| format!("{loan_id}, 'Line {n}', 0, 1000000, 'none', 0, 0");
        let lines = self.insert_many("credit_lines", "creditline_id", columns, line).await;
        let columns = "loan_id, transaction_reference_no, transaction_code, \
                       transaction_description, transaction_date, effective_date, gl_date, \
                       transaction_amount, creditline_id, entered_by_user_id, reversed_flag, \
                       nsf_flag";
        let drawn = |_| {
            format!(
                "{loan_id}, {TRANSACTION_REFERENCE}, 110, 'Draw', NOW, '2024-01-01', '2024-01-01', 10000, {}, 1, false, \
                 false",
                lines[0]
            )
        };
        self.insert_many("loan_transactions", "transaction_id", columns, drawn).await;
        self.history("loan", loan_id, "Loan > Records").await;
        (lines[0], automated[0])
    }

    /// Inserts changes into the history of a loan or contact.
    async fn history(&self, owner: &str, owner_id: i64, privilege_path: &str) {
        let columns = format!(
            "{owner}_id, table_name, record_id, field_name, field_label, new_value, \
             modified_by_name, modified_date, source, request_id, privilege_path"
        );
        let change = |n| {
            format!(
                "{owner_id}, '{owner}s', {owner_id}, 'City', 'City', '{n}', 'admin', NOW, 'api', \
                 'r', '{privilege_path}'"
            )
        };
        self.insert_many("field_changes", "row_id", &columns, change).await;
    }

    /// Collateral that secures all loans, and more that secures the first one.
    async fn collateral(&self, loan_ids: &[i64]) -> i64 {
        let columns =
            "collateral_code, number_of_units, price_per_unit, percentage_value, net_value";
        let row = |_| "'AUTO', 1, 10000, 100000000, 10000".to_owned();
        let collaterals = self.insert_many("collaterals", "collateral_id", columns, row).await;
        let id = collaterals[0];
        let secured = loan_ids.iter().map(|loan| format!("{loan}, {id}"));
        let others = collaterals.iter().skip(1).map(|other| format!("{}, {other}", loan_ids[0]));
        let columns = "loan_id, collateral_id";
        self.world.insert("loan_collaterals", "row_id", columns, secured.chain(others)).await;
        let single = [
            (
                "collateral_vehicles",
                "collateral_id, title_type, title_status, branded_title",
                format!("{id}, 'paper', 'perfected', 'none'"),
            ),
            ("collateral_locations", "collateral_id, city", format!("{id}, 'Newark'")),
            (
                "collateral_descriptions",
                "collateral_id, description, modified_by_user_id, modified_date",
                format!("{id}, 'Red', 1, NOW"),
            ),
        ];
        for (table, columns, row) in single {
            self.world.insert(table, "collateral_id", columns, [row]).await;
        }
        let columns = "collateral_id, company, policy_number, coverage_type, loss_payee_flag, \
                       force_placed_flag, status";
        let policy = |n| format!("{id}, 'Insurer', 'P-{n}', 'hazard', true, false, 'active'");
        self.insert_many("collateral_insurance_policies", "row_id", columns, policy).await;
        let columns = "collateral_id, authority, tax_year, tax_amount, due_date, delinquent_flag";
        let tax = |_| format!("{id}, 'County', 2024, 10000, '2024-12-31', false");
        self.insert_many("collateral_taxes", "row_id", columns, tax).await;
        id
    }

    /// Links the first loan to the other loans' borrowers, and its borrower to the other loans.
    async fn links(&self, loan_ids: &[i64], contact_ids: &[i64]) {
        let others = loan_ids.iter().zip(contact_ids).skip(1);
        let links = others.flat_map(|(loan_id, contact_id)| {
            [(loan_ids[0], *contact_id), (*loan_id, contact_ids[0])]
        });
        let links = links
            .map(|(loan_id, contact_id)| format!("{loan_id}, {contact_id}, 'GUARANTOR', false"));
        let columns = "loan_id, contact_id, relationship_code, web_access_flag";
        self.world.insert("loan_contacts", "row_id", columns, links.collect::<Vec<_>>()).await;
    }

    /// Comments of each kind, the first with documents of two files each.
    async fn comments(&self, parents: [i64; 3], user_id: i64) -> [i64; 3] {
        let mut comments = [0; 3];
        let kinds = ["loan", "contact", "collateral"];
        for (index, (kind, parent)) in kinds.into_iter().zip(parents).enumerate() {
            let columns = format!(
                "{kind}_id, comment_category_id, comment, priority, pinned_flag, \
                 entered_by_user_id, entered_date"
            );
            let row = |_| format!("{parent}, 1, 'Words', 'normal', false, {user_id}, NOW");
            let created = self.insert_many("comments", "comment_id", &columns, row).await;
            comments[index] = created[0];
            self.documents(&format!("{kind}_comment"), created[0], "NULL", 2).await;
        }
        comments
    }

    /// Documents of an owner, with this many files each.
    async fn documents(&self, owner: &str, owner_id: i64, field: &str, files: usize) -> Vec<i64> {
        let columns = "owner_type, owner_id, field_name, name, created_by_user_id, created_date";
        let row = |n| format!("'{owner}', {owner_id}, {field}, 'Document {n}', 1, NOW");
        let documents = self.insert_many("documents", "document_id", columns, row).await;
        let columns = "document_id, file_name, content_type, size_bytes, sha256, object_key, \
                       uploaded_by_user_id, uploaded_date";
        let file = |document: &i64| {
            let document = *document;
            (0..files).map(move |n| {
                format!("{document}, 'a.txt', 'text/plain', 1, 'ab', 'k{document}-{n}', 1, NOW")
            })
        };
        let rows: Vec<String> = documents.iter().flat_map(file).collect();
        self.world.insert("document_files", "file_id", columns, rows).await;
        documents
    }

    async fn rows_of_contact(
        &self,
        loan_id: i64,
        contact_id: i64,
        user_id: i64,
    ) -> (i64, i64, i64) {
        let columns = "contact_id, person_number, bureau_code, pull_type, purpose_code, \
                       pulled_date, pulled_by_user_id, score_factors, tradeline_count, \
                       inquiry_count, public_record_count, collection_count, open_balance, \
                       past_due_amount, alerts";
        let report = |_| {
            format!(
                "{contact_id}, 1, 'BUREAU', 'soft', 'REVIEW', NOW, {user_id}, '[\"Utilization\"]', \
                 1, 1, 0, 0, 10000, 0, '[]'"
            )
        };
        let reports = self.insert_many("credit_profiles", "report_id", columns, report).await;
        let columns = "form, field_name, label, data_type, pick_list, required_flag, hidden_flag, \
                       read_only_flag, web_visible_flag, sequence";
        let mut rows = Vec::new();
        for form in [
            "contact_detail",
            "transaction_entry",
            "batch_transaction",
            "participant1_detail",
            "participant2_detail",
        ] {
            rows.extend((1..=self.count).map(|n| {
                let name = format!("u{}-{n}", self.series);
                format!("'{form}', '{name}', 'Field', 'text', '[]', false, false, false, true, {n}")
            }));
        }
        let fields = self.world.insert("user_defined_fields", "field_id", columns, rows).await;
        let values = fields.iter().take(self.count);
        let values = values.map(|field| format!("{field}, {contact_id}, 'Value'"));
        let value = "field_id, record_id, value";
        self.world.insert("user_defined_values", "row_id", value, values).await;
        self.history("contact", contact_id, "Contact > Records").await;
        let mut document = 0;
        let field = DOCUMENT_FIELD;
        for form in DOCUMENT_FORMS {
            let defined_count = format!(
                "SELECT COUNT(*) FROM user_defined_fields WHERE form = '{form}' AND \
                 field_name = '{field}'"
            );
            if self.world.count(&defined_count).await == 0 {
                let row = format!(
                    "'{form}', '{field}', 'Papers', 'document', '[]', false, false, false, false, 1"
                );
                self.world.insert("user_defined_fields", "field_id", columns, [row]).await;
            }
            let owner_id = if form.starts_with("loan") { loan_id } else { contact_id };
            let created =
                self.documents(form, owner_id, &format!("'{field}'"), self.count.min(3)).await;
            document = created[0];
        }
        let columns = "document_id, file_name, content_type, size_bytes, sha256, object_key, \
                       uploaded_by_user_id, uploaded_date";
        let key = |n| format!("m{document}-{n}");
        let file = |n| {
            let key = key(n);
            format!("{document}, 'b.txt', 'text/plain', 1, '{SHA256_OF_B}', '{key}', 1, NOW")
        };
        let files = self.insert_many("document_files", "file_id", columns, file).await;
        let store = self.world.documents();
        for n in 1..=self.count {
            store.put(&key(n), "b".into()).await.expect("an object");
        }
        (reports[0], document, files[0])
    }

    async fn cards(&self, loan_id: i64, contact_id: i64) -> i64 {
        let columns = "brand_type, entry_type, forget_flag, contact_id, loan_id, last_four, \
                       expiry_month, expiry_year, gateway, created_date, used_count";
        let card = |_| {
            format!(
                "'visa', 'wallet', false, {contact_id}, {loan_id}, '4242', 12, 2099, 'sandbox', \
                 NOW, 1"
            )
        };
        let key = "payment_gateway_token_id";
        let cards = self.insert_many("payment_gateway_tokens", key, columns, card).await;
        let columns = "loan_id, payment_gateway_token_id, state, amount, convenience_fee, \
                       total_charged, created_date, entered_by_user_id, request, request_id";
        let token = cards[0];
        let payment =
            |_| format!("{loan_id}, {token}, 'failed', 10000, 0, 10000, NOW, 1, '{{}}', 'r'");
        self.insert_many("gateway_payments", "card_payment_id", columns, payment).await;
        let columns = "flat_amount, percentage, active_flag";
        let rule = |_| "10000, 100000000, true".to_owned();
        self.insert_many("convenience_fee_rules", "rule_id", columns, rule).await;
        cards[0]
    }

    async fn drawers(&self, user_id: i64) -> i64 {
        let columns = "name, drawer_type, status, cash_balance, check_balance";
        let drawer = |n| format!("{}, 'individual', 'open', 0, 0", self.name(n));
        let id = self.insert_many("cash_drawers", "drawer_id", columns, drawer).await[0];
        let first = user_id - 1;
        let columns = "drawer_id, user_id, assigned_date, assigned_by_user_id";
        let assigned = |n| format!("{id}, {}, NOW, 1", first + n as i64);
        self.insert_many("cash_drawer_assignments", "row_id", columns, assigned).await;
        let columns = "drawer_id, user_id, opened_date, opening_cash_balance";
        let session = |n| format!("{id}, {}, NOW, 0", first + n as i64);
        self.insert_many("cash_drawer_sessions", "row_id", columns, session).await;
        let columns = "drawer_id, user_id, reconciled_date, expected_cash, counted_cash, \
                       expected_check, counted_check, over_short_cash, over_short_check, \
                       denominations, status";
        let count = |_| {
            format!(
                "{id}, {user_id}, NOW, 0, 0, 0, 0, 0, 0, '[{{\"Value\":\"20.00\",\"Count\":1}}]', \
                 'balanced'"
            )
        };
        self.insert_many("cash_drawer_reconciliations", "reconciliation_id", columns, count).await;
        let columns = "drawer_id, transaction_type, tender, amount, resulting_balance, user_id, \
                       transaction_date";
        let transaction = |_| format!("{id}, 'bank_in', 'cash', 10000, 10000, {user_id}, NOW");
        self.insert_many("cash_drawer_transactions", "drawer_transaction_id", columns, transaction)
            .await;
        id
    }

    async fn setup(&self) {
        let named = |rest: &'static str| move |name: String| format!("{name}, 'Text', true{rest}");
        let lists = [
            ("loan_groups", "loan_group_id", "code", "payment_gateway_flag", ", true"),
            ("portfolios", "portfolio_id", "code", "", ""),
            ("risk_ratings", "risk_rating_id", "code", "rank", ", 4"),
            ("contact_types", "contact_type_id", "code", "", ""),
            ("comment_categories", "comment_category_id", "code", "", ""),
            (
                "loan_status_codes",
                "status_code_id",
                "code",
                "closed_flag, stop_accrual_flag, stop_late_charge_flag, refuse_payments_flag",
                ", false, false, false, false",
            ),
            (
                "payment_methods",
                "payment_method_id",
                "payment_method_code",
                "cash_flag, check_flag, default_flag",
                ", false, false, false",
            ),
        ];
        for (table, key, code, extra_columns, rest) in lists {
            let extra_columns = if extra_columns.is_empty() {
                String::new()
            } else {
                format!(", {}", quoted(extra_columns, self.world))
            };
            let columns = format!("{code}, description, active_flag{extra_columns}");
            let row = named(rest);
            self.insert_many(table, key, &columns, |n| row(self.name(n))).await;
        }
        for n in 1..=self.count {
            let name = self.name(n);
            let sql = format!(
                "INSERT INTO entities (entity_code, description, active_flag, person_flag) \
                 VALUES ({name}, 'Text', true, true)"
            );
            self.world.sql(&sql).await;
            let sql = format!(
                "INSERT INTO relationship_codes (relationship_code, description, active_flag, \
                 applies_to, auto_prev_addr) VALUES ({name}, 'Text', true, 'loan', false)"
            );
            self.world.sql(&sql).await;
            let code = format!("{}{n:03}", self.series);
            let sql = format!(
                "INSERT INTO transaction_codes (transaction_code, description, sign, active_flag) \
                 VALUES ({code}, 'Text', 0, true)"
            );
            self.world.sql(&sql).await;
        }
        let privilege = |n| format!("{}, 'View'", self.name(n));
        self.insert_many("privileges", "privilege_id", "path, verb", privilege).await;
        let columns = "name, active_flag, interest_method, interest_year_numerator, \
                       interest_year_denominator, rate_type, starting_rate";
        let plan = |n| format!("{}, true, 'SI', '360', '360', 'fixed', 1000000000", self.name(n));
        self.insert_many("interest_plans", "interest_plan_id", columns, plan).await;
    }

    /// A run of each batch program that failed on these loans.
    async fn batches(&self, loan_ids: &[i64]) {
        for kind in ["ach", "accrual"] {
            let columns = "kind, business_date, state, trigger_type, started_date, total, \
                           processed, succeeded, failed, skipped";
            let run = format!("'{kind}', '2024-01-02', 'partial', 'manual', NOW, 3, 3, 1, 2, 0");
            let run = self.world.insert("batch_runs", "batch_id", columns, [run]).await[0];
            let failure = |loan: &i64| format!("{run}, {loan}, 'no-account', 'No account'");
            let failures = loan_ids.iter().map(failure);
            let columns = "batch_id, loan_id, code, message";
            self.world.insert("batch_failures", "row_id", columns, failures).await;
        }
    }
}

/// Quotes `rank`, a reserved word in MariaDB.
fn quoted(columns: &str, world: &World) -> String {
    match (columns, world.database.name()) {
        ("rank", "mysql") => "`rank`".to_owned(),
        _ => columns.to_owned(),
    }
}
