//! The work after the senders have stopped, and the checks of the books before and after it.

use super::drawer_books::FrozenRows;
use super::jobs::{Job, State, Work};
use super::sender::SentJobs;
use super::{books, load};
use acceptance::World;

/// Creates jobs for these works, numbered under a name.
pub fn name_jobs(name: &str, works: impl Iterator<Item = Work>) -> Vec<Job> {
    (1..).zip(works).map(|(number, work)| Job::new(format!("{name}-{number}"), work)).collect()
}

/// Checks the books, sends again what was never acknowledged, counts the drawers, and checks the
/// books again.
pub async fn run_final_checks(
    world: &World,
    sent: &mut SentJobs,
    mut last_counts: Vec<Job>,
) -> Result<Vec<String>, String> {
    let jobs = &mut sent.jobs;
    let before = books::check(world, jobs, false).await?;
    let frozen = FrozenRows::read(world).await;
    let payments = jobs.iter().filter(|job| job.kind().is_payment()).count();
    let drawer_jobs = jobs.len() - payments;
    let count_in_state = |jobs: &[Job], state| jobs.iter().filter(|job| job.state == state).count();
    let open = count_in_state(jobs, State::Open);
    jobs.append(&mut last_counts);
    let with_stage = |stage: &str, faults: Vec<String>| {
        faults.into_iter().map(|fault| format!("{stage}: {fault}")).collect::<Vec<_>>()
    };
    let mut faults = with_stage("when the senders stopped", before.faults);
    faults.extend(load::finish(world, jobs).await?);
    let after = books::check(world, jobs, true).await?;
    println!(
        "  {payments} payments and {drawer_jobs} other requests for drawers begun, {open} never \
         acknowledged, of those {} posted; sent again, and each drawer counted: {} in the books, \
         {} refused",
        before.unacknowledged,
        after.posted,
        count_in_state(jobs, State::Refused)
    );
    faults.extend(with_stage("in the end", after.faults));
    faults.extend(frozen.compare(world).await);
    Ok(faults)
}
