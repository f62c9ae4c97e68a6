//! Users, groups, grants, and trustees.

use super::{Draft, GROUPS, USERS};
use crate::rules::visibility::tables::read;
use sea_orm::ActiveValue::Set;
use sea_orm::NotSet;
use shared::entity::trustees::TrusteeObject;
use shared::entity::users::UserStatus;
use shared::entity::*;
use shared::secrets::Secret;

/// How many privileges a user gets.
#[derive(Clone, Copy)]
enum TrusteeSpread {
    /// Views nearly everything, so that only the rules about rows are left.
    Much,
    /// The same through grants on child paths, some of which are missing.
    Parts,
    /// A random selection.
    Several,
    /// Almost nothing.
    Little,
}

impl Draft<'_> {
    pub(super) async fn users_and_groups(&mut self, password: &Secret) {
        let mut users = Vec::new();
        let mut credentials = Vec::new();
        for user_id in USERS {
            users.push(users::Model {
                user_id,
                user_name: format!("user{user_id}"),
                full_name: format!("User {user_id}"),
                email: None,
                status: UserStatus::Active,
                admin_flag: false,
                dba_flag: self.random.percent(25),
                loan_officer_flag: self.random.percent(50),
                collection_officer_flag: self.random.percent(50),
                contact_officer_flag: self.random.percent(50),
                created_date: self.random.instant(),
            });
            let password_hash = password.clone();
            credentials.push(user_credentials::Model { user_id, password_hash });
        }
        // A former user, who appears in lists but cannot log in.
        let mut former = users[0].clone();
        former.user_id = *USERS.end() + 1;
        former.user_name = "former".to_owned();
        former.status = UserStatus::Disabled;
        former.loan_officer_flag = true;
        users.push(former);
        self.insert::<users::ActiveModel, _>(users).await;
        self.insert::<user_credentials::ActiveModel, _>(credentials).await;
        let groups = GROUPS.map(|group_id| user_groups::Model {
            group_id,
            name: format!("Group {group_id}"),
            description: None,
        });
        self.insert::<user_groups::ActiveModel, _>(groups.collect()).await;
        let mut members = Vec::new();
        for user_id in USERS {
            for group_id in self.random.some_of(35, &GROUPS.collect::<Vec<_>>()) {
                members.push(group_members::ActiveModel {
                    row_id: NotSet,
                    group_id: Set(group_id),
                    user_id: Set(user_id),
                });
            }
        }
        self.insert(members).await;
    }

    pub(super) async fn grants(&mut self) {
        // Not a parent of Detail 1, although its path begins like it.
        let trap = privileges::ActiveModel {
            privilege_id: NotSet,
            path: Set("Loan > Detail".to_owned()),
            verb: Set("View".to_owned()),
        };
        self.insert(vec![trap]).await;
        let existing = read::<privileges::Entity>(self.db).await;
        let mut grants = Vec::new();
        for user_id in USERS {
            use TrusteeSpread::{Little, Much, Parts, Several};
            let trust = self.random.one_of(&[Much, Much, Parts, Parts, Several, Little]);
            for privilege in &existing {
                let is_parent = !privilege.path.contains('>');
                let percent = match (trust, privilege.verb.as_str()) {
                    (Much, "View") if is_parent => 85,
                    (Much, "View") => 20,
                    (Parts, "View") if is_parent => 0,
                    // Otherwise hardly any user would read histories and see masks in them.
                    (Parts, "View") if privilege.path == "Contact > Tax ID" => 35,
                    (Parts, "View") => 85,
                    (Much | Parts, _) => 12,
                    (Several, _) => 25,
                    (Little, _) => 4,
                };
                if self.random.percent(percent) {
                    grants.push((privilege.privilege_id, Some(user_id), None));
                }
            }
        }
        for group_id in GROUPS {
            for privilege in self.random.some_of(6, &existing) {
                grants.push((privilege.privilege_id, None, Some(group_id)));
            }
        }
        let rows = grants.into_iter().map(|(privilege_id, user_id, group_id)| {
            privilege_grants::ActiveModel {
                grant_id: NotSet,
                privilege_id: Set(privilege_id),
                user_id: Set(user_id),
                group_id: Set(group_id),
            }
        });
        self.insert(rows.collect()).await;
    }

    pub(super) async fn trustees(&mut self) {
        let mut objects = Vec::new();
        let mut add = |kind: TrusteeObject, ids: Vec<i64>| {
            objects.extend(ids.into_iter().map(|id| (kind, id)));
        };
        let rows = read::<comment_categories::Entity>(self.db).await;
        let ids = rows.iter().map(|row| row.comment_category_id);
        add(TrusteeObject::CommentCategory, ids.collect());
        let rows = read::<loan_groups::Entity>(self.db).await;
        add(TrusteeObject::LoanGroup, rows.iter().map(|row| row.loan_group_id).collect());
        let rows = read::<portfolios::Entity>(self.db).await;
        add(TrusteeObject::Portfolio, rows.iter().map(|row| row.portfolio_id).collect());
        let rows = read::<contact_types::Entity>(self.db).await;
        add(TrusteeObject::ContactType, rows.iter().map(|row| row.contact_type_id).collect());
        add(TrusteeObject::TransactionCode, vec![100, 110, 120, 122, 124, 140]);
        let mut trustees = Vec::new();
        for (object_type, object_id) in objects {
            if self.random.percent(70) {
                continue;
            }
            for _ in 0..self.random.between(1, 3) {
                let user_id = self.random.maybe(50, &USERS.collect::<Vec<_>>());
                let group_id = match user_id {
                    Some(_) => None,
                    None => Some(self.random.one_of(&GROUPS.collect::<Vec<_>>())),
                };
                trustees.push(trustees::ActiveModel {
                    trustee_id: NotSet,
                    object_type: Set(object_type),
                    object_id: Set(object_id),
                    user_id: Set(user_id),
                    group_id: Set(group_id),
                });
            }
        }
        self.insert(trustees).await;
    }
}
