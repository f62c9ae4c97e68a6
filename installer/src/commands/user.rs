//! `installer user`: the users who may log in.
//!
//! Disabling a user, logging them out and changing their password end their sessions in the same
//! transaction: no token outlives it.

mod rights;

use crate::installation::accounts::{self, Account};
use crate::installation::grants::{self, PrivilegeList};
use crate::installation::new_password::NewPassword;
use crate::installation::{CliError, Installation, change, event, print, print_once, refuse};
use rights::{GrantArgs, GranteeName};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter};
use shared::audit::EventKind;
use shared::database::{self, Fault};
use shared::entity::{log_in_failures, privilege_grants, users};
use shared::sessions;
use shared::time::Timestamp;

/// The command's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct UserArgs {
    #[command(flatten)]
    installation: Installation,
    #[command(subcommand)]
    action: UserAction,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum UserAction {
    /// List the core-system users, their flags and their groups
    List {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Show the privileges of a user or a group, and where each comes from
    Show {
        #[command(flatten)]
        grantee: GranteeName,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Grant privileges to a user or a group, effective with the next request
    Grant(GrantArgs),
    /// Revoke privileges from a user or a group, effective with the next request
    Revoke(GrantArgs),
    /// Add a core-system user (borrowers are added by import)
    Add(Box<NewUser>),
    /// Disable a user and end their sessions
    Disable(Named),
    /// Enable a disabled user
    Enable(Named),
    /// Lift a lockout caused by too many failed log-ins
    Unlock(Named),
    /// Change a user's password and end their sessions
    Password {
        #[command(flatten)]
        user: Named,
        #[command(flatten)]
        password: NewPassword,
    },
    /// End all sessions of a user, or of all users
    #[command(group = clap::ArgGroup::new("whom").required(true).args(["name", "all"]))]
    LogOut {
        /// The user's name
        name: Option<String>,
        /// The user is a borrower (web user)
        #[arg(long)]
        web: bool,
        /// Log out all users and all borrowers
        #[arg(long, conflicts_with = "web")]
        all: bool,
    },
}

/// The user that a command is about.
#[derive(clap::Args, Clone, Debug)]
struct Named {
    /// The user's name
    name: String,
    /// The user is a borrower (web user)
    #[arg(long)]
    web: bool,
}

impl Named {
    /// Opens the database, and finds the user there.
    async fn open(
        &self,
        installation: &Installation,
    ) -> Result<(DatabaseConnection, Account), CliError> {
        let db = installation.open().await?;
        let account = Account::find(&db, accounts::kind(self.web), &self.name).await?;
        Ok((db, account))
    }
}

/// A core-system user to add.
#[derive(clap::Args, Clone, Debug)]
struct NewUser {
    /// The user's name, up to 50 characters
    name: String,
    /// The user's full name [default: the user name]
    #[arg(long, value_name = "TEXT")]
    full_name: Option<String>,
    /// The user's e-mail address
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// Grant all privileges, including imports
    #[arg(long)]
    admin: bool,
    /// Allow the user to view setup and batch processing (the DBA flag)
    #[arg(long)]
    dba: bool,
    /// Allow the user to be assigned to loans as their officer
    #[arg(long)]
    loan_officer: bool,
    /// Allow the user to be assigned to collections
    #[arg(long)]
    collection_officer: bool,
    /// Allow the user to be assigned to contacts as their officer
    #[arg(long)]
    contact_officer: bool,
    /// Privileges to grant, such as "Loan > Payments > Add", in quotation marks
    #[arg(long = "privilege", value_name = "PRIVILEGE", num_args = 1..)]
    privileges: Vec<String>,
    #[command(flatten)]
    password: NewPassword,
    /// Refused: borrowers are added by import
    #[arg(long, hide = true)]
    web: bool,
}

pub async fn run(arguments: &UserArgs) -> Result<(), CliError> {
    let installation = &arguments.installation;
    match &arguments.action {
        UserAction::List { json } => rights::list(installation, *json).await,
        UserAction::Show { grantee, json } => rights::show(installation, grantee, *json).await,
        UserAction::Grant(arguments) => rights::grant(installation, arguments).await,
        UserAction::Revoke(arguments) => rights::revoke(installation, arguments).await,
        UserAction::Add(newcomer) => add(installation, newcomer).await,
        UserAction::Disable(user) => disable(installation, user).await,
        UserAction::Enable(user) => enable(installation, user).await,
        UserAction::Unlock(user) => unlock(installation, user).await,
        UserAction::Password { user, password } => set_password(installation, user, password).await,
        UserAction::LogOut { name: Some(name), web, .. } => log_out(installation, name, *web).await,
        UserAction::LogOut { .. } => log_out_all(installation).await,
    }
}

async fn add(installation: &Installation, new_user: &NewUser) -> Result<(), CliError> {
    new_user.check()?;
    let name = new_user.name.as_str();
    let already_exists = || format!("the user {name} already exists; nothing was changed");
    let lookalike = "another user already has a name that looks like this one; nothing was changed";
    let db = installation.open().await?;
    let same_name = users::Entity::find().filter(users::Column::UserName.eq(name));
    if same_name.one(&db).await?.is_some() {
        return refuse(already_exists());
    }
    let list = PrivilegeList::read(&db).await?;
    let privileges = &list.find_all(&new_user.privileges)?;
    let password = new_user.password.read(name)?;
    let hash = installation.passwords()?.hash(&password.text).await.map_err(CliError)?;
    let user = new_user.row(database::time(&db).await?);
    let account = change(&db, async |tx| {
        let account = match accounts::add(tx, user.clone()).await {
            Err(error) if database::fault(&error) == Fault::Conflict => {
                return Ok(refuse(lookalike)?);
            }
            added => added?,
        };
        accounts::set_password(tx, account.kind, account.user_id, hash.clone()).await?;
        account.event(EventKind::UserAdded).record(tx).await?;
        let holder = (privilege_grants::Column::UserId, account.user_id);
        grants::insert(tx, holder, privileges).await?;
        grants::record(tx, &account.event(EventKind::PrivilegeGranted), privileges).await?;
        Ok(account)
    })
    .await?;
    print_once(&password.message(&format!("{account} added")))
}

impl NewUser {
    /// Refuses values that do not fit their columns, and names that could be mistaken for others.
    fn check(&self) -> Result<(), CliError> {
        if self.web {
            return refuse("web users are borrowers: they are added with their contact, by import");
        }
        accounts::check_name(&self.name)?;
        for (option, text, max) in
            [("--full-name", &self.full_name, 80), ("--email", &self.email, 100)]
        {
            if let Some(text) = text {
                check_text(option, text, max)?;
            }
        }
        let address = |text: &String| {
            let halves = text.split_once('@');
            halves.is_some_and(|(name, host)| {
                !name.is_empty() && !host.is_empty() && !text.contains(char::is_whitespace)
            })
        };
        match self.email.as_ref().is_none_or(address) {
            true => Ok(()),
            false => refuse("--email must be an address such as jo@example.com"),
        }
    }

    fn row(&self, now: Timestamp) -> users::ActiveModel {
        users::ActiveModel {
            email: Set(self.email.clone()),
            admin_flag: Set(self.admin),
            dba_flag: Set(self.dba),
            loan_officer_flag: Set(self.loan_officer),
            collection_officer_flag: Set(self.collection_officer),
            contact_officer_flag: Set(self.contact_officer),
            ..accounts::row(&self.name, self.full_name.as_ref().unwrap_or(&self.name), now)
        }
    }
}

fn check_text(option: &str, text: &str, max: usize) -> Result<(), CliError> {
    let is_plain = !text.chars().any(char::is_control) && text.trim() == text;
    match is_plain && (1..=max).contains(&text.chars().count()) {
        true => Ok(()),
        false => refuse(format!(
            "{option} must have 1 to {max} characters, with no control characters and no leading \
             or trailing spaces"
        )),
    }
}

async fn disable(installation: &Installation, user: &Named) -> Result<(), CliError> {
    let (db, account) = user.open(installation).await?;
    let tokens = change(&db, async |tx| {
        account.lock(tx).await?;
        // Lock order: sessions before the user's row, as a refresh holds its session and then waits
        // for the user.
        let tokens = sessions::end_all(tx, account.kind, account.user_id).await?;
        accounts::set_enabled(tx, &account, false).await?;
        account.event(EventKind::UserDisabled).record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print(&format!("{account} disabled; tokens revoked: {tokens}"))
}

async fn enable(installation: &Installation, user: &Named) -> Result<(), CliError> {
    let (db, account) = user.open(installation).await?;
    change(&db, async |tx| {
        accounts::set_enabled(tx, &account, true).await?;
        Ok(account.event(EventKind::UserEnabled).record(tx).await?)
    })
    .await?;
    print(&format!("{account} enabled"))
}

async fn unlock(installation: &Installation, user: &Named) -> Result<(), CliError> {
    let (db, account) = user.open(installation).await?;
    let subject = log_in_failures::account(account.kind, &account.user_name);
    let was_locked = change(&db, async |tx| {
        let counts = log_in_failures::Entity::delete_by_id(subject.as_str()).exec(tx).await?;
        if counts.rows_affected > 0 {
            account.event(EventKind::Unlocked).record(tx).await?;
        }
        Ok(counts.rows_affected > 0)
    });
    match was_locked.await? {
        true => print(&format!("{account} unlocked: failed log-ins count from zero again")),
        false => print(&format!("{account} was not locked: no failed log-ins are recorded")),
    }
}

async fn set_password(
    installation: &Installation,
    user: &Named,
    password: &NewPassword,
) -> Result<(), CliError> {
    let (db, account) = user.open(installation).await?;
    let password = password.read(&account.user_name)?;
    let hash = installation.passwords()?.hash(&password.text).await.map_err(CliError)?;
    let tokens = change(&db, async |tx| {
        account.lock(tx).await?;
        accounts::set_password(tx, account.kind, account.user_id, hash.clone()).await?;
        let tokens = sessions::end_all(tx, account.kind, account.user_id).await?;
        account.event(EventKind::PasswordChanged).record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print_once(
        &password.message(&format!("{account} has a new password; tokens revoked: {tokens}")),
    )
}

async fn log_out(installation: &Installation, name: &str, web: bool) -> Result<(), CliError> {
    let db = installation.open().await?;
    let account = Account::find(&db, accounts::kind(web), name).await?;
    let tokens = change(&db, async |tx| {
        account.lock(tx).await?;
        let tokens = sessions::end_all(tx, account.kind, account.user_id).await?;
        account.event(EventKind::LoggedOut).reason("administrator").record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print(&format!("{account} logged out; tokens revoked: {tokens}"))
}

async fn log_out_all(installation: &Installation) -> Result<(), CliError> {
    let db = installation.open().await?;
    let tokens = change(&db, async |tx| {
        let tokens = sessions::end_everything(tx).await?;
        event(EventKind::LoggedOut).reason("administrator").record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print(&format!("all users logged out; tokens revoked: {tokens}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        user_args: NewUser,
    }

    fn check(line: &[&str]) -> Result<(), CliError> {
        let words = std::iter::once("add").chain(line.iter().copied());
        Line::parse_from(words).user_args.check()
    }

    #[test]
    fn names_and_addresses_fit_their_columns() {
        let (longest, too_long) = ("ä".repeat(50), "ä".repeat(51));
        for line in [
            &["jo"][..],
            &[longest.as_str()],
            &["jo.smith@example.com", "--full-name", "Jo Smith", "--email", "jo@example.com"],
        ] {
            assert_eq!(check(line), Ok(()), "{line:?}");
        }
        for (line, why) in [
            (&[""][..], "the user name must have 1 to 50 characters"),
            (&[too_long.as_str()], "the user name must have 1 to 50 characters"),
            (&[" jo"], "no space at either end"),
            (&["j\to"], "control or invisible character"),
            (&["jo", "--full-name", ""], "--full-name must have 1 to 80"),
            (&["jo", "--email", "example.com"], "--email must be an address"),
            (&["jo", "--email", "jo@"], "--email must be an address"),
            (&["jo", "--email", "j o@example.com"], "--email must be an address"),
            (&["jo", "--web"], "by import"),
        ] {
            let message = check(line).expect_err("refused").to_string();
            assert!(message.contains(why), "{message}: {line:?}");
        }
    }
}
