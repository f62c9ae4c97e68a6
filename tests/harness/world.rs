//! A world per test: a fresh database and both running servers.

use crate::client::Client;
use crate::databases::{self, Database};
pub use crate::environment::Environment;
use crate::moto::Moto;
use crate::provider::Provider;
use crate::response::TestResponse;
use crate::server_settings::{ServerPorts, document_settings};
use crate::servers::{ServerKind, TestServer, free_port};
use crate::statement_proxy::{self, StatementProxy};
use crate::tcp_proxy::TcpProxy;
use api_server::documents::store::{DocumentStore, Location};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use installer::installation::certificates::{self, TlsFiles};
use installer::installation::credentials::Credentials;
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use serde_json::Value;
use shared::database;
use shared::envelope_encryption::MasterKeys;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::future::Future;
use std::iter::Sum;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::Semaphore;

/// The most concurrent worlds for each core: those whose test waits leave their core to others.
const WORLDS_PER_CORE: usize = 4;
/// The worlds that may begin.
static WORLDS: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new(WORLDS_PER_CORE * cores)
});

/// A fresh database with users and clients, and both servers on it.
pub struct World {
    /// The database of this run of the test.
    pub database: Database,
    /// A direct connection to the same database.
    pub db: DatabaseConnection,
    pub database_url: String,
    /// A client of the servers.
    pub client: Client,
    /// The secrets of users and clients.
    pub credentials: Credentials,
    /// The authority that signed the servers' certificate.
    pub tls: TlsFiles,
    pub auth: TestServer,
    pub api: TestServer,
    /// The URLs of the servers' metrics: auth, api.
    pub metrics: (String, String),
    /// The test's own directory.
    pub folder: TempDir,
    /// The proxy in front of the database server, if the test wants one.
    pub database_proxy: Option<TcpProxy>,
    /// The proxy that reads the api-server's statements, if the test wants one.
    pub statement_proxy: Option<StatementProxy>,
    /// The object store, if the test wants one other than a directory.
    pub moto: Option<Moto>,
    /// The payment provider, if the test wants one.
    pub provider: Option<Provider>,
    documents: Location,
    program: PathBuf,
    environment: Environment,
}

/// A second server on the database of a world, as behind a load balancer.
pub struct Replica {
    /// A client of it, and of the world's server of the other kind.
    pub client: Client,
    pub process: TestServer,
}

impl Replica {
    /// Kills it in the middle of its work, and restarts it.
    pub async fn restart(&mut self) {
        self.process.kill().await;
        self.process.restart(&self.client.http).await;
    }

    /// Stops it, which must succeed.
    pub async fn close(mut self) {
        assert!(self.process.stop().await, "{}", self.process.log());
    }
}

/// A second server of each kind.
pub struct ServerPair {
    /// A client of both.
    pub client: Client,
    /// The URLs of their metrics: auth, api.
    pub metrics: [String; 2],
    auth: TestServer,
    api: TestServer,
}

impl ServerPair {
    /// Stops both, which must succeed.
    pub async fn close(mut self) {
        let (auth, api) = tokio::join!(self.auth.stop(), self.api.stop());
        assert!(auth && api, "a server did not end well; {} {}", self.auth.log(), self.api.log());
    }
}

/// Runs a test in a world of its own on the embedded database, and on each server in
/// `TEST_DATABASE_URLS`. `program` is this package's `installer_under_test`.
pub async fn on_each_database<F, Fut>(program: &str, test: F)
where
    F: Fn(World) -> Fut,
    Fut: Future<Output = World>,
{
    on_each_database_with(program, Environment::default(), test).await;
}

/// Runs a test on each database, with each server in a process of its own.
pub async fn in_processes_on_each_database<F, Fut>(program: &str, test: F)
where
    F: Fn(World) -> Fut,
    Fut: Future<Output = World>,
{
    on_each_database_with(program, Environment::default().in_processes(), test).await;
}

