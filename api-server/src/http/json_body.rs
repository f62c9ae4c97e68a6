//! JSON bodies: read with limits, checked against their type, and kept byte for byte. On operations
//! about cards, a body with a card number is refused.

use crate::http::admission::request_schemas;
use crate::http::operations::{JSON_BYTES_MAX, Operation};
use crate::http::pan_scan;
use crate::http::request_schemas::{BodyFault, RequestSchemas};
use poem::{Request, RequestBody, Result};
use poem_openapi::impl_apirequest_for_payload;
use poem_openapi::payload::{ParsePayload, Payload};
use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::{ParseFromJSON, ToJSON, Type};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};
use shared::problem::{Problem, ProblemType};
use shared::text_file::BYTE_ORDER_MARK;
use std::cell::RefCell;
use std::fmt;
use std::time::Duration;

/// Most characters quoted of a name that only the client knows.
const NAME_CHARACTERS_MAX: usize = 100;
const JSON_TIME_MAX: Duration = Duration::from_secs(20);

/// A JSON body with its original bytes.
pub struct JsonBody<T> {
    /// The parsed body.
    pub value: T,
    /// Read-only members of the row that the client sent back.
    pub read_only: ReadOnlyMembers,
    /// The body as sent, for fingerprints.
    pub bytes: Vec<u8>,
}

impl<T: Type> Payload for JsonBody<T> {
    const CONTENT_TYPE: &'static str = "application/json";

    /// Admission has checked it.
    fn check_content_type(_: &str) -> bool {
        true
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: ParseFromJSON> ParsePayload for JsonBody<T> {
    const IS_REQUIRED: bool = true;

    async fn from_request(request: &Request, body: &mut RequestBody) -> Result<Self> {
        let bytes = read(body).await?;
        let schemas = request_schemas(request)?;
        let operation = schemas.operations.of_request(request);
        let quoting = match operation.is_some_and(Operation::is_about_cards) {
            true if pan_scan::found_in_json(&bytes) => {
                return Err(Problem::new(ProblemType::CardNumberRefused).into());
            }
            true => Quoting::Nothing,
            false => Quoting::Fault,
        };
        let (value, read_only) = parse(&bytes, quoting, schemas)?;
        Ok(Self { value, read_only, bytes })
    }
}

/// Members of a row that a PUT does not change: clients may send back what a GET returned.
#[derive(Clone, Debug, Default)]
pub struct ReadOnlyMembers(Map<String, Value>);

impl ReadOnlyMembers {
    /// True if there is nothing to compare.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses members that differ from the row.
    pub fn check(&self, row: &impl ToJSON) -> Result<(), ReadOnlyChanged> {
        let row = row.to_json().unwrap_or_default();
        let differ = self.0.iter().filter(|(name, value)| row.get(name) != Some(value));
        let mut names: Vec<String> = differ.map(|(name, _)| name.clone()).collect();
        names.sort();
        if names.is_empty() { Ok(()) } else { Err(ReadOnlyChanged(names)) }
    }
}

/// Read-only members that a body tries to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOnlyChanged(Vec<String>);

impl From<ReadOnlyChanged> for Problem {
    fn from(ReadOnlyChanged(names): ReadOnlyChanged) -> Self {
        let problem = Self::bad_request("the body changes read-only members");
        let message = "is read-only: send it unchanged or leave it out";
        names.into_iter().fold(problem, |problem, name| problem.field(name, message))
    }
}

/// How much of an unreadable body a response may quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoting {
    /// The fault and its location, quoting the body.
    Fault,
    /// Only names the operation itself defines: on card operations nothing of a body is quoted.
    Nothing,
}

async fn read(body: &mut RequestBody) -> Result<Vec<u8>, Problem> {
    let body = body.take().map_err(|_| incomplete())?;
    match tokio::time::timeout(JSON_TIME_MAX, body.into_bytes_limit(JSON_BYTES_MAX as usize)).await
    {
        // Some programs begin with a byte order mark (RFC 8259, 8.1).
        Ok(Ok(bytes)) => Ok(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes).to_vec()),
        Ok(Err(poem::error::ReadBodyError::PayloadTooLarge)) => {
            Err(Problem::new(ProblemType::TooLarge).detail("a JSON body may have at most 1 MiB"))
        }
        Ok(Err(_)) => Err(incomplete()),
        Err(_) => Err(Problem::bad_request("the body did not arrive within 20 seconds")),
    }
}

/// The problem for a body that ended early.
pub fn incomplete() -> Problem {
    Problem::bad_request("the body is incomplete")
}

fn refused() -> Problem {
    Problem::bad_request("the body does not match this operation")
}

