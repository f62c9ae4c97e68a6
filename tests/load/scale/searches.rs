//! Searches for loans and contacts: of a small and a large portfolio, as a user who sees everything
//! and as an officer who sees a hundred; and of rows that the officer may not see, beside rows that
//! do not exist.

use crate::{Comparison, median};
use acceptance::world::World;
use api_server::auth::caller::{Caller, CoreCaller, RequestContext};
use api_server::auth::privileges::{Grants, Rights};
use api_server::endpoints::contacts::search::ContactSearch;
use api_server::endpoints::loans::search::LoanSearch;
use sea_orm::sea_query::SelectStatement;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Loans, and contacts, that the officer sees.
const SEEN: i64 = 100;
/// Rows per page: as few as a search of the small portfolio finds.
const LIMIT: u64 = 10;
/// Requests of each kind before those that count.
const WARM_UP: u32 = 20;
/// Pairs of requests for hidden and for missing rows.
const HIDDEN_SAMPLES: u32 = 300;

/// A search: its path, and its criteria by their parameters.
struct Search {
    path: &'static str,
    criteria: Vec<(&'static str, String)>,
}

impl Search {
    fn path_and_query(&self) -> String {
        let query = serde_urlencoded::to_string(&self.criteria).unwrap_or_default();
        match query.is_empty() {
            true => format!("{}?limit={LIMIT}", self.path),
            false => format!("{}?{query}&limit={LIMIT}", self.path),
        }
    }

    fn value(&self, name: &str) -> Option<String> {
        let found = self.criteria.iter().find(|(listed, _)| *listed == name);
        found.map(|(_, value)| value.clone())
    }

