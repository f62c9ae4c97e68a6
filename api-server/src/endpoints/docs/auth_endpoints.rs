//! The auth server section: its endpoints, which are not in the OpenAPI document.
//!
//! A test compares the list with the auth server's routes.

use super::InlineText;
use maud::{Markup, html};

/// An endpoint of the auth server. Texts have code between backticks.
pub struct Endpoint {
    /// Supported methods, without `HEAD`.
    pub methods: &'static str,
    pub path: &'static str,
    purpose: &'static str,
    callers: &'static str,
    /// Parameters, each with a description.
    parameters: &'static [(&'static str, &'static str)],
    responses: &'static [(&'static str, &'static str)],
    /// Standards that define it: name and URL.
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

const METADATA_RESPONSE: &[(&str, &str)] =
    &[("200", "JSON: the issuer, the URLs of the endpoints, and their capabilities.")];
const DATABASE_UNAVAILABLE: (&str, &str) = (
    "503",
    "`temporarily_unavailable`: the database cannot be reached. Try again after the seconds in \
     `Retry-After`.",
);
const TOO_MANY: (&str, &str) = (
    "429",
    "Too many failures from the caller's network. Try again after the seconds in `Retry-After`.",
);
const CLIENT_FAILED: (&str, &str) = ("401", "`invalid_client`: client authentication failed.");

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        methods: "GET",
        path: "/",
        purpose: "Redirects to this page.",
        callers: "Anyone.",
        parameters: &[],
        responses: &[(
            "303",
            "To the documentation; 200 with a page if its URL is not configured.",
        )],
        standards: &[],
    },
    Endpoint {
        methods: "POST",
        path: "/oauth2/token",
        purpose: "Issues tokens for an authorization code, a refresh token, or a user name and \
                  password.",
        callers: "Clients, which authenticate with a secret in HTTP Basic or in the form, with a \
                  signed assertion (`private_key_jwt`; `aud` is the issuer only), or with their \
                  certificate on the mutual-TLS listener. Public clients send only their \
                  `client_id`. Pages may call it from the origins of public clients.",
        parameters: &[
            (
                "grant_type",
                "`authorization_code`, `refresh_token` or `password`, as allowed for the client.",
            ),
            (
                "code, redirect_uri, code_verifier",
                "For a code: the authorization code, which works once and expires after 60 \
                 seconds, and the redirect URI and code verifier of the authorization request.",
            ),
            (
                "refresh_token",
                "For a refresh: the latest refresh token. The response contains its successor. \
                 Sending the old token again ends the session, except within a minute while the \
                 successor is unused.",
            ),
            (
                "username, password",
                "For the password grant, by a confidential client that is allowed to use it.",
            ),
            (
                "scope",
                "With a password: exactly one of `core` and `web`, and `openid` for an ID token; \
                 `profile`, `email` and `offline_access` are granted as requested, other scopes \
                 ignored. A refresh keeps its scope.",
            ),
        ],
        responses: &[
            (
                "200",
                "JSON: `access_token`, `token_type`, `expires_in`, `scope`, usually \
                 `refresh_token`, and with `openid` an `id_token`.",
            ),
            (
                "400",
                "`invalid_request`, `invalid_grant`, `invalid_scope`, `unauthorized_client` \
              or `unsupported_grant_type`. A wrong password and a locked account are indistinguishable.",
            ),
            CLIENT_FAILED,
            TOO_MANY,
            DATABASE_UNAVAILABLE,
        ],
        standards: &[RFC6749, RFC7636],
    },
    Endpoint {
        methods: "GET, POST",
        path: "/oauth2/authorize",
        purpose: "Starts the authorization code flow: an application sends the user's browser \
                  here, and the browser returns with a code.",
        callers: "Browsers, in a top-level window, for a client that may use the authorization \
                  code flow.",
        parameters: &[
            ("response_type", "`code`."),
            (
                "client_id, redirect_uri",
                "The client, and exactly one of its registered redirect URIs; only the port of a \
                 loopback address may differ.",
            ),
            ("scope", "Exactly one of `core` and `web`, and `openid` for an ID token."),
            (
                "code_challenge, code_challenge_method",
                "PKCE, required of every client; the method is `S256`.",
            ),
            (
                "state, nonce",
                "Optional: `state` is returned with the code, `nonce` in the ID token.",
            ),
            (
                "prompt, max_age, login_hint, id_token_hint",
                "Optional: whether to prompt, how old a log-in may be, and which user is \
                 expected.",
            ),
        ],
        responses: &[
            (
                "303",
                "To the log-in page; or back to the client with `code`, `state` and `iss`, \
              or with `error` and `error_description`.",
            ),
            (
                "400",
                "A page: the client or its redirect URI is unknown, so the browser is not \
                 redirected.",
            ),
        ],
        standards: &[RFC6749, RFC7636, RFC9207, CONNECT],
    },
    Endpoint {
        methods: "GET, POST",
        path: "/login",
        purpose: "The log-in page, which asks for a user name and password.",
        callers: "Browsers redirected here by an authorization request.",
        parameters: &[
            ("request", "The authorization request that the log-in is for."),
            ("username, password, csrf", "The form fields."),
        ],
        responses: &[
            ("200", "The page; shown again if the user name or password is wrong."),
            ("303", "Back to the application."),
            (
                "400, 403, 429",
                "A page: the request is no longer valid, the form is not from this server, or \
                 there are too many failures from the network.",
            ),
        ],
        standards: &[],
    },
    Endpoint {
        methods: "POST",
        path: "/logout",
        purpose: "Logs out: ends the token's session, with its refresh token and the browser \
                  log-in it came from. After the response, the next call to the API gets 401.",
        callers: "Any holder of the access token, live or expired. Pages may call it from the \
                  origins of public clients.",
        parameters: &[("Authorization", "Header: `Bearer` and the access token.")],
        responses: &[
            ("204", "Logged out, or there was no session to end."),
            ("401", "The bearer token is missing."),
            DATABASE_UNAVAILABLE,
        ],
        standards: &[RFC6750],
    },
    Endpoint {
        methods: "GET, POST",
        path: "/oauth2/logout",
        purpose: "Logs out a browser's user on behalf of an application. Without a valid ID token, \
                  the user is asked first.",
        callers: "Browsers that an application sends here.",
        parameters: &[
            ("id_token_hint", "An ID token of the session to end, expired or not."),
            ("client_id", "The client, if there is no ID token."),
            (
                "post_logout_redirect_uri, state",
                "Where to continue: exactly one of the client's registered URIs.",
            ),
        ],
        responses: &[
            ("303", "On to the registered URI."),
            ("200", "A page: the confirmation prompt, or the notice that the user is logged out."),
            ("400", "A page: the request names another application or URI."),
        ],
        standards: &[LOG_OUT],
    },
    Endpoint {
        methods: "POST",
        path: "/oauth2/revoke",
        purpose: "Revokes a token. Its whole session ends, whichever of its tokens is named.",
        callers: "The client that the token was issued to, which authenticates as for \
                  `/oauth2/token`. Pages may call it from the origins of public clients.",
        parameters: &[
            ("token", "An access or refresh token."),
            ("token_type_hint", "Optional, without effect."),
        ],
        responses: &[
            ("200", "The token is revoked; the response is the same for an unknown token."),
            ("400", "`unauthorized_client`: the token belongs to another client."),
            CLIENT_FAILED,
            TOO_MANY,
            DATABASE_UNAVAILABLE,
        ],
        standards: &[RFC7009],
    },
    Endpoint {
        methods: "POST",
        path: "/oauth2/introspect",
        purpose: "Tells a resource server whether an access token is live, and which user it \
                  represents.",
        callers: "Resource servers: confidential clients with this right, which authenticate \
                  before the token is examined.",
        parameters: &[
            ("token", "The access token."),
            ("token_type_hint", "Optional, without effect."),
        ],
        responses: &[
            (
                "200",
                "JSON: `active`, and for a live token `iss`, `sub`, `username`, `client_id`, \
                 `scope`, `token_type`, `iat`, `exp`, `user_kind` (`core` or `web`), `user_id` or \
                 `contact_id`, `admin` and `dba`. For any other token, `{\"active\":false}`.",
            ),
            CLIENT_FAILED,
            ("403", "`access_denied`: the client is not a resource server."),
            TOO_MANY,
            DATABASE_UNAVAILABLE,
        ],
        standards: &[RFC7662],
    },
    Endpoint {
        methods: "POST",
        path: "/oauth2/introspect-many",
        purpose: "Introspects up to 64 access tokens at once, each as `/oauth2/introspect` does. \
                  For the api-server, under load.",
        callers: "Resource servers, as for `/oauth2/introspect`.",
        parameters: &[("tokens", "The access tokens, separated by spaces.")],
        responses: &[
            ("200", "A JSON array with the answer for each token, in the order of the request."),
            ("400", "`invalid_request`: there are no tokens, or more than 64."),
            CLIENT_FAILED,
            ("403", "`access_denied`: the client is not a resource server."),
            TOO_MANY,
            DATABASE_UNAVAILABLE,
        ],
        standards: &[],
    },
    Endpoint {
        methods: "GET, POST",
        path: "/oauth2/userinfo",
        purpose: "Tells an application which user is logged in.",
        callers: "Any holder of a live access token with the scope `openid`. Pages may call it \
                  from the origins of public clients.",
        parameters: &[("Authorization", "Header: `Bearer` and the access token.")],
        responses: &[
            (
                "200",
                "JSON: `sub`, `preferred_username`, `user_kind`, and `user_id` or \
              `contact_id`.",
            ),
            ("401", "The token is missing, or is not live."),
            ("403", "`insufficient_scope`: the token does not have the scope `openid`."),
            DATABASE_UNAVAILABLE,
        ],
        standards: &[CONNECT],
    },
    Endpoint {
        methods: "GET",
        path: "/oauth2/jwks",
        purpose: "Returns the public keys for verifying ID tokens.",
        callers: "Anyone, including any web page.",
        parameters: &[],
        responses: &[
            ("200", "JSON: the key set. The next key is announced before it is used."),
            DATABASE_UNAVAILABLE,
        ],
        standards: &[RFC7517],
    },
    Endpoint {
        methods: "GET",
        path: "/.well-known/oauth-authorization-server",
        purpose: "Returns the auth server's metadata, for OAuth libraries.",
        callers: "Anyone, including any web page.",
        parameters: &[],
        responses: METADATA_RESPONSE,
        standards: &[RFC8414],
    },
    Endpoint {
        methods: "GET",
        path: "/.well-known/openid-configuration",
        purpose: "Returns the same metadata, for OpenID Connect libraries.",
        callers: "Anyone, including any web page.",
        parameters: &[],
        responses: METADATA_RESPONSE,
        standards: &[DISCOVERY],
    },
    Endpoint {
        methods: "GET",
        path: "/health/live",
        purpose: "Reports that the process responds.",
        callers: "Anyone.",
        parameters: &[],
        responses: &[("200", "JSON: `status`, which is `live`.")],
        standards: &[],
    },
    Endpoint {
        methods: "GET",
        path: "/health/ready",
        purpose: "Reports whether the server is ready: the database can be reached and written to, \
                  and has the schema of this release.",
        callers: "Anyone.",
        parameters: &[],
        responses: &[
            (
                "200",
                "JSON: `status`, which is `ready`, `database_time`, and `failing_tasks`: \
                 background tasks that fail repeatedly, each with `task` and `failures`.",
            ),
            (
                "503",
                "The database cannot be reached or written to, or has another schema; or the \
                 server is stopping.",
            ),
        ],
        standards: &[],
    },
];

