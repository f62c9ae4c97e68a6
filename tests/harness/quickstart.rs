//! A quickstart as users start it: the installer's process with two servers as children.

use crate::client::Client;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// A quickstart that has printed `ready`, its report, and everything it printed.
pub struct Quickstart {
    child: Child,
    /// `quickstart.json`
    pub report: Value,
    /// All lines up to `ready`.
    pub printed: String,
}

impl Quickstart {
    /// Starts it in this folder, on free ports.
    pub async fn start(program: &str, folder: &Path, extra: &[&str]) -> Self {
        Self::start_with(program, folder, extra, &[]).await
    }

    /// Starts it with these settings of its servers.
    pub async fn start_with(
        program: &str,
        folder: &Path,
        extra: &[&str],
        settings: &[(&str, &str)],
    ) -> Self {
        shared::tls::install_provider();
        let mut command = command(program, folder, extra);
        let mut child = command.envs(settings.iter().copied()).spawn().expect("a process");
        let output = child.stdout.take().expect("output");
        let mut lines = BufReader::new(output).lines();
        let mut printed = String::new();
        let ready = async {
            while let Some(line) = lines.next_line().await.expect("a line") {
                printed.push_str(&line);
                printed.push('\n');
                if line == "ready" {
                    return;
                }
            }
            panic!("quickstart ended: {printed}");
        };
        timeout(Duration::from_secs(120), ready).await.expect("ready in time");
        let text = std::fs::read_to_string(folder.join("quickstart.json")).expect("a report");
        Self { child, report: serde_json::from_str(&text).expect("JSON"), printed }
    }

    /// A client of its servers, held to the contract.
    pub fn client(&self) -> Client {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        Client::new(
            &text(&self.report["auth_url"]),
            &text(&self.report["api_url"]),
            Path::new(&text(&self.report["ca_certificate"])),
            &text(&self.report["clients"]["integration"]["client_secret"]),
        )
        .checked_against_contract()
    }

    /// Logs one of its users in.
    pub async fn token(&self, user: &str) -> Result<String, String> {
        let user = &self.report["users"][user];
        let (name, password) = (&user["username"], &user["password"]);
        let scope = if user["contact_id"].is_null() { "core" } else { "web" };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.client().log_in(scope, &text(name), &text(password)).await
    }

    /// Ends it as Ctrl-C does, and waits until both servers have gone.
    pub async fn stop(mut self) {
        let id = self.child.id().expect("an id").to_string();
        let signalled = Command::new("kill").args(["-TERM", &id]).status().await.expect("kill");
        assert!(signalled.success());
        let exit = timeout(Duration::from_secs(45), self.child.wait()).await.expect("in time");
        assert!(exit.expect("a status").success());
        let url = format!("{}/health/live", self.report["api_url"].as_str().expect("a URL"));
        assert!(self.client().http.get(url).send().await.is_err(), "the api-server has stopped");
    }
}

fn command(program: &str, folder: &Path, extra: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(["quickstart", "--auth-port", "0", "--api-port", "0", "--dir"])
        .arg(folder)
        .args(extra)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}
