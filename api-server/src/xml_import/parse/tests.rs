//! Well-formed and malformed files, and where their faults are.

use super::*;
use proptest::prelude::*;
use std::io::{BufReader, Read};

fn pieces(text: &str) -> Result<Vec<Piece>, XmlFault> {
    let mut records = Records::open(text.as_bytes())?;
    let mut all = Vec::new();
    while let Some(piece) = records.next_piece()? {
        all.push(piece);
    }
    Ok(all)
}

fn records(text: &str) -> Vec<Element> {
    let whole = |piece| match piece {
        Piece::Record(record) => record,
        other => panic!("{other:?} is not a complete record"),
    };
    pieces(text).unwrap().into_iter().map(whole).collect()
}

#[track_caller]
fn fault(file: impl AsRef<[u8]>) -> XmlFault {
    let file = file.as_ref();
    let excerpt = String::from_utf8_lossy(&file[..file.len().min(80)]);
    match check(file) {
        Err(fault) => fault,
        Ok(_) => panic!("{excerpt} is accepted"),
    }
}

#[test]
fn records_have_lines_attributes_children_text_and_lengths() {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Core CommitBlock=\"1\">\n  \
                <!-- a comment -->\n  <Contact A=\"1 &amp; 2\"\n     B='x\ty'>\n    \
                <Comment>so &lt;b&gt; &#65;<![CDATA[<raw>]]></Comment>\n  </Contact>\n\
                <Loan/></Core>\n";
    let all = records(text);
    assert_eq!(all.len(), 2);
    assert_eq!((all[0].name.as_str(), all[0].line), ("Contact", 4));
    assert_eq!(all[0].attribute("A"), Some("1 & 2"));
    assert_eq!(all[0].attribute("B"), Some("x y"));
    let comment = &all[0].children[0];
    assert_eq!((comment.text.as_str(), comment.line), ("so <b> A<raw>", 6));
    assert_eq!(
        comment.bytes,
        "<Comment>so &lt;b&gt; &#65;<![CDATA[<raw>]]></Comment>".len() as u64
    );
    let length = text.find("</Contact>").unwrap() + 10 - text.find("<Contact").unwrap();
    assert_eq!(all[0].bytes, length as u64);
    assert_eq!((all[1].name.as_str(), all[1].bytes), ("Loan", 7));
    assert_eq!(check(text.as_bytes()).unwrap().attribute("CommitBlock"), Some("1"));
}

