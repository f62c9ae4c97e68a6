//! Third-party clients that the servers must work with: where they are installed, how a test talks
//! to them, and how they are registered. The rest is in `tests/clients/`; Apache and nginx are in
//! `web_servers.rs`.
//!
//! On a machine without them the other tests still run; those that need them print what is missing,
//! and pass.

use crate::installed_clients::{
    clients_folder, installed, not_installed, python_program, system_program,
};
use crate::visitor::Visitor;
use crate::world::World;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rcgen::{CertificateParams, KeyPair, PublicKeyData, SignatureAlgorithm};
use sea_orm::ActiveModelTrait;
use sea_orm::ActiveValue::Set;
use serde_json::{Value, json};
use shared::entity::oauth_clients::{self, ClientKind};
use shared::secrets::Secret;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};

/// The longest conversation with a client, on a busy machine.
const CONVERSATION: Duration = Duration::from_secs(120);
/// A client of `tests/clients`, ready to run.
#[derive(Clone, Debug)]
pub struct ClientProgram {
    interpreter: PathBuf,
    file: &'static str,
}

impl ClientProgram {
    /// A client in JavaScript.
    pub fn node(file: &'static str) -> Result<Self, String> {
        let interpreter = system_program("node", "nodejs npm")?;
        let modules = installed().join("node_modules/openid-client");
        if !modules.is_dir() {
            return Err(not_installed(&modules));
        }
        let version = std::process::Command::new(&interpreter).arg("--version").output();
        let version = version.map_err(|error| format!("node does not run: {error}"))?.stdout;
        let version = String::from_utf8_lossy(&version).trim().to_owned();
        let major = version.trim_start_matches('v').split('.').next().unwrap_or_default();
        match major.parse::<u32>() {
            Ok(20..) => Ok(Self { interpreter, file }),
            _ => Err(format!("node is {version}, and the clients need 20 or later")),
        }
    }

    /// A client in Python.
    pub fn python(file: &'static str) -> Result<Self, String> {
        Ok(Self { interpreter: python_program("python")?, file })
    }

    /// Runs the program in a world. The visitor opens the URLs that it prints, and logs in where
    /// requested. Returns the program's result.
    pub async fn run(
        &self,
        world: &World,
        visitor: &mut Visitor,
        user: (&str, &str),
        parameters: &Value,
    ) -> Value {
        let conversation = self.converse(world, visitor, user, parameters);
        tokio::time::timeout(CONVERSATION, conversation).await.expect("the client ends")
    }

    async fn converse(
        &self,
        world: &World,
        visitor: &mut Visitor,
        (user_name, password): (&str, &str),
        parameters: &Value,
    ) -> Value {
        let errors = world.folder.path().join("client.log");
        let mut child = self.start(world, &errors);
        let mut input = child.stdin.take().expect("its input");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut message = parameters.clone();
        loop {
            // Writing to a program that has ended fails; its last output is in the log.
            let _ = input.write_all(format!("{message}\n").as_bytes()).await;
            let Some(line) = lines.next_line().await.expect("text") else {
                let log = std::fs::read_to_string(&errors).unwrap_or_default();
                panic!("{} has ended: {log} {}", self.file, world.auth.log());
            };
            let reply: Value = serde_json::from_str(&line).expect("JSON");
            if let Some(result) = reply.get("result") {
                assert!(child.wait().await.expect("its end").success());
                return result.clone();
            }
            let url = reply["open"].as_str().expect("something to open");
            let page = visitor.log_in(url, user_name, password).await;
            message = json!({ "arrived": page.url.as_str() });
        }
    }

    fn start(&self, world: &World, errors: &Path) -> Child {
        let folder = world.folder.path().join("clients");
        stage(&folder).expect("the clients in one folder");
        let authority = &world.tls.authority;
        Command::new(&self.interpreter)
            .arg(folder.join(self.file))
            .env("NODE_EXTRA_CA_CERTS", authority)
            .env("NODE_NO_WARNINGS", "1")
            .env("REQUESTS_CA_BUNDLE", authority)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(errors).expect("a log"))
            .kill_on_drop(true)
            .spawn()
            .expect("a process")
    }
}

