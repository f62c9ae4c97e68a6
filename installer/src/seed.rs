//! The users, their privileges, and the clients of every quickstart. Existing rows are kept, but
//! passwords and secrets are set to those of the folder.

/// User name of the portfolio's web user.
pub const WEB_USER_NAME: &str = "web.borrower";

pub mod field_definitions;
pub mod standing_rows;

use crate::installation::credentials::Credentials;
use crate::installation::grants::{self, PrivilegeList};
use crate::installation::registration::{API_SERVER_CLIENT, BROWSER_CLIENT, Grant, Registration};
use crate::installation::{CliError, accounts};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    QueryFilter,
};
use shared::database;
use shared::entity::users::UserStatus;
use shared::entity::{oauth_clients, privilege_grants, users, web_credentials};
use shared::introspection::UserKind;
use shared::passwords::Passwords;
use shared::time::Timestamp;

/// The client for integrators: password grant for both kinds of user.
pub const INTEGRATION_CLIENT: &str = "integration";

const OFFICER: u8 = 1;
const ADMIN: u8 = 2;
const DBA: u8 = 4;
const DISABLED: u8 = 8;

/// Name, full name, flags, names of privileges.
type User = (&'static str, &'static str, u8, &'static [&'static str]);

/// Users with a password.
const USERS: [User; 4] = [
    ("admin", "Administrator", ADMIN, &[]),
    (
        "officer",
        "Loan Officer",
        OFFICER,
        &[
            "Loan > View",
            "Loan > Change",
            "Loan > Payments > Add",
            "Contact > View",
            "Contact > Change",
            "Collateral > View",
            "Collateral > Change",
            "Collateral > Delete",
            "Payment Gateway > View",
            "Payment Gateway > Add",
            "Payment Gateway > Forget",
        ],
    ),
    (
        "teller",
        "Teller",
        0,
        &[
            "Loan > View",
            "Loan > Access to Other Officers > Allow",
            "Loan > Payments > Add",
            "Contact > Records > View",
            "Contact > Access to Other Officers > Allow",
            "Cash Drawer > View",
            "Cash Drawer > Add",
        ],
    ),
    ("viewer", "Viewer", 0, &["Loan > View", "Loan > Access to Other Officers > Allow"]),
];

/// Users of the demo portfolio without passwords, who cannot log in.
const FURTHER_USERS: [User; 7] = [
    ("officer2", "Second Loan Officer", OFFICER, &["Loan > View", "Contact > View"]),
    (
        "teller2",
        "Second Teller",
        0,
        &["Loan > View", "Loan > Payments > Add", "Cash Drawer > View"],
    ),
    (
        "supervisor",
        "Supervisor",
        0,
        &[
            "Loan > View",
            "Cash Drawer > View",
            "Cash Drawer > Add",
            "Loan > Payments > Add",
            "Loan > Payments > Backdate",
            "Loan > Payments > Payoff",
            "Loan > Payments > Split",
            "Cash Drawer > Supervise > Allow",
            "Cash Drawer > Funding > Allow",
            "Payment Gateway > Convenience Fee > Waive",
        ],
    ),
    ("collector", "Collector", OFFICER, &["Loan > View", "Contact > Records > View"]),
    ("dba", "Database Administrator", DBA, &[]),
    ("clerk", "Clerk", 0, &[]),
    ("former", "Former Employee", DISABLED, &[]),
];

/// Adds the users without passwords.
pub async fn further_users(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    let now = database::time(tx).await?;
    let privileges = PrivilegeList::read(tx).await?;
    for user in &FURTHER_USERS {
        ensure_user(tx, user, &privileges, now).await?;
    }
    Ok(())
}

/// Adds users, privileges and clients, and sets passwords and secrets to those of the folder.
pub async fn users_and_clients(
    db: &DatabaseConnection,
    credentials: &Credentials,
    passwords: &Passwords,
    browser_redirects: &str,
    browser_origin: &str,
) -> Result<(), String> {
    let now = database::time(db).await.map_err(|error| error.to_string())?;
    let user_passwords =
        [&credentials.admin, &credentials.officer, &credentials.teller, &credentials.viewer];
    let privileges = PrivilegeList::read(db).await.map_err(|error| error.to_string())?;
    for (user, password) in USERS.iter().zip(user_passwords) {
        let hash = passwords.hash(password).await?;
        let user_id = ensure_user(db, user, &privileges, now);
        let user_id = user_id.await.map_err(|error| error.to_string())?;
        accounts::set_password(db, UserKind::Core, user_id, hash)
            .await
            .map_err(|error| error.to_string())?;
    }
    clients(db, credentials, browser_redirects, browser_origin, now)
        .await
        .map_err(|error| error.to_string())
}

