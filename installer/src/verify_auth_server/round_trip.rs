//! A round trip: log-in, introspection, log-out, and that nothing goes afterwards.

use super::metadata::Metadata;
use super::report::{Course, Step};
use super::visitor::{self, Visitor};
use super::web::{Answer, Web};
use crate::installation::Refused;
use reqwest::{StatusCode, Url};
use sea_orm::DatabaseConnection;
use serde_json::{Value, json};
use shared::introspection::Introspection;
use shared::passwords::Passwords;

const SEE_LOG: &str = "see the authentication server's log";
const SAME_DATABASE: &str =
    "see whether this is the database of that authentication server, and its log";

/// What a step is not, and what to do.
type Fault = (String, &'static str);

/// Adds the visitor, makes the trip, and removes the visitor, however the trip ended.
pub(super) async fn check(
    web: &Web,
    metadata: &Metadata,
    db: &DatabaseConnection,
    passwords: &Passwords,
    course: &mut Course,
) -> Result<(), Step> {
    let added = async {
        visitor::remove_left_overs(db).await?;
        Visitor::add(db, passwords).await
    };
    let visitor = added.await.map_err(|Refused(why)| {
        course.fail(Step::LogIn, why, "see whether the database can be written to")
    })?;
    let trip = Trip { web, metadata, visitor: &visitor };
    let mut unmet = tokio::select! {
        made = trip.make(course) => made.err(),
        () = shared::process::stop_signal() => Some(None),
    };
    if let Err(error) = visitor.remove(db).await {
        let found = format!("the user and the client {} are still there: {error}", visitor.name);
        let advice = "once the database works, verify again in an hour: that removes them";
        let step = course.fail(Step::Refused, found, advice);
        unmet = unmet.or(Some(Some(step)));
    }
    match unmet {
        None => Ok(()),
        Some(Some(step)) => Err(step),
        Some(None) => course.interrupted().map_or(Ok(()), Err),
    }
}

struct Trip<'a> {
    web: &'a Web,
    metadata: &'a Metadata,
    visitor: &'a Visitor,
}

impl Trip<'_> {
    /// The steps in order. An error names the failed one that the others depend on.
    async fn make(&self, course: &mut Course) -> Result<(), Option<Step>> {
        let mut judge = |step, outcome: Result<String, Fault>| match outcome {
            Ok(found) => {
                course.pass(step, found);
                Ok(())
            }
            Err((found, advice)) => Err(Some(course.fail(step, found, advice))),
        };
        let (tokens, found) = match self.log_in().await {
            Ok(tokens) => (tokens, Ok("a token and a refresh token".to_owned())),
            Err(fault) => (Tokens::default(), Err(fault)),
        };
        judge(Step::LogIn, found)?;
        judge(Step::LiveToken, self.find_live(&tokens).await)?;
        judge(Step::LogOut, self.log_out(&tokens).await)?;
        judge(Step::Refused, self.find_dead(&tokens).await)
    }

    async fn ask(&self, endpoint: &str, form: &[(&str, &str)]) -> Result<Answer, Fault> {
        let url = self.metadata.endpoint(endpoint).map_err(|error| (error, SEE_LOG))?;
        let credentials = (self.visitor.name.as_str(), self.visitor.secret.as_str());
        self.web.post(url, credentials, form).await.map_err(|error| (error, SEE_LOG))
    }

    async fn log_in(&self) -> Result<Tokens, Fault> {
        let form = [
            ("grant_type", "password"),
            ("scope", "core"),
            ("username", &self.visitor.name),
            ("password", &self.visitor.password),
        ];
        let answer = self.ask("token_endpoint", &form).await?;
        let json = answer.ok_json().map_err(|found| (found, SAME_DATABASE))?;
        let text = |name: &str| json.get(name).and_then(Value::as_str).map(str::to_owned);
        match (text("access_token"), text("refresh_token")) {
            (Some(access), Some(refresh)) => Ok(Tokens { access, refresh }),
            _ => Err(("200 without both tokens".to_owned(), SEE_LOG)),
        }
    }

    async fn introspect(&self, tokens: &Tokens) -> Result<Value, Fault> {
        let answer = self.ask("introspection_endpoint", &[("token", &tokens.access)]).await?;
        answer.ok_json().cloned().map_err(|found| (found, SEE_LOG))
    }

    async fn find_live(&self, tokens: &Tokens) -> Result<String, Fault> {
        let json = self.introspect(tokens).await?;
        let Ok(Introspection::Active(token)) = serde_json::from_value(json.clone()) else {
            return Err((format!("200 and {json}"), SAME_DATABASE));
        };
        let expected = format!("core:{}", self.visitor.user_id);
        match token.sub == expected && token.username == self.visitor.name {
            true => Ok(format!("active, {expected}")),
            false => {
                let found = format!("{} ({}), not {expected}", token.sub, token.username);
                Err((found, "do not use this server: it takes users for one another"))
            }
        }
    }

    async fn log_out(&self, tokens: &Tokens) -> Result<String, Fault> {
        let issuer = self.metadata.text("issuer").unwrap_or_default();
        let url = Url::parse(&format!("{}/logout", issuer.trim_end_matches('/')));
        let url = url.map_err(|error| (error.to_string(), SEE_LOG))?;
        let answer = self.web.post_bearer(url, &tokens.access).await;
        let answer = answer.map_err(|error| (error, SEE_LOG))?;
        match answer.status {
            StatusCode::NO_CONTENT => Ok("204".to_owned()),
            _ => Err((answer.error(), SEE_LOG)),
        }
    }

    async fn find_dead(&self, tokens: &Tokens) -> Result<String, Fault> {
        let still = "do not use this server: log-outs do not end what they should";
        let json = self.introspect(tokens).await?;
        if json != json!({"active": false}) {
            return Err((format!("the token is {json}"), still));
        }
        let form = [("grant_type", "refresh_token"), ("refresh_token", &tokens.refresh)];
        let answer = self.ask("token_endpoint", &form).await?;
        let reason = answer.json.as_ref().and_then(|json| json.get("error")?.as_str());
        match (answer.status, reason) {
            (StatusCode::BAD_REQUEST, Some("invalid_grant")) => {
                Ok(r#"{"active":false}, and invalid_grant"#.to_owned())
            }
            (StatusCode::OK, _) => Err(("the refresh token gives another one".to_owned(), still)),
            _ => Err((format!("the refresh: {}", answer.error()), SEE_LOG)),
        }
    }
}

#[derive(Default)]
struct Tokens {
    access: String,
    refresh: String,
}
