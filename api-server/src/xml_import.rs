//! XML import. Applies a file that passed its syntax check, record by record, by the API's rules.
//!
//! | `CommitBlock` | |
//! |---|---|
//! | `0` (default) | each top-level record commits with its children |
//! | `1` | the file is one transaction: a failing record rolls back all of it |
//!
//! A test run is a dry run: one transaction that tries each record and is rolled back at the end. A
//! block tries all its records too, even after one has failed, so that one run reports every error.
//!
//! Records that only insert rows are applied in batches: their rows are staged in memory and
//! inserted in bulk ([`batch`]), and the rows they refer to are looked up for the whole batch at a
//! time ([`lookup_cache`]). All other records are applied one at a time, each in its own transaction
//! or savepoint, element by element; so are the records of a batch that runs into a conflicting row
//! or a lock. Both ways run the same functions: a batch only writes later.
//!
//! Anything that grows with the file is on disk while the import runs: the file itself ([`spool`]),
//! its results ([`results`]) and the names of its records ([`record_refs`]).

pub mod format;
pub mod idempotent_import;
pub mod import_log;
pub mod parse;
pub mod refusals;
pub mod report;
pub mod results;
pub mod schema;
pub mod spool;
pub mod vin;

mod batch;
mod codes;
mod collateral;
mod comments;
mod contacts;
mod element_fields;
mod field_values;
mod loans;
mod lookup_cache;
mod outcome;
mod payments;
mod record_refs;
mod runner;
mod upsert;

pub use self::runner::{Pieces, run};

use self::batch::{Batch, BatchKeys};
use self::codes::Codes;
use self::contacts::credentials::Hashes;
use self::element_fields::{ElementFields, UpdateMode, update_of};
use self::lookup_cache::LookupCache;
use self::outcome::{
    ElementOutcome, RecordError, refuse, report_refusal, report_refusal_with_children,
};
use self::parse::{Element, XmlFault};
use self::record_refs::{RecordRef, RecordRefs};
use self::report::{Action, Level, Message, RecordResult};
use crate::audit::Actor;
use crate::auth::caller::Caller;
use crate::auth::privileges::Forbidden;
use crate::command::execute::Executor;
use crate::http::import_gate::ImportGate;
use crate::xml_import::refusals::ImportError;
use crate::xml_import::vin::VinCheck;
use sea_orm::{DatabaseConnection, DatabaseTransaction, DbErr};
use shared::database::gate::DatabaseGate;
use shared::database::{self, contact_search};
use shared::entity::{self, user_defined_fields};
use shared::passwords::Passwords;
use shared::time::Clock;
use std::any::TypeId;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

/// Concurrency limit for imports: each may need a GiB of the spool directory, plus its results.
pub const IMPORTS_MAX: usize = 4;
pub struct Import<'a> {
    caller: &'a Caller,
    author: Actor,
    passwords: &'a Passwords,
    clock: Clock,
    /// Unknown elements and attributes fail their record.
    enforce: bool,
    /// Directory for what does not fit into memory.
    directory: PathBuf,
    /// Ids of setup rows by code, one map per list. Each list is read once.
    codes: HashMap<TypeId, HashMap<String, i64>>,
    /// Definitions of the user-defined fields, read once.
    definitions: Option<Arc<[user_defined_fields::Model]>>,
    /// Ids of the statuses that close a loan, read once.
    closed_statuses: Option<Vec<i64>>,
    /// How wrong vehicle identification numbers are treated. Read once.
    vin_check: Option<VinCheck>,
    /// Records named by `StoreRecordID`: the committed ones, the successful ones of the current
    /// batch, and the current one.
    record_refs: RecordRefs,
    batch_refs: HashMap<String, RecordRef>,
    current_ref: Option<(String, RecordRef)>,
    lookup_cache: LookupCache,
    /// Password hashes for the current records, computed before their transaction begins.
    hashes: Hashes,
    stage: Batch,
    /// Each element is written immediately, because later elements may read its rows.
    direct: bool,
    /// Turns true to end the import before its next record.
    stop: Option<watch::Receiver<bool>>,
    /// Closed while one of the import's transactions locks the whole database.
    gate: Arc<ImportGate>,
    /// Closed while the database must not be used.
    database_gate: Option<DatabaseGate>,
}

/// How a file is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportMode {
    /// Dry run: everything is rolled back at the end.
    pub test: bool,
    /// The file is one transaction.
    pub block: bool,
    /// Unknown elements and attributes fail their record.
    pub enforce: bool,
}

