//! Card numbers and security codes in requests below `/payment-gateway/`: each is refused and
//! stored nowhere. Every operation of the served document is tried.

use super::book;
use crate::PROGRAM;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{TestResponse, World};
use reqwest::Method;
use reqwest::header::HeaderValue;
use serde_json::json;

/// What must appear nowhere: the digits of the card numbers sent here, and the security codes.
const TRACES: [&str; 7] =
    ["42424242", "4242-4242", "4242%20", "424242424242424e", "55555555", "３７８２", "S3cr3tC0de"];

/// An operation about cards: method, path, and whether it has a body.
struct TestedOperation {
    method: Method,
    path: String,
    takes_body: bool,
}

async fn operations(world: &World) -> Vec<TestedOperation> {
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    let paths = document["paths"].as_object().expect("paths");
    let mut found = Vec::new();
    for (path, item) in paths.iter().filter(|(path, _)| path.contains("/payment-gateway/")) {
        for (method, operation) in item.as_object().expect("operations") {
            found.push(TestedOperation {
                method: method.to_uppercase().parse().expect("a method"),
                path: path.clone(),
                takes_body: !operation["requestBody"].is_null(),
            });
        }
    }
    assert!(found.len() >= 3, "{} operations about cards", found.len());
    found
}

impl TestedOperation {
    /// Its path on this loan, with placeholders for all other parameters.
    fn path_for(&self, loan: i64) -> String {
        let path = self.path.replace("{loan_id}", &loan.to_string());
        path.replace("{token_id}", "1")
    }

    fn request(&self, world: &World, token: &str, path: &str) -> reqwest::RequestBuilder {
        let request = world.client.request(self.method.clone(), token, path);
        if self.takes_body { request.json(&json!({})) } else { request }
    }
}

/// Sends a request, and looks for traces of cards in the whole answer.
async fn send(world: &World, request: reqwest::RequestBuilder) -> TestResponse {
    let response = world.client.send(request).await.expect("a response");
    let random = response.header("x-request-id");
    let text = format!("{:?} {}", response.headers, response.text).replace(random, "");
    assert_no_card_data(&text);
    response
}

#[track_caller]
fn assert_no_card_data(text: &str) {
    for trace in TRACES {
        let Some(index) = text.find(trace) else { continue };
        let around: String = text[..index].chars().rev().take(300).collect();
        let around: String = around.chars().rev().collect();
        panic!("{trace} is there: {around}{trace}");
    }
}

/// Runs a test on each database with logging at full verbosity for every library.
async fn on_each_database_with_all_logged<F, Fut>(test: F)
where
    F: Fn(World) -> Fut,
    Fut: Future<Output = World>,
{
    let mut environment = Environment::default();
    environment.api.insert("API_LOG_FILTER".to_owned(), "trace".to_owned());
    on_each_database_with(PROGRAM, environment.in_processes(), test).await;
}

/// Looks for traces in the log and in the database.
async fn assert_not_stored(world: &World) {
    let log = world.api.log();
    assert!(log.contains("TRACE"), "not everything is logged: {}", log.len());
    assert_no_card_data(&log);
    assert_no_card_data(&format!("{:?}", world.snapshot().await));
}

