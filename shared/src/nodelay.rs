//! `TCP_NODELAY` for connections to the database.
//!
//! SQLx 0.9.0 does not set it (its issue 4335). A statement that takes more than one TLS record
//! (16 KB), or that follows the closing of a prepared statement on MariaDB, then waits until the
//! server's delayed acknowledgement, some 40 ms. SQLx does not reveal a connection's descriptor
//! either, so the option is set on all TCP connections of the process, which have it anyway.

use std::ffi::c_int;
use std::fs;

/// Sets the option on every TCP connection of this process. Has no effect without `/proc`.
#[expect(unsafe_code, reason = "no safe call accepts a descriptor that SQLx owns")]
pub(crate) fn set_on_all_connections() {
    let on: c_int = 1;
    let Ok(descriptors) = fs::read_dir("/proc/self/fd") else { return };
    for descriptor in descriptors.flatten() {
        let Some(descriptor) = descriptor.file_name().to_str().and_then(|it| it.parse().ok())
        else {
            continue;
        };
        // SAFETY: the call reads one integer, which outlives it. If the descriptor is not a TCP
        // connection, or no longer, the kernel refuses the call.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_option_is_set_on_open_connections() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let connection = TcpStream::connect(address).expect("a connection");
        assert!(!connection.nodelay().expect("an option"));
        set_on_all_connections();
        assert!(connection.nodelay().expect("an option"));
    }
}
