//! Content of every type, and names that do not match it.

use super::*;

/// Returns the header of a file in a ZIP archive, and some of its content.
fn zipped(names: &[&str]) -> Vec<u8> {
    let mut archive = Vec::new();
    for name in names {
        archive.extend_from_slice(b"PK\x03\x04\x14\0\x08\x08\x08\0");
        archive.extend_from_slice(&[0; 16]);
        archive.extend_from_slice(&(name.len() as u16).to_le_bytes());
        archive.extend_from_slice(&[0; 2]);
        archive.extend_from_slice(name.as_bytes());
        archive.extend_from_slice(&[0x4b, 0x50, 0x03, 0xff, 0x00]);
    }
    archive
}

fn found(head: &[u8], name: &str) -> &'static str {
    find(head, name).map_or("none", |found| found.name)
}

#[test]
fn the_type_is_detected_from_the_content_and_not_the_name() {
    for (head, expected) in [
        (b"%PDF-1.7\n".as_slice(), "pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "jpeg"),
        (b"II*\0\x08\0\0\0\0\0\0\0", "tiff"),
        (b"MM\0*\0\0\0\x08\0\0\0\0", "tiff"),
        (b"Dear borrower,\r\n\tall is well.\n", "txt"),
        ("Größe: 3 €".as_bytes(), "txt"),
        (b"Gr\xf6\xdfe in the Latin of old", "txt"),
        (b"BMW, model year 2019", "txt"),
        (b"written under DOS\r\n\x1a", "txt"),
        (b"MZ\x90\0\x03\0\0\0", "none"),
        (b"\x7fELF\x02\x01\x01\0", "none"),
        (b"GIF89a\x01\0\x01\0", "none"),
        (b"a text\0with more", "none"),
        (b"<html ><script>alert(1)</script>", "none"),
        (b"#!/bin/sh\nrm -rf /", "none"),
        (b"<?xml version=\"1.0\"?><a/>", "none"),
        (b"{\\rtf1 words}", "none"),
    ] {
        assert_eq!(found(head, "a.bin"), expected, "{}", String::from_utf8_lossy(head));
    }
    assert_eq!(found(b"a,b\n1,2\n", "Book.CSV"), "csv");
    assert_eq!(found(b"%PDF-1.7", "a.csv"), "pdf");
}

#[test]
fn office_documents_are_distinguished_from_other_archives() {
    let word = ["[Content_Types].xml", "_rels/.rels", "docProps/app.xml", "word/document.xml"];
    assert_eq!(found(&zipped(&word), ""), "docx");
    assert_eq!(
        found(&zipped(&["_rels/.rels", "docProps/core.xml", "word/styles.xml"]), ""),
        "docx"
    );
    assert_eq!(found(&zipped(&["[Content_Types].xml", "xl/workbook.xml"]), ""), "xlsx");
    assert_eq!(found(&zipped(&["xl/workbook.xml", "[Content_Types].xml"]), ""), "xlsx");
    assert_eq!(found(&zipped(&["xl/styles.xml", "word/x"]), ""), "xlsx", "the first one decides");
    assert_eq!(found(&zipped(&["[Content_Types].xml", "ppt/presentation.xml"]), ""), "none");
    assert_eq!(found(&zipped(&["readme.txt"]), "a.docx"), "none");
    assert_eq!(found(b"PK\x03\x04", "a.docx"), "none");
}

/// Returns a file in a ZIP archive whose header states its length.
fn stored(name: &str, content: &[u8]) -> Vec<u8> {
    let mut entry = b"PK\x03\x04\x14\0\0\0\0\0".to_vec();
    entry.extend_from_slice(&[0; 8]);
    entry.extend_from_slice(&(content.len() as u32).to_le_bytes());
    entry.extend_from_slice(&(content.len() as u32).to_le_bytes());
    entry.extend_from_slice(&(name.len() as u16).to_le_bytes());
    entry.extend_from_slice(&[3, 0]);
    entry.extend_from_slice(name.as_bytes());
    entry.extend_from_slice(b"+++");
    entry.extend_from_slice(content);
    entry
}

#[test]
fn the_identifying_part_may_come_late_in_the_archive() {
    let sheet = stored("xl/worksheets/sheet1.xml", &vec![b'<'; 300_000]);
    let package = stored("[Content_Types].xml", b"<Types/>");
    let workbook = [stored("docProps/app.xml", b"<a/>"), sheet, package].concat();
    assert_eq!(found(&workbook[..HEAD_BYTES_MAX], "a.xlsx"), "xlsx");
    let picture = stored("docProps/thumbnail.jpeg", &[0xff; 100_000]);
    let letter = [picture, stored("word/document.xml", b"<w/>")].concat();
    assert_eq!(found(&letter, "a.docx"), "docx");
    assert_eq!(found(&letter[..90_000], "a.docx"), "none");
    // The size in a longer field, after the name.
    let mut long = stored("docProps/app.xml", &[b'<'; 500]);
    long[18..26].fill(0xff);
    assert_eq!(found(&[long, stored("xl/workbook.xml", b"")].concat(), ""), "xlsx");
}

#[test]
fn a_nested_archive_does_not_determine_the_type() {
    let workbook = stored("xl/workbook.xml", b"<x/>");
    let nested = stored("ppt/embeddings/sheet.xlsx", &workbook);
    assert_eq!(found(&nested, "a.xlsx"), "none");
    assert_eq!(found(&[nested, stored("word/document.xml", b"")].concat(), ""), "docx");
}

#[test]
fn utf_16_text_needs_a_byte_order_mark() {
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let wide = |text: &str| -> Vec<u8> {
            format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
        };
        assert_eq!(found(&wide("Größe\t3 €\r\n"), "a.txt"), "txt");
        assert_eq!(found(&wide("Größe,€\r\n"), "a.csv"), "csv");
        assert_eq!(found(&wide(""), ""), "txt");
        assert_eq!(found(&wide("%PDF-1.7"), ""), "txt");
        assert_eq!(found(&wide("words\0"), ""), "none");
        assert_eq!(found(&wide(" <html ><script>alert(1)</script>"), ""), "none");
        assert_eq!(found(&wide("<?xml version=\"1.0\"?><a/>"), ""), "none");
        assert_eq!(found(&wide("words")[2..], ""), "none", "without its mark");
    }
    assert_eq!(found("\u{feff}Größe".as_bytes(), ""), "txt");
    assert_eq!(found("\u{feff}<!DOCTYPE html><p>".as_bytes(), ""), "none");
    assert_eq!(found(b"\xff", ""), "txt");
}

