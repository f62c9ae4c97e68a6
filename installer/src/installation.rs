//! Which installation a command is about, who gives the command, and why it did nothing.

use crate::reach::{self, Unreached};
use auth_server::config::{self, SETTINGS};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sea_orm::{DatabaseConnection, DatabaseTransaction, DbErr};
use shared::audit::{Event, Kind};
use shared::db::{self, Contended, Fault};
use shared::introspection::UserKind;
use shared::master_keys::MasterKeys;
use shared::passwords::Passwords;
use shared::process::check_schema;
use shared::settings::Settings;
use std::fmt;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where settings are: of a quickstart in the present folder, or of this machine's installation.
const STANDARD_FOLDERS: [&str; 2] = ["./loan-servicing", "/etc/loan-servicing"];
/// Characters of an actor's name that the audit keeps.
const ACTOR_CHARACTERS: usize = 80;

/// The auth server's settings, or its database alone.
#[derive(clap::Args, Clone, Debug)]
pub struct Installation {
    /// Settings file of the auth server; environment variables go before it
    /// [default: ./loan-servicing/auth-server.env, else that in /etc/loan-servicing]
    #[arg(long, global = true, value_name = "FILE")]
    pub env_file: Option<PathBuf>,
    /// The database, in place of AUTH_DATABASE_URL
    #[arg(long, global = true, value_name = "URL")]
    pub database_url: Option<String>,
}

impl Installation {
    /// A connection to its database, which has the schema of this release.
    pub async fn open(&self) -> Result<DatabaseConnection, Refused> {
        open_database(&self.database_url()?).await
    }

    /// How this installation hashes passwords.
    pub fn passwords(&self) -> Result<Passwords, Refused> {
        let mut settings = self.settings();
        let passwords = config::passwords(&mut settings);
        let passwords = settings.finish(passwords).map_err(Refused)?;
        passwords.ok_or_else(|| Refused("passwords cannot be hashed".to_owned()))
    }

    /// The keys that seal its signing keys, and how long one of those signs.
    pub fn signing(&self) -> Result<(MasterKeys, i64), Refused> {
        let mut settings = self.settings();
        let keys = settings.parsed("AUTH_MASTER_KEYS");
        let seconds = config::key_rotation_seconds(&mut settings);
        settings.finish((keys, seconds)).map_err(Refused)
    }

    /// Which database it is.
    pub fn database_url(&self) -> Result<String, Refused> {
        if let Some(url) = &self.database_url {
            return Ok(url.clone());
        }
        let mut settings = self.settings();
        let url = settings.optional("AUTH_DATABASE_URL").unwrap_or_default();
        let file = auth_settings_file(self.env_file.as_deref());
        let readable = file.is_none_or(|file| std::fs::File::open(file).is_ok());
        if url.is_empty() && readable {
            settings.fault(format!(
                "which database? AUTH_DATABASE_URL is not set: name a settings file with \
                 --env-file (default {}) or the database with --database-url",
                STANDARD_FOLDERS.map(|it| format!("{it}/auth-server.env")).join(", else ")
            ));
        }
        settings.finish(url).map_err(Refused)
    }

    /// The settings of the api-server beside those of the auth server, and their file, where there
    /// are any and they are about the same database.
    pub fn api_settings(&self) -> Option<(PathBuf, Settings)> {
        let file = match &self.env_file {
            Some(file) => file.with_file_name("api-server.env"),
            None => standard_file("api-server.env")?,
        };
        if !file.is_file() {
            return None;
        }
        let settings = Settings::read(api_server::config::SETTINGS, Some(&file));
        let url = settings.optional("API_DATABASE_URL");
        let same = self.database_url.is_none() || self.database_url == url;
        same.then_some((file, settings))
    }

    fn settings(&self) -> Settings {
        Settings::read(SETTINGS, auth_settings_file(self.env_file.as_deref()).as_deref())
    }
}

/// The settings files of both servers.
#[derive(clap::Args, Clone, Debug)]
pub struct SettingsFiles {
    /// Settings file of the auth server; environment variables go before it
    /// [default: beside the other one, where that is named, else ./loan-servicing/auth-server.env,
    /// else that in /etc/loan-servicing]
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
    /// The same of the api-server [default: the same with api-server.env]
    #[arg(long, value_name = "FILE")]
    api_env_file: Option<PathBuf>,
}

impl SettingsFiles {
    /// That of the auth server, if it was named or is where it usually is.
    pub fn auth(&self) -> Option<PathBuf> {
        let beside = || beside(self.api_env_file.as_deref(), "auth-server.env");
        auth_settings_file(self.env_file.clone().or_else(beside).as_deref())
    }

    /// That of the api-server.
    pub fn api(&self) -> Option<PathBuf> {
        let beside = || beside(self.env_file.as_deref(), "api-server.env");
        api_settings_file(self.api_env_file.clone().or_else(beside).as_deref())
    }
}

/// The file of this name in the folder of another one, if it is there.
fn beside(other: Option<&Path>, name: &str) -> Option<PathBuf> {
    other.map(|other| other.with_file_name(name)).filter(|file| file.exists())
}

/// The settings file of the auth server: the one that was named, else a quickstart's, else this
/// machine's.
pub fn auth_settings_file(named: Option<&Path>) -> Option<PathBuf> {
    named.map(Path::to_owned).or_else(|| standard_file("auth-server.env"))
}

/// The same of the api-server.
pub fn api_settings_file(named: Option<&Path>) -> Option<PathBuf> {
    named.map(Path::to_owned).or_else(|| standard_file("api-server.env"))
}

