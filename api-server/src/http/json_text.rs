//! JSON that is written as text, and described as its type. A tree of values would take a hundred times
//! the memory of the text.

use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Json;
use poem_openapi::registry::{MetaResponses, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseFromJSON, ParseResult, ToJSON, Type};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::marker::PhantomData;

/// The JSON of a `T`, as it was stored or rendered.
#[derive(Serialize)]
#[serde(transparent)]
pub struct JsonText<T> {
    text: Box<RawValue>,
    #[serde(skip)]
    shape: PhantomData<fn() -> T>,
}

impl<T> JsonText<T> {
    /// Returns this JSON as that of a `T`.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::value::to_raw_value(value).map(Self::from)
    }

    /// Returns a text as the JSON of a `T`.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str::<Box<RawValue>>(text).map(Self::from)
    }
}

impl<T> From<Box<RawValue>> for JsonText<T> {
    fn from(text: Box<RawValue>) -> Self {
        Self { text, shape: PhantomData }
    }
}

impl<T: Type> Type for JsonText<T> {
    const IS_REQUIRED: bool = T::IS_REQUIRED;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(self.as_raw_value().into_iter())
    }
}

impl<T: Type> ToJSON for JsonText<T> {
    fn to_json(&self) -> Option<Value> {
        serde_json::from_str(self.text.get()).ok()
    }
}

impl<T: Type> ParseFromJSON for JsonText<T> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        Self::of(&value).map_err(poem_openapi::types::ParseError::custom)
    }
}

/// The response whose body is this text.
impl<T: Send> IntoResponse for JsonText<T> {
    fn into_response(self) -> Response {
        let text: Box<str> = self.text.into();
        Response::builder().content_type("application/json; charset=utf-8").body(String::from(text))
    }
}

impl<T: Type + ToJSON> ApiResponse for JsonText<T> {
    fn meta() -> MetaResponses {
        Json::<T>::meta()
    }

    fn register(registry: &mut Registry) {
        <T as Type>::register(registry);
    }
}