fn parse<T: ParseFromJSON>(
    bytes: &[u8],
    quoting: Quoting,
    schemas: &'static RequestSchemas,
) -> Result<(T, ReadOnlyMembers), Problem> {
    let name = T::name();
    // The framework's name of a list.
    let item = name.strip_prefix("list_");
    match (item, unique_members(bytes, quoting)?) {
        (None, Value::Object(mut members)) => {
            let read_only = read_only::<T>(&mut members, schemas);
            let value = parse_members(members, quoting, schemas)?;
            Ok((value, read_only))
        }
        (Some(item), Value::Array(items)) => {
            let faults = schemas.faults_in_list(item, &items);
            let value = parse_value(Value::Array(items), faults, quoting)?;
            Ok((value, ReadOnlyMembers::default()))
        }
        (None, _) => Err(Problem::bad_request("the body must be a JSON object")),
        (Some(_), _) => Err(Problem::bad_request("the body must be a JSON array")),
    }
}

fn parse_members<T: ParseFromJSON>(
    members: Map<String, Value>,
    quoting: Quoting,
    schemas: &'static RequestSchemas,
) -> Result<T, Problem> {
    // The framework accepts a number or boolean for a string, and prints it: a long number would
    // come out as another one than was sent.
    let is_number_or_boolean = |value: &Value| value.is_number() || value.is_boolean();
    if !members.values().any(is_number_or_boolean)
        && let Ok(value) = T::parse_from_json(Some(Value::Object(members.clone())))
    {
        return Ok(value);
    }
    let faults = schemas.faults(&T::name(), &members);
    parse_value(Value::Object(members), faults, quoting)
}

/// Parses a body in which these faults were found.
fn parse_value<T: ParseFromJSON>(
    value: Value,
    faults: Vec<BodyFault>,
    quoting: Quoting,
) -> Result<T, Problem> {
    if !faults.is_empty() {
        return Err(problem_of(faults, quoting));
    }
    T::parse_from_json(Some(value)).map_err(|_| refused())
}

/// Removes the members that the row has and this body does not change.
fn read_only<T: Type>(
    members: &mut Map<String, Value>,
    schemas: &'static RequestSchemas,
) -> ReadOnlyMembers {
    let names = schemas.read_only_members(&T::name());
    let sent = names.filter_map(|name| Some((name.to_owned(), members.remove(name)?)));
    ReadOnlyMembers(sent.filter(|(_, value)| !value.is_null()).collect())
}

/// The problem for a body with these faults.
fn problem_of(faults: Vec<BodyFault>, quoting: Quoting) -> Problem {
    let unnamed = |fault: &BodyFault| quoting == Quoting::Nothing && fault.is_unknown;
    let problem = match faults.iter().any(unnamed) {
        true => refused().detail("the body has a member that is not part of this operation"),
        false => refused(),
    };
    let named = faults.into_iter().filter(|fault| !unnamed(fault));
    named.fold(problem, |problem, fault| problem.field(shorten(fault.field), fault.message))
}

/// Cuts a client's name short: it may be as long as a body.
fn shorten(name: String) -> String {
    name.chars().take(NAME_CHARACTERS_MAX).collect()
}

/// Parses the body as JSON in which each member of an object appears once, on every level: a
/// duplicate would be ambiguous.
fn unique_members(bytes: &[u8], quoting: Quoting) -> Result<Value, Problem> {
    let duplicate = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = UniqueMembers(&duplicate).deserialize(&mut reader);
    match read.and_then(|value| reader.end().map(|()| value)) {
        Ok(value) => Ok(value),
        Err(error) => match duplicate.take() {
            Some(field) => Err(match quoting {
                Quoting::Fault => refused().field(shorten(field), "appears more than once"),
                Quoting::Nothing => refused().detail("a member appears more than once"),
            }),
            None if error.classify() == Category::Eof => {
                Err(Problem::bad_request("the body ends before its JSON does"))
            }
            None => {
                let (line, column) = (error.line(), error.column());
                let detail =
                    format!("the body cannot be read as JSON: line {line}, column {column}");
                Err(Problem::bad_request(detail))
            }
        },
    }
}

/// Reads a value whose objects have each member once, and records the name of a duplicate.
#[derive(Clone, Copy)]
struct UniqueMembers<'a>(&'a RefCell<Option<String>>);

impl<'de> DeserializeSeed<'de> for UniqueMembers<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> std::result::Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueMembers<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> std::result::Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> std::result::Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> std::result::Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> std::result::Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> std::result::Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> std::result::Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element_seed(self)? {
            elements.push(element);
        }
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if members.contains_key(&name) {
                self.0.replace(Some(name));
                return Err(A::Error::custom("a member appears more than once"));
            }
            members.insert(name, map.next_value_seed(self)?);
        }
        Ok(Value::Object(members))
    }
}

