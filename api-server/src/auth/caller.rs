//! The caller of a request, and the privileges they hold.

use super::privileges::{Forbidden, Privilege, Rights};
use sea_orm::{ConnectionTrait, DbErr};
use shared::database;
use shared::time::Clock;
use std::hash::{Hash, Hasher};

/// A user of the core system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreCaller {
    pub user_id: i64,
    pub user_name: String,
    /// Privileges.
    pub rights: Rights,
}

/// The user who sent a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A user of the core system.
    Core(CoreCaller),
    /// A borrower, who sees only their own records.
    Web {
        /// Contact with the web credentials used to log in.
        contact_id: i64,
    },
}

/// By the user alone: equal callers have equal privileges, too, which would take longer to hash.
impl Hash for Caller {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Core(user) => (true, user.user_id).hash(state),
            Self::Web { contact_id } => (false, contact_id).hash(state),
        }
    }
}

/// An authenticated request: the caller, and the database's time at admission.
#[derive(Clone, Debug)]
pub struct RequestContext {
    pub caller: Caller,
    /// The database's time at admission.
    pub clock: Clock,
}

impl Caller {
    /// Returns the admin account as the caller of a command, and the database's time.
    pub async fn admin(
        db: &impl ConnectionTrait,
        user_id: i64,
        user_name: &str,
    ) -> Result<RequestContext, DbErr> {
        let clock = database::clock(db).await?;
        let user = CoreCaller { user_id, user_name: user_name.to_owned(), rights: Rights::All };
        Ok(RequestContext { caller: Self::Core(user), clock })
    }

    /// True if a core user holds the privilege. Web users hold none: their only right is to see
    /// what they may see.
    pub fn holds(&self, privilege: Privilege) -> bool {
        match self {
            Self::Core(user) => user.rights.hold(privilege),
            Self::Web { .. } => false,
        }
    }

    /// Returns an error that names the privilege unless it is held.
    pub fn require(&self, privilege: Privilege) -> Result<(), Forbidden> {
        match self {
            Self::Core(user) => user.rights.require(privilege),
            Self::Web { .. } => Err(Forbidden::CoreUserOnly),
        }
    }

    /// Returns an error that names the privileges unless one of them is held.
    pub fn require_any(&self, privileges: &'static [Privilege]) -> Result<(), Forbidden> {
        match self {
            Self::Core(_) if privileges.iter().any(|privilege| self.holds(*privilege)) => Ok(()),
            Self::Core(_) => Err(Forbidden::AnyPrivilege(privileges)),
            Self::Web { .. } => Err(Forbidden::CoreUserOnly),
        }
    }

    /// Returns the core user's id, for columns that record the author of a change.
    pub fn user_id(&self) -> Option<i64> {
        match self {
            Self::Core(user) => Some(user.user_id),
            Self::Web { .. } => None,
        }
    }

    /// Returns a stable name of the caller, unique across kinds and ids.
    pub fn subject(&self) -> String {
        match self {
            Self::Core(user) => format!("core:{}", user.user_id),
            Self::Web { contact_id } => format!("web:{contact_id}"),
        }
    }
}
