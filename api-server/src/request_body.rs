//! JSON bodies as they were sent: read with limits, checked against the type, kept byte for byte.

use crate::operations::JSON;
use poem::{Request, RequestBody, Result};
use poem_openapi::payload::{Json, ParsePayload, Payload};
use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::{ParseFromJSON, Type};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};
use shared::problem::{Problem, ProblemType};
use std::fmt;
use std::time::Duration;

const JSON_TIME_MAX: Duration = Duration::from_secs(30);

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

    async fn from_request(_request: &Request, body: &mut RequestBody) -> Result<Self> {
        let bytes = read(body).await?;
        let value = parse(&bytes)?;
        Ok(Self { value, bytes })
    }
}

async fn read(body: &mut RequestBody) -> Result<Vec<u8>, Problem> {
    let unreadable = |error: &dyn std::fmt::Display| Problem::bad_request(error.to_string());
    let body = body.take().map_err(|error| unreadable(&error))?;
    match tokio::time::timeout(JSON_TIME_MAX, body.into_bytes_limit(JSON.bytes_max as usize)).await
    {
        Ok(Ok(bytes)) => Ok(bytes.to_vec()),
        Ok(Err(poem::error::ReadBodyError::PayloadTooLarge)) => {
            Err(Problem::new(ProblemType::TooLarge).detail("JSON bodies have at most 1 MiB"))
        }
        Ok(Err(error)) => Err(unreadable(&error)),
        Err(_) => Err(unreadable(&"the body did not arrive within 30 seconds")),
    }
}

fn parse<T: ParseFromJSON>(bytes: &[u8]) -> Result<T, Problem> {
    let Members(members) = serde_json::from_slice(bytes).map_err(|error| {
        Problem::bad_request(format!("the body is no valid JSON object: {error}"))
    })?;
    parse_members::<T>(&members).map_err(|message| {
        let problem = Problem::bad_request("the body does not have the form of this operation");
        match culprit::<T>(&members, &message) {
            Some(field) => problem.field(field, message),
            None => problem.detail(message),
        }
    })
}

/// The members of an object, each of which stands there once: a second one could mean either.
struct Members(Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Once;
        impl<'de> Visitor<'de> for Once {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Members, A::Error> {
                let mut members = Map::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if members.contains_key(&name) {
                        return Err(A::Error::custom(format!("{name} stands there twice")));
                    }
                    members.insert(name, value);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Once)
    }
}

fn parse_members<T: ParseFromJSON>(members: &Map<String, Value>) -> Result<T, String> {
    T::parse_from_json(Some(Value::Object(members.clone()))).map_err(|e| e.into_message())
}

/// Which member is at fault. The framework's messages name types, and people look for members.
fn culprit<T: ParseFromJSON>(members: &Map<String, Value>, message: &str) -> Option<String> {
    let mut registry = Registry::new();
    T::register(&mut registry);
    let schema = registry.schemas.get(T::name().as_ref())?;
    let missing = |name: &&&str| members.get(**name).is_none_or(Value::is_null);
    if let Some(required) = schema.required.iter().find(missing) {
        return Some((*required).to_owned());
    }
    let unknown = |name: &&String| !schema.properties.iter().any(|(known, _)| known == name);
    if let Some(unknown) = members.keys().find(unknown) {
        return Some(unknown.clone());
    }
    // Members are read in the order of the schema, up to the first fault: the last member without
    // which the message is another one.
    let decides = |name: &&str| {
        let mut without = members.clone();
        without.insert((*name).to_owned(), Value::Null).is_some()
            && parse_members::<T>(&without).err().as_deref() != Some(message)
    };
    schema.properties.iter().map(|(name, _)| *name).rev().find(decides).map(str::to_owned)
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