#[test]
fn markup_is_not_text_regardless_of_its_first_element() {
    for head in [
        "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        "\r\n\t <img src=x onerror=alert(1)>",
        "<!-- a page --><p>",
        "<?php system('id');",
        "\u{feff}<x:script>",
    ] {
        for name in ["a.txt", "a.csv", "a"] {
            assert_eq!(found(head.as_bytes(), name), "none", "{head} {name}");
        }
    }
    for head in ["a < b", "< 5 days", "<3", "<<< from the log", "words <svg>"] {
        assert_eq!(found(head.as_bytes(), "a.txt"), "txt", "{head}");
    }
}

#[test]
fn a_file_name_gets_the_extension_of_its_type() {
    let complete = |name: &str, found: &str| by_name(found).unwrap().complete(name);
    for (name, found, expected) in [
        ("a.pdf", "pdf", "a.pdf"),
        ("a.JPG", "jpeg", "a.JPG"),
        ("a.pdf.png", "png", "a.pdf.png"),
        ("a.log", "txt", "a.log"),
        ("a", "png", "a.png"),
        ("Größe", "jpeg", "Größe.jpg"),
    ] {
        assert_eq!(complete(name, found).as_deref(), Some(expected));
    }
    for (name, found) in [
        ("a.pdf", "png"),
        ("A.PDF", "txt"),
        ("a.txt", "pdf"),
        ("a.docx", "xlsx"),
        ("a.hta", "txt"),
        ("a.js", "txt"),
        ("a.bat", "txt"),
        ("a.exe", "txt"),
        ("a.csv.cmd", "csv"),
        ("a.svg", "txt"),
        ("a.txt.", "txt"),
        ("a.txt:js", "txt"),
        (".profile", "txt"),
    ] {
        assert_eq!(complete(name, found), None, "{name} {found}");
    }
}

#[test]
fn the_allowed_types_are_parsed_from_a_list_of_names() {
    let allowed: AllowedTypes = "pdf, png".parse().unwrap();
    assert!(
        allowed.contains(by_name("png").unwrap()) && !allowed.contains(by_name("txt").unwrap())
    );
    assert_eq!(allowed.to_string(), "pdf, png");
    assert!(
        "pdf,exe".parse::<AllowedTypes>().unwrap_err().contains("\"exe\" is not one of pdf, png")
    );
    assert!("".parse::<AllowedTypes>().is_err());
    for file_type in &ALL {
        assert!(AllowedTypes::default().contains(file_type));
    }
}
