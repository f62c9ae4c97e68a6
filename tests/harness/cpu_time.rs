//! CPU time of processes, as reported by Linux.

/// Clock ticks per second in `/proc`, the same on all of Linux's architectures.
const TICKS_PER_SECOND: f64 = 100.0;

/// The CPU time of a process so far, in seconds, and of those of its children that have ended;
/// `None` if there is no such process or the system does not report it.
pub fn seconds(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name, in parentheses, may contain anything.
    let (_, fields) = stat.rsplit_once(')')?;
    // utime, stime, cutime and cstime.
    let ticks = fields.split_whitespace().skip(11).take(4);
    let ticks: Result<Vec<u64>, _> = ticks.map(str::parse).collect();
    Some(ticks.ok()?.into_iter().sum::<u64>() as f64 / TICKS_PER_SECOND)
}