#[tokio::test]
async fn card_numbers_in_queries_keys_and_paths_are_refused_by_every_operation() {
    on_each_database_with_all_logged(|world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        for operation in operations(&world).await {
            let path = operation.path_for(loans[0]);
            let refuse = async |request| {
                send(&world, request).await.expect_problem(422, "card-number-refused")
            };
            for query in [
                "amount=4242424242424242",
                "amount=4.242424242424242e15",
                "note=4242-4242+4242%204242",
                "tokenId=%35%35%35%355555-55554444",
                "limit=0004242424242424242",
                "note=%33%37%38%32%38%32246310005",
                "4242424242424242=1&4242424242424242=2",
                "note=4242424242424242%00",
                "SecurityCode=S3cr3tC0de",
                "cvv2=S3cr3tC0de&cvv2=S3cr3tC0de",
            ] {
                let path = format!("{path}?{query}");
                refuse(operation.request(&world, &admin, &path)).await;
            }
            // The parameter's name may be a secret, too.
            for query in ["S3cr3tC0de=1&S3cr3tC0de=2", "S3cr3tC0de=%00"] {
                let request = operation.request(&world, &admin, &format!("{path}?{query}"));
                send(&world, request).await.expect_problem(400, "bad-request");
            }
            for key in ["4242424242424242", "pay 4242-4242-4242-4242", "no\u{fc}4242424242424242"] {
                let key = HeaderValue::from_bytes(key.as_bytes()).expect("a value");
                let request = operation.request(&world, &admin, &path);
                refuse(request.header("Idempotency-Key", key.clone())).await;
                let request = operation.request(&world, &admin, &path);
                let request = request.header("Idempotency-Key", "1");
                refuse(request.header("Idempotency-Key", key)).await;
            }
            for id in ["4242424242424242", "4242%2D4242%204242-4%324%32", "x5555555555554444"] {
                for name in ["{loan_id}", "{token_id}"] {
                    if !operation.path.contains(name) {
                        continue;
                    }
                    let path = operation.path.replace(name, id);
                    let path = TestedOperation { path, method: Method::GET, takes_body: false }
                        .path_for(1);
                    let refused = refuse(operation.request(&world, &admin, &path)).await;
                    let shown = operation.path.replace(name, "***");
                    assert_eq!(refused.json()["instance"], shown.replace("{token_id}", "1"));
                }
            }
        }
        assert_not_stored(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn card_numbers_in_paths_are_never_shown_in_errors() {
    on_each_database_with_all_logged(|world| async move {
        let admin = world.token("admin").await;
        let officer = world.token("officer").await;
        let number = "4242424242424242";
        let cards = format!("/loans/{number}/payment-gateway/credit-cards");
        let call = async |method: Method, token: &str, path: &str| {
            send(&world, world.client.request(method, token, path)).await
        };
        let unknown = call(Method::GET, "", &cards).await.expect_problem(401, "token-missing");
        assert_eq!(unknown.json()["instance"], "/loans/***/payment-gateway/credit-cards");
        call(Method::GET, "nonsense", &cards).await.expect_problem(401, "token-invalid");
        let web = format!("/loans/{number}/payment-gateway/convenience-fee?amount={number}");
        call(Method::GET, &officer, &web).await;
        let method_error = call(Method::PATCH, &admin, &cards).await;
        method_error.expect_problem(405, "method-not-allowed");
        for path in [
            format!("/loans/1/payment-gateway/{number}"),
            format!("/loans/1/payment-gateway/credit-cards/{number}/{number}?n={number}"),
            format!("/loans//payment-gateway/credit-cards/{number}"),
            "/payment-gateway/4242%204242%204242%204242".to_owned(),
            format!("/gateway/add/{number}"),
            format!("/Loans/1/PAYMENT%2DGATEWAY/{number}"),
        ] {
            call(Method::GET, &admin, &path).await.expect_problem(404, "not-found");
        }
        assert_not_stored(&world).await;
        world
    })
    .await;
}

/// Bodies that contain a card number or a security code, some of them malformed JSON.
fn bodies() -> Vec<Vec<u8>> {
    let number = "4242424242424242";
    let mut bodies: Vec<Vec<u8>> = [
        json!({"Gateway_Token": number}),
        json!({"Gateway_Token": "tok_visa", "Cardholder_Name": "J 4242-4242-4242 4242"}),
        json!({"PaymentGatewayTokenID": 4_242_424_242_424_242_i64, "Amount": "1.00"}),
        json!({"PaymentGatewayTokenID": 1, "Amount": number}),
        json!({"PaymentGatewayTokenID": 1, "Amount": "4.242424242424242e15"}),
        json!({"Gateway_Token": "tok_visa", number: 1}),
        json!({"Gateway_Token": "tok_visa", "card": {"numbers": [1, {"n": number}]}}),
        json!({"Gateway_Token": "tok_visa", "CVV2": "S3cr3tC0de"}),
        json!({"Gateway_Token": "tok_visa", "card": [{"security-code": "S3cr3tC0de"}]}),
        json!([number]),
        json!(number),
    ]
    .iter()
    .map(|body| body.to_string().into_bytes())
    .collect();
    for body in [
        r#"{"Gateway_Token": "\u0034242424242424242"}"#,
        r#"{"PaymentGatewayTokenID": 4.242424242424242e15}"#,
        r#"{"PaymentGatewayTokenID": -4242424242424242.0}"#,
        r#"{"n4242424242424242": 1, "n4242424242424242": 2}"#,
        r#"{"Amount": "1.00", "Amount": "4242424242424242"}"#,
        r#"{"Gateway_Token": "4242424242424242"#,
        r#"{"Gateway_Token": "tok_visa"} 4242424242424242"#,
        r#"{"cvc": "S3cr3tC0de""#,
    ] {
        bodies.push(body.as_bytes().to_vec());
    }
    bodies.push(b"{\"Gateway_Token\": \"\xff4242424242424242\"}".to_vec());
    bodies
}

#[tokio::test]
async fn card_numbers_in_bodies_are_refused_by_every_operation() {
    on_each_database_with_all_logged(|world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let taking = operations(&world).await.into_iter().filter(|one| one.takes_body);
        for operation in taking {
            let path = operation.path_for(loans[0]);
            let post = async |token: &str, media_type: &str, body: Vec<u8>| {
                let request = world.client.request(operation.method.clone(), token, &path);
                let request = request.header("Idempotency-Key", "k");
                send(&world, request.header("content-type", media_type).body(body)).await
            };
            for body in bodies() {
                let text = String::from_utf8_lossy(&body).into_owned();
                let refused = post(&admin, "application/json", body.clone()).await;
                assert_eq!(refused.problem(), "card-number-refused", "{text}");
                post("", "application/json", body.clone())
                    .await
                    .expect_problem(401, "token-missing");
                let refused = post(&admin, "text/plain", body).await;
                refused.expect_problem(415, "unsupported-media-type");
            }
            // Values that cannot be recognized as card data are not echoed either.
            for body in [
                r#""S3cr3tC0de""#,
                r#"{"S3cr3tC0de": 1, "S3cr3tC0de": 1}"#,
                r#"{"S3cr3tC0de": 1}"#,
                r#"{"Gateway_Token": ["S3cr3tC0de"], "PaymentGatewayTokenID": "S3cr3tC0de"}"#,
                r#"{'cvv': 'S3cr3tC0de'}"#,
            ] {
                let refused = post(&admin, "application/json", body.into()).await;
                refused.expect_problem(400, "bad-request");
            }
        }
        assert_not_stored(&world).await;
        world
    })
    .await;
}
