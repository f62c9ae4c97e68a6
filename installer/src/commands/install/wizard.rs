//! The questions asked in a terminal. Whatever the command line answers is not asked.

use super::answers::{
    ADMIN, API_PORT, AUTH_PORT, CLIENT, DATA_DIR, DIR, SERVICE_USER, check_client, this_host,
};
use super::arguments::InstallArgs;
use super::bucket::{self, BucketArguments};
use super::checks::{check_database, lowest_port};
use super::existing_config::{ExistingConfig, ExistingSettings};
use super::services;
use super::values::{DOCUMENTS, at, check_host, check_proxies, check_url};
use crate::installation::accounts;
use crate::installation::core_settings::{check_time_zone, this_time_zone};
use crate::installation::database::in_url;
use crate::installation::new_password::{self, Password};
use crate::installation::{CliError, refuse};
use inquire::validator::{StringValidator, Validation};
use inquire::{Confirm, InquireError, PasswordDisplayMode, Select, Text};
use reqwest::Url;
use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

type PromptResult<T> = Result<T, CliError>;

pub(super) fn greet() {
    super::say("This sets up the auth server and the api-server on this machine.");
    super::say(
        "Nothing is changed until you have seen and confirmed the plan. Press Esc or Ctrl-C to \
         quit.\n",
    );
}

/// Asks for everything that was not given, proposing earlier answers.
pub(super) async fn ask(
    mut given: InstallArgs,
    settings: &ExistingSettings,
    before: &InstallArgs,
) -> PromptResult<InstallArgs> {
    let existing = ExistingConfig::of(settings).or_answered(before);
    ask_folders(&mut given, &existing)?;
    ask_database(&mut given, &existing, settings).await?;
    ask_time_zone(&mut given, &existing, settings).await?;
    ask_addresses(&mut given, &existing, &ExistingConfig::of(settings))?;
    ask_certificates(&mut given, &existing)?;
    ask_documents(&mut given, &existing, settings, before).await?;
    ask_accounts(&mut given, settings.exist)?;
    ask_services(&mut given, &existing)?;
    Ok(given)
}

/// Asks yes or no; Enter means yes.
pub(super) fn confirm(question: &str) -> PromptResult<bool> {
    prompt_result(Confirm::new(question).with_default(true).prompt())
}

/// Asks for the admin account's password, twice.
pub(super) fn ask_admin_password(name: &str) -> PromptResult<Password> {
    let user_name = name.to_owned();
    let question = format!("Password for {name}:");
    let prompt = inquire::Password::new(&question)
        .with_custom_confirmation_message("Repeat the password:")
        .with_custom_confirmation_error_message("The passwords do not match.")
        .with_display_mode(PasswordDisplayMode::Masked)
        .with_help_message("at least 8 characters")
        .with_validator(validator(move |text| new_password::check(text, &user_name)))
        .prompt();
    prompt_result(prompt).map(Password::typed)
}

fn prompt_result<T>(answer: Result<T, InquireError>) -> PromptResult<T> {
    match answer {
        Ok(answer) => Ok(answer),
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => {
            refuse("stopped: nothing was changed")
        }
        Err(error) => refuse(format!("cannot prompt: {error}")),
    }
}

/// Makes a prompt show why an answer is refused, and ask again.
fn validator(
    check: impl Fn(&str) -> Result<(), CliError> + Clone + 'static,
) -> impl StringValidator + 'static {
    move |text: &str| match check(text) {
        Ok(()) => Ok(Validation::Valid),
        Err(CliError(why)) => Ok(Validation::Invalid(why.into())),
    }
}

/// Asks for a line of text, with a default, until it is valid; white space at its ends is ignored.
fn text(
    question: &str,
    default: &str,
    help: &str,
    check: impl Fn(&str) -> Result<(), CliError> + Clone + 'static,
) -> PromptResult<String> {
    let mut prompt = Text::new(question).with_validator(validator(move |text| check(text.trim())));
    if !default.is_empty() {
        prompt = prompt.with_default(default);
    }
    if !help.is_empty() {
        prompt = prompt.with_help_message(help);
    }
    prompt_result(prompt.prompt()).map(|text| text.trim().to_owned())
}