/// Runs a test on each database, with this environment.
pub async fn on_each_database_with<F, Fut>(program: &str, environment: Environment, test: F)
where
    F: Fn(World) -> Fut,
    Fut: Future<Output = World>,
{
    in_worlds(program, Database::all(), environment, &mut |world| test(world).boxed_local()).await;
}

/// Runs a test in a world of its own on the embedded database only, for tests that would just be
/// slower on others.
pub async fn on_embedded_database<F, Fut>(program: &str, test: F)
where
    F: FnOnce(World) -> Fut,
    Fut: Future<Output = World>,
{
    on_embedded_database_with(program, Environment::default(), test).await;
}

/// Runs a test on the embedded database, with this environment.
pub async fn on_embedded_database_with<F, Fut>(program: &str, environment: Environment, test: F)
where
    F: FnOnce(World) -> Fut,
    Fut: Future<Output = World>,
{
    let mut test = Some(test);
    let mut once = |world| test.take().expect("one database")(world).boxed_local();
    in_worlds(program, vec![Database::Sqlite], environment, &mut once).await;
}

/// Runs a test in a world of its own on each of these databases. Compiled once, not for every test.
async fn in_worlds<'a>(
    program: &str,
    databases: Vec<Database>,
    environment: Environment,
    test: &mut dyn FnMut(World) -> LocalBoxFuture<'a, World>,
) {
    for database in databases {
        let _permit = WORLDS.acquire().await.expect("a permit");
        println!("on {}", database.name());
        let world = World::checked_against_contract(program, database, environment.clone()).await;
        test(world).await.close().await;
    }
}

/// Starts the payment provider, if the test wants one.
async fn start_provider(
    environment: &Environment,
    tls: &TlsFiles,
    folder: &Path,
) -> Option<Provider> {
    let stripe_program = environment.provider.clone()?.trusting(&tls.authority);
    Some(Provider::start(&stripe_program, folder).await)
}

impl World {
    /// Creates a world in which every answer is checked against the contract.
    async fn checked_against_contract(
        program: &str,
        database: Database,
        environment: Environment,
    ) -> Self {
        let mut world = Self::create(program, database, environment).await;
        world.client = world.client.checked_against_contract();
        world
    }

    /// Creates a world on this database, with each server in a process of its own.
    pub async fn new(program: &str, database: Database, environment: Environment) -> Self {
        Self::create(program, database, environment.in_processes()).await
    }

    async fn create(program: &str, database: Database, environment: Environment) -> Self {
        shared::tls::install_provider();
        let folder = databases::temporary_folder();
        let credentials = databases::credentials().clone();
        let url = database.create(folder.path()).await;
        Self::on(program, database, url, folder, credentials, environment).await
    }

    /// Creates a world on an existing database, which is removed with it.
    pub async fn on(
        program: &str,
        database: Database,
        database_url: String,
        folder: TempDir,
        credentials: Credentials,
        environment: Environment,
    ) -> Self {
        let db = database::connect(&database_url, 4).await.expect("a connection");
        let tls = tls_files();
        let ports = ServerPorts::free();
        let (database_proxy, statement_proxy) =
            statement_proxy::proxies(&database, &database_url, environment.proxies()).await;
        let servers_url = database_proxy.as_ref().map_or(database_url.as_str(), TcpProxy::url);
        let moto = match &environment.moto {
            Some(moto_program) => Some(Moto::start(moto_program, folder.path()).await),
            None => None,
        };
        let provider = start_provider(&environment, &tls, folder.path()).await;
        let documents = Location::Folder(folder.path().join("documents"));
        let documents = moto.as_ref().map_or(documents, Moto::location);
        let of_provider = provider.as_ref().map(Provider::settings).unwrap_or_default();
        let api_settings = document_settings(&documents) + of_provider.as_str();
        ports.write_settings(folder.path(), servers_url, &tls, &credentials, &api_settings);
        let client = Client::new(
            &ports.auth_url(),
            &ports.api_url(),
            &tls.authority,
            &credentials.integration,
        );
        let program = PathBuf::from(program);
        let statement_url = statement_proxy.as_ref().map(StatementProxy::url);
        let statement_url =
            statement_url.map(|url| ("API_DATABASE_URL".to_owned(), url.to_owned()));
        let of_api = environment.api.clone().into_iter().chain(statement_url).collect();
        let in_threads = environment.allows_threads();
        let start = |kind, url: String, environment: &BTreeMap<String, String>| {
            let (program, folder, http) = (&program, folder.path(), &client.http);
            let environment = environment.clone();
            Box::pin(TestServer::of_world(
                kind,
                in_threads,
                program,
                folder,
                environment,
                url,
                http,
            ))
        };
        let (auth, api) = tokio::join!(
            start(ServerKind::Auth, ports.auth_url(), &environment.auth),
            start(ServerKind::Api, ports.api_url(), &of_api),
        );
        let metrics = |port: u16| format!("http://127.0.0.1:{port}/metrics");
        let metrics = (metrics(ports.auth_metrics), metrics(ports.api_metrics));
        Self {
            database,
            db,
            database_url,
            client,
            credentials,
            tls,
            auth,
            api,
            metrics,
            folder,
            database_proxy,
            statement_proxy,
            moto,
            provider,
            documents,
            program,
            environment,
        }
    }

