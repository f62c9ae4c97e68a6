//! The database gate: servers whose database has another schema, cannot be written, or holds what
//! their keys do not open, do nothing but say so, and go on without a restart once it is corrected.

use crate::PROGRAM;
use acceptance::servers::TestServer;
use acceptance::table_contents::TableContents;
use acceptance::world::Environment;
use acceptance::world::in_processes_on_each_database;
use acceptance::{Client, World, on_each_database, table_contents};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const PATIENCE: Duration = Duration::from_secs(60);
/// Time in which servers that act would have acted: their tasks run at start, and those of cards
/// every second.
const OBSERVED: Duration = Duration::from_secs(4);
/// Another key, under the same id.
const OTHER_KEY: &str = "k1:00000000000000000000000000000000000000000000000000000000000000ff";

const SCHEMAS: [(&str, &str, &str); 2] = [
    (
        "UPDATE schema_migrations SET finished_date = NULL",
        "UPDATE schema_migrations SET finished_date = started_date",
        "an unfinished one, 1 migration behind",
    ),
    (
        "INSERT INTO schema_migrations (name, kind, release_version, started_date) \
         SELECT 'm13_later', 'contract', '13.0.0', started_date FROM schema_migrations",
        "DELETE FROM schema_migrations WHERE name = 'm13_later'",
        "later release (m13_later)",
    ),
];

fn environment() -> Environment {
    let mut environment = Environment::default();
    environment.api.insert("API_GATEWAY_RECOVERY_SECONDS".to_owned(), "1".to_owned());
    environment
}

/// Leaves work that both servers' background tasks do as soon as they run.
async fn leave_work(world: &World) {
    let admin = world.token("admin").await;
    let number = world.count("SELECT COUNT(*) FROM contacts").await;
    let contact = format!(
        r#"<Core><Contact ContactTypeCode="BORROWER" ContactNumber="C-{number}" EntityCode="INDIVIDUAL" LastName1="One"/></Core>"#
    );
    world.import(&admin, &contact).await;
    let contact_id = world.count("SELECT MAX(contact_id) FROM contacts").await;
    let path = format!("/contacts/{contact_id}/comments");
    let comment = json!({"Comment_Category_ID": 1, "Comment": "old"});
    world.client.post(&admin, &path, &comment, Some(&path)).await.expect(201);
    world.age("active_users", &["active_date"], 30 * 24 * 60 * 60).await;
    world.age("idempotency_records", &["created_date", "lease_until"], 30 * 24 * 60 * 60).await;
    assert!(work_left(world).await.iter().all(|rows| *rows > 0));
}

/// Rows that background tasks remove: of the auth server, of the api-server.
async fn work_left(world: &World) -> [i64; 2] {
    let count = async |table| world.count(&format!("SELECT COUNT(*) FROM {table}")).await;
    [count("active_users").await, count("idempotency_records").await]
}

/// Checks that every operation is refused with this reason, that nothing is written, and that
/// metrics and log say why.
async fn expect_closed(world: &World, server: Server, reason: &str) {
    let client = &world.client;
    let before = rows_of(world, server).await;
    match server {
        Server::Api => {
            for operation in api_server::router::operations().all() {
                let path = operation.path.replace(['{', '}'], "");
                let refused = client.request(operation.method.clone(), "", &path);
                let refused = client.send(refused).await.expect("a response");
                let refused = refused.expect_problem(503, "database-unavailable");
                assert!(refused.text.contains(reason), "{path}: {}", refused.text);
                assert_eq!(refused.header("retry-after"), "5", "{path}");
            }
            let page = "/gateway/sandbox/add-payment-method?session=none";
            client.get("", page).await.expect(503);
            client.get("", "/no-such-path").await.expect(404);
            let wrong_method = client.request(Method::PATCH, "", "/loans/1");
            client.send(wrong_method).await.expect("a response").expect(405);
            for open in ["/health/live", "/openapi.json", "/docs"] {
                client.get("", open).await.expect(200);
            }
        }
        Server::Auth => {
            for (path, methods) in auth_server::router::PATHS {
                let method = if methods.starts_with("POST") { Method::POST } else { Method::GET };
                let response = client.http.request(method, format!("{}{path}", client.auth_url));
                let response = client.send(response).await.expect("a response");
                let is_open = path == "/" || path.starts_with("/.well") || path == "/health/live";
                assert_eq!(response.status, if is_open { 200 } else { 503 }, "{path}");
                let is_page = response.text.contains("<html");
                assert!(is_open || is_page || response.text.contains(reason), "{}", response.text);
            }
        }
    }
    let (url, metrics, process) = server.of(world);
    let ready = client.send(client.http.get(format!("{url}/health/ready"))).await;
    assert!(ready.expect("a response").expect(503).text.contains(reason));
    let metrics = client.http.get(metrics).send().await.expect("metrics");
    let metrics = metrics.text().await.expect("metrics");
    assert!(metrics.contains("database_gate_closed{reason=\""), "{metrics}");
    assert!(process.log().contains(reason), "{}", process.log());
    sleep(OBSERVED).await;
    let after = rows_of(world, server).await;
    let changed: Vec<_> =
        before.iter().filter(|(table, rows)| after.get(table) != Some(rows)).collect();
    assert!(changed.is_empty(), "{reason}: {changed:#?}");
}

