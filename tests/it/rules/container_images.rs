//! `deploy/Dockerfile` and `deploy/compose.yaml`: a linter has no complaint, everything that is built
//! reaches the builder and no secret does, the images have the libraries that the programs need, and
//! the servers run unprivileged. No container is run.

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

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn deployed(name: &str) -> String {
    read(&root().join("deploy").join(name))
}

/// The value of this key in the workspace's manifest.
fn in_manifest(key: &str) -> String {
    let manifest = read(&root().join("Cargo.toml"));
    let value = manifest.split(&format!("\n{key} = \"")).nth(1).map(str::to_owned);
    let value = value.expect("the key").split('"').next().map(str::to_owned);
    value.expect("a value")
}

#[test]
fn hadolint_accepts_the_dockerfile() {
    let hadolint = match python_program("hadolint") {
        Ok(hadolint) => hadolint,
        Err(missing) => return skip(&missing),
    };
    let file = root().join("deploy/Dockerfile");
    let linted = Command::new(hadolint).arg(file).output().expect("hadolint");
    let output = [linted.stdout, linted.stderr].concat();
    assert!(linted.status.success(), "{}", String::from_utf8_lossy(&output));
}

#[test]
fn each_program_has_an_unprivileged_image() {
    let text = deployed("Dockerfile");
    // The compiler is the version that the workspace requires.
    let compiler = format!("FROM rust:{}-slim-bookworm AS build\n", in_manifest("rust-version"));
    assert!(text.contains(&compiler), "no {compiler}");
    let stages: Vec<&str> = text.split("\nFROM ").collect();
    let stage = |end: &str| {
        let named = |stage: &&str| stage.lines().next().is_some_and(|line| line.ends_with(end));
        *stages.iter().find(|stage| named(stage)).unwrap_or_else(|| panic!("no stage {end}"))
    };
    let base = stage("${BASE} AS base");
    assert!(base.contains("\nUSER 65532:65532\n") && base.contains("\nSTOPSIGNAL SIGTERM\n"));
    for program in PROGRAMS {
        let stage = stage(&format!("base AS {program}"));
        assert!(!stage.contains("\nUSER ") && !stage.contains("\nRUN "), "{stage}");
        let entry_point = format!("\nENTRYPOINT [\"/usr/local/bin/{program}\"]\n");
        assert!(stage.contains(&entry_point), "no {entry_point}");
    }
}

#[test]
fn the_compose_file_runs_this_release_without_privileges_or_passwords() {
    let text = deployed("compose.yaml");
    let services: Vec<&str> = text.split("\n\n").collect();
    let release = in_manifest("version");
    for program in PROGRAMS {
        let image = format!(
            "\n    image: ${{REGISTRY:-localhost}}/loan-servicing/{program}:${{RELEASE:-{release}}}\n"
        );
        let service = services.iter().find(|service| service.contains(&image));
        let service = service.unwrap_or_else(|| panic!("no {image}"));
        for line in [
            "tmpfs: [/tmp]",
            "read_only: true",
            "cap_drop: [ALL]",
            "security_opt: [no-new-privileges]",
        ] {
            assert!(service.contains(&format!("\n    {line}\n")), "{program} has no {line}");
        }
        let settings = service.contains("\"settings:/etc/loan-servicing:ro\"");
        assert_eq!(settings, program != "installer", "{program}");
    }
    for line in text.lines().filter(|line| line.to_lowercase().contains("password")) {
        let names_a_file = ["/run/secrets/", "./secrets/", "secrets: [", "# "];
        let is_name = line.trim() == "database-password:" || line.trim() == "admin-password:";
        assert!(is_name || names_a_file.iter().any(|it| line.contains(it)), "{line}");
    }
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
    assert_eq!(lines[lines.len() - 3..], ["deploy/secrets", "**/target", "**/*.env"]);
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
