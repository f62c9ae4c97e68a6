//! Loans and their payments as records of an import file, so that every balance is actually posted.

use super::block::MIX;
use super::people::{self, CITIES, contact_number};
use api_server::loans::servicing::schedule::Schedule;
use api_server::xml_import::parse::Element;
use chrono::{Datelike, Days, Months, NaiveDate};
use shared::entity::loans::PaymentPeriod;

/// Amount, rate, number of payments, level installment: monthly terms as published by a lender.
const MONTHLY_TERMS: [(&str, &str, u32, &str); 5] = [
    ("28000.00", "14.07", 60, "652.53"),
    ("5000.00", "12.61", 36, "167.54"),
    ("6000.00", "14.08", 36, "205.30"),
    ("20000.00", "7.97", 36, "626.46"),
    ("10000.00", "10.00", 12, "879.16"),
];

/// A payment this many days before the next due date counts as the next installment.
const AHEAD_DAYS: u64 = 15;

/// Kind of a loan, by its place in the mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoanProfile {
    Monthly { days_behind: u64 },
    PaidAhead,
    Weekly,
    Biweekly,
    AtMaturity,
    Revolving,
    NonRevolving,
    PaidOff,
    ChargedOff,
}

/// The kind of the loan at this place of the mix. The first one is the web user's.
pub(super) fn profile(slot: u32) -> LoanProfile {
    match slot {
        0 | 41..=43 => LoanProfile::Revolving,
        1 | 11 | 21 => LoanProfile::PaidAhead,
        2..=29 => LoanProfile::Monthly { days_behind: [0, 0, 10, 35, 95][(slot % 5) as usize] },
        30..=32 => LoanProfile::Weekly,
        33..=35 => LoanProfile::Biweekly,
        36..=39 => LoanProfile::AtMaturity,
        44 | 45 => LoanProfile::NonRevolving,
        46 | 47 => LoanProfile::PaidOff,
        48 => LoanProfile::ChargedOff,
        _ => LoanProfile::Monthly { days_behind: 0 },
    }
}

/// Generates the records of a portfolio.
pub(super) struct Records<'a> {
    pub today: NaiveDate,
    /// The web users' password.
    pub web_password: &'a str,
}

