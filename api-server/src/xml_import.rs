//! XML import: applies a checked file, record by record, by the same rules as the API.
//!
//! | `CommitBlock` | |
//! |---|---|
//! | `0` (default) | each top-level record commits with its children |
//! | `1` | the file is one transaction: a failing record leaves nothing |
//!
//! A test run is one transaction in which each record is tried and everything is undone at the end.
//! In a block all records are tried too, so that one run finds everything that is wrong.
//!
//! Records that only insert rows are applied in batches: their rows are staged in memory and
//! written with a few statements ([`stage`]), what they name is looked up for all of them together
//! ([`known`]). Where a batch meets rows of somebody else, and for every other record, each record
//! is applied by itself in a savepoint, its elements written one by one. Both ways go through the
//! same functions: a batch only writes later.
//!
//! Whatever grows with the file is kept on disk while it runs: the file itself ([`spool`]), its
//! results ([`results`]), and the names of its records ([`names`]).

pub mod format;
pub mod once;
pub mod parse;
pub mod refusals;
pub mod report;
pub mod results;
pub mod runs;
pub mod schema;
pub mod spool;
pub mod vin;

mod applied;
mod codes;
mod collateral;
mod comments;
mod contacts;
mod field_values;
mod fields;
mod keeping;
mod known;
mod loans;
mod names;
mod payments;
mod running;
mod stage;

pub use self::running::{Pieces, run};

use self::applied::{Applied, Stop, judge, judge_whole, refuse};
use self::codes::Codes;
use self::contacts::credentials::Hashes;
use self::fields::{Fields, Update, update_of};
use self::known::Known;
use self::names::{Names, Stored};
use self::parse::{Element, Fault};
use self::report::{Action, Level, Message, RecordResult};
use self::stage::{Keys, Stage};
use crate::audit::Author;
use crate::auth::caller::Caller;
use crate::auth::privileges::Forbidden;
use crate::http::import_gate::ImportGate;
use crate::xml_import::refusals::ImportError;
use crate::xml_import::vin::Check;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr};
use shared::entity::{self, user_defined_fields};
use shared::passwords::Passwords;
use shared::time::Clock;
use std::any::TypeId;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

/// Imports that are worked on at once: each may need a GiB of the spool folder, and its results.
pub const IMPORTS_MAX: usize = 4;
/// An import under way.
pub struct Import<'a> {
    caller: &'a Caller,
    author: Author,
    passwords: &'a Passwords,
    clock: Clock,
    /// Names that nobody knows fail their record.
    enforce: bool,
    /// Where it keeps what is too much for memory.
    directory: PathBuf,
    /// Setup lists by code, read once.
    codes: HashMap<TypeId, HashMap<String, i64>>,
    /// The definitions of user-defined fields, read once.
    definitions: Option<Arc<[user_defined_fields::Model]>>,
    /// Statuses of closed loans, read once.
    closed_statuses: Option<Vec<i64>>,
    /// What becomes of wrong vehicle identification numbers, read once.
    vin_check: Option<Check>,
    /// Records named by StoreRecordID: those that are committed, those of the batch at hand that
    /// were good, and the one at hand.
    names: Names,
    named: HashMap<String, Stored>,
    naming: Option<(String, Stored)>,
    known: Known,
    /// Passwords of the records at hand, hashed before their transaction.
    hashes: Hashes,
    stage: Stage,
    /// Each element is written at once, because what follows may read it.
    direct: bool,
    /// True once it is to end before its next record.
    stop: Option<watch::Receiver<bool>>,
    /// Closed while one of its transactions holds the whole database.
    gate: Arc<ImportGate>,
}

/// How a file wants to be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Everything is undone at the end.
    pub test: bool,
    /// The file is one transaction.
    pub block: bool,
    /// Names that nobody knows fail their record.
    pub enforce: bool,
}

