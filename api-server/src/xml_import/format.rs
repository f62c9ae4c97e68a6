//! What an import file may hold: each element with its attributes, what stands in them, and which
//! elements it holds. The reading of files and their schema both follow from these shapes.

use super::{collateral, comments, contacts, field_values, loans, payments};
use sea_orm::{ActiveEnum, ColumnTrait, EntityTrait, IdenStatic, Value};
use shared::amounts::{Money, Rate};
use shared::entity::json_names::xml_name;
use shared::entity::payment_distribution::PaymentDistribution;
use shared::time::{Day, NotADay};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{Deref, RangeInclusive};
use std::sync::LazyLock;

/// Clears a value.
pub const CLEARED: &str = "##NULL##";
/// What an element is to do.
pub const UPDATE_FLAG: &str = "UpdateFlag";
/// On the root: the file is one transaction.
pub const COMMIT_BLOCK: &str = "CommitBlock";
/// On the root: names that nobody knows fail their record.
pub const ENFORCE: &str = "EnforceTagExistence";
/// The longest text.
pub const TEXT_BYTES_MAX: usize = 64 * 1024;

/// What stands in an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Text of up to so many characters.
    Text(usize),
    /// Text of up to 64 KiB.
    LongText,
    /// A date, `YYYY-MM-DD`.
    Date,
    /// A whole number.
    Int(RangeInclusive<i32>),
    /// The key of a row.
    Id,
    /// An amount that is not negative.
    Amount,
    /// An amount to be posted: not negative, in whole cents.
    Cents,
    /// An amount to be paid: above zero, in whole cents.
    Payment,
    /// A percentage that is not negative.
    Rate,
    /// `true` or `false`.
    Flag,
    /// One word of a list.
    Choice(Vec<String>),
    /// The order in which payments are spent.
    Distribution,
}

/// A word of this list.
pub fn choice<T: ActiveEnum<Value = String>>() -> Kind {
    Kind::Choice(T::iter().map(|word| word.to_value()).collect())
}

impl Kind {
    /// The value that a text stands for.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        Ok(match self {
            Self::Text(characters_max) => {
                if text.chars().count() > *characters_max {
                    return Err(format!("has at most {characters_max} characters"));
                }
                text.into()
            }
            Self::LongText if text.len() > TEXT_BYTES_MAX => {
                return Err("has at most 64 KiB".to_owned());
            }
            Self::LongText => text.into(),
            Self::Date => {
                let Day(date) = text.parse().map_err(|error: NotADay| error.to_string())?;
                date.into()
            }
            Self::Int(range) => {
                let number: Option<i32> = text.parse().ok();
                let within = number.filter(|number| range.contains(number));
                let within = within.ok_or_else(|| {
                    format!("must be a whole number from {} to {}", range.start(), range.end())
                })?;
                within.into()
            }
            Self::Id => match text.parse::<i64>() {
                Ok(id) if id > 0 => id.into(),
                _ => return Err("must be an id".to_owned()),
            },
            Self::Amount | Self::Cents | Self::Payment => self.amount(text)?.into(),
            Self::Rate => {
                let rate: Rate = parse(text)?;
                if rate < Rate::ZERO {
                    return Err("must not be negative".to_owned());
                }
                rate.into()
            }
            Self::Flag => {
                text.parse::<bool>().map_err(|_| "must be true or false".to_owned())?.into()
            }
            Self::Choice(words) if words.iter().any(|word| word == text) => text.into(),
            Self::Choice(words) => return Err(format!("must be one of {}", words.join(", "))),
            Self::Distribution => parse::<PaymentDistribution>(text)?.into(),
        })
    }

    fn amount(&self, text: &str) -> Result<Money, String> {
        let amount: Money = parse(text)?;
        match self {
            Self::Cents if amount < Money::ZERO || !amount.is_whole_cents() => {
                Err("must be an amount in whole cents, not negative".to_owned())
            }
            Self::Payment if !amount.is_positive() || !amount.is_whole_cents() => {
                Err("must be above zero, in whole cents".to_owned())
            }
            _ if amount < Money::ZERO => Err("must not be negative".to_owned()),
            _ => Ok(amount),
        }
    }

    /// No value.
    pub fn null(&self) -> Value {
        match self {
            Self::Date => Value::ChronoDate(None),
            Self::Int(_) => Value::Int(None),
            Self::Id | Self::Amount | Self::Cents | Self::Payment | Self::Rate => {
                Value::BigInt(None)
            }
            Self::Flag => Value::Bool(None),
            Self::Text(_) | Self::LongText | Self::Choice(_) | Self::Distribution => {
                Value::String(None)
            }
        }
    }
}

fn parse<T: std::str::FromStr<Err: ToString>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// When an attribute must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// Never.
    No,
    /// Where the element inserts a row.
    ToInsert,
    /// Always.
    Always,
}

/// An attribute of an element.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: Cow<'static, str>,
    /// What stands in it.
    pub kind: Kind,
    /// `##NULL##` clears it.
    pub nullable: bool,
    /// When it must be there.
    pub needed: Needed,
}

