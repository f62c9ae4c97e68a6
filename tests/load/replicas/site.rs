//! A site on this machine: two replicas of each server behind HAProxy, on a PostgreSQL server with
//! a standby, set up from the samples in `deploy/` with other addresses.

use acceptance::haproxy::{self, Haproxy, HaproxySettings, replace, sample};
use acceptance::postgres::Postgres;
use acceptance::servers::{TestServer, free_port};
use acceptance::world::{Environment, Replica, tls_files};
use acceptance::{Client, Database, World};
use std::fmt;

/// The whole site. Fields dropped first depend on those dropped later.
pub struct Site {
    /// The first of each server. Its clients go through HAProxy.
    pub world: World,
    /// The second auth server.
    pub auth2: Replica,
    /// The second api-server.
    pub api2: Replica,
    /// Clients of the first two servers and of the second two, bypassing HAProxy.
    pub direct: [Client; 2],
    /// HAProxy in front of the servers.
    pub server_proxy: Haproxy,
    /// HAProxy in front of PostgreSQL.
    pub database_proxy: Haproxy,
    /// The PostgreSQL server that is the primary at first.
    pub pg1: Postgres,
    /// The PostgreSQL server that is the standby at first.
    pub pg2: Postgres,
}

/// One of the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    Auth1,
    Auth2,
    Api1,
    Api2,
}

impl Member {
    /// All of them, in the order in which an operator restarts them.
    pub const ALL: [Self; 4] = [Self::Auth1, Self::Auth2, Self::Api1, Self::Api2];

    /// Its names in HAProxy: backend and server.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Auth1 => ("auth", "auth1"),
            Self::Auth2 => ("auth", "auth2"),
            Self::Api1 => ("api", "api1"),
            Self::Api2 => ("api", "api2"),
        }
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names().1)
    }
}

impl Site {
    /// Starts everything. The servers still accept requests for this long after they are told to
    /// stop.
    pub async fn start(program: &str, drain_seconds: u32) -> Result<Self, String> {
        let haproxy = haproxy::find()?;
        let tls = tls_files();
        let pg1 = Postgres::start_primary(&tls).await?;
        let pg2 = pg1.standby().await?;
        let (port, url) = (free_port(), pg1.url());
        let settings = replace(
            &sample("postgresql/haproxy.cfg.sample")?,
            &[
                ("127.0.0.1:5000", format!("127.0.0.1:{port}")),
                ("10.0.0.31:5432", format!("127.0.0.1:{}", pg1.port())),
                ("10.0.0.32:5432", format!("127.0.0.1:{}", pg2.port())),
            ],
        )?;
        let database_proxy = Haproxy::start(&haproxy, &settings).await?;
        database_proxy.wait("postgresql", "pg2", false).await?;
        let database = Database::Server(url.replace(&pg1.port().to_string(), &port.to_string()));
        let port = free_port();
        let environment = environment(port, drain_seconds);
        let mut world = World::new(program, database, environment).await;
        let auth2 = world.replica().await;
        let api2 = world.api_replica().await;
        let mut second = api2.client.clone();
        second.auth_url.clone_from(&auth2.client.auth_url);
        let direct = [world.client.clone(), second];
        let proxy_settings = HaproxySettings {
            port,
            auth: [&direct[0].auth_url, &direct[1].auth_url],
            api: [&direct[0].api_url, &direct[1].api_url],
            tls: &tls,
            authority: &tls.authority,
        };
        let settings = proxy_settings.render(world.folder.path())?;
        let server_proxy = Haproxy::start(&haproxy, &settings).await?;
        world.client.auth_url = format!("https://127.0.0.1:{port}");
        world.client.api_url = format!("https://localhost:{port}");
        let site = Self { world, auth2, api2, direct, server_proxy, database_proxy, pg1, pg2 };
        for member in Member::ALL {
            site.wait_for(member, true).await?;
        }
        Ok(site)
    }

    pub fn process(&mut self, member: Member) -> &mut TestServer {
        match member {
            Member::Auth1 => &mut self.world.auth,
            Member::Auth2 => &mut self.auth2.process,
            Member::Api1 => &mut self.world.api,
            Member::Api2 => &mut self.api2.process,
        }
    }

    /// Waits until HAProxy sends requests to this server, or stops doing so.
    pub async fn wait_for(&self, member: Member, up: bool) -> Result<(), String> {
        let (backend, server) = member.names();
        self.server_proxy.wait(backend, server, up).await
    }

    /// Stops everything; the servers must stop successfully.
    pub async fn close(self) {
        let Self { world, auth2, api2, .. } = self;
        tokio::join!(auth2.close(), api2.close(), world.close());
    }
}

/// What the servers must know about the HAProxy in front of them.
fn environment(port: u16, drain_seconds: u32) -> Environment {
    let public_url = format!("https://127.0.0.1:{port}");
    let drain = drain_seconds.to_string();
    let settings = |settings: &[(&str, &str)]| {
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    Environment {
        auth: settings(&[
            ("AUTH_ISSUER", &public_url),
            ("AUTH_TRUSTED_PROXIES", "127.0.0.1"),
            ("AUTH_DATABASE_CONNECTIONS", "16"),
            ("AUTH_DRAIN_DELAY_SECONDS", &drain),
        ]),
        api: settings(&[
            ("API_AUTH_URL", &public_url),
            ("API_DATABASE_CONNECTIONS", "16"),
            ("API_DRAIN_DELAY_SECONDS", &drain),
        ]),
        ..Environment::default()
    }
}
