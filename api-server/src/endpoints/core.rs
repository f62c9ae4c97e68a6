//! `/core`: operations on the core system as a whole.

pub mod xml_import;
