//! Random sequences of operations by several users on several drawers. Each answer and each balance
//! is compared with a simple model of the rules.
//!
//! The sequences follow from `TEST_SEED`.

use super::{
    assign, balances, check_books, count_drawer, drawer_with_balances, grant, make_teller, post,
};
use crate::PROGRAM;
use acceptance::test_seed::test_seed;
use acceptance::{World, on_each_database};
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use shared::entity::cash_drawer_transactions;
use std::collections::BTreeMap;

const STEPS: usize = 150;
/// Units per cent.
const CENT: i64 = 100;

struct ModelUser {
    token: String,
    funding: bool,
    supervise: bool,
    /// Indexes of the drawers assigned to the user.
    assigned: Vec<usize>,
}

struct ModelDrawer {
    id: i64,
    reserve: bool,
    /// Cash and checks.
    balances: [i64; 2],
    /// Index of its active user.
    active: Option<usize>,
}

/// An operation that a user requests.
#[derive(Clone, Copy, Debug)]
enum Request {
    In,
    Out,
    Correct {
        out: bool,
    },
    /// Index of the target; `None` for a drawer that does not exist.
    Transfer(Option<usize>),
    /// The amounts counted, by tender, and whether the session ends.
    Count([i64; 2], bool),
}

#[derive(Clone, Copy, Debug)]
struct ModelStep {
    user: usize,
    drawer: usize,
    request: Request,
    tender: usize,
    amount: i64,
}

struct DrawerModel {
    users: Vec<ModelUser>,
    drawers: Vec<ModelDrawer>,
}