impl ImportMode {
    /// Reads the attributes of the root element. A misspelt one is a fault: otherwise the file
    /// would be applied in a mode it does not ask for.
    pub fn new(root: &Element, test: bool) -> Result<Self, XmlFault> {
        let fault = |message| XmlFault { line: root.line, column: 1, message };
        let (mut block, mut enforce) = (false, false);
        for (name, value) in &root.attributes {
            let flag = match name.as_str() {
                format::COMMIT_BLOCK => &mut block,
                format::ENFORCE => &mut enforce,
                // Written by XML tools to refer to a schema.
                name if name.starts_with("xmlns:") || name.starts_with("xsi:") => continue,
                name => return Err(fault(format!("unknown attribute {name} on {}", root.name))),
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

/// The row that the child elements of a record belong to.
enum ParentRecord {
    Contact(i64),
    Loan(Box<entity::loans::Model>),
    /// The row was deleted, or never existed.
    None,
}

impl ParentRecord {
    fn resolve(&mut self, keys: &BatchKeys) {
        match self {
            Self::Contact(contact_id) => *contact_id = keys.of(*contact_id),
            Self::Loan(row) => {
                row.loan_id = keys.of(row.loan_id);
                row.contact_id = keys.of(row.contact_id);
            }
            Self::None => {}
        }
    }
}

/// Refuses an element inside one that is being deleted.
fn inside_deleted(child: &Element) -> ElementOutcome {
    let message = Message::error(child, None, "is inside an element that is being deleted");
    ElementOutcome { results: Vec::new(), failed: true, messages: vec![message] }
}

/// A `Transactions` record whose payments arrive one at a time.
struct OpenRecord {
    /// Something in the record failed, so all of it is rolled back.
    failed: bool,
    /// Messages about the record itself. They go into the result of its first element.
    messages: Vec<Message>,
}

impl<'a> Import<'a> {
    /// Creates an import by this caller. `directory` holds what does not fit into memory.
    pub fn new(
        caller: &'a Caller,
        author: Actor,
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
            record_refs: RecordRefs::new(directory),
            batch_refs: HashMap::new(),
            current_ref: None,
            lookup_cache: LookupCache::default(),
            hashes: Hashes::new(),
            stage: Batch::default(),
            direct: false,
            stop: None,
            gate: Arc::default(),
            database_gate: None,
        }
    }

    /// Sets the gates: the one to close while one of the import's transactions locks the whole
    /// database, and the database's own.
    #[must_use]
    pub fn with_gates(self, executor: &Executor) -> Self {
        let import = self.behind(executor.database_gate.clone());
        Self { gate: Arc::clone(&executor.import_gate), ..import }
    }

    /// Sets the database's gate, without which the import would go on whatever becomes of it.
    #[must_use]
    pub fn behind(self, database_gate: DatabaseGate) -> Self {
        Self { database_gate: Some(database_gate), ..self }
    }

    async fn begin_write(&self, db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
        match &self.database_gate {
            Some(gate) => gate.begin_write().await,
            None => database::begin_write(db).await,
        }
    }

    /// Sets the signal that ends the import before its next record. Committed records stay.
    #[must_use]
    pub fn until(mut self, stop: watch::Receiver<bool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Returns the import with the transaction in which its next records are applied.
    fn within<'t>(&'t mut self, tx: &'t DatabaseTransaction) -> ImportTransaction<'t, 'a> {
        ImportTransaction { import: self, tx }
    }

    /// Discards the in-memory state of the last batch.
    fn discard_batch(&mut self) {
        self.lookup_cache = LookupCache::default();
        self.stage = Batch::default();
        self.batch_refs.clear();
        self.current_ref = None;
        self.direct = false;
    }

    /// Makes the names of the batch available to later records, now that it is committed.
    async fn store_refs(&mut self) -> Result<(), ImportError> {
        let refs: Vec<_> = self.batch_refs.drain().collect();
        Ok(self.record_refs.store(refs).await?)
    }

    /// Restores the name of a record that an earlier run has already committed.
    async fn restore_ref(
        &mut self,
        record: &Element,
        done: &[RecordResult],
    ) -> Result<(), ImportError> {
        let has_ref = matches!(record.name.as_str(), "Contact" | "Loan")
            && update_of(record) != UpdateMode::Delete;
        if let Some(id) = done.first().and_then(|result| result.new_id).filter(|_| has_ref) {
            self.set_record_ref(record, id);
            self.batch_refs.extend(self.current_ref.take());
            self.store_refs().await?;
        }
        Ok(())
    }

    /// Begins a `Transactions` record. It has a result of its own only if it fails.
    fn open_record(&self, record: &Element) -> (OpenRecord, Vec<RecordResult>) {
        match ElementFields::new(record, &payments::TRANSACTIONS, self.enforce).finish() {
            Ok(messages) => (OpenRecord { failed: false, messages }, Vec::new()),
            Err(messages) => {
                let failed = ElementOutcome::one(record, Action::Failed, None, 0, messages);
                (OpenRecord { failed: true, messages: Vec::new() }, failed.results)
            }
        }
    }

    /// Reports a record of an unknown kind, which is not applied. It fails the enclosing record
    /// only if the file enforces names.
    fn unknown_record(&self, element: &Element) -> ElementOutcome {
        let text = format!("unknown record {}", element.name);
        let messages = vec![self.unknown_name(element, text)];
        let mut applied = ElementOutcome::one(element, Action::Failed, None, 0, messages);
        applied.failed = self.enforce;
        applied
    }

    /// Reports an unknown element in the result of its parent.
    fn unknown_element(&self, parent: &str, element: &Element) -> ElementOutcome {
        let text = format!("unknown element {} in {parent}", element.name);
        let messages = vec![self.unknown_name(element, text)];
        ElementOutcome { results: Vec::new(), failed: self.enforce, messages }
    }

    fn unknown_name(&self, element: &Element, text: String) -> Message {
        let level = if self.enforce { Level::Error } else { Level::Warning };
        Message { level, ..Message::error(element, None, text) }
    }

    /// The importing user's id, for columns that hold it.
    fn user_id(&self) -> Result<i64, Forbidden> {
        self.author.user_id().ok_or(Forbidden::CoreUserOnly)
    }

    /// Gives the row the element's `StoreRecordID`, if it has one, from now on.
    fn set_record_ref(&mut self, element: &Element, id: i64) {
        let Some(name) = element.attribute("StoreRecordID") else { return };
        let record_ref = match element.name.as_str() {
            "Loan" => RecordRef::Loan(id),
            _ => RecordRef::Contact(id),
        };
        self.current_ref = Some((name.to_owned(), record_ref));
    }

    /// Returns the record that a `GetRecordID` refers to.
    async fn record_ref(&self, name: &str) -> Result<Option<RecordRef>, DbErr> {
        let current = self.current_ref.as_ref().filter(|(current_name, _)| current_name == name);
        match current.map(|(_, record_ref)| record_ref).or_else(|| self.batch_refs.get(name)) {
            Some(record_ref) => Ok(Some(*record_ref)),
            None => self.record_refs.get(name).await,
        }
    }
}

/// An import, and the transaction in which its current records are applied.
struct ImportTransaction<'t, 'a> {
    import: &'t mut Import<'a>,
    tx: &'t DatabaseTransaction,
}

/// True for a record that may write a contact, whose search keys must then be made.
fn is_contact(record: &Element) -> bool {
    record.name == "Contact"
}

impl<'a> Deref for ImportTransaction<'_, 'a> {
    type Target = Import<'a>;

    fn deref(&self) -> &Import<'a> {
        self.import
    }
}

impl<'a> DerefMut for ImportTransaction<'_, 'a> {
    fn deref_mut(&mut self) -> &mut Import<'a> {
        self.import
    }
}

