//! Each statement of a posting fails once, on PostgreSQL and MariaDB. The list of statements is a
//! recording of a payment without a fault.

use super::{PaidLoans, Posting};
use crate::PROGRAM;
use acceptance::World;
use acceptance::statement_proxy::{RecordedStatement, StatementFault, StatementProxy};
use acceptance::world::{Environment, on_each_database_with};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::sleep;

use StatementFault::{Contention, CutAfter, CutBefore, LockTimeout};

/// How long payments gather: longer each time if the machine was too slow for all of them.
const GATHERING: [Duration; 4] = [
    Duration::from_millis(300),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(2),
];

/// Runs a test on each database server, with a proxy for the api-server's statements.
async fn on_each_server(posting: Posting, test: impl AsyncFn(&mut PaidLoans<'_>, &StatementProxy)) {
    let environment = Environment { statement_proxy: true, ..Default::default() };
    on_each_database_with(PROGRAM, environment, |world: World| {
        let test = &test;
        async move {
            if let Some(proxy) = &world.statement_proxy {
                let mut loans = PaidLoans::new(&world, posting).await;
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
    words.contains("INSERT INTO loan_transactions")
}

/// The statements of the transaction that wrote entries, if there was one, and those sent beside it.
fn only_posting(mut recorded: Vec<RecordedStatement>) -> Option<Vec<RecordedStatement>> {
    let postings: BTreeSet<Option<u64>> =
        recorded.iter().filter(writes_entries).map(|statement| statement.transaction).collect();
    let posting = *postings.first().filter(|_| postings.len() == 1)?;
    let is_of_posting = |statement: &RecordedStatement| statement.transaction == posting;
    recorded.truncate(recorded.iter().rposition(is_of_posting)? + 1);
    recorded.drain(..recorded.iter().position(is_of_posting)?);
    recorded.retain(|statement| is_of_posting(statement) || statement.transaction.is_none());
    Some(recorded)
}

/// The statements sent while a posting on the next loan is made.
async fn record_posting(
    loans: &mut PaidLoans<'_>,
    proxy: &StatementProxy,
) -> Vec<RecordedStatement> {
    let loan_id = loans.next();
    proxy.record();
    let response = loans.pay(loan_id).await;
    let recorded = proxy.recorded();
    loans.settle(loan_id, response).await;
    recorded
}

/// Makes each statement of a posting fail once, in every way.
async fn fail_each_statement(posting: Posting) {
    on_each_server(posting, async |loans, proxy| {
        let mut recorded = record_posting(loans, proxy).await;
        // Background tasks send statements, too, but not the same with the next posting.
        let again = record_posting(loans, proxy).await;
        recorded.retain(|statement| again.iter().any(|other| other.text == statement.text));
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

#[tokio::test]
async fn a_payment_is_posted_once_whichever_of_its_statements_fails() {
    fail_each_statement(Posting::Payment).await;
}

#[tokio::test]
async fn an_adjustment_is_posted_once_whichever_of_its_statements_fails() {
    fail_each_statement(Posting::Adjustment).await;
}

#[tokio::test]
async fn a_reversal_is_posted_once_whichever_of_its_statements_fails() {
    fail_each_statement(Posting::Reversal).await;
}

/// Pays loans in one transaction: while the commit of another payment is held up, they gather. The
/// statement with this text fails.
async fn pay_together(
    loans: &mut PaidLoans<'_>,
    proxy: &StatementProxy,
    gathering: Duration,
    fault: Option<(&str, usize, StatementFault)>,
) {
    loans.restock().await;
    proxy.hold_commit();
    let occupied = async {
        proxy.holding().await;
        proxy.record();
        if let Some((text, skipped, fault)) = fault {
            proxy.fail(text, skipped, fault);
        }
    };
    let released = async {
        sleep(gathering).await;
        proxy.release();
    };
    loans.pay_in_batch(occupied, released).await;
}

#[tokio::test]
async fn payments_in_one_transaction_are_posted_once_whichever_of_its_statements_fails() {
    on_each_server(Posting::Payment, async |loans, proxy| {
        let mut recorded = None;
        for gathering in GATHERING {
            pay_together(loans, proxy, gathering, None).await;
            recorded = only_posting(proxy.recorded());
            if recorded.is_some() {
                break;
            }
        }
        let recorded = recorded.expect("all gather");
        let faults = faults(&recorded);
        println!("{} statements, {} faults", recorded.len(), faults.len());
        for fault in faults {
            let mut has_struck = false;
            for gathering in GATHERING {
                pay_together(loans, proxy, gathering, Some(fault)).await;
                has_struck = proxy.has_struck();
                if has_struck {
                    break;
                }
                println!("again: {fault:?}");
            }
            assert!(has_struck, "did not strike: {fault:?}");
        }
    })
    .await;
}
