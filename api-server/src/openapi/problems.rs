//! The problems that each operation responds with. Most follow from its shape: a path with an id
//! can name a row that does not exist, and a key can be sent twice. Rules specific to an operation
//! are in one table, and the tests fail if an operation responds with a problem it does not list.

use crate::http::operations::{FORM, is_about_cards, privilege_of};
use crate::openapi::{id, operations};
use poem::http::StatusCode;
use serde_json::{Map, Value, json};
use shared::problem::{ProblemType, TYPE_PREFIX};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Problems that any request can run into, documented once under `default`.
pub const ANYWHERE: &[ProblemType] = &[
    ProblemType::NotAcceptable,
    ProblemType::TooManyRequests,
    ProblemType::InternalError,
    ProblemType::AuthServerUnavailable,
    ProblemType::DatabaseUnavailable,
];

/// Not of any operation: problems of unknown paths and methods, and of readiness.
const UNLISTED: [ProblemType; 4] = [
    ProblemType::MethodNotAllowed,
    ProblemType::FormerPath,
    ProblemType::CertificateExpired,
    ProblemType::ServerStopping,
];

/// Statuses documented alike wherever they occur, and the names of their components.
const SHARED_STATUSES: [(&str, &str); 7] = [
    ("400", "BadRequest"),
    ("401", "Unauthorized"),
    ("404", "NotFound"),
    ("412", "PreconditionFailed"),
    ("413", "ContentTooLarge"),
    ("415", "UnsupportedMediaType"),
    ("416", "RangeNotSatisfiable"),
];

static EXAMPLES: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("problems.json")).unwrap_or_default());

type P = ProblemType;

/// Problems of operations beyond those that follow from their shape.
const OWN: &[(&[&str], &[ProblemType])] = &[
    (
        &["post_payment", "post_card_payment"],
        &[
            P::InvalidValue,
            P::RequiredField,
            P::AmountNotPositive,
            P::EffectiveDateTooEarly,
            P::Overpayment,
            P::PayoffShort,
            P::LoanClosed,
            P::DuplicateExternalId,
            P::LoanLocked,
        ],
    ),
    (
        &["post_payment"],
        &[
            P::UnknownCode,
            P::EffectiveDateInFuture,
            P::SplitMismatch,
            P::SplitExceedsBalance,
            P::CashDrawerRequired,
            P::DrawerNotUsable,
            P::DrawerInUse,
            P::DrawerLocked,
        ],
    ),
    (
        &["post_adjustment"],
        &[
            P::PrivilegeMissing,
            P::InvalidValue,
            P::RequiredField,
            P::AmountNotPositive,
            P::EffectiveDateInFuture,
            P::EffectiveDateTooEarly,
            P::SplitExceedsBalance,
            P::LoanClosed,
            P::DrawRefused,
            P::LoanLocked,
        ],
    ),
    (
        &["reverse_entry"],
        &[
            P::InvalidValue,
            P::RequiredField,
            P::NotReversible,
            P::LoanClosed,
            P::DrawerNotUsable,
            P::DrawerNegative,
            P::LoanLocked,
            P::DrawerLocked,
        ],
    ),
    (
        &["post_card_payment"],
        &[
            P::CardForgotten,
            P::CardExpired,
            P::CardDeclined,
            P::ChargeVoided,
            P::FeeMismatch,
            P::GatewayDisabled,
            P::GatewayUnavailable,
            P::GatewayOutcomeUnknown,
        ],
    ),
    (
        &["create_card"],
        &[
            P::InvalidValue,
            P::RequiredField,
            P::CardDeclined,
            P::GatewayDisabled,
            P::GatewayUnavailable,
        ],
    ),
    (
        &["get_convenience_fee"],
        &[P::InvalidValue, P::CardForgotten, P::CardExpired, P::GatewayDisabled],
    ),
    (&["get_add_payment_method_url"], &[P::GatewayDisabled, P::GatewayUnavailable]),
    (
        &["post_drawer_transaction", "reconcile_drawer"],
        &[P::InvalidValue, P::DrawerNotUsable, P::DrawerInUse, P::DrawerLocked],
    ),
    (&["post_drawer_transaction"], &[P::RequiredField, P::DrawerNegative]),
    (&["change_collateral_comment"], &[P::InvalidValue, P::UnknownCode]),
    (&["create_loan_comment"], &[P::InvalidValue, P::UnknownCode, P::LoanLocked]),
    (&["create_contact_comment", "create_collateral_comment"], &[P::InvalidValue, P::UnknownCode]),
    (&["change_document", "remove_document"], &[P::InvalidValue, P::PrivilegeMissing]),
    (&["create_document_file"], &[P::PrivilegeMissing]),
    (&["remove_document_file"], &[P::InvalidValue, P::PrivilegeMissing, P::LastFile]),
    // Users may list their own privileges.
    (&["list_user_privileges"], &[P::PrivilegeMissing]),
    // Requires one of several privileges.
    (
        &[
            "list_comment_categories",
            "list_contact_officers",
            "list_loan_officers",
            "list_collection_officers",
        ],
        &[P::PrivilegeMissing],
    ),
    (&["download_file"], &[P::ObjectStoreUnavailable]),
    (&["import_xml"], &[P::SpoolUnavailable]),
    (&["get_payoff_quote"], &[P::EffectiveDateTooEarly, P::LoanClosed]),
    (&["get_loan_balances"], &[P::EffectiveDateTooEarly]),
];

