//! The auth server's state: sessions, browser log-ins, authorization requests, log-in failures,
//! audit events, and the keys that sign ID tokens.

use super::super::table::{Table, choice, flag, id, int, key, string, text, time};

/// The tables.
pub(super) fn tables() -> impl Iterator<Item = Table> {
    [log_ins(), records()].into_iter().flatten()
}

/// A privilege's path, a separator and its verb.
const PRIVILEGE_CHARACTERS: u32 = 100 + 3 + 20;
const USER_KINDS: &[&str] = &["core", "web"];

/// Sessions, and the log-ins and requests they come from.
fn log_ins() -> Vec<Table> {
    vec![
        Table::new("auth_sessions")
            .columns([
                string("session_id", 43).primary(),
                string("public_id", 43),
                choice("user_kind", USER_KINDS),
                id("user_id"),
                string("client_id", 100),
                string("scope", 100),
                time("log_in_date"),
                string("browser_id", 64).optional(),
                string("refresh_hash", 90).optional(),
                string("previous_refresh_hash", 90).optional(),
                flag("contested_flag"),
                time("refreshed_date"),
            ])
            .unique(&["public_id"])
            .index(&["user_kind", "user_id"])
            .index(&["browser_id"])
            .index(&["refreshed_date"]),
        Table::new("browser_log_ins")
            .columns([
                string("browser_id", 64).primary(),
                choice("user_kind", USER_KINDS),
                id("user_id"),
                time("log_in_date"),
                time("used_date"),
            ])
            .index(&["user_kind", "user_id"])
            .index(&["used_date"]),
        Table::new("authorization_requests")
            .columns([
                string("request_id", 64).primary(),
                string("browser_secret_hash", 64),
                string("client_id", 100),
                text("redirect_uri"),
                string("scope", 100),
                text("state").optional(),
                text("nonce").optional(),
                string("code_challenge", 43),
                string("login_hint", 200).optional(),
                string("source_network", 50),
                time("created_date"),
                string("code_hash", 90).optional(),
                time("code_date").optional(),
                choice("user_kind", USER_KINDS),
                id("user_id").optional(),
                time("log_in_date").optional(),
                string("browser_id", 64).optional(),
                string("session_id", 43).optional(),
                time("used_date").optional(),
            ])
            .unique(&["code_hash"])
            .index(&["created_date"])
            .index(&["source_network"])
            .index(&["browser_id"])
            .index(&["user_kind", "user_id"]),
    ]
}

/// Failure counts, audit events, signing keys and client assertions.
fn records() -> Vec<Table> {
    vec![
        Table::new("log_in_failures")
            .columns([
                string("subject", 80).primary(),
                int("failures"),
                time("first_failure_date"),
                time("last_failure_date"),
            ])
            .index(&["last_failure_date"]),
        Table::new("auth_events")
            .columns([
                key("event_id"),
                time("event_date"),
                string("event", 40),
                string("reason", 40).optional(),
                string("actor", 100).optional(),
                choice("user_kind", USER_KINDS).optional(),
                id("user_id").optional(),
                string("user_name", 50).optional(),
                string("client_id", 100).optional(),
                string("source", 45).optional(),
                string("request_id", 32).optional(),
                string("token_hash_prefix", 30).optional(),
                string("privilege", PRIVILEGE_CHARACTERS).optional(),
                string("group_name", 50).optional(),
            ])
            .index(&["event_date"])
            .index(&["user_kind", "user_id"]),
        Table::new("signing_keys")
            .columns([
                string("key_id", 43).primary(),
                int("generation"),
                string("algorithm", 10),
                text("public_key"),
                text("sealed_private_key"),
                time("created_date"),
                time("signs_from_date"),
                time("removed_date").optional(),
            ])
            .unique(&["generation"]),
        Table::new("client_assertions")
            .columns([
                string("assertion_hash", 64).primary(),
                string("client_id", 100),
                time("expires_date"),
            ])
            .index(&["expires_date"]),
    ]
}
