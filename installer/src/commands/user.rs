//! `installer user`: who may log in, and with what.
//!
//! Whoever is disabled, logged out or given another password is logged out in the same
//! transaction: no token of his lives on.

use crate::installation::accounts::{self, Account};
use crate::installation::new_password::NewPassword;
use crate::installation::{Installation, Refused, change, event, print, print_once, refuse};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseConnection, EntityTrait, QueryFilter};
use shared::audit::Kind;
use shared::db::{self, Fault};
use shared::entity::{log_in_failures, users};
use shared::introspection::UserKind;
use shared::sessions;
use shared::time::Timestamp;

/// What the command takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    installation: Installation,
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum Action {
    /// Adds a core-system user; borrowers come by import
    Add(Box<Newcomer>),
    /// Lets a user log in no more, and logs him out
    Disable(Named),
    /// Lets a user log in again
    Enable(Named),
    /// Lifts the lock that too many failed log-ins have put on a user
    Unlock(Named),
    /// Gives a user another password, and logs him out
    Password {
        #[command(flatten)]
        user: Named,
        #[command(flatten)]
        password: NewPassword,
    },
    /// Logs a user out everywhere
    #[command(group = clap::ArgGroup::new("whom").required(true).args(["name", "all"]))]
    LogOut {
        /// What he logs in with
        name: Option<String>,
        /// The borrower who logs in with this name
        #[arg(long)]
        web: bool,
        /// Everybody: every user and every borrower
        #[arg(long, conflicts_with = "web")]
        all: bool,
    },
}

/// One user.
#[derive(clap::Args, Clone, Debug)]
struct Named {
    /// What he logs in with
    name: String,
    /// The borrower who logs in with this name
    #[arg(long)]
    web: bool,
}

impl Named {
    async fn find(&self, db: &DatabaseConnection) -> Result<Account, Refused> {
        Account::find(db, accounts::kind(self.web), &self.name).await
    }
}

/// A core-system user to be added.
#[derive(clap::Args, Clone, Debug)]
struct Newcomer {
    /// What he will log in with: up to 50 characters
    name: String,
    /// His name; without it, what he logs in with
    #[arg(long, value_name = "TEXT")]
    full_name: Option<String>,
    /// Where he can be reached
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// He has every right, and may import
    #[arg(long)]
    admin: bool,
    /// He has database administrator rights
    #[arg(long)]
    dba: bool,
    /// Loans may be his
    #[arg(long)]
    loan_officer: bool,
    /// Collections may be his
    #[arg(long)]
    collection_officer: bool,
    /// Contacts may be his
    #[arg(long)]
    contact_officer: bool,
    /// What he may do, as PATH:VERB, such as "Loan > Payments:Add"
    #[arg(long = "privilege", value_name = "PRIVILEGE", num_args = 1..)]
    privileges: Vec<String>,
    #[command(flatten)]
    password: NewPassword,
    /// Borrowers come by import: this is refused
    #[arg(long, hide = true)]
    web: bool,
}

/// Does what the arguments say.
pub async fn run(arguments: &Arguments) -> Result<(), Refused> {
    let installation = &arguments.installation;
    match &arguments.action {
        Action::Add(newcomer) => add(installation, newcomer).await,
        Action::Disable(user) => disable(installation, user).await,
        Action::Enable(user) => enable(installation, user).await,
        Action::Unlock(user) => unlock(installation, user).await,
        Action::Password { user, password } => set_password(installation, user, password).await,
        Action::LogOut { name: Some(name), web, .. } => log_out(installation, name, *web).await,
        Action::LogOut { .. } => log_out_everybody(installation).await,
    }
}

async fn add(installation: &Installation, newcomer: &Newcomer) -> Result<(), Refused> {
    newcomer.check()?;
    let name = newcomer.name.as_str();
    let taken = || format!("there is a user {name} already; nothing was changed");
    let alike = "there is a user already whose name looks like it; nothing was changed";
    let db = installation.open().await?;
    let same_name = users::Entity::find().filter(users::Column::UserName.eq(name));
    if same_name.one(&db).await?.is_some() {
        return refuse(taken());
    }
    let privileges = privileges(&db, &newcomer.privileges).await?;
    let password = newcomer.password.read(name)?;
    let hash = installation.passwords()?.hash(&password.text).await.map_err(Refused)?;
    let user = newcomer.row(db::time(&db).await?);
    let account = change(&db, async |tx| {
        let user_id = match accounts::add(tx, user.clone(), &privileges).await {
            Err(error) if db::fault(&error) == Fault::Conflict => return Ok(refuse(alike)?),
            added => added?,
        };
        accounts::set_password(tx, UserKind::Core, user_id, hash.clone()).await?;
        let account = Account { kind: UserKind::Core, user_id, user_name: name.to_owned() };
        account.event(Kind::UserAdded).record(tx).await?;
        Ok(account)
    })
    .await?;
    print_once(&password.after(&format!("{account} is added")))
}