    /// The api-server's document store, opened as the installer does.
    pub fn documents(&self) -> DocumentStore {
        let store = match &self.documents {
            Location::Folder(folder) => DocumentStore::open_for_bulk(folder.clone()),
            bucket => DocumentStore::open(bucket),
        };
        store.expect("a store of documents")
    }

    /// The keys under which the api-server seals cards' tokens.
    pub fn master_keys(&self) -> MasterKeys {
        format!("k1:{}", self.credentials.card_key).parse().expect("keys")
    }

    /// The names of all objects in the store's directory, unfinished ones included.
    pub fn objects(&self) -> BTreeSet<String> {
        let shard_folders =
            std::fs::read_dir(self.folder.path().join("documents")).expect("a folder");
        let shard_folders = shard_folders.map(|folder| folder.expect("an entry").path());
        let files = shard_folders.filter(|path| path.is_dir()).flat_map(|folder| {
            let files = std::fs::read_dir(folder).expect("a folder");
            files.map(|file| file.expect("an entry").file_name().to_string_lossy().into_owned())
        });
        files.collect()
    }

    /// Starts a second auth server.
    pub async fn replica(&self) -> Replica {
        let (process, auth_url) =
            self.start_another(ServerKind::Auth, &self.environment.auth).await;
        Replica { client: Client { auth_url, ..self.client.clone() }, process }
    }

    /// Starts a second api-server.
    pub async fn api_replica(&self) -> Replica {
        let (process, api_url) = self.start_another(ServerKind::Api, &self.environment.api).await;
        Replica { client: Client { api_url, ..self.client.clone() }, process }
    }

    /// Starts a second server of each kind on another address of the database. The new api-server
    /// uses the new auth server.
    pub async fn pair(&self, database_url: &str) -> ServerPair {
        let metrics = [free_port(), free_port()];
        let listen = metrics.map(|port| format!("127.0.0.1:{port}"));
        let with = |environment: &BTreeMap<String, String>, more: &[(&str, &str)]| {
            let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            environment.clone().into_iter().chain(more).collect::<BTreeMap<_, _>>()
        };
        let more = [("AUTH_DATABASE_URL", database_url), ("AUTH_METRICS_LISTEN", &listen[0])];
        let environment = with(&self.environment.auth, &more);
        let (auth, auth_url) = self.start_another(ServerKind::Auth, &environment).await;
        let more = [
            ("API_DATABASE_URL", database_url),
            ("API_METRICS_LISTEN", &listen[1]),
            ("API_AUTH_URL", &auth_url),
        ];
        let environment = with(&self.environment.api, &more);
        let (api, api_url) = self.start_another(ServerKind::Api, &environment).await;
        let metrics = metrics.map(|port| format!("http://127.0.0.1:{port}/metrics"));
        let client = Client { auth_url, api_url, ..self.client.clone() };
        ServerPair { client, metrics, auth, api }
    }

