//! Content scan of an uploaded file, chunk by chunk: text must not contain control characters, an
//! office document must not contain macros.

/// End of the name of the part in which an office document stores macros. Names are not compressed.
const MACROS: &[u8] = b"vbaProject.bin";

/// Scan of the bytes of one file, from the first to the last.
#[derive(Debug)]
pub(super) enum ContentScan {
    Anything,
    /// A text whose characters are bytes, or begin with one.
    Bytes,
    /// A text in UTF-16, and the first half of a code unit if the other half has not arrived.
    Units {
        read: fn([u8; 2]) -> u16,
        half: Option<u8>,
    },
    /// An archive, and its last bytes so far: a name may begin in them.
    Archive {
        tail: Vec<u8>,
    },
}

impl ContentScan {
    /// Returns a scan of a text that begins with `head`: UTF-16 has a byte-order mark.
    pub(super) fn over_text(head: &[u8]) -> Self {
        match head {
            [0xff, 0xfe, ..] => Self::Units { read: u16::from_le_bytes, half: None },
            [0xfe, 0xff, ..] => Self::Units { read: u16::from_be_bytes, half: None },
            _ => Self::Bytes,
        }
    }

    /// Checks the next bytes. The error says what is wrong with them.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> Result<(), &'static str> {
        match self {
            Self::Anything => Ok(()),
            Self::Bytes => check_text(chunk.iter().map(|byte| u16::from(*byte))),
            Self::Units { read, half } => check_units(chunk, *read, half),
            Self::Archive { tail } => check_archive(chunk, tail),
        }
    }

    /// Checks the end of the file.
    pub(super) fn finish(self) -> Result<(), &'static str> {
        match self {
            Self::Units { half: Some(_), .. } => Err("it ends in the middle of a UTF-16 character"),
            _ => Ok(()),
        }
    }
}

/// Refuses the "binary data bytes" of the WHATWG's MIME Sniffing Standard, section 3, except 0x1A:
/// texts of DOS end with it.
fn check_text(mut units: impl Iterator<Item = u16>) -> Result<(), &'static str> {
    match units.any(|unit| matches!(unit, 0..=8 | 0x0b | 0x0e..=0x19 | 0x1c..=0x1f)) {
        true => Err("it begins like text, but contains control characters"),
        false => Ok(()),
    }
}

fn check_units(
    chunk: &[u8],
    read: fn([u8; 2]) -> u16,
    half: &mut Option<u8>,
) -> Result<(), &'static str> {
    let mut rest = chunk;
    if let (Some(first), [second, after @ ..]) = (*half, chunk) {
        check_text(std::iter::once(read([first, *second])))?;
        (*half, rest) = (None, after);
    }
    let (units, odd) = rest.as_chunks::<2>();
    *half = odd.first().copied().or(*half);
    check_text(units.iter().map(|unit| read(*unit)))
}

fn check_archive(chunk: &[u8], tail: &mut Vec<u8>) -> Result<(), &'static str> {
    let has_macros = |bytes: &[u8]| {
        bytes.windows(MACROS.len()).any(|window| window.eq_ignore_ascii_case(MACROS))
    };
    let (longest, length) = (MACROS.len() - 1, chunk.len());
    tail.extend_from_slice(&chunk[..length.min(longest)]);
    if has_macros(tail) || has_macros(chunk) {
        return Err("it contains macros (vbaProject.bin): such files are not accepted");
    }
    if length > longest {
        tail.clear();
        tail.extend_from_slice(&chunk[length - longest..]);
    } else {
        tail.drain(..tail.len().saturating_sub(longest));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::documents::multipart::file_types::ALL;

    /// Returns the result for a file in chunks of several sizes.
    fn scan(name: &str, file: &[u8]) -> Result<(), &'static str> {
        let file_type = ALL.iter().find(|candidate| candidate.name == name).expect("a type");
        let outcomes: Vec<_> = [1, 2, 3, 13, 14, 15, usize::MAX]
            .into_iter()
            .map(|size| {
                let mut content_scan = file_type.scan(file);
                file.chunks(size).try_for_each(|chunk| content_scan.feed(chunk))?;
                content_scan.feed(b"")?;
                content_scan.finish()
            })
            .collect();
        assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{outcomes:?}");
        outcomes[0]
    }

    fn wide(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        ['\u{feff}'.to_string().as_str(), text]
            .iter()
            .flat_map(|part| part.encode_utf16().flat_map(bytes).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn text_files_must_not_contain_control_characters() {
        for name in ["txt", "csv"] {
            assert_eq!(scan(name, "Größe: 3 €\r\n\t\u{c}\u{1b}[0m".as_bytes()), Ok(()));
            assert_eq!(scan(name, b"written under DOS\x1a"), Ok(()));
            for control in [0, 8, 0x0b, 0x0e, 0x19, 0x1c, 0x1f] {
                let text = [b"much that is well and then".as_slice(), &[control]].concat();
                assert!(scan(name, &text).is_err(), "{control}");
            }
        }
    }

    #[test]
    fn utf_16_texts_are_checked_by_code_unit() {
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            assert_eq!(scan("csv", &wide("Größe\t3 €\r\n\u{1f600} Ā\u{1a}", bytes)), Ok(()));
            assert_eq!(scan("txt", &wide("", bytes)), Ok(()));
            for control in ["\0", "\u{8}", "\u{b}", "\u{19}", "\u{1f}"] {
                let text = format!("words{control}");
                assert!(scan("txt", &wide(&text, bytes)).is_err(), "{control:?}");
            }
            let odd = [wide("words", bytes), vec![b'x']].concat();
            assert_eq!(scan("txt", &odd), Err("it ends in the middle of a UTF-16 character"));
        }
        let unmarked = &wide("words", u16::to_le_bytes)[2..];
        assert!(scan("txt", unmarked).is_err());
    }

    #[test]
    fn macros_anywhere_in_an_office_document_are_found() {
        let filler = [0_u8, 0x4b, b'v'].repeat(40);
        for name in ["docx", "xlsx"] {
            assert_eq!(scan(name, &filler), Ok(()));
            for part in ["xl/vbaProject.bin", "word/VBAPROJECT.BIN", "vbaProject.bin"] {
                for before in 0..filler.len() {
                    let file = [&filler[..before], part.as_bytes(), &filler[before..]].concat();
                    assert!(scan(name, &file).is_err(), "{part} behind {before}");
                }
            }
            assert_eq!(scan(name, b"vbaProject.bi"), Ok(()));
            assert_eq!(scan(name, b"vbaProjectvbaProject.bi.bin"), Ok(()));
        }
        assert_eq!(scan("pdf", b"vbaProject.bin\0"), Ok(()), "only archives have such parts");
    }
}
