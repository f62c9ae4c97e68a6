//! Third-party web servers, each as one process with its own directory: Apache with
//! mod_auth_openidc as a client of the auth server, and Apache, nginx and HAProxy in front of both
//! servers with the samples in `deploy/`.

use crate::haproxy;
use crate::installed_clients::system_program;
use crate::servers::free_port;
use crate::world::{Environment, World};
use std::fs::{Permissions, create_dir_all, read_to_string, set_permissions, write};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

/// Debian's directory of Apache modules.
const APACHE_MODULES: &str = "/usr/lib/apache2/modules";

pub struct WebServer {
    /// Its URL, which leads to the api-server.
    pub url: String,
    /// The URL that leads to the auth server, if it has one.
    pub auth_url: String,
    folder: TempDir,
    child: Child,
}

impl WebServer {
    /// Runs it, and waits until there is an answer at its URL.
    async fn run(mut command: Command, folder: TempDir, url: String, world: &World) -> Self {
        let errors = std::fs::File::create(folder.path().join("stderr.log")).expect("a log");
        command.stdin(Stdio::null()).stderr(errors).kill_on_drop(true);
        let child = command.spawn().expect("a process");
        let mut server = Self { url, auth_url: String::new(), folder, child };
        let deadline = Instant::now() + Duration::from_secs(30);
        while world.client.http.get(&server.url).send().await.is_err() {
            let ended = server.child.try_wait().expect("its state");
            assert!(ended.is_none() && Instant::now() < deadline, "{}", server.log());
            sleep(Duration::from_millis(50)).await;
        }
        server
    }

    /// Its error log so far.
    pub fn log(&self) -> String {
        ["stderr.log", "error.log"].map(|name| self.read(name)).concat()
    }

    /// Its log of requests to both servers so far.
    pub fn access_log(&self) -> String {
        ["api-server.log", "auth-server.log"].map(|name| self.read(name)).concat()
    }

    fn read(&self, name: &str) -> String {
        read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    /// The number of files in its document root.
    pub fn files(&self) -> usize {
        self.folder.path().join("files").read_dir().expect("the document root").count()
    }

    /// From now on nginx fails if it buffers a body on disk.
    pub fn remove_buffers(&self) -> io::Result<()> {
        match std::fs::remove_dir_all(self.folder.path().join("temp")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// A directory that a web server may read: started by root, Apache runs as another user.
fn readable_folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("a readable folder");
    folder
}

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).canonicalize().expect("a file")
}

fn find_apache(module: &str, packages: &str) -> Result<PathBuf, String> {
    let program = system_program("apache2", packages)?;
    match Path::new(APACHE_MODULES).join(format!("{module}.so")).is_file() {
        true => Ok(program),
        false => Err(format!("{module} is missing (Debian: apt-get install {packages})")),
    }
}

/// Apache as a single process, which ends completely when told to.
fn apache(program: &Path, settings: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("-X").arg("-f").arg(settings);
    command.env("SITE_FOLDER", folder).env("SITE_MODULES", APACHE_MODULES);
    command
}

/// Apache with mod_auth_openidc: a site that people log in to, and an API that accepts tokens.
#[derive(Clone, Debug)]
pub struct OpenidSite(PathBuf);

impl OpenidSite {
    /// Finds the program with its module.
    pub fn find() -> Result<Self, String> {
        find_apache("mod_auth_openidc", "apache2 libapache2-mod-auth-openidc").map(Self)
    }

