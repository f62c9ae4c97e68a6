//! `/.well-known/oauth-authorization-server`, and health.

use crate::PROGRAM;
use acceptance::on_each_database;

#[tokio::test]
async fn the_metadata_says_only_what_is_true() {
    on_each_database(PROGRAM, |world| async move {
        let auth_url = world.client.auth_url.clone();
        let url = format!("{auth_url}/.well-known/oauth-authorization-server");
        let metadata = world.client.send(world.client.http.get(url)).await.expect("an answer");
        let metadata = metadata.expect(200).json();
        assert_eq!(metadata["issuer"], auth_url);
        // Each endpoint is there: it knows its client before it looks at anything.
        for name in ["token_endpoint", "introspection_endpoint", "revocation_endpoint"] {
            let url = metadata[name].as_str().expect("a URL");
            let path = url.strip_prefix(auth_url.as_str()).expect("under the issuer");
            world.client.form(("nobody", "x"), path, &[]).await.expect(401);
        }
        let secret = world.credentials.integration.clone();
        for grant in metadata["grant_types_supported"].as_array().expect("grants") {
            let grant = grant.as_str().expect("a grant");
            let form = [("grant_type", grant), ("scope", "core")];
            let answer = world.client.form(("integration", &secret), "/oauth2/token", &form).await;
            assert_ne!(answer.json()["error"], "unsupported_grant_type");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn health_tells_the_databases_time() {
    on_each_database(PROGRAM, |world| async move {
        for server in [world.client.auth_url.clone(), world.client.api_url.clone()] {
            let get = async |path: &str| {
                let request = world.client.http.get(format!("{server}{path}"));
                world.client.send(request).await.expect("an answer").expect(200).json()
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
