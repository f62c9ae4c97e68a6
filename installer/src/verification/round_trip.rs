//! The round trip: log-in, introspection, refresh, log-out, and the refusal of both tokens
//! afterwards, through the crate `oauth2`, as integrators' programs make it.

use super::metadata::Metadata;
use super::oauth_client::{NoToken, OAuthClient};
use super::probe_account::{self, ProbeAccount};
use super::report::{VerificationRun, VerificationStep};
use super::web::Web;
use crate::installation::CliError;
use oauth2::basic::{BasicErrorResponseType, BasicTokenIntrospectionResponse, BasicTokenResponse};
use oauth2::{
    AccessToken, RefreshToken, RequestTokenError, TokenIntrospectionResponse, TokenResponse,
};
use reqwest::Url;
use sea_orm::DatabaseConnection;
use shared::passwords::Passwords;

const SEE_LOG: &str = "see the authentication server's log";
const SAME_DATABASE: &str =
    "make sure this is the database of that authentication server, or see its log";

/// What went wrong in a step, and what to do.
type RoundTripFault = (String, &'static str);

/// Adds the visitor, makes the trip, and removes the visitor, however the trip ended.
pub(super) async fn check(
    web: &Web,
    metadata: &Metadata,
    db: &DatabaseConnection,
    passwords: &Passwords,
    course: &mut VerificationRun,
) -> Result<(), VerificationStep> {
    let added = async {
        probe_account::remove_left_overs(db).await?;
        ProbeAccount::add(db, passwords).await
    };
    let visitor = added.await.map_err(|CliError(why)| {
        course.fail(VerificationStep::LogIn, why, "make sure the database is writable")
    })?;
    let trip = RoundTrip::new(web, metadata, &visitor);
    let made = async {
        match trip {
            Ok(trip) => trip.make(course).await,
            Err(error) => Err(Some(course.fail(VerificationStep::LogIn, error, SEE_LOG))),
        }
    };
    let mut unmet = tokio::select! {
        made = made => made.err(),
        () = shared::shutdown::stop_signal() => Some(None),
    };
    if let Err(error) = visitor.remove(db).await {
        let found =
            format!("the user and the client {} could not be removed: {error}", visitor.name);
        let advice = "once the database works again, verify again an hour later: that removes them";
        let step = course.fail(VerificationStep::Refused, found, advice);
        unmet = unmet.or(Some(Some(step)));
    }
    match unmet {
        None => Ok(()),
        Some(Some(step)) => Err(step),
        Some(None) => course.interrupted().map_or(Ok(()), Err),
    }
}

/// The steps, as integrators' programs take them.
struct RoundTrip<'a> {
    client: OAuthClient,
    visitor: &'a ProbeAccount,
}

/// The tokens of a log-in.
struct Tokens {
    access: AccessToken,
    refresh: RefreshToken,
}

impl<'a> RoundTrip<'a> {
    fn new(web: &Web, metadata: &Metadata, visitor: &'a ProbeAccount) -> Result<Self, String> {
        let issuer = metadata.text("issuer").unwrap_or_default();
        let issuer = Url::parse(issuer).map_err(|error| error.to_string())?;
        let issuer = web.past(issuer);
        let issuer = issuer.as_str().trim_end_matches('/');
        let client = OAuthClient::new(web.client(), issuer, &visitor.name, &visitor.secret);
        Ok(Self { client: client.map_err(|error| error.to_string())?, visitor })
    }

    /// Takes the steps in order. An error names the failed one that the others depend on.
    async fn make(&self, course: &mut VerificationRun) -> Result<(), Option<VerificationStep>> {
        let tokens = judge(course, VerificationStep::LogIn, self.log_in().await)?;
        judge(course, VerificationStep::LiveToken, self.find_live(&tokens).await)?;
        let tokens = judge(course, VerificationStep::Refresh, self.refresh(&tokens).await)?;
        judge(course, VerificationStep::LogOut, self.log_out(&tokens).await)?;
        judge(course, VerificationStep::Refused, self.find_dead(&tokens).await)
    }

