//! A real browser, driven as by a person: headless Chromium, through its WebDriver server. Hidden
//! problems show as well: console messages, and every request sent.

use crate::databases::temporary_folder;
use crate::installed_clients::{skip, system_program};
use crate::servers::free_port;
use crate::world::{World, on_embedded_database};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use installer::installation::certificates::TlsFiles;
use rcgen::{KeyPair, PublicKeyData};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::Permissions;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use thirtyfour::common::command::FormatRequestData;
use thirtyfour::common::config::WebDriverConfig;
use thirtyfour::extensions::query::ElementPollerWithTimeout;
use thirtyfour::prelude::*;
use thirtyfour::{
    ChromeCapabilities, ChromiumLikeCapabilities, LoggingPrefsLogLevel, RequestData, SessionId,
    TypingData,
};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

/// The environment variable that names a directory for screenshots, if any.
const SCREENSHOTS: &str = "TEST_SCREENSHOTS";
/// How long a page may take, on a machine with much else to do.
pub const PAGE_TIMEOUT: Duration = Duration::from_secs(120);
/// How often a page is asked whether it has changed.
pub const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The devices for screenshots: name, width and height of the page, and whether it is a phone.
const DEVICES: [(&str, u32, u32, bool); 2] =
    [("phone", 390, 844, true), ("desktop", 1280, 800, false)];

/// Whether pages may run scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scripts {
    /// The browser's default.
    Run,
    /// As set by some users.
    Forbidden,
}

/// A browser with its own profile. It ends when dropped, in a failing test too.
pub struct WebBrowser {
    /// For everything without a method below. Its own destructor would wait for an answer that the
    /// runtime of a failing test no longer delivers.
    pub driver: ManuallyDrop<WebDriver>,
    pub(crate) scripts: Scripts,
    // Dropped in this order, so that no process writes into the profile while it is removed.
    _processes: Processes,
    _profile: TempDir,
}

/// chromedriver and the browser it has started, which would otherwise outlive the test.
struct Processes(Child);

impl Drop for Processes {
    fn drop(&mut self) {
        let Some(group) = self.0.id() else { return };
        let kill = format!("kill -KILL -{group}");
        let _ = std::process::Command::new("sh").args(["-c", &kill]).status();
    }
}

/// Runs a test with a browser in a world on the embedded database, because pages do not depend on
/// the database. Without Chromium on the machine the test is skipped with a message. Finally checks
/// that no page has logged errors on the console or requested anything from elsewhere.
pub async fn in_browser<F, Fut>(program: &str, scripts: Scripts, test: F)
where
    F: FnOnce(World, WebBrowser) -> Fut,
    Fut: Future<Output = (World, WebBrowser)>,
{
    let chromedriver = system_program("chromedriver", "chromium-driver");
    // The headless shell starts faster and renders less.
    let chromium = system_program("chromium-headless-shell", "chromium-headless-shell")
        .or_else(|_| system_program("chromium", "chromium"));
    let (chromedriver, chromium) = match (chromedriver, chromium) {
        (Ok(chromedriver), Ok(chromium)) => (chromedriver, chromium),
        (Err(missing), _) | (_, Err(missing)) => return skip(&missing),
    };
    on_embedded_database(program, |world| async {
        let browser = WebBrowser::start(&chromedriver, &chromium, &world.tls, scripts).await;
        let (world, browser) = test(world, browser).await;
        assert_eq!(browser.console_errors().await, [""; 0]);
        let destinations = browser.destinations().await;
        assert!(!destinations.is_empty(), "no request was seen");
        let own_origins = ["https://localhost", "http://127.0.0.1"];
        assert!(
            destinations.iter().all(|url| own_origins.contains(&url.as_str())),
            "{destinations:?}"
        );
        browser.close().await;
        world
    })
    .await;
}

