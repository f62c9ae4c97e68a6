//! Commands: operations that write. Each waits its turn in the lock queue, runs in one transaction,
//! and takes effect once per idempotency key.

pub mod execute;
pub mod failure;
pub mod group_commit;
pub mod idempotency;
pub mod lock_queues;
