//! Values of user-defined fields, matching their definitions.

use super::block::{Block, LoanRef, cents};
use sea_orm::{DatabaseTransaction, DbErr, EntityTrait, QueryOrder};
use shared::bulk_insert;
use shared::entity::user_defined_fields::{self as fields, DataType, Form};
use shared::entity::user_defined_values;

/// True if the place of the mix has values on this form.
fn has_values(form: Form, slot: u32) -> bool {
    match form {
        Form::LoanDetail1 | Form::ContactDetail => slot.is_multiple_of(2),
        Form::LoanDetail2 | Form::ContactDemographics => slot.is_multiple_of(5),
        Form::ContactFinancials => slot.is_multiple_of(10),
        _ => false,
    }
}

/// Adds the values of the loans and their borrowers.
pub(super) async fn add(tx: &DatabaseTransaction, block: &Block) -> Result<(), DbErr> {
    let definitions = fields::Entity::find().order_by_asc(fields::Column::FieldId).all(tx).await?;
    let mut values = Vec::new();
    for loan in &block.loans {
        for field in definitions.iter().filter(|field| has_values(field.form, loan.slot)) {
            let of_loan = matches!(field.form, Form::LoanDetail1 | Form::LoanDetail2);
            values.extend(value(block, loan, field).map(|value| user_defined_values::Model {
                row_id: 0,
                field_id: field.field_id,
                record_id: if of_loan { loan.loan_id } else { loan.contact_id },
                value,
            }));
        }
    }
    bulk_insert::add_all(tx, values).await
}

/// A value that fits the field; document fields have none.
fn value(block: &Block, loan: &LoanRef, field: &fields::Model) -> Option<String> {
    let seed = (loan.slot + field.sequence.unsigned_abs()) as usize;
    Some(match field.data_type {
        DataType::Document => return None,
        DataType::Text => {
            let words: [&str; 3] = match field.label.as_str() {
                "Preferred name" => ["Ana", "Benny", "Carla"],
                "Occupation" => ["Teacher", "Electrician", "Nurse"],
                "Referral source" => ["Branch", "Web site", "Dealer"],
                "Insurance agent" => ["Irene Moreau", "Hugo Larsen", "Grace Okafor"],
                _ => ["None", "See file", "To be checked"],
            };
            let words = words[seed % words.len()];
            let max_length = field.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(255);
            words.chars().take(max_length).collect()
        }
        DataType::Number => (seed % 7).to_string(),
        DataType::Money => cents(125_000 + 3750 * i64::from(loan.slot)).to_string(),
        DataType::Date => block.day(-100 - i64::from(loan.slot)).to_string(),
        DataType::Flag => (seed.is_multiple_of(2)).to_string(),
        DataType::PickList => field.pick_list.0.get(seed % field.pick_list.0.len().max(1))?.clone(),
    })
}
