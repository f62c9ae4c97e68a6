//! `<Collateral>` and its child elements.

pub(super) mod details;

use super::element_fields::{ElementFields, UpdateMode};
use super::format::{AttributeKind, ElementShape, RowShape, attribute};
use super::parse::Element;
use super::report::{Action, Message};
use super::{
    ElementOutcome, ImportTransaction, RecordError, inside_deleted, refuse, report_refusal,
};
use crate::audit::{self, AuditTarget, HistoryOwner};
use crate::documents::comments::{CommentParent, collateral_owners};
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, QueryFilter};
use shared::amounts::{Money, OutOfRange, Rate};
use shared::entity::collaterals::{Column, Entity, Model};
use shared::entity::{
    collateral_descriptions as descriptions, collateral_insurance_policies as policies,
    collateral_locations as locations, collateral_taxes as taxes, collateral_vehicles as vehicles,
    contacts, loan_collaterals,
};
use std::sync::LazyLock;

pub(super) static COLLATERAL: LazyLock<RowShape<Entity>> = LazyLock::new(|| {
    use Column::*;
    let shape = ElementShape::new("Collateral")
        .holding(&["Vehicle", "Location", "Insurance", "Tax", "Comment"])
        .with([
            attribute("CollateralID", AttributeKind::Id),
            attribute("Description", AttributeKind::LongText).nullable(),
        ]);
    let columns = [
        (ContactId, AttributeKind::Id),
        (CollateralCode, AttributeKind::Text(15)),
        (AcquisitionDate, AttributeKind::Date),
        (PricedDate, AttributeKind::Date),
        (NumberOfUnits, AttributeKind::Int(0..=i32::MAX)),
        (PricePerUnit, AttributeKind::Amount),
        (PercentageValue, AttributeKind::Rate),
        (NetValue, AttributeKind::Amount),
        (Notes, AttributeKind::LongText),
    ];
    RowShape::new(shape, columns)
        .also_needing("CollateralCode, or the CollateralID of collateral that secures another loan")
});

/// Existing or staged collateral, and the owners whose field history records its changes.
pub(super) struct LinkedCollateral {
    pub row: Model,
    pub owners: Vec<HistoryOwner>,
}

impl LinkedCollateral {
    /// Where its field history goes.
    pub(super) fn audit_target(&self) -> AuditTarget {
        AuditTarget {
            owners: self.owners.clone(),
            privilege_path: "Collateral > Records",
            comment: None,
        }
    }
}

