//! `/.well-known/oauth-authorization-server`, and health.

use crate::PROGRAM;
use acceptance::log_in_form::{AuthorizationRequest, Browser};
use acceptance::{World, on_each_database};
use serde_json::Value;

async fn metadata(world: &World, path: &str) -> Value {
    let url = format!("{}{path}", world.client.auth_url);
    world.client.send(world.client.http.get(url)).await.expect("a response").expect(200).json()
}

/// The words of a list.
fn words<'a>(metadata: &'a Value, name: &str) -> Vec<&'a str> {
    let list = metadata[name].as_array().unwrap_or_else(|| panic!("{name}"));
    list.iter().map(|password| password.as_str().expect("a word")).collect()
}

/// Covered by other tests: client authentication (`clients.rs`), CORS, ID tokens (`keys.rs`),
/// redirects (`authorize.rs`).
#[tokio::test]
async fn the_metadata_matches_the_servers_behavior() {
    on_each_database(PROGRAM, |world| async move {
        let auth_url = world.client.auth_url.clone();
        let document = metadata(&world, "/.well-known/oauth-authorization-server").await;
        assert_eq!(document, metadata(&world, "/.well-known/openid-configuration").await);
        assert_eq!(document["issuer"], auth_url);
        // Each endpoint exists, and reports what is wrong with an empty request.
        let path = |name: &str| {
            let url = document[name].as_str().unwrap_or_else(|| panic!("{name}"));
            url.strip_prefix(auth_url.as_str()).expect("under the issuer").to_owned()
        };
        for name in ["token_endpoint", "introspection_endpoint", "revocation_endpoint"] {
            world.client.form(("nobody", "x"), &path(name), &[]).await.expect(401);
        }
        for (name, status) in [
            ("authorization_endpoint", 400),
            ("userinfo_endpoint", 401),
            ("end_session_endpoint", 200),
            ("jwks_uri", 200),
        ] {
            let request = world.client.http.get(format!("{auth_url}{}", path(name)));
            world.client.send(request).await.expect("a response").expect(status);
        }
        let secret = world.credentials.integration.clone();
        for grant in words(&document, "grant_types_supported") {
            let form = [("grant_type", grant), ("scope", "core")];
            let response =
                world.client.form(("integration", &secret), "/oauth2/token", &form).await;
            assert_ne!(response.json()["error"], "unsupported_grant_type");
        }
        let redirect_of = async |authorization: AuthorizationRequest| {
            let response = Browser::new(&world.client).get(&authorization.url(&auth_url)).await;
            assert_eq!(response.status, 303);
            response.header("location").to_owned()
        };
        let log_in_url = format!("{auth_url}/login?request=");
        let (kinds, standard_scopes): (Vec<_>, Vec<_>) = words(&document, "scopes_supported")
            .into_iter()
            .partition(|scope| ["core", "web"].contains(&&**scope));
        assert_eq!(standard_scopes, ["openid", "profile", "email", "offline_access"]);
        for kind in kinds {
            let scope = format!("{} {kind}", standard_scopes.join(" "));
            assert!(
                redirect_of(AuthorizationRequest::new(&scope)).await.starts_with(&log_in_url),
                "{scope}"
            );
        }
        for (parameter, list) in [
            ("response_type", "response_types_supported"),
            ("response_mode", "response_modes_supported"),
            ("code_challenge_method", "code_challenge_methods_supported"),
        ] {
            for password in words(&document, list) {
                assert!(
                    redirect_of(AuthorizationRequest::new("core").with(parameter, password))
                        .await
                        .starts_with(&log_in_url)
                );
            }
        }
        for prompt in words(&document, "prompt_values_supported") {
            let location =
                redirect_of(AuthorizationRequest::new("core").with("prompt", prompt)).await;
            assert!(!location.contains("invalid_request"), "{prompt}: {location}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn every_response_has_security_headers() {
    on_each_database(PROGRAM, |world| async move {
        for path in
            ["/login", "/oauth2/authorize", "/oauth2/logout", "/oauth2/userinfo", "/nothing"]
        {
            let request = world.client.http.get(format!("{}{path}", world.client.auth_url));
            let response = world.client.send(request).await.expect("a response");
            for (name, value) in [
                ("x-content-type-options", "nosniff"),
                ("x-frame-options", "DENY"),
                ("cache-control", "no-store"),
                ("strict-transport-security", "max-age=31536000"),
            ] {
                assert_eq!(response.header(name), value, "{path}");
            }
            let policy = response.header("content-security-policy");
            assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn health_reports_the_database_time() {
    on_each_database(PROGRAM, |world| async move {
        for server in [world.client.auth_url.clone(), world.client.api_url.clone()] {
            let get = async |path: &str| {
                let request = world.client.http.get(format!("{server}{path}"));
                world.client.send(request).await.expect("a response").expect(200).json()
            };
            assert_eq!(get("/health/live").await["status"], "live");
            let ready = get("/health/ready").await;
            assert_eq!(ready["status"], "ready");
            let time = ready["database_time"].as_str().expect("a time");
            let time: chrono::DateTime<chrono::Utc> = time.parse().expect("a time");
            assert!((chrono::Utc::now() - time).num_seconds().abs() < 60);
        }
        world
    })
    .await;
}
