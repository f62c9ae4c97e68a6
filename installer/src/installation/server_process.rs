//! The two servers as child processes: starting them, waiting until they are ready, stopping them.
//!
//! A server runs until its standard input ends, so it also stops, in good order, when its parent
//! process is gone, however that ended.

use reqwest::{Client, Url};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, sleep, timeout};

const READY_TIMEOUT: Duration = Duration::from_secs(30);
const STOP_TIMEOUT: Duration = Duration::from_secs(40);

pub struct Server {
    name: &'static str,
    log: PathBuf,
    child: Child,
    input: Option<ChildStdin>,
}

impl Server {
    /// Starts this program again with a hidden command; its output goes to the log. With a user and
    /// a group id, it runs as that user; `environment` overrides its settings.
    pub fn start(
        name: &'static str,
        command: &str,
        env_file: &Path,
        log: &Path,
        user: Option<(u32, u32)>,
        environment: &[(String, String)],
    ) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("cannot start {name}: {error}");
        let mut options = std::fs::OpenOptions::new();
        let output = options.create(true).append(true).mode(0o600).open(log).map_err(failed)?;
        let mut server = Command::new(std::env::current_exe().map_err(failed)?);
        if let Some((user, group)) = user {
            server.uid(user).gid(group);
        }
        let mut child = server
            .arg(command)
            .arg("--env-file")
            .arg(env_file)
            // No load balancer has to notice that it stops.
            .env("AUTH_DRAIN_DELAY_SECONDS", "0")
            .env("API_DRAIN_DELAY_SECONDS", "0")
            .envs(environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(output.try_clone().map_err(failed)?)
            .stderr(output)
            // Ctrl-C reaches the whole process group; the servers stop when this process tells them
            // to.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        // Kept separately, because waiting for a child closes its input.
        let input = child.stdin.take();
        Ok(Self { name, log: log.to_owned(), child, input })
    }

    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns once the server is ready; if it ends before, an error with its last lines of output.
    /// `connect_to` overrides the addresses of the URL's host.
    pub async fn wait_until_ready(
        &mut self,
        url: &str,
        ca: &Path,
        connect_to: Option<SocketAddr>,
    ) -> Result<(), String> {
        // Its standard input is held elsewhere, so waiting does not close it.
        tokio::select! {
            ready = wait_for(self.name, url, ca, connect_to) => {
                ready.map_err(|fault| format!("{fault}; {}", self.log_tail()))
            }
            status = self.child.wait() => {
                let status = status.map_err(|error| error.to_string())?;
                Err(format!("{} ended ({status}): {}", self.name, self.log_tail()))
            }
        }
    }

    fn log_tail(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let last = text.lines().rev().take(3).collect::<Vec<_>>();
        last.into_iter().rev().collect::<Vec<_>>().join("; ")
    }

    /// Returns the server's name once its process has ended.
    pub async fn wait_for_exit(&mut self) -> &'static str {
        let _ = self.child.wait().await;
        self.name
    }

    /// Closes its standard input and waits until it has finished its requests.
    pub async fn stop(mut self) {
        drop(self.input.take());
        if timeout(STOP_TIMEOUT, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }
}

/// The address under which a server with this listen address is reached on this machine.
pub fn local_address(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

/// Returns once a server started by someone else is ready.
pub async fn wait_for(
    name: &str,
    url: &str,
    ca: &Path,
    connect_to: Option<SocketAddr>,
) -> Result<(), String> {
    let client = client(url, ca, connect_to)?;
    let deadline = Instant::now() + READY_TIMEOUT;
    loop {
        let fault = match client.get(url).send().await {
            Ok(response) if response.status().is_success() => return Ok(()),
            Ok(response) => response.status().to_string(),
            Err(error) => error.without_url().to_string(),
        };
        if Instant::now() > deadline {
            return Err(format!("{name} is not ready: {fault}"));
        }
        sleep(Duration::from_millis(50)).await;
    }
}

fn client(url: &str, ca: &Path, connect_to: Option<SocketAddr>) -> Result<Client, String> {
    let pem = std::fs::read(ca).map_err(|error| error.to_string())?;
    let authorities = reqwest::Certificate::from_pem_bundle(&pem);
    let authorities = authorities.map_err(|error| error.to_string())?;
    let mut builder = Client::builder();
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    if let (Some(host), Some(address)) = (host, connect_to) {
        builder = builder.resolve(&host, address);
    }
    builder
        .tls_certs_only(authorities)
        .no_proxy()
        .timeout(Duration::from_secs(2))
        .build()
        .map_err(|error| error.to_string())
}
