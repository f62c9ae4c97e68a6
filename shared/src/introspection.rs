//! Token introspection messages between the two servers (RFC 7662).

use sea_orm::entity::prelude::{DeriveActiveEnum, EnumIter, StringLen};
use serde::{Deserialize, Serialize};

/// Kind of user that a token was issued to; also the scope that requests it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, Serialize, Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum UserKind {
    /// A user of the core system.
    Core,
    /// A contact with web credentials: a borrower.
    Web,
}

impl UserKind {
    /// Name of the kind in scopes and responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Web => "web",
        }
    }
}

/// An introspection response. A token that is not live is always exactly `{"active": false}`,
/// whatever the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Introspection {
    /// The token is live.
    Active(Box<ActiveToken>),
    /// Unknown, malformed, expired, logged out, or its user may no longer log in.
    Inactive(InactiveToken),
}

impl Introspection {
    /// The response for any token that is not live.
    pub const INACTIVE: Self = Self::Inactive(InactiveToken { active: False });
}

/// `{"active": false}` and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InactiveToken {
    active: False,
}

/// A live token, as the auth server describes it. Times are the database's, in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveToken {
    /// Always true.
    pub active: True,
    /// Auth server that issued it.
    pub iss: String,
    /// Stable subject identifier: `core:17`, `web:42`.
    pub sub: String,
    /// User name.
    pub username: String,
    /// Client that the token was issued to.
    pub client_id: String,
    /// `core` or `web`.
    pub scope: String,
    /// Always `Bearer`.
    pub token_type: String,
    /// Creation time.
    pub iat: i64,
    /// Expiry time.
    pub exp: i64,
    /// Kind of user it speaks for.
    pub user_kind: UserKind,
    /// Core user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<i64>,
    /// The web user's contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_id: Option<i64>,
    /// The user holds every privilege, and only such a user may import.
    #[serde(default)]
    pub admin: bool,
    /// The user has the DBA flag.
    #[serde(default)]
    pub dba: bool,
}

macro_rules! constant {
    ($name:ident, $value:literal) => {
        #[doc = concat!("The JSON value `", stringify!($value), "`, and no other.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(try_from = "bool", into = "bool")]
        pub struct $name;

        impl From<$name> for bool {
            fn from(_: $name) -> bool {
                $value
            }
        }

        impl TryFrom<bool> for $name {
            type Error = &'static str;

            fn try_from(value: bool) -> Result<Self, Self::Error> {
                if value == $value {
                    Ok(Self)
                } else {
                    Err(concat!("must be ", stringify!($value)))
                }
            }
        }
    };
}
constant!(True, true);
constant!(False, false);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inactive_token_has_only_the_active_member() {
        let text = serde_json::to_string(&Introspection::INACTIVE).unwrap();
        assert_eq!(text, r#"{"active":false}"#);
        assert_eq!(serde_json::from_str::<Introspection>(&text).unwrap(), Introspection::INACTIVE);
        assert!(serde_json::from_str::<Introspection>(r#"{"active":true}"#).is_err());
        assert!(serde_json::from_str::<Introspection>(r#"{}"#).is_err());
    }
}
