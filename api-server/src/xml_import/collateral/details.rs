//! `<Vehicle>`, `<Location>`, `<Insurance>` and `<Tax>`: details of collateral.

use super::LinkedCollateral;
use crate::xml_import::element_fields::{ElementFields, UpdateMode};
use crate::xml_import::format::{AttributeKind, ElementShape, Needed, RowShape, choice};
use crate::xml_import::parse::Element;
use crate::xml_import::vin::{self, VinCheck};
use crate::xml_import::{ElementOutcome, ImportTransaction, RecordError};
use sea_orm::EntityTrait;
use shared::entity::collateral_insurance_policies::{self as policies, CoverageType, PolicyStatus};
use shared::entity::collateral_vehicles::{BrandedTitle, TitleStatus, TitleType};
use shared::entity::{
    collateral_locations as locations, collateral_taxes as taxes, collateral_vehicles as vehicles,
    settings,
};
use std::sync::LazyLock;

pub(crate) static VEHICLE: LazyLock<RowShape<vehicles::Entity>> = LazyLock::new(|| {
    use AttributeKind::{Amount, Date, Int, Text};
    use vehicles::Column::*;
    let columns = [
        (Vin, Text(17)),
        (Year, Int(1800..=2200)),
        (Make, Text(25)),
        (Model, Text(25)),
        (Style, Text(25)),
        (Color, Text(25)),
        (RegisteredState, Text(25)),
        (LicensePlate, Text(25)),
        (OriginalMiles, Int(0..=i32::MAX)),
        (CurrentMiles, Int(0..=i32::MAX)),
        (TitleType, choice::<self::TitleType>()),
        (TitleStatus, choice::<self::TitleStatus>()),
        (TitleStatusDate, Date),
        (TitleNumber, Text(25)),
        (BrandedTitle, choice::<self::BrandedTitle>()),
        (PurchasePrice, Amount),
        (CurrentValue, Amount),
        (ValuationMethod, Text(25)),
        (ValuationDate, Date),
        (Comments, AttributeKind::LongText),
    ];
    RowShape::new(ElementShape::new("Vehicle"), columns)
});

pub(crate) static LOCATION: LazyLock<RowShape<locations::Entity>> = LazyLock::new(|| {
    use AttributeKind::Text;
    use locations::Column::*;
    let columns = [
        (ContactId, AttributeKind::Id),
        (ContactName, Text(40)),
        (CompanyName, Text(40)),
        (StreetAddress1, Text(40)),
        (StreetAddress2, Text(40)),
        (City, Text(25)),
        (State, Text(25)),
        (Zip, Text(10)),
        (County, Text(40)),
        (Country, Text(40)),
        (Phone, Text(20)),
    ];
    RowShape::new(ElementShape::new("Location"), columns)
});

pub(crate) static INSURANCE: LazyLock<RowShape<policies::Entity>> = LazyLock::new(|| {
    use AttributeKind::{Amount, Date, Text};
    use policies::Column::*;
    let columns = [
        (RowId, AttributeKind::Id),
        (Company, Text(80)),
        (AgentName, Text(40)),
        (PolicyNumber, Text(30)),
        (CoverageType, choice::<self::CoverageType>()),
        (CoverageAmount, Amount),
        (DeductibleAmount, Amount),
        (PremiumAmount, Amount),
        (EffectiveDate, Date),
        (ExpirationDate, Date),
        (CancelDate, Date),
        (LossPayeeFlag, AttributeKind::Flag),
        (ForcePlacedFlag, AttributeKind::Flag),
        (Status, choice::<PolicyStatus>()),
    ];
    let needed = ["Company", "PolicyNumber", "CoverageType"];
    RowShape::new(ElementShape::new("Insurance"), columns).needing(Needed::ToInsert, &needed)
});

pub(crate) static TAX: LazyLock<RowShape<taxes::Entity>> = LazyLock::new(|| {
    use AttributeKind::{Amount, Date, Text};
    use taxes::Column::*;
    let columns = [
        (RowId, AttributeKind::Id),
        (Authority, Text(80)),
        (ParcelNumber, Text(40)),
        (TaxYear, AttributeKind::Int(1800..=2200)),
        (AssessedValue, Amount),
        (TaxAmount, Amount),
        (DueDate, Date),
        (PaidDate, Date),
        (DelinquentFlag, AttributeKind::Flag),
    ];
    let needed = ["Authority", "TaxYear", "TaxAmount", "DueDate"];
    RowShape::new(ElementShape::new("Tax"), columns).needing(Needed::ToInsert, &needed)
});

