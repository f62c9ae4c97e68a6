//! `Content-Disposition` of a part of a form (RFC 7578, 4.2), parsed by its grammar (RFC 2183, RFC
//! 6266): text in quotation marks is never mistaken for a parameter.

use percent_encoding::percent_decode;
use std::collections::HashMap;

/// Disposition of a part.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Disposition {
    /// Name of the part in the form.
    pub name: Option<String>,
    pub file_name: Option<String>,
}

/// Reads the value of a header; `None` if it breaks the grammar or contains a parameter twice.
pub(super) fn read(header: &[u8]) -> Option<Disposition> {
    let mut rest = Rest(header);
    let disposition_type = rest.take_while(|byte| byte != b';').trim_ascii();
    if disposition_type.is_empty() || !disposition_type.iter().copied().all(is_token) {
        return None;
    }
    let mut parameters = HashMap::new();
    loop {
        rest.skip_blanks();
        match rest.next() {
            None => break,
            Some(b';') => rest.skip_blanks(),
            Some(_) => return None,
        }
        let name = rest.take_while(is_token).to_ascii_lowercase();
        if name.is_empty() {
            // Nothing between two semicolons. If there is anything else, it is not a semicolon, and
            // is refused above.
            continue;
        }
        rest.skip_blanks();
        if rest.next() != Some(b'=') {
            return None;
        }
        let value = rest.value()?;
        if parameters.insert(name, value).is_some() {
            return None;
        }
    }
    let mut value = |name: &[u8]| parameters.remove(name);
    let encoded = value(b"filename*").and_then(|value| decode(&value));
    let plain = value(b"filename").map(|value| unescape(&text(value)));
    Some(Disposition { name: value(b"name").map(text), file_name: encoded.or(plain) })
}

/// The part of a header that is still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.0.iter().position(|byte| !belongs(*byte)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(end);
        self.0 = rest;
        taken
    }

    fn skip_blanks(&mut self) {
        self.take_while(|byte| byte == b' ' || byte == b'\t');
    }

    /// Reads a value with or without quotation marks. Some clients omit them even around names with
    /// spaces and any other characters: such a value also ends at a semicolon.
    fn value(&mut self) -> Option<Vec<u8>> {
        self.skip_blanks();
        if self.0.first() != Some(&b'"') {
            let bare = self.take_while(|byte| byte != b';' && byte != b'"');
            return Some(bare.trim_ascii().to_vec());
        }
        self.next();
        let mut value = Vec::new();
        loop {
            match self.next()? {
                b'"' => return Some(value),
                // Other backslashes are part of a path, as old browsers send it.
                b'\\' if matches!(self.0.first(), Some(b'"' | b'\\')) => value.extend(self.next()),
                byte => value.push(byte),
            }
        }
    }
}

