//! Responses to removals: once committed, the object store removes the objects as well.

use crate::command::effects::{self, Effect};
use crate::documents::attaching::Attachments;
use crate::documents::refusals::DocumentRefusal;
use poem_openapi::ApiResponse;
use shared::problem::Problem;

/// Response to a removal.
#[derive(ApiResponse)]
pub enum Removed {
    /// Removed.
    #[oai(status = 204)]
    Done,
}

impl Removed {
    /// Executes a removal, and removes the objects whose keys it returns.
    pub async fn of<E: Effect<Answer = Vec<String>, Rule = DocumentRefusal>>(
        attachments: &Attachments,
        removal: E,
    ) -> Result<Self, Problem> {
        let objects = effects::change(&attachments.writer, removal).await?;
        attachments.store.forget(objects).await;
        Ok(Self::Done)
    }
}
