//! What the operators see: logs, request ids and metrics. Never a token, a password, a card number
//! or a body.

use crate::db;
use crate::random::random_bytes;
use prometheus_client::encoding::EncodeLabelSet;
pub use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Metric, Registry, Unit};
use sea_orm::DatabaseConnection;
use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tracing_subscriber::EnvFilter;

/// Sends the log to standard error: `json` for collectors, anything else for people.
pub fn start_log(format: &str, filter: &str) -> Result<(), String> {
    let filter = EnvFilter::try_new(filter).map_err(|error| format!("log filter: {error}"))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match format {
        "json" => log.json().flatten_event(true).try_init(),
        _ => log.compact().with_ansi(false).try_init(),
    };
    started.map_err(|error| error.to_string())
}

/// The id of a request: made by the service, in its log lines, in `X-Request-Id`, in problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

tokio::task_local! {
    /// The request that this task answers.
    static CURRENT: RequestId;
}

impl RequestId {
    /// The id of the request that the present task answers, if it does.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Self::clone).ok()
    }

    /// Does this as the answer to the request of this id.
    pub async fn within<F: Future>(self, work: F) -> F::Output {
        CURRENT.scope(self, work).await
    }

    /// 128 random bits.
    pub fn random() -> Self {
        Self(hex::encode(random_bytes::<16>()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabel {
    operation: String,
}

/// The figures of one server, in Prometheus' text format.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<OperationLabel, Histogram>,
    statements: Counter,
}

impl Default for Metrics {
    /// All figures at zero.
    fn default() -> Self {
        let requests = Family::default();
        let histogram = || Histogram::new(exponential_buckets(0.001, 2.0, 14));
        let seconds: Family<OperationLabel, Histogram> = Family::new_with_constructor(histogram);
        let statements = Counter::default();
        let mut registry = Registry::default();
        registry.register("http_requests", "Answers given", requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "Time from request to answer",
            Unit::Seconds,
            seconds.clone(),
        );
        registry.register("sql_statements", "Statements sent to the database", statements.clone());
        registry.register(
            "transactions_tried_again",
            "Times that another transaction came first and the same was tried again",
            db::TRIED_AGAIN.clone(),
        );
        Self { registry, requests, seconds, statements }
    }
}

impl Metrics {
    /// One figure more, at zero.
    pub fn counter(&mut self, name: &str, help: &str) -> Counter {
        let counter = Counter::default();
        self.register(name, help, counter.clone());
        counter
    }

    /// Figures that are kept elsewhere.
    pub fn register(&mut self, name: &str, help: &str, figures: impl Metric) {
        self.registry.register(name, help, figures);
    }

    /// Counts every statement this connection sends.
    pub fn count_statements(&self, db: &mut DatabaseConnection) {
        let statements = self.statements.clone();
        db.set_metric_callback(move |_| {
            statements.inc();
        });
    }

    /// Counts one answer. `operation` is a method and a path pattern, never a path: a scanner
    /// must not be able to fill the memory with labels.
    pub fn count_request(&self, operation: String, status: u16, duration: Duration) {
        let label = OperationLabel { operation: operation.clone() };
        self.seconds.get_or_create(&label).observe(duration.as_secs_f64());
        self.requests.get_or_create(&RequestLabels { operation, status }).inc();
    }

    /// Serves the figures as plain HTTP on a listener of their own, until the process ends.
    pub async fn serve(self: Arc<Self>, address: SocketAddr) -> std::io::Result<()> {
        let route = poem::Route::new().at(
            "/metrics",
            poem::get(poem::endpoint::make_sync(move |_| {
                let mut text = String::new();
                match prometheus_client::encoding::text::encode(&mut text, &self.registry) {
                    Ok(()) => poem::Response::builder()
                        .content_type("application/openmetrics-text; version=1.0.0; charset=utf-8")
                        .body(text),
                    Err(_) => poem::http::StatusCode::INTERNAL_SERVER_ERROR.into(),
                }
            })),
        );
        poem::Server::new(poem::listener::TcpListener::bind(address)).run(route).await
    }
}
