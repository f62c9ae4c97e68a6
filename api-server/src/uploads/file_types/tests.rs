//! Content of every type, and names that do not go with it.

use super::*;

/// The header of a file in a ZIP archive, and something of its content.
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
fn the_content_tells_the_type_and_not_the_name() {
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
fn office_documents_are_told_from_other_archives() {
    let word = ["[Content_Types].xml", "_rels/.rels", "docProps/app.xml", "word/document.xml"];
    assert_eq!(found(&zipped(&word), ""), "docx");
    assert_eq!(
        found(&zipped(&["_rels/.rels", "docProps/core.xml", "word/styles.xml"]), ""),
        "docx"
    );
    assert_eq!(found(&zipped(&["[Content_Types].xml", "xl/workbook.xml"]), ""), "xlsx");
    assert_eq!(found(&zipped(&["xl/workbook.xml", "[Content_Types].xml"]), ""), "xlsx");
    assert_eq!(found(&zipped(&["word/document.xml"]), ""), "none", "no package");
    assert_eq!(found(&zipped(&["[Content_Types].xml", "ppt/presentation.xml"]), ""), "none");
    assert_eq!(found(&zipped(&["readme.txt"]), "a.docx"), "none");
    assert_eq!(found(b"PK\x03\x04", "a.docx"), "none");
}

#[test]
fn a_name_must_not_promise_another_type() {
    let promises = |name: &str, found: &str| name_promises_other(name, by_name(found).unwrap());
    for (name, found) in [
        ("a.pdf", "png"),
        ("A.PDF", "txt"),
        ("a.txt", "pdf"),
        ("a.docx", "xlsx"),
        ("a.pdf ", "txt"),
    ] {
        assert!(promises(name, found), "{name} {found}");
    }
    for (name, found) in
        [("a.pdf", "pdf"), ("a.JPG", "jpeg"), ("a.log", "txt"), ("a", "png"), ("a.pdf.png", "png")]
    {
        assert!(!promises(name, found), "{name} {found}");
    }
}

#[test]
fn the_types_that_are_taken_are_a_list_of_names() {
    let taken: Taken = "pdf, png".parse().unwrap();
    assert!(taken.contains(by_name("png").unwrap()) && !taken.contains(by_name("txt").unwrap()));
    assert_eq!(taken.to_string(), "pdf, png");
    assert!("pdf,exe".parse::<Taken>().unwrap_err().contains("\"exe\" is none of pdf, png"));
    assert!("".parse::<Taken>().is_err());
    for known in &ALL {
        assert!(Taken::default().contains(known));
    }
}
