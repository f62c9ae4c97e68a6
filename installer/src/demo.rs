//! The demo portfolio: an import file of fifty loans, and what no import makes. A larger portfolio
//! is the file again with other numbers. Dates are relative to the day it is created.

pub mod examples;

mod cards;
mod documents;
mod drawers;
mod entries;
mod template;

use self::template::Template;
use crate::installation::core_settings;
use crate::installation::database::gather_statistics;
use crate::installation::{CliError, count, refuse};
use crate::seed;
use api_server::audit::Actor;
use api_server::auth::caller::{Caller, RequestContext};
use api_server::cards::PaymentGateway;
use api_server::documents::store::DocumentStore;
use api_server::xml_import::report::Action;
use api_server::xml_import::results::ImportResponse;
use api_server::xml_import::spool::pieces;
use api_server::xml_import::{Import, ImportMode, run};
use chrono::{NaiveDate, TimeDelta};
use indicatif::ProgressBar;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    QueryFilter, QueryOrder, QuerySelect,
};
use shared::amounts::Money;
use shared::database::{self, contact_search};
use shared::entity::field_changes::ChangeSource;
use shared::entity::loans as loan_rows;
use shared::envelope_encryption::MasterKeys;
use shared::passwords::Passwords;
use shared::telemetry::RequestId;
use shared::time::{Clock, Timestamp};
use std::io::Cursor;
use std::time::Instant;

/// The number of loans in the file.
pub const LOANS: u32 = 50;
/// The file: a paragraph for each loan, after the first.
const FILE: &str = include_str!("demo/portfolio.xml");
/// Statements that add setup rows, and what belongs to the loans.
const SETUP: &str = include_str!("demo/setup.sql");
const DETAILS: &str = include_str!("demo/details.sql");
/// The setting that records the portfolio's progress.
const PROGRESS: &str = "demo_portfolio";
const BEGUN: &str = "begun";
const COMPLETE: &str = "complete";

/// Creates the portfolio in a database without loans, and its document files in a store. Its cards'
/// sandbox tokens are sealed under these keys, and its web users get this password. A database that
/// already has its portfolio or other loans is left unchanged.
pub async fn fill(
    db: &DatabaseConnection,
    store: &DocumentStore,
    master_keys: &MasterKeys,
    loans: u32,
    web_password: &str,
) -> Result<(), CliError> {
    seed::standing_rows::ensure(db).await?;
    if !begin(db).await? {
        return Ok(());
    }
    let started = Instant::now();
    let admin = seed::user_id(db, "admin").await?;
    let context = Caller::admin(db, admin, "admin").await?;
    let actor = Actor::new(&context.caller, ChangeSource::Installer, &RequestId::random());
    let passwords = Passwords::recommended().map_err(CliError)?;
    let gateway = cards::sandbox(db, master_keys).map_err(CliError)?;
    let builder = PortfolioBuilder { db, store, gateway, context, actor, passwords, web_password };
    let progress = ProgressBar::new(u64::from(loans));
    for first in (0..loans).step_by(LOANS as usize) {
        let added = LOANS.min(loans - first);
        builder.build(first, added).await?;
        progress.inc(u64::from(added));
    }
    progress.finish_and_clear();
    builder.complete().await?;
    contact_search::refill(db).await?;
    gather_statistics(db).await?;
    core_settings::write(db, PROGRESS, Some(COMPLETE)).await?;
    let seconds = started.elapsed().as_secs_f64();
    let speed = f64::from(loans) / seconds;
    println!("{} in {seconds:.1} seconds, {speed:.1} loans per second\n", count(loans, "loan"));
    Ok(())
}

/// Returns true if a portfolio must be created. Records that it was begun, and adds its users and
/// setup rows.
async fn begin(db: &DatabaseConnection) -> Result<bool, CliError> {
    let tx = database::begin_write(db).await?;
    let progress = core_settings::read(&tx, PROGRESS).await?;
    let has_loans = newest_loan(&tx).await? > 0;
    match progress.as_deref() {
        Some(BEGUN) if has_loans => {
            return refuse(
                "an earlier run was interrupted and left part of it: start again with an empty \
                 database, or with another --dir",
            );
        }
        Some(BEGUN) => return Ok(true),
        Some(_) => return Ok(false),
        None if has_loans => return Ok(false),
        None => {}
    }
    core_settings::write(&tx, PROGRESS, Some(BEGUN)).await?;
    seed::further_users(&tx).await?;
    let clock = database::clock(&tx).await?;
    let template = Template { clock, backend: tx.get_database_backend(), number: 0, password: "" };
    execute(&tx, &template, SETUP).await?;
    database::commit(tx).await?;
    Ok(true)
}

async fn newest_loan(db: &impl ConnectionTrait) -> Result<i64, DbErr> {
    let newest: Option<i64> = loan_rows::Entity::find()
        .select_only()
        .column(loan_rows::Column::LoanId)
        .order_by_desc(loan_rows::Column::LoanId)
        .into_tuple()
        .one(db)
        .await?;
    Ok(newest.unwrap_or_default())
}

/// Executes the statements of a file.
async fn execute(
    tx: &DatabaseTransaction,
    template: &Template<'_>,
    file: &str,
) -> Result<(), CliError> {
    let statements = template.fill(file).map_err(CliError)?;
    for statement in statements.split(";\n").filter(|statement| !statement.is_empty()) {
        tx.execute_unprepared(statement).await?;
    }
    Ok(())
}

/// Creates loans on behalf of the admin account.
struct PortfolioBuilder<'a> {
    db: &'a DatabaseConnection,
    store: &'a DocumentStore,
    gateway: PaymentGateway,
    context: RequestContext,
    actor: Actor,
    passwords: Passwords,
    web_password: &'a str,
}

