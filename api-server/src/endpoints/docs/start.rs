//! The section that gets somebody started: what every client needs, with an example each.

use super::{THIS_SERVER, Text, lines};
use maud::{Markup, html};

/// A topic of the section.
struct Topic {
    /// The last word of its anchor.
    name: &'static str,
    title: &'static str,
    /// Paragraphs, in which code stands between backticks.
    text: &'static [&'static str],
    example: Example,
}

/// What is typed, or read.
enum Example {
    Fixed(&'static str),
    /// With the addresses of the servers, and the client of this page.
    Addressed(fn(&str, &str) -> String),
}

const TOPICS: &[Topic] = &[
    Topic {
        name: "log-in",
        title: "Log in with curl",
        text: &[
            "Ask the auth server for a token with the password grant. It takes a confidential \
             client that was given this grant, and the name and password of a user. `scope=core` \
             logs in a user of the core system, `scope=web` a borrower with web credentials.",
            "The answer is JSON with `access_token`, `expires_in` in seconds, and mostly a \
             `refresh_token`; the example takes the token out of it. A quickstart has its client, \
             users, passwords and the path of its certificate authority in `quickstart.json`.",
        ],
        example: Example::Addressed(log_in_with_curl),
    },
    Topic {
        name: "rust",
        title: "Log in from Rust",
        text: &[
            "The crate `oauth2` speaks with the auth server as it is. This is the code with which \
             `installer verify-auth-server --round-trip` tries a server out.",
        ],
        example: Example::Fixed(include_str!(
            "../../../../installer/src/verification/oauth_client.rs"
        )),
    },
    Topic {
        name: "code-flow",
        title: "Log in from an application",
        text: &[
            "Applications with a browser never see a password. They send their user to the auth \
             server, which sends him back with a code, and exchange the code for a token. PKCE \
             with S256 is required. Any OAuth 2.0 or OpenID Connect library does this from the \
             metadata; the button Authorize of this page does the same.",
            "The redirect address must be registered for the client, exactly as it is sent but \
             for the port of a loopback address. With `openid` in the scope there is an ID token, \
             too. For calls from a page, its origin must be registered, too.",
        ],
        example: Example::Addressed(code_flow),
    },
    Topic {
        name: "sessions",
        title: "How long a log-in lasts",
        text: &[
            "Times are counted from the creation of a token, by the database's clock; `expires_in` \
             says how many seconds are left. An access token of a core-system user lives 12 minutes \
             at most, one of a borrower as long as the setting `web_inactivity_timeout` says \
             (20 minutes unless changed). A session ends where nothing was refreshed for an hour \
             (a borrower's: for the Web Inactivity Timeout), and in any case after 10 hours (a \
             borrower's: 12), unless the installation says otherwise.",
            "A refresh gives another access token and another refresh token: keep both, and use \
             the new one from then on. A lost answer can be fetched again with the same refresh \
             token for a minute, until its successor is used; after that the old one ends the \
             session. `invalid_grant` means that the user has to log in again. A session is \
             refreshed 60 times at once and then 12 times a minute; more is 429.",
            "A log-out, another password, and a user who is disabled end all tokens at once: \
             the next call is 401 `token-invalid`, on every server.",
        ],
        example: Example::Addressed(refresh_with_curl),
    },
    Topic {
        name: "cors",
        title: "Call from a page in a browser",
        text: &[
            "Any page may read the auth server's metadata and `/oauth2/jwks`. Pages of the origins \
             that are registered for public clients (`installer client add --cors-origin`) may call \
             `/oauth2/token`, `/oauth2/revoke`, `/oauth2/userinfo` and `/logout`, without cookies. \
             Other origins get no `Access-Control-Allow-Origin`, and their pages no answer.",
            "This server sends no such headers at all: its own documentation page calls it, and a \
             page of another origin does so through its own server, which holds the tokens.",
        ],
        example: Example::Fixed(
            "installer client add portal --public --grant authorization_code refresh_token \\\n     \
             --user-kind web --redirect-uri https://portal.example.com/callback \\\n     \
             --cors-origin https://portal.example.com",
        ),
    },
    Topic {
        name: "token",
        title: "Send the token",
        text: &[
            "Every operation takes the access token in the header `Authorization`. A token of the \
             core system lives 12 minutes at most, from its creation; one of a borrower as long as \
             the core system's Web Inactivity Timeout. Calls do not prolong it: `expires_in` says \
             how long, and the refresh token gets the next one.",
            "Logging out ends the token at once, for every server.",
        ],
        example: Example::Fixed(
            "curl -H \"Authorization: Bearer $TOKEN\" $API/loans/1\n\
             curl -H \"Authorization: Bearer $TOKEN\" -X POST $AUTH/logout",
        ),
    },
    Topic {
        name: "paging",
        title: "Read a list page by page",
        text: &[
            "Lists are JSON arrays of at most `limit` rows: 100 unless you say otherwise, and 1000 \
             at most. When there are more, the header `Link` has the address of the next page, \
             relative to this server. Follow it as it is; the cursor in it means nothing to \
             clients.",
        ],
        example: Example::Fixed(
            "curl -i -H \"Authorization: Bearer $TOKEN\" \
             \"$API/loans/1/transactions?limit=5\"\n\n\
             # HTTP/2 200\n\
             # link: </loans/1/transactions?limit=5&after=…>; rel=\"next\"",
        ),
    },
    Topic {
        name: "versions",
        title: "Change what you have read",
        text: &[
            "Comments and documents of fields carry a `versionHash`, which is also their `ETag`. \
             Send it back with a PUT or DELETE, in `If-Match` or as `versionHash`: if somebody was \
             faster, the answer is 412 or 409, and nothing was changed.",
            "With `If-None-Match` a GET answers 304 while the version is still the same.",
        ],
        example: Example::Fixed(
            "curl -i -H \"Authorization: Bearer $TOKEN\" $API/loans/collateral/comments/25\n\n\
             # etag: \"6f1ed0…\"\n\
             curl -H \"Authorization: Bearer $TOKEN\" -X DELETE \\\n     \
             -H 'If-Match: \"6f1ed0…\"' $API/loans/collateral/comments/25",
        ),
    },
    Topic {
        name: "repeating",
        title: "Repeat a POST without doing it twice",
        text: &[
            "Where there was no answer, or one that says to try again, nobody knows whether a \
             payment was posted. Send each POST that takes an `Idempotency-Key` with a new one, up to \
             255 printable ASCII characters, and repeat it with the same one and the same body. It is done once; \
             the repeated request gets the first one's answer, with `Idempotency-Replayed: true`. \
             A key stands for one request: with another body, or on another loan, it is refused (422). \
             Answers are kept for 24 hours.",
        ],
        example: Example::Fixed(
            "curl -H \"Authorization: Bearer $TOKEN\" -H \"Content-Type: application/json\" \\\n     \
             -H \"Idempotency-Key: 2024-05-15-L1-1\" \\\n     \
             -d '{\"Amount\": \"652.53\"}' $API/loans/1/transactions/payments",
        ),
    },
    Topic {
        name: "entries",
        title: "Read entries, adjustments and reversals",
        text: &[
            "What is posted is an entry: the rows of a loan's transactions with the same \
             `Transaction_Reference_No`. A payment has a total row (code 120) and a row for each \
             balance that it touched; everything else has one row. An amount is positive; the code \
             says which way it goes. A balance is the sum of its rows, and the loan's row carries it.",
            "An even code is a posting, the odd one after it its reversal. A reversal is an entry \
             of its own with the `Effective_Date` of the original; both stay, and the rows of the \
             original say `Reversed_Flag`, after a returned payment `NSF_Flag`, too. Balances, due \
             rows and dates are what they were before. Only the latest entry that moved interest \
             can be reversed, so several are reversed from the latest on; charges after it stay.",
            "Adjustments are charges, waivers, write-offs, advances, draws and disbursements. The \
             core system posts them, and reverses; this API shows them, and has no operation for \
             either. An integrator that keeps books of its own counts every row, reversed or not.",
        ],
        example: Example::Fixed(
            "curl -H \"Authorization: Bearer $TOKEN\" \"$API/loans/1/transactions?limit=100\"",
        ),
    },
    Topic {
        name: "imports",
        title: "Import a file",
        text: &[
            "`POST /core/xml-import` takes contacts, loans and payments from one file, for the \
             admin account. A file that is not sound is 400 with line and column, and nothing is \
             done. Otherwise the answer is 200, and says in `Failed`, `Committed` and `Records` what \
             came of it: look there, not at the status.",
            "`UpdateFlag` is 0 to insert (the default), 1 to change (what is left out stays), 2 to \
             delete; `##NULL##` clears a value. Each record commits by itself, so one that fails \
             leaves the others; with `CommitBlock=\"1\"` on the root it is all or nothing. With \
             `test=true` everything is tried and nothing is kept.",
            "Send an `Idempotency-Key`. If an import is interrupted, send the same file with the \
             same key: it resumes after the last completed record. For 24 hours after it is done, a \
             repeat gets the same answer. Nothing is sent before the answer, so give a long import time. Four are worked on at \
             once; a further one waits, then is 429. On the embedded database other writers wait \
             for an import of one block, and are told so with 503.",
        ],
        example: Example::Fixed(
            "curl -H \"Authorization: Bearer $TOKEN\" -H \"Content-Type: application/xml\" \\\n     \
             -H \"Idempotency-Key: 2024-05-15-loans\" --data-binary @loans.xml \\\n     \
             \"$API/core/xml-import?test=false\"",
        ),
    },
    Topic {
        name: "values",
        title: "Amounts, dates, and what is not there",
        text: &[
            "Amounts and rates are decimal strings, in requests and in answers: a JSON number would \
             pass through a binary float, and is refused. Dates are `YYYY-MM-DD`, times RFC 3339 \
             in UTC. Today is the business day of the database's clock.",
            "A member without a value is left out, never `null`. Members that nobody knows are \
             refused, so that a slip of the pen does not go unnoticed.",
        ],
        example: Example::Fixed(
            "{\"Payment_Amount\": \"652.53\", \"Current_Interest_Rate\": \"14.07\",\n \
             \"Next_Due_Date\": \"2024-05-15\", \"Created_Date\": \"2024-01-15T09:30:00Z\"}",
        ),
    },
    Topic {
        name: "errors",
        title: "When something is refused",
        text: &[
            "Every failure is a problem document. Decide by `type`, show `detail` and `errors` to \
             people, and quote `requestId` when you ask for help; it is also in the header \
             `X-Request-Id` of every answer.",
        ],
        example: Example::Fixed(
            "HTTP/2 422\n\
             content-type: application/problem+json\n\n\
             {\"type\": \"urn:problem-type:core:overpayment\",\n \
             \"title\": \"The amount exceeds what can be paid\", \"status\": 422,\n \
             \"detail\": \"at most 27015.86 can be paid\",\n \
             \"instance\": \"/loans/1/transactions/payments\", \"requestId\": \"…\",\n \
             \"errors\": [{\"field\": \"Amount\", \"message\": \"must be at most 27015.86\"}]}",
        ),
    },
    Topic {
        name: "rates",
        title: "How often you may ask",
        text: &[
            "An installation may limit the requests of each caller; 429 says that it was too many. \
             429, 423, 409 `idempotency-in-progress` and 503 tell in `Retry-After` after how many \
             seconds the same request may come again.",
        ],
        example: Example::Fixed("HTTP/2 429\nretry-after: 1"),
    },
];

fn log_in_with_curl(auth_url: &str, _client_id: &str) -> String {
    format!(
        "API={THIS_SERVER}\n\
         AUTH={auth_url}\n\
         # only where the certificates are of a CA of your own: ca_certificate of quickstart.json\n\
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
         # 1. the browser goes to\n\
         {auth_url}/oauth2/authorize?response_type=code&client_id={client_id}\
         &redirect_uri=http://127.0.0.1:8765/callback&scope=core&state=…\
         &code_challenge=…&code_challenge_method=S256\n\n\
         # 2. and comes back to\n\
         http://127.0.0.1:8765/callback?code=…&state=…&iss=…\n\n\
         # 3. the application asks for the token\n\
         curl -d grant_type=authorization_code -d client_id={client_id} -d code=… \\\n     \
         -d redirect_uri=http://127.0.0.1:8765/callback -d code_verifier=… \\\n     \
         {auth_url}/oauth2/token"
    )
}

/// The section.
pub fn section(auth_url: &str, client_id: &str) -> Markup {
    html! {
        section id="start" aria-labelledby="start-title" {
            h2 id="start-title" { "Getting started" }
            p {
                "This is the HTTP API in front of the core system's loan servicing database. It
                 speaks JSON, and every operation needs a token of the auth server. "
                a href="#operations" { "Operations" } " has all of them, to be read and tried out; "
                a href="#problems" { "Problems" } " says what to do when one is refused."
            }
            ul.topics {
                @for topic in TOPICS {
                    li { a href={ "#start-" (topic.name) } { (topic.title) } }
                }
            }
            @for topic in TOPICS {
                article id={ "start-" (topic.name) } {
                    h3 { (topic.title) }
                    @for paragraph in topic.text { p { (Text(paragraph)) } }
                    (match topic.example {
                        Example::Fixed(text) => lines(text),
                        Example::Addressed(text) => lines(&text(auth_url, client_id)),
                    })
                }
            }
        }
    }
}
