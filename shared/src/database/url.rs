//! Validation of database URLs before connecting. The driver ignores unknown parameters, so a
//! mistyped `sslmode` would connect without verification.

use url::{ParseError, Url, form_urlencoded};

/// Supported databases: URL schemes, name, and known parameters.
const KINDS: [(&[&str], &str, &[&str]); 3] = [
    (&["sqlite"], "SQLite", &["cache", "immutable", "mode", "vfs"]),
    (
        &["postgres", "postgresql"],
        "PostgreSQL",
        &[
            "application_name",
            "dbname",
            "host",
            "hostaddr",
            "options",
            "password",
            "port",
            "sslcert",
            "sslkey",
            "sslmode",
            "sslrootcert",
            "statement-cache-capacity",
            "user",
            "ssl-ca",
            "ssl-cert",
            "ssl-key",
            "ssl-mode",
            "ssl-root-cert",
        ],
    ),
    (
        &["mysql"],
        "MariaDB",
        &[
            "charset",
            "collation",
            "socket",
            "sslca",
            "sslcert",
            "sslkey",
            "sslmode",
            "statement-cache-capacity",
            "timezone",
            "ssl-ca",
            "ssl-cert",
            "ssl-key",
            "ssl-mode",
            "time-zone",
        ],
    ),
];

/// Refuses a URL of an unsupported kind, one that cannot be parsed, and parameters that its kind
/// does not have. The error never contains what might be a password.
pub fn check(url: &str) -> Result<(), String> {
    let (scheme, rest) = url.split_once(':').unwrap_or_default();
    let Some((_, kind, known_parameters)) = KINDS.iter().find(|kind| kind.0.contains(&scheme))
    else {
        return Err("the database URL must be sqlite://…, postgres://… or mysql://…".into());
    };
    if scheme == "sqlite" {
        let parameters = rest.split_once('?').map_or("", |(_, parameters)| parameters);
        return check_parameters(parameters, kind, known_parameters);
    }
    let parsed = Url::parse(url).map_err(parse_error)?;
    // Detects a password that was parsed as the port, and its rest as the path.
    let after_host = [Some(parsed.path()), parsed.query().filter(|query| !query.contains('='))];
    let is_torn = after_host.into_iter().flatten().any(|it| it.contains('@'));
    let is_torn = is_torn && parsed.username().is_empty();
    if is_torn || parsed.fragment().is_some() {
        return Err(ENCODE.to_owned());
    }
    check_parameters(parsed.query().unwrap_or_default(), kind, known_parameters)
}

/// Refuses a URL without a database name, or without both host and socket.
pub fn check_place(url: &str) -> Result<(), String> {
    let Some(parsed) = Url::parse(url).ok().filter(|url| url.scheme() != "sqlite") else {
        return Ok(());
    };
    let has = |names: &[&str]| parsed.query_pairs().any(|(name, _)| names.contains(&&*name));
    let host = parsed.host_str().is_some() || has(&["host", "hostaddr", "socket"]);
    let name = parsed.path().len() > 1 || has(&["dbname"]);
    match host && name {
        true => Ok(()),
        false => Err("the database URL must name a host and a database: \
                      postgres://HOST/NAME, or for a socket postgres:///NAME?host=/FOLDER, \
                      mysql://localhost/NAME?socket=/FILE"
            .to_owned()),
    }
}

const ENCODE: &str = "the database URL cannot be parsed: in user and password, #, /, ? and @ must \
     be percent-encoded as %23, %2F, %3F and %40; or leave the password out and supply it to \
     installer install with --database-password-file";

fn parse_error(error: ParseError) -> String {
    match error {
        ParseError::InvalidPort => format!("{ENCODE}; or the port is not a number"),
        ParseError::EmptyHost => "the database URL has a user but no host: for a socket use \
                                  postgres:///NAME?host=/FOLDER&user=USER"
            .to_owned(),
        _ => ENCODE.to_owned(),
    }
}

