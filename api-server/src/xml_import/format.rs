//! Format of import files: each element's attributes, their values, and its child elements. Both
//! the reader and the XML schema are driven by these shapes.

use sea_orm::{ActiveEnum, ColumnTrait, EntityTrait, IdenStatic, Value};
use shared::amounts::{Money, Rate};
use shared::entity::json_names::xml_name;
use shared::entity::payment_distribution::PaymentDistribution;
use shared::time::{Day, NotADay};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{Deref, RangeInclusive};
use std::sync::LazyLock;

/// The attribute value that clears a column.
pub const CLEARED: &str = "##NULL##";
/// The attribute that says what an element does: 0 inserts, 1 changes, 2 deletes.
pub const UPDATE_FLAG: &str = "UpdateFlag";
/// Root attribute: the file is one transaction.
pub const COMMIT_BLOCK: &str = "CommitBlock";
/// Root attribute: unknown elements and attributes fail their record.
pub const ENFORCE: &str = "EnforceTagExistence";
/// The longest text, in bytes.
pub const TEXT_BYTES_MAX: usize = 64 * 1024;

/// The kind of value an attribute holds.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeKind {
    /// Text of up to this many characters.
    Text(usize),
    /// Text of up to 64 KiB.
    LongText,
    /// A date, `YYYY-MM-DD`.
    Date,
    /// A whole number in this range.
    Int(RangeInclusive<i32>),
    /// The id of a row.
    Id,
    /// A non-negative amount.
    Amount,
    /// A non-negative amount in whole cents, which can be posted.
    Cents,
    /// An amount above zero in whole cents, which can be paid.
    Payment,
    /// A non-negative percentage.
    Rate,
    /// `true` or `false`.
    Flag,
    /// One word of a list.
    Choice(Vec<String>),
    /// The order in which payments are allocated.
    Distribution,
}

/// The kind of an attribute that holds one value of an enumeration.
pub fn choice<T: ActiveEnum<Value = String>>() -> AttributeKind {
    AttributeKind::Choice(T::iter().map(|word| word.to_value()).collect())
}

impl AttributeKind {
    /// Parses a text of this kind.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        Ok(match self {
            Self::Text(characters_max) => {
                if text.chars().count() > *characters_max {
                    return Err(format!("must have at most {characters_max} characters"));
                }
                text.into()
            }
            Self::LongText if text.len() > TEXT_BYTES_MAX => {
                return Err("must have at most 64 KiB".to_owned());
            }
            Self::LongText => text.into(),
            Self::Date => {
                let Day(date) = text.parse().map_err(|error: NotADay| error.to_string())?;
                date.into()
            }
            Self::Int(range) => {
                let number: Option<i32> = text.parse().ok();
                let in_range = number.filter(|number| range.contains(number));
                let in_range = in_range.ok_or_else(|| {
                    format!("must be a whole number from {} to {}", range.start(), range.end())
                })?;
                in_range.into()
            }
            Self::Id => match text.parse::<i64>() {
                Ok(id) if id > 0 => id.into(),
                _ => return Err("must be an id, a whole number above zero".to_owned()),
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
                Err("must be a non-negative amount in whole cents".to_owned())
            }
            Self::Payment if !amount.is_positive() || !amount.is_whole_cents() => {
                Err("must be an amount above zero in whole cents".to_owned())
            }
            _ if amount < Money::ZERO => Err("must not be negative".to_owned()),
            _ => Ok(amount),
        }
    }

    /// The SQL NULL of this kind.
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

/// When an attribute is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// Never.
    No,
    /// When the element inserts a row.
    ToInsert,
    Always,
}

/// An attribute of an element.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub name: Cow<'static, str>,
    /// The kind of value it holds.
    pub kind: AttributeKind,
    /// True if `##NULL##` clears it.
    pub nullable: bool,
    /// When it is required.
    pub needed: Needed,
}

/// Creates an attribute that is not a column, such as a code, a reference or an input to a
/// computation.
pub fn attribute(name: &'static str, kind: AttributeKind) -> Attribute {
    Attribute { name: name.into(), kind, nullable: false, needed: Needed::No }
}

