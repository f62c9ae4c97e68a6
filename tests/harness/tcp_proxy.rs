//! A proxy between the servers and their database. Shut, it cuts every connection and refuses new
//! ones, like a stopped database; frozen, it passes nothing and closes nothing, like a host that
//! has vanished from the network.

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The state of the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProxyMode {
    Open,
    Frozen,
    Shut,
}

/// The proxy. It is open at first, and shut for good when dropped.
pub struct TcpProxy {
    mode: watch::Sender<ProxyMode>,
    url: String,
}

impl TcpProxy {
    /// Creates a proxy in front of the server of this database URL.
    pub async fn in_front_of(database_url: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (target, url) = reroute(database_url, port);
        let (mode, mut state) = watch::channel(ProxyMode::Open);
        tokio::spawn(async move {
            loop {
                let Ok((client, _)) = listener.accept().await else { return };
                if state.has_changed().is_err() {
                    return;
                }
                if *state.borrow_and_update() != ProxyMode::Shut {
                    tokio::spawn(forward(client, target.clone(), state.clone()));
                }
            }
        });
        Self { mode, url }
    }

    /// The URL of the database through the proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Cuts every connection and refuses new ones.
    pub fn shut(&self) {
        self.mode.send_replace(ProxyMode::Shut);
    }

    /// Passes nothing more on any connection. Data in flight may be lost, so shut the proxy before
    /// opening it again.
    pub fn freeze(&self) {
        self.mode.send_replace(ProxyMode::Frozen);
    }

    /// Accepts connections again.
    pub fn open(&self) {
        self.mode.send_replace(ProxyMode::Open);
    }
}

/// The address of a database URL's server, and the URL through a proxy on this port.
pub(crate) fn reroute(database_url: &str, port: u16) -> (String, String) {
    let (scheme, remainder) = database_url.split_once("://").expect("a URL");
    let (authority, path) = remainder.split_once('/').expect("a database name");
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let default_port = if scheme.starts_with("postgres") { "5432" } else { "3306" };
    let (name, target_port) = host.split_once(':').unwrap_or((host, default_port));
    let credentials = if user.is_empty() { String::new() } else { format!("{user}@") };
    let url = format!("{scheme}://{credentials}127.0.0.1:{port}/{path}");
    (format!("{name}:{target_port}"), url)
}

async fn forward(mut client: TcpStream, target: String, mut mode: watch::Receiver<ProxyMode>) {
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    if *mode.borrow() == ProxyMode::Open {
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => return,
            _ = mode.wait_for(|mode| *mode != ProxyMode::Open) => {}
        }
    }
    // Both ends stay open until the proxy is shut.
    let _ = mode.wait_for(|mode| *mode == ProxyMode::Shut).await;
}
