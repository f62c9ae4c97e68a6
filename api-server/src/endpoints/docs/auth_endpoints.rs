//! The section about the auth server: its endpoints, which are not in the OpenAPI document.
//!
//! A test compares the list with what the auth server answers to.

use super::Text;
use maud::{Markup, html};

/// An endpoint of the auth server. In texts code stands between backticks.
pub struct Endpoint {
    /// The methods it answers to, `HEAD` aside.
    pub methods: &'static str,
    /// Its path.
    pub path: &'static str,
    /// What it is for.
    what: &'static str,
    /// Who may call it.
    callers: &'static str,
    /// What it takes, each with what it is.
    parameters: &'static [(&'static str, &'static str)],
    /// What it answers.
    answers: &'static [(&'static str, &'static str)],
    /// The standards that say so: what to show, and where they stand.
    standards: &'static [(&'static str, &'static str)],
}

const RFC6749: (&str, &str) = ("RFC 6749", "https://www.rfc-editor.org/rfc/rfc6749");
const RFC6750: (&str, &str) = ("RFC 6750", "https://www.rfc-editor.org/rfc/rfc6750");
const RFC7009: (&str, &str) = ("RFC 7009", "https://www.rfc-editor.org/rfc/rfc7009");
const RFC7517: (&str, &str) = ("RFC 7517", "https://www.rfc-editor.org/rfc/rfc7517");
const RFC7636: (&str, &str) = ("RFC 7636", "https://www.rfc-editor.org/rfc/rfc7636");
const RFC7662: (&str, &str) = ("RFC 7662", "https://www.rfc-editor.org/rfc/rfc7662");
const RFC8414: (&str, &str) = ("RFC 8414", "https://www.rfc-editor.org/rfc/rfc8414");
const RFC9207: (&str, &str) = ("RFC 9207", "https://www.rfc-editor.org/rfc/rfc9207");
const CONNECT: (&str, &str) =
    ("OpenID Connect Core", "https://openid.net/specs/openid-connect-core-1_0.html");
const DISCOVERY: (&str, &str) =
    ("OpenID Connect Discovery", "https://openid.net/specs/openid-connect-discovery-1_0.html");
const LOG_OUT: (&str, &str) = (
    "OpenID Connect RP-Initiated Logout",
    "https://openid.net/specs/openid-connect-rpinitiated-1_0.html",
);

const METADATA_ANSWER: &[(&str, &str)] =
    &[("200", "JSON: the issuer, the addresses of the endpoints, and what they can do.")];
const PROBLEM_ANSWERS: (&str, &str) = (
    "503",
    "The database cannot be reached: `temporarily_unavailable`. Again after the seconds in \
     `Retry-After`.",
);
const TOO_MANY: (&str, &str) = (
    "429",
    "The network of the caller has failed too often. Again after the seconds in `Retry-After`.",
);
const CLIENT_FAILED: (&str, &str) =
    ("401", "`invalid_client`: the client did not prove who it is.");

