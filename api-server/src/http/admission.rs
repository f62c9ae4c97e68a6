//! Admission of requests. The type of an endpoint's first argument says who may call: [`CoreUser`],
//! [`AnyUser`] or [`AdminUser`].
//!
//! Checked in this order: the token and the kind of user, the rate limit per caller, the
//! operation's privilege, the media types, card numbers in requests about cards (the body is
//! searched when it is read), and the query. A request that writes then waits for an import that
//! locks the whole database.

use crate::auth::auth_client::AuthClient;
use crate::auth::caller::{Caller, CoreCaller, RequestContext};
use crate::auth::caller_lookups::{CallerLookups, CallerState};
use crate::auth::privileges::Rights;
use crate::http::import_gate::ImportGate;
use crate::http::operations::{Body, Operation, XML};
use crate::http::pan_scan::{self, shown_path};
use crate::http::request_schemas::{RequestSchemas, unknown_parameter};
use poem::http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE,
    HeaderName, RETRY_AFTER,
};
use poem::http::{HeaderValue, Method};
use poem::{Request, Result};
use poem_openapi::SecurityScheme;
use poem_openapi::auth::Bearer;
use shared::introspection::{ActiveToken, UserKind};
use shared::problem::{Problem, ProblemType};
use shared::rate_limit::KeyedRateLimiter;
use shared::telemetry::Counter;
use std::collections::HashSet;
use std::sync::Arc;

/// The header that makes a request safe to retry.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The only content coding accepted: none (RFC 9110, 15.5.16).
const IDENTITY: HeaderValue = HeaderValue::from_static("identity");
/// Most unknown parameters listed in a problem, and most characters of each name.
const PARAMETERS_LISTED_MAX: usize = 50;
const NAME_CHARACTERS_MAX: usize = 100;

/// Admits requests.
pub struct Admission {
    /// Look-ups of callers in the core database.
    pub callers: CallerLookups,
    /// Client that introspects tokens at the auth server.
    pub auth: Arc<AuthClient>,
    /// Rate limit per caller, if any.
    pub rates: Option<KeyedRateLimiter>,
    /// Policy for unknown query parameters.
    pub unknown_parameters: UnknownParameters,
    /// Maximum bytes of a form with a file.
    pub form_bytes_max: u64,
    /// Closed while an import locks the whole database.
    pub import_gate: Arc<ImportGate>,
}

/// A core-system user with the operation's privilege. Web users and users without the privilege are
/// refused with 403.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", rename = "core_user", bearer_format = "opaque", checker = "core_user")]
pub struct CoreUser(pub RequestContext);

/// A core-system user with the operation's privilege, or a web user, whose access is limited to the
/// rows they may see.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", rename = "any_user", bearer_format = "opaque", checker = "any_user")]
pub struct AnyUser(pub RequestContext);

/// The admin account. All other callers are refused with 403.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", rename = "admin_user", bearer_format = "opaque", checker = "admin_user")]
pub struct AdminUser(pub RequestContext);

async fn core_user(request: &Request, bearer: Bearer) -> Result<RequestContext> {
    let (admission, token) = authenticate(request, &bearer).await?;
    if token.user_kind == UserKind::Web {
        return Err(Problem::new(ProblemType::CoreUserOnly).into());
    }
    Ok(admission.admit(request, &token).await?)
}

async fn any_user(request: &Request, bearer: Bearer) -> Result<RequestContext> {
    let (admission, token) = authenticate(request, &bearer).await?;
    Ok(admission.admit(request, &token).await?)
}

async fn admin_user(request: &Request, bearer: Bearer) -> Result<RequestContext> {
    let (admission, token) = authenticate(request, &bearer).await?;
    if token.user_kind == UserKind::Web || !token.admin {
        return Err(Problem::new(ProblemType::AdminOnly).into());
    }
    Ok(admission.admit(request, &token).await?)
}

async fn authenticate<'r>(
    request: &'r Request,
    bearer: &Bearer,
) -> Result<(&'r Admission, Arc<ActiveToken>), Problem> {
    let admission = request.data::<Arc<Admission>>();
    let admission = admission.ok_or_else(|| Problem::internal("no admission"))?;
    if request.headers().get_all(AUTHORIZATION).iter().count() > 1 {
        return Err(Problem::bad_request("the request has more than one Authorization header"));
    }
    let token = admission.auth.introspect(&bearer.token).await?;
    tracing::Span::current().record("caller", token.sub.as_str());
    Ok((admission, token))
}

