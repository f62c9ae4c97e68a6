//! HTTP plumbing: forms, cookies, client addresses, and OAuth errors.

pub mod browser;
pub mod client_address;
pub mod oauth_error;
pub mod request;
