//! Adjustment requests: their members, the checks that need no database, and the privileges they
//! need.

use super::code;
use crate::auth::caller::Caller;
use crate::auth::privileges::{CHARGE_LOANS, DISBURSE_LOANS, Forbidden, Privilege, WAIVE_CHARGES};
use crate::http::bounded_string::{BoundedString, checked};
use crate::loans::lookups::{LoanLookups, VisibleCodes};
use crate::loans::payments::posted;
use crate::loans::refusals::{LoanError, LoanRefusal};
use crate::loans::servicing::adjustment::AdjustmentKind;
use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use shared::amounts::{AmountText, Money};
use shared::interface_names;
use shared::time::Day;
use std::sync::Arc;

/// Kind of adjustment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "AdjustmentKind", rename_all = "snake_case")]
pub enum RequestedKind {
    /// A late charge.
    LateCharge,
    /// A fee.
    Fee,
    /// Late charges that are no longer owed.
    LateChargeWaived,
    /// Fees that are no longer owed.
    FeeWaived,
    /// Interest that is no longer owed.
    InterestReduction,
    /// Principal that is no longer owed.
    PrincipalWriteOff,
    /// Money paid out of the impound balance, for taxes or insurance, or back to the borrower.
    ImpoundDisbursement,
    /// Money paid out of the suspense balance, back to the borrower.
    SuspenseDisbursement,
    /// Principal lent, on no credit line.
    Advance,
    /// Principal lent on a credit line.
    Draw,
}

impl From<RequestedKind> for AdjustmentKind {
    fn from(requested: RequestedKind) -> Self {
        match requested {
            RequestedKind::LateCharge => Self::LateCharge,
            RequestedKind::Fee => Self::Fee,
            RequestedKind::LateChargeWaived => Self::LateChargeWaived,
            RequestedKind::FeeWaived => Self::FeeWaived,
            RequestedKind::InterestReduction => Self::InterestReduction,
            RequestedKind::PrincipalWriteOff => Self::PrincipalWriteOff,
            RequestedKind::ImpoundDisbursement => Self::ImpoundDisbursement,
            RequestedKind::SuspenseDisbursement => Self::SuspenseDisbursement,
            RequestedKind::Advance => Self::Advance,
            RequestedKind::Draw => Self::Draw,
        }
    }
}

/// An adjustment to be posted: anything but a payment that moves a balance of a loan.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct NewAdjustment {
    /// Kind of adjustment. `late_charge` and `fee` require the privilege Loan > Adjustments >
    /// Charge; `late_charge_waived`, `fee_waived`, `interest_reduction` and `principal_write_off`
    /// Waive; `impound_disbursement`, `suspense_disbursement`, `advance` and `draw` Disburse. The
    /// two disbursements of money held for the borrower are allowed on closed loans, too.
    pub kind: RequestedKind,
    /// Amount, above zero. A waiver, a reduction, a write-off or a disbursement can be at most the
    /// balance on the effective date.
    pub amount: AmountText,
    /// Date on which the adjustment takes effect; today by default. An earlier date requires the
    /// privilege Loan > Payments > Backdate.
    pub effective_date: Option<Day>,
    /// Id of the credit line of a draw; not allowed otherwise.
    pub creditline_id: Option<i64>,
    /// The caller's own reference. Up to 100 characters.
    pub user_reference: Option<BoundedString<100>>,
}

/// An adjustment that passed the checks that need no database.
#[derive(Clone, Debug)]
pub struct ValidatedAdjustment {
    pub kind: AdjustmentKind,
    /// Amount, above zero.
    pub amount: Money,
    /// `None` is today.
    pub effective_date: Option<NaiveDate>,
    /// Credit line of a draw.
    pub creditline_id: Option<i64>,
    /// The caller's own reference.
    pub user_reference: Option<String>,
}

/// Returns the privilege that posting this kind of adjustment needs.
const fn privilege(kind: AdjustmentKind) -> Privilege {
    match kind {
        AdjustmentKind::LateCharge | AdjustmentKind::Fee => CHARGE_LOANS,
        AdjustmentKind::LateChargeWaived
        | AdjustmentKind::FeeWaived
        | AdjustmentKind::InterestReduction
        | AdjustmentKind::PrincipalWriteOff => WAIVE_CHARGES,
        AdjustmentKind::ImpoundDisbursement
        | AdjustmentKind::SuspenseDisbursement
        | AdjustmentKind::Advance
        | AdjustmentKind::Draw => DISBURSE_LOANS,
    }
}

impl NewAdjustment {
    /// Checks that the caller may see the loan (404 if not), and holds the privileges that the
    /// request needs on any day (403 if not). Returns the transaction codes whose rows the caller may see.
    pub async fn admit(
        &self,
        loans: &LoanLookups,
        caller: &Caller,
        loan_id: i64,
    ) -> Result<Arc<VisibleCodes>, LoanError> {
        let kind = self.kind.into();
        let visible_codes = loans.visible_codes(caller, loan_id).await?;
        caller.require(privilege(kind))?;
        let code = code(kind).number;
        match visible_codes.contain(code) {
            true => Ok(visible_codes),
            false => Err(Forbidden::TransactionCode(code).into()),
        }
    }

    /// Runs the checks that need no database, and returns the validated adjustment.
    pub fn validate(self) -> Result<ValidatedAdjustment, LoanError> {
        let kind = self.kind.into();
        let amount = posted("Amount", &self.amount)?;
        if !amount.is_positive() {
            return Err(LoanRefusal::amount_not_positive(amount));
        }
        match (kind, self.creditline_id) {
            (AdjustmentKind::Draw, None) => {
                return Err(LoanError::missing("Creditline_ID", "is required for a draw"));
            }
            (AdjustmentKind::Draw, Some(_)) | (_, None) => {}
            (_, Some(_)) => {
                return Err(LoanError::invalid("Creditline_ID", "is allowed only for a draw"));
            }
        }
        Ok(ValidatedAdjustment {
            kind,
            amount,
            effective_date: self.effective_date.map(|Day(date)| date),
            creditline_id: self.creditline_id,
            user_reference: checked("User_Reference", self.user_reference)?,
        })
    }
}
