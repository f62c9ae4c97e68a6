//! Descriptions of members whose names say what they are, and of those that mean the same in many
//! objects. All others are described where they are declared.

use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// Descriptions by name, or by object and name where that differs from the others.
static DESCRIPTIONS: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("members.json")).unwrap_or_default());

/// Describes the members that have no description, in every object.
pub(super) fn describe(document: &mut Value) {
    let schemas = document["components"]["schemas"].as_object_mut().into_iter().flatten();
    for (object, schema) in schemas {
        let members = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, member) in members.into_iter().flatten().filter(|(_, it)| !is_described(it)) {
            let own = DESCRIPTIONS.get(&format!("{object}.{name}"));
            if let Some(description) = own.or_else(|| DESCRIPTIONS.get(name)) {
                member["description"] = json!(description);
            }
        }
    }
}

/// True if a member has a description. One that refers to a type has that of the type.
fn is_described(member: &Value) -> bool {
    ["description", "$ref", "allOf"].iter().any(|key| !member[*key].is_null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router;
    use std::collections::BTreeSet;

    #[test]
    fn every_member_is_described_and_every_description_used() {
        let document: Value = serde_json::from_str(router::document()).unwrap();
        let mut used = BTreeSet::new();
        for (object, schema) in document["components"]["schemas"].as_object().unwrap() {
            for (name, member) in schema["properties"].as_object().into_iter().flatten() {
                assert!(is_described(member), "{object}.{name}");
                let keys = [format!("{object}.{name}"), name.clone()];
                let key = keys.into_iter().find(|key| DESCRIPTIONS.contains_key(key));
                used.extend(key.filter(|key| DESCRIPTIONS[key] == member["description"]));
            }
        }
        let unused: Vec<_> = DESCRIPTIONS.keys().filter(|key| !used.contains(*key)).collect();
        assert!(unused.is_empty(), "{unused:?}");
    }
}