    /// Starts another server with the world's settings, except for where it listens.
    async fn start_another(
        &self,
        kind: ServerKind,
        environment: &BTreeMap<String, String>,
    ) -> (TestServer, String) {
        let (name, prefix) = match kind {
            ServerKind::Auth => ("auth-server", "AUTH"),
            ServerKind::Api => ("api-server", "API"),
        };
        let settings = std::fs::read_to_string(self.folder.path().join(format!("{name}.env")));
        let port = free_port();
        let listen = [format!("{prefix}_LISTEN"), format!("{prefix}_METRICS_LISTEN")];
        let changed = |line: &str| match line.split_once('=') {
            Some((name, _)) if name == listen[0] => format!("{name}=127.0.0.1:{port}"),
            Some((name, _)) if name == listen[1] => format!("{name}="),
            _ => line.to_owned(),
        };
        let settings: Vec<_> = settings.expect("settings").lines().map(changed).collect();
        let env_file = self.folder.path().join(format!("{name}-2.env"));
        std::fs::write(&env_file, settings.join("\n")).expect("settings");
        let url = format!("https://localhost:{port}");
        let (program, http) = (&self.program, &self.client.http);
        let ready = format!("{url}/health/ready");
        let process =
            TestServer::start(kind, program, &env_file, environment.clone(), ready, http).await;
        (process, url)
    }

    /// Stops the servers, which must succeed, and removes the database.
    pub async fn close(mut self) {
        let (auth, api) = tokio::join!(self.auth.stop(), self.api.stop());
        assert!(auth && api, "a server did not end well; {} {}", self.auth.log(), self.api.log());
        self.db.close().await.expect("closed");
        self.database.drop(&self.database_url).await;
    }

    /// Kills the servers and removes the database, even in the middle of their work.
    pub async fn discard(self) {
        let Self { auth, api, db, database, database_url, .. } = self;
        // Dropping a process kills it.
        drop((auth, api));
        let _ = db.close().await;
        database.drop(&database_url).await;
    }

    /// The token of a user with a password: admin, officer, teller, viewer.
    pub async fn token(&self, user: &str) -> String {
        let password = match user {
            "admin" => &self.credentials.admin,
            "officer" => &self.credentials.officer,
            "teller" => &self.credentials.teller,
            _ => &self.credentials.viewer,
        };
        self.client.log_in("core", user, password).await.expect("a token")
    }

    /// The token of the borrower `C-<number>`, who has [`crate::seeds::web_access`].
    pub async fn web_token(&self, number: u32) -> String {
        let (name, password) = (format!("web{number}"), crate::seeds::WEB_PASSWORD);
        self.client.log_in("web", &name, password).await.expect("a token")
    }

    /// Imports a file as admin; every record must succeed.
    pub async fn import(&self, token: &str, xml: &str) -> Value {
        let response = self.client.import(token, false, xml, None).await.expect(200);
        let result = response.json();
        assert_eq!(result["Failed"], 0, "{result:#}");
        assert_eq!(result["Committed"], true, "{result:#}");
        result
    }

    /// Defines the user-defined fields that every installation starts with.
    pub async fn define_fields(&self) {
        let tx = shared::database::begin_write(&self.db).await.expect("a transaction");
        installer::seed::field_definitions::ensure(&tx).await.expect("the fields");
        tx.commit().await.expect("committed");
    }

    /// Posts a payment.
    pub async fn pay(&self, token: &str, loan_id: i64, body: Value) -> TestResponse {
        let path = format!("/loans/{loan_id}/transactions/payments");
        self.client.post(token, &path, &body, None).await
    }

