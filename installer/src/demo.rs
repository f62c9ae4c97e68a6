//! The demo portfolio: an import file, made up deterministically and applied by the API's own
//! import, so that every balance in it was really posted. Dates count from the day it is made.

use api_server::access::Caller;
use api_server::history::Author;
use api_server::xml_import::parse::Element;
use api_server::xml_import::{Import, Mode, run};
use chrono::{Datelike, Days, Months, NaiveDate};
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter};
use shared::entity::field_changes::ChangeSource;
use shared::entity::users;
use shared::passwords::Passwords;
use shared::telemetry::RequestId;
use tokio::sync::mpsc;

/// What the portfolio's web user logs in with.
pub const WEB_USER_NAME: &str = "web.borrower";

/// Records made ahead of the one being applied.
const RECORDS_AHEAD: usize = 16;

/// Makes a portfolio of so many loans. The web user gets this password.
pub async fn import(db: &DatabaseConnection, loans: u32, web_password: &str) -> Result<(), String> {
    let admin = users::Entity::find().filter(users::Column::UserName.eq("admin")).one(db).await;
    let admin = admin.map_err(|error| error.to_string())?.ok_or("there is no admin account")?;
    let admitted = Caller::core(db, admin.user_id, &admin.user_name, true, false).await;
    let admitted = admitted.map_err(|error| error.to_string())?;
    let author = Author::new(&admitted.caller, ChangeSource::Installer, &RequestId::random());
    let passwords = Passwords::recommended()?;
    let mode = Mode { test: false, block: true, enforce: true };
    let import = Import::new(&admitted.caller, author, &passwords, admitted.clock, mode.enforce);
    let (sender, receiver) = mpsc::channel(RECORDS_AHEAD);
    let portfolio =
        Portfolio { today: admitted.clock.today, web_password: web_password.to_owned() };
    let progress = indicatif::ProgressBar::new(u64::from(loans));
    let maker = async {
        for number in 0..loans {
            for record in portfolio.loan(number) {
                if sender.send(Ok(record)).await.is_err() {
                    break;
                }
            }
            progress.inc(1);
        }
        drop(sender);
    };
    let (answer, ()) = tokio::join!(run(db, import, mode, receiver, None), maker);
    progress.finish_and_clear();
    let answer = answer.map_err(|problem| problem.to_string())?;
    let answer: serde_json::Value =
        serde_json::from_str(&answer).map_err(|error| error.to_string())?;
    match answer["Committed"] == true && answer["Failed"] == 0 {
        true => Ok(()),
        false => Err(first_failure(&answer)),
    }
}

fn first_failure(answer: &serde_json::Value) -> String {
    let records = answer["Records"].as_array().map(Vec::as_slice).unwrap_or_default();
    let failed = records.iter().find(|record| record["Action"] == "failed");
    failed.map(ToString::to_string).unwrap_or_default()
}

struct Portfolio {
    today: NaiveDate,
    web_password: String,
}

/// Amount, rate, payments, level instalment: monthly terms as a lender published them.
const MONTHLY_TERMS: [(&str, &str, u32, &str); 5] = [
    ("28000.00", "14.07", 60, "652.53"),
    ("5000.00", "12.61", 36, "167.54"),
    ("6000.00", "14.08", 36, "205.30"),
    ("20000.00", "7.97", 36, "626.46"),
    ("10000.00", "10.00", 12, "879.16"),
];

const FIRST_NAMES: [&str; 10] =
    ["Ana", "Ben", "Carla", "David", "Elena", "Frank", "Grace", "Hugo", "Irene", "Jonas"];
const LAST_NAMES: [&str; 7] =
    ["Rivera", "Schmidt", "Okafor", "Nakamura", "Larsen", "Moreau", "Kowalski"];
const CITIES: [(&str, &str, &str); 4] = [
    ("Newark", "NJ", "07102"),
    ("Austin", "TX", "78701"),
    ("Denver", "CO", "80202"),
    ("Tampa", "FL", "33602"),
];

