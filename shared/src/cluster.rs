//! MariaDB Galera: a cluster in which each replica of the servers writes to a node of its own.
//!
//! There a lock holds on one node alone. What two nodes do at a time is compared when they commit,
//! by the rows that each has *written*: whoever comes second to a row is undone (error 1213), and
//! does it again ([`crate::db::again`]). A row that was only locked guards nothing elsewhere.
//! Therefore whoever locks a row, and need not write it, takes its guard as well: a counter in
//! `row_guards` that he writes, and that whoever else holds the row writes, too. On one server, of
//! whichever kind, the lock does, and no guard is written.
//!
//! There are no savepoints there ([`crate::db::begin_part`]): what is undone behind one that nothing was
//! written before is undone on that node alone, and a transaction with one that another node undoes is
//! gone without a word, so that the rest of its statements are committed one by one.
//!
//! Rows that go together by a foreign key need no guard: the parent cannot go on one node while a
//! child comes on another.

use crate::entity::row_guards::{Column, Entity};
use crate::random::random_bytes;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::sqlx::{self, AssertSqlSafe, Executor, MySqlConnection, Row};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a connection of this process came to a node of a cluster: a process has one database.
static CLUSTERED: AtomicBool = AtomicBool::new(false);

/// What a connection waits for before it begins: 1 reads and transactions, 2 updates and deletions,
/// 4 insertions. All three have to find what other nodes have committed: a token that was logged out
/// there, a row that came a moment ago and is to be changed here, a key that is taken.
const SYNC_WAIT: u8 = 7;

/// The bits of a guard's number. So many that an import of a hundred thousand rows in one
/// transaction has hardly a guard of a row that it does not hold.
const NUMBER_BITS: u64 = 0x7fff_ffff;
/// Guards of a row that many hold together: each takes one of them.
const SHARES: u8 = 16;

/// Makes a new connection see what other nodes have committed, if its server is one of several.
pub(crate) async fn join(connection: &mut MySqlConnection) -> Result<(), sqlx::Error> {
    // No row where the server knows nothing of clusters.
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

/// How a row is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// By one at a time.
    Alone,
    /// By many at a time, but by nobody who holds it [`Hold::AgainstAll`].
    Together,
    /// By one at a time, and by nobody who holds it [`Hold::Together`].
    AgainstAll,
}

/// True if the database's server is one of several.
pub fn is_node(db: &impl ConnectionTrait) -> bool {
    db.get_database_backend() == DbBackend::MySql && CLUSTERED.load(Ordering::Relaxed)
}

/// Takes the guard of a row that was locked: that of this key in this table. Nothing on one server.
pub async fn guard(
    tx: &impl ConnectionTrait,
    table: &str,
    key: &str,
    hold: Hold,
) -> Result<(), DbErr> {
    if !is_node(tx) {
        return Ok(());
    }
    let name = |share: u8| number(table, key, share);
    // In order, so that no two wait for each other's.
    let guards: BTreeSet<i32> = match hold {
        Hold::Alone => [name(0)].into(),
        Hold::Together => [name(random_bytes::<1>()[0] % SHARES)].into(),
        Hold::AgainstAll => (0..SHARES).map(name).collect(),
    };
    let writes = Expr::col((Entity, Column::Writes)).add(1);
    let mut insert = Query::insert();
    insert.into_table(Entity).columns([Column::GuardId, Column::Writes]);
    for guard in guards {
        insert.values_panic([guard.into(), 1_i64.into()]);
    }
    let known = OnConflict::column(Column::GuardId).value(Column::Writes, writes).to_owned();
    tx.execute(insert.on_conflict(known)).await.map(drop)
}

/// The guard of a row with a number, for one holder at a time.
pub async fn guard_row(tx: &DatabaseTransaction, table: &str, id: i64) -> Result<(), DbErr> {
    guard(tx, table, &id.to_string(), Hold::Alone).await
}

/// The number of a guard: the same in every release, because two may run side by side (FNV-1a).
fn number(table: &str, key: &str, share: u8) -> i32 {
    let bytes = table.bytes().chain([0]).chain(key.bytes()).chain([0, share]);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The high bits, too: the low ones alone are spread badly.
    i32::try_from((hash ^ (hash >> 32)) & NUMBER_BITS).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_are_spread_and_stay_where_they_are() {
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
