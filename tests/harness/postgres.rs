//! A temporary PostgreSQL server with default durability settings. It can be killed, restarted, and
//! run out of disk space. It is removed when the value is dropped, whatever happened before.

use crate::cpu_time;
use crate::servers::{free_port, send_signal};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::time::sleep;

pub mod psql;
mod replication;

/// How long a server may take to start, recovery included, or to stop.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The user the server runs as if this program runs as root, which it refuses.
const USER: &str = "postgres";

/// Where the server keeps its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In the directory for temporary files.
    Folder,
    /// On an in-memory file system of this many MiB, which only root can mount. Not for
    /// measurements, because it never waits for a disk.
    Small(u32),
}

/// The server.
pub struct Postgres {
    programs: PathBuf,
    folder: TempDir,
    storage: Storage,
    port: u16,
}

/// As many connections as the load programs open, unless other settings say otherwise.
const CONNECTIONS: &str = "max_connections = 200\n";

/// Finds a program of PostgreSQL, on `PATH` or in the newest version that Debian has installed.
pub fn find(program: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join(program));
    if let Some(program) = on_path.into_iter().find(|program| program.is_file()) {
        return Ok(program);
    }
    let installed = Path::new("/usr/lib/postgresql");
    let versions = std::fs::read_dir(installed).into_iter().flatten().flatten();
    versions
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .map(|version| (version, installed.join(format!("{version}/bin/{program}"))))
        .filter(|(_, program)| program.is_file())
        .max()
        .map(|(_, program)| program)
        .ok_or_else(|| {
            format!(
                "{program} is neither on PATH nor in /usr/lib/postgresql/*/bin: \
                 it comes with the package postgresql"
            )
        })
}

/// True if this program may mount file systems and run others as another user.
pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

impl Postgres {
    /// Creates an empty server and starts it.
    pub async fn start(storage: Storage) -> Result<Self, String> {
        let server = Self::initialize(storage).await?;
        server.launch().await?;
        Ok(server)
    }

    /// Creates an empty server.
    async fn initialize(storage: Storage) -> Result<Self, String> {
        let server = Self::prepare_folder(storage)?;
        let mut initdb = server.command("initdb");
        initdb.args(["-U", "loans", "-A", "trust", "-E", "UTF8", "--no-sync", "-D"]);
        initdb.arg(server.data());
        if storage != Storage::Folder {
            // The smallest segments, so that an empty server takes little space.
            initdb.arg("--wal-segsize=1");
        }
        run(initdb).await?;
        let settings = server.data().join("postgresql.conf");
        let defaults = std::fs::read_to_string(&settings).map_err(|error| error.to_string())?;
        std::fs::write(settings, defaults + CONNECTIONS).map_err(|error| error.to_string())?;
        Ok(server)
    }

    /// Creates a directory for a server.
    fn prepare_folder(storage: Storage) -> Result<Self, String> {
        // All programs come from one version, that of initdb.
        let initdb = find("initdb")?.canonicalize().map_err(|error| error.to_string())?;
        let programs = initdb.parent().ok_or("initdb is in no folder")?.to_owned();
        let folder = tempfile::Builder::new().prefix("payments-load-").tempdir();
        let folder = folder.map_err(|error| error.to_string())?;
        let server = Self { programs, folder, storage, port: free_port() };
        server.prepare().map_err(|error| format!("{}: {error}", server.home().display()))?;
        Ok(server)
    }

