//! Independent OAuth clients log in, refresh, introspect and log out: the programs of
//! `tests/clients/`, and Apache.

use crate::PROGRAM;
use acceptance::installed_clients::skip;
use acceptance::servers::free_port;
use acceptance::third_party_clients::{ClientKey, ClientProgram, add_client};
use acceptance::visitor::Visitor;
use acceptance::web_servers::OpenidSite;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

const REDIRECT: &str = "http://127.0.0.1:8765/callback";
/// Must be form-encoded before it goes into a header (RFC 6749, 2.3.1).
const SECRET: &str = "a+b c%20:d&e=f/\u{e9}";

fn parameters(world: &World, client_id: &str, authentication: Value) -> Value {
    json!({
        "issuer": world.client.auth_url,
        "client_id": client_id,
        "redirect_uri": REDIRECT,
        "scope": "openid core",
        "authentication": authentication,
        "resource_server": {"client_id": "api-server", "secret": world.credentials.api_server},
    })
}

/// Adds a client with this authentication method. Returns its id and its credentials.
async fn register_client(world: &World, method: &str, algorithm: &str) -> (String, Value) {
    let id = format!("{method}-{algorithm}").to_lowercase();
    if method.starts_with("client_secret") {
        add_client(world, &id, REDIRECT, Ok(SECRET)).await;
        return (id, json!({"method": method, "secret": SECRET}));
    }
    let key = ClientKey::random(algorithm);
    add_client(world, &id, REDIRECT, Err(&key)).await;
    let mut proof = json!({"method": method, "algorithm": algorithm, "private_key": key.private});
    if method == "self_signed_tls_client_auth" {
        proof["certificate"] = json!(key.certificate);
    }
    (id, proof)
}

/// Runs a client as the officer in a new browser. Returns the client's output and how often the
/// password was requested.
async fn run(
    world: &World,
    program: &ClientProgram,
    client_id: &str,
    proof: Value,
) -> (Value, usize) {
    let mut visitor = Visitor::new(&world.client.http, &[&world.client.auth_url]);
    let user = ("officer", world.credentials.officer.as_str());
    let parameters = parameters(world, client_id, proof);
    let result = program.run(world, &mut visitor, user, &parameters).await;
    (result, visitor.log_ins)
}

/// A world whose auth server requests client certificates on a second listener.
fn with_mutual_tls() -> Environment {
    let port = free_port();
    let settings = [
        ("AUTH_MTLS_LISTEN", format!("127.0.0.1:{port}")),
        ("AUTH_MTLS_URL", format!("https://localhost:{port}")),
    ];
    let auth = settings.map(|(name, value)| (name.to_owned(), value)).into();
    Environment { auth, ..Environment::default() }
}

#[tokio::test]
async fn openid_client_works_with_every_authentication_method() {
    let program = match ClientProgram::node("openid_client.mjs") {
        Ok(program) => program,
        Err(missing) => return skip(&missing),
    };
    on_each_database_with(PROGRAM, with_mutual_tls(), |world| async {
        check_openid_client(&world, &program, "browser", json!({"method": "none"})).await;
        for (method, algorithm) in [
            ("client_secret_basic", ""),
            ("client_secret_post", ""),
            ("private_key_jwt", "ES256"),
            ("private_key_jwt", "EdDSA"),
            ("private_key_jwt", "Ed25519"),
            ("self_signed_tls_client_auth", "ES256"),
        ] {
            let (id, proof) = register_client(&world, method, algorithm).await;
            check_openid_client(&world, &program, &id, proof).await;
        }
        world
    })
    .await;
}

async fn check_openid_client(
    world: &World,
    program: &ClientProgram,
    client_id: &str,
    proof: Value,
) {
    let by_certificate = proof["certificate"].is_string();
    let (report, log_ins) = run(world, program, client_id, proof).await;
    println!("{client_id}: {report:#}");
    let issuer = &world.client.auth_url;
    let token_endpoint = report["token_endpoint"].as_str().expect("a URL");
    assert_eq!(token_endpoint.starts_with(issuer.as_str()), !by_certificate, "{client_id}");
    assert_eq!(report["iss"], json!(issuer));
    assert_eq!(report["token_type"], "bearer");
    assert_eq!(report["scope"], "openid core");
    let expires_in = report["expires_in"].as_i64().expect("seconds");
    assert!((700..=720).contains(&expires_in), "{expires_in}");
    check_user(&report);
    assert_eq!(report["introspected"]["active"], true);
    assert_eq!(report["introspected"]["client_id"], client_id);
    assert_eq!(report["introspected"]["sub"], report["claims"]["sub"]);
    for claim in ["sub", "aud", "iss", "auth_time", "sid"] {
        assert_eq!(report["refreshed_claims"][claim], report["claims"][claim], "{claim}");
    }
    assert_eq!(report["refresh_token_rotated"], true);
    assert_eq!(report["refreshed_active"], true);
    assert_eq!(report["logged_out_at"], REDIRECT);
    assert_eq!(report["log_out_state_kept"], true);
    assert_eq!(report["active_after_log_out"], false);
    assert_eq!(report["active_after_revocation"], false);
    assert_eq!(log_ins, 2, "a log-in after each log-out");
}

fn check_user(report: &Value) {
    assert_eq!(report["userinfo"]["sub"], report["claims"]["sub"]);
    assert_eq!(report["userinfo"]["preferred_username"], "officer");
    assert_eq!(report["userinfo"]["user_kind"], "core");
}

