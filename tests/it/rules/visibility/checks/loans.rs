//! Section 3.1: loans, transactions, recurring and automated payments, credit lines.

use crate::rules::visibility::caller::{Caller, Operation};
use shared::amounts::Money;
use shared::entity::loan_transactions::BalanceName;
use shared::entity::{loan_transactions, loans};
use std::collections::BTreeSet;

const LOAN: Operation = Operation::core("get_loan", "Loan > Records > View");
const LIST: Operation = Operation::core("list_loans", "Loan > Records > View");
const DUE: Operation = Operation::core("list_payments_due", "Loan > Records > View");
const QUOTE: Operation = Operation::core("get_payoff_quote", "Loan > Records > View");
const SCHEDULE: Operation = Operation::core("get_loan_schedule", "Loan > Records > View");
/// Requires the view of records and of transactions; a refusal names the first that is missing.
const BALANCES: [Operation; 2] = [
    Operation::core("get_loan_balances", "Loan > Records > View"),
    Operation::core("get_loan_balances", "Loan > Transactions > View"),
];
const TRANSACTIONS: Operation = Operation::core("list_transactions", "Loan > Transactions > View");
const RECURRING: Operation =
    Operation::core("list_recurring_transactions", "Loan > Recurring Transactions > View");
const AUTOMATED: Operation =
    Operation::core("get_automated_payment", "Loan > Automated Payments > View");
const AUTOMATED_OF_LOAN: Operation =
    Operation::core("list_automated_payments", "Loan > Automated Payments > View");
const CONTACTS: Operation =
    Operation::core("list_loan_contacts", "Loan > Records > View").and("Contact > Records > View");
const LINES: Operation = Operation::any("list_credit_lines", "Loan > Credit Lines > View");
const USED: Operation = Operation::any("get_credit_used", "Loan > Credit Lines > View");
const DRAWS: Operation = Operation::any("list_draws", "Loan > Credit Lines > View");

pub async fn check(caller: &mut Caller<'_>) {
    loans(caller).await;
    loan_list(caller).await;
    foresight(caller).await;
    transactions(caller).await;
    recurring_transactions(caller).await;
    automated_payments(caller).await;
    credit_lines(caller).await;
    contacts(caller).await;
}

async fn loans(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for id in caller.ids(&LOAN, rows.loans.iter().map(|loan| loan.loan_id)) {
        let path = format!("/loans/{id}");
        if let Some(loan) = caller.read(&LOAN, &path, caller.rules.loan(id)).await {
            caller.compare(&LOAN, &path, "Loan_ID", id, &loan["Loan_ID"]);
        }
    }
}

/// What was, is and will be due on loans.
async fn foresight(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for id in caller.ids(&DUE, rows.loans.iter().map(|loan| loan.loan_id)) {
        let (path, is_seen) = (format!("/loans/{id}"), caller.rules.loan(id));
        let of_loan = rows.payments_due.iter().filter(|row| row.loan_id == id);
        let dates: BTreeSet<_> = of_loan.map(|row| row.due_date.to_string()).collect();
        caller.list(&DUE, &format!("{path}/payments-due"), is_seen, "Due_Date", dates).await;
        caller.read(&QUOTE, &format!("{path}/payoff-quote"), is_seen).await;
        caller.read(&SCHEDULE, &format!("{path}/schedule"), is_seen).await;
        let [records, transactions] = &BALANCES;
        let balances = if caller.may_call(records) { transactions } else { records };
        let path = format!("{path}/balances?date=2026-01-01");
        let found = caller.read(balances, &path, is_seen).await;
        if let Some(found) = found {
            // All rows count, whether the caller sees them or not.
            let of_loan = rows.loan_transactions.iter().filter(|row| row.loan_id == id);
            let charges = of_loan.filter(|row| row.balance_name == Some(BalanceName::LateCharge));
            let charged = charges.map(|row| row.transaction_amount.units()).sum();
            let expected = Money::from_units(charged).expect("an amount").to_string();
            let found = &found["Late_Charge_Balance"];
            caller.compare(balances, &path, "late charges", expected, found);
        }
    }
}

