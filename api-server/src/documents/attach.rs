//! File attachments: the bytes are stored first, then the row, and neither remains if that fails.

use super::changes::{AddDocument, AddFile, DocumentEditor};
use super::{AttachmentOwner, Document, DocumentFile};
use crate::auth::caller::Caller;
use crate::command::execute::{self, Command, ExecutionMode, Executor};
use crate::command::failure::Failure;
use crate::command::idempotency::{Created, CreatedVersion, IdempotencyKey, Replayable};
use crate::documents::multipart::{self, FormBody, ReceivedForm};
use crate::documents::refusals::DocumentRefusal;
use crate::documents::store::DocumentStore;
use crate::http::concurrency_limit::ConcurrencyLimit;
use poem::Request;
use poem_openapi::types::ToJSON;
use shared::problem::Problem;
use std::sync::Arc;

/// Everything needed to store documents and their files.
pub struct Attachments {
    /// Store of the bytes.
    pub store: DocumentStore,
    pub uploads: multipart::UploadLimits,
    pub downloads: ConcurrencyLimit,
    /// Executes commands that write rows.
    pub executor: Executor,
}

/// A request that uploads a file.
pub struct Upload {
    editor: DocumentEditor,
    key: Option<IdempotencyKey>,
    form: FormBody,
}

impl Upload {
    /// Returns the upload of a request.
    pub fn new(request: &Request, caller: Caller, form: FormBody) -> Result<Self, Problem> {
        let key = IdempotencyKey::of(request, &caller)?;
        Ok(Self { editor: DocumentEditor::new(request, caller)?, key, form })
    }

    /// Returns the caller who sent it.
    pub fn caller(&self) -> &Caller {
        &self.editor.caller
    }

    /// Attaches a new document to its owner.
    pub async fn attach(
        self,
        attachments: &Arc<Attachments>,
        owner: AttachmentOwner,
    ) -> Result<CreatedVersion<Document>, Problem> {
        let Self { editor, key, form } = self;
        let caller = editor.caller.clone();
        let add = |received| AddDocument { editor, owner, received };
        receive(attachments, caller, key, form, add).await.map(CreatedVersion)
    }

    /// Adds a file to a field's document.
    pub async fn add_file(
        self,
        attachments: &Arc<Attachments>,
        row_id: i64,
    ) -> Result<Created<DocumentFile>, Problem> {
        let Self { editor, key, form } = self;
        let caller = editor.caller.clone();
        let add = move |received| AddFile { editor, row_id, received };
        receive(attachments, caller, key, form, add).await.map(Created)
    }
}

/// Runs in a separate task, so that a client that disconnects leaves no parts of a file behind.
async fn receive<E: Command<Answer: ToJSON, Refusal = DocumentRefusal>>(
    attachments: &Arc<Attachments>,
    caller: Caller,
    key: Option<IdempotencyKey>,
    form: FormBody,
    command: impl FnOnce(ReceivedForm) -> E + Send + 'static,
) -> Result<Replayable<E::Answer, true>, Problem> {
    let attachments = Arc::clone(attachments);
    let task = tokio::spawn(async move {
        let received = form.receive(&attachments.uploads, &attachments.store, &caller).await?;
        let object = received.file.stored.key.clone();
        let scope = key.map(|key| key.scope(&received.parts()));
        let command = command(received);
        let outcome =
            execute::execute(&attachments.executor, command, ExecutionMode::Commit(scope)).await;
        let is_unreferenced = match &outcome {
            Ok(response) => response.is_replayed(),
            // After a commit that was not acknowledged, the row may exist. The object stays: only
            // the sweep can tell.
            Err(failure) => failure.is_refusal() || matches!(failure, Failure::KeyInProgress),
        };
        if is_unreferenced {
            attachments.store.forget(vec![object]).await;
        }
        outcome.map_err(Problem::from)
    });
    task.await.map_err(Problem::internal)?
}
