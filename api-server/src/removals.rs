//! The answer to a removal: done, and the object store forgets what went with it.

use crate::app::App;
use crate::effects::{self, Effect};
use poem_openapi::ApiResponse;
use shared::problem::Problem;
use std::sync::Arc;

/// What is told of a removal.
#[derive(ApiResponse)]
pub enum Removed {
    /// It is gone.
    #[oai(status = 204)]
    Done,
}

impl Removed {
    /// Carries out a removal that answers with the keys of objects.
    pub async fn of<E: Effect<Answer = Vec<String>>>(
        app: &Arc<App>,
        removal: E,
    ) -> Result<Self, Problem> {
        let objects = effects::change(app, removal).await?;
        app.documents.forget(objects).await;
        Ok(Self::Done)
    }
}
