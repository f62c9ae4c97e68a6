//! The kinds of problems, one entry each: status, last word of the `type`, title, and what clients
//! are told of it. The contract and the documentation page show these texts.

use poem::http::StatusCode;

/// What stands before the name of the kind in `type`.
pub const TYPE_PREFIX: &str = "urn:problem-type:core:";

macro_rules! problem_types {
    ($($variant:ident = $status:ident $name:literal $title:literal $meaning:literal;)*) => {
        /// The kinds of problems, each with its status and the last word of its `type`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ProblemType { $(#[doc = $title] $variant,)* }

        impl ProblemType {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The status of the answer.
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status,)* }
            }

            /// The last word of `type`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The title, the same for every occurrence.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// What it means and what a client can do, with the members and headers that it
            /// carries besides those of every problem. What is code stands between backticks.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

problem_types! {
    BadRequest = BAD_REQUEST "bad-request"
        "The request is malformed"
        "The path, the query, a header or the body does not have the form of this operation; \
         `detail` and `errors` say where. An import file that is not sound XML has the place in \
         `line` and `column`. Correct the request: sent again as it is, it fails again.";
    TokenMissing = UNAUTHORIZED "token-missing"
        "A bearer token is required"
        "Every operation needs `Authorization: Bearer …` with an access token of the auth \
         server. Log in, and send the token in this header and nowhere else.";
    TokenInvalid = UNAUTHORIZED "token-invalid"
        "The token is malformed, unknown, expired or logged out"
        "The token has expired, was logged out or revoked, or is none of this auth server's. \
         Get a new one with the refresh token, or log in again, and repeat the request: nothing \
         was done.";
    PrivilegeMissing = FORBIDDEN "privilege-missing"
        "A privilege is missing"
        "The user may not do this. `detail` names the privilege that is missing, or whose \
         trustees do not admit him; whoever administers the core system grants it.";
    CoreUserOnly = FORBIDDEN "core-user-only"
        "Web users may not call this operation"
        "The token belongs to a borrower (scope `web`), and this operation is for users of the \
         core system (scope `core`).";
    AdminOnly = FORBIDDEN "admin-only"
        "Only the admin account may call this operation"
        "No privilege opens this operation to anybody else. Log in with the admin account.";
    NotFound = NOT_FOUND "not-found"
        "There is no such thing"
        "There is no such path or row, or there is one that the caller may not see: the two \
         look alike. Check the id, and that the user may see the row.";
    MethodNotAllowed = METHOD_NOT_ALLOWED "method-not-allowed"
        "This path does not answer to this method"
        "The path exists, but not with this method. The header `Allow` lists those that it \
         answers to.";
    NotAcceptable = NOT_ACCEPTABLE "not-acceptable"
        "The operation gives no media type that is accepted"
        "The header `Accept` excludes what the operation answers with, which `detail` names. \
         Leave it out, or add that media type.";
    StaleVersion = CONFLICT "stale-version"
        "The row has changed since that version"
        "Somebody has changed the row since the version in `versionHash`. Read the row again, \
         make your change to what it is now, and send it with the new version, which is also in \
         `currentVersionHash`.";
    IdempotencyInProgress = CONFLICT "idempotency-in-progress"
        "The same request is still running"
        "A request with this `Idempotency-Key` is still being worked on. Send the same request \
         again, with the same key, after the seconds in `Retry-After`: you get its answer.";
    FormerPath = GONE "former-path"
        "This path has moved"
        "The operation has another path since release 5.0.0, which is in `currentPath`. Change \
         the client: the former path does nothing.";
    PreconditionFailed = PRECONDITION_FAILED "precondition-failed"
        "The version in If-Match is not the current one"
        "`If-Match` names another version than the current one. Read again, and send the \
         request with the new version; where a row was to be changed, that is also in \
         `currentVersionHash`.";
    TooLarge = PAYLOAD_TOO_LARGE "too-large"
        "The request is too large"
        "The body or the file is longer than the operation takes: 1 MiB of JSON, 1 GiB for an \
         import; `detail` tells the limit. Nothing was kept.";
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "unsupported-media-type"
        "The operation does not take this media type"
        "`Content-Type` is not what the operation takes, or the content of a file is of no type \
         that may be uploaded, whatever its name says; `detail` lists what is taken.";
    RangeNotSatisfiable = RANGE_NOT_SATISFIABLE "range-not-satisfiable"
        "The range is not one range within the file"
        "`Range` asks for more than one part, or for one that begins behind the end of the \
         file. The header `Content-Range` tells how long the file is.";
    InvalidValue = UNPROCESSABLE_ENTITY "invalid-value"
        "A value breaks a rule"
        "The request can be read, but a value breaks a rule: `errors` names the field and the \
         rule, or `detail` does where several values add up to it. Correct the value before you \
         send it again.";
    RequiredField = UNPROCESSABLE_ENTITY "required-field"
        "A required field is missing"
        "A member is empty or left out that this request needs, because of another member or of \
         how the installation defines its fields; `errors` names it.";
    UnknownCode = UNPROCESSABLE_ENTITY "unknown-code"
        "A code is unknown or no longer active"
        "A code or an id is in no setup list, or no longer in use; `errors` names the member. \
         Choose an active one: `/setup/loan/payment-methods` lists those of payments.";
    IdempotencyMismatch = UNPROCESSABLE_ENTITY "idempotency-mismatch"
        "The key was used for another request"
        "This `Idempotency-Key` belongs to an earlier request with another path, query or body. \
         Use a new key for each new request, and send a repeated one exactly as it was.";
    AmountNotPositive = UNPROCESSABLE_ENTITY "amount-not-positive"
        "The amount must be above zero"
        "An amount to be paid must be above zero. `\"0.00\"` is taken only with `Payoff`, and \
         not by card, where nothing is owed any more: it closes the loan.";
    EffectiveDateInFuture = UNPROCESSABLE_ENTITY "effective-date-in-future"
        "The effective date lies in the future"
        "Payments count for today or earlier; `detail` tells what today is, by the database's \
         clock and the business time zone.";
    EffectiveDateTooEarly = UNPROCESSABLE_ENTITY "effective-date-too-early"
        "The effective date is too early"
        "Nothing can be posted before the loan began, or before the latest payment or other \
         entry that moved its interest. `detail` names the earliest date.";
    SplitMismatch = UNPROCESSABLE_ENTITY "split-mismatch"
        "The parts do not sum to the amount"
        "The parts of an explicit split must sum to `Amount`. `detail` tells both figures.";
    SplitExceedsBalance = UNPROCESSABLE_ENTITY "split-exceeds-balance"
        "A part exceeds its balance"
        "A part of the split is more than what is owed there on the effective date. `detail` \
         names the part and the most it may be.";
    Overpayment = UNPROCESSABLE_ENTITY "overpayment"
        "The amount exceeds what can be paid"
        "The amount is more than the loan takes; `detail` tells the most. Send less, or let the \
         rest go to the suspense balance with `Excess_Handling`.";
    PayoffShort = UNPROCESSABLE_ENTITY "payoff-short"
        "The amount does not pay the loan off"
        "`Payoff` needs the whole payoff amount of the effective date, which `detail` tells.";
    LoanClosed = UNPROCESSABLE_ENTITY "loan-closed"
        "The loan takes no payments"
        "The status of the loan takes no payments; `detail` names it. A payment becomes \
         possible only when the status changes.";
    DuplicateExternalId = UNPROCESSABLE_ENTITY "duplicate-external-id"
        "The external id is already on the loan"
        "A transaction of this loan has this `External_ID` already: `detail` names it. Most \
         likely the payment was posted before.";
    CashDrawerRequired = UNPROCESSABLE_ENTITY "cash-drawer-required"
        "A cash payment needs a cash drawer"
        "Cash goes into a cash drawer. Name one in `Cash_Drawer_ID`: the caller is not active \
         on exactly one.";
    DrawerNotUsable = UNPROCESSABLE_ENTITY "drawer-not-usable"
        "The cash drawer cannot be used for this"
        "The drawer is closed, not assigned to the caller, or takes no such entry; `detail` \
         says which. Choose another drawer.";
    DrawerInUse = UNPROCESSABLE_ENTITY "drawer-in-use"
        "Someone else is working with the cash drawer"
        "Another user is working with this drawer. Until it is counted and his session ends, \
         only he and supervisors enter anything there. Choose another drawer.";
    DrawerNegative = UNPROCESSABLE_ENTITY "drawer-negative"
        "The cash drawer does not hold so much"
        "No drawer goes below zero. `detail` tells how much of this tender the drawer holds.";
    FieldNotDocument = UNPROCESSABLE_ENTITY "field-not-document"
        "The field does not hold documents"
        "The field in the path is defined for something else than documents. Use one whose \
         `Data_Type` is `document`.";
    LastFile = UNPROCESSABLE_ENTITY "last-file"
        "A document keeps its last file"
        "The only file of a document cannot be removed by itself. Remove the document, or add \
         another file first.";
    CardNumberRefused = UNPROCESSABLE_ENTITY "card-number-refused"
        "Card numbers are never taken"
        "Something in the request looks like a card number or a security code, or a member is \
         named like one. Nothing of it was kept. Send the token that the gateway's own form \
         gave for the card.";
    CardForgotten = UNPROCESSABLE_ENTITY "card-forgotten"
        "The card was forgotten"
        "The card was forgotten and cannot be charged any more. Add a card, or choose another \
         one.";
    CardExpired = UNPROCESSABLE_ENTITY "card-expired"
        "The card has expired"
        "The card's month is over; `detail` names it. Choose another card.";
    CardDeclined = UNPROCESSABLE_ENTITY "card-declined"
        "The card was not charged"
        "The gateway did not take the card or did not charge it, and nothing was posted. \
         `declineCode` is the reason in the gateway's own word; `not_charged` means that the \
         charge never came about. Try again with a new `Idempotency-Key`: the old one gets this \
         answer again.";
    ChargeVoided = UNPROCESSABLE_ENTITY "charge-voided"
        "The charge was given back: the loan does not take the payment"
        "The card was charged, then a rule of the loan refused the payment, and the charge was \
         given back. `detail` names the rule. Pay again with a new `Idempotency-Key` once the \
         reason is gone.";
    FeeMismatch = UNPROCESSABLE_ENTITY "fee-mismatch"
        "The convenience fee is another one"
        "`Convenience_Fee` is not the fee that applies, which `detail` tells. Ask the borrower \
         again with the right fee, or leave the member out to charge what applies.";
    GatewayDisabled = UNPROCESSABLE_ENTITY "gateway-disabled"
        "Loans of this group take no cards"
        "Cards are not taken for the group of this loan; or, where `detail` says so, the card \
         is not known at the gateway in use and has to be added again.";
    LoanLocked = LOCKED "loan-locked"
        "Another request holds the loan"
        "Another request is changing the loan. Send the same request again after the seconds in \
         `Retry-After`, with the same `Idempotency-Key`.";
    DrawerLocked = LOCKED "drawer-locked"
        "Another request holds the cash drawer"
        "Another request is changing the cash drawer. Send the same request again after the \
         seconds in `Retry-After`, with the same `Idempotency-Key`.";
    TooManyRequests = TOO_MANY_REQUESTS "too-many-requests"
        "The caller sends too many requests"
        "The caller sends more requests than he may, or, where `detail` says so, has too many \
         files or imports under way. Wait for the seconds in `Retry-After`, then send the \
         request again.";
    InternalError = INTERNAL_SERVER_ERROR "internal-error"
        "Something went wrong on our side"
        "A fault of the service. The log has it under `requestId`: quote it when you ask for \
         help.";
    AuthServerUnavailable = SERVICE_UNAVAILABLE "auth-server-unavailable"
        "The auth server cannot be asked"
        "The token could not be checked, so nothing was done. Send the request again after the \
         seconds in `Retry-After`.";
    DatabaseUnavailable = SERVICE_UNAVAILABLE "database-unavailable"
        "The database cannot take the request now"
        "The database is away or busy, perhaps with an import; `detail` says what is known. Send the request again after the seconds in \
         `Retry-After`. A request that writes may have been done all the same: where it takes an \
         `Idempotency-Key`, the same key makes sure that it is done once.";
    GatewayUnavailable = SERVICE_UNAVAILABLE "gateway-unavailable"
        "The payment gateway cannot be reached"
        "The payment gateway cannot be asked at the moment. Send the same request again after \
         the seconds in `Retry-After`; with the same `Idempotency-Key` a card is charged once.";
    GatewayOutcomeUnknown = SERVICE_UNAVAILABLE "gateway-outcome-unknown"
        "The payment gateway did not say whether it charged the card"
        "The gateway was asked to charge the card and gave no answer. Send the same request \
         again, with the same `Idempotency-Key`, after the seconds in `Retry-After`: it finds \
         out what became of the charge and never charges a second time.";
    ObjectStoreUnavailable = SERVICE_UNAVAILABLE "object-store-unavailable"
        "The store of documents cannot be reached"
        "The store with the bytes of files is away, or all its places are taken. Send the \
         request again after the seconds in `Retry-After`.";
    ServerStopping = SERVICE_UNAVAILABLE "server-stopping"
        "This server is stopping"
        "The readiness of a server that was told to stop; it still takes requests for some \
         seconds. Send further ones to another server, or to this one when it is ready again.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_kind_has_a_name_of_its_own_and_is_explained_in_sentences() {
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
