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

pub const ADVANCE: Code = on(Principal, 100, "Advance");
pub const DRAW: Code = on(Principal, 110, "Draw on credit line");
/// Only the trustees of this code may post payments.
pub const PAYMENT_TOTAL: Code = total(120, "Payment total");
pub const PRINCIPAL_PAYMENT: Code = on(Principal, 122, "Principal payment");
pub const INTEREST_PAYMENT: Code = on(Interest, 124, "Interest payment");
pub const LATE_CHARGE_PAYMENT: Code = on(LateCharge, 126, "Late charge payment");
pub const FEE_PAYMENT: Code = on(Fees, 128, "Fee payment");
pub const IMPOUND_PAYMENT: Code = on(Impound, 130, "Impound payment");
pub const SUSPENSE_PAYMENT: Code = on(Suspense, 132, "Suspense payment");
pub const SUSPENSE_APPLIED: Code = on(Suspense, 134, "Suspense applied");
pub const LATE_CHARGE_ASSESSED: Code = on(LateCharge, 140, "Late charge assessed");
pub const FEE_ASSESSED: Code = on(Fees, 142, "Fee assessed");
/// Convenience fee of a card payment: part of the charge, but of no balance.
pub const CONVENIENCE_FEE: Code = total(144, "Convenience fee");
pub const INTEREST_REDUCTION: Code = on(Interest, 150, "Interest reduction");
pub const PRINCIPAL_WRITE_OFF: Code = on(Principal, 152, "Principal write-off");
pub const IMPOUND_DISBURSEMENT: Code = on(Impound, 154, "Impound disbursement");
pub const LATE_CHARGE_WAIVED: Code = on(LateCharge, 156, "Late charge waived");
pub const FEE_WAIVED: Code = on(Fees, 158, "Fee waived");

/// Codes whose rows are allocated to the interest of due rows.
pub const SETTLES_INTEREST: [i32; 2] = [INTEREST_PAYMENT.number, INTEREST_REDUCTION.number];
/// Codes whose rows are allocated to the principal of due rows.
pub const SETTLES_PRINCIPAL: [i32; 2] = [PRINCIPAL_PAYMENT.number, PRINCIPAL_WRITE_OFF.number];
