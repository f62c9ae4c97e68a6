//! Reaching a database: what prevents it, explained to the person who has to fix it. Every command
//! connects here, so that all report the same, and immediately.

use crate::installation::checks::Failure;
use sea_orm::{DatabaseConnection, DbErr, RuntimeErr};
use shared::database_url::without_password;
use shared::{database_url, db};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use url::Url;

/// Time limit for connecting.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Time limit for a server to identify itself.
const GREETING_TIME: Duration = Duration::from_secs(1);
/// A client's TLS request to PostgreSQL, which answers with one letter.
const TLS_QUESTION: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
/// URL parameters that name files.
const FILES: [&str; 8] =
    ["sslrootcert", "ssl-root-cert", "sslca", "ssl-ca", "sslcert", "ssl-cert", "sslkey", "ssl-key"];

/// Why a database cannot be used, and what to do about it.
#[derive(Clone, Debug)]
pub struct DatabaseUnreachable(pub Failure);

impl DatabaseUnreachable {
    fn new(found: impl ToString, advice: &str) -> Self {
        Self(Failure::new(found, advice))
    }
}

impl From<DatabaseUnreachable> for Failure {
    fn from(DatabaseUnreachable(failure): DatabaseUnreachable) -> Self {
        failure
    }
}

/// Opens a pool of this size to the database of this URL, and checks that it answers.
pub async fn open(url: &str, connections: u32) -> Result<DatabaseConnection, DatabaseUnreachable> {
    probe(url).await?;
    let db = match db::connect(url, connections, false).await {
        Ok(db) => db.ping().await.map(|()| db),
        Err(error) => Err(error),
    };
    match db {
        Ok(db) => Ok(db),
        Err(error) => Err(explain(url, &error).await),
    }
}

/// Refuses an invalid URL, files in it that cannot be read, and an address where nothing answers:
/// the driver would retry these again and again.
pub async fn probe(url: &str) -> Result<(), DatabaseUnreachable> {
    database_url::check(url)
        .map_err(|why| DatabaseUnreachable::new(why, "correct the URL of the database"))?;
    for file in files(url) {
        if let Err(error) = std::fs::File::open(&file) {
            let found = format!("cannot read {}: {error}", file.display());
            return Err(DatabaseUnreachable::new(
                found,
                "correct the URL of the database, which names it",
            ));
        }
    }
    let Some(address) = ServerAddress::of(url) else { return Ok(()) };
    address.connect().await.map(drop).map_err(|error| address.unreachable(&error))
}

/// The files named in the URL of a database.
pub fn files(url: &str) -> Vec<PathBuf> {
    let Some(parsed) = parsed(url) else { return Vec::new() };
    let pairs = parsed.query_pairs().filter(|(name, _)| FILES.contains(&&**name));
    pairs.map(|(_, path)| PathBuf::from(&*path)).collect()
}

fn parsed(url: &str) -> Option<Url> {
    Url::parse(url).ok().filter(|url| url.scheme() != "sqlite")
}

