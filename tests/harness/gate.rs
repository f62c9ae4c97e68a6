//! A proxy between the servers and their database. Shut, it cuts every connection and refuses new
//! ones, like a stopped database; frozen, it passes nothing and closes nothing, like a host that
//! has vanished from the network.

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The state of the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    Open,
    Frozen,
    Shut,
}

/// The proxy. It is open at first, and shut for good when dropped.
pub struct Gate {
    door: watch::Sender<Door>,
    url: String,
}

impl Gate {
    /// Creates a proxy in front of the server of this database URL.
    pub async fn before(database_url: &str) -> Self {
        let (scheme, rest) = database_url.split_once("://").expect("a URL");
        let (authority, path) = rest.split_once('/').expect("a database name");
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let standard = if scheme.starts_with("postgres") { "5432" } else { "3306" };
        let (name, port) = host.split_once(':').unwrap_or((host, standard));
        let target = format!("{name}:{port}");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let at = if user.is_empty() { String::new() } else { format!("{user}@") };
        let url = format!("{scheme}://{at}127.0.0.1:{port}/{path}");
        let (door, mut state) = watch::channel(Door::Open);
        tokio::spawn(async move {
            loop {
                let Ok((client, _)) = listener.accept().await else { return };
                if state.has_changed().is_err() {
                    return;
                }
                if *state.borrow_and_update() != Door::Shut {
                    tokio::spawn(pass(client, target.clone(), state.clone()));
                }
            }
        });
        Self { door, url }
    }

    /// The URL of the database through the proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Cuts every connection and refuses new ones.
    pub fn shut(&self) {
        self.door.send_replace(Door::Shut);
    }

    /// Passes nothing more on any connection. Data in flight may be lost, so shut the proxy before
    /// opening it again.
    pub fn freeze(&self) {
        self.door.send_replace(Door::Frozen);
    }

    /// Accepts connections again.
    pub fn open(&self) {
        self.door.send_replace(Door::Open);
    }
}

async fn pass(mut client: TcpStream, target: String, mut door: watch::Receiver<Door>) {
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    if *door.borrow() == Door::Open {
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => return,
            _ = door.wait_for(|door| *door != Door::Open) => {}
        }
    }
    // Both ends stay open until the proxy is shut.
    let _ = door.wait_for(|door| *door == Door::Shut).await;
}
