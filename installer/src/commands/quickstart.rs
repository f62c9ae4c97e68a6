//! `installer quickstart`: everything in one folder, up and running with one command.
//!
//! Run again on the same folder, it reuses the installation and keeps its data.

mod folder;

use crate::demo;
use crate::installation::certificates::{self, TlsFiles};
use crate::installation::credentials::Credentials;
use crate::installation::database::{database_name, tables};
use crate::installation::files::write_private;
use crate::installation::registration::{API_SERVER_CLIENT, BROWSER_CLIENT};
use crate::installation::server_process::Server;
use crate::seed;
use crate::verification;
use api_server::documents::store::DocumentStore;
use sea_orm::{DatabaseConnection, DbErr};
use serde_json::{Value, json};
use shared::database::gate::check_session;
use shared::database::migration::SchemaState;
use shared::database::{self, migration};
use shared::passwords::Passwords;
use shared::shutdown;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

/// The public client's redirect URI, besides that of the documentation page.
const BROWSER_REDIRECT: &str = "http://127.0.0.1:8765/callback";
/// Databases that each server has for its own use.
const MAINTENANCE_DATABASES: [&str; 6] =
    ["postgres", "template1", "mysql", "information_schema", "performance_schema", "sys"];
/// The largest portfolio that can be created.
const LOANS_MAX: u32 = 1_000_000;

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct QuickstartArgs {
    /// Folder for everything: certificates, settings and the embedded database
    #[arg(long, default_value = "./loan-servicing")]
    pub dir: PathBuf,
    /// Port of the auth server; 0 picks a free one
    #[arg(long, default_value_t = 8443)]
    pub auth_port: u16,
    /// Port of the api-server; 0 picks a free one
    #[arg(long, default_value_t = 9443)]
    pub api_port: u16,
    /// URL of a PostgreSQL or MariaDB database to use instead of the embedded one
    #[arg(long)]
    pub database_url: Option<String>,
    /// Number of loans in the demo portfolio: above fifty, the same fifty again with other numbers
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=LOANS_MAX as i64))]
    pub loans: u32,
    /// Create users, clients, setup lists, field definitions and a teller's drawer, but no contacts
    /// or loans
    #[arg(long)]
    pub empty: bool,
}

/// Sets up, starts, verifies, reports, and runs until stopped.
pub async fn run(arguments: &QuickstartArgs) -> Result<(), String> {
    let folder = QuickstartFolder::prepare(arguments)?;
    let contents = folder.fill_database(arguments).await?;
    folder.write_settings()?;
    let mut auth = folder.start("auth-server", "serve-auth")?;
    let mut api = folder.start("api-server", "serve-api")?;
    let ca = &folder.tls.authority;
    auth.wait_until_ready(&format!("{}/health/ready", folder.auth_url()), ca, None).await?;
    api.wait_until_ready(&format!("{}/health/ready", folder.api_url()), ca, None).await?;
    folder.verify().await?;
    let report = folder.report(&auth, &api, contents.web_contact);
    let text = serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?;
    write_private(&folder.dir.join("quickstart.json"), &text)?;
    folder.print_summary(&report, &contents.examples);
    let exited = tokio::select! {
        () = shutdown::stop_signal() => Ok(()),
        name = auth.wait_for_exit() => Err(name),
        name = api.wait_for_exit() => Err(name),
    };
    if let Err(name) = exited {
        // The other server keeps running, and the one that ended can be restarted manually.
        println!("{name} has stopped; see {}", folder.dir.join(format!("{name}.log")).display());
        println!("restart it with: {name} --env-file {}", folder.env_file(name).display());
        shutdown::stop_signal().await;
    }
    tokio::join!(auth.stop(), api.stop());
    Ok(())
}

/// Refuses a database that is not there for this product alone.
async fn check_own(db: &DatabaseConnection) -> Result<(), String> {
    let text = |error: DbErr| error.to_string();
    check_session(db).await.map_err(|unready| unready.message())?;
    if migration::schema_state(db).await.map_err(text)? != SchemaState::Missing {
        return Ok(());
    }
    let name = database_name(db).await.map_err(text)?;
    let create = "create one for it, such as with CREATE DATABASE loans, and name that in the URL";
    if MAINTENANCE_DATABASES.contains(&name.as_str()) {
        return Err(format!("{name} is the server's own database: {create}"));
    }
    match tables(db).await.map_err(text)?.as_slice() {
        [] => Ok(()),
        [first, ..] => Err(format!("it has tables of another program, such as {first}: {create}")),
    }
}