impl Attribute {
    /// Lets `##NULL##` clear what the attribute stands for.
    pub fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }
}

/// An element of the format.
#[derive(Debug)]
pub struct ElementShape {
    pub element: &'static str,
    pub attributes: Vec<Attribute>,
    /// Names of the child elements it may have.
    pub children: &'static [&'static str],
    /// True if it holds text.
    pub text: bool,
    /// What else it needs to insert a row, if that depends on other attributes.
    pub also_needs: &'static str,
    indexes: HashMap<Cow<'static, str>, usize>,
}

impl ElementShape {
    /// Creates an element with nothing but an `UpdateFlag`.
    pub fn new(element: &'static str) -> Self {
        let flags = ["0", "1", "2"].map(str::to_owned).into();
        Self::bare(element).with([attribute(UPDATE_FLAG, AttributeKind::Choice(flags))])
    }

    /// Creates an element with nothing in it.
    pub fn bare(element: &'static str) -> Self {
        let (attributes, indexes) = (Vec::new(), HashMap::new());
        Self { element, attributes, children: &[], text: false, also_needs: "", indexes }
    }

    pub fn with(mut self, attributes: impl IntoIterator<Item = Attribute>) -> Self {
        for attribute in attributes {
            self.indexes.insert(attribute.name.clone(), self.attributes.len());
            self.attributes.push(attribute);
        }
        self
    }

    /// Sets the child elements.
    pub fn holding(self, children: &'static [&'static str]) -> Self {
        Self { children, ..self }
    }

    /// Lets the element hold text.
    pub fn holding_text(self) -> Self {
        Self { text: true, ..self }
    }

    /// Makes attributes required.
    pub fn needing(mut self, needed: Needed, names: &[&str]) -> Self {
        for attribute in
            self.attributes.iter_mut().filter(|attribute| names.contains(&&*attribute.name))
        {
            attribute.needed = needed;
        }
        self
    }

    /// Describes what else the element needs to insert a row.
    pub fn also_needing(self, also_needs: &'static str) -> Self {
        Self { also_needs, ..self }
    }

    /// Returns the index of an attribute in the list.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.indexes.get(name).copied()
    }
}

/// An element that stands for a row, with the columns that its attributes fill.
#[derive(Debug)]
pub struct RowShape<E: EntityTrait> {
    shape: ElementShape,
    /// Columns by index of the attribute.
    columns: Vec<Option<E::Column>>,
}

impl<E: EntityTrait> RowShape<E> {
    /// Creates an element that has these columns in addition to its other attributes.
    pub fn new(
        shape: ElementShape,
        columns: impl IntoIterator<Item = (E::Column, AttributeKind)>,
    ) -> Self {
        let mut of_columns = vec![None; shape.attributes.len()];
        let attributes = columns.into_iter().map(|(column, kind)| {
            of_columns.push(Some(column));
            let name = xml_name(column.as_str()).into();
            Attribute { name, kind, nullable: column.def().is_null(), needed: Needed::No }
        });
        let attributes: Vec<_> = attributes.collect();
        Self { shape: shape.with(attributes), columns: of_columns }
    }

    /// Makes attributes required.
    pub fn needing(self, needed: Needed, names: &[&str]) -> Self {
        Self { shape: self.shape.needing(needed, names), ..self }
    }

    /// Describes what else the element needs to insert a row.
    pub fn also_needing(self, also_needs: &'static str) -> Self {
        Self { shape: self.shape.also_needing(also_needs), ..self }
    }

    /// Returns the column that the attribute at this index fills.
    pub fn column(&self, index: usize) -> Option<E::Column> {
        self.columns.get(index).copied().flatten()
    }
}

impl<E: EntityTrait> Deref for RowShape<E> {
    type Target = ElementShape;

    fn deref(&self) -> &ElementShape {
        &self.shape
    }
}

pub static ROOT: LazyLock<ElementShape> = LazyLock::new(|| {
    let flags = || AttributeKind::Choice(["0", "1"].map(str::to_owned).into());
    ElementShape::bare(super::parse::ROOT)
        .holding(&["Contact", "Loan", "Transactions"])
        .with([attribute(COMMIT_BLOCK, flags()), attribute(ENFORCE, flags())])
});
