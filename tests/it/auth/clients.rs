//! Client authentication.

use crate::PROGRAM;
use acceptance::servers::free_port;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{TestResponse, World, on_each_database};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel};
use serde_json::{Value, json};
use shared::entity::oauth_clients::{ClientKind, Entity, Model};
use shared::secrets::Secret;
use shared::time::Timestamp;

/// A client's private key, in the form that jsonwebtoken expects.
struct ClientKey {
    private: EncodingKey,
    public: Jwk,
}

impl ClientKey {
    fn random() -> Self {
        let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap();
        let private = EncodingKey::from_ec_der(pair.serialized_der());
        let public = Jwk::from_encoding_key(&private, Algorithm::ES256).unwrap();
        Self { private, public }
    }

    fn sign(&self, claims: &Value) -> String {
        jsonwebtoken::encode(&Header::new(Algorithm::ES256), claims, &self.private).unwrap()
    }
}

async fn add_client(world: &World, client_id: &str, keys: Value) {
    let client = Model {
        client_id: client_id.to_owned(),
        display_name: None,
        kind: ClientKind::Confidential,
        secret_hash1: None,
        secret_hash2: None,
        public_keys: Some(json!({"keys": keys}).to_string()),
        redirect_uris: String::new(),
        post_logout_redirect_uris: String::new(),
        cors_origins: String::new(),
        grants: "password refresh_token".to_owned(),
        user_kinds: "core".to_owned(),
        resource_server_flag: true,
        created_date: Timestamp::default(),
        forwards_addresses_flag: false,
    };
    let row = client.into_active_model().reset_all();
    Entity::insert(row).exec_without_returning(&world.db).await.unwrap();
}

async fn introspect_with(world: &World, assertion: &str) -> TestResponse {
    let form = [
        ("token", "junk"),
        ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ("client_assertion", assertion),
    ];
    world.client.form(("", ""), "/oauth2/introspect", &form).await
}

/// Valid claims at the database's time.
async fn claims(world: &World) -> Value {
    let now = shared::database::time(&world.db).await.unwrap().0.timestamp();
    let jti = shared::telemetry::RequestId::random().to_string();
    json!({
        "iss": "keyed", "sub": "keyed", "aud": world.client.auth_url, "jti": jti,
        "iat": now, "nbf": now, "exp": now + 60,
    })
}

#[tokio::test]
async fn a_client_authenticates_with_a_signed_jwt_that_works_once() {
    on_each_database(PROGRAM, |world| async move {
        let (key, other) = (ClientKey::random(), ClientKey::random());
        add_client(&world, "keyed", json!([other.public, key.public])).await;
        let accepted = key.sign(&claims(&world).await);
        assert_eq!(
            introspect_with(&world, &accepted).await.expect(200).text,
            r#"{"active":false}"#
        );
        introspect_with(&world, &accepted).await.expect(401);
        let endpoint = format!("{}/oauth2/introspect", world.client.auth_url);
        let claims_with = async |name: &str, value: Value| {
            let mut claims = claims(&world).await;
            claims[name] = value;
            claims
        };
        let issuer = world.client.auth_url.clone();
        let single_audience = claims_with("aud", json!([issuer])).await;
        introspect_with(&world, &key.sign(&single_audience)).await.expect(200);
        let now = shared::database::time(&world.db).await.unwrap().0.timestamp();
        let wrong = [
            claims_with("aud", json!("https://other.example")).await,
            claims_with("aud", json!(endpoint)).await,
            claims_with("aud", json!([issuer, endpoint])).await,
            claims_with("aud", json!([])).await,
            claims_with("aud", json!(format!("{issuer}/"))).await,
            claims_with("iss", json!("api-server")).await,
            claims_with("sub", json!("api-server")).await,
            claims_with("exp", json!(now - 1)).await,
            claims_with("exp", json!(now + 10_000)).await,
            claims_with("nbf", json!(now + 100)).await,
            claims_with("jti", json!("")).await,
            claims_with("jti", Value::Null).await,
        ];
        for wrong in wrong {
            introspect_with(&world, &key.sign(&wrong)).await.expect(401);
        }
        let stranger = ClientKey::random().sign(&claims(&world).await);
        introspect_with(&world, &stranger).await.expect(401);
        let unsigned = accepted.rsplit_once('.').unwrap().0.to_owned() + ".";
        introspect_with(&world, &unsigned).await.expect(401);
        introspect_with(&world, "junk").await.expect(401);
        world
    })
    .await;
}

#[tokio::test]
async fn concurrent_uses_of_one_assertion_succeed_once() {
    on_each_database(PROGRAM, |world| async move {
        let key = ClientKey::random();
        add_client(&world, "keyed", json!([key.public])).await;
        let assertion = key.sign(&claims(&world).await);
        let uses = (0..20).map(|_| introspect_with(&world, &assertion));
        let responses = futures_util::future::join_all(uses).await;
        let accepted = responses.iter().filter(|response| response.status == 200).count();
        assert_eq!(accepted, 1);
        assert!(responses.iter().all(|response| [200, 401].contains(&response.status.as_u16())));
        world
    })
    .await;
}

