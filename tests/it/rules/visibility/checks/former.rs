//! Section 4: former paths, which say where their successors are and nothing about any row.

use crate::rules::visibility::caller::Caller;

const FORMER: [(&str, &str); 19] = [
    ("/loans/3/transaction-history", "/loans/3/transactions"),
    ("/core/post-payment", "/loans/{loan_id}/transactions/payments"),
    ("/loan-collateral/3", "/loans/collateral/3"),
    ("/loan-collateral/3/vehicle", "/loans/collateral/3/vehicle"),
    ("/loan-collateral/3/location", "/loans/collateral/3/location"),
    ("/loan-collateral/3/insurance", "/loans/collateral/3/insurance"),
    ("/loan-collateral/3/taxes", "/loans/collateral/3/taxes"),
    ("/loan-comments/3", "/loans/comments/3"),
    ("/contact-comments/3", "/contacts/comments/3"),
    ("/credit-profiles/3", "/contacts/credit-profiles/3"),
    ("/core/user-priv/3", "/users/3/privileges"),
    ("/loan-settings/groups", "/setup/loan/groups"),
    ("/loan-settings/payment-methods", "/setup/loan/payment-methods"),
    ("/loan-settings/portfolios", "/setup/loan/portfolios"),
    ("/loan-settings/status-codes", "/setup/loan/status-codes"),
    ("/loan-settings/risk-ratings", "/setup/loan/risk-ratings"),
    ("/contact-settings/entities", "/setup/contact/entities"),
    ("/contact-settings/relationship-codes", "/setup/contact/relationship-codes"),
    ("/contact-settings/types", "/setup/contact/types"),
];

pub async fn check(caller: &mut Caller<'_>) {
    for (former, current) in caller.chance.some_of(20, &FORMER) {
        caller.gone(former, current).await;
    }
}
