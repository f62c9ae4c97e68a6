//! Browser cookies: a secret that binds a browser to its authorization requests, and the proof that
//! a user is logged in. Both are `__Host-` cookies: no other host and no plain-HTTP connection can
//! set or read them, and scripts cannot see them.

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use poem::Request;
use poem::http::HeaderValue;
use poem::http::header::{COOKIE, ORIGIN};

/// Binds a browser to its authorization requests.
pub const BROWSER_COOKIE: &str = "__Host-browser";
/// Proves that a user is logged in.
pub const LOG_IN_COOKIE: &str = "__Host-login";
/// 256 bits as base64url.
const COOKIE_LENGTH: usize = 43;

/// Returns the value of a cookie if the browser sent exactly one of that name and it has the right
/// length.
pub fn cookie(request: &Request, name: &str) -> Option<String> {
    let mut values = request
        .headers()
        .get_all(COOKIE)
        .iter()
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value);
    let value = values.next().filter(|value| value.len() == COOKIE_LENGTH)?;
    values.next().is_none().then(|| value.to_owned())
}

/// Returns the header that sets a session cookie, kept until the browser is closed.
pub fn set_cookie(name: &str, value: &str) -> HeaderValue {
    header(format!("{name}={value}; Path=/; Secure; HttpOnly; SameSite=Lax"))
}

/// Returns the header that removes a cookie.
pub fn clear_cookie(name: &str) -> HeaderValue {
    header(format!("{name}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"))
}

fn header(text: String) -> HeaderValue {
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

/// Returns the form in which the database stores a cookie or a secret id.
pub fn stored(secret: &str) -> String {
    hex::encode(digest(&SHA256, secret.as_bytes()))
}

/// Returns a CSRF token: only a page that this server sent to this browser for this purpose has it.
pub fn form_token(cookie: &str, purpose: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, cookie.as_bytes());
    URL_SAFE_NO_PAD.encode(hmac::sign(&key, purpose.as_bytes()))
}

/// True if a form's CSRF token is valid.
pub fn form_token_is_right(cookie: &str, purpose: &str, token: &str) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, cookie.as_bytes());
    let tag = URL_SAFE_NO_PAD.decode(token).unwrap_or_default();
    hmac::verify(&key, purpose.as_bytes(), &tag).is_ok()
}

/// False if the browser reports that the request comes from a page on another site.
pub fn same_origin(request: &Request, origin: &str) -> bool {
    match request.headers().get(ORIGIN) {
        Some(value) => value.as_bytes().eq_ignore_ascii_case(origin.as_bytes()),
        // Every current browser sends this header; a client that is not a browser has no cookies to
        // abuse.
        None => request
            .headers()
            .get("sec-fetch-site")
            .is_none_or(|site| site == "same-origin" || site == "none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duplicate_cookie_is_ignored() {
        let value = "a".repeat(COOKIE_LENGTH);
        let read = |header: String| {
            let request = Request::builder().header(COOKIE, header).finish();
            cookie(&request, BROWSER_COOKIE)
        };
        assert_eq!(read(format!("x=1; {BROWSER_COOKIE}={value}")), Some(value.clone()));
        assert_eq!(read(format!("{BROWSER_COOKIE}={value}; {BROWSER_COOKIE}={value}")), None);
        assert_eq!(read(format!("{BROWSER_COOKIE}=short")), None);
        assert_eq!(read("x=1".to_owned()), None);
    }

    #[test]
    fn a_form_token_is_for_one_browser_and_one_purpose() {
        let token = form_token("cookie", "login:1");
        assert!(form_token_is_right("cookie", "login:1", &token));
        assert!(!form_token_is_right("cookie", "login:2", &token));
        assert!(!form_token_is_right("other", "login:1", &token));
        assert!(!form_token_is_right("cookie", "login:1", ""));
    }

    #[test]
    fn a_cross_site_post_is_detected() {
        let check = |name: &'static str, value: &str| {
            let request = Request::builder().header(name, value).finish();
            same_origin(&request, "https://auth.example:8443")
        };
        assert!(check("origin", "https://auth.example:8443"));
        assert!(!check("origin", "https://auth.example"));
        assert!(!check("origin", "null"));
        assert!(!check("sec-fetch-site", "cross-site"));
        assert!(check("sec-fetch-site", "same-origin"));
    }
}
