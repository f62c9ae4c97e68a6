//! Users, their rights, and clients: what every quickstart has. Rows that are there already stay,
//! but passwords and secrets are set to those of the folder.

use crate::accounts;
use crate::credentials::Credentials;
use crate::demo::WEB_USER_NAME;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseConnection, DbErr, EntityTrait, NotSet, QueryFilter,
};
use shared::entity::loan_transactions::BalanceName;
use shared::entity::oauth_clients::ClientKind;
use shared::entity::relationship_codes::AppliesTo;
use shared::entity::trustees::TrusteeObject;
use shared::entity::users::UserStatus;
use shared::entity::*;
use shared::introspection::UserKind;
use shared::passwords::Passwords;
use shared::secrecy::Secret;
use shared::time::Timestamp;
use shared::{amounts::Rate, db};

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

/// Users who are there as data and cannot log in.
const FURTHER_USERS: [User; 7] = [
    ("officer2", "Second Loan Officer", OFFICER, &["Loan:View", "Contact:View"]),
    ("teller2", "Second Teller", 0, &["Loan:View", "Loan > Payments:Add", "Cash Drawer:View"]),
    (
        "supervisor",
        "Supervisor",
        0,
        &[
            "Loan:View",
            "Loan > Payments:Add",
            "Loan > Payments:Backdate",
            "Loan > Payments:Payoff",
            "Loan > Payments:Split",
            "Cash Drawer > Supervise:Allow",
            "Cash Drawer > Funding:Allow",
            "Payment Gateway > Convenience Fee:Waive",
        ],
    ),
    ("collector", "Collector", OFFICER, &["Loan:View", "Contact > Records:View"]),
    ("dba", "Database Administrator", DBA, &[]),
    ("clerk", "Clerk", 0, &[]),
    ("former", "Former Employee", DISABLED, &[]),
];

