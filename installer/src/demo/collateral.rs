//! The loans' collateral: vehicles, real estate and equipment, with all their details.

use super::block::{Block, LoanRef, basis_points, cents};
use super::people::CITIES;
use api_server::xml_import::vin;
use chrono::Datelike;
use sea_orm::{DatabaseTransaction, DbErr};
use shared::amounts::{Money, divide_half_up};
use shared::bulk_insert;
use shared::entity::collateral_insurance_policies::{CoverageType, PolicyStatus};
use shared::entity::collateral_vehicles::{BrandedTitle, TitleStatus, TitleType};
use shared::entity::{
    collateral_descriptions, collateral_insurance_policies as policies, collateral_locations,
    collateral_taxes, collateral_vehicles, collaterals, loan_collaterals,
};

/// Kind of a collateral item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CollateralKind {
    Vehicle,
    RealEstate,
    Equipment,
}

/// The collateral of the loan at this place of the mix.
fn kind(slot: u32) -> Option<CollateralKind> {
    match slot % 10 {
        0 => Some(CollateralKind::Vehicle),
        3 => Some(CollateralKind::RealEstate),
        6 => Some(CollateralKind::Equipment),
        _ => None,
    }
}

/// The place in the mix whose collateral secures no loan.
const UNLINKED_AT: u32 = 46;

/// An added collateral item, and the loan's place in the mix.
pub(super) struct CollateralRef {
    pub slot: u32,
    pub collateral_id: i64,
}

/// Details of many collateral items, to be inserted together.
#[derive(Default)]
struct Details {
    links: Vec<loan_collaterals::Model>,
    vehicles: Vec<collateral_vehicles::Model>,
    locations: Vec<collateral_locations::Model>,
    policies: Vec<policies::Model>,
    taxes: Vec<collateral_taxes::Model>,
    descriptions: Vec<collateral_descriptions::Model>,
}

/// Adds collateral with all its details. Real estate also secures the next loan of the mix.
pub(super) async fn add(
    tx: &DatabaseTransaction,
    block: &Block,
) -> Result<Vec<CollateralRef>, DbErr> {
    let mut details = Details::default();
    let mut added = Vec::new();
    for (index, loan) in block.loans.iter().enumerate() {
        let Some(kind) = kind(loan.slot) else { continue };
        let collateral_id = bulk_insert::add(tx, collateral(block, loan, kind)).await?;
        let next = block.loans.get(index + 1).filter(|_| kind == CollateralKind::RealEstate);
        let secured = [Some(loan).filter(|_| loan.slot != UNLINKED_AT), next];
        for secured_loan in secured.into_iter().flatten() {
            let loan_id = secured_loan.loan_id;
            details.links.push(loan_collaterals::Model { row_id: 0, loan_id, collateral_id });
        }
        details.add(block, loan, kind, collateral_id);
        added.push(CollateralRef { slot: loan.slot, collateral_id });
    }
    bulk_insert::add_all(tx, details.links).await?;
    bulk_insert::add_all(tx, details.vehicles).await?;
    bulk_insert::add_all(tx, details.locations).await?;
    bulk_insert::add_all(tx, details.policies).await?;
    bulk_insert::add_all(tx, details.taxes).await?;
    bulk_insert::add_all(tx, details.descriptions).await?;
    Ok(added)
}

fn collateral(block: &Block, loan: &LoanRef, kind: CollateralKind) -> collaterals::Model {
    let (code, units, price, percent) = match kind {
        CollateralKind::Vehicle => ("AUTO", 1, 3_000_000, 80),
        CollateralKind::RealEstate => ("REALTY", 1, 18_500_000, 75),
        CollateralKind::Equipment => ("EQUIP", 3, 425_050, 60),
    };
    let net_value = divide_half_up(i128::from(units) * price * percent, 100);
    collaterals::Model {
        collateral_id: 0,
        contact_id: Some(loan.contact_id),
        collateral_code: code.to_owned(),
        acquisition_date: Some(loan.origination),
        priced_date: Some(block.day(-30)),
        number_of_units: units,
        price_per_unit: wide_cents(price),
        percentage_value: basis_points(percent as i64 * 100),
        net_value: wide_cents(net_value),
        notes: (loan.slot == UNLINKED_AT).then(|| "Released; secures no loan".to_owned()),
    }
}

fn wide_cents(amount: i128) -> Money {
    i64::try_from(amount).map(cents).unwrap_or_default()
}

impl Details {
    fn add(&mut self, block: &Block, loan: &LoanRef, kind: CollateralKind, collateral_id: i64) {
        self.locations.push(location(loan, kind, collateral_id));
        self.policies.extend(insurance(block, loan, kind, collateral_id));
        match kind {
            CollateralKind::Vehicle => self.vehicles.push(vehicle(block, loan, collateral_id)),
            CollateralKind::RealEstate => {}
            CollateralKind::Equipment => return,
        }
        self.taxes.extend(taxes(block, loan, collateral_id));
        self.descriptions.push(collateral_descriptions::Model {
            collateral_id,
            description: match kind {
                CollateralKind::Vehicle => "Four doors, one owner, regularly serviced.",
                _ => "Single-family house, built in 1987, new roof in 2019.",
            }
            .to_owned(),
            modified_by_user_id: block.staff.officer,
            modified_date: block.days_ago(25),
        });
    }
}

