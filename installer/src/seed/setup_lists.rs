//! Setup data of the demo portfolio: users without passwords, groups, and setup lists long enough
//! to choose from.

use super::{DBA, DISABLED, OFFICER, User, ensure_user, user_id};
use crate::installation::grants::PrivilegeList;
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, NotSet, QueryFilter,
};
use shared::amounts::Rate;
use shared::db;
use shared::entity::loan_transactions::BalanceName;
use shared::entity::relationship_codes::AppliesTo;
use shared::entity::trustees::TrusteeObject;
use shared::entity::{
    comment_categories, contact_types, entities, group_members, interest_plans, loan_groups, loans,
    portfolios, relationship_codes, transaction_codes, trustees, user_groups,
};

/// Users without passwords, who cannot log in.
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

/// Groups and their members.
const GROUPS: [(&str, &str, &[&str]); 3] = [
    ("Servicing", "Loan servicing", &["officer", "officer2", "collector"]),
    ("Tellers", "Branch tellers", &["teller", "teller2"]),
    ("Audit", "Internal audit", &["supervisor"]),
];

/// Adds users without passwords, groups, and enough rows in each setup list to choose from; one row
/// of each kind that trustees can restrict is reserved for the Audit group.
pub async fn add(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    let now = db::time(tx).await?;
    let privileges = PrivilegeList::read(tx).await?;
    for user in &FURTHER_USERS {
        ensure_user(tx, user, &privileges, now).await?;
    }
    for (name, description, members) in GROUPS {
        add_group(tx, name, description, members).await?;
    }
    restricted_lists(tx).await?;
    small_lists(tx).await
}

async fn add_group(
    tx: &DatabaseTransaction,
    name: &str,
    description: &str,
    members: &[&str],
) -> Result<(), DbErr> {
    let group = user_groups::ActiveModel {
        group_id: NotSet,
        name: Set(name.to_owned()),
        description: Set(Some(description.to_owned())),
    };
    let group_id = user_groups::Entity::insert(group).exec(tx).await?.last_insert_id;
    for member in members {
        let user_id = user_id(tx, member).await?;
        let member = group_members::ActiveModel {
            row_id: NotSet,
            group_id: Set(group_id),
            user_id: Set(user_id),
        };
        group_members::Entity::insert(member).exec(tx).await?;
    }
    Ok(())
}

/// Adds lists with trustees on one row each, the last one added here.
async fn restricted_lists(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    let text = |text: &str| Set(text.to_owned());
    let mut loan_group_id = 0;
    for (code, description, gateway) in
        [("AUTO", "Auto loans", true), ("STAFF", "Loans to staff", false)]
    {
        let group = loan_groups::ActiveModel {
            code: text(code),
            description: text(description),
            active_flag: Set(true),
            payment_gateway_flag: Set(gateway),
            ..Default::default()
        };
        loan_group_id = group.insert(tx).await?.loan_group_id;
    }
    let mut portfolio_id = 0;
    for (code, description) in [("SECURED", "Secured loans"), ("PRIVATE", "Private clients")] {
        let portfolio = portfolios::ActiveModel {
            code: text(code),
            description: text(description),
            active_flag: Set(true),
            number_mask: Set(None),
            ..Default::default()
        };
        portfolio_id = portfolio.insert(tx).await?.portfolio_id;
    }
    let mut contact_type_id = 0;
    for (code, description) in [("DEALER", "Dealer"), ("EMPLOYEE", "Employee")] {
        let row = contact_types::ActiveModel {
            code: text(code),
            description: text(description),
            active_flag: Set(true),
            ..Default::default()
        };
        contact_type_id = row.insert(tx).await?.contact_type_id;
    }
    let mut comment_category_id = 0;
    for (code, description) in [("COLLECTIONS", "Collections"), ("LEGAL", "Legal matters")] {
        let row = comment_categories::ActiveModel {
            code: text(code),
            description: text(description),
            active_flag: Set(true),
            ..Default::default()
        };
        comment_category_id = row.insert(tx).await?.comment_category_id;
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
    transaction_codes::Entity::insert(code).exec_without_returning(tx).await?;
    for (object_type, object_id) in [
        (TrusteeObject::LoanGroup, loan_group_id),
        (TrusteeObject::Portfolio, portfolio_id),
        (TrusteeObject::ContactType, contact_type_id),
        (TrusteeObject::CommentCategory, comment_category_id),
        (TrusteeObject::TransactionCode, transaction_code.into()),
    ] {
        restrict(tx, object_type, object_id).await?;
    }
    Ok(())
}

async fn small_lists(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    let text = |text: &str| Set(text.to_owned());
    let entity = entities::ActiveModel {
        entity_code: text("TRUST"),
        description: text("Trust"),
        active_flag: Set(true),
        person_flag: Set(false),
    };
    entities::Entity::insert(entity).exec_without_returning(tx).await?;
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
        relationship_codes::Entity::insert(row).exec_without_returning(tx).await?;
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
    plan("BANKER", Actual, D360, Fixed, rate(650_000_000)).insert(tx).await?;
    plan("LEVEL", D360, D360, Variable, rate(1_407_000_000)).insert(tx).await?;
    Ok(())
}

/// Restricts this object to the Audit group and the admin account.
async fn restrict(
    tx: &DatabaseTransaction,
    object_type: TrusteeObject,
    object_id: i64,
) -> Result<(), DbErr> {
    let audit = user_groups::Entity::find().filter(user_groups::Column::Name.eq("Audit"));
    let audit = audit.one(tx).await?;
    let trustee = trustees::ActiveModel {
        trustee_id: NotSet,
        object_type: Set(object_type),
        object_id: Set(object_id),
        user_id: Set(None),
        group_id: Set(audit.map(|group| group.group_id)),
    };
    trustees::Entity::insert(trustee).exec(tx).await.map(drop)
}
