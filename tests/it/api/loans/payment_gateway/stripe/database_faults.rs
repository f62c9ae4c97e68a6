//! Card payments when the database refuses a step, is locked or is away, and the api-server is
//! killed there: it finds out what the provider has done, and the payment continues.

use super::fixture::{CONFIRM, Payment, PaymentEnd, StripeFixture, at_stripe, with_stripe};
use crate::PROGRAM;
use acceptance::Database;
use acceptance::installed_clients::skip;
use acceptance::localstripe::{DECLINED_CARD, LocalStripeProgram};
use acceptance::world::{Environment, on_each_database_with};
use sea_orm::DatabaseTransaction;

use PaymentEnd::{Failed, Posted, Voided};

/// What happens to a payment, so that it reaches the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scenario {
    Charged,
    Declined,
    ReplyLost,
    LoanClosed,
}

use Scenario::{Charged, Declined, LoanClosed, ReplyLost};

/// The state of a payment's row that the database refuses, and how the payment ends: if the client
/// retries, and if no one does.
const STEPS: [(Scenario, &str, [PaymentEnd; 2]); 8] = [
    (Charged, "state = 'created'", [Posted, Posted]),
    (Charged, "gateway_reference IS NOT NULL", [Posted, Failed]),
    (Charged, "state = 'charged'", [Posted, Posted]),
    (Charged, "state = 'posted'", [Posted, Posted]),
    (Declined, "state = 'failed'", [Failed, Failed]),
    (ReplyLost, "state = 'unknown'", [Posted, Posted]),
    (LoanClosed, "failure_code IS NOT NULL", [Voided, Voided]),
    (LoanClosed, "state = 'voided'", [Voided, Voided]),
];

#[tokio::test]
async fn a_step_that_fails_in_the_database_is_completed_later() {
    with_stripe(&[], 2 * STEPS.len(), async |fixture| {
        for (scenario, step, [end, _]) in STEPS {
            println!("{scenario:?}: {step}, asked again");
            let payment = reach_step(fixture, scenario, step).await;
            fixture.expect_end(&payment, end).await;
            fixture.check_books().await;
        }
        let mut remaining = Vec::new();
        for (scenario, step, [_, end]) in STEPS {
            println!("{scenario:?}: {step}, left alone");
            remaining.push((reach_step(fixture, scenario, step).await, end));
        }
        fixture.age_attempts().await;
        fixture.restart().await;
        fixture.wait_until_over().await;
        for (payment, end) in remaining {
            fixture.expect_end(&payment, end).await;
        }
    })
    .await;
}

/// Begins a payment whose row the database refuses at this step.
async fn reach_step(fixture: &mut StripeFixture, scenario: Scenario, step: &str) -> Payment {
    let mut payment = fixture.payment();
    if scenario == Declined {
        payment.card = fixture.add_card(payment.loan, DECLINED_CARD).await;
    }
    forbid(fixture, &payment, step).await;
    let proxy = &fixture.provider().proxy;
    match scenario {
        Charged | Declined => {}
        ReplyLost => proxy.lose_reply(CONFIRM, 1),
        LoanClosed => {
            let mut charged = proxy.hold_after(CONFIRM);
            let response = fixture.begin(&payment);
            charged.arrived().await;
            fixture.close_loan(&payment).await;
            charged.forward().await;
            drop(response.await);
        }
    }
    let response = fixture.pay(&payment).await;
    assert!(response.status.is_server_error(), "{}", response.text);
    allow(fixture, &payment).await;
    payment
}

/// Makes the database refuse this state of a payment's row.
async fn forbid(fixture: &StripeFixture, payment: &Payment, step: &str) {
    let loan = payment.loan;
    match fixture.world.database {
        Database::Sqlite => {
            for event in ["INSERT", "UPDATE"] {
                let sql = format!(
                    "CREATE TRIGGER forbidden_{event}_{loan} BEFORE {event} ON gateway_payments WHEN \
                     NEW.loan_id = {loan} AND NEW.{step} BEGIN SELECT RAISE(ABORT, 'no'); END"
                );
                fixture.world.sql(&sql).await;
            }
        }
        Database::Server(_) => {
            let sql = format!(
                "ALTER TABLE gateway_payments ADD CONSTRAINT forbidden CHECK (NOT (loan_id = \
                 {loan} AND {step}))"
            );
            fixture.world.sql(&sql).await;
        }
    }
}