fn vehicle(block: &Block, loan: &LoanRef, collateral_id: i64) -> collateral_vehicles::Model {
    let text = |text: &str| Some(text.to_owned());
    collateral_vehicles::Model {
        collateral_id,
        vin: Some(vin(4_352 + loan.number)),
        year: Some(block.clock.today.year() - 6),
        make: text("Honda"),
        model: text("Accord"),
        style: text("Sedan"),
        color: text(["Silver", "Blue", "Red"][(loan.slot / 10 % 3) as usize]),
        registered_state: text(CITIES[(loan.slot % 4) as usize].1),
        license_plate: Some(format!("DMO {:04}", loan.number % 10_000)),
        original_miles: Some(12),
        current_miles: Some(48_000 + i32::try_from(loan.slot).unwrap_or_default() * 100),
        title_type: if loan.slot == 20 { TitleType::Paper } else { TitleType::Electronic },
        title_status: match loan.slot {
            20 => TitleStatus::Submitted,
            _ => TitleStatus::Perfected,
        },
        title_status_date: Some(block.day(-40)),
        title_number: Some(format!("T{:08}", 31_000_000 + loan.number)),
        branded_title: if loan.slot == 30 { BrandedTitle::Rebuilt } else { BrandedTitle::None },
        purchase_price: Some(cents(3_000_000)),
        current_value: Some(cents(2_450_000)),
        valuation_method: text("Guide book"),
        valuation_date: Some(block.day(-30)),
        comments: (loan.slot == 30).then(|| "Rebuilt after hail.".to_owned()),
    }
}

/// A vehicle identification number with this serial number and a valid check digit.
fn vin(serial: u32) -> String {
    let without_check = format!("1HGCM82603A{:06}", serial % 1_000_000);
    let check = vin::check_digit(&without_check.chars().collect::<Vec<_>>()).unwrap_or('0');
    format!("{}{check}{}", &without_check[..8], &without_check[9..])
}

/// A vehicle is at its owner's address; anything else has its own.
fn location(
    loan: &LoanRef,
    kind: CollateralKind,
    collateral_id: i64,
) -> collateral_locations::Model {
    let has_own_address = kind != CollateralKind::Vehicle;
    let text = |text: &str| has_own_address.then(|| text.to_owned());
    let (city, state, zip, county) = CITIES[(loan.slot % 4) as usize];
    collateral_locations::Model {
        collateral_id,
        contact_id: (!has_own_address).then_some(loan.contact_id),
        contact_name: text("Site office"),
        company_name: (kind == CollateralKind::Equipment).then(|| "Riverside Storage".to_owned()),
        street_address1: has_own_address.then(|| format!("{} Harbor Way", 200 + loan.number % 700)),
        street_address2: None,
        city: text(city),
        state: text(state),
        zip: text(zip),
        county: text(county),
        country: text("USA"),
        phone: text("555-0177"),
    }
}

fn insurance(
    block: &Block,
    loan: &LoanRef,
    kind: CollateralKind,
    collateral_id: i64,
) -> Vec<policies::Model> {
    let (first, second) = match kind {
        CollateralKind::Vehicle => (CoverageType::Collision, CoverageType::Comprehensive),
        CollateralKind::RealEstate => (CoverageType::Hazard, CoverageType::Flood),
        CollateralKind::Equipment => (CoverageType::Other, CoverageType::Title),
    };
    let active = policies::Model {
        row_id: 0,
        collateral_id,
        company: "Harbor Mutual Insurance".to_owned(),
        agent_name: Some("Irene Moreau".to_owned()),
        policy_number: format!("HM-{:06}", 500_000 + loan.number),
        coverage_type: first,
        coverage_amount: Some(cents(3_000_000)),
        deductible_amount: Some(cents(50_000)),
        premium_amount: Some(cents(64_000)),
        effective_date: Some(block.day(-120)),
        expiration_date: Some(block.day(245)),
        cancel_date: None,
        loss_payee_flag: true,
        // The lender insures equipment, as the owner has not done so.
        force_placed_flag: kind == CollateralKind::Equipment,
        status: PolicyStatus::Active,
    };
    let past = policies::Model {
        company: "First Coast Casualty".to_owned(),
        agent_name: None,
        policy_number: format!("FC-{:06}", 700_000 + loan.number),
        coverage_type: second,
        effective_date: Some(block.day(-500)),
        expiration_date: Some(block.day(-135)),
        cancel_date: (kind == CollateralKind::RealEstate).then(|| block.day(-150)),
        force_placed_flag: false,
        status: match kind {
            CollateralKind::RealEstate => PolicyStatus::Cancelled,
            _ => PolicyStatus::Expired,
        },
        ..active.clone()
    };
    match kind {
        CollateralKind::Equipment => vec![active],
        _ => vec![active, past],
    }
}

/// Last year's tax is paid; this year's is unpaid, and delinquent at one place of the mix.
fn taxes(block: &Block, loan: &LoanRef, collateral_id: i64) -> Vec<collateral_taxes::Model> {
    let is_delinquent = loan.slot == 13;
    let this_year = collateral_taxes::Model {
        row_id: 0,
        collateral_id,
        authority: format!("{} County", CITIES[(loan.slot % 4) as usize].3),
        parcel_number: Some(format!("07-{:05}-{}", 10_000 + loan.number % 90_000, loan.slot)),
        tax_year: block.clock.today.year(),
        assessed_value: Some(cents(14_200_000)),
        tax_amount: cents(213_040),
        due_date: block.day(if is_delinquent { -20 } else { 40 }),
        paid_date: None,
        delinquent_flag: is_delinquent,
    };
    let last_year = collateral_taxes::Model {
        tax_year: this_year.tax_year - 1,
        tax_amount: cents(208_510),
        due_date: block.day(-330),
        paid_date: Some(block.day(-335)),
        delinquent_flag: false,
        ..this_year.clone()
    };
    vec![last_year, this_year]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vin_has_the_correct_check_digit() {
        assert_eq!(vin(4_352), "1HGCM82633A004352");
        assert_eq!(vin(4_353), "1HGCM82653A004353");
    }
}
