//! XML import: applies a checked file, record by record, by the same rules as the API.
//!
//! | `CommitBlock` | |
//! |---|---|
//! | `0` (default) | each top-level record commits with its children |
//! | `1` | the file is one transaction: a failing record leaves nothing |
//!
//! A test run is one transaction in which each record is tried and everything is undone at the end.
//! In a block all records are tried too, so that one run finds everything that is wrong.

pub mod parse;
pub mod report;

mod codes;
mod contacts;
mod fields;
mod loans;
mod payments;

use self::codes::Codes;
use self::fields::Fields;
use self::parse::{Element, Fault};
use self::report::{Action, ImportResult, Level, Message, RecordResult};
use crate::access::Caller;
use crate::history::Author;
use crate::idempotency::{Claim, IMPORT_LEASE_SECONDS};
use crate::visibility::Visible;
use poem::http::StatusCode;
use poem_openapi::types::{ParseFromJSON, ToJSON};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    QueryFilter, TransactionTrait,
};
use shared::amounts::OutOfRange;
use shared::db;
use shared::passwords::Passwords;
use shared::problem::Problem;
use shared::time::Clock;
use std::any::TypeId;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Receiver;

/// A long import renews its claim so often.
const LEASE_RENEWED_EVERY: Duration = Duration::from_secs(60);
/// Tries of a record that another transaction got in the way of.
const TRIES: usize = 4;

/// An import under way.
pub struct Import<'a> {
    caller: &'a Caller,
    author: Author,
    passwords: &'a Passwords,
    clock: Clock,
    /// Unknown elements and attributes fail their record.
    enforce: bool,
    /// Setup lists by code, read once.
    codes: HashMap<TypeId, HashMap<String, i64>>,
    /// Records named by StoreRecordID, and those of the record at hand.
    stored: HashMap<String, Stored>,
    storing: HashMap<String, Stored>,
}

#[derive(Clone, Copy, Debug)]
enum Stored {
    Contact(i64),
    Loan(i64),
}

/// How a file wants to be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Everything is undone at the end.
    pub test: bool,
    /// The file is one transaction.
    pub block: bool,
    /// Unknown elements and attributes fail their record.
    pub enforce: bool,
}

impl Mode {
    /// What the attributes of the root element ask for.
    pub fn new(root: &Element, test: bool) -> Result<Self, Fault> {
        let flag = |name: &str| match root.attribute(name) {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(other) => Err(Fault {
                line: root.line,
                column: 1,
                message: format!("{name} must be 0 or 1, not {other:?}"),
            }),
        };
        Ok(Self { test, block: flag("CommitBlock")?, enforce: flag("EnforceTagExistence")? })
    }
}

/// Why an element was not applied.
enum Stop {
    /// Something is wrong with it.
    Refused(Vec<Message>),
    /// A rule of the API, or a failure of the database.
    Problem(Problem),
}

