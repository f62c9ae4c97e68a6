//! Cash drawers: funded from the bank, taking payments, counted, as clerks do it through the API.

use super::{Portfolio, cents};
use crate::seed::standing_rows::TELLER_DRAWER;
use api_server::auth::caller::{Caller, CoreCaller};
use api_server::auth::privileges::Rights;
use api_server::drawers::{
    self, DrawerError, NewDenomination, NewDrawerTransaction, NewDrawerTransactionType as E,
    NewReconciliation,
};
use api_server::loans::journal::codes::PAYMENT_TOTAL;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder};
use shared::amounts::Money;
use shared::entity::cash_drawer_transactions::Tender;
use shared::entity::cash_drawers;
use shared::entity::{loan_transactions, payment_methods};
use shared::time::Timestamp;

/// Notes and coins in cents.
const DENOMINATIONS: [i64; 10] = [10_000, 5000, 2000, 1000, 500, 100, 25, 10, 5, 1];
/// The largest payment taken over the counter, in cents.
const OVER_THE_COUNTER: i64 = 100_000;
/// The number of loans searched for such payments.
const COUNTER_LOANS: usize = 8;

/// A drawer and the clerk who uses it.
struct Window {
    drawer_id: i64,
    clerk: Caller,
}

/// Posts as clerks do, through the API's own functions.
struct Branch<'a> {
    tx: &'a DatabaseTransaction,
    portfolio: &'a Portfolio,
}

/// Uses a reserve and three windows: one counted and correct, one short, one still in use.
pub(super) async fn add(tx: &DatabaseTransaction, portfolio: &Portfolio) -> Result<(), DbErr> {
    let branch = Branch { tx, portfolio };
    let staff = &portfolio.staff;
    let vault = branch.window("Vault", staff.supervisor).await?;
    let windows = [
        branch.window(TELLER_DRAWER, staff.teller).await?,
        branch.window("Teller 2", staff.teller2).await?,
        branch.window("Teller 3", staff.teller2).await?,
    ];

    let yesterday = portfolio.days_ago(1);
    branch.enter(&vault, E::BankIn, cents(1_000_000), "Cash order", yesterday).await?;
    for window in &windows {
        let transfer = NewDrawerTransaction {
            counter_drawer_id: Some(window.drawer_id),
            ..new_transaction(E::Transfer, cents(50_000), None)
        };
        branch.post(&vault, transfer, yesterday).await?;
    }
    branch.enter(&vault, E::BankOut, cents(100_000), "Deposit", yesterday).await?;
    // The admin is not assigned to the window, so this starts no session there.
    let admin_window = Window { drawer_id: windows[2].drawer_id, clerk: clerk(staff.admin) };
    let reason = "Found behind the drawer";
    branch.enter(&admin_window, E::AdjustmentIn, cents(2000), reason, yesterday).await?;

    let mut payments = branch.payments().await?.into_iter();
    for (method, window) in [("CASH", 2), ("CHECK", 2), ("CASH", 0), ("CHECK", 0), ("CASH", 1)] {
        if let Some(payment) = payments.next() {
            branch.assign_payment(&windows[window], method, &payment).await?;
        }
    }
    branch.count(&windows[0], Money::ZERO).await?;
    branch.count(&windows[1], cents(500)).await
}

/// A user with all privileges for drawers.
fn clerk(user_id: i64) -> Caller {
    Caller::Core(CoreCaller { user_id, user_name: String::new(), rights: Rights::All })
}

fn new_transaction(
    transaction_type: E,
    amount: Money,
    reference: Option<&str>,
) -> NewDrawerTransaction {
    NewDrawerTransaction {
        transaction_type,
        tender: Some(Tender::Cash),
        amount: amount.into(),
        check_number: None,
        counter_drawer_id: None,
        reference: reference.map(|text| text.to_owned().into()),
    }
}

fn drawer_error(error: impl Into<DrawerError>) -> DbErr {
    DbErr::Custom(error.into().message())
}