async fn ensure_user(
    db: &impl ConnectionTrait,
    (name, full_name, flags, granted): &User,
    privileges: &PrivilegeList,
    now: Timestamp,
) -> Result<i64, DbErr> {
    let existing = users::Entity::find().filter(users::Column::UserName.eq(*name)).one(db).await?;
    if let Some(user) = existing {
        return Ok(user.user_id);
    }
    let has = |flag| flags & flag != 0;
    let user = users::ActiveModel {
        status: Set(if has(DISABLED) { UserStatus::Disabled } else { UserStatus::Active }),
        admin_flag: Set(has(ADMIN)),
        dba_flag: Set(has(DBA)),
        loan_officer_flag: Set(has(OFFICER)),
        collection_officer_flag: Set(has(OFFICER)),
        contact_officer_flag: Set(has(OFFICER)),
        ..accounts::row(name, full_name, now)
    };
    let granted: Result<Vec<_>, _> = granted.iter().map(|name| privileges.find(name)).collect();
    let granted = granted.map_err(|CliError(why)| DbErr::RecordNotFound(why))?;
    let user_id = accounts::add(db, user).await?.user_id;
    grants::insert(db, (privilege_grants::Column::UserId, user_id), &granted).await?;
    Ok(user_id)
}

async fn clients(
    db: &DatabaseConnection,
    credentials: &Credentials,
    browser_redirects: &str,
    browser_origin: &str,
    now: Timestamp,
) -> Result<(), DbErr> {
    let both_kinds = vec![UserKind::Core, UserKind::Web];
    let split = |list: &str| list.split_whitespace().map(str::to_owned).collect();
    let integration = Registration {
        id: INTEGRATION_CLIENT.to_owned(),
        grants: vec![Grant::Password, Grant::RefreshToken],
        user_kinds: both_kinds.clone(),
        ..Registration::default()
    };
    let api_server = Registration {
        id: API_SERVER_CLIENT.to_owned(),
        resource_server: true,
        ..Registration::default()
    };
    let browser = Registration {
        id: BROWSER_CLIENT.to_owned(),
        name: Some("the quickstart".to_owned()),
        public: true,
        grants: vec![Grant::AuthorizationCode, Grant::RefreshToken],
        user_kinds: both_kinds,
        redirect_uris: split(browser_redirects),
        post_logout_redirect_uris: split(browser_redirects),
        cors_origins: split(browser_origin),
        ..Registration::default()
    };
    let all = [
        (integration, Some(credentials.integration.as_str())),
        (api_server, Some(&credentials.api_server)),
        (browser, None),
    ];
    use oauth_clients::Column::{
        ClientId, CorsOrigins, PostLogoutRedirectUris, RedirectUris, SecretHash1,
    };
    let on_conflict = OnConflict::column(ClientId)
        .update_columns([SecretHash1, RedirectUris, PostLogoutRedirectUris, CorsOrigins])
        .to_owned();
    for (client, secret) in all {
        oauth_clients::Entity::insert(client.row(secret, None, now))
            .on_conflict(on_conflict.clone())
            .exec_without_returning(db)
            .await?;
    }
    Ok(())
}

/// Returns the id of the user with this name.
pub async fn user_id(db: &impl ConnectionTrait, name: &str) -> Result<i64, DbErr> {
    let user = users::Entity::find().filter(users::Column::UserName.eq(name)).one(db).await?;
    let user = user.ok_or_else(|| DbErr::RecordNotFound(format!("user {name}")))?;
    Ok(user.user_id)
}

/// Returns the contact of the portfolio's web user, if there is one.
pub async fn web_contact(db: &DatabaseConnection) -> Result<Option<i64>, DbErr> {
    let row = web_credentials::Entity::find()
        .filter(web_credentials::Column::WebUserName.eq(WEB_USER_NAME))
        .one(db)
        .await?;
    Ok(row.map(|row| row.contact_id))
}
