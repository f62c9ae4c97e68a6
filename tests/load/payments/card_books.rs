//! Rules for the books of card payments, in SQL: the loans' books compared with the sandbox's.

/// Each statement finds what is wrong at any time: payments by id.
pub const RULES: [(&str, &str); 3] = [
    (
        "a payment whose card was charged or refunded more than once",
        "SELECT card_payment_id FROM gateway_payments JOIN sandbox_payments \
         ON reference = gateway_reference WHERE charge_count > 1 OR refund_count > charge_count",
    ),
    (
        "a posted payment that was not charged its total, or a failed one that was charged",
        "SELECT card_payment_id FROM gateway_payments p LEFT JOIN sandbox_payments s \
         ON reference = gateway_reference WHERE CASE p.state \
         WHEN 'posted' THEN COALESCE(s.state, '') <> 'charged' OR s.amount <> total_charged \
         WHEN 'voided' THEN COALESCE(s.state, '') <> 'refunded' \
         WHEN 'failed' THEN charge_count > 0 ELSE false END \
         OR total_charged <> p.amount + convenience_fee",
    ),
    (
        "a payment that is posted without its one entry, or an entry without its payment",
        "SELECT card_payment_id FROM gateway_payments p \
         LEFT JOIN loan_transactions t ON transaction_code = 120 \
         AND t.payment_gateway_token_id IS NOT NULL \
         AND transaction_id = p.transaction_reference_no \
         WHERE (p.state = 'posted') <> (transaction_id IS NOT NULL) \
         OR transaction_amount <> p.amount OR t.loan_id <> p.loan_id \
         OR t.payment_gateway_token_id <> p.payment_gateway_token_id \
         UNION ALL SELECT transaction_id FROM loan_transactions \
         WHERE transaction_code = 120 AND payment_gateway_token_id IS NOT NULL \
         AND transaction_id NOT IN (SELECT transaction_reference_no FROM gateway_payments \
         WHERE transaction_reference_no IS NOT NULL)",
    ),
];

/// Each statement finds what is wrong once every payment has been settled.
pub const RULES_ONCE_SETTLED: [(&str, &str); 1] = [(
    "a payment that is still in progress",
    "SELECT card_payment_id FROM gateway_payments \
     WHERE state NOT IN ('posted', 'voided', 'failed')",
)];
