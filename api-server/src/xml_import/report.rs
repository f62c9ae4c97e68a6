//! Import report: one result per element, with its messages.

use super::parse::Element;
use super::refusals::{self, ImportError};
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use shared::interface_names;

/// Result of an import.
#[interface_names]
#[derive(Clone, Debug, Object)]
pub struct ImportResult {
    /// True for a dry run (`test=true`): nothing was committed.
    pub test: bool,
    /// False if nothing was committed: in a dry run, because a record failed in a file imported as
    /// one block, or because every record failed.
    pub committed: bool,
    /// Number of elements with an id of their own.
    pub read: i64,
    /// Number of those elements that were inserted.
    pub inserted: i64,
    /// Number of those elements that were updated.
    pub updated: i64,
    /// Number of those elements that were deleted.
    pub deleted: i64,
    /// Number of those elements that failed.
    pub failed: i64,
    /// One result per element with an id of its own, in file order.
    pub records: Vec<RecordResult>,
}

/// Result of one element.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Object, Serialize, Deserialize)]
#[oai(skip_serializing_if_is_none)]
#[serde(rename_all = "PascalCase")]
pub struct RecordResult {
    /// Line on which the element begins.
    pub line: i64,
    /// Name of the element.
    pub element: String,
    /// Action taken.
    pub action: Action,
    /// Contact number, or loan number; a payment has its loan's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Id of the row; for a payment, the id of its total row.
    #[serde(rename = "New_ID", default, skip_serializing_if = "Option::is_none")]
    pub new_id: Option<i64>,
    /// Messages about the element and about elements in it that have no id of their own.
    pub messages: Vec<Message>,
}

/// Action taken on an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A row was inserted.
    Inserted,
    /// A row was updated.
    Updated,
    /// A row was deleted.
    Deleted,
    /// The element is at fault; nothing was done.
    Failed,
    /// The element was valid, but was rolled back with the rest of its record or block.
    RolledBack,
}

/// A message about an element.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(skip_serializing_if_is_none)]
#[serde(rename_all = "PascalCase")]
pub struct Message {
    /// Severity of the message.
    pub level: Level,
    /// Line of the element.
    pub line: i64,
    /// Attribute at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// Text of the message.
    pub message: String,
}

/// Severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The record failed.
    Error,
    /// The record succeeded.
    Warning,
}

impl Message {
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
        let has_error = self.messages.iter().any(|message| message.level == Level::Error);
        self.action == Action::Failed && has_error
    }

    /// Marks it as rolled back if it succeeded.
    pub fn roll_back(&mut self) {
        if self.action != Action::Failed {
            self.action = Action::RolledBack;
            self.new_id = None;
        }
    }
}