#[tokio::test]
async fn two_secrets_are_valid_during_rotation_and_a_missing_one_never_matches() {
    on_each_database(PROGRAM, |world| async move {
        let second = Secret::new(auth_server::store::clients::secret_hash("second"));
        let mut row = Entity::find_by_id("api-server").one(&world.db).await.unwrap().unwrap();
        row.secret_hash2 = Some(second);
        Entity::update(row.clone().into_active_model().reset_all()).exec(&world.db).await.unwrap();
        let introspect_as = async |secret: &str| {
            let form = [("token", "junk")];
            world.client.form(("api-server", secret), "/oauth2/introspect", &form).await
        };
        introspect_as(&world.credentials.api_server).await.expect(200);
        introspect_as("second").await.expect(200);
        let mut without_first = row.into_active_model().reset_all();
        without_first.secret_hash1 = Set(None);
        Entity::update(without_first).exec(&world.db).await.unwrap();
        introspect_as(&world.credentials.api_server).await.expect(401);
        introspect_as("second").await.expect(200);
        introspect_as("").await.expect(401);
        world
    })
    .await;
}

#[tokio::test]
async fn a_client_authenticates_with_its_registered_certificate_on_the_mtls_listener() {
    let port = free_port();
    let settings = [
        ("AUTH_MTLS_LISTEN", format!("127.0.0.1:{port}")),
        ("AUTH_MTLS_URL", format!("https://localhost:{port}")),
    ];
    let auth = settings.map(|(name, value)| (name.to_owned(), value)).into();
    let environment = Environment { auth, ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        use base64::Engine;
        let certified = |name: &str| rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        let (ours, other) = (certified("ours"), certified("other"));
        let signing_key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(["late".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
        let cert = params.self_signed(&signing_key).unwrap();
        let expired = rcgen::CertifiedKey { cert, signing_key };
        let keys = [&ours, &expired].map(|certified| {
            let x5c = base64::engine::general_purpose::STANDARD.encode(certified.cert.der());
            let mut key = serde_json::to_value(ClientKey::random().public).unwrap();
            key["x5c"] = json!([x5c]);
            key
        });
        add_client(&world, "certified", json!(keys)).await;
        let introspect_as = async |certified: Option<&rcgen::CertifiedKey<rcgen::KeyPair>>,
                                   url: &str| {
            let authority = std::fs::read(&world.tls.authority).unwrap();
            let authority = reqwest::Certificate::from_pem(&authority).unwrap();
            let mut http = reqwest::Client::builder().tls_certs_only([authority]).no_proxy();
            if let Some(certified) = certified {
                let pem = certified.signing_key.serialize_pem() + certified.cert.pem().as_str();
                http = http.identity(reqwest::Identity::from_pem(pem.as_bytes()).unwrap());
            }
            let form = [("client_id", "certified"), ("token", "junk")];
            let request = http.build().unwrap().post(format!("{url}/oauth2/introspect"));
            world.client.send(request.form(&form)).await.unwrap()
        };
        let metadata = format!("{}/.well-known/openid-configuration", world.client.auth_url);
        let metadata = world.client.send(world.client.http.get(metadata)).await.unwrap().json();
        let endpoint = &metadata["mtls_endpoint_aliases"]["introspection_endpoint"];
        let url = endpoint.as_str().unwrap().strip_suffix("/oauth2/introspect").unwrap();
        introspect_as(Some(&ours), url).await.expect(200);
        introspect_as(Some(&other), url).await.expect(401);
        introspect_as(Some(&expired), url).await.expect(401);
        introspect_as(None, url).await.expect(401);
        introspect_as(Some(&ours), &world.client.auth_url).await.expect(401);
        world
    })
    .await;
}

#[tokio::test]
async fn credentials_given_twice_or_of_two_clients_are_refused() {
    on_each_database(PROGRAM, |world| async move {
        let secret = world.credentials.api_server.clone();
        let both =
            [("client_secret", secret.as_str()), ("client_id", "api-server"), ("token", "x")];
        let client = ("api-server", secret.as_str());
        world.client.form(client, "/oauth2/introspect", &both).await.expect(400);
        let other = [("client_id", "integration"), ("token", "x")];
        world.client.form(client, "/oauth2/introspect", &other).await.expect(400);
        let public = [("client_id", "browser"), ("token", "x")];
        world.client.form(("", ""), "/oauth2/introspect", &public).await.expect(401);
        let without_secret = [("client_id", "integration"), ("grant_type", "password")];
        world.client.form(("", ""), "/oauth2/token", &without_secret).await.expect(401);
        world
    })
    .await;
}
