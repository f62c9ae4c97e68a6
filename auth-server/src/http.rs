//! What requests and answers have in common: forms, cookies, addresses, and errors as OAuth clients
//! expect them.

pub mod browser;
pub mod oauth_error;
pub mod request;
pub mod source;