fn secret(question: &str) -> PromptResult<String> {
    let prompt = inquire::Password::new(question)
        .without_confirmation()
        .with_display_mode(PasswordDisplayMode::Masked);
    prompt_result(prompt.prompt())
}

fn non_empty(text: &str) -> Result<(), CliError> {
    if text.is_empty() { refuse("enter a value") } else { Ok(()) }
}

fn choice<T: Display>(question: &str, choices: Vec<T>) -> PromptResult<T> {
    prompt_result(
        Select::new(question, choices).with_help_message("use the arrow keys and Enter").prompt(),
    )
}

fn text_of(path: &Path) -> String {
    path.display().to_string()
}

fn ask_folders(given: &mut InstallArgs, existing: &ExistingConfig) -> PromptResult<()> {
    if given.data_dir.is_none() {
        let default = existing.data_dir.clone().unwrap_or_else(|| DATA_DIR.into());
        let help = "for documents, imports in progress and the embedded database";
        let folder = text("Folder for data:", &text_of(&default), help, non_empty)?;
        given.data_dir = Some(folder.into());
    }
    let dir = given.dir.clone().unwrap_or_else(|| DIR.into());
    super::say(&format!("Settings and keys go into {} (change with --dir).", dir.display()));
    Ok(())
}

const POSTGRES: &str = "PostgreSQL";
const MARIADB: &str = "MariaDB";
const EMBEDDED: &str = "SQLite, embedded: to try it out";

/// Asks until the database can be used or the user gives up.
async fn ask_database(
    given: &mut InstallArgs,
    existing: &ExistingConfig,
    settings: &ExistingSettings,
) -> PromptResult<()> {
    if given.database_url.is_some() {
        return Ok(());
    }
    if let Some(url) = &existing.database_url {
        let database = shared::database::url::without_password(url);
        if confirm(&format!("Keep the database {database}?"))? {
            given.database_url = Some(url.clone());
            return Ok(());
        }
    }
    let data_dir = given.data_dir.clone().unwrap_or_else(|| DATA_DIR.into());
    let mut parts = Parts::default();
    loop {
        let url = match choice("Which database?", vec![POSTGRES, MARIADB, EMBEDDED])? {
            EMBEDDED => {
                let default = data_dir.join("core.sqlite");
                let path = text("Database file:", &text_of(&default), "", non_empty)?;
                format!("sqlite://{path}")
            }
            kind => parts.ask(kind)?,
        };
        let (report, _) = check_database(&url, settings).await;
        super::say(&report.to_text());
        if report.holds() {
            given.database_url = Some(url);
            return Ok(());
        }
        if !confirm("Answer again?")? {
            return refuse(report.faults().join("\n"));
        }
    }
}

/// Asks for the business time zone, unless the database has one.
async fn ask_time_zone(
    given: &mut InstallArgs,
    existing: &ExistingConfig,
    settings: &ExistingSettings,
) -> PromptResult<()> {
    if given.time_zone.is_some() {
        return Ok(());
    }
    let url = given.database_url.as_deref().unwrap_or_default();
    let (_, found) = check_database(url, settings).await;
    if let Some(time_zone) = found.and_then(|found| found.time_zone) {
        super::say(&format!(
            "The business time zone is {time_zone} (change it with installer settings set)."
        ));
        return Ok(());
    }
    let default = existing.time_zone.clone().unwrap_or_else(this_time_zone);
    let help = "the time zone of the business day, as an IANA name such as America/Chicago";
    given.time_zone = Some(text("Business time zone:", &default, help, check_time_zone)?);
    Ok(())
}

/// The parts of a database server's URL; asked again, the last answers are proposed.
#[derive(Default)]
struct Parts {
    host: Option<String>,
    name: Option<String>,
    user: Option<String>,
}

