//! Routes of the api-server, the OpenAPI documents generated from them, and the framework's errors
//! as problems.

use crate::endpoints::cash_drawers::CashDrawers;
use crate::endpoints::contacts::comments::ContactComments;
use crate::endpoints::contacts::loans::ContactLoans;
use crate::endpoints::contacts::{ContactDocuments, Contacts};
use crate::endpoints::core::xml_import::{XmlImport, show_schema};
use crate::endpoints::docs::{self, Docs};
use crate::endpoints::files::Files;
use crate::endpoints::gateway;
use crate::endpoints::loans::balances::PastBalances;
use crate::endpoints::loans::card_payments::LoanCardPayments;
use crate::endpoints::loans::collateral::LoanCollateral;
use crate::endpoints::loans::collateral::comments::{
    CollateralCommentDocuments, CollateralComments,
};
use crate::endpoints::loans::comments::LoanComments;
use crate::endpoints::loans::contacts::LoanContacts;
use crate::endpoints::loans::credit_lines::CreditLines;
use crate::endpoints::loans::payment_gateway::LoanPaymentGateway;
use crate::endpoints::loans::payments_due::PaymentsDue;
use crate::endpoints::loans::payoff_quote::PayoffQuotes;
use crate::endpoints::loans::schedule::LoanSchedule;
use crate::endpoints::loans::transactions::LoanTransactions;
use crate::endpoints::loans::{LoanDocuments, Loans};
use crate::endpoints::service::{self, OpenApiDocuments};
use crate::endpoints::setup::CoreSetup;
use crate::endpoints::setup::contact::ContactSetup;
use crate::endpoints::setup::loan::LoanSetup;
use crate::endpoints::status::Status;
use crate::endpoints::user_defined_fields::UserDefinedFields;
use crate::endpoints::users::Users;
use crate::http::operations::{
    JSON, Operations, SANDBOX_DONE, SANDBOX_PAGE, STRIPE_RETURN, STRIPE_WEBHOOK,
};
use crate::http::pan_scan;
use crate::http::request_schemas::RequestSchemas;
use crate::openapi::extensions::InterfaceOnly;
use crate::openapi::{self, VERSION};
use crate::state::State;
use crate::xml_import::schema;
use poem::endpoint::BoxEndpoint;
use poem::error::ParsePathError as NotText;
use poem::http::header::ALLOW;
use poem::http::{HeaderValue, Method, Uri};
use poem::{Endpoint, EndpointExt, IntoEndpoint, PathPattern, Request, Response, Route, get, post};
use poem_openapi::error::{ParseParamError, ParsePathError};
use poem_openapi::{OpenApi, OpenApiService};
use shared::middleware::{REQUEST_TIME_MAX, RequestMiddleware, TimeLimit, framework_problem};
use shared::problem::{Problem, ProblemType};
use shared::telemetry::Metrics;
use std::sync::{Arc, LazyLock};

fn api() -> impl OpenApi {
    let loans = (
        (Loans, LoanDocuments, LoanTransactions, CreditLines),
        (PaymentsDue, PayoffQuotes, LoanSchedule, PastBalances),
        (LoanCollateral, LoanComments, CollateralComments, CollateralCommentDocuments),
        (LoanPaymentGateway, LoanCardPayments, LoanContacts),
    );
    let contacts = (Contacts, ContactDocuments, ContactComments, ContactLoans);
    let contacts = (contacts, UserDefinedFields, Files);
    let installation = (CashDrawers, Users, Status, CoreSetup, LoanSetup, ContactSetup, XmlImport);
    (loans, contacts, installation)
}

fn service<A: OpenApi>(groups: A) -> OpenApiService<A, ()> {
    OpenApiService::new(groups, "Loan Servicing REST Service", VERSION)
        .description(include_str!("description.md"))
}

/// What a server promises its clients.
pub struct Contract {
    /// The text of the OpenAPI document.
    pub document: String,
    /// What the contract expects of requests.
    pub schemas: RequestSchemas,
    extensions: bool,
}

