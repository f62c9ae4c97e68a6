//! `<Detail>`, `<Demographics>`, `<Financials>`, `<Detail1>` and `<Detail2>`: values of a form's
//! user-defined fields.

use super::element_fields::{ElementFields, UpdateMode};
use super::format::{AttributeKind, CLEARED, ElementShape, UPDATE_FLAG, attribute};
use super::parse::Element;
use super::{ElementOutcome, ImportTransaction, RecordError};
use crate::audit::{AuditTarget, FieldNames, FieldNote, HistoryOwner};
use crate::auth::privileges::Privilege;
use crate::auth::visibility::records::{FORM_OWNERS, view_of};
use crate::loans::field_values;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{ExprTrait, Query};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use shared::entity::user_defined_fields::{self as definitions, Form};
use shared::entity::user_defined_values::{ActiveModel, Column, Entity, Model};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

const CHARACTERS_MAX: usize = 255;
const FIELDS_MAX: usize = 80;

pub(super) static DETAIL: LazyLock<ElementShape> = LazyLock::new(|| form_shape("Detail"));
pub(super) static DEMOGRAPHICS: LazyLock<ElementShape> =
    LazyLock::new(|| form_shape("Demographics"));
pub(super) static FINANCIALS: LazyLock<ElementShape> = LazyLock::new(|| form_shape("Financials"));
pub(super) static DETAIL1: LazyLock<ElementShape> = LazyLock::new(|| form_shape("Detail1"));
pub(super) static DETAIL2: LazyLock<ElementShape> = LazyLock::new(|| form_shape("Detail2"));

fn form_shape(element: &'static str) -> ElementShape {
    let fields = (1..=FIELDS_MAX).map(|number| {
        let name = format!("Userdef{number:02}").into();
        let field = attribute("", AttributeKind::Text(CHARACTERS_MAX)).nullable();
        super::format::Attribute { name, ..field }
    });
    ElementShape::new(element)
        .with(fields)
        .also_needing("every user-defined field marked as required")
}

fn shape_of(form: Form) -> &'static ElementShape {
    match form {
        Form::LoanDetail1 => &DETAIL1,
        Form::LoanDetail2 => &DETAIL2,
        Form::ContactDemographics => &DEMOGRAPHICS,
        Form::ContactFinancials => &FINANCIALS,
        _ => &DETAIL,
    }
}

/// Where the field history of a form's values goes.
fn audit_target(form: Form, record_id: i64) -> AuditTarget {
    let owner = FORM_OWNERS.into_iter().find(|(_, owner_form)| *owner_form == form);
    let path = owner.map_or("", |(owner, _)| {
        let Privilege(path, _) = view_of(owner);
        path
    });
    let owner = match form {
        Form::LoanDetail1 | Form::LoanDetail2 => HistoryOwner::Loan(record_id),
        _ => HistoryOwner::Contact(record_id),
    };
    AuditTarget::of(owner, path)
}

/// The value of a field before and after.
struct ValueChange<'d> {
    field: &'d definitions::Model,
    before: Option<String>,
    after: Option<String>,
}

