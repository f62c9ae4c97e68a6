//! The two servers, each in the test's process or in one of its own, with settings per test.

use crate::memory;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::net::TcpSocket;
use tokio::process::{Child, ChildStdin, Command};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKind {
    Auth,
    Api,
}

pub struct TestServer {
    kind: ServerKind,
    program: PathBuf,
    env_file: PathBuf,
    environment: BTreeMap<String, String>,
    ready_url: String,
    running: Running,
}

/// Where a server runs.
enum Running {
    /// In a process of its own, which can be killed, suspended and measured.
    Process { child: Child, input: Option<ChildStdin> },
    /// In the test's process, on threads of its own: it starts in a tenth of the time.
    Threads(ServerThreads),
}

/// A server on threads of the test's process.
struct ServerThreads {
    /// Dropping it stops the server.
    stop: Option<oneshot::Sender<()>>,
    ended: Option<JoinHandle<Result<(), String>>>,
    runtime: Option<Runtime>,
}

impl ServerThreads {
    /// Starts a server with the settings of a file, which these override.
    fn start(kind: ServerKind, env_file: &Path, environment: &BTreeMap<String, String>) -> Self {
        let env_file = with_overrides(env_file, environment);
        let runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = { runtime }.worker_threads(1).enable_all().build().expect("a runtime");
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = runtime.spawn(async move {
            let stopped = async {
                // Also resolves when the sender is dropped.
                let _ = stopped.await;
            };
            match kind {
                ServerKind::Auth => {
                    let config = auth_server::config::Config::read(Some(&env_file))?;
                    auth_server::serve(config, stopped).await
                }
                ServerKind::Api => {
                    let config = api_server::config::Config::read(Some(&env_file))?;
                    api_server::serve(config, stopped).await
                }
            }
        });
        Self { stop: Some(stop), ended: Some(ended), runtime: Some(runtime) }
    }
}

