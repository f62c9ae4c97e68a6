//! What came of an element and of the elements in it, and why one was not applied.

use super::parse::Element;
use super::report::{Action, Message, RecordResult};
use super::stage::Keys;
use crate::auth::caller::FindError;
use crate::auth::privileges::Forbidden;
use crate::documents::refusals::DocumentError;
use crate::loans::refusals::LoanError;
use crate::xml_import::refusals::ImportError;
use sea_orm::DbErr;
use shared::amounts::OutOfRange;
use shared::problem::InvalidValue;

/// Elements with an id of their own: each has a result of its own.
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
pub(super) enum Stop {
    /// Something is wrong with it.
    Refused(Vec<Message>),
    /// A rule of the API said no, or the database failed.
    Failed(ImportError),
}

/// Something is wrong with the element as a whole.
pub(super) fn refuse(element: &Element, message: &str) -> Stop {
    Stop::Refused(vec![Message::error(element, None, message)])
}

macro_rules! stops {
    ($($error:ty),*) => {$(
        impl From<$error> for Stop {
            fn from(error: $error) -> Self {
                Self::Failed(error.into())
            }
        }
    )*};
}

stops!(
    DbErr,
    DocumentError,
    FindError,
    Forbidden,
    ImportError,
    InvalidValue,
    LoanError,
    OutOfRange
);

impl From<Vec<Message>> for Stop {
    fn from(messages: Vec<Message>) -> Self {
        Self::Refused(messages)
    }
}

/// The results of an element and of the elements in it.
#[derive(Debug, Default)]
pub(super) struct Applied {
    pub results: Vec<RecordResult>,
    pub failed: bool,
    /// Of an element without a result: its parent tells them.
    pub messages: Vec<Message>,
}

impl Applied {
    pub fn one(
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

    /// Only messages for the parent.
    pub fn told(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// An element that is not tried, because what it stands in has failed.
    pub fn untried(element: &Element) -> Self {
        let mut untried = match has_id(element) {
            true => Self::one(element, Action::RolledBack, number_of(element), 0, Vec::new()),
            false => Self::default(),
        };
        for child in &element.children {
            untried.results.extend(Self::untried(child).results);
        }
        untried
    }

    /// Adds what came of an element in this one, which fails with it. One without a result of its
    /// own is a part of this one.
    pub fn add(&mut self, other: Self) {
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

    /// Adds what is to be said of the element itself.
    pub fn add_messages(&mut self, messages: Vec<Message>) {
        match self.results.first_mut() {
            Some(result) => result.messages.extend(messages),
            None => self.messages.extend(messages),
        }
    }

    /// Everything good in it was undone.
    pub fn roll_back(&mut self) {
        for result in &mut self.results {
            result.roll_back();
        }
    }

    /// Puts the keys of rows in the place of their numbers.
    pub fn settle(&mut self, keys: &Keys) {
        for result in &mut self.results {
            result.new_id = result.new_id.map(|id| keys.of(id));
        }
    }
}

fn has_id(element: &Element) -> bool {
    WITH_IDS.contains(&element.name.as_str())
}

/// The human number that an element names.
fn number_of(element: &Element) -> Option<String> {
    let number = match element.name.as_str() {
        "Contact" => element.attribute("ContactNumber"),
        "Loan" | "Payment" => element.attribute("LoanNumber"),
        _ => None,
    };
    number.map(str::to_owned)
}

/// A rule that was broken fails the element; a failure of the database ends the import. Other
/// transactions that got in the way are told as they are: the record is tried again.
pub(super) fn judge(
    element: &Element,
    outcome: Result<Applied, Stop>,
) -> Result<Applied, ImportError> {
    let failed = |messages| {
        Ok(match has_id(element) {
            true => Applied::one(element, Action::Failed, number_of(element), 0, messages),
            false => Applied { failed: true, ..Applied::told(messages) },
        })
    };
    match outcome {
        Ok(applied) => Ok(applied),
        Err(Stop::Refused(messages)) => failed(messages),
        Err(Stop::Failed(ImportError::Conflict)) => {
            let text = "clashes with other rows: a number that is taken, or rows that refer to it";
            failed(vec![Message::error(element, None, text)])
        }
        Err(Stop::Failed(error)) if error.is_refusal() => {
            failed(vec![Message::refused(element, error)])
        }
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// The same of an element with others in it: those are not tried where it fails itself.
pub(super) fn judge_whole(
    element: &Element,
    outcome: Result<Applied, Stop>,
) -> Result<Applied, ImportError> {
    let stopped = outcome.is_err();
    let mut applied = judge(element, outcome)?;
    if stopped {
        for child in &element.children {
            applied.results.extend(Applied::untried(child).results);
        }
    }
    Ok(applied)
}
