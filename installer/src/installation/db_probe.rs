//! Reaching a database: what prevents it, explained to the person who has to fix it. Every command
//! connects here, so that all report the same, and immediately.

use crate::installation::checks::Failure;
use sea_orm::{DatabaseConnection, DbErr};
use shared::database::{self, url::without_password};
use std::path::PathBuf;
use url::Url;

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
    let db = match database::connect(url, connections).await {
        Ok(db) => db.ping().await.map(|()| db),
        Err(error) => Err(error),
    };
    db.map_err(|error| explain(url, &error))
}

/// Refuses an invalid URL, files in it that cannot be read, and a database that rejects a connection.
pub async fn probe(url: &str) -> Result<(), DatabaseUnreachable> {
    database::url::check(url)
        .map_err(|why| DatabaseUnreachable::new(why, "correct the URL of the database"))?;
    for file in files(url) {
        if let Err(error) = std::fs::File::open(&file) {
            let found = format!("cannot read {}: {error}", file.display());
            let advice = "correct the URL of the database, which names it";
            return Err(DatabaseUnreachable::new(found, advice));
        }
    }
    match url.starts_with("sqlite:") {
        true => Ok(()),
        false => database::probe(url).await.map_err(|error| explain(url, &error)),
    }
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

/// Adds to the driver's error what to do about it.
pub fn explain(url: &str, error: &DbErr) -> DatabaseUnreachable {
    let parsed = parsed(url);
    let user = parsed.as_ref().map_or("", |url| url.username());
    let name = parsed.as_ref().map_or("", |url| url.path().trim_start_matches('/'));
    let shown = without_password(url);
    let message = database::error_message(error);
    match database::error_code(error).as_str() {
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
        "" if parsed.is_some() => DatabaseUnreachable::new(
            format!("no database answers at {shown}: {message}"),
            "start the database, correct its kind, host and port in the URL, or open the firewall \
             for it",
        ),
        _ => DatabaseUnreachable::new(
            format!("cannot use {shown}: {message}"),
            "make sure this is the right server, or see its log",
        ),
    }
}
