//! HTTP plumbing: forms, cookies, client addresses, and OAuth errors.

pub mod browser;
pub mod oauth_error;
pub mod request;
pub mod source;
