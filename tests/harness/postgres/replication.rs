//! Two servers set up from the samples in `deploy/postgresql/`: a primary and its synchronous
//! standby.

use super::psql::Psql;
use super::{Postgres, Storage, find, finish, is_root, run};
use crate::haproxy::{replace, sample};
use installer::installation::certificates::TlsFiles;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Password of the replication user.
const PASSWORD: &str = "replicated";
/// How long a standby may take to catch up.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The number of log lines quoted in errors.
const LAST_LINES: usize = 12;

impl Postgres {
    /// Starts a primary with the sample settings, empty except for their users.
    pub async fn start_primary(tls: &TlsFiles) -> Result<Self, String> {
        let server = Self::initialize(Storage::Folder).await?;
        server.write_settings(tls)?;
        server.launch().await?;
        server.run_sample("roles.sql").await?;
        let password = format!("ALTER ROLE replicator PASSWORD '{PASSWORD}'");
        Psql::new(&server.url())?.run(&password).await?;
        Ok(server)
    }

    /// Writes the samples' settings and the certificate, adapted to this machine.
    fn write_settings(&self, tls: &TlsFiles) -> Result<(), String> {
        let to_message = |error: std::io::Error| error.to_string();
        // In the data directory, so that a standby gets it, too.
        let files = self.data().join("tls");
        std::fs::create_dir(&files).map_err(to_message)?;
        let copies = [
            (&tls.certificate, "certificate.pem"),
            (&tls.key, "key.pem"),
            (&tls.authority, "ca.pem"),
        ];
        for (from, name) in copies {
            std::fs::copy(from, files.join(name)).map_err(to_message)?;
            let default_settings = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(files.join(name), default_settings).map_err(to_message)?;
        }
        let settings = replace(
            &sample("postgresql/postgresql.conf.sample")?,
            &[
                ("/etc/postgresql/tls", "tls".to_owned()),
                ("wal_keep_size = '4GB'", "wal_keep_size = '256MB'".to_owned()),
                ("listen_addresses = '*'", String::new()),
            ],
        )?;
        std::fs::write(self.data().join("loan-servicing.conf"), settings).map_err(to_message)?;
        let default_settings =
            std::fs::read_to_string(self.data().join("postgresql.conf")).map_err(to_message)?;
        let default_settings = format!("{default_settings}\ninclude = 'loan-servicing.conf'\n");
        std::fs::write(self.data().join("postgresql.conf"), default_settings)
            .map_err(to_message)?;
        // The tests do everything as one user, who creates databases.
        let rules = replace(
            &sample("postgresql/pg_hba.conf.sample")?,
            &[
                ("10.0.0.0/24", "127.0.0.1/32".to_owned()),
                ("10.0.0.31/32", "127.0.0.1/32".to_owned()),
                ("10.0.0.32/32", "127.0.0.1/32".to_owned()),
            ],
        )?;
        let rules = format!("hostssl all loans 127.0.0.1/32 trust\n{rules}");
        std::fs::write(self.data().join("pg_hba.conf"), rules).map_err(to_message)?;
        self.chown_to_user()
    }

    fn chown_to_user(&self) -> Result<(), String> {
        if !is_root() {
            return Ok(());
        }
        let mut chown = Command::new("chown");
        chown.args(["-R", super::USER]).arg(self.home());
        finish(chown)
    }

    /// The connection string for another server to connect to this one.
    fn connection_string(&self, database: &str) -> String {
        format!(
            "host=127.0.0.1 port={} user=replicator password={PASSWORD} dbname={database} \
             sslmode=verify-ca sslrootcert={}",
            self.port,
            self.data().join("tls/ca.pem").display()
        )
    }

    /// Creates a standby of this server with all its data. From now on commits wait for it.
    pub async fn standby(&self) -> Result<Self, String> {
        let standby = Self::prepare_folder(Storage::Folder)?;
        let mut copy = standby.command("pg_basebackup");
        copy.args(["-R", "-X", "stream", "-c", "fast", "--no-sync", "-D"]).arg(standby.data());
        copy.args(["-d", &self.connection_string("postgres")]);
        run(copy).await?;
        standby.launch().await?;
        self.set_synchronous_standby(&standby).await?;
        Ok(standby)
    }

    /// Waits until a standby follows; from then on commits wait for it.
    pub async fn set_synchronous_standby(&self, standby: &Self) -> Result<(), String> {
        let deadline = Instant::now() + TIMEOUT;
        while let Err(error) = self.run_sample("synchronous.sql").await {
            if Instant::now() > deadline {
                return Err(format!("{error}: {}", standby.log_tail()));
            }
            sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    /// Stops commits from waiting for a standby.
    pub async fn remove_synchronous_standby(&self) -> Result<(), String> {
        self.run_sample("alone.sql").await
    }

    /// The last lines of its log.
    fn log_tail(&self) -> String {
        let log = self.log();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
    }

    /// Makes this standby the primary.
    pub async fn promote(&self) -> Result<(), String> {
        self.run_sample("promote.sql").await
    }

    /// Makes this server, which has ended, a standby of `primary`, and lets commits wait for it.
    pub async fn follow(&self, primary: &Self) -> Result<(), String> {
        let mut rewind = self.command("pg_rewind");
        rewind.arg("-D").arg(self.data()).args(["--no-sync", "--write-recovery-conf"]);
        // pg_rewind starts a killed server once for recovery, without its port and without a
        // standby.
        rewind.arg(format!("--source-server={}", primary.connection_string("postgres")));
        run(rewind).await?;
        self.launch().await?;
        primary.set_synchronous_standby(self).await
    }

    /// Shuts it down in good order, closing all connections.
    pub async fn stop(&self) -> Result<(), String> {
        let mut stop = self.command("pg_ctl");
        stop.args(["-w", "-s", "-m", "fast", "-D"]).arg(self.data()).arg("stop");
        run(stop).await
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs a script of `deploy/postgresql/` as an operator would.
    async fn run_sample(&self, name: &str) -> Result<(), String> {
        let file = self.home().join(name);
        let text = sample(&format!("postgresql/{name}"))?;
        std::fs::write(&file, text).map_err(|error| error.to_string())?;
        let mut psql = Command::new(find("psql")?);
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &self.url(), "-f"]).arg(file);
        run(psql).await
    }
}
