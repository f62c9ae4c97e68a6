//! The messages of PostgreSQL's and MariaDB's protocols, as far as needed to find the statements in
//! them and to answer one with an error. Connections are not encrypted, which is the default of
//! both servers on the loopback interface.

use super::StatementFault;
use std::collections::HashMap;

/// A database server's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// <https://www.postgresql.org/docs/current/protocol.html>
    Postgres,
    /// <https://mariadb.com/kb/en/clientserver-protocol/>
    MariaDb,
}

/// A message of the client.
pub struct Message {
    pub bytes: Vec<u8>,
    /// The text of the statement that it executes.
    pub statement: Option<String>,
}

/// PostgreSQL's first message with parameters, after a question whether TLS is supported.
const STARTUP: u32 = 3 << 16;
/// MariaDB's commands.
const COM_QUERY: u8 = 3;
const COM_STMT_PREPARE: u8 = 22;
const COM_STMT_EXECUTE: u8 = 23;
/// Length of a MariaDB packet's length and number.
const PACKET_HEADER: usize = 4;

impl Protocol {
    /// The protocol of a database URL.
    pub fn of(database_url: &str) -> Self {
        if database_url.starts_with("postgres") { Self::Postgres } else { Self::MariaDb }
    }

    /// The message that brings the server into the state in which it would be after this error:
    /// PostgreSQL's transaction is aborted, or over after a failed commit; MariaDB's is over after
    /// contention, and continues after a lock timeout.
    pub fn failing(self, fault: StatementFault, is_commit: bool) -> Option<Vec<u8>> {
        match (self, fault) {
            (Self::Postgres, _) if is_commit => Some(postgres_message(b'Q', b"ROLLBACK\0")),
            (Self::Postgres, _) => Some(postgres_message(b'Q', b"an injected fault\0")),
            (Self::MariaDb, StatementFault::LockTimeout) => None,
            (Self::MariaDb, _) => Some(mariadb_packet(0, b"\x03ROLLBACK")),
        }
    }
}

fn postgres_message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).expect("a short message").to_be_bytes();
    [&[kind], length.as_slice(), body].concat()
}

fn mariadb_packet(number: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a short packet").to_le_bytes();
    [&length[..3], &[number], payload].concat()
}

/// One connection's messages.
pub struct Session {
    protocol: Protocol,
    /// What the client has sent and [`Session::next`] has not returned.
    sent: Vec<u8>,
    /// The end of the server's answer to the last message.
    answer: Vec<u8>,
    /// PostgreSQL: parameters were sent, and messages have a kind.
    started: bool,
    /// PostgreSQL: the client has begun a question that a `Sync` message ends.
    asking: bool,
    /// The prepared statements, by name or number.
    prepared: HashMap<Vec<u8>, String>,
    /// MariaDB: the statement whose number the server is about to assign.
    preparing: Option<String>,
}

impl Session {
    /// Returns a new connection's session.
    pub fn new(protocol: Protocol) -> Self {
        Self {
            protocol,
            sent: Vec::new(),
            answer: Vec::new(),
            started: false,
            asking: false,
            prepared: HashMap::new(),
            preparing: None,
        }
    }

    /// Adds bytes from the client.
    pub fn sent(&mut self, bytes: &[u8]) {
        self.sent.extend_from_slice(bytes);
    }

    /// Adds bytes from the server.
    pub fn answered(&mut self, bytes: &[u8]) {
        if self.answer.len() + bytes.len() > 1 << 16 {
            self.answer.clear();
        }
        self.answer.extend_from_slice(bytes);
        let is_prepared = self.answer.get(PACKET_HEADER) == Some(&0);
        if let Some(number) = self.answer.get(PACKET_HEADER + 1..PACKET_HEADER + 5)
            && let Some(text) = self.preparing.take()
            && is_prepared
        {
            self.prepared.insert(number.to_vec(), text);
        }
    }