impl Admission {
    /// Looks up the caller's rights and checks, in this order: the rate limit, the operation's
    /// privilege, the accepted media types, the body, card numbers, and the query. A write then
    /// waits for a running import.
    async fn admit(
        &self,
        request: &Request,
        token: &ActiveToken,
    ) -> Result<RequestContext, Problem> {
        let no_user = || Problem::internal("a token without a user");
        let (caller, clock) = match token.user_kind {
            UserKind::Core => {
                let user_id = token.user_id.ok_or_else(no_user)?;
                let CallerState { clock, grants } =
                    self.callers.find((!token.admin).then_some(user_id)).await?;
                let rights =
                    if token.admin { Rights::All } else { Rights::granted(grants, token.dba) };
                let user_name = token.username.clone();
                (Caller::Core(CoreCaller { user_id, user_name, rights }), clock)
            }
            UserKind::Web => {
                let contact_id = token.contact_id.ok_or_else(no_user)?;
                (Caller::Web { contact_id }, self.callers.find(None).await?.clock)
            }
        };
        let context = RequestContext { caller, clock };
        if let Some(limiter) = &self.rates {
            let refused = |seconds: i64| {
                let problem = Problem::new(ProblemType::TooManyRequests);
                problem.header(RETRY_AFTER, HeaderValue::from(seconds))
            };
            limiter.check(&context.caller.subject()).map_err(refused)?;
        }
        let no_rule = || {
            let path = request.original_uri().path();
            Problem::internal(format!("no access rule for {}", shown_path(path)))
        };
        let operations = &request_schemas(request)?.operations;
        let operation = operations.of_request(request).ok_or_else(no_rule)?;
        match (&context.caller, operation.privilege) {
            (Caller::Core(user), Some(privilege)) => user.rights.require(privilege)?,
            (Caller::Core(_), None) | (Caller::Web { .. }, _) => {}
        }
        if let Some(media_type) = &operation.produces {
            check_accept(request, media_type)?;
        }
        check_body(request, operation.body, self.form_bytes_max)?;
        if operation.is_about_cards() {
            refuse_card_numbers(request)?;
        }
        check_query(request, operation, &self.unknown_parameters)?;
        if operation.method != Method::GET {
            self.import_gate.pass().await?;
        }
        Ok(context)
    }
}

/// Refuses with 406 a client that excludes the operation's media type. Of the matching ranges the
/// most specific one decides (RFC 9110, 12.5.1). Accepting problems alone is enough: generated
/// Python clients name only that type for an operation whose response is not JSON.
fn check_accept(request: &Request, media_type: &str) -> Result<(), Problem> {
    let values = request.headers().get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges = values.flat_map(|value| value.split(',')).map(str::trim);
    let ranges: Vec<&str> = ranges.filter(|range| !range.is_empty()).collect();
    let matched = ranges.iter().filter_map(|range| {
        let range = range.to_ascii_lowercase();
        let mut parts = range.split(';').map(str::trim);
        let specificity = match parts.next().unwrap_or_default() {
            range if range == media_type => 3,
            "application/*" => 2,
            "*/*" => 1,
            "application/problem+json" => 0,
            _ => return None,
        };
        let quality = parts.find_map(|part| part.strip_prefix("q="));
        let refused = quality.is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q == 0.0));
        Some((specificity, !refused))
    });
    let accepted = matched.max().is_some_and(|(_, accepted)| accepted);
    if accepted || ranges.is_empty() {
        return Ok(());
    }
    Err(Problem::new(ProblemType::NotAcceptable)
        .detail(format!("this operation responds with {media_type}")))
}

/// Checks the body's media type and its announced size. A body sent without a size is counted while
/// it is read.
fn check_body(request: &Request, body: Option<Body>, form_bytes_max: u64) -> Result<(), Problem> {
    let Some(Body { media_type, bytes_max }) = body else { return Ok(()) };
    let bytes_max = bytes_max.unwrap_or(form_bytes_max);
    let headers = request.headers();
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let essence = text(CONTENT_TYPE).unwrap_or_default().split(';').next().unwrap_or_default();
    let refused = |detail| Err(Problem::new(ProblemType::UnsupportedMediaType).detail(detail));
    // XML has two registered media types (RFC 7303, 9.2).
    let accepted: &[&str] =
        if media_type == XML.media_type { &[media_type, "text/xml"] } else { &[media_type] };
    if !accepted.iter().any(|accepted| essence.trim().eq_ignore_ascii_case(accepted))
        || headers.get_all(CONTENT_TYPE).iter().count() > 1
    {
        return refused(format!("the body must be {}", accepted.join(" or ")));
    }
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    if codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return refused("the body must be sent without a Content-Encoding".to_owned())
            .map_err(|problem| problem.header(ACCEPT_ENCODING, IDENTITY));
    }
    let length = text(CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > bytes_max) {
        let detail = format!("the body may have at most {bytes_max} bytes");
        return Err(Problem::new(ProblemType::TooLarge).detail(detail));
    }
    Ok(())
}

