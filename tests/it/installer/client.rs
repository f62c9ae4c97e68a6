//! `installer client`

use super::{CommandOutput, add_session, audit, everything, file, installer, sessions, user_id};
use crate::PROGRAM;
use acceptance::{TestResponse, World, on_each_database};
use serde_json::{Value, json};

const ADD: [&str; 7] = ["client", "add", "app", "--grant", "password", "--user-kind", "core"];

/// The secret in the output of `--json`.
fn secret(output: &Value) -> String {
    let secret = output["client_secret"].as_str().expect("a secret").to_owned();
    assert_eq!(secret.len(), 43, "256 bits");
    secret
}

async fn add(world: &World) -> String {
    let response = installer(world, &[&ADD[..], &["--json"]].concat()).await.json();
    assert_eq!(response["client_id"], "app");
    secret(&response)
}

async fn log_in(world: &World, secret: &str) -> TestResponse {
    let password = world.credentials.viewer.clone();
    let form = [
        ("grant_type", "password"),
        ("scope", "core"),
        ("username", "viewer"),
        ("password", password.as_str()),
    ];
    world.client.form(("app", secret), "/oauth2/token", &form).await
}

async fn listed_client(world: &World, id: &str) -> Value {
    let clients = installer(world, &["client", "list", "--json"]).await.json();
    let clients = clients.as_array().expect("a list");
    clients.iter().find(|client| client["client_id"] == id).cloned().unwrap_or_default()
}

async fn hash_of(world: &World, secret: &str) -> i64 {
    let hash = auth_server::store::clients::secret_hash(secret);
    let sql = format!(
        "SELECT COUNT(*) FROM oauth_clients WHERE secret_hash1 = '{hash}' OR secret_hash2 = '{hash}'"
    );
    world.count(&sql).await
}

#[tokio::test]
async fn a_clients_secret_is_shown_once_and_stored_as_a_hash() {
    on_each_database(PROGRAM, |world| async move {
        let secret = add(&world).await;
        log_in(&world, &secret).await.expect(200);
        assert_eq!(hash_of(&world, &secret).await, 1);
        let hash = auth_server::store::clients::secret_hash(&secret);
        for arguments in [
            &["client", "list"][..],
            &["client", "list", "--json"],
            &["audit"],
            &["audit", "--json"],
        ] {
            let output = installer(&world, arguments).await.expect_success();
            assert!(output.contains("app"), "{output}");
            assert!(!output.contains(&secret) && !output.contains(&hash), "{output}");
        }
        let printed = installer(&world, &["client", "add", "api-2", "--resource-server"]).await;
        let printed = printed.expect_success();
        let line = printed.lines().find_map(|line| line.strip_prefix("client_secret  "));
        assert_eq!(hash_of(&world, line.expect("a secret")).await, 1, "{printed}");
        let api = ("api-2", line.expect("a secret"));
        world.client.form(api, "/oauth2/introspect", &[("token", "x")]).await.expect(200);
        let changes = audit(&world, &["--event", "client_changed"]).await;
        assert_eq!(changes, ["client_changed added", "client_changed added"]);
        world
    })
    .await;
}

#[tokio::test]
async fn the_list_describes_each_client() {
    on_each_database(PROGRAM, |world| async move {
        add(&world).await;
        let public = "client add page --public --grant authorization_code refresh_token \
             --user-kind core web --redirect-uri https://page.example.com/callback \
             http://127.0.0.1:8765/ --post-logout-redirect-uri https://page.example.com/bye \
             --cors-origin https://page.example.com";
        let mut arguments: Vec<_> = public.split_whitespace().collect();
        arguments.extend(["--name", "The Page"]);
        let output = installer(&world, &arguments).await.expect_success();
        assert_eq!(output, "client page added\n", "there is no secret to show");
        let mut page = listed_client(&world, "page").await;
        assert!(page["created_date"].take().is_string());
        let expected = json!({
            "client_id": "page",
            "name": "The Page",
            "kind": "public",
            "secrets": 0,
            "keys": false,
            "grants": ["authorization_code", "refresh_token"],
            "user_kinds": ["core", "web"],
            "resource_server": false,
            "forwards_addresses": false,
            "redirect_uris": ["https://page.example.com/callback", "http://127.0.0.1:8765/"],
            "post_logout_redirect_uris": ["https://page.example.com/bye"],
            "cors_origins": ["https://page.example.com"],
            "created_date": null,
        });
        assert_eq!(page, expected);
        let table = installer(&world, &["client", "list"]).await.expect_success();
        let rows: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split("  ").filter(|cell| !cell.is_empty()))
            .map(|cells| cells.map(str::trim).collect())
            .collect();
        assert_eq!(rows[0][..4], ["id", "name", "kind", "authentication"]);
        let row = |id: &str| rows.iter().find(|row| row[0] == id).expect("a row").clone();
        assert_eq!(
            row("app"),
            ["app", "-", "confidential", "secret", "password", "core", "-", "-"]
        );
        assert_eq!(row("api-server")[6], "yes");
        assert_eq!(row("page")[1..4], ["The Page", "public", "-"]);
        world
    })
    .await;
}

