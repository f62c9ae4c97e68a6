//! The arguments of `installer install`, from options, an answers file or the wizard.

use super::bucket::BucketArguments;
use crate::installation::CliError;
use crate::installation::files::read;
use clap::{Args, ColorChoice, Command};
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;

/// The command's arguments. Missing ones are asked for in a terminal; otherwise they have their
/// defaults.
#[derive(Args, Clone, Debug, Default)]
pub struct InstallArgs {
    /// Read options from this file: one per line, such as `host = loans.example.com`, with `yes` as
    /// the value of options that take none
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// Folder for settings and certificates [default: /etc/loan-servicing]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Folder for documents, imports and the embedded database [default: /var/lib/loan-servicing]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// URL of the database: postgres://USER:PASSWORD@HOST/NAME, mysql://… for MariaDB,
    /// sqlite://PATH
    #[arg(long, value_name = "URL")]
    pub database_url: Option<String>,
    /// Read the password of the database user from a file
    #[arg(long, value_name = "FILE")]
    pub database_password_file: Option<PathBuf>,
    /// Time zone of the business day, as an IANA name [default for a new database: this machine's]
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// Host name of this machine, as clients know it [default: its own host name]
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Address that both servers listen on [default: 0.0.0.0, every IPv4 address]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<IpAddr>,
    /// Port of the auth server [default: 8443]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub auth_port: Option<u16>,
    /// Port of the api-server [default: 9443]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub api_port: Option<u16>,
    /// Public URL of the auth server, if it runs behind a proxy [default: https://HOST:PORT]
    #[arg(long, value_name = "URL")]
    pub auth_url: Option<String>,
    /// Public URL of the api-server, if it runs behind a proxy [default: https://HOST:PORT]
    #[arg(long, value_name = "URL")]
    pub api_url: Option<String>,
    /// Addresses or networks of the proxies that the servers run behind, separated by commas: they
    /// are trusted to report client addresses, and may open any number of connections
    #[arg(long, value_name = "ADDRESSES")]
    pub proxies: Option<String>,
    /// The servers' certificate chain, PEM [default: issued by an authority created here]
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// The private key of that certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// The authority that signed it, PEM: the api-server trusts it when it calls the auth server
    /// [default: this machine's trusted authorities, for a certificate from a public one]
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_authority: Option<PathBuf>,
    /// Name of the admin account, if there is none yet [default: admin]
    #[arg(long, value_name = "NAME")]
    pub admin: Option<String>,
    /// Read the admin account's password from a file
    #[arg(long, value_name = "FILE", conflicts_with = "generate_admin_password")]
    pub admin_password_file: Option<PathBuf>,
    /// Generate the admin account's password and print it once
    #[arg(long)]
    pub generate_admin_password: bool,
    /// Id of a client for programs that log users in by name and password: registered if missing,
    /// its secret printed once [default for a new installation: integration]
    #[arg(long, value_name = "ID")]
    pub client: Option<String>,
    /// Do not register a client for programs
    #[arg(long, conflicts_with = "client")]
    pub no_client: bool,
    /// Document store: a folder, or s3://BUCKET/PREFIX [default: documents in the data folder]
    #[arg(long, value_name = "PLACE")]
    pub documents: Option<String>,
    /// The bucket.
    #[command(flatten)]
    pub bucket: BucketArguments,
    /// Start the services that the package brings, now and at boot
    #[arg(long)]
    pub start: bool,
    /// System user that runs the servers, which the package creates; requires root [default:
    /// loan-servicing]
    #[arg(long, value_name = "NAME")]
    pub service_user: Option<String>,
    /// Ask no questions
    #[arg(long)]
    pub yes: bool,
    /// Check everything and show the plan without changing anything
    #[arg(long)]
    pub dry_run: bool,
}

/// The command line, with the options of the file that `--answers` names inserted first, so that
/// later ones override them.
pub fn with_answers(command_line: Vec<OsString>) -> Result<Vec<OsString>, CliError> {
    if command_line.get(1).is_none_or(|command| command != "install") {
        return Ok(command_line);
    }
    let Some(path) = answers_file(&command_line) else { return Ok(command_line) };
    let text = read(&path).map_err(CliError)?;
    let flags = flags(&text).map_err(|why| CliError(format!("{} {why}", path.display())))?;
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

/// The lines of an answers file as options, or the line that is invalid.
fn flags(text: &str) -> Result<Vec<String>, String> {
    let command = InstallArgs::augment_args(Command::new("install").color(ColorChoice::Never));
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
        let mut arguments = command.get_arguments();
        let argument = arguments.find(|it| it.get_long() == Some(name) && name != "answers");
        let argument = argument.ok_or_else(|| fault(format!("unknown option {name}")))?;
        match (argument.get_action().takes_values(), value) {
            (true, _) => flags.push(format!("--{name}={value}")),
            (false, "yes") => flags.push(format!("--{name}")),
            (false, "no") => {}
            (false, _) => return Err(fault(format!("{name} must be yes or no"))),
        }
    }
    Ok(flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_flags_and_invalid_ones_are_named() {
        let file = "# mine\n\nhost = loans.example.com\nyes=yes\nstart = no\nclient=a=b\n";
        let expected = ["--host=loans.example.com", "--yes", "--client=a=b"];
        assert_eq!(flags(file).unwrap(), expected);
        for (file, why) in [
            ("host", "line 1: expected NAME = VALUE"),
            ("\nhots = x", "line 2: unknown option hots"),
            ("yes = maybe", "line 1: yes must be yes or no"),
            ("answers = other", "line 1: unknown option answers"),
        ] {
            assert_eq!(flags(file).unwrap_err(), why);
        }
    }

    #[test]
    fn the_sample_has_only_known_answers() {
        let flags = flags(include_str!("../../../../deploy/install.answers.sample")).unwrap();
        let command = InstallArgs::augment_args(Command::new("install"));
        let words = std::iter::once("install".to_owned()).chain(flags);
        assert!(command.try_get_matches_from(words).is_ok());
    }

    #[test]
    fn command_line_flags_come_after_those_of_the_file() {
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