impl ImportTransaction<'_, '_> {
    /// Sets or deletes the values of a form, each checked against its definition.
    pub(super) async fn form(
        &mut self,
        element: &Element,
        form: Form,
        record_id: i64,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, shape_of(form), self.enforce);
        let before = self.values(form, record_id).await?;
        if fields.update == UpdateMode::Delete {
            let messages = fields.finish()?;
            self.remove_values(&[form], record_id).await?;
            return Ok(ElementOutcome::messages_only(messages));
        }
        let definitions = self.definitions().await?;
        let mut inputs: HashMap<i64, Option<&str>> = HashMap::new();
        for (name, text) in &element.attributes {
            if !fields.has(name) || name == UPDATE_FLAG {
                continue;
            }
            let field_name = name.to_ascii_lowercase();
            let field = definitions.iter().find(|field| {
                field.form == form && field.field_name == field_name && !field.hidden_flag
            });
            match field {
                Some(field) => {
                    let text = Some(text.as_str()).filter(|text| *text != CLEARED);
                    inputs.insert(field.field_id, text);
                }
                None => fields.error(name, "is not defined for this form"),
            }
        }
        if inputs.is_empty() && !fields.has_errors() {
            fields.refuse(format!("{} must set or clear at least one field", element.name));
        }
        let mut changes = Vec::new();
        for field in definitions.iter().filter(|field| field.form == form && !field.hidden_flag) {
            let name = attribute_name(field);
            let old = before.get(&field.field_id).cloned();
            match inputs.get(&field.field_id) {
                Some(text) => match field_values::checked(field, &name, *text) {
                    Ok(new) => changes.push(ValueChange { field, before: old, after: new }),
                    Err(value) => fields.error(&name, value.message),
                },
                None if field.required_flag && !field.read_only_flag && old.is_none() => {
                    fields.error(&name, format!("{} is required", field.label));
                }
                None => {}
            }
        }
        let messages = fields.finish()?;
        for change in changes {
            self.set_value(form, record_id, change).await?;
        }
        Ok(ElementOutcome::messages_only(messages))
    }

    /// Returns the definitions of all fields, which are read once.
    async fn definitions(&mut self) -> Result<Arc<[definitions::Model]>, RecordError> {
        if let Some(definitions) = &self.definitions {
            return Ok(definitions.clone());
        }
        let rows = self.caller.find::<definitions::Entity>().all(self.tx).await?;
        let rows: Arc<[definitions::Model]> = rows.into();
        self.definitions = Some(rows.clone());
        Ok(rows)
    }

    /// Returns the values of a form, by field id.
    async fn values(
        &mut self,
        form: Form,
        record_id: i64,
    ) -> Result<HashMap<i64, String>, RecordError> {
        if record_id < 0 {
            let definitions = self.definitions().await?;
            let of_form = definitions.iter().filter(|field| field.form == form);
            let staged = of_form.filter_map(|field| {
                let row = self.stage.find::<Model>(|row| is_value_of(row, field, record_id))?;
                Some((field.field_id, row.value.clone()))
            });
            return Ok(staged.collect());
        }
        let of_form = Query::select()
            .column(definitions::Column::FieldId)
            .from(definitions::Entity)
            .and_where(definitions::Column::Form.eq(form))
            .take();
        let rows: Vec<(i64, String)> = self
            .caller
            .find::<Entity>()
            .select_only()
            .columns([Column::FieldId, Column::Value])
            .filter(Column::RecordId.eq(record_id))
            .filter(Column::FieldId.in_subquery(of_form))
            .into_tuple()
            .all(self.tx)
            .await?;
        Ok(rows.into_iter().collect())
    }

    async fn set_value(
        &mut self,
        form: Form,
        record_id: i64,
        ValueChange { field, before, after }: ValueChange<'_>,
    ) -> Result<(), RecordError> {
        if before == after {
            return Ok(());
        }
        let (field_id, staged) = (field.field_id, record_id < 0);
        let of_field = || Column::FieldId.eq(field_id).and(Column::RecordId.eq(record_id));
        match (&before, &after) {
            (None, Some(value)) => {
                let row_id = self.stage.next_placeholder();
                let row = Model { row_id, field_id, record_id, value: value.clone() };
                self.stage
                    .add(row, AuditTarget { owners: Vec::new(), ..audit_target(form, record_id) });
            }
            (Some(_), Some(value)) if staged => {
                if let Some(row) =
                    self.stage.find::<Model>(|row| is_value_of(row, field, record_id))
                {
                    row.value.clone_from(value);
                }
            }
            (Some(_), Some(value)) => {
                let value = ActiveModel { value: Set(value.clone()), ..Default::default() };
                Entity::update_many().set(value).filter(of_field()).exec(self.tx).await?;
            }
            (Some(_), None) if staged => {
                self.stage.remove::<Model>(|row| is_value_of(row, field, record_id));
            }
            (_, None) => {
                Entity::delete_many().filter(of_field()).exec(self.tx).await?;
            }
        }
        self.stage.notes.push(note(field, form, record_id, before, after));
        Ok(())
    }

    /// Deletes the values of these forms.
    pub(super) async fn remove_values(
        &mut self,
        forms: &[Form],
        record_id: i64,
    ) -> Result<(), RecordError> {
        let definitions = self.definitions().await?;
        for form in forms {
            let values = self.values(*form, record_id).await?;
            for field in definitions.iter().filter(|field| field.form == *form) {
                let Some(before) = values.get(&field.field_id).cloned() else { continue };
                let change = ValueChange { field, before: Some(before), after: None };
                self.set_value(*form, record_id, change).await?;
            }
        }
        Ok(())
    }
}

fn is_value_of(row: &Model, field: &definitions::Model, record_id: i64) -> bool {
    row.field_id == field.field_id && row.record_id == record_id
}

/// The name of a field in import files and in the field history.
fn attribute_name(field: &definitions::Model) -> String {
    field.field_name.replacen('u', "U", 1)
}

fn note(
    field: &definitions::Model,
    form: Form,
    record_id: i64,
    old_value: Option<String>,
    new_value: Option<String>,
) -> FieldNote {
    FieldNote {
        target: audit_target(form, record_id),
        table: table_of(form),
        record_id,
        names: Arc::new(FieldNames { field: attribute_name(field), label: field.label.clone() }),
        old_value,
        new_value,
    }
}

/// The table name of a form's values in the field history.
fn table_of(form: Form) -> &'static str {
    match form {
        Form::LoanDetail1 => "loan_detail1",
        Form::LoanDetail2 => "loan_detail2",
        Form::ContactDetail => "contact_detail",
        Form::ContactDemographics => "contact_demographics",
        Form::ContactFinancials => "contact_financials",
        Form::TransactionEntry => "transaction_entry",
        Form::BatchTransaction => "batch_transaction",
        Form::Participant1Detail => "participant1_detail",
        Form::Participant2Detail => "participant2_detail",
    }
}
