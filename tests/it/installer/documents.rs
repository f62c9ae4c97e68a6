//! `installer documents`. [`owner`] covers stores shared by several databases.

mod ownership;

use super::{CommandOutput, command, file, run};
use crate::PROGRAM;
use acceptance::forms::Form;
use acceptance::{World, on_each_database};
use reqwest::Method;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tokio::process::Command;

/// An object without a row.
const ORPHAN: &str = "00112233445566778899aabbccddeeff";

/// A store whose only documents are on one comment of a loan.
struct DocumentFolder {
    world: World,
    token: String,
    path: String,
}

/// A file of a document.
struct StoredDocument {
    document_id: i64,
    /// Path of its object within the folder.
    object: String,
}

impl DocumentFolder {
    async fn of(world: World) -> Self {
        let token = world.token("admin").await;
        let rows = world.rows(&token, 1, 1).await;
        // Their objects never existed.
        world.sql("DELETE FROM document_files").await;
        world.sql("DELETE FROM documents").await;
        let path = format!("/loans/comments/{}/documents", rows.comment_ids[0]);
        let store = Self { world, token, path };
        // A server sweeps as soon as it starts; after that the store belongs to its database.
        while !store.object_path("owner").exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        store
    }

    fn object_path(&self, object: &str) -> PathBuf {
        self.world.folder.path().join("documents").join(object)
    }

    async fn upload(&self, name: &str, bytes: &[u8]) -> StoredDocument {
        let form = Form::file(name, bytes);
        let response = self.world.client.upload(&self.token, &self.path, form, None).await;
        let document = response.expect(201).json();
        let document_id = document["Document_ID"].as_i64().expect("an id");
        let key =
            format!("SELECT object_key FROM document_files WHERE document_id = {document_id}");
        let key = self.world.text(&key).await;
        StoredDocument { document_id, object: format!("{}/{key}", &key[..2]) }
    }

    async fn remove(&self, document: &StoredDocument) {
        let path = format!("{}?documentId={}", self.path, document.document_id);
        let removal = self.world.client.request(Method::DELETE, &self.token, &path);
        self.world.client.send(removal).await.expect("a response").expect(204);
    }

    /// Writes a file that does not come from an upload and is this many hours old.
    fn write_object(&self, object: &str, bytes: &[u8], hours: u64) -> PathBuf {
        let object_path_of = self.object_path(object);
        std::fs::create_dir_all(object_path_of.parent().expect("a folder")).expect("a folder");
        std::fs::write(&object_path_of, bytes).expect("a file");
        let written = SystemTime::now() - Duration::from_secs(hours * 3600);
        let handle = std::fs::File::options().write(true).open(&object_path_of).expect("a file");
        handle.set_modified(written).expect("an age");
        object_path_of
    }

    async fn documents(&self, arguments: &[&str]) -> CommandOutput {
        documents(&self.world.folder.path().join("api-server.env"), arguments).await
    }

