//! `TCP_NODELAY` for connections to the database.
//!
//! SQLx 0.9.0 does not set it (its issue 4335, fixed after that release): remove this module when it
//! does. Without it, a statement that takes more than one TLS record (16 KB), or that follows the
//! closing of a prepared statement on MariaDB, waits for the server's delayed acknowledgement, some
//! 40 ms. SQLx does not expose a connection's file descriptor, either, so the option is set on every
//! TCP connection of the process; all the others already have it.

use std::ffi::c_int;
use std::{fs, io};
use tokio::task::spawn_blocking;

/// Sets the option on every TCP connection of this process. Where that is impossible, as without
/// `/proc`, statements are slower.
pub(super) async fn set_on_all_connections() {
    // There may be a hundred thousand connections.
    if let Ok(Err(error)) = spawn_blocking(set).await {
        tracing::warn!(%error, "cannot set TCP_NODELAY on database connections");
    }
}

#[expect(unsafe_code, reason = "no safe call accepts a descriptor that SQLx owns")]
fn set() -> io::Result<()> {
    let on: c_int = 1;
    for entry in fs::read_dir("/proc/self/fd")? {
        let Some(descriptor) = entry?.file_name().to_str().and_then(|name| name.parse().ok())
        else {
            continue;
        };
        // SAFETY: the call reads one integer, which outlives it. Any descriptor may be passed: the
        // kernel refuses those that are not TCP sockets, and the other sockets may have the option.
        let _ = unsafe {
            libc::setsockopt(
                descriptor,
                libc::IPPROTO_TCP,
                libc::TCP_NODELAY,
                (&raw const on).cast(),
                size_of::<c_int>() as libc::socklen_t,
            )
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[tokio::test]
    async fn the_option_is_set_on_open_connections() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let connection = TcpStream::connect(address).expect("a connection");
        assert!(!connection.nodelay().expect("an option"));
        set_on_all_connections().await;
        assert!(connection.nodelay().expect("an option"));
    }
}
