//! Paging: every list of the served document, walked in small pages while rows are added.

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::filled_tables::with_known_parameters;
use acceptance::test_seed::test_seed;
use acceptance::{TestResponse, World, on_each_database};
use reqwest::Method;
use sea_orm::{EntityTrait, IdenStatic, Iterable};
use serde_json::Value;
use shared::entity::json_names::json_name;
use shared::entity::*;

/// Rows in each list when the walk begins.
const ROWS: usize = 5;
/// Rows per page.
const LIMIT: usize = 2;
/// Number of pages after which a row is added.
const ADDED: u32 = 3;
/// New rows of the first list are numbered from here, those of the second from twice this, and so
/// on.
const LIST: u32 = 10;

/// Adds rows to lists, as copies of existing ones.
struct RowAdder<'a> {
    world: &'a World,
    rows: &'a FilledRows,
    number: u32,
}

impl RowAdder<'_> {
    /// The SQL statement that copies the first row that meets a condition, with these columns
    /// changed.
    fn copy<E: EntityTrait>(&self, condition: &str, changed: &[(&str, String)]) -> String {
        let table = E::default().table_name().to_owned();
        let key = <E::PrimaryKey as Iterable>::iter().next().expect("a key").as_str().to_owned();
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for column in <E::Column as Iterable>::iter() {
            let name = column.as_str();
            // Some column names are reserved words.
            let quoted = match self.world.database.name() {
                "mysql" => format!("`{name}`"),
                _ => format!("\"{name}\""),
            };
            match changed.iter().find(|(column, _)| *column == name) {
                Some((_, value)) => values.push(value.clone()),
                None if name == key => continue,
                None => values.push(quoted.clone()),
            }
            columns.push(quoted);
        }
        let (columns, values) = (columns.join(", "), values.join(", "));
        let first = format!("SELECT MIN({key}) FROM {table} WHERE {condition}");
        format!(
            "INSERT INTO {table} ({columns}) SELECT {values} FROM {table} WHERE {key} = ({first})"
        )
    }

    /// The SQL statement that copies a row of a list, with these columns changed.
    fn repeat<E: EntityTrait>(&self, row: &Value, changed: &[(&str, String)]) -> String {
        let key = <E::PrimaryKey as Iterable>::iter().next().expect("a key").as_str().to_owned();
        let value = match &row[json_name(&key)] {
            Value::String(text) => format!("'{text}'"),
            number => number.to_string(),
        };
        self.copy::<E>(&format!("{key} = {value}"), changed)
    }

    /// The SQL statement that copies a row with a new name in this column, sorted before or after
    /// the existing ones.
    fn named<E: EntityTrait>(&self, row: &Value, column: &str) -> String {
        let side = if self.number.is_multiple_of(2) { "~" } else { "!" };
        self.repeat::<E>(row, &[(column, format!("'{side}{}'", self.number))])
    }

    /// Adds a row to the list that contains this one.
    async fn add_row(&self, schema: &str, row: &Value) {
        let statement = (self.on_records(schema, row)).or_else(|| self.of_setup(schema, row));
        let statement = statement.unwrap_or_else(|| panic!("nothing is added to {schema}s"));
        self.world.sql(&statement).await;
        if schema == "Collateral" {
            let newest = ("collateral_id", "(SELECT MAX(collateral_id) FROM collaterals)".into());
            let loan = format!("loan_id = {}", self.rows.loan_id);
            self.world.sql(&self.copy::<loan_collaterals::Entity>(&loan, &[newest])).await;
        }
    }

    fn on_records(&self, schema: &str, row: &Value) -> Option<String> {
        Some(match schema {
            "LoanTransaction" | "Draw" => self.repeat::<loan_transactions::Entity>(row, &[]),
            // After the others, whose due dates are all before it.
            "PaymentDue" => self.copy::<payments_due::Entity>(
                &format!("loan_id = {}", self.rows.loan_id),
                &[("due_date", format!("'2001-01-{:02}'", self.number % LIST))],
            ),
            "LoanSummary" => self.named::<loans::Entity>(row, "loan_number"),
            "ContactSummary" => self.named::<contacts::Entity>(row, "contact_number"),
            "RecurringTransaction" => self.repeat::<recurring_transactions::Entity>(row, &[]),
            "FieldChange" => self.repeat::<field_changes::Entity>(row, &[]),
            "CreditLine" => self.repeat::<credit_lines::Entity>(row, &[]),
            "Collateral" => self.repeat::<collaterals::Entity>(row, &[]),
            "InsurancePolicy" => self.repeat::<collateral_insurance_policies::Entity>(row, &[]),
            "CollateralTax" => self.repeat::<collateral_taxes::Entity>(row, &[]),
            "CreditCard" => self.repeat::<payment_gateway_tokens::Entity>(row, &[]),
            "Comment" => self.repeat::<comments::Entity>(row, &[]),
            "AutomatedPayment" => self.repeat::<automated_payments::Entity>(row, &[]),
            "CreditProfile" => self.repeat::<credit_profiles::Entity>(row, &[]),
            "LoanCardPayment" => self.repeat::<gateway_payments::Entity>(row, &[]),
            "LoanContact" => self.link(&format!("loan_id = {}", self.rows.loan_id)),
            "ContactLoan" => self.link(&format!("contact_id = {}", self.rows.contact_id)),
            "Document" => self.repeat::<documents::Entity>(row, &[]),
            "DocumentFile" => self.named::<document_files::Entity>(row, "object_key"),
            "CashDrawer" => self.named::<cash_drawers::Entity>(row, "name"),
            "DrawerActiveUser" => self.repeat::<cash_drawer_sessions::Entity>(row, &[]),
            "DrawerAssignedUser" => {
                let free = format!(
                    "(SELECT MIN(user_id) FROM users WHERE user_id NOT IN (SELECT user_id FROM \
                     cash_drawer_assignments WHERE drawer_id = {}))",
                    self.rows.drawer_id
                );
                self.repeat::<cash_drawer_assignments::Entity>(row, &[("user_id", free)])
            }
            "Reconciliation" => self.repeat::<cash_drawer_reconciliations::Entity>(row, &[]),
            "DrawerTransaction" => self.repeat::<cash_drawer_transactions::Entity>(row, &[]),
            _ => return None,
        })
    }

    /// The SQL statement that repeats the first of these links of a contact to a loan in another
    /// relationship.
    fn link(&self, condition: &str) -> String {
        let relationship = ("relationship_code", format!("'R{}'", self.number));
        self.copy::<loan_contacts::Entity>(condition, &[relationship])
    }

    fn of_setup(&self, schema: &str, row: &Value) -> Option<String> {
        Some(match schema {
            "User" | "Officer" => self.named::<users::Entity>(row, "user_name"),
            "UserPrivilege" => format!(
                "INSERT INTO privilege_grants (privilege_id, user_id) VALUES ({}, {})",
                self.number % LIST,
                self.rows.user_id
            ),
            "FieldDefinition" | "FieldValue" => {
                self.named::<user_defined_fields::Entity>(row, "field_name")
            }
            "TransactionCode" => {
                let code = (10_000 + self.number).to_string();
                self.repeat::<transaction_codes::Entity>(row, &[("transaction_code", code)])
            }
            "CommentCategory" => self.named::<comment_categories::Entity>(row, "code"),
            "Privilege" => self.named::<privileges::Entity>(row, "path"),
            "LoanGroup" => self.named::<loan_groups::Entity>(row, "code"),
            "PaymentMethod" => self.named::<payment_methods::Entity>(row, "payment_method_code"),
            "Portfolio" => self.named::<portfolios::Entity>(row, "code"),
            "LoanStatusCode" => self.named::<loan_status_codes::Entity>(row, "code"),
            "RiskRating" => self.named::<risk_ratings::Entity>(row, "code"),
            "InterestPlan" => self.named::<interest_plans::Entity>(row, "name"),
            "Entity" => self.named::<entities::Entity>(row, "entity_code"),
            "RelationshipCode" => {
                self.named::<relationship_codes::Entity>(row, "relationship_code")
            }
            "ContactType" => self.named::<contact_types::Entity>(row, "code"),
            _ => return None,
        })
    }
}

