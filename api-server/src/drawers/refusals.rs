//! Refusals of cash-drawer commands, and the problems that clients get for them.

use crate::command::failure::Failure;
use shared::amounts::Money;
use shared::entity::cash_drawer_transactions::Tender;
use shared::problem::{FieldError, Problem, ProblemType};

/// Reason why nothing was entered into a drawer.
pub type DrawerError = Failure<DrawerRefusal>;

/// The cash-drawer rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawerRefusal {
    /// The drawer does not accept the row.
    NotUsable {
        /// The reason.
        detail: &'static str,
        /// The member at fault, if there is one.
        field: Option<FieldError>,
    },
    /// Another user is working with the drawer.
    InUse,
    /// A cash payment needs a drawer, and the caller is not active on exactly one.
    Required,
    /// The drawer holds less than is to be taken out of it.
    Negative {
        /// Its balance of the tender.
        held: Money,
        tender: Tender,
        /// True if the member Amount of the request is at fault.
        is_amount: bool,
    },
}

impl DrawerRefusal {
    /// Returns the error for a drawer that does not accept the row.
    pub(super) fn not_usable(detail: &'static str) -> DrawerError {
        Failure::Refused(Self::NotUsable { detail, field: None })
    }

    /// Returns the same error with the member at fault.
    pub(super) fn not_usable_in(
        detail: &'static str,
        field: &str,
        message: impl Into<String>,
    ) -> DrawerError {
        let field = Some(FieldError { field: field.to_owned(), message: message.into() });
        Failure::Refused(Self::NotUsable { detail, field })
    }
}

impl From<DrawerRefusal> for Problem {
    fn from(refusal: DrawerRefusal) -> Self {
        match refusal {
            DrawerRefusal::NotUsable { detail, field } => {
                let problem = Self::new(ProblemType::DrawerNotUsable).detail(detail);
                match field {
                    Some(FieldError { field, message }) => problem.field(field, message),
                    None => problem,
                }
            }
            DrawerRefusal::InUse => Self::new(ProblemType::DrawerInUse)
                .detail("another user is working with the drawer"),
            DrawerRefusal::Required => Self::new(ProblemType::CashDrawerRequired)
                .detail("the caller is not active on exactly one cash drawer")
                .field("Cash_Drawer_ID", "is required for a cash payment"),
            DrawerRefusal::Negative { held, tender, is_amount } => {
                let tender = match tender {
                    Tender::Cash => "cash",
                    Tender::Check => "checks",
                };
                let problem = Self::new(ProblemType::DrawerNegative)
                    .detail(format!("the drawer holds {held} in {tender}"));
                match is_amount {
                    true => problem.field("Amount", "is more than the drawer holds"),
                    false => problem,
                }
            }
        }
    }
}
