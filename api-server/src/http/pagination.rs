//! Paged lists: `limit` rows after the opaque cursor `after`, or as many as fit in 8 MiB, and a
//! `Link` to the next page only if there are more rows.

use crate::http::etag::described_header;
use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use poem::http::{HeaderValue, Uri, header::LINK};
use poem::{FromRequest, IntoResponse, Request, RequestBody, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Json;
use poem_openapi::registry::{MetaHeader, MetaResponses, Registry};
use poem_openapi::types::{ToJSON, Type};
use sea_orm::{
    ColumnTrait, ColumnType, Condition, ConnectionTrait, EntityTrait, Iterable, ModelTrait,
    PrimaryKeyToColumn, QueryFilter, QueryOrder, QuerySelect, Select, SelectTwo, Value,
};
use shared::problem::Problem;

const LIMIT_DEFAULT: u64 = 100;
/// Maximum rows per page.
pub const LIMIT_MAX: u64 = 1000;

/// Maximum bytes of a page with more than one row.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// The requested page of a list: the query parameters `limit` and `after`.
#[derive(Clone, Debug)]
pub struct Page {
    limit: u64,
    after: Option<String>,
    uri: Uri,
}

impl<'a> FromRequest<'a> for Page {
    async fn from_request(request: &'a Request, _body: &mut RequestBody) -> poem::Result<Self> {
        Ok(Self::from_query(request.uri())?)
    }
}

/// The parameters as sent in the query.
#[derive(serde::Deserialize)]
struct PageParameters {
    limit: Option<String>,
    after: Option<String>,
}

impl Page {
    /// Reads the page from a query: 1 to 1000 rows, 100 by default; anything else is 400.
    pub(super) fn from_query(uri: &Uri) -> Result<Self, Problem> {
        let parameters: PageParameters =
            serde_urlencoded::from_str(uri.query().unwrap_or_default())
                .map_err(|_| Problem::bad_request("the query is malformed"))?;
        let refused = || {
            let message = format!("must be a whole number from 1 to {LIMIT_MAX}");
            Problem::bad_request("a parameter is malformed").field("limit", message)
        };
        let limit = match parameters.limit {
            None => LIMIT_DEFAULT,
            Some(text) => text.parse().map_err(|_| refused())?,
        };
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(refused());
        }
        Ok(Self { limit, after: parameters.after, uri: uri.clone() })
    }

    /// Number of rows to fetch: one more than the page, to detect further rows.
    pub fn rows_to_fetch(&self) -> u64 {
        self.limit + 1
    }

    /// Returns the sort key of the previous page's last row; an invalid cursor is 400.
    pub fn after<const N: usize>(&self) -> Result<Option<[String; N]>, Problem> {
        self.after.as_deref().map(Cursor::parse).transpose()
    }

    /// Returns the page's rows, with a link to the next page if one more row was found.
    pub fn of<T>(&self, mut rows: Vec<T>, cursor: impl Fn(&T) -> Cursor) -> List<T> {
        let more = rows.len() as u64 > self.limit;
        rows.truncate(self.limit as usize);
        List { cursors: rows.iter().map(cursor).collect(), rows, more, uri: self.uri.clone() }
    }

    /// Maximum number of rows on the page.
    pub fn rows_max(&self) -> usize {
        self.limit as usize
    }

    /// Returns a page of these rows, of which there may be fewer than the limit although more
    /// follow.
    pub fn of_some<T>(&self, rows: Vec<(Cursor, T)>, more: bool) -> List<T> {
        let (cursors, rows) = rows.into_iter().unzip();
        List { rows, cursors, more, uri: self.uri.clone() }
    }

    /// Returns the page of these rows in key order.
    pub async fn by_key<E: EntityTrait>(
        &self,
        rows: Select<E>,
        db: &impl ConnectionTrait,
    ) -> Result<List<E::Model>, Problem> {
        let key = key_column::<E>()?;
        let rows = self.after_key(rows, key)?.all(db).await?;
        Ok(self.of(rows, |row| Cursor::new(&[&key_text(&row.get(key))])))
    }

    /// Returns the page of these rows in key order, each with the row of another table that was
    /// selected with it.
    pub async fn by_key_with<E: EntityTrait, F: EntityTrait>(
        &self,
        rows: SelectTwo<E, F>,
        db: &impl ConnectionTrait,
    ) -> Result<List<(E::Model, Option<F::Model>)>, Problem> {
        let key = key_column::<E>()?;
        let rows = self.after_key(rows, key)?.all(db).await?;
        Ok(self.of(rows, |(row, _)| Cursor::new(&[&key_text(&row.get(key))])))
    }

    /// Restricts a query to the page's rows and one more.
    fn after_key<S: QueryFilter + QueryOrder + QuerySelect>(
        &self,
        rows: S,
        key: impl ColumnTrait,
    ) -> Result<S, Problem> {
        let after = match self.after()? {
            None => None,
            Some([last]) => Some(key.gt(key_value(&key, last)?)),
        };
        let rows = rows.filter(Condition::all().add_option(after)).order_by_asc(key);
        Ok(rows.limit(self.rows_to_fetch()))
    }
}

