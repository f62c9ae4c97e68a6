//! Which privilege an operation needs, said in the document by the table that is asked for it.

use crate::operations;
use crate::privileges::Privilege;
use poem::http::Method;
use serde_json::{Value, json};

/// Adds a sentence on its privilege to every operation.
pub fn describe(document: &mut Value) {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for (path, on_path) in paths.into_iter().flatten() {
        let on_path = on_path.as_object_mut();
        for (method, operation) in on_path.into_iter().flatten() {
            let found = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).ok();
            let found = found.and_then(|method| operations::find(&method, path));
            let text = operation["description"].as_str().unwrap_or_default();
            let right = match found.and_then(|operation| operation.privilege) {
                Some(Privilege(path, verb)) => {
                    format!("A core-system user needs the privilege `{path} > {verb}`.")
                }
                // Where there is more to say, it is said.
                None if !text.is_empty() => continue,
                None => "Every core-system user may ask.".to_owned(),
            };
            operation["description"] = json!(format!("{text}\n\n{right}").trim_start());
        }
    }
}
