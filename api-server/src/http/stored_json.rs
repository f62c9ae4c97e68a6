//! JSON that is part of a response as it was stored or rendered, and is described as its type.

use poem_openapi::registry::{MetaSchemaRef, Registry};
use poem_openapi::types::{ParseFromJSON, ParseResult, ToJSON, Type};
use serde_json::Value;
use std::borrow::Cow;
use std::marker::PhantomData;

/// The JSON of a `T`.
pub struct StoredJson<T> {
    value: Value,
    shape: PhantomData<fn() -> T>,
}

impl<T> From<Value> for StoredJson<T> {
    fn from(value: Value) -> Self {
        Self { value, shape: PhantomData }
    }
}

impl<T: Type> Type for StoredJson<T> {
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

impl<T: Type> ToJSON for StoredJson<T> {
    fn to_json(&self) -> Option<Value> {
        Some(self.value.clone())
    }
}

impl<T: Type> ParseFromJSON for StoredJson<T> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        Ok(value.unwrap_or_default().into())
    }
}
