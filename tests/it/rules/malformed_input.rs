//! Garbage in paths, queries and bodies: every operation of the served document answers with a
//! problem, or as if there were no such row, and never with a server failure.

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::{TestResponse, World, on_each_database};
use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};

/// Deals values out: each place gets every third, and the next place those after them.
#[derive(Default)]
struct Deal(usize);

impl Deal {
    fn next<'a, T>(&mut self, values: &'a [T]) -> impl Iterator<Item = &'a T> + use<'a, T> {
        self.0 += 1;
        values.iter().skip(self.0 % 3).step_by(3)
    }
}

/// A read operation: its path in the document, the path of an existing row, its parameters.
struct ReadOperation {
    id: String,
    pattern: String,
    path: String,
    parameters: Vec<Parameter>,
}

struct Parameter {
    name: String,
    location: String,
    kind: String,
}

/// A value for a parameter, and the statuses that may result.
type MalformedValue = (&'static str, &'static [u16]);

const IDS: &[MalformedValue] = &[
    ("", &[404]),
    ("0", &[404]),
    ("-1", &[404]),
    ("9223372036854775807", &[404]),
    ("-9223372036854775808", &[404]),
    ("9223372036854775808", &[400]),
    ("seven", &[400]),
    ("1.5", &[400]),
    ("1e3", &[400]),
    ("0x1", &[400]),
    ("%20", &[400]),
    ("%00", &[400]),
    ("1%00", &[400]),
    ("%FF", &[400]),
    ("%C3%A4", &[400]),
];

const FIELDS: &[MalformedValue] = &[
    ("", &[404]),
    ("userdef99", &[404]),
    ("%C3%A4%F0%9F%98%80", &[404]),
    ("%E2%84%AA", &[404]),
    ("userdef80%20", &[404]),
    ("%25", &[404]),
    ("%00", &[400]),
    ("userdef80%00", &[400]),
    ("%FF", &[400]),
];

const NUMBERS: &[MalformedValue] = &[
    ("", &[400]),
    ("x", &[400]),
    ("9223372036854775808", &[400]),
    ("%00", &[400]),
    ("0", &[200, 400, 404]),
    ("-1", &[200, 400, 404]),
    ("9223372036854775807", &[200, 400, 404]),
];

const DATES: &[MalformedValue] = &[
    ("", &[400]),
    ("2024-02-30", &[400]),
    ("0000-01-01", &[400]),
    ("10000-01-01", &[400]),
    ("2024-2-1", &[400]),
    ("yesterday", &[400]),
    ("2024-02-15T00:00:00Z", &[400]),
    ("%00", &[400]),
    ("0001-01-01", &[200]),
    ("9999-12-31", &[200]),
];

const TEXTS: &[MalformedValue] = &[
    ("", &[200, 400]),
    ("%00", &[400]),
    ("a%00b", &[400]),
    ("%FF%FE", &[200, 400]),
    ("%C3%A4%F0%9F%98%80", &[200, 400]),
    ("'%20OR%201=1--", &[200, 400]),
    ("%25", &[200, 400]),
];

const FLAGS: &[MalformedValue] = &[("", &[400]), ("maybe", &[400]), ("1", &[400]), ("%00", &[400])];

const CURSORS: &[MalformedValue] = &[
    ("", &[400]),
    ("x", &[400]),
    ("%00", &[400]),
    ("AAAAAAAA", &[400]),
    ("%C3%A4", &[400]),
    ("W10", &[400]),
];

const LIMITS: &[MalformedValue] = &[
    ("", &[400]),
    ("0", &[400]),
    ("-1", &[400]),
    ("1001", &[400]),
    ("18446744073709551616", &[400]),
    ("ten", &[400]),
    ("1.0", &[400]),
    ("%00", &[400]),
    ("1", &[200]),
    ("1000", &[200]),
];

impl Parameter {
    fn malformed_values(&self) -> &'static [MalformedValue] {
        match (self.location.as_str(), self.name.as_str(), self.kind.as_str()) {
            ("path", "field", _) => FIELDS,
            ("path", ..) => IDS,
            ("query", "limit", _) => LIMITS,
            ("query", "after", _) => CURSORS,
            ("query", _, "integer") => NUMBERS,
            ("query", _, "date") => DATES,
            ("query", _, "boolean") => FLAGS,
            ("query", ..) => TEXTS,
            _ => &[],
        }
    }
}

/// Every read operation of the served document, on existing rows.
async fn reads(world: &World, rows: &FilledRows) -> Vec<ReadOperation> {
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    let mut reads = Vec::new();
    for (pattern, operations) in document["paths"].as_object().expect("paths") {
        let Some(operation) = operations.get("get") else { continue };
        let id = operation["operationId"].as_str().expect("an id").to_owned();
        let path = rows.path(pattern).split('?').next().expect("a path").to_owned();
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let parameters = parameters.iter().map(parameter).collect();
        reads.push(ReadOperation { id, pattern: pattern.clone(), path, parameters });
    }
    reads
}

