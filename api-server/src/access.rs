//! Who is calling. The type of an endpoint's first argument says who may: [`CoreUser`], [`AnyUser`]
//! or [`AdminUser`]. What a caller may see is [`crate::visibility`]'s affair; every query starts at
//! [`Caller::find`] or [`Caller::get`].

use crate::app::App;
use crate::card_numbers::{self, shown_path};
use crate::expectations;
use crate::idempotency::KEY;
use crate::operations::{self, Body, Operation};
use crate::privileges::{self, Privilege, Rights};
use crate::visibility::Visible;
use poem::http::HeaderValue;
use poem::http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE,
};
use poem::{Request, Result};
use poem_openapi::SecurityScheme;
use poem_openapi::auth::Bearer;
use sea_orm::sea_query::{Expr, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityName,
    PrimaryKeyTrait, QueryFilter, QuerySelect, Select,
};
use shared::cluster;
use shared::db;
use shared::introspection::{ActiveToken, UserKind};
use shared::problem::{Problem, ProblemType};
use shared::time::Clock;
use std::collections::HashSet;
use std::sync::Arc;

/// What a body may be encoded with: nothing (RFC 9110, 15.5.16).
const IDENTITY: HeaderValue = HeaderValue::from_static("identity");

/// A user of the core system.
#[derive(Clone, Debug)]
pub struct CoreCaller {
    /// Who he is.
    pub user_id: i64,
    /// What he logs in with.
    pub user_name: String,
    /// What he may do.
    pub rights: Rights,
}

/// Whoever sent the request, and when.
#[derive(Clone, Debug)]
pub enum Caller {
    /// A user of the core system.
    Core(CoreCaller),
    /// A borrower; sees his own records only.
    Web {
        /// The contact whose credentials he logged in with.
        contact_id: i64,
    },
}

/// A request that was let in: the caller, and the database's time when it came.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// Who called.
    pub caller: Caller,
    /// When.
    pub clock: Clock,
}

/// A core-system user. Refuses web users with 403, and users without the operation's privilege.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", rename = "core_user", bearer_format = "opaque", checker = "core_user")]
pub struct CoreUser(pub Admitted);

/// A core-system user with the operation's privilege, or a web user: what a web user may see is
/// his only right.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", rename = "any_user", bearer_format = "opaque", checker = "any_user")]
pub struct AnyUser(pub Admitted);

/// The admin account. Refuses everyone else with 403.
#[derive(SecurityScheme)]
#[oai(ty = "bearer", rename = "admin_user", bearer_format = "opaque", checker = "admin_user")]
pub struct AdminUser(pub Admitted);

async fn core_user(request: &Request, bearer: Bearer) -> Result<Admitted> {
    let (app, token) = authenticate(request, &bearer).await?;
    if token.user_kind == UserKind::Web {
        return Err(Problem::new(ProblemType::CoreUserOnly).into());
    }
    Ok(admit(request, &app, &token).await?)
}

async fn any_user(request: &Request, bearer: Bearer) -> Result<Admitted> {
    let (app, token) = authenticate(request, &bearer).await?;
    Ok(admit(request, &app, &token).await?)
}

async fn admin_user(request: &Request, bearer: Bearer) -> Result<Admitted> {
    let (app, token) = authenticate(request, &bearer).await?;
    if token.user_kind == UserKind::Web || !token.admin {
        return Err(Problem::new(ProblemType::AdminOnly).into());
    }
    Ok(admit(request, &app, &token).await?)
}

async fn authenticate(
    request: &Request,
    bearer: &Bearer,
) -> Result<(Arc<App>, Arc<ActiveToken>), Problem> {
    let app = request.data::<Arc<App>>().ok_or_else(|| Problem::internal("no app"))?;
    if request.headers().get_all(AUTHORIZATION).iter().count() > 1 {
        return Err(Problem::bad_request("there is more than one Authorization header"));
    }
    let token = app.auth.judge(&bearer.token).await?;
    tracing::Span::current().record("caller", token.sub.as_str());
    Ok((Arc::clone(app), token))
}

