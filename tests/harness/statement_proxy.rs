//! Fault-injection proxy between a server and its PostgreSQL or MariaDB. It reads the statements
//! that pass through it, and makes one fail: it cuts the connection before the database gets the
//! statement or after it has executed it, or answers with an error of the database.
//!
//! [`StatementProxy::recorded`] lists the statements of a request, so a test that makes each fail
//! once covers a statement that is added later, too.

mod protocol;

use crate::databases::Database;
use crate::tcp_proxy::{TcpProxy, reroute};
use protocol::{Message, Protocol, Session};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How a statement fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementFault {
    /// The connection is cut before the database gets the statement.
    CutBefore,
    /// The connection is cut after the database has executed the statement, before it says so.
    CutAfter,
    /// The database rolls the transaction back because another one came first.
    Contention,
    /// The database gives up waiting for a lock.
    LockTimeout,
}

/// A statement that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedStatement {
    pub text: String,
    /// The number of its transaction; `None` outside of one.
    pub transaction: Option<u64>,
}

impl RecordedStatement {
    /// True if it begins a transaction.
    pub fn is_begin(&self) -> bool {
        ["BEGIN", "START TRANSACTION"].iter().any(|begin| self.text.starts_with(begin))
    }

    /// True if it checks whether the database may be used.
    fn is_of_gate(&self) -> bool {
        const WORDS: [&str; 4] =
            ["schema_migrations", "FROM settings WHERE settings.", "read_only", "WHERE 1 = 0"];
        let text: String = self.text.chars().filter(|c| !"\"`".contains(*c)).collect();
        self.transaction.is_none() && WORDS.iter().any(|word| text.contains(word))
    }

    /// True if it commits a transaction.
    pub fn is_commit(&self) -> bool {
        self.text == "COMMIT"
    }

    fn is_end(&self) -> bool {
        self.is_commit() || self.text.starts_with("ROLLBACK")
    }
}

/// Whether the next commit is held up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommitHold {
    Off,
    Awaited,
    Holding,
}

/// A statement that is to fail.
struct ArmedFault {
    text: String,
    /// How many statements with this text pass before.
    skipped: usize,
    fault: StatementFault,
}

#[derive(Default)]
struct StatementState {
    recorded: Vec<RecordedStatement>,
    transactions: u64,
    armed: Option<ArmedFault>,
}

struct ProxyShared {
    state: Mutex<StatementState>,
    hold: watch::Sender<CommitHold>,
}

impl ProxyShared {
    fn state(&self) -> MutexGuard<'_, StatementState> {
        self.state.lock().expect("no test has panicked here")
    }
}

pub struct StatementProxy {
    shared: Arc<ProxyShared>,
    url: String,
}

impl StatementProxy {
    /// Creates a proxy in front of the server of this database URL.
    pub async fn in_front_of(database_url: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (target, url) = reroute(database_url, port);
        let protocol = Protocol::of(database_url);
        let hold = watch::Sender::new(CommitHold::Off);
        let shared = Arc::new(ProxyShared { state: Mutex::default(), hold });
        let of_connections = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (target, shared) = (target.clone(), Arc::clone(&of_connections));
                // An error is an end that has hung up.
                tokio::spawn(async move { forward(client, &target, protocol, &shared).await });
            }
        });
        Self { shared, url }
    }

    /// The URL of the database through the proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Forgets what was recorded so far.
    pub fn record(&self) {
        self.shared.state().recorded.clear();
    }

    /// The statements since [`StatementProxy::record`], in the order in which they were sent, without
    /// those of the database gate, which may be sent at any time.
    pub fn recorded(&self) -> Vec<RecordedStatement> {
        let mut recorded = self.shared.state().recorded.clone();
        recorded.retain(|statement| !statement.is_of_gate());
        recorded
    }

    /// Makes a statement with this text fail once, after `skipped` others with the same text.
    pub fn fail(&self, text: &str, skipped: usize, fault: StatementFault) {
        self.shared.state().armed = Some(ArmedFault { text: text.to_owned(), skipped, fault });
    }

    /// Withdraws the fault; true if it has struck.
    pub fn has_struck(&self) -> bool {
        self.shared.state().armed.take().is_none()
    }

    /// Holds up the next commit until [`StatementProxy::release`].
    pub fn hold_commit(&self) {
        self.shared.hold.send_replace(CommitHold::Awaited);
    }

    /// Waits until a commit is held up.
    pub async fn holding(&self) {
        let mut hold = self.shared.hold.subscribe();
        hold.wait_for(|hold| *hold == CommitHold::Holding).await.expect("the proxy runs");
    }

    /// Lets commits pass.
    pub fn release(&self) {
        self.shared.hold.send_replace(CommitHold::Off);
    }
}