#[test]
fn malformed_xml_is_refused_with_its_position() {
    for (text, line, column, expected) in [
        ("", 1, 1, "no root"),
        (" \n ", 2, 2, "no root"),
        ("words", 1, 1, "root element is expected"),
        ("<Other/>", 1, 1, "root element must be Core"),
        ("<x:Core/>", 1, 2, "namespace prefix"),
        ("<Core>", 1, 7, "ends within"),
        ("<Core>\n <a>", 2, 5, "within element a, which starts on line 2"),
        ("<Core>\n<a></Core>", 2, 4, "</a> is expected here, not </Core>"),
        ("<Core></Core>\n<b/>", 2, 1, "follow the root"),
        ("<Core/>\n  words", 2, 3, "follow the root"),
        ("<Core>\n\n text</Core>", 3, 2, "outside a record"),
        ("<Core>&#32;</Core>", 1, 7, "outside a record"),
        ("<Core><![CDATA[]]></Core>", 1, 7, "outside a record"),
        ("<Core>\n<a b='1'\n b='2'/></Core>", 3, 2, "appears twice"),
        ("<Core><a b=1/></Core>", 1, 12, "in quotes"),
        ("<Core><a b/></Core>", 1, 11, "= is missing"),
        ("<!DOCTYPE Core><Core/>", 1, 1, "document type"),
        ("<Core>\n <!ENTITY a 'b'></Core>", 2, 2, "document type"),
        ("<Core><?php echo ?></Core>", 1, 7, "processing instructions"),
        ("<Core><a>\n &evil;</a></Core>", 2, 2, "evil"),
        ("<Core><a b='1'\n c='x &evil;'/></Core>", 2, 7, "five predefined"),
        ("<Core><a b='&lt'/></Core>", 1, 13, "five predefined"),
        ("<Core><a b='&#1;'/></Core>", 1, 13, "U+0001"),
        ("<Core><a b='&#xFFFF;'/></Core>", 1, 13, "U+FFFF"),
        ("<Core><a b='&#xD83D;&#xDE00;'/></Core>", 1, 13, "U+D83D is half of a surrogate pair"),
        ("<Core><a>&#55357;</a></Core>", 1, 10, "U+D83D is half of a surrogate pair"),
        ("<Core><a>1 & 2</a></Core>", 1, 12, "&amp;"),
        ("<Core><a b='x\n<'/></Core>", 2, 1, "&lt;"),
        ("<Core><a b='1'c='2'/></Core>", 1, 15, "white space"),
        ("<Core><a b='1'/ c='2'/></Core>", 1, 17, "= is missing"),
        ("<Core><1a/></Core>", 1, 8, "not a valid name"),
        ("<Core>< /></Core>", 1, 8, "not a valid name"),
        ("<Core><a:b:c/></Core>", 1, 8, "not a valid name"),
        ("<Core><a>x\n]]> y</a></Core>", 2, 1, "]]>"),
        ("<Core><!-- a -- b --></Core>", 1, 7, "--"),
        ("<Core><!- a --></Core>", 1, 7, "not a comment"),
        ("<Core><?xml version='1.0'?></Core>", 1, 7, "very start"),
        (" <?xml version='1.0'?><Core/>", 1, 2, "very start"),
        ("<?xml version='1.1'?><Core/>", 1, 1, "must be 1.0"),
        ("<?xml encoding='UTF-8'?><Core/>", 1, 1, "no version"),
        ("<?xml version='1.0' encoding='latin1'?><Core/>", 1, 1, "UTF-8"),
        ("<?xml version='1.0' x='y'?><Core/>", 1, 1, "malformed"),
        ("<Core><a>&#1;</a></Core>", 1, 10, "U+0001"),
        ("<Core><a>&#xFFFE;</a></Core>", 1, 10, "U+FFFE"),
        ("<Core><a>\n\n \u{2}</a></Core>", 3, 2, "U+0002"),
        ("<Core><a b='\u{ffff}'/></Core>", 1, 13, "U+FFFF"),
        ("\u{feff}\u{feff}<Core/>", 1, 1, "byte-order"),
        ("<Core xmlns='urn:x'/>", 1, 7, "be in a namespace"),
        ("<Core><a xmlns='urn:x'/></Core>", 1, 10, "be in a namespace"),
        ("<Core><a xmlns:x='urn:x'/></Core>", 1, 10, "only on the root"),
        ("<Core><x:a/></Core>", 1, 8, "namespace prefix"),
    ] {
        let fault = fault(text);
        assert!(fault.message.contains(expected), "{text}: {fault}");
        assert_eq!((fault.line, fault.column), (line, column), "{text}: {fault}");
    }
    for (bytes, line, column, expected) in [
        (&b"<Core>\n<a b='\xff'/></Core>"[..], 2, 7, "not valid UTF-8"),
        (b"<Core><a b='\xc3", 1, 13, "not valid UTF-8"),
        (b"<Core>\0</Core>", 1, 7, "U+0000"),
        (b"\xff\xfe<\0C\0", 1, 1, "UTF-16"),
        (b"\0<\0C", 1, 1, "UTF-16"),
        (b"<\0C\0", 1, 1, "UTF-16"),
    ] {
        let fault = fault(bytes);
        assert!(fault.message.contains(expected), "{fault}");
        assert_eq!((fault.line, fault.column), (line, column), "{fault}");
    }
}

#[test]
fn limits_are_exact() {
    let nested = |depth: usize| {
        format!("<Core>{}{}</Core>", "<a>".repeat(depth - 1), "</a>".repeat(depth - 1))
    };
    let wide = |count: usize| {
        let attributes: String = (0..count).map(|n| format!(" a{n}=''")).collect();
        format!("<Core><a{attributes}/></Core>")
    };
    let value = |bytes: usize| format!("<Core><a b='1'\n c='{}'/></Core>", "x".repeat(bytes));
    let values = |count: usize| {
        let value = "x".repeat(VALUE_BYTES_MAX - 1);
        let attributes: String = (10..10 + count).map(|n| format!(" a{n}='{value}'")).collect();
        format!("<Core><a{attributes}/></Core>")
    };
    let text = |bytes: usize| format!("<Core><r><a>{}</a></r></Core>", "x".repeat(bytes));
    let raw =
        |bytes: usize| format!("<Core><r><a><![CDATA[{}]]></a></r></Core>", "x".repeat(bytes));
    let comment = |bytes: usize| format!("<Core><!--{}--></Core>", "x".repeat(bytes));
    let name = |bytes: usize| format!("<Core><{0}/></Core>", "x".repeat(bytes));
    let valid = [nested(8), wide(200), value(VALUE_BYTES_MAX), values(16), text(TEXT_BYTES_MAX)];
    for text in valid.iter().chain(&[raw(TEXT_BYTES_MAX - 12), comment(1 << 19), name(128)]) {
        check(text.as_bytes()).unwrap_or_else(|fault| panic!("{text:.60}: {fault}"));
    }
    let references = format!("<Core><r><a>{}</a></r></Core>", "&#65;".repeat(1 << 18));
    for (text, position, expected) in [
        (nested(9), (1, 28), "deeper than 8"),
        (wide(201), (1, 1505), "200 attributes"),
        (value(VALUE_BYTES_MAX + 1), (2, 4), "64 KiB"),
        (values(17), (1, 1_048_686), "1 MiB in total"),
        (text(TEXT_BYTES_MAX + 1), (1, 13), "1 MiB"),
        (raw(TEXT_BYTES_MAX + 1), (1, 13), "1 MiB"),
        (references, (1, 1_048_588), "1 MiB"),
        (comment(TEXT_BYTES_MAX + 1), (1, 7), "1 MiB"),
        (name(129), (1, 8), "128 bytes"),
        (format!("<Core><a{}/></Core>", " ".repeat(70_000)), (1, 7), "64 KiB"),
        (format!("<Core>&{};</Core>", "a".repeat(100)), (1, 7), "&amp;"),
        (format!("<Core></{}></Core>", "a".repeat(2000)), (1, 7), "end tag"),
    ] {
        let fault = fault(&text);
        assert!(fault.message.contains(expected), "{text:.60}: {fault}");
        assert_eq!((fault.line, fault.column), position, "{text:.60}: {fault}");
    }
}

