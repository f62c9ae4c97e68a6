//! The list column `loans.payment_distribution`: stored as comma-separated words, sent as an array.

use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type};
use sea_orm::sea_query::StringLen;
use sea_orm::{ActiveEnum, DeriveValueType};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

text_enum! {
    /// One step in the order in which a payment is allocated.
    pub enum DistributionItem {
        /// Due rows before the day, oldest first, in each row interest before principal.
        PastDue,
        /// Unpaid interest of all those rows.
        PastDueInterest,
        /// Unpaid principal of all those rows.
        PastDuePrincipal,
        /// Unpaid interest of the row due on the day.
        CurrentInterestDue,
        /// Interest owed that is in no due row.
        AccruedInterest,
        /// Unpaid principal of the row due on the day, or of the next installment shortly before
        /// it.
        CurrentPrincipal,
        /// Late charge balance.
        LateCharges,
        /// Fees balance.
        Fees,
        /// The remainder; always last.
        Excess,
    }
}

/// Order in which a payment is allocated.
///
/// Each item appears once; `past_due` may be replaced by `past_due_interest` and
/// `past_due_principal` for portfolios that collect all interest first. `excess` is always last.
#[derive(Clone, Debug, PartialEq, Eq, DeriveValueType, serde::Serialize, serde::Deserialize)]
#[sea_orm(value_type = "String", column_type = "String(StringLen::N(255))")]
#[serde(try_from = "String", into = "String")]
pub struct PaymentDistribution(Vec<DistributionItem>);

/// Reason why a list of items is not a valid distribution.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotADistribution(pub String);

impl PaymentDistribution {
    /// Creates the distribution, if the list is complete and in a valid order.
    pub fn new(items: Vec<DistributionItem>) -> Result<Self, NotADistribution> {
        use DistributionItem as Item;
        let count = |item| items.iter().filter(|other| **other == item).count();
        let split = count(Item::PastDueInterest) + count(Item::PastDuePrincipal);
        let past_due_ok = match count(Item::PastDue) {
            1 => split == 0,
            0 => count(Item::PastDueInterest) == 1 && count(Item::PastDuePrincipal) == 1,
            _ => false,
        };
        let once = [
            Item::CurrentInterestDue,
            Item::AccruedInterest,
            Item::CurrentPrincipal,
            Item::LateCharges,
            Item::Fees,
            Item::Excess,
        ];
        let legal = past_due_ok
            && once.into_iter().all(|item| count(item) == 1)
            && items.last() == Some(&Item::Excess);
        if legal {
            return Ok(Self(items));
        }
        Err(NotADistribution(
            "a payment distribution names each item once (past_due, or past_due_interest and \
             past_due_principal in its place) and ends with excess"
                .to_owned(),
        ))
    }

    /// The items in the order in which they are paid.
    pub fn items(&self) -> &[DistributionItem] {
        &self.0
    }
}

impl Default for PaymentDistribution {
    fn default() -> Self {
        use DistributionItem as Item;
        Self(vec![
            Item::PastDue,
            Item::CurrentInterestDue,
            Item::AccruedInterest,
            Item::CurrentPrincipal,
            Item::LateCharges,
            Item::Fees,
            Item::Excess,
        ])
    }
}

impl fmt::Display for PaymentDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(ActiveEnum::to_value).collect();
        f.write_str(&words.join(","))
    }
}

impl FromStr for PaymentDistribution {
    type Err = NotADistribution;

    fn from_str(text: &str) -> Result<Self, NotADistribution> {
        let items = text.split([',', ' ']).filter(|word| !word.is_empty());
        let items: Result<Vec<_>, _> = items
            .map(|word| {
                DistributionItem::try_from_value(&word.to_owned())
                    .map_err(|_| NotADistribution(format!("unknown distribution item {word}")))
            })
            .collect();
        Self::new(items?)
    }
}

impl TryFrom<String> for PaymentDistribution {
    type Error = NotADistribution;

    fn try_from(text: String) -> Result<Self, NotADistribution> {
        text.parse()
    }
}

impl From<PaymentDistribution> for String {
    fn from(list: PaymentDistribution) -> Self {
        list.to_string()
    }
}

impl Type for PaymentDistribution {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        <Vec<DistributionItem> as Type>::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        <Vec<DistributionItem> as Type>::schema_ref()
    }

    fn register(registry: &mut Registry) {
        <Vec<DistributionItem> as Type>::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(self.as_raw_value().into_iter())
    }
}

impl ToJSON for PaymentDistribution {
    fn to_json(&self) -> Option<serde_json::Value> {
        self.0.to_json()
    }
}

impl ParseFromJSON for PaymentDistribution {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        let items =
            Vec::<DistributionItem>::parse_from_json(value).map_err(ParseError::propagate)?;
        Ok(Self::new(items)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_occurs_once_and_excess_comes_last() {
        let default = PaymentDistribution::default().to_string();
        assert_eq!(default.parse(), Ok(PaymentDistribution::default()));
        let interest_first = default.replace("past_due,", "past_due_interest,past_due_principal,");
        assert!(interest_first.parse::<PaymentDistribution>().is_ok());
        for wrong in ["", "excess", "past_due,excess", &format!("{default},fees"), "nonsense"] {
            assert!(wrong.parse::<PaymentDistribution>().is_err(), "{wrong}");
        }
        let half = default.replace("past_due,", "past_due_interest,");
        assert!(half.parse::<PaymentDistribution>().is_err());
    }
}
