//! The getting-started section: what every client needs, each topic with an example.

use super::{InlineText, THIS_SERVER, lines};
use maud::{Markup, html};

/// A topic of the section.
struct Topic {
    /// Last part of its anchor.
    name: &'static str,
    title: &'static str,
    /// Paragraphs, with code between backticks.
    text: &'static [&'static str],
    example: CodeExample,
}

/// An example to type or to read.
enum CodeExample {
    Fixed(&'static str),
    /// With the URLs of the servers and the client id of this page.
    Addressed(fn(&str, &str) -> String),
}

const TOPICS: &[Topic] = &[
    Topic {
        name: "log-in",
        title: "Log in with curl",
        text: &[
            "Request a token from the auth server with the password grant. This requires a \
             confidential client that is allowed to use this grant, and a user's name and \
             password. `scope=core` logs in a user of the core system, `scope=web` a borrower with \
             web credentials.",
            "The response is JSON with `access_token`, `expires_in` in seconds, and usually a \
             `refresh_token`; the example extracts the access token. For a quickstart \
             installation, `quickstart.json` lists the client, the users, their passwords and the \
             path of the certificate authority.",
        ],
        example: CodeExample::Addressed(log_in_with_curl),
    },
    Topic {
        name: "rust",
        title: "Log in from Rust",
        text: &[
            "The `oauth2` crate works with the auth server without changes. This is the code that \
             `installer verify-auth-server --round-trip` uses to test a server.",
        ],
        // Included on purpose: the installer runs this very file, so the sample works.
        example: CodeExample::Fixed(include_str!(
            "../../../../installer/src/verification/oauth_client.rs"
        )),
    },
    Topic {
        name: "code-flow",
        title: "Log in from an application",
        text: &[
            "Applications that use a browser never see a password. They send the user to the auth \
             server, which sends the user back with an authorization code, and exchange the code \
             for a token. PKCE with S256 is required. Any OAuth 2.0 or OpenID Connect library can \
             do this once it has read the metadata; the Authorize button on this page does the \
             same.",
            "The redirect URI must be registered for the client exactly as it is sent, except for \
             the port of a loopback address. With `openid` in the scope, the response also \
             contains an ID token. For calls from a web page, the page's origin must be registered \
             too.",
        ],
        example: CodeExample::Addressed(code_flow),
    },
    Topic {
        name: "sessions",
        title: "How long a session lasts",
        text: &[
            "Lifetimes run from the creation of a token, by the database's clock; `expires_in` \
             gives the seconds left. A core-system user's access token lives at most 12 minutes, a \
             borrower's as long as the setting `web_inactivity_timeout` (20 minutes by default). A \
             session ends if it is not refreshed for an hour (a borrower's: for the Web Inactivity \
             Timeout), and in any case after 10 hours (a borrower's: 12), unless the installation \
             is configured otherwise.",
            "A refresh returns a new access token and a new refresh token: store both, and use the \
             new ones from then on. If the response is lost, repeat the request with the same \
             refresh token within a minute and before its successor is used; after that, using the \
             old one ends the session. `invalid_grant` means that the user has to log in again. A \
             session allows a burst of 60 refreshes and then 12 per minute; more are refused with \
             429.",
            "Logging out ends the session, and all others of the same browser log-in; changing a \
             user's password or disabling the user ends all of the user's sessions. The next call \
             with one of their tokens gets 401 `token-invalid`, on every server.",
        ],
        example: CodeExample::Addressed(refresh_with_curl),
    },
    Topic {
        name: "cors",
        title: "Call from a web page",
        text: &[
            "Any page may read the auth server's metadata and `/oauth2/jwks`. Pages from origins \
             registered for public clients (`installer client add --cors-origin`) may call \
             `/oauth2/token`, `/oauth2/revoke`, `/oauth2/userinfo` and `/logout`, without cookies. \
             Other origins get no `Access-Control-Allow-Origin`, so their pages cannot read the \
             response.",
            "This server sends no CORS headers at all: the only web page that can call it directly \
             is its own documentation page. A page of another origin calls it through its own \
             server, which holds the tokens.",
        ],
        example: CodeExample::Fixed(
            "installer client add portal --public --grant authorization_code refresh_token \\\n     \
             --user-kind web --redirect-uri https://portal.example.com/callback \\\n     \
             --cors-origin https://portal.example.com",
        ),
    },
    Topic {
        name: "token",
        title: "Send the token",
        text: &[
            "Every operation expects the access token in the `Authorization` header. A core-system \
             user's token lives at most 12 minutes from its creation, a borrower's as long as the \
             core system's Web Inactivity Timeout. Calls do not extend it: `expires_in` gives its \
             lifetime, and the refresh token gets the next one.",
            "Logging out ends the token immediately, on every server.",
        ],
        example: CodeExample::Fixed(
            "curl -H \"Authorization: Bearer $TOKEN\" $API/loans/1\n\
             curl -H \"Authorization: Bearer $TOKEN\" -X POST $AUTH/logout",
        ),
    },
    Topic {
        name: "paging",
        title: "Read a list page by page",
        text: &[
            "Lists are JSON arrays of at most `limit` rows: 100 by default, 1000 at most. If there \
             are more rows, the `Link` header has the URL of the next page, relative to this \
             server. Follow it as it is; its cursor is opaque to clients.",
        ],
        example: CodeExample::Fixed(
            "curl -i -H \"Authorization: Bearer $TOKEN\" \
             \"$API/loans/1/transactions?limit=5\"\n\n\
             # HTTP/2 200\n\
             # link: </loans/1/transactions?limit=5&after=…>; rel=\"next\"",
        ),
    },
    Topic {
        name: "versions",
        title: "Update without overwriting others' changes",
        text: &[
            "Comments and documents of fields have a `versionHash`, which is also their `ETag`. \
             Send it with a PUT or DELETE, in `If-Match` or as `versionHash`: if the row has \
             changed in the meantime, the response is 412 or 409, and nothing is changed.",
            "With `If-None-Match`, a GET gets 304 while the version is still the same.",
        ],
        example: CodeExample::Fixed(
            "curl -i -H \"Authorization: Bearer $TOKEN\" $API/loans/collateral/comments/25\n\n\
             # etag: \"6f1ed0…\"\n\
             curl -H \"Authorization: Bearer $TOKEN\" -X DELETE \\\n     \
             -H 'If-Match: \"6f1ed0…\"' $API/loans/collateral/comments/25",
        ),
    },
    Topic {
        name: "repeating",
        title: "Retry a POST safely",
        text: &[
            "If there was no response, or one that says to try again, you cannot tell whether a \
             payment was posted. Send each POST that accepts an `Idempotency-Key` with a new key, \
             up to 255 printable ASCII characters, and retry it with the same key and the same \
             body. It is executed once; the retry gets the first response, with \
             `Idempotency-Replayed: true`. A key identifies one request: with another body, or on \
             another loan, it is refused (422). Responses are stored for 24 hours.",
        ],
        example: CodeExample::Fixed(
            "curl -H \"Authorization: Bearer $TOKEN\" -H \"Content-Type: application/json\" \\\n     \
             -H \"Idempotency-Key: 2024-05-15-L1-1\" \\\n     \
             -d '{\"Amount\": \"652.53\"}' $API/loans/1/transactions/payments",
        ),
    },
    Topic {
        name: "entries",
        title: "Read entries, adjustments and reversals",
        text: &[
            "Each posting is an entry: the transactions of a loan with the same \
             `Transaction_Reference_No`. A payment has a total row (code 120) and one row for each \
             balance it affects; an adjustment has one row; a reversal has one row for each row of \
             the entry it reverses. Amounts are positive; the code gives the sign. A balance is \
             the sum of its rows, and is also stored in the loan.",
            "An even code is a posting, and the odd code after it is its reversal. A reversal is a \
             separate entry with the `Effective_Date` of the original; both remain, and the rows \
             of the original have `Reversed_Flag` set, and `NSF_Flag` too after a returned \
             payment. Balances, due rows and dates return to what they were before. Only the \
             latest entry that moved interest can be reversed, so several are reversed starting \
             with the latest; charges after it stay.",
            "Adjustments are charges, waivers, write-offs, advances, draws and disbursements. The \
             core system posts adjustments and reversals; this API shows them, and has no \
             operation for either. An integrator that keeps its own books counts every row, \
             reversed or not.",
        ],
        example: CodeExample::Fixed(
            "curl -H \"Authorization: Bearer $TOKEN\" \"$API/loans/1/transactions?limit=100\"",
        ),
    },
    Topic {
        name: "imports",
        title: "Import a file",
        text: &[
            "`POST /core/xml-import` imports contacts, loans and payments from one file, for the \
             admin account. A malformed file gets 400 with the line and column of the error, and \
             nothing is imported. Otherwise the response is 200, and `Failed`, `Committed` and \
             `Records` report the outcome: check them, not the status.",
            "`UpdateFlag` is 0 to insert (the default), 1 to update (attributes left out keep \
             their values), 2 to delete; `##NULL##` clears a value. Each record commits \
             separately, so a failing record does not affect the others; with `CommitBlock=\"1\"` \
             on the root element it is all or nothing. `test=true` is a dry run: everything is \
             applied and then rolled back.",
            "Send an `Idempotency-Key`. If an import is interrupted, send the same file with the \
             same key: it resumes after the last completed record. For 24 hours after it \
             completes, a retry gets the same response. Nothing is sent before the response, so \
             allow a long import enough time. Four imports run concurrently; a further one waits, \
             and is refused with 429 if it waits too long. On the embedded database, other \
             writers wait for an import of one block and are refused with 503 if it takes too \
             long.",
        ],
        example: CodeExample::Fixed(
            "curl -H \"Authorization: Bearer $TOKEN\" -H \"Content-Type: application/xml\" \\\n     \
             -H \"Idempotency-Key: 2024-05-15-loans\" --data-binary @loans.xml \\\n     \
             \"$API/core/xml-import?test=false\"",
        ),
    },
    Topic {
        name: "values",
        title: "Amounts, dates and missing values",
        text: &[
            "Amounts and rates are decimal strings, in requests and in responses: a JSON number \
             would pass through a binary float, and is refused. Dates are `YYYY-MM-DD`, times RFC \
             3339 in UTC. Today is the business day according to the database's clock.",
            "A member without a value is left out, never `null`. Unknown members are refused, so \
             that a typo does not go unnoticed.",
        ],
        example: CodeExample::Fixed(
            "{\"Payment_Amount\": \"652.53\", \"Current_Interest_Rate\": \"14.07\",\n \
             \"Next_Due_Date\": \"2024-05-15\", \"Created_Date\": \"2024-01-15T09:30:00Z\"}",
        ),
    },
    Topic {
        name: "errors",
        title: "Handle errors",
        text: &[
            "Every failure is a problem document. Branch on `type`, show `detail` and `errors` to \
             people, and quote `requestId` when you ask for help; it is also in the `X-Request-Id` \
             header of every response.",
        ],
        example: CodeExample::Fixed(
            "HTTP/2 422\n\
             content-type: application/problem+json\n\n\
             {\"type\": \"urn:problem-type:core:overpayment\",\n \
             \"title\": \"Overpayment\", \"status\": 422,\n \
             \"detail\": \"at most 27015.86 can be paid\",\n \
             \"instance\": \"/loans/1/transactions/payments\", \"requestId\": \"…\",\n \
             \"errors\": [{\"field\": \"Amount\", \"message\": \"must be at most 27015.86\"}]}",
        ),
    },
    Topic {
        name: "rates",
        title: "Rate limits",
        text: &[
            "An installation may limit the request rate of each caller; requests beyond it are \
             refused with 429. For 429, 423, 409 `idempotency-in-progress` and 503, `Retry-After` \
             gives the number of seconds after which the same request may be sent again.",
        ],
        example: CodeExample::Fixed("HTTP/2 429\nretry-after: 1"),
    },
];

fn log_in_with_curl(auth_url: &str, _client_id: &str) -> String {
    format!(
        "API={THIS_SERVER}\n\
         AUTH={auth_url}\n\
         # only if the certificates are from your own CA: ca_certificate in quickstart.json\n\
         export CURL_CA_BUNDLE=/…/loan-servicing/tls/ca.pem\n\n\
         TOKEN=$(curl -s -u CLIENT_ID:CLIENT_SECRET -d grant_type=password -d scope=core \\\n     \
         -d username=NAME -d password=PASSWORD $AUTH/oauth2/token |\n     \
         sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')"
    )
}

fn refresh_with_curl(auth_url: &str, _client_id: &str) -> String {
    format!(
        "curl -u CLIENT_ID:CLIENT_SECRET -d grant_type=refresh_token -d refresh_token=… \\\n     \
         {auth_url}/oauth2/token\n\
         curl -X POST -H \"Authorization: Bearer $TOKEN\" {auth_url}/logout"
    )
}

fn code_flow(auth_url: &str, client_id: &str) -> String {
    format!(
        "{auth_url}/.well-known/openid-configuration\n\n\
         # 1. the browser opens\n\
         {auth_url}/oauth2/authorize?response_type=code&client_id={client_id}\
         &redirect_uri=http://127.0.0.1:8765/callback&scope=core&state=…\
         &code_challenge=…&code_challenge_method=S256\n\n\
         # 2. and is redirected to\n\
         http://127.0.0.1:8765/callback?code=…&state=…&iss=…\n\n\
         # 3. the application requests the token\n\
         curl -d grant_type=authorization_code -d client_id={client_id} -d code=… \\\n     \
         -d redirect_uri=http://127.0.0.1:8765/callback -d code_verifier=… \\\n     \
         {auth_url}/oauth2/token"
    )
}

/// Returns the section.
pub(super) fn section(auth_url: &str, client_id: &str) -> Markup {
    html! {
        section id="start" aria-labelledby="start-title" {
            h2 id="start-title" { "Getting started" }
            p {
                "This is the HTTP API for the core system's loan servicing database. It uses JSON,
                 and every operation requires a token from the auth server. "
                a href="#operations" { "Operations" } " lists them all, to read and try out; "
                a href="#problems" { "Problems" } " explains what to do when one is refused."
            }
            ul.topics {
                @for topic in TOPICS {
                    li { a href={ "#start-" (topic.name) } { (topic.title) } }
                }
            }
            @for topic in TOPICS {
                article id={ "start-" (topic.name) } {
                    h3 { (topic.title) }
                    @for paragraph in topic.text { p { (InlineText(paragraph)) } }
                    (match topic.example {
                        CodeExample::Fixed(text) => lines(text),
                        CodeExample::Addressed(text) => lines(&text(auth_url, client_id)),
                    })
                }
            }
        }
    }
}