/// A list to walk.
struct PagedList<'a> {
    id: &'a str,
    path: &'a str,
    /// The name of its rows' schema in the document.
    schema: &'a str,
    /// One of them.
    row: &'a Value,
    /// Its number among the lists.
    number: u32,
}

/// Walks a list in small pages; after the first pages a row is added.
async fn walk(world: &World, token: &str, rows: &FilledRows, list: &PagedList<'_>) -> Vec<Value> {
    let PagedList { id, path, schema, row, number } = list;
    let parameters = [("includeUnused", "true"), ("limit", &LIMIT.to_string())];
    let first = with_known_parameters(&Method::GET, path, &parameters);
    let mut next = first.clone();
    let mut seen = Vec::new();
    for page in 1..100 {
        let response = world.client.get(token, &next).await.expect(200);
        let page_rows = response.json().as_array().expect("rows").clone();
        assert!(
            !page_rows.is_empty() && page_rows.len() <= LIMIT,
            "{id}: {} rows",
            page_rows.len()
        );
        seen.extend(page_rows);
        let link = response.header("link");
        if link.is_empty() {
            return seen;
        }
        let next_path =
            link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
        next = next_path.unwrap_or_else(|| panic!("{id}: {link}")).to_owned();
        let expected = format!("{first}&after=");
        assert!(next.starts_with(&expected), "{id}: {next} is not relative, or loses parameters");
        if page <= ADDED {
            RowAdder { world, rows, number: number * LIST + page }.add_row(schema, row).await;
        }
    }
    panic!("{id} does not end");
}

