//! `/setup`: setup lists for loans and contacts, and the fields of entry forms.

pub mod contact;
pub mod loan;

/// Operations that list a table's rows, those that the caller may see.
macro_rules! setup_lists {
    ($api:ty: $(
        $(#[doc = $text:tt])*
        path = $path:tt, $list:ident of $table:ident $(where $condition:expr)?;
    )*) => {
        #[operations]
        #[OpenApi(tag = "Group::Setup")]
        impl $api {$(
            $(#[doc = $text])*
            #[oai(path = $path, method = "get")]
            async fn $list(
                &self,
                CoreUser(admitted): CoreUser,
                state: Data<&Arc<State>>,
                page: Page,
            ) -> Result<List<$table::Model>, Problem> {
                let rows = admitted.caller.find::<$table::Entity>()$(.filter($condition))?;
                page.by_key(rows, &state.reads).await
            }
        )*}
    };
}
use setup_lists;