    /// Starts it with `tests/clients/apache.conf` as a client of this world.
    pub async fn start(&self, world: &World, client_id: &str, secret: &str) -> WebServer {
        let folder = readable_folder();
        let port = free_port();
        write_pages(folder.path(), &world.tls.authority).expect("a site");
        let mut command = apache(&self.0, &source("clients/apache.conf"), folder.path());
        command
            .env("SITE_PORT", port.to_string())
            .env("SITE_ISSUER", &world.client.auth_url)
            .env("SITE_AUTHORITY", folder.path().join("ca.pem"))
            .env("SITE_CLIENT_ID", client_id)
            .env("SITE_CLIENT_SECRET", secret)
            .env("SITE_PASSPHRASE", "any text will do in a test")
            .env("SITE_API_CLIENT_ID", "api-server")
            .env("SITE_API_CLIENT_SECRET", &world.credentials.api_server);
        WebServer::run(command, folder, format!("http://127.0.0.1:{port}"), world).await
    }
}

/// Pages that show who is logged in.
fn write_pages(folder: &Path, authority: &Path) -> io::Result<()> {
    std::fs::copy(authority, folder.join("ca.pem"))?;
    let page = "user=<!--#echo var=\"REMOTE_USER\" --> \
                kind=<!--#echo var=\"OIDC_CLAIM_user_kind\" --> \
                issuer=<!--#echo var=\"OIDC_CLAIM_iss\" -->";
    for name in ["app", "api"] {
        create_dir_all(folder.join("pages").join(name))?;
        write(folder.join("pages").join(name).join("who.shtml"), page)?;
    }
    write(folder.join("pages/bye.html"), "Good bye")
}

/// Where a web server listens: clients reach the api-server as `localhost`.
#[derive(Clone, Copy, Debug)]
pub struct ProxyPorts {
    api: u16,
    auth: u16,
    /// The host of the auth server.
    auth_host: &'static str,
}

impl ProxyPorts {
    /// What the servers of a world must know about the web server in front of them.
    pub fn environment(self) -> Environment {
        let settings = [
            ("AUTH_ISSUER".to_owned(), self.auth_url()),
            ("AUTH_TRUSTED_PROXIES".to_owned(), "127.0.0.1".to_owned()),
        ];
        Environment { auth: settings.into(), ..Environment::default() }
    }

    fn api_url(self) -> String {
        format!("https://localhost:{}", self.api)
    }

    fn auth_url(self) -> String {
        format!("https://{}:{}", self.auth_host, self.auth)
    }
}

/// A web server in front of both servers, set up from a sample in `deploy/`. Except for HAProxy, it
/// also has a document root that anyone may change by WebDAV: `https://127.0.0.1`, same port.
#[derive(Clone, Debug)]
pub enum ReverseProxy {
    /// Apache, with mod_dav.
    Apache(PathBuf),
    /// nginx, built with its DAV module.
    Nginx(PathBuf),
    Haproxy(PathBuf),
}

impl ReverseProxy {
    pub fn apache() -> Result<Self, String> {
        find_apache("mod_dav_fs", "apache2").map(Self::Apache)
    }

    pub fn nginx() -> Result<Self, String> {
        let program = system_program("nginx", "nginx")?;
        let output = std::process::Command::new(&program).arg("-V").output();
        let output = output.map_err(|error| format!("nginx does not run: {error}"))?;
        match String::from_utf8_lossy(&output.stderr).contains("http_dav_module") {
            true => Ok(Self::Nginx(program)),
            false => Err("nginx has no DAV module (Debian: apt-get install nginx)".to_owned()),
        }
    }

    pub fn haproxy() -> Result<Self, String> {
        haproxy::find().map(Self::Haproxy)
    }

    /// Chooses ports and hosts. HAProxy distinguishes the two servers by host; with the other web
    /// servers, both have a host different from that of the document root.
    pub fn allocate_ports(&self) -> ProxyPorts {
        let api = free_port();
        match self {
            Self::Haproxy(_) => ProxyPorts { api, auth: api, auth_host: "127.0.0.1" },
            _ => ProxyPorts { api, auth: free_port(), auth_host: "localhost" },
        }
    }

