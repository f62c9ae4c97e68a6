//! The HAProxy sample for PostgreSQL with a standby: connections never alternate between two servers
//! that both claim to be the primary. `replicas_load` tests the whole site under load.

use acceptance::haproxy::{self, Haproxy, replace, sample};
use acceptance::installed_clients::skip;
use acceptance::servers::free_port;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A server that claims to HAProxy to be a primary, and tells every other client its name.
async fn fake_primary(port: u16, name: u8) -> JoinHandle<()> {
    const ADMITTED: [u8; 15] = [b'R', 0, 0, 0, 8, 0, 0, 0, 0, b'Z', 0, 0, 0, 5, b'I'];
    const NOT_IN_RECOVERY: [u8; 12] = [b'D', 0, 0, 0, 11, 0, 1, 0, 0, 0, 1, b'f'];
    let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port");
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut question = [0; 256];
            let bytes_read = client.read(&mut question).await.unwrap_or_default();
            let responses: &[&[u8]] = match bytes_read {
                1 => &[&[name]],
                _ => &[&ADMITTED, &NOT_IN_RECOVERY],
            };
            for response in responses {
                let _ = client.write_all(response).await;
                let _ = client.read(&mut question).await;
            }
        }
    })
}

/// The name of the server that a new connection reaches.
async fn reached_server(port: u16) -> Option<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("HAProxy");
    stream.write_all(b"?").await.ok()?;
    stream.read_u8().await.ok()
}

#[tokio::test]
async fn of_two_primaries_the_last_one_or_neither_is_used() {
    let program = match haproxy::find() {
        Ok(program) => program,
        Err(missing) => return skip(&missing),
    };
    let [port, first, second] = std::array::from_fn(|_| free_port());
    let settings = replace(
        &sample("postgresql/haproxy.cfg.sample").expect("a sample"),
        &[
            ("127.0.0.1:5000", format!("127.0.0.1:{port}")),
            ("10.0.0.31:5432", format!("127.0.0.1:{first}")),
            ("10.0.0.32:5432", format!("127.0.0.1:{second}")),
        ],
    )
    .expect("settings");
    let (one, two) = (fake_primary(first, 1).await, fake_primary(second, 2).await);
    let door = Haproxy::start(&program, &settings).await.expect("HAProxy");
    let wait_until = async |server: &str, up: bool| {
        door.wait("postgresql", server, up).await.expect("a check");
    };
    wait_until("pg1", true).await;
    wait_until("pg2", true).await;
    assert_eq!(reached_server(port).await, None, "nobody knows which one it was");
    one.abort();
    wait_until("pg1", false).await;
    assert_eq!(reached_server(port).await, Some(2));
    let one = fake_primary(first, 1).await;
    wait_until("pg1", true).await;
    assert_eq!(reached_server(port).await, Some(2), "the old one came back");
    two.abort();
    wait_until("pg2", false).await;
    assert_eq!(reached_server(port).await, Some(1));
    one.abort();
}
