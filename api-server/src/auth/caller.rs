//! Who is calling, and where every query starts: at [`Caller::find`] or [`Caller::get`]. What a caller
//! may see is decided in [`crate::auth::visibility`].

use super::privileges::{self, Forbidden, Privilege, Rights};
use super::visibility::Visible;
use sea_orm::sea_query::{Expr, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityName,
    PrimaryKeyTrait, QueryFilter, QuerySelect, Select,
};
use shared::cluster;
use shared::db;
use shared::problem::Problem;
use shared::time::Clock;

/// A user of the core system.
#[derive(Clone, Debug)]
pub struct CoreCaller {
    /// The user's id.
    pub user_id: i64,
    /// The log-in name.
    pub user_name: String,
    /// The privileges.
    pub rights: Rights,
}

/// The user who sent a request.
#[derive(Clone, Debug)]
pub enum Caller {
    /// A user of the core system.
    Core(CoreCaller),
    /// A borrower, who sees no records but their own.
    Web {
        /// The contact whose credentials were used to log in.
        contact_id: i64,
    },
}

/// Why a row was not found.
#[derive(Debug)]
pub enum FindError {
    /// It is missing, or the caller may not see it: the two look alike.
    NotFound,
    /// The database did not say.
    Database(DbErr),
}

impl From<DbErr> for FindError {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

impl From<FindError> for Problem {
    fn from(error: FindError) -> Self {
        match error {
            FindError::NotFound => Self::not_found(),
            FindError::Database(error) => error.into(),
        }
    }
}

/// A request that was let in: the caller, and the database's time when it came.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// Who called.
    pub caller: Caller,
    /// When.
    pub clock: Clock,
}

impl Caller {
    /// A core-system user with their rights and the clock, in one statement.
    pub async fn core(
        db: &DatabaseConnection,
        user_id: i64,
        user_name: &str,
        admin: bool,
        dba: bool,
    ) -> Result<Admitted, DbErr> {
        let one = Query::select().expr_as(Expr::value(1), "one").take();
        let mut select = Query::select()
            .expr_as(db::now(db.get_database_backend()), "now")
            .expr_as(db::business_time_zone(), "time_zone")
            .from_subquery(one, "one")
            .take();
        if !admin {
            privileges::join_grants(&mut select, user_id);
        }
        let rows = db.query_all(&select).await?;
        let first = rows.first().ok_or_else(|| DbErr::RecordNotFound("the clock".to_owned()))?;
        let time_zone: Option<String> = first.try_get("", "time_zone")?;
        let clock = Clock::new(first.try_get("", "now")?, time_zone.as_deref());
        let rights =
            if admin { Rights::All } else { Rights::granted(privileges::read_grants(&rows)?, dba) };
        let user_name = user_name.to_owned();
        Ok(Admitted { caller: Self::Core(CoreCaller { user_id, user_name, rights }), clock })
    }

    /// Starts every query of this service: `E::find()` narrowed to what the caller may see.
    #[expect(clippy::disallowed_methods, reason = "the one place that may start a query")]
    pub fn find<E: Visible>(&self) -> Select<E> {
        E::find().filter(E::visible_to(self))
    }

    /// One row by primary key; a row the caller may not see does not exist.
    #[expect(clippy::disallowed_methods, reason = "narrowed on the same line")]
    pub async fn get<E: Visible>(
        &self,
        db: &impl ConnectionTrait,
        id: <E::PrimaryKey as PrimaryKeyTrait>::ValueType,
    ) -> Result<E::Model, FindError> {
        let row = E::find_by_id(id).filter(E::visible_to(self)).one(db).await?;
        row.ok_or(FindError::NotFound)
    }

    /// Holds a row until the transaction ends, so that it is not deleted meanwhile; a row that the
    /// caller may not see does not exist. `id_column` is its table's primary key.
    pub async fn hold<C: ColumnTrait<EntityName: Visible>>(
        &self,
        tx: &DatabaseTransaction,
        id_column: C,
        id: i64,
    ) -> Result<(), FindError> {
        let row = self.find::<C::EntityName>().filter(id_column.eq(id));
        let row = row.select_only().column(id_column).lock_exclusive();
        let held: Option<i64> = row.into_tuple().one(tx).await?;
        cluster::guard_row(tx, C::EntityName::default().table_name(), id).await?;
        held.map(drop).ok_or(FindError::NotFound)
    }

    /// True if a core-system user holds the privilege. Web users hold none: what they may see is
    /// their only right.
    pub fn holds(&self, privilege: Privilege) -> bool {
        match self {
            Self::Core(user) => user.rights.hold(privilege),
            Self::Web { .. } => false,
        }
    }

    /// An error naming the privilege unless it is held.
    pub fn require(&self, privilege: Privilege) -> Result<(), Forbidden> {
        match self {
            Self::Core(user) => user.rights.require(privilege),
            Self::Web { .. } => Err(Forbidden::CoreUserOnly),
        }
    }

    /// The core-system user, for columns that name the author of a change.
    pub fn user_id(&self) -> Option<i64> {
        match self {
            Self::Core(user) => Some(user.user_id),
            Self::Web { .. } => None,
        }
    }

    /// A stable name of the caller, different for every kind and id.
    pub fn subject(&self) -> String {
        match self {
            Self::Core(user) => format!("core:{}", user.user_id),
            Self::Web { contact_id } => format!("web:{contact_id}"),
        }
    }
}