fn check_parameters(parameters: &str, kind: &str, known_parameters: &[&str]) -> Result<(), String> {
    let is_known = |name: &str| {
        known_parameters.contains(&name) || kind == "PostgreSQL" && name.starts_with("options[")
    };
    let mut names = form_urlencoded::parse(parameters.as_bytes()).map(|(name, _)| name);
    let Some(name) = names.find(|name| !is_known(name)) else { return Ok(()) };
    // Anything but a plain word may be part of a password.
    let is_plain = name.chars().all(|it| it.is_ascii_alphanumeric() || "-_".contains(it));
    let name = if is_plain { format!(" {name}") } else { String::new() };
    Err(format!(
        "the database URL has a parameter{name} that {kind} does not support; supported are {}",
        known_parameters.join(", ")
    ))
}

/// Returns a database URL with its password hidden, for display.
pub fn without_password(url: &str) -> String {
    const HIDDEN: &str = "***";
    let Ok(mut parsed) = Url::parse(url) else { return url.to_owned() };
    let pairs: Vec<(String, String)> = parsed.query_pairs().into_owned().collect();
    let in_query = pairs.iter().any(|(name, _)| name == "password");
    if parsed.password().is_none() && !in_query {
        return url.to_owned();
    }
    if parsed.password().is_some() && parsed.set_password(Some(HIDDEN)).is_err() {
        return parsed.scheme().to_owned();
    }
    if in_query {
        let shown = pairs.iter().map(|(name, value)| match name.as_str() {
            "password" => (name.as_str(), HIDDEN),
            name => (name, value.as_str()),
        });
        parsed.query_pairs_mut().clear().extend_pairs(shown);
    }
    parsed.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_in_order_pass() {
        for url in [
            "sqlite:///var/lib/core.sqlite",
            "sqlite::memory:",
            "sqlite://core.sqlite?mode=ro",
            "postgres://u:p%23w@h:5432/db?sslmode=verify-full&sslrootcert=/ca.pem",
            "postgres://u:p@w@h/db?options[search_path]=x",
            "postgresql://u@%2Frun%2Fpostgresql/db",
            "postgres:///db?host=/run/postgresql&user=u@corp",
            "mysql://u:p@h/db?ssl-mode=REQUIRED&ssl-ca=/ca.pem",
        ] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_the_password() {
        for (url, why) in [
            ("oracle://u:pass@h/db", "must be sqlite://…, postgres://… or mysql://…"),
            ("postgres", "must be sqlite://…"),
            ("postgres://u:pass#pass@h/db", "percent-encoded"),
            ("postgres://u:pass/pass@h/db", "percent-encoded"),
            ("postgres://u:12/pass@h/db", "percent-encoded"),
            ("postgres://u:12#pass@h/db", "percent-encoded"),
            ("postgres://u:12?pass@h/db", "percent-encoded"),
            ("postgres://u:pass@h:99:/db", "the port is not a number"),
            ("postgres://u:pass@/db?host=/run", "postgres:///NAME?host=/FOLDER&user=USER"),
            (
                "postgres://u@h/db?sslmod=verify-full",
                "parameter sslmod that PostgreSQL does not support",
            ),
            ("mysql://u@h/db?sslrootcert=/ca", "supported are charset, collation, socket"),
            ("sqlite:///core.sqlite?mod=ro", "parameter mod that SQLite does not support"),
            ("mysql://u@h/db?pass%20pass=1", "has a parameter that MariaDB does not support"),
        ] {
            let message = check(url).unwrap_err();
            assert!(message.contains(why), "{url}: {message}");
            assert!(!message.replace("password", "").contains("pass"), "{message}");
        }
    }

    #[test]
    fn a_place_is_a_host_or_a_socket_and_a_database() {
        for (url, is_valid) in [
            ("sqlite:///core.sqlite", true),
            ("postgres://h/db", true),
            ("postgres:///db?host=/run", true),
            ("postgres://%2Frun/db", true),
            ("postgres:///db", false),
            ("mysql://h/", false),
        ] {
            assert_eq!(check_place(url).is_ok(), is_valid, "{url}");
        }
    }

    #[test]
    fn no_password_of_a_database_is_shown_wherever_it_stands() {
        for (url, shown) in [
            ("sqlite:///a/b.sqlite", "sqlite:///a/b.sqlite"),
            ("postgres://u@h/d?sslmode=require", "postgres://u@h/d?sslmode=require"),
            ("postgres://u:secret@h/d", "postgres://u:***@h/d"),
            ("postgres://u@h/d?password=secret&user=x", "postgres://u@h/d?password=***&user=x"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
