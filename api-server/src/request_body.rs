//! JSON bodies as they were sent: read with limits, checked against the type, kept byte for byte.

use crate::card_numbers;
use crate::operations::{self, JSON_BYTES_MAX, Operation};
use poem::{Request, RequestBody, Result};
use poem_openapi::payload::{Json, ParsePayload, Payload};
use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::{ParseFromJSON, Type};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use shared::problem::{Problem, ProblemType};
use std::fmt;
use std::time::Duration;

const JSON_TIME_MAX: Duration = Duration::from_secs(20);

/// A JSON body, and the very bytes of it.
pub struct JsonBody<T> {
    /// The body as its type.
    pub value: T,
    /// The body as sent, for fingerprints.
    pub bytes: Vec<u8>,
}

impl<T: Type> Payload for JsonBody<T> {
    const CONTENT_TYPE: &'static str = "application/json";

    fn check_content_type(content_type: &str) -> bool {
        Json::<T>::check_content_type(content_type)
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
        let operation = operations::find(request.method(), request.original_uri().path());
        let quoting = match operation.is_some_and(Operation::is_about_cards) {
            true if card_numbers::found_in_json(&bytes) => {
                return Err(Problem::new(ProblemType::CardNumberRefused).into());
            }
            true => Quoting::Nothing,
            false => Quoting::TheFault,
        };
        let value = parse(&bytes, quoting)?;
        Ok(Self { value, bytes })
    }
}

/// What an answer may say of a body that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoting {
    /// What is wrong and where, in the words of the body.
    TheFault,
    /// Only what the operation itself knows: where cards are dealt with, nothing of a body is told.
    Nothing,
}

async fn read(body: &mut RequestBody) -> Result<Vec<u8>, Problem> {
    let unreadable = |error: &dyn std::fmt::Display| Problem::bad_request(error.to_string());
    let body = body.take().map_err(|error| unreadable(&error))?;
    match tokio::time::timeout(JSON_TIME_MAX, body.into_bytes_limit(JSON_BYTES_MAX as usize)).await
    {
        Ok(Ok(bytes)) => Ok(bytes.to_vec()),
        Ok(Err(poem::error::ReadBodyError::PayloadTooLarge)) => {
            Err(Problem::new(ProblemType::TooLarge).detail("JSON bodies have at most 1 MiB"))
        }
        Ok(Err(error)) => Err(unreadable(&error)),
        Err(_) => Err(unreadable(&"the body did not arrive within 20 seconds")),
    }
}

fn parse<T: ParseFromJSON>(bytes: &[u8], quoting: Quoting) -> Result<T, Problem> {
    let Members(members) = serde_json::from_slice(bytes).map_err(|error| {
        let fault = match quoting {
            Quoting::TheFault => error.to_string(),
            Quoting::Nothing => format!("line {}, column {}", error.line(), error.column()),
        };
        Problem::bad_request(format!("the body is no valid JSON object: {fault}"))
    })?;
    let refused = || Problem::bad_request("the body does not have the form of this operation");
    let value = parse_members::<T>(&members).map_err(|message| {
        match (quoting, culprit::<T>(&members, &message)) {
            (Quoting::TheFault, Some(culprit)) => refused().field(culprit.name(), message),
            (Quoting::TheFault, None) => refused().detail(message),
            (Quoting::Nothing, Some(Culprit::Missing(name))) => {
                refused().field(name, "is required")
            }
            (Quoting::Nothing, Some(Culprit::Malformed(name))) => {
                refused().field(name, "is not what this member holds")
            }
            (Quoting::Nothing, Some(Culprit::Unknown(_))) => {
                refused().detail("the body has a member that this operation does not know")
            }
            (Quoting::Nothing, None) => refused(),
        }
    })?;
    match taken_for_text::<T>(&members) {
        Some(field) => Err(refused().field(field, "must be a string")),
        None => Ok(value),
    }
}

