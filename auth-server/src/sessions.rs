//! Sessions: what a log-in gives to a client, and how refresh tokens keep it going.
//!
//! Every issue of an access token is a new row of `active_users` or `cif_web_active_users` with the
//! database's time; earlier ones live out their own time. The refresh tokens of a session are a
//! family, kept as one row: the one that may be used next, and the one before it.
//!
//! | what comes back | what it means | what happens |
//! |---|---|---|
//! | the current one | an honest refresh | the next one is issued |
//! | the one before, and the current one was never used | the answer was lost on its way | the next one is issued, the lost one is dead |
//! | the same, but sent before the rotation happened | two were sent at once: the first one's answer stands | refused, now and later |
//! | any other of the family | somebody kept a copy | the session ends |
//!
//! The row's lock decides between replicas: two cannot rotate the same token.

use crate::app::App;
use crate::oauth_error::OAuthError;
use crate::source::Source;
use crate::token_table::{self, Issue};
use crate::tokens::{AccessToken, RefreshToken, SessionId, TokenKeys, random_name};
use crate::{clients, core_users, keys, lifetimes, web_users};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, EntityTrait,
    FromQueryResult, QuerySelect,
};
use serde_json::{Value, json};
use shared::audit::{self, Kind};
use shared::db;
use shared::entity::auth_sessions::{Column, Entity};
use shared::entity::oauth_clients;
use shared::introspection::UserKind;
use shared::time::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// A session about to begin.
#[derive(Debug)]
pub struct NewSession<'a> {
    /// Its name.
    pub session: SessionId,
    /// Which kind of user.
    pub kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
    /// The client it is for.
    pub client: &'a oauth_clients::Model,
    /// What was granted: `core` or `web`, and perhaps `openid`.
    pub scope: &'a str,
    /// When the user proved who he is; `None`: now.
    pub log_in_date: Option<Timestamp>,
    /// The browser it came from.
    pub browser_id: Option<String>,
    /// For the ID token.
    pub nonce: Option<String>,
}

/// Begins a session: its row, its first tokens, the audit. The answer is for the client.
pub async fn begin(
    app: &App,
    tx: &DatabaseTransaction,
    new: NewSession<'_>,
    source: &Source,
) -> Result<Value, OAuthError> {
    let backend = tx.get_database_backend();
    clients::hold(tx, &new.client.client_id).await?;
    let refresh = clients::lists(&new.client.grants, "refresh_token")
        .then(|| RefreshToken::random(&new.session));
    let hash = refresh.as_ref().map(|token| app.token_keys.hash(token.text()));
    let public_id = random_name();
    let columns = [
        Column::SessionId,
        Column::PublicId,
        Column::UserKind,
        Column::UserId,
        Column::ClientId,
        Column::Scope,
        Column::LogInDate,
        Column::BrowserId,
        Column::RefreshHash,
        Column::ContestedFlag,
        Column::RefreshedDate,
    ];
    let log_in_date = new.log_in_date.map_or_else(|| db::now(backend), Expr::from);
    let values: [Expr; 11] = [
        new.session.text().into(),
        public_id.as_str().into(),
        new.kind.as_str().into(),
        new.user_id.into(),
        new.client.client_id.as_str().into(),
        new.scope.into(),
        log_in_date,
        new.browser_id.clone().into(),
        hash.into(),
        false.into(),
        db::now(backend),
    ];
    let insert = Query::insert().into_table(Entity).columns(columns).values_panic(values).take();
    tx.execute(&insert).await?;
    let issue = Issue {
        token: AccessToken::random(new.kind, &new.session),
        user_id: new.user_id,
        client_id: &new.client.client_id,
    };
    let issued = token_table::issue(app, tx, &issue).await?;
    let event = source.event(Kind::TokenIssued).client(issue.client_id);
    let event = event.user(new.kind, new.user_id).token(&app.token_keys.hash(issue.token.text()));
    event.record(tx).await?;
    let subject = Subject {
        kind: new.kind,
        user_id: new.user_id,
        client_id: issue.client_id,
        public_id: &public_id,
        log_in_date: new.log_in_date.unwrap_or(issued.created),
        nonce: new.nonce.as_deref(),
    };
    answer(app, tx, &issue.token, refresh.as_ref(), new.scope, &issued, &subject).await
}

/// Whom an ID token is about.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Which kind of user.
    pub kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
    /// For whom it is.
    pub client_id: &'a str,
    /// The session, as clients know it.
    pub public_id: &'a str,
    /// When the user proved who he is.
    pub log_in_date: Timestamp,
    /// As the authorization request had it.
    pub nonce: Option<&'a str>,
}

