//! Extensions to the interface, and servers without them.

use crate::PROGRAM;
use acceptance::world::{Environment, on_embedded_database_with};
use reqwest::Method;
use serde_json::Value;

fn without_extensions() -> Environment {
    let off = ("API_EXTENSIONS".to_owned(), "off".to_owned());
    Environment { api: [off].into(), ..Environment::default() }
}

#[tokio::test]
async fn a_server_without_extensions_has_none_of_them() {
    on_embedded_database_with(PROGRAM, without_extensions(), |world| async move {
        let served = world.client.get("", "/openapi.json").await.expect(200);
        let interface = world.client.get("", "/openapi-interface.json").await.expect(200);
        assert_eq!(served.text, interface.text);
        let served: Value = served.json();
        let admin = world.token("admin").await;
        // It does not answer as the contract says.
        let client = world.client.through(&world.client.api_url);
        let mut extensions = 0;
        for operation in api_server::router::operations().all() {
            let path = operation.path.replace("{", "").replace("}", "");
            let request = client.request(operation.method.clone(), &admin, &path);
            let answer = client.send(request).await.expect("an answer");
            let others = &served["paths"][&operation.path];
            match (operation.is_extension, others.as_object()) {
                (false, _) => {
                    assert!(![404, 405].contains(&answer.status.as_u16()), "{}", operation.id);
                }
                (true, None) => drop(answer.expect_problem(404, "not-found")),
                (true, Some(others)) => {
                    let refused = answer.expect_problem(405, "method-not-allowed");
                    let allowed = refused.header("allow").to_lowercase();
                    for method in allowed.split(", ").filter(|method| *method != "head") {
                        assert!(others.contains_key(method), "{}: {allowed}", operation.id);
                    }
                }
            }
            extensions += usize::from(operation.is_extension);
        }
        assert!(extensions > 0);
        world
    })
    .await;
}

#[tokio::test]
async fn documents_of_the_interface_and_of_the_extensions_need_no_token() {
    on_embedded_database_with(PROGRAM, Environment::default(), |world| async move {
        let all = world.client.get("", "/openapi.json").await.expect(200);
        assert!(all.text.contains("x-extension"));
        let interface = world.client.get("", "/openapi-interface.json").await.expect(200);
        assert!(!interface.text.contains("x-extension"));
        assert_eq!(interface.header("content-type"), "application/json");
        let request = world.client.request(Method::GET, "", "/openapi-interface.json");
        let request = request.header("if-none-match", interface.header("etag"));
        world.client.send(request).await.expect("an answer").expect(304);
        world
    })
    .await;
}
