//! The round trip: log-in, introspection, refresh, log-out, and the refusal of both tokens
//! afterwards, through the crate `oauth2`, as integrators' programs make it.

use super::metadata::Metadata;
use super::oauth_client::{NoToken, OAuthClient};
use super::probe_account::{self, ProbeAccount};
use super::report::{VerificationRun, VerificationStep};
use super::web::Web;
use crate::installation::CliError;
use crate::installation::checks::{Failure, Finding};
use oauth2::basic::{BasicErrorResponseType, BasicTokenIntrospectionResponse, BasicTokenResponse};
use oauth2::{
    AccessToken, RefreshToken, RequestTokenError, TokenIntrospectionResponse, TokenResponse,
};
use reqwest::Url;
use sea_orm::DatabaseConnection;
use shared::passwords::Passwords;

const SEE_LOG: &str = "see the auth server's log";
const SAME_DATABASE: &str = "make sure this is the database of that auth server, or see its log";

/// Adds the probe account, makes the trip, and removes the account, however the trip ended.
pub(super) async fn check(
    web: &Web,
    metadata: &Metadata,
    db: &DatabaseConnection,
    passwords: &Passwords,
    run: &mut VerificationRun,
) -> Result<(), VerificationStep> {
    // From here on a signal does not end the process before the account is removed.
    let stop = shared::shutdown::stop_signal();
    let add = async {
        probe_account::remove_older(db, probe_account::STALE_SECONDS).await?;
        ProbeAccount::add(db, passwords).await
    };
    let probe = add.await.map_err(|CliError(why)| {
        run.fail(VerificationStep::LogIn, why, "make sure the database is writable")
    })?;
    let trip = RoundTrip::new(web, metadata, &probe);
    let outcome = async {
        match trip {
            Ok(trip) => trip.run(run).await,
            Err(error) => Err(run.fail(VerificationStep::LogIn, error, SEE_LOG)),
        }
    };
    let mut failed_step = tokio::select! {
        outcome = outcome => outcome.err().map(Some),
        () = stop => Some(None),
    };
    if let Err(error) = probe.remove(db).await {
        let found = format!("the user and the client {} could not be removed: {error}", probe.name);
        let advice = "once the database works again, verify again an hour later: that removes them";
        let step = run.fail(VerificationStep::Refused, found, advice);
        failed_step = failed_step.or(Some(Some(step)));
    }
    match failed_step {
        None => Ok(()),
        Some(Some(step)) => Err(step),
        Some(None) => run.interrupted().map_or(Ok(()), Err),
    }
}

/// The steps, as integrators' programs take them.
struct RoundTrip<'a> {
    client: OAuthClient,
    probe: &'a ProbeAccount,
}

struct Tokens {
    access: AccessToken,
    refresh: RefreshToken,
}

impl<'a> RoundTrip<'a> {
    fn new(web: &Web, metadata: &Metadata, probe: &'a ProbeAccount) -> Result<Self, String> {
        let issuer = metadata.text("issuer").unwrap_or_default();
        let issuer = Url::parse(issuer).map_err(|error| error.to_string())?;
        let issuer = web.bypassing_proxy(issuer);
        let issuer = issuer.as_str().trim_end_matches('/');
        let client = OAuthClient::new(web.client(), issuer, &probe.name, &probe.secret);
        Ok(Self { client: client.map_err(|error| error.to_string())?, probe })
    }

    /// Takes the steps in order. An error names the failed one that the others depend on.
    async fn run(&self, run: &mut VerificationRun) -> Result<(), VerificationStep> {
        let tokens = run.record(VerificationStep::LogIn, self.log_in().await)?;
        run.record_finding(VerificationStep::LiveToken, self.check_live(&tokens).await)?;
        let tokens = run.record(VerificationStep::Refresh, self.refresh(&tokens).await)?;
        run.record_finding(VerificationStep::LogOut, self.log_out(&tokens).await)?;
        run.record_finding(VerificationStep::Refused, self.check_revoked(&tokens).await)
    }