/// True for characters of a token (RFC 9110, 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Decodes UTF-8 or, if it is not that, Latin-1.
fn text(value: Vec<u8>) -> String {
    String::from_utf8(value).unwrap_or_else(|error| latin1(error.as_bytes()))
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// Undoes the escapes of browsers for characters that a header cannot contain (WHATWG HTML,
/// 4.10.21.8).
fn unescape(file_name: &str) -> String {
    file_name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

/// Decodes a value with its encoding and language (RFC 8187, 3.2). `None` if it is malformed, or in
/// an encoding that need not be supported: then the plain value counts (RFC 6266, 4.3).
fn decode(value: &[u8]) -> Option<String> {
    let mut parts = std::str::from_utf8(value).ok()?.splitn(3, '\'');
    let (charset, _, encoded) = (parts.next()?, parts.next()?, parts.next()?);
    let is_escape =
        |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    if encoded.is_empty() || !encoded.is_ascii() || !encoded.split('%').skip(1).all(is_escape) {
        return None;
    }
    let bytes: Vec<u8> = percent_decode(encoded.as_bytes()).collect();
    match charset.to_ascii_lowercase().as_str() {
        "utf-8" => String::from_utf8(bytes).ok(),
        "iso-8859-1" => Some(latin1(&bytes)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(header: &[u8]) -> (Option<String>, Option<String>) {
        let read = read(header).unwrap_or_else(|| panic!("{:?}", String::from_utf8_lossy(header)));
        (read.name, read.file_name)
    }

    #[test]
    fn parameters_are_parsed_by_the_grammar() {
        for (header, name, file_name) in [
            ("form-data; name=\"file\"; filename=\"a.txt\"", Some("file"), Some("a.txt")),
            ("form-data; name=file; filename=a.txt", Some("file"), Some("a.txt")),
            ("Form-Data;NAME=\"file\";FileName=\"a.txt\"", Some("file"), Some("a.txt")),
            (
                "form-data ; name = \"file\"\t;; filename = a b(1).txt ;",
                Some("file"),
                Some("a b(1).txt"),
            ),
            (
                "form-data; filename=\"x; name=description; .txt\"; name=\"file\"",
                Some("file"),
                Some("x; name=description; .txt"),
            ),
            ("form-data; filename=\"name=\\\"x\\\"\"; name=file", Some("file"), Some("name=\"x\"")),
            ("form-data; xname=a; filename=b", None, Some("b")),
            ("form-data; name=\"\"; filename=\"\"", Some(""), Some("")),
            ("form-data; name=\"Größe\"", Some("Größe"), None),
            ("attachment", None, None),
        ] {
            let expected = (name.map(str::to_owned), file_name.map(str::to_owned));
            assert_eq!(parts(header.as_bytes()), expected, "{header}");
        }
    }

    #[test]
    fn file_names_are_read_in_every_encoding() {
        for (header, file_name) in [
            (b"f; filename=\"C:\\dir\\a.txt\"".as_slice(), "C:\\dir\\a.txt"),
            (b"f; filename=\"\\\\server\\b.txt\"", "\\server\\b.txt"),
            (b"f; filename=\"say %22hi%22%0D%0A.txt\"", "say \"hi\"\r\n.txt"),
            (b"f; filename=\"100%25.txt\"", "100%25.txt"),
            (b"f; filename=\"Gr\xf6\xdfe.txt\"", "Größe.txt"),
            (b"f; filename=Gr\xf6\xdfe.txt", "Größe.txt"),
            (
                b"f; filename=\"=?utf-8?B?R3LDtsOfZS5jc3Y=?=\"; filename*=utf-8''Gr%C3%B6%C3%9Fe.csv",
                "Größe.csv",
            ),
            (b"f; filename*=UTF-8'de'%e2%82%ac%20it's.txt; filename=e.txt", "€ it's.txt"),
            (b"f; filename*=\"ISO-8859-1''Gr%F6%DFe.txt\"", "Größe.txt"),
            (b"f; filename*=utf-8''a%2522b.txt", "a%22b.txt"),
            // What cannot be decoded does not count.
            (b"f; filename=a.txt; filename*=utf-8''%F6.txt", "a.txt"),
            (b"f; filename=a.txt; filename*=utf-8''%zz.txt", "a.txt"),
            (b"f; filename=a.txt; filename*=utf-8''b%2", "a.txt"),
            (b"f; filename=a.txt; filename*=utf-16''b.txt", "a.txt"),
            (b"f; filename=a.txt; filename*=b.txt", "a.txt"),
            (b"f; filename=a.txt; filename*=utf-8''", "a.txt"),
        ] {
            let found = parts(header).1;
            assert_eq!(found.as_deref(), Some(file_name), "{}", String::from_utf8_lossy(header));
        }
    }

    #[test]
    fn ungrammatical_dispositions_are_refused() {
        for header in [
            "",
            "name=file",
            "; name=file",
            "form-data name=file",
            "form-data; name",
            "form-data; =file",
            "form-data; name=\"file",
            "form-data; name=\"file\\\"",
            "form-data; name=\"file\" filename=\"a.txt\"",
            "form-data; name=fi\"le\"",
            "form-data; name=\"file\"; name=\"file\"",
            "form-data; name=file; NAME=name",
            "form-data; name=file; filename=a; filename=b",
            "form-data; name=file; filename*=utf-8''a; FILENAME*=utf-8''b",
            "form-data; name=file; x=1; x=2",
        ] {
            assert_eq!(read(header.as_bytes()), None, "{header}");
        }
    }
}
