//! MariaDB Galera: a cluster in which each replica of the servers writes to its own node.
//!
//! A row lock holds on one node only. Concurrent transactions on two nodes are certified at commit,
//! by the rows that each has *written*: the one that comes second to a row is rolled back (error
//! 1213) and is retried ([`crate::database::retry`]). A row that was only locked is not protected on
//! other nodes. So a transaction that locks a row without having to write it also takes the row's
//! guard: a counter in `row_guards`, which every holder of the row writes. On a single server of
//! any kind the lock is enough, and no guard is written.
//!
//! Savepoints are not used in a cluster ([`crate::database::begin_part`]): rolling back to a savepoint that
//! precedes all writes takes effect on that node only.
//!
//! A transaction that another node rolls back can disappear silently: MariaDB (seen in 10.11.19)
//! loses the error where the transaction is about to prepare a statement (`COM_STMT_PREPARE`), as
//! the driver does once per statement text and connection. The remaining statements would be
//! committed one by one. So every write transaction turns autocommit off, begins by inserting a marker
//! row, and commits only if the marker is still there ([`mark`], [`take_mark`]). What was written
//! without it is rolled back, and the whole transaction is retried.
//!
//! Rows linked by a foreign key need no guard: a parent cannot be deleted on one node while a child
//! is inserted on another.

use crate::entity::row_guards::{Column, Entity};
use crate::random::random_bytes;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::sqlx::{self, AssertSqlSafe, Executor, MySqlConnection, Row};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::timeout;

/// Set once a connection of this process has reached a cluster node: a process has one database.
static CLUSTERED: AtomicBool = AtomicBool::new(false);

/// `wsrep_sync_wait` bits, the statements that wait for other nodes' commits: 1 reads and
/// transactions, 2 updates and deletes, 4 inserts. All three must see them: a token that was logged
/// out there, a row just inserted that is to be changed here, a key that is taken.
const SYNC_WAIT: u8 = 7;

/// Bits of a guard's number: enough that an import of a hundred thousand rows in one transaction
/// hardly ever takes the guard of a row that it does not hold.
const NUMBER_BITS: u64 = 0x7fff_ffff;
/// Number of guards of a row that many may hold together: each holder takes one.
const SHARES: u8 = 16;

/// Makes a new connection see what other nodes have committed, if its server is a cluster node.
pub(super) async fn join(connection: &mut MySqlConnection) -> Result<(), sqlx::Error> {
    // No row if the server has no cluster support.
    let select = "SHOW SESSION VARIABLES LIKE 'wsrep_on'";
    let row = connection.fetch_optional(select).await?;
    let on = row.map(|row| row.try_get::<String, _>(1)).transpose()?;
    if on.as_deref() != Some("ON") {
        return Ok(());
    }
    CLUSTERED.store(true, Ordering::Relaxed);
    let wait = format!("SET SESSION wsrep_sync_wait = {SYNC_WAIT}");
    connection.execute(AssertSqlSafe(wait)).await.map(drop)
}

/// The error of a transaction that has lost its mark.
const LOST: &str = "another node rolled the transaction back";

/// Marks a transaction that has just begun. Both statements are sent as text, never prepared.
pub(super) async fn mark(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    if !is_node(tx) {
        return Ok(());
    }
    let choose = "SET autocommit = 0, @mark = -1 - FLOOR(RAND() * 2147483647)";
    tx.execute_unprepared(choose).await?;
    let insert = "INSERT INTO row_guards (guard_id, writes) VALUES (@mark, 0)";
    tx.execute_unprepared(insert).await.map(drop)
}

/// Deletes the mark before the commit. Fails if this is no longer the transaction that set it.
pub(super) async fn take_mark(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    if !is_node(tx) {
        return Ok(());
    }
    let delete = "DELETE FROM row_guards WHERE guard_id = @mark";
    match tx.execute_unprepared(delete).await?.rows_affected() {
        1 => Ok(()),
        _ => Err(DbErr::Custom(LOST.to_owned())),
    }
}

