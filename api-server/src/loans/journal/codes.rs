//! Transaction codes that this service posts. An even code is a posting, the next odd code its
//! reversal. Installation-defined codes start at 500.

use shared::entity::loan_transactions::BalanceName;

/// A transaction code, as in `transaction_codes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Number of the code.
    pub number: i32,
    /// Description written to its rows.
    pub description: &'static str,
    /// Balance that it moves; `None` for total and memo rows.
    pub balance: Option<BalanceName>,
}

const fn total(number: i32, description: &'static str) -> Code {
    Code { number, description, balance: None }
}

const fn on(balance: BalanceName, number: i32, description: &'static str) -> Code {
    Code { number, description, balance: Some(balance) }
}

use BalanceName::{Fees, Impound, Interest, LateCharge, Principal, Suspense};

/// Principal lent: an advance on no credit line, or the original principal of an imported loan.
pub const ADVANCE: Code = on(Principal, 100, "Advance");
/// Advance on a credit line.
pub const DRAW: Code = on(Principal, 110, "Draw on credit line");
/// Only the trustees of this code may post payments.
pub const PAYMENT_TOTAL: Code = total(120, "Payment total");
/// Principal part of a payment.
pub const PRINCIPAL_PAYMENT: Code = on(Principal, 122, "Principal payment");
/// Interest part of a payment.
pub const INTEREST_PAYMENT: Code = on(Interest, 124, "Interest payment");
/// Late charge part of a payment.
pub const LATE_CHARGE_PAYMENT: Code = on(LateCharge, 126, "Late charge payment");
/// Fee part of a payment.
pub const FEE_PAYMENT: Code = on(Fees, 128, "Fee payment");
/// Impound part of a payment, or the opening impound balance of an imported loan.
pub const IMPOUND_PAYMENT: Code = on(Impound, 130, "Impound payment");
/// Part of a payment held in suspense, or the opening suspense balance of an imported loan.
pub const SUSPENSE_PAYMENT: Code = on(Suspense, 132, "Suspense payment");
/// Suspense balance that a payoff applies to the amounts owed.
pub const SUSPENSE_APPLIED: Code = on(Suspense, 134, "Suspense applied");
/// Late charge, or the opening late charge balance of an imported loan.
pub const LATE_CHARGE_ASSESSED: Code = on(LateCharge, 140, "Late charge assessed");
/// Fee, or the opening fee balance of an imported loan.
pub const FEE_ASSESSED: Code = on(Fees, 142, "Fee assessed");
/// Convenience fee of a card payment: part of the charge, but of no balance.
pub const CONVENIENCE_FEE: Code = total(144, "Convenience fee");
/// Reduction of the interest owed, without a payment.
pub const INTEREST_REDUCTION: Code = on(Interest, 150, "Interest reduction");
/// Reduction of principal, without a payment.
pub const PRINCIPAL_WRITE_OFF: Code = on(Principal, 152, "Principal write-off");
/// Payment out of the impound balance, for taxes or insurance.
pub const IMPOUND_DISBURSEMENT: Code = on(Impound, 154, "Impound disbursement");
/// Reduction of the late charge balance, without a payment.
pub const LATE_CHARGE_WAIVED: Code = on(LateCharge, 156, "Late charge waived");
/// Reduction of the fee balance, without a payment.
pub const FEE_WAIVED: Code = on(Fees, 158, "Fee waived");
/// Payment out of the suspense balance, back to the borrower.
pub const SUSPENSE_DISBURSEMENT: Code = on(Suspense, 160, "Suspense disbursement");

/// Codes that pay out money held for the borrower. They, and their reversals, are allowed on closed
/// loans.
pub const PAYS_OUT: [i32; 2] = [IMPOUND_DISBURSEMENT.number, SUSPENSE_DISBURSEMENT.number];
/// Codes whose rows are allocated to the interest of due rows.
pub const SETTLES_INTEREST: [i32; 2] = [INTEREST_PAYMENT.number, INTEREST_REDUCTION.number];
/// Codes whose rows are allocated to the principal of due rows.
pub const SETTLES_PRINCIPAL: [i32; 2] = [PRINCIPAL_PAYMENT.number, PRINCIPAL_WRITE_OFF.number];