/// The privilege of the operation, what the client accepts, and what it sends.
async fn admit(request: &Request, app: &App, token: &ActiveToken) -> Result<Admitted, Problem> {
    let nobody = || Problem::internal("a token without user");
    let admitted = match token.user_kind {
        UserKind::Core => {
            let user_id = token.user_id.ok_or_else(nobody)?;
            Caller::core(&app.db, user_id, &token.username, token.admin, token.dba).await?
        }
        UserKind::Web => {
            let contact_id = token.contact_id.ok_or_else(nobody)?;
            let clock = db::clock(&app.db).await?;
            Admitted { caller: Caller::Web { contact_id }, clock }
        }
    };
    app.rates.admit(&admitted.caller)?;
    let path = request.original_uri().path();
    let operation = operations::find(request.method(), path)
        .ok_or_else(|| Problem::internal(format!("no access rule for {}", shown_path(path))))?;
    match (&admitted.caller, operation.privilege) {
        (Caller::Core(user), Some(privilege)) => user.rights.require(privilege)?,
        (Caller::Core(_), None) | (Caller::Web { .. }, _) => {}
    }
    if let Some(media_type) = operation.gives {
        check_accept(request, media_type)?;
    }
    check_body(request, operation.body, app)?;
    if operation.is_about_cards() {
        refuse_card_numbers(request)?;
    }
    check_query(request, operation)?;
    Ok(admitted)
}

/// A client that excludes what the operation answers with gets 406. Of the ranges that match the
/// most specific one decides (RFC 9110, 12.5.1). Problems are something that every operation gives:
/// generated Python clients name nothing else to an operation whose other type is no JSON.
fn check_accept(request: &Request, media_type: &str) -> Result<(), Problem> {
    let values = request.headers().get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges = values.flat_map(|value| value.split(',')).map(str::trim);
    let ranges: Vec<&str> = ranges.filter(|range| !range.is_empty()).collect();
    let judged = ranges.iter().filter_map(|range| {
        let range = range.to_ascii_lowercase();
        let mut parts = range.split(';').map(str::trim);
        let specific = match parts.next().unwrap_or_default() {
            range if range == media_type => 3,
            "application/*" => 2,
            "*/*" => 1,
            "application/problem+json" => 0,
            _ => return None,
        };
        let quality = parts.find_map(|part| part.strip_prefix("q="));
        let refused = quality.is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q == 0.0));
        Some((specific, !refused))
    });
    let accepted = judged.max().is_some_and(|(_, accepted)| accepted);
    if accepted || ranges.is_empty() {
        return Ok(());
    }
    Err(Problem::new(ProblemType::NotAcceptable)
        .detail(format!("this operation gives {media_type}")))
}

/// The media type and the announced size of the body. What is sent without a size is counted when
/// it is read.
fn check_body(request: &Request, body: Option<Body>, app: &App) -> Result<(), Problem> {
    let Some(Body { media_type, bytes_max }) = body else { return Ok(()) };
    let bytes_max = bytes_max.unwrap_or_else(|| app.uploads.form_bytes_max());
    let headers = request.headers();
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let essence = text(CONTENT_TYPE).unwrap_or_default().split(';').next().unwrap_or_default();
    let refused = |detail| Err(Problem::new(ProblemType::UnsupportedMediaType).detail(detail));
    if !essence.trim().eq_ignore_ascii_case(media_type)
        || headers.get_all(CONTENT_TYPE).iter().count() > 1
    {
        return refused(format!("the body must be {media_type}"));
    }
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    if codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return refused("the body must be sent as it is, without a Content-Encoding".to_owned())
            .map_err(|problem| problem.header(ACCEPT_ENCODING, IDENTITY));
    }
    let length = text(CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > bytes_max) {
        let detail = format!("the body has at most {bytes_max} bytes");
        return Err(Problem::new(ProblemType::TooLarge).detail(detail));
    }
    Ok(())
}

/// A card number anywhere in a request that deals with cards: 422. The body is searched when it is
/// read.
fn refuse_card_numbers(request: &Request) -> Result<(), Problem> {
    let uri = request.original_uri();
    let keys = request.headers().get_all(KEY).iter();
    let mut keys = keys.map(|key| String::from_utf8_lossy(key.as_bytes()));
    let parameters = parameters(request)?;
    let parameters = parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    if card_numbers::found_in_path(uri.path())
        || keys.any(|key| card_numbers::found_in(&key))
        || card_numbers::found_in_pairs(parameters)
    {
        // Not even the name of the parameter is told.
        return Err(Problem::new(ProblemType::CardNumberRefused));
    }
    Ok(())
}

/// The names and values of the query.
fn parameters(request: &Request) -> Result<Vec<(String, String)>, Problem> {
    serde_urlencoded::from_str(request.original_uri().query().unwrap_or_default())
        .map_err(|_| Problem::bad_request("the query is malformed"))
}

