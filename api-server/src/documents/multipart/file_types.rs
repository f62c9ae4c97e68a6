//! File types, detected from the content. What a client states about a file is ignored, and a name
//! with the extension of another type is refused.

use super::content_scan::ContentScan;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A file type that may be uploaded.
#[derive(Debug, PartialEq, Eq)]
pub struct FileType {
    pub name: &'static str,
    pub media_type: &'static str,
    /// Extensions of file names.
    extensions: &'static [&'static str],
}

/// All types that can be detected.
pub const ALL: [FileType; 8] = [
    FileType { name: "pdf", media_type: "application/pdf", extensions: &["pdf"] },
    FileType { name: "png", media_type: "image/png", extensions: &["png"] },
    FileType { name: "jpeg", media_type: "image/jpeg", extensions: &["jpg", "jpeg"] },
    FileType { name: "tiff", media_type: "image/tiff", extensions: &["tif", "tiff"] },
    TXT,
    CSV,
    DOCX,
    XLSX,
];

const TXT: FileType =
    FileType { name: "txt", media_type: "text/plain", extensions: &["txt", "text", "log"] };
const CSV: FileType = FileType { name: "csv", media_type: "text/csv", extensions: &["csv"] };
const DOCX: FileType = FileType {
    name: "docx",
    media_type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    extensions: &["docx"],
};
const XLSX: FileType = FileType {
    name: "xlsx",
    media_type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    extensions: &["xlsx"],
};

/// Bytes of a file examined to detect its type. In an office document, a picture may precede the
/// first part that shows its type.
pub const HEAD_BYTES_MAX: usize = 256 * 1024;
/// Bytes of a text examined to detect markup and programs.
const OPENING_BYTES_MAX: usize = 2048;

/// Returns the type of a file that begins with these bytes. The content of a CSV file is any text,
/// so there the name decides.
pub fn find(head: &[u8], file_name: &str) -> Option<&'static FileType> {
    if head.starts_with(b"PK\x03\x04") {
        return office_document(head).and_then(by_name);
    }
    let detected = infer::get(head);
    match detected {
        Some(found) if found.mime_type() == "application/pdf" => by_name("pdf"),
        _ if ContentScan::over_text(head).feed(head).is_err() => ALL
            .iter()
            .find(|other| detected.is_some_and(|found| found.mime_type() == other.media_type)),
        _ if is_other_text(head) => None,
        _ if extension(file_name).as_deref() == Some("csv") => by_name("csv"),
        _ => by_name("txt"),
    }
}

/// True for what looks like text and is more: markup and programs. Other magic numbers are ignored,
/// because text may begin with them.
fn is_other_text(head: &[u8]) -> bool {
    let opening = opening(head);
    is_markup(&opening)
        || infer::get(&opening).is_some_and(|found| {
            found.matcher_type() == infer::MatcherType::Text
                || ["application/rtf", "application/postscript"].contains(&found.mime_type())
        })
}

/// True for HTML, SVG and any other XML, whichever element comes first.
fn is_markup(opening: &[u8]) -> bool {
    match opening.trim_ascii_start() {
        [b'<', next, ..] => next.is_ascii_alphabetic() || matches!(next, b'!' | b'?'),
        _ => false,
    }
}

/// Returns the beginning of a text after its byte-order mark, in ASCII: browsers look there, too.
fn opening(head: &[u8]) -> Cow<'_, [u8]> {
    let narrow = |units: &[u8], read: fn([u8; 2]) -> u16| {
        let (units, _) = units[..units.len().min(OPENING_BYTES_MAX)].as_chunks::<2>();
        units.iter().map(|unit| u8::try_from(read(*unit)).unwrap_or(b'?')).collect()
    };
    match head {
        [0xef, 0xbb, 0xbf, text @ ..] => Cow::Borrowed(text),
        [0xff, 0xfe, units @ ..] => Cow::Owned(narrow(units, u16::from_le_bytes)),
        [0xfe, 0xff, units @ ..] => Cow::Owned(narrow(units, u16::from_be_bytes)),
        _ => Cow::Borrowed(head),
    }
}

impl FileType {
    /// Returns a scan of a file of this type that begins with `head`.
    pub(super) fn scan(&self, head: &[u8]) -> ContentScan {
        if *self == TXT || *self == CSV {
            ContentScan::over_text(head)
        } else if *self == DOCX || *self == XLSX {
            ContentScan::Archive { tail: Vec::new() }
        } else {
            ContentScan::Anything
        }
    }

    /// Returns the name for a file of this type that was sent under this name. Programs go by the
    /// extension, so it must be one of this type. A name without an extension gets one; `None` if
    /// it has another.
    pub fn complete(&self, file_name: &str) -> Option<String> {
        match extension(file_name) {
            Some(extension) => {
                self.extensions.contains(&extension.as_str()).then(|| file_name.to_owned())
            }
            None => Some(format!("{file_name}.{}", self.extensions.first()?)),
        }
    }
}

fn by_name(name: &str) -> Option<&'static FileType> {
    ALL.iter().find(|file_type| file_type.name == name)
}

fn extension(file_name: &str) -> Option<String> {
    let (_, extension) = file_name.rsplit_once('.')?;
    Some(extension.trim().to_ascii_lowercase())
}

/// Returns the kind of Office Open XML document that a ZIP archive is (ECMA-376, part 2), by the
/// folder of its main part. The part that makes it a package is not looked for: some programs write
/// it last.
fn office_document(head: &[u8]) -> Option<&'static str> {
    let mut rest = head;
    while let Some((name, after)) = next_entry(rest) {
        if name.starts_with(b"word/") {
            return Some("docx");
        }
        if name.starts_with(b"xl/") {
            return Some("xlsx");
        }
        rest = after;
    }
    None
}

/// Returns the name of the next file in an archive, and what follows it (APPNOTE.TXT, 4.3.7). An
/// archive may contain other archives: their headers are not its own.
fn next_entry(archive: &[u8]) -> Option<(&[u8], &[u8])> {
    const SIGNATURE: &[u8] = b"PK\x03\x04";
    const LENGTH: usize = 30;
    let (header, rest) = archive.split_at_checked(LENGTH)?;
    if !header.starts_with(SIGNATURE) {
        return None;
    }
    let number = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let (name, rest) = rest.split_at_checked(number(26))?;
    let content = rest.get(number(28)..).unwrap_or_default();
    let size = u32::from_le_bytes([header[18], header[19], header[20], header[21]]);
    // A writer that did not know the size in advance writes it after the content, or in a longer
    // field.
    let is_open = number(6) & 8 != 0 || size == u32::MAX;
    let end = match is_open {
        true => content.windows(SIGNATURE.len()).position(|bytes| bytes == SIGNATURE),
        false => usize::try_from(size).ok(),
    };
    Some((name, end.and_then(|end| content.get(end..)).unwrap_or_default()))
}

/// The file types that an installation accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedTypes(Vec<&'static FileType>);

impl AllowedTypes {
    /// True if files of this type may be uploaded.
    pub fn contains(&self, found: &FileType) -> bool {
        self.0.contains(&found)
    }
}

impl Default for AllowedTypes {
    fn default() -> Self {
        Self(ALL.iter().collect())
    }
}

impl fmt::Display for AllowedTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|file_type| file_type.name).collect();
        f.write_str(&names.join(", "))
    }
}

impl FromStr for AllowedTypes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split(',').map(str::trim);
        let types = names.map(|name| {
            by_name(name).ok_or_else(|| format!("{name:?} is not one of {}", Self::default()))
        });
        types.collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests;
