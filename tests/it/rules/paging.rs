//! Paging: every list of the served document, walked in small pages while rows are added.

use crate::PROGRAM;
use acceptance::rows::Rows;
use acceptance::rows::with_known;
use acceptance::test_seed::test_seed;
use acceptance::{Answer, World, on_each_database};
use reqwest::Method;
use sea_orm::{EntityTrait, IdenStatic, Iterable};
use serde_json::Value;
use shared::entity::*;

/// Rows of each list when the walk begins.
const ROWS: usize = 5;
/// Rows of a page.
const LIMIT: usize = 2;
/// Pages after which a row is added.
const ADDED: u32 = 3;

/// A row that is to be added to a list, as a copy of one that is there.
struct Adding<'a> {
    world: &'a World,
    rows: &'a Rows,
    number: u32,
}

impl Adding<'_> {
    /// The statement that copies the first row that meets a condition, with these columns changed.
    fn copy<E: EntityTrait>(&self, condition: &str, changed: &[(&str, String)]) -> String {
        let table = E::default().table_name().to_owned();
        let key = <E::PrimaryKey as Iterable>::iter().next().expect("a key").as_str().to_owned();
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for column in <E::Column as Iterable>::iter() {
            let name = column.as_str();
            // Some are words of a database's own.
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

    /// The same with a name of its own in this column, before those that are there or behind them.
    fn named<E: EntityTrait>(&self, condition: &str, column: &str) -> String {
        let side = if self.number.is_multiple_of(2) { "~" } else { "!" };
        self.copy::<E>(condition, &[(column, format!("'{side}{}'", self.number))])
    }

    /// Adds a row to the list of an operation.
    async fn to(&self, id: &str) {
        let statement = (self.of_loan(id).or_else(|| self.of_installation(id)))
            .or_else(|| self.of_setup(id))
            .or_else(|| self.of_documents(id));
        let statement = statement.unwrap_or_else(|| panic!("nothing is added to {id}"));
        self.world.sql(&statement).await;
        if id == "list_loan_collateral" {
            let newest = ("collateral_id", "(SELECT MAX(collateral_id) FROM collaterals)".into());
            let loan = format!("loan_id = {}", self.rows.loan_id);
            self.world.sql(&self.copy::<loan_collaterals::Entity>(&loan, &[newest])).await;
        }
    }

    fn of_loan(&self, id: &str) -> Option<String> {
        let loan = format!("loan_id = {}", self.rows.loan_id);
        let contact = format!("contact_id = {}", self.rows.contact_id);
        let collateral = format!("collateral_id = {}", self.rows.collateral_id);
        let line = format!("creditline_id = {}", self.rows.creditline_id);
        Some(match id {
            "list_transactions" => self.copy::<loan_transactions::Entity>(&loan, &[]),
            "list_draws" => self.copy::<loan_transactions::Entity>(&line, &[]),
            "list_recurring_transactions" => {
                self.copy::<recurring_transactions::Entity>(&loan, &[])
            }
            "list_loan_field_history" => self.copy::<field_changes::Entity>(&loan, &[]),
            "list_contact_field_history" => self.copy::<field_changes::Entity>(&contact, &[]),
            "list_credit_lines" => self.copy::<credit_lines::Entity>(&loan, &[]),
            "list_loan_collateral" => self.copy::<collaterals::Entity>(&collateral, &[]),
            "list_collateral_insurance" => {
                self.copy::<collateral_insurance_policies::Entity>(&collateral, &[])
            }
            "list_collateral_taxes" => self.copy::<collateral_taxes::Entity>(&collateral, &[]),
            "list_cards" => self.copy::<payment_gateway_tokens::Entity>(&contact, &[]),
            _ => return None,
        })
    }

    fn of_installation(&self, id: &str) -> Option<String> {
        let drawer = format!("drawer_id = {}", self.rows.drawer_id);
        let user = format!("user_id = {}", self.rows.user_id);
        Some(match id {
            "list_drawers" => self.named::<cash_drawers::Entity>(&drawer, "name"),
            "list_drawer_active_users" => self.copy::<cash_drawer_sessions::Entity>(&drawer, &[]),
            "list_drawer_assigned_users" => {
                let free = format!(
                    "(SELECT MIN(user_id) FROM users WHERE user_id NOT IN (SELECT user_id FROM \
                     cash_drawer_assignments WHERE {drawer}))"
                );
                self.copy::<cash_drawer_assignments::Entity>(&drawer, &[("user_id", free)])
            }
            "list_reconciliations" => {
                self.copy::<cash_drawer_reconciliations::Entity>(&drawer, &[])
            }
            "list_drawer_transactions" => {
                self.copy::<cash_drawer_transactions::Entity>(&drawer, &[])
            }
            "list_users" => self.named::<users::Entity>(&user, "user_name"),
            officers if officers.ends_with("_officers") => {
                let name = format!("'{officers}{}'", self.number);
                self.copy::<users::Entity>(&user, &[("user_name", name)])
            }
            "list_user_privileges" => format!(
                "INSERT INTO privilege_grants (privilege_id, user_id) VALUES ({}, {})",
                self.number, self.rows.user_id
            ),
            _ => return None,
        })
    }

    fn of_setup(&self, id: &str) -> Option<String> {
        let form = match id {
            "list_contact_detail" => Some("contact_detail"),
            "list_transaction_entry_fields" => Some("transaction_entry"),
            "list_batch_transaction_fields" => Some("batch_transaction"),
            "list_participant1_fields" => Some("participant1_detail"),
            "list_participant2_fields" => Some("participant2_detail"),
            _ => None,
        };
        if let Some(form) = form {
            let of_form = format!("form = '{form}'");
            return Some(self.named::<user_defined_fields::Entity>(&of_form, "field_name"));
        }
        let all = "active_flag";
        Some(match id {
            "list_loan_groups" => self.named::<loan_groups::Entity>(all, "code"),
            "list_payment_methods" => {
                self.named::<payment_methods::Entity>("NOT default_flag", "payment_method_code")
            }
            "list_portfolios" => self.named::<portfolios::Entity>(all, "code"),
            "list_loan_status_codes" => self.named::<loan_status_codes::Entity>(all, "code"),
            "list_risk_ratings" => self.named::<risk_ratings::Entity>(all, "code"),
            "list_interest_plans" => self.named::<interest_plans::Entity>(all, "name"),
            "list_entities" => self.named::<entities::Entity>(all, "entity_code"),
            "list_relationship_codes" => {
                self.named::<relationship_codes::Entity>("NOT auto_prev_addr", "relationship_code")
            }
            "list_contact_types" => self.named::<contact_types::Entity>(all, "code"),
            _ => return None,
        })
    }

    fn of_documents(&self, id: &str) -> Option<String> {
        if id == "list_document_files" {
            let document = format!("document_id = {}", self.rows.document_id);
            return Some(self.named::<document_files::Entity>(&document, "object_key"));
        }
        let owner = id.strip_prefix("list_")?.strip_suffix("_documents")?;
        Some(self.copy::<documents::Entity>(&format!("owner_type = '{owner}'"), &[]))
    }
}

/// The rows of a list in small pages; after the first pages a row is added.
async fn walk(world: &World, token: &str, rows: &Rows, id: &str, path: &str) -> Vec<Value> {
    let kept = [("includeUnused", "true"), ("limit", &LIMIT.to_string())];
    let first = with_known(&Method::GET, path, &kept);
    let mut next = first.clone();
    let mut seen = Vec::new();
    for page in 1..100 {
        let answer = world.client.get(token, &next).await.expect(200);
        let some = answer.json().as_array().expect("rows").clone();
        assert!(!some.is_empty() && some.len() <= LIMIT, "{id}: {} rows", some.len());
        seen.extend(some);
        let link = answer.header("link");
        if link.is_empty() {
            return seen;
        }
        let given = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
        next = given.unwrap_or_else(|| panic!("{id}: {link}")).to_owned();
        let expected = format!("{first}&after=");
        assert!(next.starts_with(&expected), "{id}: {next} is not relative, or loses parameters");
        if page <= ADDED {
            Adding { world, rows, number: page }.to(id).await;
        }
    }
    panic!("{id} does not end");
}

#[tokio::test]
async fn pages_of_every_list_give_each_row_once_and_in_order_while_rows_are_added() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, ROWS).await;
        let mut walked = 0;
        let document = world.client.get("", "/openapi.json").await.expect(200).json();
        for (template, operations) in document["paths"].as_object().expect("paths") {
            let id = operations["get"]["operationId"].as_str().unwrap_or_default();
            if !id.starts_with("list_") {
                continue;
            }
            let path = rows.path(template).split('?').next().expect("a path").to_owned();
            let all = [("limit", "1000"), ("includeUnused", "true")];
            let whole = with_known(&Method::GET, &path, &all);
            let all = world.client.get(&admin, &whole).await.expect(200);
            assert_eq!(all.header("link"), "", "{id}: there is no other page");
            let all = all.json().as_array().expect("rows").clone();
            assert!(all.len() >= ROWS, "{id} has {} rows", all.len());
            let seen = walk(&world, &admin, &rows, id, &path).await;
            let mut distinct = seen.clone();
            distinct.sort_by_key(Value::to_string);
            distinct.dedup();
            assert_eq!(distinct.len(), seen.len(), "{id} gave a row twice");
            let old: Vec<_> = seen.iter().filter(|row| all.contains(row)).cloned().collect();
            assert_eq!(old, all, "{id}");
            let now = world.client.get(&admin, &whole).await.expect(200);
            assert!(now.json().as_array().is_some_and(|now| now.len() > all.len()), "{id}");
            walked += 1;
        }
        assert!(walked > 40, "only {walked} lists");
        world
    })
    .await;
}