    async fn log_in(&self) -> Result<(Tokens, String), Failure> {
        let ProbeAccount { name, password, .. } = self.probe;
        let response = self.client.log_in("core", name, password).await;
        let tokens =
            tokens_of(response.map_err(|error| Failure::new(describe(&error), SAME_DATABASE))?)?;
        Ok((tokens, "an access token and a refresh token".to_owned()))
    }

    async fn introspect(
        &self,
        tokens: &Tokens,
    ) -> Result<BasicTokenIntrospectionResponse, Failure> {
        self.client
            .introspect(&tokens.access)
            .await
            .map_err(|error| Failure::new(describe(&error), SEE_LOG))
    }

    async fn check_live(&self, tokens: &Tokens) -> Finding {
        let response = self.introspect(tokens).await?;
        if !response.active() {
            return Err(Failure::new(r#"{"active":false}"#, SAME_DATABASE));
        }
        let expected = format!("core:{}", self.probe.user_id);
        match (response.sub(), response.username()) {
            (Some(sub), Some(name)) if sub == expected && name == self.probe.name => {
                Ok(format!("active, {expected}"))
            }
            (sub, name) => {
                let found = format!("{sub:?} ({name:?}), not {expected}");
                let advice = "do not use this server: it confuses users with one another";
                Err(Failure::new(found, advice))
            }
        }
    }

    async fn refresh(&self, tokens: &Tokens) -> Result<(Tokens, String), Failure> {
        let response = self.client.refresh(&tokens.refresh).await;
        let next = tokens_of(response.map_err(|error| Failure::new(describe(&error), SEE_LOG))?)?;
        let same = next.access.secret() == tokens.access.secret()
            || next.refresh.secret() == tokens.refresh.secret();
        match same {
            false => Ok((next, "a new access token and a new refresh token".to_owned())),
            true => Err(Failure::new("the same tokens again", SEE_LOG)),
        }
    }

    async fn log_out(&self, tokens: &Tokens) -> Finding {
        let outcome = self.client.log_out(&tokens.access).await;
        outcome.map_err(|error| Failure::new(error.without_url(), SEE_LOG))?;
        Ok("204".to_owned())
    }

    async fn check_revoked(&self, tokens: &Tokens) -> Finding {
        let advice = "do not use this server: log-outs do not end sessions";
        if self.introspect(tokens).await?.active() {
            return Err(Failure::new("the access token is still active", advice));
        }
        match self.client.refresh(&tokens.refresh).await {
            Ok(_) => Err(Failure::new("the refresh token still works", advice)),
            Err(RequestTokenError::ServerResponse(response))
                if *response.error() == BasicErrorResponseType::InvalidGrant =>
            {
                Ok(r#"{"active":false}, and invalid_grant"#.to_owned())
            }
            Err(error) => Err(Failure::new(format!("the refresh: {}", describe(&error)), SEE_LOG)),
        }
    }
}

fn tokens_of(response: BasicTokenResponse) -> Result<Tokens, Failure> {
    let refresh = response.refresh_token().cloned();
    let refresh = refresh.ok_or_else(|| Failure::new("200, but without both tokens", SEE_LOG))?;
    Ok(Tokens { access: response.access_token().clone(), refresh })
}

/// The server's reason in the format of RFC 6749, 5.2, or why there was no response.
fn describe(error: &NoToken) -> String {
    match error {
        RequestTokenError::ServerResponse(response) => match response.error_description() {
            Some(description) => format!("{} ({description})", response.error()),
            None => response.error().to_string(),
        },
        RequestTokenError::Request(error) => error.to_string(),
        RequestTokenError::Parse(error, _) => format!("200, but not as RFC 6749 requires: {error}"),
        RequestTokenError::Other(error) => error.clone(),
    }
}
