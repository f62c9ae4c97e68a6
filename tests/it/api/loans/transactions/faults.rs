//! Every step of a posting fails once: each statement on a database server, each file operation on
//! the embedded database; alone and in a shared transaction. A payment that failed is sent again
//! under its key. Then each is posted once, with the result that it has without a fault.

mod files;
mod statements;

use super::equal_loans::{LoanBooks, books_by_loan, comparable, import_loans, pay};
use acceptance::World;
use acceptance::response::TestResponse;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The payment of every loan.
fn payment() -> Value {
    json!({"Amount": "652.53", "Effective_Date": "2024-02-15"})
}

/// The loans of one batch: a payment on the first occupies the database while the others gather.
const GATHERED: usize = 4;

/// Equal loans, each of which is paid once.
struct PaidLoans<'a> {
    world: &'a World,
    admin: String,
    unpaid: Vec<i64>,
    imported: u32,
    /// Loans that are paid.
    paid: Vec<i64>,
    /// Loans whose payment has an unknown outcome, because it has no key.
    unknown: Vec<i64>,
    /// The response to a payment without a fault.
    expected: Value,
}

impl<'a> PaidLoans<'a> {
    /// Imports loans, and pays one without a fault.
    async fn new(world: &'a World) -> Self {
        let admin = world.token("admin").await;
        let mut loans = Self {
            world,
            admin,
            unpaid: Vec::new(),
            imported: 0,
            paid: Vec::new(),
            unknown: Vec::new(),
            expected: Value::Null,
        };
        loans.import(20).await;
        let loan_id = loans.next();
        let response = loans.pay(loan_id).await;
        loans.expected = comparable(&response);
        loans.settle(loan_id, response).await;
        loans
    }

    async fn import(&mut self, count: u32) {
        let numbers = self.imported + 1..self.imported + 1 + count;
        self.imported += count;
        self.unpaid.extend(import_loans(self.world, &self.admin, numbers).await);
    }

    /// Imports more loans if too few are left for a batch.
    async fn restock(&mut self) {
        if self.unpaid.len() < 2 * (GATHERED + 1) {
            self.import(200).await;
        }
    }

    /// An unpaid loan.
    fn next(&mut self) -> i64 {
        self.unpaid.pop().expect("enough loans")
    }

    /// Pays a loan under its key.
    async fn pay(&self, loan_id: i64) -> TestResponse {
        pay(self.world, &self.admin, loan_id, &payment(), &format!("loan {loan_id}")).await
    }

    /// Pays a loan without a key.
    async fn pay_without_key(&self, loan_id: i64) -> TestResponse {
        self.world.pay(&self.admin, loan_id, payment()).await
    }

    /// Sends a payment again under its key until it is posted.
    async fn settle(&mut self, loan_id: i64, first: TestResponse) {
        let mut response = first;
        for _ in 0..20 {
            match response.status.as_u16() {
                423 | 503 => response = self.pay(loan_id).await,
                _ => break,
            }
        }
        let log = self.world.api.log();
        let log = &log[log.len().saturating_sub(3000)..];
        assert_eq!(comparable(&response), self.expected, "loan {loan_id}; {log}");
        self.paid.push(loan_id);
    }

    /// Pays these loans at the same time, all but the last under their keys.
    async fn pay_together(&self, loan_ids: [i64; GATHERED]) -> [TestResponse; GATHERED] {
        let [first, second, third, last] = loan_ids;
        let (first, second, third, last) = tokio::join!(
            self.pay(first),
            self.pay(second),
            self.pay(third),
            self.pay_without_key(last),
        );
        [first, second, third, last]
    }

    /// Pays loans in one transaction: a payment on the first occupies the database from `occupied`
    /// to `released`, and meanwhile the others gather. Settles all of them.
    async fn pay_in_batch(
        &mut self,
        occupied: impl Future<Output = ()>,
        released: impl Future<Output = ()>,
    ) {
        let first = self.next();
        let gathered: [i64; GATHERED] = std::array::from_fn(|_| self.next());
        let gather = async {
            occupied.await;
            tokio::join!(self.pay_together(gathered), released).0
        };
        let (response, responses) = tokio::join!(self.pay(first), gather);
        self.settle(first, response).await;
        self.settle_together(gathered, responses).await;
    }

    /// Settles payments that were sent at the same time.
    async fn settle_together(&mut self, loan_ids: [i64; GATHERED], sent: [TestResponse; GATHERED]) {
        for (index, (loan_id, response)) in loan_ids.into_iter().zip(sent).enumerate() {
            if index < GATHERED - 1 || response.status == 201 {
                self.settle(loan_id, response).await;
            } else {
                assert!([423, 503].contains(&response.status.as_u16()), "{}", response.text);
                self.unknown.push(loan_id);
            }
        }
    }

    /// Checks that every loan is paid once or, if its outcome is unknown, once or not at all.
    async fn check_books(&mut self) {
        let unpaid = self.next();
        let books: BTreeMap<i64, LoanBooks> = books_by_loan(self.world).await;
        let expected = &books[&self.paid[0]];
        assert_ne!(expected, &books[&unpaid]);
        for loan_id in &self.paid {
            assert_eq!(&books[loan_id], expected, "loan {loan_id}");
        }
        for loan_id in &self.unknown {
            let found = &books[loan_id];
            assert!(found == expected || found == &books[&unpaid], "loan {loan_id}: {found:?}");
        }
        let reads = (0..32).map(|_| self.world.client.get(&self.admin, "/loans/1"));
        for response in futures_util::future::join_all(reads).await {
            response.expect(200);
        }
    }
}
