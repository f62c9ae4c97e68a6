//! Import files for tests: contacts and loans with the minimum that each needs.

/// A borrower with a loan, `C-<number>` and `L-<number>`; the loan has these attributes in addition
/// to the minimum.
pub fn borrower_with_loan(number: u32, loan: &str) -> String {
    format!(
        "<Contact ContactNumber=\"C-{number}\" ContactTypeCode=\"BORROWER\" \
         EntityCode=\"INDIVIDUAL\" LastName1=\"Borrower {number}\" TaxID1=\"123-45-6789\" \
         IDNumber1=\"P1234567\" IDExpiryDate1=\"2031-05-31\" IDExpiryDate2=\"2032-06-30\"/>\
         <Loan LoanNumber=\"L-{number}\" ContactNumber=\"C-{number}\" LoanGroupCode=\"CONSUMER\" \
         PortfolioCode=\"MAIN\" {loan}/>"
    )
}

/// Lets the borrower `C-<number>` log in as `web<number>`; see [`crate::World::web_token`].
pub fn web_access(number: u32) -> String {
    format!(
        "<Contact UpdateFlag=\"1\" ContactNumber=\"C-{number}\"><WebCredentials \
         WebUserName=\"web{number}\" Password=\"{WEB_PASSWORD}\" WebAccessFlag=\"true\"/></Contact>"
    )
}

/// The password of every borrower.
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

/// The worked example of the format: a borrower, a loan, three payments. It needs the user-defined
/// fields that every installation starts with.
pub const WORKED_EXAMPLE: &str = r#"<Core CommitBlock="1" EnforceTagExistence="1">
  <Contact ContactNumber="C-2001" ContactTypeCode="BORROWER" EntityCode="INDIVIDUAL"
           ShortName="RIVERA" FirstName1="Ana" LastName1="Rivera" IDExpiryDate1="2031-05-31" StoreRecordID="ana">
    <Detail Userdef01="Config engineer"/>
    <Comment CommentCategoryCode="GENERAL">Prefers e-mail.</Comment>
    <WebCredentials WebUserName="ana.rivera" Password="a long pass phrase" WebAccessFlag="true"/>
  </Contact>
  <Loan LoanNumber="L-2001" GetRecordID="ana" LoanGroupCode="CONSUMER" PortfolioCode="MAIN"
        OriginationDate="2024-01-15" LoanAmount="28000.00" InterestRate="14.07" InterestYearNumerator="360"
        InterestYearDenominator="360" PaymentPeriod="monthly" NumberOfPayments="60" PaymentAmount="652.53"
        FirstPaymentDate="2024-02-15" ContractualJurisdiction="NJ" StoreRecordID="loan1">
    <Collateral CollateralCode="AUTO" NumberOfUnits="1" PricePerUnit="30000.00" PercentageValue="80">
      <Vehicle VIN="1HGCM82633A004352" Year="2003"/>
    </Collateral>
  </Loan>
  <Transactions>
    <Payment GetRecordID="loan1" Amount="652.53" EffectiveDate="2024-02-15" PaymentMethodCode="ACH"/>
    <Payment GetRecordID="loan1" Amount="652.53" EffectiveDate="2024-03-15" PaymentMethodCode="ACH"/>
    <Payment GetRecordID="loan1" Amount="652.53" EffectiveDate="2024-04-15" PaymentMethodCode="ACH"/>
  </Transactions>
</Core>
"#;
