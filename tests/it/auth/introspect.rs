//! `/oauth2/introspect`

use crate::PROGRAM;
use acceptance::{TestResponse, World, on_each_database};

pub async fn introspect(world: &World, token: &str) -> TestResponse {
    let secret = world.credentials.api_server.clone();
    let form = [("token", token), ("token_type_hint", "refresh_token")];
    world.client.form(("api-server", &secret), "/oauth2/introspect", &form).await
}

#[tokio::test]
async fn a_live_token_says_whom_it_speaks_for() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("admin").await;
        let response = introspect(&world, &token).await.expect(200);
        assert_eq!(response.header("cache-control"), "no-store");
        let said = response.json();
        assert_eq!(said["active"], true);
        assert_eq!(said["username"], "admin");
        assert_eq!(said["client_id"], "integration");
        assert_eq!(said["scope"], "core");
        assert_eq!(said["user_kind"], "core");
        assert_eq!(said["admin"], true);
        assert_eq!(said["dba"], false);
        assert_eq!(said["iss"], world.client.auth_url);
        let lived = said["exp"].as_i64().expect("exp") - said["iat"].as_i64().expect("iat");
        assert_eq!(lived, 720);
        assert_eq!(said["sub"], format!("core:{}", said["user_id"]));
        world
    })
    .await;
}

#[tokio::test]
async fn whatever_is_wrong_with_a_token_it_is_inactive_and_nothing_more() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        let mut changed = token.clone();
        changed.pop();
        for junk in ["x", "lsa_", "lsr_abc", changed.as_str(), "lsa_\u{0}", &"x".repeat(5000)] {
            assert_eq!(introspect(&world, junk).await.expect(200).text, r#"{"active":false}"#);
        }
        world.sql("UPDATE users SET status = 'disabled' WHERE user_name = 'viewer'").await;
        assert_eq!(introspect(&world, &token).await.expect(200).text, r#"{"active":false}"#);
        world.sql("UPDATE users SET status = 'active' WHERE user_name = 'viewer'").await;
        assert_eq!(introspect(&world, &token).await.json()["active"], true);
        world.client.log_out(&token).await.expect(204);
        assert_eq!(introspect(&world, &token).await.expect(200).text, r#"{"active":false}"#);
        world
    })
    .await;
}

#[tokio::test]
async fn only_an_authenticated_resource_server_may_ask() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        let form = [("token", token.as_str())];
        let ask = async |id: &str, secret: &str| {
            world.client.form((id, secret), "/oauth2/introspect", &form).await
        };
        ask("api-server", "wrong").await.expect(401);
        ask("nobody", "x").await.expect(401);
        ask("", "").await.expect(401);
        ask("integration", &world.credentials.integration).await.expect(403);
        ask("api-server", &world.credentials.api_server).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn an_introspection_is_one_statement() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        let before = world.statements().await;
        introspect(&world, &token).await.expect(200);
        assert_eq!(world.statements().await - before, 1);
        world
    })
    .await;
}