/// The column of a table's key.
fn key_column<E: EntityTrait>() -> Result<E::Column, Problem> {
    let key = E::PrimaryKey::iter().next();
    key.map(PrimaryKeyToColumn::into_column)
        .ok_or_else(|| Problem::internal("a table without a key"))
}

fn key_text(key: &Value) -> String {
    match key {
        Value::BigInt(Some(id)) => id.to_string(),
        Value::Int(Some(id)) => id.to_string(),
        Value::String(Some(code)) => code.clone(),
        other => other.to_string(),
    }
}

fn key_value(column: &impl ColumnTrait, text: String) -> Result<Value, Problem> {
    match column.def().get_column_type() {
        ColumnType::BigInteger => {
            text.parse::<i64>().map(Value::from).map_err(|_| invalid_cursor())
        }
        ColumnType::Integer => text.parse::<i32>().map(Value::from).map_err(|_| invalid_cursor()),
        _ => Ok(Value::from(text)),
    }
}

/// The problem of a request with a cursor of another list.
pub fn invalid_cursor() -> Problem {
    Problem::bad_request("after is not a cursor of this list")
        .field("after", "must come from the Link header of the previous page")
}

/// Position where a page ended: the sort key of its last row. Opaque to clients, so that it can
/// change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(Vec<String>);

impl Cursor {
    /// Returns the cursor after a row with this sort key.
    pub fn new(key: &[&dyn ToString]) -> Self {
        Self(key.iter().map(|part| part.to_string()).collect())
    }

    /// Reads the sort key from a cursor that a client sent back; anything else is 400.
    fn parse<const N: usize>(text: &str) -> Result<[String; N], Problem> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| invalid_cursor())?;
        let (check, key) = bytes.split_at_checked(4).ok_or_else(invalid_cursor)?;
        if check != checksum(key) {
            return Err(invalid_cursor());
        }
        let parts: Vec<String> = serde_json::from_slice(key).map_err(|_| invalid_cursor())?;
        if parts.iter().any(|part| part.contains('\0')) {
            return Err(invalid_cursor());
        }
        parts.try_into().map_err(|_| invalid_cursor())
    }

    pub(super) fn text(&self) -> String {
        let key = serde_json::json!(self.0).to_string().into_bytes();
        URL_SAFE_NO_PAD.encode([checksum(&key).as_slice(), &key].concat())
    }
}

fn checksum(key: &[u8]) -> [u8; 4] {
    let mut check = [0; 4];
    check.copy_from_slice(&digest::digest(&digest::SHA256, key).as_ref()[..4]);
    check
}