impl Parts {
    fn ask(&mut self, kind: &str) -> PromptResult<String> {
        let (scheme, port) = if kind == POSTGRES { ("postgres", 5432) } else { ("mysql", 3306) };
        let ask_part = |last: &mut Option<String>, question, default: &str| {
            let default = last.clone().unwrap_or_else(|| default.to_owned());
            let answer = text(question, &default, "", non_empty)?;
            *last = Some(answer.clone());
            Ok::<_, CliError>(answer)
        };
        let host = ask_part(&mut self.host, "Host:", "localhost")?;
        let port = ask_port("Port:", port, |_| Ok(()))?;
        let name = ask_part(&mut self.name, "Database name:", "loan_servicing")?;
        let user = ask_part(&mut self.user, "User:", "loan_servicing")?;
        let password = secret("Password:")?;
        let url = || {
            let mut url = Url::parse(&format!("{scheme}://{host}:{port}")).ok()?;
            url.set_username(&in_url(&user)).ok()?;
            let password = Some(in_url(&password)).filter(|it| !it.is_empty());
            url.set_password(password.as_deref()).ok()?;
            url.path_segments_mut().ok()?.push(&name);
            Some(url.to_string())
        };
        url().ok_or_else(|| CliError(format!("{host:?} is not a host name")))
    }
}

fn ask_port(
    question: &str,
    default: u16,
    check: impl Fn(u16) -> Result<(), CliError> + Clone + 'static,
) -> PromptResult<u16> {
    let answer = text(question, &default.to_string(), "", move |text| match text.parse() {
        Ok(port) if port > 0 => check(port),
        _ => refuse("enter a port from 1 to 65535"),
    })?;
    answer.parse().map_err(|_| CliError(format!("{answer} is not a port")))
}

/// `installed` is the existing installation, whose own ports count as free.
fn ask_addresses(
    given: &mut InstallArgs,
    existing: &ExistingConfig,
    installed: &ExistingConfig,
) -> PromptResult<()> {
    if given.host.is_none() {
        let default = existing.host.clone().unwrap_or_else(this_host);
        let help = "clients use it to reach the servers, and certificates contain it";
        let check = |text: &str| check_host(&text.to_lowercase());
        given.host = Some(text("Host name of this machine:", &default, help, check)?);
    }
    if given.listen.is_none() {
        let all = "programs on other machines";
        let local = "only programs on this machine, such as a web server in front of them";
        let unchanged = existing.auth_listen.map(|ip| format!("as before, on {ip}"));
        let choices = unchanged.as_deref().into_iter().chain([all, local]);
        let chosen = choice("Who connects to the servers?", choices.collect())?;
        given.listen = if Some(chosen) == unchanged.as_deref() {
            // If the two listen on different addresses, each keeps its own.
            existing.auth_listen.filter(|_| existing.auth_listen == existing.api_listen)
        } else if chosen == local {
            Some(Ipv4Addr::LOCALHOST.into())
        } else {
            Some(Ipv4Addr::UNSPECIFIED.into())
        };
    }
    let listen = given.listen.or(existing.auth_listen).unwrap_or(Ipv4Addr::UNSPECIFIED.into());
    let own_ports = (installed.auth_port, installed.api_port);
    let lowest = match super::is_root() && given.service_user.as_deref() != Some("root") {
        true => lowest_port(),
        false => 1,
    };
    if given.auth_port.is_none() {
        let check = move |port| check_port(listen, port, lowest, own_ports.0);
        let default = existing.auth_port.unwrap_or(AUTH_PORT);
        given.auth_port = Some(ask_port("Port of the auth server:", default, check)?);
    }
    if given.api_port.is_none() {
        let auth_port = given.auth_port;
        let check = move |port| match Some(port) == auth_port {
            true => refuse("the auth server uses this port"),
            false => check_port(listen, port, lowest, own_ports.1),
        };
        let default = existing.api_port.unwrap_or(API_PORT);
        given.api_port = Some(ask_port("Port of the api-server:", default, check)?);
    }
    ask_urls(given, existing)
}

