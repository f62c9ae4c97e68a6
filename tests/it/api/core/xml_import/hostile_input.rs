//! Malicious files over HTTP: each is refused quickly, with its position, and leaves no trace in
//! the rows or the memory of the server.

use crate::PROGRAM;
use acceptance::world::{Environment, on_embedded_database_with};
use acceptance::{TestResponse, World};
use futures_util::stream;
use reqwest::Body;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Length of a long file. `HOSTILE_MIB` overrides it.
const LONG_MIB: usize = 32;
const CHUNK_BYTES: usize = 1 << 16;
/// The longest time from the end of the file to the answer; in practice it is far less, but other
/// work may share the cores.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// Half of a long file, for other memory: buffers of the connection and of the
/// allocator, which vary with what else the machine does.
const MEMORY_KIB: u64 = LONG_MIB as u64 * 1024 / 2;
/// An element of a record is held in memory as a whole: up to 16 MiB of XML.
const CHILD_MEMORY_KIB: u64 = 64 * 1024;

/// A file that is generated while it is sent.
struct HostileFile {
    description: &'static str,
    /// How it begins.
    head: Vec<u8>,
    /// What is repeated, and how often.
    repeated: &'static str,
    times: usize,
    tail: &'static str,
    /// A part of the expected message, and the line it names.
    expected: &'static str,
    line: u64,
}

fn long_bytes() -> usize {
    let mib = std::env::var("HOSTILE_MIB").ok();
    mib.map_or(LONG_MIB, |mib| mib.parse().expect("HOSTILE_MIB is a number")) << 20
}

/// A file sent in one piece.
fn short(
    description: &'static str,
    text: impl Into<Vec<u8>>,
    expected: &'static str,
    line: u64,
) -> HostileFile {
    HostileFile { description, head: text.into(), repeated: "", times: 0, tail: "", expected, line }
}

/// A file with a long repetition.
fn long(
    description: &'static str,
    head: &str,
    repeated: &'static str,
    tail: &'static str,
    expected: &'static str,
) -> HostileFile {
    let times = long_bytes() / repeated.len();
    let line = 1 + head.matches('\n').count() as u64;
    HostileFile { description, head: head.into(), repeated, times, tail, expected, line }
}

impl HostileFile {
    /// The body, and the instant at which its last bytes were requested.
    fn body(&self) -> (Body, Arc<Mutex<Instant>>) {
        let per_chunk = (CHUNK_BYTES / self.repeated.len().max(1)).max(1);
        let (repeated, times) = (self.repeated, self.times);
        let chunk = move |number: usize| {
            repeated.repeat(per_chunk.min(times - number * per_chunk)).into_bytes()
        };
        let chunks = (0..times.div_ceil(per_chunk)).map(chunk);
        let last_asked = Arc::new(Mutex::new(Instant::now()));
        let asked_at = Arc::clone(&last_asked);
        let all = std::iter::once(self.head.clone()).chain(chunks).chain([self.tail.into()]);
        let all = all.map(move |bytes| {
            *asked_at.lock().expect("not poisoned") = Instant::now();
            Ok::<_, io::Error>(bytes)
        });
        (Body::wrap_stream(stream::iter(all)), last_asked)
    }
}

async fn send(world: &World, token: &str, file: &HostileFile) -> (TestResponse, Duration) {
    let (body, last_asked) = file.body();
    let request = world.client.request(reqwest::Method::POST, token, "/core/xml-import?test=false");
    let request = request.header("content-type", "application/xml").body(body);
    let response = world.client.send(request).await.expect("a response");
    let elapsed = last_asked.lock().expect("not poisoned").elapsed();
    (response, elapsed)
}

fn entities() -> Vec<HostileFile> {
    let dtd = "document type";
    let laughs: String = (1..10)
        .map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10)))
        .collect();
    let laughs = format!("<!DOCTYPE Core [<!ENTITY l0 \"ha\">{laughs}]><Core><a>&l9;</a></Core>");
    vec![
        short("a billion laughs", laughs, dtd, 1),
        long(
            "an entity of great length",
            "<?xml version='1.0'?>\n<!DOCTYPE Core [<!ENTITY a '",
            "aaaaaaaa",
            "'>]><Core><a>&a;&a;&a;&a;</a></Core>",
            dtd,
        ),
        short(
            "an external entity",
            "<!DOCTYPE Core [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><Core><a>&x;</a></Core>",
            dtd,
            1,
        ),
        short(
            "an external document type",
            "\n<!DOCTYPE Core SYSTEM 'http://127.0.0.1:1/x.dtd'><Core/>",
            dtd,
            2,
        ),
        short(
            "a parameter entity",
            "<!DOCTYPE Core [<!ENTITY % p SYSTEM 'http://127.0.0.1:1/'> %p;]><Core/>",
            dtd,
            1,
        ),
        short("an undeclared entity", "<Core>\n<a>&x;</a></Core>", "five predefined", 2),
        long("an entity name", "<Core>\n<a>&", "abcdefgh", ";</a></Core>", "&amp;"),
        long("character references", "<Core><r><a>", "&#65;", "</a></r></Core>", "1 MiB"),
    ]
}

