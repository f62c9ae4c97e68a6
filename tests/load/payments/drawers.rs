//! The cash drawers that take cash payments, and the other work with them.

use super::jobs::{Way, Work};
use acceptance::World;

/// The number of individual drawers.
const WINDOWS: usize = 4;
/// The initial funding of each drawer, in cents.
const FUNDING: i64 = 50_000;
/// The privileges that the senders need in addition to a teller's.
const RIGHTS: [&str; 2] = ["Cash Drawer > Funding", "Cash Drawer > Supervise"];

/// Drawers that the senders may work with.
pub struct Drawers {
    /// The individual drawers.
    windows: Vec<i64>,
    /// The reserve.
    reserve: i64,
}

impl Drawers {
    /// Creates empty drawers and assigns them to the teller, in SQL because no operation does that.
    pub async fn make(world: &World) -> Self {
        let windows = (1..=WINDOWS).map(|number| format!("'Window {number}', 'individual'"));
        let rows = windows.chain(["'Reserve', 'reserve'".to_owned()]);
        let rows = rows.map(|row| format!("{row}, 'open', 0, 0"));
        let columns = "name, drawer_type, status, cash_balance, check_balance";
        let mut windows = world.insert("cash_drawers", "drawer_id", columns, rows).await;
        let teller = world.count("SELECT user_id FROM users WHERE user_name = 'teller'").await;
        let assigned = windows.iter().map(|drawer| format!("{drawer}, {teller}, NOW, {teller}"));
        let columns = "drawer_id, user_id, assigned_date, assigned_by_user_id";
        world.insert("cash_drawer_assignments", "row_id", columns, assigned).await;
        for right in RIGHTS {
            world
                .sql(&format!(
                    "INSERT INTO privilege_grants (privilege_id, user_id) \
                     SELECT privilege_id, {teller} FROM privileges \
                     WHERE path = '{right}' AND verb = 'Allow'"
                ))
                .await;
        }
        let reserve = windows.pop().unwrap_or_default();
        Self { windows, reserve }
    }

    /// A drawer for a payment.
    pub fn window(&self, draw: &mut fastrand::Rng) -> i64 {
        self.windows[draw.usize(0..self.windows.len())]
    }

    fn any(&self, draw: &mut fastrand::Rng) -> i64 {
        if draw.u32(0..4) == 0 { self.reserve } else { self.window(draw) }
    }

    /// Draws some work with a drawer. More goes in than out, so that drawers are rarely short.
    pub fn work(&self, draw: &mut fastrand::Rng) -> Work {
        let (drawer_id, way, most) = match draw.u32(0..24) {
            0..4 => self.transfer(draw),
            4..8 => (self.window(draw), Way::Transfer(self.reserve), 10_000),
            8..12 => (self.reserve, Way::Transfer(self.window(draw)), 10_000),
            12..16 => (self.any(draw), Way::BankIn, 500_000),
            16..18 => (self.any(draw), Way::BankOut, 10_000),
            18..20 => (self.any(draw), Way::AdjustmentIn, 10_000),
            20..22 => (self.any(draw), Way::AdjustmentOut, 10_000),
            _ => return count(self.any(draw), draw),
        };
        let tender = if draw.u32(0..4) == 0 { "check" } else { "cash" };
        Work::Movement { drawer_id, way, tender, cents: draw.i64(1..=most) }
    }

    fn transfer(&self, draw: &mut fastrand::Rng) -> (i64, Way, i64) {
        let from = draw.usize(0..self.windows.len());
        let to = (from + draw.usize(1..self.windows.len())) % self.windows.len();
        (self.windows[from], Way::Transfer(self.windows[to]), 10_000)
    }

    /// The cash that each drawer starts with. There are no checks, so that some work finds too
    /// little even in a short run.
    pub fn fundings(&self) -> impl Iterator<Item = Work> {
        let drawers = self.windows.iter().chain([&self.reserve]);
        let (way, tender, cents) = (Way::BankIn, "cash", FUNDING);
        drawers.map(move |drawer_id| Work::Movement { drawer_id: *drawer_id, way, tender, cents })
    }

    /// A count of each drawer.
    pub fn counts(&self) -> impl Iterator<Item = Work> {
        let mut draw = fastrand::Rng::with_seed(0);
        let drawers = self.windows.iter().chain([&self.reserve]);
        drawers.map(move |drawer| count(*drawer, &mut draw))
    }
}

/// Equals the expected amount only by chance, because money moves during a count.
fn count(drawer_id: i64, draw: &mut fastrand::Rng) -> Work {
    let (cash, check) = (draw.i64(0..=200_000), draw.i64(0..=50_000));
    Work::Count { drawer_id, cash, check, close: draw.bool() }
}