/// What the database contains.
struct DatabaseContents {
    /// The web user's contact, if there is one.
    web_contact: Option<i64>,
    /// For each read operation, by id, a path that returns data.
    examples: Vec<(&'static str, String)>,
}

/// The folder, its files, and the servers' addresses.
struct QuickstartFolder {
    dir: PathBuf,
    tls: TlsFiles,
    credentials: Credentials,
    database_url: String,
    auth_port: u16,
    api_port: u16,
}

impl QuickstartFolder {
    fn prepare(arguments: &QuickstartArgs) -> Result<Self, String> {
        // It holds passwords, keys and the database.
        let dir = folder::open(&arguments.dir)?;
        let auth_port = free_port(arguments.auth_port)?;
        let api_port = free_port(arguments.api_port)?;
        let tls = certificates::local(&dir.join("tls"))?;
        let credentials = Credentials::load_or_create(&dir.join("credentials.json"))?;
        let database_url = match &arguments.database_url {
            Some(url) => url.clone(),
            None => {
                let file = dir.join("core.sqlite");
                folder::private_file(&file)?;
                format!("sqlite://{}", file.display())
            }
        };
        Ok(Self { dir, tls, credentials, database_url, auth_port, api_port })
    }

    fn auth_url(&self) -> String {
        format!("https://localhost:{}", self.auth_port)
    }

    fn api_url(&self) -> String {
        format!("https://localhost:{}", self.api_port)
    }

    fn documents(&self) -> PathBuf {
        self.dir.join("documents")
    }

    fn env_file(&self, server: &str) -> PathBuf {
        self.dir.join(format!("{server}.env"))
    }

    fn start(&self, name: &'static str, command: &str) -> Result<Server, String> {
        let log = self.dir.join(format!("{name}.log"));
        Server::start(name, command, &self.env_file(name), &log, None, &[])
    }

    /// Creates the schema, users, clients and portfolio.
    async fn fill_database(&self, arguments: &QuickstartArgs) -> Result<DatabaseContents, String> {
        let failed = |error: String| format!("cannot use the database: {error}");
        let db_error = |error: DbErr| failed(error.to_string());
        let db = database::connect_or_create(&self.database_url, 4).await.map_err(db_error)?;
        if arguments.database_url.is_some() {
            check_own(&db).await.map_err(failed)?;
        }
        migration::migrate(&db).await.map_err(db_error)?;
        let redirects = format!("{BROWSER_REDIRECT} {}/docs/oauth-receiver.html", self.api_url());
        let (credentials, passwords) = (&self.credentials, Passwords::recommended()?);
        seed::users_and_clients(&db, credentials, &passwords, &redirects, &self.api_url())
            .await
            .map_err(failed)?;
        if arguments.empty {
            seed::standing_rows::ensure(&db).await.map_err(db_error)?;
        } else {
            let store = DocumentStore::open_for_bulk(self.documents());
            let store =
                store.map_err(|error| format!("cannot open the document store: {error}"))?;
            let keys = format!("k1:{}", self.credentials.card_key).parse()?;
            demo::fill(&db, &store, &keys, arguments.loans, &self.credentials.web)
                .await
                .map_err(|why| format!("cannot create the demo portfolio: {why}"))?;
        }
        let web_contact = seed::web_contact(&db).await.map_err(db_error)?;
        let examples = demo::examples::examples(&db).await.map_err(db_error)?;
        db.close().await.map_err(db_error)?;
        Ok(DatabaseContents { web_contact, examples })
    }

    fn write_settings(&self) -> Result<(), String> {
        let (tls, credentials) = (&self.tls, &self.credentials);
        let auth = [
            ("AUTH_LISTEN", format!("127.0.0.1:{}", self.auth_port)),
            ("AUTH_ISSUER", self.auth_url()),
            ("AUTH_DOCUMENTATION_URL", format!("{}/docs", self.api_url())),
            ("AUTH_DATABASE_URL", self.database_url.clone()),
            ("AUTH_TLS_CERTIFICATE", tls.certificate.display().to_string()),
            ("AUTH_TLS_KEY", tls.key.display().to_string()),
            ("AUTH_TOKEN_KEYS", format!("k1:{}", credentials.token_key)),
            ("AUTH_MASTER_KEYS", format!("k1:{}", credentials.master_key)),
        ];
        let api = [
            ("API_LISTEN", format!("127.0.0.1:{}", self.api_port)),
            ("API_DATABASE_URL", self.database_url.clone()),
            ("API_DOCUMENTS", self.documents().display().to_string()),
            ("API_TLS_CERTIFICATE", tls.certificate.display().to_string()),
            ("API_TLS_KEY", tls.key.display().to_string()),
            ("API_MASTER_KEYS", format!("k1:{}", credentials.card_key)),
            ("API_AUTH_URL", self.auth_url()),
            ("API_AUTH_CA", tls.authority.display().to_string()),
            ("API_AUTH_CLIENT_ID", API_SERVER_CLIENT.to_owned()),
            ("API_AUTH_CLIENT_SECRET", credentials.api_server.clone()),
        ];
        let lines = |pairs: &[(&str, String)]| {
            pairs.iter().map(|(name, value)| format!("{name}={value}\n")).collect::<String>()
        };
        write_private(&self.env_file("auth-server"), &lines(&auth))?;
        write_private(&self.env_file("api-server"), &lines(&api))
    }

