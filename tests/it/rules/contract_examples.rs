//! The examples of the contract are requests that a demo portfolio accepts, and its answers.
//!
//! `UPDATE_OPENAPI=1 cargo test -p acceptance contract` regenerates them after requests, statuses
//! or members of answers have changed. Run it twice, because the document contains them, too.

use crate::PROGRAM;
use acceptance::forms::{Form, media_type};
use acceptance::quickstart::Quickstart;
use acceptance::{Client, TestResponse, contract};
use api_server::http::operations::{FORM, JSON, Operation};
use api_server::openapi::examples::{self, Example};
use api_server::router::operations;
use installer::demo;
use reqwest::Method;
use serde_json::{Value, json};
use shared::database;
use shared::problem::ProblemType;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The size in bytes up to which a list shows two rows; a longer list shows one.
const LIST_BYTES: usize = 1200;

/// The only host that the contract names (RFC 2606).
const API_URL: &str = "https://api.example.com";

/// Sends requests one by one as the admin account, and records the answers.
struct Recorder {
    client: Client,
    token: String,
    examples: BTreeMap<String, Example>,
}

impl Recorder {
    async fn send(&self, method: &Method, path: &str, body: Body) -> TestResponse {
        let request = self.client.request(method.clone(), &self.token, path);
        let request = match body {
            Body::None => request,
            Body::Json(body) => request.json(&body),
            Body::Xml(text) => request.header("content-type", "application/xml").body(text),
            Body::File(form) => request.header("content-type", media_type()).body(form),
        };
        self.client.send(request).await.expect("a response")
    }

    /// Records an answer as the example of an operation.
    async fn record(&mut self, id: &str, method: Method, path: &str, body: Body) -> Value {
        let request = match &body {
            Body::Json(body) => Some(body.clone()),
            Body::Xml(text) => Some(text.as_str().into()),
            Body::None | Body::File(_) => None,
        };
        let response = self.send(&method, path, body).await;
        assert!(response.status.is_success(), "{id} {path}: {} {}", response.status, response.text);
        let example_text = response.text.replace(&self.client.api_url, API_URL);
        let example_text = serde_json::from_str(&example_text).ok().map(shorten);
        let (status, response) = (response.status.as_u16(), response.json());
        let example = Example { path: path.to_owned(), request, status, answer: example_text };
        self.examples.insert(id.to_owned(), example);
        response
    }

    /// The value of this member in the first row of a list.
    async fn first(&self, path: &str, member: &str) -> Value {
        let response = self.send(&Method::GET, path, Body::None).await.expect(200);
        response.json()[0][member].clone()
    }

    async fn post(&mut self, id: &str, path: &str, body: Value) -> Value {
        self.record(id, Method::POST, path, Body::Json(body)).await
    }

    /// Attaches a small file, then removes the document.
    async fn attach_and_remove(&mut self, kind: &str, owner: &str) {
        let path = format!("{owner}/documents");
        let form = Form::file("appraisal.txt", b"Appraised at 250,000.00.\n");
        let form = form.and_text("name", "Appraisal").finish();
        let id = format!("create_{kind}_document");
        let created = self.record(&id, Method::POST, &path, Body::File(form)).await;
        if kind.ends_with("comment") {
            let path = format!("{path}?documentId={}", created["Document_ID"]);
            self.remove(&format!("remove_{kind}_document"), &path).await;
        }
    }

    async fn remove(&mut self, id: &str, path: &str) {
        self.record(id, Method::DELETE, path, Body::None).await;
    }