impl Records<'_> {
    /// A loan with its borrower and its payments; every fifth loan has a second contact.
    pub(super) fn of_loan(&self, number: u32) -> Vec<Element> {
        let slot = number % MIX;
        let mut records = vec![people::contact(self.today, number, 1, self.web_password)];
        if slot.is_multiple_of(5) {
            records.push(people::contact(self.today, number, 2, self.web_password));
        }
        let (mut loan, mut payments) = match profile(slot) {
            LoanProfile::Monthly { days_behind } => self.monthly(slot, days_behind),
            LoanProfile::PaidAhead => self.paid_ahead(slot),
            LoanProfile::Weekly => self.by_days(slot, 7, "weekly"),
            LoanProfile::Biweekly => self.by_days(slot, 14, "biweekly"),
            LoanProfile::AtMaturity => self.at_maturity(slot),
            LoanProfile::Revolving => self.open_ended(slot, "revolving"),
            LoanProfile::NonRevolving => self.open_ended(slot, "non_revolving"),
            LoanProfile::PaidOff => paid_off(),
            LoanProfile::ChargedOff => self.monthly(slot, 95),
        };
        let loan_number = loan_number(number);
        set(&mut loan, "LoanNumber", &loan_number);
        set(&mut loan, "ContactNumber", &contact_number(number, 1));
        complete(slot, &mut loan);
        loan.children.extend(co_borrowers(number));
        records.push(loan);
        for payment in &mut payments {
            set(payment, "LoanNumber", &loan_number);
        }
        if !payments.is_empty() {
            records.push(Element { children: payments, ..element("Transactions", &[]) });
        }
        if profile(slot) == LoanProfile::ChargedOff {
            let charged_off = [
                ("UpdateFlag", "1"),
                ("LoanNumber", loan_number.as_str()),
                ("StatusCode", "CHARGED_OFF"),
            ];
            records.push(element("Loan", &charged_off));
        }
        records
    }

    /// Paid on every due date before the one `days_behind` days ago; 0: up to today.
    fn monthly(&self, slot: u32, days_behind: u64) -> (Element, Vec<Element>) {
        let oldest_unpaid = self.today - Days::new(days_behind);
        self.paid_monthly(slot, oldest_unpaid, |date, today| {
            if days_behind == 0 { date <= today } else { date < oldest_unpaid }
        })
    }

    /// Paid on every due date, plus the next installment today.
    fn paid_ahead(&self, slot: u32) -> (Element, Vec<Element>) {
        let last_due = self.today - Days::new(AHEAD_DAYS);
        let (loan, mut payments) = self.paid_monthly(slot, last_due, |date, today| date <= today);
        let (.., installment) = MONTHLY_TERMS[(slot % 5) as usize];
        payments.push(payment(installment, self.today));
        (loan, payments)
    }

    /// A monthly loan with `anchor` as one of its due dates.
    fn paid_monthly(
        &self,
        slot: u32,
        anchor: NaiveDate,
        paid: impl Fn(NaiveDate, NaiveDate) -> bool,
    ) -> (Element, Vec<Element>) {
        let (amount, rate, count, installment) = MONTHLY_TERMS[(slot % 5) as usize];
        let months_ago = (6 + slot % 18).min(count - 5);
        let first = anchor - Months::new(months_ago);
        let (numerator, denominator, plan) = match slot % 4 {
            3 => ("ACT", "365", "STANDARD"),
            _ => ("360", "360", "LEVEL"),
        };
        let mut loan = loan(&[
            ("OriginationDate", (first - Months::new(1)).to_string().as_str()),
            ("FirstPaymentDate", first.to_string().as_str()),
            ("PaymentDay", anchor.day().to_string().as_str()),
            ("LoanAmount", amount),
            ("InterestRate", rate),
            ("InterestYearNumerator", numerator),
            ("InterestYearDenominator", denominator),
            ("InterestPlanName", plan),
            ("NumberOfPayments", count.to_string().as_str()),
            ("PaymentAmount", installment),
            ("PaymentPeriod", "monthly"),
        ]);
        let schedule = Schedule {
            period: PaymentPeriod::Monthly,
            first_payment_date: Some(first),
            payment_day: Some(anchor.day()),
            maturity_date: None,
        };
        if slot % 10 == 7 {
            loan.children.extend(schedule.nth(3).map(|date| rate_from(date, "12.50")));
        }
        let due = (1..=count).filter_map(|number| schedule.nth(number));
        let payments = due.take_while(|date| paid(*date, self.today));
        (loan, payments.map(|date| payment(installment, date)).collect())
    }

    fn by_days(&self, slot: u32, days: u64, period: &str) -> (Element, Vec<Element>) {
        let installment = if days == 7 { "55.00" } else { "110.00" };
        let periods = 20 + u64::from(slot % 10);
        let first = self.today - Days::new(days * periods);
        let loan = loan(&[
            ("OriginationDate", (first - Days::new(days)).to_string().as_str()),
            ("FirstPaymentDate", first.to_string().as_str()),
            ("LoanAmount", "5200.00"),
            ("InterestRate", "9.25"),
            ("NumberOfPayments", if days == 7 { "104" } else { "52" }),
            ("PaymentAmount", installment),
            ("PaymentPeriod", period),
        ]);
        let due = (0..periods).map(|n| first + Days::new(days * n));
        (loan, due.map(|date| payment(installment, date)).collect())
    }

    fn at_maturity(&self, slot: u32) -> (Element, Vec<Element>) {
        let origination = self.today - Days::new(100 + u64::from(slot));
        let mut loan = loan(&[
            ("OriginationDate", origination.to_string().as_str()),
            ("MaturityDate", (origination + Days::new(180)).to_string().as_str()),
            ("LoanAmount", "75000.00"),
            ("InterestRate", "6.5"),
            ("InterestYearDenominator", "360"),
            ("InterestPlanName", "BANKER"),
            ("PaymentPeriod", "maturity"),
        ]);
        if slot == 37 {
            loan.children.push(rate_from(origination + Days::new(60), "7.25"));
        }
        (loan, Vec::new())
    }

    /// A credit line; it is drawn later.
    fn open_ended(&self, slot: u32, loan_type: &str) -> (Element, Vec<Element>) {
        let origination = self.today - Days::new(60 + u64::from(slot));
        let mut loan = loan(&[
            ("OriginationDate", origination.to_string().as_str()),
            ("LoanType", loan_type),
            ("LoanAmount", "2500.00"),
            ("InterestRate", "18.9"),
            ("PaymentPeriod", "none"),
        ]);
        match slot {
            0 => loan.children.push(rate_from(self.today + Days::new(15), "17.9")),
            42 => loan.children.push(rate_from(origination + Days::new(20), "21.9")),
            _ => {}
        }
        let paid = origination + Days::new(30);
        (loan, vec![payment("200.00", paid)])
    }
}

