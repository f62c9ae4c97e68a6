//! The plan of an installation: the settings to write, and the steps in order.

use super::answers::Answers;
use super::checks::{DatabaseState, certificate_names};
use super::existing_config::{ExistingConfig, ExistingSettings, HOST_FILE};
use super::settings_file::SettingsFile;
use super::units::{SERVICES, unit};
use crate::installation::certificates::{self, TlsFiles};
use crate::installation::core_settings::this_time_zone;
use crate::installation::credentials::{random_key, random_secret};
use crate::installation::registration::{API_SERVER_CLIENT, BROWSER_CLIENT};
use shared::migration::SchemaState;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstallStep {
    /// Create the system user that runs the servers.
    Account,
    Folders,
    /// Create the authority and the certificate.
    Certificates,
    /// Write the settings files.
    Settings,
    Schema,
    /// Add the admin account and the clients.
    Rows,
    TimeZone,
    /// Allow another URL of the documentation.
    Documentation,
    Units,
    Services,
    /// Verify the auth server as the api-server sees it.
    Verify,
}

/// Everything that will be done.
pub(super) struct InstallPlan {
    /// The steps, each with its description.
    pub steps: Vec<(InstallStep, String)>,
    pub auth: SettingsFile,
    pub api: SettingsFile,
    pub tls: TlsFiles,
    /// The new business time zone, if it changes.
    pub time_zone: Option<String>,
    /// Name of the admin account to add.
    pub admin: Option<String>,
    /// Ids of the clients to add.
    pub clients: Vec<String>,
    /// True if the documentation's client exists and must be allowed for another URL.
    pub documentation: bool,
}

impl InstallPlan {
    /// Plans the steps that lead from what was found to the answers.
    pub(super) fn new(
        answers: &Answers,
        settings: &ExistingSettings,
        found: &DatabaseState,
    ) -> Result<Self, String> {
        let created = || TlsFiles::in_folder(&answers.dir.join("tls"));
        let tls = answers.tls.clone().unwrap_or_else(created);
        let (auth, api) = new_settings(answers, settings, &tls);
        let admin = (!found.admin).then(|| answers.admin.clone());
        let clients = [Some(API_SERVER_CLIENT), Some(BROWSER_CLIENT), answers.client.as_deref()];
        let clients = clients.into_iter().flatten().filter(|id| !found.clients.contains(*id));
        let clients: Vec<_> = clients.map(str::to_owned).collect();
        let receiver = receiver(&answers.api_url);
        let registered = found.receivers.as_ref();
        let documentation = api.get("API_DOCS_CLIENT_ID") == Some(BROWSER_CLIENT)
            && registered.is_some_and(|registered_uris| !registered_uris.contains(&receiver));
        let time_zone = match found.schema {
            SchemaState::Missing => Some(answers.time_zone.clone().unwrap_or_else(this_time_zone)),
            _ => answers.time_zone.clone().filter(|zone| Some(zone) != found.time_zone.as_ref()),
        };
        let steps = Vec::new();
        let mut plan = Self { steps, auth, api, tls, time_zone, admin, clients, documentation };
        plan.add_machine(answers, settings)?;
        plan.add_database(answers, found);
        plan.add_services(answers);
        let verify = format!("run Verify Auth Server against {}", answers.auth_url);
        plan.steps.push((InstallStep::Verify, verify));
        Ok(plan)
    }

    fn add(&mut self, step: InstallStep, what: String) {
        self.steps.push((step, what));
    }