/// A number or a flag where a text belongs. The framework takes it for the text it prints, which
/// of a long number is another one than was sent.
fn taken_for_text<T: Type>(members: &Map<String, Value>) -> Option<String> {
    let no_text = |value: &Value| value.is_number() || value.is_boolean();
    if !members.values().any(no_text) {
        return None;
    }
    let mut registry = Registry::new();
    T::register(&mut registry);
    let schema = registry.schemas.get(T::name().as_ref())?;
    let mut texts = schema.properties.iter().filter(|(_, property)| match property {
        MetaSchemaRef::Inline(property) => property.ty == "string",
        MetaSchemaRef::Reference(_) => false,
    });
    let wrong = texts.find(|(name, _)| members.get(*name).is_some_and(no_text));
    wrong.map(|(name, _)| (*name).to_owned())
}

/// The members of an object, each of which stands there once, on every level: a second one could
/// mean either.
struct Members(Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match deserializer.deserialize_map(Once)? {
            Value::Object(members) => Ok(Self(members)),
            _ => Err(D::Error::custom("no object")),
        }
    }
}

/// A value whose objects have each member once.
struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(Once).map(Self)
    }
}

struct Once;

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
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
        while let Some(Unambiguous(element)) = seq.next_element()? {
            elements.push(element);
        }
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((name, Unambiguous(value))) = map.next_entry::<String, _>()? {
            if members.contains_key(&name) {
                return Err(A::Error::custom(format!("{name} stands there twice")));
            }
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

fn parse_members<T: ParseFromJSON>(members: &Map<String, Value>) -> Result<T, String> {
    T::parse_from_json(Some(Value::Object(members.clone()))).map_err(|e| e.into_message())
}

/// The member at fault.
enum Culprit {
    /// One that must be there and is not.
    Missing(&'static str),
    /// One that the operation does not know: its name is the client's.
    Unknown(String),
    /// One with another value than it takes.
    Malformed(&'static str),
}

impl Culprit {
    fn name(self) -> String {
        match self {
            Self::Missing(name) | Self::Malformed(name) => name.to_owned(),
            Self::Unknown(name) => name,
        }
    }
}

/// Which member is at fault. The framework's messages name types, and people look for members.
fn culprit<T: ParseFromJSON>(members: &Map<String, Value>, message: &str) -> Option<Culprit> {
    let mut registry = Registry::new();
    T::register(&mut registry);
    let schema = registry.schemas.get(T::name().as_ref())?;
    let missing = |name: &&&'static str| members.get(**name).is_none_or(Value::is_null);
    if let Some(required) = schema.required.iter().find(missing) {
        return Some(Culprit::Missing(required));
    }
    let unknown = |name: &&String| !schema.properties.iter().any(|(known, _)| known == name);
    if let Some(unknown) = members.keys().find(unknown) {
        return Some(Culprit::Unknown(unknown.clone()));
    }
    // Members are read in the order of the schema, up to the first fault: the last member without
    // which the message is another one.
    let decides = |name: &&'static str| {
        let mut without = members.clone();
        without.insert((*name).to_owned(), Value::Null).is_some()
            && parse_members::<T>(&without).err().as_deref() != Some(message)
    };
    schema.properties.iter().map(|(name, _)| *name).rev().find(decides).map(Culprit::Malformed)
}

/// Makes a payload an argument of operations: its body, and so in the document.
macro_rules! body_argument {
    ($name:ty $(, $parameter:ident: $bound:path)?) => {
        impl<'a $(, $parameter: $bound)?> poem_openapi::ApiExtractor<'a> for $name {
            const TYPES: &'static [poem_openapi::ApiExtractorType] =
                &[poem_openapi::ApiExtractorType::RequestObject];

            type ParamType = ();
            type ParamRawType = ();

            fn register(registry: &mut poem_openapi::registry::Registry) {
                <Self as poem_openapi::payload::Payload>::register(registry);
            }

            fn param_in() -> Option<poem_openapi::registry::MetaParamIn> {
                None
            }

            fn param_schema_ref() -> Option<poem_openapi::registry::MetaSchemaRef> {
                None
            }

            fn param_raw_type(&self) -> Option<&()> {
                None
            }

            fn request_meta() -> Option<poem_openapi::registry::MetaRequest> {
                use poem_openapi::payload::Payload;
                let content = vec![poem_openapi::registry::MetaMediaType {
                    content_type: Self::CONTENT_TYPE,
                    schema: <Self as Payload>::schema_ref(),
                }];
                Some(poem_openapi::registry::MetaRequest {
                    description: None,
                    content,
                    required: true,
                })
            }

            async fn from_request(
                request: &'a poem::Request,
                body: &mut poem::RequestBody,
                _options: poem_openapi::ExtractParamOptions<()>,
            ) -> poem::Result<Self> {
                <Self as poem_openapi::payload::ParsePayload>::from_request(request, body).await
            }
        }
    };
}
pub(crate) use body_argument;

body_argument!(JsonBody<T>, T: ParseFromJSON);

/// 422 unless the text has at most so many characters and no U+0000, which databases refuse.
pub fn check_text(
    field: &str,
    text: Option<&String>,
    characters_max: usize,
) -> Result<(), Problem> {
    let Some(text) = text else { return Ok(()) };
    if text.contains('\0') {
        return Err(Problem::invalid(field, "must not contain U+0000"));
    }
    if text.chars().count() > characters_max {
        return Err(Problem::invalid(field, format!("has at most {characters_max} characters")));
    }
    Ok(())
}

/// Bytes of a text whose characters are not counted.
const LONG_TEXT_BYTES_MAX: usize = 64 * 1024;

/// 422 unless the text has at most 64 KiB and no U+0000, which databases refuse.
pub fn check_long_text(field: &str, text: Option<&String>) -> Result<(), Problem> {
    check_text(field, text, LONG_TEXT_BYTES_MAX)?;
    match text {
        Some(text) if text.len() > LONG_TEXT_BYTES_MAX => {
            Err(Problem::invalid(field, "has at most 64 KiB"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_that_stands_twice_on_any_level_could_mean_either() {
        let read = |text: &str| serde_json::from_str::<Members>(text).map(|Members(read)| read);
        let sound = r#"{"a": [{"b": -1, "c": 1.5}, {"b": true}], "c": {"a": null, "b": "x"}}"#;
        let same: Value = serde_json::from_str(sound).unwrap();
        assert_eq!(read(sound).map(Value::Object).unwrap(), same);
        for twice in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": {"b": 1, "b": 2}}"#,
            r#"{"a": [{"b": {"c": 1, "c": 1}}]}"#,
        ] {
            let refused = read(twice).unwrap_err().to_string();
            assert!(refused.contains("stands there twice"), "{refused}");
        }
        assert!(read("[]").is_err() && read("1").is_err());
    }

    /// A body with a required member, as operations have them.
    #[derive(Debug, poem_openapi::Object)]
    #[oai(deny_unknown_fields)]
    struct Sent {
        amount: i64,
        note: Option<String>,
    }

    #[test]
    fn where_cards_are_dealt_with_nothing_of_a_body_is_told() {
        let refuse = |body: &str, quoting| {
            let problem = parse::<Sent>(body.as_bytes(), quoting).map(|sent| sent.amount);
            problem.unwrap_err().message()
        };
        for (body, field) in [
            (r#""secret""#, ""),
            (r#"{"secret": 1, "secret": 2}"#, ""),
            (r#"{"amount": 1, "secret": "secret"}"#, ""),
            (r#"{"note": "secret"}"#, "amount"),
            (r#"{"amount": "secret"}"#, "amount"),
            (r#"{"amount": 1, "note": ["secret"]}"#, "note"),
            (r#"{"amount": 1} secret"#, ""),
            (r#"{"amount": 1, "note": "secret"#, ""),
        ] {
            let told = refuse(body, Quoting::Nothing);
            assert!(!told.contains("secret") && told.contains(field), "{body}: {told}");
            assert!(refuse(body, Quoting::TheFault).contains(field));
        }
        assert!(refuse(r#""secret""#, Quoting::TheFault).contains("secret"));
        let sent = parse::<Sent>(br#"{"amount": 7, "note": "x"}"#, Quoting::Nothing).unwrap();
        assert_eq!((sent.amount, sent.note.as_deref()), (7, Some("x")));
    }
}
