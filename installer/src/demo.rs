//! The demo portfolio. A first block of loans is generated deterministically, booked and paid
//! through the API's own import, and given everything a loan or contact can have; larger portfolios
//! are copies of that block. Dates are relative to the day it is created.

pub mod copies;
pub mod documents;
pub mod examples;

mod batches;
mod block;
mod cards;
mod collateral;
mod comments;
mod credit_lines;
mod drawers;
mod field_values;
mod loans;
mod people;
mod recurring_transactions;
mod returned_payments;

use self::block::Block;
use self::copies::{Before, Original};
use self::loans::Records;
use crate::installation::core_settings;
use crate::installation::{CliError, count, refuse};
use crate::seed;
use api_server::audit::Actor;
use api_server::auth::caller::{Caller, RequestContext};
use api_server::cards::PaymentGateway;
use api_server::documents::store::DocumentStore;
use api_server::xml_import::parse::Piece;
use api_server::xml_import::report::Action;
use api_server::xml_import::results::ImportResponse;
use api_server::xml_import::{Import, ImportMode, run};
use indicatif::ProgressBar;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait, QueryOrder,
    QuerySelect,
};
use shared::contact_search;
use shared::db;
use shared::entity::field_changes::ChangeSource;
use shared::entity::loans as loan_rows;
use shared::envelope_encryption::MasterKeys;
use shared::passwords::Passwords;
use shared::telemetry::RequestId;
use std::ops::Range;
use std::time::Instant;
use tokio::sync::mpsc;

/// The number of loans that are booked; further ones are copies of them.
pub const BLOCK: u32 = 500;
/// The setting that records the portfolio's progress.
const PROGRESS: &str = "demo_portfolio";
const BEGUN: &str = "begun";
const COMPLETE: &str = "complete";
/// Loans generated ahead of the one being imported.
const LOANS_AHEAD: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortfolioSize {
    /// The number of loans.
    pub loans: u32,
    /// How many of them are booked; as many whole blocks as fit are copies of these.
    pub block: u32,
}

/// Creates the portfolio in a database without loans, and its document files in a store. Its cards'
/// sandbox tokens are sealed under these keys, and its web users get this password. A database that
/// already has its portfolio or other loans is left unchanged.
pub async fn fill(
    db: &DatabaseConnection,
    store: &DocumentStore,
    master_keys: &MasterKeys,
    size: PortfolioSize,
    web_password: &str,
) -> Result<(), CliError> {
    if !begin(db).await? {
        return Ok(());
    }
    let started = Instant::now();
    let builder = PortfolioBuilder::new(db, store, master_keys, size.loans, web_password).await?;
    builder.build(size).await?;
    documents::write_copies(db, store).await?;
    builder.progress.finish_and_clear();
    contact_search::refill(db).await?;
    copies::gather_statistics(db).await?;
    core_settings::write(db, PROGRESS, Some(COMPLETE)).await?;
    let seconds = started.elapsed().as_secs_f64();
    let speed = f64::from(size.loans) / seconds;
    let loans = count(size.loans, "loan");
    println!("{loans} in {seconds:.1} seconds, {speed:.1} loans per second\n");
    Ok(())
}

/// Returns true if a portfolio must be created. Records that it was begun, and adds its users and
/// setup lists.
async fn begin(db: &DatabaseConnection) -> Result<bool, CliError> {
    let tx = db::begin_write(db).await?;
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
    seed::setup_lists::add(&tx).await?;
    db::commit(tx).await?;
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

/// Creates loans on behalf of the admin account.
struct PortfolioBuilder<'a> {
    db: &'a DatabaseConnection,
    store: &'a DocumentStore,
    gateway: PaymentGateway,
    context: RequestContext,
    actor: Actor,
    passwords: Passwords,
    web_password: &'a str,
    progress: ProgressBar,
}