    fn add_machine(
        &mut self,
        answers: &Answers,
        settings: &ExistingSettings,
    ) -> Result<(), String> {
        if let Some(user) = &answers.service_user
            && super::system_user::ids(user).is_none()
        {
            self.add(
                InstallStep::Account,
                format!("create the system user {user}, which runs the servers"),
            );
        }
        let user = answers.service_user.as_deref().and_then(super::system_user::ids);
        let is_ready = |folder: &PathBuf| {
            let is_owned = || user.is_none_or(|user| super::system_user::owns(folder, user));
            folder.exists() && is_owned()
        };
        let missing: Vec<_> = folders(answers)
            .iter()
            .filter(|folder| !is_ready(folder))
            .map(|path| path.display().to_string())
            .collect();
        if !missing.is_empty() {
            self.add(InstallStep::Folders, format!("create {}", missing.join(", ")));
        }
        if answers.tls.is_none() {
            let names = certificate_names(answers);
            let needed = certificates::missing(&self.tls, &names)?;
            if let Some(what) = needed {
                self.add(InstallStep::Certificates, format!("{what} for {}", names.join(", ")));
            }
        }
        let is_written = |file: &SettingsFile, name| {
            std::fs::read_to_string(env_file(answers, name)).ok().as_deref() == Some(file.text())
        };
        let host_unchanged = settings.host.as_ref() == Some(&answers.host);
        if !host_unchanged
            || !is_written(&self.auth, "auth-server")
            || !is_written(&self.api, "api-server")
        {
            let dir = answers.dir.display();
            let files = format!("the settings {dir}/auth-server.env and {dir}/api-server.env");
            let mut changes = self.auth.changes(&settings.auth);
            changes.extend(self.api.changes(&settings.api));
            let what = match settings.exist {
                false => format!("write {files}"),
                true if changes.is_empty() => format!("rewrite {files}"),
                true => format!("change {files}: {}", changes.join(", ")),
            };
            self.add(InstallStep::Settings, what);
        }
        Ok(())
    }

    fn add_database(&mut self, answers: &Answers, found: &DatabaseState) {
        let database = answers.database_shown();
        if found.schema == SchemaState::Missing {
            self.add(InstallStep::Schema, format!("create the schema in {database}"));
        }
        if let Some(zone) = &self.time_zone {
            let previous =
                found.time_zone.iter().map(|previous| format!(", previously {previous}"));
            let previous: String = previous.collect();
            self.add(
                InstallStep::TimeZone,
                format!("set the business time zone to {zone}{previous}"),
            );
        }
        let admin = self.admin.iter().map(|name| format!("the admin account {name}"));
        let clients = self.clients.iter().map(|id| format!("the client {id}"));
        let rows: Vec<_> = admin.chain(clients).collect();
        if !rows.is_empty() {
            self.add(InstallStep::Rows, format!("add {}", rows.join(", ")));
        }
        if self.documentation {
            let url = &answers.api_url;
            self.add(InstallStep::Documentation, format!("also allow log-ins from {url}/docs"));
        }
    }

    fn add_services(&mut self, answers: &Answers) {
        let Some(units) = &answers.units else { return };
        let changed = SERVICES.iter().any(|(_, name, text)| {
            let existing = std::fs::read_to_string(units.join(name)).ok();
            existing != Some(unit(text, answers))
        });
        if changed {
            let names = SERVICES.map(|(_, name, _)| name).join(" and ");
            self.add(InstallStep::Units, format!("write {names} to {}", units.display()));
        }
        if answers.start {
            let what = "start both services, now and at boot".to_owned();
            self.add(InstallStep::Services, what);
        }
    }

    /// The plan as a numbered list.
    pub(super) fn to_text(&self) -> String {
        let lines = self.steps.iter().zip(1..);
        lines.map(|((_, what), number)| format!("  {number}. {what}\n")).collect()
    }
}

/// The redirect URI of the documentation page.
pub(super) fn receiver(api_url: &str) -> String {
    format!("{api_url}/docs/oauth-receiver.html")
}

/// The file that keeps this machine's host name for the next run.
pub(super) fn host_file(answers: &Answers) -> PathBuf {
    answers.dir.join(HOST_FILE)
}

pub(super) fn env_file(answers: &Answers, server: &str) -> PathBuf {
    answers.dir.join(format!("{server}.env"))
}

