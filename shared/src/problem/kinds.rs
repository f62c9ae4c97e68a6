//! Problem kinds, one entry each: status, last segment of the `type`, title, and an explanation for
//! clients. The documentation page shows these texts, and the OpenAPI document the titles.

use poem::http::StatusCode;

/// Prefix of `type`, before the kind's name.
pub const TYPE_PREFIX: &str = "urn:problem-type:core:";

macro_rules! problem_types {
    ($($variant:ident = $status:ident $name:literal $title:literal $meaning:literal;)*) => {
        /// Problem kinds, each with its status and the last segment of its `type`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ProblemType { $(#[doc = $title] $variant,)* }

        impl ProblemType {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// HTTP status of the response.
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status,)* }
            }

            /// Last segment of `type`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Title, the same for every occurrence.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// Explanation of the problem and what a client can do about it, with the members and
            /// headers it carries beyond those of every problem. Code is between backticks.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

problem_types! {
    BadRequest = BAD_REQUEST "bad-request"
        "Bad request"
        "The path, the query, a header or the body does not have the form this operation expects; \
         `detail` and `errors` say where. For a malformed import file, `line` and `column` give \
         the place. Correct the request: sent again unchanged, it fails again.";
    TokenMissing = UNAUTHORIZED "token-missing"
        "Bearer token required"
        "Every operation requires `Authorization: Bearer …` with an access token from the auth \
         server. Log in, and send the token in this header and nowhere else.";
    TokenInvalid = UNAUTHORIZED "token-invalid"
        "Invalid token"
        "The token is malformed, has expired, was logged out or revoked, or is not from this auth \
         server. Get a new one with the refresh token, or log in again, and repeat the request: \
         nothing was done.";
    PrivilegeMissing = FORBIDDEN "privilege-missing"
        "Missing privilege"
        "The user may not do this. `detail` names the missing privilege, or the object whose \
         trustees do not include the user; an administrator of the core system can grant it.";
    CoreUserOnly = FORBIDDEN "core-user-only"
        "Core-system users only"
        "The token belongs to a borrower (scope `web`), and this operation is for users of the \
         core system (scope `core`).";
    AdminOnly = FORBIDDEN "admin-only"
        "Admin account only"
        "No privilege grants access to this operation. Log in with the admin account.";
    NotFound = NOT_FOUND "not-found"
        "Not found"
        "The path or the row does not exist, or the caller may not see the row: the two look \
         alike. Check the id, and that the user may see the row.";
    MethodNotAllowed = METHOD_NOT_ALLOWED "method-not-allowed"
        "Method not allowed"
        "The path exists, but not with this method. The header `Allow` lists the methods that it \
         supports.";
    NotAcceptable = NOT_ACCEPTABLE "not-acceptable"
        "Not acceptable"
        "The header `Accept` excludes the media type of the response, which `detail` names. Leave \
         the header out, or add that media type.";
    StaleVersion = CONFLICT "stale-version"
        "Stale version"
        "The row has changed since the version in `versionHash`. Read the row again, apply your \
         change to its current state, and send it with the new version, which is also in \
         `currentVersionHash`.";
    IdempotencyInProgress = CONFLICT "idempotency-in-progress"
        "Request in progress"
        "A request with this `Idempotency-Key` is still being processed. Send the same request \
         again, with the same key, after the seconds in `Retry-After`: you get its response.";
    FormerPath = GONE "former-path"
        "Path has moved"
        "In release 5.0.0, the operation moved to another path, which is in `currentPath`. Change \
         the client: the former path does nothing.";
    PreconditionFailed = PRECONDITION_FAILED "precondition-failed"
        "Precondition failed"
        "`If-Match` specifies a version other than the current one. Read the row or the file \
         again, and send the request with the new version; if a row was to be changed, that \
         version is also in `currentVersionHash`.";
    TooLarge = PAYLOAD_TOO_LARGE "too-large"
        "Request too large"
        "The body or the file is larger than the operation accepts: 1 MiB of JSON, 1 GiB for an \
         import; `detail` states the limit. Nothing was stored.";
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "unsupported-media-type"
        "Unsupported media type"
        "The operation does not accept this `Content-Type` or any `Content-Encoding`; or a file's \
         content is of no type that may be uploaded, or its name has the extension of another \
         type. `detail` says what is accepted.";
    RangeNotSatisfiable = RANGE_NOT_SATISFIABLE "range-not-satisfiable"
        "Range not satisfiable"
        "`Range` requests more than one part, or a part that begins after the end of the file. The \
         header `Content-Range` gives the size of the file.";
    InvalidValue = UNPROCESSABLE_ENTITY "invalid-value"
        "Validation failed"
        "The request can be read, but a value breaks a rule: `errors` names the field and the \
         rule, or `detail` does if several values break it together. Correct the value before you \
         send the request again.";
    RequiredField = UNPROCESSABLE_ENTITY "required-field"
        "Required field missing"
        "A member that this request needs is empty or missing, because of another member or \
         because of how the installation defines its fields; `errors` names it.";
    UnknownCode = UNPROCESSABLE_ENTITY "unknown-code"
        "Unknown or inactive code"
        "A code or an id is not in its setup list, or is no longer active; `errors` names the \
         member. Choose an active one: `/setup/loan/payment-methods` lists those for payments.";
    IdempotencyMismatch = UNPROCESSABLE_ENTITY "idempotency-mismatch"
        "Idempotency key reused"
        "This `Idempotency-Key` belongs to an earlier request with another path, query or body. \
         Use a new key for each new request, and repeat a request exactly as it was.";
    AmountNotPositive = UNPROCESSABLE_ENTITY "amount-not-positive"
        "Amount must be above zero"
        "A payment amount must be above zero, and no part of a split may be below zero. `\"0.00\"` \
         is accepted only with `Payoff` when nothing is owed, and never by card; it closes the loan.";
    EffectiveDateInFuture = UNPROCESSABLE_ENTITY "effective-date-in-future"
        "Effective date in the future"
        "The effective date of a payment must be today or earlier; `detail` states today's date by \
         the database's clock and the business time zone.";
    EffectiveDateTooEarly = UNPROCESSABLE_ENTITY "effective-date-too-early"
        "Effective date too early"
        "Nothing can be posted before the loan began, or before the latest payment or other entry \
         that moved its interest. `detail` gives the earliest date.";
    SplitMismatch = UNPROCESSABLE_ENTITY "split-mismatch"
        "Split does not add up"
        "The parts of an explicit split must sum to `Amount`. `detail` gives both figures.";
    SplitExceedsBalance = UNPROCESSABLE_ENTITY "split-exceeds-balance"
        "Split part exceeds its balance"
        "A part of the split is more than what is owed on that balance on the effective date. \
         `detail` names the part and its maximum.";
    Overpayment = UNPROCESSABLE_ENTITY "overpayment"
        "Overpayment"
        "The amount is more than the loan accepts; `detail` gives the maximum. Send less, or \
         direct the excess to the suspense balance with `Excess_Handling`.";
    PayoffShort = UNPROCESSABLE_ENTITY "payoff-short"
        "Amount below payoff"
        "`Payoff` requires the whole payoff amount of the effective date, which `detail` gives.";
    LoanClosed = UNPROCESSABLE_ENTITY "loan-closed"
        "Loan does not accept payments"
        "A loan with this status accepts no payments; `detail` names the status. A payment becomes \
         possible only when the status changes.";
    DuplicateExternalId = UNPROCESSABLE_ENTITY "duplicate-external-id"
        "Duplicate external id"
        "A transaction of this loan already has this `External_ID`; `detail` names it. Most likely \
         the payment was posted before.";
    NotReversible = UNPROCESSABLE_ENTITY "not-reversible"
        "Entry cannot be reversed"
        "Something stands in the way of the reversal: `detail` says what. If it is another entry, \
         `blockedBy` has its reference number: reverse that one first. If it is the reversal of \
         this entry, this entry is already reversed.";
    DrawRefused = UNPROCESSABLE_ENTITY "draw-refused"
        "Draw not allowed"
        "The credit line does not allow this draw: it is beyond a limit, below the \
         minimum or above the maximum of one draw, beyond the number of draws, or past the draw \
         period. `detail` gives the figure.";
    CashDrawerRequired = UNPROCESSABLE_ENTITY "cash-drawer-required"
        "Cash drawer required"
        "Cash goes into a cash drawer. Specify one in `Cash_Drawer_ID`: it can be left out only if \
         the caller is working with exactly one drawer.";
    DrawerNotUsable = UNPROCESSABLE_ENTITY "drawer-not-usable"
        "Cash drawer not usable"
        "The drawer is closed, is not assigned to the caller, or does not accept this kind of \
         entry; `detail` says which. Choose another drawer.";
    DrawerInUse = UNPROCESSABLE_ENTITY "drawer-in-use"
        "Cash drawer in use"
        "Another user is working with this drawer. Until it is counted and that session ends, only \
         that user and supervisors can enter transactions. Choose another drawer.";
    DrawerNegative = UNPROCESSABLE_ENTITY "drawer-negative"
        "Insufficient drawer balance"
        "A drawer's balance cannot go below zero. `detail` gives the drawer's balance of this \
         tender.";
    FieldNotDocument = UNPROCESSABLE_ENTITY "field-not-document"
        "Field does not hold documents"
        "The field in the path is defined for something other than documents. Use one whose \
         `Data_Type` is `document`.";
    LastFile = UNPROCESSABLE_ENTITY "last-file"
        "Last file cannot be removed"
        "The only file of a document cannot be removed without the document. Remove the document, \
         or add another file first.";
    CardNumberRefused = UNPROCESSABLE_ENTITY "card-number-refused"
        "Card numbers not accepted"
        "Something in the request looks like a card number or a security code, or a member has \
         such a name. None of it was stored. Send the token that the gateway's own form issued \
         for the card.";
    CardForgotten = UNPROCESSABLE_ENTITY "card-forgotten"
        "Card forgotten"
        "The card was forgotten and can no longer be charged. Add a card, or choose another one.";
    CardExpired = UNPROCESSABLE_ENTITY "card-expired"
        "Card expired"
        "The card has expired; `detail` gives its last month. Choose another card.";
    CardDeclined = UNPROCESSABLE_ENTITY "card-declined"
        "Card declined"
        "The gateway did not accept or did not charge the card, and nothing was posted. \
         `declineCode` is the gateway's own reason; `not_charged` means that the charge was never \
         made. Try again with a new `Idempotency-Key`: the old one gets this response again.";
    ChargeVoided = UNPROCESSABLE_ENTITY "charge-voided"
        "Charge refunded"
        "The card was charged, then a rule of the loan refused the payment, and the charge was \
         refunded. `detail` names the rule. Pay again with a new `Idempotency-Key` once the reason \
         no longer applies.";
    FeeMismatch = UNPROCESSABLE_ENTITY "fee-mismatch"
        "Convenience fee mismatch"
        "`Convenience_Fee` is not the fee that applies, which `detail` gives. Ask the borrower \
         to agree to that one, or leave the member out to charge it.";
    GatewayDisabled = UNPROCESSABLE_ENTITY "gateway-disabled"
        "Card payments not available"
        "Loans of this group do not accept cards; or, if `detail` says so, the card is not known \
         to the gateway in use and has to be added again.";
    LoanLocked = LOCKED "loan-locked"
        "Loan locked"
        "Another request is changing the loan. Send the same request again after the seconds in \
         `Retry-After`, with the same `Idempotency-Key`.";
    DrawerLocked = LOCKED "drawer-locked"
        "Cash drawer locked"
        "Another request is changing the cash drawer. Send the same request again after the \
         seconds in `Retry-After`, with the same `Idempotency-Key`.";
    TooManyRequests = TOO_MANY_REQUESTS "too-many-requests"
        "Too many requests"
        "The caller sends more requests than allowed or, if `detail` says so, has too many files \
         or imports in progress. Wait for the seconds in `Retry-After`, then send the request \
         again.";
    InternalError = INTERNAL_SERVER_ERROR "internal-error"
        "Internal server error"
        "An internal fault. The log has it under `requestId`: quote it when you ask for help.";
    AuthServerUnavailable = SERVICE_UNAVAILABLE "auth-server-unavailable"
        "Auth server unavailable"
        "The token could not be checked, so nothing was done. Send the request again after the \
         seconds in `Retry-After`.";
    DatabaseUnavailable = SERVICE_UNAVAILABLE "database-unavailable"
        "Database unavailable"
        "The database cannot be reached, is busy, perhaps with an import, or must not be used by \
         this server, because it has another schema, for example; `detail` says what is \
         known. Send the request again after the seconds in `Retry-After`. A request that writes \
         may have been executed all the same: if it accepts an `Idempotency-Key`, the same key \
         makes sure that it is executed once.";
    GatewayUnavailable = SERVICE_UNAVAILABLE "gateway-unavailable"
        "Payment gateway unavailable"
        "The payment gateway cannot be reached at the moment. Send the same request again after \
         the seconds in `Retry-After`; with the same `Idempotency-Key` a card is charged once.";
    GatewayOutcomeUnknown = SERVICE_UNAVAILABLE "gateway-outcome-unknown"
        "Charge outcome unknown"
        "The gateway was asked to charge the card and did not respond. Send the same request \
         again, with the same `Idempotency-Key`, after the seconds in `Retry-After`: it determines \
         the outcome of the charge and never charges a second time.";
    ObjectStoreUnavailable = SERVICE_UNAVAILABLE "object-store-unavailable"
        "Document store unavailable"
        "The store that holds document files cannot be reached, or too many files are being \
         transferred. Send the request again after the seconds in `Retry-After`.";
    SpoolUnavailable = SERVICE_UNAVAILABLE "spool-unavailable"
        "Import spool unavailable"
        "The folder that holds files while they are imported cannot be used, most likely because \
         its disk is full. Nothing of the file was imported, or, if it was repeated, nothing more. \
         Send it again once an administrator has made room.";
    CertificateExpired = SERVICE_UNAVAILABLE "certificate-expired"
        "The server's certificate has expired"
        "`/health/ready` reports this once the server's certificate has expired, by the database's \
         clock: clients refuse to connect until an administrator replaces it.";
    ServerStopping = SERVICE_UNAVAILABLE "server-stopping"
        "The server is stopping"
        "`/health/ready` reports this once the server has been told to stop; it still accepts \
         requests for a few seconds. Send new ones to another server, or to this one when it \
         is ready again.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_problem_type_has_a_unique_name_and_an_explanation() {
        let names: HashSet<_> = ProblemType::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), ProblemType::ALL.len());
        for kind in ProblemType::ALL {
            let meaning = kind.meaning();
            let sentence = meaning.starts_with(|c: char| c.is_uppercase() || c == '`');
            assert!(sentence && meaning.ends_with('.'), "{kind:?}: {meaning}");
            assert_eq!(meaning.matches('`').count() % 2, 0, "{kind:?}: {meaning}");
            assert!(!meaning.contains("  "), "{kind:?}: {meaning}");
        }
    }
}