pub fn section(auth_url: &str) -> Markup {
    let metadata = format!("{auth_url}/.well-known/openid-configuration");
    html! {
        section id="auth-server" aria-labelledby="auth-server-title" {
            h2 id="auth-server-title" { "Auth server" }
            p {
                "Tokens come from " code { (auth_url) } ". Any OAuth 2.0 or OpenID Connect library
                 can configure itself from its metadata: " a href=(metadata) { (metadata) } "."
            }
            p {
                "Bodies are forms (" code { "application/x-www-form-urlencoded" } "), and no
                 parameter may appear twice. Failures are JSON with " code { "error" } " and "
                code { "error_description" } " (RFC 6749, 5.2), pages for browsers, and problems
                 for unknown paths and methods.
                 If clients can use certificates, the metadata has the URLs for them in "
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
                p { (InlineText(self.purpose)) }
                dl {
                    dt { "Who may call" }
                    dd { (InlineText(self.callers)) }
                    @if !self.parameters.is_empty() {
                        dt { "Parameters" }
                        dd { (pairs(self.parameters)) }
                    }
                    dt { "Responses" }
                    dd { (pairs(self.responses)) }
                    @if !self.standards.is_empty() {
                        dt { "Standards" }
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
                    " " (InlineText(text))
                }
            }
        }
    }
}
