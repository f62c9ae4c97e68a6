//! HAProxy with samples from `deploy/`, as a process with its own directory.

use crate::installed_clients::system_program;
use crate::servers::send_signal;
use installer::installation::certificates::TlsFiles;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

/// How long HAProxy may take to notice the state of a server.
const TIMEOUT: Duration = Duration::from_secs(30);

pub struct Haproxy {
    folder: TempDir,
    child: Child,
}

pub fn find() -> Result<PathBuf, String> {
    system_program("haproxy", "haproxy")
}

/// Reads a sample from `deploy/`.
pub fn sample(name: &str) -> Result<String, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy").join(name);
    std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Replaces example values in a text; each must occur.
pub fn replace(text: &str, values: &[(&str, String)]) -> Result<String, String> {
    let mut text = text.to_owned();
    for (example, value) in values {
        if !text.contains(example) {
            return Err(format!("the sample has no {example}"));
        }
        text = text.replace(example, value);
    }
    Ok(text)
}

/// Adapts settings to a process that is not a service: it logs to its output, has its socket in
/// this directory, and keeps its user. Adds the section `global` if there is none.
pub(crate) fn adapt(settings: &str, folder: &Path) -> String {
    let socket = folder.join("admin.sock").display().to_string();
    let usable = |line: &&str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        !["user", "group", "chroot"].contains(&first)
    };
    let lines = settings.lines().filter(usable);
    let text = lines.collect::<Vec<_>>().join("\n") + "\n";
    let text = text
        .replace("/run/haproxy/admin.sock", &socket)
        .replace("/dev/log local0", "stdout format raw local0");
    match text.contains("\nglobal\n") {
        true => text,
        false => {
            format!("global\n    log stdout format raw local0\n    stats socket {socket}\n{text}")
        }
    }
}

/// The addresses and certificates to put into `haproxy.cfg.sample`.
pub struct HaproxySettings<'a> {
    /// The port to listen on: clients reach the api-servers as `localhost`, the auth servers as
    /// `127.0.0.1`.
    pub port: u16,
    /// The URLs of the two auth servers.
    pub auth: [&'a str; 2],
    /// The URLs of the two api-servers.
    pub api: [&'a str; 2],
    /// The certificate it presents.
    pub tls: &'a TlsFiles,
    /// The authority of the servers' certificates.
    pub authority: &'a Path,
}

impl HaproxySettings<'_> {
    /// Fills in the sample. Its certificate goes into this directory.
    pub fn render(&self, folder: &Path) -> Result<String, String> {
        let to_message = |error: std::io::Error| error.to_string();
        let certificates = folder.join("front");
        std::fs::create_dir_all(&certificates).map_err(to_message)?;
        let read = |path: &Path| std::fs::read_to_string(path).map_err(to_message);
        let certificate_and_key = [read(&self.tls.certificate)?, read(&self.tls.key)?].concat();
        std::fs::write(certificates.join("front.pem"), certificate_and_key).map_err(to_message)?;
        let address = |url: &str| url.replace("https://localhost", "127.0.0.1");
        replace(
            &sample("haproxy.cfg.sample")?,
            &[
                ("bind :443", format!("bind 127.0.0.1:{}", self.port)),
                ("loan_servicing_posts", format!("loan_servicing_posts_{}", self.port)),
                ("/etc/haproxy/certificates/", certificates.display().to_string()),
                ("/etc/haproxy/servers-ca.pem", self.authority.display().to_string()),
                ("servers.example.internal", "localhost".to_owned()),
                ("auth.example.com", "127.0.0.1".to_owned()),
                ("api.example.com", "localhost".to_owned()),
                ("10.0.0.11:8443", address(self.auth[0])),
                ("10.0.0.12:8443", address(self.auth[1])),
                ("10.0.0.21:9443", address(self.api[0])),
                ("10.0.0.22:9443", address(self.api[1])),
            ],
        )
    }
}

impl Haproxy {
    /// Starts it with these settings, after its own check of them.
    pub async fn start(program: &Path, settings: &str) -> Result<Self, String> {
        let to_message = |error: std::io::Error| format!("haproxy: {error}");
        let folder = tempfile::Builder::new().prefix("haproxy-").tempdir().map_err(to_message)?;
        let text = adapt(settings, folder.path());
        let file = folder.path().join("haproxy.cfg");
        std::fs::write(&file, text).map_err(to_message)?;
        let checked = Command::new(program).args(["-c", "-q", "-f"]).arg(&file).output().await;
        let checked = checked.map_err(to_message)?;
        let complaints = String::from_utf8_lossy(&checked.stderr);
        if !checked.status.success() || !complaints.trim().is_empty() {
            return Err(format!("haproxy -c: {complaints}"));
        }
        let log = std::fs::File::create(folder.path().join("log")).map_err(to_message)?;
        let child = Command::new(program)
            .args(["-db", "-f"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(to_message)?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .map_err(to_message)?;
        let mut haproxy = Self { folder, child };
        let deadline = Instant::now() + TIMEOUT;
        while haproxy.ask("show info").await.is_err() {
            let status = haproxy.child.try_wait().map_err(to_message)?;
            if status.is_some() || Instant::now() > deadline {
                return Err(format!("haproxy does not run: {}", haproxy.log()));
            }
            sleep(Duration::from_millis(20)).await;
        }
        Ok(haproxy)
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    async fn ask(&self, command: &str) -> std::io::Result<String> {
        let mut socket = UnixStream::connect(self.folder.path().join("admin.sock")).await?;
        socket.write_all(format!("{command}\n").as_bytes()).await?;
        let mut response = String::new();
        socket.read_to_string(&mut response).await?;
        Ok(response)
    }

    /// True if a backend sends requests to this server, according to HAProxy's checks.
    pub async fn is_up(&self, backend: &str, server: &str) -> Result<bool, String> {
        let table = self.ask("show stat").await.map_err(|error| error.to_string())?;
        let row = table.lines().find(|line| line.starts_with(&format!("{backend},{server},")));
        let row = row.ok_or_else(|| format!("haproxy has no {backend}/{server}"))?;
        // "UP 1/3" is on its way down.
        Ok(row.split(',').nth(17).is_some_and(|status| status.starts_with("UP")))
    }

    /// Waits until this server is up, or down.
    pub async fn wait(&self, backend: &str, server: &str, up: bool) -> Result<(), String> {
        let deadline = Instant::now() + TIMEOUT;
        while self.is_up(backend, server).await? != up {
            if Instant::now() > deadline {
                let current = if up { "down" } else { "up" };
                return Err(format!("{backend}/{server} stays {current}: {}", self.log()));
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }
}

impl Drop for Haproxy {
    fn drop(&mut self) {
        // Not waited for, because its ports are not needed again.
        if let Some(id) = self.child.id() {
            let _ = send_signal("TERM", &[id]);
        }
    }
}