type Refusal = (u16, &'static str);

impl DrawerModel {
    /// Checks the rules in their order and, if they allow the step, applies it to the model.
    fn apply(&mut self, step: &ModelStep) -> Result<(), Refusal> {
        let ModelStep { user, drawer: own, request, tender, amount } = *step;
        let ModelUser { funding, supervise, assigned, .. } = &self.users[user];
        let is_assigned = assigned.contains(&own);
        if !is_assigned && !supervise {
            return Err((404, "not-found"));
        }
        let reserve = |index: usize| self.drawers[index].reserve;
        let target = match request {
            Request::Transfer(target) => target,
            _ => None,
        };
        let privilege = match request {
            Request::In | Request::Out => *funding,
            Request::Correct { .. } => *supervise,
            Request::Transfer(_) => *funding || !(reserve(own) || target.is_some_and(reserve)),
            Request::Count(..) => true,
        };
        if !privilege {
            return Err((403, "privilege-missing"));
        }
        if amount == 0 && !matches!(request, Request::Count(..)) {
            return Err((422, "invalid-value"));
        }
        let active = self.drawers[own].active;
        if active.is_some_and(|active| active != user) && !supervise {
            return Err((422, "drawer-in-use"));
        }
        if matches!(request, Request::Transfer(_)) && target.is_none_or(|target| target == own) {
            return Err((422, "drawer-not-usable"));
        }
        let out = match request {
            Request::Out | Request::Correct { out: true } | Request::Transfer(_) => amount,
            _ => 0,
        };
        let opens_session = is_assigned && !reserve(own) && active.is_none();
        let drawer = &mut self.drawers[own];
        if drawer.balances[tender] < out {
            return Err((422, "drawer-negative"));
        }
        match request {
            Request::Count(counted, closes) => {
                drawer.balances = counted;
                if closes {
                    drawer.active = None;
                }
                return Ok(());
            }
            Request::In | Request::Correct { out: false } => drawer.balances[tender] += amount,
            _ => drawer.balances[tender] -= out,
        }
        if opens_session {
            drawer.active = Some(user);
        }
        if let Some(target) = target {
            self.drawers[target].balances[tender] += amount;
        }
        Ok(())
    }

    /// Draws an operation that a user may request.
    fn random_step(&self, rng: &mut fastrand::Rng) -> ModelStep {
        let drawer = rng.usize(0..self.drawers.len());
        let held = self.drawers[drawer].balances;
        let random_amount = |held: i64, rng: &mut fastrand::Rng| match rng.u8(0..4) {
            0 => (held + CENT * rng.i64(-300..300)).max(0),
            _ => held,
        };
        let request = match rng.u8(0..10) {
            0..3 => Request::In,
            3..5 => Request::Out,
            5 => Request::Correct { out: rng.bool() },
            6..8 => {
                let target = rng.usize(0..=self.drawers.len());
                Request::Transfer(Some(target).filter(|target| *target < self.drawers.len()))
            }
            _ => Request::Count(
                [random_amount(held[0], rng), random_amount(held[1], rng)],
                rng.bool(),
            ),
        };
        let tender = rng.usize(0..2);
        let amount = match rng.u8(0..8) {
            0 => 0,
            1 => held[tender],
            2 => held[tender] + CENT,
            _ => CENT * rng.i64(1..100_000),
        };
        ModelStep { user: rng.usize(0..self.users.len()), drawer, request, tender, amount }
    }
}

fn decimal(units: i64) -> String {
    format!("{}.{:02}", units / 10_000, units / CENT % 100)
}

impl ModelStep {
    /// Sends the operation and returns its outcome.
    async fn send(&self, world: &World, model: &DrawerModel) -> Result<(), (u16, String)> {
        let (token, id) = (&model.users[self.user].token, model.drawers[self.drawer].id);
        let tender = ["cash", "check"][self.tender];
        let mut body = json!({"Tender": tender, "Amount": decimal(self.amount)});
        body["Transaction_Type"] = match self.request {
            Request::In => json!("bank_in"),
            Request::Out => json!("bank_out"),
            Request::Correct { out } => {
                body["Reference"] = json!("a reason");
                json!(if out { "adjustment_out" } else { "adjustment_in" })
            }
            Request::Transfer(target) => {
                let target = target.map_or(999_999, |target| model.drawers[target].id);
                body["Counter_Drawer_ID"] = json!(target);
                json!("transfer")
            }
            Request::Count(..) => Value::Null,
        };
        let response = match self.request {
            Request::Count([cash, check], closes) => {
                let body = json!({"Counted_Cash": decimal(cash), "Counted_Check": decimal(check),
                    "Close_Drawer": closes});
                count_drawer(world, token, id, body).await
            }
            _ => post(world, token, id, body).await,
        };
        match response.status.as_u16() {
            201 => Ok(()),
            status => Err((status, response.problem())),
        }
    }
}

async fn create_users_and_drawers(world: &World) -> DrawerModel {
    let mut drawers = Vec::new();
    for (name, kind) in [("One", "individual"), ("Two", "individual"), ("Vault", "reserve")] {
        let id = drawer_with_balances(world, name, kind, 500_000, 50_000).await;
        let (reserve, balances) = (kind == "reserve", [500_000, 50_000]);
        drawers.push(ModelDrawer { id, reserve, balances, active: None });
    }
    let mut users = Vec::new();
    for (name, assigned, funding, supervise) in [
        ("teller", vec![0, 1, 2], true, false),
        ("officer", vec![0, 1], false, false),
        ("viewer", vec![1], true, true),
    ] {
        let token = make_teller(world, name).await;
        for index in &assigned {
            assign(world, drawers[*index].id, name).await;
        }
        for (has, privilege) in [(funding, "Funding"), (supervise, "Supervise")] {
            if has {
                grant(world, name, &format!("Cash Drawer > {privilege}"), "Allow").await;
            }
        }
        users.push(ModelUser { token, funding, supervise, assigned });
    }
    let token = world.token("admin").await;
    users.push(ModelUser { token, funding: true, supervise: true, assigned: Vec::new() });
    DrawerModel { users, drawers }
}

/// All transaction rows, by id.
async fn rows(world: &World) -> BTreeMap<i64, cash_drawer_transactions::Model> {
    let rows = cash_drawer_transactions::Entity::find().all(&world.db).await.expect("rows");
    rows.into_iter().map(|row| (row.drawer_transaction_id, row)).collect()
}

#[tokio::test]
async fn random_drawer_operations_follow_the_model_and_keep_the_books_right() {
    let seed = test_seed();
    on_each_database(PROGRAM, move |world| async move {
        let mut model = create_users_and_drawers(&world).await;
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut rows_before = rows(&world).await;
        let mut status_counts = BTreeMap::<u16, usize>::new();
        for number in 0..STEPS {
            let step = model.random_step(&mut rng);
            let outcome = step.send(&world, &model).await;
            let expected = model.apply(&step).map_err(|(status, kind)| (status, kind.to_owned()));
            let where_ = format!("TEST_SEED={seed}, step {number}: {step:?}");
            assert_eq!(outcome, expected, "{where_}");
            *status_counts
                .entry(outcome.map_or_else(|(status, _)| status, |()| 201))
                .or_default() += 1;
            for drawer in &model.drawers {
                let [cash, check] = drawer.balances;
                assert_eq!(balances(&world, drawer.id).await, (cash, check), "{where_}");
            }
            let now = rows(&world).await;
            for (id, row) in rows_before.iter().filter(|(_, row)| row.reconciliation_id.is_some()) {
                assert_eq!(now.get(id), Some(row), "{where_}: a frozen row");
            }
            rows_before = now;
        }
        check_books(&world).await;
        println!("{status_counts:?}");
        assert!(
            [201, 403, 404, 422].iter().all(|status| status_counts.contains_key(status)),
            "{status_counts:?}"
        );
        world
    })
    .await;
}
