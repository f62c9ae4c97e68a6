//! What browsers are shown and allowed.

pub mod cors;
pub mod page_error;
pub mod pages;
pub mod redirects;
