//! Pages, redirects and CORS: everything specific to browsers.

pub mod cors;
pub mod html_error;
pub mod pages;
pub mod redirects;