    /// Prepares the user's own directory, and mounts the small file system in its place.
    fn prepare(&self) -> Result<(), String> {
        let to_message = |error: std::io::Error| error.to_string();
        let readable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.folder.path(), readable).map_err(to_message)?;
        let home = self.home();
        std::fs::create_dir(&home).map_err(to_message)?;
        if let Storage::Small(mebibytes) = self.storage {
            std::fs::create_dir(self.disk()).map_err(to_message)?;
            let mut mount = Command::new("mount");
            let size = format!("size={mebibytes}m");
            mount.args(["-t", "tmpfs", "-o", &size, "payments-load"]).arg(self.disk());
            finish(mount)?;
        }
        if is_root() {
            let mut chown = Command::new("chown");
            chown.args(["-R", USER]).arg(&home);
            finish(chown)?;
        }
        Ok(())
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("server")
    }

    /// The directory that may fill up; the server's log is elsewhere.
    pub fn disk(&self) -> PathBuf {
        match self.storage {
            Storage::Folder => self.home(),
            Storage::Small(_) => self.home().join("disk"),
        }
    }

    fn data(&self) -> PathBuf {
        self.disk().join("data")
    }

    /// The URL of its database `postgres`, as a user with all privileges.
    pub fn url(&self) -> String {
        format!("postgres://loans@127.0.0.1:{}/postgres", self.port)
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.home().join("log")).unwrap_or_default()
    }

    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", USER, "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        // Its messages are parsed in English, and not every user may access this program's
        // directory.
        command.env("LC_ALL", "C").current_dir(self.folder.path());
        command
    }

    /// Starts it after it has ended, and waits until it accepts connections.
    pub async fn launch(&self) -> Result<(), String> {
        // Without a Unix socket, whose lock file a killed server would leave.
        let mut options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories=",
            self.port
        );
        if self.storage != Storage::Folder {
            options.push_str(" -c min_wal_size=2MB -c max_wal_size=8MB");
        }
        let mut start = self.command("pg_ctl");
        start.args(["-w", "-s", "-t", &TIMEOUT.as_secs().to_string(), "-D"]).arg(self.data());
        start.arg("-l").arg(self.home().join("log")).args(["-o", &options, "start"]);
        run(start).await.map_err(|error| format!("{error}; {}", self.log()))
    }

    /// Kills it with all its processes, in the middle of their work (kill -9).
    pub async fn kill(&self) -> Result<(), String> {
        let Some(postmaster) = self.postmaster() else { return Err("it is not running".into()) };
        // Suspended, it starts no further processes while the existing ones are collected.
        send_signal("STOP", &[postmaster])?;
        let mut processes = children_of(postmaster);
        processes.push(postmaster);
        send_signal("KILL", &processes)?;
        wait_until_gone(&processes).await?;
        self.remove_leftovers();
        Ok(())
    }

    /// True unless it has ended.
    pub fn is_running(&self) -> bool {
        self.postmaster().is_some()
    }

    /// The CPU time of all its processes so far, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        let Some(postmaster) = self.postmaster() else { return 0.0 };
        let processes = children_of(postmaster).into_iter().chain([postmaster]);
        processes.filter_map(cpu_time::seconds).sum()
    }

    /// The postmaster's process id, if it is alive.
    fn postmaster(&self) -> Option<u32> {
        let file = std::fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let process = file.lines().next()?.trim().parse().ok()?;
        is_alive(process).then_some(process)
    }

    /// Removes what a killed server has left. Where no one reaps zombies, a server takes the dead
    /// process of that id for a live one.
    fn remove_leftovers(&self) {
        let file = self.data().join("postmaster.pid");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        // The line about its shared memory: key and id.
        let shared_memory = text.lines().nth(6).and_then(|line| line.split_whitespace().nth(1));
        if let Some(id) = shared_memory {
            let mut remove = Command::new("ipcrm");
            remove.args(["-m", id]);
            let _ = finish(remove);
        }
        let _ = std::fs::remove_file(file);
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(postmaster) = self.postmaster() {
            // An immediate shutdown: it ends its processes and releases its shared memory.
            let mut processes = children_of(postmaster);
            processes.push(postmaster);
            let _ = send_signal("QUIT", &[postmaster]);
            let deadline = Instant::now() + Duration::from_secs(10);
            while processes.iter().any(|process| is_alive(*process)) {
                if Instant::now() > deadline {
                    let _ = send_signal("KILL", &processes);
                    self.remove_leftovers();
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        if self.storage != Storage::Folder {
            let mut unmount = Command::new("umount");
            unmount.arg("--lazy").arg(self.disk());
            let _ = finish(unmount);
        }
    }
}

/// The child processes of a process.
fn children_of(parent: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes
        .filter(|process| {
            status_of(*process).is_some_and(|(_, process_parent)| process_parent == parent)
        })
        .collect()
}

pub(crate) fn is_alive(process: u32) -> bool {
    status_of(process).is_some_and(|(state, _)| state != "Z" && state != "X")
}

/// A process's state and parent: the two fields after its name, which is in parentheses and may
/// contain anything.
fn status_of(process: u32) -> Option<(String, u32)> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = status.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

pub(crate) async fn wait_until_gone(processes: &[u32]) -> Result<(), String> {
    let deadline = Instant::now() + TIMEOUT;
    while processes.iter().any(|process| is_alive(*process)) {
        if Instant::now() > deadline {
            return Err(format!("{processes:?} cannot be killed"));
        }
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

/// Runs a command without blocking the runtime.
pub(crate) async fn run(command: Command) -> Result<(), String> {
    let done = tokio::task::spawn_blocking(move || finish(command)).await;
    done.map_err(|error| error.to_string())?
}

/// Runs a command to its end, which must be successful.
pub(crate) fn finish(mut command: Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{:?}: {error}", command.get_program()))?;
    if output.status.success() {
        return Ok(());
    }
    let program = command.get_args().next().map(|first| first.to_string_lossy().into_owned());
    let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(format!("{:?} {}: {complaint}", command.get_program(), program.unwrap_or_default()))
}
