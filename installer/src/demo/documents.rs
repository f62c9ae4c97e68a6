//! Documents on comments and on fields. Their files are short generated texts.

use super::block::Block;
use crate::installation::CliError;
use api_server::documents::store::DocumentStore;
use aws_lc_rs::digest::{SHA256, digest};
use bytes::Bytes;
use futures_util::TryStreamExt;
use sea_orm::{
    ColumnTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait, QueryFilter,
    QueryOrder, QuerySelect,
};
use shared::bulk_insert;
use shared::entity::documents::DocumentOwner;
use shared::entity::user_defined_fields::{self, DataType, Form};
use shared::entity::{document_files, documents};
use std::collections::HashMap;

/// More than the files of any loan, so that no two blocks of loans share a file number.
const FILES_PER_LOAN: u64 = 100;
/// Rows read at a time.
const FILES_AT_ONCE: u64 = 1000;

/// A document to add: on a comment or, with the name of a field, on a form of a loan or contact.
pub fn document(
    block: &Block,
    owner_type: DocumentOwner,
    owner_id: i64,
    field_name: Option<String>,
    name: &str,
) -> documents::Model {
    documents::Model {
        document_id: 0,
        owner_type,
        owner_id,
        description: field_name.is_some().then(|| "Signed copies".to_owned()),
        field_name,
        name: name.to_owned(),
        created_by_user_id: block.staff.officer,
        created_date: block.days_ago(11),
        modified_by_user_id: None,
        modified_date: None,
    }
}

/// The contents of a file of the portfolio: a text that names it.
pub fn file_bytes(file_number: u64) -> Vec<u8> {
    format!("File {file_number} of the demo portfolio.\n\nThis text is made up.\n").into_bytes()
}

/// The file's key in the object store: it looks random, and is the same in every portfolio.
pub fn object_key(file_number: u64) -> String {
    let name = format!("demo portfolio, file {file_number}");
    hex::encode(&digest(&SHA256, name.as_bytes()).as_ref()[..16])
}

/// Writes the files of copied documents, with the contents of their originals.
pub async fn write_copies(db: &DatabaseConnection, store: &DocumentStore) -> Result<(), CliError> {
    use document_files::Column::{FileId, ObjectKey};
    let mut originals: HashMap<String, Bytes> = HashMap::new();
    let mut last = 0;
    loop {
        let files: Vec<document_files::Model> = document_files::Entity::find()
            .filter(FileId.gt(last))
            .filter(ObjectKey.contains("-"))
            .order_by_asc(FileId)
            .limit(FILES_AT_ONCE)
            .all(db)
            .await?;
        let Some(newest) = files.last() else { return Ok(()) };
        last = newest.file_id;
        for document_files::Model { object_key, size_bytes, .. } in files {
            // A copy's key is the original's followed by the number of the copy.
            let original = object_key.split('-').next().unwrap_or_default();
            let bytes = match originals.get(original) {
                Some(bytes) => bytes.clone(),
                None => {
                    let length = size_bytes.unsigned_abs();
                    let bytes = store.read(original, length, 0..length).await;
                    let bytes = bytes.map_err(|problem| CliError(problem.message()))?;
                    let chunks: Result<Vec<Bytes>, _> = bytes.try_collect().await;
                    let chunks = chunks.map_err(|error| CliError(error.to_string()))?;
                    let bytes = Bytes::from(chunks.concat());
                    originals.insert(original.to_owned(), bytes.clone());
                    bytes
                }
            };
            store.put(&object_key, bytes).await.map_err(CliError)?;
        }
    }
}

/// Documents on the first document field of each loan and contact form.
pub async fn on_fields(
    tx: &DatabaseTransaction,
    block: &Block,
) -> Result<Vec<documents::Model>, DbErr> {
    let definitions = user_defined_fields::Entity::find()
        .order_by_asc(user_defined_fields::Column::FieldId)
        .all(tx)
        .await?;
    let mut new_documents = Vec::new();
    for (form, owner_type) in [
        (Form::LoanDetail1, DocumentOwner::LoanDetail1),
        (Form::LoanDetail2, DocumentOwner::LoanDetail2),
        (Form::ContactDetail, DocumentOwner::ContactDetail),
        (Form::ContactDemographics, DocumentOwner::ContactDemographics),
        (Form::ContactFinancials, DocumentOwner::ContactFinancials),
    ] {
        let field = definitions.iter().find(|field| {
            field.form == form && field.data_type == DataType::Document && !field.hidden_flag
        });
        let Some(field) = field else { continue };
        let of_loan = matches!(form, Form::LoanDetail1 | Form::LoanDetail2);
        let loans = block.at(|slot| slot == 0 || (form == Form::LoanDetail1 && slot == 12));
        new_documents.extend(loans.map(|loan| {
            let owner_id = if of_loan { loan.loan_id } else { loan.contact_id };
            document(block, owner_type, owner_id, Some(field.field_name.clone()), &field.label)
        }));
    }
    Ok(new_documents)
}

/// Adds the documents and their files, which are numbered consecutively: two on a field, one on a
/// comment.
pub async fn add(
    tx: &DatabaseTransaction,
    store: &DocumentStore,
    block: &Block,
    new_documents: Vec<documents::Model>,
) -> Result<(), CliError> {
    let first = block.loans.first();
    let first = first.map_or(0, |loan| u64::from(loan.number) * FILES_PER_LOAN);
    let mut file_number = first;
    let mut files = Vec::new();
    for document in new_documents {
        let name = document.name.clone();
        let file_count = if document.field_name.is_some() { 2 } else { 1 };
        let document_id = bulk_insert::add(tx, document).await?;
        for copy in 1..=file_count {
            file_number += 1;
            let bytes = file_bytes(file_number);
            store.put(&object_key(file_number), bytes.into()).await.map_err(CliError)?;
            files.push(file(block, document_id, &format!("{name} {copy}.txt"), file_number));
        }
    }
    bulk_insert::add_all(tx, files).await?;
    Ok(())
}

fn file(
    block: &Block,
    document_id: i64,
    file_name: &str,
    file_number: u64,
) -> document_files::Model {
    let bytes = file_bytes(file_number);
    document_files::Model {
        file_id: 0,
        document_id,
        file_name: file_name.to_owned(),
        content_type: "text/plain".to_owned(),
        size_bytes: bytes.len() as i64,
        sha256: hex::encode(digest(&SHA256, &bytes)),
        object_key: object_key(file_number),
        uploaded_by_user_id: block.staff.officer,
        uploaded_date: block.days_ago(11),
    }
}
