//! File ownership and permissions after an installation: the servers' own files, and no one else's;
//! files of other users keep their owner.

use super::{Machine, command, fault, printed, program};
use acceptance::Database;
use sea_orm::ConnectionTrait;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use url::Url;

/// A user that every machine has, and its group.
const NOBODY: u32 = 65_534;

/// A machine whose servers run as a user other than root; `None` where that is impossible.
async fn machine() -> Option<(Machine, Vec<String>)> {
    let runs = Command::new(crate::PROGRAM).arg("--version").uid(NOBODY).gid(NOBODY).output();
    if !installer::commands::install::is_root() || !runs.is_ok_and(|output| output.status.success())
    {
        println!("skipped: root alone may run the servers as somebody else, where he may");
        return None;
    }
    let machine = Machine::new(&Database::Sqlite).await;
    open(machine.folder.path());
    let mut flags = machine.all_flags();
    flags.push("--service-user=nobody".to_owned());
    Some((machine, flags))
}

fn open(folder: &Path) {
    fs::set_permissions(folder, Permissions::from_mode(0o755)).expect("rights");
}

/// Owner, group and mode.
fn rights(path: &Path) -> (u32, u32, u32) {
    let metadata = fs::metadata(path).expect("a file");
    (metadata.uid(), metadata.gid(), metadata.mode() & 0o7777)
}

#[tokio::test]
async fn the_servers_read_their_settings_and_nobody_else_does() {
    let Some((machine, flags)) = machine().await else { return };
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (name, expected) in [
        ("etc", (0, NOBODY, 0o750)),
        ("etc/auth-server.env", (0, NOBODY, 0o640)),
        ("etc/api-server.env", (0, NOBODY, 0o640)),
        ("etc/tls", (0, NOBODY, 0o750)),
        ("etc/tls/server.key", (0, NOBODY, 0o640)),
        ("etc/tls/ca.key", (0, 0, 0o600)),
        ("data", (NOBODY, NOBODY, 0o700)),
        ("data/documents", (NOBODY, NOBODY, 0o700)),
        ("data/spool", (NOBODY, NOBODY, 0o700)),
        ("data/core.sqlite", (NOBODY, NOBODY, 0o600)),
    ] {
        assert_eq!(rights(&machine.path(name)), expected, "{name}");
    }
    // Given once, the user holds for the next run.
    let dir = format!("--dir={}", machine.path("etc").display());
    let again = ["--no-units", "--yes", "--dry-run"].map(str::to_owned);
    let output = command(&[&again[..], &[dir]].concat(), &[]).output().await.expect("a process");
    let text = printed(&output);
    assert!(text.contains("  1. run Verify") && !text.contains("  2."), "{text}");
}

#[tokio::test]
async fn what_is_somebody_elses_stays_his() {
    let Some((machine, flags)) = machine().await else { return };
    let (etc, data) = (machine.path("etc"), machine.path("data"));
    for folder in [&etc, &data] {
        fs::create_dir(folder).expect("a folder");
        open(folder);
    }
    fs::write(data.join("theirs"), "").expect("a file");
    chown(&data, Some(1), Some(1)).expect("an owner");
    let refused = async |why: &str| {
        let text = fault(&command(&flags, &[]).output().await.expect("a process"));
        assert!(text.contains(why), "{text} is not: {why}");
        assert_eq!((rights(&etc), rights(&data)), ((0, 0, 0o755), (1, 1, 0o755)));
    };
    refused("has something in it, and is not nobody's: choose an empty folder").await;
    fs::remove_file(data.join("theirs")).expect("removed");
    fs::write(etc.join("theirs"), "").expect("a file");
    refused("holds other things").await;
    fs::remove_file(etc.join("theirs")).expect("removed");
    // Empty folders are accepted, and restored if the installation fails.
    let mut failing = command(&flags, &[]);
    failing.env("AUTH_TOKEN_KEYS", "none");
    assert!(!failing.output().await.expect("a process").status.success());
    assert_eq!((rights(&etc), rights(&data)), ((0, 0, 0o755), (1, 1, 0o755)));
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(rights(&data).0, NOBODY);
}