    /// Verifies, expecting this status. Returns the lines of the report.
    async fn verify(&self, status: i32) -> Vec<Value> {
        let output = self.documents(&["verify", "--json"]).await;
        assert_eq!(output.code, Some(status), "{}{}", output.stdout, output.stderr);
        assert_eq!(output.stderr.lines().count(), usize::from(status == 1), "{}", output.stderr);
        output.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

async fn documents(env_file: &Path, arguments: &[&str]) -> CommandOutput {
    let mut command = command(&["documents"]);
    command.args(arguments).arg("--env-file").arg(env_file);
    run(command).await
}

#[tokio::test]
async fn an_intact_store_verifies() {
    on_each_database(PROGRAM, |world| async move {
        let store = DocumentFolder::of(world).await;
        let totals = |files: u64, bytes: u64| {
            json!({
                "files": files, "bytes": bytes, "damaged": 0, "objects_without_row": 0,
                "bytes_without_row": 0, "unfinished_uploads": 0, "bytes_unfinished": 0,
            })
        };
        assert_eq!(store.verify(0).await, [totals(0, 0)]);
        store.upload("one.txt", b"words").await;
        store.upload("long.txt", &[b'x'; 700_001]).await;
        assert_eq!(store.verify(0).await, [totals(2, 700_006)]);
        assert_eq!(
            store.documents(&["verify"]).await.expect_success(),
            "2 files compared, 700006 bytes: 0 damaged or missing\n\
             0 objects without a row, 0 bytes, left for the sweep\n\
             0 unfinished uploads, 0 bytes, left for the sweep\n"
        );
        store.world
    })
    .await;
}

#[tokio::test]
async fn every_damaged_or_missing_file_is_named_with_expected_and_actual() {
    on_each_database(PROGRAM, |world| async move {
        let store = DocumentFolder::of(world).await;
        let flipped = store.upload("flipped.txt", b"words").await;
        let cut = store.upload("cut.txt", &[b'x'; 300_000]).await;
        store.upload("sound.txt", b"words").await;
        let removed = store.upload("gone.txt", b"more words").await;
        std::fs::write(store.object_path(&flipped.object), b"wordt").expect("a file");
        std::fs::write(store.object_path(&cut.object), [b'x'; 299_999]).expect("a file");
        std::fs::remove_file(store.object_path(&removed.object)).expect("a file");
        let lines = store.verify(1).await;
        let [first, second, third, totals] = &lines[..] else { panic!("{lines:?}") };
        for (line, document, name, fault) in [
            (first, &flipped, "flipped.txt", "wrong_hash"),
            (second, &cut, "cut.txt", "wrong_size"),
            (third, &removed, "gone.txt", "missing"),
        ] {
            assert_eq!(line["document_id"], document.document_id);
            assert!(line["file_id"].is_i64(), "{line}");
            assert_eq!((&line["file_name"], &line["fault"]), (&json!(name), &json!(fault)));
            assert_eq!(line["object"], document.object);
        }
        let (expected, found) = (&first["expected_sha256"], &first["found_sha256"]);
        assert!(expected.is_string() && found.is_string() && expected != found, "{first}");
        assert_eq!(
            (&second["expected_bytes"], &second["found_bytes"]),
            (&300_000.into(), &299_999.into())
        );
        assert_eq!((&totals["files"], &totals["damaged"]), (&4.into(), &3.into()));
        let output = store.documents(&["verify"]).await;
        assert_eq!(output.code, Some(1));
        assert_eq!(output.stderr, "documents: 3 of 4 files are damaged or missing\n");
        let lines: Vec<&str> = output.stdout.lines().collect();
        assert_eq!(lines.len(), 6, "{}", output.stdout);
        for (line, document, fault) in [
            (lines[0], &flipped, "wrong hash  file "),
            (lines[1], &cut, "wrong size  file "),
            (lines[2], &removed, "missing     file "),
        ] {
            assert!(line.starts_with(fault) && line.contains(&document.object), "{line}");
        }
        assert!(lines[1].ends_with(": 300000 bytes expected, 299999 found"), "{}", lines[1]);
        store.world
    })
    .await;
}

#[tokio::test]
async fn orphaned_objects_are_counted_without_fault_and_swept() {
    on_each_database(PROGRAM, |world| async move {
        let store = DocumentFolder::of(world).await;
        let document = store.upload("one.txt", b"words").await;
        let orphan = store.write_object(&format!("00/{ORPHAN}"), b"no row", 23);
        let unfinished = store.write_object(&format!("00/{ORPHAN}#1"), b"half", 23);
        let old = store.write_object(&format!("00/{ORPHAN}-2"), b"older", 25);
        let lines = store.verify(0).await;
        let totals = lines.last().expect("totals");
        assert_eq!(lines.len(), 3, "{lines:?}");
        let named: Vec<_> = lines.iter().map(|line| &line["object_without_row"]).collect();
        assert!(named.contains(&&json!(format!("00/{ORPHAN}"))), "{lines:?}");
        assert_eq!(
            *totals,
            json!({
                "files": 1, "bytes": 5, "damaged": 0, "objects_without_row": 2,
                "bytes_without_row": 11, "unfinished_uploads": 1, "bytes_unfinished": 4,
            })
        );
        let text = store.documents(&["verify"]).await.expect_success();
        assert!(
            text.contains("\n2 objects without a row, 11 bytes, left for the sweep\n"),
            "{text}"
        );
        assert!(text.ends_with("\n1 unfinished upload, 4 bytes, left for the sweep\n"), "{text}");
        assert_eq!(store.documents(&["sweep"]).await.expect_success(), "1 object removed\n");
        assert!(!old.exists() && orphan.exists() && unfinished.exists());
        assert_eq!(
            store.documents(&["sweep", "--hours", "0"]).await.expect_success(),
            "2 objects removed\n"
        );
        assert!(
            !orphan.exists()
                && !unfinished.exists()
                && store.object_path(&document.object).exists()
        );
        assert_eq!(
            store.documents(&["sweep", "--hours", "0"]).await.expect_success(),
            "0 objects removed\n"
        );
        assert_eq!(store.verify(0).await.len(), 1);
        store.world
    })
    .await;
}

#[tokio::test]
async fn the_first_hundred_orphaned_objects_are_named_and_all_counted() {
    on_each_database(PROGRAM, |world| async move {
        let store = DocumentFolder::of(world).await;
        for number in 0..1_200 {
            store.write_object(&format!("00/{ORPHAN}-{number}"), b"1", 0);
        }
        let lines = store.verify(0).await;
        assert_eq!(lines.len(), 101);
        assert_eq!(lines[100]["objects_without_row"], 1_200);
        assert_eq!(
            store.documents(&["sweep", "--hours", "0"]).await.expect_success(),
            "1200 objects removed\n"
        );
        store.world
    })
    .await;
}

#[tokio::test]
async fn a_verification_during_uploads_and_removals_finds_no_fault() {
    on_each_database(PROGRAM, |world| async move {
        let store = DocumentFolder::of(world).await;
        let mut document = Vec::new();
        for _ in 0..20 {
            document.push(store.upload("one.txt", &[b'x'; 300_000]).await);
        }
        let changes = async {
            for database in &document {
                store.remove(database).await;
                store.upload("two.txt", b"words").await;
            }
        };
        let verifications = async {
            for _ in 0..5 {
                store.verify(0).await;
            }
        };
        tokio::join!(changes, verifications);
        assert_eq!(store.verify(0).await[0]["files"], 20);
        store.world
    })
    .await;
}

/// Eight files are read at once. Nine are pipes that block their readers; so when the tenth is
/// removed, its row has been read but its object has not.
#[tokio::test]
async fn a_file_removed_during_verification_is_not_missing() {
    on_each_database(PROGRAM, |world| async move {
        let store = DocumentFolder::of(world).await;
        let mut slow = Vec::new();
        for _ in 0..9 {
            let object_path_of =
                store.object_path(&store.upload("slow.txt", b"words").await.object);
            std::fs::remove_file(&object_path_of).expect("a file");
            shell("mkfifo \"$0\"", &object_path_of).await;
            slow.push(object_path_of);
        }
        let tenth = store.upload("removed.txt", b"words").await;
        let removal = async {
            // Opening a pipe for writing waits for a reader.
            shell(": > \"$0\"", &slow[0]).await;
            store.remove(&tenth).await;
            for object_path_of in &slow[1..] {
                shell(": > \"$0\"", object_path_of).await;
            }
        };
        let (lines, ()) = tokio::join!(store.verify(1), removal);
        let faults: Vec<_> = lines.iter().map(|line| &line["fault"]).collect();
        assert_eq!(faults, [vec![&json!("unreadable"); 9], vec![&Value::Null]].concat());
        assert_eq!((&lines[9]["files"], &lines[9]["damaged"]), (&9.into(), &9.into()));
        store.world
    })
    .await;
}

/// Runs a line of shell on a file.
async fn shell(line: &str, object_path_of: &Path) {
    let mut command = Command::new("timeout");
    let status = command.args(["20", "sh", "-c", line]).arg(object_path_of).status().await;
    assert!(status.expect("a shell").success(), "{line} {}", object_path_of.display());
}

/// Like a disk's `lost+found`, which only root may read.
#[tokio::test]
async fn folders_without_objects_are_ignored() {
    on_each_database(PROGRAM, |world| async move {
        let store = DocumentFolder::of(world).await;
        let document = store.upload("one.txt", b"words").await;
        let old = store.write_object(&format!("00/{ORPHAN}"), b"no row", 25);
        let partial = store.write_object(&format!("00/{ORPHAN}#1"), b"half", 25);
        let other = store.write_object(&format!("lost+found/{ORPHAN}#1"), b"no object", 25);
        for name in ["lost+found/loop", "loop", "zz"] {
            shell("ln -s \"$0\" \"$0\"", &store.object_path(name)).await;
        }
        assert_eq!(store.verify(0).await.len(), 2);
        assert_eq!(store.documents(&["sweep"]).await.expect_success(), "2 objects removed\n");
        assert!(!old.exists() && !partial.exists());
        assert!(other.exists() && store.object_path(&document.object).exists());
        // A store without its name may be a folder that is not mounted.
        std::fs::remove_file(store.object_path("owner")).expect("a file");
        for arguments in [&["verify"][..], &["sweep"]] {
            let refused = store.documents(arguments).await;
            refused.expect_refusal("this is not the database's object store");
        }
        store.world
    })
    .await;
}

#[tokio::test]
async fn invalid_settings_and_a_missing_store_are_one_line_errors() {
    on_each_database(PROGRAM, |world| async move {
        let database = format!("API_DATABASE_URL={}", world.database_url);
        let missing = world.folder.path().join("nowhere");
        let settings = |extra: &str| file(&world, "some.env", &format!("{database}\n{extra}\n"));
        let bucket = "API_DOCUMENTS=s3://papers\nAPI_S3_ENDPOINT=http://127.0.0.1:1\n\
                      API_S3_ACCESS_KEY_ID=me\nAPI_S3_SECRET_ACCESS_KEY=a-secret";
        let partial = |key: &str| format!("API_DOCUMENTS=s3://papers\nAPI_S3_{key}");
        for (env_file, expected) in [
            ("/no/such/file".to_owned(), "cannot read /no/such/file"),
            (
                world.folder.path().join("auth-server.env").display().to_string(),
                "no database given",
            ),
            (settings("API_DOCUMENTZ=x"), "unknown setting API_DOCUMENTZ"),
        ] {
            documents(Path::new(&env_file), &["verify"]).await.expect_refusal(expected);
        }
        for (extra, expected) in [
            ("API_DOCUMENTS=ftp://papers".to_owned(), "must be a folder, s3://BUCKET"),
            (format!("API_DOCUMENTS={}", missing.display()), "the folder does not exist"),
            (bucket.to_owned(), "the object store: "),
            (partial("ACCESS_KEY_ID=me"), "API_S3_ACCESS_KEY_ID, API_S3_SECRET_ACCESS_KEY: one"),
            (
                partial("SECRET_ACCESS_KEY=so"),
                "API_S3_ACCESS_KEY_ID, API_S3_SECRET_ACCESS_KEY: one",
            ),
        ] {
            let env_file = settings(&extra);
            for arguments in [&["verify"][..], &["sweep"], &["adopt", "--yes"]] {
                documents(Path::new(&env_file), arguments).await.expect_refusal(expected);
            }
        }
        assert!(!missing.exists());
        world
    })
    .await;
}