fn parameter(described: &Value) -> Parameter {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let schema = &described["schema"];
    let kind = match schema["format"].as_str() {
        Some("date") => "date".to_owned(),
        _ => text(&schema["type"]),
    };
    Parameter { name: text(&described["name"]), location: text(&described["in"]), kind }
}

impl ReadOperation {
    /// Query parameters that every request of this operation needs.
    fn required(&self) -> &'static str {
        if self.id == "get_convenience_fee" { "&amount=10.00" } else { "" }
    }

    /// The statuses allowed for a value of this parameter.
    fn allowed(&self, parameter: &Parameter, usual: &'static [u16]) -> &'static [u16] {
        let is_computed = self.id.starts_with("get_") && parameter.kind == "date";
        match (parameter.name.as_str(), usual) {
            ("amount", _) => &[400],
            // A loan is computed only for days on which it exists and up to a century ahead.
            (_, [200]) if is_computed => &[200, 400, 422],
            _ => usual,
        }
    }

    /// The request with this value for a parameter.
    fn path_with(&self, parameter: &Parameter, value: &str) -> String {
        if parameter.location == "query" {
            let others = if parameter.name == "amount" { "" } else { self.required() };
            return format!("{}?{}={value}{others}", self.path, parameter.name);
        }
        let name = format!("{{{}}}", parameter.name);
        let segments = self.pattern.split('/').zip(self.path.split('/'));
        let segments = segments.map(|(name_or_word, segment)| match name_or_word == name {
            true => value,
            false => segment,
        });
        let path = segments.collect::<Vec<_>>().join("/");
        format!("{path}?{}", self.required())
    }
}

#[track_caller]
fn check(id: &str, path: &str, response: &TestResponse, allowed: &[u16]) -> Option<String> {
    let status = response.status.as_u16();
    let media = response.header("content-type");
    let named = status == 200 || media == "application/problem+json";
    let fine = allowed.contains(&status) && named;
    (!fine).then(|| format!("{id} {path:.200}: {status} {:.200}", response.text))
}

#[tokio::test]
async fn malformed_read_parameters_never_cause_a_server_error() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        let (mut faults, mut deal) = (Vec::new(), Deal::default());
        for read in reads(&world, &rows).await {
            for parameter in &read.parameters {
                for (value, allowed) in deal.next(parameter.malformed_values()) {
                    let path = read.path_with(parameter, value);
                    let response = world.client.get(&admin, &path).await;
                    let allowed = read.allowed(parameter, allowed);
                    faults.extend(check(&read.id, &path, &response, allowed));
                }
                if parameter.location == "query" {
                    let path = format!("{}&{}=1", read.path_with(parameter, "1"), parameter.name);
                    let response = world.client.get(&admin, &path).await;
                    faults.extend(check(&read.id, &path, &response, &[400]));
                }
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        world
    })
    .await;
}

/// A cursor as the server makes it from a sort key.
fn cursor(key: &[&str]) -> String {
    let key = serde_json::to_vec(key).expect("JSON");
    let sum = digest::digest(&digest::SHA256, &key);
    URL_SAFE_NO_PAD.encode([&sum.as_ref()[..4], &key].concat())
}

#[tokio::test]
async fn a_foreign_or_forged_cursor_is_harmless() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 2).await;
        let (mut faults, mut deal) = (Vec::new(), Deal::default());
        for read in reads(&world, &rows).await.iter().filter(|read| read.id.starts_with("list_")) {
            for key in deal.next(&[
                &["1"][..],
                &["-9223372036854775808"],
                &["9223372036854775807"],
                &["9223372036854775808"],
                &["INDIVIDUAL"],
                &["\u{10ffff}"],
                &["\0"],
                &["A\0"],
                &[""],
                &[],
                &["2024-02-15", "1"],
                &["0001-01-01", "-1"],
                &["9999-12-31", "9223372036854775807"],
                &["+10000-01-01", "1"],
                &["-0001-01-01", "1"],
                &["2024-02-15", "x"],
                &["0000000000000000001", "3", "Group", "Loan"],
                &["\0", "\0", "\0", "\0"],
                &["1", "2", "3"],
            ]) {
                let path = format!("{}?after={}", read.path, cursor(key));
                let response = world.client.get(&admin, &path).await;
                faults.extend(check(
                    &format!("{} {key:?}", read.id),
                    &path,
                    &response,
                    &[200, 400],
                ));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        world
    })
    .await;
}

#[tokio::test]
async fn overlong_table_and_field_names_match_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let (loan, contact) = (rows.loan_id, rows.contact_id);
        for name in ["a".repeat(20_000), "%C3%A4".repeat(3_000), "%F0%9F%98%80".repeat(2_000)] {
            for path in [format!("/loans/{loan}"), format!("/contacts/{contact}")] {
                for member in ["tableName", "fieldName"] {
                    let path = format!("{path}/field-history?{member}={name}");
                    assert_eq!(world.client.get(&admin, &path).await.expect(200).text, "[]");
                }
            }
            let path = format!("/loans/{loan}/detail1/{name}/documents");
            world.client.get(&admin, &path).await.expect_problem(404, "not-found");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn unknown_parameters_are_refused_given_once_or_twice() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for read in reads(&world, &rows).await {
            let get = async |query: &str| {
                let path = format!("{}?{query}{}", read.path, read.required());
                world.client.get(&admin, &path).await
            };
            get("").await.expect(200);
            for unknown in ["unknown=%C3%A4", "LIMIT=0", "After=x", "%20limit=1"] {
                get(unknown).await.expect_problem(400, "bad-request");
            }
            get("unknown=1&unknown=2").await.expect_problem(400, "bad-request");
            get("unknown=1&%75nknown=2").await.expect_problem(400, "bad-request");
        }
        world
    })
    .await;
}

