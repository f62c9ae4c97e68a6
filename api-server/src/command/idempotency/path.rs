//! Request paths, as fingerprints hash them.

use crate::http::admission::request_schemas;
use poem::Request;
use shared::problem::Problem;
use std::fmt::Write;

/// Returns the path of the operation that the router chose, with the ids of the request in one
/// spelling regardless of the client's: an id as it is printed, a field name in lower case. It must
/// not change: a request that is sent again to another release would be taken for another one.
pub(super) fn of(request: &Request) -> Result<String, Problem> {
    let unknown = || Problem::internal("the path of a request with an Idempotency-Key is unknown");
    let operation = request_schemas(request)?.operations.of_request(request).ok_or_else(unknown)?;
    let mut path = String::with_capacity(2 * operation.path.len());
    let mut number = 0;
    for segment in operation.path.split('/').skip(1) {
        path.push('/');
        if !segment.starts_with('{') {
            path.push_str(segment);
            continue;
        }
        let value = request.raw_path_param(&format!("param{number}")).ok_or_else(unknown)?;
        number += 1;
        match value.parse::<i64>() {
            Ok(id) if segment != "{field}" => write!(path, "{id}").map_err(Problem::internal)?,
            _ => path.extend(value.chars().map(|c| c.to_ascii_lowercase())),
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::operations::{Operation, router_pattern};
    use crate::router::{document, operations, request_schemas};
    use crate::xml_import::idempotent_import;
    use poem::endpoint::make;
    use poem::http::Method;
    use poem::{Endpoint, EndpointExt, Route};
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// For each operation with a key, a path as a client may spell it, and as fingerprints hash it.
    const PATHS: [(&str, &str); 20] = [
        ("/loans/007/transactions/payments", "/loans/7/transactions/payments"),
        ("/loans/07/transactions/adjustments", "/loans/7/transactions/adjustments"),
        ("/loans/7/transactions/042/reversal", "/loans/7/transactions/42/reversal"),
        ("/loans/+7/payment-gateway/credit-cards", "/loans/7/payment-gateway/credit-cards"),
        ("/loans/%37/payment-gateway/payments", "/loans/7/payment-gateway/payments"),
        ("/loans/7/detail1/UserDef05/documents", "/loans/7/detail1/userdef05/documents"),
        ("/loans/07/detail2/0042/documents", "/loans/7/detail2/0042/documents"),
        ("/loans/07/comments", "/loans/7/comments"),
        ("/loans/comments/011/documents", "/loans/comments/11/documents"),
        ("/loans/collateral/+1/comments", "/loans/collateral/1/comments"),
        ("/loans/collateral/comments/+1/documents", "/loans/collateral/comments/1/documents"),
        ("/contacts/3/demographics/userdef80/documents", DEMOGRAPHICS),
        ("/contacts/03/detail/userdef%301/documents", "/contacts/3/detail/userdef01/documents"),
        ("/contacts/3/financials/USERDEF2/documents", "/contacts/3/financials/userdef2/documents"),
        ("/contacts/011/comments", "/contacts/11/comments"),
        ("/contacts/comments/11/documents", "/contacts/comments/11/documents"),
        ("/user-defined-fields/documents/09/files", "/user-defined-fields/documents/9/files"),
        ("/cash-drawers/02/reconciliations", "/cash-drawers/2/reconciliations"),
        ("/cash-drawers/9223372036854775807/transactions", LAST_DRAWER),
        ("/core/xml-import", idempotent_import::PATH),
    ];
    const DEMOGRAPHICS: &str = "/contacts/3/demographics/userdef80/documents";
    const LAST_DRAWER: &str = "/cash-drawers/9223372036854775807/transactions";

    /// Returns the path in the fingerprint of a request that was sent with this path.
    async fn path_in_fingerprint(operation: &Operation, sent: &str) -> String {
        let pattern = router_pattern(&operation.path);
        let endpoint = make(|request| async move { of(&request) });
        let routes = Route::new().nest("/", Route::new().at(pattern, endpoint));
        let routes = routes.data(request_schemas());
        let request = Request::builder().method(Method::POST).uri(sent.parse().unwrap());
        let response = routes.call(request.finish()).await.unwrap();
        response.into_body().into_string().await.unwrap()
    }

    #[tokio::test]
    async fn stored_responses_are_found_however_the_path_is_spelled() {
        let document: Value = serde_json::from_str(document()).unwrap();
        let with_key = operations().all().filter(|operation| {
            let method = operation.method.as_str().to_lowercase();
            let parameters = &document["paths"][&operation.path][method]["parameters"];
            let mut parameters = parameters.as_array().into_iter().flatten();
            parameters.any(|parameter| parameter["name"] == "Idempotency-Key")
        });
        let mut untested: BTreeSet<&str> = with_key.map(|operation| operation.id).collect();
        for (sent, path) in PATHS {
            let operation = operations().find(&Method::POST, sent).unwrap();
            assert_eq!(path_in_fingerprint(operation, sent).await, path);
            untested.remove(operation.id);
        }
        assert!(untested.is_empty(), "{untested:?}");
    }
}