#[test]
fn all_three_line_endings_are_counted() {
    for (text, line) in [
        ("<Core>\n\n<a>&x;</a></Core>", 3),
        ("<Core>\r\n\r\n<a>&x;</a></Core>", 3),
        ("<Core>\r\r<a>&x;</a></Core>", 3),
        ("<Core>\r\n\r\r\n\n<a>&x;</a></Core>", 5),
    ] {
        let fault = fault(text);
        assert_eq!((fault.line, fault.column), (line, 4), "{text:?}");
    }
    let all = records("<Core>\r\n<a b='1\r\n2'>x\r\ny\rz</a>\r<c/></Core>");
    assert_eq!((all[0].attribute("b"), all[0].text.as_str()), (Some("1 2"), "x\ny\nz"));
    assert_eq!((all[0].line, all[1].line), (2, 6));
}

#[test]
fn namespace_attributes_on_the_root_are_ignored() {
    let file = "\u{feff}<?xml version='1.0' encoding='utf-8' standalone='yes'?>\n\
         <Core xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns='' \
         xsi:noNamespaceSchemaLocation='core.xsd' xml:lang='en' CommitBlock='1'><a/></Core>";
    let root = check(file.as_bytes()).unwrap();
    assert_eq!(root.attributes, [("CommitBlock".to_owned(), "1".to_owned())]);
    let other = records("<Core><a xsi:nil='true'/></Core>");
    assert_eq!(other[0].attribute("xsi:nil"), Some("true"), "the importer reports it");
}

#[test]
fn no_message_quotes_a_value() {
    for text in [
        "<Core><a Password=secret/></Core>",
        "<Core><a Password='secret</a></Core>",
        "<Core><a Password='secret'secret='1'/></Core>",
        "<Core><a Password='&secret;'/></Core>",
        "<Core><a Password='secret\u{1}'/></Core>",
        "<Core><a Password='secret",
    ] {
        assert!(!fault(text).message.contains("secret"), "{}", fault(text));
    }
    let long = format!("<Core><a></{}></Core>", "b".repeat(900));
    assert!(fault(&long).message.len() < 120, "{}", fault(&long));
}

const EXAMPLE: &str = "<?xml version=\"1.0\"?>\r\n<Core CommitBlock=\"1\">\n<Contact A=\"\u{e4}&amp;\">\
     <!-- c --><Comment>x &lt; <![CDATA[y]]></Comment></Contact ><Loan/>\n</Core>";

#[test]
fn a_truncated_file_is_refused_near_its_end() {
    for length in 0..EXAMPLE.len() {
        let part = &EXAMPLE.as_bytes()[..length];
        let fault = fault(part);
        let end = Position::START.after(part);
        assert!((fault.line, fault.column) <= (end.line, end.column), "{length}: {fault}");
        assert!(fault.line + 1 >= end.line, "{length}: {fault}");
    }
    check(EXAMPLE.as_bytes()).unwrap();
}

/// Returns a fixed number of bytes per read.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

#[test]
fn parsing_is_independent_of_chunk_boundaries() {
    let long = format!(
        "<Core>\n<a b='{}'>{}</a></Core>",
        "\u{e4}".repeat(30_000),
        "\u{20ac}".repeat(300_000)
    );
    let broken = long.replace("</a>", "&x;</a>");
    for text in [EXAMPLE, &long, &broken, "\u{feff}<Core/>", "<Core><a b='\u{1}'/></Core>"] {
        let expected = check(text.as_bytes());
        for step in [1, 2, 3, 7, 4096] {
            let read = check(BufReader::with_capacity(1, Trickle(text.as_bytes(), step)));
            assert_eq!(read, expected, "{text:.40} by {step}");
        }
    }
}