/// Accepts a port that is free or already this installation's own, and that the servers may use.
fn check_port(
    listen: IpAddr,
    port: u16,
    lowest: u16,
    own_port: Option<u16>,
) -> Result<(), CliError> {
    match TcpListener::bind((listen, port)) {
        _ if port < lowest => {
            refuse(format!("the servers do not run as root: choose a port from {lowest} up"))
        }
        Err(error) if own_port != Some(port) => {
            refuse(format!("cannot listen on this port: {error}"))
        }
        _ => Ok(()),
    }
}

/// Asks for the public URLs, if there is a proxy in front of the servers.
fn ask_urls(given: &mut InstallArgs, existing: &ExistingConfig) -> PromptResult<()> {
    if given.auth_url.is_some() && given.api_url.is_some() {
        return Ok(());
    }
    let host = given.host.clone().unwrap_or_default();
    let (auth_port, api_port) = (given.auth_port.unwrap_or(0), given.api_port.unwrap_or(0));
    let direct = (at(&host, auth_port), at(&host, api_port));
    let question = "Is there a web server or load balancer in front of the servers?";
    let before = existing.auth_url.as_ref().is_some_and(|url| *url != direct.0);
    if !prompt_result(Confirm::new(question).with_default(before).prompt())? {
        (given.auth_url, given.api_url) = (Some(direct.0), Some(direct.1));
        return Ok(());
    }
    let help = "https://HOST or https://HOST:PORT, without a trailing slash";
    if given.auth_url.is_none() {
        let default = existing.auth_url.clone().unwrap_or_else(|| format!("https://auth.{host}"));
        given.auth_url = Some(text("Public URL of the auth server:", &default, help, check_url)?);
    }
    if given.api_url.is_none() {
        let default = existing.api_url.clone().unwrap_or_else(|| format!("https://api.{host}"));
        given.api_url = Some(text("Public URL of the api-server:", &default, help, check_url)?);
    }
    if given.proxies.is_none() {
        let help = "addresses or networks, separated by commas";
        let default = existing.proxies.as_deref().unwrap_or("127.0.0.1, ::1");
        given.proxies = Some(text("Addresses it connects from:", default, help, check_proxies)?);
    }
    Ok(())
}

fn ask_certificates(given: &mut InstallArgs, existing: &ExistingConfig) -> PromptResult<()> {
    if given.tls_certificate.is_some() || existing.tls.is_some() {
        return Ok(());
    }
    let new_authority = "create an authority, and a certificate issued by it";
    let files = "use existing files";
    if choice("Certificates:", vec![new_authority, files])? == new_authority {
        return Ok(());
    }
    let file = |question: &str| {
        let check = |path: &str| match std::fs::File::open(path) {
            Ok(_) => Ok(()),
            Err(error) => refuse(error.to_string()),
        };
        text(question, "", "", check).map(|path| Some(PathBuf::from(path)))
    };
    given.tls_certificate = file("Certificate chain (PEM):")?;
    given.tls_key = file("Private key (PEM):")?;
    let public = "a public one that this machine trusts";
    let private = "another one, whose certificate I have";
    if choice("The authority that signed it:", vec![public, private])? == private {
        given.tls_authority = file("Authority certificate (PEM):")?;
    }
    Ok(())
}