impl Drop for ServerThreads {
    fn drop(&mut self) {
        // Dropping a runtime would wait for it, which async code must not.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Writes the settings of a file with these in their place, and returns the new file.
fn with_overrides(env_file: &Path, environment: &BTreeMap<String, String>) -> PathBuf {
    let settings = std::fs::read_to_string(env_file).expect("settings");
    let is_kept =
        |line: &&str| line.split_once('=').is_none_or(|(name, _)| !environment.contains_key(name));
    let kept = settings.lines().filter(is_kept).map(str::to_owned);
    let overrides = environment.iter().map(|(name, value)| format!("{name}={value}"));
    let path = env_file.with_extension("merged.env");
    let lines: Vec<String> = kept.chain(overrides).collect();
    std::fs::write(&path, lines.join("\n") + "\n").expect("settings");
    path
}

impl TestServer {
    /// Starts a world's server, on threads of this process or in one of its own.
    pub async fn of_world(
        kind: ServerKind,
        in_threads: bool,
        program: &Path,
        folder: &Path,
        environment: BTreeMap<String, String>,
        url: String,
        http: &reqwest::Client,
    ) -> Self {
        let name = match kind {
            ServerKind::Auth => "auth-server.env",
            ServerKind::Api => "api-server.env",
        };
        let (env_file, ready) = (folder.join(name), format!("{url}/health/ready"));
        if !in_threads {
            return Self::start(kind, program, &env_file, environment, ready, http).await;
        }
        let running = Running::Threads(ServerThreads::start(kind, &env_file, &environment));
        let (program, ready_url) = (program.to_owned(), ready);
        let mut server = Self { kind, program, env_file, environment, ready_url, running };
        server.wait_until_ready(http).await;
        server
    }

    /// Starts a server with the settings of a file and waits until it is ready.
    pub async fn start(
        kind: ServerKind,
        program: &Path,
        env_file: &Path,
        environment: BTreeMap<String, String>,
        ready_url: String,
        http: &reqwest::Client,
    ) -> Self {
        let mut process = Self {
            kind,
            program: program.to_owned(),
            env_file: env_file.to_owned(),
            running: spawn(kind, program, env_file, &environment),
            environment,
            ready_url,
        };
        process.wait_until_ready(http).await;
        process
    }

    async fn wait_until_ready(&mut self, http: &reqwest::Client) {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let answer = match http.get(&self.ready_url).send().await {
                Ok(response) if response.status().is_success() => return,
                Ok(response) => response.text().await.unwrap_or_default(),
                Err(error) => format!("{error:?}"),
            };
            match &mut self.running {
                Running::Process { child, .. } => {
                    if let Ok(Some(status)) = child.try_wait() {
                        panic!("{:?} ended: {status}; {}", self.kind, self.log());
                    }
                }
                Running::Threads(threads) => {
                    if threads.ended.as_ref().is_none_or(JoinHandle::is_finished) {
                        panic!(
                            "{:?} ended: {:?}",
                            self.kind,
                            threads.ended.take().expect("a result").await
                        );
                    }
                }
            }
            assert!(
                Instant::now() < deadline,
                "{:?} is not ready: {answer}; {}",
                self.kind,
                self.log()
            );
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// The process, for what only a process has.
    fn child(&self) -> &Child {
        match &self.running {
            Running::Process { child, .. } => child,
            Running::Threads(_) => panic!("the test needs servers with processes of their own"),
        }
    }

    fn child_mut(&mut self) -> &mut Child {
        match &mut self.running {
            Running::Process { child, .. } => child,
            Running::Threads(_) => panic!("the test needs servers with processes of their own"),
        }
    }

    /// The server's log so far. A dedicated thread writes it: this waits until it has.
    pub fn log(&self) -> String {
        if matches!(self.running, Running::Threads(_)) {
            return "only a process has a log".to_owned();
        }
        let path = log_file(&self.env_file);
        let read = || match path.is_file() {
            true => std::fs::read_to_string(&path).unwrap_or_default(),
            false => "its log is a pipe".to_owned(),
        };
        let mut log = read();
        for _ in 0..50 {
            std::thread::sleep(Duration::from_millis(100));
            let later = read();
            if later.len() == log.len() {
                break;
            }
            log = later;
        }
        log
    }

    /// Kills the process, in the middle of its work (kill -9).
    pub async fn kill(&mut self) {
        self.child_mut().kill().await.expect("killed");
    }

    /// Sends the kill signal without waiting until the process has ended, for callers with shared
    /// access.
    pub fn kill_without_waiting(&self) {
        self.signal("KILL").expect("killed");
    }

    /// Its process id; `None` after it has ended.
    pub fn id(&self) -> Option<u32> {
        self.child().id()
    }

    /// Its peak memory so far, in KiB; `None` if the system does not report it.
    pub fn memory_peak_kib(&self) -> Option<u64> {
        memory::peak_kib(self.id()?)
    }

    /// Suspends it: it keeps its connections and answers nothing.
    pub fn suspend(&self) -> Result<(), String> {
        self.signal("STOP")
    }

    pub fn resume(&self) -> Result<(), String> {
        self.signal("CONT")
    }

    /// Sends it a signal (`TERM`, `HUP`, …).
    pub fn signal(&self, name: &str) -> Result<(), String> {
        let id = self.child().id().ok_or_else(|| format!("{:?} has ended", self.kind))?;
        send_signal(name, &[id])
    }

    /// Changes a setting for the next start.
    pub fn set(&mut self, name: &str, value: &str) {
        self.environment.insert(name.to_owned(), value.to_owned());
    }

    /// Restarts it after it was killed.
    pub async fn restart(&mut self, http: &reqwest::Client) {
        self.restart_until(http, "ready").await;
    }

    /// Restarts it, and waits only until it is live.
    pub async fn restart_unready(&mut self, http: &reqwest::Client) {
        self.restart_until(http, "live").await;
    }

    /// Restarts it with a log that is a pipe. Returns the pipe's other end, from which nothing has
    /// been read.
    pub async fn restart_with_unread_log(&mut self, http: &reqwest::Client) -> std::fs::File {
        let path = log_file(&self.env_file);
        std::fs::remove_file(&path).expect("removed");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()), "no pipe");
        // A pipe is opened only once its other end is.
        let both_ends = std::fs::File::options().read(true).write(true).open(&path);
        let both_ends = both_ends.expect("a pipe");
        self.restart(http).await;
        let unread = std::fs::File::open(&path).expect("its end");
        drop(both_ends);
        unread
    }

    async fn restart_until(&mut self, http: &reqwest::Client, state: &str) {
        self.running = spawn(self.kind, &self.program, &self.env_file, &self.environment);
        let ready_url = self.ready_url.clone();
        self.ready_url = ready_url.replace("/health/ready", &format!("/health/{state}"));
        self.wait_until_ready(http).await;
        self.ready_url = ready_url;
    }

    /// Waits until it has ended; true if it succeeded.
    pub async fn wait_for_end(&mut self) -> bool {
        self.child_mut().wait().await.is_ok_and(|status| status.success())
    }

    /// Asks the server to stop and waits until it has; true if it succeeded.
    pub async fn stop(&mut self) -> bool {
        match &mut self.running {
            Running::Process { input, .. } => {
                drop(input.take());
                self.wait_for_end().await
            }
            Running::Threads(threads) => {
                drop(threads.stop.take());
                let ended = threads.ended.take().expect("it runs");
                matches!(ended.await, Ok(Ok(())))
            }
        }
    }
}

fn log_file(env_file: &Path) -> PathBuf {
    env_file.with_extension("log")
}

fn spawn(
    kind: ServerKind,
    program: &Path,
    env_file: &Path,
    environment: &BTreeMap<String, String>,
) -> Running {
    let mut options = std::fs::OpenOptions::new();
    let log = options.create(true).append(true).open(log_file(env_file)).expect("a log");
    let mut child = Command::new(program)
        .arg(match kind {
            ServerKind::Auth => "serve-auth",
            ServerKind::Api => "serve-api",
        })
        .arg("--env-file")
        .arg(env_file)
        .envs(environment)
        .stdin(Stdio::piped())
        .stdout(log.try_clone().expect("a log"))
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .expect("a process");
    let input = child.stdin.take();
    Running::Process { child, input }
}

/// Sends processes a signal (`KILL`, `STOP`, …).
pub fn send_signal(name: &str, processes: &[u32]) -> Result<(), String> {
    let ids = processes.iter().map(u32::to_string);
    let signalled = std::process::Command::new("kill").arg(format!("-{name}")).args(ids).status();
    match signalled {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("kill -{name} {processes:?}: {status}")),
        Err(error) => Err(format!("kill: {error}")),
    }
}

/// A free port outside the range from which the system assigns ports to outgoing connections: one
/// of those could take it before the server does.
///
/// The socket does not listen: a child process that another thread is starting inherits it until
/// its program runs, and a port with a listening socket cannot be bound.
pub fn free_port() -> u16 {
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 10_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = std::process::id().wrapping_mul(3_301);
    for _ in 0..COUNT {
        let offset = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_add(start) % COUNT;
        let port = (FIRST + offset) as u16;
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("an option");
        if socket.bind((Ipv4Addr::LOCALHOST, port).into()).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}
