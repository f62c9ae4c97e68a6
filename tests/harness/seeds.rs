//! Import files for tests: contacts and loans with the least that each needs.

/// A borrower and his loan, `C-<number>` and `L-<number>`, with these attributes beside the least.
pub fn borrower_with_loan(number: u32, loan: &str) -> String {
    format!(
        "<Contact ContactNumber=\"C-{number}\" ContactTypeCode=\"BORROWER\" \
         EntityCode=\"INDIVIDUAL\" LastName1=\"Borrower {number}\" TaxID1=\"123-45-6789\" \
         IDNumber1=\"P1234567\" IDExpiryDate1=\"2031-05-31\" IDExpiryDate2=\"2032-06-30\"/>\
         <Loan LoanNumber=\"L-{number}\" ContactNumber=\"C-{number}\" LoanGroupCode=\"CONSUMER\" \
         PortfolioCode=\"MAIN\" {loan}/>"
    )
}

/// Lets the borrower `C-<number>` log in as `web<number>`: see [`crate::World::web_token`].
pub fn web_access(number: u32) -> String {
    format!(
        "<Contact UpdateFlag=\"1\" ContactNumber=\"C-{number}\"><WebCredentials \
         WebUserName=\"web{number}\" Password=\"{WEB_PASSWORD}\" WebAccessFlag=\"true\"/></Contact>"
    )
}

/// What every borrower logs in with.
pub const WEB_PASSWORD: &str = "first words";

/// A file of these records.
pub fn file(records: &str) -> String {
    format!("<Core CommitBlock=\"1\" EnforceTagExistence=\"1\">{records}</Core>")
}

/// Terms a lender published: 28,000.00 at 14.07 %, 60 months, 30/360.
pub const PUBLISHED_TERMS: &str = "OriginationDate=\"2024-01-15\" LoanAmount=\"28000.00\" \
     InterestRate=\"14.07\" InterestYearNumerator=\"360\" InterestYearDenominator=\"360\" \
     PaymentPeriod=\"monthly\" NumberOfPayments=\"60\" PaymentAmount=\"652.53\" \
     FirstPaymentDate=\"2024-02-15\" ContractualJurisdiction=\"NJ\"";

/// 10,000.00 at 10 %, ACT/365, without a schedule.
pub const OPEN_TERMS: &str = "OriginationDate=\"2021-10-25\" LoanAmount=\"10000.00\" \
     InterestRate=\"10\" InterestYearNumerator=\"ACT\" InterestYearDenominator=\"365\" \
     PaymentPeriod=\"none\"";
