//! Loans with the same terms: equal payments on them have equal results.

use super::super::loan_ids;
use acceptance::World;
use acceptance::response::TestResponse;
use acceptance::seeds::{PUBLISHED_TERMS, borrower_with_loan, file};
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use shared::entity::{field_changes, loan_transactions, loans, payment_allocations, payments_due};
use std::collections::BTreeMap;
use std::ops::Range;

/// Books loans with the published terms, and returns their ids.
pub async fn import_loans(world: &World, admin: &str, numbers: Range<u32>) -> Vec<i64> {
    let loans: String = numbers.map(|n| borrower_with_loan(n, PUBLISHED_TERMS)).collect();
    loan_ids(&world.import(admin, &file(&loans)).await)
}

/// Posts a payment under a key.
pub async fn pay(
    world: &World,
    admin: &str,
    loan_id: i64,
    body: &Value,
    key: &str,
) -> TestResponse {
    let path = format!("/loans/{loan_id}/transactions/payments");
    world.client.post(admin, &path, body, Some(key)).await
}

/// A response without what differs from loan to loan.
pub fn comparable(response: &TestResponse) -> Value {
    let mut body = response.json();
    for row in body.as_array_mut().into_iter().flatten() {
        for member in [
            "Transaction_ID",
            "Loan_ID",
            "Transaction_Reference_No",
            "Reversal_Transaction_ID",
            "Transaction_Date",
            "Paid_By_Contact_ID",
        ] {
            row.as_object_mut().expect("a row").remove(member);
        }
    }
    if let Some(problem) = body.as_object_mut() {
        problem.remove("instance");
        problem.remove("requestId");
        if response.problem() == "duplicate-external-id" {
            // Both name the other transaction.
            problem.remove("detail");
            problem.remove("errors");
        }
    }
    json!({"status": response.status.as_u16(), "body": body})
}

/// A loan as clients see it, without what differs from loan to loan.
pub async fn figures(world: &World, admin: &str, loan_id: i64) -> Value {
    let mut loan = world.client.get(admin, &format!("/loans/{loan_id}")).await.expect(200).json();
    for member in ["Loan_ID", "Loan_Number", "Contact_ID"] {
        loan.as_object_mut().expect("a loan").remove(member);
    }
    loan
}

/// What is stored about a loan, without what differs from loan to loan.
#[derive(Clone, Debug, PartialEq)]
pub struct LoanBooks {
    loan: loans::Model,
    due: Vec<payments_due::Model>,
    transactions: usize,
    allocations: usize,
    changes: usize,
}

/// Reads what is stored about every loan, by its id.
pub async fn books_by_loan(world: &World) -> BTreeMap<i64, LoanBooks> {
    let db = &world.db;
    let loans = loans::Entity::find().all(db).await.expect("loans");
    let due = payments_due::Entity::find().all(db).await.expect("due rows");
    let transactions = loan_transactions::Entity::find().all(db).await.expect("transactions");
    let allocations = payment_allocations::Entity::find().all(db).await.expect("allocations");
    let changes = field_changes::Entity::find().all(db).await.expect("changes");
    let loan_of: BTreeMap<i64, i64> =
        transactions.iter().map(|row| (row.transaction_id, row.loan_id)).collect();
    let mut books = BTreeMap::new();
    for loan in loans {
        let mut due: Vec<_> =
            due.iter().filter(|row| row.loan_id == loan.loan_id).cloned().collect();
        due.sort_by_key(|row| row.payment_number);
        for row in &mut due {
            (row.row_id, row.loan_id) = (0, 0);
        }
        let loan_id = loan.loan_id;
        let unnamed = loans::Model {
            loan_id: 0,
            loan_number: String::new(),
            contact_id: 0,
            created_date: Default::default(),
            ..loan
        };
        let of_loan = LoanBooks {
            loan: unnamed,
            due,
            transactions: transactions.iter().filter(|row| row.loan_id == loan_id).count(),
            allocations: allocations
                .iter()
                .filter(|row| loan_of.get(&row.transaction_id) == Some(&loan_id))
                .count(),
            changes: changes.iter().filter(|row| row.loan_id == Some(loan_id)).count(),
        };
        books.insert(loan_id, of_loan);
    }
    books
}
