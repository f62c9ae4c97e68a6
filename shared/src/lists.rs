//! Columns that hold a list: a JSON document in the database, an array in answers.

use crate::amounts::Money;
use crate::interface_names;
use poem_openapi::{NewType, Object};
use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};

/// Words or sentences in an order.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult, NewType,
)]
#[serde(transparent)]
#[oai(from_parameter = false, from_multipart = false, to_header = false)]
pub struct TextList(pub Vec<String>);

/// Notes and coins of one value in a cash drawer.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Denomination {
    /// What one of them is worth.
    #[serde(rename = "Value")]
    pub value: Money,
    /// How many there are.
    #[serde(rename = "Count")]
    pub count: i32,
}

/// How the cash of a drawer was counted.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult, NewType,
)]
#[serde(transparent)]
#[oai(from_parameter = false, from_multipart = false, to_header = false)]
pub struct Denominations(pub Vec<Denomination>);
