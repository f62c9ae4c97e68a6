//! List columns: a JSON document in the database, an array in responses.

use crate::amounts::Money;
use poem_openapi::{NewType, Object};
use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};
use shared_macros::interface_names;

/// An ordered list of strings.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult, NewType,
)]
#[serde(transparent)]
#[oai(from_parameter = false, from_multipart = false, to_header = false)]
pub struct TextList(pub Vec<String>);

/// Notes or coins of one denomination in a cash drawer.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Denomination {
    /// Value of one note or coin.
    #[serde(rename = "Value")]
    pub value: Money,
    /// Number of notes or coins.
    #[serde(rename = "Count")]
    pub count: i32,
}

/// Count of a drawer's cash by denomination.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult, NewType,
)]
#[serde(transparent)]
#[oai(from_parameter = false, from_multipart = false, to_header = false)]
pub struct Denominations(pub Vec<Denomination>);
