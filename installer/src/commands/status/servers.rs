//! The servers at their addresses: live, ready, and presenting the certificate named in their
//! settings.

use super::ServerSettings;
use crate::installation::certificates::{ANOTHER_CERTIFICATE, KeyHolder};
use crate::installation::checks::{CheckName, Failure, Finding, Report};
use crate::installation::server_process::local_address;
use api_server::config::Config;
use reqwest::{Client, Response, StatusCode, Url};
use rustls::ClientConfig;
use std::error::Error as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const PATH: CheckName = (
    "way to the auth-server",
    "reachable from the api-server over TLS with its trusted authorities",
);
const CLIENT: CheckName = (
    "client of the api-server",
    "the auth server accepts the id and secret in the api-server's settings",
);
const SEE_LOG: &str = "see the log of the auth server";
const RELOAD: &str = "reload it (SIGHUP), or restart it if its settings have changed";
/// How long to wait for a server: it waits up to five seconds for its own database.
const TIMEOUT: Duration = Duration::from_secs(8);

/// Checks both servers, and the auth server again along the api-server's path to it.
pub(super) async fn check(settings: &ServerSettings, report: &mut Report) {
    let auth = settings.auth.as_ref();
    let auth = auth.map(|it| (it.listen, it.tls_certificate.as_path()));
    let api = settings.api.as_ref().map(|it| (it.listen, it.tls_certificate.as_path()));
    // Concurrently, because each may be slow.
    let (auth, api, path) = tokio::join!(
        check_server("auth-server", auth),
        check_server("api-server", api),
        check_path(settings),
    );
    for part in [auth, api, path] {
        report.checks.extend(part.checks);
    }
}

async fn check_server(name: &'static str, server: Option<(SocketAddr, &Path)>) -> Report {
    let check = (name, "live and ready, with the certificate from its settings");
    let mut report = Report::default();
    let Some((listen, certificate)) = server else {
        report.skip(check, "its settings cannot be read");
        return report;
    };
    let url = format!("https://{}", local_address(listen));
    match pinned(certificate) {
        Ok(client) => report.record(check, check_health(&client, &url).await),
        Err(why) => report.fail(check, why, "correct the certificate setting"),
    }
    report
}

/// Checks the api-server's path to the auth server and, if that works, the api-server's client.
async fn check_path(settings: &ServerSettings) -> Report {
    let mut report = Report::default();
    let Some(api) = &settings.api else {
        for check in [PATH, CLIENT] {
            report.skip(check, "the api-server's settings cannot be read");
        }
        return report;
    };
    let client = trusting(&api.auth_ca).map_err(|why| Failure::new(why, "correct API_AUTH_CA"));
    let path = match &client {
        Ok(client) => check_health(client, &api.auth_url).await,
        Err(failure) => Err(failure.clone()),
    };
    report.record(PATH, path);
    match client {
        Ok(client) if report.holds() => {
            report.record(CLIENT, introspect(&client, api, &settings.api_file).await);
        }
        _ => report.skip(CLIENT, "the check \"way to the auth-server\" failed"),
    }
    report
}

/// Introspects a token that does not exist: the response shows whether the client may introspect.
async fn introspect(client: &Client, api: &Config, api_file: &str) -> Finding {
    let id = &api.auth_client_id;
    let advice = format!(
        "get a secret with installer client rotate {id} or, if there is no such client, installer \
         client add {id} --resource-server; set API_AUTH_CLIENT_SECRET in {api_file} to it, and \
         restart the api-server"
    );
    let form =
        [("token", "of-nobody"), ("client_id", id), ("client_secret", &api.auth_client_secret)];
    let url = format!("{}/oauth2/introspect", api.auth_url);
    let response = client.post(url).form(&form).send().await;
    let response = response.map_err(|error| Failure::new(root_cause(&error), SEE_LOG))?;
    let status = response.status();
    match status {
        StatusCode::OK => Ok(format!("it accepts the client {id}")),
        StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            let found = format!("it rejects the client {id}: {status}{}", reason(response).await);
            Err(Failure::new(found, advice))
        }
        _ => Err(Failure::new(format!("{status}{}", reason(response).await), SEE_LOG)),
    }
}

async fn check_health(client: &Client, server: &str) -> Finding {
    for (path, advice) in [
        ("/health/live", "start it, or see its log"),
        ("/health/ready", "see the database check, and the server's log"),
    ] {
        let failed =
            |found: String, advice: &str| Failure::new(format!("{server}: {found}"), advice);
        let url = Url::parse(&format!("{server}{path}"));
        let url = url.map_err(|why| failed(why.to_string(), "correct its URL in the settings"))?;
        let response = client.get(url).send().await.map_err(|error| match root_cause(&error) {
            found if found == ANOTHER_CERTIFICATE => failed(found, RELOAD),
            found => failed(found, advice),
        })?;
        let status = response.status();
        if !status.is_success() {
            let found = format!("{path} is {status}{}", reason(response).await);
            return Err(failed(found, advice));
        }
        if let Some(found) = failing_tasks(response).await {
            return Err(failed(found, "see its log; it keeps retrying"));
        }
    }
    Ok(format!("live and ready at {server}"))
}

/// The background tasks that a server repeatedly fails to run, if any.
async fn failing_tasks(response: Response) -> Option<String> {
    let json: serde_json::Value = response.json().await.ok()?;
    let failing = json.get("failing_tasks")?.as_array()?.iter();
    let failing = failing.filter_map(|it| {
        Some(format!("{} (failed {} times in a row)", it["task"].as_str()?, it["failures"]))
    });
    let failing: Vec<String> = failing.collect();
    (!failing.is_empty()).then(|| format!("background tasks are failing: {}", failing.join(", ")))
}

/// The explanation in a response, after a colon; empty if there is none.
async fn reason(response: Response) -> String {
    let json: Option<serde_json::Value> = response.json().await.ok();
    let text = |name: &str| json.as_ref()?.get(name)?.as_str().map(str::to_owned);
    let explanation =
        text("detail").or_else(|| text("error_description")).or_else(|| text("title"));
    explanation.map(|explanation| format!(": {explanation}")).unwrap_or_default()
}

/// A client that trusts only the certificate in this file, whatever the host name.
fn pinned(certificate: &Path) -> Result<Client, String> {
    let chain = shared::tls::read_certificates(certificate)?;
    let expected = chain.into_iter().next().ok_or("no certificate found")?;
    let config = ClientConfig::builder()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(KeyHolder::new(Some(expected))?))
        .with_no_client_auth();
    client(config)
}

fn trusting(authorities: &Path) -> Result<Client, String> {
    client(shared::tls::client_config(authorities, rustls::ALL_VERSIONS)?)
}

fn client(config: ClientConfig) -> Result<Client, String> {
    Client::builder()
        .tls_backend_preconfigured(config)
        .no_proxy()
        .timeout(TIMEOUT)
        .build()
        .map_err(|error| root_cause(&error))
}

/// The innermost cause has the explanation; the error's own text repeats the URL.
fn root_cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", TIMEOUT.as_secs());
    }
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    let text = causes.last().map_or_else(|| error.to_string(), ToString::to_string);
    // The prefix that the library adds to a verifier's message.
    text.strip_prefix("unexpected error: ").map(str::to_owned).unwrap_or(text)
}