    /// The statement for its first page.
    async fn statement(
        &self,
        world: &World,
        context: &RequestContext,
    ) -> Result<SelectStatement, String> {
        let number = |name| self.value(name).and_then(|value| value.parse::<i64>().ok());
        let date = |name| self.value(name).and_then(|value| value.parse().ok());
        let modified_since = self.value("modifiedSince").and_then(|value| value.parse().ok());
        let statement = match self.path {
            "/loans" => {
                let search = LoanSearch {
                    loan_number: self.value("loanNumber"),
                    contact_id: number("contactId"),
                    status_code: self.value("statusCode"),
                    group_id: number("groupId"),
                    portfolio_id: number("portfolioId"),
                    officer_id: number("officerId"),
                    closed: self.value("closed").map(|value| value == "true"),
                    holds_money: None,
                    matures_from: date("maturesFrom"),
                    matures_to: date("maturesTo"),
                    modified_since,
                    min_past_due_days: number("minPastDueDays").map(|days| days as i32),
                };
                search.first_statement(&world.db, context, LIMIT).await
            }
            _ => {
                let search = ContactSearch {
                    contact_number: self.value("contactNumber"),
                    email: self.value("email"),
                    type_id: number("typeId"),
                    tax_id: self.value("taxId"),
                    name: self.value("name"),
                    phone: self.value("phone"),
                    modified_since,
                };
                search.first_statement(&context.caller, LIMIT, &world.db)
            }
        };
        let statement = statement.map_err(|problem| format!("{problem:?}"))?;
        statement.ok_or_else(|| format!("{} finds nothing", self.path_and_query()))
    }
}

/// Lets the officer see a hundred loans and contacts, evenly spread, and the teller all others.
pub async fn share_out(world: &World) -> Result<(), String> {
    let user = |name: &str| format!("(SELECT user_id FROM users WHERE user_name = '{name}')");
    for (table, key, columns) in [
        ("loans", "loan_id", &["loan_officer_user_id", "collection_officer_user_id"][..]),
        ("contacts", "contact_id", &["contact_officer_user_id"][..]),
    ] {
        let rows = world.count(&format!("SELECT COUNT(*) FROM {table}")).await;
        let step = (rows / SEEN).max(1);
        let (officer, teller) = (user("officer"), user("teller"));
        // One of each block of rows, each time another, because rows of every tenth are alike.
        let is_seen = format!("({key} + ({key} - {key} % {step}) / {step}) % {step} = 0");
        let values = columns.iter().map(|column| {
            format!("{column} = CASE WHEN {is_seen} THEN {officer} ELSE {teller} END")
        });
        let values = values.collect::<Vec<_>>().join(", ");
        world.sql(&format!("UPDATE {table} SET {values}")).await;
    }
    shared::database::contact_search::refill(&world.db).await.map_err(|error| error.to_string())?;
    if world.database.name() == "postgres" {
        // The former versions of the rows would be measured, too.
        world.sql("VACUUM").await;
    }
    installer::installation::database::gather_statistics(&world.db)
        .await
        .map_err(|error| error.to_string())
}

/// Searches by each criterion, for what a portfolio of any size has.
async fn searches(world: &World) -> Vec<Search> {
    let first = async |sql: &str| world.text(sql).await;
    let of_officer = "WHERE loan_officer_user_id = (SELECT user_id FROM users WHERE user_name = \
                      'officer')";
    let number = first(&format!("SELECT MIN(loan_number) FROM loans {of_officer}")).await;
    let officer = "SELECT user_id FROM users WHERE user_name = 'officer'";
    let ids = [
        format!("SELECT MIN(contact_id) FROM loans {of_officer}"),
        format!("SELECT MIN(loan_group_id) FROM loans {of_officer}"),
        format!("SELECT MIN(portfolio_id) FROM loans {of_officer}"),
        "SELECT MIN(contact_type_id) FROM contacts".to_owned(),
        officer.to_owned(),
    ];
    let mut found = Vec::new();
    for sql in &ids {
        found.push(world.count(sql).await.to_string());
    }
    let [contact, group, portfolio, contact_type, officer] = &found[..] else {
        return Vec::new();
    };
    let of_contact = async |column: &str| {
        let sql =
            format!("SELECT MIN({column}) FROM contacts WHERE contact_officer_user_id = {officer}");
        first(&sql).await
    };
    let day_ago = chrono::Utc::now() - chrono::TimeDelta::days(1);
    let since = day_ago.format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let loans = |criteria: &[(&'static str, &str)]| search("/loans", criteria);
    let contacts = |criteria: &[(&'static str, &str)]| search("/contacts", criteria);
    vec![
        loans(&[]),
        loans(&[("loanNumber", &number)]),
        loans(&[("contactId", contact)]),
        loans(&[("statusCode", "ACTIVE")]),
        loans(&[("closed", "true")]),
        loans(&[("groupId", group)]),
        loans(&[("portfolioId", portfolio)]),
        loans(&[("officerId", officer)]),
        loans(&[("maturesFrom", "2020-01-01")]),
        loans(&[("modifiedSince", &since)]),
        loans(&[("minPastDueDays", "1")]),
        loans(&[("minPastDueDays", "60")]),
        contacts(&[]),
        contacts(&[("contactNumber", &of_contact("contact_number").await)]),
        contacts(&[("email", &of_contact("email").await)]),
        contacts(&[("typeId", contact_type)]),
        contacts(&[("taxId", &of_contact("tax_id1").await)]),
        contacts(&[("name", &of_contact("last_name1").await[..2])]),
        contacts(&[("phone", &of_contact("mobile_phone").await)]),
        contacts(&[("modifiedSince", &since)]),
    ]
}

fn search(path: &'static str, criteria: &[(&'static str, &str)]) -> Search {
    let criteria = criteria.iter().map(|(name, value)| (*name, (*value).to_owned()));
    Search { path, criteria: criteria.collect() }
}

/// Times each search in both worlds.
pub async fn measure(few: &World, many: &World, rounds: u32) -> Result<(), String> {
    let small = searches(few).await;
    let large = searches(many).await;
    for user in ["admin", "officer"] {
        println!("searches as {user}");
        let (mut first, mut second) =
            (Searcher::new(few, user).await, Searcher::new(many, user).await);
        for (small, large) in small.iter().zip(&large) {
            let paths = (small.path_and_query(), large.path_and_query());
            let name = paths.1.replace(&format!("limit={LIMIT}"), "");
            let comparison =
                compare(rounds, (&mut first, &paths.0), (&mut second, &paths.1)).await?;
            println!("{:<50} {comparison}", name.trim_end_matches(['?', '&']));
        }
    }
    Ok(())
}

/// Compares searches that only the rows of others would answer with searches that nothing would.
pub async fn measure_hidden(many: &World) -> Result<(), String> {
    println!("hidden rows beside missing ones, as officer");
    let hidden = "(SELECT MAX(contact_id) FROM contacts)";
    let sql = format!(
        "UPDATE contacts SET contact_officer_user_id = (SELECT user_id FROM users WHERE user_name \
         = 'teller'), last_name1 = 'Hidden', email = 'hidden@example.com', home_phone = \
         '9998887777', tax_id1 = '999-88-7777', contact_number = 'C-HIDDEN' WHERE contact_id = \
         {}",
        // MariaDB does not update a table that it reads in the same statement.
        many.count(hidden.trim_matches(['(', ')'])).await
    );
    many.sql(&sql).await;
    shared::database::contact_search::refill(&many.db).await.map_err(|error| error.to_string())?;
    let of_teller = "FROM loans WHERE loan_officer_user_id = (SELECT user_id FROM users WHERE \
                     user_name = 'teller')";
    let number = many.text(&format!("SELECT MAX(loan_number) {of_teller}")).await;
    let mut officer = Searcher::new(many, "officer").await;
    let mut again = Searcher::new(many, "officer").await;
    for (path, name, hidden, missing) in [
        ("/loans", "loanNumber", number.as_str(), "L-MISSING"),
        ("/contacts", "contactNumber", "C-HIDDEN", "C-MISSED"),
        ("/contacts", "email", "hidden@example.com", "missed@example.com"),
        ("/contacts", "taxId", "999887777", "999887776"),
        ("/contacts", "name", "hidden", "hiddem"),
        ("/contacts", "phone", "8887777", "8887776"),
    ] {
        let paths = [missing, hidden].map(|value| search(path, &[(name, value)]).path_and_query());
        let [missing, hidden] = &paths;
        let comparison =
            compare(HIDDEN_SAMPLES, (&mut officer, missing), (&mut again, hidden)).await?;
        println!("{:<50} {comparison}", format!("{path}?{name}"));
    }
    let hidden = many.count(&format!("SELECT MAX(loan_id) {of_teller}")).await;
    let missing = many.count("SELECT MAX(loan_id) + 1 FROM loans").await;
    for read in ["", "/payments-due", "/payoff-quote", "/schedule", "/balances"] {
        let paths = [missing, hidden].map(|loan_id| format!("/loans/{loan_id}{read}"));
        let [missing, hidden] = &paths;
        let comparison =
            compare(HIDDEN_SAMPLES, (&mut officer, missing), (&mut again, hidden)).await?;
        println!("{:<50} {comparison}", format!("/loans/{{loan_id}}{read}"));
    }
    Ok(())
}

/// Prints the database's plan of each search, of the admin account and of the officer.
pub async fn print_plans(world: &World) -> Result<(), String> {
    let error = |error: sea_orm::DbErr| error.to_string();
    let id = world.count("SELECT user_id FROM users WHERE user_name = 'officer'").await;
    let mut context = Caller::admin(&world.db, 1, "admin").await.map_err(error)?;
    let backend = world.db.get_database_backend();
    let explain = match backend {
        DbBackend::Sqlite => "EXPLAIN QUERY PLAN",
        DbBackend::Postgres => "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)",
        _ => "EXPLAIN FORMAT=JSON",
    };
    for user in ["admin", "officer"] {
        if user == "officer" {
            let rights = Rights::Granted(Arc::new(Grants::new()));
            let officer = CoreCaller { user_id: id, user_name: user.to_owned(), rights };
            context.caller = Caller::Core(officer);
        }
        for search in searches(world).await {
            // The officer of this program holds no privilege, and so not that for tax ids.
            if user == "officer" && search.value("taxId").is_some() {
                continue;
            }
            println!("\n{} as {user}", search.path_and_query());
            let statement: Statement = backend.build(&search.statement(world, &context).await?);
            let values = statement.values.map(|values| values.0).unwrap_or_default();
            let sql = format!("{explain} {}", statement.sql);
            let statement = Statement::from_sql_and_values(backend, sql, values);
            for row in world.db.query_all_raw(statement).await.map_err(error)? {
                let line = match backend {
                    DbBackend::Sqlite => row.try_get::<String>("", "detail"),
                    _ => row.try_get_by_index::<String>(0),
                };
                println!("  {}", line.map_err(error)?);
            }
        }
    }
    Ok(())
}

/// A user who searches one world.
struct Searcher<'a> {
    world: &'a World,
    user: &'static str,
    token: String,
}

impl<'a> Searcher<'a> {
    async fn new(world: &'a World, user: &'static str) -> Self {
        Self { world, user, token: world.token(user).await }
    }

    /// Measures one request.
    async fn time(&mut self, path: &str) -> Result<Duration, String> {
        let started = Instant::now();
        let response = self.world.client.get(&self.token, path).await;
        let time = started.elapsed();
        match response.status.as_u16() {
            // A loan that is hidden or missing is 404.
            200 | 404 => Ok(time),
            // Tokens live for twelve minutes: renew it, and do not count the request twice.
            401 => {
                self.token = self.world.token(self.user).await;
                Box::pin(self.time(path)).await
            }
            status => Err(format!("{path}: {status} {}", response.text)),
        }
    }
}

/// Measures both in turn, so that other load on the machine slows both.
async fn compare(
    rounds: u32,
    first: (&mut Searcher<'_>, &str),
    second: (&mut Searcher<'_>, &str),
) -> Result<Comparison, String> {
    let (mut first_times, mut second_times) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP + rounds {
        let times = (first.0.time(first.1).await?, second.0.time(second.1).await?);
        if round >= WARM_UP {
            first_times.push(times.0);
            second_times.push(times.1);
        }
    }
    Ok(Comparison { first: median(first_times), second: median(second_times) })
}