impl ImportTransaction<'_, '_> {
    /// Applies records that only insert rows, and inserts their rows in bulk.
    async fn batch(&mut self, records: &[Element]) -> Result<Vec<ElementOutcome>, ImportError> {
        self.discard_batch();
        self.look_up(records).await?;
        let mut outcomes = Vec::with_capacity(records.len());
        for record in records {
            outcomes.push(self.record(record).await?);
        }
        let keys = self.write().await?;
        for applied in &mut outcomes {
            applied.resolve(&keys);
        }
        if records.iter().any(is_contact) {
            contact_search::refill_in(self.tx).await?;
        }
        Ok(outcomes)
    }

    /// Applies one record of any kind, writing each of its elements immediately.
    async fn record_alone(&mut self, record: &Element) -> Result<ElementOutcome, ImportError> {
        self.discard_batch();
        self.direct = true;
        let applied = self.record(record).await;
        self.direct = false;
        if is_contact(record) && applied.as_ref().is_ok_and(|applied| !applied.failed) {
            contact_search::refill_in(self.tx).await?;
        }
        applied
    }

    /// Applies a top-level record, all or nothing.
    async fn record(&mut self, record: &Element) -> Result<ElementOutcome, ImportError> {
        self.current_ref = None;
        self.lookup_cache.begin_record();
        self.stage.begin_record();
        let mut applied = match record.name.as_str() {
            "Transactions" => self.transactions(record).await?,
            "Contact" | "Loan" => self.with_elements(record).await?,
            _ => self.unknown_record(record),
        };
        if applied.failed {
            applied.roll_back();
            self.stage.roll_back_record();
            self.lookup_cache.roll_back_record();
        } else {
            let current = self.current_ref.take();
            self.batch_refs.extend(current);
        }
        Ok(applied)
    }

