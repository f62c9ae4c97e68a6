//! The api-server as one value, and the whole API on one screen.

use crate::at_once::AtOnce;
use crate::auth_client::AuthClient;
use crate::card_numbers;
use crate::config::Config;
use crate::contract::VERSION;
use crate::document_store::DocumentStore;
use crate::document_store::sweep::{ORPHAN_HOURS_MIN, Swept};
use crate::endpoints::cash_drawers::CashDrawers;
use crate::endpoints::contacts::Contacts;
use crate::endpoints::contacts::comments::ContactComments;
use crate::endpoints::core::xml_import::{IMPORTS_MAX, XmlImport, show_schema};
use crate::endpoints::docs::Docs;
use crate::endpoints::files::Files;
use crate::endpoints::loans::Loans;
use crate::endpoints::loans::collateral::LoanCollateral;
use crate::endpoints::loans::collateral::comments::CollateralComments;
use crate::endpoints::loans::comments::LoanComments;
use crate::endpoints::loans::credit_lines::CreditLines;
use crate::endpoints::loans::payment_gateway::PaymentGateway;
use crate::endpoints::loans::transactions::LoanTransactions;
use crate::endpoints::setup::contact::ContactSetup;
use crate::endpoints::setup::loan::LoanSetup;
use crate::endpoints::status::Status;
use crate::endpoints::user_defined_fields::UserDefinedFields;
use crate::endpoints::users::Users;
use crate::endpoints::{docs, gateway, service};
use crate::payment_gateway;
use crate::payment_gateway::sessions;
use crate::rates::Rates;
use crate::turns::Turns;
use crate::xml_import::schema;
use crate::{downloads, expectations, idempotency, operations, uploads};
use poem::error::ParsePathError as NotText;
use poem::http::header::ALLOW;
use poem::http::{HeaderValue, Method, Uri};
use poem::{Endpoint, EndpointExt, Request, Response, Route, get, post};
use poem_openapi::OpenApiService;
use poem_openapi::error::{ParseParamError, ParsePathError};
use sea_orm::DatabaseConnection;
use shared::db;
use shared::edge::{Edge, REQUEST_TIME_MAX, TimeLimit, framework_problem};
use shared::passwords::Passwords;
use shared::problem::{Problem, ProblemType};
use shared::process::Stopping;
use shared::telemetry::Metrics;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// How often answers that are no longer kept are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(600);
/// How often objects without a row are looked for: a day or so after they were left over.
const STORE_SWEEP_INTERVAL: Duration = Duration::from_secs(6 * 60 * 60);

/// What every endpoint works with.
pub struct App {
    /// The core database.
    pub db: DatabaseConnection,
    /// Asks the auth server about tokens.
    pub auth: Arc<AuthClient>,
    /// Hashes the passwords of imported web users.
    pub passwords: Passwords,
    /// Where imports are spooled.
    pub spool_directory: PathBuf,
    /// The places for imports.
    pub imports: Arc<Semaphore>,
    /// The documentation page.
    pub docs: Docs,
    /// How many requests a caller may send.
    pub rates: Rates,
    /// Where the bytes of documents are.
    pub documents: DocumentStore,
    /// What may be uploaded.
    pub uploads: uploads::Limits,
    /// The payment gateway.
    pub gateway: payment_gateway::PaymentGateway,
    /// Who is downloading.
    pub downloads: AtOnce,
    /// Requests that write on the same rows.
    pub turns: Arc<Turns>,
    /// Whether this server is about to stop.
    pub stopping: Stopping,
}

type Api = (OfLoans, OfContacts, OfTheInstallation);
type OfLoans = (
    Loans,
    LoanTransactions,
    CreditLines,
    LoanCollateral,
    LoanComments,
    CollateralComments,
    PaymentGateway,
);
type OfContacts = (Contacts, ContactComments, UserDefinedFields, Files);
type OfTheInstallation = (CashDrawers, Users, Status, LoanSetup, ContactSetup, XmlImport);

/// The resource groups.
pub fn api() -> OpenApiService<Api, ()> {
    let loans = (
        Loans,
        LoanTransactions,
        CreditLines,
        LoanCollateral,
        LoanComments,
        CollateralComments,
        PaymentGateway,
    );
    let contacts = (Contacts, ContactComments, UserDefinedFields, Files);
    let installation = (CashDrawers, Users, Status, LoanSetup, ContactSetup, XmlImport);
    let groups = (loans, contacts, installation);
    OpenApiService::new(groups, "Loan Servicing REST Service", VERSION)
        .description(include_str!("description.md"))
}

