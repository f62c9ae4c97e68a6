//! How files come in: the bytes first, then the row, and nothing of either when it goes wrong.

use super::changes::{AddDocument, AddFile, Editor};
use super::{Document, DocumentFile, Owner};
use crate::access::Caller;
use crate::app::App;
use crate::effects::{self, Effect, Keeping};
use crate::idempotency::{Created, CreatedVersion, Keyed, Replayable};
use crate::uploads::{FormBody, Received};
use poem::Request;
use poem_openapi::types::ToJSON;
use shared::problem::Problem;
use std::sync::Arc;

/// A request that brings a file.
pub struct Upload {
    editor: Editor,
    keyed: Option<Keyed>,
    form: FormBody,
}

impl Upload {
    /// The request. `path` is that of its operation, with its ids.
    pub fn new(
        request: &Request,
        caller: Caller,
        path: String,
        form: FormBody,
    ) -> Result<Self, Problem> {
        let keyed = Keyed::of(request, &caller, path)?;
        Ok(Self { editor: Editor::new(request, caller)?, keyed, form })
    }

    /// Who sent it.
    pub fn caller(&self) -> &Caller {
        &self.editor.caller
    }

    /// Attaches a new document to its owner.
    pub async fn attach(
        self,
        app: &Arc<App>,
        owner: Owner,
    ) -> Result<CreatedVersion<Document>, Problem> {
        let Self { editor, keyed, form } = self;
        let caller = editor.caller.clone();
        let add = |received| AddDocument { editor, owner, received };
        receive(app, caller, keyed, form, add).await.map(CreatedVersion)
    }

    /// Adds a file to a field's document.
    pub async fn add_file(
        self,
        app: &Arc<App>,
        row_id: i64,
    ) -> Result<Created<DocumentFile>, Problem> {
        let Self { editor, keyed, form } = self;
        let caller = editor.caller.clone();
        let add = move |received| AddFile { editor, row_id, received };
        receive(app, caller, keyed, form, add).await.map(Created)
    }
}

/// In a task of its own: whoever hangs up leaves no parts of a file behind.
async fn receive<E: Effect<Answer: ToJSON>>(
    app: &Arc<App>,
    caller: Caller,
    keyed: Option<Keyed>,
    form: FormBody,
    effect: impl FnOnce(Received) -> E + Send + 'static,
) -> Result<Replayable<E::Answer, true>, Problem> {
    let app = Arc::clone(app);
    let work = tokio::spawn(async move {
        let received = form.receive(&app, &caller).await?;
        let object = received.stored.key.clone();
        let scope = keyed.map(|keyed| keyed.scope(&received.parts()));
        let outcome = effects::carry_out(&app, effect(received), Keeping::Kept(scope)).await;
        let in_vain = match &outcome {
            Ok(answer) => answer.is_replayed(),
            // Whether a commit came through that nobody acknowledged, only the sweep can tell.
            Err(problem) => problem.kind().status().is_client_error(),
        };
        if in_vain {
            app.documents.forget(vec![object]).await;
        }
        outcome
    });
    work.await.map_err(Problem::internal)?
}
