//! Names and labels of fields in the history.

use shared::entity::json_names;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// Name and label of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldNames {
    /// Name of the member in JSON.
    pub field: String,
    /// Label shown to users.
    pub label: String,
}

impl FieldNames {
    /// Returns the names of a column. They are cached, because one import needs them millions of
    /// times.
    pub fn of(column: &str) -> Arc<Self> {
        static CACHE: LazyLock<RwLock<HashMap<String, Arc<FieldNames>>>> =
            LazyLock::new(RwLock::default);
        let cached = CACHE.read().unwrap_or_else(PoisonError::into_inner).get(column).cloned();
        cached.unwrap_or_else(|| {
            let names = Arc::new(Self {
                field: json_names::json_name(column),
                label: json_names::label(column),
            });
            let mut cache = CACHE.write().unwrap_or_else(PoisonError::into_inner);
            cache.insert(column.to_owned(), Arc::clone(&names));
            names
        })
    }
}