/// An application with a log-in page, its own pages, and a secret.
const PORTAL: &str = "client add app --grant authorization_code refresh_token password --user-kind core \
                      web --redirect-uri https://app.example.com/a https://app.example.com/b \
                      --post-logout-redirect-uri https://app.example.com/bye --json";

async fn run(world: &World, command: &str) -> CommandOutput {
    installer(world, &command.split_whitespace().collect::<Vec<_>>()).await
}

#[tokio::test]
async fn a_client_is_changed_without_a_new_secret() {
    on_each_database(PROGRAM, |world| async move {
        let secret = secret(&run(&world, PORTAL).await.json());
        let before = listed_client(&world, "app").await;
        for (options, property, expected) in [
            ("--name Portal", "name", json!("Portal")),
            (
                "--redirect-uri https://app.example.com/c",
                "redirect_uris",
                json!(["https://app.example.com/c"]),
            ),
            ("--post-logout-redirect-uri", "post_logout_redirect_uris", json!([])),
            ("--user-kind core", "user_kinds", json!(["core"])),
            (
                "--grant authorization_code password",
                "grants",
                json!(["authorization_code", "password"]),
            ),
            ("--resource-server true", "resource_server", json!(true)),
        ] {
            let was = listed_client(&world, "app").await;
            run(&world, &format!("client change app {options}")).await.expect_success();
            let is = listed_client(&world, "app").await;
            assert_eq!(is[property], expected, "{options}");
            for (name, value) in was.as_object().expect("a client") {
                assert!(name == property || is[name] == *value, "{options} changes {name} too");
            }
        }
        let shown = run(&world, "client show app --json").await.json();
        assert_eq!(shown, listed_client(&world, "app").await);
        assert_ne!(shown, before);
        log_in(&world, &secret).await.expect(200);
        let cors = "client change browser --cors-origin https://a.example https://b.example";
        run(&world, cors).await.expect_success();
        let origins = listed_client(&world, "browser").await["cors_origins"].clone();
        assert_eq!(origins, json!(["https://a.example", "https://b.example"]));
        let changes = audit(&world, &["--client", "app", "--event", "client_changed"]).await;
        assert_eq!(changes[1..], ["client_changed changed"; 6]);
        world
    })
    .await;
}

#[tokio::test]
async fn a_shown_client_has_a_line_for_each_value() {
    on_each_database(PROGRAM, |world| async move {
        let secret = secret(&run(&world, PORTAL).await.json());
        let shown = run(&world, "client show app").await.expect_success();
        assert!(!shown.contains(&secret), "{shown}");
        let lines: Vec<Vec<&str>> =
            shown.lines().map(|line| line.split_whitespace().collect()).collect();
        let expected: [&[&str]; 14] = [
            &["property", "value"],
            &["id", "app"],
            &["name", "-"],
            &["kind", "confidential"],
            &["authentication", "secret"],
            &["grants", "authorization_code"],
            &["refresh_token"],
            &["password"],
            &["user", "kinds", "core"],
            &["web"],
            &["resource", "server", "-"],
            &["forwards", "addresses", "-"],
            &["redirect", "URIs", "https://app.example.com/a"],
            &["https://app.example.com/b"],
        ];
        let expected: Vec<Vec<&str>> = expected.map(<[&str]>::to_vec).to_vec();
        assert_eq!(lines[..14], expected, "{shown}");
        run(&world, "client show nobody").await.expect_refusal("no such client: nobody");
        world
    })
    .await;
}

