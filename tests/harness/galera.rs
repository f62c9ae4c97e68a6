//! A MariaDB Galera cluster of three nodes on this machine, with the settings of
//! `deploy/galera/node.cnf.sample`. Nodes can be killed and restarted. The cluster is removed when
//! the value is dropped.

use crate::installed_clients::system_program;
use crate::postgres::{finish, is_alive, is_root, run, wait_until_gone};
use crate::servers::{free_port, send_signal};
use sea_orm::{ConnectionTrait, Database, Statement};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::time::sleep;

/// Number of nodes in a cluster.
pub const NODES: usize = 3;
/// How long a node may take to catch up with the others.
const TIMEOUT: Duration = Duration::from_secs(90);
/// The user the nodes run as if this program runs as root, which they refuse.
const USER: &str = "mysql";
/// Debian's path of the library that clusters MariaDB servers.
const PROVIDER: &str = "/usr/lib/galera/libgalera_smm.so";
/// The deployed sample, which is tested here.
const SAMPLE: &str = "../deploy/galera/node.cnf.sample";

/// The cluster.
pub struct Galera {
    programs: Programs,
    folder: TempDir,
    ports: [NodePorts; NODES],
}

struct Programs {
    server: PathBuf,
    install: PathBuf,
}

#[derive(Clone, Copy)]
struct NodePorts {
    clients: u16,
    group: u16,
    ist: u16,
    sst: u16,
}

/// Returns what is missing for a cluster on this machine, and how to install it.
pub fn missing() -> Option<String> {
    let programs = [
        ("mariadbd", "mariadb-server"),
        ("mariadb-install-db", "mariadb-server"),
        ("wsrep_sst_rsync", "mariadb-server"),
        ("rsync", "rsync"),
        ("ss", "iproute2"),
    ];
    let programs = programs.into_iter().map(|(name, package)| system_program(name, package));
    if let Some(Err(missing)) = programs.into_iter().find(Result::is_err) {
        return Some(missing);
    }
    let is_file = Path::new(PROVIDER).is_file();
    (!is_file).then(|| format!("{PROVIDER} is missing (Debian: apt-get install galera-4)"))
}

impl Galera {
    /// Creates three empty nodes and starts them.
    pub async fn start() -> Result<Self, String> {
        if let Some(missing) = missing() {
            return Err(missing);
        }
        let programs = Programs {
            server: system_program("mariadbd", "mariadb-server")?,
            install: system_program("mariadb-install-db", "mariadb-server")?,
        };
        let folder = tempfile::Builder::new().prefix("galera-").tempdir();
        let folder = folder.map_err(|error| error.to_string())?;
        let ports = std::array::from_fn(|_| NodePorts {
            clients: free_port(),
            group: free_port(),
            ist: free_port(),
            sst: free_port(),
        });
        let cluster = Self { programs, folder, ports };
        cluster.prepare()?;
        let first = cluster.data(0);
        let mut install = as_user(&cluster.programs.install);
        install.args(["--no-defaults", "--auth-root-authentication-method=normal"]);
        install.arg("--skip-test-db").arg(format!("--datadir={}", first.display()));
        install.current_dir(cluster.folder.path());
        run(install).await?;
        // The other nodes get their data from the first.
        cluster.launch(0, &["--wsrep-new-cluster"])?;
        cluster.wait_until_synced(0).await?;
        let root = cluster.url_as(0, "root");
        let user = "CREATE USER loans@'%' IDENTIFIED BY 'loans'; GRANT ALL ON *.* TO loans@'%'";
        for statement in user.split("; ") {
            execute(&root, statement).await?;
        }
        for node in 1..NODES {
            cluster.launch(node, &[])?;
            cluster.wait_until_synced(node).await?;
        }
        Ok(cluster)
    }

