//! The question and the answer the two servers exchange about a token (RFC 7662).

use sea_orm::entity::prelude::{DeriveActiveEnum, EnumIter, StringLen};
use serde::{Deserialize, Serialize};

/// Which kind of user a token was issued to; also the scope that asks for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, Serialize, Deserialize)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum UserKind {
    /// A user of the core system.
    Core,
    /// A contact with web credentials: a borrower.
    Web,
}

impl UserKind {
    /// The word for it in scopes and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Web => "web",
        }
    }
}

/// The answer about a token. Whatever is wrong with it, a token that is not alive is exactly
/// `{"active": false}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Introspection {
    /// The token is alive.
    Active(Box<ActiveToken>),
    /// Unknown, malformed, expired, logged out, or its user may no longer log in.
    Inactive(InactiveToken),
}

impl Introspection {
    /// The answer about any token that is not alive.
    pub const INACTIVE: Self = Self::Inactive(InactiveToken { active: False });
}

/// `{"active": false}` and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InactiveToken {
    active: False,
}

/// What the auth server says of a live token. Times are the database's, in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveToken {
    /// Always true.
    pub active: True,
    /// The auth server that issued it.
    pub iss: String,
    /// Stable name of the user: `core:17`, `web:42`.
    pub sub: String,
    /// What the user logs in with.
    pub username: String,
    /// The program the token was issued to.
    pub client_id: String,
    /// `core` or `web`.
    pub scope: String,
    /// Always `Bearer`.
    pub token_type: String,
    /// When it was created.
    pub iat: i64,
    /// When it dies.
    pub exp: i64,
    /// Which kind of user it speaks for.
    pub user_kind: UserKind,
    /// The core-system user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<i64>,
    /// The web user's contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_id: Option<i64>,
    /// The user has every right, and alone may import.
    #[serde(default)]
    pub admin: bool,
    /// The user has database administrator rights.
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
    fn a_dead_token_is_one_member_and_no_more() {
        let text = serde_json::to_string(&Introspection::INACTIVE).unwrap();
        assert_eq!(text, r#"{"active":false}"#);
        assert_eq!(serde_json::from_str::<Introspection>(&text).unwrap(), Introspection::INACTIVE);
        assert!(serde_json::from_str::<Introspection>(r#"{"active":true}"#).is_err());
        assert!(serde_json::from_str::<Introspection>(r#"{}"#).is_err());
    }
}