impl PortfolioBuilder<'_> {
    /// Creates this many loans of the file, numbered after the `first` that exist.
    async fn build(&self, first: u32, loans: u32) -> Result<(), CliError> {
        let after_id = newest_loan(self.db).await?;
        let (clock, template) = (self.context.clock, self.template(first).await?);
        self.import(file(&template, loans)?).await?;
        let tx = database::begin_write(self.db).await?;
        let portfolio = Portfolio::read(&tx, after_id, self.actor.clone(), clock.today).await?;
        entries::draw(&tx, &portfolio).await?;
        entries::return_payment(&tx, &portfolio).await?;
        if first == 0 {
            cards::add(&tx, &self.gateway, &portfolio)
                .await
                .map_err(|error| CliError(error.message()))?;
            drawers::add(&tx, &portfolio).await?;
            documents::add(&tx, self.store, &portfolio).await?;
        }
        Ok(database::commit(tx).await?)
    }

    /// Adds what belongs to the loans and no import makes.
    async fn complete(&self) -> Result<(), CliError> {
        let template = self.template(0).await?;
        let tx = database::begin_write(self.db).await?;
        execute(&tx, &template, DETAILS).await?;
        Ok(database::commit(tx).await?)
    }

    async fn template(&self, number: u32) -> Result<Template<'_>, CliError> {
        let clock = Clock { today: self.context.clock.today, ..database::clock(self.db).await? };
        let backend = self.db.get_database_backend();
        Ok(Template { clock, backend, number, password: self.web_password })
    }

    async fn import(&self, file: String) -> Result<(), CliError> {
        let (caller, clock) = (&self.context.caller, self.context.clock);
        let mode = ImportMode { test: false, block: true, enforce: true };
        let (actor, directory) = (self.actor.clone(), std::env::temp_dir());
        let import = Import::new(caller, actor, &self.passwords, clock, mode.enforce, &directory);
        let response = run(self.db, import, mode, pieces(Cursor::new(file)), None).await;
        let response = response.map_err(|problem| CliError(problem.to_string()))?;
        match response.committed && response.totals.failed == 0 {
            true => Ok(()),
            false => refuse(first_failure(response).await),
        }
    }
}

/// Returns an import file of the first loans of the portfolio. Web users are in the first copy alone.
fn file(template: &Template<'_>, loans: u32) -> Result<String, CliError> {
    let records: Vec<&str> = FILE.split("\n\n").skip(1).take(loans as usize).collect();
    let records = records.join("\n");
    let is_wanted = |line: &&str| template.number == 0 || !line.contains("<WebCredentials ");
    let records: Vec<&str> = records.lines().filter(is_wanted).collect();
    let records = template.fill(&records.join("\n")).map_err(CliError)?;
    Ok(format!("<Core>\n{records}\n</Core>\n"))
}

async fn first_failure(response: ImportResponse) -> String {
    let mut parts = response.into_parts();
    while let Some(Ok(results)) = parts.recv().await {
        let failed = results.iter().find(|result| result.action == Action::Failed);
        if let Some(failed) = failed {
            return format!("{failed:?}");
        }
    }
    "the portfolio could not be booked".to_owned()
}

/// Newly booked loans, in the order of their numbers, and the context for adding data to them.
struct Portfolio {
    loans: Vec<LoanRef>,
    staff: Staff,
    actor: Actor,
    /// The database's time, and the day that the portfolio's dates are relative to.
    clock: Clock,
}

/// A loan and its borrower.
struct LoanRef {
    loan_id: i64,
    contact_id: i64,
    origination: NaiveDate,
}

/// The users who enter data.
struct Staff {
    admin: i64,
    officer: i64,
    teller: i64,
    teller2: i64,
    supervisor: i64,
}

impl Portfolio {
    /// Reads all loans with ids above this one.
    async fn read(
        tx: &DatabaseTransaction,
        after_id: i64,
        actor: Actor,
        today: NaiveDate,
    ) -> Result<Self, DbErr> {
        use loan_rows::Column::{ContactId, LoanId, OriginationDate};
        let rows: Vec<(i64, i64, NaiveDate)> = loan_rows::Entity::find()
            .select_only()
            .columns([LoanId, ContactId, OriginationDate])
            .filter(LoanId.gt(after_id))
            .order_by_asc(LoanId)
            .into_tuple()
            .all(tx)
            .await?;
        let loan_ref =
            |(loan_id, contact_id, origination)| LoanRef { loan_id, contact_id, origination };
        let staff = Staff {
            admin: seed::user_id(tx, "admin").await?,
            officer: seed::user_id(tx, "officer").await?,
            teller: seed::user_id(tx, "teller").await?,
            teller2: seed::user_id(tx, "teller2").await?,
            supervisor: seed::user_id(tx, "supervisor").await?,
        };
        // Later than the import, as the entries are.
        let clock = Clock { today, ..database::clock(tx).await? };
        Ok(Self { loans: rows.into_iter().map(loan_ref).collect(), staff, actor, clock })
    }

    /// The loan with this number in the file, from 1; a small portfolio may lack it.
    fn loan(&self, number: u32) -> Option<&LoanRef> {
        self.loans.get(number as usize - 1)
    }

    /// The day this many days from today; negative: ago.
    fn day(&self, days: i64) -> NaiveDate {
        self.clock.today + TimeDelta::days(days)
    }

    /// The time this many days ago, at this time of day.
    fn days_ago(&self, days: i64) -> Timestamp {
        Timestamp(self.clock.now.0 - TimeDelta::days(days))
    }
}

/// An amount in cents.
fn cents(cents: i64) -> Money {
    Money::from_cents(cents).unwrap_or_default()
}
