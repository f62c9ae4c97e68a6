//! State shared by the endpoints.

use crate::auth::auth_client::AuthClient;
use crate::auth::caller_lookups::CallerLookups;
use crate::cards::{CardProcessor, PaymentGateway};
use crate::command::execute::Executor;
use crate::command::group_commit::GroupCommit;
use crate::config::Config;
use crate::documents::attach::Attachments;
use crate::documents::store::DocumentStore;
use crate::documents::{downloads, multipart};
use crate::http::admission::{Admission, UnknownParameters};
use crate::loans::lookups::LoanLookups;
use crate::loans::payments::{DRY_RUNS_MAX, PostPayment};
use crate::xml_import::IMPORTS_MAX;
use sea_orm::DatabaseConnection;
use shared::certificate_expiry::CertificateExpiry;
use shared::database::gate::DatabaseGate;
use shared::database::reads::ReadPool;
use shared::disk_space::WatchedFolders;
use shared::passwords::Passwords;
use shared::rate_limit::KeyedRateLimiter;
use shared::shutdown::Shutdown;
use shared::tasks::Tasks;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// State available to every endpoint.
pub struct State {
    pub db: DatabaseConnection,
    /// The same for single reads.
    pub reads: ReadPool,
    /// Admits requests.
    pub admission: Arc<Admission>,
    pub executor: Executor,
    /// Looks loans up.
    pub loans: Arc<LoanLookups>,
    /// Posts payments, several in one transaction.
    pub payments: Arc<GroupCommit<PostPayment>>,
    /// Documents and their files.
    pub documents: Arc<Attachments>,
    /// Cards and card payments.
    pub cards: Arc<CardProcessor>,
    /// Hashes the passwords of imported web users.
    pub passwords: Passwords,
    /// Directory in which imports are spooled.
    pub spool_directory: PathBuf,
    pub imports: Arc<Semaphore>,
    /// Permits for dry runs of many payments.
    pub dry_runs: Arc<Semaphore>,
    /// Folders that this server fills.
    pub folders: Arc<WatchedFolders>,
    pub tasks: Tasks,
    /// Closed while the database must not be used.
    pub database_gate: DatabaseGate,
    /// Expiry of this server's certificate.
    pub certificate_expiry: CertificateExpiry,
    /// Whether this server is about to stop.
    pub stopping: Shutdown,
}

impl State {
    /// Builds the state over a connected database.
    pub fn new(
        config: &Config,
        db: DatabaseConnection,
        reads: ReadPool,
        store: DocumentStore,
        unknown_parameters: UnknownParameters,
        folders: WatchedFolders,
        tasks: Tasks,
    ) -> Result<Arc<Self>, String> {
        let database_gate = tasks.gate().clone();
        let executor = Executor::new(db.clone(), database_gate.clone());
        let uploads =
            multipart::UploadLimits::new(config.upload_bytes_max, config.upload_types.clone());
        let admission = Admission {
            callers: CallerLookups::new(reads.clone()),
            auth: AuthClient::new(
                &config.auth_url,
                &config.auth_ca,
                &config.auth_client_id,
                &config.auth_client_secret,
            )?,
            rates: config.requests_quota.map(KeyedRateLimiter::new),
            form_bytes_max: uploads.form_bytes_max(),
            unknown_parameters,
            import_gate: Arc::clone(&executor.import_gate),
        };
        let loans = Arc::new(LoanLookups::new(&reads));
        Ok(Arc::new(Self {
            admission: Arc::new(admission),
            documents: Arc::new(Attachments {
                store,
                uploads,
                downloads: downloads::concurrency_limit(),
                executor: executor.clone(),
            }),
            cards: Arc::new(CardProcessor {
                gateway: PaymentGateway::new(config.gateway.clone(), &db)?,
                db: db.clone(),
                loans: Arc::clone(&loans),
                executor: executor.clone(),
            }),
            loans,
            payments: Arc::new(GroupCommit::new(executor.clone(), &reads)),
            executor,
            passwords: Passwords::recommended()?,
            spool_directory: config.spool_directory.clone(),
            imports: Arc::new(Semaphore::new(IMPORTS_MAX)),
            dry_runs: Arc::new(Semaphore::new(DRY_RUNS_MAX)),
            folders: Arc::new(folders),
            tasks,
            database_gate,
            certificate_expiry: CertificateExpiry::default(),
            stopping: Shutdown::default(),
            db,
            reads,
        }))
    }
}
