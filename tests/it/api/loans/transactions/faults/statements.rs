//! Each statement of a posting fails once, on PostgreSQL and MariaDB. The list of statements is a
//! recording of a payment without a fault.

use super::{GATHERED, PaidLoans};
use crate::PROGRAM;
use acceptance::World;
use acceptance::statement_proxy::{RecordedStatement, StatementFault, StatementProxy};
use acceptance::world::{Environment, on_each_database_with};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;

use StatementFault::{Contention, CutAfter, CutBefore, LockTimeout};

/// Runs a test on each database server, with a proxy for the api-server's statements.
async fn on_each_server(test: impl AsyncFn(&mut PaidLoans<'_>, &StatementProxy)) {
    let environment = Environment { statement_proxy: true, ..Default::default() };
    on_each_database_with(PROGRAM, environment, |world: World| {
        let test = &test;
        async move {
            if let Some(proxy) = &world.statement_proxy {
                let mut loans = PaidLoans::new(&world).await;
                test(&mut loans, proxy).await;
                loans.check_books().await;
            }
            world
        }
    })
    .await;
}

/// The ways in which a statement can fail.
fn faults_of(statement: &RecordedStatement) -> &'static [StatementFault] {
    if statement.transaction.is_none() || statement.is_begin() {
        &[CutBefore, CutAfter]
    } else if statement.is_commit() {
        &[CutBefore, CutAfter, Contention]
    } else {
        &[CutBefore, CutAfter, Contention, LockTimeout]
    }
}

/// Each way in which each of these statements can fail, and how many with the same text come before
/// it.
fn faults(statements: &[RecordedStatement]) -> Vec<(&str, usize, StatementFault)> {
    let mut found = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for statement in statements {
        let count = counts.entry(&statement.text).or_default();
        let faults = faults_of(statement).iter();
        found.extend(faults.map(|fault| (statement.text.as_str(), *count, *fault)));
        *count += 1;
    }
    found
}

/// True for a statement that writes the entries of payments.
fn writes_entries(statement: &&RecordedStatement) -> bool {
    let words: String = statement.text.chars().filter(|c| !"\"`".contains(*c)).collect();
    words.starts_with("INSERT INTO loan_transactions")
}

/// The statements of the last transaction that wrote entries.
fn last_posting(recorded: Vec<RecordedStatement>) -> Vec<RecordedStatement> {
    let posting = recorded.iter().rev().find(writes_entries).expect("a posting").transaction;
    recorded.into_iter().filter(|statement| statement.transaction == posting).collect()
}

#[tokio::test]
async fn a_payment_is_posted_once_whichever_of_its_statements_fails() {
    on_each_server(async |loans, proxy| {
        let loan_id = loans.next();
        proxy.record();
        let response = loans.pay(loan_id).await;
        let recorded = proxy.recorded();
        loans.settle(loan_id, response).await;
        assert!(recorded.iter().any(|statement| writes_entries(&statement)), "{recorded:#?}");
        let faults = faults(&recorded);
        println!("{} statements, {} faults", recorded.len(), faults.len());
        loans.import(u32::try_from(faults.len()).expect("few")).await;
        for (text, skipped, fault) in faults {
            let loan_id = loans.next();
            proxy.fail(text, skipped, fault);
            let response = loans.pay(loan_id).await;
            assert!(proxy.has_struck(), "{fault:?} did not strike: {text}");
            println!("{} {fault:?}: {text:.60}", response.status);
            loans.settle(loan_id, response).await;
        }
    })
    .await;
}

/// Pays loans in one transaction: while the commit of another payment is held up, they gather. The
/// statement with this text fails.
async fn pay_together(
    loans: &mut PaidLoans<'_>,
    proxy: &StatementProxy,
    fault: Option<(&str, usize, StatementFault)>,
) {
    let first = loans.next();
    let gathered: [i64; GATHERED] = std::array::from_fn(|_| loans.next());
    proxy.hold_commit();
    let gather = async {
        proxy.holding().await;
        proxy.record();
        if let Some((text, skipped, fault)) = fault {
            proxy.fail(text, skipped, fault);
        }
        let release = async {
            sleep(Duration::from_millis(300)).await;
            proxy.release();
        };
        tokio::join!(loans.pay_together(gathered), release).0
    };
    let (response, responses) = tokio::join!(loans.pay(first), gather);
    loans.settle(first, response).await;
    loans.settle_together(gathered, responses).await;
}

#[tokio::test]
async fn payments_in_one_transaction_are_posted_once_whichever_of_its_statements_fails() {
    on_each_server(async |loans, proxy| {
        pay_together(loans, proxy, None).await;
        let recorded = last_posting(proxy.recorded());
        let faults = faults(&recorded);
        println!("{} statements, {} faults", recorded.len(), faults.len());
        loans.import(u32::try_from((GATHERED + 1) * faults.len() * 2).expect("few")).await;
        for fault in faults {
            pay_together(loans, proxy, Some(fault)).await;
            if !proxy.has_struck() {
                // The machine was too slow for all of them to gather.
                println!("again: {fault:?}");
                pay_together(loans, proxy, Some(fault)).await;
                assert!(proxy.has_struck(), "did not strike: {fault:?}");
            }
        }
    })
    .await;
}
