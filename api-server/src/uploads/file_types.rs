//! What kind of file it is, told from its content: what a client says about it is not believed, but
//! a name that promises another type is refused.

use std::fmt;
use std::str::FromStr;

/// A type of files that may be uploaded.
#[derive(Debug, PartialEq, Eq)]
pub struct FileType {
    /// What settings call it.
    pub name: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// How names of such files end.
    extensions: &'static [&'static str],
}

/// Every type that can be told.
pub const ALL: [FileType; 8] = [
    FileType { name: "pdf", media_type: "application/pdf", extensions: &["pdf"] },
    FileType { name: "png", media_type: "image/png", extensions: &["png"] },
    FileType { name: "jpeg", media_type: "image/jpeg", extensions: &["jpg", "jpeg"] },
    FileType { name: "tiff", media_type: "image/tiff", extensions: &["tif", "tiff"] },
    TXT,
    CSV,
    FileType {
        name: "docx",
        media_type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        extensions: &["docx"],
    },
    FileType {
        name: "xlsx",
        media_type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        extensions: &["xlsx"],
    },
];

const TXT: FileType = FileType { name: "txt", media_type: "text/plain", extensions: &["txt"] };
const CSV: FileType = FileType { name: "csv", media_type: "text/csv", extensions: &["csv"] };

/// How much of a file is looked at to tell its type; of a text, all of it.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The type of a file that begins like this. The content of a table of comma-separated values is
/// any text: there the name decides.
pub fn find(head: &[u8], file_name: &str) -> Option<&'static FileType> {
    if head.starts_with(b"PK\x03\x04") {
        return office_document(head).and_then(by_name);
    }
    let known = infer::get(head);
    let other = |found: &infer::Type| {
        // What looks like a text and is none: the magic numbers of other types are words as well.
        found.matcher_type() == infer::MatcherType::Text
            || ["application/rtf", "application/postscript"].contains(&found.mime_type())
    };
    match known {
        Some(found) if found.mime_type() == "application/pdf" => by_name("pdf"),
        Some(found) if is_text(head) && other(&found) => None,
        Some(found) if !is_text(head) => {
            ALL.iter().find(|known| known.media_type == found.mime_type())
        }
        None if !is_text(head) => None,
        _ if extension(file_name).as_deref() == Some("csv") => by_name("csv"),
        _ => by_name("txt"),
    }
}

/// True where a name ends like that of a file of another of these types.
pub fn name_promises_other(file_name: &str, found: &FileType) -> bool {
    let Some(extension) = extension(file_name) else { return false };
    let promised = ALL.iter().find(|known| known.extensions.contains(&extension.as_str()));
    promised.is_some_and(|promised| promised != found)
}

/// True for bytes that texts have: none of the "binary data bytes" of the WHATWG's MIME Sniffing
/// Standard, section 3.
pub fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().any(|byte| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
}

impl FileType {
    /// True if all of a file's bytes must be a text's.
    pub fn is_textual(&self) -> bool {
        *self == TXT || *self == CSV
    }

    /// What a file of this type is called that came without a name.
    pub fn default_name(&self) -> String {
        format!("document.{}", self.extensions.first().unwrap_or(&self.name))
    }
}

fn by_name(name: &str) -> Option<&'static FileType> {
    ALL.iter().find(|known| known.name == name)
}

fn extension(file_name: &str) -> Option<String> {
    let (_, extension) = file_name.rsplit_once('.')?;
    Some(extension.trim().to_ascii_lowercase())
}

/// The kind of Office Open XML document that a ZIP archive is (ECMA-376, part 2): by the folder of
/// its main part, which stands in the headers of the archive's first files.
fn office_document(head: &[u8]) -> Option<&'static str> {
    const NAME_LENGTH: usize = 26;
    const NAME: usize = 30;
    let starts = head.windows(4).enumerate().filter(|(_, bytes)| *bytes == b"PK\x03\x04");
    let names = starts.filter_map(|(start, _)| {
        let header = head.get(start..)?;
        let length = header.get(NAME_LENGTH..NAME_LENGTH + 2)?;
        let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
        header.get(NAME..NAME + length)
    });
    let mut package = false;
    let mut kind = None;
    for name in names {
        package |= name == b"[Content_Types].xml" || name == b"_rels/.rels";
        if name.starts_with(b"word/") {
            kind = kind.or(Some("docx"));
        } else if name.starts_with(b"xl/") {
            kind = kind.or(Some("xlsx"));
        }
    }
    kind.filter(|_| package)
}

/// The types that an installation takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken(Vec<&'static FileType>);

impl Taken {
    /// True if files of this type may be uploaded.
    pub fn contains(&self, found: &FileType) -> bool {
        self.0.contains(&found)
    }
}

impl Default for Taken {
    fn default() -> Self {
        Self(ALL.iter().collect())
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|known| known.name).collect();
        f.write_str(&names.join(", "))
    }
}

impl FromStr for Taken {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split(',').map(str::trim);
        let known = names.map(|name| {
            by_name(name).ok_or_else(|| format!("{name:?} is none of {}", Self::default()))
        });
        known.collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests;
