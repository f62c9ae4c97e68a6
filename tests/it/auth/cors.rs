//! CORS: pages of public clients call the auth server from their registered origins.

use crate::PROGRAM;
use acceptance::{TestResponse, World, on_each_database};
use reqwest::Method;

async fn send(world: &World, method: Method, path: &str, origin: &str) -> TestResponse {
    let url = format!("{}{path}", world.client.auth_url);
    let mut request = world.client.http.request(method.clone(), url).header("origin", origin);
    if method == Method::OPTIONS {
        request = request.header("access-control-request-method", "POST");
    }
    world.client.send(request).await.unwrap()
}

#[tokio::test]
async fn only_registered_origins_of_public_clients_pass_cors() {
    on_each_database(PROGRAM, |world| async move {
        let origins = "https://one.example https://two.example:444";
        world.sql(&format!("UPDATE oauth_clients SET cors_origins = '{origins}' WHERE client_id = 'browser'")).await;
        world.sql("UPDATE oauth_clients SET cors_origins = 'https://three.example' WHERE client_id = 'integration'").await;
        for path in ["/oauth2/token", "/oauth2/revoke", "/oauth2/userinfo", "/logout"] {
            for origin in ["https://one.example", "https://two.example:444"] {
                let preflight = send(&world, Method::OPTIONS, path, origin).await.expect(204);
                assert_eq!(preflight.header("access-control-allow-origin"), origin);
                assert!(preflight.header("access-control-allow-headers").contains("authorization"));
                assert_eq!(preflight.header("access-control-allow-credentials"), "");
                assert_eq!(preflight.header("vary"), "origin");
            }
            for origin in ["https://three.example", "https://evil.example", "null", "https://one.example.evil"] {
                let refused = send(&world, Method::OPTIONS, path, origin).await.expect(405);
                assert_eq!(refused.header("access-control-allow-origin"), "", "{path} {origin}");
            }
        }
        let response = send(&world, Method::POST, "/oauth2/token", "https://one.example").await;
        assert_eq!(response.header("access-control-allow-origin"), "https://one.example");
        let public = send(&world, Method::GET, "/oauth2/jwks", "https://evil.example").await;
        let public = public.expect(200);
        assert_eq!(public.header("access-control-allow-origin"), "*");
        for path in ["/oauth2/introspect", "/login", "/oauth2/authorize"] {
            let response = send(&world, Method::OPTIONS, path, "https://one.example").await;
            assert_eq!(response.header("access-control-allow-origin"), "", "{path}");
        }
        world
    })
    .await;
}