/// A record with exactly this many bytes of XML between its start and end tags.
fn record_with(bytes: usize) -> String {
    let child = format!("<p>{}</p>", "x".repeat(9_993));
    let (full, rest) = (bytes / 10_000, bytes % 10_000);
    let inside = child.repeat(full);
    format!("<Core><Transactions a='1'>{inside}{}</Transactions></Core>", " ".repeat(rest))
}

#[test]
fn a_large_record_is_streamed_and_a_small_one_is_whole() {
    let limit = WHOLE_BYTES_MAX as usize;
    let whole = records(&record_with(limit));
    assert_eq!(whole[0].children.len(), 104);
    let streamed = pieces(&record_with(limit + 1)).unwrap();
    assert_eq!(streamed.len(), 106);
    let Piece::Opened(opened) = &streamed[0] else { panic!("{:?}", streamed[0]) };
    assert_eq!((opened.attribute("a"), opened.children.len()), (Some("1"), 0));
    assert_eq!(opened.bytes, "<Transactions a='1'>".len() as u64);
    let child_of = |piece: &Piece| match piece {
        Piece::Child(child) => child.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(streamed[1..105].iter().map(child_of).collect::<Vec<_>>(), whole[0].children);
    assert_eq!(streamed[105], Piece::Closed);
    let many = "<a/>".repeat(WHOLE_NAMES_MAX as usize + 1);
    let many = format!("<Core><Transactions>{many}</Transactions><s/></Core>");
    let many = pieces(&many).unwrap();
    assert!(matches!(many[0], Piece::Opened(_)), "many small elements are large");
    assert!(matches!(many.last(), Some(Piece::Record(last)) if last.name == "s"));
}

#[test]
fn a_large_record_must_not_have_text_or_an_unbounded_child() {
    let inside = record_with(2_000_000);
    for (tag, column) in [("<Transactions a='1'>", 27), ("</p></Transactions>", 2_000_027)] {
        let text = match tag.starts_with("</p>") {
            true => inside.replace(tag, "</p>words</Transactions>"),
            false => inside.replace(tag, &format!("{tag}words")),
        };
        let fault = fault(&text);
        assert!(fault.message.contains("between the elements"), "{fault}");
        assert_eq!((fault.line, fault.column), (1, column));
    }
    let with_text = records("<Core><r>words</r></Core>");
    assert_eq!(with_text[0].text, "words", "the importer reports it");
}

#[test]
fn buffered_content_is_limited() {
    let text = "<b>".to_owned() + &"x".repeat(1 << 20) + "</b>";
    let [most, too_much] = [7, 8].map(|count| text.repeat(count));
    let whole = pieces(&format!("<Core>\n<r>{most}</r></Core>")).unwrap();
    assert!(matches!(whole[..], [Piece::Record(_)]));
    let child = pieces(&format!("<Core><Transactions>\n<a>{most}</a></Transactions></Core>"));
    assert!(matches!(child.unwrap()[..], [Piece::Opened(_), Piece::Child(_), Piece::Closed]));
    let many = "<b/>".repeat(70_000);
    for text in [
        format!("<Core>\n<r>{too_much}</r></Core>"),
        format!("<Core>\n<r>{many}</r></Core>"),
        format!("<Core><Transactions>\n<a>{too_much}</a></Transactions></Core>"),
        format!("<Core><Transactions>\n<a>{many}</a></Transactions></Core>"),
    ] {
        let fault = fault(text);
        assert!(fault.message.contains("8 MiB, or has more than 65,536"), "{fault}");
        assert_eq!((fault.line, fault.column), (2, 1));
    }
}

proptest! {
    /// Any input is either accepted or has a fault, whose position is in the file.
    #[test]
    fn a_mutated_file_is_accepted_or_has_a_fault_within_it(
        changes in prop::collection::vec((0..EXAMPLE.len(), any::<u8>(), 0..3_u8), 1..4)
    ) {
        let mut bytes = EXAMPLE.as_bytes().to_vec();
        for (index, byte, how) in changes {
            let index = index.min(bytes.len() - 1);
            match how {
                0 => bytes[index] = byte,
                1 => bytes.insert(index, byte),
                _ => drop(bytes.remove(index)),
            }
        }
        let end = Position::START.after(&bytes);
        if let Err(fault) = check(&bytes[..]) {
            prop_assert!(fault.line >= 1 && fault.column >= 1);
            prop_assert!((fault.line, fault.column) <= (end.line, end.column), "{}", fault);
            prop_assert!(fault.message.len() < 200, "{}", fault);
        }
    }
}