/// What the loans of a portfolio are, by the last digits of their numbers.
enum Sort {
    Monthly { days_behind: u64, ahead: bool },
    Weekly,
    Biweekly,
    AtMaturity,
    Revolving,
    NonRevolving,
    PaidOff,
    ChargedOff,
}

fn sort(number: u32) -> Sort {
    match number % 50 {
        0..30 => Sort::Monthly {
            days_behind: [0, 0, 10, 35, 95][(number % 5) as usize],
            ahead: number % 10 == 1,
        },
        30..33 => Sort::Weekly,
        33..36 => Sort::Biweekly,
        36..40 => Sort::AtMaturity,
        40..44 => Sort::Revolving,
        44..46 => Sort::NonRevolving,
        46..48 => Sort::PaidOff,
        48 => Sort::ChargedOff,
        _ => Sort::Monthly { days_behind: 0, ahead: false },
    }
}

impl Portfolio {
    /// A loan with its borrower and its payments; every fifth borrower has a second contact.
    fn loan(&self, number: u32) -> Vec<Element> {
        let mut records = vec![self.contact(number, 1)];
        if number.is_multiple_of(5) {
            records.push(self.contact(number, 2));
        }
        let (mut loan, payments) = match sort(number) {
            Sort::Monthly { days_behind, ahead } => self.monthly(number, days_behind, ahead),
            Sort::Weekly => self.by_days(number, 7, "weekly"),
            Sort::Biweekly => self.by_days(number, 14, "biweekly"),
            Sort::AtMaturity => self.at_maturity(number),
            Sort::Revolving => self.open_ended(number, "revolving"),
            Sort::NonRevolving => self.open_ended(number, "non_revolving"),
            Sort::PaidOff => paid_off(),
            Sort::ChargedOff => {
                let (mut loan, payments) = self.monthly(number, 95, false);
                set(&mut loan, "StatusCode", "CHARGED_OFF");
                (loan, payments)
            }
        };
        self.complete(number, &mut loan);
        records.push(loan);
        if !payments.is_empty() {
            let payments = payments.into_iter().map(|mut payment| {
                set(&mut payment, "LoanNumber", &loan_number(number));
                payment
            });
            let children = payments.collect();
            records.push(Element { children, ..element("Transactions", &[]) });
        }
        records
    }

