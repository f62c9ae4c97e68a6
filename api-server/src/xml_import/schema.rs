//! XML schema of import files, generated from the shapes that the reader uses. It covers what can
//! be checked without the database: names, the form of values, and what is always required.

use super::format::{self, Attribute, AttributeKind, ElementShape, Needed};
use super::{collateral, comments, contacts, field_values, loans, payments};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

/// The path at which the api-server serves it.
pub const PATH: &str = "/xml-import.xsd";

pub fn schema() -> &'static str {
    static SCHEMA: LazyLock<String> = LazyLock::new(build_schema);
    &SCHEMA
}

/// All elements except the root.
pub fn shapes() -> [&'static ElementShape; 22] {
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

const TYPES: &str = r###"
  <xs:simpleType name="cleared">
    <xs:annotation><xs:documentation>Clears the value.</xs:documentation></xs:annotation>
    <xs:restriction base="xs:string"><xs:enumeration value="##NULL##"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="text">
    <xs:annotation><xs:documentation>Text of up to 64 KiB.</xs:documentation></xs:annotation>
    <xs:restriction base="xs:string"><xs:maxLength value="65536"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="date">
    <xs:annotation><xs:documentation>A date, YYYY-MM-DD.</xs:documentation></xs:annotation>
    <xs:restriction base="xs:date">
      <xs:pattern value="[0-9]{4}-[0-9]{2}-[0-9]{2}"/>
      <xs:minInclusive value="0001-01-01"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="id">
    <xs:annotation><xs:documentation>The id of a row.</xs:documentation></xs:annotation>
    <xs:restriction base="xs:long"><xs:minInclusive value="1"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="amount">
    <xs:annotation><xs:documentation>A non-negative amount.</xs:documentation></xs:annotation>
    <xs:restriction base="xs:decimal">
      <xs:pattern value="[0-9]+(\.[0-9]{1,4})?"/>
      <xs:maxInclusive value="900000000000000"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="cents">
    <xs:annotation><xs:documentation>A non-negative amount in whole cents.</xs:documentation></xs:annotation>
    <xs:restriction base="amount"><xs:pattern value="[0-9]+(\.[0-9]{1,2}0*)?"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="payment">
    <xs:annotation><xs:documentation>An amount above zero in whole cents.</xs:documentation></xs:annotation>
    <xs:restriction base="cents"><xs:minExclusive value="0"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="rate">
    <xs:annotation><xs:documentation>A non-negative percentage.</xs:documentation></xs:annotation>
    <xs:restriction base="xs:decimal">
      <xs:pattern value="[0-9]+(\.[0-9]{1,8})?"/>
      <xs:maxInclusive value="90000000000"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="flag">
    <xs:restriction base="xs:string">
      <xs:enumeration value="true"/>
      <xs:enumeration value="false"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="distribution">
    <xs:annotation><xs:documentation>The order in which payments are allocated: each item once,
      excess last; past_due may be replaced by past_due_interest and past_due_principal.</xs:documentation></xs:annotation>
    <xs:restriction base="xs:string"><xs:pattern value="[a-z_]+(,[a-z_]+)*,excess"/></xs:restriction>
  </xs:simpleType>
"###;

fn build_schema() -> String {
    let mut xsd = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" elementFormDefault=\"qualified\">\n  \
         <xs:annotation><xs:documentation>Import files for POST /core/xml-import. Setup rows are \
         referred to by code, dates and decimals are written as in JSON, and ##NULL## clears a \
         value. Rules that depend on UpdateFlag or on the database are checked only by the import: \
         use test=true to try a file.</xs:documentation></xs:annotation>\n",
    );
    let root = element(&format::ROOT);
    let _infallible = write!(xsd, "  {root}{TYPES}");
    write_types(&mut xsd);
    write_type(&mut xsd, &format::ROOT);
    for shape in shapes() {
        write_type(&mut xsd, shape);
    }
    xsd.push_str("</xs:schema>\n");
    xsd
}

fn element(shape: &ElementShape) -> String {
    let name = shape.element;
    format!("<xs:element name=\"{name}\" type=\"{name}\"/>")
}

fn line(xsd: &mut String, depth: usize, text: &str) {
    xsd.push_str(&"  ".repeat(depth));
    xsd.push_str(text);
    xsd.push('\n');
}