    async fn log_in(&self) -> Result<(Tokens, String), RoundTripFault> {
        let ProbeAccount { name, password, .. } = self.visitor;
        let answer = self.client.log_in("core", name, password).await;
        let tokens = both(answer.map_err(|error| (told(&error), SAME_DATABASE))?)?;
        Ok((tokens, "an access token and a refresh token".to_owned()))
    }

    async fn introspect(
        &self,
        tokens: &Tokens,
    ) -> Result<BasicTokenIntrospectionResponse, RoundTripFault> {
        self.client.introspect(&tokens.access).await.map_err(|error| (told(&error), SEE_LOG))
    }

    async fn find_live(&self, tokens: &Tokens) -> Result<((), String), RoundTripFault> {
        let answer = self.introspect(tokens).await?;
        if !answer.active() {
            return Err((r#"{"active":false}"#.to_owned(), SAME_DATABASE));
        }
        let expected = format!("core:{}", self.visitor.user_id);
        match (answer.sub(), answer.username()) {
            (Some(sub), Some(name)) if sub == expected && name == self.visitor.name => {
                Ok(((), format!("active, {expected}")))
            }
            (sub, name) => {
                let found = format!("{sub:?} ({name:?}), not {expected}");
                Err((found, "do not use this server: it confuses users with one another"))
            }
        }
    }

    async fn refresh(&self, tokens: &Tokens) -> Result<(Tokens, String), RoundTripFault> {
        let answer = self.client.refresh(&tokens.refresh).await;
        let next = both(answer.map_err(|error| (told(&error), SEE_LOG))?)?;
        let same = next.access.secret() == tokens.access.secret()
            || next.refresh.secret() == tokens.refresh.secret();
        match same {
            false => Ok((next, "a new access token and a new refresh token".to_owned())),
            true => Err(("the same tokens again".to_owned(), SEE_LOG)),
        }
    }

    async fn log_out(&self, tokens: &Tokens) -> Result<((), String), RoundTripFault> {
        let done = self.client.log_out(&tokens.access).await;
        done.map_err(|error| (error.without_url().to_string(), SEE_LOG))?;
        Ok(((), "204".to_owned()))
    }

    async fn find_dead(&self, tokens: &Tokens) -> Result<((), String), RoundTripFault> {
        let still = "do not use this server: log-outs do not end sessions";
        if self.introspect(tokens).await?.active() {
            return Err(("the access token is still active".to_owned(), still));
        }
        match self.client.refresh(&tokens.refresh).await {
            Ok(_) => Err(("the refresh token still works".to_owned(), still)),
            Err(RequestTokenError::ServerResponse(refused))
                if *refused.error() == BasicErrorResponseType::InvalidGrant =>
            {
                Ok(((), r#"{"active":false}, and invalid_grant"#.to_owned()))
            }
            Err(error) => Err((format!("the refresh: {}", told(&error)), SEE_LOG)),
        }
    }
}

/// Records the outcome of a step, and returns what the next ones need.
fn judge<T>(
    course: &mut VerificationRun,
    step: VerificationStep,
    outcome: Result<(T, String), RoundTripFault>,
) -> Result<T, Option<VerificationStep>> {
    match outcome {
        Ok((made, found)) => {
            course.pass(step, found);
            Ok(made)
        }
        Err((found, advice)) => Err(Some(course.fail(step, found, advice))),
    }
}

fn both(answer: BasicTokenResponse) -> Result<Tokens, RoundTripFault> {
    let refresh = answer.refresh_token().cloned();
    let refresh = refresh.ok_or_else(|| ("200, but without both tokens".to_owned(), SEE_LOG))?;
    Ok(Tokens { access: answer.access_token().clone(), refresh })
}

/// The server's reason in the format of RFC 6749, 5.2, or why there was no response.
fn told(error: &NoToken) -> String {
    match error {
        RequestTokenError::ServerResponse(refused) => match refused.error_description() {
            Some(description) => format!("{} ({description})", refused.error()),
            None => refused.error().to_string(),
        },
        RequestTokenError::Request(error) => error.to_string(),
        RequestTokenError::Parse(error, _) => format!("200, but not as RFC 6749 requires: {error}"),
        RequestTokenError::Other(error) => error.clone(),
    }
}
