//! Cash drawers: funded from the bank, taking payments, counted. Each row goes through one ledger,
//! so that balances are the sums of the rows and never below zero.

use super::block::{Block, cents};
use crate::rows;
use crate::seed::standing_rows::TELLER_DRAWER;
use api_server::entries::codes::PAYMENT_TOTAL;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use shared::amounts::Money;
use shared::entity::cash_drawer_reconciliations::ReconciliationStatus;
use shared::entity::cash_drawer_transactions::{self as entries, DrawerTransactionType, Tender};
use shared::entity::cash_drawers::{self, DrawerStatus, DrawerType};
use shared::entity::{
    cash_drawer_assignments, cash_drawer_reconciliations, cash_drawer_sessions, loan_transactions,
};
use shared::lists::{Denomination, Denominations};
use shared::time::Timestamp;

/// Notes and coins in cents.
const DENOMINATIONS: [i64; 10] = [10_000, 5000, 2000, 1000, 500, 100, 25, 10, 5, 1];
/// Payments up to this are taken over the counter.
const OVER_THE_COUNTER: i64 = 100_000;
/// So many loans are looked at for such payments.
const COUNTER_LOANS: usize = 8;

/// A drawer under the hand of whoever works with it.
struct Drawer {
    drawer_id: i64,
    user_id: i64,
    cash: Money,
    check: Money,
}

/// Writes rows of drawers.
struct Ledger<'a> {
    tx: &'a DatabaseTransaction,
    block: &'a Block,
}

/// A payment on a loan that was taken over the counter.
struct Taken {
    transaction_id: i64,
    loan_id: i64,
    amount: Money,
    when: Timestamp,
}

/// A reserve and three windows: one counted and found right, one short, one still at work.
pub async fn add(tx: &DatabaseTransaction, block: &Block) -> Result<(), DbErr> {
    let ledger = Ledger { tx, block };
    let staff = &block.staff;
    let mut vault = ledger.drawer("Vault", DrawerType::Reserve, staff.supervisor).await?;
    let first = ledger.teller_drawer().await?;
    let second = ledger.drawer("Teller 2", DrawerType::Individual, staff.teller2).await?;
    let third = ledger.drawer("Teller 3", DrawerType::Individual, staff.teller2).await?;
    ledger.assign(&third, staff.supervisor).await?;
    let mut windows = [first, second, third];

    let day_before = block.days_ago(1);
    ledger.fund(&mut vault, cents(1_000_000), "Cash order", day_before).await?;
    for drawer in &mut windows {
        ledger.transfer(&mut vault, drawer, cents(50_000), day_before).await?;
    }
    ledger.fund(&mut vault, cents(-100_000), "Deposit", day_before).await?;
    let corrected = cents(2000);
    ledger.correct(&mut windows[2], corrected, "Found behind the drawer", day_before).await?;

    let opened = block.time(-90);
    for (window, ended) in windows.iter().zip([true, true, false]) {
        ledger.open(window, opened, ended).await?;
    }
    let mut taken = ledger.payments().await?.into_iter();
    for (tender, window) in [
        (Tender::Cash, 0),
        (Tender::Check, 0),
        (Tender::Cash, 1),
        (Tender::Cash, 2),
        (Tender::Check, 2),
    ] {
        if let Some(payment) = taken.next() {
            ledger.take(&mut windows[window], tender, &payment).await?;
        }
    }
    ledger.reconcile(&mut windows[0], Money::ZERO).await?;
    ledger.reconcile(&mut windows[1], cents(-500)).await
}

