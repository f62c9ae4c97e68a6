//! Under which address browsers are told to find the pages.

use super::{ask, book, url_path};
use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::wire::Wire;
use acceptance::world::{Environment, on_each_database_with};
use std::time::Duration;

#[tokio::test]
async fn the_settings_say_where_browsers_are() {
    for url in ["https://loans.example", "https://example.test:8443/lending"] {
        let api = [("API_PUBLIC_URL".to_owned(), url.to_owned())];
        let environment = Environment { api: api.into(), ..Environment::default() };
        on_each_database_with(PROGRAM, environment, |world| async move {
            let admin = world.token("admin").await;
            let (loan, _) = book(&world, &admin).await;
            let opened = ask(&world, &admin, loan).await.expect(200).json();
            let page = format!("{url}/gateway/sandbox/add-payment-method?session=");
            assert!(opened["Url"].as_str().unwrap().starts_with(&page), "{opened}");
            world
        })
        .await;
    }
}

#[tokio::test]
async fn else_browsers_are_where_the_request_came_to() {
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
        let page = "/gateway/sandbox/add-payment-method?session=";
        for (host, shown) in [
            ("loans.example", "loans.example"),
            ("Loans.example:8443", "loans.example:8443"),
            ("loans.example:443", "loans.example"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]:9443", "[::1]:9443"),
        ] {
            let answer = get(&path, &format!("Host: {host}\r\n")).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            assert!(answer.contains(&format!("\"Url\":\"https://{shown}{page}")), "{answer}");
        }
        // A whole URL in the first line goes before the header (RFC 9112, 3.2.2).
        let whole = format!("https://one.example{path}");
        let answer = get(&whole, "Host: two.example\r\n").await;
        assert!(answer.contains(&format!("\"Url\":\"https://one.example{page}")), "{answer}");
        let before = super::states(&world).await;
        for host in [
            "",
            "Host:\r\n",
            "Host: \r\n",
            "Host: user@loans.example\r\n",
            "Host: user:word@loans.example\r\n",
            "Host: loans.example/path\r\n",
            "Host: loans.example?query\r\n",
            "Host: loans.example#fragment\r\n",
            "Host: two words\r\n",
            "Host: \"quoted\"\r\n",
            "Host: <loans>\r\n",
            "Host: loans.example:84430000\r\n",
            "Host: loans.example:port\r\n",
            "Host: l\u{f6}ans.example\r\n",
            "Host: one.example, two.example\r\n",
            "Host: one.example\r\nHost: two.example\r\n",
        ] {
            let answer = get(&path, host).await;
            assert!(answer.starts_with("HTTP/1.1 400"), "{host:?}: {answer}");
        }
        assert_eq!(super::states(&world).await, before);
        world
    })
    .await;
}
