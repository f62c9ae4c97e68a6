//! Paths that moved with release 5.0.0: the answer to any request names the new path.

use crate::PROGRAM;
use acceptance::world::on_embedded_database;
use reqwest::Method;

/// Each former path and its new one, with the ids of the former path.
const MOVED: [(&str, &str); 19] = [
    ("/loans/17/transaction-history", "/loans/17/transactions"),
    ("/core/post-payment", "/loans/{loan_id}/transactions/payments"),
    ("/loan-collateral/17", "/loans/collateral/17"),
    ("/loan-collateral/17/vehicle", "/loans/collateral/17/vehicle"),
    ("/loan-collateral/17/location", "/loans/collateral/17/location"),
    ("/loan-collateral/17/insurance", "/loans/collateral/17/insurance"),
    ("/loan-collateral/17/taxes", "/loans/collateral/17/taxes"),
    ("/loan-comments/17", "/loans/comments/17"),
    ("/contact-comments/17", "/contacts/comments/17"),
    ("/credit-profiles/17", "/contacts/credit-profiles/17"),
    ("/core/user-priv/17", "/users/17/privileges"),
    ("/loan-settings/groups", "/setup/loan/groups"),
    ("/loan-settings/payment-methods", "/setup/loan/payment-methods"),
    ("/loan-settings/portfolios", "/setup/loan/portfolios"),
    ("/loan-settings/status-codes", "/setup/loan/status-codes"),
    ("/loan-settings/risk-ratings", "/setup/loan/risk-ratings"),
    ("/contact-settings/entities", "/setup/contact/entities"),
    ("/contact-settings/relationship-codes", "/setup/contact/relationship-codes"),
    ("/contact-settings/types", "/setup/contact/types"),
];

#[tokio::test]
async fn every_method_on_a_former_path_names_the_current_path() {
    on_embedded_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let send = async |method: &Method, token: &str, path: &str| {
            let request = world.client.request(method.clone(), token, path);
            let request = match *method {
                Method::GET | Method::DELETE => request,
                _ => request.header("content-type", "text/plain").body("rubbish"),
            };
            world.client.send(request).await.expect("a response")
        };
        let methods = [Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::PATCH];
        for (former, current) in MOVED {
            for method in &methods {
                for token in ["", "junk", &admin] {
                    let response = send(method, token, former).await;
                    let response = response.expect_problem(410, "former-path").json();
                    assert_eq!(response["currentPath"], current, "{method} {former}");
                    assert_eq!(response["instance"], former);
                }
            }
            let response = send(&Method::GET, "", &format!("{former}?limit=0&limit=x")).await;
            assert_eq!(response.expect(410).json()["currentPath"], current);
            let response = send(&Method::HEAD, "", former).await.expect(410);
            assert_eq!(response.text, "");
            // What the new path answers is not checked here.
            let now = current.replace("{loan_id}", "17");
            let response = send(&Method::GET, "", &now).await;
            assert!([401, 405].contains(&response.status.as_u16()), "{now}: {}", response.text);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn paths_similar_to_a_former_path_are_not_found() {
    on_embedded_database(PROGRAM, |world| async move {
        for path in [
            "/loan-collateral",
            "/loan-collateral/",
            "/loan-collateral/17/description",
            "/loan-collateral/17/vehicle/",
            "/loan-comments",
            "/loan-comments/17/documents",
            "/credit-profiles",
            "/core/post-payment/17",
            "/core/user-priv",
            "/loan-settings",
            "/loan-settings/interest-plans",
            "/contact-settings/relationship_codes",
            "/Loan-Settings/groups",
            "/loans//transaction-history",
        ] {
            world.client.get("", path).await.expect_problem(404, "not-found");
        }
        let document = world.client.get("", "/openapi.json").await.expect(200);
        for word in ["transaction-history", "loan-settings", "user-priv", "post-payment"] {
            assert!(!document.text.contains(word), "{word} is in the document");
        }
        world
    })
    .await;
}
