//! Fixed bodies, which stay the same while the server runs: built once, compressed when a client
//! first asks for that, shared by all responses, and not sent again to clients that already have
//! them.

use crate::http::etag::IfNoneMatch;
use aws_lc_rs::digest::{SHA256, digest};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use poem::http::StatusCode;
use poem::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, ETAG, VARY};
use poem::{Request, Response};
use shared::server::SharedBody;
use std::io::Write;
use std::sync::{Arc, OnceLock};
use tokio::task::spawn_blocking;

/// A body with its media type.
pub struct FixedBody {
    content_type: &'static str,
    hash: String,
    plain: Bytes,
    gzip: Arc<OnceLock<Bytes>>,
}

impl FixedBody {
    /// Creates a body of this media type.
    pub fn new(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let plain = body.into();
        let hash = hex::encode(digest(&SHA256, &plain));
        Self { content_type, hash, plain, gzip: Arc::default() }
    }

    /// The uncompressed body.
    #[cfg(test)]
    pub fn plain(&self) -> &[u8] {
        &self.plain
    }

    /// Returns the body in a coding the client accepts, or 304 if the client has it.
    pub async fn response(&self, request: &Request, if_none_match: &IfNoneMatch) -> Response {
        let gzip_hash = format!("{}-gzip", self.hash);
        let unchanged = if_none_match.contains(&self.hash) || if_none_match.contains(&gzip_hash);
        let gzip = if accepts_gzip(request) { self.gzip().await } else { None };
        // Each coding is a separate representation (RFC 9110, 8.8.3.3).
        let hash = if gzip.is_some() { &gzip_hash } else { &self.hash };
        let response = Response::builder()
            .header(ETAG, format!("\"{hash}\""))
            .header(CACHE_CONTROL, "no-cache")
            .header(VARY, "Accept-Encoding");
        let mut response = match (unchanged, gzip) {
            (true, _) => response.status(StatusCode::NOT_MODIFIED).finish(),
            (false, Some(gzip)) => {
                let response = response.content_type(self.content_type);
                response.header(CONTENT_ENCODING, "gzip").body(gzip)
            }
            (false, None) => response.content_type(self.content_type).body(self.plain.clone()),
        };
        response.set_data(SharedBody);
        response
    }

    /// Returns the compressed body. The first call compresses it, which takes long enough to hold up
    /// other requests of its thread. `None` if that fails, which does not happen in memory.
    async fn gzip(&self) -> Option<Bytes> {
        if let Some(compressed) = self.gzip.get() {
            return Some(compressed.clone());
        }
        let (plain, compressed) = (self.plain.clone(), Arc::clone(&self.gzip));
        let body = spawn_blocking(move || compressed.get_or_init(|| compress(&plain)).clone());
        body.await.ok().filter(|body| !body.is_empty())
    }
}

fn compress(plain: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(plain).and_then(|()| encoder.finish());
    written.map(Bytes::from).unwrap_or_default()
}

/// True if the client accepts gzip (RFC 9110, 12.5.3): named, and not with a weight of 0.
fn accepts_gzip(request: &Request) -> bool {
    let lists = request.headers().get_all(ACCEPT_ENCODING).iter();
    lists.filter_map(|list| list.to_str().ok()).flat_map(|list| list.split(',')).any(|coding| {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = parameters.trim().strip_prefix("q=").map(str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("gzip")
            && weight.is_none_or(|weight| weight.is_ok_and(|weight| weight > 0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_used_only_for_clients_that_accept_it() {
        let takes = |accepted: &str| {
            accepts_gzip(&Request::builder().header(ACCEPT_ENCODING, accepted).finish())
        };
        for accepted in ["gzip", "br, GZIP", "deflate, gzip;q=0.5, *;q=0"] {
            assert!(takes(accepted), "{accepted}");
        }
        for accepted in ["", "identity", "gzip;q=0", "br, gzip; q=0.0", "x-gzip", "gzip;q=much"] {
            assert!(!takes(accepted), "{accepted}");
        }
        assert!(!accepts_gzip(&Request::default()));
    }
}