/// A parameter that stands in the query twice could mean either, and U+0000 is in no text that a
/// database holds: 400.
fn check_query(request: &Request, operation: &Operation) -> Result<(), Problem> {
    if request.original_uri().path().contains("%00") {
        return Err(Problem::bad_request("the path has U+0000 in it"));
    }
    let parameters = parameters(request)?;
    // What only the client knows may be anything, and is not told.
    let told = |problem: Problem, name: &str, message: &str| {
        let known = expectations::is_parameter(operation, name);
        if known { problem.field(name, message) } else { problem }
    };
    let mut seen = HashSet::new();
    for (name, value) in &parameters {
        if name.contains('\0') {
            return Err(Problem::bad_request("the query has U+0000 in it"));
        }
        if value.contains('\0') {
            let problem = Problem::bad_request("a parameter is malformed");
            return Err(told(problem, name, "has U+0000 in it"));
        }
        if !seen.insert(name) {
            let problem = Problem::bad_request("a parameter stands in the query twice");
            return Err(told(problem, name, "stands there twice"));
        }
    }
    Ok(())
}

impl Caller {
    /// A core-system user with his rights and the clock, in one statement.
    pub async fn core(
        db: &DatabaseConnection,
        user_id: i64,
        user_name: &str,
        admin: bool,
        dba: bool,
    ) -> Result<Admitted, DbErr> {
        let one = Query::select().expr_as(Expr::value(1), "one").take();
        let mut select = Query::select()
            .expr_as(db::now(db.get_database_backend()), "now")
            .expr_as(db::business_time_zone(), "time_zone")
            .from_subquery(one, "one")
            .take();
        if !admin {
            privileges::join_grants(&mut select, user_id);
        }
        let rows = db.query_all(&select).await?;
        let first = rows.first().ok_or_else(|| DbErr::RecordNotFound("the clock".to_owned()))?;
        let time_zone: Option<String> = first.try_get("", "time_zone")?;
        let clock = Clock::new(first.try_get("", "now")?, time_zone.as_deref());
        let rights =
            if admin { Rights::All } else { Rights::granted(privileges::read_grants(&rows)?, dba) };
        let user_name = user_name.to_owned();
        Ok(Admitted { caller: Self::Core(CoreCaller { user_id, user_name, rights }), clock })
    }

    /// Starts every query of this service: `E::find()` narrowed to what the caller may see.
    #[expect(clippy::disallowed_methods, reason = "the one place that may start a query")]
    pub fn find<E: Visible>(&self) -> Select<E> {
        E::find().filter(E::visible_to(self))
    }

    /// One row by primary key; a row the caller may not see does not exist.
    #[expect(clippy::disallowed_methods, reason = "narrowed on the same line")]
    pub async fn get<E: Visible>(
        &self,
        db: &impl ConnectionTrait,
        id: <E::PrimaryKey as PrimaryKeyTrait>::ValueType,
    ) -> Result<E::Model, Problem> {
        let row = E::find_by_id(id).filter(E::visible_to(self)).one(db).await?;
        row.ok_or_else(Problem::not_found)
    }

    /// Holds a row until the transaction ends, so that nobody deletes it meanwhile; a row the caller
    /// may not see does not exist. `id_column` is its table's primary key.
    pub async fn hold<C: ColumnTrait<EntityName: Visible>>(
        &self,
        tx: &DatabaseTransaction,
        id_column: C,
        id: i64,
    ) -> Result<(), Problem> {
        let row = self.find::<C::EntityName>().filter(id_column.eq(id));
        let row = row.select_only().column(id_column).lock_exclusive();
        let held: Option<i64> = row.into_tuple().one(tx).await?;
        cluster::guard_row(tx, C::EntityName::default().table_name(), id).await?;
        held.map(drop).ok_or_else(Problem::not_found)
    }

    /// True if a core-system user holds the privilege. Web users hold none: what they may see is
    /// their only right.
    pub fn holds(&self, privilege: Privilege) -> bool {
        match self {
            Self::Core(user) => user.rights.hold(privilege),
            Self::Web { .. } => false,
        }
    }

    /// 403 naming the privilege unless it is held.
    pub fn require(&self, privilege: Privilege) -> Result<(), Problem> {
        match self {
            Self::Core(user) => user.rights.require(privilege),
            Self::Web { .. } => Err(Problem::new(ProblemType::CoreUserOnly)),
        }
    }

    /// The core-system user, for columns that name whoever did something.
    pub fn user_id(&self) -> Option<i64> {
        match self {
            Self::Core(user) => Some(user.user_id),
            Self::Web { .. } => None,
        }
    }

    /// A stable name of the caller, different for every kind and id.
    pub fn subject(&self) -> String {
        match self {
            Self::Core(user) => format!("core:{}", user.user_id),
            Self::Web { contact_id } => format!("web:{contact_id}"),
        }
    }
}
