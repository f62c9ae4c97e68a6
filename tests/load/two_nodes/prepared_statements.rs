//! Transactions that prepare their statements while the other node rolls them back: each is
//! committed whole or not at all. MariaDB may lose the error (see `shared::database::galera`).

use futures_util::future::try_join_all;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement, Value};
use shared::database::{self, Contended};

/// Senders on each node: all of them write the same row.
const SENDERS: u32 = 3;
/// Transactions of each sender in a round.
const TRANSACTIONS: u32 = 4;
/// Rows that each transaction inserts, one statement each.
const ROWS: u32 = 4;
/// Different texts of each statement: more than a connection keeps prepared.
const TEXTS: u32 = 200;
/// The most attempts at one transaction. All senders write the same row, so each loses now and
/// then, but one that loses this often is stuck.
const ATTEMPTS_MAX: u32 = 1000;

/// The outcome of transactions.
#[derive(Default)]
pub struct PreparedTransactions {
    /// Transactions that were committed.
    pub committed: u32,
    /// Attempts that were rolled back because another transaction came first, and repeated.
    pub lost_attempts: u32,
    /// What must not happen, one line each.
    pub faults: Vec<String>,
}

impl PreparedTransactions {
    /// Repeats a transaction until it is committed, or has lost too often.
    async fn commit(&mut self, db: &DatabaseConnection, name: &str) -> Result<(), DbErr> {
        for _ in 0..ATTEMPTS_MAX {
            match insert_rows(db, name).await {
                Ok(()) => {
                    self.committed += 1;
                    return Ok(());
                }
                Err(error) if error.is_contention() => self.lost_attempts += 1,
                Err(error) => return Err(error),
            }
        }
        self.faults
            .push(format!("transaction {name} was not committed in {ATTEMPTS_MAX} attempts"));
        Ok(())
    }

    fn add(&mut self, other: Self) {
        self.committed += other.committed;
        self.lost_attempts += other.lost_attempts;
        self.faults.extend(other.faults);
    }
}

/// Runs the rounds on two nodes, and checks the rows afterwards.
pub async fn run(urls: &[String; 2], rounds: u32) -> Result<PreparedTransactions, DbErr> {
    let nodes = [database::connect(&urls[0], 10).await?, database::connect(&urls[1], 10).await?];
    for table in [
        "CREATE TABLE prepared_total (id INT PRIMARY KEY, entries BIGINT NOT NULL)",
        "CREATE TABLE prepared_entries (id BIGINT PRIMARY KEY AUTO_INCREMENT, \
         total_id INT NOT NULL, name VARCHAR(40) NOT NULL, \
         FOREIGN KEY (total_id) REFERENCES prepared_total (id))",
        "INSERT INTO prepared_total VALUES (1, 0)",
    ] {
        nodes[0].execute_unprepared(table).await?;
    }
    let shared_nodes = &nodes;
    let senders = (0..2 * SENDERS).map(|sender| async move {
        let db = &shared_nodes[(sender % 2) as usize];
        let mut transactions = PreparedTransactions::default();
        for transaction in 0..rounds * TRANSACTIONS {
            transactions.commit(db, &format!("{sender}-{transaction}")).await?;
        }
        Ok::<_, DbErr>(transactions)
    });
    let mut all = PreparedTransactions::default();
    for transactions in try_join_all(senders).await? {
        all.add(transactions);
    }
    let count = "SELECT CAST(COUNT(*) AS SIGNED), entries FROM prepared_total t \
                 LEFT JOIN prepared_entries e ON e.total_id = t.id GROUP BY t.id";
    let row = nodes[0].query_one_raw(Statement::from_string(DbBackend::MySql, count)).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("the total".to_owned()))?;
    let (rows, total): (i64, i64) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
    let marks = "SELECT CAST(COUNT(*) AS SIGNED) FROM row_guards WHERE guard_id < 0";
    let marks = nodes[0].query_one_raw(Statement::from_string(DbBackend::MySql, marks)).await?;
    let marks: i64 = marks.map(|row| row.try_get_by_index(0)).transpose()?.unwrap_or_default();
    for table in ["prepared_entries", "prepared_total"] {
        nodes[0].execute_unprepared(&format!("DROP TABLE {table}")).await?;
    }
    let expected = i64::from(all.committed * ROWS);
    if (rows, total) != (expected, expected) {
        all.faults
            .push(format!("{rows} rows and a total of {total} where both should be {expected}"));
    }
    if marks > 0 {
        all.faults.push(format!("{marks} marks of transactions are left"));
    }
    for node in nodes {
        node.close().await?;
    }
    Ok(all)
}

/// Inserts rows and adds them to the total, in one transaction.
async fn insert_rows(db: &DatabaseConnection, name: &str) -> Result<(), DbErr> {
    let tx = database::begin_write(db).await?;
    tx.query_one_raw(statement(
        "SELECT entries FROM prepared_total WHERE id = ? FOR UPDATE",
        [1.into()],
    ))
    .await?;
    for _ in 0..ROWS {
        let insert = "INSERT INTO prepared_entries (total_id, name) VALUES (1, ?)";
        tx.execute_raw(statement(insert, [name.into()])).await?;
    }
    let add = "UPDATE prepared_total SET entries = entries + ? WHERE id = 1";
    tx.execute_raw(statement(add, [i64::from(ROWS).into()])).await?;
    database::commit(tx).await
}

/// A statement with one of many texts that mean the same.
fn statement<const N: usize>(sql: &str, values: [Value; N]) -> Statement {
    let sql = format!("{sql} /* {} */", fastrand::u32(0..TEXTS));
    Statement::from_sql_and_values(DbBackend::MySql, sql, values)
}