fn unbounded() -> Vec<HostileFile> {
    vec![
        long("tags without an end", "<Core>\n", "<a>", "", "deeper than 8"),
        long("an attribute", "<Core>\n<a b='", "xxxxxxxx", "'/></Core>", "64 KiB"),
        long("attributes", "<Core>\n<a", " b=''", "/></Core>", "200 attributes"),
        long("a tag", "<Core>\n<a ", "        ", "", "64 KiB, not counting"),
        long("a name", "<Core>\n<", "aaaaaaaa", "/></Core>", "64 KiB, not counting"),
        long("an end tag", "<Core>\n</", "aaaaaaaa", ">", "end tag"),
        long("a comment", "<Core>\n<!-- ", "xxxxxxxx", "", "a comment is longer"),
        long("raw text", "<Core><r>\n<a><![CDATA[", "xxxxxxxx", "", "1 MiB"),
        long("an instruction", "<Core>\n<?", "xxxxxxxx", "", "too long"),
        long("a text", "<Core><r>\n<a>", "xxxxxxxx", "</a></r></Core>", "1 MiB"),
        long("white space", "", "        ", "", "1 MiB"),
    ]
}

/// Files that turn out to be wrong only after much of them has been read.
fn late_faults() -> Vec<HostileFile> {
    let filler = "<b c='so many words that a file of them has fewer elements'/>";
    let opened = "<Core>\n<Transactions>";
    let mut cut =
        long("a large record that is cut short", opened, filler, "", "element Transactions");
    cut.times /= 8;
    vec![
        cut,
        long("a large record", "<Core>\n<r>", filler, "</r></Core>", "8 MiB"),
        long("a large element", "<Core><Transactions>\n<a>", filler, "", "8 MiB"),
        long("a record of many", "<Core>\n<r>", "<b/>", "</r></Core>", "65,536 elements"),
    ]
}

fn broken() -> Vec<HostileFile> {
    let utf16: Vec<u8> = "\u{feff}<Core/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        short("nothing", "", "no root", 1),
        short("white space", " \r\n\t\r \n", "no root", 4),
        short("another root", "<Cora/>", "must be Core", 1),
        short("two roots", "<Core/>\n<Core/>", "follow the root", 2),
        short("words behind", "<Core/>\r\rwords", "follow the root", 3),
        short("NUL", b"<Core>\n\0</Core>".to_vec(), "U+0000", 2),
        short("a control character", "<Core>\n<a b='\u{8}'/></Core>", "U+0008", 2),
        short("no UTF-8", b"<Core>\r\n<a b='\xe4'/></Core>".to_vec(), "not valid UTF-8", 2),
        short("UTF-16", utf16, "UTF-16", 1),
        short("another encoding", "<?xml version='1.0' encoding='cp1252'?><Core/>", "UTF-8", 1),
        short("an instruction", "<?xml-stylesheet href='x'?><Core/>", "instructions", 1),
        short("a namespace", "<Core\n xmlns='urn:x'/>", "a namespace", 2),
        short("a prefix", "<Core>\n<x:Contact/></Core>", "a namespace", 2),
        short("an attribute twice", "<Core>\n<a b='1' b='2'/></Core>", "twice", 2),
        short("a tag left open", "<Core>\n<a></Core>", "</a> is expected", 2),
    ]
}

async fn check_each_is_refused(files: Vec<HostileFile>, memory_kib: u64) {
    let environment = Environment::default().in_processes();
    on_embedded_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        // Memory that any large file needs is allocated before the measurement.
        let filler = "<!-- nothing that could matter to anybody, and that many a time -->\n";
        let mut valid = long("a sound file", "<Core>", filler, "</Core>", "");
        valid.times /= 4;
        let (response, elapsed) = send(&world, &admin, &valid).await;
        println!("a sound file: {elapsed:?}");
        response.expect(200);
        let before = world.snapshot().await;
        for file in files {
            let memory = world.api.memory_peak_kib();
            let (response, elapsed) = send(&world, &admin, &file).await;
            let grown = world
                .api
                .memory_peak_kib()
                .zip(memory)
                .map(|(now, memory_before)| now.saturating_sub(memory_before));
            println!(
                "{}: {elapsed:?}, {grown:?} KiB more, {}",
                file.description,
                response.json()["detail"]
            );
            let response = response.expect_problem(400, "bad-request").json();
            let detail = response["detail"].as_str().unwrap_or_default();
            assert!(detail.contains(file.expected), "{}: {detail}", file.description);
            assert_eq!(response["line"], file.line, "{}: {detail}", file.description);
            assert!(response["column"].as_u64() >= Some(1), "{}: {detail}", file.description);
            assert!(detail.len() < 300, "{}: {detail}", file.description);
            assert!(elapsed < ANSWER_WITHIN, "{}: {elapsed:?}", file.description);
            assert!(grown.unwrap_or_default() < memory_kib, "{}: {grown:?} KiB", file.description);
            assert_eq!(world.snapshot().await, before, "{}", file.description);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn entities_are_refused() {
    check_each_is_refused(entities(), MEMORY_KIB).await;
}

#[tokio::test]
async fn unbounded_elements_are_rejected() {
    check_each_is_refused(unbounded(), MEMORY_KIB).await;
}

#[tokio::test]
async fn faults_late_in_a_file_are_refused_without_buffering_it() {
    check_each_is_refused(late_faults(), CHILD_MEMORY_KIB).await;
}

#[tokio::test]
async fn files_that_are_not_import_xml_are_refused() {
    check_each_is_refused(broken(), MEMORY_KIB).await;
}