/// Every endpoint.
pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        methods: "GET",
        path: "/",
        what: "Leads to this page.",
        callers: "Anybody.",
        parameters: &[],
        answers: &[("303", "The documentation; 200 with a page where its address is not known.")],
        standards: &[],
    },
    Endpoint {
        methods: "POST",
        path: "/oauth2/token",
        what: "Issues tokens for a code, a refresh token, or a name and a password.",
        callers: "Clients, which prove who they are: with a secret in HTTP Basic or in the form, \
                  with a signed assertion (`private_key_jwt`, `aud` is the issuer alone), or with their certificate on the \
                  listener for that. Public clients send their `client_id` alone. Pages may call \
                  it from the origins of public clients.",
        parameters: &[
            (
                "grant_type",
                "`authorization_code`, `refresh_token` or `password`, as the client \
              may.",
            ),
            (
                "code, redirect_uri, code_verifier",
                "For a code: the code, which works once and \
              lives 60 seconds, and what the authorization request was made with.",
            ),
            (
                "refresh_token",
                "For a refresh: the latest one. Each works once, and the answer has \
              the next.",
            ),
            (
                "username, password",
                "For a log-in by a confidential client that was given this \
              grant.",
            ),
            (
                "scope",
                "With a password: `core` or `web`, exactly one of them, and `openid` where \
              an ID token is wanted; `profile`, `email` and `offline_access` are granted as asked, \
              other words ignored. A refresh keeps its scope.",
            ),
        ],
        answers: &[
            (
                "200",
                "JSON: `access_token`, `token_type`, `expires_in`, `scope`, mostly \
              `refresh_token`, and with `openid` an `id_token`.",
            ),
            (
                "400",
                "`invalid_request`, `invalid_grant`, `invalid_scope`, `unauthorized_client` \
              or `unsupported_grant_type`. A wrong password and a locked account look alike.",
            ),
            CLIENT_FAILED,
            TOO_MANY,
            PROBLEM_ANSWERS,
        ],
        standards: &[RFC6749, RFC7636],
    },
    Endpoint {
        methods: "GET, POST",
        path: "/oauth2/authorize",
        what: "Begins the code flow: an application sends its user's browser here, and gets it \
               back with a code.",
        callers: "Browsers, in a window of their own, for a client that may use the code flow.",
        parameters: &[
            ("response_type", "`code`."),
            (
                "client_id, redirect_uri",
                "The client, and one of its registered addresses, \
              exactly; only the port of a loopback address may differ.",
            ),
            (
                "scope",
                "`core` or `web`, exactly one of them, and `openid` where an ID token is \
              wanted.",
            ),
            (
                "code_challenge, code_challenge_method",
                "PKCE, required of every client; the method \
              is `S256`.",
            ),
            ("state, nonce", "Optional: come back with the code, and in the ID token."),
            (
                "prompt, max_age, login_hint, id_token_hint",
                "Optional: whether to ask, how old a \
              log-in may be, and who is expected.",
            ),
        ],
        answers: &[
            (
                "303",
                "To the log-in page; or back to the client with `code`, `state` and `iss`, \
              or with `error` and `error_description`.",
            ),
            ("400", "A page: the client or its address is not known, so nobody is sent there."),
        ],
        standards: &[RFC6749, RFC7636, RFC9207, CONNECT],
    },
    Endpoint {
        methods: "GET, POST",
        path: "/login",
        what: "The page that asks for a name and a password.",
        callers: "Browsers that an authorization request has sent here.",
        parameters: &[
            ("request", "Which authorization request it is for."),
            ("username, password, csrf", "What the form sends."),
        ],
        answers: &[
            ("200", "The page; once more, where name or password are wrong."),
            ("303", "Back to the application."),
            (
                "400, 403, 429",
                "A page: the request is over, the form is not from here, or the \
              network has failed too often.",
            ),
        ],
        standards: &[],
    },
    Endpoint {
        methods: "POST",
        path: "/logout",
        what: "Logs out: the session of the token ends, with its refresh token and the browser's \
               log-in that it came from. After the answer the next call of the API is 401.",
        callers: "Whoever has the access token, alive or expired. Pages may call it from the \
                  origins of public clients.",
        parameters: &[("Authorization", "Header: `Bearer` and the access token.")],
        answers: &[
            ("204", "Logged out, or there was nothing left to end."),
            ("401", "There was no bearer token."),
            PROBLEM_ANSWERS,
        ],
        standards: &[RFC6750],
    },
    Endpoint {
        methods: "GET, POST",
        path: "/oauth2/logout",
        what: "Logs a browser's user out for an application. Without a valid ID token the user is \
               asked first.",
        callers: "Browsers that an application sends here.",
        parameters: &[
            ("id_token_hint", "An ID token of the session that is to end, expired or not."),
            ("client_id", "The client, where there is no ID token."),
            (
                "post_logout_redirect_uri, state",
                "Where to go on: an address that the client has \
              registered, exactly.",
            ),
        ],
        answers: &[
            ("303", "On to the registered address."),
            ("200", "A page: the question, or that the user is logged out."),
            ("400", "A page: the request names another application or address."),
        ],
        standards: &[LOG_OUT],
    },
    Endpoint {
        methods: "POST",
        path: "/oauth2/revoke",
        what: "Gives a token back. Its whole session ends, whichever of its tokens is named.",
        callers: "The client that the token was issued to, which proves who it is as for \
                  `/oauth2/token`. Pages may call it from the origins of public clients.",
        parameters: &[
            ("token", "An access or refresh token."),
            ("token_type_hint", "Optional, and without effect."),
        ],
        answers: &[
            ("200", "The token is dead; unknown ones are answered alike."),
            ("400", "`unauthorized_client`: the token is another client's."),
            CLIENT_FAILED,
            TOO_MANY,
            PROBLEM_ANSWERS,
        ],
        standards: &[RFC7009],
    },
    Endpoint {
        methods: "POST",
        path: "/oauth2/introspect",
        what: "Tells a resource server whether an access token is alive, and whom it speaks for.",
        callers: "Resource servers: confidential clients with this right, which prove who they \
                  are before the token is looked at.",
        parameters: &[
            ("token", "The access token."),
            ("token_type_hint", "Optional, and without effect."),
        ],
        answers: &[
            (
                "200",
                "JSON: `active`, and for a live token `iss`, `sub`, `username`, `client_id`, \
              `scope`, `token_type`, `iat`, `exp`, `user_kind` (`core` or `web`), `user_id` or \
              `contact_id`, `admin` and `dba`. For every other one `{\"active\":false}`.",
            ),
            CLIENT_FAILED,
            ("403", "`access_denied`: the client is no resource server."),
            TOO_MANY,
            PROBLEM_ANSWERS,
        ],
        standards: &[RFC7662],
    },
    Endpoint {
        methods: "GET, POST",
        path: "/oauth2/userinfo",
        what: "Tells an application who is logged in.",
        callers: "Whoever has a live access token with the scope `openid`. Pages may call it from \
                  the origins of public clients.",
        parameters: &[("Authorization", "Header: `Bearer` and the access token.")],
        answers: &[
            (
                "200",
                "JSON: `sub`, `preferred_username`, `user_kind`, and `user_id` or \
              `contact_id`.",
            ),
            ("401", "The token is missing, or not alive."),
            ("403", "`insufficient_scope`: the token came without `openid`."),
            PROBLEM_ANSWERS,
        ],
        standards: &[CONNECT],
    },
    Endpoint {
        methods: "GET",
        path: "/oauth2/jwks",
        what: "The public keys that ID tokens are checked with.",
        callers: "Everybody, from any page too.",
        parameters: &[],
        answers: &[
            ("200", "JSON: the key set. The next key is announced before it is used."),
            PROBLEM_ANSWERS,
        ],
        standards: &[RFC7517],
    },
    Endpoint {
        methods: "GET",
        path: "/.well-known/oauth-authorization-server",
        what: "What the auth server can do, for OAuth libraries.",
        callers: "Everybody, from any page too.",
        parameters: &[],
        answers: METADATA_ANSWER,
        standards: &[RFC8414],
    },
    Endpoint {
        methods: "GET",
        path: "/.well-known/openid-configuration",
        what: "The same document, for OpenID Connect libraries.",
        callers: "Everybody, from any page too.",
        parameters: &[],
        answers: METADATA_ANSWER,
        standards: &[DISCOVERY],
    },
    Endpoint {
        methods: "GET",
        path: "/health/live",
        what: "Whether the process answers.",
        callers: "Everybody.",
        parameters: &[],
        answers: &[("200", "JSON: `status`, which is `live`.")],
        standards: &[],
    },
    Endpoint {
        methods: "GET",
        path: "/health/ready",
        what: "Whether it can work: the database is there and has the schema of this release.",
        callers: "Everybody.",
        parameters: &[],
        answers: &[
            (
                "200",
                "JSON: `status`, which is `ready`, `database_time`, and `failing_tasks`: work of its \
                 own that fails again and again, each with `task` and `failures`.",
            ),
            ("503", "The database is away or has another schema, or the server is stopping."),
        ],
        standards: &[],
    },
];