impl ImportTransaction<'_, '_> {
    /// Adds collateral to a loan, changes it, or removes it from the loan; then applies its child
    /// elements.
    pub(super) async fn collateral(
        &mut self,
        element: &Element,
        loan_id: i64,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &COLLATERAL, self.enforce);
        let collateral_id = fields.get::<i64>("CollateralID");
        let update = fields.update;
        let (mut collateral, action, messages) = match (update, collateral_id) {
            (UpdateMode::Insert, None) => {
                let (collateral, messages) = self.new_collateral(fields, loan_id).await?;
                (collateral, Action::Inserted, messages)
            }
            (UpdateMode::Insert, Some(id)) => {
                let (collateral, messages) =
                    self.link_collateral(element, fields, id, loan_id).await?;
                (collateral, Action::Inserted, messages)
            }
            (_, None) => {
                fields.missing("CollateralID");
                return Err(fields.messages().into());
            }
            (UpdateMode::Change, Some(id)) => {
                let before = self.find_collateral(element, id, loan_id).await?;
                let (collateral, messages) = self.change_collateral(fields, before).await?;
                (collateral, Action::Updated, messages)
            }
            (UpdateMode::Delete, Some(id)) => {
                let messages = fields.finish()?;
                if let Some(child) = element.children.first() {
                    return Err(inside_deleted(child).messages.into());
                }
                self.find_collateral(element, id, loan_id).await?;
                if let Some(link) = self.link_of(id, loan_id).await? {
                    self.release(&link, |_| true).await?;
                }
                return Ok(ElementOutcome::one(element, Action::Deleted, None, id, messages));
            }
        };
        let id = collateral.row.collateral_id;
        let mut applied = ElementOutcome::one(element, action, None, id, messages);
        let keys = self.flush(&mut applied).await?;
        collateral.row.collateral_id = keys.of(id);
        for child in &element.children {
            let outcome = match applied.failed {
                true => Ok(ElementOutcome::untried(child)),
                false => self.in_collateral(&collateral, child).await,
            };
            applied.add(report_refusal(child, outcome)?);
        }
        Ok(applied)
    }

    async fn in_collateral(
        &mut self,
        collateral: &LinkedCollateral,
        child: &Element,
    ) -> Result<ElementOutcome, RecordError> {
        let mut applied = match child.name.as_str() {
            "Vehicle" => self.vehicle(child, collateral).await?,
            "Location" => self.location(child, collateral).await?,
            "Insurance" => self.insurance(child, collateral).await?,
            "Tax" => self.tax(child, collateral).await?,
            "Comment" => {
                let parent = CommentParent::Collateral(collateral.row.collateral_id);
                self.comment(child, parent, collateral.owners.clone()).await?
            }
            _ => self.unknown_element("Collateral", child),
        };
        self.flush(&mut applied).await?;
        Ok(applied)
    }

    async fn new_collateral(
        &mut self,
        mut fields: ElementFields<'_>,
        loan_id: i64,
    ) -> Result<(LinkedCollateral, Vec<Message>), RecordError> {
        let mut row = Model {
            collateral_id: self.stage.next_placeholder(),
            contact_id: None,
            collateral_code: String::new(),
            acquisition_date: None,
            priced_date: None,
            number_of_units: 1,
            price_per_unit: Money::ZERO,
            percentage_value: Rate::from_units(100 * 10_i64.pow(Rate::DECIMALS))?,
            net_value: Money::ZERO,
            notes: None,
        };
        if !fields.has("CollateralCode") {
            fields.missing("CollateralCode");
        }
        fields.fill(&COLLATERAL, &mut row);
        self.check_owner(&mut fields).await?;
        if !fields.has("NetValue") {
            row.net_value = net_value(&row)?;
        }
        let collateral = LinkedCollateral { row, owners: vec![HistoryOwner::Loan(loan_id)] };
        let description = fields.get::<String>("Description").filter(|text| !text.is_empty());
        let messages = fields.finish()?;
        self.stage.add(collateral.row.clone(), collateral.audit_target());
        self.link(loan_id, collateral.row.collateral_id);
        self.describe(&collateral, description).await?;
        Ok((collateral, messages))
    }

    fn link(&mut self, loan_id: i64, collateral_id: i64) {
        let row_id = self.stage.next_placeholder();
        let link = loan_collaterals::Model { row_id, loan_id, collateral_id };
        self.stage.add(link, AuditTarget::of(HistoryOwner::Loan(loan_id), "Collateral > Records"));
    }

    fn description(
        &self,
        collateral: &LinkedCollateral,
        description: String,
    ) -> Result<descriptions::Model, RecordError> {
        Ok(descriptions::Model {
            collateral_id: collateral.row.collateral_id,
            description,
            modified_by_user_id: self.user_id()?,
            modified_date: self.clock.now,
        })
    }

    /// Links existing collateral to one more loan.
    async fn link_collateral(
        &mut self,
        element: &Element,
        fields: ElementFields<'_>,
        id: i64,
        loan_id: i64,
    ) -> Result<(LinkedCollateral, Vec<Message>), RecordError> {
        let found = self.caller.find::<Entity>().filter(Column::CollateralId.eq(id));
        let Some(row) = found.one(self.tx).await? else {
            return Err(refuse(element, "no collateral has this CollateralID"));
        };
        if self.link_of(id, loan_id).await?.is_some() {
            return Err(refuse(element, "the collateral already secures this loan"));
        }
        let mut owners = collateral_owners(self.tx, id).await?;
        owners.retain(|owner| matches!(owner, HistoryOwner::Loan(_)));
        owners.push(HistoryOwner::Loan(loan_id));
        self.link(loan_id, id);
        self.change_collateral(fields, LinkedCollateral { row, owners }).await
    }

    async fn link_of(
        &self,
        collateral_id: i64,
        loan_id: i64,
    ) -> Result<Option<loan_collaterals::Model>, RecordError> {
        use loan_collaterals::Column::{CollateralId, LoanId};
        let link = self.caller.find::<loan_collaterals::Entity>();
        let link = link.filter(CollateralId.eq(collateral_id)).filter(LoanId.eq(loan_id));
        Ok(link.one(self.tx).await?)
    }

    async fn find_collateral(
        &self,
        element: &Element,
        id: i64,
        loan_id: i64,
    ) -> Result<LinkedCollateral, RecordError> {
        let found =
            self.caller.find::<Entity>().filter(Column::CollateralId.eq(id)).one(self.tx).await?;
        match found.filter(|_| loan_id > 0) {
            Some(row) if self.link_of(id, loan_id).await?.is_some() => {
                Ok(LinkedCollateral { row, owners: collateral_owners(self.tx, id).await? })
            }
            _ => Err(refuse(element, "no collateral of this loan has this CollateralID")),
        }
    }

    async fn change_collateral(
        &mut self,
        mut fields: ElementFields<'_>,
        before: LinkedCollateral,
    ) -> Result<(LinkedCollateral, Vec<Message>), RecordError> {
        let mut row = before.row.clone();
        fields.fill(&COLLATERAL, &mut row);
        self.check_owner(&mut fields).await?;
        let factors = ["NumberOfUnits", "PricePerUnit", "PercentageValue"];
        if !fields.has("NetValue") && factors.iter().any(|name| fields.has(name)) {
            row.net_value = net_value(&row)?;
        }
        let sets_description = fields.has("Description");
        let description = fields.get::<String>("Description").filter(|text| !text.is_empty());
        let messages = fields.finish()?;
        self.change(&before.audit_target(), &before.row, &row).await?;
        let collateral = LinkedCollateral { row, owners: before.owners };
        if sets_description {
            self.describe(&collateral, description).await?;
        }
        Ok((collateral, messages))
    }

    async fn describe(
        &mut self,
        collateral: &LinkedCollateral,
        description: Option<String>,
    ) -> Result<(), RecordError> {
        let key = descriptions::Column::CollateralId;
        let before = self.only_row(key, collateral.row.collateral_id).await?;
        let target = collateral.audit_target();
        match (before, description) {
            (None, None) => {}
            (Some(before), None) => self.remove(&target, &before).await?,
            (Some(before), Some(text)) if before.description == text => {}
            (Some(before), Some(text)) => {
                let after = self.description(collateral, text)?;
                self.change(&target, &before, &after).await?;
            }
            (None, Some(text)) => {
                let row = self.description(collateral, text)?;
                self.stage.add(row, target);
            }
        }
        Ok(())
    }

    async fn check_owner(&self, fields: &mut ElementFields<'_>) -> Result<(), RecordError> {
        let Some(id) = fields.get::<i64>("ContactID") else { return Ok(()) };
        let contact = contacts::Column::ContactId.eq(id);
        if !self.exists::<contacts::Entity>(contact).await? {
            fields.error("ContactID", "matches no contact");
        }
        Ok(())
    }

    /// Deletes the link between collateral and a loan. If that was the last link and `may_delete`
    /// holds, deletes the collateral too.
    pub(super) async fn release(
        &mut self,
        link: &loan_collaterals::Model,
        may_delete: impl Fn(&Model) -> bool,
    ) -> Result<(), RecordError> {
        let collateral_id = link.collateral_id;
        let target = AuditTarget::of(HistoryOwner::Loan(link.loan_id), "Collateral > Records");
        let row = self.caller.find::<Entity>().filter(Column::CollateralId.eq(collateral_id));
        let row = row.one(self.tx).await?;
        let others = loan_collaterals::Column::CollateralId
            .eq(collateral_id)
            .and(loan_collaterals::Column::LoanId.ne(link.loan_id));
        let last = !self.exists::<loan_collaterals::Entity>(others).await?;
        if let Some(row) = row.filter(|row| last && may_delete(row)) {
            // Before its link, so that the loan's field history records it.
            return self.remove_collateral(&target, link, &row).await;
        }
        self.remove(&target, link).await
    }

    async fn remove_collateral(
        &mut self,
        target: &AuditTarget,
        link: &loan_collaterals::Model,
        row: &Model,
    ) -> Result<(), RecordError> {
        let id = row.collateral_id;
        self.remove_comments(CommentParent::Collateral(id)).await?;
        let author = self.author.clone();
        let recorded = audit::recording(self.tx, &author, self.clock.now, async |changes| {
            self.remove_all(changes, target, vehicles::Column::CollateralId, id).await?;
            self.remove_all(changes, target, locations::Column::CollateralId, id).await?;
            self.remove_all(changes, target, policies::Column::CollateralId, id).await?;
            self.remove_all(changes, target, taxes::Column::CollateralId, id).await?;
            self.remove_all(changes, target, descriptions::Column::CollateralId, id).await
        });
        recorded.await?;
        self.remove(target, link).await?;
        self.remove(target, row).await
    }
}

/// Units × price × percentage, rounded half up to cents.
fn net_value(row: &Model) -> Result<Money, OutOfRange> {
    let units = i128::from(row.number_of_units) * i128::from(row.price_per_unit.units());
    Money::from_wide_units(units)?.percent(row.percentage_value)?.round_to_cents()
}
