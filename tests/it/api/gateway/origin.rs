//! The address under which browsers are told to find the pages.

use super::{book, request_url, url_path};
use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::wire::Wire;
use acceptance::world::{Environment, on_each_database_with};
use std::time::Duration;

#[tokio::test]
async fn the_settings_define_the_public_origin() {
    for url in ["https://loans.example", "https://example.test:8443/lending"] {
        let api = [("API_PUBLIC_URL".to_owned(), url.to_owned())];
        let environment = Environment { api: api.into(), ..Environment::default() };
        on_each_database_with(PROGRAM, environment, |world| async move {
            let admin = world.token("admin").await;
            let (loan, _) = book(&world, &admin).await;
            let opened = request_url(&world, &admin, loan).await.expect(200).json();
            let page = format!("{url}/gateway/sandbox/add-payment-method?session=");
            assert!(opened["Url"].as_str().unwrap().starts_with(&page), "{opened}");
            world
        })
        .await;
    }
}

#[tokio::test]
async fn the_host_header_does_not_define_the_public_origin() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let path = url_path(loan);
        let get = async |target: &str, host: &str| {
            let mut wire = Wire::to_api(&world).await;
            let head = format!(
                "GET {target} HTTP/1.1\r\n{host}Authorization: Bearer {admin}\r\n\
                 Connection: close\r\n\r\n"
            );
            assert!(wire.send(head.as_bytes()).await);
            wire.receive(Duration::from_secs(20)).await
        };
        let (_, port) = world.client.api_url.rsplit_once(':').expect("a port");
        let page = format!("\"Url\":\"https://localhost:{port}/gateway/sandbox/");
        for host in ["evil.example", "Loans.example:8443", "[::1]:9443", "<loans>"] {
            let response = get(&path, &format!("Host: {host}\r\n")).await;
            assert!(response.starts_with("HTTP/1.1 200"), "{response}");
            assert!(response.contains(&page), "{response}");
            let docs = get("/docs", &format!("Host: {host}\r\n")).await;
            assert!(docs.contains(&format!("https://localhost:{port}")), "{docs:.500}");
            assert!(!docs.contains("evil.example"));
        }
        for host in ["", "Host: one.example\r\nHost: two.example\r\n"] {
            let response = get(&path, host).await;
            assert!(response.starts_with("HTTP/1.1 400"), "{host:?}: {response}");
            assert!(response.contains("one Host header"), "{response}");
        }
        world
    })
    .await;
}