    /// Runs a statement on the database.
    pub async fn sql(&self, sql: &str) {
        self.db.execute_unprepared(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Inserts rows and returns the keys that the database assigned. `NOW` in a value is an instant
    /// long past.
    pub async fn insert(
        &self,
        table: &str,
        key: &str,
        columns: &str,
        rows: impl IntoIterator<Item = String>,
    ) -> Vec<i64> {
        let rows = rows.into_iter().map(|row| format!("({})", row.replace("NOW", self.long_ago())));
        let rows: Vec<String> = rows.collect();
        let highest = format!("SELECT COALESCE(MAX({key}), 0) FROM {table}");
        let highest_before = self.count(&highest).await;
        for chunk in rows.chunks(200) {
            let values = chunk.join(", ");
            self.sql(&format!("INSERT INTO {table} ({columns}) VALUES {values}")).await;
        }
        let keys =
            format!("SELECT {key} FROM {table} WHERE {key} > {highest_before} ORDER BY {key}");
        let statement = Statement::from_string(self.db.get_database_backend(), keys);
        let keys = self.db.query_all_raw(statement).await.expect("keys");
        keys.iter().map(|row| row.try_get_by_index(0).expect("a key")).collect()
    }

    /// Moves the instants in these columns of a table this many seconds into the past, by the
    /// database's own clock.
    pub async fn age(&self, table: &str, columns: &[&str], seconds: i64) {
        databases::shift_instants(&self.db, table, columns, -seconds).await;
    }

    /// The only value of a query's only row, as text.
    pub async fn text(&self, sql: &str) -> String {
        let statement = Statement::from_string(self.db.get_database_backend(), sql);
        let row = self.db.query_one_raw(statement).await.expect("a row").expect("a row");
        row.try_get_by_index(0).expect("a text")
    }

    /// The values of a query's only column, as texts.
    pub async fn texts(&self, sql: &str) -> Vec<String> {
        let statement = Statement::from_string(self.db.get_database_backend(), sql);
        let rows = self.db.query_all_raw(statement).await.expect("rows");
        rows.iter().map(|row| row.try_get_by_index(0).expect("a text")).collect()
    }

    /// An instant long past, as a literal of the database.
    pub fn long_ago(&self) -> &'static str {
        match self.database {
            Database::Sqlite => "'2020-01-01T00:00:00+00:00'",
            Database::Server(_) => "'2020-01-01 00:00:00'",
        }
    }

    /// The only value of a query's only row, as a number.
    pub async fn count(&self, sql: &str) -> i64 {
        let statement = Statement::from_string(self.db.get_database_backend(), sql);
        let row = self.db.query_one_raw(statement).await.expect("a row").expect("a row");
        row.try_get_by_index::<i64>(0)
            .or_else(|_| row.try_get_by_index::<i32>(0).map(i64::from))
            .expect("a figure")
    }

    /// The number of statements that both servers have sent to the database.
    pub async fn statements(&self) -> u64 {
        self.counted(&[&self.metrics.0, &self.metrics.1], "sql_statements").await
    }

    /// The same once they send no more: when they start, their background tasks do.
    pub async fn settled_statements(&self) -> u64 {
        let mut before = self.statements().await;
        loop {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let after = self.statements().await;
            if after == before {
                return after;
            }
            before = after;
        }
    }

    /// The seconds that requests of both servers have waited for this.
    pub async fn waited_seconds(&self, wait: &str) -> f64 {
        let name = format!("{wait}_wait_seconds");
        self.counted(&[&self.metrics.0, &self.metrics.1], &name).await
    }

    /// The sum of a counter over these servers.
    pub async fn counted<T: FromStr<Err: Debug> + Sum>(&self, at: &[&String], name: &str) -> T {
        let (mut totals, name) = (Vec::new(), format!("{name}_total"));
        for url in at {
            let text = self.client.http.get(*url).send().await.expect("metrics");
            let text = text.text().await.expect("metrics");
            let line = text.lines().find(|line| line.starts_with(&name));
            let figure = line.and_then(|line| line.rsplit(' ').next()).unwrap_or_default();
            totals.push(figure.parse::<T>().expect("a figure"));
        }
        totals.into_iter().sum()
    }
}

/// The certificate of all servers in all worlds of a run, and the one authority that signed it.
pub fn tls_files() -> TlsFiles {
    static FILES: OnceLock<(TempDir, TlsFiles)> = OnceLock::new();
    let (_, files) = FILES.get_or_init(|| {
        let folder = databases::temporary_folder();
        let files = certificates::local(folder.path()).expect("certificates");
        (folder, files)
    });
    files.clone()
}
