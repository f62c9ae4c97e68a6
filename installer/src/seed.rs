//! Users, their rights, and clients: what every quickstart has. Rows that are there already stay,
//! but passwords and secrets are set to those of the folder.

/// What the portfolio's web user logs in with.
pub const WEB_USER_NAME: &str = "web.borrower";

pub mod field_definitions;
pub mod setup_lists;
pub mod standing_rows;

use crate::accounts;
use crate::credentials::Credentials;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, NotSet, QueryFilter,
};
use shared::db;
use shared::entity::oauth_clients::ClientKind;
use shared::entity::users::UserStatus;
use shared::entity::{oauth_clients, users, web_credentials};
use shared::introspection::UserKind;
use shared::passwords::Passwords;
use shared::secrecy::Secret;
use shared::time::Timestamp;

/// The client integrators use: password grant for both kinds of user.
pub const INTEGRATION_CLIENT: &str = "integration";
/// The public client: code flow.
pub const BROWSER_CLIENT: &str = "browser";
/// The resource server.
pub const API_SERVER_CLIENT: &str = "api-server";

const OFFICER: u8 = 1;
const ADMIN: u8 = 2;
const DBA: u8 = 4;
const DISABLED: u8 = 8;

/// Name, full name, flags, privileges as `path:verb`.
type User = (&'static str, &'static str, u8, &'static [&'static str]);

/// Users with a password.
const USERS: [User; 4] = [
    ("admin", "Administrator", ADMIN, &[]),
    (
        "officer",
        "Loan Officer",
        OFFICER,
        &[
            "Loan:View",
            "Loan:Change",
            "Loan > Payments:Add",
            "Contact:View",
            "Contact:Change",
            "Collateral:View",
            "Collateral:Change",
            "Collateral:Delete",
            "Payment Gateway:View",
            "Payment Gateway:Add",
            "Payment Gateway:Forget",
        ],
    ),
    (
        "teller",
        "Teller",
        0,
        &[
            "Loan:View",
            "Loan > Access to Other Officers:Allow",
            "Loan > Payments:Add",
            "Contact > Records:View",
            "Contact > Access to Other Officers:Allow",
            "Cash Drawer:View",
            "Cash Drawer:Add",
        ],
    ),
    ("viewer", "Viewer", 0, &["Loan:View", "Loan > Access to Other Officers:Allow"]),
];

/// Users, rights and clients; passwords and secrets are those of the folder.
pub async fn users_and_clients(
    db: &DatabaseConnection,
    credentials: &Credentials,
    browser_redirects: &str,
    browser_origin: &str,
) -> Result<(), String> {
    let passwords = Passwords::recommended()?;
    let now = db::time(db).await.map_err(|error| error.to_string())?;
    let words =
        [&credentials.admin, &credentials.officer, &credentials.teller, &credentials.viewer];
    for (user, word) in USERS.iter().zip(words) {
        let hash = passwords.hash(word).await?;
        let user_id = ensure_user(db, user, now).await.map_err(|error| error.to_string())?;
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
    (name, full_name, flags, privileges): &User,
    now: Timestamp,
) -> Result<i64, DbErr> {
    let existing = users::Entity::find().filter(users::Column::UserName.eq(*name)).one(db).await?;
    if let Some(user) = existing {
        return Ok(user.user_id);
    }
    let has = |flag| flags & flag != 0;
    let user = users::ActiveModel {
        user_id: NotSet,
        user_name: Set((*name).to_owned()),
        full_name: Set((*full_name).to_owned()),
        email: Set(None),
        status: Set(if has(DISABLED) { UserStatus::Disabled } else { UserStatus::Active }),
        admin_flag: Set(has(ADMIN)),
        dba_flag: Set(has(DBA)),
        loan_officer_flag: Set(has(OFFICER)),
        collection_officer_flag: Set(has(OFFICER)),
        contact_officer_flag: Set(has(OFFICER)),
        created_date: Set(now),
    };
    let mut found = Vec::new();
    for privilege in *privileges {
        let known = accounts::privilege(db, privilege).await?;
        found.push(known.ok_or_else(|| DbErr::RecordNotFound(format!("privilege {privilege}")))?);
    }
    accounts::add(db, user, &found).await
}

async fn clients(
    db: &DatabaseConnection,
    credentials: &Credentials,
    browser_redirects: &str,
    browser_origin: &str,
    now: Timestamp,
) -> Result<(), DbErr> {
    let hash = |secret: &str| Some(Secret::new(auth_server::store::clients::secret_hash(secret)));
    let client =
        |id: &str, secret: Option<Secret>, grants: &str, kinds: &str| oauth_clients::ActiveModel {
            client_id: Set(id.to_owned()),
            display_name: Set(None),
            kind: Set(match secret {
                Some(_) => ClientKind::Confidential,
                None => ClientKind::Public,
            }),
            secret_hash1: Set(secret),
            secret_hash2: Set(None),
            public_keys: Set(None),
            redirect_uris: Set(String::new()),
            post_logout_redirect_uris: Set(String::new()),
            cors_origins: Set(String::new()),
            grants: Set(grants.to_owned()),
            user_kinds: Set(kinds.to_owned()),
            resource_server_flag: Set(id == API_SERVER_CLIENT),
            created_date: Set(now),
        };
    let integration = hash(&credentials.integration);
    let api_server = hash(&credentials.api_server);
    let mut browser = client(BROWSER_CLIENT, None, "authorization_code refresh_token", "core web");
    browser.display_name = Set(Some("the quickstart".to_owned()));
    browser.redirect_uris = Set(browser_redirects.to_owned());
    browser.cors_origins = Set(browser_origin.to_owned());
    browser.post_logout_redirect_uris = Set(browser_redirects.to_owned());
    let all = [
        client(INTEGRATION_CLIENT, integration, "password refresh_token", "core web"),
        client(API_SERVER_CLIENT, api_server, "", ""),
        browser,
    ];
    use oauth_clients::Column::{
        ClientId, CorsOrigins, PostLogoutRedirectUris, RedirectUris, SecretHash1,
    };
    let known = OnConflict::column(ClientId)
        .update_columns([SecretHash1, RedirectUris, PostLogoutRedirectUris, CorsOrigins])
        .to_owned();
    for client in all {
        oauth_clients::Entity::insert(client)
            .on_conflict(known.clone())
            .exec_without_returning(db)
            .await?;
    }
    Ok(())
}

/// The id of the user of this name.
pub async fn user_id(db: &impl ConnectionTrait, name: &str) -> Result<i64, DbErr> {
    let user = users::Entity::find().filter(users::Column::UserName.eq(name)).one(db).await?;
    let user = user.ok_or_else(|| DbErr::RecordNotFound(format!("user {name}")))?;
    Ok(user.user_id)
}

/// The contact of the portfolio's web user, if there is one.
pub async fn web_contact(db: &DatabaseConnection) -> Result<Option<i64>, DbErr> {
    let row = web_credentials::Entity::find()
        .filter(web_credentials::Column::WebUserName.eq(WEB_USER_NAME))
        .one(db)
        .await?;
    Ok(row.map(|row| row.contact_id))
}