#[tokio::test]
async fn a_client_that_loses_a_permission_loses_the_tokens_it_has_by_it() {
    on_each_database(PROGRAM, |world| async move {
        let secret = secret(&run(&world, PORTAL).await.json());
        for (options, ends) in [
            ("--name Portal", false),
            ("--grant authorization_code refresh_token password", false),
            ("--redirect-uri https://app.example.com/b", false),
            ("--user-kind core web", false),
            ("--grant authorization_code password", true),
            ("--user-kind core", true),
        ] {
            let token = log_in(&world, &secret).await.expect(200).json();
            let token = token["access_token"].as_str().expect("a token");
            let other = world.token("viewer").await;
            run(&world, &format!("client change app {options}")).await.expect_success();
            let response = world.client.get(token, "/loans/1").await;
            let status = if ends { 401 } else { 404 };
            assert_eq!(response.status, status, "{options}");
            world.client.get(&other, "/loans/1").await.expect_problem(404, "not-found");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn refused_changes_of_a_client_change_nothing() {
    on_each_database(PROGRAM, |world| async move {
        run(&world, PORTAL).await.expect_success();
        let before = everything(&world).await;
        for (change, why) in [
            ("app", "nothing to change"),
            ("nobody --name X", "no such client: nobody"),
            ("app --redirect-uri", "needs a --redirect-uri"),
            ("app --redirect-uri http://app.example.com/", "must be https"),
            ("app --cors-origin https://app.example.com", "for public clients"),
            ("app --grant refresh_token password", "redirect URIs are only for"),
            ("app --grant", "only for clients with"),
            ("app --user-kind", "--user-kind core, web, or both"),
            ("app --jwks /no/such/file", "/no/such/file"),
            ("browser --grant authorization_code password", "for confidential clients"),
            ("browser --resource-server true", "for confidential clients"),
            ("api-server --resource-server false", "must be a resource server"),
        ] {
            run(&world, &format!("client change {change}")).await.expect_refusal(why);
        }
        assert_eq!(everything(&world).await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn both_secrets_are_valid_during_rotation_and_then_only_the_new_one() {
    on_each_database(PROGRAM, |world| async move {
        let old = add(&world).await;
        let new = secret(&installer(&world, &["client", "rotate", "app", "--json"]).await.json());
        assert_ne!(old, new);
        log_in(&world, &old).await.expect(200);
        let token = log_in(&world, &new).await.expect(200).json();
        assert_eq!(listed_client(&world, "app").await["secrets"], 2);
        let before = everything(&world).await;
        let repeated = installer(&world, &["client", "rotate", "app"]).await;
        repeated.expect_refusal("installer client rotate app --finish");
        assert_eq!(everything(&world).await, before, "nobody loses a secret by accident");
        installer(&world, &["client", "rotate", "app", "--finish"]).await.expect_success();
        log_in(&world, &old).await.expect(401);
        log_in(&world, &new).await.expect(200);
        let token = token["access_token"].as_str().expect("a token");
        world.client.get(token, "/loans/1").await.expect_problem(404, "not-found");
        let finished = installer(&world, &["client", "rotate", "app", "--finish"]).await;
        finished.expect_refusal("no rotation is in progress");
        for (id, why) in [("nobody", "no such client: nobody"), ("browser", "has no secret")] {
            installer(&world, &["client", "rotate", id]).await.expect_refusal(why);
        }
        let changes = audit(&world, &["--client", "app", "--event", "client_changed"]).await;
        let expected = ["added", "rotated", "rotation_finished"];
        assert_eq!(changes, expected.map(|reason| format!("client_changed {reason}")));
        world
    })
    .await;
}

#[tokio::test]
async fn removing_a_client_ends_its_sessions_only() {
    on_each_database(PROGRAM, |world| async move {
        let secret = add(&world).await;
        let token = log_in(&world, &secret).await.expect(200).json();
        let token = token["access_token"].as_str().expect("a token");
        let other = world.token("viewer").await;
        let viewer = user_id(&world, "viewer").await;
        add_session(&world, "gone", "core", viewer, "app").await;
        add_session(&world, "stays", "core", viewer, "browser").await;
        let contact_id = super::borrower(&world).await;
        let date = world.long_ago();
        world
            .sql(&format!(
                "INSERT INTO cif_web_active_users (contact_id, token_datestamp, session_id, \
                 client_id, token_hash) VALUES ({contact_id}, {date}, 'gone', 'app', 'x')"
            ))
            .await;
        world.client.get(token, "/loans/1").await.expect_problem(404, "not-found");
        installer(&world, &["client", "remove", "app"]).await.expect_success();
        world.client.get(token, "/loans/1").await.expect_problem(401, "token-invalid");
        world.client.get(&other, "/loans/1").await.expect_problem(404, "not-found");
        log_in(&world, &secret).await.expect(401);
        assert_eq!(sessions(&world).await, [1, 2, 1], "the browsers are other clients' too");
        assert_eq!(world.count("SELECT COUNT(*) FROM cif_web_active_users").await, 0);
        assert_eq!(listed_client(&world, "app").await, Value::Null);
        installer(&world, &["client", "remove", "app"]).await.expect_refusal("no such client: app");
        let changes = audit(&world, &["--client", "app", "--event", "client_changed"]).await;
        assert_eq!(changes, ["client_changed added", "client_changed removed"]);
        world
    })
    .await;
}

#[tokio::test]
async fn the_api_servers_client_is_protected_from_accidental_changes() {
    on_each_database(PROGRAM, |world| async move {
        let before = everything(&world).await;
        let removed = installer(&world, &["client", "remove", "api-server"]).await;
        removed.expect_refusal(
            "every call is 503: name another client there first, or pass --of-the-api",
        );
        assert_eq!(everything(&world).await, before);
        let rotated = installer(&world, &["client", "rotate", "api-server"]).await.expect_success();
        let api = world.folder.path().join("api-server.env").display().to_string();
        let next_step = format!("to the new secret in {api}, restart the api-server, then run");
        assert!(rotated.contains(&next_step), "{rotated}");
        let before = everything(&world).await;
        let finish = ["client", "rotate", "api-server", "--finish"];
        installer(&world, &finish).await.expect_refusal("still uses the previous secret");
        assert_eq!(everything(&world).await, before);
        let new = rotated.lines().find_map(|line| line.strip_prefix("client_secret  "));
        let settings = std::fs::read_to_string(&api).expect("settings");
        let old = world.credentials.api_server.as_str();
        assert!(settings.contains(old), "{settings}");
        std::fs::write(&api, settings.replace(old, new.expect("a secret"))).expect("settings");
        installer(&world, &finish).await.expect_success();
        let anyway = ["client", "remove", "api-server", "--of-the-api-server"];
        installer(&world, &anyway).await.expect_success();
        world
    })
    .await;
}

#[tokio::test]
async fn a_client_with_keys_has_no_secret_unless_requested() {
    on_each_database(PROGRAM, |world| async move {
        let own_secret = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA";
        let jwk =
            json!({"kty": "EC", "crv": "P-256", "x": own_secret, "y": own_secret, "kid": "1"});
        let public = file(&world, "public.json", &json!({"keys": [jwk]}).to_string());
        let mut private = jwk.clone();
        private["d"] = json!(own_secret);
        let private = file(&world, "private.json", &json!({"keys": [private]}).to_string());
        let before = everything(&world).await;
        let add_with_keys = |jwks: &str, extra: &[&str]| {
            let arguments = [&ADD[..], &["--json", "--jwks", jwks], extra].concat();
            arguments.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let run = async |arguments: Vec<String>| {
            installer(&world, &arguments.iter().map(String::as_str).collect::<Vec<_>>()).await
        };
        run(add_with_keys(&private, &[])).await.expect_refusal("contains a private key");
        run(add_with_keys("/no/such/file", &[])).await.expect_refusal("/no/such/file");
        assert_eq!(everything(&world).await, before);
        assert_eq!(run(add_with_keys(&public, &[])).await.json(), json!({"client_id": "app"}));
        let app = listed_client(&world, "app").await;
        assert_eq!((&app["secrets"], &app["keys"]), (&json!(0), &json!(true)));
        installer(&world, &["client", "rotate", "app"]).await.expect_refusal("has no secret");
        installer(&world, &["client", "remove", "app"]).await.expect_success();
        let secret_and_keys = run(add_with_keys(&public, &["--secret"])).await.json();
        log_in(&world, &secret(&secret_and_keys)).await.expect(200);
        assert_eq!(listed_client(&world, "app").await["keys"], true);
        world
    })
    .await;
}

#[tokio::test]
async fn refused_client_commands_change_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let secret = add(&world).await;
        let before = everything(&world).await;
        installer(&world, &ADD).await.expect_refusal("the client app already exists");
        for (arguments, expected) in [
            ("a/b --grant password --user-kind core", "1 to 100 characters"),
            ("b", "could do nothing"),
            ("b --grant password", "--user-kind"),
            ("b --grant authorization_code --user-kind core", "needs a --redirect-uri"),
            ("b --public", "a public client needs --grant authorization_code"),
            ("b --public --grant password --user-kind core", "for confidential clients"),
            (
                "b --grant authorization_code --user-kind core --redirect-uri http://b.example/",
                "or localhost",
            ),
            (
                "b --grant authorization_code --user-kind core --redirect-uri https://b.example/#x",
                "fragment",
            ),
            (
                "b --grant authorization_code --user-kind core --redirect-uri https://b.example/ \
                 --post-logout-redirect-uri http://b.example/",
                "must be https",
            ),
            (
                "b --grant password --user-kind core --cors-origin https://b.example",
                "for public clients",
            ),
            (
                "b --public --grant authorization_code --user-kind core \
                 --redirect-uri https://b.example/ --cors-origin https://b.example/",
                "write it as https://b.example",
            ),
        ] {
            let arguments: Vec<&str> = ["client", "add"]
                .into_iter()
                .chain(arguments.split(' '))
                .filter(|own_secret| !own_secret.is_empty())
                .collect();
            installer(&world, &arguments).await.expect_refusal(expected);
        }
        assert_eq!(everything(&world).await, before);
        log_in(&world, &secret).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn adding_the_same_client_concurrently_succeeds_once() {
    on_each_database(PROGRAM, |world| async move {
        let user = ["user", "add", "jo", "--generate"];
        for arguments in [&ADD[..], &user] {
            let add = || installer(&world, arguments);
            let output = tokio::join!(add(), add(), add(), add());
            let all = [output.0, output.1, output.2, output.3];
            let (succeeded, refused): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|output| output.code == Some(0));
            assert_eq!(succeeded.len(), 1, "{arguments:?}");
            refused.into_iter().for_each(|output| output.expect_refusal("already"));
        }
        assert_eq!(world.count("SELECT COUNT(*) FROM auth_events").await, 2);
        world
    })
    .await;
}

#[tokio::test]
async fn tokens_issued_while_a_client_is_removed_are_dead() {
    on_each_database(PROGRAM, |world| async move {
        let secret = add(&world).await;
        let log_ins = (0..24u64).map(|n| {
            let (world, secret) = (&world, &secret);
            async move {
                tokio::time::sleep(std::time::Duration::from_millis(20 * n)).await;
                log_in(world, secret).await
            }
        });
        let remove = async {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            installer(&world, &["client", "remove", "app"]).await.expect_success();
        };
        let before = log_in(&world, &secret).await.expect(200);
        let (mut responses, ()) = tokio::join!(futures_util::future::join_all(log_ins), remove);
        responses.push(before);
        let remaining = "SELECT COUNT(*) FROM auth_sessions WHERE client_id = 'app'";
        assert_eq!(world.count(remaining).await, 0);
        for response in responses.iter().filter(|response| response.status == 200) {
            let token = response.json()["access_token"].as_str().unwrap().to_owned();
            world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
        }
        world
    })
    .await;
}
