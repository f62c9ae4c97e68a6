//! Store lease: which database a store belongs to. Copies and older dumps of that database must not
//! sweep the store, because they have no rows for what was uploaded since.
//!
//! A store has a random name. The object `owner` contains the current one; the database's setting
//! contains it, too, with those before it. Each sweep moves on to a new name: first in the
//! database, where one of several servers wins, then in the store. So if the setting of a database
//! does not contain the store's name, that database has been left behind or another one has taken
//! the store, and it must not sweep.
//!
//! Before the first sweep a database has one name and its store none. From then on, a store without a
//! name is another one, such as a folder that is not mounted.
//!
//! A crash between the two writes leaves the store one name behind: the next sweep writes the same
//! name again, without moving on. The earlier names are for a server that writes late.
//!
//! A copy that sweeps before the original looks like the original, and would leave *that* behind.
//! So a database that is refused for the first time gives the store a name that no database has:
//! then none sweeps until an administrator says which one owns the store. Servers sweep every six
//! hours and remove only what is at least a day old, so the original stops a copy before it removes
//! what was uploaded to the original since. A database that has objected once has no names left,
//! and leaves the store alone.

use super::gc_report::GcError;
use super::upload::random_key;
use super::{DocumentStore, bounded, in_time};
use chrono::{DateTime, Utc};
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt};
use sea_orm::sea_query::{Expr, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter};
use shared::database;
use shared::entity::settings::{Column, Entity};

/// Object that contains the store's name.
const OWNER: &str = "owner";
/// Setting with the names that a database knows, the current one first.
const STORE_ID: &str = "document_store_id";
/// Maximum number of names in the setting, which is a short text.
const NAMES_MAX: usize = 6;

impl DocumentStore {
    /// Refuses a store that does not exist, does not respond or belongs to another database.
    pub async fn check_owner(&self, db: &DatabaseConnection) -> Result<(), GcError> {
        match self.owner().await? {
            Some(owner) if !StoreIds::read(db).await?.contains(&owner) => Err(GcError::OtherOwner),
            Some(_) => Ok(()),
            // A missing bucket has no owner either, and cannot be listed.
            None => {
                in_time(self.list().try_next()).await??;
                match StoreIds::read(db).await?.has_named_a_store() {
                    true => Err(GcError::NoOwner),
                    false => Ok(()),
                }
            }
        }
    }

    /// Makes this database the owner of the store, whichever owned it before.
    pub async fn adopt(&self, db: &DatabaseConnection) -> Result<(), GcError> {
        let owner = self.owner().await?;
        // The current name is kept as well, so that a server that looks between the two writes does
        // not object.
        let names = StoreIds(owner.filter(|owner| is_name(owner)).unwrap_or_default());
        let name = random_key();
        update_setting(db, None, &names.after(&name)).await?;
        Ok(self.write_owner(&name).await?)
    }

    /// Moves on to another name. Returns the store's own time, or `None` if another server moved on
    /// at the same moment.
    pub(super) async fn renew_lease(
        &self,
        db: &DatabaseConnection,
    ) -> Result<Option<DateTime<Utc>>, GcError> {
        // The store is read first: it is never ahead of the setting, which is read afterwards.
        let mut owner = self.owner().await?;
        let names = StoreIds::read(db).await?;
        if owner.is_none() {
            if names.has_named_a_store() {
                return Err(GcError::NoOwner);
            }
            self.write_owner(names.current()).await?;
            owner = Some(names.current().to_owned());
        }
        let name = match owner {
            Some(owner) if !names.contains(&owner) => {
                self.dispute(db, &names).await?;
                return Err(GcError::OtherOwner);
            }
            // A sweep was interrupted before it wrote the name to the store.
            Some(owner) if owner != names.current() => names.current().to_owned(),
            Some(_) | None => {
                let name = random_key();
                if !update_setting(db, Some(&names), &names.after(&name)).await? {
                    return Ok(None);
                }
                name
            }
        };
        self.write_owner(&name).await?;
        let owner = bounded(self.objects.head(&Path::from(OWNER))).await?;
        Ok(Some(owner.last_modified))
    }

    /// Returns the store's name; `None` before the first sweep.
    pub(super) async fn owner(&self) -> Result<Option<String>, Error> {
        let path = Path::from(OWNER);
        let read = async { self.objects.get(&path).await?.bytes().await };
        match in_time(read).await? {
            Ok(owner) => Ok(Some(String::from_utf8_lossy(&owner).into_owned())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn write_owner(&self, name: &str) -> Result<(), Error> {
        let path = Path::from(OWNER);
        bounded(self.objects.put(&path, name.to_owned().into())).await.map(drop)
    }

    /// Stops the sweeps of the database that has the store now. A database does this only once.
    async fn dispute(&self, db: &DatabaseConnection, names: &StoreIds) -> Result<(), GcError> {
        if !names.0.is_empty() {
            self.write_owner(&random_key()).await?;
            update_setting(db, Some(names), "").await?;
        }
        Ok(())
    }
}

/// The names that a database knows.
struct StoreIds(String);

impl StoreIds {
    async fn read(db: &DatabaseConnection) -> Result<Self, DbErr> {
        let select = Query::select()
            .column(Column::Value)
            .from(Entity)
            .and_where(Column::Name.eq(STORE_ID))
            .take();
        let row = db.query_one(&select).await?;
        let row = row.ok_or_else(|| DbErr::RecordNotFound(format!("the setting {STORE_ID}")))?;
        row.try_get("", "value").map(Self)
    }

    fn contains(&self, name: &str) -> bool {
        self.0.split(' ').any(|listed| listed == name && is_name(name))
    }

    /// True once a sweep has moved on from the first name.
    fn has_named_a_store(&self) -> bool {
        self.0.split_once(' ').is_some()
    }

    fn current(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }

    /// Returns the setting with one more name.
    fn after(&self, name: &str) -> String {
        let earlier = self.0.split(' ').filter(|earlier| !earlier.is_empty());
        std::iter::once(name).chain(earlier).take(NAMES_MAX).collect::<Vec<_>>().join(" ")
    }
}

fn is_name(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Changes the setting, if `from` is given only from these names. True if it was changed.
async fn update_setting(
    db: &DatabaseConnection,
    from: Option<&StoreIds>,
    to: &str,
) -> Result<bool, DbErr> {
    let mut update = Entity::update_many()
        .col_expr(Column::Value, Expr::value(to))
        .filter(Column::Name.eq(STORE_ID));
    if let Some(StoreIds(from)) = from {
        update = update.filter(Column::Value.eq(from));
    }
    Ok(database::retry(|| update.clone().exec(db)).await?.rows_affected == 1)
}
