//! Random sequences of operations by several users on several drawers. Each answer and each balance
//! is compared with a simple model of the rules.
//!
//! The sequences follow from `TEST_SEED`.

use super::{assign, check_books, count_drawer, filled, grant, holds, make_teller, post};
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

/// A user in the model.
struct User {
    token: String,
    funding: bool,
    supervise: bool,
    /// Indexes of the drawers assigned to the user.
    assigned: Vec<usize>,
}

/// A drawer in the model.
struct Drawer {
    id: i64,
    reserve: bool,
    /// Cash and checks.
    balances: [i64; 2],
    /// Index of its active user.
    active: Option<usize>,
}

/// An operation that a user requests.
#[derive(Clone, Copy, Debug)]
enum Asked {
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
struct Step {
    user: usize,
    drawer: usize,
    asked: Asked,
    tender: usize,
    amount: i64,
}

struct Model {
    users: Vec<User>,
    drawers: Vec<Drawer>,
}

type Refusal = (u16, &'static str);

impl Model {
    /// Checks the rules in their order and, if they allow the step, applies it to the model.
    fn apply(&mut self, step: &Step) -> Result<(), Refusal> {
        let Step { user, drawer: here, asked, tender, amount } = *step;
        let User { funding, supervise, assigned, .. } = &self.users[user];
        let is_assigned = assigned.contains(&here);
        if !is_assigned && !supervise {
            return Err((404, "not-found"));
        }
        let reserve = |place: usize| self.drawers[place].reserve;
        let target = match asked {
            Asked::Transfer(target) => target,
            _ => None,
        };
        let right = match asked {
            Asked::In | Asked::Out => *funding,
            Asked::Correct { .. } => *supervise,
            Asked::Transfer(_) => *funding || !(reserve(here) || target.is_some_and(reserve)),
            Asked::Count(..) => true,
        };
        if !right {
            return Err((403, "privilege-missing"));
        }
        if amount == 0 && !matches!(asked, Asked::Count(..)) {
            return Err((422, "invalid-value"));
        }
        let active = self.drawers[here].active;
        if active.is_some_and(|active| active != user) && !supervise {
            return Err((422, "drawer-in-use"));
        }
        if matches!(asked, Asked::Transfer(_)) && target.is_none_or(|target| target == here) {
            return Err((422, "drawer-not-usable"));
        }
        let out = match asked {
            Asked::Out | Asked::Correct { out: true } | Asked::Transfer(_) => amount,
            _ => 0,
        };
        let begins = is_assigned && !reserve(here) && active.is_none();
        let drawer = &mut self.drawers[here];
        if drawer.balances[tender] < out {
            return Err((422, "drawer-negative"));
        }
        match asked {
            Asked::Count(counted, ends) => {
                drawer.balances = counted;
                if ends {
                    drawer.active = None;
                }
                return Ok(());
            }
            Asked::In | Asked::Correct { out: false } => drawer.balances[tender] += amount,
            _ => drawer.balances[tender] -= out,
        }
        if begins {
            drawer.active = Some(user);
        }
        if let Some(target) = target {
            self.drawers[target].balances[tender] += amount;
        }
        Ok(())
    }

    /// Draws an operation that a user may request.
    fn draw(&self, chance: &mut fastrand::Rng) -> Step {
        let drawer = chance.usize(0..self.drawers.len());
        let held = self.drawers[drawer].balances;
        let some = |held: i64, chance: &mut fastrand::Rng| match chance.u8(0..4) {
            0 => (held + CENT * chance.i64(-300..300)).max(0),
            _ => held,
        };
        let asked = match chance.u8(0..10) {
            0..3 => Asked::In,
            3..5 => Asked::Out,
            5 => Asked::Correct { out: chance.bool() },
            6..8 => {
                let target = chance.usize(0..=self.drawers.len());
                Asked::Transfer(Some(target).filter(|target| *target < self.drawers.len()))
            }
            _ => Asked::Count([some(held[0], chance), some(held[1], chance)], chance.bool()),
        };
        let tender = chance.usize(0..2);
        let amount = match chance.u8(0..8) {
            0 => 0,
            1 => held[tender],
            2 => held[tender] + CENT,
            _ => CENT * chance.i64(1..100_000),
        };
        Step { user: chance.usize(0..self.users.len()), drawer, asked, tender, amount }
    }
}

fn decimal(units: i64) -> String {
    format!("{}.{:02}", units / 10_000, units / CENT % 100)
}

impl Step {
    /// Sends the operation and returns its outcome.
    async fn send(&self, world: &World, model: &Model) -> Result<(), (u16, String)> {
        let (token, id) = (&model.users[self.user].token, model.drawers[self.drawer].id);
        let tender = ["cash", "check"][self.tender];
        let mut body = json!({"Tender": tender, "Amount": decimal(self.amount)});
        body["Transaction_Type"] = match self.asked {
            Asked::In => json!("bank_in"),
            Asked::Out => json!("bank_out"),
            Asked::Correct { out } => {
                body["Reference"] = json!("a reason");
                json!(if out { "adjustment_out" } else { "adjustment_in" })
            }
            Asked::Transfer(target) => {
                let target = target.map_or(999_999, |target| model.drawers[target].id);
                body["Counter_Drawer_ID"] = json!(target);
                json!("transfer")
            }
            Asked::Count(..) => Value::Null,
        };
        let response = match self.asked {
            Asked::Count([cash, check], ends) => {
                let body = json!({"Counted_Cash": decimal(cash), "Counted_Check": decimal(check),
                    "Close_Drawer": ends});
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

async fn people_and_drawers(world: &World) -> Model {
    let mut drawers = Vec::new();
    for (name, kind) in [("One", "individual"), ("Two", "individual"), ("Vault", "reserve")] {
        let id = filled(world, name, kind, 500_000, 50_000).await;
        let (reserve, balances) = (kind == "reserve", [500_000, 50_000]);
        drawers.push(Drawer { id, reserve, balances, active: None });
    }
    let mut users = Vec::new();
    for (name, assigned, funding, supervise) in [
        ("teller", vec![0, 1, 2], true, false),
        ("officer", vec![0, 1], false, false),
        ("viewer", vec![1], true, true),
    ] {
        let token = make_teller(world, name).await;
        for place in &assigned {
            assign(world, drawers[*place].id, name).await;
        }
        for (has, right) in [(funding, "Funding"), (supervise, "Supervise")] {
            if has {
                grant(world, name, &format!("Cash Drawer > {right}"), "Allow").await;
            }
        }
        users.push(User { token, funding, supervise, assigned });
    }
    let token = world.token("admin").await;
    users.push(User { token, funding: true, supervise: true, assigned: Vec::new() });
    Model { users, drawers }
}

/// All transaction rows, by id.
async fn rows(world: &World) -> BTreeMap<i64, cash_drawer_transactions::Model> {
    let rows = cash_drawer_transactions::Entity::find().all(&world.db).await.expect("rows");
    rows.into_iter().map(|row| (row.drawer_transaction_id, row)).collect()
}

#[tokio::test]
async fn whatever_is_done_in_whatever_order_follows_the_rules_and_the_books_are_right() {
    let seed = test_seed();
    on_each_database(PROGRAM, move |world| async move {
        let mut model = people_and_drawers(&world).await;
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut known = rows(&world).await;
        let mut seen = BTreeMap::<u16, usize>::new();
        for number in 0..STEPS {
            let step = model.draw(&mut chance);
            let came = step.send(&world, &model).await;
            let expected = model.apply(&step).map_err(|(status, kind)| (status, kind.to_owned()));
            let where_ = format!("TEST_SEED={seed}, step {number}: {step:?}");
            assert_eq!(came, expected, "{where_}");
            *seen.entry(came.map_or_else(|(status, _)| status, |()| 201)).or_default() += 1;
            for drawer in &model.drawers {
                let [cash, check] = drawer.balances;
                assert_eq!(holds(&world, drawer.id).await, (cash, check), "{where_}");
            }
            let now = rows(&world).await;
            for (id, row) in known.iter().filter(|(_, row)| row.reconciliation_id.is_some()) {
                assert_eq!(now.get(id), Some(row), "{where_}: a frozen row");
            }
            known = now;
        }
        check_books(&world).await;
        println!("{seen:?}");
        assert!([201, 403, 404, 422].iter().all(|status| seen.contains_key(status)), "{seen:?}");
        world
    })
    .await;
}
