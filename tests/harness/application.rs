//! An application on the user's machine: sends a browser to log in, and listens on a loopback port
//! for the redirect (RFC 8252, 7.3).

use crate::response::TestResponse;
use crate::world::World;
use oauth2::{PkceCodeChallenge, PkceCodeVerifier};
use reqwest::Url;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// The page the browser shows after the redirect.
const PAGE: &str = "<!DOCTYPE html><html lang=\"en\"><head><title>Back</title>\
     <link rel=\"icon\" href=\"data:,\"></head><body><p id=\"back\">Back.</p></body></html>";

/// The parameters of a URL.
pub type Parameters = BTreeMap<String, String>;

/// An application with the client id `browser`.
pub struct Application {
    auth_url: String,
    redirect_uri: String,
    arrivals: UnboundedReceiver<Parameters>,
    verifier: PkceCodeVerifier,
}

impl Application {
    /// Starts listening on a free port.
    pub async fn start(world: &World) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (sender, arrivals) = unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, sender.clone()));
            }
        });
        Self {
            auth_url: world.client.auth_url.clone(),
            redirect_uri: format!("http://127.0.0.1:{port}/callback"),
            arrivals,
            verifier: PkceCodeChallenge::new_random_sha256().1,
        }
    }

    /// Where it listens.
    pub fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    /// The authorization URL, with these parameters in addition to the required ones.
    pub fn authorize_url(&mut self, scope: &str, extra: &[(&str, &str)]) -> String {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        self.verifier = verifier;
        let parameters = [
            ("response_type", "code"),
            ("client_id", "browser"),
            ("redirect_uri", &self.redirect_uri),
            ("scope", scope),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
        ];
        let parameters = parameters.iter().chain(extra);
        let url = format!("{}/oauth2/authorize", self.auth_url);
        Url::parse_with_params(&url, parameters).expect("a URL").into()
    }

    /// Waits for the redirect and returns its parameters.
    pub async fn arrival(&mut self) -> Parameters {
        let arrival = timeout(Duration::from_secs(30), self.arrivals.recv()).await;
        arrival.expect("the browser comes back").expect("a listener")
    }

    /// True if a redirect has arrived that no test has taken.
    pub fn has_arrivals(&self) -> bool {
        !self.arrivals.is_empty()
    }

    /// Exchanges a code for tokens.
    pub async fn exchange(&self, world: &World, code: &str) -> TestResponse {
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", "browser"),
            ("code", code),
            ("redirect_uri", &self.redirect_uri),
            ("code_verifier", self.verifier.secret()),
        ];
        world.client.form(("", ""), "/oauth2/token", &form).await
    }
}

async fn serve(mut stream: TcpStream, arrivals: UnboundedSender<Parameters>) {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read_buf(&mut head).await {
            Ok(1..) => {}
            // Browsers open connections in advance.
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head);
    let target = head.split(' ').nth(1).unwrap_or_default();
    let url = Url::parse(&format!("http://127.0.0.1{target}")).expect("a target");
    let is_callback = url.path() == "/callback";
    let (status, page) = if is_callback { ("200 OK", PAGE) } else { ("404 Not Found", "") };
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{page}",
        page.len()
    );
    // Recorded first, so that anyone who sees the page finds the arrival.
    if is_callback {
        let _ = arrivals.send(url.query_pairs().into_owned().collect());
    }
    let _ = stream.write_all(response.as_bytes()).await;
}
