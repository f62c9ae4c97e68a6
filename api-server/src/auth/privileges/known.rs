//! The privileges that this product knows, and what each allows.

/// Paths and verbs, and what they allow.
const KNOWN: &[(&str, &str, &str)] = &[
    ("Contact > Records", "View", "Read contacts."),
    ("Contact > Credit Profiles", "View", "Read credit profiles."),
    ("Contact > Field History", "View", "Read the field history of contacts."),
    ("Contact > Tax ID", "View", "Read tax ids and identity numbers unmasked."),
    ("Contact > Detail", "View", "Read the detail form of contacts and its documents."),
    ("Contact > Detail", "Change", "Add, change and remove documents of the detail form."),
    ("Contact > Demographics", "View", "Read the demographics form of contacts and its documents."),
    (
        "Contact > Demographics",
        "Change",
        "Add, change and remove documents of the demographics form.",
    ),
    ("Contact > Financials", "View", "Read the financials form of contacts and its documents."),
    ("Contact > Financials", "Change", "Add, change and remove documents of the financials form."),
    ("Contact > Comments", "View", "Read comments on contacts and their documents."),
    ("Contact > Comments", "Change", "Add, change and remove documents of comments on contacts."),
    ("Contact > Access to Other Officers", "Allow", "See contacts of other officers, too."),
    ("Loan > Records", "View", "Read loans."),
    ("Loan > Transactions", "View", "Read the transactions of loans."),
    ("Loan > Recurring Transactions", "View", "Read recurring transactions."),
    ("Loan > Credit Lines", "View", "Read credit lines and their draws."),
    ("Loan > Field History", "View", "Read the field history of loans."),
    ("Loan > Detail 1", "View", "Read the first detail form of loans and its documents."),
    ("Loan > Detail 1", "Change", "Add, change and remove documents of the first detail form."),
    ("Loan > Detail 2", "View", "Read the second detail form of loans and its documents."),
    ("Loan > Detail 2", "Change", "Add, change and remove documents of the second detail form."),
    ("Loan > Comments", "View", "Read comments on loans and their documents."),
    ("Loan > Comments", "Change", "Add, change and remove documents of comments on loans."),
    ("Loan > Automated Payments", "View", "Read automated payments."),
    ("Loan > Automated Payments", "View Account", "Read bank account numbers unmasked."),
    ("Loan > Payments", "Add", "Post payments."),
    ("Loan > Payments", "Backdate", "Post payments with an earlier effective date."),
    ("Loan > Payments", "Split", "Choose how a payment is split across balances."),
    ("Loan > Payments", "Payoff", "Pay off loans."),
    ("Loan > Payments", "Reverse", "Reverse payments and other entries."),
    ("Loan > Adjustments", "Charge", "Assess late charges and fees."),
    (
        "Loan > Adjustments",
        "Waive",
        "Waive late charges and fees, reduce interest, and write off principal.",
    ),
    ("Loan > Adjustments", "Disburse", "Pay out impound balances, advances and draws."),
    ("Loan > Access to Other Officers", "Allow", "See loans of other officers, too."),
    ("Collateral > Records", "View", "Read collateral."),
    ("Collateral > Comments", "View", "Read comments on collateral and their documents."),
    ("Collateral > Comments", "Change", "Change comments on collateral and their documents."),
    ("Collateral > Comments", "Delete", "Remove comments on collateral."),
    ("Cash Drawer > Drawers", "View", "Read cash drawers and their users."),
    ("Cash Drawer > Transactions", "View", "Read the transactions of cash drawers."),
    ("Cash Drawer > Transactions", "Add", "Enter transactions into cash drawers."),
    ("Cash Drawer > Reconciliations", "View", "Read the reconciliations of cash drawers."),
    ("Cash Drawer > Reconciliations", "Add", "Reconcile cash drawers."),
    ("Cash Drawer > Funding", "Allow", "Move money between cash drawers and the bank."),
    ("Cash Drawer > Supervise", "Allow", "See and settle all cash drawers."),
    ("Payment Gateway > Cards", "View", "Read saved cards."),
    ("Payment Gateway > Cards", "Add", "Save cards."),
    ("Payment Gateway > Cards", "Forget", "Forget saved cards."),
    ("Payment Gateway > Convenience Fee", "View", "Read the convenience fee of a card payment."),
    ("Payment Gateway > Convenience Fee", "Waive", "Waive the convenience fee of a card payment."),
    ("Payment Gateway > Payments", "Add", "Charge saved cards."),
    ("Setup > Loan", "View", "Read the setup lists for loans."),
    ("Setup > Contact", "View", "Read the setup lists for contacts."),
    ("Security > Users", "View", "Read users."),
    ("Security > Privileges", "View", "Read the list of privileges, and those of other users."),
    ("Processing > ACH Batch", "View", "Read the status of ACH batches."),
    ("Processing > Accrual", "View", "Read the status of accrual batches."),
];

/// Returns what a privilege allows; `None` if only other programs know it.
pub fn description(path: &str, verb: &str) -> Option<String> {
    let found = KNOWN.iter().find(|(known, of, _)| *known == path && *of == verb);
    if let Some((.., allowed)) = found {
        return Some((*allowed).to_owned());
    }
    let below = format!("{path} > ");
    let is_parent = KNOWN.iter().any(|(known, of, _)| known.starts_with(&below) && *of == verb);
    is_parent.then(|| format!("{verb} on every path below {path}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::operations::privilege_of;
    use crate::router::operations;

    #[test]
    fn every_privilege_of_an_operation_is_described() {
        for operation in operations().all() {
            if let Some(privilege) = privilege_of(operation.id) {
                let allowed = description(privilege.0, privilege.1);
                assert!(allowed.is_some(), "{privilege}");
            }
        }
    }

    #[test]
    fn a_parent_stands_for_the_paths_below_it() {
        let allowed = description("Loan", "Reverse");
        assert_eq!(allowed.as_deref(), Some("Reverse on every path below Loan."));
        assert_eq!(description("Loan", "Delete"), None);
        assert_eq!(description("Loan > Detail", "View"), None);
        let own = description("Loan > Payments", "Reverse");
        assert_eq!(own.as_deref(), Some("Reverse payments and other entries."));
    }
}