/// Puts the wanted proxies in front of a database server: one that can be shut, and before it one
/// that can make a statement fail.
pub(crate) async fn proxies(
    database: &Database,
    database_url: &str,
    (can_shut, can_fail): (bool, bool),
) -> (Option<TcpProxy>, Option<StatementProxy>) {
    if *database == Database::Sqlite {
        return (None, None);
    }
    let database_proxy = match can_shut {
        true => Some(TcpProxy::in_front_of(database_url).await),
        false => None,
    };
    let servers_url = database_proxy.as_ref().map_or(database_url, TcpProxy::url);
    let statement_proxy = match can_fail {
        true => Some(StatementProxy::in_front_of(servers_url).await),
        false => None,
    };
    (database_proxy, statement_proxy)
}

/// Passes on what client and server send each other until one hangs up or a fault cuts the
/// connection.
async fn forward(
    client: TcpStream,
    target: &str,
    protocol: Protocol,
    shared: &ProxyShared,
) -> io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = TcpStream::connect(target).await?.into_split();
    let mut session = Session::new(protocol);
    let mut transaction = None;
    let mut cut_at_answer = false;
    let (mut sent, mut answered) = ([0; 16384], [0; 16384]);
    loop {
        tokio::select! {
            length = from_client.read(&mut sent) => {
                session.sent(received(&sent, length?)?);
                while let Some(message) = session.next() {
                    let fault = shared.pass(&message, &mut transaction).await;
                    match fault {
                        None => to_server.write_all(&message.bytes).await?,
                        Some(StatementFault::CutBefore) => return Ok(()),
                        Some(StatementFault::CutAfter) => {
                            to_server.write_all(&message.bytes).await?;
                            cut_at_answer = true;
                        }
                        Some(fault) => {
                            // The client sends the rest of its question first.
                            while !session.has_asked() {
                                let length = from_client.read(&mut sent).await?;
                                session.sent(received(&sent, length)?);
                            }
                            let is_commit = message.statement.as_deref() == Some("COMMIT");
                            if let Some(statement) = protocol.failing(fault, is_commit) {
                                to_server.write_all(&statement).await?;
                                while !session.is_answered() {
                                    let length = from_server.read(&mut answered).await?;
                                    session.answered(received(&answered, length)?);
                                }
                            }
                            to_client.write_all(&session.error(fault)).await?;
                        }
                    }
                }
            }
            length = from_server.read(&mut answered) => {
                let bytes = received(&answered, length?)?;
                if cut_at_answer {
                    return Ok(());
                }
                session.answered(bytes);
                to_client.write_all(bytes).await?;
            }
        }
    }
}

/// The bytes that were read, if the other end has not hung up.
fn received(buffer: &[u8], length: usize) -> io::Result<&[u8]> {
    if length == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(&buffer[..length]) }
}

impl ProxyShared {
    /// Records a statement, and says whether it fails.
    async fn pass(
        &self,
        message: &Message,
        transaction: &mut Option<u64>,
    ) -> Option<StatementFault> {
        let text = message.statement.clone()?;
        let mut statement = RecordedStatement { text, transaction: None };
        let fault = {
            let mut state = self.state();
            if statement.is_begin() {
                state.transactions += 1;
                *transaction = Some(state.transactions);
            }
            statement.transaction = *transaction;
            state.recorded.push(statement.clone());
            state.strike(&statement.text)
        };
        if statement.is_commit() {
            self.wait_if_held().await;
        }
        if statement.is_end() {
            *transaction = None;
        }
        fault
    }

    async fn wait_if_held(&self) {
        let is_awaited = |hold: &mut CommitHold| {
            let awaited = *hold == CommitHold::Awaited;
            if awaited {
                *hold = CommitHold::Holding;
            }
            awaited
        };
        if self.hold.send_if_modified(is_awaited) {
            let mut hold = self.hold.subscribe();
            // An error means that the test is over.
            let _ = hold.wait_for(|hold| *hold == CommitHold::Off).await;
        }
    }
}

impl StatementState {
    /// Returns the fault of a statement, which strikes once.
    fn strike(&mut self, text: &str) -> Option<StatementFault> {
        let armed = self.armed.as_mut().filter(|armed| armed.text == text)?;
        if armed.skipped > 0 {
            armed.skipped -= 1;
            return None;
        }
        self.armed.take().map(|armed| armed.fault)
    }
}
