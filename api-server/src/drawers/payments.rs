//! Loan payments that go into drawers, and their reversals.

use super::ledger::{Movement, negated};
use super::{Drawer, DrawerError, DrawerRefusal, lock_row};
use crate::auth::caller::Caller;
use crate::auth::privileges::Forbidden;
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use shared::entity::cash_drawer_transactions::{self as entries, DrawerTransactionType, Tender};
use shared::entity::cash_drawers::{self, DrawerStatus, DrawerType};
use shared::entity::{cash_drawer_sessions, loan_transactions, payment_methods};

/// Maximum length of a check number, in characters.
const CHECK_NUMBER_MAX: usize = 25;
/// Member of a payment request that names the drawer.
const FIELD: &str = "Cash_Drawer_ID";
const REQUIRED: DrawerError = DrawerError::Refused(DrawerRefusal::Required);

/// True if a payment by this method goes into a drawer, or names one.
pub fn takes_payment(method: &payment_methods::Model, drawer_id: Option<i64>) -> bool {
    method.cash_flag || drawer_id.is_some()
}

/// Locks and returns the drawer that a payment by this method goes into, if any: the drawer named
/// in the request or, for cash, the only one on which the caller is active.
pub async fn for_payment(
    tx: &DatabaseTransaction,
    caller: &Caller,
    method: &payment_methods::Model,
    drawer_id: Option<i64>,
) -> Result<Option<Drawer>, DrawerError> {
    let drawer = match drawer_id {
        Some(drawer_id) => {
            caller.get::<cash_drawers::Entity>(tx, drawer_id).await?;
            if !method.cash_flag && !method.check_flag {
                let code = &method.payment_method_code;
                let message = format!("cannot be used with the payment method {code}");
                let detail = "the payment does not go into a cash drawer";
                return Err(DrawerRefusal::not_usable_in(detail, FIELD, message));
            }
            Drawer::lock(tx, caller, drawer_id).await?
        }
        None if method.cash_flag => {
            let drawer_id = active_drawer(tx, caller).await?.ok_or(REQUIRED)?;
            let drawer = Drawer::lock(tx, caller, drawer_id).await?;
            // The caller's session may have ended while this request waited for the lock.
            if !drawer.active {
                return Err(REQUIRED);
            }
            drawer
        }
        None => return Ok(None),
    };
    if drawer.row.drawer_type == DrawerType::Reserve {
        let detail = "a reserve does not accept payments";
        return Err(DrawerRefusal::not_usable_in(detail, FIELD, "is a reserve"));
    }
    Ok(Some(drawer))
}

/// Returns the drawer on which the caller has a session, if there is exactly one.
async fn active_drawer(
    tx: &DatabaseTransaction,
    caller: &Caller,
) -> Result<Option<i64>, DrawerError> {
    use cash_drawer_sessions::Column::{DrawerId, EndedDate, UserId};
    let user_id = caller.user_id().ok_or(Forbidden::CoreUserOnly)?;
    let drawers: Vec<i64> = caller
        .find::<cash_drawer_sessions::Entity>()
        .filter(UserId.eq(user_id))
        .filter(EndedDate.is_null())
        .select_only()
        .column(DrawerId)
        .distinct()
        .limit(2)
        .into_tuple()
        .all(tx)
        .await?;
    Ok(match drawers[..] {
        [only] => Some(only),
        _ => None,
    })
}

impl Drawer {
    /// Enters a payment by this method, which has this total row. A payment of zero, which a payoff
    /// can be, leaves no row.
    pub async fn enter_payment(
        &mut self,
        tx: &DatabaseTransaction,
        method: &payment_methods::Model,
        total: &loan_transactions::Model,
    ) -> Result<(), DrawerError> {
        let amount = total.transaction_amount;
        if amount.is_zero() {
            return Ok(());
        }
        let tender = if method.cash_flag { Tender::Cash } else { Tender::Check };
        let reference = total.payment_method_reference.as_deref();
        let check_number = reference.filter(|_| tender == Tender::Check);
        let row = entries::ActiveModel {
            check_number: Set(
                check_number.map(|text| text.chars().take(CHECK_NUMBER_MAX).collect())
            ),
            loan_id: Set(Some(total.loan_id)),
            transaction_id: Set(Some(total.transaction_id)),
            ..Default::default()
        };
        let transaction_type = DrawerTransactionType::Payment;
        let movement = Movement { transaction_type, tender, amount, now: total.transaction_date };
        self.enter(tx, movement, row).await.map(drop)
    }
}

/// Takes a reversed payment out of the drawer that it went into, if any, regardless of who reverses
/// it. `reversal` is the total row of its reversal.
#[expect(clippy::disallowed_methods, reason = "a reversal needs no access to the drawer")]
pub async fn reverse_payment(
    tx: &DatabaseTransaction,
    reversal: &loan_transactions::Model,
) -> Result<(), DrawerError> {
    use entries::Column::{DrawerTransactionId, TransactionId, TransactionType};
    let payment = entries::Entity::find()
        .filter(TransactionId.eq(reversal.reversal_transaction_id))
        .filter(TransactionType.eq(DrawerTransactionType::Payment))
        .order_by_asc(DrawerTransactionId)
        .one(tx)
        .await?;
    let Some(payment) = payment else { return Ok(()) };
    let row = lock_row(tx, payment.drawer_id).await?;
    let row = row.filter(|drawer| drawer.status == DrawerStatus::Open);
    let row =
        row.ok_or_else(|| DrawerRefusal::not_usable("the drawer of the payment is closed"))?;
    let user_id = reversal.entered_by_user_id;
    let mut drawer = Drawer { row, user_id, active: false, becomes_active: false };
    let movement = Movement {
        transaction_type: DrawerTransactionType::PaymentReversal,
        tender: payment.tender,
        amount: negated(payment.amount)?,
        now: reversal.transaction_date,
    };
    let row = entries::ActiveModel {
        check_number: Set(payment.check_number),
        loan_id: Set(payment.loan_id),
        transaction_id: Set(Some(reversal.transaction_id)),
        ..Default::default()
    };
    drawer.enter(tx, movement, row).await.map(drop)
}
