//! Redirect URIs: a response is sent only to a URI that the client has registered, compared exactly
//! (RFC 9700, 2.1).

use url::{Host, Url, form_urlencoded};

/// True if the client has registered this URI. The match is exact, except that the port of a
/// loopback address may differ, because a program on the user's machine chooses it at startup (RFC
/// 8252, 7.3).
pub fn is_registered(list: &str, uri: &str) -> bool {
    list.split_ascii_whitespace()
        .any(|registered| registered == uri || differs_only_in_port(registered, uri))
}

fn differs_only_in_port(registered: &str, uri: &str) -> bool {
    let (Some(mut candidate), Some(parsed)) = (loopback(registered), loopback(uri)) else {
        return false;
    };
    // Compared as written too: parsing must not have made the URIs equal. It adds a missing path.
    let lacks_path = |url: &Url, text: &str| url.as_str().strip_suffix('/') == Some(text);
    let is_as_written =
        parsed.as_str() == uri || lacks_path(&candidate, registered) && lacks_path(&parsed, uri);
    is_as_written && candidate.set_port(parsed.port()).is_ok() && candidate == parsed
}

fn loopback(uri: &str) -> Option<Url> {
    let url = Url::parse(uri).ok()?;
    let local = match url.host()? {
        Host::Ipv4(address) => address.octets() == [127, 0, 0, 1],
        Host::Ipv6(address) => address.is_loopback(),
        Host::Domain(name) => name == "localhost",
    };
    (local && url.scheme() == "http").then_some(url)
}

/// Returns the URI with parameters added to its query; without parameters, the URI unchanged.
pub fn with_parameters(uri: &str, parameters: &[(&str, &str)]) -> String {
    if parameters.is_empty() {
        return uri.to_owned();
    }
    let Ok(mut url) = Url::parse(uri) else { return uri.to_owned() };
    let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    // Both encodings of a space are valid, but some applications understand only this one.
    let encoded = encoded.replace('+', "%20");
    let query = match url.query() {
        Some(query) if !query.is_empty() => format!("{query}&{encoded}"),
        _ => encoded,
    };
    url.set_query(Some(&query));
    url.into()
}

/// Returns the origin of a redirect URI, for a link in a browser; `None` if it is not an http or
/// https URL.
pub fn origin_url(uri: &str) -> Option<String> {
    let url = Url::parse(uri).ok().filter(|url| ["http", "https"].contains(&url.scheme()))?;
    Some(url.origin().ascii_serialization() + "/")
}

/// Returns the origin of a URI as a Content Security Policy source.
pub fn policy_source(uri: &str) -> String {
    let Ok(url) = Url::parse(uri) else { return String::new() };
    match url.host() {
        // Browsers do not accept an IPv6 address as a source.
        Some(Host::Ipv6(_)) => format!("{}:", url.scheme()),
        _ => url.origin().ascii_serialization(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_uri_must_match_exactly() {
        let list = "https://app.example/cb http://127.0.0.1:8765/callback http://[::1]/cb";
        let good = [
            "https://app.example/cb",
            "http://127.0.0.1:8765/callback",
            "http://127.0.0.1:50000/callback",
            "http://127.0.0.1/callback",
            "http://[::1]:1234/cb",
        ];
        for uri in good {
            assert!(is_registered(list, uri), "{uri}");
        }
        let bad = [
            "https://app.example/cb/",
            "https://app.example:444/cb",
            "https://APP.example/cb",
            "https://app.example/cb?x=1",
            "https://app.example/cb#x",
            "http://app.example/cb",
            "http://127.0.0.1:8765/callback/../x",
            "http://127.0.0.1:8765/callback?x",
            "https://127.0.0.1:8765/callback",
            "http://127.0.0.2:8765/callback",
            "http://localhost:8765/callback",
            "http://localhost.evil.example:8765/callback",
            "http://user@127.0.0.1:8765/callback",
            "http://127.0.0.1:8765@evil.example/callback",
            "http://0x7f.0.0.1:8765/callback",
            "",
        ];
        for uri in bad {
            assert!(!is_registered(list, uri), "{uri}");
        }
        assert!(is_registered("http://127.0.0.1", "http://127.0.0.1:50000"), "without a path");
        assert!(!is_registered("http://127.0.0.1/", "http://127.0.0.1:50000"), "as written");
    }

    #[test]
    fn localhost_is_a_loopback_address() {
        let list = "http://localhost/cb http://127.0.0.1/other";
        for uri in ["http://localhost/cb", "http://localhost:51004/cb"] {
            assert!(is_registered(list, uri), "{uri}");
        }
        for uri in [
            "http://127.0.0.1:51004/cb",
            "http://localhost:51004/other",
            "http://LOCALHOST:51004/cb",
            "http://localhost.:51004/cb",
            "https://localhost:51004/cb",
        ] {
            assert!(!is_registered(list, uri), "{uri}");
        }
    }

    #[test]
    fn parameters_are_appended_to_an_existing_query() {
        let uri = with_parameters("https://a.example/cb?x=1", &[("state", "a b&c"), ("iss", "i")]);
        assert_eq!(uri, "https://a.example/cb?x=1&state=a%20b%26c&iss=i");
        assert_eq!(with_parameters("https://a.example/bye", &[]), "https://a.example/bye");
    }

    #[test]
    fn a_policy_source_is_an_origin() {
        assert_eq!(policy_source("https://a.example/cb?x"), "https://a.example");
        assert_eq!(policy_source("http://127.0.0.1:8765/cb"), "http://127.0.0.1:8765");
        assert_eq!(policy_source("http://[::1]:8765/cb"), "http:");
    }
}
