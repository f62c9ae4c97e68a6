//! Where a client may send browsers, and where its pages come from.
//!
//! The auth server compares these character by character with the request, so only the spelling
//! that browsers use is accepted.

use crate::installation::cli_error::{CliError, refuse};
use std::net::{Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Refuses an unsafe redirect URI (RFC 8252, 7.3 and 8.3; RFC 9700, 2.1).
pub(super) fn check_redirect(text: &str) -> Result<(), CliError> {
    let reject = |why: &str| refuse(format!("redirect URI {text:?}: {why}"));
    if text.chars().any(|character| character.is_whitespace() || character.is_control()) {
        return reject("must not contain spaces");
    }
    if text.contains('#') {
        return reject("must not have a fragment (#…)");
    }
    let Ok(url) = Url::parse(text) else {
        return reject("must be absolute, such as https://app.example.com/callback");
    };
    match (url.scheme(), loopback(&url)) {
        ("https", _) | ("http", true) => {}
        _ => return reject("must be https, or http on 127.0.0.1, [::1] or localhost"),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return reject("must not name a user");
    }
    let normalized = url.as_str();
    match text == normalized || Some(text) == normalized.strip_suffix('/') {
        true => Ok(()),
        false => reject(&format!("write it as {normalized}")),
    }
}

/// Refuses an invalid page origin (RFC 6454), and one that anyone on its network could forge.
pub(super) fn check_origin(text: &str) -> Result<(), CliError> {
    let reject = |why: &str| refuse(format!("origin {text:?}: {why}"));
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "https" | "http"));
    let Some(url) = url else {
        return reject("must be scheme://host or scheme://host:port");
    };
    let normalized = url.origin().ascii_serialization();
    if text != normalized {
        return reject(&format!("write it as {normalized}: scheme, host and port only"));
    }
    match url.scheme() == "https" || loopback(&url) {
        true => Ok(()),
        false => reject("must be https, or http on this machine"),
    }
}

fn loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address == Ipv4Addr::LOCALHOST,
        Some(Host::Ipv6(address)) => address == Ipv6Addr::LOCALHOST,
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirect_uris_are_https_or_on_this_machine() {
        for good in [
            "https://app.example.com/callback",
            "https://app.example.com",
            "https://app.example.com:8443/a/b?c=d",
            "http://127.0.0.1/callback",
            "http://127.0.0.1:8765/callback",
            "http://[::1]:8765/callback",
            "http://localhost:8765/callback",
            "https://localhost:9443/docs/oauth-receiver.html",
        ] {
            assert_eq!(check_redirect(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("http://app.example.com/callback", "must be https"),
            ("http://localhost.example.com/", "must be https"),
            ("http://127.0.0.2/", "must be https"),
            ("http://[::2]/", "must be https"),
            ("https://app.example.com/callback#top", "fragment"),
            ("https://app.example.com/#", "fragment"),
            ("https://app.example.com/a b", "space"),
            (" https://app.example.com/", "space"),
            ("https://app.example.com/\n", "space"),
            ("/callback", "must be absolute"),
            ("app.example.com/callback", "must be absolute"),
            ("", "must be absolute"),
            ("com.example.app:/callback", "must be https"),
            ("javascript:alert(1)", "must be https"),
            ("https://user:word@app.example.com/", "must not name a user"),
            ("https://app.example.com@evil.example/", "must not name a user"),
            ("https:app.example.com/", "write it as https://app.example.com/"),
            ("https:\\\\app.example.com\\", "write it as https://app.example.com/"),
            ("https://APP.example.com/", "write it as https://app.example.com/"),
            ("https://app.example.com:443/", "write it as https://app.example.com/"),
            ("https://app.example.com/a/../b", "write it as https://app.example.com/b"),
            ("http://0x7f.1/", "write it as http://127.0.0.1/"),
            ("https://äpp.example.com/", "write it as https://xn--"),
        ] {
            let message = check_redirect(bad).expect_err(bad).to_string();
            assert!(message.contains(why), "{message}");
        }
    }

    #[test]
    fn an_origin_is_scheme_host_and_port_alone() {
        for good in ["https://app.example.com", "https://app.example.com:8443"] {
            assert_eq!(check_origin(good), Ok(()), "{good}");
        }
        for good in ["http://127.0.0.1:5173", "http://[::1]:5173", "http://localhost:5173"] {
            assert_eq!(check_origin(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("https://app.example.com/", "write it as https://app.example.com"),
            ("https://app.example.com/page", "write it as https://app.example.com"),
            ("https://app.example.com?a", "write it as https://app.example.com"),
            ("https://app.example.com:443", "write it as https://app.example.com"),
            ("https://user@app.example.com", "write it as https://app.example.com"),
            ("https://a.example https://b.example", "must be scheme://host"),
            ("http://app.example.com", "must be https"),
            ("app.example.com", "must be scheme://host"),
            ("null", "must be scheme://host"),
            ("*", "must be scheme://host"),
            ("file:///etc", "must be scheme://host"),
        ] {
            let message = check_origin(bad).expect_err(bad).to_string();
            assert!(message.contains(why), "{message}");
        }
    }
}
