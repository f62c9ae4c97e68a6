//! The core system's privileges, each a path and a verb. A grant on a parent path applies to its
//! children with the same verb.

pub mod effective;
pub mod known;

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use shared::entity::group_members;
use shared::problem::{Problem, ProblemType};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// A privilege, such as `Loan > Payments`, `Add`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Privilege(pub &'static str, pub &'static str);

impl fmt::Display for Privilege {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(path, verb) = self;
        f.write_str(&name(path, verb))
    }
}

/// The name of a privilege, such as `Loan > Payments > Add`.
pub fn name(path: &str, verb: &str) -> String {
    format!("{path} > {verb}")
}

/// Sees other officers' loans too.
pub const LOANS_OF_OTHER_OFFICERS: Privilege =
    Privilege("Loan > Access to Other Officers", "Allow");
/// Sees other officers' contacts too.
pub const CONTACTS_OF_OTHER_OFFICERS: Privilege =
    Privilege("Contact > Access to Other Officers", "Allow");
/// Sees contacts, and borrowers' names on lists of loans.
pub const VIEW_CONTACTS: Privilege = Privilege("Contact > Records", "View");
/// Reads tax ids and identity numbers unmasked.
pub const TAX_IDS: Privilege = Privilege("Contact > Tax ID", "View");
/// Sees transactions, what is computed from them, and those of card payments on lists of card
/// payments.
pub const VIEW_TRANSACTIONS: Privilege = Privilege("Loan > Transactions", "View");
/// Reads bank account numbers unmasked.
pub const BANK_ACCOUNTS: Privilege = Privilege("Loan > Automated Payments", "View Account");
/// Reads other users' privileges.
pub const RIGHTS_OF_OTHERS: Privilege = Privilege("Security > Privileges", "View");
/// Sees and settles all cash drawers.
pub const SUPERVISE_DRAWERS: Privilege = Privilege("Cash Drawer > Supervise", "Allow");
/// Moves money between cash drawers and the bank.
pub const FUND_DRAWERS: Privilege = Privilege("Cash Drawer > Funding", "Allow");
/// Posts payments with an earlier effective date.
pub const BACKDATE_PAYMENTS: Privilege = Privilege("Loan > Payments", "Backdate");
/// Chooses how a payment is split across balances.
pub const SPLIT_PAYMENTS: Privilege = Privilege("Loan > Payments", "Split");
pub const PAY_OFF_LOANS: Privilege = Privilege("Loan > Payments", "Payoff");
/// Reverses payments and other entries.
pub const REVERSE_ENTRIES: Privilege = Privilege("Loan > Payments", "Reverse");
/// Charges late charges and fees.
pub const CHARGE_LOANS: Privilege = Privilege("Loan > Adjustments", "Charge");
/// Waives charges, and reduces interest and principal.
pub const WAIVE_CHARGES: Privilege = Privilege("Loan > Adjustments", "Waive");
/// Lends and pays out: advances, draws and impound disbursements.
pub const DISBURSE_LOANS: Privilege = Privilege("Loan > Adjustments", "Disburse");
/// Waives the convenience fee of a card payment.
pub const WAIVE_FEES: Privilege = Privilege("Payment Gateway > Convenience Fee", "Waive");

/// Privileges that the DBA flag adds to a user's grants.
const DBA_ADDS: [Privilege; 2] = [Privilege("Setup", "View"), Privilege("Processing", "View")];

/// Paths with a field history, which their View privilege reads.
pub const HISTORY_PATHS: [&str; 16] = [
    "Contact > Records",
    "Contact > Credit Profiles",
    "Contact > Detail",
    "Contact > Demographics",
    "Contact > Financials",
    "Contact > Comments",
    "Loan > Records",
    "Loan > Recurring Transactions",
    "Loan > Automated Payments",
    "Loan > Credit Lines",
    "Loan > Detail 1",
    "Loan > Detail 2",
    "Loan > Comments",
    "Collateral > Records",
    "Collateral > Comments",
    "Payment Gateway > Cards",
];