    /// Runs Verify Auth Server as the resource server.
    async fn verify(&self) -> Result<(), String> {
        let secret_file = self.dir.join("api-server.secret");
        write_private(&secret_file, &self.credentials.api_server)?;
        let arguments = verification::VerificationArgs {
            url: self.auth_url(),
            ca: Some(self.tls.authority.clone()),
            client: Some(API_SERVER_CLIENT.to_owned()),
            secret_file: Some(secret_file),
            ..verification::VerificationArgs::default()
        };
        let db = database::connect(&self.database_url, 2).await;
        let db = db.map_err(|error| format!("cannot use the database: {error}"))?;
        let passwords = Passwords::recommended()?;
        let report = verification::verify_with_round_trip(&arguments, &db, &passwords).await;
        println!("Verify Auth Server:\n{}\n", report.to_text());
        match report.holds() {
            true => Ok(()),
            false => Err("the auth server failed its verification".to_owned()),
        }
    }

    /// The contents of `quickstart.json`.
    fn report(&self, auth: &Server, api: &Server, web_contact: Option<i64>) -> Value {
        let credentials = &self.credentials;
        let user = |name: &str, password: &str| json!({"username": name, "password": password});
        let mut users = json!({
            "admin": user("admin", &credentials.admin),
            "officer": user("officer", &credentials.officer),
            "teller": user("teller", &credentials.teller),
            "viewer": user("viewer", &credentials.viewer),
        });
        if let Some(contact_id) = web_contact {
            users["web"] = user(seed::WEB_USER_NAME, &credentials.web);
            users["web"]["contact_id"] = json!(contact_id);
        }
        json!({
            "auth_url": self.auth_url(),
            "api_url": self.api_url(),
            "ca_certificate": self.tls.authority,
            "database_url": self.database_url,
            "processes": {"auth_server": auth.id(), "api_server": api.id()},
            "clients": {
                "integration": {
                    "client_id": seed::INTEGRATION_CLIENT,
                    "client_secret": credentials.integration,
                },
                "browser": {
                    "client_id": BROWSER_CLIENT,
                    "redirect_uri": BROWSER_REDIRECT,
                },
            },
            "users": users,
        })
    }

    /// Prints the summary for the user.
    fn print_summary(&self, report: &Value, examples: &[(&str, String)]) {
        let (auth_url, api_url) = (self.auth_url(), self.api_url());
        let ca = shell_word(&self.tls.authority);
        println!("auth server   {auth_url}\napi-server    {api_url}");
        println!("documentation {api_url}/docs");
        println!("as JSON       {}\n", self.dir.join("quickstart.json").display());
        if let Some(users) = report["users"].as_object() {
            for (role, user) in users {
                let text = |name: &str| user[name].as_str().unwrap_or_default().to_owned();
                println!("{role:<8} {:<14} {}", text("username"), text("password"));
            }
        }
        println!("\nPaths to read as admin:");
        for (operation, path) in examples {
            println!("  {operation:<36} {path}");
        }
        let log_in = format!(
            "curl -sS --cacert {ca} -u {}:{} -d grant_type=password -d scope=core \
             -d username=admin -d password={} {auth_url}/oauth2/token",
            seed::INTEGRATION_CLIENT,
            self.credentials.integration,
            self.credentials.admin
        );
        let token = r#"sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p'"#;
        println!("\nLog in:\n{log_in}\n\nRead a loan:");
        println!(
            "curl -sS --cacert {ca} -H \"Authorization: Bearer $({log_in} | {token})\" \
             {api_url}/loans/1\n"
        );
        println!("ready");
    }
}

/// Returns the port if it is free; for 0, a free one.
fn free_port(port: u16) -> Result<u16, String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener =
        TcpListener::bind(address).map_err(|error| format!("cannot use port {port}: {error}"))?;
    listener.local_addr().map(|address| address.port()).map_err(|error| error.to_string())
}

/// Quotes a path for a shell.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