/// Adds each operation's problems and, to the components, the shared ones, an example of each, and
/// the kinds as a type.
pub(super) fn describe(document: &mut Value) {
    let mut shared = Map::new();
    let mut listed = ANYWHERE.to_vec();
    for (path, method, operation) in operations(document) {
        listed.extend(describe_operation(path, method, operation, &mut shared));
    }
    shared.insert("Problem".to_owned(), response(&as_markdown(ANYWHERE), ANYWHERE));
    document["components"]["responses"] = Value::Object(shared);
    let kinds = ProblemType::ALL.iter().filter(|kind| listed.contains(kind));
    let examples = kinds.map(|kind| (kind.name().to_owned(), example(*kind)));
    document["components"]["examples"] = Value::Object(examples.collect());
    document["components"]["schemas"]["ProblemType"] = kinds_as_type(document);
}

/// Returns the kinds as an enum for programs to compare `type` with. `type` itself is a string: a
/// client must be able to read a problem of a kind that it does not know.
fn kinds_as_type(document: &Value) -> Value {
    let types = kinds(document).map(|kind| format!("{TYPE_PREFIX}{}", kind.name()));
    let names = kinds(document).map(|kind| kind.name().to_uppercase().replace('-', "_"));
    json!({
        "type": "string",
        "title": "ProblemType",
        "description": "Kinds of problems, to compare `type` with. Later releases may add some.",
        "enum": types.collect::<Vec<_>>(),
        "x-enum-varnames": names.collect::<Vec<_>>(),
    })
}

/// Returns the problems that a server with this document responds with.
pub fn kinds(document: &Value) -> impl Iterator<Item = ProblemType> {
    let listed = &document["components"]["examples"];
    let occurs = move |kind: &P| UNLISTED.contains(kind) || listed.get(kind.name()).is_some();
    P::ALL.iter().copied().filter(occurs)
}

fn describe_operation(
    path: &str,
    method: &str,
    operation: &mut Value,
    shared: &mut Map<String, Value>,
) -> Vec<ProblemType> {
    let mut by_status: BTreeMap<String, Vec<ProblemType>> = BTreeMap::new();
    let kinds = problems(path, method, operation);
    for kind in &kinds {
        by_status.entry(kind.status().as_str().to_owned()).or_default().push(*kind);
    }
    let Some(responses) = operation["responses"].as_object_mut() else { return kinds };
    for (status, kinds) in &by_status {
        let mut response = response(&as_markdown(kinds), kinds);
        if let Some((_, name)) = SHARED_STATUSES.iter().find(|(listed, _)| listed == status) {
            shared.insert((*name).to_owned(), response);
            response = reference("responses", name);
        }
        responses.insert(status.clone(), response);
    }
    // Moves `default` after all other responses.
    responses.shift_remove("default");
    responses.insert("default".to_owned(), reference("responses", "Problem"));
    kinds
}

