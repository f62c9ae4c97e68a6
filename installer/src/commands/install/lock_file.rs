//! A lock that admits one installer at a time to a database, whatever machine and folder it
//! installs on: if a second one failed, its rollback would undo the work of the first.

use crate::installation::database::query_value;
use crate::installation::{CliError, refuse};
use aws_lc_rs::digest::{SHA256, digest};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, TransactionTrait,
};
use shared::db;
use std::io::ErrorKind::AddrInUse;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The lock's key in PostgreSQL.
const POSTGRES_LOCK: i64 = 0x6c6f_616e_696e_7374;

/// How long to wait for an installer that was killed, until its database has noticed.
const LOCK_WAIT: Duration = Duration::from_secs(3);

/// The lock, held exclusively; it is released when the process ends.
pub(super) enum InstallLock {
    /// In a database server: the lock belongs to the connection, which the transaction keeps.
    Server(DatabaseTransaction, DatabaseConnection),
    /// On this machine: an abstract socket, without a file.
    Machine { _socket: UnixListener },
    /// None, for a database that cannot be reached; the checks report that in more detail.
    None,
}

impl InstallLock {
    /// Takes the lock, or refuses if another installer holds it.
    pub(super) async fn take(url: &str) -> Result<Self, CliError> {
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            let attempt = match url.strip_prefix("sqlite://") {
                Some(path) => on_this_machine(path).map_err(|error| CliError(error.to_string()))?,
                None => in_server(url).await.unwrap_or(Some(Self::None)),
            };
            match attempt {
                Some(lock) => return Ok(lock),
                None if Instant::now() < deadline => sleep(Duration::from_millis(100)).await,
                None => {
                    return refuse(
                        "another installer is running on this database: wait for it to finish, \
                         then run this again",
                    );
                }
            }
        }
    }

    /// Releases the lock.
    pub(super) async fn end(self) {
        if let Self::Server(tx, db) = self {
            // If this fails, the lock is released with its connection.
            let _ = tx.rollback().await;
            let _ = db.close().await;
        }
    }
}

fn on_this_machine(path: &str) -> std::io::Result<Option<InstallLock>> {
    let name = hex::encode(digest(&SHA256, path.as_bytes()));
    let name = format!("loan-servicing-install-{name}");
    let address = SocketAddr::from_abstract_name(name)?;
    match UnixListener::bind_addr(&address) {
        Ok(_socket) => Ok(Some(InstallLock::Machine { _socket })),
        Err(error) if error.kind() == AddrInUse => Ok(None),
        Err(error) => Err(error),
    }
}

async fn in_server(url: &str) -> Result<Option<InstallLock>, DbErr> {
    if crate::installation::db_probe::probe(url).await.is_err() {
        return Ok(Some(InstallLock::None));
    }
    let db = db::connect(url, 1, false).await?;
    let tx = db.begin().await?;
    let sql = match tx.get_database_backend() {
        DbBackend::MySql => {
            "SELECT GET_LOCK(CONCAT('loan_install_', SHA1(DATABASE())), 0)".to_owned()
        }
        _ => format!(
            "SELECT CAST(CAST(pg_try_advisory_xact_lock({POSTGRES_LOCK}) AS int) AS bigint)"
        ),
    };
    // A Galera cluster has no such locks and reports an error.
    if query_value::<Option<i64>>(&tx, &sql).await? == Some(1) {
        return Ok(Some(InstallLock::Server(tx, db)));
    }
    let _ = tx.rollback().await;
    let _ = db.close().await;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_one_run_at_a_time_holds_the_lock() {
        let url = format!("sqlite:///no/such/{}", std::process::id());
        let first = InstallLock::take(&url).await.unwrap();
        assert!(InstallLock::take(&url).await.is_err_and(|error| error.0.contains("another")));
        assert!(InstallLock::take("sqlite:///no/such/other").await.is_ok());
        first.end().await;
        assert!(InstallLock::take(&url).await.is_ok());
    }
}
