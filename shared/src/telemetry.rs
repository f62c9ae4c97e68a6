//! What the operators see: logs, request ids and metrics. Never a token, a password, a card number
//! or a body.

use crate::db;
use aws_lc_rs::rand;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use sea_orm::DatabaseConnection;
use std::fmt;
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

impl RequestId {
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

/// Random bytes from the system's generator.
///
/// # Panics
/// When the system has no random bytes: nothing safe can be done then.
#[expect(clippy::expect_used, reason = "no randomness means no service")]
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).expect("the system's random generator works");
    bytes
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

impl Metrics {
    /// All figures at zero.
    pub fn new() -> Arc<Self> {
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
        Arc::new(Self { registry, requests, seconds, statements })
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