    /// Applies a contact or a loan with its child elements.
    async fn with_elements(&mut self, record: &Element) -> Result<ElementOutcome, ImportError> {
        let (mut applied, mut parent) = match self.head(record).await {
            Ok(head) => head,
            Err(error) => (report_refusal(record, Err(error))?, ParentRecord::None),
        };
        for child in &record.children {
            let outcome = match applied.failed {
                true => Ok(ElementOutcome::untried(child)),
                false => self.element(&mut parent, child).await,
            };
            applied.add(report_refusal_with_children(child, outcome)?);
        }
        Ok(applied)
    }

    /// Applies a contact or a loan without its child elements.
    async fn head(
        &mut self,
        record: &Element,
    ) -> Result<(ElementOutcome, ParentRecord), RecordError> {
        let (mut applied, mut parent) = match record.name.as_str() {
            "Contact" => Box::pin(self.contact(record)).await?,
            _ => Box::pin(self.loan(record)).await?,
        };
        let keys = self.flush(&mut applied).await?;
        parent.resolve(&keys);
        Ok((applied, parent))
    }

    /// Applies a child element of a contact or a loan.
    async fn element(
        &mut self,
        parent: &mut ParentRecord,
        child: &Element,
    ) -> Result<ElementOutcome, RecordError> {
        let outcome = match parent {
            ParentRecord::Contact(id) => Box::pin(self.in_contact(*id, child)).await,
            ParentRecord::Loan(loan) => Box::pin(self.in_loan(loan, child)).await,
            ParentRecord::None => Ok(inside_deleted(child)),
        };
        let mut applied = outcome?;
        let keys = self.flush(&mut applied).await?;
        parent.resolve(&keys);
        Ok(applied)
    }

    /// Writes the staged rows, if elements are written immediately.
    async fn flush(&mut self, applied: &mut ElementOutcome) -> Result<BatchKeys, RecordError> {
        if !self.direct {
            return Ok(BatchKeys::default());
        }
        let keys = self.write().await?;
        applied.resolve(&keys);
        Ok(keys)
    }

    async fn write(&mut self) -> Result<BatchKeys, ImportError> {
        if self.stage.is_empty() {
            return Ok(BatchKeys::default());
        }
        let import = &mut *self.import;
        let written = import.stage.write(self.tx, &import.author, import.clock.now);
        let keys = Box::pin(written).await?;
        let current = import.current_ref.iter_mut().map(|(_, current)| current);
        for record_ref in import.batch_refs.values_mut().chain(current) {
            *record_ref = record_ref.with(|id| keys.of(id));
        }
        Ok(keys)
    }

    async fn transactions(&mut self, record: &Element) -> Result<ElementOutcome, ImportError> {
        let (mut open_record, mut results) = self.open_record(record);
        for child in &record.children {
            results.extend(self.apply_payment(&mut open_record, child).await?);
        }
        Ok(ElementOutcome { results, failed: open_record.failed, messages: Vec::new() })
    }

    /// Posts the next payment of a `Transactions` record. After one has failed, the rest are not
    /// tried.
    async fn apply_payment(
        &mut self,
        record: &mut OpenRecord,
        child: &Element,
    ) -> Result<Vec<RecordResult>, ImportError> {
        let mut applied = match child.name.as_str() {
            _ if record.failed => ElementOutcome::untried(child),
            "Payment" => report_refusal(child, Box::pin(self.payment(child)).await)?,
            _ => self.unknown_record(child),
        };
        record.failed |= applied.failed;
        applied.add_messages(std::mem::take(&mut record.messages));
        Ok(applied.results)
    }

    /// Returns the ids of a setup list's active rows, by code.
    async fn codes<E: Codes>(&mut self) -> Result<&HashMap<String, i64>, DbErr> {
        let list = TypeId::of::<E>();
        if !self.codes.contains_key(&list) {
            let rows = E::rows(self.caller, self.tx).await?;
            self.codes.insert(list, rows.into_iter().collect());
        }
        Ok(self.codes.entry(list).or_default())
    }

    /// Returns the id of the setup row whose code an attribute holds. `None` if the attribute is
    /// absent or wrong.
    async fn code<E: Codes>(
        &mut self,
        fields: &mut ElementFields<'_>,
        name: &str,
    ) -> Result<Option<i64>, RecordError> {
        let Some(code) = fields.get::<String>(name) else { return Ok(None) };
        let id = self.codes::<E>().await?.get(&code).copied();
        if id.is_none() {
            fields.error(name, "is unknown or no longer active");
        }
        Ok(id)
    }

    /// Sets `slot` to the id of the setup row whose code an attribute holds, or clears it where the
    /// attribute is `##NULL##`.
    async fn optional_code<E: Codes>(
        &mut self,
        fields: &mut ElementFields<'_>,
        name: &str,
        slot: &mut Option<i64>,
    ) -> Result<(), RecordError> {
        match self.code::<E>(fields, name).await? {
            Some(id) => *slot = Some(id),
            None if fields.clears(name) => *slot = None,
            None => {}
        }
        Ok(())
    }
}
