//! Verdict on each event: the responses during it, and how long the service was away.

use super::events::{Event, EventRun};
use super::visits::{RequestOutcome, Step, TimedRequest};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The steps that show whether a service is available.
const SERVICE: [(Step, &str); 3] =
    [(Step::LogIn, "log-ins"), (Step::Read, "reads"), (Step::Payment, "payments")];
/// How long responses may be missing after a kill: a killed server loses only the requests it was
/// working on.
const KILL_EFFECT_MAX: Duration = Duration::from_secs(2);

impl Event {
    /// The longest time allowed without a successful response.
    fn gap_max(self) -> Duration {
        match self {
            Self::Failover => Duration::from_secs(30),
            _ => Duration::from_secs(10),
        }
    }

    /// True if such a response is allowed this long after the event began.
    fn allows(self, step: Step, outcome: &RequestOutcome, after: Duration) -> bool {
        match (self, outcome) {
            // The servers report that their database is away.
            (Self::Failover, RequestOutcome::Unavailable(_)) => true,
            (Self::Kill, RequestOutcome::Unavailable(_) | RequestOutcome::Balancer(_)) => {
                after < KILL_EFFECT_MAX
            }
            // HAProxy retries broken requests to the auth server, a few times.
            (Self::Kill, RequestOutcome::Lost(_)) => {
                step != Step::Payment && after < KILL_EFFECT_MAX
            }
            _ => false,
        }
    }
}

/// Prints the result of each event. Returns what must not happen, one line each.
pub fn check_events(events: &[EventRun], requests: &[TimedRequest]) -> Vec<String> {
    let mut faults = Vec::new();
    for event in events {
        let of_event: Vec<&TimedRequest> =
            requests.iter().filter(|request| event.overlaps(request)).collect();
        println!("{}: {:.0} s", event.event.name(), (event.to - event.from).as_secs_f64());
        for note in &event.notes {
            println!("  {note}");
        }
        print_table(&of_event);
        faults.extend(event.faults.iter().cloned());
        faults.extend(check_gaps(event, &of_event));
    }
    println!("all requests:");
    print_table(&requests.iter().collect::<Vec<_>>());
    for request in requests.iter().filter(|request| {
        !matches!(request.outcome, RequestOutcome::Done | RequestOutcome::Busy(_))
    }) {
        // A long request may span two of them.
        let overlapping: Vec<&EventRun> =
            events.iter().filter(|event| event.overlaps(request)).collect();
        let allows = |event: &&EventRun| {
            event.event.allows(request.step, &request.outcome, event.age_at(request))
        };
        if !overlapping.iter().any(allows) {
            let names: Vec<_> = overlapping.iter().map(|event| describe(event, request)).collect();
            faults.push(format!("{:?} {:?}; {}", request.step, request.outcome, names.join("; ")));
        }
    }
    faults
}

impl EventRun {
    /// True if the request was in flight at any moment of the event.
    fn overlaps(&self, request: &TimedRequest) -> bool {
        request.answered_at() >= self.from && request.sent <= self.to
    }

    /// The age of the event when the response arrived.
    fn age_at(&self, request: &TimedRequest) -> Duration {
        request.answered_at().saturating_duration_since(self.from)
    }
}

fn describe(event: &EventRun, request: &TimedRequest) -> String {
    let (age, latency) = (event.age_at(request).as_secs_f64(), request.latency.as_secs_f64());
    format!("{} for {age:.2} s, sent {latency:.2} s before", event.event.name())
}

fn print_table(requests: &[&TimedRequest]) {
    let mut kinds: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for request in requests {
        kinds
            .entry(format!("{:?}: {}", request.step, request.outcome))
            .or_default()
            .push(request.latency);
    }
    println!("  {:<48}{:>8}{:>11}", "responses", "count", "longest s");
    for (kind, latencies) in kinds {
        let longest = latencies.iter().max().map_or(0.0, Duration::as_secs_f64);
        println!("  {kind:<48}{:>8}{longest:>11.2}", latencies.len());
    }
}

/// The longest time of each service without a success.
fn check_gaps(event: &EventRun, requests: &[&TimedRequest]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut gaps = Vec::new();
    for (step, name) in SERVICE {
        let done = requests
            .iter()
            .filter(|request| request.step == step && request.outcome == RequestOutcome::Done);
        let mut times: Vec<Instant> = done.map(|request| request.answered_at()).collect();
        times.extend([event.from, event.to]);
        times.sort();
        let gap = times.windows(2).map(|pair| pair[1].saturating_duration_since(pair[0])).max();
        let gap = gap.unwrap_or_default();
        gaps.push(format!("{name} {:.2} s", gap.as_secs_f64()));
        let allowed = event.event.gap_max();
        if gap > allowed {
            faults.push(format!(
                "{}: no {name} for {:.1} s, allowed are {} s",
                event.event.name(),
                gap.as_secs_f64(),
                allowed.as_secs()
            ));
        }
    }
    println!("  longest gap: {}", gaps.join(", "));
    faults
}
