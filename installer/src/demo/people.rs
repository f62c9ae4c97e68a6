//! Contacts: persons, couples and companies, their previous addresses, and their credit reports.

use super::block::{Block, LoanRef, MIX, cents};
use super::loans::{element, set};
use crate::seed::WEB_USER_NAME;
use api_server::xml_import::parse::Element;
use chrono::{Days, NaiveDate};
use sea_orm::{DatabaseTransaction, DbErr};
use shared::bulk_insert;
use shared::entity::credit_profiles::PullType;
use shared::entity::{contact_addresses, credit_profiles};
use shared::json_columns::TextList;

const FIRST_NAMES: [&str; 10] =
    ["Ana", "Ben", "Carla", "David", "Elena", "Frank", "Grace", "Hugo", "Irene", "Jonas"];
const LAST_NAMES: [&str; 7] =
    ["Rivera", "Schmidt", "Okafor", "Nakamura", "Larsen", "Moreau", "Kowalski"];
/// City, state, zip, county.
pub(super) const CITIES: [(&str, &str, &str, &str); 4] = [
    ("Newark", "NJ", "07102", "Essex"),
    ("Austin", "TX", "78701", "Travis"),
    ("Denver", "CO", "80202", "Denver"),
    ("Tampa", "FL", "33602", "Hillsborough"),
];

pub(super) fn contact_number(number: u32, person: u32) -> String {
    match person {
        1 => format!("C-{:06}", number + 1),
        _ => format!("C-{:06}-B", number + 1),
    }
}

/// A contact as a record of an import file: a loan's borrower, or its second contact.
pub(super) fn contact(today: NaiveDate, number: u32, person: u32, web_password: &str) -> Element {
    let seed = (number * 2 + person) as usize;
    let last = LAST_NAMES[seed % 7];
    let (city, state, zip, county) = CITIES[seed % 4];
    let expiry = today + Days::new(30 * (seed as u64 % 60));
    let mut contact = element(
        "Contact",
        &[
            ("ContactNumber", contact_number(number, person).as_str()),
            ("ContactTypeCode", if number % MIX == 19 { "DEALER" } else { "BORROWER" }),
            ("ShortName", last.to_uppercase().as_str()),
            ("IDType1", "Passport"),
            ("IDNumber1", format!("P{:08}", 10_000_019 + seed).as_str()),
            ("IDIssuer1", "United States of America"),
            ("IDExpiryDate1", expiry.to_string().as_str()),
            ("TaxID1", tax_id(seed).as_str()),
            ("StreetAddress1", format!("{} Main Street", 100 + seed % 900).as_str()),
            ("City", city),
            ("State", state),
            ("Zip", zip),
            ("County", county),
            ("Country", "USA"),
            ("Email", format!("borrower{seed}@example.com").as_str()),
            ("MobilePhone", format!("555-01{:02}", seed % 100).as_str()),
            ("ContactMethod", ["email", "mail", "phone", "text"][seed % 4]),
        ],
    );
    match number % MIX % 10 {
        9 => {
            set(&mut contact, "EntityCode", "COMPANY");
            set(&mut contact, "Company", &format!("{last} Trading {number}"));
        }
        tenth => {
            set(&mut contact, "EntityCode", "INDIVIDUAL");
            set_person(&mut contact, '1', FIRST_NAMES[seed % 10], last, today, seed);
            if matches!(tenth, 0 | 4) {
                set_person(&mut contact, '2', FIRST_NAMES[(seed + 3) % 10], last, today, seed + 3);
                let expiry = (expiry + Days::new(90)).to_string();
                set(&mut contact, "IDExpiryDate2", &expiry);
            }
        }
    }
    match number % MIX % 3 {
        1 => set(&mut contact, "ContactOfficerUserName", "officer"),
        2 => set(&mut contact, "ContactOfficerUserName", "officer2"),
        _ => {}
    }
    contact.children.extend(web_credentials(number, person, web_password));
    contact
}