impl Ledger<'_> {
    /// A drawer that this user is assigned to.
    async fn drawer(
        &self,
        name: &str,
        drawer_type: DrawerType,
        user_id: i64,
    ) -> Result<Drawer, DbErr> {
        let row = cash_drawers::Model {
            drawer_id: 0,
            name: name.to_owned(),
            description: None,
            drawer_type,
            gl_account: Some("1010-02".to_owned()),
            branch: Some("Main".to_owned()),
            status: DrawerStatus::Open,
            cash_balance: Money::ZERO,
            check_balance: Money::ZERO,
            last_reconciled_date: None,
        };
        let drawer_id = rows::add(self.tx, row).await?;
        let drawer = Drawer { drawer_id, user_id, cash: Money::ZERO, check: Money::ZERO };
        self.assign(&drawer, user_id).await?;
        Ok(drawer)
    }

    /// The drawer that every installation has, as it stands.
    async fn teller_drawer(&self) -> Result<Drawer, DbErr> {
        let named = cash_drawers::Column::Name.eq(TELLER_DRAWER);
        let found = cash_drawers::Entity::find().filter(named).one(self.tx).await?;
        let user_id = self.block.staff.teller;
        match found {
            Some(row) => Ok(Drawer {
                drawer_id: row.drawer_id,
                user_id,
                cash: row.cash_balance,
                check: row.check_balance,
            }),
            None => self.drawer(TELLER_DRAWER, DrawerType::Individual, user_id).await,
        }
    }

    async fn assign(&self, drawer: &Drawer, user_id: i64) -> Result<(), DbErr> {
        let assignment = cash_drawer_assignments::Model {
            row_id: 0,
            drawer_id: drawer.drawer_id,
            user_id,
            assigned_date: self.block.days_ago(30),
            assigned_by_user_id: self.block.staff.admin,
        };
        rows::add(self.tx, assignment).await.map(drop)
    }

    /// A row, and the drawer's balance after it.
    async fn enter(
        &self,
        drawer: &mut Drawer,
        transaction_type: DrawerTransactionType,
        (tender, amount): (Tender, Money),
        when: Timestamp,
        complete: impl FnOnce(&mut entries::Model),
    ) -> Result<i64, DbErr> {
        let balance = match tender {
            Tender::Cash => &mut drawer.cash,
            Tender::Check => &mut drawer.check,
        };
        let after = balance.plus(amount).map_err(|error| DbErr::Custom(error.to_string()))?;
        if after < Money::ZERO {
            return Err(DbErr::Custom("a cash drawer would be below zero".to_owned()));
        }
        *balance = after;
        let mut row = entries::Model {
            drawer_transaction_id: 0,
            drawer_id: drawer.drawer_id,
            transaction_type,
            tender,
            amount,
            resulting_balance: after,
            check_number: None,
            loan_id: None,
            transaction_id: None,
            counter_drawer_id: None,
            transfer_reference_no: None,
            reconciliation_id: None,
            user_id: drawer.user_id,
            transaction_date: when,
            reference: None,
        };
        complete(&mut row);
        let column = match tender {
            Tender::Cash => cash_drawers::Column::CashBalance,
            Tender::Check => cash_drawers::Column::CheckBalance,
        };
        cash_drawers::Entity::update_many()
            .col_expr(column, Expr::value(after))
            .filter(cash_drawers::Column::DrawerId.eq(drawer.drawer_id))
            .exec(self.tx)
            .await?;
        rows::add(self.tx, row).await
    }

    /// From the bank, or below zero to it.
    async fn fund(
        &self,
        drawer: &mut Drawer,
        amount: Money,
        reference: &str,
        when: Timestamp,
    ) -> Result<(), DbErr> {
        let kind = match amount.is_positive() {
            true => DrawerTransactionType::BankIn,
            false => DrawerTransactionType::BankOut,
        };
        let complete = |row: &mut entries::Model| row.reference = Some(reference.to_owned());
        self.enter(drawer, kind, (Tender::Cash, amount), when, complete).await.map(drop)
    }

    async fn correct(
        &self,
        drawer: &mut Drawer,
        amount: Money,
        reference: &str,
        when: Timestamp,
    ) -> Result<(), DbErr> {
        let kind = DrawerTransactionType::AdjustmentIn;
        let complete = |row: &mut entries::Model| row.reference = Some(reference.to_owned());
        self.enter(drawer, kind, (Tender::Cash, amount), when, complete).await.map(drop)
    }

    /// Two rows under the number of the first.
    async fn transfer(
        &self,
        from: &mut Drawer,
        to: &mut Drawer,
        amount: Money,
        when: Timestamp,
    ) -> Result<(), DbErr> {
        let taken = cents(0).minus(amount).map_err(|error| DbErr::Custom(error.to_string()))?;
        let user_id = from.user_id;
        let counter = Some(to.drawer_id);
        let out = self
            .enter(from, DrawerTransactionType::TransferOut, (Tender::Cash, taken), when, |row| {
                row.counter_drawer_id = counter;
            })
            .await?;
        let counter = Some(from.drawer_id);
        self.enter(to, DrawerTransactionType::TransferIn, (Tender::Cash, amount), when, |row| {
            row.counter_drawer_id = counter;
            row.transfer_reference_no = Some(out);
            row.user_id = user_id;
        })
        .await?;
        entries::Entity::update_many()
            .col_expr(entries::Column::TransferReferenceNo, Expr::value(out))
            .filter(entries::Column::DrawerTransactionId.eq(out))
            .exec(self.tx)
            .await
            .map(drop)
    }

    /// The drawer's user works with it: since then, and until now or still.
    async fn open(&self, drawer: &Drawer, since: Timestamp, ended: bool) -> Result<(), DbErr> {
        let session = cash_drawer_sessions::Model {
            row_id: 0,
            drawer_id: drawer.drawer_id,
            user_id: drawer.user_id,
            opened_date: since,
            opening_cash_balance: drawer.cash,
            ended_date: ended.then_some(self.block.clock.now),
        };
        rows::add(self.tx, session).await.map(drop)
    }

    /// The latest payment of each of a few loans, if it is an amount that people carry with them.
    async fn payments(&self) -> Result<Vec<Taken>, DbErr> {
        use loan_transactions::Column::{
            LoanId, TransactionAmount, TransactionCode, TransactionDate, TransactionId,
        };
        let mut taken = Vec::new();
        for place in self.block.places.iter().take(COUNTER_LOANS) {
            let loan_id = place.loan_id;
            let latest: Option<(i64, Money, Timestamp)> = loan_transactions::Entity::find()
                .select_only()
                .columns([TransactionId, TransactionAmount, TransactionDate])
                .filter(LoanId.eq(loan_id))
                .filter(TransactionCode.eq(PAYMENT_TOTAL.number))
                .order_by_desc(TransactionId)
                .into_tuple()
                .one(self.tx)
                .await?;
            taken.extend(latest.filter(|(_, amount, _)| *amount <= cents(OVER_THE_COUNTER)).map(
                |(transaction_id, amount, when)| Taken { transaction_id, loan_id, amount, when },
            ));
        }
        Ok(taken)
    }

    /// A payment that was posted before went into this drawer.
    async fn take(
        &self,
        drawer: &mut Drawer,
        tender: Tender,
        payment: &Taken,
    ) -> Result<(), DbErr> {
        let (method, check) = match tender {
            Tender::Cash => ("CASH", None),
            Tender::Check => ("CHECK", Some(format!("{}", 7_000 + payment.loan_id))),
        };
        use loan_transactions::Column::{
            CashDrawerId, EnteredByUserId, PaymentMethodCode, PaymentMethodReference,
            TransactionReferenceNo,
        };
        loan_transactions::Entity::update_many()
            .col_expr(PaymentMethodCode, Expr::value(method))
            .col_expr(PaymentMethodReference, Expr::value(check.clone()))
            .col_expr(CashDrawerId, Expr::value(drawer.drawer_id))
            .col_expr(EnteredByUserId, Expr::value(drawer.user_id))
            .filter(TransactionReferenceNo.eq(payment.transaction_id))
            .exec(self.tx)
            .await?;
        let kind = DrawerTransactionType::Payment;
        self.enter(drawer, kind, (tender, payment.amount), payment.when, |row| {
            row.check_number = check;
            row.loan_id = Some(payment.loan_id);
            row.transaction_id = Some(payment.transaction_id);
        })
        .await
        .map(drop)
    }

    /// Counts the drawer, which has so much more than it should; that goes with the next deposit.
    async fn reconcile(&self, drawer: &mut Drawer, over: Money) -> Result<(), DbErr> {
        let counted = drawer.cash.plus(over).map_err(|error| DbErr::Custom(error.to_string()))?;
        let now = self.block.clock.now;
        let reconciliation = cash_drawer_reconciliations::Model {
            reconciliation_id: 0,
            drawer_id: drawer.drawer_id,
            user_id: drawer.user_id,
            reconciled_date: now,
            expected_cash: drawer.cash,
            counted_cash: counted,
            expected_check: drawer.check,
            counted_check: drawer.check,
            over_short_cash: over,
            over_short_check: Money::ZERO,
            denominations: count_out(counted),
            status: match over.is_zero() {
                true => ReconciliationStatus::Balanced,
                false => ReconciliationStatus::Short,
            },
            comment: (!over.is_zero()).then(|| "Counted twice".to_owned()),
        };
        let reconciliation_id = rows::add(self.tx, reconciliation).await?;
        if !over.is_zero() {
            let kind = DrawerTransactionType::OverShort;
            self.enter(drawer, kind, (Tender::Cash, over), now, |_| {}).await?;
        }
        use entries::Column::{DrawerId, ReconciliationId};
        entries::Entity::update_many()
            .col_expr(ReconciliationId, Expr::value(reconciliation_id))
            .filter(DrawerId.eq(drawer.drawer_id))
            .filter(ReconciliationId.is_null())
            .exec(self.tx)
            .await?;
        cash_drawers::Entity::update_many()
            .col_expr(cash_drawers::Column::LastReconciledDate, Expr::value(now))
            .filter(cash_drawers::Column::DrawerId.eq(drawer.drawer_id))
            .exec(self.tx)
            .await
            .map(drop)
    }
}

/// An amount in as few notes and coins as there can be.
fn count_out(amount: Money) -> Denominations {
    let mut rest = amount.units() / cents(1).units();
    let counted = DENOMINATIONS.into_iter().filter_map(|value| {
        let count = rest / value;
        rest %= value;
        let count = i32::try_from(count).ok().filter(|count| *count > 0)?;
        Some(Denomination { value: cents(value), count })
    });
    Denominations(counted.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_notes_and_coins_sum_up() {
        let Denominations(counted) = count_out(cents(136_783));
        let units = |one: &Denomination| one.value.units() * i64::from(one.count);
        assert_eq!(counted.iter().map(units).sum::<i64>(), cents(136_783).units());
        assert_eq!(counted[0].count, 13);
    }
}