impl App {
    /// The app over a connected database.
    pub async fn new(config: &Config, db: DatabaseConnection) -> Result<Arc<Self>, String> {
        let gateway = payment_gateway::PaymentGateway::new(config.gateway.clone(), &db)?;
        Ok(Arc::new(Self {
            gateway,
            db,
            auth: AuthClient::new(config)?,
            passwords: Passwords::recommended()?,
            spool_directory: config.spool_directory.clone(),
            imports: Arc::new(Semaphore::new(IMPORTS_MAX)),
            documents: DocumentStore::open(&config.documents)
                .map_err(|error| format!("API_DOCUMENTS: {error}"))?,
            uploads: uploads::Limits::new(config.upload_bytes_max, config.upload_types.clone()),
            downloads: downloads::places(),
            docs: Docs::new(
                &config.auth_public_url,
                &config.docs_client_id,
                &config.gateway.public_url,
            )
            .await?,
            rates: Rates::new(config.requests_per_second),
            turns: Arc::default(),
            stopping: Stopping::default(),
        }))
    }

    /// The whole server behind its edge.
    pub fn endpoint(
        self: &Arc<Self>,
        metrics: Arc<Metrics>,
    ) -> impl Endpoint<Output = Response> + 'static {
        let routes = Route::new()
            .at("/health/live", get(service::live))
            .at("/health/ready", get(service::ready))
            .at("/openapi.json", get(service::openapi))
            .at("/docs", get(docs::show))
            .at("/docs/", get(docs::show))
            .at(docs::RECEIVER, get(docs::receive))
            .at(schema::PATH, get(show_schema))
            .at(sessions::SANDBOX_PAGE, get(gateway::sandbox::show).post(gateway::sandbox::submit))
            .at(sessions::SANDBOX_DONE, get(gateway::sandbox::done))
            .at(sessions::STRIPE_RETURN, get(gateway::stripe::come_back))
            .at(sessions::STRIPE_WEBHOOK, post(gateway::stripe::receive))
            .nest("/", api())
            .data(Arc::clone(self))
            .before(refuse_former_paths)
            .before(refuse_empty_segments);
        let routes = TimeLimit::new(routes, is_streamed, |_| took_too_long().into());
        Edge::new(routes, metrics, to_problem, card_numbers::shown_path)
    }

    /// Removes what is no longer kept for as long as the server runs.
    pub async fn sweep(self: Arc<Self>) {
        loop {
            self.rates.sweep();
            match db::again(|| idempotency::sweep(&self.db)).await {
                Ok(0) => {}
                Ok(rows) => tracing::info!(rows, "old answers removed"),
                Err(error) => tracing::warn!(%error, "old answers could not be removed"),
            }
            tokio::time::sleep(SWEEP_INTERVAL).await;
        }
    }

    /// Removes objects that were left over for as long as the server runs.
    pub async fn sweep_documents(self: Arc<Self>) {
        loop {
            match self.documents.sweep(&self.db, ORPHAN_HOURS_MIN).await {
                Ok(Swept { removed: 0, .. }) => {}
                Ok(Swept { removed, .. }) => {
                    tracing::info!(objects = removed, "objects without a row removed");
                }
                Err(error) => tracing::warn!(%error, "objects without a row are left"),
            }
            tokio::time::sleep(STORE_SWEEP_INTERVAL).await;
        }
    }
}

/// Import files and documents may be long, and so may be what is done with them.
fn is_streamed(method: &Method, uri: &Uri) -> bool {
    let body = operations::find(method, uri.path()).and_then(|operation| operation.body);
    body.is_some_and(|body| body.media_type != operations::JSON.media_type)
}

fn took_too_long() -> Problem {
    let seconds = REQUEST_TIME_MAX.as_secs();
    Problem::new(ProblemType::DatabaseUnavailable)
        .detail(format!("there was no answer within {seconds} seconds"))
}

/// Any method on a path that moved answers 410 with the current one, token or not.
async fn refuse_former_paths(request: Request) -> poem::Result<Request> {
    match operations::current_path(request.uri().path()) {
        None => Ok(request),
        Some(current) => {
            let detail = format!("this path is {current} since release 5.0.0");
            let problem = Problem::new(ProblemType::FormerPath).detail(detail);
            Err(problem.member("currentPath", current).into())
        }
    }
}

/// The router takes nothing between two slashes for the value of a parameter; no path has that.
async fn refuse_empty_segments(request: Request) -> poem::Result<Request> {
    match request.uri().path().contains("//") {
        false => Ok(request),
        true => Err(Problem::not_found().into()),
    }
}

/// The framework's own errors, with what it does not know: names, and allowed methods.
fn to_problem(error: poem::Error, method: &Method, uri: &Uri) -> Problem {
    if let Some(ParsePathError { name, .. }) = error.downcast_ref() {
        return expectations::refuse_path(method, uri, name);
    }
    if let Some(ParseParamError { name, .. }) = error.downcast_ref() {
        return expectations::refuse_parameter(method, uri, name);
    }
    if error.is::<NotText>() {
        return Problem::bad_request("the path is no text in UTF-8");
    }
    let problem = framework_problem(&error);
    if problem.kind() != ProblemType::MethodNotAllowed {
        return problem;
    }
    let allowed = operations::allowed_methods(uri.path());
    match allowed.and_then(|methods| HeaderValue::from_str(&methods).ok()) {
        Some(methods) => problem.header(ALLOW, methods),
        None => problem,
    }
}
