//! Lists in pages: `limit` rows after the opaque cursor `after`, and a `Link` to the next page only
//! when there are more rows.

use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use poem::http::{HeaderValue, Uri, header::LINK};
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Json;
use poem_openapi::registry::{MetaHeader, MetaResponses, MetaSchemaRef, Registry};
use poem_openapi::types::{ToJSON, Type};
use shared::problem::Problem;

/// Rows of a page when the client does not say.
const LIMIT_DEFAULT: u64 = 100;
/// Most rows of a page.
const LIMIT_MAX: u64 = 1000;

/// Which page of a list.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    limit: u64,
}

impl Page {
    /// A page of so many rows: 1 to 1000, 100 where the client does not say; else 400.
    pub fn new(limit: Option<u64>) -> Result<Self, Problem> {
        let limit = limit.unwrap_or(LIMIT_DEFAULT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            let detail = format!("limit must be 1 to {LIMIT_MAX}");
            return Err(Problem::bad_request(detail.clone()).field("limit", detail));
        }
        Ok(Self { limit })
    }

    /// How many rows to ask the database for: one more, to see whether there are more.
    pub fn rows_wanted(self) -> u64 {
        self.limit + 1
    }

    /// The page's rows, and a link to the next page if one row more was found.
    pub fn of<T>(self, mut rows: Vec<T>, uri: &Uri, cursor: impl Fn(&T) -> Cursor) -> List<T> {
        let more = rows.len() as u64 > self.limit;
        rows.truncate(self.limit as usize);
        let next = rows.last().filter(|_| more).map(|last| next_link(uri, &cursor(last)));
        List { rows, next }
    }
}

/// Where a page ended: the sort key of its last row. Opaque to clients, so that it can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(Vec<String>);

impl Cursor {
    /// The cursor behind a row with this sort key.
    pub fn new(key: &[&dyn ToString]) -> Self {
        Self(key.iter().map(|part| part.to_string()).collect())
    }

    /// The sort key in a cursor that a client sent back; anything else is 400.
    pub fn parse<const N: usize>(text: &str) -> Result<[String; N], Problem> {
        let refused = || {
            Problem::bad_request("after is no cursor of this list")
                .field("after", "take it from the Link header of the page before")
        };
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| refused())?;
        let (check, key) = bytes.split_at_checked(4).ok_or_else(refused)?;
        if check != checksum(key) {
            return Err(refused());
        }
        let key = String::from_utf8(key.to_vec()).map_err(|_| refused())?;
        let parts: Vec<String> = key.split('|').map(str::to_owned).collect();
        parts.try_into().map_err(|_| refused())
    }

    fn text(&self) -> String {
        let key = self.0.join("|").into_bytes();
        URL_SAFE_NO_PAD.encode([checksum(&key).as_slice(), &key].concat())
    }
}

fn checksum(key: &[u8]) -> [u8; 4] {
    let mut check = [0; 4];
    check.copy_from_slice(&digest::digest(&digest::SHA256, key).as_ref()[..4]);
    check
}

/// `</path?query>; rel="next"`, with the other parameters as the client sent them.
fn next_link(uri: &Uri, cursor: &Cursor) -> String {
    let kept = uri.query().unwrap_or_default().split('&');
    let kept = kept.filter(|pair| !pair.is_empty() && pair.split('=').next() != Some("after"));
    let after = format!("after={}", cursor.text());
    let query: Vec<&str> = kept.chain([after.as_str()]).collect();
    format!("<{}?{}>; rel=\"next\"", uri.path(), query.join("&"))
}

/// A page of a list: a JSON array, and a `Link` header when there is a next page.
#[derive(Debug)]
pub struct List<T> {
    rows: Vec<T>,
    next: Option<String>,
}

impl<T: ToJSON> IntoResponse for List<T> {
    fn into_response(self) -> Response {
        let mut response = Json(self.rows).into_response();
        if let Some(link) = self.next.and_then(|link| HeaderValue::from_str(&link).ok()) {
            response.headers_mut().insert(LINK, link);
        }
        response
    }
}

impl<T: ToJSON> ApiResponse for List<T> {
    fn meta() -> MetaResponses {
        let mut meta = Json::<Vec<T>>::meta();
        for response in &mut meta.responses {
            response.description = "A page of the list.";
            response.headers.push(MetaHeader {
                name: "Link".to_owned(),
                description: Some(
                    "`rel=\"next\"`: the next page; absent on the last one".to_owned(),
                ),
                required: false,
                deprecated: false,
                schema: MetaSchemaRef::Inline(Box::new(poem_openapi::registry::MetaSchema::new(
                    "string",
                ))),
            });
        }
        meta
    }

    fn register(registry: &mut Registry) {
        <Vec<T> as Type>::register(registry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_anything_else_is_refused() {
        let cursor = Cursor::new(&[&"2024-02-15", &17]);
        let parsed: [String; 2] = Cursor::parse(&cursor.text()).unwrap();
        assert_eq!(parsed, ["2024-02-15", "17"]);
        assert!(Cursor::parse::<3>(&cursor.text()).is_err());
        for wrong in ["", "x", "AAAAAAAA", "17", "ä"] {
            assert!(Cursor::parse::<1>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_next_link_keeps_the_other_parameters() {
        let uri: Uri = "/loans/1/transactions?limit=2&after=old&from=2024-01-01".parse().unwrap();
        let page = Page::new(Some(2)).unwrap().of(vec![1, 2, 3], &uri, |id| Cursor::new(&[id]));
        assert_eq!(page.rows, [1, 2]);
        let link = page.next.unwrap();
        assert!(
            link.starts_with("</loans/1/transactions?limit=2&from=2024-01-01&after="),
            "{link}"
        );
        let last = Page::new(Some(2)).unwrap().of(vec![1, 2], &uri, |id| Cursor::new(&[id]));
        assert_eq!(last.next, None);
    }
}
