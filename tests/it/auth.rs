//! The auth server.

mod authorize;
mod introspect;
pub mod lifetimes;
mod logout;
mod metadata;
mod refresh;
mod revoke;
mod token;
