//! The database stops under the auth server: it reports that, and never reports a live token as
//! inactive.

use super::introspect::introspect;
use crate::PROGRAM;
use acceptance::log_in_form::{AuthorizationRequest, Browser};
use acceptance::on_each_database;
use acceptance::world::{Environment, on_each_database_with};

#[tokio::test]
async fn every_endpoint_returns_503_without_the_database_and_recovers() {
    let environment = Environment { database_proxy: true, ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let Some(proxy) = &world.database_proxy else { return world };
        let (authorization, viewer) =
            (AuthorizationRequest::new("openid core"), world.credentials.viewer.clone());
        let browser = Browser::new(&world.client);
        let tokens = authorization.tokens(&world.client, "viewer", &viewer).await;
        let page = browser.open(&authorization).await;
        let code = {
            let browser = Browser::new(&world.client);
            browser.log_in(&authorization, "viewer", &viewer).await
        };
        let access = tokens["access_token"].as_str().unwrap();
        let refresh = tokens["refresh_token"].as_str().unwrap();
        proxy.shut();
        let inactive = introspect(&world, access).await.expect(503);
        assert!(!inactive.text.contains("active\":false"), "{}", inactive.text);
        introspect(&world, "junk").await.expect(503);
        assert_eq!(
            authorization.exchange(&world.client, &code).await.expect(503).header("retry-after"),
            "5"
        );
        let form =
            [("grant_type", "refresh_token"), ("client_id", "browser"), ("refresh_token", refresh)];
        world.client.form(("", ""), "/oauth2/token", &form).await.expect(503);
        let revoke = [("client_id", "browser"), ("token", refresh)];
        world.client.form(("", ""), "/oauth2/revoke", &revoke).await.expect(503);
        world.client.log_out(access).await.expect(503);
        for path in ["/oauth2/jwks", "/health/ready"] {
            browser.get(path).await.expect(503);
        }
        let shown = browser.get(&authorization.url(&world.client.auth_url)).await.expect(503);
        assert!(shown.header("content-type").starts_with("text/html"));
        browser.submit(&page, "viewer", &viewer).await.expect(503);
        browser.get("/.well-known/openid-configuration").await.expect(200);
        browser.get("/health/live").await.expect(200);
        proxy.open();
        assert_eq!(introspect(&world, access).await.expect(200).json()["active"], true);
        authorization.exchange(&world.client, &code).await.expect(200);
        world.client.form(("", ""), "/oauth2/token", &form).await.expect(200);
        authorization.code(&browser.submit(&page, "viewer", &viewer).await);
        world
    })
    .await;
}

#[tokio::test]
async fn an_unknown_client_learns_nothing_about_a_token() {
    on_each_database(PROGRAM, |world| async move {
        let live = world.token("viewer").await;
        let introspect_unauthenticated = async |token: &str| {
            let form = [("token", token)];
            let response = world.client.form(("nobody", "x"), "/oauth2/introspect", &form).await;
            response.expect(401).text
        };
        assert_eq!(
            introspect_unauthenticated(&live).await,
            introspect_unauthenticated("junk").await
        );
        world
    })
    .await;
}
