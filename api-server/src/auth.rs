//! Who is calling and what the caller may see: tokens are introspected, rights read, and every query
//! narrowed.

pub mod auth_client;
pub mod caller;
pub mod privileges;
pub mod visibility;