/// Both files are of one folder. One that may not be looked into counts, too: whoever gives the
/// command is to learn that.
fn standard_file(name: &str) -> Option<PathBuf> {
    let is_there = |path: &Path| !matches!(path.try_exists(), Ok(false));
    let has_settings = |folder: &&Path| {
        ["auth-server.env", "api-server.env"].iter().any(|name| is_there(&folder.join(name)))
    };
    let folder = STANDARD_FOLDERS.iter().map(Path::new).find(has_settings)?;
    Some(folder.join(name)).filter(|file| is_there(file))
}

/// The settings of an api-server and the URL of its database. What a command does not ask for need
/// not be there or be right.
pub fn read_api_settings(env_file: Option<&Path>) -> Result<(Settings, String), Refused> {
    let file = api_settings_file(env_file);
    let settings = Settings::read(api_server::config::SETTINGS, file.as_deref());
    let url = settings.optional("API_DATABASE_URL").unwrap_or_default();
    let readable = file.as_ref().is_none_or(|file| std::fs::File::open(file).is_ok());
    if url.is_empty() && readable {
        return refuse(format!(
            "which database? API_DATABASE_URL is not set: name the settings file of the api-server \
             with --env-file (default {})",
            STANDARD_FOLDERS.map(|it| format!("{it}/api-server.env")).join(", else ")
        ));
    }
    Ok((settings, url))
}

/// A connection to the database of this URL, which has the schema of this release.
pub async fn open_database(url: &str) -> Result<DatabaseConnection, Refused> {
    let db = connect(url, 2).await?;
    check_schema(&db).await.map_err(Refused)?;
    Ok(db)
}

/// So many connections to the database of this URL, whatever is in it.
pub async fn connect(url: &str, connections: u32) -> Result<DatabaseConnection, Refused> {
    Ok(reach::open(url, connections).await?)
}

/// An event of the audit with whoever gives this command as its actor.
pub fn event(kind: Kind) -> Event {
    Event::new(kind).actor(&this_actor())
}

/// Whoever gives this command, as the audit names him.
pub fn this_actor() -> String {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    // Behind sudo, the one who called it.
    let person = set("SUDO_USER").or_else(|| set("USER")).or_else(|| set("LOGNAME"));
    actor(person.as_deref())
}

fn actor(person: Option<&str>) -> String {
    let Some(person) = person else { return "installer".to_owned() };
    let shown = person.chars().filter(|character| !character.is_control());
    format!("installer:{}", shown.take(ACTOR_CHARACTERS).collect::<String>())
}

/// A command did nothing; the text says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

/// Refuses with this text.
pub fn refuse<T>(why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(why.into()))
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a change in one transaction came to nothing.
#[derive(Debug)]
pub enum Undone {
    /// By a rule.
    Refused(Refused),
    /// By the database.
    Failed(DbErr),
}

impl From<Refused> for Undone {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<DbErr> for Undone {
    fn from(error: DbErr) -> Self {
        Self::Failed(error)
    }
}

impl From<Undone> for Refused {
    fn from(undone: Undone) -> Self {
        match undone {
            Undone::Refused(refused) => refused,
            Undone::Failed(error) => error.into(),
        }
    }
}

impl Contended for Undone {
    fn is_contention(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_contention())
    }
}

/// Changes the database in one transaction; again, where another one came first.
pub async fn change<T>(
    db: &DatabaseConnection,
    work: impl AsyncFn(&DatabaseTransaction) -> Result<T, Undone>,
) -> Result<T, Refused> {
    let changed = db::again(async || {
        let tx = db::begin_write(db).await?;
        let done = work(&tx).await?;
        tx.commit().await?;
        Ok::<_, Undone>(done)
    });
    Ok(changed.await?)
}

impl From<Unreached> for Refused {
    fn from(unreached: Unreached) -> Self {
        let Unreached { found, advice } = unreached;
        Self(format!("the database cannot be reached: {found}: {advice}"))
    }
}

impl From<DbErr> for Refused {
    fn from(error: DbErr) -> Self {
        Self(match db::fault(&error) {
            Fault::Contention | Fault::LockTimeout => {
                format!("the database is busy with the same rows, try again: {error}")
            }
            Fault::Unavailable => format!("the database cannot be reached: {error}"),
            Fault::Conflict | Fault::Defect => format!("the database refuses: {error}"),
        })
    }
}

/// Prints what was asked for. Whoever stops reading, as `head` does, has what he wanted.
pub fn print(text: &str) -> Result<(), Refused> {
    match write_out(text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| Refused(format!("cannot print: {error}"))),
    }
}

/// Prints what cannot be asked for again, after the change it belongs to was made.
pub fn print_once(text: &str) -> Result<(), Refused> {
    write_out(text)
        .map_err(|error| Refused(format!("done, but what it made could not be printed: {error}")))
}

fn write_out(text: &str) -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{}", text.trim_end_matches('\n'))?;
    output.flush()
}

/// Reads `core` or `web` from a command line.
pub fn user_kinds() -> impl TypedValueParser<Value = UserKind> {
    let words = [UserKind::Core, UserKind::Web].map(UserKind::as_str);
    PossibleValuesParser::new(words).map(|word| match word == UserKind::Web.as_str() {
        true => UserKind::Web,
        false => UserKind::Core,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_fits_its_column_and_has_no_control_characters() {
        assert_eq!(actor(None), "installer");
        assert_eq!(actor(Some("jo\u{1b}an")), "installer:joan");
        assert!(actor(Some(&"x".repeat(300))).chars().count() <= 100);
    }
}