/// All rows, but those that the other server's tasks remove: it may be open.
async fn rows_of(world: &World, server: Server) -> TableContents {
    let mut rows = table_contents::rows(&world.db).await;
    let of_the_other = match server {
        Server::Api => "active_users",
        Server::Auth => "idempotency_records",
    };
    rows.retain(|(table, _), _| table != of_the_other);
    rows
}

#[derive(Clone, Copy)]
enum Server {
    Auth,
    Api,
}

impl Server {
    fn of(self, world: &World) -> (&str, &str, &TestServer) {
        match self {
            Self::Auth => (&world.client.auth_url, &world.metrics.0, &world.auth),
            Self::Api => (&world.client.api_url, &world.metrics.1, &world.api),
        }
    }

    fn process(self, world: &mut World) -> &mut TestServer {
        match self {
            Self::Auth => &mut world.auth,
            Self::Api => &mut world.api,
        }
    }

    /// Kills it, and starts it with this setting.
    async fn restart_with(self, world: &mut World, setting: &str, value: &str) {
        let http = world.client.http.clone();
        let process = self.process(world);
        process.kill().await;
        process.set(setting, value);
        process.restart_unready(&http).await;
    }
}

async fn wait_until_ready(client: &Client) {
    let deadline = Instant::now() + PATIENCE;
    for url in [&client.auth_url, &client.api_url] {
        let ready = async || {
            let ready = client.send(client.http.get(format!("{url}/health/ready"))).await;
            ready.expect("a response").status == 200
        };
        while !ready().await {
            assert!(Instant::now() < deadline, "{url} is not ready");
            sleep(Duration::from_millis(100)).await;
        }
    }
}

async fn expect_work_done(world: &World) {
    let deadline = Instant::now() + PATIENCE;
    while work_left(world).await != [0, 0] {
        assert!(Instant::now() < deadline, "{:?}", work_left(world).await);
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn servers_on_another_schema_do_nothing_and_go_on_when_it_is_theirs() {
    let on_each = |world: World| async move {
        let mut world = world;
        for (change, undo, reason) in SCHEMAS {
            leave_work(&world).await;
            let http = world.client.http.clone();
            for server in [Server::Auth, Server::Api] {
                server.process(&mut world).kill().await;
            }
            world.sql(change).await;
            for server in [Server::Auth, Server::Api] {
                server.process(&mut world).restart_unready(&http).await;
            }
            for server in [Server::Auth, Server::Api] {
                expect_closed(&world, server, reason).await;
            }
            world.sql(undo).await;
            wait_until_ready(&world.client).await;
            expect_work_done(&world).await;
            let admin = world.token("admin").await;
            world.client.get(&admin, "/contacts?limit=1").await.expect(200);
        }
        world
    };
    acceptance::world::on_each_database_with(PROGRAM, environment().in_processes(), on_each).await;
}

/// A later release's migration that only adds to the schema, finished or not.
#[tokio::test]
async fn servers_go_on_beside_a_later_release_that_has_only_added_to_the_schema() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        world
            .sql(
                "INSERT INTO schema_migrations (name, kind, release_version, started_date) \
                 SELECT 'm12_1_tags', 'expand', '12.1.0', started_date FROM schema_migrations",
            )
            .await;
        world.sql("CREATE TABLE loan_tags (loan_id bigint, tag varchar(20))").await;
        sleep(Duration::from_secs(3)).await;
        wait_until_ready(&world.client).await;
        world.client.get(&admin, "/contacts?limit=1").await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn running_servers_stop_within_seconds_when_the_schema_changes() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        world.client.get(&admin, "/contacts?limit=1").await.expect(200);
        let (change, undo, reason) = SCHEMAS[1];
        world.sql(change).await;
        sleep(Duration::from_secs(2)).await;
        let refused = world.client.get(&admin, "/contacts?limit=1").await;
        let refused = refused.expect_problem(503, "database-unavailable");
        assert!(refused.text.contains(reason), "{}", refused.text);
        world.sql(undo).await;
        wait_until_ready(&world.client).await;
        sleep(Duration::from_secs(2)).await;
        world.client.get(&admin, "/contacts?limit=1").await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn a_server_with_the_keys_of_another_installation_does_nothing() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        leave_work(&world).await;
        for (server, setting, key) in [
            (Server::Api, "API_MASTER_KEYS", world.credentials.card_key.clone()),
            (Server::Auth, "AUTH_MASTER_KEYS", world.credentials.master_key.clone()),
            (Server::Auth, "AUTH_TOKEN_KEYS", world.credentials.token_key.clone()),
        ] {
            server.restart_with(&mut world, setting, OTHER_KEY).await;
            expect_closed(&world, server, setting).await;
            server.restart_with(&mut world, setting, &format!("k1:{key}")).await;
            wait_until_ready(&world.client).await;
            // A further key is adopted, whatever it is.
            let with_another = format!("k1:{key},k2:{}", OTHER_KEY.split_at(3).1);
            server.restart_with(&mut world, setting, &with_another).await;
            wait_until_ready(&world.client).await;
        }
        world.token("admin").await;
        world
    })
    .await;
}

