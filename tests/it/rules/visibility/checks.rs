//! Every GET operation, tried as one caller on every row; one file per section.

mod collateral;
mod comments;
mod contacts;
mod documents;
mod drawers;
mod gateway;
mod history;
mod loans;
mod setup;
mod users;

use super::caller::Caller;

/// Tries all operations.
pub async fn check(caller: &mut Caller<'_>) {
    loans::check(caller).await;
    collateral::check(caller).await;
    comments::check(caller).await;
    contacts::check(caller).await;
    documents::check(caller).await;
    history::check(caller).await;
    gateway::check(caller).await;
    drawers::check(caller).await;
    users::check(caller).await;
    setup::check(caller).await;
}
