//! File ownership and permissions after an installation: the servers' own files, and no one else's;
//! files of other users keep their owner.

use super::{TestMachine, command, error_line, printed};
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
async fn machine() -> Option<(TestMachine, Vec<String>)> {
    let runs = Command::new(crate::PROGRAM).arg("--version").uid(NOBODY).gid(NOBODY).output();
    if !installer::commands::install::is_root() || !runs.is_ok_and(|output| output.status.success())
    {
        println!("skipped: root alone may run the servers as somebody else, where he may");
        return None;
    }
    let machine = TestMachine::new(&Database::Sqlite).await;
    make_accessible(machine.folder.path());
    let mut flags = machine.all_flags();
    flags.push("--service-user=nobody".to_owned());
    Some((machine, flags))
}

fn make_accessible(folder: &Path) {
    fs::set_permissions(folder, Permissions::from_mode(0o755)).expect("rights");
}

/// Owner, group and mode.
fn owner_and_mode(path: &Path) -> (u32, u32, u32) {
    let metadata = fs::metadata(path).expect("a file");
    (metadata.uid(), metadata.gid(), metadata.mode() & 0o7777)
}

#[tokio::test]
async fn only_the_servers_can_read_their_settings() {
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
        assert_eq!(owner_and_mode(&machine.path(name)), expected, "{name}");
    }
    // Settings copied from another machine belong to root.
    let settings = machine.path("etc/auth-server.env");
    chown(&settings, Some(0), Some(0)).expect("an owner");
    fs::set_permissions(&settings, Permissions::from_mode(0o600)).expect("rights");
    let again = command(&flags, &[]).output().await.expect("a process");
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(owner_and_mode(&settings), (0, NOBODY, 0o640));
    // Given once, the user holds for the next run.
    let dir = format!("--dir={}", machine.path("etc").display());
    let repeated = ["--yes", "--dry-run"].map(str::to_owned);
    let output = command(&[&repeated[..], &[dir]].concat(), &[]).output().await.expect("a process");
    let text = printed(&output);
    assert!(text.contains("  1. run Verify") && !text.contains("  2."), "{text}");
}

#[tokio::test]
async fn files_of_other_users_keep_their_owner() {
    let Some((machine, flags)) = machine().await else { return };
    let (etc, data) = (machine.path("etc"), machine.path("data"));
    for folder in [&etc, &data] {
        fs::create_dir(folder).expect("a folder");
        make_accessible(folder);
    }
    fs::write(data.join("theirs"), "").expect("a file");
    chown(&data, Some(1), Some(1)).expect("an owner");
    let refused = async |expected: &str| {
        let text = error_line(&command(&flags, &[]).output().await.expect("a process"));
        assert!(text.contains(expected), "{text} is not: {expected}");
        assert_eq!((owner_and_mode(&etc), owner_and_mode(&data)), ((0, 0, 0o755), (1, 1, 0o755)));
    };
    refused("is not empty, and does not belong to nobody: choose an empty folder").await;
    fs::remove_file(data.join("theirs")).expect("removed");
    fs::write(etc.join("theirs"), "").expect("a file");
    refused("contains other files").await;
    fs::remove_file(etc.join("theirs")).expect("removed");
    // Empty folders are accepted.
    let output = command(&flags, &[]).output().await.expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(owner_and_mode(&data).0, NOBODY);
}

#[tokio::test]
async fn a_port_below_1024_or_a_missing_user_is_refused() {
    let Some((_, flags)) = machine().await else { return };
    for (extra, expected) in [
        ("--auth-port=443", "cannot listen on port 443: choose ports from 1024 up"),
        ("--service-user=nobody-yet", "run useradd --system --user-group"),
    ] {
        let text = error_line(&command(&flags, &[extra]).output().await.expect("a process"));
        assert!(text.contains(expected), "{text} is not: {expected}");
    }
}

#[tokio::test]
async fn a_world_readable_key_or_an_unreadable_authority_is_refused() {
    let Some((machine, flags)) = machine().await else { return };
    let own_flags = machine.path("given");
    let tls = installer::installation::certificates::own(&own_flags, &["localhost".to_owned()])
        .expect("certificates");
    make_accessible(&own_flags);
    let with =
        [("certificate", &tls.certificate), ("key", &tls.key), ("authority", &tls.authority)]
            .map(|(name, path)| format!("--tls-{name}={}", path.display()));
    let with = with.each_ref().map(String::as_str);
    let message = async |extra: &[&str]| {
        let output = command(&flags, extra).output().await.expect("a process");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    fs::set_permissions(&tls.key, Permissions::from_mode(0o644)).expect("rights");
    let text = message(&with).await;
    assert!(text.contains("every user of this machine can read the key"), "{text}");
    assert!(text.contains("chmod 640"), "{text}");
    // In a folder that is closed to others a readable key does no harm.
    fs::set_permissions(&own_flags, Permissions::from_mode(0o750)).expect("rights");
    chown(&own_flags, None, Some(NOBODY)).expect("a group");
    let text = message(&[&with[..], &["--dry-run"]].concat()).await;
    assert_eq!(text, "");
    let hidden = tls.authority.display();
    fs::set_permissions(&tls.authority, Permissions::from_mode(0o600)).expect("rights");
    for (path, expected) in [
        (hidden.to_string(), format!("the user nobody cannot read {hidden}")),
        ("ca.pem".to_owned(), "ca.pem is not an absolute path".to_owned()),
    ] {
        let url = format!("--database-url=postgres://u@127.0.0.1:1/x?sslrootcert={path}");
        let text = message(&[&url]).await;
        assert!(text.contains(&expected), "{text} is not: {expected}");
    }
}

#[tokio::test]
async fn a_database_password_may_have_any_characters() {
    for database in Database::all().into_iter().skip(1) {
        let machine = TestMachine::new(&database).await;
        let db = shared::database::connect(&machine.database_url, 1).await.expect("a connection");
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
        let own_flags = [
            format!("--database-url={url}"),
            format!("--database-password-file={}", file.display()),
        ];
        let own_flags = own_flags.each_ref().map(String::as_str);
        let output = machine.install(&own_flags).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for sql in remove {
            db.execute_unprepared(&sql).await.expect("done");
        }
        db.close().await.expect("closed");
        machine.remove().await;
    }
}
