//! Locations of third-party programs: those of `tests/clients/`, and those of the system.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Directories that may be missing from a plain user's `PATH`.
const SYSTEM_PROGRAMS: [&str; 3] = ["/usr/sbin", "/usr/bin", "/usr/local/bin"];

/// Prints directly to the terminal, because the test runner captures the output of passing tests:
/// what was not tested, and what would enable it. Prints each text once.
///
/// # Panics
/// With `CI=true`, if a registry serves what is missing.
pub fn skip(missing: &str) {
    let is_served = ["apt-get install", "clients/install.sh"].iter().any(|it| missing.contains(it));
    let in_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!(is_served && in_ci), "{missing}");
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    if printed.insert(missing.to_owned()) {
        let _ = writeln!(std::io::stderr(), "skipped: {missing}");
    }
}

/// The directory filled by `tests/clients/install.sh`.
pub(crate) fn installed() -> PathBuf {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/clients");
    std::env::var_os("TEST_CLIENTS").map_or_else(default, PathBuf::from)
}

/// `tests/clients`: clients, and settings of programs.
pub fn clients_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients")
}

/// Finds a program of the system.
pub fn system_program(name: &str, package: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(SYSTEM_PROGRAMS.map(PathBuf::from));
    let found = folders.map(|folder| folder.join(name)).find(|program| program.is_file());
    found.ok_or_else(|| format!("{name} is missing (Debian: apt-get install {package})"))
}

/// Finds the library that shows a process a false time.
pub fn faketime() -> Result<&'static str, String> {
    let libraries = [
        "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
        "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
    ];
    let found = libraries.into_iter().find(|library| Path::new(library).is_file());
    found.ok_or_else(|| "libfaketime is missing (Debian: apt-get install libfaketime)".to_owned())
}

/// Finds a program of the Python environment.
pub fn python_program(name: &str) -> Result<PathBuf, String> {
    let program = installed().join("venv/bin").join(name);
    match program.is_file() {
        true => Ok(program),
        false => Err(not_installed(&program)),
    }
}

/// Finds a program of one of the JavaScript packages.
pub fn node_program(name: &str) -> Result<PathBuf, String> {
    system_program("node", "nodejs npm")?;
    let program = installed().join("node_modules/.bin").join(name);
    match program.is_file() {
        true => Ok(program),
        false => Err(not_installed(&program)),
    }
}

pub(crate) fn not_installed(path: &Path) -> String {
    format!("{} is missing (run tests/clients/install.sh, or set TEST_CLIENTS)", path.display())
}
