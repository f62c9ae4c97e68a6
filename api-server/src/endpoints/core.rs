//! `/core`: what concerns the core system as a whole.

pub mod xml_import;