/// Transactions come in the order of their effective dates, so rows are added in the middle.
#[tokio::test]
async fn transactions_come_once_and_in_order_at_any_limit_while_rows_are_added() {
    let seed = test_seed();
    on_each_database(PROGRAM, |world| async move {
        let mut chance = fastrand::Rng::with_seed(seed);
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for number in 0..60 {
            Adding { world: &world, rows: &rows, number }.transaction(&mut chance).await;
        }
        let path = format!("/loans/{}/transactions", rows.loan_id);
        for limit in [1, 2, 3, 7, chance.usize(4..60), 1000] {
            let before = keys(&world.client.get(&admin, &format!("{path}?limit=1000")).await);
            let mut next = format!("{path}?limit={limit}");
            let mut seen = Vec::new();
            while !next.is_empty() {
                let answer = world.client.get(&admin, &next).await.expect(200);
                let page = keys(&answer);
                assert!(page.len() <= limit, "{} rows", page.len());
                seen.extend(page);
                let link = answer.header("link").strip_prefix('<').map(str::to_owned);
                next = link
                    .and_then(|link| Some(link.split_once('>')?.0.to_owned()))
                    .unwrap_or_default();
                if chance.u8(..) < 60 {
                    let number = 0;
                    Adding { world: &world, rows: &rows, number }.transaction(&mut chance).await;
                }
            }
            assert!(seen.is_sorted_by(|a, b| a < b), "limit {limit}: {seen:?}");
            let missing = before.iter().find(|key| !seen.contains(key));
            assert_eq!(missing, None, "limit {limit}");
        }
        world
    })
    .await;
}