/// Refuses with 422 a card number anywhere in a request about cards. The body is searched when it
/// is read.
fn refuse_card_numbers(request: &Request) -> Result<(), Problem> {
    let uri = request.original_uri();
    let keys = request.headers().get_all(IDEMPOTENCY_KEY).iter();
    let mut keys = keys.map(|key| String::from_utf8_lossy(key.as_bytes()));
    let parameters = parameters(request)?;
    let parameters = parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    if pan_scan::found_in_path(uri.path())
        || keys.any(|key| pan_scan::found_in(&key))
        || pan_scan::found_in_pairs(parameters)
    {
        // The name of the parameter is not quoted either.
        return Err(Problem::new(ProblemType::CardNumberRefused));
    }
    Ok(())
}

/// Returns the names and values of the query.
fn parameters(request: &Request) -> Result<Vec<(String, String)>, Problem> {
    serde_urlencoded::from_str(request.original_uri().query().unwrap_or_default())
        .map_err(|_| Problem::bad_request("the query is malformed"))
}

/// Returns what the contract expects of requests.
pub fn request_schemas(request: &Request) -> Result<&'static RequestSchemas, Problem> {
    let schemas = request.data::<&'static RequestSchemas>();
    schemas.copied().ok_or_else(|| Problem::internal("no schemas"))
}

/// Policy for query parameters that the operation does not define.
#[derive(Debug)]
pub enum UnknownParameters {
    /// Refused with 400: a misspelt `test` would post real money.
    Refused,
    /// Ignored and counted, for clients of earlier releases.
    Ignored(Counter),
}

/// Refuses with 400 a repeated query parameter, which would be ambiguous, and U+0000, which no
/// database stores in text.
fn check_query(
    request: &Request,
    operation: &Operation,
    unknown: &UnknownParameters,
) -> Result<(), Problem> {
    if request.original_uri().path().contains("%00") {
        return Err(Problem::bad_request("the path contains U+0000"));
    }
    let parameters = parameters(request)?;
    // Names that only the client knows may be anything, and are not quoted.
    let with_field = |problem: Problem, name: &str, message: &str| {
        if operation.is_parameter(name) { problem.field(name, message) } else { problem }
    };
    let mut seen = HashSet::new();
    for (name, value) in &parameters {
        if name.contains('\0') {
            return Err(Problem::bad_request("the query contains U+0000"));
        }
        if value.contains('\0') {
            let problem = Problem::bad_request("a parameter is malformed");
            return Err(with_field(problem, name, "contains U+0000"));
        }
        if !seen.insert(name.to_ascii_lowercase()) {
            let problem = Problem::bad_request("a parameter appears in the query more than once");
            return Err(with_field(problem, name, "appears more than once"));
        }
    }
    let unknown_names = parameters.iter().map(|(name, _)| name.as_str());
    let unknown_names = unknown_names.filter(|name| !operation.is_parameter(name));
    match unknown {
        UnknownParameters::Refused => refuse_parameters(operation, unknown_names),
        UnknownParameters::Ignored(counter) => {
            counter.inc_by(unknown_names.count() as u64);
            Ok(())
        }
    }
}

/// Refuses unknown parameters with 400. On card operations their names are not quoted.
fn refuse_parameters<'n>(
    operation: &Operation,
    unknown_names: impl Iterator<Item = &'n str>,
) -> Result<(), Problem> {
    let mut unknown_names = unknown_names.take(PARAMETERS_LISTED_MAX).peekable();
    if unknown_names.peek().is_none() {
        return Ok(());
    }
    let problem =
        Problem::bad_request("the query has a parameter that is not part of this operation");
    if operation.is_about_cards() {
        return Err(problem);
    }
    Err(unknown_names.fold(problem, |problem, name| {
        let shown: String = name.chars().take(NAME_CHARACTERS_MAX).collect();
        let message = unknown_parameter(operation, &shown);
        problem.field(shown, message)
    }))
}