impl WebBrowser {
    async fn start(chromedriver: &Path, chromium: &Path, tls: &TlsFiles, scripts: Scripts) -> Self {
        let profile = temporary_folder();
        let port = free_port();
        let child = Command::new(chromedriver)
            .arg(format!("--port={port}"))
            .env("HOME", profile.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("chromedriver starts");
        let processes = Processes(child);
        let url = format!("http://127.0.0.1:{port}");
        let http = reqwest::Client::builder().no_proxy().timeout(PAGE_TIMEOUT * 4).build();
        let http = http.expect("a client");
        let deadline = Instant::now() + PAGE_TIMEOUT;
        while http.get(format!("{url}/status")).send().await.is_err() {
            assert!(Instant::now() < deadline, "chromedriver does not answer");
            sleep(POLL_INTERVAL).await;
        }
        let chromium = with_page(chromium, profile.path());
        let capabilities = capabilities(&chromium, profile.path(), tls);
        let driver = WebDriver::builder(&url, capabilities.expect("capabilities")).client(http);
        let driver = driver.connect().await.expect("Chromium starts");
        driver.set_script_timeout(PAGE_TIMEOUT).await.expect("a time limit");
        let poller = ElementPollerWithTimeout::new(PAGE_TIMEOUT, POLL_INTERVAL);
        let config = WebDriverConfig::builder().poller(Arc::new(poller)).build();
        driver.set_config(config.expect("a configuration"));
        let driver = ManuallyDrop::new(driver);
        let browser = Self { driver, scripts, _processes: processes, _profile: profile };
        let forbidden = json!({"value": scripts == Scripts::Forbidden});
        browser.devtools("Emulation.setScriptExecutionDisabled", forbidden).await;
        browser
    }

    /// Opens an address, as if it were typed in.
    pub async fn open(&self, url: &str) {
        self.driver.goto(url).await.expect("a page");
    }

    /// Types into the focused element.
    pub async fn press(&self, keys: impl Into<TypingData>) {
        self.driver.action_chain().send_keys(keys).perform().await.expect("keys");
    }

    /// Pastes a text into the focused element, in place of what is selected: a large page takes long
    /// for each key.
    pub async fn paste(&self, text: &str) {
        self.devtools("Input.insertText", json!({"text": text})).await;
    }

    /// Pastes a text into a field, in place of what it holds.
    pub async fn fill(&self, selector: &str, text: &str) {
        let field = self.see(selector).await;
        field.send_keys(Key::Control + "a").await.expect("a selection");
        self.paste(text).await;
    }

    /// The first element that matches, once it exists.
    pub async fn see(&self, selector: &str) -> WebElement {
        let element = self.driver.query(By::Css(selector)).and_displayed().first().await;
        match element {
            Ok(element) => element,
            Err(error) => panic!("no {selector}: {error}\n{:.5000}", self.source().await),
        }
    }

    /// The text of the first element that matches, once it exists.
    pub async fn text(&self, selector: &str) -> String {
        loop {
            // The page may replace the element meanwhile.
            if let Ok(text) = self.see(selector).await.text().await {
                return text;
            }
        }
    }

    /// The focused element's `id`, or its tag name if it has none.
    pub async fn focus(&self) -> String {
        let element = self.driver.active_element().await.expect("an element");
        match element.attr("id").await.expect("an attribute") {
            Some(id) => id,
            None => element.tag_name().await.expect("a name"),
        }
    }

    /// The page as the browser has it.
    pub async fn source(&self) -> String {
        self.driver.source().await.unwrap_or_default()
    }

    /// Fails the test if the page has faults of accessibility, and takes a screenshot of it at each
    /// size, if screenshots are wanted.
    pub async fn inspect(&self, name: &str) {
        self.inspect_part(name, "html").await;
    }

    /// Inspects the page as [`Self::inspect`] does, but looks for faults only in the part that this
    /// selector finds: a large page takes long.
    pub async fn inspect_part(&self, name: &str, part: &str) {
        self.check_accessibility(name, part).await;
        let Some(folder) = std::env::var_os(SCREENSHOTS).map(PathBuf::from) else { return };
        std::fs::create_dir_all(&folder).expect("a folder");
        for (device, width, height, mobile) in DEVICES {
            let size = json!({
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile,
            });
            self.devtools("Emulation.setDeviceMetricsOverride", size).await;
            let file = folder.join(format!("{name}-{device}.png"));
            self.driver.screenshot(&file).await.expect("a picture");
        }
        self.devtools("Emulation.clearDeviceMetricsOverride", json!({})).await;
    }

    /// Sets the user's preference for `light` or `dark` pages, which change at once.
    pub async fn prefer(&self, scheme: &str) {
        let features = json!([
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]);
        self.devtools("Emulation.setEmulatedMedia", json!({"features": features})).await;
    }

    /// Sets the size of the viewport in pixels.
    pub async fn resize(&self, width: u32, height: u32) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await;
    }