/// Node looks for packages next to the importing file only.
fn stage(folder: &Path) -> std::io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    std::fs::create_dir(folder)?;
    for entry in std::fs::read_dir(clients_folder())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "mjs" || extension == "py") {
            std::fs::copy(&path, folder.join(path.file_name().unwrap_or_default()))?;
        }
    }
    std::os::unix::fs::symlink(installed().join("node_modules"), folder.join("node_modules"))
}

/// A client's key: the private part, and what it registers.
#[derive(Debug)]
pub struct ClientKey {
    /// PKCS #8, PEM.
    pub private: String,
    /// A self-signed certificate for it, PEM.
    pub certificate: String,
    /// The public key as a JWK (RFC 7517), with the certificate.
    pub public: Value,
}

impl ClientKey {
    /// Creates a key for this signature algorithm: ES256, or EdDSA, meaning Ed25519.
    pub fn random(algorithm: &str) -> Self {
        let signature_algorithm: &SignatureAlgorithm = match algorithm {
            "ES256" => &rcgen::PKCS_ECDSA_P256_SHA256,
            "EdDSA" | "Ed25519" => &rcgen::PKCS_ED25519,
            _ => panic!("{algorithm} is not supported"),
        };
        let key = KeyPair::generate_for(signature_algorithm).expect("a key");
        let names = vec!["client.test".to_owned()];
        let certificate = CertificateParams::new(names).expect("a certificate");
        let certificate = certificate.self_signed(&key).expect("a certificate");
        let public_key = key.der_bytes();
        let mut public = match algorithm {
            // An uncompressed point: one byte for the format, then x and y.
            "ES256" => json!({
                "kty": "EC", "crv": "P-256",
                "x": URL_SAFE_NO_PAD.encode(&public_key[1..33]),
                "y": URL_SAFE_NO_PAD.encode(&public_key[33..]),
            }),
            _ => json!({"kty": "OKP", "crv": "Ed25519", "x": URL_SAFE_NO_PAD.encode(public_key)}),
        };
        public["alg"] = json!(algorithm);
        public["x5c"] = json!([STANDARD.encode(certificate.der())]);
        let private = match algorithm {
            "ES256" => key.serialize_pem(),
            _ => plain_ed25519(key.serialized_der()),
        };
        Self { private, certificate: certificate.pem(), public }
    }
}

/// The key as in RFC 8410, 7: OpenSSL 3.0 cannot read one that includes the public key.
fn plain_ed25519(der: &[u8]) -> String {
    const SEED: std::ops::Range<usize> = 16..48;
    const HEAD: [u8; 16] = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];
    let body = STANDARD.encode([&HEAD[..], &der[SEED]].concat());
    format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n")
}

/// Registers an application for the code flow, with a secret or with keys.
pub async fn add_client(world: &World, id: &str, redirects: &str, proof: Result<&str, &ClientKey>) {
    let secret =
        proof.ok().map(|secret| Secret::new(auth_server::store::clients::secret_hash(secret)));
    let keys = proof.err().map(|key| json!({"keys": [key.public]}).to_string());
    let client = oauth_clients::ActiveModel {
        client_id: Set(id.to_owned()),
        display_name: Set(None),
        kind: Set(ClientKind::Confidential),
        secret_hash1: Set(secret),
        secret_hash2: Set(None),
        public_keys: Set(keys),
        redirect_uris: Set(redirects.to_owned()),
        post_logout_redirect_uris: Set(redirects.to_owned()),
        cors_origins: Set(String::new()),
        grants: Set("authorization_code refresh_token".to_owned()),
        user_kinds: Set("core web".to_owned()),
        resource_server_flag: Set(false),
        created_date: Set(shared::database::time(&world.db).await.expect("the time")),
        forwards_addresses_flag: Set(false),
    };
    client.insert(&world.db).await.expect("a client");
}