    fn prepare(&self) -> Result<(), String> {
        let to_message = |error: std::io::Error| error.to_string();
        let readable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.folder.path(), readable).map_err(to_message)?;
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLE);
        let sample = std::fs::read_to_string(&sample)
            .map_err(|error| format!("{}: {error}", sample.display()))?;
        for node in 0..NODES {
            std::fs::create_dir_all(self.data(node)).map_err(to_message)?;
            std::fs::write(self.settings(node), self.settings_of(node, &sample))
                .map_err(to_message)?;
        }
        if is_root() {
            let mut chown = Command::new("chown");
            chown.args(["-R", USER]).arg(self.folder.path());
            finish(chown)?;
        }
        Ok(())
    }

    /// The sample's settings, with this machine's paths and ports.
    fn settings_of(&self, node: usize, sample: &str) -> String {
        let NodePorts { clients, group, ist, sst } = self.ports[node];
        let group_addresses = self.ports.iter().map(|ports| format!("127.0.0.1:{}", ports.group));
        let home = self.home(node);
        let path = |name: &str| home.join(name).display().to_string();
        let own_settings = [
            ("bind-address", "127.0.0.1".to_owned()),
            ("port", clients.to_string()),
            ("datadir", path("data")),
            // A server that starts removes temporary tables there, also those of other servers.
            ("tmpdir", home.display().to_string()),
            ("socket", path("socket")),
            ("pid-file", path("pid")),
            ("log-error", path("log.err")),
            ("wsrep_node_name", format!("node{}", node + 1)),
            ("wsrep_node_address", format!("127.0.0.1:{group}")),
            (
                "wsrep_cluster_address",
                format!("gcomm://{}", group_addresses.collect::<Vec<_>>().join(",")),
            ),
            ("wsrep_sst_receive_address", format!("127.0.0.1:{sst}")),
        ];
        let provider_addresses =
            format!("gmcast.listen_addr=tcp://127.0.0.1:{group};ist.recv_addr=127.0.0.1:{ist}");
        let mut settings: BTreeMap<&str, String> = sample
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once(" = "))
            .map(|(name, value)| (name, value.to_owned()))
            .collect();
        settings.extend(own_settings);
        let options = settings.entry("wsrep_provider_options").or_default();
        *options = format!("{options};{provider_addresses}");
        let lines = settings.iter().map(|(name, value)| format!("{name} = {value}\n"));
        format!("[mariadbd]\n{}", lines.collect::<String>())
    }

    fn home(&self, node: usize) -> PathBuf {
        self.folder.path().join(format!("node{}", node + 1))
    }

    fn data(&self, node: usize) -> PathBuf {
        self.home(node).join("data")
    }

    fn settings(&self, node: usize) -> PathBuf {
        self.home(node).join("my.cnf")
    }

    /// The URL of a node's database `mysql`, as a user with all privileges.
    pub fn url(&self, node: usize) -> String {
        self.url_as(node, "loans:loans")
    }

    fn url_as(&self, node: usize, user: &str) -> String {
        format!("mysql://{user}@127.0.0.1:{}/mysql", self.ports[node].clients)
    }

    /// The URL of the same database on another node.
    pub fn url_on(&self, node: usize, url: &str) -> String {
        let name = url.rsplit('/').next().unwrap_or_default();
        format!("mysql://loans:loans@127.0.0.1:{}/{name}", self.ports[node].clients)
    }

    /// A node's log so far.
    pub fn log(&self, node: usize) -> String {
        std::fs::read_to_string(self.home(node).join("log.err")).unwrap_or_default()
    }

    fn server(&self, node: usize, options: &[&str]) -> Command {
        let mut server = as_user(&self.programs.server);
        server.arg(format!("--defaults-file={}", self.settings(node).display())).args(options);
        server.current_dir(self.folder.path()).stdin(Stdio::null());
        server
    }

    fn launch(&self, node: usize, options: &[&str]) -> Result<(), String> {
        let mut server = self.server(node, options);
        let server = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut server = server.map_err(|error| format!("mariadbd: {error}"))?;
        // Reaped when it ends, because a zombie would look like a running process.
        std::thread::spawn(move || server.wait());
        Ok(())
    }

    /// Restarts a node that has ended, and waits until it has caught up. It resumes from what it
    /// had committed, as under systemd.
    pub async fn restart(&self, node: usize) -> Result<(), String> {
        let _ = std::fs::remove_file(self.home(node).join("pid"));
        let report = self.home(node).join("recovered.err");
        let _ = std::fs::remove_file(&report);
        let log = format!("--log-error={}", report.display());
        run(self.server(node, &["--wsrep-recover", &log])).await?;
        let report = std::fs::read_to_string(&report).unwrap_or_default();
        let position = report.lines().rev().find_map(|line| line.split_once("Recovered position:"));
        match position {
            Some((_, position)) => {
                let start = format!("--wsrep_start_position={}", position.trim());
                self.launch(node, &[&start])?;
            }
            None => self.launch(node, &[])?,
        }
        self.wait_until_synced(node).await
    }

    /// Kills a node in the middle of its work (kill -9).
    pub async fn kill(&self, node: usize) -> Result<(), String> {
        let process = self.process(node).ok_or("the node is not running")?;
        send_signal("KILL", &[process])?;
        wait_until_gone(&[process]).await
    }

    fn process(&self, node: usize) -> Option<u32> {
        let file = std::fs::read_to_string(self.home(node).join("pid")).ok()?;
        file.trim().parse().ok().filter(|process| is_alive(*process))
    }

    async fn wait_until_synced(&self, node: usize) -> Result<(), String> {
        let deadline = Instant::now() + TIMEOUT;
        let mut state = String::new();
        while state != "Synced" {
            if Instant::now() > deadline {
                let log = self.log(node);
                let last: Vec<&str> = log.lines().rev().take(30).collect();
                return Err(format!("node {} is {state:?}; {last:#?}", node + 1));
            }
            sleep(Duration::from_millis(50)).await;
            state = state_of(&self.url_as(node, "root")).await.unwrap_or_default();
        }
        Ok(())
    }
}

impl Drop for Galera {
    fn drop(&mut self) {
        let processes: Vec<u32> = (0..NODES).filter_map(|node| self.process(node)).collect();
        if processes.is_empty() {
            return;
        }
        // Their data is not needed any more.
        let _ = send_signal("KILL", &processes);
        let deadline = Instant::now() + Duration::from_secs(10);
        while processes.iter().any(|process| is_alive(*process)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A command run as the nodes' user.
fn as_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", USER, "--"]).arg(program);
    command
}

async fn execute(url: &str, sql: &str) -> Result<(), String> {
    let to_message = |error: sea_orm::DbErr| error.to_string();
    let db = Database::connect(url).await.map_err(to_message)?;
    db.execute_unprepared(sql).await.map_err(to_message)?;
    db.close().await.map_err(to_message)
}

/// A node's own state: `Synced` when it has caught up with the others.
async fn state_of(url: &str) -> Option<String> {
    let db = Database::connect(url).await.ok()?;
    let sql = "SELECT variable_value FROM information_schema.global_status \
               WHERE variable_name = 'WSREP_LOCAL_STATE_COMMENT'";
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await;
    let state = row.ok()??.try_get_by_index(0).ok();
    let _ = db.close().await;
    state
}
