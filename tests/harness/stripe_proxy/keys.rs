//! Stripe's handling of idempotency keys, for a provider that ignores them.

use super::recorded_request::{RecordedRequest, Reply};
use std::collections::HashMap;
use std::sync::Mutex;

/// A key's request and answer.
struct StoredReply {
    /// The method, the path and the form.
    request_line: String,
    /// The answer; `None` while the request is being carried out.
    reply: Option<Reply>,
}

/// The keys; `None` if they are ignored.
#[derive(Default)]
pub(super) struct IdempotencyKeys(Mutex<Option<HashMap<String, StoredReply>>>);

impl IdempotencyKeys {
    /// Handles keys from now on.
    pub(super) fn remember(&self) {
        *self.0.lock().expect("not poisoned") = Some(HashMap::new());
    }

    /// Begins a request under a key. Returns the answer to send instead of carrying it out, if
    /// there is one.
    pub(super) fn begin(&self, key: &str, request: &RecordedRequest) -> Option<Reply> {
        let mut keys = self.0.lock().expect("not poisoned");
        let keys = keys.as_mut()?;
        let request_line = format!("{} {} {}", request.method, request.path, request.body);
        match keys.get(key) {
            None => {
                keys.insert(key.to_owned(), StoredReply { request_line, reply: None });
                None
            }
            Some(stored) if stored.request_line != request_line => Some(Reply::error(
                400,
                "idempotency_error",
                None,
                "The key was used before, with other parameters.",
            )),
            Some(StoredReply { reply: None, .. }) => Some(Reply::error(
                409,
                "idempotency_error",
                Some("idempotency_key_in_use"),
                "Another request with this key is being processed.",
            )),
            Some(StoredReply { reply: Some(reply), .. }) => {
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
                if let Some(stored) = keys.get_mut(key) {
                    stored.reply = Some(reply.clone());
                }
            }
            _ => drop(keys.remove(key)),
        }
    }
}
