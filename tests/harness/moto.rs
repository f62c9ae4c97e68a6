//! An independent S3-compatible object store: moto from PyPI, as a process per test. It keeps
//! everything in memory, and tests read its contents without the product's client.

use crate::installed_clients::python_program;
use crate::python_server::PythonServer;
use crate::tcp_proxy::TcpProxy;
use api_server::documents::store::{Bucket, Location};
use reqwest::{Method, Response};
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// The bucket that exists at start.
pub const BUCKET: &str = "loan-documents";
/// The prefix of all documents' names.
pub const PREFIX: &str = "branch/one";
/// It distinguishes signed from anonymous requests, but does not verify the signature.
const SIGNED: &str = "AWS4-HMAC-SHA256 Credential=test/20240101/us-east-1/s3/aws4_request, \
     SignedHeaders=host, Signature=0";

/// How a test wants the store to run.
#[derive(Clone, Debug)]
pub struct MotoProgram {
    program: PathBuf,
    behind_proxy: bool,
}

impl MotoProgram {
    pub fn find() -> Result<Self, String> {
        Ok(Self { program: python_program("moto_server")?, behind_proxy: false })
    }

    /// Puts a proxy in front of it, so that it can be unavailable without losing its contents.
    pub fn behind_proxy(self) -> Self {
        Self { behind_proxy: true, ..self }
    }
}

/// The store.
pub struct Moto {
    /// The proxy in front of it, if the test wants one.
    pub proxy: Option<TcpProxy>,
    /// Its process.
    pub server: PythonServer,
}

impl Moto {
    /// Starts it with an empty bucket. It writes its files into this directory.
    pub async fn start(installed: &MotoProgram, folder: &Path) -> Self {
        let mut command = Command::new(&installed.program);
        command.args(["-H", "127.0.0.1", "-p"]);
        let server = PythonServer::start(command, folder.join("moto.log")).await;
        let proxy = match installed.behind_proxy {
            true => Some(TcpProxy::in_front_of(&format!("{}/", server.url)).await),
            false => None,
        };
        let moto = Self { proxy, server };
        moto.create_bucket().await;
        moto
    }

    /// The bucket, as in the api-server's settings.
    pub fn location(&self) -> Location {
        let direct_url = self.server.url.clone();
        Location::Bucket(Bucket {
            name: BUCKET.to_owned(),
            prefix: PREFIX.to_owned(),
            endpoint: Some(self.proxy.as_ref().map_or(direct_url, |proxy| proxy.url().to_owned())),
            region: "us-east-1".to_owned(),
            credentials: Some(("test".to_owned(), "a secret of the tests".to_owned())),
            authority: None,
        })
    }

    /// Restarts it after a kill, with an empty bucket.
    pub async fn restart(&mut self) {
        self.server.restart().await;
        self.create_bucket().await;
    }

    /// The names of all objects, with or without the prefix.
    pub async fn names(&self) -> Vec<String> {
        let listing = self.send(Method::GET, "?list-type=2&max-keys=1000", Vec::new()).await;
        keys(&listing.text().await.expect("a list"))
    }

    /// The names of the documents' objects: neither the one that names the store's owner, nor those
    /// of a check.
    pub async fn documents(&self) -> Vec<String> {
        let mut names = self.names().await;
        names.retain(|name| name.rsplit('/').next().is_some_and(|key| key.len() == 32));
        names
    }

    /// The names of objects whose multipart uploads are unfinished.
    pub async fn unfinished_uploads(&self) -> Vec<String> {
        let listing = self.send(Method::GET, "?uploads", Vec::new()).await;
        keys(&listing.text().await.expect("a list"))
    }

    /// The bytes of an object.
    pub async fn bytes(&self, name: &str) -> Vec<u8> {
        let response = self.send(Method::GET, &format!("/{name}"), Vec::new()).await;
        response.bytes().await.expect("bytes").to_vec()
    }

    /// Puts an object there.
    pub async fn put(&self, name: &str, bytes: &[u8]) {
        self.send(Method::PUT, &format!("/{name}"), bytes.to_vec()).await;
    }

    /// Removes the bucket with all its contents.
    pub async fn remove_bucket(&self) {
        for name in self.names().await {
            self.send(Method::DELETE, &format!("/{name}"), Vec::new()).await;
        }
        self.send(Method::DELETE, "", Vec::new()).await;
    }

    async fn send(&self, method: Method, path_and_query: &str, body: Vec<u8>) -> Response {
        let url = format!("{}/{BUCKET}{path_and_query}", self.server.url);
        let request = self.server.http.request(method, url).header("authorization", SIGNED);
        let response = request.body(body).send().await.expect("a response");
        let log = self.server.log();
        assert!(response.status().is_success(), "{path_and_query}: {response:?} {log}");
        response
    }

    async fn create_bucket(&self) {
        self.send(Method::PUT, "", Vec::new()).await;
    }
}

/// The texts between `<Key>` and `</Key>`.
fn keys(xml: &str) -> Vec<String> {
    let keys = xml.split("<Key>").skip(1).filter_map(|rest| rest.split("</Key>").next());
    keys.map(str::to_owned).collect()
}
