//! The systemd units from `deploy/`, adapted to this installation's paths.

use super::answers::{Answers, DATA_DIR, DIR, SERVICE_USER};
use std::path::Path;

/// The services: program, unit name, and unit text.
pub(super) const SERVICES: [(&str, &str, &str); 2] = [
    (
        "auth-server",
        "loan-servicing-auth.service",
        include_str!("../../../../deploy/systemd/loan-servicing-auth.service"),
    ),
    (
        "api-server",
        "loan-servicing-api.service",
        include_str!("../../../../deploy/systemd/loan-servicing-api.service"),
    ),
];

/// The programs' folder in the units from `deploy/`.
const PROGRAMS: &str = "/usr/local/bin";

/// The text of a unit for this installation.
pub(super) fn unit(text: &str, answers: &Answers) -> String {
    let text_of = |path: &Path| path.display().to_string();
    // Without root, the servers run as the installing user.
    let user = answers.service_user.clone().or_else(super::system_user::own_name);
    let user = user.as_deref().unwrap_or(SERVICE_USER);
    let is_standard = answers.data_dir == Path::new(DATA_DIR);
    // systemd creates the standard folder, but no other.
    let lines = text.lines().filter(|line| is_standard || !line.starts_with("StateDirectory"));
    // Without it, systemd uses the user's own group, whatever its name.
    let lines = lines.filter(|line| !line.starts_with("Group="));
    let lines = lines.map(|line| match line {
        "User=loan-servicing" => format!("User={user}"),
        line if line.starts_with("ReadWritePaths=") => {
            let more = writable(answers).map(|path| format!(" {path}")).collect::<String>();
            line.replace(DATA_DIR, &text_of(&answers.data_dir)) + &more
        }
        line => line
            .replace(PROGRAMS, &text_of(&answers.programs))
            .replace(DIR, &text_of(&answers.dir))
            .replace(DATA_DIR, &text_of(&answers.data_dir)),
    });
    let lines: Vec<_> = lines.collect();
    lines.join("\n") + "\n"
}

/// Folders outside the data folder that the servers write to.
fn writable(answers: &Answers) -> impl Iterator<Item = String> {
    let documents = answers.documents.clone();
    let text_of = |path: &Path| path.display().to_string();
    let database = answers.database_file().and_then(Path::parent).map(text_of);
    let spool = Some(text_of(&answers.spool));
    let documents = Some(documents).filter(|location| !location.contains("://"));
    let data_dir = answers.data_dir.clone();
    [documents, database, spool]
        .into_iter()
        .flatten()
        .filter(move |path| !Path::new(path).starts_with(&data_dir))
}