/// An operation with a JSON body: its path for existing rows, and a body that it can read.
struct WriteOperation {
    id: String,
    pattern: String,
    path: String,
    members: Vec<String>,
    valid_body: Value,
}

/// Resolves a schema's references.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str());
    match reference {
        Some(reference) => {
            &document["components"]["schemas"][reference.rsplit('/').next().unwrap()]
        }
        None => schema,
    }
}

/// Every POST of the served document whose body is JSON.
async fn writes(world: &World, rows: &FilledRows) -> Vec<WriteOperation> {
    let document = world.client.get("", "/openapi.json").await.expect(200).json();
    let mut writes = Vec::new();
    for (pattern, operations) in document["paths"].as_object().expect("paths") {
        let Some(operation) = operations.get("post") else { continue };
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let Some(properties) = resolved(&document, schema)["properties"].as_object() else {
            continue;
        };
        let mut valid_body = json!({});
        let required = resolved(&document, schema)["required"].as_array().cloned();
        for member in required.unwrap_or_default() {
            let member = member.as_str().expect("a name");
            let property = resolved(&document, &properties[member]);
            valid_body[member] = match (&property["example"], &property["enum"][0]) {
                (Value::Null, Value::Null) if property["type"] == "integer" => json!(1),
                (Value::Null, Value::Null) => json!("x"),
                (Value::Null, word) => word.clone(),
                (example, _) => example.clone(),
            };
        }
        let path = rows.path(pattern).split('?').next().expect("a path").to_owned();
        let id = operation["operationId"].as_str().expect("an id").to_owned();
        let members = properties.keys().cloned().collect();
        writes.push(WriteOperation { id, pattern: pattern.clone(), path, members, valid_body });
    }
    writes
}

async fn send(world: &World, token: &str, path: &str, body: Vec<u8>) -> TestResponse {
    let request = world.client.request(Method::POST, token, path).body(body);
    let request = request.header("content-type", "application/json");
    world.client.send(request).await.expect("a response")
}

#[tokio::test]
async fn malformed_bodies_never_cause_a_server_error() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let (mut faults, mut deal) = (Vec::new(), Deal::default());
        let long = "9".repeat(400);
        let texts = ["", " ", "\0", "\u{10ffff}", "-1", "1e9", "٣", "NaN", "0.001", &long];
        let mut values: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
        values.extend([json!(null), json!(true), json!(-1), json!(0), json!(i64::MIN)]);
        values.extend([json!(u64::MAX), json!(1e300), json!([]), json!([[]]), json!({})]);
        values.extend([json!([null]), json!([{}]), json!({"Amount": "1"}), json!(["x"])]);
        for write in writes(&world, &rows).await {
            let valid_body = write.valid_body.to_string();
            let duplicate = format!("{{\"a\": {valid_body}, \"a\": 1}}");
            let nested = format!("{{\"a\": [{{\"b\": 1, \"b\": 2}}], {}", &valid_body[1..]);
            let deep = format!("{{\"a\": {}", "[".repeat(100_000));
            for body in
                ["", "[]", "null", "\"x\"", "{", &duplicate, &nested, &deep, "{}x", "\u{feff}{}"]
            {
                let response = send(&world, &admin, &write.path, body.as_bytes().to_vec()).await;
                faults.extend(check(&write.id, body, &response, &[400]));
            }
            let response = send(&world, &admin, &write.path, b"{\"\xff\": 1}".to_vec()).await;
            faults.extend(check(&write.id, "no text", &response, &[400]));
            for member in &write.members {
                for value in deal.next(&values) {
                    let mut body = write.valid_body.clone();
                    body[member] = value.clone();
                    let body = body.to_string();
                    let response = send(&world, &admin, &write.path, body.clone().into()).await;
                    // A row named in the body may not exist.
                    let allowed =
                        if member.ends_with("ID") { &[400, 404, 422][..] } else { &[400, 422] };
                    if response.status != 201 {
                        faults.extend(check(&write.id, &body, &response, allowed));
                    }
                }
            }
            for (id, allowed) in deal.next(IDS) {
                let segments = write.pattern.split('/');
                let filled = segments.map(|part| if part.starts_with('{') { id } else { part });
                let path = filled.collect::<Vec<_>>().join("/");
                let response = send(&world, &admin, &path, valid_body.clone().into_bytes()).await;
                faults.extend(check(&write.id, &path, &response, allowed));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        world
    })
    .await;
}
