//! Races between two nodes that could go wrong: tokens that outlive a log-out, two live families of
//! refresh tokens, two effects under one key.

use crate::payments::jobs::{Job, State, Work};
use acceptance::{Client, TestResponse, World};
use futures_util::future::{join, join_all};
use installer::installation::accounts::{self, Account};
use reqwest::Method;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr};
use shared::database;
use shared::database::galera::GuardMode;
use shared::introspection::UserKind;
use shared::passwords::Passwords;
use shared::sessions;
use std::time::Duration;
use tokio::time::sleep;

/// The most retries of a request that met 503 or 423.
const RETRIES_MAX: usize = 20;
const PAUSE: Duration = Duration::from_millis(200);
const PAYMENTS_PER_IMPORT: usize = 10;
/// Payments sent to both nodes at once.
const KEYS_PER_ROUND: usize = 6;
/// The user whose password changes.
const CHANGED_USER: &str = "officer";

/// Two replicas, each on its own node.
pub struct Races<'a> {
    pub world: &'a World,
    pub replicas: [Client; 2],
    /// A connection to the database through a node.
    pub db: &'a DatabaseConnection,
}

/// The results of all races of one kind.
#[derive(Default)]
pub struct Tally {
    /// The number of rounds.
    pub rounds: u32,
    /// What must not happen, one line each.
    pub faults: Vec<String>,
    /// The jobs that are in the books.
    pub jobs: Vec<Job>,
    /// The number of rounds in which both sides won in turn, where that was possible.
    pub both_succeeded: u32,
}

impl Tally {
    fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(what());
        }
    }
}