fn write_type(xsd: &mut String, shape: &ElementShape) {
    line(xsd, 1, &format!("<xs:complexType name=\"{}\">", shape.element));
    let needed = shape.attributes.iter().filter(|attribute| attribute.needed == Needed::ToInsert);
    let needed: Vec<&str> = needed.map(|attribute| &*attribute.name).collect();
    let needed = [needed.join(", "), shape.also_needs.to_owned()];
    let needed: Vec<&str> =
        needed.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    if !needed.is_empty() {
        let text = format!("Required to insert: {}.", needed.join("; "));
        let text =
            format!("<xs:annotation><xs:documentation>{text}</xs:documentation></xs:annotation>");
        line(xsd, 2, &text);
    }
    if shape.text {
        line(xsd, 2, "<xs:simpleContent>");
        line(xsd, 3, "<xs:extension base=\"text\">");
        write_attributes(xsd, shape, 4);
        line(xsd, 3, "</xs:extension>");
        line(xsd, 2, "</xs:simpleContent>");
    } else {
        write_children(xsd, shape);
        write_attributes(xsd, shape, 2);
    }
    line(xsd, 1, "</xs:complexType>");
}

fn write_children(xsd: &mut String, shape: &ElementShape) {
    if shape.children.is_empty() {
        return;
    }
    line(xsd, 2, "<xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">");
    for child in shape.children {
        line(xsd, 3, &format!("<xs:element name=\"{child}\" type=\"{child}\"/>"));
    }
    line(xsd, 2, "</xs:choice>");
}

fn write_attributes(xsd: &mut String, shape: &ElementShape, depth: usize) {
    for Attribute { name, kind, nullable, needed } in &shape.attributes {
        let required = if *needed == Needed::Always { " use=\"required\"" } else { "" };
        let cleared = if *nullable { OR_CLEARED } else { "" };
        let kind = type_of(kind, *nullable) + cleared;
        line(xsd, depth, &format!("<xs:attribute name=\"{name}\" type=\"{kind}\"{required}/>"));
    }
}

/// Suffix of the name of a type whose values can be cleared.
const OR_CLEARED: &str = ".or-cleared";

/// Returns the name of an attribute's type, without the option to clear it.
fn type_of(kind: &AttributeKind, nullable: bool) -> String {
    let name = match kind {
        AttributeKind::Text(characters_max) if nullable => format!("text{characters_max}"),
        AttributeKind::Text(characters_max) => format!("name{characters_max}"),
        AttributeKind::LongText => "text".to_owned(),
        AttributeKind::Date => "date".to_owned(),
        AttributeKind::Int(range) => match (range.start(), range.end()) {
            (minimum, &i32::MAX) => format!("from{minimum}"),
            (minimum, maximum) => format!("from{minimum}to{maximum}"),
        },
        AttributeKind::Id => "id".to_owned(),
        AttributeKind::Amount => "amount".to_owned(),
        AttributeKind::Cents => "cents".to_owned(),
        AttributeKind::Payment => "payment".to_owned(),
        AttributeKind::Rate => "rate".to_owned(),
        AttributeKind::Flag => "flag".to_owned(),
        AttributeKind::Choice(words) => words.join("-or-"),
        AttributeKind::Distribution => "distribution".to_owned(),
    };
    // The name of a type must begin with a letter.
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("is{name}") } else { name }
}

/// Writes the types that depend on their attribute: lengths, ranges and enumerations.
fn write_types(xsd: &mut String) {
    let shapes = shapes().into_iter().chain([&*format::ROOT]);
    let attributes = shapes.flat_map(|shape| &shape.attributes);
    let mut types = BTreeMap::new();
    for Attribute { kind, nullable, .. } in attributes {
        let name = type_of(kind, *nullable);
        if let Some(restriction) = restriction(kind, *nullable) {
            types.insert(name.clone(), restriction);
        }
        if *nullable {
            let union = format!("<xs:union memberTypes=\"cleared {name}\"/>");
            types.insert(name + OR_CLEARED, union);
        }
    }
    for (name, definition) in types {
        let text = format!("<xs:simpleType name=\"{name}\">{definition}</xs:simpleType>");
        line(xsd, 1, &text);
    }
}

/// Returns the restriction that defines a type that is not one of [`TYPES`].
fn restriction(kind: &AttributeKind, nullable: bool) -> Option<String> {
    let (base, facets) = match kind {
        AttributeKind::Text(characters_max) => {
            let minimum = if nullable { "" } else { "<xs:minLength value=\"1\"/>" };
            ("string", format!("{minimum}<xs:maxLength value=\"{characters_max}\"/>"))
        }
        AttributeKind::Int(range) => {
            let (minimum, maximum) = (range.start(), range.end());
            let maximum = format!("<xs:maxInclusive value=\"{maximum}\"/>");
            ("int", format!("<xs:minInclusive value=\"{minimum}\"/>{maximum}"))
        }
        AttributeKind::Choice(words) => {
            let words = words.iter().map(|word| format!("<xs:enumeration value=\"{word}\"/>"));
            ("string", words.collect())
        }
        _ => return None,
    };
    Some(format!("<xs:restriction base=\"xs:{base}\">{facets}</xs:restriction>"))
}