    /// Starts it in front of the servers of this world, whose certificate must be signed by this
    /// authority, after its own check of the settings.
    pub async fn start(&self, world: &World, authority: &Path, ports: ProxyPorts) -> WebServer {
        let folder = readable_folder();
        for name in ["files", "locks", "temp"] {
            create_dir_all(folder.path().join(name)).expect("a folder");
            let world_writable = Permissions::from_mode(0o777);
            set_permissions(folder.path().join(name), world_writable).expect("a readable folder");
        }
        self.write_settings(world, authority, folder.path(), ports);
        let check = if matches!(self, Self::Haproxy(_)) { "-c" } else { "-t" };
        let checked = self.command(folder.path()).arg(check).output().await.expect("a process");
        let complaints = String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success(), "{complaints}");
        let command = self.command(folder.path());
        let server = WebServer::run(command, folder, ports.api_url(), world).await;
        WebServer { auth_url: ports.auth_url(), ..server }
    }

    fn command(&self, folder: &Path) -> Command {
        let settings = folder.join("server.conf");
        match self {
            Self::Apache(program) => apache(program, &settings, folder),
            Self::Nginx(program) => {
                let mut command = Command::new(program);
                command.arg("-p").arg(folder).arg("-c").arg(settings);
                command
            }
            Self::Haproxy(program) => {
                let log = std::fs::File::create(folder.join("api-server.log")).expect("a log");
                let mut command = Command::new(program);
                command.arg("-db").arg("-f").arg(settings).stdout(log);
                command
            }
        }
    }

    /// Writes the sample and the settings around it, with the example values replaced.
    fn write_settings(&self, world: &World, authority: &Path, folder: &Path, ports: ProxyPorts) {
        let (auth, api) = (&world.client.auth_url, &world.client.api_url);
        let (name, listener, server, logs) = match self {
            Self::Apache(_) => ("apache", "*:443", "localhost:", "${APACHE_LOG_DIR}"),
            Self::Nginx(_) => ("nginx", "443 ssl", "127.0.0.1:", "/var/log/nginx"),
            Self::Haproxy(_) => {
                let (auth, api) = ([auth.as_str(); 2], [api.as_str(); 2]);
                let tls = &world.tls;
                let haproxy_settings =
                    haproxy::HaproxySettings { port: ports.api, auth, api, tls, authority };
                let settings = haproxy_settings.render(folder).expect("settings");
                let settings = haproxy::adapt(&settings, folder);
                return write(folder.join("server.conf"), settings).expect("settings");
            }
        };
        let path = |path: &Path| path.display().to_string();
        let port = |url: &str| url.rsplit(':').next().unwrap_or_default().to_owned();
        let listens =
            |port: u16| listener.replace("*:", "").replace("443", &format!("127.0.0.1:{port}"));
        let mut values = vec![
            ("/etc/ssl/servers/ca.pem".to_owned(), path(authority)),
            ("files.example.com".to_owned(), "127.0.0.1".to_owned()),
            (listener.to_owned(), listens(ports.api)),
            (format!("{server}9443"), format!("{server}{}", port(api))),
            (format!("{server}8443"), format!("{server}{}", port(auth))),
            (logs.to_owned(), path(folder)),
        ];
        for host in ["api", "auth"] {
            let files = format!("/etc/ssl/{host}.example.com");
            values.push((format!("{files}/certificate.pem"), path(&world.tls.certificate)));
            values.push((format!("{files}/key.pem"), path(&world.tls.key)));
            values.push((format!("{host}.example.com"), "localhost".to_owned()));
        }
        let sources = [format!("../deploy/{name}.conf.sample"), format!("web_servers/{name}.conf")];
        let [site, framing] = sources.map(|path| read_to_string(source(&path)).expect("settings"));
        // The sample has both servers on one port, each under its own name.
        let (first, second) = site.split_once("\n# The auth server").expect("two sites");
        let second = second.replace(listener, &listens(ports.auth));
        let framing = framing.replace("*:444", &listens(ports.auth));
        let mut texts = [format!("{first}\n# The auth server{second}"), framing];
        for (example, value) in &values {
            assert!(texts.iter().any(|text| text.contains(example)), "{name} has no {example}");
            texts = texts.map(|text| text.replace(example, value));
        }
        for (file, text) in ["site.conf", "server.conf"].into_iter().zip(texts) {
            write(folder.join(file), text).expect("settings");
        }
    }
}
