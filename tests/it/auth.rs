//! The auth server.

mod authorize;
mod clients;
mod cors;
mod database_outage;
mod introspect;
mod keys;
pub mod lifetimes;
mod lockout;
mod login_page;
mod logout;
mod metadata;
mod pages;
mod rate_limits;
mod refresh;
mod revoke;
mod third_party_clients;
mod token;