/// Two payments and a payoff on fixed days, so that the payoff amount is known.
fn paid_off() -> (Element, Vec<Element>) {
    let loan = loan(&[
        ("OriginationDate", "2021-10-25"),
        ("LoanAmount", "10000.00"),
        ("InterestRate", "10"),
        ("PaymentPeriod", "none"),
    ]);
    let paid = |amount, date| element("Payment", &[("Amount", amount), ("EffectiveDate", date)]);
    let mut payoff = paid("8432.88", "2022-01-07");
    set(&mut payoff, "Payoff", "true");
    (loan, vec![paid("879.16", "2021-11-25"), paid("879.16", "2021-12-28"), payoff])
}

/// Adds setup codes, officers and opening balances.
fn complete(slot: u32, loan: &mut Element) {
    let (group, portfolio) = match slot % 7 {
        4 => ("COMMERCIAL", "SECURED"),
        5 => ("AUTO", "MAIN"),
        _ => ("CONSUMER", "MAIN"),
    };
    set(loan, "LoanGroupCode", group);
    set(loan, "PortfolioCode", portfolio);
    set(loan, "RiskRatingCode", ["A", "B", "C"][(slot % 3) as usize]);
    set(loan, "ContractualJurisdiction", CITIES[(slot % 4) as usize].1);
    match slot % 3 {
        1 => set(loan, "LoanOfficerUserName", "officer"),
        2 => set(loan, "LoanOfficerUserName", "officer2"),
        _ => {}
    }
    if slot % 5 == 4 {
        set(loan, "CollectionOfficerUserName", "collector");
    }
    if slot == 0 {
        set(loan, "LoanNickname", "My credit line");
    }
    match slot % 8 {
        // A payoff on fixed days has a fixed amount.
        _ if profile(slot) == LoanProfile::PaidOff => {}
        2 => set(loan, "SuspenseBalance", "150.00"),
        5 => set(loan, "ImpoundBalance", "420.00"),
        7 => set(loan, "LateChargeBalance", "25.00"),
        _ => {}
    }
}

/// The loan's own second contact; on the portfolio's second loan, the web user as well.
fn co_borrowers(number: u32) -> Vec<Element> {
    let link = |contact: &str| {
        let attributes = [
            ("ContactNumber", contact),
            ("RelationshipCode", "COBORROWER"),
            ("WebAccessFlag", "true"),
        ];
        element("Relationship", &attributes)
    };
    let mut links = Vec::new();
    if (number % MIX).is_multiple_of(5) {
        links.push(link(&contact_number(number, 2)));
    }
    if number == 1 {
        links.push(link(&contact_number(0, 1)));
    }
    links
}

fn loan(attributes: &[(&str, &str)]) -> Element {
    element("Loan", attributes)
}

fn payment(amount: &str, date: NaiveDate) -> Element {
    let date = date.to_string();
    element("Payment", &[("Amount", amount), ("EffectiveDate", date.as_str())])
}

fn rate_from(date: NaiveDate, rate: &str) -> Element {
    let date = date.to_string();
    element("InterestRate", &[("EffectiveDate", date.as_str()), ("InterestRate", rate)])
}

fn loan_number(number: u32) -> String {
    format!("L-{:06}", number + 1)
}

pub(super) fn element(name: &str, attributes: &[(&str, &str)]) -> Element {
    let to_pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let attributes = attributes.iter().map(to_pair).collect();
    Element { name: name.to_owned(), attributes, ..Element::default() }
}

pub(super) fn set(element: &mut Element, name: &str, value: &str) {
    element.attributes.push((name.to_owned(), value.to_owned()));
}
