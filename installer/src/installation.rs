//! Which installation a command is about, who gives the command, and why it did nothing.

use auth_server::config::{self, SETTINGS};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sea_orm::{DatabaseConnection, DbErr};
use shared::audit::{Event, Kind};
use shared::db::{self, Fault};
use shared::introspection::UserKind;
use shared::master_keys::MasterKeys;
use shared::passwords::Passwords;
use shared::process::check_schema;
use shared::settings::Settings;
use std::fmt;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where a quickstart in the present folder keeps the settings of its auth server.
const STANDARD_SETTINGS: &str = "./loan-servicing/auth-server.env";
/// The same of its api-server.
const STANDARD_API_SETTINGS: &str = "./loan-servicing/api-server.env";
/// What a URL of a database begins with.
const SCHEMES: [&str; 4] = ["sqlite:", "postgres:", "postgresql:", "mysql:"];
/// Characters of an actor's name that the audit keeps.
const ACTOR_CHARACTERS: usize = 80;

/// The auth server's settings, or its database alone.
#[derive(clap::Args, Clone, Debug)]
pub struct Installation {
    /// Settings file of the auth server; environment variables go before it
    /// [default: ./loan-servicing/auth-server.env]
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

    fn database_url(&self) -> Result<String, Refused> {
        if let Some(url) = &self.database_url {
            return Ok(url.clone());
        }
        let mut settings = self.settings();
        let url = settings.optional("AUTH_DATABASE_URL").unwrap_or_default();
        let readable = self.env_file.as_ref().is_none_or(|file| std::fs::File::open(file).is_ok());
        if url.is_empty() && readable {
            settings.fault(format!(
                "which database? AUTH_DATABASE_URL is not set: name a settings file with \
                 --env-file (default {STANDARD_SETTINGS}) or the database with --database-url"
            ));
        }
        settings.finish(url).map_err(Refused)
    }

    fn settings(&self) -> Settings {
        let standard = Path::new(STANDARD_SETTINGS);
        let file = self.env_file.as_deref().or_else(|| standard.exists().then_some(standard));
        Settings::read(SETTINGS, file)
    }
}

/// The settings of an api-server and the URL of its database. What a command does not ask for need
/// not be there or be right.
pub fn read_api_settings(env_file: Option<&Path>) -> Result<(Settings, String), Refused> {
    let standard = Path::new(STANDARD_API_SETTINGS);
    let file = env_file.or_else(|| standard.exists().then_some(standard));
    let settings = Settings::read(api_server::config::SETTINGS, file);
    let url = settings.optional("API_DATABASE_URL").unwrap_or_default();
    let readable = file.is_none_or(|file| std::fs::File::open(file).is_ok());
    if url.is_empty() && readable {
        return refuse(format!(
            "which database? API_DATABASE_URL is not set: name the settings file of the api-server \
             with --env-file (default {STANDARD_API_SETTINGS})"
        ));
    }
    Ok((settings, url))
}

/// A connection to the database of this URL, which has the schema of this release.
pub async fn open_database(url: &str) -> Result<DatabaseConnection, Refused> {
    // An error of the driver would repeat the URL, and with it the password.
    if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
        return refuse("the URL of the database must be sqlite://…, postgres://… or mysql://…");
    }
    let db = db::connect(url, 2, false).await?;
    check_schema(&db).await.map_err(Refused)?;
    Ok(db)
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
