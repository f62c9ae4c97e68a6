//! Import report: one result per element, with its messages.

use super::parse::Element;
use super::refusals::{self, ImportError};
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use shared::interface_names;

/// What came of an import.
#[interface_names]
#[derive(Clone, Debug, Object)]
pub struct ImportResult {
    /// Nothing was kept, because `test=true` asked for it.
    pub test: bool,
    /// False if nothing was kept: in a test run, and where a record of a file failed that was one
    /// block.
    pub committed: bool,
    /// Elements with an id of their own.
    pub read: i64,
    /// Of these, inserted.
    pub inserted: i64,
    /// Of these, updated.
    pub updated: i64,
    /// Of these, deleted.
    pub deleted: i64,
    /// Of these, failed.
    pub failed: i64,
    /// One result per element with an id of its own, in the order of the file.
    pub records: Vec<RecordResult>,
}

/// What came of one element.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Object, Serialize, Deserialize)]
#[oai(skip_serializing_if_is_none)]
#[serde(rename_all = "PascalCase")]
pub struct RecordResult {
    /// The line it begins on.
    pub line: i64,
    /// Its name.
    pub element: String,
    /// What was done.
    pub action: Action,
    /// Its human number: of a contact; of a loan, also for its payments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The id of its row; of a payment, the id of the total row.
    #[serde(rename = "New_ID", default, skip_serializing_if = "Option::is_none")]
    pub new_id: Option<i64>,
    /// What is wrong with it or with elements in it that have no id of their own.
    pub messages: Vec<Message>,
}

/// What was done with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A new row.
    Inserted,
    /// A row was changed.
    Updated,
    /// A row is gone.
    Deleted,
    /// Something is wrong with it; nothing was done.
    Failed,
    /// It was good, and was undone because something beside it failed.
    RolledBack,
}

/// Something to be said about an element.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(skip_serializing_if_is_none)]
#[serde(rename_all = "PascalCase")]
pub struct Message {
    /// How bad it is.
    pub level: Level,
    /// The line of the element.
    pub line: i64,
    /// The attribute at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The record failed.
    Error,
    /// The record went through.
    Warning,
}

impl Message {
    /// An error in an element.
    pub fn error(element: &Element, attribute: Option<&str>, message: impl Into<String>) -> Self {
        let attribute = attribute.map(str::to_owned);
        let line = element.line as i64;
        Self { level: Level::Error, line, attribute, message: message.into() }
    }

    /// A rule of the API that an element breaks. Attributes are named like JSON members, without
    /// underscores.
    pub(super) fn refused(element: &Element, error: ImportError) -> Self {
        let (member, message) = refusals::described(error);
        let attribute = member.map(|member| member.replace('_', ""));
        Self::error(element, attribute.as_deref(), message)
    }
}

impl RecordResult {
    /// True if it failed its record. Unknown elements fail only where they count as errors.
    pub fn fails_its_record(&self) -> bool {
        let wrong = self.messages.iter().any(|message| message.level == Level::Error);
        self.action == Action::Failed && wrong
    }

    /// Marks it as rolled back if it succeeded.
    pub fn roll_back(&mut self) {
        if self.action != Action::Failed {
            self.action = Action::RolledBack;
            self.new_id = None;
        }
    }
}
