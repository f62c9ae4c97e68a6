//! The Dockerfiles of `deploy/docker/`: a linter has no complaint, they differ only in the program,
//! everything that is built reaches the builder and no secret does, and the image has the libraries
//! that the programs need. No container is run.

use crate::PROGRAM;
use acceptance::installed_clients::{python_program, skip};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The libraries in `gcr.io/distroless/cc-debian12`.
const LIBRARIES: [&str; 5] =
    ["linux-vdso.so.1", "libgcc_s.so.1", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"];
const PROGRAMS: [&str; 3] = ["auth-server", "api-server", "installer"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn file(program: &str) -> PathBuf {
    root().join(format!("deploy/docker/{program}.Dockerfile"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn hadolint_accepts_the_dockerfiles() {
    let hadolint = match python_program("hadolint") {
        Ok(hadolint) => hadolint,
        Err(missing) => return skip(&missing),
    };
    let linted = Command::new(hadolint).args(PROGRAMS.map(file)).output().expect("hadolint");
    let output = [linted.stdout, linted.stderr].concat();
    assert!(linted.status.success(), "{}", String::from_utf8_lossy(&output));
}

#[test]
fn images_are_built_the_same_way_and_run_unprivileged() {
    let lines = |program: &str| {
        let text = read(&file(program)).replace(program, "PROGRAM");
        let lines = text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    let [auth, api, installer] = PROGRAMS.map(lines);
    let listen = |line: &String| line.starts_with("ENV ") || line.starts_with("EXPOSE ");
    let alike =
        |lines: &[String]| lines.iter().filter(|line| !listen(line)).cloned().collect::<Vec<_>>();
    assert_eq!(alike(&auth), alike(&api));
    let serves = |line: &String| listen(line) || line.starts_with("STOPSIGNAL ");
    let rest: Vec<_> = auth.iter().filter(|line| !serves(line)).cloned().collect();
    assert_eq!(rest, installer);
    assert!(auth.contains(&"USER 65532:65532".to_owned()));
    assert!(auth.contains(&"STOPSIGNAL SIGTERM".to_owned()));
    // The compiler is the version that the workspace requires.
    let manifest = read(&root().join("Cargo.toml"));
    let version =
        manifest.split("rust-version = \"").nth(1).and_then(|rest| rest.split('"').next());
    let from = format!("FROM rust:{}-slim-bookworm AS build", version.expect("a version"));
    assert!(auth.contains(&from), "no {from}");
}

#[test]
fn the_build_context_has_every_package_and_no_secret() {
    let ignored = read(&root().join(".dockerignore"));
    let lines: Vec<&str> = ignored.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.first(), Some(&"*"));
    let manifest = read(&root().join("Cargo.toml"));
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let members =
        members.expect("members").split(',').map(|member| member.trim().trim_matches('"'));
    for needed in members.chain(["Cargo.toml", "Cargo.lock", "deploy"]) {
        assert!(lines.contains(&format!("!{needed}").as_str()), "{needed} does not get there");
    }
    assert_eq!(lines[lines.len() - 2..], ["**/target", "**/*.env"]);
}

#[test]
fn the_image_has_every_library_the_programs_need() {
    let Ok(needed) = Command::new("ldd").arg(PROGRAM).output() else {
        return skip("ldd is missing (Debian: apt-get install libc-bin)");
    };
    // This program contains both servers and the installer.
    let needed = String::from_utf8_lossy(&needed.stdout).into_owned();
    assert!(needed.contains("libc.so.6"), "{needed}");
    for line in needed.lines() {
        let path = line.split_whitespace().next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_included = name.starts_with("ld-linux") || LIBRARIES.contains(&name);
        assert!(is_included, "the image has no {name}");
    }
}