    /// Returns the client's next whole message.
    pub fn next(&mut self) -> Option<Message> {
        let length = self.message_length().filter(|length| *length <= self.sent.len())?;
        let bytes: Vec<u8> = self.sent.drain(..length).collect();
        self.answer.clear();
        let statement = match self.protocol {
            Protocol::Postgres => self.postgres_statement(&bytes),
            Protocol::MariaDb => self.mariadb_statement(&bytes),
        };
        Some(Message { bytes, statement })
    }

    fn message_length(&self) -> Option<usize> {
        let length = match self.protocol {
            Protocol::MariaDb => {
                let [a, b, c] = *self.sent.first_chunk()?;
                u32::from_le_bytes([a, b, c, 0]) as usize + PACKET_HEADER
            }
            Protocol::Postgres => {
                let kind = usize::from(self.started);
                let length = self.sent.get(kind..)?.first_chunk()?;
                u32::from_be_bytes(*length) as usize + kind
            }
        };
        Some(length)
    }

    fn postgres_statement(&mut self, message: &[u8]) -> Option<String> {
        if !self.started {
            let code = message.get(4..).and_then(<[u8]>::first_chunk);
            self.started = code.is_some_and(|code| u32::from_be_bytes(*code) == STARTUP);
            return None;
        }
        let (kind, body) = (message[0], &message[5..]);
        let mut texts = body.split(|byte| *byte == 0);
        match kind {
            b'Q' => Some(text(texts.next()?)),
            b'P' => {
                let (name, statement) = (texts.next()?, texts.next()?);
                self.prepared.insert(name.to_vec(), text(statement));
                None
            }
            // The portal's name comes before the statement's.
            b'B' => {
                self.asking = true;
                self.prepared.get(texts.nth(1)?).cloned()
            }
            _ => None,
        }
    }

    fn mariadb_statement(&mut self, packet: &[u8]) -> Option<String> {
        let (number, payload) = (packet[3], &packet[PACKET_HEADER..]);
        // Packets of the log-in, and the rest of a message above 16 MiB, have other numbers.
        let command = payload.first().filter(|_| number == 0)?;
        match *command {
            COM_QUERY => Some(text(&payload[1..])),
            COM_STMT_PREPARE => {
                self.preparing = Some(text(&payload[1..]));
                None
            }
            COM_STMT_EXECUTE => self.prepared.get(payload.get(1..5)?).cloned(),
            _ => None,
        }
    }

    /// Drops the rest of the client's question; true once it is complete.
    pub fn has_asked(&mut self) -> bool {
        while self.asking
            && let Some(message) = self.next()
        {
            self.asking = message.bytes[0] != b'S';
        }
        !self.asking
    }

    /// True once the server has answered completely.
    pub fn is_answered(&self) -> bool {
        match self.protocol {
            Protocol::Postgres => self.transaction_state().is_some(),
            Protocol::MariaDb => self.answer.len() > PACKET_HEADER,
        }
    }

    /// PostgreSQL's state after an answer: its last message is `Z`, a length of 5, and this byte.
    fn transaction_state(&self) -> Option<u8> {
        let [kind, length @ .., state] = *self.answer.last_chunk::<6>()?;
        (kind == b'Z' && u32::from_be_bytes(length) == 5).then_some(state)
    }

    /// The answer to the client's last question: this error.
    pub fn error(&self, fault: StatementFault) -> Vec<u8> {
        let is_contention = fault == StatementFault::Contention;
        match self.protocol {
            Protocol::Postgres => {
                let code = if is_contention { "40001" } else { "55P03" };
                let fields = format!("SERROR\0VERROR\0C{code}\0Minjected\0\0");
                let state = self.transaction_state().unwrap_or(b'I');
                [postgres_message(b'E', fields.as_bytes()), postgres_message(b'Z', &[state])]
                    .concat()
            }
            Protocol::MariaDb => {
                let (number, state) =
                    if is_contention { (1213_u16, "40001") } else { (1205, "HY000") };
                let number = number.to_le_bytes();
                let error: [&[u8]; 5] = [&[0xff], &number, b"#", state.as_bytes(), b"injected"];
                mariadb_packet(1, &error.concat())
            }
        }
    }
}

fn text(bytes: &[u8]) -> String {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}