/// Groups and who belongs to them.
const GROUPS: [(&str, &str, &[&str]); 3] = [
    ("Servicing", "Loan servicing", &["officer", "officer2", "collector"]),
    ("Tellers", "Branch tellers", &["teller", "teller2"]),
    ("Audit", "Internal audit", &["supervisor"]),
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
    db: &DatabaseConnection,
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
    let hash = |secret: &str| Some(Secret::new(auth_server::clients::secret_hash(secret)));
    let client =
        |id: &str, secret: Option<Secret>, grants: &str, kinds: &str| oauth_clients::ActiveModel {
            client_id: Set(id.to_owned()),
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

/// Users who are there as data, groups, and enough rows in each setup list to choose from; one of
/// each kind that trustees can guard is for the Audit group alone.
pub async fn further_users_and_setup(db: &DatabaseConnection) -> Result<(), String> {
    let fill = async {
        let now = db::time(db).await?;
        for user in &FURTHER_USERS {
            ensure_user(db, user, now).await?;
        }
        for (name, description, members) in GROUPS {
            add_group(db, name, description, members).await?;
        }
        setup_rows(db).await
    };
    fill.await.map_err(|error: DbErr| error.to_string())
}

async fn add_group(
    db: &DatabaseConnection,
    name: &str,
    description: &str,
    members: &[&str],
) -> Result<(), DbErr> {
    let group = user_groups::ActiveModel {
        group_id: NotSet,
        name: Set(name.to_owned()),
        description: Set(Some(description.to_owned())),
    };
    let group_id = user_groups::Entity::insert(group).exec(db).await?.last_insert_id;
    for member in members {
        let user =
            users::Entity::find().filter(users::Column::UserName.eq(*member)).one(db).await?;
        let user = user.ok_or_else(|| DbErr::RecordNotFound(format!("user {member}")))?;
        let member = group_members::ActiveModel {
            row_id: NotSet,
            group_id: Set(group_id),
            user_id: Set(user.user_id),
        };
        group_members::Entity::insert(member).exec(db).await?;
    }
    Ok(())
}

async fn setup_rows(db: &DatabaseConnection) -> Result<(), DbErr> {
    let text = |text: &str| Set(text.to_owned());
    let group = loan_groups::ActiveModel {
        code: text("STAFF"),
        description: text("Loans to staff"),
        active_flag: Set(true),
        payment_gateway_flag: Set(false),
        ..Default::default()
    };
    let group = group.insert(db).await?.loan_group_id;
    let mut portfolio_id = 0;
    for (code, description) in [("SECURED", "Secured loans"), ("PRIVATE", "Private clients")] {
        let portfolio = portfolios::ActiveModel {
            code: text(code),
            description: text(description),
            active_flag: Set(true),
            number_mask: Set(None),
            ..Default::default()
        };
        portfolio_id = portfolio.insert(db).await?.portfolio_id;
    }
    let mut contact_type_id = 0;
    for (code, description) in [("DEALER", "Dealer"), ("EMPLOYEE", "Employee")] {
        let row = contact_types::ActiveModel {
            code: text(code),
            description: text(description),
            active_flag: Set(true),
            ..Default::default()
        };
        contact_type_id = row.insert(db).await?.contact_type_id;
    }
    let transaction_code = 500;
    let code = transaction_codes::ActiveModel {
        transaction_code: Set(transaction_code),
        description: text("Goodwill credit"),
        balance_name: Set(Some(BalanceName::Fees)),
        sign: Set(-1),
        reversal_code: Set(None),
        active_flag: Set(true),
    };
    transaction_codes::Entity::insert(code).exec_without_returning(db).await?;
    small_lists(db).await?;
    guard(db, TrusteeObject::LoanGroup, group).await?;
    guard(db, TrusteeObject::Portfolio, portfolio_id).await?;
    guard(db, TrusteeObject::ContactType, contact_type_id).await?;
    guard(db, TrusteeObject::TransactionCode, transaction_code.into()).await
}

async fn small_lists(db: &DatabaseConnection) -> Result<(), DbErr> {
    let text = |text: &str| Set(text.to_owned());
    let entity = entities::ActiveModel {
        entity_code: text("TRUST"),
        description: text("Trust"),
        active_flag: Set(true),
        person_flag: Set(false),
    };
    entities::Entity::insert(entity).exec_without_returning(db).await?;
    for (code, description, applies_to) in
        [("GUARANTOR", "Guarantor", AppliesTo::Loan), ("SPOUSE", "Spouse", AppliesTo::Contact)]
    {
        let row = relationship_codes::ActiveModel {
            relationship_code: text(code),
            description: text(description),
            active_flag: Set(true),
            applies_to: Set(applies_to),
            auto_prev_addr: Set(false),
        };
        relationship_codes::Entity::insert(row).exec_without_returning(db).await?;
    }
    let plan = |name: &str, numerator, denominator, rate_type, rate| interest_plans::ActiveModel {
        name: Set(name.to_owned()),
        active_flag: Set(true),
        interest_method: Set(loans::InterestMethod::SI),
        interest_year_numerator: Set(numerator),
        interest_year_denominator: Set(denominator),
        rate_type: Set(rate_type),
        starting_rate: Set(rate),
        ..Default::default()
    };
    use interest_plans::RateType::{Fixed, Variable};
    use loans::YearLength::{Actual, D360};
    let rate = |units| Rate::from_units(units).unwrap_or_default();
    plan("BANKER", Actual, D360, Fixed, rate(650_000_000)).insert(db).await?;
    plan("LEVEL", D360, D360, Variable, rate(1_407_000_000)).insert(db).await?;
    Ok(())
}

/// Only the Audit group, and the admin account, may see this object.
async fn guard(
    db: &DatabaseConnection,
    object_type: TrusteeObject,
    object_id: i64,
) -> Result<(), DbErr> {
    let audit = user_groups::Entity::find().filter(user_groups::Column::Name.eq("Audit"));
    let audit = audit.one(db).await?;
    let trustee = trustees::ActiveModel {
        trustee_id: NotSet,
        object_type: Set(object_type),
        object_id: Set(object_id),
        user_id: Set(None),
        group_id: Set(audit.map(|group| group.group_id)),
    };
    trustees::Entity::insert(trustee).exec(db).await.map(drop)
}

/// True if the database has any loan.
pub async fn has_loans(db: &DatabaseConnection) -> Result<bool, DbErr> {
    Ok(loans::Entity::find().one(db).await?.is_some())
}

/// The contact of the portfolio's web user, if there is one.
pub async fn web_contact(db: &DatabaseConnection) -> Result<Option<i64>, DbErr> {
    let row = web_credentials::Entity::find()
        .filter(web_credentials::Column::WebUserName.eq(WEB_USER_NAME))
        .one(db)
        .await?;
    Ok(row.map(|row| row.contact_id))
}