async fn allow(fixture: &StripeFixture, payment: &Payment) {
    match fixture.world.database {
        // Named after the loan: a connection that has not noticed a trigger's removal cannot create
        // another of the same name.
        Database::Sqlite => {
            for event in ["INSERT", "UPDATE"] {
                let sql = format!("DROP TRIGGER forbidden_{event}_{}", payment.loan);
                fixture.world.sql(&sql).await;
            }
        }
        Database::Server(_) => {
            fixture.world.sql("ALTER TABLE gateway_payments DROP CONSTRAINT forbidden").await;
        }
    }
}

/// Charges a payment while its loan is locked. Returns the lock and the pending request.
async fn charge_while_locked(
    fixture: &StripeFixture,
    payment: &Payment,
) -> (DatabaseTransaction, tokio::task::JoinHandle<Option<acceptance::TestResponse>>) {
    let mut charged = fixture.provider().proxy.hold_after(CONFIRM);
    let response = fixture.begin(payment);
    charged.arrived().await;
    let locked = fixture.lock(&format!("loans WHERE loan_id = {}", payment.loan)).await;
    charged.forward().await;
    fixture.wait_for_state(payment, "charged").await;
    (locked, response)
}

#[tokio::test]
async fn a_charge_on_a_locked_loan_is_posted_once_unlocked() {
    with_stripe(&[], 3, async |fixture| {
        if fixture.world.database == Database::Sqlite {
            return;
        }
        let payment = fixture.payment();
        let (locked, response) = charge_while_locked(fixture, &payment).await;
        let response = response.await.expect("it ran").expect("a response");
        assert_eq!(response.expect_problem(423, "loan-locked").header("retry-after"), "1");
        assert_eq!(fixture.state(&payment).await, "charged");
        let body = payment.body();
        let path = format!("/loans/{}/payment-gateway/payments", payment.loan);
        let repeated =
            fixture.world.client.post(&fixture.admin, &path, &body, Some(&payment.key)).await;
        repeated.expect_problem(423, "loan-locked");
        locked.rollback().await.expect("free");
        fixture.pay(&payment).await.expect(201);
        fixture.expect_end(&payment, Posted).await;

        // Killed while it waits for the loan, with a client that retries and with none.
        for asked_again in [true, false] {
            let payment = fixture.payment();
            let (locked, response) = charge_while_locked(fixture, &payment).await;
            fixture.world.api.kill().await;
            assert!(response.await.expect("it ran").is_none());
            locked.rollback().await.expect("free");
            if !asked_again {
                fixture.age_attempts().await;
            }
            fixture.restart().await;
            if !asked_again {
                fixture.wait_for_state(&payment, "posted").await;
            }
            fixture.expect_end(&payment, Posted).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_killed_after_posting_has_posted() {
    with_stripe(&[], 1, async |fixture| {
        let payment = fixture.payment();
        let mut held = fixture.provider().proxy.hold_before(CONFIRM);
        let response = fixture.begin(&payment);
        held.arrived().await;
        // The response is stored under the key before it is sent.
        let locked = match fixture.world.database {
            Database::Sqlite => None,
            Database::Server(_) => Some(fixture.lock("idempotency_records").await),
        };
        held.forward().await;
        fixture.wait_for_state(&payment, "posted").await;
        fixture.world.api.kill().await;
        let response = response.await.expect("it ran");
        assert!(response.is_none() || locked.is_none(), "{response:?}");
        if let Some(locked) = locked {
            locked.rollback().await.expect("free");
        }
        fixture.restart().await;
        fixture.expect_end(&payment, Posted).await;
    })
    .await;
}

#[tokio::test]
async fn a_charge_during_a_database_outage_is_recorded_later() {
    let stripe = match LocalStripeProgram::find() {
        Ok(stripe) => stripe,
        Err(missing) => return skip(&missing),
    };
    let environment = Environment { database_proxy: true, ..at_stripe(stripe, &[]) };
    on_each_database_with(PROGRAM, environment.in_processes(), async |world| {
        if world.database_proxy.is_none() {
            return world;
        }
        let mut fixture = StripeFixture::open(world, 2).await;
        for asked_again in [true, false] {
            let payment = fixture.payment();
            let mut charged = fixture.provider().proxy.hold_after(CONFIRM);
            let response = fixture.begin(&payment);
            charged.arrived().await;
            let proxy = fixture.world.database_proxy.as_ref().expect("a proxy");
            proxy.shut();
            charged.forward().await;
            let response = response.await.expect("it ran").expect("a response");
            response.expect_problem(503, "database-unavailable");
            proxy.open();
            assert_eq!(fixture.state(&payment).await, "created");
            if !asked_again {
                fixture.age_attempts().await;
                fixture.restart().await;
                fixture.wait_for_state(&payment, "posted").await;
            }
            fixture.expect_end(&payment, Posted).await;
        }
        fixture.check_books().await;
        fixture.world
    })
    .await;
}