/// Timeout of the clean-up when a connection returns to the pool.
const LEAVE_TIME_MAX: Duration = Duration::from_secs(5);

/// Cleans a connection that returns to the pool: rolls back an open transaction, then turns
/// autocommit on again, which would otherwise commit it. The driver tracks a transaction only once
/// its `BEGIN` is answered, so one cancelled while it waits for other nodes' commits stays open.
pub(super) async fn leave(connection: &mut MySqlConnection) -> Result<(), sqlx::Error> {
    if !CLUSTERED.load(Ordering::Relaxed) {
        return Ok(());
    }
    let cleaned = timeout(LEAVE_TIME_MAX, async {
        connection.execute("ROLLBACK").await?;
        connection.execute("SET autocommit = 1").await.map(drop)
    });
    cleaned.await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// True for the error of a transaction that has lost its mark.
pub(super) fn is_lost(error: &DbErr) -> bool {
    matches!(error, DbErr::Custom(text) if text == LOST)
}

/// How a row is guarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardMode {
    /// By one holder at a time.
    Single,
    /// By many holders at a time, but excluding [`GuardMode::Exclusive`].
    Shared,
    /// By one holder at a time, also excluding [`GuardMode::Shared`].
    Exclusive,
}

/// True if the database's server is a cluster node.
pub fn is_node(db: &impl ConnectionTrait) -> bool {
    db.get_database_backend() == DbBackend::MySql && CLUSTERED.load(Ordering::Relaxed)
}

/// Takes the guard of a locked row, given its table and key. Does nothing on a single server.
pub async fn guard(
    tx: &impl ConnectionTrait,
    table: &str,
    key: &str,
    mode: GuardMode,
) -> Result<(), DbErr> {
    if !is_node(tx) {
        return Ok(());
    }
    let name = |share: u8| number(table, key, share);
    // In order, so that two transactions cannot deadlock on each other's guards.
    let guards: BTreeSet<i32> = match mode {
        GuardMode::Single => [name(0)].into(),
        GuardMode::Shared => [name(random_bytes::<1>()[0] % SHARES)].into(),
        GuardMode::Exclusive => (0..SHARES).map(name).collect(),
    };
    let writes = Expr::col((Entity, Column::Writes)).add(1);
    let mut insert = Query::insert();
    insert.into_table(Entity).columns([Column::GuardId, Column::Writes]);
    for guard in guards {
        insert.values_panic([guard.into(), 1_i64.into()]);
    }
    let on_conflict = OnConflict::column(Column::GuardId).value(Column::Writes, writes).to_owned();
    tx.execute(insert.on_conflict(on_conflict)).await.map(drop)
}

/// Takes the guard of a row with a numeric key, for one holder at a time.
pub async fn guard_row(tx: &DatabaseTransaction, table: &str, id: i64) -> Result<(), DbErr> {
    guard(tx, table, &id.to_string(), GuardMode::Single).await
}

/// Returns the number of a guard (FNV-1a): the same in every release, because two may run side by
/// side.
fn number(table: &str, key: &str, share: u8) -> i32 {
    let bytes = table.bytes().chain([0]).chain(key.bytes()).chain([0, share]);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // Folds in the high bits: the low ones alone are poorly distributed.
    i32::try_from((hash ^ (hash >> 32)) & NUMBER_BITS).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guard_rows_are_spread_and_stable() {
        let numbers: BTreeSet<i32> =
            (1..=10_000).map(|id: i64| number("loans", &id.to_string(), 0)).collect();
        assert!(numbers.len() > 9_995, "{}", numbers.len());
        assert!(numbers.iter().all(|number| *number >= 0));
        let shares: BTreeSet<i32> =
            (0..SHARES).map(|share| number("oauth_clients", "app", share)).collect();
        assert_eq!(shares.len(), usize::from(SHARES));
        assert_eq!(number("loans", "1", 0), 453_187_402, "as every release has it");
    }
}
