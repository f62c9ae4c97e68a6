//! Makes one operation on the files of an embedded database fail, as a bad or full disk does, or a
//! lock of another program. The servers load a library of C functions in place of the system's,
//! which `file_faults.c` describes.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// An operation on a file of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOperation {
    Read,
    Write,
    /// Waits until what was written is on the disk.
    Sync,
    Lock,
    /// Shortens the file.
    Truncate,
}

use FileOperation::{Lock, Read, Sync, Truncate, Write};

impl FileOperation {
    /// As `file_faults.c` numbers them.
    const ALL: [Self; 5] = [Read, Write, Sync, Lock, Truncate];

    fn of(number: u8) -> Self {
        Self::ALL[usize::from(number) - 1]
    }
}

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFault {
    /// A lock is taken by another program; anything else is an I/O error.
    Error,
    /// The disk is full.
    Full,
}

/// The library and its plan, for one process.
pub struct FileFaults {
    folder: TempDir,
    plan: File,
}

/// The members of the plan, four bytes each, and what follows them.
const MODE: u64 = 0;
const COUNT: u64 = 4;
const FAILS: u64 = 8;
const FAILED: u64 = 12;
const OPERATIONS: u64 = 16;
/// The length of the plan.
const LENGTH: u64 = OPERATIONS + 4096;
/// The modes.
const PASS: u32 = 0;
const COUNTING: u32 = 1;
const FAIL: u32 = 2;
const FAIL_AS_FULL: u32 = 3;

impl FileFaults {
    /// Compiles the library, and plans no fault.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness/file_faults.c");
        let library = folder.path().join("file_faults.so");
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&library, &source])
            .output()
            .expect("a C compiler, which the product needs, too");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let path = folder.path().join("plan");
        fs::write(&path, vec![0; usize::try_from(LENGTH).expect("short")]).expect("a plan");
        let plan = OpenOptions::new().read(true).write(true).open(path).expect("the plan");
        Self { folder, plan }
    }

    /// The environment of a server that loads the library.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let path = |name: &str| -> PathBuf { self.folder.path().join(name) };
        let variables = [("LD_PRELOAD", "file_faults.so"), ("FILE_FAULTS", "plan")];
        let variables = variables
            .map(|(name, file)| (name.to_owned(), path(file).to_str().expect("UTF-8").to_owned()));
        variables.into()
    }

    /// Counts operations from now on.
    pub fn count(&self) {
        self.begin(COUNTING, 0);
    }

    /// The operations since [`FileFaults::count`].
    pub fn counted(&self) -> Vec<FileOperation> {
        let count = self.read(COUNT);
        let mut operations = vec![0; usize::try_from(count).expect("not so many")];
        self.set(MODE, PASS);
        self.plan.read_exact_at(&mut operations, OPERATIONS).expect("the plan has room for them");
        operations.into_iter().map(FileOperation::of).collect()
    }

    /// Makes an operation fail: the one before which there are this many.
    pub fn fail(&self, skipped: usize, fault: FileFault) {
        let mode = if fault == FileFault::Full { FAIL_AS_FULL } else { FAIL };
        self.begin(mode, u32::try_from(skipped + 1).expect("not so many"));
    }

    /// Withdraws the fault; returns the operation that has failed.
    pub fn struck(&self) -> Option<FileOperation> {
        self.set(MODE, PASS);
        let failed = u8::try_from(self.read(FAILED)).expect("a number");
        (failed > 0).then(|| FileOperation::of(failed))
    }

    fn begin(&self, mode: u32, fails: u32) {
        self.set(MODE, PASS);
        self.set(COUNT, 0);
        self.set(FAILED, 0);
        self.set(FAILS, fails);
        self.set(MODE, mode);
    }

    fn set(&self, at: u64, value: u32) {
        self.plan.write_all_at(&value.to_ne_bytes(), at).expect("the plan");
    }

    fn read(&self, at: u64) -> u32 {
        let mut value = [0; 4];
        self.plan.read_exact_at(&mut value, at).expect("the plan");
        u32::from_ne_bytes(value)
    }
}

impl Default for FileFaults {
    fn default() -> Self {
        Self::new()
    }
}
