//! Record references: the records named by `StoreRecordID`, for the rest of the file. A file may
//! name millions of records: names are held in memory up to a limit, and beyond it they move to a
//! temporary SQLite file.

use sea_orm::sea_query::{Alias, Expr, ExprTrait, OnConflict, Query};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr};
use shared::database;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const HELD_MAX: usize = 50_000;
const NAMES_PER_STATEMENT: usize = 5_000;
const TABLE: &str = "names";

/// A record that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordRef {
    Contact(i64),
    Loan(i64),
}

impl RecordRef {
    pub(super) fn with(self, key: impl FnOnce(i64) -> i64) -> Self {
        match self {
            Self::Contact(id) => Self::Contact(key(id)),
            Self::Loan(id) => Self::Loan(key(id)),
        }
    }
}

pub(super) struct RecordRefs {
    directory: PathBuf,
    held: HashMap<String, RecordRef>,
    spilled: Option<SpilledRefs>,
    /// The names from `spilled` that the current records refer to.
    fetched: HashMap<String, RecordRef>,
}

struct SpilledRefs {
    db: DatabaseConnection,
    _directory: TempDir,
}

impl RecordRefs {
    /// Creates an empty list. Names that do not fit into memory go into this directory.
    pub(super) fn new(directory: &Path) -> Self {
        let (held, fetched) = (HashMap::new(), HashMap::new());
        Self { directory: directory.to_owned(), held, spilled: None, fetched }
    }

    /// Prefetches the records that these names refer to, for the current batch.
    pub(super) async fn fetch(&mut self, names: Vec<&str>) -> Result<(), DbErr> {
        self.fetched.clear();
        let Some(spilled) = &self.spilled else { return Ok(()) };
        let missing: Vec<&str> =
            names.into_iter().filter(|name| !self.held.contains_key(*name)).collect();
        for chunk in missing.chunks(NAMES_PER_STATEMENT) {
            self.fetched.extend(spilled.find(chunk).await?);
        }
        Ok(())
    }

    pub(super) async fn get(&self, name: &str) -> Result<Option<RecordRef>, DbErr> {
        if let Some(record) = self.held.get(name).or_else(|| self.fetched.get(name)) {
            return Ok(Some(*record));
        }
        match &self.spilled {
            Some(spilled) => Ok(spilled.find(&[name]).await?.pop().map(|(_, record)| record)),
            None => Ok(None),
        }
    }

    /// Names these records from now on, replacing earlier uses of the names.
    pub(super) async fn store(
        &mut self,
        names: impl IntoIterator<Item = (String, RecordRef)>,
    ) -> Result<(), DbErr> {
        self.held.extend(names);
        if self.held.len() <= HELD_MAX {
            return Ok(());
        }
        if self.spilled.is_none() {
            self.spilled = Some(SpilledRefs::new(&self.directory).await?);
        }
        if let Some(spilled) = &self.spilled {
            // A prefetched name may have been given to another record since.
            self.fetched.clear();
            let names: Vec<_> = self.held.drain().collect();
            for chunk in names.chunks(NAMES_PER_STATEMENT) {
                spilled.store(chunk).await?;
            }
        }
        Ok(())
    }
}

impl SpilledRefs {
    async fn new(directory: &Path) -> Result<Self, DbErr> {
        let directory = tempfile::tempdir_in(directory).map_err(to_db_err)?;
        let path = directory.path().join("names.sqlite");
        let db = database::create_scratch(&path).await?;
        db.execute_unprepared(
            "CREATE TABLE names (name TEXT PRIMARY KEY, loan INTEGER, id INTEGER) WITHOUT ROWID",
        )
        .await?;
        Ok(Self { db, _directory: directory })
    }

    async fn find(&self, names: &[&str]) -> Result<Vec<(String, RecordRef)>, DbErr> {
        let select = Query::select()
            .columns(["name", "loan", "id"].map(Alias::new))
            .from(TABLE)
            .and_where(Expr::col("name").is_in(names.iter().copied()))
            .take();
        let rows = self.db.query_all(&select).await?;
        let named = rows.into_iter().map(|row| {
            let (loan, id): (i64, i64) = (row.try_get("", "loan")?, row.try_get("", "id")?);
            let record = if loan == 1 { RecordRef::Loan(id) } else { RecordRef::Contact(id) };
            Ok((row.try_get("", "name")?, record))
        });
        named.collect()
    }

    async fn store(&self, names: &[(String, RecordRef)]) -> Result<(), DbErr> {
        let mut insert = Query::insert();
        insert.into_table(TABLE).columns(["name", "loan", "id"]);
        for (name, record) in names {
            let (loan, id) = match record {
                RecordRef::Loan(id) => (1, *id),
                RecordRef::Contact(id) => (0, *id),
            };
            insert.values_panic([name.as_str().into(), loan.into(), id.into()]);
        }
        insert.on_conflict(OnConflict::column("name").update_columns(["loan", "id"]).to_owned());
        self.db.execute(&insert).await.map(drop)
    }
}

fn to_db_err(error: std::io::Error) -> DbErr {
    DbErr::Custom(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn any_number_of_names_is_remembered() {
        let directory = tempfile::tempdir().unwrap();
        let mut names = RecordRefs::new(directory.path());
        for first in (0..160_000).step_by(20_000) {
            let records = (first..first + 20_000).map(|id| (format!("n{id}"), RecordRef::Loan(id)));
            names.store(records).await.unwrap();
            assert!(names.held.len() <= HELD_MAX);
        }
        names.store([("n5".to_owned(), RecordRef::Contact(7))]).await.unwrap();
        assert_eq!(names.get("n5").await.unwrap(), Some(RecordRef::Contact(7)));
        assert_eq!(names.get("n6").await.unwrap(), Some(RecordRef::Loan(6)));
        assert_eq!(names.get("n159999").await.unwrap(), Some(RecordRef::Loan(159_999)));
        names.fetch(vec!["n8", "n9", "none"]).await.unwrap();
        assert_eq!(names.fetched.len(), 2);
        assert_eq!(names.get("none").await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_reassigned_name_refers_to_the_new_record() {
        let directory = tempfile::tempdir().unwrap();
        let mut names = RecordRefs::new(directory.path());
        let records = |from: i64| from..=from + HELD_MAX as i64;
        names.store(records(0).map(|id| (format!("n{id}"), RecordRef::Loan(id)))).await.unwrap();
        names.fetch(vec!["n5"]).await.unwrap();
        names.store([("n5".to_owned(), RecordRef::Loan(7))]).await.unwrap();
        names
            .store(records(100_000).map(|id| (format!("n{id}"), RecordRef::Loan(id))))
            .await
            .unwrap();
        assert_eq!(names.get("n5").await.unwrap(), Some(RecordRef::Loan(7)));
    }
}
