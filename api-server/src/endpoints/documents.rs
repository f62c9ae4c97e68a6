//! Operations on comments and documents. Comments of all kinds have the same ones, and so have
//! fields of all forms: a macro for each writes them out, and each path's file calls it. The contract
//! has the line ends of the descriptions, however far they are indented here.

// The operations are written out where the macros are called, and use these names.
pub(super) use crate::command::execute::{self, ExecutionMode};
pub(super) use crate::command::idempotency::{CreatedVersion, IdempotencyScope};
pub(super) use crate::documents::attach::Upload;
pub(super) use crate::documents::changes::{DocumentEditor, RemoveCommentDocument};
pub(super) use crate::documents::comments::changes::{AddComment, NewRecordComment};
pub(super) use crate::documents::comments::{
    self, Comment, CommentFilter, CommentKind, CommentParent,
};
pub(super) use crate::documents::multipart::FormBody;
pub(super) use crate::documents::no_content::NoContent;
pub(super) use crate::documents::{AttachmentOwner, Document, list};
pub(super) use crate::endpoints::Group;
pub(super) use crate::http::admission::CoreUser;
pub(super) use crate::http::etag::{IfNoneMatch, WithEtag};
pub(super) use crate::http::json_body::JsonBody;
pub(super) use crate::http::pagination::{List, Page};
pub(super) use crate::state::State;
pub(super) use poem::Request;
pub(super) use poem::web::Data;
pub(super) use poem_openapi::param::{Header, Path, Query};
pub(super) use shared::entity::user_defined_fields::Form;
pub(super) use shared::problem::Problem;
pub(super) use shared::time::Day;
pub(super) use std::sync::Arc;

/// Operations on the documents of fields, for each form of a loan or contact.
macro_rules! field_document_operations {
    ($api:ty, tag = $tag:tt, $record_id:ident: $(
        $form:ident, path = $path:tt,
        #[doc = $list_summary:tt]
        $list_documents:ident,
        #[doc = $create_summary:tt]
        $create_document:ident;
    )*) => { const _: () = {
        use $crate::endpoints::documents::*;

        #[shared::operations]
        #[poem_openapi::OpenApi(tag = $tag)]
        impl $api {$(
            #[doc = $list_summary]
            ///
            /// Field names are case-insensitive. A field that is hidden or not defined for the form gets
            /// 404; a field that does not hold documents is refused with 422.
            #[oai(path = $path, method = "get")]
            async fn $list_documents(
                &self,
                CoreUser(admitted): CoreUser,
                state: Data<&Arc<State>>,
                $record_id: Path<i64>,
                /// Field name, `userdef01` to `userdef80`, in any letter case.
                field: Path<String>,
                /// Only the document with this id; 404 if it is not attached here.
                document_id: Query<Option<i64>>,
                page: Page,
            ) -> Result<List<Document>, Problem> {
                let (db, caller) = (&state.reads, &admitted.caller);
                let owner =
                    AttachmentOwner::field(db, caller, Form::$form, $record_id.0, &field.0).await?;
                list(db, caller, &owner, document_id.0, &page).await
            }

            #[doc = $create_summary]
            ///
            /// The file type is detected from the content: an unsupported type is refused with 415, and a
            /// file that is too large with 413. With an `Idempotency-Key`, a repeated request gets the
            /// first response and attaches nothing.
            #[oai(path = $path, method = "post")]
            async fn $create_document(
                &self,
                CoreUser(admitted): CoreUser,
                state: Data<&Arc<State>>,
                request: &Request,
                $record_id: Path<i64>,
                /// Field name, `userdef01` to `userdef80`, in any letter case.
                field: Path<String>,
                /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
                _idempotency_key: Header<Option<String>>,
                form: FormBody,
            ) -> Result<CreatedVersion<Document>, Problem> {
                let upload = Upload::new(request, admitted.caller, form)?;
                let (db, caller) = (&state.reads, upload.caller());
                let owner =
                    AttachmentOwner::field(db, caller, Form::$form, $record_id.0, &field.0).await?;
                upload.attach(&state.documents, owner).await
            }
        )*}
    }; };
}
pub(super) use field_document_operations;

