//! The auth server.

mod authorize;
mod clients;
mod cors;
mod database_away;
mod foreign_clients;
mod introspect;
mod keys;
pub mod lifetimes;
mod lockout;
mod login_page;
mod logout;
mod metadata;
mod pages;
mod places;
mod refresh;
mod revoke;
mod token;
