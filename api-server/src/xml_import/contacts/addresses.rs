//! `<Address>`: other and previous addresses of a contact.

use crate::audit::{AuditTarget, HistoryOwner};
use crate::xml_import::element_fields::ElementFields;
use crate::xml_import::format::{AttributeKind, ElementShape, Needed, RowShape};
use crate::xml_import::parse::Element;
use crate::xml_import::{ElementOutcome, ImportTransaction, RecordError};
use sea_orm::{ColumnTrait, QueryFilter, QueryOrder};
use shared::entity::contact_addresses::{Column, Entity, Model};
use shared::entity::contacts;
use shared::entity::relationship_codes::{self, AppliesTo};
use std::sync::LazyLock;

pub(crate) static ADDRESS: LazyLock<RowShape<Entity>> = LazyLock::new(|| {
    use AttributeKind::{Date, Text};
    use Column::*;
    let columns = [
        (RowId, AttributeKind::Id),
        (RelationshipCode, Text(25)),
        (StreetAddress1, Text(40)),
        (StreetAddress2, Text(40)),
        (City, Text(25)),
        (State, Text(25)),
        (Zip, Text(10)),
        (County, Text(40)),
        (Country, Text(40)),
        (FromDate, Date),
        (ToDate, Date),
    ];
    let needed = ["RelationshipCode", "StreetAddress1"];
    RowShape::new(ElementShape::new("Address"), columns).needing(Needed::ToInsert, &needed)
});

fn audit_target(contact_id: i64) -> AuditTarget {
    AuditTarget::of(HistoryOwner::Contact(contact_id), "Contact > Records")
}

impl ImportTransaction<'_, '_> {
    /// Inserts, changes or deletes an address of a contact.
    pub(super) async fn address(
        &mut self,
        element: &Element,
        contact_id: i64,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &ADDRESS, self.enforce);
        let parent = (Column::ContactId, contact_id);
        let before = self.own_row(&mut fields, Column::RowId, parent).await?;
        let mut row = before.clone().unwrap_or_else(|| Model {
            row_id: self.stage.next_placeholder(),
            contact_id,
            from_date: self.clock.today,
            ..Model::default()
        });
        fields.fill(&ADDRESS, &mut row);
        // A code that the address already has may have become inactive.
        if let Some(code) = fields.get::<String>("RelationshipCode")
            && before.as_ref().is_none_or(|before| before.relationship_code != code)
            && !self.relationship_applies(&code, AppliesTo::Address).await?
        {
            fields.error("RelationshipCode", "is unknown, inactive, or not for addresses");
        }
        if row.to_date.is_some_and(|to| to < row.from_date) {
            fields.error("ToDate", "must not be before FromDate");
        }
        self.upsert(fields, before, row, audit_target(contact_id)).await
    }

    /// Keeps the old address of a contact that moves, if a relationship code with `Auto_Prev_Addr`
    /// is active.
    pub(super) async fn keep_previous_address(
        &mut self,
        before: &contacts::Model,
        after: &contacts::Model,
    ) -> Result<(), RecordError> {
        fn address(contact: &contacts::Model) -> [&Option<String>; 7] {
            [
                &contact.street_address1,
                &contact.street_address2,
                &contact.city,
                &contact.state,
                &contact.zip,
                &contact.county,
                &contact.country,
            ]
        }
        if address(before) == address(after) || address(before).iter().all(|line| line.is_none()) {
            return Ok(());
        }
        use relationship_codes::Column::{ActiveFlag, AutoPrevAddr};
        let code = self.caller.find::<relationship_codes::Entity>();
        let code =
            code.filter(AutoPrevAddr.eq(true)).filter(ActiveFlag.eq(true)).one(self.tx).await?;
        let Some(code) = code else { return Ok(()) };
        let contact_id = before.contact_id;
        let last = self
            .caller
            .find::<Entity>()
            .filter(Column::ContactId.eq(contact_id))
            .filter(Column::RelationshipCode.eq(code.relationship_code.as_str()))
            .order_by_desc(Column::ToDate)
            .one(self.tx)
            .await?;
        let moved_in = last.and_then(|last| last.to_date);
        let today = self.clock.today;
        let row = Model {
            row_id: self.stage.next_placeholder(),
            contact_id,
            relationship_code: code.relationship_code,
            street_address1: before.street_address1.clone(),
            street_address2: before.street_address2.clone(),
            city: before.city.clone(),
            state: before.state.clone(),
            zip: before.zip.clone(),
            county: before.county.clone(),
            country: before.country.clone(),
            from_date: moved_in.unwrap_or_else(|| self.clock.day_of(before.created_date)),
            to_date: Some(today),
        };
        self.stage.add(row, audit_target(contact_id));
        Ok(())
    }
}
