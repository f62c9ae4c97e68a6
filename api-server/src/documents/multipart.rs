//! Multipart uploads: forms (RFC 7578) that are read as a stream, with a limit on everything.
//!
//! The bytes go into the object store as they arrive, so memory use stays constant. A form that is
//! refused, cut off or abandoned leaves nothing there.

mod content_scan;
mod disposition;
pub mod file_names;
pub mod file_types;
mod reader;

use self::file_types::{AllowedTypes, FileType, HEAD_BYTES_MAX};
use self::reader::MultipartReader;
use crate::auth::caller::Caller;
use crate::documents::store::{DocumentStore, StoredObject};
use crate::http::bounded_string::LONG;
use crate::http::concurrency_limit::ConcurrencyLimit;
use bytes::Bytes;
use multer::Field;
use poem::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use poem::{Body, Request, RequestBody, Result};
use poem_openapi::impl_apirequest_for_payload;
use poem_openapi::payload::{ParsePayload, Payload};
use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use shared::problem::{Problem, ProblemType};
use std::time::Duration;
use tokio::time::timeout;

const UPLOAD_TIME_MAX: Duration = Duration::from_secs(60 * 60);
/// Concurrent uploads: each holds a part in memory.
const UPLOADS_MAX: usize = 64;
const UPLOADS_PER_CALLER_MAX: usize = 16;
/// Maximum size of a text of the form, in bytes. It leaves room for texts that are too long, so
/// that they are refused by name.
const TEXT_BYTES_MAX: usize = 256 * 1024;

/// Limits of uploads to a server.
#[derive(Debug)]
pub struct UploadLimits {
    /// Maximum size of a file, in bytes.
    pub file_bytes_max: u64,
    /// Accepted file types.
    pub types: AllowedTypes,
    concurrency: ConcurrencyLimit,
}

impl UploadLimits {
    /// Returns limits that accept files up to this size and of these types.
    pub fn new(file_bytes_max: u64, types: AllowedTypes) -> Self {
        let concurrency = ConcurrencyLimit::new("uploads", UPLOADS_MAX, UPLOADS_PER_CALLER_MAX);
        Self { file_bytes_max, types, concurrency }
    }

    /// Returns the maximum size of a whole form, in bytes.
    pub fn form_bytes_max(&self) -> u64 {
        self.file_bytes_max + 4 * TEXT_BYTES_MAX as u64
    }
}

/// A form that has been read. Its file is in the object store, but no row refers to it yet.
#[derive(Clone, Debug)]
pub struct ReceivedForm {
    pub file: UploadedFile,
    name: Option<String>,
    description: Option<String>,
}

impl ReceivedForm {
    /// Returns the text `name`, if it is not blank.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref().filter(|name| !name.trim().is_empty())
    }

    /// Returns the text `description`, if it is not blank.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref().filter(|description| !description.trim().is_empty())
    }

    /// Returns what was sent, part by part, for fingerprints. An empty part differs from a missing
    /// one.
    pub fn parts(&self) -> Vec<&[u8]> {
        let UploadedFile { stored, sent_name, .. } = &self.file;
        let texts = [&self.name, &self.description, sent_name].map(Option::as_deref);
        let sent = texts.into_iter().chain([Some(stored.sha256.as_str())]);
        let parts = sent.flat_map(|sent| match sent {
            Some(text) => [b"1".as_slice(), text.as_bytes()],
            None => [b"0".as_slice(), b""],
        });
        parts.collect()
    }
}

/// A file that is in the object store.
#[derive(Clone, Debug)]
pub struct UploadedFile {
    pub stored: StoredObject,
    sent_name: Option<String>,
    pub name: String,
    pub file_type: &'static FileType,
}

/// A multipart form, before its body is read.
pub struct FormBody {
    body: Body,
    boundary: String,
}

impl FormBody {
    /// Reads the form, and writes its file to the object store.
    pub async fn receive(
        self,
        limits: &UploadLimits,
        store: &DocumentStore,
        caller: &Caller,
    ) -> Result<ReceivedForm, Problem> {
        let _permit = limits.concurrency.acquire(caller).await?;
        let form = MultipartReader::new(self.body, self.boundary);
        let mut reader = Reader { limits, store, form, file: None };
        let received = match timeout(UPLOAD_TIME_MAX, reader.read()).await {
            Ok(received) => received,
            Err(_) => Err(Problem::bad_request("the upload took longer than an hour")),
        };
        if let (Err(_), Some(file)) = (&received, reader.file) {
            store.forget(vec![file.stored.key]).await;
        }
        received
    }
}

struct Reader<'a> {
    limits: &'a UploadLimits,
    store: &'a DocumentStore,
    form: MultipartReader,
    file: Option<UploadedFile>,
}

