//! `/oauth2/revoke`

use super::introspect::introspect;
use crate::PROGRAM;
use acceptance::on_each_database;

#[tokio::test]
async fn a_revoked_token_is_dead_regardless_of_the_type_hint() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        let other = world.token("viewer").await;
        let secret = world.credentials.integration.clone();
        let form = [("token", token.as_str()), ("token_type_hint", "nonsense")];
        for _ in 0..2 {
            let client = ("integration", secret.as_str());
            world.client.form(client, "/oauth2/revoke", &form).await.expect(200);
        }
        assert_eq!(introspect(&world, &token).await.json()["active"], false);
        assert_eq!(introspect(&world, &other).await.json()["active"], true, "another session");
        let junk = [("token", "junk")];
        world.client.form(("integration", &secret), "/oauth2/revoke", &junk).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn only_the_client_a_token_was_issued_to_can_revoke_it() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        let secret = world.credentials.api_server.clone();
        let form = [("token", token.as_str())];
        let refused = world.client.form(("api-server", &secret), "/oauth2/revoke", &form).await;
        assert_eq!(refused.expect(400).json()["error"], "unauthorized_client");
        let refused = world.client.form(("api-server", "wrong"), "/oauth2/revoke", &form).await;
        refused.expect(401);
        assert_eq!(introspect(&world, &token).await.json()["active"], true);
        world
    })
    .await;
}
