//! Ownership of a store: what copies and restored dumps of a database may do to it, and how the
//! administrator resolves it. The other database is simulated by putting its id into the setting.

use super::{DocumentFolder, ORPHAN, StoredDocument, documents, file};
use crate::PROGRAM;
use acceptance::on_each_database;
use std::path::PathBuf;

/// Part of the message for a store that belongs to another database.
const MOVED_ON: &str = "now belongs to another database";

/// A store with everything that a sweep could remove.
struct ContestedStore {
    store: DocumentFolder,
    document: StoredDocument,
    orphan: PathBuf,
    unfinished: PathBuf,
}

impl ContestedStore {
    async fn of(store: DocumentFolder) -> Self {
        let document = store.upload("one.txt", b"words").await;
        let orphan = store.write_object(&format!("00/{ORPHAN}"), b"no row", 23);
        let unfinished = store.write_object(&format!("00/{ORPHAN}#1"), b"half", 23);
        Self { store, document, orphan, unfinished }
    }

    /// Makes the object without a row another day older.
    fn age_objects(&self) {
        self.store.write_object(&format!("00/{ORPHAN}"), b"no row", 48);
    }

    /// Checks that every sweep refuses, however old things are.
    async fn check_sweeps_are_refused(&self) {
        self.age_objects();
        for arguments in [&["sweep"][..], &["sweep", "--hours", "0"]] {
            self.store.documents(arguments).await.expect_refusal(MOVED_ON);
        }
        assert!(self.orphan.exists() && self.unfinished.exists());
        assert!(self.store.object_path(&self.document.object).exists());
    }
}

impl DocumentFolder {
    async fn names(&self) -> String {
        self.world.text("SELECT value FROM settings WHERE name = 'document_store_id'").await
    }

    async fn set_names(&self, names: &str) {
        let update = format!("UPDATE settings SET value = '{names}'");
        self.world.sql(&format!("{update} WHERE name = 'document_store_id'")).await;
    }

    fn owner(&self) -> String {
        std::fs::read_to_string(self.object_path("owner")).expect("an owner")
    }
}

#[tokio::test]
async fn a_restored_older_database_does_not_sweep_until_it_adopts_the_store() {
    on_each_database(PROGRAM, |world| async move {
        let contested = ContestedStore::of(DocumentFolder::of(world).await).await;
        let store = &contested.store;
        let dumped = store.names().await;
        assert_eq!(store.documents(&["sweep"]).await.expect_success(), "0 objects removed\n");
        assert_ne!(store.names().await, dumped);
        store.set_names(&dumped).await;
        for _ in 0..2 {
            let lines = store.verify(0).await;
            assert!(lines[0]["warning"].as_str().expect("a text").contains(MOVED_ON), "{lines:?}");
            assert_eq!((&lines[2]["files"], &lines[2]["damaged"]), (&1.into(), &0.into()));
            let output = store.documents(&["verify"]).await.expect_success();
            assert!(output.starts_with("warning     the object store now belongs"), "{output}");
            contested.check_sweeps_are_refused().await;
        }
        let before = (store.names().await, store.owner());
        let output = store.documents(&["adopt"]).await;
        let means = "1 file in the database\n\
                     1 object without a row, 6 bytes: sweeps remove those older than a day\n";
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), means));
        assert!(output.stderr.contains("nothing was changed: pass --yes"), "{}", output.stderr);
        assert_eq!((store.names().await, store.owner()), before);
        contested.check_sweeps_are_refused().await;
        let done = store.documents(&["adopt", "--yes"]).await.expect_success();
        assert_eq!(done, format!("{means}the store now belongs to this database\n"));
        assert_eq!(store.verify(0).await.len(), 2);
        assert_eq!(store.documents(&["sweep"]).await.expect_success(), "1 object removed\n");
        assert_eq!(
            store.documents(&["sweep", "--hours", "0"]).await.expect_success(),
            "1 object removed\n"
        );
        assert!(store.object_path(&contested.document.object).exists());
        contested.store.world
    })
    .await;
}

