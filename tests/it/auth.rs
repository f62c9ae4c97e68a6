//! The auth server.

mod introspect;
mod lifetimes;
mod logout;
mod metadata;
mod revoke;
mod token;