/// What the token endpoint answers (RFC 6749, 5.1).
async fn answer(
    app: &App,
    tx: &DatabaseTransaction,
    access: &AccessToken,
    refresh: Option<&RefreshToken>,
    scope: &str,
    issued: &token_table::Issued,
    subject: &Subject<'_>,
) -> Result<Value, OAuthError> {
    let mut answer = json!({
        "access_token": access.text(),
        "token_type": "Bearer",
        "expires_in": issued.lifetime_seconds,
        "scope": scope,
    });
    if let Some(refresh) = refresh {
        answer["refresh_token"] = json!(refresh.text());
    }
    if clients::lists(scope, "openid") {
        answer["id_token"] = json!(keys::id_token(app, tx, access, issued, subject).await?);
    }
    Ok(answer)
}

/// The row of a session, as a refresh finds it.
#[derive(FromQueryResult)]
struct Family {
    public_id: String,
    user_kind: UserKind,
    user_id: i64,
    client_id: String,
    scope: String,
    log_in_date: Timestamp,
    refresh_hash: Option<String>,
    previous_refresh_hash: Option<String>,
    contested_flag: bool,
    /// Neither cap has passed.
    alive: Option<bool>,
    /// The user may still log in.
    enabled: bool,
    /// The last rotation happened after this request arrived.
    overtaken: bool,
}

/// What a refresh token is to its family.
#[derive(Debug, PartialEq, Eq)]
enum Standing {
    Current,
    /// The family was written under a key that this server does not have.
    Foreign,
    AnswerLost,
    SentTwice,
    Reused,
}

impl Family {
    fn standing(&self, hashes: &[String], keys: &TokenKeys) -> Standing {
        let families = [&self.refresh_hash, &self.previous_refresh_hash];
        let foreign = families.into_iter().flatten().any(|hash| !keys.know(hash));
        let is = |hash: &Option<String>| hash.as_ref().is_some_and(|hash| hashes.contains(hash));
        match (is(&self.refresh_hash), is(&self.previous_refresh_hash)) {
            (true, _) => Standing::Current,
            (false, true) if self.overtaken || self.contested_flag => Standing::SentTwice,
            (false, true) => Standing::AnswerLost,
            (false, false) if foreign => Standing::Foreign,
            (false, false) => Standing::Reused,
        }
    }
}

/// Exchanges a refresh token (RFC 6749, 6) that arrived at this instant.
pub async fn refresh(
    app: &App,
    client: &oauth_clients::Model,
    token: &RefreshToken,
    scope: Option<&str>,
    source: &Source,
    arrived: Instant,
) -> Result<Value, OAuthError> {
    let wrong = || OAuthError::invalid_grant("the refresh token is not valid");
    let tx = db::begin_write(&app.db).await?;
    let session_id = token.session().text();
    lock(&tx, &session_id).await?;
    // Measured with the lock in hand: what happened while it was waited for, happened meanwhile.
    let Some(family) = read_family(app, &tx, &session_id, arrived.elapsed()).await? else {
        return Err(wrong());
    };
    if family.client_id != client.client_id || family.alive != Some(true) || !family.enabled {
        return Err(wrong());
    }
    if !scope.is_none_or(|scope| narrower(scope, &family.scope)) {
        return Err(OAuthError::invalid_scope());
    }
    let hashes: Vec<String> = app.token_keys.hashes(token.text()).collect();
    let event = |kind: Kind| {
        let event = source.event(kind).client(&family.client_id);
        event.user(family.user_kind, family.user_id).token(&app.token_keys.hash(token.text()))
    };
    match family.standing(&hashes, &app.token_keys) {
        Standing::Foreign => {
            tracing::error!("a session was written under a key that is not in AUTH_TOKEN_KEYS");
            return Err(wrong());
        }
        Standing::SentTwice => {
            // Whoever comes later with it is one of those, not somebody who lost an answer.
            contest(&tx, &session_id).await?;
            tx.commit().await?;
            return Err(wrong());
        }
        Standing::Reused => {
            shared::sessions::end_session(&tx, family.user_kind, &session_id).await?;
            event(Kind::ReuseDetected).reason("refresh_token").record(&tx).await?;
            tx.commit().await?;
            tracing::warn!(client.client_id, "a used refresh token came again: session ended");
            return Err(wrong());
        }
        Standing::Current | Standing::AnswerLost => {}
    }
    let next = RefreshToken::random(token.session());
    let issue = Issue {
        token: AccessToken::random(family.user_kind, token.session()),
        user_id: family.user_id,
        client_id: &family.client_id,
    };
    let issued = token_table::issue(app, &tx, &issue).await?;
    event(Kind::TokenRefreshed).record(&tx).await?;
    let subject = Subject {
        kind: family.user_kind,
        user_id: family.user_id,
        client_id: &family.client_id,
        public_id: &family.public_id,
        log_in_date: family.log_in_date,
        nonce: None,
    };
    let answer =
        answer(app, &tx, &issue.token, Some(&next), &family.scope, &issued, &subject).await?;
    // Last, so that the time it notes is that of the answer: what arrived before was sent at once.
    rotate(app, &tx, &session_id, &family, token, &next).await?;
    tx.commit().await?;
    Ok(answer)
}