impl<'a> PortfolioBuilder<'a> {
    async fn new(
        db: &'a DatabaseConnection,
        store: &'a DocumentStore,
        master_keys: &MasterKeys,
        loans: u32,
        web_password: &'a str,
    ) -> Result<Self, CliError> {
        let admin = seed::user_id(db, "admin").await?;
        let context = Caller::admin(db, admin, "admin").await?;
        let actor = Actor::new(&context.caller, ChangeSource::Installer, &RequestId::random());
        let passwords = Passwords::recommended().map_err(CliError)?;
        let progress = ProgressBar::new(u64::from(loans));
        let gateway = cards::sandbox(db, master_keys).map_err(CliError)?;
        Ok(Self { db, store, gateway, context, actor, passwords, web_password, progress })
    }

    /// Creates the first block, its copies, and the remaining loans.
    async fn build(&self, PortfolioSize { loans, block }: PortfolioSize) -> Result<(), CliError> {
        let before = Before::read(self.db).await?;
        let first = block.clamp(1, loans);
        self.book(0..first).await?;
        let original = Original::since(self.db, &before).await?;
        let blocks = loans / first;
        for copy in 1..blocks {
            let tx = db::begin_write(self.db).await?;
            original.copy(&tx, copy).await?;
            db::commit(tx).await?;
            self.progress.inc(u64::from(first));
        }
        original.advance_sequences(self.db).await?;
        if loans > blocks * first {
            self.book(blocks * first..loans).await?;
        }
        Ok(())
    }

    /// Books these loans with everything that belongs to them.
    async fn book(&self, numbers: Range<u32>) -> Result<(), CliError> {
        let after_id = newest_loan(self.db).await?;
        self.import(numbers.clone()).await?;
        let (actor, today) = (self.actor.clone(), self.context.clock.today);
        let tx = db::begin_write(self.db).await?;
        let block = Block::read(&tx, after_id, numbers.start, actor, today).await?;
        add_details(&tx, self.store, &self.gateway, &block).await?;
        if numbers.start == 0 {
            cards::add_fee_rules(&tx).await?;
            drawers::add(&tx, &block).await?;
            batches::add(&tx, &block).await?;
        }
        Ok(db::commit(tx).await?)
    }

    async fn import(&self, numbers: Range<u32>) -> Result<(), CliError> {
        let (caller, clock) = (&self.context.caller, self.context.clock);
        let mode = ImportMode { test: false, block: true, enforce: true };
        let actor = self.actor.clone();
        let directory = std::env::temp_dir();
        let import = Import::new(caller, actor, &self.passwords, clock, mode.enforce, &directory);
        let (sender, receiver) = mpsc::channel(LOANS_AHEAD);
        let records = Records { today: clock.today, web_password: self.web_password };
        let producer = async {
            for number in numbers {
                let pieces = records.of_loan(number).into_iter().map(Piece::Record).collect();
                if sender.send(Ok(pieces)).await.is_err() {
                    break;
                }
                self.progress.inc(1);
            }
            drop(sender);
        };
        let (response, ()) = tokio::join!(run(self.db, import, mode, receiver, None), producer);
        let response = response.map_err(|problem| CliError(problem.to_string()))?;
        match response.committed && response.totals.failed == 0 {
            true => Ok(()),
            false => refuse(first_failure(response).await),
        }
    }
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

/// Adds everything that belongs to loans and contacts, depending on each loan's place in the mix.
async fn add_details(
    tx: &DatabaseTransaction,
    store: &DocumentStore,
    gateway: &PaymentGateway,
    block: &Block,
) -> Result<(), CliError> {
    people::add_previous_addresses(tx, block).await?;
    people::add_credit_profiles(tx, block).await?;
    credit_lines::add(tx, block).await?;
    returned_payments::add(tx, block).await?;
    recurring_transactions::add(tx, block).await?;
    cards::add_with_payments(tx, gateway, block).await?;
    field_values::add(tx, block).await?;
    let collateral = collateral::add(tx, block).await?;
    let mut new_documents = comments::add(tx, block, &collateral).await?;
    new_documents.extend(documents::on_fields(tx, block).await?);
    documents::add(tx, store, block, new_documents).await
}
