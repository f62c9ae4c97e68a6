//! Each operation of a posting on the files of the embedded database fails once: reads, writes and
//! syncs as on a bad disk, writes as on a full one, locks as if another program had them.

use super::{PaidLoans, Posting};
use crate::PROGRAM;
use acceptance::file_faults::{FileFault, FileFaults, FileOperation};
use acceptance::world::{Environment, on_embedded_database_with};
use shared::database;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::sleep;

async fn on_faulty_files(
    posting: Posting,
    test: impl AsyncFnOnce(&mut PaidLoans<'_>, &FileFaults),
) {
    let faults = FileFaults::new();
    let environment = Environment { api: faults.environment(), ..Default::default() };
    on_embedded_database_with(PROGRAM, environment, async |world| {
        let mut loans = PaidLoans::new(&world, posting).await;
        test(&mut loans, &faults).await;
        loans.check_books().await;
        world
    })
    .await;
}

/// Each way in which these operations can fail: the number of one, and how it fails.
fn faults_of(operations: &[FileOperation]) -> Vec<(usize, FileFault)> {
    let of_operation = |number: usize| {
        let is_write = operations[number] == FileOperation::Write;
        [(number, FileFault::Error)]
            .into_iter()
            .chain(is_write.then_some((number, FileFault::Full)))
    };
    ends_of_runs(operations).into_iter().flat_map(of_operation).collect()
}

/// The numbers of the first, a middle and the last one of equal operations in a row, as when the pages
/// of a transaction are written.
fn ends_of_runs(operations: &[FileOperation]) -> BTreeSet<usize> {
    let mut begin = 0;
    let runs = operations.chunk_by(|one, next| one == next).flat_map(|run| {
        let numbers = [begin, begin + run.len() / 2, begin + run.len() - 1];
        begin += run.len();
        numbers
    });
    runs.collect()
}

/// Makes each file operation of a posting fail once.
async fn fail_each_operation(posting: Posting) {
    on_faulty_files(posting, async |loans, files| {
        let loan_id = loans.next();
        files.count();
        let response = loans.pay(loan_id).await;
        let faults = faults_of(&files.counted());
        loans.settle(loan_id, response).await;
        println!("{} faults", faults.len());
        loans.import(u32::try_from(faults.len()).expect("few")).await;
        let mut struck = 0;
        for (skipped, fault) in &faults {
            let loan_id = loans.next();
            files.fail(*skipped, *fault);
            let response = loans.pay(loan_id).await;
            if let Some(operation) = files.struck() {
                println!("{} {operation:?} {skipped}: {fault:?}", response.status);
                struck += 1;
            }
            loans.settle(loan_id, response).await;
        }
        // How many operations a payment takes depends on what the cache holds.
        assert!(struck * 2 > faults.len(), "{struck} of {} faults struck", faults.len());
    })
    .await;
}

#[tokio::test]
async fn a_payment_is_posted_once_whichever_of_its_file_operations_fails() {
    fail_each_operation(Posting::Payment).await;
}

#[tokio::test]
async fn an_adjustment_is_posted_once_whichever_of_its_file_operations_fails() {
    fail_each_operation(Posting::Adjustment).await;
}

#[tokio::test]
async fn a_reversal_is_posted_once_whichever_of_its_file_operations_fails() {
    fail_each_operation(Posting::Reversal).await;
}

/// Pays loans in one transaction: while another program holds the write lock, they gather. From the
/// moment it is released, `begin` counts operations or makes one fail.
async fn pay_together(loans: &mut PaidLoans<'_>, begin: impl FnOnce()) {
    loans.restock().await;
    let held = database::begin_write(&loans.world.db).await;
    let held = held.unwrap_or_else(|error| panic!("{error}: {}", loans.world.api.log()));
    // The first payment waits for the lock, the others for the first.
    let occupied = sleep(Duration::from_millis(100));
    let released = async {
        sleep(Duration::from_millis(200)).await;
        begin();
        held.rollback().await.expect("released");
    };
    loans.pay_in_batch(occupied, released).await;
}

#[tokio::test]
async fn payments_in_one_transaction_are_posted_once_whichever_file_operation_fails() {
    on_faulty_files(Posting::Payment, async |loans, files| {
        pay_together(loans, || files.count()).await;
        let operations = files.counted();
        let faults = faults_of(&operations);
        println!("{} faults in {} operations", faults.len(), operations.len());
        let mut struck = 0;
        for (skipped, fault) in &faults {
            pay_together(loans, || files.fail(*skipped, *fault)).await;
            let failed = files.struck();
            println!("{skipped}: {fault:?}: {failed:?}");
            struck += usize::from(failed.is_some());
        }
        assert!(struck * 2 > faults.len(), "{struck} of {} faults struck", faults.len());
    })
    .await;
}