    fn complete(&self, number: u32, loan: &mut Element) {
        set(loan, "LoanNumber", &loan_number(number));
        set(loan, "ContactNumber", &contact_number(number, 1));
        let (group, portfolio) = match number % 7 {
            3 => ("COMMERCIAL", "SECURED"),
            _ => ("CONSUMER", "MAIN"),
        };
        set(loan, "LoanGroupCode", group);
        set(loan, "PortfolioCode", portfolio);
        set(loan, "RiskRatingCode", ["A", "B", "C"][(number % 3) as usize]);
        set(loan, "ContractualJurisdiction", CITIES[(number % 4) as usize].1);
        match number % 3 {
            1 => set(loan, "LoanOfficerUserName", "officer"),
            2 => set(loan, "LoanOfficerUserName", "officer2"),
            _ => {}
        }
        // A payoff on fixed days has a fixed amount.
        match number % 8 {
            _ if matches!(sort(number), Sort::PaidOff) => {}
            2 => set(loan, "SuspenseBalance", "150.00"),
            5 => set(loan, "ImpoundBalance", "420.00"),
            7 => set(loan, "LateChargeBalance", "25.00"),
            _ => {}
        }
        if number.is_multiple_of(5) {
            let link = [
                ("ContactNumber", contact_number(number, 2).as_str()),
                ("RelationshipCode", "COBORROWER"),
                ("WebAccessFlag", "true"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
            let link = Element { attributes: link.to_vec(), ..element("Relationship", &[]) };
            loan.children.push(link);
        }
        if number == 1 {
            // The web user's second loan: as a co-borrower with web access.
            let link = element(
                "Relationship",
                &[
                    ("ContactNumber", "C-000001"),
                    ("RelationshipCode", "COBORROWER"),
                    ("WebAccessFlag", "true"),
                ],
            );
            loan.children.push(link);
        }
    }

    fn contact(&self, number: u32, person: u32) -> Element {
        let seed = (number * 2 + person) as usize;
        let (first, last) = (FIRST_NAMES[seed % 10], LAST_NAMES[seed % 7]);
        let (city, state, zip) = CITIES[seed % 4];
        let expiry = self.today + Days::new(30 * (seed as u64 % 60));
        let contact_number = contact_number(number, person);
        let mut contact = element(
            "Contact",
            &[
                ("ContactNumber", contact_number.as_str()),
                ("ContactTypeCode", "BORROWER"),
                ("IDType1", "Passport"),
                ("IDNumber1", format!("P{:08}", 10_000_019 + seed).as_str()),
                ("IDExpiryDate1", expiry.to_string().as_str()),
                (
                    "TaxID1",
                    format!("{:03}-{:02}-{:04}", seed % 900, seed % 90, seed % 9000).as_str(),
                ),
                ("StreetAddress1", format!("{} Main Street", 100 + seed % 900).as_str()),
                ("City", city),
                ("State", state),
                ("Zip", zip),
                ("Email", format!("borrower{seed}@example.com").as_str()),
                ("ContactMethod", ["email", "mail", "phone", "text"][seed % 4]),
            ],
        );
        if number % 10 == 9 {
            set(&mut contact, "EntityCode", "COMPANY");
            set(&mut contact, "Company", &format!("{last} Trading {number}"));
        } else {
            set(&mut contact, "EntityCode", "INDIVIDUAL");
            set(&mut contact, "FirstName1", first);
            set(&mut contact, "LastName1", last);
        }
        if number % 10 == 4 {
            set(&mut contact, "FirstName2", FIRST_NAMES[(seed + 3) % 10]);
            set(&mut contact, "LastName2", last);
            let expiry = (expiry + Days::new(90)).to_string();
            set(&mut contact, "IDExpiryDate2", &expiry);
        }
        let web = match (number, person) {
            (0, 1) => Some((WEB_USER_NAME, "true")),
            (3, 1) => Some(("second.borrower", "true")),
            (6, 1) => Some(("former.borrower", "false")),
            _ => None,
        };
        if let Some((name, access)) = web {
            let password = self.web_password.as_str();
            let attributes =
                [("WebUserName", name), ("Password", password), ("WebAccessFlag", access)];
            contact.children.push(element("WebCredentials", &attributes));
        }
        contact
    }

    /// Paid on every due date up to `days_behind` days ago, or one instalment ahead.
    fn monthly(&self, number: u32, days_behind: u64, ahead: bool) -> (Element, Vec<Element>) {
        let (amount, rate, count, instalment) = MONTHLY_TERMS[(number % 5) as usize];
        let months_ago = (6 + number % 18).min(count - 2);
        // The last due date lies so far back that its missing payment is as late as it should be.
        let anchor = self.today - Days::new(days_behind.min(20));
        let first = month_start_like(anchor, months_ago);
        let (numerator, denominator) =
            if number % 4 == 3 { ("ACT", "365") } else { ("360", "360") };
        let mut loan = element(
            "Loan",
            &[
                ("OriginationDate", (first - Months::new(1)).to_string().as_str()),
                ("FirstPaymentDate", first.to_string().as_str()),
                ("LoanAmount", amount),
                ("InterestRate", rate),
                ("NumberOfPayments", count.to_string().as_str()),
                ("PaymentAmount", instalment),
                ("PaymentPeriod", "monthly"),
            ],
        );
        set(&mut loan, "InterestYearNumerator", numerator);
        set(&mut loan, "InterestYearDenominator", denominator);
        let paid_through = self.today - Days::new(days_behind);
        let due = (0..count).map(|n| first + Months::new(n));
        let late = |date: &NaiveDate| days_behind == 0 || *date < paid_through;
        let mut payments: Vec<Element> = due
            .take_while(|date| *date <= self.today && late(date))
            .map(|date| payment(instalment, date))
            .collect();
        if ahead {
            payments.push(payment(instalment, self.today));
        }
        (loan, payments)
    }

    fn by_days(&self, number: u32, days: u64, period: &str) -> (Element, Vec<Element>) {
        let instalment = if days == 7 { "55.00" } else { "110.00" };
        let periods = 20 + u64::from(number % 10);
        let first = self.today - Days::new(days * periods);
        let loan = element(
            "Loan",
            &[
                ("OriginationDate", (first - Days::new(days)).to_string().as_str()),
                ("FirstPaymentDate", first.to_string().as_str()),
                ("LoanAmount", "5200.00"),
                ("InterestRate", "9.25"),
                ("NumberOfPayments", if days == 7 { "104" } else { "52" }),
                ("PaymentAmount", instalment),
                ("PaymentPeriod", period),
            ],
        );
        let due = (0..periods).map(|n| first + Days::new(days * n));
        (loan, due.map(|date| payment(instalment, date)).collect())
    }

    fn at_maturity(&self, number: u32) -> (Element, Vec<Element>) {
        let origination = self.today - Days::new(100 + u64::from(number % 40));
        let loan = element(
            "Loan",
            &[
                ("OriginationDate", origination.to_string().as_str()),
                ("MaturityDate", (origination + Days::new(180)).to_string().as_str()),
                ("LoanAmount", "75000.00"),
                ("InterestRate", "6.5"),
                ("InterestYearDenominator", "360"),
                ("PaymentPeriod", "maturity"),
            ],
        );
        (loan, Vec::new())
    }

    fn open_ended(&self, number: u32, loan_type: &str) -> (Element, Vec<Element>) {
        let origination = self.today - Days::new(60 + u64::from(number % 30));
        let loan = element(
            "Loan",
            &[
                ("OriginationDate", origination.to_string().as_str()),
                ("LoanType", loan_type),
                ("LoanAmount", "2500.00"),
                ("InterestRate", "18.9"),
                ("PaymentPeriod", "none"),
            ],
        );
        let paid = origination + Days::new(30);
        (loan, vec![payment("200.00", paid)])
    }
}

/// Two payments and a payoff on fixed days, so that the payoff amount is known.
fn paid_off() -> (Element, Vec<Element>) {
    let loan = element(
        "Loan",
        &[
            ("OriginationDate", "2021-10-25"),
            ("LoanAmount", "10000.00"),
            ("InterestRate", "10"),
            ("PaymentPeriod", "none"),
        ],
    );
    let date = |text: &str| text.to_owned();
    let mut payments: Vec<Element> =
        [("879.16", "2021-11-25"), ("879.16", "2021-12-28"), ("8432.88", "2022-01-07")]
            .into_iter()
            .map(|(amount, day)| {
                element("Payment", &[("Amount", amount), ("EffectiveDate", date(day).as_str())])
            })
            .collect();
    if let Some(last) = payments.last_mut() {
        set(last, "Payoff", "true");
    }
    (loan, payments)
}

fn payment(amount: &str, date: NaiveDate) -> Element {
    let date = date.to_string();
    element("Payment", &[("Amount", amount), ("EffectiveDate", date.as_str())])
}

/// The day of `anchor`, so many months before, on a day that every month has.
fn month_start_like(anchor: NaiveDate, months: u32) -> NaiveDate {
    let anchor = anchor.with_day(anchor.day().min(28)).unwrap_or(anchor);
    anchor - Months::new(months)
}

fn loan_number(number: u32) -> String {
    format!("L-{:06}", number + 1)
}

fn contact_number(number: u32, person: u32) -> String {
    match person {
        1 => format!("C-{:06}", number + 1),
        _ => format!("C-{:06}-B", number + 1),
    }
}

fn element(name: &str, attributes: &[(&str, &str)]) -> Element {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let attributes = attributes.iter().map(own).collect();
    Element { name: name.to_owned(), attributes, ..Element::default() }
}

fn set(element: &mut Element, name: &str, value: &str) {
    element.attributes.push((name.to_owned(), value.to_owned()));
}
