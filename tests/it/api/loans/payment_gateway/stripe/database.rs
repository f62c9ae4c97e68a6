//! Card payments when the database refuses a step, is locked or is away, and the api-server is
//! killed there: it finds out what the provider has done, and the payment continues.

use super::till::{CONFIRM, End, Payment, Till, at_stripe, at_the_till};
use crate::PROGRAM;
use acceptance::Database;
use acceptance::installed_clients::skip;
use acceptance::localstripe::{DECLINED_CARD, LocalStripeProgram};
use acceptance::world::{Environment, on_each_database_with};
use sea_orm::DatabaseTransaction;

use End::{Failed, Posted, Voided};

/// What happens to a payment, so that it reaches the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    Charged,
    Declined,
    AnswerLost,
    LoanClosed,
}

use Course::{AnswerLost, Charged, Declined, LoanClosed};

/// The state of a payment's row that the database refuses, and how the payment ends: if the client
/// retries, and if no one does.
const STEPS: [(Course, &str, [End; 2]); 8] = [
    (Charged, "state = 'created'", [Posted, Posted]),
    (Charged, "gateway_reference IS NOT NULL", [Posted, Failed]),
    (Charged, "state = 'charged'", [Posted, Posted]),
    (Charged, "state = 'posted'", [Posted, Posted]),
    (Declined, "state = 'failed'", [Failed, Failed]),
    (AnswerLost, "state = 'unknown'", [Posted, Posted]),
    (LoanClosed, "failure_code IS NOT NULL", [Voided, Voided]),
    (LoanClosed, "state = 'voided'", [Voided, Voided]),
];

#[tokio::test]
async fn a_step_that_the_database_does_not_take_is_taken_later() {
    at_the_till(&[], 2 * STEPS.len(), async |till| {
        for (course, step, [end, _]) in STEPS {
            println!("{course:?}: {step}, asked again");
            let payment = come_to(till, course, step).await;
            till.expect_end(&payment, end).await;
            till.check_books().await;
        }
        let mut left = Vec::new();
        for (course, step, [_, end]) in STEPS {
            println!("{course:?}: {step}, left alone");
            left.push((come_to(till, course, step).await, end));
        }
        till.let_time_pass().await;
        till.restart().await;
        till.wait_until_over().await;
        for (payment, end) in left {
            till.expect_end(&payment, end).await;
        }
    })
    .await;
}

/// Begins a payment whose row the database refuses at this step.
async fn come_to(till: &mut Till, course: Course, step: &str) -> Payment {
    let mut payment = till.payment();
    if course == Declined {
        payment.card = till.add_card(payment.loan, DECLINED_CARD).await;
    }
    forbid(till, &payment, step).await;
    let proxy = &till.provider().proxy;
    match course {
        Charged | Declined => {}
        AnswerLost => proxy.lose_reply(CONFIRM, 1),
        LoanClosed => {
            let mut charged = proxy.hold_after(CONFIRM);
            let response = till.begin(&payment);
            charged.arrived().await;
            till.close_loan(&payment).await;
            charged.forward().await;
            drop(response.await);
        }
    }
    let response = till.pay(&payment).await;
    assert!(response.status.is_server_error(), "{}", response.text);
    allow(till, &payment).await;
    payment
}

/// Makes the database refuse this state of a payment's row.
async fn forbid(till: &Till, payment: &Payment, step: &str) {
    let loan = payment.loan;
    match till.world.database {
        Database::Sqlite => {
            for event in ["INSERT", "UPDATE"] {
                let sql = format!(
                    "CREATE TRIGGER forbidden_{event}_{loan} BEFORE {event} ON gateway_payments WHEN \
                     NEW.loan_id = {loan} AND NEW.{step} BEGIN SELECT RAISE(ABORT, 'no'); END"
                );
                till.world.sql(&sql).await;
            }
        }
        Database::Server(_) => {
            let sql = format!(
                "ALTER TABLE gateway_payments ADD CONSTRAINT forbidden CHECK (NOT (loan_id = \
                 {loan} AND {step}))"
            );
            till.world.sql(&sql).await;
        }
    }
}

async fn allow(till: &Till, payment: &Payment) {
    match till.world.database {
        // Named after the loan: a connection that has not noticed a trigger's removal cannot create
        // another of the same name.
        Database::Sqlite => {
            for event in ["INSERT", "UPDATE"] {
                let sql = format!("DROP TRIGGER forbidden_{event}_{}", payment.loan);
                till.world.sql(&sql).await;
            }
        }
        Database::Server(_) => {
            till.world.sql("ALTER TABLE gateway_payments DROP CONSTRAINT forbidden").await;
        }
    }
}

