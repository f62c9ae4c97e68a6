//! A server of the Python environment: a process per test, which keeps everything in memory.

use crate::servers::{free_port, send_signal};
use reqwest::Client;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

/// The server. It ends when dropped.
pub struct PythonServer {
    command: Command,
    log: PathBuf,
    /// Its URL, without a trailing slash.
    pub url: String,
    /// A client without a proxy.
    pub http: Client,
    child: Child,
}

impl PythonServer {
    /// Starts a server with this command, whose last argument is the port, and waits until it
    /// answers. Its log goes to this file.
    pub async fn start(mut command: Command, log: PathBuf) -> Self {
        shared::tls::install_provider();
        let port = free_port();
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&log);
        let file = file.expect("a log");
        command.arg(port.to_string()).stdin(Stdio::null()).kill_on_drop(true);
        command.stdout(file.try_clone().expect("a log")).stderr(file);
        let http = Client::builder().no_proxy().timeout(Duration::from_secs(60)).build();
        let child = command.spawn().expect("a process");
        let (url, http) = (format!("http://127.0.0.1:{port}"), http.expect("a client"));
        let mut server = Self { command, log, url, http, child };
        server.wait_until_ready().await;
        server
    }

    async fn wait_until_ready(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.http.get(&self.url).send().await.is_err() {
            let status = self.child.try_wait().expect("its state");
            let waits = status.is_none() && Instant::now() < deadline;
            assert!(waits, "{:?}: {}", self.command, self.log());
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Kills it: connections are refused, and its data is lost.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("killed");
    }

    /// Restarts it after a kill, without any data.
    pub async fn restart(&mut self) {
        self.child = self.command.spawn().expect("a process");
        self.wait_until_ready().await;
    }

    /// Suspends it: connections are accepted, and nothing is answered.
    pub fn suspend(&self) {
        self.signal("STOP");
    }

    pub fn resume(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().expect("it runs");
        send_signal(name, &[id]).expect("the signal is sent");
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}
