//! The auth server.

mod authorize;
mod clients;
mod cors;
mod introspect;
mod keys;
pub mod lifetimes;
mod lockout;
mod logout;
mod metadata;
mod refresh;
mod revoke;
mod token;
