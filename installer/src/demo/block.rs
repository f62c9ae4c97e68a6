//! A block of newly booked loans with the ids the database gave them, and the context for adding
//! data to them.

use crate::seed::user_id;
use api_server::audit::Actor;
use chrono::{NaiveDate, TimeDelta};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use shared::amounts::{Money, Rate};
use shared::db;
use shared::entity::loans;
use shared::time::{Clock, Timestamp};

/// The number of loans in the mix; then it repeats.
pub(super) const MIX: u32 = 50;

/// A loan and its borrower.
pub struct LoanRef {
    /// The loan's number in the portfolio, from 0.
    pub number: u32,
    /// Its place in the mix, which alone determines the loan's data.
    pub slot: u32,
    pub loan_id: i64,
    /// The borrower's contact id.
    pub contact_id: i64,
    /// The date it was booked.
    pub origination: NaiveDate,
}

/// The users who enter data.
pub struct Staff {
    pub admin: i64,
    pub officer: i64,
    pub teller: i64,
    pub teller2: i64,
    pub supervisor: i64,
}

/// Consecutively booked loans.
pub struct Block {
    pub loans: Vec<LoanRef>,
    pub staff: Staff,
    pub actor: Actor,
    /// The database's time, and the day that the portfolio's dates are relative to.
    pub clock: Clock,
}

impl Block {
    /// Reads all loans with ids above this one; the first of them has this number in the portfolio.
    pub async fn read(
        tx: &DatabaseTransaction,
        after_id: i64,
        first_number: u32,
        actor: Actor,
        today: NaiveDate,
    ) -> Result<Self, DbErr> {
        use loans::Column::{ContactId, LoanId, OriginationDate};
        let rows: Vec<(i64, i64, NaiveDate)> = loans::Entity::find()
            .select_only()
            .columns([LoanId, ContactId, OriginationDate])
            .filter(LoanId.gt(after_id))
            .order_by_asc(LoanId)
            .into_tuple()
            .all(tx)
            .await?;
        let loan_ref = |((loan_id, contact_id, origination), number)| LoanRef {
            number,
            slot: number % MIX,
            loan_id,
            contact_id,
            origination,
        };
        let staff = Staff {
            admin: user_id(tx, "admin").await?,
            officer: user_id(tx, "officer").await?,
            teller: user_id(tx, "teller").await?,
            teller2: user_id(tx, "teller2").await?,
            supervisor: user_id(tx, "supervisor").await?,
        };
        let clock = Clock { today, ..db::clock(tx).await? };
        let loans = rows.into_iter().zip(first_number..).map(loan_ref).collect();
        Ok(Self { loans, staff, actor, clock })
    }

    /// The loans at these places of the mix.
    pub fn at(&self, is_wanted: impl Fn(u32) -> bool) -> impl Iterator<Item = &LoanRef> {
        self.loans.iter().filter(move |loan| is_wanted(loan.slot))
    }

    /// The day this many days from today; negative: ago.
    pub fn day(&self, days: i64) -> NaiveDate {
        self.clock.today + TimeDelta::days(days)
    }

    /// The time this many minutes from now; negative: ago.
    pub fn time(&self, minutes: i64) -> Timestamp {
        Timestamp(self.clock.now.0 + TimeDelta::minutes(minutes))
    }

    /// The time this many days ago, at this time of day.
    pub fn days_ago(&self, days: i64) -> Timestamp {
        self.time(-days * 24 * 60)
    }
}

/// An amount in cents.
pub(super) fn cents(cents: i64) -> Money {
    Money::from_cents(cents).unwrap_or_default()
}

/// A rate in hundredths of a percent.
pub(super) fn basis_points(points: i64) -> Rate {
    Rate::from_units(points * 1_000_000).unwrap_or_default()
}
