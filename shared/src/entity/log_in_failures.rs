//! Failed log-ins and client authentications, counted per account and per source network by the
//! database's clock, so that all replicas count together.
//!
//! An account is stored as a hash of the name that was typed: it may not be a user's name, or may
//! be a password typed into the wrong field.

use crate::introspection::UserKind;
use crate::time::Timestamp;
use aws_lc_rs::digest::{SHA256, digest};

#[shared_macros::table("log_in_failures")]
pub struct Model {
    /// Hashed account or source network: see [`account`], [`source`] and [`clients_of`].
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject: String,
    pub failures: i32,
    pub first_failure_date: Timestamp,
    pub last_failure_date: Timestamp,
}

/// Returns the subject under which failures of a user name are counted.
pub fn account(kind: UserKind, user_name: &str) -> String {
    format!("{}:{}", kind.as_str(), hex::encode(digest(&SHA256, user_name.as_bytes())))
}

/// Returns the subject under which failed log-ins of a network are counted.
pub fn source(network: &str) -> String {
    format!("source:{network}")
}

/// Returns the subject under which failed client authentications of a network are counted.
pub fn clients_of(network: &str) -> String {
    format!("clients:{network}")
}
