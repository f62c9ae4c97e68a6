//! `/oauth2/introspect`

use crate::PROGRAM;
use acceptance::seeds::file;
use acceptance::{TestResponse, World, on_each_database};

pub async fn introspect(world: &World, token: &str) -> TestResponse {
    let secret = world.credentials.api_server.clone();
    let form = [("token", token), ("token_type_hint", "refresh_token")];
    world.client.form(("api-server", &secret), "/oauth2/introspect", &form).await
}

#[tokio::test]
async fn introspection_of_a_live_token_identifies_its_user_and_client() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("admin").await;
        let response = introspect(&world, &token).await.expect(200);
        assert_eq!(response.header("cache-control"), "no-store");
        let claims = response.json();
        assert_eq!(claims["active"], true);
        assert_eq!(claims["username"], "admin");
        assert_eq!(claims["client_id"], "integration");
        assert_eq!(claims["scope"], "core");
        assert_eq!(claims["user_kind"], "core");
        assert_eq!(claims["admin"], true);
        assert_eq!(claims["dba"], false);
        assert_eq!(claims["iss"], world.client.auth_url);
        let lifetime = claims["exp"].as_i64().expect("exp") - claims["iat"].as_i64().expect("iat");
        assert_eq!(lifetime, 720);
        assert_eq!(claims["sub"], format!("core:{}", claims["user_id"]));
        world
    })
    .await;
}

#[tokio::test]
async fn an_invalid_token_is_reported_as_inactive_and_nothing_else() {
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
async fn only_an_authenticated_resource_server_may_introspect() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        let form = [("token", token.as_str())];
        let introspect_as = async |id: &str, secret: &str| {
            world.client.form((id, secret), "/oauth2/introspect", &form).await
        };
        introspect_as("api-server", "wrong").await.expect(401);
        introspect_as("nobody", "x").await.expect(401);
        introspect_as("", "").await.expect(401);
        introspect_as("integration", &world.credentials.integration).await.expect(403);
        introspect_as("api-server", &world.credentials.api_server).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn an_introspection_takes_one_statement() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        let mut fewest = u64::MAX;
        // Background work sends statements, too.
        for _ in 0..3 {
            let before = world.statements().await;
            introspect(&world, &token).await.expect(200);
            fewest = fewest.min(world.statements().await - before);
        }
        assert_eq!(fewest, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn many_tokens_are_introspected_in_the_order_of_the_request() {
    on_each_database(PROGRAM, |world| async move {
        let secret = world.credentials.api_server.clone();
        let ask = async |secret: &str, form: &[(&str, &str)]| {
            world.client.form(("api-server", secret), "/oauth2/introspect-many", form).await
        };
        let (admin, viewer) = (world.token("admin").await, world.token("viewer").await);
        let contact = "<Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" \
             EntityCode=\"COMPANY\" Company=\"One\">\
             <WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>";
        world.import(&admin, &file(contact)).await;
        let borrower = world.client.log_in("web", "one", "first words").await.expect("a token");
        let gone = world.token("teller").await;
        world.client.log_out(&gone).await.expect(204);
        let tokens = [&viewer, "x", &borrower, &gone, &admin, "", &viewer].join(" ");
        let described = ask(&secret, &[("tokens", &tokens)]).await.expect(200).json();
        let names: Vec<_> = described.as_array().expect("a list").iter().collect();
        let active: Vec<_> = names.iter().map(|token| token["active"] == true).collect();
        assert_eq!(active, [true, false, true, false, true, false, true]);
        for (position, token) in [(0, &viewer), (2, &borrower), (4, &admin), (6, &viewer)] {
            assert_eq!(*names[position], introspect(&world, token).await.expect(200).json());
        }
        let most = vec![admin.as_str(); 64].join(" ");
        let described = ask(&secret, &[("tokens", &most)]).await.expect(200).json();
        assert_eq!(described.as_array().map(Vec::len), Some(64));
        // A client that has not authenticated learns nothing else that is wrong.
        let too_many = format!("{most} {admin}");
        for form in [vec![("tokens", too_many.as_str())], vec![]] {
            assert_eq!(ask("wrong", &form).await.expect(401).json()["error"], "invalid_client");
            assert_eq!(ask(&secret, &form).await.expect(400).json()["error"], "invalid_request");
        }
        world
    })
    .await;
}
