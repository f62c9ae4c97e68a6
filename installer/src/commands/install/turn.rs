//! One installer at a time in a database, whichever machines and folders they are for: a second one
//! that failed would undo what the first has made.

use crate::installation::{Refused, refuse};
use aws_lc_rs::digest::{SHA256, digest};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement,
    TransactionTrait,
};
use shared::db;
use std::io::ErrorKind::AddrInUse;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// What PostgreSQL knows the lock by.
const POSTGRES_LOCK: i64 = 0x6c6f_616e_696e_7374;

/// So long one is waited for that was killed: its database has to notice.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whoever has it is alone; it ends with the process.
pub enum Turn {
    /// In a database server: a transaction holds its connection, and that the lock.
    Server(DatabaseTransaction, DatabaseConnection),
    /// On this machine: a socket that has no file.
    Machine { _socket: UnixListener },
    /// Of a database that cannot be reached, about which the checks have more to say.
    None,
}

impl Turn {
    /// Takes it, or refuses where another installer has it.
    pub async fn take(url: &str) -> Result<Self, Refused> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let taken = match url.strip_prefix("sqlite://") {
                Some(path) => on_this_machine(path).map_err(|error| Refused(error.to_string()))?,
                None => in_server(url).await.unwrap_or(Some(Self::None)),
            };
            match taken {
                Some(turn) => return Ok(turn),
                None if Instant::now() < deadline => sleep(Duration::from_millis(100)).await,
                None => {
                    return refuse(
                        "another installer is at work in this database: wait until it has ended, \
                         then run this again",
                    );
                }
            }
        }
    }

    /// Gives it back.
    pub async fn end(self) {
        if let Self::Server(tx, db) = self {
            // A lock that cannot be given back goes with its connection.
            let _ = tx.rollback().await;
            let _ = db.close().await;
        }
    }
}

fn on_this_machine(path: &str) -> std::io::Result<Option<Turn>> {
    let name = hex::encode(digest(&SHA256, path.as_bytes()));
    let name = format!("loan-servicing-install-{name}");
    let address = SocketAddr::from_abstract_name(name)?;
    match UnixListener::bind_addr(&address) {
        Ok(_socket) => Ok(Some(Turn::Machine { _socket })),
        Err(error) if error.kind() == AddrInUse => Ok(None),
        Err(error) => Err(error),
    }
}

async fn in_server(url: &str) -> Result<Option<Turn>, DbErr> {
    if crate::installation::reach::look_for(url).await.is_err() {
        return Ok(Some(Turn::None));
    }
    let db = db::connect(url, 1, false).await?;
    let tx = db.begin().await?;
    let backend = tx.get_database_backend();
    let sql = match backend {
        DbBackend::MySql => {
            "SELECT GET_LOCK(CONCAT('loan_install_', SHA1(DATABASE())), 0)".to_owned()
        }
        _ => format!(
            "SELECT CAST(CAST(pg_try_advisory_xact_lock({POSTGRES_LOCK}) AS int) AS bigint)"
        ),
    };
    // A cluster has no such locks, which is an error.
    let row = tx.query_one_raw(Statement::from_string(backend, sql)).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("an answer".to_owned()))?;
    if row.try_get_by_index::<Option<i64>>(0)? == Some(1) {
        return Ok(Some(Turn::Server(tx, db)));
    }
    let _ = tx.rollback().await;
    let _ = db.close().await;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_at_a_time_has_its_turn() {
        let url = format!("sqlite:///no/such/{}", std::process::id());
        let first = Turn::take(&url).await.unwrap();
        assert!(Turn::take(&url).await.is_err_and(|refused| refused.0.contains("another")));
        assert!(Turn::take("sqlite:///no/such/other").await.is_ok());
        first.end().await;
        assert!(Turn::take(&url).await.is_ok());
    }
}
