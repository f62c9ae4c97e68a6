//! Free space of the folders that a server fills.

use crate::telemetry::Metrics;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Percentage of a file system below which its free space is low, unless it is as much as
/// [`FREE_BYTES_ENOUGH`].
const FREE_PERCENT_MIN: u64 = 5;
/// Free space that is enough on a file system of any size: a twentieth of a large one is no alarm.
const FREE_BYTES_ENOUGH: u64 = 5 << 30;

/// Free space of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSpace {
    /// Bytes that this process may still write.
    pub free: u64,
    /// Size in bytes.
    pub size: u64,
}

impl DiskSpace {
    /// Returns the space of the file system with this folder.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let found = rustix::fs::statvfs(folder)?;
        let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
        Ok(Self { free: bytes(found.f_bavail), size: bytes(found.f_blocks) })
    }

    /// True if less than 5 %, and less than 5 GiB, is free.
    pub fn is_low(self) -> bool {
        self.free < FREE_BYTES_ENOUGH && self.free / FREE_PERCENT_MIN < self.size / 100
    }
}

impl fmt::Display for DiskSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const GIB: f64 = (1_u64 << 30) as f64;
        write!(f, "{:.1} of {:.1} GiB free", self.free as f64 / GIB, self.size as f64 / GIB)
    }
}

/// Folders whose free space is watched, by name.
pub struct WatchedFolders {
    folders: Vec<(&'static str, PathBuf)>,
    free: Family<FolderLabel, Gauge>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FolderLabel {
    folder: &'static str,
}

impl WatchedFolders {
    /// Watches these folders, with their free space as metrics.
    pub fn new(folders: Vec<(&'static str, PathBuf)>, metrics: &mut Metrics) -> Self {
        let watched = Self { folders, free: Family::default() };
        let help = "Bytes free in the folders that this server fills";
        metrics.register("folder_free_bytes", help, watched.free.clone());
        watched
    }

    /// Measures them, and logs those with little space left. Blocks while a file system does not
    /// respond.
    pub fn measure(&self) -> io::Result<()> {
        for (folder, path) in &self.folders {
            let space = DiskSpace::of(path)?;
            let free = i64::try_from(space.free).unwrap_or(i64::MAX);
            self.free.get_or_create(&FolderLabel { folder }).set(free);
            if space.is_low() {
                tracing::warn!(folder, %space, "little space is left");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_than_a_twentieth_and_than_five_gibibytes_is_low() {
        for (free, size, is_low) in [
            (0, 100, true),
            (4, 100, true),
            (5, 100, false),
            (4, 1000, true),
            (5, 1000, false),
            (1, 20, false),
            (1, 21, true),
        ] {
            let space = DiskSpace { free: free << 30, size: size << 30 };
            assert_eq!(space.is_low(), is_low, "{space}");
        }
        assert!(DiskSpace::of(Path::new("/")).is_ok_and(|space| space.size > 0));
    }
}