    async fn devtools(&self, method: &'static str, parameters: Value) {
        self.driver.cmd(DevTools(method, parameters)).await.expect("a command of DevTools");
    }

    /// Console warnings and errors since the last call.
    pub async fn console_errors(&self) -> Vec<String> {
        let entries = self.driver.browser_log().await.expect("a log");
        let is_problem = |level: &str| level == "WARNING" || level == "SEVERE";
        entries
            .into_iter()
            .filter(|entry| is_problem(&entry.level))
            .map(|entry| entry.message)
            .collect()
    }

    /// The targets of requests by pages, as `scheme://host`, since the last call.
    async fn destinations(&self) -> BTreeSet<String> {
        let events = self.driver.get_log("performance").await.expect("a log");
        let events = events.iter().filter_map(|entry| serde_json::from_str(&entry.message).ok());
        events
            .filter(|event: &Value| event["message"]["method"] == "Network.requestWillBeSent")
            .filter_map(|event| {
                event["message"]["params"]["request"]["url"].as_str().map(str::to_owned)
            })
            .filter_map(|url| reqwest::Url::parse(&url).ok())
            // The browser's start page, and icons embedded in pages, are not fetched.
            .filter(|url| !["chrome", "data"].contains(&url.scheme()))
            .map(|url| format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default()))
            .collect()
    }

    async fn close(self) {
        WebDriver::clone(&self.driver).quit().await.expect("Chromium ends");
    }
}

/// Writes a program that starts the browser with a page: the shell would have none by itself, and
/// chromedriver waits for one.
fn with_page(chromium: &Path, folder: &Path) -> PathBuf {
    let program = folder.join("browser");
    let script = format!("#!/bin/sh\nexec {} \"$@\" data:,\n", chromium.display());
    std::fs::write(&program, script).expect("a program");
    std::fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("its mode");
    program
}

fn capabilities(
    chromium: &Path,
    profile: &Path,
    tls: &TlsFiles,
) -> WebDriverResult<ChromeCapabilities> {
    let mut capabilities = ChromeCapabilities::new();
    capabilities.set_binary(&chromium.display().to_string())?;
    for argument in [
        "--headless",
        // Root cannot use the sandbox, and containers often forbid it; all pages are the product's
        // own.
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-extensions",
        "--no-proxy-server",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        // Blocks the browser's requests to its vendor.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
        &format!("--user-data-dir={}", profile.display()),
        // Trusts the world's certificate and no other.
        &format!("--ignore-certificate-errors-spki-list={}", public_key_hash(&tls.key)),
    ] {
        capabilities.add_arg(argument)?;
    }
    capabilities.set_browser_log_level(LoggingPrefsLogLevel::All)?;
    capabilities.set_logging_prefs("performance", LoggingPrefsLogLevel::All)?;
    Ok(capabilities)
}

fn public_key_hash(key: &Path) -> String {
    let pem = std::fs::read_to_string(key).expect("the key is there");
    let key = KeyPair::from_pem(&pem).expect("the key is one");
    STANDARD.encode(digest(&SHA256, &key.subject_public_key_info()))
}

/// A command of the DevTools protocol, which chromedriver passes on.
#[derive(Debug)]
struct DevTools(&'static str, Value);

impl FormatRequestData for DevTools {
    fn format_request(&self, session_id: &SessionId) -> RequestData {
        let path = format!("session/{session_id}/goog/cdp/execute");
        let body = json!({"cmd": self.0, "params": self.1});
        RequestData::new(reqwest::Method::POST, path).add_body(body)
    }
}
