//! ID tokens and their signing keys; `/oauth2/jwks`, `/oauth2/userinfo`

use crate::PROGRAM;
use acceptance::log_in_form::AuthorizationRequest;
use acceptance::world::in_processes_on_each_database;
use acceptance::{TestResponse, World, on_each_database};
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde_json::Value;
use std::process::{Command, Stdio};

async fn get(world: &World, path: &str) -> TestResponse {
    let request = world.client.http.get(format!("{}{path}", world.client.auth_url));
    world.client.send(request).await.unwrap()
}

async fn key_set(world: &World) -> JwkSet {
    serde_json::from_str(&get(world, "/oauth2/jwks").await.expect(200).text).unwrap()
}

/// The id of the signing key and the claims, verified with the published key set.
async fn verify_id_token(world: &World, tokens: &Value) -> Option<(String, Value)> {
    let token = tokens["id_token"].as_str().unwrap();
    let header = jsonwebtoken::decode_header(token).unwrap();
    assert_eq!(header.alg, Algorithm::ES256);
    let key_id = header.kid.unwrap();
    let set = key_set(world).await;
    let key = DecodingKey::from_jwk(set.find(&key_id)?).unwrap();
    let mut validation = Validation::new(Algorithm::ES256);
    validation.set_audience(&["browser"]);
    validation.set_issuer(&[&world.client.auth_url]);
    let claims = jsonwebtoken::decode::<Value>(token, &key, &validation).unwrap().claims;
    Some((key_id, claims))
}

async fn log_in(world: &World) -> Value {
    AuthorizationRequest::new("openid core")
        .tokens(&world.client, "viewer", &world.credentials.viewer)
        .await
}

#[tokio::test]
async fn an_id_token_names_its_user_audience_and_log_in_time() {
    on_each_database(PROGRAM, |world| async move {
        let tokens = log_in(&world).await;
        let (_, claims) = verify_id_token(&world, &tokens).await.unwrap();
        let viewer = world.count("SELECT user_id FROM users WHERE user_name = 'viewer'").await;
        assert_eq!(claims["sub"], format!("core:{viewer}"));
        assert_eq!(claims["nonce"], "a nonce");
        let time = |name: &str| claims[name].as_i64().unwrap();
        assert_eq!(time("exp") - time("iat"), 720);
        assert!((0..=30).contains(&(time("iat") - time("auth_time"))));
        world.age("auth_sessions", &["log_in_date"], 500).await;
        let form = [
            ("grant_type", "refresh_token"),
            ("client_id", "browser"),
            ("refresh_token", tokens["refresh_token"].as_str().unwrap()),
        ];
        let refreshed =
            world.client.form(("", ""), "/oauth2/token", &form).await.expect(200).json();
        let (_, refreshed_claims) = verify_id_token(&world, &refreshed).await.unwrap();
        assert_eq!(
            (&refreshed_claims["sub"], &refreshed_claims["sid"]),
            (&claims["sub"], &claims["sid"])
        );
        assert_eq!(refreshed_claims["nonce"], Value::Null);
        assert_eq!(refreshed_claims["auth_time"].as_i64().unwrap(), time("auth_time") - 500);
        let without_openid = AuthorizationRequest::new("core");
        let without_openid =
            without_openid.tokens(&world.client, "viewer", &world.credentials.viewer).await;
        assert_eq!(without_openid["id_token"], Value::Null);
        world
    })
    .await;
}

#[tokio::test]
async fn userinfo_requires_a_live_token_with_the_openid_scope() {
    on_each_database(PROGRAM, |world| async move {
        let userinfo = async |token: &str| {
            let request =
                world.client.http.get(format!("{}/oauth2/userinfo", world.client.auth_url));
            world.client.send(request.bearer_auth(token)).await.unwrap()
        };
        let tokens = log_in(&world).await;
        let token = tokens["access_token"].as_str().unwrap();
        let (_, claims) = verify_id_token(&world, &tokens).await.unwrap();
        let info = userinfo(token).await.expect(200).json();
        assert_eq!(info["sub"], claims["sub"]);
        assert_eq!(info["preferred_username"], "viewer");
        assert_eq!(info["user_kind"], "core");
        let without_openid = world.token("viewer").await;
        let refused = userinfo(&without_openid).await.expect(403);
        assert!(refused.header("www-authenticate").contains("insufficient_scope"));
        world.client.log_out(token).await.expect(204);
        for dead in [token, "junk"] {
            let refused = userinfo(dead).await.expect(401);
            assert!(refused.header("www-authenticate").contains("invalid_token"));
        }
        get(&world, "/oauth2/userinfo").await.expect(401);
        world
    })
    .await;
}

#[tokio::test]
async fn signing_keys_are_published_before_use_and_kept_for_a_day_after() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let (first, _) = verify_id_token(&world, &log_in(&world).await).await.unwrap();
        let announced = key_set(&world).await;
        assert_eq!(announced.keys.len(), 2);
        let old_tokens = log_in(&world).await;
        world.age("signing_keys", &["signs_from_date"], 90 * 86_400).await;
        let http = world.client.http.clone();
        world.auth.stop().await;
        world.auth.restart(&http).await;
        let (second, _) = verify_id_token(&world, &log_in(&world).await).await.unwrap();
        assert_ne!(first, second);
        assert!(announced.find(&second).is_some());
        assert_eq!(key_set(&world).await.keys.len(), 3, "before, now, next");
        assert!(verify_id_token(&world, &old_tokens).await.is_some());
        world.age("signing_keys", &["signs_from_date"], 86_401).await;
        assert!(verify_id_token(&world, &old_tokens).await.is_none(), "the key is no longer shown");
        world.auth.stop().await;
        world.auth.restart(&http).await;
        assert_eq!(world.count("SELECT COUNT(*) FROM signing_keys").await, 2);
        world
    })
    .await;
}