#[tokio::test]
async fn a_port_below_1024_and_homes_are_not_for_services() {
    let Some((machine, flags)) = machine().await else { return };
    let programs = machine.path("programs");
    std::fs::create_dir(&programs).expect("a folder");
    for name in ["auth-server", "api-server"] {
        program(&programs.join(name), name, env!("CARGO_PKG_VERSION"));
    }
    for (more, why) in [
        ("--auth-port=443", "may not listen on port 443: choose a port from 1024 on"),
        ("--documents=/home/nowhere", "/home/nowhere is hidden from services"),
    ] {
        let mut flags = flags.clone();
        flags.retain(|flag| flag != "--no-units");
        let units = format!("--units={}", machine.path("units").display());
        let programs = format!("--programs={}", programs.display());
        let text =
            fault(&command(&flags, &[more, &units, &programs]).output().await.expect("a process"));
        assert!(text.contains(why), "{text} is not: {why}");
    }
}

#[tokio::test]
async fn a_key_that_everybody_reads_and_an_authority_that_the_servers_cannot() {
    let Some((machine, flags)) = machine().await else { return };
    let given = machine.path("given");
    let tls = installer::installation::certificates::own(&given, &["localhost".to_owned()])
        .expect("certificates");
    open(&given);
    let with =
        [("certificate", &tls.certificate), ("key", &tls.key), ("authority", &tls.authority)]
            .map(|(name, path)| format!("--tls-{name}={}", path.display()));
    let with = with.each_ref().map(String::as_str);
    let said = async |more: &[&str]| {
        let output = command(&flags, more).output().await.expect("a process");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    fs::set_permissions(&tls.key, Permissions::from_mode(0o644)).expect("rights");
    let text = said(&with).await;
    assert!(text.contains("everybody on this machine may read the key"), "{text}");
    assert!(text.contains("chmod 640"), "{text}");
    // In a folder that is closed to others a readable key does no harm.
    fs::set_permissions(&given, Permissions::from_mode(0o750)).expect("rights");
    chown(&given, None, Some(NOBODY)).expect("a group");
    let text = said(&[&with[..], &["--dry-run"]].concat()).await;
    assert_eq!(text, "");
    let hidden = tls.authority.display();
    fs::set_permissions(&tls.authority, Permissions::from_mode(0o600)).expect("rights");
    for (path, why) in [
        (hidden.to_string(), format!("nobody may not read {hidden}")),
        ("ca.pem".to_owned(), "ca.pem is no whole path".to_owned()),
    ] {
        let url = format!("--database-url=postgres://u@127.0.0.1:1/x?sslrootcert={path}");
        let text = said(&[&url]).await;
        assert!(text.contains(&why), "{text} is not: {why}");
    }
    // A user who does not exist yet is in no group that could read it.
    chown(&given, None, Some(1)).expect("a group");
    let text = said(&[&with[..], &["--service-user=nobody-yet"]].concat()).await;
    assert!(text.contains("nobody-yet may not read"), "{text}");
    assert!(text.contains("make him with useradd --system --user-group nobody-yet"), "{text}");
}

#[tokio::test]
async fn a_password_of_any_characters() {
    for database in Database::all().into_iter().skip(1) {
        let machine = Machine::new(&database).await;
        let db = shared::db::connect(&machine.database_url, 1, false).await.expect("a connection");
        let user = format!("odd_{}", machine.auth_port);
        let name = Url::parse(&machine.database_url).expect("a URL").path()[1..].to_owned();
        let password = "p%41 s#/@:\"=ü";
        let (make, remove) = match database.name() {
            "mysql" => (
                vec![
                    format!("CREATE USER {user} IDENTIFIED BY '{password}'"),
                    format!("GRANT ALL ON {name}.* TO {user}"),
                ],
                vec![format!("DROP USER {user}")],
            ),
            _ => (
                vec![
                    format!("CREATE ROLE {user} LOGIN PASSWORD '{password}'"),
                    format!("GRANT ALL ON SCHEMA public TO {user}"),
                ],
                vec![format!("DROP OWNED BY {user}"), format!("DROP ROLE {user}")],
            ),
        };
        for sql in make {
            db.execute_unprepared(&sql).await.expect("done");
        }
        let file = machine.path("password");
        fs::write(&file, format!("{password}\n")).expect("a file");
        let mut url = Url::parse(&machine.database_url).expect("a URL");
        url.set_username(&user).expect("a user");
        url.set_password(None).expect("no password");
        let given = [
            format!("--database-url={url}"),
            format!("--database-password-file={}", file.display()),
        ];
        let given = given.each_ref().map(String::as_str);
        let output = machine.install(&given).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for sql in remove {
            db.execute_unprepared(&sql).await.expect("done");
        }
        db.close().await.expect("closed");
        machine.remove().await;
    }
}