impl Mode {
    /// What the attributes of the root element ask for. A misspelt one is a fault: the file would
    /// be applied in another way than it asks for.
    pub fn new(root: &Element, test: bool) -> Result<Self, Fault> {
        let fault = |message| Fault { line: root.line, column: 1, message };
        let (mut block, mut enforce) = (false, false);
        for (name, value) in &root.attributes {
            let flag = match name.as_str() {
                format::COMMIT_BLOCK => &mut block,
                format::ENFORCE => &mut enforce,
                // What XML tools write to name a schema.
                name if name.starts_with("xmlns:") || name.starts_with("xsi:") => continue,
                name => return Err(fault(format!("{} has no attribute {name}", root.name))),
            };
            *flag = match value.as_str() {
                "0" => false,
                "1" => true,
                _ => return Err(fault(format!("{name} must be 0 or 1"))),
            };
        }
        Ok(Self { test, block, enforce })
    }
}

/// What the elements of a record stand in, once it is there itself.
enum Parent {
    Contact(Box<entity::contacts::Model>),
    Loan(Box<entity::loans::Model>),
    /// It is gone, or there never was one.
    None,
}

impl Parent {
    fn settle(&mut self, keys: &Keys) {
        match self {
            Self::Contact(row) => row.contact_id = keys.of(row.contact_id),
            Self::Loan(row) => {
                row.loan_id = keys.of(row.loan_id);
                row.contact_id = keys.of(row.contact_id);
            }
            Self::None => {}
        }
    }
}

/// Nothing can be done with an element in one that is deleted.
fn within_deleted(child: &Element) -> Applied {
    let message = Message::error(child, None, "stands in an element that is deleted");
    Applied { results: Vec::new(), failed: true, messages: vec![message] }
}

/// A record whose elements come one by one.
struct Opened {
    /// Something in it failed: nothing of it counts.
    failed: bool,
    /// What is to be said of itself: its first element tells it.
    messages: Vec<Message>,
    results: Vec<RecordResult>,
}

impl Opened {
    fn take_results(&mut self) -> Vec<RecordResult> {
        std::mem::take(&mut self.results)
    }
}

impl<'a> Import<'a> {
    /// An import by this caller. What is too much for memory goes into the folder.
    pub fn new(
        caller: &'a Caller,
        author: Author,
        passwords: &'a Passwords,
        clock: Clock,
        enforce: bool,
        directory: &Path,
    ) -> Self {
        Self {
            caller,
            author,
            passwords,
            clock,
            enforce,
            directory: directory.to_owned(),
            codes: HashMap::new(),
            definitions: None,
            closed_statuses: None,
            vin_check: None,
            names: Names::new(directory),
            named: HashMap::new(),
            naming: None,
            known: Known::default(),
            hashes: Hashes::new(),
            stage: Stage::default(),
            direct: false,
            stop: None,
            gate: Arc::default(),
        }
    }

    /// The same, which closes this gate while one of its transactions holds the whole database.
    #[must_use]
    pub fn behind(mut self, gate: &Arc<ImportGate>) -> Self {
        self.gate = Arc::clone(gate);
        self
    }