/// Returns the problems of an operation, other than those any request can run into.
fn problems(path: &str, method: &str, operation: &Value) -> Vec<ProblemType> {
    let has_parameter = |name: &str| {
        let parameters = operation["parameters"].as_array();
        parameters.is_some_and(|all| all.iter().any(|parameter| parameter["name"] == name))
    };
    let has_body = !operation["requestBody"].is_null();
    let is_form = !operation["requestBody"]["content"][FORM.media_type].is_null();
    let own = OWN.iter().filter(|(operations, _)| operations.contains(&id(operation)));
    let own: Vec<P> = own.flat_map(|(_, kinds)| kinds.iter().copied()).collect();
    let applies = |kind: &P| match kind {
        P::BadRequest | P::TokenMissing | P::TokenInvalid => true,
        P::PrivilegeMissing if privilege_of(id(operation)).is_some() => true,
        P::CoreUserOnly => operation["security"][0]["core_user"].is_array(),
        P::AdminOnly => operation["security"][0]["admin_user"].is_array(),
        P::NotFound => path.contains('{'),
        P::TooLarge | P::UnsupportedMediaType => has_body,
        P::StaleVersion => has_parameter("If-Match") && method != "get",
        P::PreconditionFailed => has_parameter("If-Match"),
        P::IdempotencyInProgress | P::IdempotencyMismatch => has_parameter("Idempotency-Key"),
        P::RangeNotSatisfiable => has_parameter("Range"),
        P::CardNumberRefused => is_about_cards(path),
        P::FieldNotDocument => path.contains("{field}"),
        P::InvalidValue | P::ObjectStoreUnavailable if is_form => true,
        kind => own.contains(kind),
    };
    P::ALL.iter().copied().filter(applies).collect()
}

/// Lists the kinds with their titles, as Markdown.
fn as_markdown(kinds: &[ProblemType]) -> String {
    let lines = kinds.iter().map(|kind| format!("* `{}`: {}.", kind.name(), kind.title()));
    lines.collect::<Vec<_>>().join("\n")
}

fn reference(components: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{components}/{name}")})
}

fn response(description: &str, kinds: &[ProblemType]) -> Value {
    let examples = kinds.iter().map(|kind| (kind.name(), reference("examples", kind.name())));
    let mut headers = vec!["X-Request-Id"];
    for (kind, header) in [
        (P::TokenMissing, "WWW-Authenticate"),
        (P::UnsupportedMediaType, "Accept-Encoding"),
        (P::RangeNotSatisfiable, "Content-Range"),
    ] {
        headers.extend(kinds.contains(&kind).then_some(header));
    }
    if kinds.iter().any(|kind| is_retryable(*kind)) {
        headers.push("Retry-After");
    }
    let headers = headers.into_iter().map(|name| (name, reference("headers", name)));
    json!({
        "description": description,
        "headers": headers.collect::<BTreeMap<_, _>>(),
        "content": {"application/problem+json": {
            "schema": reference("schemas", "Problem"),
            "examples": examples.collect::<BTreeMap<_, _>>(),
        }},
    })
}

/// True for temporary problems: the response says when to retry.
fn is_retryable(kind: ProblemType) -> bool {
    let status = kind.status();
    kind == ProblemType::IdempotencyInProgress
        || [StatusCode::LOCKED, StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE]
            .contains(&status)
}

/// Returns the recorded example of this kind.
fn example(kind: ProblemType) -> Value {
    json!({"summary": kind.title(), "value": EXAMPLES[kind.name()]})
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::problem::TYPE_PREFIX;

    #[test]
    fn each_problem_type_has_its_own_example() {
        for kind in ProblemType::ALL {
            let example = &EXAMPLES[kind.name()];
            assert_eq!(example["type"], format!("{TYPE_PREFIX}{}", kind.name()));
            assert_eq!(example["title"], kind.title());
            assert_eq!(example["status"], kind.status().as_u16());
        }
        assert_eq!(EXAMPLES.as_object().map(Map::len), Some(ProblemType::ALL.len()));
    }

    #[test]
    fn every_entry_about_an_operation_refers_to_an_existing_one() {
        let document: Value = serde_json::from_str(crate::router::document()).unwrap();
        let text = document["paths"].to_string();
        for (operations, _) in OWN {
            for id in *operations {
                assert!(text.contains(&format!("\"operationId\":\"{id}\"")), "{id}");
            }
        }
    }
}