#[tokio::test]
async fn oauth4webapi_accepts_every_response_and_sees_reuse_refused() {
    let program = match ClientProgram::node("oauth4webapi.mjs") {
        Ok(program) => program,
        Err(missing) => return skip(&missing),
    };
    on_each_database(PROGRAM, |world| async {
        let (id, secret) = register_client(&world, "client_secret_basic", "").await;
        for (client_id, proof) in [("browser", json!({"method": "none"})), (&id, secret)] {
            let (report, log_ins) = run(&world, &program, client_id, proof).await;
            println!("{client_id}: {report:#}");
            assert_eq!(report["metadata_alike"], true);
            assert_eq!(report["at_hash_right"], true);
            check_user(&report);
            assert_eq!(report["refreshed_sub"], report["claims"]["sub"]);
            assert_eq!(report["refreshed_auth_time"], report["claims"]["auth_time"]);
            let times = [&report["claims"]["auth_time"], &report["fresh_auth_time"]];
            let [first, fresh] = times.map(|time| time.as_i64().expect("a time"));
            assert!(first <= fresh, "max_age=0 is a new log-in");
            for refused in
                ["refresh_reused", "after_refresh_reused", "code_reused"].map(|name| &report[name])
            {
                assert_eq!(refused, "400 invalid_grant");
            }
            assert_eq!(report["after_code_reused"], 401, "the code's session has ended");
            assert_eq!(report["after_revocation"], 401);
            assert_eq!(log_ins, 2, "once, and once for max_age=0");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn authlib_works_with_the_server() {
    let program = match ClientProgram::python("authlib_client.py") {
        Ok(program) => program,
        Err(missing) => return skip(&missing),
    };
    on_each_database(PROGRAM, |world| async {
        // Authlib does not encode a secret before putting it into the header.
        let plain = "a-secret-of-unreserved_characters";
        add_client(&world, "basic", REDIRECT, Ok(plain)).await;
        let basic = json!({"method": "client_secret_basic", "secret": plain});
        let (post_id, post) = register_client(&world, "client_secret_post", "").await;
        let (jwt_id, jwt) = register_client(&world, "private_key_jwt", "ES256").await;
        let public = json!({"method": "none"});
        for (client_id, proof) in
            [("browser", public), ("basic", basic), (&post_id, post), (&jwt_id, jwt)]
        {
            let (report, log_ins) = run(&world, &program, client_id, proof).await;
            println!("{client_id}: {report:#}");
            check_user(&report);
            assert_eq!(report["claims"]["iss"], json!(world.client.auth_url));
            assert_eq!(report["refresh_token_rotated"], true);
            assert_eq!(report["refreshed_sub"], report["claims"]["sub"]);
            assert_eq!(report["active"], json!([true, true]));
            assert_eq!(report["revocation_status"], 200);
            assert_eq!(report["active_after_revocation"], false);
            assert_eq!(log_ins, 1);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_site_behind_apache_logs_users_in_and_out() {
    let site = match OpenidSite::find() {
        Ok(site) => site,
        Err(missing) => return skip(&missing),
    };
    on_each_database(PROGRAM, |world| async {
        let redirects = "http://127.0.0.1/app/callback http://127.0.0.1/bye.html";
        add_client(&world, "site", redirects, Ok(SECRET)).await;
        let apache = site.start(&world, "site", SECRET).await;
        let origins = [world.client.auth_url.as_str(), &apache.url];
        let mut visitor = Visitor::new(&world.client.http, &origins);
        let page = format!("{}/app/who.shtml", apache.url);
        let officer = &world.credentials.officer;
        let report = visitor.log_in(&page, "officer", officer).await;
        assert_eq!(report.url.as_str(), page, "{} {}", report.text(), apache.log());
        let text = format!("user=officer kind=core issuer={}", world.client.auth_url);
        assert_eq!(report.text(), text, "{}", apache.log());
        assert_eq!(visitor.log_ins, 1);
        assert_eq!(visitor.open(&page).await.text(), text, "the site keeps its own session");
        for table in ["auth_sessions", "browser_log_ins", "active_users"] {
            assert_eq!(world.count(&format!("SELECT COUNT(*) FROM {table}")).await, 1, "{table}");
        }

        let bye = format!("{}/bye.html", apache.url);
        let log_out = format!("{}/app/callback?logout={}", apache.url, bye.replace('/', "%2F"));
        let report = visitor.open(&log_out).await;
        assert_eq!((report.url.as_str(), report.text()), (bye.as_str(), "Good bye"));
        for table in ["auth_sessions", "browser_log_ins", "active_users"] {
            assert_eq!(world.count(&format!("SELECT COUNT(*) FROM {table}")).await, 0, "{table}");
        }
        assert!(visitor.open(&page).await.asks_to_log_in());
        world
    })
    .await;
}

#[tokio::test]
async fn an_api_behind_apache_accepts_only_live_tokens() {
    let site = match OpenidSite::find() {
        Ok(site) => site,
        Err(missing) => return skip(&missing),
    };
    on_each_database(PROGRAM, |world| async {
        let apache = site.start(&world, "site", SECRET).await;
        let request_page = async |token: &str| {
            let request = world.client.http.get(format!("{}/api/who.shtml", apache.url));
            world.client.send(request.bearer_auth(token)).await.expect("a response")
        };
        let token = world.token("teller").await;
        let response = request_page(&token).await;
        assert_eq!(response.status, 200, "{}", apache.log());
        assert!(response.text.starts_with("user=teller kind=core"), "{}", response.text);
        request_page("no-token").await.expect(401);
        world.client.log_out(&token).await.expect(204);
        request_page(&token).await.expect(401);
        world
    })
    .await;
}
