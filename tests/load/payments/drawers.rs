//! The cash drawers that take cash payments, and the other work with them.

use super::jobs::{MovementType, Work};
use acceptance::World;

/// The number of individual drawers.
const WINDOWS: usize = 4;
/// The initial funding of each drawer, in cents.
const FUNDING: i64 = 50_000;
/// The privileges that the senders need in addition to a teller's.
const PRIVILEGES: [&str; 2] = ["Cash Drawer > Funding", "Cash Drawer > Supervise"];

/// Drawers that the senders may work with.
#[derive(Clone)]
pub struct Drawers {
    /// The individual drawers.
    windows: Vec<i64>,
    reserve: i64,
}

impl Drawers {
    /// Creates empty drawers and assigns them to the teller, in SQL because no operation does that.
    pub async fn create(world: &World) -> Self {
        let windows = (1..=WINDOWS).map(|number| format!("'Window {number}', 'individual'"));
        let rows = windows.chain(["'Reserve', 'reserve'".to_owned()]);
        let rows = rows.map(|row| format!("{row}, 'open', 0, 0"));
        let columns = "name, drawer_type, status, cash_balance, check_balance";
        let mut windows = world.insert("cash_drawers", "drawer_id", columns, rows).await;
        let teller = world.count("SELECT user_id FROM users WHERE user_name = 'teller'").await;
        let assignments = windows.iter().map(|drawer| format!("{drawer}, {teller}, NOW, {teller}"));
        let columns = "drawer_id, user_id, assigned_date, assigned_by_user_id";
        world.insert("cash_drawer_assignments", "row_id", columns, assignments).await;
        for privilege in PRIVILEGES {
            world
                .sql(&format!(
                    "INSERT INTO privilege_grants (privilege_id, user_id) \
                     SELECT privilege_id, {teller} FROM privileges \
                     WHERE path = '{privilege}' AND verb = 'Allow'"
                ))
                .await;
        }
        let reserve = windows.pop().unwrap_or_default();
        Self { windows, reserve }
    }

    /// A drawer for a payment.
    pub fn draw_window(&self, rng: &mut fastrand::Rng) -> i64 {
        self.windows[rng.usize(0..self.windows.len())]
    }

    fn draw_any(&self, rng: &mut fastrand::Rng) -> i64 {
        if rng.u32(0..4) == 0 { self.reserve } else { self.draw_window(rng) }
    }

    /// Draws some work with a drawer. More goes in than out, so that drawers are rarely short.
    pub fn draw_work(&self, rng: &mut fastrand::Rng) -> Work {
        let (drawer_id, movement_type, cents_max) = match rng.u32(0..24) {
            0..4 => self.draw_transfer(rng),
            4..8 => (self.draw_window(rng), MovementType::Transfer(self.reserve), 10_000),
            8..12 => (self.reserve, MovementType::Transfer(self.draw_window(rng)), 10_000),
            12..16 => (self.draw_any(rng), MovementType::BankIn, 500_000),
            16..18 => (self.draw_any(rng), MovementType::BankOut, 10_000),
            18..20 => (self.draw_any(rng), MovementType::AdjustmentIn, 10_000),
            20..22 => (self.draw_any(rng), MovementType::AdjustmentOut, 10_000),
            _ => return draw_count(self.draw_any(rng), rng),
        };
        let tender = if rng.u32(0..4) == 0 { "check" } else { "cash" };
        Work::Movement { drawer_id, movement_type, tender, cents: rng.i64(1..=cents_max) }
    }

    fn draw_transfer(&self, rng: &mut fastrand::Rng) -> (i64, MovementType, i64) {
        let from = rng.usize(0..self.windows.len());
        let to = (from + rng.usize(1..self.windows.len())) % self.windows.len();
        (self.windows[from], MovementType::Transfer(self.windows[to]), 10_000)
    }

    /// The cash that each drawer starts with. There are no checks, so that some work finds too
    /// little even in a short run.
    pub fn fundings(&self) -> impl Iterator<Item = Work> {
        let drawers = self.windows.iter().chain([&self.reserve]);
        let (movement_type, tender, cents) = (MovementType::BankIn, "cash", FUNDING);
        drawers.map(move |drawer_id| Work::Movement {
            drawer_id: *drawer_id,
            movement_type,
            tender,
            cents,
        })
    }

    /// A count of each drawer.
    pub fn counts(&self) -> impl Iterator<Item = Work> {
        let mut rng = fastrand::Rng::with_seed(0);
        let drawers = self.windows.iter().chain([&self.reserve]);
        drawers.map(move |drawer| draw_count(*drawer, &mut rng))
    }
}

/// Equals the expected amount only by chance, because money moves during a count.
fn draw_count(drawer_id: i64, rng: &mut fastrand::Rng) -> Work {
    let (cash, check) = (rng.i64(0..=200_000), rng.i64(0..=50_000));
    Work::Count { drawer_id, cash, check, close: rng.bool() }
}
