//! What a world's servers find around them, apart from their settings files.

use crate::localstripe;
use crate::moto;
use std::collections::BTreeMap;

/// The environment of a world's servers, apart from their settings files.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Puts a proxy in front of the database server, which the test may shut.
    pub database_proxy: bool,
    /// Puts a proxy between the api-server and a database server, which can make a statement fail.
    pub statement_proxy: bool,
    /// Stores documents in a bucket of this store instead of a directory.
    pub moto: Option<moto::MotoProgram>,
    /// Charges cards at this provider instead of the api-server's own sandbox.
    pub provider: Option<localstripe::LocalStripeProgram>,
    /// Runs each server in a process of its own, for what only a process has: its log, its memory, its
    /// death, and counters that count for a whole process.
    pub processes: bool,
    /// Environment variables for the auth server.
    pub auth: BTreeMap<String, String>,
    /// Environment variables for the api-server.
    pub api: BTreeMap<String, String>,
}

impl Environment {
    /// The same with each server in a process of its own.
    #[must_use]
    pub fn in_processes(self) -> Self {
        Self { processes: true, ..self }
    }

    /// True if the servers can run in the test's process: variables that are no settings are for a whole
    /// process.
    pub fn allows_threads(&self) -> bool {
        let mut names = self.auth.keys().chain(self.api.keys());
        let is_setting = |name: &String| name.starts_with("AUTH_") || name.starts_with("API_");
        !self.processes && names.all(is_setting)
    }

    /// Whether there are proxies in front of the database server, and before the api-server's
    /// statements.
    pub fn proxies(&self) -> (bool, bool) {
        (self.database_proxy, self.statement_proxy)
    }
}