#[tokio::test]
async fn paging_through_every_list_yields_each_row_once_while_rows_are_added() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, ROWS).await;
        let mut checked_lists = 0;
        let document = world.client.get("", "/openapi.json").await.expect(200).json();
        for (template, operations) in document["paths"].as_object().expect("paths") {
            let read = &operations["get"];
            let id = read["operationId"].as_str().unwrap_or_default();
            if !id.starts_with("list_") {
                continue;
            }
            let path = rows.path(template).split('?').next().expect("a path").to_owned();
            let all = [("limit", "1000"), ("includeUnused", "true")];
            let unpaged_path = with_known_parameters(&Method::GET, &path, &all);
            let all = world.client.get(&admin, &unpaged_path).await.expect(200);
            assert_eq!(all.header("link"), "", "{id}: there is no other page");
            let all = all.json().as_array().expect("rows").clone();
            assert!(all.len() >= ROWS, "{id} has {} rows", all.len());
            checked_lists += 1;
            let schema = &read["responses"]["200"]["content"]["application/json"]["schema"];
            let schema = schema["items"]["$ref"].as_str().expect("a schema");
            let schema = schema.rsplit('/').next().expect("a name");
            let row = all.last().expect("a row");
            let list = PagedList { id, path: &path, schema, row, number: checked_lists };
            let seen = walk(&world, &admin, &rows, &list).await;
            let mut distinct = seen.clone();
            distinct.sort_by_key(Value::to_string);
            distinct.dedup();
            assert_eq!(distinct.len(), seen.len(), "{id} gave a row twice");
            let old: Vec<_> = seen.iter().filter(|row| all.contains(row)).cloned().collect();
            assert_eq!(old, all, "{id}");
            let now = world.client.get(&admin, &unpaged_path).await.expect(200);
            assert!(now.json().as_array().is_some_and(|now| now.len() > all.len()), "{id}");
        }
        assert!(checked_lists > 40, "only {checked_lists} lists");
        world
    })
    .await;
}

