//! The plan of an installation: the settings to write, and the steps in order.

use super::answers::Answers;
use super::checks::{DatabaseState, certificate_names};
use super::existing_config::{ExistingConfig, ExistingSettings};
use super::settings_file::SettingsFile;
use super::unfinished::{CLIENT_SECRET, Unfinished};
use crate::installation::CliError;
use crate::installation::certificates::{self, TlsFiles};
use crate::installation::core_settings::this_time_zone;
use crate::installation::credentials::{random_key, random_secret};
use crate::installation::registration::{API_SERVER_CLIENT, BROWSER_CLIENT};
use shared::database::migration::SchemaState;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Both servers: the names of their programs and, with `.env`, of their settings.
pub(super) const SERVERS: [&str; 2] = ["auth-server", "api-server"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstallStep {
    Folders,
    /// Create the authority and the certificate.
    Certificates,
    /// Write the settings files.
    Settings,
    Schema,
    /// Register the api-server.
    ApiServer,
    /// Verify the auth server as the api-server sees it, then put settings and certificates into
    /// place.
    Verify,
    /// Add the admin account and the clients, set the business time zone.
    Rows,
    Services,
}

/// An admin account to set.
pub(super) struct NewAdmin {
    pub name: String,
    pub password: String,
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
    /// The admin account, if it is to be added or an interrupted run has promised its password.
    pub admin: Option<NewAdmin>,
    /// Ids of the clients to set, apart from the api-server.
    pub clients: Vec<String>,
    /// True if the documentation's client exists and must be allowed for another URL.
    pub documentation: bool,
    /// The secrets that this run generates, and those that an interrupted one has generated.
    pub unfinished: Unfinished,
    /// True if this run completes a first installation.
    pub completes: bool,
}

impl InstallPlan {
    /// Plans the steps that lead from what was found to the answers.
    pub(super) fn new(
        answers: &Answers,
        settings: &ExistingSettings,
        found: &DatabaseState,
    ) -> Result<Self, CliError> {
        let created = || TlsFiles::in_folder(&answers.dir.join("tls"));
        let tls = answers.tls.clone().unwrap_or_else(created);
        let mut unfinished = settings.unfinished.clone();
        unfinished.database = answers.database_shown();
        let (auth, api) = new_settings(answers, settings, &tls, &mut unfinished);
        let receiver = receiver(&answers.api_url);
        let registered = found.receivers.as_ref();
        let documentation = api.get("API_DOCS_CLIENT_ID") == Some(BROWSER_CLIENT)
            && registered.is_some_and(|registered_uris| !registered_uris.contains(&receiver));
        let is_new = found.schema != SchemaState::Current || settings.completes();
        let time_zone = match &answers.time_zone {
            None if is_new && found.time_zone.is_none() => Some(this_time_zone()),
            zone => zone.clone().filter(|zone| Some(zone) != found.time_zone.as_ref()),
        };
        let mut plan = Self {
            steps: Vec::new(),
            auth,
            api,
            tls,
            time_zone,
            admin: new_admin(answers, found, &mut unfinished),
            clients: new_clients(answers, found, &mut unfinished),
            documentation,
            unfinished,
            completes: settings.completes(),
        };
        plan.add_machine(answers, settings)?;
        plan.add_database(answers, found);
        plan.add(
            InstallStep::Verify,
            format!("run Verify Auth Server against {}", answers.auth_url),
        );
        plan.add_rows(answers, found);
        if answers.start {
            plan.add(InstallStep::Services, "start both services, now and at boot".to_owned());
        }
        Ok(plan)
    }

    fn add(&mut self, step: InstallStep, what: String) {
        self.steps.push((step, what));
    }

    fn add_machine(
        &mut self,
        answers: &Answers,
        settings: &ExistingSettings,
    ) -> Result<(), CliError> {
        let user = answers.service_user.as_deref().and_then(super::system_user::ids);
        let is_ready = |folder: &PathBuf| {
            let is_owned = || user.is_none_or(|user| super::system_user::owns(folder, user));
            folder.exists() && is_owned()
        };
        let folders = folders(answers);
        let missing = folders.iter().filter(|folder| !is_ready(folder));
        let missing: Vec<_> = missing.map(|path| path.display().to_string()).collect();
        if !missing.is_empty() {
            self.add(InstallStep::Folders, format!("create {}", missing.join(", ")));
        }
        if answers.tls.is_none() {
            let names = certificate_names(answers);
            let needed = certificates::missing(&self.tls, &names).map_err(CliError)?;
            if let Some(what) = needed {
                self.add(InstallStep::Certificates, format!("{what} for {}", names.join(", ")));
            }
        }
        let is_written = |file: &SettingsFile, server| {
            let text = std::fs::read_to_string(answers.dir.join(format!("{server}.env")));
            text.ok().as_deref() == Some(file.text())
        };
        let [auth, api] = SERVERS;
        if settings.host.as_ref() != Some(&answers.host)
            || !is_written(&self.auth, auth)
            || !is_written(&self.api, api)
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
        match found.schema {
            SchemaState::Missing => {
                self.add(InstallStep::Schema, format!("create the schema in {database}"));
            }
            SchemaState::Older(_) => {
                self.add(InstallStep::Schema, format!("complete the schema in {database}"));
            }
            _ => {}
        }
        if !found.clients.contains(API_SERVER_CLIENT) {
            self.add(InstallStep::ApiServer, "register the api-server".to_owned());
        }
    }

    fn add_rows(&mut self, answers: &Answers, found: &DatabaseState) {
        let mut all = Vec::new();
        if let Some(zone) = &self.time_zone {
            let previous = found.time_zone.iter().map(|zone| format!(", previously {zone}"));
            let previous = previous.collect::<String>();
            all.push(format!("set the business time zone to {zone}{previous}"));
        }
        let admin = self.admin.iter().map(|admin| format!("the admin account {}", admin.name));
        let clients = self.clients.iter().map(|id| format!("the client {id}"));
        let rows: Vec<_> = admin.chain(clients).collect();
        if !rows.is_empty() {
            all.push(format!("add {}", rows.join(", ")));
        }
        if self.documentation {
            all.push(format!("also allow log-ins from {}/docs", answers.api_url));
        }
        if !all.is_empty() {
            self.add(InstallStep::Rows, all.join("; "));
        }
    }

    /// The plan as a numbered list.
    pub(super) fn to_text(&self) -> String {
        let lines = self.steps.iter().zip(1..);
        lines.map(|((_, what), number)| format!("  {number}. {what}\n")).collect()
    }
}

/// The admin account, if there is none or its generated password was never shown. A password that
/// the administrator gives is not written down: this run has it, and the next one is given it again.
fn new_admin(
    answers: &Answers,
    found: &DatabaseState,
    unfinished: &mut Unfinished,
) -> Option<NewAdmin> {
    let promised = unfinished.admin.take();
    if found.admin && promised.is_none() {
        return None;
    }
    let name = match &promised {
        Some((name, _)) if found.admin => name.clone(),
        _ => answers.admin.clone(),
    };
    let given = answers.admin_password.as_ref();
    if let Some(given) = given.filter(|given| !given.generated()) {
        return Some(NewAdmin { name, password: given.text.clone() });
    }
    let password = promised.map(|(_, password)| password);
    let password = password.or_else(|| given.map(|given| given.text.clone()))?;
    unfinished.admin = Some((name.clone(), password.clone()));
    Some(NewAdmin { name, password })
}

/// Ids of the clients to set, apart from the api-server: those that are missing, and those whose
/// secret was never shown.
fn new_clients(
    answers: &Answers,
    found: &DatabaseState,
    unfinished: &mut Unfinished,
) -> Vec<String> {
    let is_registered = |id: &String| found.clients.contains(id);
    let promised = &mut unfinished.clients;
    promised.retain(|id, _| {
        !answers.replaces_clients || is_registered(id) || Some(id) == answers.client.as_ref()
    });
    for id in answers.client.iter().filter(|id| !is_registered(id)) {
        promised.entry(id.clone()).or_insert_with(random_secret);
    }
    let browser = (!found.clients.contains(BROWSER_CLIENT)).then(|| BROWSER_CLIENT.to_owned());
    browser.into_iter().chain(promised.keys().cloned()).collect()
}

/// The redirect URI of the documentation page.
pub(super) fn receiver(api_url: &str) -> String {
    format!("{api_url}/docs/oauth-receiver.html")
}

/// The servers' data folders, outer ones first.
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
    unfinished: &mut Unfinished,
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
    let all = &mut unfinished.settings;
    ensure_secret(&mut auth, all, "AUTH_TOKEN_KEYS", key);
    ensure_secret(&mut auth, all, "AUTH_MASTER_KEYS", key);
    ensure_secret(&mut api, all, "API_MASTER_KEYS", key);
    ensure_secret(&mut api, all, CLIENT_SECRET, random_secret);
    (auth, api)
}

/// Sets a secret to the one generated before or to a new one, unless the file has one or names
/// another file that does.
fn ensure_secret(
    file: &mut SettingsFile,
    all: &mut BTreeMap<String, String>,
    name: &str,
    make: impl Fn() -> String,
) {
    if file.get(name).is_none() && file.get(&format!("{name}_FILE")).is_none() {
        file.set(name, all.entry(name.to_owned()).or_insert_with(make));
    }
}