/// Replicas that differ: the second one says so, and does nothing.
#[tokio::test]
async fn a_server_without_the_keys_in_use_or_with_another_store_does_nothing() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        leave_work(&world).await;
        world.token("admin").await;
        let key = format!("k1:{}", world.credentials.token_key);
        let other = format!("k2:{}", OTHER_KEY.split_at(3).1);
        Server::Auth.restart_with(&mut world, "AUTH_TOKEN_KEYS", &other).await;
        expect_closed(&world, Server::Auth, "AUTH_TOKEN_KEYS lacks the key").await;
        Server::Auth.restart_with(&mut world, "AUTH_TOKEN_KEYS", &key).await;
        let documents = world.folder.path().join("documents").display().to_string();
        let elsewhere = world.folder.path().join("elsewhere").display().to_string();
        Server::Api.restart_with(&mut world, "API_DOCUMENTS", &elsewhere).await;
        expect_closed(&world, Server::Api, "not the database's object store").await;
        Server::Api.restart_with(&mut world, "API_DOCUMENTS", &documents).await;
        wait_until_ready(&world.client).await;
        world
    })
    .await;
}

/// The URL at which this database refuses writes.
async fn read_only_url(world: &World) -> String {
    let url = &world.database_url;
    match world.database.name() {
        "sqlite" => format!("{url}?mode=ro"),
        "postgres" => format!("{url}?options[default_transaction_read_only]=on"),
        _ => {
            let name = url.rsplit('/').next().expect("a name");
            let reader = format!("reader_{}", &name[name.len().saturating_sub(20)..]);
            world.sql(&format!("CREATE USER {reader}@'%' IDENTIFIED BY 'words'")).await;
            world.sql(&format!("GRANT SELECT ON {name}.* TO {reader}@'%'")).await;
            url.replace("loans:loans@", &format!("{reader}:words@"))
        }
    }
}

#[tokio::test]
async fn servers_whose_database_cannot_be_written_do_nothing() {
    let reason = "the database can be read, but not written";
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        leave_work(&world).await;
        let (read_only, writable) = (read_only_url(&world).await, world.database_url.clone());
        for (server, setting) in
            [(Server::Auth, "AUTH_DATABASE_URL"), (Server::Api, "API_DATABASE_URL")]
        {
            server.restart_with(&mut world, setting, &read_only).await;
            expect_closed(&world, server, reason).await;
            server.restart_with(&mut world, setting, &writable).await;
            wait_until_ready(&world.client).await;
        }
        if let Some((_, rest)) = read_only.split_once("//reader_") {
            let name = rest.split(':').next().expect("a name");
            world.sql(&format!("DROP USER reader_{name}@'%'")).await;
        }
        world
    })
    .await;
}

/// As a restored copy is kept from acting: new sessions would be read-only, and those of running
/// servers are not.
#[tokio::test]
async fn running_servers_stop_when_their_database_becomes_read_only() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        if world.database.name() != "postgres" {
            return world;
        }
        let name = world.database_url.rsplit('/').next().expect("a name").to_owned();
        let set = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
        world.sql(&set).await;
        for server in [Server::Auth, Server::Api] {
            sleep(Duration::from_secs(2)).await;
            expect_closed(&world, server, "the database can be read, but not written").await;
        }
        let reset = format!("ALTER DATABASE {name} RESET default_transaction_read_only");
        world.sql(&format!("BEGIN READ WRITE; {reset}; COMMIT")).await;
        wait_until_ready(&world.client).await;
        world
    })
    .await;
}

#[tokio::test]
async fn the_api_does_nothing_while_the_business_time_zone_is_not_one() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        leave_work(&world).await;
        let set = "UPDATE settings SET value = 'America/Chicgo' WHERE name = 'business_time_zone'";
        world.sql(set).await;
        sleep(Duration::from_secs(2)).await;
        expect_closed(&world, Server::Api, "America/Chicgo").await;
        world.sql("UPDATE settings SET value = 'UTC' WHERE name = 'business_time_zone'").await;
        wait_until_ready(&world.client).await;
        world
    })
    .await;
}
