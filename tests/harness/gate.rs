//! A door between the servers and their database: shut, it cuts every connection and takes no new
//! ones, as a database does that is stopped.

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The door. It opens when it is made and shuts for good when it is dropped.
pub struct Gate {
    open: watch::Sender<bool>,
    url: String,
}

impl Gate {
    /// A door before the server of this database URL.
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
        let (open, mut state) = watch::channel(true);
        tokio::spawn(async move {
            loop {
                let Ok((client, _)) = listener.accept().await else { return };
                if state.has_changed().is_err() {
                    return;
                }
                if *state.borrow_and_update() {
                    tokio::spawn(pass(client, target.clone(), state.clone()));
                }
            }
        });
        Self { open, url }
    }

    /// The URL of the database behind the door.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Cuts every connection and takes no new ones.
    pub fn shut(&self) {
        self.open.send_replace(false);
    }

    /// Lets connections through again.
    pub fn open(&self) {
        self.open.send_replace(true);
    }
}

async fn pass(mut client: TcpStream, target: String, mut state: watch::Receiver<bool>) {
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        _ = state.wait_for(|open| !open) => {}
    }
}