impl Contract {
    fn of(extensions: bool) -> Self {
        let document = match extensions {
            true => openapi::finish(&service(api()).spec()),
            false => openapi::finish(&service(InterfaceOnly(api())).spec()),
        };
        let operations = match extensions {
            true => Operations::with_extensions(&document),
            false => Operations::of_interface(&document),
        };
        Self {
            document: openapi::text(&document),
            schemas: RequestSchemas::of(document, operations),
            extensions,
        }
    }

    fn routes(&self) -> BoxEndpoint<'static> {
        match self.extensions {
            true => service(api()).into_endpoint(),
            false => service(InterfaceOnly(api())).into_endpoint(),
        }
    }
}

/// Returns the contract with or without the extensions.
pub fn contract(extensions: bool) -> &'static Contract {
    static COMPLETE: LazyLock<Contract> = LazyLock::new(|| Contract::of(true));
    static INTERFACE: LazyLock<Contract> = LazyLock::new(|| Contract::of(false));
    if extensions { &COMPLETE } else { &INTERFACE }
}

/// The text of the OpenAPI document, extensions included.
pub fn document() -> &'static str {
    &contract(true).document
}

/// The operations of the document, extensions included.
pub fn operations() -> &'static Operations {
    &request_schemas().operations
}

/// What the contract expects of requests, extensions included.
pub fn request_schemas() -> &'static RequestSchemas {
    &contract(true).schemas
}

/// All routes of a contract, inside the edge that every request passes first.
pub fn endpoint(
    state: &Arc<State>,
    contract: &'static Contract,
    docs: Docs,
    metrics: Arc<Metrics>,
) -> impl Endpoint<Output = Response> + 'static {
    let interface = || self::contract(false).document.as_str();
    let routes = Route::new()
        .at("/health/live", get(service::live))
        .at("/health/ready", get(service::ready))
        .at("/openapi.json", get(service::openapi))
        .at("/openapi-interface.json", get(service::openapi_of_interface))
        .at("/docs", get(docs::show))
        .at("/docs/", get(docs::show))
        .at(docs::RECEIVER, get(docs::receive))
        .at(schema::PATH, get(show_schema))
        .at(SANDBOX_PAGE, get(gateway::sandbox::show).post(gateway::sandbox::submit))
        .at(SANDBOX_DONE, get(gateway::sandbox::done))
        .at(STRIPE_RETURN, get(gateway::stripe::come_back))
        .at(STRIPE_WEBHOOK, post(gateway::stripe::receive))
        .nest("/", contract.routes().before(move |request| spell_query(contract, request)))
        .before(move |request| refuse_while_closed(contract, request))
        .data(Arc::new(OpenApiDocuments::new(&contract.document, interface)))
        .data(&contract.schemas)
        .data(Arc::new(docs))
        .data(Arc::clone(&state.admission))
        .data(Arc::clone(state))
        .before(redirect_root_to_docs)
        .before(refuse_former_paths)
        .before(refuse_empty_segments);
    let routes = TimeLimit::new(routes, is_streamed, |_| time_limit_problem().into());
    let to_problem =
        |error, method: &Method, uri: &Uri| to_problem(&contract.schemas, error, method, uri);
    RequestMiddleware::new(routes, metrics, to_problem, pan_scan::shown_path)
}

/// True for operations with an import file or a document: the transfer and the work may take long.
fn is_streamed(method: &Method, uri: &Uri) -> bool {
    let body = operations().find(method, uri.path()).and_then(|operation| operation.body);
    body.is_some_and(|body| body.media_type != JSON.media_type)
}

fn time_limit_problem() -> Problem {
    let seconds = REQUEST_TIME_MAX.as_secs();
    Problem::new(ProblemType::DatabaseUnavailable)
        .detail(format!("the request took longer than {seconds} seconds"))
}

