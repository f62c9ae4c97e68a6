//! The answer to a removal: done, and the object store forgets what went with it.

use crate::command::effects::{self, Effect};
use crate::documents::attaching::Attachments;
use crate::documents::refusals::DocumentRefusal;
use poem_openapi::ApiResponse;
use shared::problem::Problem;

/// What is told of a removal.
#[derive(ApiResponse)]
pub enum Removed {
    /// It is gone.
    #[oai(status = 204)]
    Done,
}

impl Removed {
    /// Carries out a removal that answers with the keys of objects.
    pub async fn of<E: Effect<Answer = Vec<String>, Rule = DocumentRefusal>>(
        attachments: &Attachments,
        removal: E,
    ) -> Result<Self, Problem> {
        let objects = effects::change(&attachments.writer, removal).await?;
        attachments.store.forget(objects).await;
        Ok(Self::Done)
    }
}