/// An attribute that is no column: a code, a reference, something to be computed with.
pub fn attribute(name: &'static str, kind: Kind) -> Attribute {
    Attribute { name: name.into(), kind, nullable: false, needed: Needed::No }
}

impl Attribute {
    /// `##NULL##` clears what it stands for.
    pub fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }
}

/// An element of the format.
#[derive(Debug)]
pub struct Shape {
    /// Its name.
    pub element: &'static str,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// What may stand in it.
    pub children: &'static [&'static str],
    /// Text stands in it.
    pub text: bool,
    /// What else it needs to insert a row, where that hangs on other attributes.
    pub also_needs: &'static str,
    places: HashMap<Cow<'static, str>, usize>,
}

impl Shape {
    /// An element with nothing but an `UpdateFlag`.
    pub fn new(element: &'static str) -> Self {
        let flags = ["0", "1", "2"].map(str::to_owned).into();
        Self::bare(element).with([attribute(UPDATE_FLAG, Kind::Choice(flags))])
    }

    /// An element with nothing.
    pub fn bare(element: &'static str) -> Self {
        let (attributes, places) = (Vec::new(), HashMap::new());
        Self { element, attributes, children: &[], text: false, also_needs: "", places }
    }

    /// The same with these attributes.
    pub fn with(mut self, attributes: impl IntoIterator<Item = Attribute>) -> Self {
        for attribute in attributes {
            self.places.insert(attribute.name.clone(), self.attributes.len());
            self.attributes.push(attribute);
        }
        self
    }

    /// The same with these elements in it.
    pub fn holding(self, children: &'static [&'static str]) -> Self {
        Self { children, ..self }
    }

    /// The same with text in it.
    pub fn holding_text(self) -> Self {
        Self { text: true, ..self }
    }

    /// The same, where these attributes must be there.
    pub fn needing(mut self, needed: Needed, names: &[&str]) -> Self {
        for attribute in self.attributes.iter_mut().filter(|one| names.contains(&&*one.name)) {
            attribute.needed = needed;
        }
        self
    }

    /// The same, which needs this, too, to insert a row.
    pub fn also_needing(self, also_needs: &'static str) -> Self {
        Self { also_needs, ..self }
    }

    /// The place of an attribute in the list.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }
}

/// An element that stands for a row, with the columns that its attributes fill.
#[derive(Debug)]
pub struct RowShape<E: EntityTrait> {
    shape: Shape,
    /// By the place of the attribute.
    columns: Vec<Option<E::Column>>,
}

impl<E: EntityTrait> RowShape<E> {
    /// The element with these columns besides its other attributes.
    pub fn new(shape: Shape, columns: impl IntoIterator<Item = (E::Column, Kind)>) -> Self {
        let mut of_columns = vec![None; shape.attributes.len()];
        let attributes = columns.into_iter().map(|(column, kind)| {
            of_columns.push(Some(column));
            let name = xml_name(column.as_str()).into();
            Attribute { name, kind, nullable: column.def().is_null(), needed: Needed::No }
        });
        let attributes: Vec<_> = attributes.collect();
        Self { shape: shape.with(attributes), columns: of_columns }
    }

    /// The same, where these attributes must be there.
    pub fn needing(self, needed: Needed, names: &[&str]) -> Self {
        Self { shape: self.shape.needing(needed, names), ..self }
    }

    /// The same, which needs this, too, to insert a row.
    pub fn also_needing(self, also_needs: &'static str) -> Self {
        Self { shape: self.shape.also_needing(also_needs), ..self }
    }

    /// The column that an attribute fills.
    pub fn column(&self, place: usize) -> Option<E::Column> {
        self.columns.get(place).copied().flatten()
    }
}

impl<E: EntityTrait> Deref for RowShape<E> {
    type Target = Shape;

    fn deref(&self) -> &Shape {
        &self.shape
    }
}

/// All elements, the root apart.
pub fn shapes() -> [&'static Shape; 22] {
    [
        &contacts::CONTACT,
        &field_values::DETAIL,
        &field_values::DEMOGRAPHICS,
        &field_values::FINANCIALS,
        &contacts::addresses::ADDRESS,
        &comments::COMMENT,
        &contacts::credentials::WEB_CREDENTIALS,
        &loans::LOAN,
        &field_values::DETAIL1,
        &field_values::DETAIL2,
        &loans::children::INTEREST_RATE,
        &loans::children::RELATIONSHIP,
        &loans::children::CREDIT_LINE,
        &loans::recurring::RECURRING_TRANSACTION,
        &loans::recurring::AUTOMATED_PAYMENT,
        &collateral::COLLATERAL,
        &collateral::details::VEHICLE,
        &collateral::details::LOCATION,
        &collateral::details::INSURANCE,
        &collateral::details::TAX,
        &payments::TRANSACTIONS,
        &payments::PAYMENT,
    ]
}

/// The root element.
pub static ROOT: LazyLock<Shape> = LazyLock::new(|| {
    let flags = || Kind::Choice(["0", "1"].map(str::to_owned).into());
    Shape::bare(super::parse::ROOT)
        .holding(&["Contact", "Loan", "Transactions"])
        .with([attribute(COMMIT_BLOCK, flags()), attribute(ENFORCE, flags())])
});
