//! 204 responses to removals: once a removal is committed, its objects are removed from the store.

use crate::command::execute::{self, Command};
use crate::documents::attach::Attachments;
use crate::documents::refusals::DocumentRefusal;
use poem_openapi::ApiResponse;
use shared::problem::Problem;

/// Response to a removal.
#[derive(ApiResponse)]
pub enum NoContent {
    /// Removed.
    #[oai(status = 204)]
    Done,
}

impl NoContent {
    /// Executes a removal, and removes the objects whose keys it returns.
    pub async fn of<E: Command<Answer = Vec<String>, Refusal = DocumentRefusal>>(
        attachments: &Attachments,
        removal: E,
    ) -> Result<Self, Problem> {
        let objects = execute::execute_without_key(&attachments.executor, removal).await?;
        attachments.store.forget(objects).await;
        Ok(Self::Done)
    }
}
