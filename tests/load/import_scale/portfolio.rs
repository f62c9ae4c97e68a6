//! The import file: contacts, then a loan for each, one record per line, always the same for a
//! given number.

use chrono::{Datelike, Days, Months, NaiveDate};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The longest file that an import accepts.
pub const BYTES_MAX: u64 = 1 << 30;

const FIRST_NAMES: [&str; 12] = [
    "Ana",
    "Benjamin",
    "Carmen",
    "Dmitri",
    "Eleanor",
    "Francis",
    "Guadalupe",
    "Henry",
    "Ingrid",
    "Jerome",
    "Katherine",
    "Lucas",
];
const LAST_NAMES: [&str; 11] = [
    "Rivera",
    "Abernathy",
    "Castellanos",
    "Dubois",
    "Ångström",
    "Fitzgerald",
    "Goldberg",
    "Hernandez",
    "Ivanov",
    "Johansson",
    "O&apos;Brien",
];
const PLACES: [(&str, &str, &str); 7] = [
    ("Newark", "NJ", "07102"),
    ("Sacramento", "CA", "95814"),
    ("Salt Lake City", "UT", "84101"),
    ("Minneapolis", "MN", "55401"),
    ("Chattanooga", "TN", "37402"),
    ("Albuquerque", "NM", "87102"),
    ("Providence", "RI", "02903"),
];
const TERMS_IN_MONTHS: [u64; 6] = [24, 36, 48, 60, 72, 84];

/// How many contacts there are, each with a loan, and how the file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portfolio {
    /// Contacts; there are as many loans.
    pub contacts: u64,
    /// The file is one transaction.
    pub block: bool,
    /// Loans refer to their contact by number; otherwise by the name under which the file stores
    /// it.
    pub by_number: bool,
}

impl Portfolio {
    /// Contacts and loans together.
    pub fn records(&self) -> u64 {
        2 * self.contacts
    }

    /// As many contacts and loans as fit into a file of this length.
    pub fn fitting(self, bytes: u64) -> Self {
        let mut length = (self.head().len() + FOOT.len()) as u64;
        let fits = |number: &u64| {
            length += (self.contact(*number).len() + self.loan(*number).len()) as u64;
            length <= bytes
        };
        let contacts = (1..).take_while(fits).count() as u64;
        Self { contacts, ..self }
    }

    /// Writes the file and returns its length.
    pub fn write(&self, file: &mut impl Write) -> io::Result<u64> {
        let mut length = 0;
        let mut write_text = |text: &str| {
            length += text.len() as u64;
            file.write_all(text.as_bytes())
        };
        write_text(&self.head())?;
        for number in 1..=self.contacts {
            write_text(&self.contact(number))?;
        }
        for number in 1..=self.contacts {
            write_text(&self.loan(number))?;
        }
        write_text(FOOT)?;
        Ok(length)
    }

    /// The expected result of the record at this index, without the id of its row.
    pub fn result(&self, index: u64) -> Value {
        let (element, key) = match index.checked_sub(self.contacts) {
            None => ("Contact", contact_number(index + 1)),
            Some(loan) => ("Loan", loan_number(loan + 1)),
        };
        // The root element is on the first line.
        let line = index + 2;
        json!({"Line": line, "Element": element, "Action": "inserted", "Key": key, "Messages": []})
    }

    /// The expected totals of the response.
    pub fn totals(&self, test: bool) -> Value {
        json!({"Test": test, "Committed": !test, "Read": self.records(),
            "Inserted": self.records(), "Updated": 0, "Deleted": 0, "Failed": 0})
    }

    fn head(&self) -> String {
        let block = u8::from(self.block);
        format!("<Core CommitBlock=\"{block}\" EnforceTagExistence=\"1\">\n")
    }

