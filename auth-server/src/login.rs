//! Users who prove who they are, and strangers who guess.

pub mod core_users;
pub mod lockout;
pub mod log_in;
pub mod web_users;
