//! What the history calls fields.

use shared::entity::json_names;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// The name of a field, and what people call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// As in JSON.
    pub field: String,
    /// In words.
    pub label: String,
}

impl Names {
    /// Those of a column; made once, because one import asks for them millions of times.
    pub fn of(column: &str) -> Arc<Self> {
        static KNOWN: LazyLock<RwLock<HashMap<String, Arc<Names>>>> =
            LazyLock::new(RwLock::default);
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(column).cloned();
        known.unwrap_or_else(|| {
            let names = Arc::new(Self {
                field: json_names::json_name(column),
                label: json_names::label(column),
            });
            let mut all = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
            all.insert(column.to_owned(), Arc::clone(&names));
            names
        })
    }
}