/// Transactions are ordered by effective date, so rows are also added in the middle.
#[tokio::test]
async fn paging_through_transactions_yields_each_row_once_at_any_limit() {
    let seed = test_seed();
    on_each_database(PROGRAM, |world| async move {
        let mut rng = fastrand::Rng::with_seed(seed);
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for number in 0..60 {
            RowAdder { world: &world, rows: &rows, number }.transaction(&mut rng).await;
        }
        let limits = [1, 2, 3, 7, rng.usize(4..60), 1000];
        let orders = ["effectiveDate", "-effectiveDate"];
        for (limit, order) in limits.iter().flat_map(|limit| orders.map(|order| (*limit, order))) {
            let path = format!("/loans/{}/transactions?order={order}", rows.loan_id);
            let before = keys(&world.client.get(&admin, &format!("{path}&limit=1000")).await);
            let mut next = format!("{path}&limit={limit}");
            let mut seen = Vec::new();
            while !next.is_empty() {
                let response = world.client.get(&admin, &next).await.expect(200);
                let page = keys(&response);
                assert!(page.len() <= limit, "{} rows", page.len());
                seen.extend(page);
                let link = response.header("link").strip_prefix('<').map(str::to_owned);
                next = link
                    .and_then(|link| Some(link.split_once('>')?.0.to_owned()))
                    .unwrap_or_default();
                if rng.u8(..) < 60 {
                    let number = 0;
                    RowAdder { world: &world, rows: &rows, number }.transaction(&mut rng).await;
                }
            }
            let descends = order.starts_with('-');
            let in_order = seen.is_sorted_by(|a, b| if descends { a > b } else { a < b });
            assert!(in_order, "{order}, limit {limit}: {seen:?}");
            let missing = before.iter().find(|key| !seen.contains(key));
            assert_eq!(missing, None, "{order}, limit {limit}");
        }
        world
    })
    .await;
}

impl RowAdder<'_> {
    /// Adds a transaction dated on one of a few days.
    async fn transaction(&self, rng: &mut fastrand::Rng) {
        let day = format!("'2024-02-{:02}'", rng.u8(1..=9));
        let loan = format!("loan_id = {}", self.rows.loan_id);
        let changed = [("effective_date", day)];
        self.world.sql(&self.copy::<loan_transactions::Entity>(&loan, &changed)).await;
    }
}

/// The sort keys of each transaction in an answer.
fn keys(response: &TestResponse) -> Vec<(String, i64)> {
    let rows = response.json();
    let key = |row: &Value| {
        let date = row["Effective_Date"].as_str().expect("a date").to_owned();
        (date, row["Transaction_ID"].as_i64().expect("an id"))
    };
    rows.as_array().expect("rows").iter().map(key).collect()
}

/// Descriptions of documents have at most 64 KiB, so a page has room for somewhat more than a
/// hundred.
#[tokio::test]
async fn a_page_ends_at_eight_mebibytes_and_the_next_one_continues() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let long = match world.database.name() {
            "sqlite" => "printf('%065000d', 0)",
            _ => "REPEAT('0', 65000)",
        };
        let adding = RowAdder { world: &world, rows: &rows, number: 0 };
        let of_comment = "owner_type = 'loan_comment'";
        let copy =
            adding.copy::<documents::Entity>(of_comment, &[("description", long.to_owned())]);
        for _ in 0..150 {
            world.sql(&copy).await;
        }
        let [comment_id, ..] = rows.comment_ids;
        let mut next = format!("/loans/comments/{comment_id}/documents?limit=1000");
        let (mut pages, mut seen) = (Vec::new(), Vec::new());
        while !next.is_empty() {
            let response = world.client.get(&admin, &next).await.expect(200);
            assert!(response.text.len() <= 8 << 20, "{} bytes", response.text.len());
            seen.extend(response.column("Document_ID"));
            pages.push(response.text.len());
            let link =
                response.header("link").strip_prefix('<').and_then(|link| link.split_once('>'));
            next = link.map(|(path, _)| path.to_owned()).unwrap_or_default();
        }
        assert_eq!(pages.len(), 2, "{pages:?}");
        assert!(pages[0] > 7 << 20, "{pages:?}");
        let ids = format!("SELECT COUNT(*) FROM documents WHERE {of_comment}");
        assert_eq!(seen.len() as i64, world.count(&ids).await);
        assert!(seen.is_sorted_by_key(|id| id.as_i64()), "{seen:?}");
        world
    })
    .await;
}
