//! Operations that write: in their turn, in one transaction, and once for each key.

pub mod effects;
pub mod failure;
pub mod idempotency;
pub mod turns;