impl Races<'_> {
    fn replicas_in_turn(&self, round: u32) -> (&Client, &Client) {
        let [first, second] = &self.replicas;
        if round.is_multiple_of(2) { (first, second) } else { (second, first) }
    }

    /// Logs out on one node, and immediately calls through the other.
    pub async fn log_outs(&self, rounds: u32) -> Tally {
        let mut tally = Tally { rounds, ..Tally::default() };
        for round in 0..rounds {
            let (first, second) = self.replicas_in_turn(round);
            let token = tokens(first, "viewer", &self.world.credentials.viewer).await.access;
            tally.check(status(second, &token).await == 404, || {
                format!("log-out {round}: the other node does not know a new token")
            });
            let response = log_out(first, &token).await;
            tally.check(response == 204, || format!("log-out {round}: {response}"));
            for replica in [second, first] {
                let status = status(replica, &token).await;
                tally.check(status == 401, || format!("log-out {round}: then {status}, not 401"));
            }
        }
        tally
    }

    /// Exchanges one refresh token on both nodes concurrently: both get the same successor, if any.
    pub async fn refreshes(&self, rounds: u32) -> Tally {
        let mut tally = Tally { rounds, ..Tally::default() };
        for round in 0..rounds {
            let (first, second) = self.replicas_in_turn(round);
            let tokens = tokens(first, "viewer", &self.world.credentials.viewer).await;
            let (one, other) =
                join(refresh_once(first, &tokens.refresh), refresh_once(second, &tokens.refresh))
                    .await;
            let mut successors = std::collections::BTreeSet::new();
            for response in [&one, &other] {
                let is_allowed = matches!(response.status.as_u16(), 200 | 400 | 503);
                tally.check(is_allowed, || {
                    format!("refresh {round}: {} {}", response.status, response.text)
                });
                successors.extend(response.json()["refresh_token"].as_str().map(str::to_owned));
            }
            tally.check(successors.len() <= 1, || format!("refresh {round}: two live families"));
            tally.both_succeeded += u32::from(one.status == 200 && other.status == 200);
        }
        tally
    }

    /// Logs out on one node while the other refreshes: nothing is left of the session.
    pub async fn log_outs_during_refresh(&self, rounds: u32) -> Tally {
        let mut tally = Tally { rounds, ..Tally::default() };
        for round in 0..rounds {
            let (first, second) = self.replicas_in_turn(round);
            let tokens = tokens(first, "viewer", &self.world.credentials.viewer).await;
            let (logged_out, refreshed) =
                join(log_out(first, &tokens.access), refresh(second, &tokens.refresh)).await;
            tally.check(logged_out == 204, || format!("log-out during a refresh: {logged_out}"));
            tally.both_succeeded += u32::from(refreshed.status == 200);
            let successor = Tokens::from_response(&refreshed);
            for replica in [first, second] {
                for access in [&tokens.access, &successor.access] {
                    let status = status(replica, access).await;
                    tally.check(status == 401, || format!("a token outlived log-out {round}"));
                }
            }
            for token in [&tokens.refresh, &successor.refresh] {
                let response = refresh(second, token).await;
                tally.check(response.status == 400, || {
                    format!("a refresh token outlived log-out {round}: {}", response.status)
                });
            }
        }
        tally
    }

    /// Logs in on one node while the password changes on the other: a session from the old password
    /// ends.
    pub async fn password_changes(&self, rounds: u32) -> Tally {
        let mut tally = Tally { rounds, ..Tally::default() };
        let mut password = self.world.credentials.officer.clone();
        for round in 0..rounds {
            let (first, second) = self.replicas_in_turn(round);
            let new_password = format!("another password {round}");
            let (logged_in, changed) =
                join(log_in(first, CHANGED_USER, &password), self.change_password(&new_password))
                    .await;
            if let Err(error) = changed {
                tally.faults.push(format!("password {round}: {error}"));
                continue;
            }
            let old_session = Tokens::from_response(&logged_in);
            tally.both_succeeded += u32::from(logged_in.status == 200);
            for replica in [first, second] {
                let status = status(replica, &old_session.access).await;
                tally.check(status == 401, || format!("a token outlived password {round}"));
            }
            let response = refresh(second, &old_session.refresh).await;
            tally.check(response.status == 400, || format!("a session outlived password {round}"));
            let new_log_in = log_in(second, CHANGED_USER, &new_password).await;
            tally.check(new_log_in.status == 200, || {
                format!("the new password {round} does not work: {}", new_log_in.text)
            });
            password = new_password;
        }
        tally
    }

    /// Changes the password as `installer user password` does.
    async fn change_password(&self, password: &str) -> Result<(), String> {
        let passwords = Passwords::recommended()?;
        let hash = passwords.hash(password).await?;
        let account = Account::find(self.db, UserKind::Core, CHANGED_USER).await;
        let account = account.map_err(|refused| refused.to_string())?;
        let changed = database::retry(async || {
            let tx = database::begin_write(self.db).await?;
            account.lock(&tx).await?;
            accounts::set_password(&tx, account.kind, account.user_id, hash.clone()).await?;
            sessions::end_all(&tx, account.kind, account.user_id).await?;
            database::commit(tx).await
        });
        changed.await.map_err(|error| error.to_string())
    }

    /// Logs in for a client on one node while the client is removed on the other.
    pub async fn client_removals(&self, rounds: u32) -> Tally {
        let mut tally = Tally { rounds, ..Tally::default() };
        for round in 0..rounds {
            let (first, second) = self.replicas_in_turn(round);
            let id = format!("short-lived-{round}");
            let copy_client = format!(
                "INSERT INTO oauth_clients (client_id, kind, secret_hash1, grants, user_kinds, \
                 redirect_uris, post_logout_redirect_uris, cors_origins, resource_server_flag, \
                 forwards_addresses_flag, created_date) SELECT '{id}', kind, secret_hash1, grants, user_kinds, \
                 redirect_uris, post_logout_redirect_uris, cors_origins, resource_server_flag, \
                 forwards_addresses_flag, created_date FROM oauth_clients WHERE client_id = 'integration'"
            );
            if let Err(error) = self.db.execute_unprepared(&copy_client).await {
                tally.faults.push(format!("client {round}: {error}"));
                continue;
            }
            let viewer = &self.world.credentials.viewer;
            let (logged_in, removed) =
                join(log_in_by(first, &id, "viewer", viewer), self.remove_client(&id)).await;
            if let Err(error) = removed {
                tally.faults.push(format!("client {round}: {error}"));
            }
            tally.both_succeeded += u32::from(logged_in.status == 200);
            let token = Tokens::from_response(&logged_in).access;
            for replica in [second, first] {
                let status = status(replica, &token).await;
                tally.check(status == 401, || format!("a token outlived client {round}"));
            }
        }
        tally
    }

    /// Removes a client as `installer client remove` does, during log-ins.
    async fn remove_client(&self, id: &str) -> Result<(), DbErr> {
        sleep(Duration::from_millis(fastrand::u64(0..80))).await;
        database::retry(async || {
            let tx = database::begin_write(self.db).await?;
            tx.execute_unprepared(&format!("DELETE FROM oauth_clients WHERE client_id = '{id}'"))
                .await?;
            sessions::guard_client(&tx, id, GuardMode::Exclusive).await?;
            sessions::end_of_client(&tx, id).await?;
            database::commit(tx).await
        })
        .await
    }

    /// Sends several payments at once, each under one key to both nodes, so that each node posts
    /// them together: one effect, and one response for each.
    pub async fn shared_keys(&self, loan_id: i64, rounds: u32) -> Tally {
        let mut tally = Tally { rounds, ..Tally::default() };
        let teller = tokens(&self.replicas[0], "teller", &self.world.credentials.teller).await;
        let token = teller.access.as_str();
        for round in 0..rounds {
            let (first, second) = self.replicas_in_turn(round);
            let job = |number| {
                let work = Work::Payment { loan_id, drawer_id: None, cents: 101 };
                Job::new(format!("key-{round}-{number}"), work)
            };
            let jobs: Vec<Job> = (0..KEYS_PER_ROUND).map(job).collect();
            let sent = jobs.iter().map(|job| join(pay(first, token, job), pay(second, token, job)));
            let responses = join_all(sent).await;
            for (mut job, (one, other)) in jobs.into_iter().zip(responses) {
                for response in [&one, &other] {
                    let is_allowed = matches!(response.status.as_u16(), 201 | 409 | 423 | 503);
                    tally.check(is_allowed, || {
                        format!("{}: {} {}", job.name, response.status, response.text)
                    });
                }
                let mut ids = Vec::new();
                for replica in [first, second] {
                    let response = retry_while_unavailable(|| pay(replica, token, &job)).await;
                    tally.check(response.status == 201, || {
                        format!("{}: {}", job.name, response.text)
                    });
                    ids.push(response.json()[0]["Transaction_ID"].as_i64().unwrap_or_default());
                }
                tally.check(ids[0] == ids[1], || format!("{}: two effects, {ids:?}", job.name));
                tally.both_succeeded += u32::from(one.status == 201 && other.status == 201);
                job.state = State::Acknowledged(ids[0]);
                tally.jobs.push(job);
            }
        }
        tally
    }

    /// Imports payments on a loan through one node while others are posted through both: whichever
    /// comes first, each is in the books once.
    pub async fn imports(&self, loan_id: i64, rounds: u32) -> Tally {
        let mut tally = Tally { rounds, ..Tally::default() };
        let admin = tokens(&self.replicas[0], "admin", &self.world.credentials.admin).await;
        let today = database::clock(self.db).await.expect("the time").today;
        for round in 0..rounds {
            let (first, _) = self.replicas_in_turn(round);
            let work = Work::Payment { loan_id, drawer_id: None, cents: 101 };
            let job = |number| {
                let job = Job::new(format!("import-{round}-{number}"), work.clone());
                Job { keyed: false, ..job }
            };
            let mut jobs: Vec<Job> = (0..PAYMENTS_PER_IMPORT).map(job).collect();
            let record = |job: &Job| {
                let name = &job.name;
                format!(
                    "<Transactions><Payment LoanID=\"{loan_id}\" Amount=\"1.01\" \
                     EffectiveDate=\"{today}\" ExternalID=\"{name}\"/></Transactions>"
                )
            };
            let file = format!("<Core>{}</Core>", jobs.iter().map(record).collect::<String>());
            let key = format!("import-{round}");
            let response = first.import(&admin.access, false, &file, Some(&key)).await;
            tally.check(response.status == 200, || format!("{key}: {}", response.text));
            let result = response.json();
            let posted = result["Records"].as_array().into_iter().flatten();
            let ids = posted.filter_map(|record| record["New_ID"].as_i64());
            for (job, id) in jobs.iter_mut().zip(ids) {
                job.state = State::Acknowledged(id);
            }
            let all_posted = jobs.iter().all(|job| matches!(job.state, State::Acknowledged(_)));
            tally.check(all_posted, || format!("{key}: {result}"));
            tally.jobs.extend(jobs);
        }
        tally
    }
}