/// The search, by the criteria whose rows the model knows.
async fn loan_list(caller: &mut Caller<'_>) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let loans = |criterion: &dyn Fn(&loans::Model) -> bool| -> Vec<i64> {
        let loans = rows.loans.iter().filter(|loan| rules.loan(loan.loan_id) && criterion(loan));
        loans.map(|loan| loan.loan_id).collect()
    };
    let user_id = rows.users[rows.users.len() / 2].user_id;
    let contact_id = rows.contacts[0].contact_id;
    let group_id = rows.loan_groups[0].loan_group_id;
    let is_linked = |loan: &loans::Model| {
        let mut links = rows.loan_contacts.iter();
        links.any(|link| link.loan_id == loan.loan_id && link.contact_id == contact_id)
    };
    type Criterion<'a> = &'a dyn Fn(&loans::Model) -> bool;
    let criteria: [(String, Criterion<'_>); 4] = [
        (String::new(), &|_| true),
        (format!("?officerId={user_id}"), &|loan| {
            [loan.loan_officer_user_id, loan.collection_officer_user_id].contains(&Some(user_id))
        }),
        (format!("?contactId={contact_id}"), &|loan| {
            loan.contact_id == contact_id || is_linked(loan)
        }),
        (format!("?groupId={group_id}"), &|loan| loan.loan_group_id == group_id),
    ];
    for (query, criterion) in criteria {
        let path = format!("/loans{query}");
        let found = caller.list(&LIST, &path, true, "Loan_ID", loans(criterion)).await;
        for row in found {
            let borrower = row["Contact_ID"].as_i64().expect("an id");
            let contact = rows.contacts.iter().find(|row| row.contact_id == borrower);
            let has_name = contact.is_some_and(|row| {
                [&row.full_name1, &row.first_name1, &row.last_name1, &row.company]
                    .iter()
                    .any(|name| name.is_some())
            });
            let is_named =
                has_name && rules.holds("Contact > Records > View") && rules.contact(borrower);
            let name = row.get("Contact_Name").is_some();
            let name = serde_json::Value::from(name);
            caller.compare(&LIST, &path, "a borrower's name is shown:", is_named, &name);
        }
    }
}

/// "Order: by id; transactions by Effective_Date, Transaction_ID."
fn in_order(
    rows: &[loan_transactions::Model],
    expected_rows: impl Fn(&loan_transactions::Model) -> bool,
) -> Vec<&loan_transactions::Model> {
    let mut rows: Vec<_> = rows.iter().filter(|row| expected_rows(row)).collect();
    rows.sort_by_key(|row| (row.effective_date, row.transaction_id));
    rows
}