/// Builds `</path?query>; rel="next"`, with the other parameters as the client sent them. Header
/// values are ASCII only, and some clients send other characters unencoded.
fn next_link(uri: &Uri, cursor: &Cursor) -> String {
    let others = uri.query().unwrap_or_default().split('&');
    let others = others.filter(|pair| !pair.is_empty() && !is_cursor(pair));
    let after = format!("after={}", cursor.text());
    let query: Vec<&str> = others.chain([after.as_str()]).collect();
    let link = format!("<{}?{}>; rel=\"next\"", uri.path(), query.join("&"));
    let encoded = link.bytes().map(|byte| match byte.is_ascii() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    encoded.collect()
}

/// True for the parameter `after`, however its name is encoded.
fn is_cursor(pair: &str) -> bool {
    let decoded: Result<Vec<(String, String)>, _> = serde_urlencoded::from_str(pair);
    decoded.is_ok_and(|pairs| pairs.iter().any(|(name, _)| name == "after"))
}

/// A page of a list: a JSON array, and a `Link` header if there is a next page.
#[derive(Debug)]
pub struct List<T> {
    rows: Vec<T>,
    /// The cursor after each row, should the page end there.
    cursors: Vec<Cursor>,
    /// More rows follow.
    more: bool,
    uri: Uri,
}

impl<T> List<T> {
    /// Returns the same page with each row converted.
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> List<U> {
        let Self { rows, cursors, more, uri } = self;
        List { rows: rows.into_iter().map(convert).collect(), cursors, more, uri }
    }

    /// Returns the same page with each row converted by a function that can fail.
    pub fn try_map<U, E>(self, convert: impl FnMut(T) -> Result<U, E>) -> Result<List<U>, E> {
        let Self { rows, cursors, more, uri } = self;
        let rows: Result<_, E> = rows.into_iter().map(convert).collect();
        Ok(List { rows: rows?, cursors, more, uri })
    }

    /// Returns the same page with each row converted, without those that are gone. The next page
    /// begins where it would have begun with them.
    pub fn filter_map<U>(self, mut convert: impl FnMut(T) -> Option<U>) -> List<U> {
        let Self { rows, cursors, more, uri } = self;
        let rows = rows.into_iter().zip(cursors);
        let (rows, cursors) =
            rows.filter_map(|(row, cursor)| Some((convert(row)?, cursor))).unzip();
        List { rows, cursors, more, uri }
    }

    pub fn rows(&self) -> &[T] {
        &self.rows
    }

    /// Returns the keys of the page's first and last row, so that related rows are read by this
    /// range in one statement. The range of an empty page contains no key.
    pub fn span(&self, key: impl Fn(&T) -> i64) -> (i64, i64) {
        match (self.rows.first(), self.rows.last()) {
            (Some(first), Some(last)) => (key(first), key(last)),
            _ => (0, -1),
        }
    }
}

impl<T: ToJSON> List<T> {
    /// Returns the array of as many rows as fit, and the cursor after the last of them if there are
    /// more.
    fn into_json(self, bytes_max: usize) -> serde_json::Result<(Vec<u8>, Option<Cursor>)> {
        let (mut json, mut count) = (b"[".to_vec(), 0);
        for row in &self.rows {
            let row = serde_json::to_vec(&row.to_json())?;
            if count > 0 && json.len() + row.len() + 2 > bytes_max {
                break;
            }
            if count > 0 {
                json.push(b',');
            }
            json.extend_from_slice(&row);
            count += 1;
        }
        json.push(b']');
        let more = self.more || count < self.rows.len();
        let last = count.checked_sub(1).filter(|_| more);
        Ok((json, last.and_then(|last| self.cursors.into_iter().nth(last))))
    }
}

impl<T: ToJSON> IntoResponse for List<T> {
    fn into_response(self) -> Response {
        let uri = self.uri.clone();
        let (json, next) = match self.into_json(BYTES_MAX) {
            Ok(page) => page,
            Err(error) => return Problem::internal(error).into_response(),
        };
        let mut response =
            Response::builder().content_type("application/json; charset=utf-8").body(json);
        let next = next.map(|cursor| next_link(&uri, &cursor));
        if let Some(link) = next.and_then(|link| HeaderValue::from_str(&link).ok()) {
            response.headers_mut().insert(LINK, link);
        }
        response
    }
}

impl<T: ToJSON> ApiResponse for List<T> {
    fn meta() -> MetaResponses {
        let mut meta = Json::<Vec<T>>::meta();
        for response in &mut meta.responses {
            response.description = "A page of rows.";
            let description = "`rel=\"next\"`: URL of the next page; absent on the last page";
            let header = described_header("Link", description);
            response.headers.push(MetaHeader { required: false, ..header });
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
        let cursor = Cursor::new(&[&"a|\"b\"", &17]);
        let parsed: [String; 2] = Cursor::parse(&cursor.text()).unwrap();
        assert_eq!(parsed, ["a|\"b\"", "17"]);
        assert!(Cursor::parse::<3>(&cursor.text()).is_err());
        for wrong in ["", "x", "AAAAAAAA", "17", "ä", &Cursor::new(&[&"\0"]).text()] {
            assert!(Cursor::parse::<1>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_next_link_keeps_the_other_parameters() {
        let uri: Uri = "/loans/1/transactions?limit=2&after=old&from=2024-01-01".parse().unwrap();
        let page = Page::from_query(&uri).unwrap();
        let list = page.of(vec![1, 2, 3], |id| Cursor::new(&[id]));
        assert_eq!(list.rows, [1, 2]);
        let response = list.into_response();
        let link = response.headers()[LINK].to_str().unwrap();
        assert!(
            link.starts_with("</loans/1/transactions?limit=2&from=2024-01-01&after="),
            "{link}"
        );
        let last = page.of(vec![1, 2], |id| Cursor::new(&[id])).into_response();
        assert!(!last.headers().contains_key(LINK));
    }

    #[test]
    fn a_page_ends_where_its_bytes_do_and_has_a_row_in_any_case() {
        let page = Page::from_query(&"/comments".parse().unwrap()).unwrap();
        let rows = || {
            let rows = [1, 2, 3].map(|id| (id, id.to_string().repeat(10))).to_vec();
            page.of(rows, |(id, _)| Cursor::new(&[id])).map(|(_, text)| text)
        };
        let cut = |bytes_max: usize| {
            let (json, next) = rows().into_json(bytes_max).unwrap();
            assert!(json.len() <= bytes_max.max(14), "{}", json.len());
            let texts: Vec<String> = serde_json::from_slice(&json).unwrap();
            (texts.len(), next.map(|next| next.0))
        };
        assert_eq!(cut(1000), (3, None));
        assert_eq!(cut(40), (3, None));
        assert_eq!(cut(39), (2, Some(vec!["2".to_owned()])));
        assert_eq!(cut(0), (1, Some(vec!["1".to_owned()])));
    }

    #[test]
    fn the_next_link_is_ascii_and_has_one_cursor_however_the_query_was_spelt() {
        let cursor = Cursor::new(&[&1]);
        let uri: Uri = "/users?name=ä&%61fter=old&limit=1".parse().unwrap();
        let link = next_link(&uri, &cursor);
        assert_eq!(
            link,
            format!("</users?name=%C3%A4&limit=1&after={}>; rel=\"next\"", cursor.text())
        );
        assert!(HeaderValue::from_str(&link).is_ok());
    }
}