fn set_person(
    contact: &mut Element,
    position: char,
    first: &str,
    last: &str,
    today: NaiveDate,
    seed: usize,
) {
    let birth = today - Days::new(9_000 + 211 * (seed as u64 % 60));
    set(contact, &format!("FirstName{position}"), first);
    set(contact, &format!("LastName{position}"), last);
    set(contact, &format!("FullName{position}"), &format!("{first} {last}"));
    set(contact, &format!("BirthDate{position}"), &birth.to_string());
}

fn tax_id(seed: usize) -> String {
    format!("{:03}-{:02}-{:04}", seed % 900, seed % 90, seed % 9000)
}

/// Three contacts of the portfolio are web users, one of them without access.
fn web_credentials(number: u32, person: u32, password: &str) -> Option<Element> {
    let (name, access) = match (number, person) {
        (0, 1) => (WEB_USER_NAME, "true"),
        (3, 1) => ("second.borrower", "true"),
        (6, 1) => ("former.borrower", "false"),
        _ => return None,
    };
    let attributes = [("WebUserName", name), ("Password", password), ("WebAccessFlag", access)];
    Some(element("WebCredentials", &attributes))
}

pub(super) async fn add_previous_addresses(
    tx: &DatabaseTransaction,
    block: &Block,
) -> Result<(), DbErr> {
    let addresses = block.at(|slot| slot == 0 || slot % 5 == 2).map(|loan| {
        let (city, state, zip, county) = CITIES[(loan.number % 3) as usize];
        let text = |text: &str| Some(text.to_owned());
        contact_addresses::Model {
            row_id: 0,
            contact_id: loan.contact_id,
            relationship_code: "PREVIOUS".to_owned(),
            street_address1: Some(format!("{} Old Mill Road", 10 + loan.number % 90)),
            street_address2: None,
            city: text(city),
            state: text(state),
            zip: text(zip),
            county: text(county),
            country: text("USA"),
            from_date: block.day(-2_000),
            to_date: Some(block.day(-400)),
        }
    });
    bulk_insert::add_all(tx, addresses.collect()).await
}

/// Adds the credit reports of five borrowers in the mix; one of them is the second person of a
/// couple.
pub(super) async fn add_credit_profiles(
    tx: &DatabaseTransaction,
    block: &Block,
) -> Result<(), DbErr> {
    /// Slot, person, bureau, score, open balance and past due in cents, alert.
    type Report = (u32, i32, &'static str, Option<i32>, i64, i64, &'static str);
    const REPORTS: [Report; 5] = [
        (0, 1, "EQUIFAX", Some(731), 1_845_000, 0, ""),
        (4, 2, "EXPERIAN", Some(688), 4_210_550, 0, ""),
        (13, 1, "TRANSUNION", Some(602), 2_300_000, 87_500, "fraud"),
        (21, 1, "EQUIFAX", None, 0, 0, "freeze"),
        (33, 1, "EXPERIAN", Some(790), 650_025, 0, ""),
    ];
    let mut profiles = Vec::new();
    for (slot, person_number, bureau, score, open, past_due, alert) in REPORTS {
        let list = |texts: &[&str]| TextList(texts.iter().map(|text| (*text).to_owned()).collect());
        let profile = |loan: &LoanRef| credit_profiles::Model {
            report_id: 0,
            contact_id: loan.contact_id,
            person_number,
            bureau_code: bureau.to_owned(),
            pull_type: if slot % 2 == 0 { PullType::Hard } else { PullType::Soft },
            purpose_code: if slot % 2 == 0 { "APPLICATION" } else { "REVIEW" }.to_owned(),
            pulled_date: block.days_ago(i64::from(slot) + 20),
            pulled_by_user_id: block.staff.officer,
            score,
            score_model: score.map(|_| "FICO 8".to_owned()),
            score_factors: match score {
                Some(_) => list(&["Length of credit history", "Share of credit in use"]),
                None => TextList::default(),
            },
            tradeline_count: 4 + person_number,
            inquiry_count: 2,
            public_record_count: 0,
            collection_count: i32::from(past_due > 0),
            open_balance: cents(open),
            past_due_amount: cents(past_due),
            alerts: if alert.is_empty() { TextList::default() } else { list(&[alert]) },
            expires_date: Some(block.day(90)),
        };
        profiles.extend(block.at(|other| other == slot).map(profile));
    }
    bulk_insert::add_all(tx, profiles).await
}
