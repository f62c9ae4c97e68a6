//! File names of uploads, without folders and without invisible characters.

/// Returns the name of a file without path, control and formatting characters; `None` if nothing is
/// left that could name a file. Characters that reverse the writing direction would make `txt.exe`
/// look like `exe.txt`.
pub fn clean(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let visible: String = last.chars().filter(|c| !c.is_control() && !is_formatting(*c)).collect();
    let visible = visible.trim();
    (!visible.trim_matches('.').trim().is_empty()).then(|| visible.to_owned())
}

/// True for an encoded word of e-mail headers (RFC 2047), which forms do not have (RFC 7578, 4.2).
pub fn is_encoded_word(name: &str) -> bool {
    name.starts_with("=?") && name.ends_with("?=") && name.matches('?').count() >= 4
}

/// True for characters without a glyph that change how others look: direction, joining, and the
/// like.
fn is_formatting(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Returns the `Content-Disposition` of a download (RFC 6266): the name in ASCII for old clients,
/// and unchanged for all others (RFC 8187).
pub fn content_disposition(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| match c {
            ' '..='~' if !"\"\\%".contains(c) => c,
            _ => '_',
        })
        .collect();
    let mut encoded = String::new();
    for byte in name.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => encoded.push(byte.into()),
            b'!' | b'#' | b'$' | b'&' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~' => {
                encoded.push(byte.into());
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_paths_and_invisible_characters() {
        for (name, expected) in [
            ("letter.pdf", Some("letter.pdf")),
            ("/etc/passwd", Some("passwd")),
            ("..\\..\\windows\\win.ini", Some("win.ini")),
            ("C:\\Users\\me\\Brief an Größe.pdf", Some("Brief an Größe.pdf")),
            ("a\r\nSet-Cookie: x\0.txt", Some("aSet-Cookie: x.txt")),
            ("invoice\u{202e}fdp.exe", Some("invoicefdp.exe")),
            ("\u{feff}\u{200f}مرفق.pdf", Some("مرفق.pdf")),
            ("  spaced .txt  ", Some("spaced .txt")),
            (".profile", Some(".profile")),
            ("..", None),
            ("say \"hi\"\r\n.txt", Some("say \"hi\".txt")),
            ("100%22.txt", Some("100%22.txt")),
            ("", None),
            ("folder/", None),
            ("\u{7f}\u{200b} . ", None),
        ] {
            assert_eq!(clean(name).as_deref(), expected, "{name:?}");
        }
    }

    #[test]
    fn encoded_words_are_told_from_names() {
        for (name, is_word) in [
            ("=?UTF-8?B?R3LDtsOfZS50eHQ=?=", true),
            ("=?iso-8859-1?Q?Gr=F6=DFe.txt?=", true),
            ("=?.txt", false),
            ("what?=.txt", false),
        ] {
            assert_eq!(is_encoded_word(name), is_word, "{name}");
        }
    }

    #[test]
    fn a_download_keeps_the_file_name() {
        assert_eq!(
            content_disposition("a \"b\" \\ 100%.pdf"),
            "attachment; filename=\"a _b_ _ 100_.pdf\"; \
             filename*=UTF-8''a%20%22b%22%20%5C%20100%25.pdf"
        );
        assert_eq!(
            content_disposition("Größe €.txt"),
            "attachment; filename=\"Gr__e _.txt\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%82%AC.txt"
        );
        let long = content_disposition(&"€".repeat(255));
        assert!(long.is_ascii() && !long.contains('\n'));
    }
}