    /// The same, until this is true: then it ends before its next record. What is done stays.
    #[must_use]
    pub fn until(mut self, stop: watch::Receiver<bool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Applies records that only insert rows, and writes them together.
    async fn batch(
        &mut self,
        tx: &DatabaseTransaction,
        records: &[Element],
    ) -> Result<Vec<Applied>, ImportError> {
        self.forget_batch();
        self.look_up(tx, records).await?;
        let mut all = Vec::with_capacity(records.len());
        for record in records {
            all.push(self.record(tx, record).await?);
        }
        let keys = self.write(tx).await?;
        for applied in &mut all {
            applied.settle(&keys);
        }
        Ok(all)
    }

    /// Applies any record by itself.
    async fn record_alone(
        &mut self,
        tx: &DatabaseTransaction,
        record: &Element,
    ) -> Result<Applied, ImportError> {
        self.forget_batch();
        self.direct = true;
        let applied = self.record(tx, record).await;
        self.direct = false;
        applied
    }

    /// Nothing of a batch is left.
    fn forget_batch(&mut self) {
        self.known.clear();
        self.stage = Stage::default();
        self.named.clear();
        self.naming = None;
        self.direct = false;
    }

    /// The records of the batch are there to stay: what they named can be asked for.
    async fn keep_names(&mut self) -> Result<(), ImportError> {
        let named: Vec<_> = self.named.drain().collect();
        Ok(self.names.store(named).await?)
    }

    /// What an earlier try has done of a record.
    async fn recall(&mut self, record: &Element, done: &[RecordResult]) -> Result<(), ImportError> {
        let named = matches!(record.name.as_str(), "Contact" | "Loan")
            && update_of(record) != Update::Delete;
        if let Some(id) = done.first().and_then(|result| result.new_id).filter(|_| named) {
            self.store(record, id);
            self.named.extend(self.naming.take());
            self.keep_names().await?;
        }
        Ok(())
    }

    /// Applies a top-level record: all of it, or nothing of it counts.
    async fn record(
        &mut self,
        tx: &DatabaseTransaction,
        record: &Element,
    ) -> Result<Applied, ImportError> {
        self.naming = None;
        self.known.begin_record();
        let mark = self.stage.begin_record();
        let mut applied = match record.name.as_str() {
            "Transactions" => self.transactions(tx, record).await?,
            "Contact" | "Loan" => self.with_elements(tx, record).await?,
            other => self.unknown_record(record, other),
        };
        if applied.failed {
            applied.roll_back();
            self.stage.rewind(mark);
            self.known.undo_record();
        } else {
            self.named.extend(self.naming.take());
        }
        Ok(applied)
    }

    /// A contact or a loan, and what stands in it.
    async fn with_elements(
        &mut self,
        tx: &DatabaseTransaction,
        record: &Element,
    ) -> Result<Applied, ImportError> {
        let head = match record.name.as_str() {
            "Contact" => Box::pin(self.contact(tx, record)).await,
            _ => Box::pin(self.loan(tx, record)).await,
        };
        let (mut applied, mut parent) = match head {
            Ok((mut applied, mut parent)) => {
                match self.settle(tx, &mut applied).await {
                    Ok(keys) => parent.settle(&keys),
                    Err(stop) => applied = judge(record, Err(stop))?,
                }
                (applied, parent)
            }
            Err(stop) => (judge(record, Err(stop))?, Parent::None),
        };
        for child in &record.children {
            let outcome = match applied.failed {
                true => Ok(Applied::untried(child)),
                false => self.element(tx, &mut parent, child).await,
            };
            applied.add(judge_whole(child, outcome)?);
        }
        Ok(applied)
    }

    /// An element in a contact or a loan.
    async fn element(
        &mut self,
        tx: &DatabaseTransaction,
        parent: &mut Parent,
        child: &Element,
    ) -> Result<Applied, Stop> {
        let outcome = match parent {
            Parent::Contact(contact) => Box::pin(self.in_contact(tx, contact, child)).await,
            Parent::Loan(loan) => Box::pin(self.in_loan(tx, loan, child)).await,
            Parent::None => Ok(within_deleted(child)),
        };
        let mut applied = outcome?;
        let keys = self.settle(tx, &mut applied).await?;
        parent.settle(&keys);
        Ok(applied)
    }

    /// Writes what was staged, if it is to be written at once.
    async fn settle(
        &mut self,
        tx: &DatabaseTransaction,
        applied: &mut Applied,
    ) -> Result<Keys, Stop> {
        if !self.direct {
            return Ok(Keys::default());
        }
        let keys = self.write(tx).await?;
        applied.settle(&keys);
        Ok(keys)
    }

    async fn write(&mut self, tx: &DatabaseTransaction) -> Result<Keys, ImportError> {
        if self.stage.is_empty() {
            return Ok(Keys::default());
        }
        let keys = Box::pin(self.stage.write(tx, &self.author, self.clock.now)).await?;
        for stored in self.named.values_mut().chain(self.naming.iter_mut().map(|(_, s)| s)) {
            *stored = stored.with(|id| keys.of(id));
        }
        Ok(keys)
    }

    async fn transactions(
        &mut self,
        tx: &DatabaseTransaction,
        record: &Element,
    ) -> Result<Applied, ImportError> {
        let mut opened = self.open(record);
        let mut results = opened.take_results();
        for child in &record.children {
            results.extend(self.payment_of(tx, &mut opened, child).await?);
        }
        Ok(Applied { results, failed: opened.failed, messages: Vec::new() })
    }

    /// A record of payments begins.
    fn open(&self, record: &Element) -> Opened {
        match Fields::new(record, &payments::TRANSACTIONS, self.enforce).finish() {
            Ok(messages) => Opened { failed: false, messages, results: Vec::new() },
            Err(messages) => {
                let failed = Applied::one(record, Action::Failed, None, 0, messages);
                Opened { failed: true, messages: Vec::new(), results: failed.results }
            }
        }
    }

    /// The next payment of a record of payments. Behind one that failed they are not tried.
    async fn payment_of(
        &mut self,
        tx: &DatabaseTransaction,
        record: &mut Opened,
        child: &Element,
    ) -> Result<Vec<RecordResult>, ImportError> {
        let mut applied = match child.name.as_str() {
            _ if record.failed => Applied::untried(child),
            "Payment" => judge(child, Box::pin(self.payment(tx, child)).await)?,
            other => self.unknown_record(child, other),
        };
        record.failed |= applied.failed;
        applied.add_messages(std::mem::take(&mut record.messages));
        Ok(applied.results)
    }

    /// A record of no known kind is not applied, and the report says so. It fails what it stands
    /// in only where the file enforces names.
    fn unknown_record(&self, element: &Element, name: &str) -> Applied {
        let messages = vec![self.unknown(element, format!("no record is called {name}"))];
        let mut applied = Applied::one(element, Action::Failed, None, 0, messages);
        applied.failed = self.enforce;
        applied
    }

    /// An element that nobody knows: its parent tells of it.
    fn unknown_element(&self, parent: &str, element: &Element) -> Applied {
        let text = format!("no element in {parent} is called {}", element.name);
        let failed = self.enforce;
        Applied { results: Vec::new(), failed, messages: vec![self.unknown(element, text)] }
    }

    fn unknown(&self, element: &Element, text: String) -> Message {
        let level = if self.enforce { Level::Error } else { Level::Warning };
        Message { level, ..Message::error(element, None, text) }
    }

    /// The importing user, for columns that name him.
    fn user_id(&self) -> Result<i64, Forbidden> {
        self.author.user_id().ok_or(Forbidden::CoreUserOnly)
    }

    /// The element's `StoreRecordID` names this row from now on.
    fn store(&mut self, element: &Element, id: i64) {
        let Some(name) = element.attribute("StoreRecordID") else { return };
        let stored = match element.name.as_str() {
            "Loan" => Stored::Loan(id),
            _ => Stored::Contact(id),
        };
        self.naming = Some((name.to_owned(), stored));
    }

    /// What a name stands for.
    async fn stored(&self, name: &str) -> Result<Option<Stored>, DbErr> {
        let at_hand = self.naming.as_ref().filter(|(naming, _)| naming == name);
        match at_hand.map(|(_, stored)| stored).or_else(|| self.named.get(name)) {
            Some(stored) => Ok(Some(*stored)),
            None => self.names.get(name).await,
        }
    }

    /// The active rows of a setup list, by code.
    async fn codes<E: Codes>(
        &mut self,
        db: &impl ConnectionTrait,
    ) -> Result<&HashMap<String, i64>, DbErr> {
        let list = TypeId::of::<E>();
        if !self.codes.contains_key(&list) {
            let rows = E::rows(self.caller, db).await?;
            self.codes.insert(list, rows.into_iter().collect());
        }
        Ok(self.codes.entry(list).or_default())
    }

    /// The id of a setup row that an attribute names by its code; `None` if there is no such
    /// attribute, or it is wrong. Lists whose key is the code give 0.
    async fn code<E: Codes>(
        &mut self,
        db: &impl ConnectionTrait,
        fields: &mut Fields<'_>,
        name: &str,
    ) -> Result<Option<i64>, Stop> {
        let Some(code) = fields.get::<String>(name) else { return Ok(None) };
        let id = self.codes::<E>(db).await?.get(&code).copied();
        if id.is_none() {
            fields.error(name, E::UNKNOWN);
        }
        Ok(id)
    }

    /// The same, where the attribute may clear it.
    async fn optional_code<E: Codes>(
        &mut self,
        db: &impl ConnectionTrait,
        fields: &mut Fields<'_>,
        name: &str,
        slot: &mut Option<i64>,
    ) -> Result<(), Stop> {
        match self.code::<E>(db, fields, name).await? {
            Some(id) => *slot = Some(id),
            None if fields.clears(name) => *slot = None,
            None => {}
        }
        Ok(())
    }
}