/// The section.
pub fn section(auth_url: &str) -> Markup {
    let metadata = format!("{auth_url}/.well-known/openid-configuration");
    html! {
        section id="auth-server" aria-labelledby="auth-server-title" {
            h2 id="auth-server-title" { "Auth server" }
            p {
                "Tokens come from " code { (auth_url) } ". Any OAuth 2.0 or OpenID Connect library
                 works from its metadata: " a href=(metadata) { (metadata) } "."
            }
            p {
                "Bodies are forms (" code { "application/x-www-form-urlencoded" } "), and no
                 parameter may stand there twice. Failures are JSON with " code { "error" } " and "
                code { "error_description" } " (RFC 6749, 5.2), pages where a browser is served, and
                 problems where a path or a method is none.
                 Where clients can use certificates, the metadata has the addresses for that in "
                code { "mtls_endpoint_aliases" } "."
            }
            @for endpoint in ENDPOINTS { (endpoint.article()) }
        }
    }
}

impl Endpoint {
    fn article(&self) -> Markup {
        let id = format!("auth{}", self.path.replace(['/', '.'], "-"));
        html! {
            article.endpoint id=(id) {
                h3 {
                    @for method in self.methods.split(", ") {
                        span.method.{ "method-" (method.to_ascii_lowercase()) } { (method) } " "
                    }
                    a href={ "#" (id) } { code { (self.path) } }
                }
                p { (self.what) }
                dl {
                    dt { "Who may call" }
                    dd { (Text(self.callers)) }
                    @if !self.parameters.is_empty() {
                        dt { "Takes" }
                        dd { (pairs(self.parameters)) }
                    }
                    dt { "Answers" }
                    dd { (pairs(self.answers)) }
                    @if !self.standards.is_empty() {
                        dt { "Standard" }
                        dd {
                            @for (index, (name, url)) in self.standards.iter().enumerate() {
                                @if index > 0 { ", " }
                                a href=(url) { (name) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pairs(list: &[(&str, &str)]) -> Markup {
    html! {
        ul.pairs {
            @for (names, text) in list {
                li {
                    @for (index, name) in names.split(", ").enumerate() {
                        @if index > 0 { ", " }
                        code.name { (name) }
                    }
                    " " (Text(text))
                }
            }
        }
    }
}
