//! Multipart forms with files, byte for byte under the test's control.

use crate::client::Client;
use crate::response::TestResponse;
use futures_util::stream;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use std::io;
use tokio::sync::mpsc;

/// The boundary of every form here.
pub const BOUNDARY: &str = "a-boundary-of-the-tests";

/// A form being built.
#[derive(Clone, Debug, Default)]
pub struct Form(Vec<u8>);

impl Form {
    /// A form with one file.
    pub fn file(name: &str, bytes: &[u8]) -> Self {
        Self::default().and_file("file", name, bytes)
    }

    /// Adds a file in a part with this name. The file's name is sent verbatim, apart from quotation
    /// marks.
    pub fn and_file(self, part: &str, name: &str, bytes: &[u8]) -> Self {
        let name = name.replace('"', "\\\"");
        let headers = format!("form-data; name=\"{part}\"; filename=\"{name}\"");
        self.and_part(&headers, bytes)
    }

    pub fn and_text(self, part: &str, text: &str) -> Self {
        self.and_part(&format!("form-data; name=\"{part}\""), text.as_bytes())
    }

    /// Adds a part with this `Content-Disposition`.
    pub fn and_part(mut self, disposition: &str, bytes: &[u8]) -> Self {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: {disposition}\r\n\r\n");
        self.0.extend_from_slice(head.as_bytes());
        self.0.extend_from_slice(bytes);
        self.0.extend_from_slice(b"\r\n");
        self
    }

    /// The bytes before and after a form's only file, for files sent piece by piece.
    pub fn around_file(name: &str) -> [Vec<u8>; 2] {
        let mut head = Self::file(name, b"").0;
        let end = head.split_off(head.len() - b"\r\n".len());
        [head, Self(end).finish()]
    }

    /// The bytes of the form so far, without its end.
    pub fn unfinished(self) -> Vec<u8> {
        self.0
    }

    /// The bytes of the whole form.
    pub fn finish(mut self) -> Vec<u8> {
        self.0.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        self.0
    }
}

/// The media type of such a form.
pub fn media_type() -> String {
    format!("multipart/form-data; boundary={BOUNDARY}")
}

impl Client {
    /// Sends a form to the api-server.
    pub async fn upload(
        &self,
        token: &str,
        path: &str,
        form: Form,
        key: Option<&str>,
    ) -> TestResponse {
        self.try_upload(token, path, form, key).await.expect("a response")
    }

    /// Sends a form to the api-server, with no answer required.
    pub async fn try_upload(
        &self,
        token: &str,
        path: &str,
        form: Form,
        key: Option<&str>,
    ) -> Result<TestResponse, reqwest::Error> {
        let request = self.request(Method::POST, token, path);
        let request = request.header(CONTENT_TYPE, media_type()).body(form.finish());
        let request = match key {
            Some(key) => request.header("Idempotency-Key", key),
            None => request,
        };
        self.send(request).await
    }
}

/// Sends a body piece by piece, under the test's control; an error breaks off the connection.
pub type ChunkSender = mpsc::Sender<io::Result<Vec<u8>>>;

/// A body sent piece by piece, which ends when the sender is dropped.
pub fn chunked_body() -> (ChunkSender, reqwest::Body) {
    let (chunks, receiver) = mpsc::channel(1);
    let body = stream::unfold(receiver, |mut receiver| async move {
        let chunk = receiver.recv().await?;
        Some((chunk, receiver))
    });
    (chunks, reqwest::Body::wrap_stream(body))
}
