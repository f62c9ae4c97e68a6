//! `<Vehicle>`, `<Location>`, `<Insurance>` and `<Tax>`: details of collateral.

use super::LinkedCollateral;
use crate::xml_import::element_fields::{ElementFields, UpdateMode};
use crate::xml_import::format::{AttributeKind, ElementShape, Needed, RowShape, attribute, choice};
use crate::xml_import::parse::Element;
use crate::xml_import::vin::{self, VinCheck};
use crate::xml_import::{ElementOutcome, Import, RecordError};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use shared::amounts::Money;
use shared::entity::collateral_insurance_policies::{self as policies, CoverageType, PolicyStatus};
use shared::entity::collateral_vehicles::{BrandedTitle, TitleStatus, TitleType};
use shared::entity::{
    collateral_locations as locations, collateral_taxes as taxes, collateral_vehicles as vehicles,
    settings,
};
use std::sync::LazyLock;

/// `<Vehicle>`
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

/// `<Location>`
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

/// `<Insurance>`
pub(crate) static INSURANCE: LazyLock<RowShape<policies::Entity>> = LazyLock::new(|| {
    use AttributeKind::{Amount, Date, Text};
    use policies::Column::*;
    let shape = ElementShape::new("Insurance").with([attribute("RowID", AttributeKind::Id)]);
    let columns = [
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
    RowShape::new(shape, columns).needing(Needed::ToInsert, &needed)
});

/// `<Tax>`
pub(crate) static TAX: LazyLock<RowShape<taxes::Entity>> = LazyLock::new(|| {
    use AttributeKind::{Amount, Date, Text};
    use taxes::Column::*;
    let shape = ElementShape::new("Tax").with([attribute("RowID", AttributeKind::Id)]);
    let columns = [
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
    RowShape::new(shape, columns).needing(Needed::ToInsert, &needed)
});

fn empty_vehicle(collateral_id: i64) -> vehicles::Model {
    vehicles::Model {
        collateral_id,
        vin: None,
        year: None,
        make: None,
        model: None,
        style: None,
        color: None,
        registered_state: None,
        license_plate: None,
        original_miles: None,
        current_miles: None,
        title_type: TitleType::None,
        title_status: TitleStatus::NotReceived,
        title_status_date: None,
        title_number: None,
        branded_title: BrandedTitle::None,
        purchase_price: None,
        current_value: None,
        valuation_method: None,
        valuation_date: None,
        comments: None,
    }
}

impl Import<'_> {
    /// Sets or deletes the vehicle data of collateral.
    pub(super) async fn vehicle(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        collateral: &LinkedCollateral,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &VEHICLE, self.enforce);
        let collateral_id = collateral.row.collateral_id;
        let before = match collateral_id {
            ..0 => {
                self.stage.find(|row: &vehicles::Model| row.collateral_id == collateral_id).cloned()
            }
            _ => {
                let of_collateral = vehicles::Column::CollateralId.eq(collateral_id);
                self.caller.find::<vehicles::Entity>().filter(of_collateral).one(tx).await?
            }
        };
        let mut row = before.clone().unwrap_or_else(|| empty_vehicle(collateral_id));
        fields.fill(&VEHICLE, &mut row);
        if let Some(fault) = fields.get::<String>("VIN").and_then(|number| vin::fault(&number)) {
            match self.vin_check(tx).await? {
                VinCheck::Off => {}
                VinCheck::Warn => fields.warn("VIN", fault),
                VinCheck::Refuse => fields.error("VIN", fault),
            }
        }
        self.upsert(tx, element, fields, before, row, collateral.audit_target()).await
    }

    /// Returns how a wrong vehicle identification number is treated. The setting is read once.
    #[expect(clippy::disallowed_methods, reason = "settings are the installation's")]
    async fn vin_check(&mut self, tx: &DatabaseTransaction) -> Result<VinCheck, RecordError> {
        if let Some(check) = self.vin_check {
            return Ok(check);
        }
        let setting = settings::Entity::find_by_id(vin::SETTING).one(tx).await?;
        Ok(*self.vin_check.insert(VinCheck::of(setting)))
    }

    /// Sets or deletes the location of collateral.
    pub(super) async fn location(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        collateral: &LinkedCollateral,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &LOCATION, self.enforce);
        let collateral_id = collateral.row.collateral_id;
        let before = match collateral_id {
            ..0 => self
                .stage
                .find(|row: &locations::Model| row.collateral_id == collateral_id)
                .cloned(),
            _ => {
                let of_collateral = locations::Column::CollateralId.eq(collateral_id);
                self.caller.find::<locations::Entity>().filter(of_collateral).one(tx).await?
            }
        };
        let mut row = before.clone().unwrap_or(locations::Model {
            collateral_id,
            contact_id: None,
            contact_name: None,
            company_name: None,
            street_address1: None,
            street_address2: None,
            city: None,
            state: None,
            zip: None,
            county: None,
            country: None,
            phone: None,
        });
        fields.fill(&LOCATION, &mut row);
        self.check_owner(tx, &mut fields).await?;
        self.upsert(tx, element, fields, before, row, collateral.audit_target()).await
    }

    /// Inserts, changes or deletes an insurance policy.
    pub(super) async fn insurance(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        collateral: &LinkedCollateral,
    ) -> Result<ElementOutcome, RecordError> {
        use policies::Column::{CollateralId, RowId};
        let mut fields = ElementFields::new(element, &INSURANCE, self.enforce);
        let parent = (CollateralId, collateral.row.collateral_id);
        let before =
            self.own_row::<policies::Entity>(tx, &mut fields, ("RowID", RowId), parent).await?;
        let mut row = match &before {
            Some(before) => before.clone(),
            None => policies::Model {
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
            },
        };
        fields.fill(&INSURANCE, &mut row);
        let ends_early =
            row.expiration_date.zip(row.effective_date).is_some_and(|(to, from)| to < from);
        if fields.update != UpdateMode::Delete && ends_early {
            fields.error("ExpirationDate", "must not be before EffectiveDate");
        }
        self.upsert(tx, element, fields, before, row, collateral.audit_target()).await
    }

    /// Inserts, changes or deletes a tax.
    pub(super) async fn tax(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        collateral: &LinkedCollateral,
    ) -> Result<ElementOutcome, RecordError> {
        use taxes::Column::{CollateralId, RowId};
        let mut fields = ElementFields::new(element, &TAX, self.enforce);
        let parent = (CollateralId, collateral.row.collateral_id);
        let before =
            self.own_row::<taxes::Entity>(tx, &mut fields, ("RowID", RowId), parent).await?;
        let mut row = match &before {
            Some(before) => before.clone(),
            None => taxes::Model {
                row_id: self.stage.next_placeholder(),
                collateral_id: collateral.row.collateral_id,
                authority: String::new(),
                parcel_number: None,
                tax_year: 0,
                assessed_value: None,
                tax_amount: Money::ZERO,
                due_date: self.clock.today,
                paid_date: None,
                delinquent_flag: false,
            },
        };
        fields.fill(&TAX, &mut row);
        self.upsert(tx, element, fields, before, row, collateral.audit_target()).await
    }
}