impl Adding<'_> {
    /// Adds a transaction on one of a few days.
    async fn transaction(&self, chance: &mut fastrand::Rng) {
        let day = format!("'2024-02-{:02}'", chance.u8(1..=9));
        let loan = format!("loan_id = {}", self.rows.loan_id);
        let changed = [("effective_date", day)];
        self.world.sql(&self.copy::<loan_transactions::Entity>(&loan, &changed)).await;
    }
}

/// What transactions are ordered by, of each row of an answer.
fn keys(answer: &Answer) -> Vec<(String, i64)> {
    let rows = answer.json();
    let key = |row: &Value| {
        let date = row["Effective_Date"].as_str().expect("a date").to_owned();
        (date, row["Transaction_ID"].as_i64().expect("an id"))
    };
    rows.as_array().expect("rows").iter().map(key).collect()
}

/// Documents have descriptions of 64 KiB at most, and a page of them has room for a hundred and some.
#[tokio::test]
async fn a_page_ends_at_eight_mebibytes_and_the_next_one_goes_on() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let long = match world.database.name() {
            "sqlite" => "printf('%065000d', 0)",
            _ => "REPEAT('0', 65000)",
        };
        let adding = Adding { world: &world, rows: &rows, number: 0 };
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
            let answer = world.client.get(&admin, &next).await.expect(200);
            assert!(answer.text.len() <= 8 << 20, "{} bytes", answer.text.len());
            seen.extend(answer.column("Document_ID"));
            pages.push(answer.text.len());
            let link =
                answer.header("link").strip_prefix('<').and_then(|link| link.split_once('>'));
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