/// Why a caller is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// The privilege is missing.
    Privilege(Privilege),
    /// Each of these privileges is missing, and one of them would do.
    AnyPrivilege(&'static [Privilege]),
    /// The caller is not among the trustees of a transaction code.
    TransactionCode(i32),
    /// The caller is not among the trustees of a comment category.
    CommentCategory(i64),
    /// The caller is a web user.
    CoreUserOnly,
}

impl From<Forbidden> for Problem {
    fn from(forbidden: Forbidden) -> Self {
        let detail = match forbidden {
            Forbidden::Privilege(privilege) => format!("the privilege {privilege} is required"),
            Forbidden::AnyPrivilege(privileges) => {
                let names: Vec<String> = privileges.iter().map(Privilege::to_string).collect();
                format!("one of these privileges is required: {}", names.join(", "))
            }
            Forbidden::TransactionCode(code) => {
                format!("the caller is not among the trustees of transaction code {code}")
            }
            Forbidden::CommentCategory(id) => {
                format!("the caller is not among the trustees of comment category {id}")
            }
            Forbidden::CoreUserOnly => return Self::new(ProblemType::CoreUserOnly),
        };
        Self::new(ProblemType::PrivilegeMissing).detail(detail)
    }
}

/// Grants as stored in the database: path and verb.
pub type Grants = HashSet<(String, String)>;

/// Privileges of a core user, granted directly or through a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rights {
    /// The admin account holds every privilege.
    All,
    Granted(Arc<Grants>),
}

impl Rights {
    /// Returns the rights of a user without the admin flag. The DBA flag adds viewing of setup
    /// lists and of batch processing.
    pub fn granted(mut grants: Arc<Grants>, dba: bool) -> Self {
        if dba {
            let grants = Arc::make_mut(&mut grants);
            for Privilege(path, verb) in DBA_ADDS {
                grants.insert((path.to_owned(), verb.to_owned()));
            }
        }
        Self::Granted(grants)
    }

    /// True if the privilege, or the same verb on a parent path, is granted.
    pub fn hold(&self, Privilege(path, verb): Privilege) -> bool {
        let Self::Granted(grants) = self else { return true };
        let parents = path.match_indices(" > ").map(|(end, _)| &path[..end]);
        parents.chain([path]).any(|path| grants.contains(&(path.to_owned(), verb.to_owned())))
    }

    /// Returns an error that names the privilege unless it is held.
    pub fn require(&self, privilege: Privilege) -> Result<(), Forbidden> {
        match self.hold(privilege) {
            true => Ok(()),
            false => Err(Forbidden::Privilege(privilege)),
        }
    }
}

/// Selects the groups that a user belongs to.
pub fn groups_of(user_id: i64) -> SelectStatement {
    Query::select()
        .column(group_members::Column::GroupId)
        .from(group_members::Entity)
        .and_where(Expr::col(group_members::Column::UserId).eq(user_id))
        .take()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(grants: &[(&str, &str)], dba: bool) -> Rights {
        let own = |(path, verb): &(&str, &str)| ((*path).to_owned(), (*verb).to_owned());
        Rights::granted(Arc::new(grants.iter().map(own).collect()), dba)
    }

    #[test]
    fn a_grant_on_a_parent_applies_to_its_children_with_the_same_verb() {
        let rights = granted(&[("Loan", "View")], false);
        assert!(rights.hold(Privilege("Loan > Records", "View")));
        assert!(!rights.hold(Privilege("Loan > Payments", "Add")));
        assert!(!rights.hold(Privilege("Contact > Records", "View")));
        let rights = granted(&[("Loan > Records", "View")], false);
        assert!(!rights.hold(Privilege("Loan > Transactions", "View")));
        assert!(!rights.hold(Privilege("Loan", "View")));
    }

    #[test]
    fn the_dba_flag_adds_viewing_of_setup_and_processing_only() {
        let rights = granted(&[], true);
        assert!(rights.hold(Privilege("Setup > Loan", "View")));
        assert!(rights.hold(Privilege("Processing > Accrual", "View")));
        assert!(!rights.hold(Privilege("Security > Users", "View")));
    }
}