/// Asks where to store documents; for a bucket, until it can be reached.
async fn ask_documents(
    given: &mut InstallArgs,
    existing: &ExistingConfig,
    settings: &ExistingSettings,
    before: &InstallArgs,
) -> PromptResult<()> {
    if given.documents.is_some() {
        return Ok(());
    }
    let unchanged = existing.documents.as_ref().map(|location| format!("as before, in {location}"));
    let bucket = "in a bucket of S3 or a compatible service";
    let choices = unchanged.as_deref().into_iter().chain(["in a folder on this machine", bucket]);
    let chosen = choice("Where should documents be stored?", choices.collect())?;
    if Some(chosen) == unchanged.as_deref() {
        given.bucket = before.bucket.clone();
        given.documents = existing.documents.clone();
        return Ok(());
    }
    if chosen != bucket {
        let folder = given.data_dir.clone().unwrap_or_else(|| DATA_DIR.into()).join(DOCUMENTS);
        given.documents = Some(text("Document folder:", &text_of(&folder), "", non_empty)?);
        return Ok(());
    }
    let mut location = existing.documents.clone().filter(|location| location.starts_with("s3://"));
    loop {
        let proposed = location.as_deref().unwrap_or("s3://loan-documents");
        let (entered, bucket) = ask_bucket(proposed, &given.bucket)?;
        let outcome = bucket::try_out(&entered, &bucket.settings(&entered)?, &settings.dir).await;
        given.bucket = bucket;
        let Err(error) = outcome else {
            given.documents = Some(entered);
            return Ok(());
        };
        let fault = format!("cannot use {entered}: {error}");
        location = Some(entered);
        super::say(&fault);
        if !confirm("Answer again?")? {
            return refuse(fault);
        }
    }
}

/// Asks for a bucket and how to reach it; asked again, the last answers are proposed.
fn ask_bucket(
    location: &str,
    previous: &BucketArguments,
) -> PromptResult<(String, BucketArguments)> {
    let location = text("Bucket:", location, "s3://BUCKET or s3://BUCKET/PREFIX", non_empty)?;
    let ask = |question, previous: &Option<String>, help| {
        let answer = text(question, previous.as_deref().unwrap_or(""), help, |_| Ok(()))?;
        Ok::<_, CliError>(Some(answer).filter(|answer| !answer.is_empty()))
    };
    let help = "https://HOST; leave empty for Amazon's own";
    let s3_endpoint = ask("URL of the service:", &previous.s3_endpoint, help)?;
    let authority = previous.s3_authority.as_deref().map(text_of);
    let help = "PEM; leave empty for this machine's trusted authorities";
    let s3_authority = match s3_endpoint {
        Some(_) => ask("File with the authorities of its certificate:", &authority, help)?,
        None => None,
    };
    let region = previous.s3_region.clone().or_else(|| Some("us-east-1".to_owned()));
    let s3_region = ask("Region:", &region, "")?;
    let help = "leave empty to use the credentials of this machine's role";
    let s3_access_key_id = ask("Access key ID:", &previous.s3_access_key_id, help)?;
    let s3_secret = match s3_access_key_id {
        Some(_) => Some(secret("Secret access key:")?),
        None => None,
    };
    let bucket = BucketArguments {
        s3_endpoint,
        s3_region,
        s3_access_key_id,
        s3_secret_file: None,
        s3_authority: s3_authority.map(PathBuf::from),
        s3_secret,
    };
    Ok((location, bucket))
}

fn ask_accounts(given: &mut InstallArgs, settings_exist: bool) -> PromptResult<()> {
    if given.admin.is_none() {
        let help = "it has all privileges; an existing admin account stays as it is";
        let name = text("Name of the admin account:", ADMIN, help, accounts::check_name)?;
        given.admin = Some(name);
    }
    if given.client.is_none() && !given.no_client {
        let question = "Register a client for programs that log users in by name and password?";
        match prompt_result(Confirm::new(question).with_default(!settings_exist).prompt())? {
            true => given.client = Some(text("Client id:", CLIENT, "", check_client)?),
            false => given.no_client = true,
        }
    }
    Ok(())
}

fn ask_services(given: &mut InstallArgs, existing: &ExistingConfig) -> PromptResult<()> {
    if super::is_root() && given.service_user.is_none() {
        let default = existing.service_user.as_deref().unwrap_or(SERVICE_USER);
        let name = text("System user that runs the servers:", default, "", non_empty)?;
        given.service_user = Some(name);
    }
    if services::exist() && !given.start {
        given.start = confirm("Start the services, now and at boot?")?;
    }
    Ok(())
}
