//! Pages that users see on the way: which application requests the log-in, what went wrong and what
//! to do about it, and where a user who opens only the host ends up.

use crate::PROGRAM;
use crate::installer::installer;
use acceptance::log_in_form::{AuthorizationRequest, Browser};
use acceptance::on_each_database;
use acceptance::world::{Environment, on_each_database_with};
use reqwest::Method;

#[tokio::test]
async fn the_log_in_page_shows_the_applications_display_name() {
    on_each_database(PROGRAM, |world| async move {
        let browser = Browser::new(&world.client);
        let page = browser.open(&AuthorizationRequest::new("core")).await;
        assert!(page.html.contains("<bdi>the quickstart</bdi>"), "{}", page.html);
        let rename = ["client", "change", "browser", "--name", "Our <Portal>"];
        installer(&world, &rename).await.expect_success();
        let page = browser.open(&AuthorizationRequest::new("core")).await;
        assert!(page.html.contains("<bdi>Our &lt;Portal&gt;</bdi>"), "{}", page.html);
        let clients = installer(&world, &["client", "list", "--json"]).await.json();
        let names = clients.as_array().expect("a list").iter().map(|client| &client["name"]);
        assert!(names.into_iter().any(|name| name == "Our <Portal>"), "{clients}");
        for wrong in ["", " x", "a\tb", &"x".repeat(101)] {
            installer(&world, &["client", "change", "browser", "--name", wrong])
                .await
                .expect_refusal("is not a client name");
        }
        installer(&world, &["client", "change", "nobody", "--name", "X"])
            .await
            .expect_refusal("no such client: nobody");
        world
    })
    .await;
}

#[tokio::test]
async fn an_error_page_has_instructions_a_reference_and_a_way_back() {
    on_each_database(PROGRAM, |world| async move {
        let browser = Browser::new(&world.client);
        let authorization = AuthorizationRequest::new("core");
        let url = authorization.url(&world.client.auth_url);
        let (base, _) = url.split_once("redirect_uri=").expect("a redirect URI");
        let unregistered_redirect = format!("{base}redirect_uri=https://elsewhere.example/");
        let unknown_client = url.replace("client_id=browser", "client_id=nobody");
        let page = browser.open(&authorization).await;
        let forged = browser.post("/login", &[("request", page.field("request"))]).await;
        let home = "href=\"http://127.0.0.1:8765/\">Back to the quickstart</a>";
        let used = browser.get("/login?request=used&client_id=browser").await;
        for (response, status, returned) in [
            (used, 400, home),
            (browser.get(&unregistered_redirect).await, 400, home),
            (browser.get(&unknown_client).await, 400, ""),
            (browser.get("/login").await, 400, ""),
            (forged, 403, home),
        ] {
            let response = response.expect(status);
            let reference = format!("Reference: {}", response.header("x-request-id"));
            for part in [reference.as_str(), "Go back to the application", returned] {
                assert!(response.text.contains(part), "no {part} in {}", response.text);
            }
            assert!(!response.text.contains("elsewhere.example"), "{}", response.text);
        }
        let confirmation = browser.get("/oauth2/logout?client_id=browser").await.expect(200);
        assert!(
            confirmation.text.contains(home) && confirmation.text.contains("Reference: "),
            "{}",
            confirmation.text
        );
        let gateway = world.client.get("", "/gateway/sandbox/add-payment-method?session=x").await;
        let gateway = gateway.expect(410);
        let reference = format!("Reference: {}", gateway.header("x-request-id"));
        assert!(gateway.text.contains(&reference), "{}", gateway.text);
        world
    })
    .await;
}

#[tokio::test]
async fn the_roots_of_both_servers_redirect_to_the_documentation() {
    let documentation = "https://docs.example/docs";
    let setting = ("AUTH_DOCUMENTATION_URL".to_owned(), documentation.to_owned());
    let environment = Environment { auth: [setting].into(), ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let browser = Browser::new(&world.client);
        assert_eq!(browser.get("/").await.expect(303).header("location"), documentation);
        assert_eq!(world.client.get("", "/").await.expect(302).header("location"), "/docs");
        let head = world.client.http.head(format!("{}/", world.client.auth_url));
        assert_eq!(world.client.send(head).await.expect("a response").status, 303);
        let posted = world.client.request(Method::POST, "", "/");
        let posted = world.client.send(posted).await.expect("a response").expect(405);
        assert_eq!(posted.header("allow"), "GET, HEAD");
        world
    })
    .await;
    on_each_database(PROGRAM, |world| async move {
        let page = Browser::new(&world.client).get("/").await.expect(200);
        let metadata = "href=\"/.well-known/openid-configuration\"";
        assert!(page.text.contains(metadata), "{}", page.text);
        world
    })
    .await;
}
