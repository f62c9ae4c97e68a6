//! Offers that no server should accept: a ClientHello for TLS 1.1, and one with broken ciphers
//! only.
//!
//! This product's TLS library cannot send them, so their bytes are assembled here (RFC 4346,
//! 7.4.1.2; RFC 5246, 7.4.1.2). The handshakes end with the server's first response.

use super::STEP_TIME;
use super::connect::{Target, in_time};
use rustls::pki_types::ServerName;
use rustls::{AlertDescription, CipherSuite};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[derive(Clone, Copy)]
pub(super) enum Offer {
    /// TLS 1.1 as the highest version, with every cipher common at that time.
    OldVersions,
    /// TLS 1.2 with ciphers that do not protect: null, anonymous, export, DES, RC4, 3DES.
    BrokenCiphers,
}

/// A server's first response to an offer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Alert(AlertDescription),
    /// The server accepts the offer with this version and this cipher.
    Accepted {
        version: u16,
        cipher: u16,
    },
    /// The server closes the connection, which is a refusal as well.
    Closed,
    Foreign,
}

pub(super) async fn offer(target: &Target, offer: Offer) -> io::Result<Reply> {
    in_time(STEP_TIME, async {
        let mut stream = TcpStream::connect(target.address).await?;
        stream.write_all(&client_hello(offer, &target.name)).await?;
        read_reply(&mut stream).await
    })
    .await
}

/// The common name of a version number.
pub(super) fn version_name(version: u16) -> String {
    match version {
        0x0300 => "SSL 3.0".to_owned(),
        0x0301 => "TLS 1.0".to_owned(),
        0x0302 => "TLS 1.1".to_owned(),
        0x0303 => "TLS 1.2".to_owned(),
        other => format!("version {other:#06x}"),
    }
}

/// The registered name of a cipher, or its number.
pub(super) fn cipher_name(cipher: u16) -> String {
    let name = CipherSuite::from(cipher).as_str();
    name.map_or_else(|| format!("cipher {cipher:#06x}"), str::to_owned)
}

/// ECDHE, DHE and RSA with AES or 3DES in CBC mode, and RC4.
const OLD_CIPHERS: [u16; 15] = [
    0xc00a, 0xc009, 0xc014, 0xc013, 0x0039, 0x0033, 0x0035, 0x002f, 0xc008, 0xc012, 0x0016, 0x000a,
    0xc011, 0x0005, 0x0004,
];

// Ciphers that do not protect (RFC 9325, 4.1).
/// Without encryption.
const NULL_CIPHERS: [u16; 5] = [0x0001, 0x0002, 0x003b, 0xc006, 0xc010];
/// Without authentication of the server.
const ANONYMOUS_CIPHERS: [u16; 9] =
    [0x0018, 0x001b, 0x0034, 0x003a, 0x006c, 0x006d, 0x00a6, 0xc018, 0xc019];
const EXPORT_CIPHERS: [u16; 4] = [0x0003, 0x0006, 0x0008, 0x0014];
/// With DES, RC4 or 3DES.
const OUTDATED_CIPHERS: [u16; 10] =
    [0x0009, 0x0015, 0x0004, 0x0005, 0xc007, 0xc011, 0xc008, 0xc012, 0x0016, 0x000a];

fn client_hello(offer: Offer, name: &ServerName) -> Vec<u8> {
    let (version, ciphers) = match offer {
        Offer::OldVersions => (0x0302_u16, OLD_CIPHERS.to_vec()),
        Offer::BrokenCiphers => (
            0x0303,
            [&NULL_CIPHERS[..], &ANONYMOUS_CIPHERS, &EXPORT_CIPHERS, &OUTDATED_CIPHERS].concat(),
        ),
    };
    let mut extensions = Vec::new();
    if let ServerName::DnsName(name) = name {
        let entry = [&[0][..], &length_prefixed(name.as_ref().as_bytes())].concat();
        extensions.extend(extension(0x0000, &length_prefixed(&entry)));
    }
    // Groups: X25519, P-256, P-384. Points: uncompressed.
    extensions.extend(extension(0x000a, &length_prefixed(&words(&[0x001d, 0x0017, 0x0018]))));
    extensions.extend(extension(0x000b, &[1, 0]));
    if version == 0x0303 {
        let signatures = [0x0403, 0x0503, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601];
        extensions.extend(extension(0x000d, &length_prefixed(&words(&signatures))));
    }
    // Secure renegotiation (RFC 5746): some servers refuse clients without it.
    extensions.extend(extension(0xff01, &[0]));

    let mut body = version.to_be_bytes().to_vec();
    // The random value: no key is ever derived from it.
    body.extend([0x5a; 32]);
    // No session to resume; the ciphers; no compression.
    body.push(0);
    body.extend(length_prefixed(&words(&ciphers)));
    body.extend([1, 0]);
    body.extend(length_prefixed(&extensions));

    // A handshake message of type ClientHello, whose length takes three bytes, in a record.
    let message = [&[1, 0][..], &length_prefixed(&body)].concat();
    [&[22, 3, 1][..], &length_prefixed(&message)].concat()
}

fn extension(kind: u16, content: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &length_prefixed(content)].concat()
}

/// Prefixes the content with its length in two bytes. All content here is far shorter than 64 KiB.
fn length_prefixed(content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap_or(u16::MAX);
    [&length.to_be_bytes()[..], content].concat()
}

fn words(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

async fn read_reply(stream: &mut TcpStream) -> io::Result<Reply> {
    let mut received = Vec::new();
    loop {
        if let Some(reply) = parse(&received) {
            return Ok(reply);
        }
        match stream.read_buf(&mut received).await {
            Ok(0) => return Ok(Reply::Closed),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                return Ok(Reply::Closed);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Parses the reply from the bytes received so far, if it is complete.
fn parse(received: &[u8]) -> Option<Reply> {
    match received {
        [] => None,
        // A warning, such as "unrecognized name", is not a refusal: the response follows it.
        [21, 3, _, 0, 2, 1, description, rest @ ..] if *description != 0 => parse(rest),
        [21, 3, _, 0, 2, _, description, ..] => Some(Reply::Alert((*description).into())),
        [21, rest @ ..] if rest.len() < 6 => None,
        [22, _, _, _, _, 2, _, _, _, high, low, after @ ..] => {
            // After the version: the random value, the session id with its length, then the cipher.
            let session = usize::from(*after.get(32)?);
            let cipher = after.get(33 + session..35 + session)?;
            let cipher = u16::from_be_bytes(cipher.try_into().ok()?);
            Some(Reply::Accepted { version: u16::from_be_bytes([*high, *low]), cipher })
        }
        [22, rest @ ..] if rest.len() < 10 => None,
        _ => Some(Reply::Foreign),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_before_the_response_is_not_a_refusal() {
        let warning = [21, 3, 2, 0, 2, 1, 112];
        assert_eq!(parse(&warning), None);
        let mut hello = vec![22, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2];
        hello.extend([7; 32]);
        hello.extend([0, 0xc0, 0x13, 0]);
        let accepted = Reply::Accepted { version: 0x0302, cipher: 0xc013 };
        assert_eq!(parse(&[&warning[..], &hello].concat()), Some(accepted));
    }

    #[test]
    fn a_partial_response_is_waited_for() {
        assert_eq!(parse(&[21, 3, 1]), None);
        assert_eq!(parse(&[22, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2, 1, 1]), None);
        let refusal = Reply::Alert(AlertDescription::ProtocolVersion);
        assert_eq!(parse(&[21, 3, 1, 0, 2, 2, 70]), Some(refusal));
    }
}