    fn contact(&self, number: u64) -> String {
        let first = pick(&FIRST_NAMES, number);
        let last = pick(&LAST_NAMES, number / 5);
        let (city, state, zip) = pick(&PLACES, number);
        let key = contact_number(number);
        let store_id = match self.by_number {
            true => String::new(),
            false => format!(" StoreRecordID=\"borrower {number}\""),
        };
        let (house, apartment) = (number % 9973, number % 97);
        let phone = number % 10_000;
        let tax = format!("{:03}-{:02}-{:04}", number % 899 + 1, number % 89 + 10, phone);
        let name = match number % 10 {
            0 => format!(
                "EntityCode=\"COMPANY\" ShortName=\"CO{number}\" Company=\"{last} &amp; Sons \
                 Transport and Logistics No. {number}\" LastName1=\"{last}\" Title1=\"Treasurer\""
            ),
            _ => format!(
                "EntityCode=\"INDIVIDUAL\" ShortName=\"SN{number}\" Salutation1=\"Ms\" \
                 LastName1=\"{last}\" BirthDate1=\"{}\" IDExpiryDate1=\"2031-05-31\"",
                day(1950, number * 7 % 18_000)
            ),
        };
        format!(
            "<Contact ContactNumber=\"{key}\" ContactTypeCode=\"BORROWER\" {name} \
             FirstName1=\"{first}\" TaxID1=\"{tax}\" StreetAddress1=\"{house} Jefferson Avenue, Apartment {apartment}\" \
             City=\"{city}\" State=\"{state}\" Zip=\"{zip}\" Country=\"United States\" \
             Email=\"{first}.{number}@example.com\" HomePhone=\"+1 555 010 {phone:04}\" \
             MobilePhone=\"+1 555 020 {phone:04}\" ContactMethod=\"email\"{store_id}/>\n"
        )
    }

    fn loan(&self, number: u64) -> String {
        let key = loan_number(number);
        let borrower = match self.by_number {
            true => format!("ContactNumber=\"{}\"", contact_number(number)),
            false => format!("GetRecordID=\"borrower {number}\""),
        };
        let group = if number.is_multiple_of(10) { "COMMERCIAL" } else { "CONSUMER" };
        let (_, state, _) = pick(&PLACES, number);
        let cents = 500_000 + number * 7919 % 4_500_000;
        // In hundredths of a percent.
        let rate = 499 + number * 31 % 1500;
        let months = *pick(&TERMS_IN_MONTHS, number);
        // Every fourth loan leaves it to the service to compute the level installment.
        let installment = match number % 4 {
            0 => String::new(),
            // More than the level installment: an even share, plus a month's interest on the whole
            // amount.
            _ => format!(" PaymentAmount=\"{}\"", decimal(cents / months + cents * rate / 120_000)),
        };
        let origination = day(2024, number % 360);
        let first = origination + Months::new(1);
        format!(
            "<Loan LoanNumber=\"{key}\" {borrower} LoanGroupCode=\"{group}\" \
             PortfolioCode=\"MAIN\" StatusCode=\"ACTIVE\" LoanNickname=\"Number {number} at the \
             branch in {state}\" ContractualJurisdiction=\"{state}\" LoanType=\"term\" \
             OriginationDate=\"{origination}\" InterestStartDate=\"{origination}\" LoanAmount=\"{}\" InterestRate=\"{}\" \
             InterestYearNumerator=\"360\" InterestYearDenominator=\"360\" \
             PaymentPeriod=\"monthly\" NumberOfPayments=\"{months}\"{installment} \
             FirstPaymentDate=\"{first}\" PaymentDay=\"{}\" ExcessHandling=\"principal\" AdvanceDays=\"{}\"/>\n",
            decimal(cents),
            decimal(rate),
            origination.day(),
            15 + number % 10,
        )
    }
}

const FOOT: &str = "</Core>\n";

pub fn contact_number(number: u64) -> String {
    format!("C-{number:07}")
}

fn loan_number(number: u64) -> String {
    format!("L-{number:07}")
}

fn pick<T>(list: &[T], number: u64) -> &T {
    &list[(number % list.len() as u64) as usize]
}

/// Formats hundredths as a decimal.
fn decimal(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// The date this many days into a year.
fn day(year: i32, days: u64) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, 1, 1).expect("a date") + Days::new(days)
}
