//! Every step of a posting fails once: each statement on a database server, each file operation on
//! the embedded database; payments alone and in a shared transaction, adjustments and reversals
//! alone. What failed is sent again under its key. Then each is posted once, with the result that it
//! has without a fault.

mod files;
mod statements;

use super::equal_loans::{LoanBooks, books_by_loan, comparable, import_loans};
use acceptance::World;
use acceptance::response::TestResponse;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What is posted on every loan.
#[derive(Clone, Copy, PartialEq)]
enum Posting {
    Payment,
    /// A write-off, which settles a due row.
    Adjustment,
    /// The reversal of a payment that settled a due row, with a fee.
    Reversal,
}

impl Posting {
    /// The path below a loan's transactions, and the body.
    fn request(self, reference: i64) -> (String, Value) {
        match self {
            Self::Payment => {
                ("payments".to_owned(), json!({"Amount": "652.53", "Effective_Date": "2024-02-15"}))
            }
            Self::Adjustment => (
                "adjustments".to_owned(),
                json!({"Kind": "principal_write_off", "Amount": "500.00",
                    "Effective_Date": "2024-02-15"}),
            ),
            Self::Reversal => (
                format!("{reference}/reversal"),
                json!({"Reason": "nsf", "Returned_Date": "2024-02-20", "NSF_Fee": "35.00"}),
            ),
        }
    }
}

/// The loans of one batch: a payment on the first occupies the database while the others gather.
const GATHERED: usize = 4;

/// Equal loans, on each of which the same is posted once.
struct PaidLoans<'a> {
    world: &'a World,
    admin: String,
    posting: Posting,
    /// The entries that are reversed, by loan.
    references: BTreeMap<i64, i64>,
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
    /// Imports loans, and posts on one without a fault.
    async fn new(world: &'a World, posting: Posting) -> Self {
        let admin = world.token("admin").await;
        let mut loans = Self {
            world,
            admin,
            posting,
            references: BTreeMap::new(),
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
        let loan_ids = import_loans(self.world, &self.admin, numbers).await;
        if self.posting == Posting::Reversal {
            for loan_id in &loan_ids {
                let (_, payment) = Posting::Payment.request(0);
                let rows = self.world.pay(&self.admin, *loan_id, payment).await.expect(201).json();
                let reference = rows[0]["Transaction_ID"].as_i64().expect("an id");
                self.references.insert(*loan_id, reference);
            }
        }
        self.unpaid.extend(loan_ids);
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

    /// Posts on a loan under its key.
    async fn pay(&self, loan_id: i64) -> TestResponse {
        self.post(loan_id, Some(&format!("loan {loan_id}"))).await
    }

    /// Posts on a loan without a key.
    async fn pay_without_key(&self, loan_id: i64) -> TestResponse {
        self.post(loan_id, None).await
    }

    async fn post(&self, loan_id: i64, key: Option<&str>) -> TestResponse {
        let reference = self.references.get(&loan_id).copied().unwrap_or_default();
        let (path, body) = self.posting.request(reference);
        let path = format!("/loans/{loan_id}/transactions/{path}");
        self.world.client.post(&self.admin, &path, &body, key).await
    }

    /// Sends a payment again under its key until it is posted.
    async fn settle(&mut self, loan_id: i64, first: TestResponse) {
        let mut response = first;
        for _ in 0..20 {
            let is_in_progress = response.problem() == "idempotency-in-progress";
            match response.status.as_u16() {
                423 | 503 => response = self.pay(loan_id).await,
                409 if is_in_progress => response = self.pay(loan_id).await,
                _ => break,
            }
        }
        if comparable(&response) != self.expected {
            let log = self.world.api.log();
            let log = &log[log.len().saturating_sub(3000)..];
            panic!("loan {loan_id}: {} instead of {}; {log}", response.text, self.expected);
        }
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