async fn transactions(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for id in caller.ids(&TRANSACTIONS, rows.loans.iter().map(|loan| loan.loan_id)) {
        let (rules, is_seen) = (caller.rules, caller.rules.loan(id));
        let code = caller.random.one_of(&[110, 120, 122]);
        let reference = caller.random.between(1, 5);
        let day = caller.random.day();
        // A filter removes rows and adds none.
        type Filter<'a> = &'a dyn Fn(&loan_transactions::Model) -> bool;
        let filters: [(String, Filter<'_>); 5] = [
            (String::new(), &|_| true),
            (format!("?transactionCode={code}"), &|row| row.transaction_code == code),
            (format!("?referenceNo={reference}"), &|row| row.transaction_reference_no == reference),
            (format!("?from={day}"), &|row| row.effective_date >= day),
            (format!("?to={day}"), &|row| row.effective_date <= day),
        ];
        for (query, filter) in filters {
            let path = format!("/loans/{id}/transactions{query}");
            let expected_rows = in_order(&rows.loan_transactions, |row| {
                row.loan_id == id && rules.transaction(row) && filter(row)
            });
            let keys = expected_rows.iter().map(|row| row.transaction_id);
            caller.list(&TRANSACTIONS, &path, is_seen, "Transaction_ID", keys).await;
        }
        let path = format!("/loans/{id}/transactions?order=-effectiveDate");
        let of_loan = |row: &loan_transactions::Model| row.loan_id == id && rules.transaction(row);
        let rows = in_order(&rows.loan_transactions, of_loan);
        let keys = rows.iter().rev().map(|row| row.transaction_id);
        caller.list(&TRANSACTIONS, &path, is_seen, "Transaction_ID", keys).await;
    }
}

async fn recurring_transactions(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for id in caller.ids(&RECURRING, rows.loans.iter().map(|loan| loan.loan_id)) {
        let path = format!("/loans/{id}/recurring-transactions");
        let of_loan = rows.recurring_transactions.iter().filter(|row| row.loan_id == id);
        let keys = of_loan.map(|row| row.row_id);
        caller.list(&RECURRING, &path, caller.rules.on_loan(id), "Row_ID", keys).await;
    }
}

async fn automated_payments(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for id in caller.ids(&AUTOMATED_OF_LOAN, rows.loans.iter().map(|loan| loan.loan_id)) {
        let path = format!("/loans/{id}/automated-payments");
        let own: Vec<_> = rows.automated_payments.iter().filter(|row| row.loan_id == id).collect();
        let (keys, is_seen) = (own.iter().map(|row| row.row_id), caller.rules.on_loan(id));
        let found = caller.list(&AUTOMATED_OF_LOAN, &path, is_seen, "Row_ID", keys).await;
        for (row, found) in own.iter().zip(&found) {
            let account = row.bank_account_number.as_ref();
            let account = account.map(|account| caller.rules.account(account.clear()));
            let (name, operation) = ("Bank_Account_Number", AUTOMATED_OF_LOAN);
            caller.compare(&operation, &path, name, account, &found[name]);
        }
    }
    for id in caller.ids(&AUTOMATED, rows.automated_payments.iter().map(|row| row.row_id)) {
        let path = format!("/loans/automated-payments/{id}");
        let row = rows.automated_payments.iter().find(|row| row.row_id == id);
        let is_seen = row.is_some_and(|row| caller.rules.on_loan(row.loan_id));
        let Some(found) = caller.read(&AUTOMATED, &path, is_seen).await else { continue };
        let account = row.and_then(|row| row.bank_account_number.as_ref());
        let account = account.map(|account| caller.rules.account(account.clear()));
        let found = &found["Bank_Account_Number"];
        caller.compare(&AUTOMATED, &path, "Bank_Account_Number", account, found);
    }
}

/// The borrower, then the linked contacts; "a contact the caller may not see is not listed".
async fn contacts(caller: &mut Caller<'_>) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    for id in caller.ids(&CONTACTS, rows.loans.iter().map(|loan| loan.loan_id)) {
        let path = format!("/loans/{id}/contacts");
        let borrower = rows.loans.iter().filter(|loan| loan.loan_id == id);
        let borrower = borrower.map(|loan| (loan.contact_id, None));
        let links = rows.loan_contacts.iter().filter(|link| link.loan_id == id);
        let links = links.map(|link| (link.contact_id, Some(link.relationship_code.as_str())));
        let listed = borrower.chain(links).filter(|(contact_id, _)| rules.contact(*contact_id));
        let listed: Vec<_> = listed.collect();
        let keys = listed.iter().map(|(contact_id, _)| *contact_id);
        let found = caller.list(&CONTACTS, &path, rules.on_loan(id), "Contact_ID", keys).await;
        for ((_, code), found) in listed.iter().zip(&found) {
            let found = &found["Relationship_Code"];
            caller.compare(&CONTACTS, &path, "Relationship_Code", *code, found);
        }
    }
}

async fn credit_lines(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for id in caller.ids(&LINES, rows.loans.iter().map(|loan| loan.loan_id)) {
        let path = format!("/loans/{id}/credit-lines");
        let keys = rows.credit_lines.iter().filter(|line| line.loan_id == id);
        let keys = keys.map(|line| line.creditline_id);
        caller.list(&LINES, &path, caller.rules.loan(id), "Creditline_ID", keys).await;
    }
    for id in caller.ids(&USED, rows.credit_lines.iter().map(|line| line.creditline_id)) {
        let (rules, is_seen) = (caller.rules, caller.rules.credit_line(id));
        let path = format!("/loans/credit-lines/{id}/credit-used");
        if let Some(used) = caller.read(&USED, &path, is_seen).await {
            caller.compare(&USED, &path, "Creditline_ID", id, &used["Creditline_ID"]);
        }
        let path = format!("/loans/credit-lines/{id}/draws");
        // By id, as every list except that of a loan's transactions.
        let transactions = rows.loan_transactions.iter();
        let draws = transactions.filter(|row| row.creditline_id == Some(id) && rules.draw(row));
        let keys = draws.map(|row| row.transaction_id);
        caller.list(&DRAWS, &path, is_seen, "Transaction_ID", keys).await;
    }
}