/// A refresh may ask for what was granted; which kind of user cannot be left out.
fn narrower(scope: &str, granted: &str) -> bool {
    let words = |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (asked, granted) = (words(scope), words(granted));
    asked.iter().all(|word| granted.contains(word))
        && asked.iter().any(|word| word == "core" || word == "web")
}

/// Takes the session's row, which log-out and revocation take too.
#[expect(clippy::disallowed_methods, reason = "sessions are no rows of the resource API")]
async fn lock(tx: &DatabaseTransaction, session_id: &str) -> Result<(), DbErr> {
    let row = Entity::find_by_id(session_id).select_only().column(Column::SessionId);
    row.lock_exclusive().into_tuple::<String>().one(tx).await.map(drop)
}

async fn read_family(
    app: &App,
    tx: &DatabaseTransaction,
    session_id: &str,
    since_arrival: Duration,
) -> Result<Option<Family>, DbErr> {
    let backend = tx.get_database_backend();
    // In whole milliseconds, rounded up: in doubt, two were sent at once.
    let seconds = (since_arrival.as_millis() + 1) as f64 / 1000.0;
    let arrived = db::seconds_ago(backend, Expr::value(seconds));
    let select = Query::select()
        .columns([
            Column::PublicId,
            Column::UserKind,
            Column::UserId,
            Column::ClientId,
            Column::Scope,
            Column::LogInDate,
            Column::RefreshHash,
            Column::PreviousRefreshHash,
            Column::ContestedFlag,
        ])
        .expr_as(alive(app, backend), "alive")
        .expr_as(enabled(), "enabled")
        .expr_as(Column::RefreshedDate.into_expr().gte(arrived), "overtaken")
        .from(Entity)
        .and_where(Column::SessionId.eq(session_id))
        .take();
    let row = tx.query_one(&select).await?;
    row.map(|row| Family::from_query_result(&row, "")).transpose()
}

/// True while neither the idle nor the absolute cap of a session has passed.
fn alive(app: &App, backend: DbBackend) -> Expr {
    let within = |kind: UserKind| {
        lifetimes::within_caps(
            app,
            backend,
            kind,
            Column::LogInDate.into_expr(),
            Column::RefreshedDate.into_expr(),
        )
    };
    let of = |kind: UserKind| Column::UserKind.into_expr().eq(kind.as_str());
    of(UserKind::Core).and(within(UserKind::Core)).or(of(UserKind::Web).and(within(UserKind::Web)))
}

/// True if the user of a session may log in.
fn enabled() -> Expr {
    let known = |kind: UserKind| {
        let subjects = match kind {
            UserKind::Core => core_users::subjects(),
            UserKind::Web => web_users::subjects(),
        };
        let found = Query::select()
            .expr(Expr::value(1))
            .from_subquery(subjects, "subject")
            .and_where(Expr::col(("subject", "subject_id")).equals((Entity, Column::UserId)))
            .take();
        Column::UserKind.into_expr().eq(kind.as_str()).and(Expr::exists(found))
    };
    known(UserKind::Core).or(known(UserKind::Web))
}

async fn rotate(
    app: &App,
    tx: &DatabaseTransaction,
    session_id: &str,
    family: &Family,
    used: &RefreshToken,
    next: &RefreshToken,
) -> Result<(), OAuthError> {
    let update = Query::update()
        .table(Entity)
        .value(Column::RefreshHash, app.token_keys.hash(next.text()))
        .value(Column::PreviousRefreshHash, app.token_keys.hash(used.text()))
        .value(Column::ContestedFlag, false)
        .value(Column::RefreshedDate, db::now(tx.get_database_backend()))
        .and_where(Column::SessionId.eq(session_id))
        // Holds even where a database's row lock does not, as between nodes of a cluster.
        .and_where(Column::RefreshHash.eq(family.refresh_hash.as_deref().unwrap_or_default()))
        .take();
    match tx.execute(&update).await?.rows_affected() {
        1 => Ok(()),
        _ => Err(OAuthError::invalid_grant("the refresh token is not valid")),
    }
}

/// Notes that the refresh token before the current one was sent twice at once.
async fn contest(tx: &DatabaseTransaction, session_id: &str) -> Result<(), DbErr> {
    let update = Query::update()
        .table(Entity)
        .value(Column::ContestedFlag, true)
        .and_where(Column::SessionId.eq(session_id))
        .and_where(Column::ContestedFlag.eq(false))
        .take();
    tx.execute(&update).await.map(drop)
}

