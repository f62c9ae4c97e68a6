//! `/logout`

use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::seeds::file;

#[tokio::test]
async fn after_log_out_the_next_call_is_refused_and_the_active_user_is_cleared() {
    on_each_database(PROGRAM, |world| async move {
        let (token, other) = (world.token("viewer").await, world.token("viewer").await);
        let path = "/loans/1";
        world.client.get(&token, path).await.expect_problem(404, "not-found");
        world.client.log_out(&token).await.expect(204);
        let refused = world.client.get(&token, path).await.expect_problem(401, "token-invalid");
        let challenge = refused.header("www-authenticate");
        assert_eq!(challenge, r#"Bearer realm="core", error="invalid_token""#);
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 1);
        world.client.get(&other, path).await.expect_problem(404, "not-found");
        world
    })
    .await;
}

#[tokio::test]
async fn logging_out_again_or_with_a_dead_token_is_no_error() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        for _ in 0..2 {
            world.client.log_out(&token).await.expect(204);
        }
        world.client.log_out("junk").await.expect(204);
        let url = format!("{}/logout", world.client.auth_url);
        let without = world.client.send(world.client.http.post(url)).await.expect("an answer");
        assert!(without.expect(401).header("www-authenticate").starts_with("Bearer"));
        world
    })
    .await;
}

#[tokio::test]
async fn an_expired_token_still_ends_its_session() {
    on_each_database(PROGRAM, |world| async move {
        let token = world.token("viewer").await;
        let long_ago = world.long_ago();
        world.sql(&format!("UPDATE active_users SET active_date = {long_ago}")).await;
        world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
        world.client.log_out(&token).await.expect(204);
        assert_eq!(world.count("SELECT COUNT(*) FROM active_users").await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn web_users_log_in_and_out_of_a_table_of_their_own() {
    on_each_database(PROGRAM, |world| async move {
        let contact = "<Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" \
             EntityCode=\"COMPANY\" Company=\"One\">\
             <WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>";
        world.import(&world.token("admin").await, &file(contact)).await;
        let token = world.client.log_in("web", "one", "first words").await.expect("a token");
        assert_eq!(world.count("SELECT COUNT(*) FROM cif_web_active_users").await, 1);
        let refused = world.client.get(&token, "/loans/1").await;
        refused.expect_problem(403, "core-user-only");
        world.client.log_out(&token).await.expect(204);
        assert_eq!(world.count("SELECT COUNT(*) FROM cif_web_active_users").await, 0);
        world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
        assert!(world.client.log_in("core", "one", "first words").await.is_err());
        world
    })
    .await;
}