/// Charges a payment while its loan is locked. Returns the lock and the pending request.
async fn charge_while_locked(
    till: &Till,
    payment: &Payment,
) -> (DatabaseTransaction, tokio::task::JoinHandle<Option<acceptance::TestResponse>>) {
    let mut charged = till.provider().proxy.hold_after(CONFIRM);
    let response = till.begin(payment);
    charged.arrived().await;
    let locked = till.lock(&format!("loans WHERE loan_id = {}", payment.loan)).await;
    charged.forward().await;
    till.wait_for_state(payment, "charged").await;
    (locked, response)
}

#[tokio::test]
async fn a_charge_on_a_locked_loan_stays_and_is_posted_once_the_loan_is_free() {
    at_the_till(&[], 3, async |till| {
        if till.world.database == Database::Sqlite {
            return;
        }
        let payment = till.payment();
        let (locked, response) = charge_while_locked(till, &payment).await;
        let response = response.await.expect("it ran").expect("a response");
        assert_eq!(response.expect_problem(423, "loan-locked").header("retry-after"), "1");
        assert_eq!(till.state(&payment).await, "charged");
        let body = payment.body();
        let path = format!("/loans/{}/payment-gateway/payments", payment.loan);
        let again = till.world.client.post(&till.admin, &path, &body, Some(&payment.key)).await;
        again.expect_problem(423, "loan-locked");
        locked.rollback().await.expect("free");
        till.pay(&payment).await.expect(201);
        till.expect_end(&payment, Posted).await;

        // Killed while it waits for the loan, with a client that retries and with none.
        for asked_again in [true, false] {
            let payment = till.payment();
            let (locked, response) = charge_while_locked(till, &payment).await;
            till.world.api.kill().await;
            assert!(response.await.expect("it ran").is_none());
            locked.rollback().await.expect("free");
            if !asked_again {
                till.let_time_pass().await;
            }
            till.restart().await;
            if !asked_again {
                till.wait_for_state(&payment, "posted").await;
            }
            till.expect_end(&payment, Posted).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_killed_behind_the_posting_has_posted() {
    at_the_till(&[], 1, async |till| {
        let payment = till.payment();
        let mut held = till.provider().proxy.hold_before(CONFIRM);
        let response = till.begin(&payment);
        held.arrived().await;
        // The response is stored under the key before it is sent.
        let locked = match till.world.database {
            Database::Sqlite => None,
            Database::Server(_) => Some(till.lock("idempotency_records").await),
        };
        held.forward().await;
        till.wait_for_state(&payment, "posted").await;
        till.world.api.kill().await;
        let response = response.await.expect("it ran");
        assert!(response.is_none() || locked.is_none(), "{response:?}");
        if let Some(locked) = locked {
            locked.rollback().await.expect("free");
        }
        till.restart().await;
        till.expect_end(&payment, Posted).await;
    })
    .await;
}

#[tokio::test]
async fn a_database_that_is_away_when_the_card_was_charged_is_told_later() {
    let stripe = match LocalStripeProgram::find() {
        Ok(stripe) => stripe,
        Err(missing) => return skip(&missing),
    };
    let environment = Environment { database_proxy: true, ..at_stripe(stripe, &[]) };
    on_each_database_with(PROGRAM, environment, async |world| {
        if world.database_proxy.is_none() {
            return world;
        }
        let mut till = Till::open(world, 2).await;
        for asked_again in [true, false] {
            let payment = till.payment();
            let mut charged = till.provider().proxy.hold_after(CONFIRM);
            let response = till.begin(&payment);
            charged.arrived().await;
            let proxy = till.world.database_proxy.as_ref().expect("a proxy");
            proxy.shut();
            charged.forward().await;
            let response = response.await.expect("it ran").expect("a response");
            response.expect_problem(503, "database-unavailable");
            proxy.open();
            assert_eq!(till.state(&payment).await, "created");
            if !asked_again {
                till.let_time_pass().await;
                till.restart().await;
                till.wait_for_state(&payment, "posted").await;
            }
            till.expect_end(&payment, Posted).await;
        }
        till.check_books().await;
        till.world
    })
    .await;
}
