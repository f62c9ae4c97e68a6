//! Loans that were just booked, as the database numbered them, and what furnishing them takes.

use crate::seed::user_id;
use api_server::audit::Author;
use chrono::{NaiveDate, TimeDelta};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use shared::amounts::{Money, Rate};
use shared::db;
use shared::entity::loans;
use shared::time::{Clock, Timestamp};

/// So many loans have the whole mix; then it begins again.
pub const MIX: u32 = 50;

/// A loan and its borrower.
pub struct Place {
    /// The loan's number in the portfolio, from 0.
    pub number: u32,
    /// Its place in the mix: what it has hangs on this alone.
    pub slot: u32,
    /// The loan.
    pub loan_id: i64,
    /// Its borrower.
    pub contact_id: i64,
    /// When it was booked.
    pub origination: NaiveDate,
}

/// Users who did something.
pub struct Staff {
    pub admin: i64,
    pub officer: i64,
    pub teller: i64,
    pub teller2: i64,
    pub supervisor: i64,
}

/// Loans that were booked one after the other.
pub struct Block {
    pub places: Vec<Place>,
    pub staff: Staff,
    pub author: Author,
    /// The database's time, and the day the portfolio's dates count from.
    pub clock: Clock,
}

impl Block {
    /// All loans with ids above this one, the first of which has this number in the portfolio.
    pub async fn read(
        tx: &DatabaseTransaction,
        above: i64,
        first_number: u32,
        author: Author,
        today: NaiveDate,
    ) -> Result<Self, DbErr> {
        use loans::Column::{ContactId, LoanId, OriginationDate};
        let rows: Vec<(i64, i64, NaiveDate)> = loans::Entity::find()
            .select_only()
            .columns([LoanId, ContactId, OriginationDate])
            .filter(LoanId.gt(above))
            .order_by_asc(LoanId)
            .into_tuple()
            .all(tx)
            .await?;
        let place = |((loan_id, contact_id, origination), number)| Place {
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
        let places = rows.into_iter().zip(first_number..).map(place).collect();
        Ok(Self { places, staff, author, clock })
    }

    /// The loans at these places of the mix.
    pub fn at(&self, slot: impl Fn(u32) -> bool) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(move |place| slot(place.slot))
    }

    /// So many days from today; negative: ago.
    pub fn day(&self, days: i64) -> NaiveDate {
        self.clock.today + TimeDelta::days(days)
    }

    /// So many minutes from now; negative: ago.
    pub fn time(&self, minutes: i64) -> Timestamp {
        Timestamp(self.clock.now.0 + TimeDelta::minutes(minutes))
    }

    /// So many days ago at this time of day.
    pub fn days_ago(&self, days: i64) -> Timestamp {
        self.time(-days * 24 * 60)
    }
}

/// So many cents.
pub fn cents(cents: i64) -> Money {
    Money::from_cents(cents).unwrap_or_default()
}

/// So many hundredths of a percent.
pub fn basis_points(points: i64) -> Rate {
    Rate::from_units(points * 1_000_000).unwrap_or_default()
}