/// Operations on comments of one kind: on those of a record, on their documents and, if given, on
/// the comment itself.
macro_rules! comment_operations {
    (
        $api:ty, $kind:ident;
        record: path = $record_path:tt, $record_id:ident,
        #[doc = $list_comments_summary:tt]
        $list_comments:ident,
        #[doc = $create_comment_summary:tt]
        $create_comment:ident;
        $(comment: path = $comment_path:tt,
        #[doc = $get_summary:tt]
        $get_comment:ident;)?
        documents: path = $path:tt,
        #[doc = $list_summary:tt]
        $list_documents:ident,
        #[doc = $create_summary:tt]
        $create_document:ident,
        #[doc = $remove_summary:tt]
        $remove_document:ident
    ) => { const _: () = {
        use $crate::endpoints::documents::*;

        #[shared::operations]
        #[poem_openapi::OpenApi(tag = "Group::Comments")]
        impl $api {
            #[doc = $list_comments_summary]
            ///
            /// Ordered oldest first. Comments whose category has trustees that do not include the
            /// caller are left out.
            #[oai(path = $record_path, method = "get")]
            async fn $list_comments(
                &self,
                CoreUser(admitted): CoreUser,
                state: Data<&Arc<State>>,
                $record_id: Path<i64>,
                /// Only comments of the category with this code.
                category: Query<Option<String>>,
                /// Earliest business day of `Entered_Date`, inclusive.
                from: Query<Option<Day>>,
                /// Latest business day of `Entered_Date`, inclusive.
                to: Query<Option<Day>>,
                page: Page,
            ) -> Result<List<Comment>, Problem> {
                let parent = CommentParent::$kind($record_id.0);
                parent.check_visible(&state.reads, &admitted.caller).await?;
                let filter = CommentFilter { category: category.0, from: from.0, to: to.0 };
                let found = comments::on_record(&state.reads, &admitted, parent, filter);
                Ok(page.by_key_with(found, &state.reads).await?.try_map(Comment::read)?)
            }

            #[doc = $create_comment_summary]
            ///
            /// With an `Idempotency-Key`, a repeated request gets the first response and adds nothing.
            #[oai(path = $record_path, method = "post")]
            async fn $create_comment(
                &self,
                CoreUser(admitted): CoreUser,
                state: Data<&Arc<State>>,
                request: &Request,
                $record_id: Path<i64>,
                /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
                _idempotency_key: Header<Option<String>>,
                comment: JsonBody<NewRecordComment>,
            ) -> Result<CreatedVersion<Comment>, Problem> {
                let scope = IdempotencyScope::of(request, &admitted.caller, &[&comment.bytes])?;
                let editor = DocumentEditor::new(request, admitted.caller)?;
                let parent = CommentParent::$kind($record_id.0);
                let add = AddComment::admit(&state.reads, editor, parent, comment.value).await?;
                let mode = ExecutionMode::Commit(scope);
                Ok(CreatedVersion(execute::execute(&state.executor, add, mode).await?))
            }

        $(
            #[doc = $get_summary]
            #[oai(path = $comment_path, method = "get")]
            async fn $get_comment(
                &self,
                CoreUser(admitted): CoreUser,
                state: Data<&Arc<State>>,
                comment_id: Path<i64>,
                if_none_match: IfNoneMatch,
            ) -> Result<WithEtag<Comment>, Problem> {
                let (db, caller) = (&state.reads, &admitted.caller);
                let kind = CommentKind::$kind;
                let comment = comments::get(db, caller, kind, comment_id.0).await?;
                Ok(comment.versioned(&if_none_match))
            }
        )?

            #[doc = $list_summary]
            #[oai(path = $path, method = "get")]
            async fn $list_documents(
                &self,
                CoreUser(admitted): CoreUser,
                state: Data<&Arc<State>>,
                comment_id: Path<i64>,
                /// Only the document with this id; 404 if it is not attached here.
                document_id: Query<Option<i64>>,
                page: Page,
            ) -> Result<List<Document>, Problem> {
                let (db, caller) = (&state.reads, &admitted.caller);
                let kind = CommentKind::$kind;
                let owner = AttachmentOwner::comment(db, caller, kind, comment_id.0).await?;
                list(db, caller, &owner, document_id.0, &page).await
            }

            #[doc = $create_summary]
            ///
            /// The file type is detected from the content: an unsupported type is refused with 415, and a
            /// file that is too large with 413. With an `Idempotency-Key`, a repeated request gets the
            /// first response and attaches nothing.
            #[oai(path = $path, method = "post")]
            async fn $create_document(
                &self,
                CoreUser(admitted): CoreUser,
                state: Data<&Arc<State>>,
                request: &Request,
                comment_id: Path<i64>,
                /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
                _idempotency_key: Header<Option<String>>,
                form: FormBody,
            ) -> Result<CreatedVersion<Document>, Problem> {
                let upload = Upload::new(request, admitted.caller, form)?;
                let (db, caller) = (&state.reads, upload.caller());
                let kind = CommentKind::$kind;
                let owner = AttachmentOwner::comment(db, caller, kind, comment_id.0).await?;
                upload.attach(&state.documents, owner).await
            }

            #[doc = $remove_summary]
            #[oai(path = $path, method = "delete")]
            async fn $remove_document(
                &self,
                CoreUser(admitted): CoreUser,
                state: Data<&Arc<State>>,
                request: &Request,
                comment_id: Path<i64>,
                /// Document id.
                document_id: Query<i64>,
            ) -> Result<NoContent, Problem> {
                let editor = DocumentEditor::new(request, admitted.caller)?;
                let (db, caller) = (&state.reads, &editor.caller);
                let kind = CommentKind::$kind;
                let owner = AttachmentOwner::comment(db, caller, kind, comment_id.0).await?;
                let removal =
                    RemoveCommentDocument { editor, owner, document_id: document_id.0 };
                NoContent::of(&state.documents, removal).await
            }
        }
    }; };
}
pub(super) use comment_operations;
