//! What `installer install` is told: by flags, by a file of answers, or by whoever is asked.

use super::bucket::BucketArguments;
use crate::installation::Refused;
use crate::installation::files::read;
use clap::{Args, ColorChoice, Command};
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;

/// What the command takes. Whatever is not given is asked for in a terminal, and has its default
/// elsewhere.
#[derive(Args, Clone, Debug, Default)]
pub struct Arguments {
    /// Reads flags from this file first: a line for each, such as `host = loans.example.com`, and
    /// `yes` as the value of those that have none
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// The folder of settings and certificates [default: /etc/loan-servicing]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// The folder of documents, imports and the embedded database [default: /var/lib/loan-servicing]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// The database: postgres://USER:PASSWORD@HOST/NAME, mysql://… for MariaDB, sqlite://PATH
    #[arg(long, value_name = "URL")]
    pub database_url: Option<String>,
    /// Reads the password of the database's user from a file
    #[arg(long, value_name = "FILE")]
    pub database_password_file: Option<PathBuf>,
    /// The business time zone: where it is today. An IANA name [default for a new database: this
    /// machine's]
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// The name of this machine, as clients know it [default: its host name]
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// The address on which both servers listen [default: 0.0.0.0, which is every one]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<IpAddr>,
    /// Port of the auth server [default: 8443]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub auth_port: Option<u16>,
    /// Port of the api-server [default: 9443]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub api_port: Option<u16>,
    /// The URL under which clients reach the auth server, if something is before it
    /// [default: https://HOST:PORT]
    #[arg(long, value_name = "URL")]
    pub auth_url: Option<String>,
    /// The same of the api-server [default: https://HOST:PORT]
    #[arg(long, value_name = "URL")]
    pub api_url: Option<String>,
    /// Addresses or networks of what is before the servers, separated by commas: it is believed
    /// where a log-in comes from
    #[arg(long, value_name = "ADDRESSES")]
    pub proxies: Option<String>,
    /// The servers' certificate chain, PEM [default: one of an authority that is made here]
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// The key of that certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// The authority that signed it, PEM: the api-server trusts it when it asks the auth server
    /// [default: those that this machine trusts, for a certificate of a public one]
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_authority: Option<PathBuf>,
    /// The name of the admin account, where there is none yet [default: admin]
    #[arg(long, value_name = "NAME")]
    pub admin: Option<String>,
    /// Reads the admin account's password from a file
    #[arg(long, value_name = "FILE", conflicts_with = "generate_admin_password")]
    pub admin_password_file: Option<PathBuf>,
    /// Makes the admin account's password up, and prints it once
    #[arg(long)]
    pub generate_admin_password: bool,
    /// The id of a client with which programs log users in by name and password: registered where
    /// it is missing, its secret is printed once [default for a new installation: integration]
    #[arg(long, value_name = "ID")]
    pub client: Option<String>,
    /// Registers no such client
    #[arg(long, conflicts_with = "client")]
    pub no_client: bool,
    /// Where files of documents are kept: a folder, or s3://BUCKET/PREFIX
    /// [default: documents in the folder of data]
    #[arg(long, value_name = "PLACE")]
    pub documents: Option<String>,
    /// The bucket.
    #[command(flatten)]
    pub bucket: BucketArguments,
    /// The folder with the programs auth-server and api-server [default: that of the installer]
    #[arg(long, value_name = "DIR")]
    pub programs: Option<PathBuf>,
    /// The folder for systemd units [default: /etc/systemd/system where systemd runs]
    #[arg(long, value_name = "DIR")]
    pub units: Option<PathBuf>,
    /// Writes no systemd units
    #[arg(long, conflicts_with = "units")]
    pub no_units: bool,
    /// Starts the services, now and with the machine, where systemd runs
    #[arg(long)]
    pub start: bool,
    /// The system user that runs the servers, made where it is missing; for root alone
    /// [default: loan-servicing]
    #[arg(long, value_name = "NAME")]
    pub service_user: Option<String>,
    /// Asks nothing
    #[arg(long)]
    pub yes: bool,
    /// Checks everything, tells what would be done, and does nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// The command line with the flags of the file that `--answers` names before those that follow it,
/// which therefore go before them.
pub fn with_answers(command_line: Vec<OsString>) -> Result<Vec<OsString>, Refused> {
    if command_line.get(1).is_none_or(|command| command != "install") {
        return Ok(command_line);
    }
    let Some(path) = answers_file(&command_line) else { return Ok(command_line) };
    let text = read(&path).map_err(Refused)?;
    let flags = flags(&text).map_err(|why| Refused(format!("{} {why}", path.display())))?;
    let (head, tail) = command_line.split_at(2);
    let flags = flags.into_iter().map(OsString::from);
    Ok(head.iter().cloned().chain(flags).chain(tail.iter().cloned()).collect())
}

fn answers_file(command_line: &[OsString]) -> Option<PathBuf> {
    let mut words = command_line.iter();
    while let Some(word) = words.next() {
        let word = word.to_string_lossy();
        if word == "--answers" {
            return words.next().map(PathBuf::from);
        }
        if let Some(path) = word.strip_prefix("--answers=") {
            return Some(PathBuf::from(path));
        }
    }
    None
}

/// The lines of a file of answers as flags, or which line is none.
fn flags(text: &str) -> Result<Vec<String>, String> {
    let known = Arguments::augment_args(Command::new("install").color(ColorChoice::Never));
    let mut flags = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fault = |why: String| format!("line {}: {why}", number + 1);
        let Some((name, value)) = line.split_once('=') else {
            return Err(fault("expected NAME = VALUE".to_owned()));
        };
        let (name, value) = (name.trim(), value.trim());
        let mut arguments = known.get_arguments();
        let argument = arguments.find(|it| it.get_long() == Some(name) && name != "answers");
        let argument = argument.ok_or_else(|| fault(format!("no answer is called {name}")))?;
        match (argument.get_action().takes_values(), value) {
            (true, _) => flags.push(format!("--{name}={value}")),
            (false, "yes") => flags.push(format!("--{name}")),
            (false, "no") => {}
            (false, _) => return Err(fault(format!("{name} is yes or no"))),
        }
    }
    Ok(flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_flags_and_wrong_ones_are_named() {
        let file = "# mine\n\nhost = loans.example.com\nyes=yes\nstart = no\nclient=a=b\n";
        let expected = ["--host=loans.example.com", "--yes", "--client=a=b"];
        assert_eq!(flags(file).unwrap(), expected);
        for (file, why) in [
            ("host", "line 1: expected NAME = VALUE"),
            ("\nhots = x", "line 2: no answer is called hots"),
            ("yes = maybe", "line 1: yes is yes or no"),
            ("answers = other", "line 1: no answer is called answers"),
        ] {
            assert_eq!(flags(file).unwrap_err(), why);
        }
    }

    #[test]
    fn the_sample_has_answers_that_are_known() {
        let flags = flags(include_str!("../../../../deploy/install.answers.sample")).unwrap();
        let command = Arguments::augment_args(Command::new("install"));
        let words = std::iter::once("install".to_owned()).chain(flags);
        assert!(command.try_get_matches_from(words).is_ok());
    }

    #[test]
    fn flags_of_the_command_line_come_after_those_of_the_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "host = a\nyes = yes").unwrap();
        let path = file.path().display().to_string();
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let given = words(&["installer", "install", "--answers", &path, "--host", "b"]);
        let expected =
            ["installer", "install", "--host=a", "--yes", "--answers", &path, "--host", "b"];
        assert_eq!(with_answers(given).unwrap(), words(&expected));
        let other = words(&["installer", "user", "--answers", &path]);
        assert_eq!(with_answers(other.clone()).unwrap(), other);
        let missing = words(&["installer", "install", "--answers=/no/such/file"]);
        assert!(with_answers(missing).is_err());
    }
}