impl ImportTransaction<'_, '_> {
    /// Sets or deletes the vehicle data of collateral.
    pub(super) async fn vehicle(
        &mut self,
        element: &Element,
        collateral: &LinkedCollateral,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &VEHICLE, self.enforce);
        let collateral_id = collateral.row.collateral_id;
        let before = self.only_row(vehicles::Column::CollateralId, collateral_id).await?;
        let empty = || vehicles::Model { collateral_id, ..Default::default() };
        let mut row = before.clone().unwrap_or_else(empty);
        fields.fill(&VEHICLE, &mut row);
        if let Some(fault) = fields.get::<String>("VIN").and_then(|number| vin::fault(&number)) {
            match self.vin_check().await? {
                VinCheck::Off => {}
                VinCheck::Warn => fields.warn("VIN", fault),
                VinCheck::Refuse => fields.error("VIN", fault),
            }
        }
        self.upsert(fields, before, row, collateral.audit_target()).await
    }

    /// Returns how a wrong vehicle identification number is treated. The setting is read once.
    #[expect(clippy::disallowed_methods, reason = "settings are the installation's")]
    async fn vin_check(&mut self) -> Result<VinCheck, RecordError> {
        if let Some(check) = self.vin_check {
            return Ok(check);
        }
        let setting = settings::Entity::find_by_id(vin::SETTING).one(self.tx).await?;
        Ok(*self.vin_check.insert(VinCheck::of(setting)))
    }

    /// Sets or deletes the location of collateral.
    pub(super) async fn location(
        &mut self,
        element: &Element,
        collateral: &LinkedCollateral,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &LOCATION, self.enforce);
        let collateral_id = collateral.row.collateral_id;
        let before = self.only_row(locations::Column::CollateralId, collateral_id).await?;
        let empty = || locations::Model { collateral_id, ..Default::default() };
        let mut row = before.clone().unwrap_or_else(empty);
        fields.fill(&LOCATION, &mut row);
        self.check_owner(&mut fields).await?;
        self.upsert(fields, before, row, collateral.audit_target()).await
    }

    /// Inserts, changes or deletes an insurance policy.
    pub(super) async fn insurance(
        &mut self,
        element: &Element,
        collateral: &LinkedCollateral,
    ) -> Result<ElementOutcome, RecordError> {
        use policies::Column::{CollateralId, RowId};
        let mut fields = ElementFields::new(element, &INSURANCE, self.enforce);
        let parent = (CollateralId, collateral.row.collateral_id);
        let before = self.own_row(&mut fields, RowId, parent).await?;
        let mut row = before.clone().unwrap_or_else(|| policies::Model {
            row_id: self.stage.next_placeholder(),
            collateral_id: collateral.row.collateral_id,
            company: String::new(),
            agent_name: None,
            policy_number: String::new(),
            coverage_type: CoverageType::Other,
            coverage_amount: None,
            deductible_amount: None,
            premium_amount: None,
            effective_date: None,
            expiration_date: None,
            cancel_date: None,
            loss_payee_flag: false,
            force_placed_flag: false,
            status: PolicyStatus::Active,
        });
        fields.fill(&INSURANCE, &mut row);
        let ends_early =
            row.expiration_date.zip(row.effective_date).is_some_and(|(to, from)| to < from);
        if fields.update != UpdateMode::Delete && ends_early {
            fields.error("ExpirationDate", "must not be before EffectiveDate");
        }
        self.upsert(fields, before, row, collateral.audit_target()).await
    }

    /// Inserts, changes or deletes a tax.
    pub(super) async fn tax(
        &mut self,
        element: &Element,
        collateral: &LinkedCollateral,
    ) -> Result<ElementOutcome, RecordError> {
        use taxes::Column::{CollateralId, RowId};
        let mut fields = ElementFields::new(element, &TAX, self.enforce);
        let parent = (CollateralId, collateral.row.collateral_id);
        let before = self.own_row(&mut fields, RowId, parent).await?;
        let mut row = before.clone().unwrap_or_else(|| taxes::Model {
            row_id: self.stage.next_placeholder(),
            collateral_id: collateral.row.collateral_id,
            due_date: self.clock.today,
            ..Default::default()
        });
        fields.fill(&TAX, &mut row);
        self.upsert(fields, before, row, collateral.audit_target()).await
    }
}
