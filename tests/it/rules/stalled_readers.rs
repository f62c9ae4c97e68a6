//! Clients that send requests and do not read the answers block neither server, with or without a
//! token.

use crate::PROGRAM;
use acceptance::World;
use acceptance::memory::resident_kib;
use acceptance::stalled_reader::StalledReaders;
use acceptance::world::{Environment, on_embedded_database_with};
use futures_util::future::join_all;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use tokio::time::timeout;

/// More than the servers' time limit for a client that does not read.
const PATIENCE: Duration = Duration::from_secs(90);

/// An address in another network than that of the honest client.
fn client_address(number: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(127, 2, number, 1))
}

fn environment(settings: &[(&str, &str)]) -> Environment {
    let readers_of = |server: &str| {
        let settings = settings.iter();
        settings.map(|(name, value)| (format!("{server}_{name}"), (*value).to_owned())).collect()
    };
    Environment { auth: readers_of("AUTH"), api: readers_of("API"), ..Environment::default() }
}

fn readers(world: &World) -> [(StalledReaders, &'static str); 2] {
    let readers_of = |url: &str| StalledReaders::of(url, &world.tls.authority);
    [
        (readers_of(&world.client.api_url), "/docs"),
        (readers_of(&world.client.auth_url), "/oauth2/jwks"),
    ]
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_disconnected_although_it_answers_pings() {
    // What fits into the server's buffers is sent as far as it is concerned.
    let environment = environment(&[("STALLED_SECONDS", "3"), ("IDLE_SECONDS", "5")]);
    on_embedded_database_with(PROGRAM, environment.in_processes(), |world| async move {
        let readers = readers(&world);
        let cases = readers.iter().flat_map(|reader| [(reader, 0), (reader, 1)]);
        join_all(cases.map(async |((readers, path), window)| {
            let reader = readers
                .send_requests(client_address(1), path, 20, window)
                .await
                .expect("connected");
            let closed = timeout(PATIENCE, reader.until_closed()).await;
            assert!(closed.is_ok(), "{path}, window {window}: still there");
        }))
        .await;
        world
    })
    .await;
}

#[tokio::test]
async fn one_network_cannot_take_all_connections() {
    let environment = environment(&[("CONNECTIONS_MAX", "50"), ("CONNECTIONS_PER_NETWORK", "20")]);
    on_embedded_database_with(PROGRAM, environment.in_processes(), |world| async move {
        for (readers, path) in readers(&world) {
            let connections = (0..60).map(|_| readers.send_requests(client_address(1), path, 1, 0));
            let connected: Vec<_> =
                join_all(connections).await.into_iter().filter_map(Result::ok).collect();
            assert!(connected.len() <= 20, "{} connections of one network", connected.len());
            let token = timeout(PATIENCE, world.token("admin")).await.expect("a token");
            let response = timeout(PATIENCE, world.client.get(&token, "/users")).await;
            response.expect("a response").expect(200);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn unread_responses_use_little_memory() {
    on_embedded_database_with(PROGRAM, Environment::default().in_processes(), |world| async move {
        let before = resident_kib(world.api.id().expect("a process")).unwrap_or_default();
        let (readers, path) = &readers(&world)[0];
        let connections =
            (0..20u8).map(|number| readers.send_requests(client_address(number), path, 127, 0));
        let connected: Vec<_> =
            join_all(connections).await.into_iter().filter_map(Result::ok).collect();
        assert_eq!(connected.len(), 20);
        // Lets each answer get as far as it can.
        tokio::time::sleep(Duration::from_secs(5)).await;
        let after = resident_kib(world.api.id().expect("a process")).unwrap_or_default();
        let grown = after.saturating_sub(before) / 1024;
        println!("{grown} MiB for {} streams", connected.len() * 127);
        assert!(grown < 300, "{grown} MiB");
        world.client.get("", "/health/live").await.expect(200);
        world
    })
    .await;
}