/// A client's tokens for a session.
#[derive(Debug, Default)]
struct Tokens {
    access: String,
    refresh: String,
}

impl Tokens {
    /// The tokens in a response; made-up ones if there are none.
    fn from_response(response: &TestResponse) -> Self {
        let response = response.json();
        let member = |name: &str| response[name].as_str().unwrap_or("invalid").to_owned();
        Self { access: member("access_token"), refresh: member("refresh_token") }
    }
}

async fn tokens(client: &Client, user: &str, password: &str) -> Tokens {
    Tokens::from_response(&log_in(client, user, password).await)
}

async fn log_in(client: &Client, user: &str, password: &str) -> TestResponse {
    log_in_by(client, "integration", user, password).await
}

async fn log_in_by(client: &Client, id: &str, user: &str, password: &str) -> TestResponse {
    let form =
        [("grant_type", "password"), ("scope", "core"), ("username", user), ("password", password)];
    let secret = &client.client_secret;
    retry_while_unavailable(|| client.form((id, secret), "/oauth2/token", &form)).await
}

async fn refresh(client: &Client, token: &str) -> TestResponse {
    retry_while_unavailable(|| refresh_once(client, token)).await
}

async fn refresh_once(client: &Client, token: &str) -> TestResponse {
    let form = [("grant_type", "refresh_token"), ("refresh_token", token)];
    client.form(("integration", &client.client_secret), "/oauth2/token", &form).await
}

async fn log_out(client: &Client, token: &str) -> u16 {
    let request = || client.http.post(format!("{}/logout", client.auth_url)).bearer_auth(token);
    let response =
        retry_while_unavailable(async || client.send(request()).await.expect("a response")).await;
    response.status.as_u16()
}

/// The status of a call with this token: 404 while it is alive, because there is no such loan.
async fn status(client: &Client, token: &str) -> u16 {
    let response = retry_while_unavailable(|| client.get(token, "/loans/0")).await;
    response.status.as_u16()
}

async fn pay(client: &Client, token: &str, job: &Job) -> TestResponse {
    let request = client.request(Method::POST, token, &job.path());
    let request = request.header("Idempotency-Key", &job.name).json(&job.body());
    client.send(request).await.expect("a response")
}

/// Sends a request until nothing is away or locked.
async fn retry_while_unavailable<F: Future<Output = TestResponse>>(
    mut send: impl FnMut() -> F,
) -> TestResponse {
    let mut response = send().await;
    for _ in 0..RETRIES_MAX {
        if !matches!(response.status.as_u16(), 409 | 423 | 503) {
            break;
        }
        sleep(PAUSE).await;
        response = send().await;
    }
    response
}