fn refuse(element: &Element, message: &str) -> Stop {
    Stop::Refused(vec![Message::error(element, None, message)])
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<Vec<Message>> for Stop {
    fn from(messages: Vec<Message>) -> Self {
        Self::Refused(messages)
    }
}

impl From<DbErr> for Stop {
    fn from(error: DbErr) -> Self {
        Self::Problem(error.into())
    }
}

impl From<OutOfRange> for Stop {
    fn from(error: OutOfRange) -> Self {
        Self::Problem(error.into())
    }
}

/// The results of an element and of the elements in it.
#[derive(Default)]
struct Applied {
    results: Vec<RecordResult>,
    failed: bool,
}

impl Applied {
    fn one(
        element: &Element,
        action: Action,
        key: Option<String>,
        id: i64,
        messages: Vec<Message>,
    ) -> Self {
        let new_id = (id != 0).then_some(id);
        let (line, element) = (element.line as i64, element.name.clone());
        let result = RecordResult { line, element, action, key, new_id, messages };
        Self { results: vec![result], failed: action == Action::Failed }
    }

    fn extend(&mut self, other: Self) {
        self.results.extend(other.results);
        self.failed |= other.failed;
    }

    fn add_messages(&mut self, messages: Vec<Message>) {
        if let Some(result) = self.results.first_mut() {
            result.messages.extend(messages);
        }
    }

    /// Everything good in it was undone.
    fn roll_back(&mut self) {
        for result in &mut self.results {
            if result.action != Action::Failed {
                result.action = Action::RolledBack;
                result.new_id = None;
            }
        }
    }
}

/// Applies the records that come through the channel and answers for all of them.
pub async fn run(
    db: &DatabaseConnection,
    import: Import<'_>,
    mode: Mode,
    records: Receiver<Result<Element, Fault>>,
    claim: Option<&Claim>,
) -> Result<String, Problem> {
    match mode.test || mode.block {
        true => run_as_block(db, import, mode, records, claim).await,
        false => run_by_record(db, import, records, claim).await,
    }
}

async fn run_as_block(
    db: &DatabaseConnection,
    mut import: Import<'_>,
    mode: Mode,
    mut records: Receiver<Result<Element, Fault>>,
    claim: Option<&Claim>,
) -> Result<String, Problem> {
    let tx = db::begin_write(db).await?;
    let mut all = Applied::default();
    let mut renewed = Instant::now();
    // SQLite's write lock keeps others out, and this lease cannot be renewed beside it.
    let renewable = claim.filter(|_| db.get_database_backend() != DbBackend::Sqlite);
    while let Some(record) = records.recv().await {
        if let Some(claim) = renewable.filter(|_| renewed.elapsed() > LEASE_RENEWED_EVERY) {
            claim.hold(db, IMPORT_LEASE_SECONDS).await?;
            renewed = Instant::now();
        }
        let record = record.map_err(malformed)?;
        let savepoint = tx.begin().await?;
        let applied = import.record(&savepoint, &record).await?;
        match applied.failed {
            true => savepoint.rollback().await?,
            false => savepoint.commit().await?,
        }
        all.extend(applied);
    }
    let undone = mode.block && all.failed;
    if undone {
        all.roll_back();
    }
    let body = ImportResult::new(mode.test, !undone, all.results).to_json_string();
    if undone || mode.test {
        tx.rollback().await?;
        keep_alone(db, claim.filter(|_| !mode.test), &body).await?;
        return Ok(body);
    }
    if let Some(claim) = claim {
        claim.keep(&tx, StatusCode::OK, &body).await?;
    }
    tx.commit().await?;
    Ok(body)
}

async fn run_by_record(
    db: &DatabaseConnection,
    mut import: Import<'_>,
    mut records: Receiver<Result<Element, Fault>>,
    claim: Option<&Claim>,
) -> Result<String, Problem> {
    let mut all = Applied::default();
    let mut committed = false;
    let mut done = match claim {
        Some(claim) => claim.progress(db).await?.into_iter(),
        None => Vec::new().into_iter(),
    };
    let mut record_index = 0;
    while let Some(record) = records.recv().await {
        let record = record.map_err(malformed)?;
        let applied = match done.next() {
            Some(noted) => import.recall(&record, &noted)?,
            None => {
                let noting = claim.map(|claim| (claim, record_index));
                import.record_alone(db, &record, noting).await?
            }
        };
        committed |= !applied.failed;
        all.extend(applied);
        record_index += 1;
    }
    let committed = committed || all.results.is_empty();
    let body = ImportResult::new(false, committed, all.results).to_json_string();
    keep_alone(db, claim, &body).await?;
    Ok(body)
}

/// Keeps the answer in a transaction of its own, after all effects.
async fn keep_alone(
    db: &DatabaseConnection,
    claim: Option<&Claim>,
    body: &str,
) -> Result<(), Problem> {
    let Some(claim) = claim else { return Ok(()) };
    let tx = db::begin_write(db).await?;
    claim.finish(&tx, StatusCode::OK, body).await?;
    Ok(tx.commit().await?)
}

/// 400 with line and column.
pub fn malformed(fault: Fault) -> Problem {
    Problem::bad_request(fault.to_string())
        .member("line", fault.line)
        .member("column", fault.column)
}

impl<'a> Import<'a> {
    /// An import by this caller.
    pub fn new(
        caller: &'a Caller,
        author: Author,
        passwords: &'a Passwords,
        clock: Clock,
        enforce: bool,
    ) -> Self {
        Self {
            caller,
            author,
            passwords,
            clock,
            enforce,
            codes: HashMap::new(),
            stored: HashMap::new(),
            storing: HashMap::new(),
        }
    }

    /// A record in a transaction of its own, tried again when another one got in the way. Under a
    /// key the same transaction holds the claim and notes what came of the record.
    async fn record_alone(
        &mut self,
        db: &DatabaseConnection,
        record: &Element,
        noting: Option<(&Claim, i32)>,
    ) -> Result<Applied, Problem> {
        let mut tries = 1;
        loop {
            match self.record_once(db, record, noting).await {
                Err(problem)
                    if tries < TRIES && (problem.is_contention() || problem.is_lock_timeout()) =>
                {
                    tries += 1;
                }
                outcome => return outcome,
            }
        }
    }

    async fn record_once(
        &mut self,
        db: &DatabaseConnection,
        record: &Element,
        noting: Option<(&Claim, i32)>,
    ) -> Result<Applied, Problem> {
        let tx = db::begin_write(db).await?;
        if let Some((claim, _)) = noting {
            claim.hold(&tx, IMPORT_LEASE_SECONDS).await?;
        }
        self.clock = db::clock(&tx).await?;
        let savepoint = tx.begin().await?;
        let applied = self.record(&savepoint, record).await?;
        match applied.failed {
            true => savepoint.rollback().await?,
            false => savepoint.commit().await?,
        }
        if let Some((claim, record_index)) = noting {
            claim.note(&tx, record_index, applied.results.to_json_string()).await?;
        }
        tx.commit().await?;
        Ok(applied)
    }

    /// What came of a record that an earlier try has done.
    fn recall(&mut self, record: &Element, noted: &str) -> Result<Applied, Problem> {
        let results = Vec::<RecordResult>::parse_from_json_string(noted)
            .map_err(|error| Problem::internal(error.into_message()))?;
        let failed = results.iter().any(|result| result.action == Action::Failed);
        if let Some(id) = results.first().and_then(|result| result.new_id) {
            self.store(record, id);
            self.stored.extend(self.storing.drain());
        }
        Ok(Applied { results, failed })
    }

    /// Applies a top-level record: all of it, or nothing of it counts.
    async fn record(
        &mut self,
        tx: &DatabaseTransaction,
        record: &Element,
    ) -> Result<Applied, Problem> {
        self.storing.clear();
        let mut applied = match record.name.as_str() {
            "Transactions" => self.transactions(tx, record).await?,
            "Contact" => judge(record, self.contact(tx, record).await)?,
            "Loan" => judge(record, self.loan(tx, record).await)?,
            other => self.unknown_record(record, other),
        };
        if applied.failed {
            applied.roll_back();
        } else {
            self.stored.extend(self.storing.drain());
        }
        Ok(applied)
    }

    async fn transactions(
        &mut self,
        tx: &DatabaseTransaction,
        record: &Element,
    ) -> Result<Applied, Problem> {
        let mut fields = Fields::new(record, self.enforce);
        fields.note_unknown(&[]);
        let unknown = fields.about_attributes();
        if let Some(message) = unknown.iter().find(|message| message.level == Level::Error) {
            let messages = vec![message.clone()];
            return Ok(Applied::one(record, Action::Failed, None, 0, messages));
        }
        let mut all = Applied::default();
        for child in &record.children {
            let applied = match child.name.as_str() {
                "Payment" if !all.failed => judge(child, self.payment(tx, child).await)?,
                "Payment" => {
                    Applied::one(child, Action::RolledBack, number_of(child), 0, Vec::new())
                }
                other => self.unknown_record(child, other),
            };
            all.extend(applied);
        }
        all.add_messages(unknown);
        Ok(all)
    }

    /// A record of no known kind is not applied, and the report says so. It fails what it stands
    /// in only where the file enforces names.
    fn unknown_record(&self, element: &Element, name: &str) -> Applied {
        let level = if self.enforce { Level::Error } else { Level::Warning };
        let message = Message::error(element, None, format!("no record is called {name}"));
        let messages = vec![Message { level, ..message }];
        let mut applied = Applied::one(element, Action::Failed, None, 0, messages);
        applied.failed = self.enforce;
        applied
    }

    /// The row an element names by its id or by its human number.
    async fn named<E: Visible>(
        &self,
        tx: &DatabaseTransaction,
        fields: &mut Fields<'_>,
        (id_name, id): (&'static str, E::Column),
        (number_name, number): (&'static str, E::Column),
    ) -> Result<Option<E::Model>, Stop> {
        let named = match (fields.id(id_name), fields.raw(number_name)) {
            (Some(value), _) => id.eq(value),
            (None, Some(value)) => number.eq(value),
            (None, None) => {
                fields.missing(number_name);
                return Ok(None);
            }
        };
        Ok(self.caller.find::<E>().filter(named).one(tx).await?)
    }

    fn store(&mut self, element: &Element, id: i64) {
        let Some(name) = element.attribute("StoreRecordID") else { return };
        let stored = match element.name.as_str() {
            "Loan" => Stored::Loan(id),
            _ => Stored::Contact(id),
        };
        self.storing.insert(name.to_owned(), stored);
    }

    fn stored_contact(&self, name: &str) -> Option<i64> {
        match self.storing.get(name).or_else(|| self.stored.get(name))? {
            Stored::Contact(id) => Some(*id),
            Stored::Loan(_) => None,
        }
    }

    fn stored_loan(&self, name: &str) -> Option<i64> {
        match self.storing.get(name).or_else(|| self.stored.get(name))? {
            Stored::Loan(id) => Some(*id),
            Stored::Contact(_) => None,
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
}

/// The human number an element names.
fn number_of(element: &Element) -> Option<String> {
    let number = element.attribute("LoanNumber").or(element.attribute("ContactNumber"));
    number.map(str::to_owned)
}

/// A rule that was broken fails the element; a failure of the database ends the import.
fn judge(element: &Element, outcome: Result<Applied, Stop>) -> Result<Applied, Problem> {
    let key = || number_of(element);
    match outcome {
        Ok(applied) => Ok(applied),
        Err(Stop::Refused(messages)) => {
            Ok(Applied::one(element, Action::Failed, key(), 0, messages))
        }
        Err(Stop::Problem(problem)) if problem.is_contention() || problem.is_lock_timeout() => {
            Err(problem.or_unavailable())
        }
        Err(Stop::Problem(problem)) if problem.is_conflict() => {
            let text = "clashes with other rows: a number that is taken, or rows that refer to it";
            let messages = vec![Message::error(element, None, text)];
            Ok(Applied::one(element, Action::Failed, key(), 0, messages))
        }
        Err(Stop::Problem(problem)) if problem.kind().status().is_client_error() => {
            let messages = vec![Message::problem(element, &problem)];
            Ok(Applied::one(element, Action::Failed, key(), 0, messages))
        }
        Err(Stop::Problem(problem)) => Err(problem),
    }
}