/// The copy does not know what the original has received since.
#[tokio::test]
async fn a_copy_that_swept_first_is_stopped_by_the_original() {
    on_each_database(PROGRAM, |world| async move {
        let contested = ContestedStore::of(DocumentFolder::of(world).await).await;
        let store = &contested.store;
        let original = store.names().await;
        // The copy sweeps; nothing is old enough yet.
        for _ in 0..2 {
            assert_eq!(store.documents(&["sweep"]).await.expect_success(), "0 objects removed\n");
        }
        let copy = store.names().await;
        store.set_names(&original).await;
        contested.check_sweeps_are_refused().await;
        store.set_names(&copy).await;
        contested.check_sweeps_are_refused().await;
        // A database that was refused leaves the store alone afterwards, and may have one of its
        // own.
        let (given_up, owner) = (store.names().await, store.owner());
        contested.check_sweeps_are_refused().await;
        assert_eq!(store.owner(), owner);
        let other_folder = store.world.folder.path().join("own");
        std::fs::create_dir(&other_folder).expect("a folder");
        let lines = format!(
            "API_DATABASE_URL={}\nAPI_DOCUMENTS={}\n",
            store.world.database_url,
            other_folder.display()
        );
        let env_file = PathBuf::from(file(&store.world, "own.env", &lines));
        let refused = documents(&env_file, &["sweep"]).await;
        assert_eq!(refused.code, Some(1), "{}", refused.stdout);
        documents(&env_file, &["adopt", "--yes"]).await.expect_success();
        for _ in 0..2 {
            let done = documents(&env_file, &["sweep"]).await.expect_success();
            assert_eq!(done, "0 objects removed\n");
        }
        store.set_names(&original).await;
        store.documents(&["adopt", "--yes"]).await.expect_success();
        let adopted = store.names().await;
        store.set_names(&given_up).await;
        contested.check_sweeps_are_refused().await;
        store.set_names(&adopted).await;
        assert_eq!(store.documents(&["sweep"]).await.expect_success(), "1 object removed\n");
        contested.store.world
    })
    .await;
}

#[tokio::test]
async fn an_interrupted_claim_of_the_store_is_completed_later() {
    on_each_database(PROGRAM, |world| async move {
        let contested = ContestedStore::of(DocumentFolder::of(world).await).await;
        let store = &contested.store;
        contested.age_objects();
        let ahead = format!("{} {}", "0f".repeat(16), store.names().await);
        store.set_names(&ahead).await;
        assert_eq!(store.verify(0).await.len(), 2, "nobody has taken it");
        assert_eq!(store.documents(&["sweep"]).await.expect_success(), "1 object removed\n");
        // The setting does not move on again, so that the sweep may be cut short once more.
        assert_eq!((store.names().await, store.owner()), (ahead.clone(), "0f".repeat(16)));
        assert_eq!(store.documents(&["sweep"]).await.expect_success(), "0 objects removed\n");
        assert_ne!(store.names().await, ahead);
        contested.store.world
    })
    .await;
}

#[tokio::test]
async fn concurrent_sweeps_do_not_refuse_each_other() {
    on_each_database(PROGRAM, |world| async move {
        let store = DocumentFolder::of(world).await;
        for round in 0..10 {
            let sweeps = (0..2).map(|_| {
                let (documents, db) = (store.world.documents(), store.world.db.clone());
                tokio::spawn(async move { documents.sweep(&db, 24).await })
            });
            let old = store.write_object(&format!("00/{ORPHAN}-{round}"), b"no row", 25);
            for sweep in sweeps.collect::<Vec<_>>() {
                sweep.await.expect("a task").expect("a sweep");
            }
            assert!(!old.exists());
            let (names, owner) = (store.names().await, store.owner());
            assert!(names.contains(&owner), "{owner} is none of {names}");
        }
        assert_eq!(store.documents(&["sweep"]).await.expect_success(), "0 objects removed\n");
        assert!(store.names().await.starts_with(&store.owner()));
        store.world
    })
    .await;
}