/// The address of a database server.
#[derive(Debug)]
enum ServerAddress {
    Host(String, u16),
    Socket(PathBuf),
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl ServerAddress {
    /// The address that the driver would use; `None` for an embedded database, or if the URL has
    /// none.
    fn of(url: &str) -> Option<Self> {
        let url = parsed(url)?;
        let parameter = |names: &[&str]| {
            let pairs = url.query_pairs().filter(|(name, _)| names.contains(&&**name));
            pairs.last().map(|(_, value)| value.into_owned())
        };
        if url.scheme() == "mysql" {
            if let Some(socket) = parameter(&["socket"]) {
                return Some(Self::Socket(socket.into()));
            }
            return Some(Self::Host(without_brackets(url.host_str()?), url.port().unwrap_or(3306)));
        }
        let port = parameter(&["port"]).and_then(|port| port.parse().ok());
        let port = port.or(url.port()).unwrap_or(5432);
        let host =
            parameter(&["host", "hostaddr"]).or_else(|| url.host_str().map(without_brackets))?;
        let host = host.replace("%2F", "/").replace("%2f", "/");
        match host.starts_with('/') {
            true => Some(Self::Socket(Path::new(&host).join(format!(".s.PGSQL.{port}")))),
            false => Some(Self::Host(host, port)),
        }
    }

    async fn connect(&self) -> std::io::Result<Box<dyn Stream>> {
        let connect = async {
            Ok(match self {
                Self::Host(host, port) => {
                    Box::new(TcpStream::connect((host.as_str(), *port)).await?) as Box<dyn Stream>
                }
                Self::Socket(path) => Box::new(UnixStream::connect(path).await?),
            })
        };
        timeout(CONNECT_TIME, connect).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
    }

    fn unreachable(&self, error: &Error) -> DatabaseUnreachable {
        match self {
            Self::Host(host, port) => DatabaseUnreachable::new(
                format!("no database answers at {host} port {port}: {error}"),
                "start the database, correct its host and port, or open the firewall for it",
            ),
            Self::Socket(path) => DatabaseUnreachable::new(
                format!("no database answers at {}: {error}", path.display()),
                "start the database, or correct the path of its socket",
            ),
        }
    }

    /// Identifies the server: MariaDB speaks first, PostgreSQL after a request.
    async fn identify(&self) -> PeerIdentity {
        let Ok(mut stream) = self.connect().await else { return PeerIdentity::Unknown };
        let mut greeting = [0; 64];
        match timeout(GREETING_TIME, stream.read(&mut greeting)).await {
            Ok(Ok(0) | Err(_)) => return PeerIdentity::Disconnects,
            // A three-byte length, the sequence number 0, then the protocol version.
            Ok(Ok(length)) if length > 4 && matches!(greeting[3..5], [0, 10 | 255]) => {
                return PeerIdentity::MariaDb;
            }
            Ok(Ok(_)) => return PeerIdentity::Unknown,
            Err(_) => {}
        }
        if stream.write_all(&TLS_QUESTION).await.is_err() {
            return PeerIdentity::Disconnects;
        }
        match timeout(GREETING_TIME, stream.read(&mut greeting)).await {
            Ok(Ok(1)) if b"SN".contains(&greeting[0]) => PeerIdentity::PostgreSql,
            Ok(Ok(0) | Err(_)) => PeerIdentity::Disconnects,
            _ => PeerIdentity::Unknown,
        }
    }
}

/// An IPv6 address without its brackets.
fn without_brackets(host: &str) -> String {
    host.trim_matches(['[', ']']).to_owned()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PeerIdentity {
    PostgreSql,
    MariaDb,
    Disconnects,
    Unknown,
}

/// Explains an error of the first query.
pub async fn explain(url: &str, error: &DbErr) -> DatabaseUnreachable {
    let parsed = parsed(url);
    let user = parsed.as_ref().map_or("", |url| url.username());
    let name = parsed.as_ref().map_or("", |url| url.path().trim_start_matches('/'));
    let message = database_message(error);
    match code(error).as_str() {
        // This code covers TLS, addresses and names, whatever the password.
        "28000" if message.contains("pg_hba.conf") => DatabaseUnreachable::new(
            format!("the database rejects the user {user:?}: {message}"),
            "correct sslmode in the URL of the database, or admit this machine in pg_hba.conf",
        ),
        "28P01" | "28000" | "1045" => DatabaseUnreachable::new(
            format!("the database rejects the user {user:?} with this password"),
            "correct the user or the password",
        ),
        "3D000" | "1049" => DatabaseUnreachable::new(
            format!("the database {name:?} does not exist"),
            "create it (CREATE DATABASE, on MariaDB with CHARACTER SET utf8mb4), or correct its \
             name",
        ),
        "42501" | "1044" => DatabaseUnreachable::new(
            format!("the user {user:?} may not use the database {name:?}"),
            "grant the user all privileges on that database",
        ),
        "" => explain_other(url, error).await,
        _ => unusable(url, error),
    }
}

/// Explains an error that did not come from a database: perhaps another kind of server answers.
async fn explain_other(url: &str, error: &DbErr) -> DatabaseUnreachable {
    let Some(address) = ServerAddress::of(url) else { return unusable(url, error) };
    let wants_mariadb = url.starts_with("mysql");
    let wrong_product = |kind: &str, other: &str, scheme: &str| {
        let address = match &address {
            ServerAddress::Host(host, port) => format!("{host} port {port}"),
            ServerAddress::Socket(path) => path.display().to_string(),
        };
        DatabaseUnreachable::new(
            format!("the server at {address} is {other}, not {kind}"),
            &format!("correct the port, or start the URL of the database with {scheme}://"),
        )
    };
    match address.identify().await {
        PeerIdentity::PostgreSql if wants_mariadb => {
            wrong_product("MariaDB", "PostgreSQL", "postgres")
        }
        PeerIdentity::MariaDb if !wants_mariadb => wrong_product("PostgreSQL", "MariaDB", "mysql"),
        PeerIdentity::Disconnects => {
            address.unreachable(&Error::other("the server closes the connection immediately"))
        }
        _ => unusable(url, error),
    }
}

fn unusable(url: &str, error: &DbErr) -> DatabaseUnreachable {
    let found = format!("cannot use {}: {}", without_password(url), database_message(error));
    DatabaseUnreachable::new(found, "make sure this is the right server, or see its log")
}

fn sqlx_error(error: &DbErr) -> Option<&sea_orm::sqlx::Error> {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => Some(error),
        _ => None,
    }
}

/// The database's own message, if the error has one.
fn database_message(error: &DbErr) -> String {
    let database_error = sqlx_error(error).and_then(|error| error.as_database_error());
    database_error
        .map_or_else(|| error.to_string(), |database_error| database_error.message().to_owned())
}

/// The database's own error code: an SQLSTATE, or MariaDB's number.
pub fn code(error: &DbErr) -> String {
    let Some(error) = sqlx_error(error).and_then(|error| error.as_database_error()) else {
        return String::new();
    };
    match error.try_downcast_ref::<sea_orm::sqlx::mysql::MySqlDatabaseError>() {
        Some(error) => error.number().to_string(),
        None => error.code().unwrap_or_default().into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_looked_for_where_the_driver_does() {
        for (url, address) in [
            ("sqlite:///core.sqlite", "None"),
            ("postgres:///db", "None"),
            ("postgres://h/db", "Some(Host(\"h\", 5432))"),
            ("postgres://[::1]:99/db", "Some(Host(\"::1\", 99))"),
            ("postgres:///db?host=/run&port=99", "Some(Socket(\"/run/.s.PGSQL.99\"))"),
            ("postgres://u@%2Frun%2Fpg/db", "Some(Socket(\"/run/pg/.s.PGSQL.5432\"))"),
            ("mysql://h/db", "Some(Host(\"h\", 3306))"),
            ("mysql://h/db?socket=/run/my.sock", "Some(Socket(\"/run/my.sock\"))"),
        ] {
            assert_eq!(format!("{:?}", ServerAddress::of(url)), address, "{url}");
        }
    }
}
