//! Sections 3.5 and 3.6: documents of fields, and the bytes of every document.

use crate::rules::visibility::caller::{Caller, Operation};
use serde_json::Value;
use shared::entity::documents::{self, DocumentOwner};
use shared::entity::user_defined_fields::{DataType, Form};

/// A form whose fields hold documents.
struct DocumentHolder {
    /// Its segment in the path of a record.
    path_prefix: &'static str,
    form: Form,
    owner: DocumentOwner,
    list: Operation,
}

const LOAN_FORMS: [DocumentHolder; 2] = [
    DocumentHolder {
        path_prefix: "detail1",
        form: Form::LoanDetail1,
        owner: DocumentOwner::LoanDetail1,
        list: Operation::core("list_loan_detail1_documents", "Loan > Detail 1 > View"),
    },
    DocumentHolder {
        path_prefix: "detail2",
        form: Form::LoanDetail2,
        owner: DocumentOwner::LoanDetail2,
        list: Operation::core("list_loan_detail2_documents", "Loan > Detail 2 > View"),
    },
];

const CONTACT_FORMS: [DocumentHolder; 3] = [
    DocumentHolder {
        path_prefix: "demographics",
        form: Form::ContactDemographics,
        owner: DocumentOwner::ContactDemographics,
        list: Operation::core(
            "list_contact_demographics_documents",
            "Contact > Demographics > View",
        ),
    },
    DocumentHolder {
        path_prefix: "detail",
        form: Form::ContactDetail,
        owner: DocumentOwner::ContactDetail,
        list: Operation::core("list_contact_detail_documents", "Contact > Detail > View"),
    },
    DocumentHolder {
        path_prefix: "financials",
        form: Form::ContactFinancials,
        owner: DocumentOwner::ContactFinancials,
        list: Operation::core("list_contact_financials_documents", "Contact > Financials > View"),
    },
];

// These operations name no privilege: "without View 404".
const DOCUMENT: Operation = Operation::core("get_document", "");
const FILES: Operation = Operation::core("list_document_files", "");
const BYTES: Operation = Operation::core("download_file", "");

pub async fn check(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for holder in &LOAN_FORMS {
        for id in caller.ids(&holder.list, rows.loans.iter().map(|loan| loan.loan_id)) {
            let record = format!("/loans/{id}");
            on_fields(caller, holder, id, &record, caller.rules.loan(id)).await;
        }
    }
    for holder in &CONTACT_FORMS {
        for id in caller.ids(&holder.list, rows.contacts.iter().map(|row| row.contact_id)) {
            let record = format!("/contacts/{id}");
            on_fields(caller, holder, id, &record, caller.rules.contact(id)).await;
        }
    }
    by_id(caller).await;
}

pub fn keys<'a>(rows: impl IntoIterator<Item = &'a documents::Model>) -> Vec<i64> {
    rows.into_iter().map(|row| row.document_id).collect()
}

fn files(caller: &Caller<'_>, document_id: i64) -> Vec<i64> {
    let files = caller.rules.rows.document_files.iter();
    files.filter(|file| file.document_id == document_id).map(|file| file.file_id).collect()
}

/// A document shows its files, and a Row_ID if it is a field's.
pub fn compare_document(caller: &mut Caller<'_>, operation: &Operation, path: &str, found: &Value) {
    let id = found["Document_ID"].as_i64().unwrap_or_default();
    let file_ids = found["Files"].as_array().into_iter().flatten();
    let file_ids: Value = file_ids.map(|file| file["File_ID"].clone()).collect();
    caller.compare(operation, path, "File_IDs", files(caller, id), &file_ids);
    let row = caller.rules.rows.documents.iter().find(|row| row.document_id == id);
    let row_id = row.filter(|row| row.field_name.is_some()).map(|row| row.document_id);
    caller.compare(operation, path, "Row_ID", row_id, &found["Row_ID"]);
}

/// "`{field}` must be defined for the form, not hidden (404) and of type document (422)."
async fn on_fields(
    caller: &mut Caller<'_>,
    holder: &DocumentHolder,
    record_id: i64,
    record: &str,
    is_seen: bool,
) {
    let rows = caller.rules.rows;
    // A field that certainly holds documents, and some of the others; the sixth is not defined.
    let others = caller.random.some_of(20, &[2, 3, 4, 5, 6]);
    for number in [1].into_iter().chain(others) {
        let name = format!("userdef{number:02}");
        let written = caller.random.one_of(&[name.clone(), name.to_uppercase()]);
        let path = format!("{record}/{}/{written}/documents", holder.path_prefix);
        let mut fields = rows.user_defined_fields.iter();
        let field = fields.find(|field| {
            field.form == holder.form && field.field_name == name && !field.hidden_flag
        });
        if is_seen && field.is_some_and(|field| field.data_type != DataType::Document) {
            caller.expect_refusal(&holder.list, &path, (422, "field-not-document")).await;
            continue;
        }
        let is_own = |row: &documents::Model| {
            row.owner_type == holder.owner
                && row.owner_id == record_id
                && row.field_name.as_deref() == Some(&name)
        };
        let is_seen = is_seen && field.is_some();
        let own = || rows.documents.iter().filter(|row| is_own(row));
        let found = caller.list(&holder.list, &path, is_seen, "Document_ID", keys(own())).await;
        for document in found {
            compare_document(caller, &holder.list, &path, &document);
        }
        let any_document = caller.random.maybe(30, &rows.documents);
        for row in own().chain(&any_document) {
            let path = format!("{path}?documentId={}", row.document_id);
            let is_seen = is_seen && is_own(row);
            caller.list(&holder.list, &path, is_seen, "Document_ID", keys([row])).await;
        }
    }
}

/// "`{row_id}`: Document_ID of a field document; any other: 404."
async fn by_id(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    let sample = caller.random.some_of(60, &rows.documents);
    for id in caller.ids(&DOCUMENT, keys(&sample)) {
        let path = format!("/user-defined-fields/documents/{id}");
        let row = rows.documents.iter().find(|row| row.document_id == id);
        let rules = caller.rules;
        let is_seen = row.is_some_and(|row| row.field_name.is_some() && rules.document(row));
        if let Some(found) = caller.read(&DOCUMENT, &path, is_seen).await {
            compare_document(caller, &DOCUMENT, &path, &found);
        }
        let keys = files(caller, id);
        caller.list(&FILES, &format!("{path}/files"), is_seen, "File_ID", keys).await;
    }
    let sample = caller.random.some_of(60, &rows.document_files);
    for id in caller.ids(&BYTES, sample.iter().map(|file| file.file_id)) {
        let file = rows.document_files.iter().find(|file| file.file_id == id);
        let mut documents = rows.documents.iter();
        let row = documents.find(|row| Some(row.document_id) == file.map(|file| file.document_id));
        let is_seen = row.is_some_and(|row| caller.rules.document(row));
        caller.read(&BYTES, &format!("/files/{id}"), is_seen).await;
    }
}
