//! Documents on comments and on fields. Their files are short generated texts.

use super::Portfolio;
use crate::installation::CliError;
use api_server::documents::store::DocumentStore;
use aws_lc_rs::digest::{SHA256, digest};
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder};
use shared::database::batch;
use shared::entity::documents::DocumentOwner;
use shared::entity::user_defined_fields::{self, DataType, Form};
use shared::entity::{comments, document_files, documents};

/// Adds the documents with their files: two on a field, one on a comment.
pub(super) async fn add(
    tx: &DatabaseTransaction,
    store: &DocumentStore,
    portfolio: &Portfolio,
) -> Result<(), CliError> {
    let mut documents = on_comments(tx, portfolio).await?;
    documents.extend(on_fields(tx, portfolio).await?);
    let mut files = Vec::new();
    for document in documents {
        let name = document.name.clone();
        let file_count = if document.field_name.is_some() { 2 } else { 1 };
        let document_id = batch::insert_row(tx, document).await?;
        for copy in 1..=file_count {
            let number = files.len() + 1;
            let bytes = format!("File {number} of the demo portfolio.\n\nThis text is made up.\n");
            let bytes = bytes.into_bytes();
            let file = document_files::Model {
                file_id: 0,
                document_id,
                file_name: format!("{name} {copy}.txt"),
                content_type: "text/plain".to_owned(),
                size_bytes: bytes.len() as i64,
                sha256: hex::encode(digest(&SHA256, &bytes)),
                object_key: object_key(number),
                uploaded_by_user_id: portfolio.staff.officer,
                uploaded_date: portfolio.days_ago(11),
            };
            store.put(&file.object_key, bytes.into()).await.map_err(CliError)?;
            files.push(file);
        }
    }
    Ok(batch::insert_rows(tx, files).await?)
}

/// The file's key in the object store: it looks random, and is the same in every portfolio.
fn object_key(number: usize) -> String {
    let name = format!("demo portfolio, file {number}");
    hex::encode(&digest(&SHA256, name.as_bytes()).as_ref()[..16])
}

/// Documents on the comments that say so: "Appraisal attached."
async fn on_comments(
    tx: &DatabaseTransaction,
    portfolio: &Portfolio,
) -> Result<Vec<documents::Model>, DbErr> {
    use comments::Column::{Comment, CommentId};
    let attached =
        comments::Entity::find().filter(Comment.ends_with(" attached.")).order_by_asc(CommentId);
    let documents = attached.all(tx).await?.into_iter().map(|comment| {
        let (owner, name) = match (comment.loan_id, comment.contact_id) {
            (Some(_), _) => (DocumentOwner::LoanComment, "Letter to the borrower"),
            (_, Some(_)) => (DocumentOwner::ContactComment, "Letter from the borrower"),
            (None, None) => (DocumentOwner::CollateralComment, "Appraisal"),
        };
        document(portfolio, (owner, comment.comment_id), None, name)
    });
    Ok(documents.collect())
}

/// Documents on the first document field of each loan and contact form.
async fn on_fields(
    tx: &DatabaseTransaction,
    portfolio: &Portfolio,
) -> Result<Vec<documents::Model>, DbErr> {
    use user_defined_fields::Column::{DataType as Type, FieldId, HiddenFlag};
    let fields = user_defined_fields::Entity::find()
        .filter(Type.eq(DataType::Document))
        .filter(HiddenFlag.eq(false))
        .order_by_asc(FieldId)
        .all(tx)
        .await?;
    let mut documents = Vec::new();
    for (form, owner) in [
        (Form::LoanDetail1, DocumentOwner::LoanDetail1),
        (Form::LoanDetail2, DocumentOwner::LoanDetail2),
        (Form::ContactDetail, DocumentOwner::ContactDetail),
        (Form::ContactDemographics, DocumentOwner::ContactDemographics),
        (Form::ContactFinancials, DocumentOwner::ContactFinancials),
    ] {
        let Some(field) = fields.iter().find(|field| field.form == form) else { continue };
        let Some(loan) = portfolio.loan(1) else { continue };
        let owner_id = match form {
            Form::LoanDetail1 | Form::LoanDetail2 => loan.loan_id,
            _ => loan.contact_id,
        };
        let field_name = Some(field.field_name.clone());
        documents.push(document(portfolio, (owner, owner_id), field_name, &field.label));
    }
    Ok(documents)
}

fn document(
    portfolio: &Portfolio,
    (owner_type, owner_id): (DocumentOwner, i64),
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
        created_by_user_id: portfolio.staff.officer,
        created_date: portfolio.days_ago(11),
        modified_by_user_id: None,
        modified_date: None,
    }
}
