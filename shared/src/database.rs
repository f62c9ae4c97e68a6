//! The core database: connections, its clock, transactions, batches of rows, and what its errors mean.
//! Nothing outside this folder knows the drivers.
//!
//! | | SQLite | PostgreSQL | MariaDB |
//! |---|---|---|---|
//! | write transaction | `BEGIN IMMEDIATE` | read committed | read committed |
//! | lock wait | 3 s (`busy_timeout`) | 3 s (`lock_timeout`) | 3 s (`innodb_lock_wait_timeout`) |
//! | a frozen server's transaction | | ends after 30 s | ends after 30 s |
//! | other defaults | | set by the session | set by the session, `sql_mode` included |
//! | timestamps | text, see [`now`] | `timestamptz` | `datetime(6)` in UTC |
//!
//! Additional rules for a MariaDB cluster are in [`galera`].
//!
//! The process's own clock decides nothing: whatever expires is compared with [`now`] in SQL. It only
//! helps to notice that the database's cannot be right ([`clock_guard`]).

pub mod batch;
pub mod clock_guard;
pub mod coalesced;
pub mod contact_search;
pub mod galera;
pub mod gate;
pub mod migration;
pub mod reads;
pub mod url;
pub mod waits;

mod clock;
mod connections;
mod dialect;
mod faults;
mod nodelay;
mod sessions;
mod transactions;

pub use self::clock::{
    BUSINESS_TIME_ZONE, business_time_zone, clock, clock_reading, now, seconds_ago,
    seconds_from_now, time,
};
pub use self::connections::{connect, connect_or_create, connect_read_only, create_scratch, probe};
pub use self::dialect::{digits_as_integer, integer_type, is_embedded, literal, shared_lock};
pub use self::faults::{Fault, error_code, error_message, fault};
pub use self::sessions::LOCK_WAIT;
pub use self::transactions::{
    Contended, Tries, begin_part, begin_write, commit, failed, finish, once_more, retry, roll_back,
    try_out, write,
};
