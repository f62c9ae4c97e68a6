//! Outcome of an element and of the elements in it: results, or why it was not applied.

use super::batch::BatchKeys;
use super::parse::Element;
use super::report::{Action, Message, RecordResult};
use crate::auth::privileges::Forbidden;
use crate::auth::visible_rows::FindError;
use crate::documents::refusals::DocumentError;
use crate::loans::refusals::LoanError;
use crate::xml_import::refusals::ImportError;
use sea_orm::DbErr;
use shared::amounts::OutOfRange;
use shared::problem::InvalidValue;

/// Elements with their own id. Each gets its own result.
const WITH_IDS: [&str; 13] = [
    "Contact",
    "Loan",
    "Payment",
    "Address",
    "Comment",
    "InterestRate",
    "Relationship",
    "CreditLine",
    "RecurringTransaction",
    "AutomatedPayment",
    "Collateral",
    "Insurance",
    "Tax",
];

/// Why an element was not applied.
pub(super) enum RecordError {
    /// The element itself is invalid.
    Refused(Vec<Message>),
    /// A rule of the API refused it, or the database failed.
    Failed(ImportError),
}

/// Refuses an element as a whole, without naming an attribute.
pub(super) fn refuse(element: &Element, message: &str) -> RecordError {
    RecordError::Refused(vec![Message::error(element, None, message)])
}

macro_rules! record_errors {
    ($($error:ty),*) => {$(
        impl From<$error> for RecordError {
            fn from(error: $error) -> Self {
                Self::Failed(error.into())
            }
        }
    )*};
}

record_errors!(
    DbErr,
    DocumentError,
    FindError,
    Forbidden,
    ImportError,
    InvalidValue,
    LoanError,
    OutOfRange
);

impl From<Vec<Message>> for RecordError {
    fn from(messages: Vec<Message>) -> Self {
        Self::Refused(messages)
    }
}

/// The results of an element and of the elements in it.
#[derive(Debug, Default)]
pub(super) struct ElementOutcome {
    pub results: Vec<RecordResult>,
    pub failed: bool,
    /// Messages of an element without a result. Its parent reports them.
    pub messages: Vec<Message>,
}

impl ElementOutcome {
    pub(super) fn one(
        element: &Element,
        action: Action,
        key: Option<String>,
        id: i64,
        messages: Vec<Message>,
    ) -> Self {
        let new_id = (id != 0).then_some(id);
        let (line, element) = (element.line as i64, element.name.clone());
        let result = RecordResult { line, element, action, key, new_id, messages };
        let failed = action == Action::Failed;
        Self { results: vec![result], failed, messages: Vec::new() }
    }

    /// An element that was applied: a result if it has its own id, otherwise only its messages.
    pub(super) fn applied(
        element: &Element,
        action: Action,
        id: i64,
        messages: Vec<Message>,
    ) -> Self {
        match has_id(element) {
            true => Self::one(element, action, None, id, messages),
            false => Self::messages_only(messages),
        }
    }

    /// Only messages, for the parent to report.
    pub(super) fn messages_only(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// An element that is not tried, because its parent has failed.
    pub(super) fn untried(element: &Element) -> Self {
        let mut untried = match has_id(element) {
            true => Self::one(element, Action::RolledBack, number_of(element), 0, Vec::new()),
            false => Self::default(),
        };
        for child in &element.children {
            untried.results.extend(Self::untried(child).results);
        }
        untried
    }

    /// Adds the outcome of a child element. This element fails with it. If the child has no result
    /// of its own, its failure is reported as this element's.
    pub(super) fn add(&mut self, other: Self) {
        if other.failed
            && other.results.is_empty()
            && let Some(own) = self.results.first_mut()
        {
            own.action = Action::Failed;
            own.new_id = None;
        }
        self.failed |= other.failed;
        self.results.extend(other.results);
        self.add_messages(other.messages);
    }

    /// Adds messages about the element itself.
    pub(super) fn add_messages(&mut self, messages: Vec<Message>) {
        match self.results.first_mut() {
            Some(result) => result.messages.extend(messages),
            None => self.messages.extend(messages),
        }
    }

    /// Marks everything that succeeded as rolled back.
    pub(super) fn roll_back(&mut self) {
        for result in &mut self.results {
            result.roll_back();
        }
    }

    /// Replaces placeholders with the keys of their rows.
    pub(super) fn resolve(&mut self, keys: &BatchKeys) {
        for result in &mut self.results {
            result.new_id = result.new_id.map(|id| keys.of(id));
        }
    }
}

fn has_id(element: &Element) -> bool {
    WITH_IDS.contains(&element.name.as_str())
}

/// The contact or loan number in an element.
fn number_of(element: &Element) -> Option<String> {
    let number = match element.name.as_str() {
        "Contact" => element.attribute("ContactNumber"),
        "Loan" | "Payment" => element.attribute("LoanNumber"),
        _ => None,
    };
    number.map(str::to_owned)
}

/// Turns a broken rule into a failed element. A failure of the database ends the import. Contention
/// is passed on unchanged, so that the record is retried.
pub(super) fn report_refusal(
    element: &Element,
    outcome: Result<ElementOutcome, RecordError>,
) -> Result<ElementOutcome, ImportError> {
    let failed = |messages| {
        Ok(match has_id(element) {
            true => ElementOutcome::one(element, Action::Failed, number_of(element), 0, messages),
            false => ElementOutcome { failed: true, ..ElementOutcome::messages_only(messages) },
        })
    };
    match outcome {
        Ok(applied) => Ok(applied),
        Err(RecordError::Refused(messages)) => failed(messages),
        Err(RecordError::Failed(ImportError::Conflict)) => {
            let text = "conflicts with other rows: a unique value is taken, or rows refer to it";
            failed(vec![Message::error(element, None, text)])
        }
        Err(RecordError::Failed(error)) if error.is_refusal() => {
            failed(vec![Message::refused(element, error)])
        }
        Err(RecordError::Failed(error)) => Err(error),
    }
}

/// Like [`report_refusal`], for an element that has children: if it fails itself, they are not
/// tried.
pub(super) fn report_refusal_with_children(
    element: &Element,
    outcome: Result<ElementOutcome, RecordError>,
) -> Result<ElementOutcome, ImportError> {
    let refused = outcome.is_err();
    let mut applied = report_refusal(element, outcome)?;
    if refused {
        for child in &element.children {
            applied.results.extend(ElementOutcome::untried(child).results);
        }
    }
    Ok(applied)
}
