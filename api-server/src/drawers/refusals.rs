//! What the rules of cash drawers refuse.

use crate::command::failure::Failure;
use shared::amounts::Money;
use shared::entity::cash_drawer_transactions::Tender;
use shared::problem::{FieldError, Problem, ProblemType};

/// Why nothing was entered into a drawer.
pub type DrawerError = Failure<DrawerRefusal>;

/// A rule of cash drawers that said no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawerRefusal {
    /// The drawer does not take the row, because of the member at fault if there is one.
    NotUsable {
        /// Why not.
        detail: &'static str,
        /// The member.
        field: Option<FieldError>,
    },
    /// Another user is working with the drawer.
    InUse,
    /// Cash goes into a drawer, and the caller is not active on exactly one.
    Required,
    /// The drawer holds less than is to be taken out of it.
    Negative {
        /// What it holds.
        held: Money,
        /// Of what.
        tender: Tender,
        /// True where the member Amount asks for it.
        is_amount: bool,
    },
}

impl DrawerRefusal {
    /// A drawer that does not take the row.
    pub(super) fn not_usable(detail: &'static str) -> DrawerError {
        Failure::Refused(Self::NotUsable { detail, field: None })
    }

    /// The same because of a member.
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
                .field("Cash_Drawer_ID", "is required: cash is paid into a cash drawer"),
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