impl Reader<'_> {
    async fn read(&mut self) -> Result<ReceivedForm, Problem> {
        let (mut name, mut description) = (None, None);
        while let Some(field) = self.form.next_field().await? {
            let header =
                field.headers().get(CONTENT_DISPOSITION).map_or(&b""[..], |v| v.as_bytes());
            let Some(part) = disposition::read(header) else {
                return Err(malformed().detail("the Content-Disposition of a part cannot be read"));
            };
            match part.name.as_deref() {
                Some("file") if self.file.is_none() => {
                    self.file = Some(self.store_file(field, part.file_name).await?)
                }
                Some("name") if name.is_none() => name = Some(self.text("name", field).await?),
                Some("description") if description.is_none() => {
                    description = Some(self.text("description", field).await?);
                }
                Some(duplicate @ ("file" | "name" | "description")) => {
                    return Err(malformed().field(duplicate, "appears twice"));
                }
                Some(other) => return Err(malformed().field(other, "is not a part of this form")),
                None => return Err(malformed().detail("a part of the form has no name")),
            }
        }
        match self.file.take() {
            Some(file) => Ok(ReceivedForm { file, name, description }),
            None => Err(malformed().field("file", "is required")),
        }
    }

    async fn text(
        &mut self,
        name: &'static str,
        mut field: Field<'static>,
    ) -> Result<String, Problem> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.form.chunk(&mut field).await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > TEXT_BYTES_MAX {
                let detail = format!("{name} may have at most 64 KiB");
                return Err(Problem::new(ProblemType::TooLarge).detail(detail));
            }
        }
        String::from_utf8(bytes).map_err(|_| malformed().field(name, "is not UTF-8"))
    }

    async fn store_file(
        &mut self,
        mut field: Field<'static>,
        sent_name: Option<String>,
    ) -> Result<UploadedFile, Problem> {
        let head = self.head(&mut field).await?;
        if head.is_empty() {
            return Err(Problem::invalid("file", "must not be empty"));
        }
        if sent_name.as_deref().is_some_and(file_names::is_encoded_word) {
            let message = "has a file name that is encoded for e-mail (RFC 2047): send it in UTF-8";
            return Err(malformed().field("file", message));
        }
        let clean = sent_name.as_deref().and_then(file_names::clean);
        let (file_type, name) = self.detect_type(&head, clean.as_deref().unwrap_or("document"))?;
        let mut scan = file_type.scan(&head);
        scan.feed(&head).map_err(|fault| self.unsupported(fault))?;
        let mut upload = self.store.upload();
        let written = async {
            upload.write(&head).await?;
            let mut total = head.len() as u64;
            while let Some(chunk) = self.form.chunk(&mut field).await? {
                total += chunk.len() as u64;
                self.check_size(total)?;
                scan.feed(&chunk).map_err(|fault| self.unsupported(fault))?;
                upload.write(&chunk).await?;
            }
            scan.finish().map_err(|fault| self.unsupported(fault))
        };
        if let Err(problem) = written.await {
            upload.abort().await;
            return Err(problem);
        }
        let stored = upload.finish().await?;
        Ok(UploadedFile { stored, sent_name, name, file_type })
    }

    /// Reads as much of the file as is needed to detect its type.
    async fn head(&mut self, field: &mut Field<'static>) -> Result<Bytes, Problem> {
        let mut head = Vec::new();
        while head.len() < HEAD_BYTES_MAX {
            let Some(chunk) = self.form.chunk(field).await? else { break };
            head.extend_from_slice(&chunk);
            self.check_size(head.len() as u64)?;
        }
        Ok(head.into())
    }

    fn check_size(&self, bytes: u64) -> Result<(), Problem> {
        let bytes_max = self.limits.file_bytes_max;
        if bytes <= bytes_max {
            return Ok(());
        }
        let detail = format!("files may have at most {bytes_max} bytes");
        Err(Problem::new(ProblemType::TooLarge).detail(detail).field("file", "is too large"))
    }

    /// Returns the type of a file, and its name.
    fn detect_type(&self, head: &[u8], name: &str) -> Result<(&'static FileType, String), Problem> {
        let found = file_types::find(head, name);
        let accepted = found.filter(|found| self.limits.types.contains(found));
        let Some(found) = accepted else {
            return Err(self.unsupported("its content is none of these types"));
        };
        let message =
            || format!("the content is {}, but the name has a different extension", found.name);
        let name = found.complete(name).ok_or_else(|| self.unsupported(&message()))?;
        Ok((found, name))
    }

    fn unsupported(&self, message: &str) -> Problem {
        let detail = format!("accepted file types: {}", self.limits.types);
        Problem::new(ProblemType::UnsupportedMediaType).detail(detail).field("file", message)
    }
}

fn malformed() -> Problem {
    Problem::bad_request("the form does not match this operation")
}

impl Payload for FormBody {
    const CONTENT_TYPE: &'static str = "multipart/form-data";

    /// Admission has checked it.
    fn check_content_type(_: &str) -> bool {
        true
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference("NewDocument".to_owned())
    }

    fn register(registry: &mut Registry) {
        registry.create_schema::<Self, _>("NewDocument".to_owned(), |_| {
            let member = |format: Option<&'static str>, max_length, description| {
                let mut schema = MetaSchema::new("string");
                // A part with a format is a file, and no file is empty.
                schema.format = format;
                schema.max_length = max_length;
                schema.description = Some(description);
                MetaSchemaRef::Inline(Box::new(schema))
            };
            let mut schema = MetaSchema::new("object");
            schema.description = Some("A file, and the name of its document.");
            schema.required = vec!["file"];
            schema.properties = vec![
                (
                    "file",
                    member(
                        Some("binary"),
                        None,
                        "One file, up to 25 MiB unless the installation has a different limit: \
                         pdf, png, jpeg, tiff, txt, csv, docx or xlsx by its content. The \
                         extension of its name must be one that belongs to that type; a name \
                         without an extension gets one.",
                    ),
                ),
                ("name", member(None, Some(255), "Up to 255 characters; default: the file name.")),
                ("description", member(None, Some(LONG), "Up to 64 KiB.")),
            ];
            schema
        });
    }
}

impl ParsePayload for FormBody {
    const IS_REQUIRED: bool = true;

    async fn from_request(request: &Request, body: &mut RequestBody) -> Result<Self> {
        let content_type =
            request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = multer::parse_boundary(content_type.unwrap_or_default());
        let boundary =
            boundary.map_err(|_| malformed().detail("the Content-Type has no boundary"))?;
        Ok(Self { body: body.take()?, boundary })
    }
}

impl_apirequest_for_payload!(FormBody);
