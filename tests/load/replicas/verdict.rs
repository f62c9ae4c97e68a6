//! Verdict on each event: the answers during it, and how long the service was away.

use super::events::{Event, Happened};
use super::visits::{Asked, Seen, Step};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The steps that show whether a service is available.
const SERVICE: [(Step, &str); 3] =
    [(Step::LogIn, "log-ins"), (Step::Read, "reads"), (Step::Payment, "payments")];
/// How long answers may be missing after a kill: a killed server loses only the requests it was
/// working on.
const KILLED: Duration = Duration::from_secs(2);

impl Event {
    /// The longest time allowed without a successful answer.
    fn gap_max(self) -> Duration {
        match self {
            Self::Failover => Duration::from_secs(30),
            _ => Duration::from_secs(10),
        }
    }

    /// True if such an answer is allowed this long after the event began.
    fn allows(self, step: Step, seen: &Seen, after: Duration) -> bool {
        match (self, seen) {
            // The servers report that their database is away.
            (Self::Failover, Seen::Unavailable(_)) => true,
            (Self::Kill, Seen::Unavailable(_) | Seen::Balancer(_)) => after < KILLED,
            // HAProxy retries broken requests to the auth server, a few times.
            (Self::Kill, Seen::Lost(_)) => step != Step::Payment && after < KILLED,
            _ => false,
        }
    }
}

/// Prints the result of each event. Returns what must not happen, one line each.
pub fn judge(events: &[Happened], asked: &[Asked]) -> Vec<String> {
    let mut faults = Vec::new();
    for event in events {
        let of_event: Vec<&Asked> = asked.iter().filter(|asked| event.is_felt_by(asked)).collect();
        println!("{}: {:.0} s", event.event.name(), (event.to - event.from).as_secs_f64());
        for note in &event.notes {
            println!("  {note}");
        }
        print_table(&of_event);
        faults.extend(event.faults.iter().cloned());
        faults.extend(judge_gaps(event, &of_event));
    }
    println!("all requests:");
    print_table(&asked.iter().collect::<Vec<_>>());
    for asked in asked.iter().filter(|asked| !matches!(asked.seen, Seen::Done | Seen::Busy(_))) {
        // A long request may span two of them.
        let seen: Vec<&Happened> = events.iter().filter(|event| event.is_felt_by(asked)).collect();
        let allows =
            |event: &&Happened| event.event.allows(asked.step, &asked.seen, event.age_at(asked));
        if !seen.iter().any(allows) {
            let names: Vec<_> = seen.iter().map(|event| show(event, asked)).collect();
            faults.push(format!("{:?} {:?}; {}", asked.step, asked.seen, names.join("; ")));
        }
    }
    faults
}

impl Happened {
    /// True if the request was in flight at any moment of the event.
    fn is_felt_by(&self, asked: &Asked) -> bool {
        asked.at() >= self.from && asked.sent <= self.to
    }

    /// The age of the event when the answer arrived.
    fn age_at(&self, asked: &Asked) -> Duration {
        asked.at().saturating_duration_since(self.from)
    }
}

fn show(event: &Happened, asked: &Asked) -> String {
    let (age, took) = (event.age_at(asked).as_secs_f64(), asked.took.as_secs_f64());
    format!("{} for {age:.2} s, sent {took:.2} s before", event.event.name())
}

fn print_table(asked: &[&Asked]) {
    let mut kinds: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for asked in asked {
        kinds.entry(format!("{:?}: {}", asked.step, asked.seen)).or_default().push(asked.took);
    }
    println!("  {:<48}{:>8}{:>11}", "answers", "count", "longest s");
    for (kind, times) in kinds {
        let longest = times.iter().max().map_or(0.0, Duration::as_secs_f64);
        println!("  {kind:<48}{:>8}{longest:>11.2}", times.len());
    }
}

/// The longest time of each service without a success.
fn judge_gaps(event: &Happened, asked: &[&Asked]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut gaps = Vec::new();
    for (step, name) in SERVICE {
        let done = asked.iter().filter(|asked| asked.step == step && asked.seen == Seen::Done);
        let mut times: Vec<Instant> = done.map(|asked| asked.at()).collect();
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
