//! `/core`

mod xml_import;
