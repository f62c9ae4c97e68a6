//! Stripe's handling of idempotency keys, for a provider that ignores them.

use super::asked::{Asked, Reply};
use std::collections::HashMap;
use std::sync::Mutex;

/// A key's request and answer.
struct Known {
    /// The method, the path and the form.
    asked: String,
    /// The answer; `None` while the request is being carried out.
    reply: Option<Reply>,
}

/// The keys; `None` if they are ignored.
#[derive(Default)]
pub(super) struct Keys(Mutex<Option<HashMap<String, Known>>>);

impl Keys {
    /// Handles keys from now on.
    pub(super) fn keep(&self) {
        *self.0.lock().expect("not poisoned") = Some(HashMap::new());
    }

    /// Begins a request under a key. Returns the answer to send instead of carrying it out, if
    /// there is one.
    pub(super) fn begin(&self, key: &str, asked: &Asked) -> Option<Reply> {
        let mut keys = self.0.lock().expect("not poisoned");
        let keys = keys.as_mut()?;
        let line = format!("{} {} {}", asked.method, asked.path, asked.body);
        match keys.get(key) {
            None => {
                keys.insert(key.to_owned(), Known { asked: line, reply: None });
                None
            }
            Some(known) if known.asked != line => Some(Reply::error(
                400,
                "idempotency_error",
                None,
                "The key was used before, with other parameters.",
            )),
            Some(Known { reply: None, .. }) => Some(Reply::error(
                409,
                "idempotency_error",
                Some("idempotency_key_in_use"),
                "Another request with this key is being processed.",
            )),
            Some(Known { reply: Some(reply), .. }) => {
                Some(reply.clone().with("idempotent-replayed", "true"))
            }
        }
    }

    /// Finishes a request. Answers are stored, errors too, except those of requests that were not
    /// begun.
    pub(super) fn finish(&self, key: &str, reply: Option<&Reply>) {
        let mut keys = self.0.lock().expect("not poisoned");
        let Some(keys) = keys.as_mut() else { return };
        match reply {
            Some(reply) if !matches!(reply.status, 400 | 401 | 409 | 429) => {
                if let Some(known) = keys.get_mut(key) {
                    known.reply = Some(reply.clone());
                }
            }
            _ => drop(keys.remove(key)),
        }
    }
}