impl_apirequest_for_payload!(JsonBody<T>, T: ParseFromJSON);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::saved_cards::NewCard;
    use crate::router;

    #[test]
    fn a_member_that_appears_twice_on_any_level_is_refused() {
        let read = |text: &str| unique_members(text.as_bytes(), Quoting::Fault);
        let sound = r#"{"a": [{"b": -1, "c": 1.5}, {"b": true}], "c": {"a": null, "b": "x"}}"#;
        let same: Value = serde_json::from_str(sound).unwrap();
        assert_eq!(read(sound).unwrap(), same);
        for twice in [
            r#"{"b": 1, "b": 1}"#,
            r#"{"a": {"b": 1, "b": 2}}"#,
            r#"{"a": [{"c": {"b": 1, "\u0062": 1}}]}"#,
        ] {
            let told = read(twice).unwrap_err();
            assert_eq!(told.first_field(), Some(("b", "appears more than once")));
        }
        for (text, detail) in [
            ("", "the body ends before its JSON does"),
            ("{\n\"a\": x}", "the body cannot be read as JSON: line 2, column 6"),
            ("{} x", "the body cannot be read as JSON: line 1, column 4"),
            (r#"{"a": 1e400}"#, "the body cannot be read as JSON: line 1, column 11"),
        ] {
            assert_eq!(read(text).unwrap_err().message(), detail, "{text}");
        }
    }

    #[test]
    fn a_list_is_no_object_and_faults_of_its_items_are_named_by_their_path() {
        let refuse = |text: &str| {
            let parsed =
                parse::<Vec<NewCard>>(text.as_bytes(), Quoting::Fault, router::request_schemas());
            parsed.map(|(cards, _)| cards.len()).map_err(|problem| problem.message())
        };
        let one = |text: &str| {
            let parsed =
                parse::<NewCard>(text.as_bytes(), Quoting::Fault, router::request_schemas());
            parsed.map(drop).unwrap_err().message()
        };
        for no_object in ["[]", "1", "null"] {
            assert_eq!(one(no_object), "the body must be a JSON object");
        }
        for no_list in ["{}", "1", "null"] {
            assert_eq!(refuse(no_list).unwrap_err(), "the body must be a JSON array");
        }
        assert_eq!(refuse(r#"[{"Gateway_Token": "x", "Contact_ID": 7}]"#), Ok(1));
        let told = refuse(r#"[{"Gateway_Token": "x"}, {"Gateway_Token": 1}, 2, {"a": {}}]"#);
        let told = told.unwrap_err();
        for fault in [
            "[1].Gateway_Token: must be a string",
            "[2]: must be an object",
            "[3].Gateway_Token: is required",
            "[3].a: is not a member of this body",
        ] {
            assert!(told.contains(fault), "{told}");
        }
    }

    #[test]
    fn where_cards_are_dealt_with_nothing_of_a_body_is_told() {
        let refuse = |body: &str, quoting| {
            let problem = parse::<NewCard>(body.as_bytes(), quoting, router::request_schemas())
                .map(|(card, _)| card.contact_id);
            problem.unwrap_err().message()
        };
        for (body, field) in [
            (r#""secret""#, ""),
            (r#"{"secret": 1, "secret": 2}"#, ""),
            (r#"{"Gateway_Token": "x", "secret": 1}"#, ""),
            (r#"{"Cardholder_Name": "secret"}"#, "Gateway_Token: is required"),
            (r#"{"Gateway_Token": ["secret"]}"#, "Gateway_Token: must be a string"),
            (r#"{"Gateway_Token": "x", "EntryType": "secret"}"#, "EntryType: must be one of"),
            (r#"{"Gateway_Token": "x"} secret"#, ""),
            (r#"{"Gateway_Token": "x", "EntryType": "secret"#, ""),
        ] {
            let told = refuse(body, Quoting::Nothing);
            assert!(!told.contains("secret") && told.contains(field), "{body}: {told}");
            assert!(refuse(body, Quoting::Fault).contains(field));
        }
        let unknown = refuse(r#"{"Gateway_Token": "x", "secret": 1}"#, Quoting::Fault);
        assert!(unknown.contains("secret: is not a member of this body"), "{unknown}");
        let sound = br#"{"Gateway_Token": "tok_visa", "Contact_ID": 7}"#;
        assert_eq!(
            parse::<NewCard>(sound, Quoting::Nothing, router::request_schemas())
                .unwrap()
                .0
                .contact_id,
            Some(7)
        );
    }
}