impl Newcomer {
    /// Refuses what does not fit its column, or could be taken for another name.
    fn check(&self) -> Result<(), Refused> {
        if self.web {
            return refuse("web users are borrowers: they come with their contact, by import");
        }
        accounts::check_name(&self.name)?;
        for (what, text, most) in
            [("--full-name", &self.full_name, 80), ("--email", &self.email, 100)]
        {
            if let Some(text) = text {
                check_text(what, text, most)?;
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
            false => refuse("--email must be an address like jo@example.com"),
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

fn check_text(what: &str, text: &str, most: usize) -> Result<(), Refused> {
    let plain = !text.chars().any(char::is_control) && text.trim() == text;
    match plain && (1..=most).contains(&text.chars().count()) {
        true => Ok(()),
        false => refuse(format!(
            "{what} must have 1 to {most} characters, none of them a control character, and no \
             space at either end"
        )),
    }
}

async fn privileges(db: &impl ConnectionTrait, names: &[String]) -> Result<Vec<i64>, Refused> {
    let mut found = Vec::new();
    for name in names {
        let Some(privilege_id) = accounts::privilege(db, name).await? else {
            return refuse(format!(
                "there is no privilege {name:?}: it is written PATH:VERB, such as \
                 \"Loan > Payments:Add\""
            ));
        };
        if !found.contains(&privilege_id) {
            found.push(privilege_id);
        }
    }
    Ok(found)
}

async fn disable(installation: &Installation, user: &Named) -> Result<(), Refused> {
    let db = installation.open().await?;
    let account = user.find(&db).await?;
    let tokens = change(&db, async |tx| {
        account.take(tx).await?;
        // Sessions before the user's row: a refresh holds the one and waits for the other.
        let tokens = sessions::end_all(tx, account.kind, account.user_id).await?;
        accounts::set_enabled(tx, &account, false).await?;
        account.event(Kind::UserDisabled).record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print(&format!("{account} may log in no more; tokens ended: {tokens}"))
}

async fn enable(installation: &Installation, user: &Named) -> Result<(), Refused> {
    let db = installation.open().await?;
    let account = user.find(&db).await?;
    change(&db, async |tx| {
        accounts::set_enabled(tx, &account, true).await?;
        Ok(account.event(Kind::UserEnabled).record(tx).await?)
    })
    .await?;
    print(&format!("{account} may log in"))
}

async fn unlock(installation: &Installation, user: &Named) -> Result<(), Refused> {
    let db = installation.open().await?;
    let account = user.find(&db).await?;
    let subject = log_in_failures::account(account.kind, &account.user_name);
    let counted = change(&db, async |tx| {
        let counts = log_in_failures::Entity::delete_by_id(subject.as_str()).exec(tx).await?;
        if counts.rows_affected > 0 {
            account.event(Kind::Unlocked).record(tx).await?;
        }
        Ok(counts.rows_affected > 0)
    });
    match counted.await? {
        true => print(&format!("{account} is unlocked: failed log-ins count from none again")),
        false => print(&format!("{account} was not locked: no failed log-in was counted")),
    }
}

async fn set_password(
    installation: &Installation,
    user: &Named,
    password: &NewPassword,
) -> Result<(), Refused> {
    let db = installation.open().await?;
    let account = user.find(&db).await?;
    let password = password.read(&account.user_name)?;
    let hash = installation.passwords()?.hash(&password.text).await.map_err(Refused)?;
    let tokens = change(&db, async |tx| {
        account.take(tx).await?;
        accounts::set_password(tx, account.kind, account.user_id, hash.clone()).await?;
        let tokens = sessions::end_all(tx, account.kind, account.user_id).await?;
        account.event(Kind::PasswordChanged).record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print_once(&password.after(&format!("{account} has another password; tokens ended: {tokens}")))
}

async fn log_out(installation: &Installation, name: &str, web: bool) -> Result<(), Refused> {
    let db = installation.open().await?;
    let account = Account::find(&db, accounts::kind(web), name).await?;
    let tokens = change(&db, async |tx| {
        account.take(tx).await?;
        let tokens = sessions::end_all(tx, account.kind, account.user_id).await?;
        account.event(Kind::LoggedOut).reason("administrator").record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print(&format!("{account} is logged out; tokens ended: {tokens}"))
}

async fn log_out_everybody(installation: &Installation) -> Result<(), Refused> {
    let db = installation.open().await?;
    let tokens = change(&db, async |tx| {
        let tokens = sessions::end_everything(tx).await?;
        event(Kind::LoggedOut).reason("administrator").record(tx).await?;
        Ok(tokens)
    })
    .await?;
    print(&format!("everybody is logged out; tokens ended: {tokens}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        newcomer: Newcomer,
    }

    fn check(line: &[&str]) -> Result<(), Refused> {
        let words = std::iter::once("add").chain(line.iter().copied());
        Line::parse_from(words).newcomer.check()
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
            let said = check(line).expect_err("refused").to_string();
            assert!(said.contains(why), "{said}: {line:?}");
        }
    }
}