/// The data folders, outer ones first.
pub(super) fn folders(answers: &Answers) -> Vec<PathBuf> {
    let mut folders = vec![answers.data_dir.clone(), answers.spool.clone()];
    if !answers.documents.contains("://") {
        folders.push(PathBuf::from(&answers.documents));
    }
    let of_database = answers.database_file().and_then(Path::parent).map(Path::to_owned);
    folders.extend(of_database.filter(|folder| !folders.contains(folder)));
    folders
}

/// The new settings; existing keys and secrets are kept.
fn new_settings(
    answers: &Answers,
    settings: &ExistingSettings,
    tls: &TlsFiles,
) -> (SettingsFile, SettingsFile) {
    let (mut auth, mut api) = (settings.auth.clone(), settings.api.clone());
    let path = |path: &Path| path.display().to_string();
    for (name, value) in [
        ("AUTH_LISTEN", answers.auth_address().to_string()),
        ("AUTH_ISSUER", answers.auth_url.clone()),
        ("AUTH_DOCUMENTATION_URL", format!("{}/docs", answers.api_url)),
        ("AUTH_DATABASE_URL", answers.database_url.clone()),
        ("AUTH_TLS_CERTIFICATE", path(&tls.certificate)),
        ("AUTH_TLS_KEY", path(&tls.key)),
    ] {
        auth.set(name, &value);
    }
    if let Some(proxies) = &answers.proxies {
        // An administrator's choice of other ones for the api-server is kept.
        let of_api = api.get("API_TRUSTED_PROXIES");
        if of_api.is_none() || of_api == auth.get("AUTH_TRUSTED_PROXIES") {
            api.set("API_TRUSTED_PROXIES", proxies);
        }
        auth.set("AUTH_TRUSTED_PROXIES", proxies);
    }
    for (name, value) in [
        ("API_LISTEN", answers.api_address().to_string()),
        ("API_PUBLIC_URL", answers.api_url.clone()),
        ("API_DATABASE_URL", answers.database_url.clone()),
        ("API_TLS_CERTIFICATE", path(&tls.certificate)),
        ("API_TLS_KEY", path(&tls.key)),
        ("API_AUTH_CLIENT_ID", API_SERVER_CLIENT.to_owned()),
        ("API_DOCUMENTS", answers.documents.clone()),
        ("API_SPOOL_DIRECTORY", path(&answers.spool)),
    ] {
        api.set(name, &value);
    }
    // An administrator's choice of another documentation client, or of none, is kept.
    if !settings.exist {
        api.set("API_DOCS_CLIENT_ID", BROWSER_CLIENT);
    }
    // An administrator's choice of another address to introspect at, such as a load balancer, is
    // kept.
    let introspection_url = api.get("API_AUTH_URL").map(str::to_owned);
    if introspection_url.is_none()
        || introspection_url == ExistingConfig::of(settings).auth_direct_url()
    {
        api.set("API_AUTH_URL", &answers.auth_direct_url());
        api.set("API_AUTH_CA", &path(&tls.authority));
    }
    if answers.auth_url != answers.auth_direct_url() || api.get("API_AUTH_PUBLIC_URL").is_some() {
        api.set("API_AUTH_PUBLIC_URL", &answers.auth_url);
    }
    for (name, value) in &answers.bucket {
        api.set(name, value);
    }
    let key = || format!("k1:{}", random_key());
    ensure_secret(&mut auth, "AUTH_TOKEN_KEYS", key);
    ensure_secret(&mut auth, "AUTH_MASTER_KEYS", key);
    ensure_secret(&mut api, "API_MASTER_KEYS", key);
    ensure_secret(&mut api, "API_AUTH_CLIENT_SECRET", random_secret);
    (auth, api)
}

/// Generates a secret, unless the file has one or names another file that does.
fn ensure_secret(file: &mut SettingsFile, name: &str, make: impl Fn() -> String) {
    if file.get(name).is_none() && file.get(&format!("{name}_FILE")).is_none() {
        file.set(name, &make());
    }
}