/// The database's clock was a year and a half ahead for a while.
#[tokio::test]
async fn signing_goes_on_after_keys_were_made_in_the_future() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        verify_id_token(&world, &log_in(&world).await).await.unwrap();
        let second = world.text("SELECT key_id FROM signing_keys WHERE generation = 2").await;
        let http = world.client.http.clone();
        // The first key was retired, and its successor's turn comes when that time comes.
        world.auth.stop().await;
        world.sql("DELETE FROM signing_keys WHERE generation = 1").await;
        world.age("signing_keys", &["signs_from_date"], -500 * 86_400).await;
        world.auth.restart(&http).await;
        let (signs, _) = verify_id_token(&world, &log_in(&world).await).await.unwrap();
        assert_eq!(signs, second);
        assert_eq!(key_set(&world).await.keys.len(), 2, "it has a successor");
        // Both were made at that time.
        world.auth.stop().await;
        world.age("signing_keys", &["created_date", "signs_from_date"], -500 * 86_400).await;
        world.auth.restart(&http).await;
        let (signs, _) = verify_id_token(&world, &log_in(&world).await).await.unwrap();
        assert_ne!(signs, second);
        assert_eq!(key_set(&world).await.keys.len(), 2);
        world
    })
    .await;
}

#[tokio::test]
async fn an_administrator_can_rotate_signing_keys_early() {
    on_each_database(PROGRAM, |world| async move {
        let rotate = |arguments: &[&str], master_keys: Option<&str>| {
            let env_file = world.folder.path().join("auth-server.env");
            Command::new(PROGRAM)
                .args(["keys", "rotate", "--env-file"])
                .arg(env_file)
                .args(arguments)
                .envs(master_keys.map(|keys| ("AUTH_MASTER_KEYS", keys)))
                .output()
                .unwrap()
        };
        let tokens = log_in(&world).await;
        let (first, _) = verify_id_token(&world, &tokens).await.unwrap();
        let before = world.texts("SELECT key_id FROM signing_keys ORDER BY generation").await;
        let other = format!("k1:{}", "ab".repeat(32));
        let unproved = rotate(&["--withdraw-others"], Some(&other));
        assert!(!unproved.status.success());
        let why = String::from_utf8_lossy(&unproved.stderr).into_owned();
        assert!(why.contains("nothing was changed") && why.contains("AUTH_MASTER_KEYS"), "{why}");
        let after = world.texts("SELECT key_id FROM signing_keys ORDER BY generation").await;
        assert_eq!(before, after);
        let rotate = |arguments: &[&str]| rotate(arguments, None);
        let refused = rotate(&[]);
        assert!(!refused.status.success());
        assert!(String::from_utf8_lossy(&refused.stderr).contains("less than an hour ago"));
        world.age("signing_keys", &["created_date"], 3601).await;
        assert!(rotate(&[]).status.success());
        let (second, _) = verify_id_token(&world, &log_in(&world).await).await.unwrap();
        assert_ne!(first, second);
        assert!(verify_id_token(&world, &tokens).await.is_some());
        assert!(rotate(&["--withdraw-others"]).status.success());
        let last_tokens = log_in(&world).await;
        assert!(verify_id_token(&world, &last_tokens).await.is_some());
        assert!(verify_id_token(&world, &tokens).await.is_none());
        let events = "SELECT COUNT(*) FROM auth_events WHERE event = 'key_rotated'";
        assert_eq!(world.count(events).await, 2);
        world
    })
    .await;
}

#[tokio::test]
async fn private_keys_are_sealed_and_a_wrong_master_key_is_reported_at_start() {
    on_each_database(PROGRAM, |world| async move {
        let sealed = world.text("SELECT sealed_private_key FROM signing_keys WHERE generation = 1");
        let sealed = sealed.await;
        assert!(sealed.starts_with("k1:"), "{sealed:.10}");
        let check = |keys: &str| {
            Command::new(PROGRAM)
                .arg("serve-auth")
                .arg("--env-file")
                .arg(world.folder.path().join("auth-server.env"))
                .env("AUTH_LISTEN", "127.0.0.1:0")
                .env("AUTH_MASTER_KEYS", keys)
                .stdin(Stdio::null())
                .output()
                .unwrap()
        };
        let other = format!("k1:{}", "ab".repeat(32));
        let output = String::from_utf8_lossy(&check(&other).stderr).into_owned();
        assert!(output.contains("the master key \"k1\" is not the one"), "{output}");
        let missing = check(&format!("k2:{}", "ab".repeat(32)));
        assert!(String::from_utf8_lossy(&missing.stderr).contains("is not in the settings"));
        let both_keys = format!("k2:{},k1:{}", "ab".repeat(32), world.credentials.master_key);
        assert!(check(&both_keys).status.success(), "another key in front");
        world
    })
    .await;
}