/// Redirects `GET /` to the documentation. The router would treat the root as an API path.
async fn redirect_root_to_docs(request: Request) -> poem::Result<Request> {
    match (request.uri().path(), request.method()) {
        ("/", &Method::GET) => Err(poem::Error::from_response(docs::lead())),
        ("/", _) => {
            let methods = HeaderValue::from_static("GET, HEAD");
            Err(Problem::new(ProblemType::MethodNotAllowed).header(ALLOW, methods).into())
        }
        _ => Ok(request),
    }
}

/// Responds with 410 and the current path to any method on a path that moved, with or without a
/// token.
async fn refuse_former_paths(request: Request) -> poem::Result<Request> {
    match operations().current_path(request.uri().path()) {
        None => Ok(request),
        Some(current) => {
            let detail = format!("this path moved to {current} in release 5.0.0");
            let problem = Problem::new(ProblemType::FormerPath).detail(detail);
            Err(problem.member("currentPath", current).into())
        }
    }
}

/// Refuses with 503 whatever uses the database while that must not be used: after the path and the
/// method, and before the token.
async fn refuse_while_closed(
    contract: &'static Contract,
    request: Request,
) -> poem::Result<Request> {
    let path = request.uri().path();
    let is_page = gateway::PATHS.contains(&path);
    if !is_page && contract.schemas.operations.find(request.method(), path).is_none() {
        return Ok(request);
    }
    let gate = request.data::<Arc<State>>().map(|state| state.database_gate.clone());
    let gate = gate.ok_or_else(|| Problem::internal("no state"))?;
    match gate.pass().await.map_err(Problem::from) {
        Ok(()) => Ok(request),
        Err(problem) if is_page => Err(poem::Error::from_response(gateway::page_of(&problem))),
        Err(problem) => Err(problem.into()),
    }
}

/// Spells the names and truth values of the query as the contract does. What was sent stays in the
/// original URI.
async fn spell_query(contract: &'static Contract, mut request: Request) -> poem::Result<Request> {
    let operations = &contract.schemas.operations;
    let uri = request.uri();
    let spelt = uri
        .query()
        .filter(|query| !query.is_empty())
        .and_then(|query| operations.find(request.method(), uri.path())?.canonical_query(query));
    if let Some(query) = spelt {
        let path_and_query = format!("{}?{query}", uri.path());
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(path_and_query.parse().map_err(Problem::internal)?);
        *request.uri_mut() = Uri::from_parts(parts).map_err(Problem::internal)?;
    }
    Ok(request)
}

/// Refuses empty segments: the router would read one as an empty parameter value. No path has one.
async fn refuse_empty_segments(request: Request) -> poem::Result<Request> {
    match request.uri().path().contains("//") {
        false => Ok(request),
        true => Err(Problem::not_found().into()),
    }
}

/// Turns the framework's errors into problems, adding what it does not know: names and allowed
/// methods.
fn to_problem(
    schemas: &'static RequestSchemas,
    error: poem::Error,
    method: &Method,
    uri: &Uri,
) -> Problem {
    let operations = &schemas.operations;
    let pattern = error.data::<PathPattern>();
    let operation = pattern.and_then(|pattern| operations.at(method, pattern));
    if let Some(ParsePathError { name, .. }) = error.downcast_ref() {
        return schemas.refuse_path(operation, name);
    }
    if let Some(ParseParamError { name, .. }) = error.downcast_ref() {
        return schemas.refuse_parameter(operation, uri, name);
    }
    if error.is::<NotText>() {
        return Problem::bad_request("the path is not valid UTF-8");
    }
    let problem = framework_problem(&error);
    if problem.kind() != ProblemType::MethodNotAllowed {
        return problem;
    }
    let allowed = pattern.and_then(|pattern| operations.allowed_methods(pattern));
    match allowed.and_then(|methods| HeaderValue::from_str(&methods).ok()) {
        Some(methods) => problem.header(ALLOW, methods),
        None => problem,
    }
}
