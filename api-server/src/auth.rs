//! Authentication and authorization: token introspection, privileges, and row visibility in every
//! query.

pub mod auth_client;
pub mod caller;
pub mod caller_lookups;
pub mod privileges;
pub mod visibility;
pub mod visible_rows;