    async fn reads(&mut self, paths: Vec<(&'static str, String)>) {
        for (id, path) in paths {
            self.record(id, Method::GET, &path, Body::None).await;
        }
    }

    async fn payments(&mut self) {
        let payment = json!({
            "Amount": "652.53", "Payment_Method_Code": "CHECK", "Payment_Method_Reference": "1042",
            "Excess_Handling": "suspense", "External_ID": "bank-2024-000118",
        });
        let posted = self.post("post_payment", "/loans/1/transactions/payments", payment).await;
        let reference = &posted[0]["Transaction_ID"];
        let reversal = format!("/loans/1/transactions/{reference}/reversal");
        let error = json!({"Reason": "error", "User_Reference": "Posted to the wrong loan"});
        self.post("reverse_entry", &reversal, error).await;
        let charge = json!({"Kind": "late_charge", "Amount": "25.00"});
        self.post("post_adjustment", "/loans/1/transactions/adjustments", charge).await;
        let payments = json!([
            {"Loan_ID": 1, "Key": "bank-2024-000119", "Payment": {"Amount": "50.00"}},
            {"Loan_ID": 2, "Key": "bank-2024-000120", "Payment": {"Amount": "900000.00"}},
        ]);
        self.post("post_payments", "/loans/transactions/payments", payments).await;
        let cards = "/loans/1/payment-gateway/credit-cards";
        let card = json!({"Gateway_Token": "tok_visa", "Cardholder_Name": "A Holder"});
        let card = self.post("create_card", cards, card).await;
        let payment = json!({"PaymentGatewayTokenID": 1, "Amount": "100.00"});
        self.post("post_card_payment", "/loans/1/payment-gateway/payments", payment).await;
        let id = &card["PaymentGatewayTokenID"];
        let forget = format!("/loans/payment-gateway/credit-cards/{id}/forget");
        self.record("forget_card", Method::POST, &forget, Body::None).await;
    }

    async fn drawers(&mut self) {
        let drawer = format!("/cash-drawers/{}", self.first("/cash-drawers", "Drawer_ID").await);
        let entry =
            json!({"Transaction_Type": "bank_in", "Amount": "200.00", "Reference": "Change"});
        self.post("post_drawer_transaction", &format!("{drawer}/transactions"), entry).await;
        let counted = json!({
            "Counted_Cash": "250.00", "Counted_Check": "0.00",
            "Denominations": [{"Value": "50.00", "Count": 5}],
        });
        self.post("reconcile_drawer", &format!("{drawer}/reconciliations"), counted).await;
    }

    /// Documents of each kind of owner, and the comment that is removed at the end.
    async fn documents(&mut self) {
        let owner = |recorder: &Self, id: &str| {
            let path = recorder.examples[id].path.as_str();
            path.trim_end_matches("/documents").to_owned()
        };
        for kind in [
            "loan_detail1",
            "loan_detail2",
            "loan_comment",
            "contact_comment",
            "contact_demographics",
            "contact_detail",
            "contact_financials",
            "collateral_comment",
        ] {
            let owner = owner(self, &format!("list_{kind}_documents"));
            self.attach_and_remove(kind, &owner).await;
        }
        let document = self.examples["get_document"].path.clone();
        let files = format!("{document}/files");
        let form = Form::file("photo.txt", b"The house from the street.\n").finish();
        let created =
            self.record("create_document_file", Method::POST, &files, Body::File(form)).await;
        let path = format!("{files}?fileId={}", created["File_ID"]);
        self.remove("remove_document_file", &path).await;
        let change = json!({
            "Name": "Appraisal of 2024", "versionHash": self.version(&document).await,
        });
        self.record("change_document", Method::PUT, &document, Body::Json(change)).await;
        let path = format!("{document}?versionHash={}", self.version(&document).await);
        self.remove("remove_document", &path).await;
    }

    async fn comments(&mut self) {
        for kind in ["loan", "contact", "collateral"] {
            let path = self.examples[&format!("list_{kind}_comments")].path.clone();
            let comment = json!({"Comment_Category_ID": 1, "Comment": "Asked for a statement."});
            self.post(&format!("create_{kind}_comment"), &path, comment).await;
        }
        let comment = self.examples["get_collateral_comment"].path.clone();
        let now = self.send(&Method::GET, &comment, Body::None).await.expect(200).json();
        let change = json!({
            "Comment_Category_ID": now["Comment_Category_ID"], "Comment": "Inspected, no damage.",
            "Priority": "normal", "Pinned_Flag": false, "versionHash": now["versionHash"],
        });
        self.record("change_collateral_comment", Method::PUT, &comment, Body::Json(change)).await;
        let path = format!("{comment}?versionHash={}", self.version(&comment).await);
        self.remove("remove_collateral_comment", &path).await;
    }

    async fn version(&self, path: &str) -> String {
        let now = self.send(&Method::GET, path, Body::None).await.expect(200).json();
        now["versionHash"].as_str().expect("a version").to_owned()
    }
}

/// The body of a request.
enum Body {
    None,
    Json(Value),
    Xml(String),
    File(Vec<u8>),
}

const IMPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Core CommitBlock="1">
  <Contact ContactNumber="C-9001" ContactTypeCode="BORROWER" EntityCode="INDIVIDUAL"
           FirstName1="Ana" LastName1="Rivera"/>
</Core>
"#;

/// Shortens a list to enough rows to show their shape.
fn shorten(mut response: Value) -> Value {
    if let Some(rows) = response.as_array_mut() {
        rows.truncate(2);
        if json!(rows).to_string().len() > LIST_BYTES {
            rows.truncate(1);
        }
    }
    response
}

/// What is the same in every demo portfolio: everything except versions and past days, and of
/// answers only the member names. Figures depend on the day.
fn without_volatile_values(examples: &BTreeMap<String, Example>) -> Value {
    let example = |(id, example): (&String, &Example)| {
        let mut request = example.request.clone();
        if let Some(version) = request.as_mut().and_then(|request| request.get_mut("versionHash")) {
            *version = Value::Null;
        }
        let volatile = ["versionHash=", "date="].map(|name| example.path.find(name));
        let path =
            &example.path[..volatile.into_iter().flatten().min().unwrap_or(example.path.len())];
        let members = example.answer.as_ref().map(members);
        (id.clone(), json!([path, request, example.status, members]))
    };
    examples.iter().map(example).collect()
}

fn members(response: &Value) -> Value {
    match response {
        Value::Object(object) => object.keys().cloned().collect(),
        Value::Array(rows) => rows.first().map_or(Value::Null, members),
        _ => Value::Null,
    }
}

#[tokio::test]
async fn the_demo_portfolio_reproduces_every_example() {
    let folder = tempfile::tempdir().expect("a folder");
    let quickstart = Quickstart::start(PROGRAM, folder.path(), &[]).await;
    let url = quickstart.report["database_url"].as_str().expect("a URL");
    let reads = database::connect(url, 1).await.expect("a connection");
    let reads = demo::examples::examples(&reads).await.expect("paths");
    let token = quickstart.token("admin").await.expect("a token");
    let mut recorder = Recorder { client: quickstart.client(), token, examples: BTreeMap::new() };
    recorder.reads(reads).await;
    recorder.payments().await;
    recorder.drawers().await;
    recorder.documents().await;
    recorder.comments().await;
    let file = Body::Xml(IMPORT.to_owned());
    let path = "/core/xml-import?test=true";
    let imported = recorder.record("import_xml", Method::POST, path, file).await;
    assert_eq!(imported["Failed"], 0, "{imported}");
    quickstart.stop().await;

    let (fresh, committed) =
        (without_volatile_values(&recorder.examples), without_volatile_values(&examples::all()));
    if std::env::var_os("UPDATE_OPENAPI").is_some() && fresh != committed {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let path = path.join("../api-server/src/openapi/examples.json");
        let text = serde_json::to_string_pretty(&recorder.examples).expect("JSON");
        std::fs::write(path, text + "\n").expect("written");
        return;
    }
    let all = operations().all().count();
    assert_eq!(recorder.examples.len(), all, "each operation has an example");
    for (id, example) in fresh.as_object().expect("examples") {
        assert_eq!(committed[id], *example, "{id}: see the head of this file");
    }
}

#[test]
fn the_examples_in_the_contract_match_its_schemas() {
    let document: Value =
        serde_json::from_str(api_server::router::document()).expect("the contract is JSON");
    let (mut requests, mut responses, mut problems) = (0, 0, 0);
    for operation in operations().all() {
        let method = operation.method.as_str().to_lowercase();
        let described = &document["paths"][&operation.path][method];
        let id = described["operationId"].as_str().expect("an id");
        for content in members_of(&described["requestBody"]["content"]) {
            requests += usize::from(matches_schema(id, content));
        }
        for response in members_of(&described["responses"]) {
            for content in members_of(&response["content"]) {
                responses += usize::from(matches_schema(id, content));
            }
        }
        for parameter in described["parameters"].as_array().into_iter().flatten() {
            let required = parameter["required"] == true;
            assert_eq!(matches_schema(id, parameter), required || !parameter["example"].is_null());
        }
    }
    for (name, example) in document["components"]["examples"].as_object().expect("examples") {
        let schema = json!({"$ref": "#/components/schemas/Problem"});
        assert_eq!(contract::faults(&schema, &example["value"]), [""; 0], "{name}");
        problems += 1;
    }
    // Files are uploaded as forms, and downloaded and removed without JSON.
    let json = |of: fn(&Operation) -> bool| operations().all().filter(|o| of(o)).count();
    assert_eq!(requests, json(|o| o.body.is_some_and(|b| b.media_type != FORM.media_type)));
    // Entries have one status as a dry run and another when they are posted.
    assert_eq!(responses, json(|o| o.produces.as_deref() == Some(JSON.media_type)) + 3);
    // Four problem types belong to no operation.
    assert_eq!(problems, ProblemType::ALL.len() - 4);
}

fn members_of(object: &Value) -> impl Iterator<Item = &Value> {
    object.as_object().into_iter().flatten().map(|(_, member)| member)
}

/// False if there is no example.
fn matches_schema(id: &str, described: &Value) -> bool {
    let example = &described["example"];
    if !example.is_null() {
        assert_eq!(contract::faults(&described["schema"], example), [""; 0], "{id}");
    }
    !example.is_null()
}