impl Branch<'_> {
    /// The drawer with this name, in the hands of this user.
    async fn window(&self, name: &str, user_id: i64) -> Result<Window, DbErr> {
        let drawer = cash_drawers::Entity::find().filter(cash_drawers::Column::Name.eq(name));
        let drawer = drawer.one(self.tx).await?;
        let drawer = drawer.ok_or_else(|| DbErr::RecordNotFound(format!("drawer {name}")))?;
        Ok(Window { drawer_id: drawer.drawer_id, clerk: clerk(user_id) })
    }

    async fn post(
        &self,
        window: &Window,
        new: NewDrawerTransaction,
        when: Timestamp,
    ) -> Result<(), DbErr> {
        let transaction = new.validate().map_err(drawer_error)?;
        let posted =
            drawers::post(self.tx, &window.clerk, when, window.drawer_id, &transaction).await;
        posted.map(drop).map_err(drawer_error)
    }

    async fn enter(
        &self,
        window: &Window,
        transaction_type: E,
        amount: Money,
        reference: &str,
        when: Timestamp,
    ) -> Result<(), DbErr> {
        self.post(window, new_transaction(transaction_type, amount, Some(reference)), when).await
    }

    /// The latest payment of each of a few loans, if the amount is one people would carry as cash.
    async fn payments(&self) -> Result<Vec<loan_transactions::Model>, DbErr> {
        use loan_transactions::Column::{
            LoanId, PaymentGatewayTokenId, TransactionCode, TransactionId,
        };
        let mut payments = Vec::new();
        for loan in self.portfolio.loans.iter().take(COUNTER_LOANS) {
            let latest = loan_transactions::Entity::find()
                .filter(LoanId.eq(loan.loan_id))
                .filter(TransactionCode.eq(PAYMENT_TOTAL.number))
                .filter(PaymentGatewayTokenId.is_null())
                .order_by_desc(TransactionId)
                .one(self.tx)
                .await?;
            payments.extend(latest.filter(|row| row.transaction_amount <= cents(OVER_THE_COUNTER)));
        }
        Ok(payments)
    }

    /// Assigns a payment posted earlier to this drawer.
    async fn assign_payment(
        &self,
        window: &Window,
        method: &str,
        payment: &loan_transactions::Model,
    ) -> Result<(), DbErr> {
        let method = payment_methods::Entity::find()
            .filter(payment_methods::Column::PaymentMethodCode.eq(method))
            .one(self.tx)
            .await?
            .ok_or_else(|| DbErr::RecordNotFound(method.to_owned()))?;
        let number = method.check_flag.then(|| format!("{}", 7_000 + payment.loan_id));
        use loan_transactions::Column::{
            CashDrawerId, EnteredByUserId, PaymentMethodCode, PaymentMethodReference,
            TransactionReferenceNo,
        };
        loan_transactions::Entity::update_many()
            .col_expr(PaymentMethodCode, Expr::value(method.payment_method_code.as_str()))
            .col_expr(PaymentMethodReference, Expr::value(number.clone()))
            .col_expr(CashDrawerId, Expr::value(window.drawer_id))
            .col_expr(EnteredByUserId, Expr::value(window.clerk.user_id()))
            .filter(TransactionReferenceNo.eq(payment.transaction_id))
            .exec(self.tx)
            .await?;
        let drawer_id = Some(window.drawer_id);
        let drawer = drawers::for_payment(self.tx, &window.clerk, &method, drawer_id).await;
        let Some(mut drawer) = drawer.map_err(drawer_error)? else { return Ok(()) };
        let total =
            loan_transactions::Model { payment_method_reference: number, ..payment.clone() };
        drawer.enter_payment(self.tx, &method, &total).await.map_err(drawer_error)
    }

    /// Counts the drawer at the end of the day, with this much missing.
    async fn count(&self, window: &Window, short: Money) -> Result<(), DbErr> {
        let drawer = cash_drawers::Entity::find_by_id(window.drawer_id).one(self.tx).await?;
        let drawer = drawer.ok_or_else(|| DbErr::RecordNotFound("a drawer".to_owned()))?;
        let cash = drawer.cash_balance.minus_down_to_zero(short);
        let reconciliation = NewReconciliation {
            counted_cash: cash.into(),
            counted_check: drawer.check_balance.into(),
            denominations: Some(count_out(cash)),
            comment: (!short.is_zero()).then(|| "Counted twice".to_owned().into()),
            close_drawer: Some(true),
        };
        let reconciliation = reconciliation.count().map_err(drawer_error)?;
        let now = self.portfolio.clock.now;
        let (clerk, drawer_id) = (&window.clerk, window.drawer_id);
        let reconciled = drawers::reconcile(self.tx, clerk, now, drawer_id, &reconciliation).await;
        reconciled.map(drop).map_err(drawer_error)
    }
}

/// An amount in as few notes and coins as possible.
fn count_out(amount: Money) -> Vec<NewDenomination> {
    let mut rest = amount.units() / cents(1).units();
    let counted = DENOMINATIONS.into_iter().filter_map(|value| {
        let count = rest / value;
        rest %= value;
        let count = i32::try_from(count).ok().filter(|count| *count > 0)?;
        Some(NewDenomination { value: cents(value).into(), count })
    });
    counted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_denominations_sum_to_the_total() {
        let counted = count_out(cents(136_783));
        let units =
            |one: &NewDenomination| one.value.posted().unwrap().units() * i64::from(one.count);
        assert_eq!(counted.iter().map(units).sum::<i64>(), cents(136_783).units());
        assert_eq!(counted[0].count, 13);
    }
}
