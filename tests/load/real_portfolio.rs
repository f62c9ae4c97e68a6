//! Books a table of published loans through the API of a running quickstart, posts every payment in
//! parallel, reads every loan back with the payoff quoted for the day of its last payment and the
//! payment due next, and compares them with the lender's own books.
//!
//! Exits with 1 below the thresholds: exact on 93 % of the rows, within one cent on all.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

use acceptance::Client;
use acceptance::published_loans::{self, AdminSession};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Compares the service with a lender's published books.
#[derive(Parser)]
struct Arguments {
    /// The table; see `tests/harness/published_loans.rs` for its columns.
    csv: PathBuf,
    /// The report of a running quickstart.
    #[arg(long, default_value = "loan-servicing/quickstart.json")]
    quickstart: PathBuf,
    /// Loans processed concurrently.
    #[arg(long, default_value_t = 16)]
    workers: usize,
    /// The key under which the loans are imported; using the same one again changes nothing.
    #[arg(long, default_value = "real-portfolio")]
    key: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    match run(&Arguments::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("real_portfolio: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments) -> Result<bool, String> {
    let text = std::fs::read_to_string(&arguments.quickstart)
        .map_err(|error| format!("{}: {error}", arguments.quickstart.display()))?;
    let quickstart: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let client = Client::new(
        &string(&quickstart["auth_url"]),
        &string(&quickstart["api_url"]),
        Path::new(&string(&quickstart["ca_certificate"])),
        &string(&quickstart["clients"]["integration"]["client_secret"]),
    );
    let password = string(&quickstart["users"]["admin"]["password"]);
    let admin = AdminSession::new(&client, &password);
    let loans = published_loans::read(&arguments.csv)?;
    let started = Instant::now();
    let loan_ids = published_loans::book(&admin, &loans, &arguments.key).await?;
    let booking = started.elapsed();
    let total: usize = loans.iter().map(|loan| loan.payment_dates().len()).sum();
    let bar = ProgressBar::new(total as u64);
    let style = "{wide_bar} {pos}/{len} payments, {per_sec}";
    bar.set_style(ProgressStyle::with_template(style).map_err(|error| error.to_string())?);
    let started = Instant::now();
    let workers = arguments.workers;
    let payments = published_loans::pay(&admin, &loans, &loan_ids, workers, || bar.inc(1)).await?;
    let posting = started.elapsed();
    bar.finish_and_clear();
    let comparison = published_loans::compare(&admin, &loans, &loan_ids, workers).await?;
    let percent = |count: usize| 100.0 * count as f64 / comparison.rows.max(1) as f64;
    println!("loans booked       {:>8}   {:.1} s", loan_ids.len(), booking.as_secs_f64());
    println!("payments posted    {payments:>8}   {:.1} s", posting.as_secs_f64());
    println!("payments a second  {:>8.0}", payments as f64 / posting.as_secs_f64());
    println!("rows compared      {:>8}", comparison.rows);
    println!("  exact            {:>8}   {:.2} %", comparison.exact, percent(comparison.exact));
    let within = comparison.within_a_cent;
    println!("  within a cent    {within:>8}   {:.2} %", percent(within));
    println!("  worse            {:>8}   {:.2} %", comparison.worse, percent(comparison.worse));
    println!("{}", if comparison.holds() { "holds" } else { "does not hold" });
    Ok(comparison.holds())
}
