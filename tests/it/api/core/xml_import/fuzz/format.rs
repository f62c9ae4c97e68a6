//! The elements of an import file: where each may appear, and which attributes it has.

/// The kind of value an attribute holds.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// One of these words.
    Word(&'static [&'static str]),
    Text,
    Date,
    Amount,
    Rate,
    Whole,
    Flag,
}

use ValueKind::{Amount, Date, Flag, Rate, Text, Whole, Word};

/// An element, its parents, the attributes an insert needs, and its other attributes.
#[derive(Debug)]
pub struct ElementForm {
    pub name: &'static str,
    pub parents: &'static [&'static str],
    pub required: &'static [(&'static str, ValueKind)],
    pub optional: &'static [(&'static str, ValueKind)],
    pub text: bool,
}

const CONTACTS: ValueKind = Word(&["C-1", "C-2", "C-3", "C-4", "C-5"]);
const LOANS: ValueKind = Word(&["L-1", "L-2", "L-3", "L-4", "L-5"]);
const DAYS: ValueKind = Date;
const IDS: ValueKind = Word(&["1", "2", "3"]);
const NAMES: ValueKind = Word(&["a", "b", "c"]);

const fn form(
    name: &'static str,
    parents: &'static [&'static str],
    required: &'static [(&'static str, ValueKind)],
    optional: &'static [(&'static str, ValueKind)],
) -> ElementForm {
    ElementForm { name, parents, required, optional, text: false }
}

pub const ROOT: &str = "Core";

pub const ELEMENT_FORMS: &[ElementForm] = &[
    form(
        "Contact",
        &[ROOT],
        &[
            ("ContactNumber", CONTACTS),
            ("ContactTypeCode", Word(&["BORROWER"])),
            ("EntityCode", Word(&["INDIVIDUAL", "COMPANY"])),
            ("LastName1", Text),
        ],
        &[
            ("StoreRecordID", NAMES),
            ("ContactID", IDS),
            ("Company", Text),
            ("ShortName", Text),
            ("TaxID1", Text),
            ("BirthDate1", Date),
            ("ContactOfficerUserName", Word(&["officer", "nobody"])),
            ("Email", Text),
            ("ContactMethod", Word(&["none", "email", "phone"])),
        ],
    ),
    form("Detail", &["Contact"], &[("Userdef01", Text)], &[("Userdef80", Text)]),
    form("Demographics", &["Contact"], &[("Userdef02", Text)], &[]),
    form("Financials", &["Contact"], &[("Userdef03", Text)], &[]),
    form(
        "Address",
        &["Contact"],
        &[("RelationshipCode", Word(&["MAILING"])), ("StreetAddress1", Text)],
        &[("RowID", IDS), ("City", Text)],
    ),
    ElementForm {
        text: true,
        ..form(
            "Comment",
            &["Contact", "Loan", "Collateral"],
            &[("CommentCategoryCode", Word(&["GENERAL"]))],
            &[("CommentID", IDS)],
        )
    },
    form(
        "WebCredentials",
        &["Contact"],
        &[("WebUserName", Word(&["ana", "eva", "ida"])), ("Password", Text)],
        &[("WebAccessFlag", Flag)],
    ),
    form(
        "Loan",
        &[ROOT],
        &[
            ("LoanNumber", LOANS),
            ("ContactNumber", CONTACTS),
            ("LoanGroupCode", Word(&["CONSUMER"])),
            ("PortfolioCode", Word(&["MAIN"])),
            ("OriginationDate", DAYS),
            ("LoanAmount", Amount),
            ("InterestRate", Rate),
            ("PaymentPeriod", Word(&["none", "monthly", "weekly"])),
        ],
        &[
            ("StoreRecordID", NAMES),
            ("GetRecordID", NAMES),
            ("LoanID", IDS),
            ("NumberOfPayments", Whole),
            ("PaymentAmount", Amount),
            ("FirstPaymentDate", DAYS),
            ("StatusCode", Word(&["ACTIVE", "CLOSED"])),
            ("RiskRatingCode", Word(&["A", "B"])),
            ("InterestYearNumerator", Word(&["ACT", "360", "365"])),
            ("InterestYearDenominator", Word(&["360", "365"])),
            ("LateChargeBalance", Amount),
            ("FeesBalance", Amount),
            ("ImpoundBalance", Amount),
            ("SuspenseBalance", Amount),
            ("LoanNickname", Text),
        ],
    ),
    form("Detail1", &["Loan"], &[("Userdef01", Text)], &[]),
    form("Detail2", &["Loan"], &[("Userdef02", Text)], &[]),
    form("InterestRate", &["Loan"], &[("EffectiveDate", DAYS), ("InterestRate", Rate)], &[]),
    form(
        "Relationship",
        &["Loan"],
        &[("ContactNumber", CONTACTS), ("RelationshipCode", Word(&["COBORROWER"]))],
        &[("GetRecordID", NAMES), ("WebAccessFlag", Flag)],
    ),
    form(
        "CreditLine",
        &["Loan"],
        &[("Name", Text), ("CreditLineLimit", Amount)],
        &[("CreditlineID", IDS)],
    ),
    form(
        "RecurringTransaction",
        &["Loan"],
        &[
            ("Description", Text),
            ("EventType", Word(&["charge"])),
            ("EventStartDate", DAYS),
            ("EventPeriod", Word(&["monthly"])),
            ("TransactionCode", Word(&["142"])),
            ("Amount", Amount),
        ],
        &[("RowID", IDS)],
    ),
    form(
        "AutomatedPayment",
        &["Loan"],
        &[
            ("Description", Text),
            ("PaymentType", Word(&["ach"])),
            ("AmountType", Word(&["fixed"])),
            ("BillingType", Word(&["due"])),
            ("StartDate", DAYS),
            ("PaymentGatewayTokenID", IDS),
        ],
        &[("RowID", IDS)],
    ),
    form(
        "Collateral",
        &["Loan"],
        &[("CollateralCode", Word(&["AUTO", "HOME"]))],
        &[("CollateralID", IDS), ("Description", Text), ("PricePerUnit", Amount)],
    ),
    form("Vehicle", &["Collateral"], &[("VIN", Text)], &[("Year", Whole)]),
    form("Location", &["Collateral"], &[("City", Text)], &[]),
    form(
        "Insurance",
        &["Collateral"],
        &[("Company", Text), ("PolicyNumber", Text), ("CoverageType", Text)],
        &[("RowID", IDS)],
    ),
    form(
        "Tax",
        &["Collateral"],
        &[("Authority", Text), ("TaxYear", Whole), ("TaxAmount", Amount), ("DueDate", DAYS)],
        &[("RowID", IDS)],
    ),
    form("Transactions", &[ROOT], &[], &[]),
    form(
        "Payment",
        &["Transactions"],
        &[("LoanNumber", LOANS), ("Amount", Amount), ("EffectiveDate", DAYS)],
        &[
            ("GetRecordID", NAMES),
            ("LoanID", IDS),
            ("PaymentMethodCode", Word(&["ACH", "CASH"])),
            ("PrincipalAmount", Amount),
            ("Payoff", Flag),
            ("ExcessHandling", Word(&["principal", "suspense"])),
            ("ExternalID", NAMES),
        ],
    ),
];
