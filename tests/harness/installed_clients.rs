//! Where the programs are that nobody here wrote: those of `tests/clients/`, and those of the system.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Where a program is that no `PATH` of a plain user has.
const SYSTEM_PROGRAMS: [&str; 3] = ["/usr/sbin", "/usr/bin", "/usr/local/bin"];

/// Says on the terminal, past the test runner that keeps what passing tests print, what was not
/// tested and how it would be.
pub fn skip(missing: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {missing}");
}

/// The folder that `tests/clients/install.sh` has filled.
pub(crate) fn installed() -> PathBuf {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/clients");
    std::env::var_os("TEST_CLIENTS").map_or_else(default, PathBuf::from)
}

/// `tests/clients`: clients, and the settings of programs.
pub fn clients_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients")
}

/// A program of the system.
pub fn system_program(name: &str, package: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(SYSTEM_PROGRAMS.map(PathBuf::from));
    let found = folders.map(|folder| folder.join(name)).find(|program| program.is_file());
    found.ok_or_else(|| format!("{name} is missing (Debian: apt-get install {package})"))
}

/// A program of the Python environment.
pub fn python_program(name: &str) -> Result<PathBuf, String> {
    let program = installed().join("venv/bin").join(name);
    match program.is_file() {
        true => Ok(program),
        false => Err(not_installed(&program)),
    }
}

/// A program of one of the JavaScript packages.
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
