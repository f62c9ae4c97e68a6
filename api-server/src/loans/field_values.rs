//! Values of user-defined fields, checked against the field definitions of their form.

use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use shared::amounts::Money;
use shared::entity::user_defined_fields::{self, DataType, Form};
use shared::problem::InvalidValue;
use shared::time::Day;

/// Reads the definitions of Userdef01 to Userdef05 of a transaction.
#[expect(clippy::disallowed_methods, reason = "core users see all definitions")]
pub async fn of_transactions(
    db: &impl ConnectionTrait,
) -> Result<Vec<user_defined_fields::Model>, DbErr> {
    user_defined_fields::Entity::find()
        .filter(user_defined_fields::Column::Form.eq(Form::TransactionEntry))
        .all(db)
        .await
}

/// Checks the values of Userdef01 to Userdef05 of a transaction against these definitions. Returns
/// them as stored.
pub fn stored(
    definitions: &[user_defined_fields::Model],
    values: [Option<&str>; 5],
) -> Result<[Option<String>; 5], InvalidValue> {
    let mut stored: [Option<String>; 5] = Default::default();
    for (number, (value, stored)) in (1..).zip(values.into_iter().zip(&mut stored)) {
        let member = format!("Userdef{number:02}");
        let name = format!("userdef{number:02}");
        let definition =
            definitions.iter().find(|field| field.field_name == name && !field.hidden_flag);
        *stored = match (definition, value) {
            (None, None) => None,
            (None, Some(_)) => {
                let message = "is not defined for the form transaction_entry";
                return Err(InvalidValue::new(member, message));
            }
            (Some(field), value) => checked(field, &member, value)?,
        };
    }
    Ok(stored)
}

/// Checks a value against its definition. Returns it as stored. `member` is its name in the
/// request.
pub fn checked(
    field: &user_defined_fields::Model,
    member: &str,
    value: Option<&str>,
) -> Result<Option<String>, InvalidValue> {
    let value = value.filter(|value| !value.is_empty());
    if field.read_only_flag {
        return match value {
            None => Ok(None),
            Some(_) => Err(InvalidValue::new(member, format!("{} is read-only", field.label))),
        };
    }
    let Some(value) = value else {
        return match field.required_flag {
            false => Ok(None),
            true => Err(InvalidValue::missing(member, format!("{} is required", field.label))),
        };
    };
    let invalid = |must: &str| InvalidValue::new(member, format!("{} must be {must}", field.label));
    let stored = match field.data_type {
        DataType::Text => {
            let characters_max = field.size.and_then(|size| usize::try_from(size).ok());
            match characters_max.filter(|max| value.chars().count() > *max) {
                None => value.to_owned(),
                Some(max) => return Err(invalid(&format!("at most {max} characters"))),
            }
        }
        DataType::Number => {
            let number = value.parse::<i64>();
            number.map_err(|_| invalid("a whole number"))?.to_string()
        }
        DataType::Money => {
            let amount = value.parse::<Money>().ok().filter(|amount| amount.is_whole_cents());
            amount.ok_or_else(|| invalid("an amount with at most two decimals"))?.to_string()
        }
        DataType::Date => {
            let Day(date) = value.parse().map_err(|_| invalid("a date, YYYY-MM-DD"))?;
            date.to_string()
        }
        DataType::Flag => match value {
            "true" | "false" => value.to_owned(),
            _ => return Err(invalid("true or false")),
        },
        DataType::PickList => match field.pick_list.0.iter().any(|choice| choice == value) {
            true => value.to_owned(),
            false => {
                return Err(invalid(&format!("one of: {}", field.pick_list.0.join(", "))));
            }
        },
        DataType::Document => return Err(invalid("attached as a document")),
    };
    Ok(Some(stored))
}

#[cfg(test)]
mod tests;