/// Whose session it is: the client and the user.
#[derive(Debug, FromQueryResult)]
pub struct Owner {
    /// The session.
    pub session_id: String,
    /// The client it was begun for.
    pub client_id: String,
    /// Which kind of user.
    pub user_kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
}

/// The owner of the session of this name, or of this `sid`.
pub async fn owner(
    db: &impl ConnectionTrait,
    column: Column,
    value: &str,
) -> Result<Option<Owner>, DbErr> {
    let select = Query::select()
        .columns([Column::SessionId, Column::ClientId, Column::UserKind, Column::UserId])
        .from(Entity)
        .and_where(column.eq(value))
        .take();
    let row = db.query_one(&select).await?;
    row.map(|row| Owner::from_query_result(&row, "")).transpose()
}

/// Logs out: the session, its browser, and what else came from that browser.
pub async fn log_out(
    app: &App,
    owner: &Owner,
    source: &Source,
    how: &str,
) -> Result<(), OAuthError> {
    let tx = db::begin_write(&app.db).await?;
    shared::sessions::log_out(&tx, owner.user_kind, &owner.session_id).await?;
    let event = source.event(Kind::LoggedOut).client(&owner.client_id).reason(how);
    audit::record(&tx, [event.user(owner.user_kind, owner.user_id)]).await?;
    tx.commit().await?;
    tracing::info!(kind = owner.user_kind.as_str(), owner.user_id, how, "logged out");
    Ok(())
}

/// Removes sessions that can no longer be refreshed, once their last token is gone: as long as one
/// may live, its log-out must find what to end.
pub async fn sweep(app: &App) -> Result<u64, DbErr> {
    let backend = app.db.get_database_backend();
    let has_tokens = |kind: UserKind| {
        let table = token_table::of(kind).table;
        let of_session = Expr::col((table.clone(), "session_id"));
        Expr::exists(
            Query::select()
                .expr(Expr::value(1))
                .from(table)
                .and_where(of_session.equals((Entity, Column::SessionId)))
                .take(),
        )
    };
    let delete = Query::delete()
        .from_table(Entity)
        .and_where(alive(app, backend).not())
        .and_where(has_tokens(UserKind::Core).not())
        .and_where(has_tokens(UserKind::Web).not())
        .take();
    Ok(app.db.execute(&delete).await?.rows_affected())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(current: &str, previous: Option<&str>, overtaken: bool) -> Family {
        Family {
            public_id: String::new(),
            user_kind: UserKind::Core,
            user_id: 1,
            client_id: String::new(),
            scope: String::new(),
            log_in_date: Timestamp::default(),
            refresh_hash: Some(current.to_owned()),
            previous_refresh_hash: previous.map(str::to_owned),
            contested_flag: false,
            alive: Some(true),
            enabled: true,
            overtaken,
        }
    }

    #[test]
    fn a_family_knows_its_next_token_and_the_one_before() {
        let keys = |text: &str| {
            let key = |id: &str| format!("{id}:{}", "00".repeat(32));
            text.split(' ').map(key).collect::<Vec<_>>().join(",").parse::<TokenKeys>().unwrap()
        };
        let both = keys("k2 k1");
        let hashes = |hash: &str| vec![format!("k2:{hash}"), format!("k1:{hash}")];
        let fresh = family("k1:a", None, false);
        assert_eq!(fresh.standing(&hashes("a"), &both), Standing::Current);
        assert_eq!(fresh.standing(&hashes("b"), &both), Standing::Reused);
        let rotated = family("k2:b", Some("k1:a"), false);
        assert_eq!(rotated.standing(&hashes("a"), &both), Standing::AnswerLost);
        assert_eq!(
            family("k2:b", Some("k1:a"), true).standing(&hashes("a"), &both),
            Standing::SentTwice
        );
        let contested = Family { contested_flag: true, ..family("k2:b", Some("k1:a"), false) };
        assert_eq!(contested.standing(&hashes("a"), &both), Standing::SentTwice);
        assert_eq!(contested.standing(&hashes("b"), &both), Standing::Current);
        let ahead = family("k3:b", Some("k1:a"), false);
        assert_eq!(ahead.standing(&hashes("c"), &both), Standing::Foreign, "another key's");
        assert_eq!(
            family("k2:c", Some("k2:b"), false).standing(&hashes("a"), &both),
            Standing::Reused
        );
    }

    #[test]
    fn a_refresh_cannot_widen_its_scope_or_leave_the_kind_of_user_out() {
        assert!(narrower("core", "openid core"));
        assert!(narrower("core openid", "openid core"));
        assert!(!narrower("openid", "openid core"));
        assert!(!narrower("web", "openid core"));
        assert!(!narrower("core openid", "core"));
    }
}
