//! What a command says of an import: a table by element, then what failed and what was warned of; or
//! the api-server's answer. The results are read as a stream, however many they are.

use crate::installation::columns::{align, shown};
use crate::installation::{Refused, print, printed};
use api_server::xml_import::report::{Action, RecordResult};
use api_server::xml_import::results::{Answer, TAIL, Totals};
use std::io::{self, Write};

/// Failed elements that are named, and elements with warnings; all are counted.
const SHOWN: usize = 50;
/// Kinds of elements that have a line. A file of the format has fewer.
const KINDS: usize = 40;
/// What is counted of the others.
const OTHERS: &str = "(others)";
const HEADING: [&str; 6] = ["element", "inserted", "updated", "deleted", "failed", "rolled back"];

/// Says something beside the report: on standard error where JSON is asked for.
pub fn say(json: bool, text: &str) -> Result<(), Refused> {
    match json {
        true => eprintln!("import: {text}"),
        false => print(text)?,
    }
    Ok(())
}

/// The api-server's answer, byte for byte.
pub async fn print_json(answer: Answer) -> Result<(), Refused> {
    let head = answer.head();
    let written = tokio::task::spawn_blocking(move || {
        let mut output = io::stdout().lock();
        output.write_all(head.as_bytes())?;
        io::copy(&mut answer.into_file()?, &mut output)?;
        output.write_all(TAIL.as_bytes())?;
        output.flush()
    });
    printed(written.await.map_err(|error| Refused(error.to_string()))?)
}

/// The same of an answer that was kept whole.
pub fn print_whole(body: &str) -> Result<(), Refused> {
    let mut output = io::stdout().lock();
    printed(output.write_all(body.as_bytes()).and_then(|()| output.flush()))
}

/// The report for people.
pub async fn print_text(answer: Answer) -> Result<(), Refused> {
    let mut report = Report::default();
    let outcome = outcome(&answer);
    let mut parts = answer.into_parts();
    while let Some(results) = parts.recv().await {
        for result in results.map_err(|problem| Refused(problem.message()))? {
            report.add(&result);
        }
    }
    print(&format!("{}{outcome}", report.to_text()))
}

/// What became of the file as a whole.
fn outcome(answer: &Answer) -> String {
    let Answer { test, committed, totals: Totals { failed, .. }, .. } = answer;
    let failed = *failed;
    match (test, committed) {
        (true, _) if failed == 0 => {
            "a test: nothing is kept, and everything would go in".to_owned()
        }
        (true, _) => "a test: nothing is kept".to_owned(),
        (false, false) => "nothing is committed".to_owned(),
        (false, true) if failed == 0 => "committed".to_owned(),
        (false, true) => "committed, but for the records with what failed".to_owned(),
    }
}

/// So much of a report as fits into memory.
#[derive(Default)]
struct Report {
    kinds: Vec<Kind>,
    failed: Listed,
    warned: Listed,
}

/// How many elements of a name came to what, in the order of the heading.
struct Kind {
    name: String,
    counts: [i64; 5],
}

/// The first lines of a list, and how many it has.
#[derive(Default)]
struct Listed {
    lines: Vec<String>,
    count: usize,
}

impl Report {
    fn add(&mut self, result: &RecordResult) {
        let column = match result.action {
            Action::Inserted => 0,
            Action::Updated => 1,
            Action::Deleted => 2,
            Action::Failed => 3,
            Action::RolledBack => 4,
        };
        self.kind(&result.element).counts[column] += 1;
        if result.action == Action::Failed {
            self.failed.add(result);
        } else if !result.messages.is_empty() {
            self.warned.add(result);
        }
    }

    /// Names of elements that nobody knows come from the file, and there may be any number of them.
    fn kind(&mut self, name: &str) -> &mut Kind {
        let known = self.kinds.iter().position(|kind| kind.name == name);
        let place = known.unwrap_or_else(|| {
            let name = if self.kinds.len() < KINDS { name } else { OTHERS };
            if self.kinds.len() <= KINDS {
                self.kinds.push(Kind { name: name.to_owned(), counts: [0; 5] });
            }
            self.kinds.len() - 1
        });
        &mut self.kinds[place]
    }

    fn to_text(&self) -> String {
        let total = |column| self.kinds.iter().map(|kind: &Kind| kind.counts[column]).sum();
        let all = Kind { name: "total".to_owned(), counts: std::array::from_fn(total) };
        let rows: Vec<_> = self.kinds.iter().chain([&all]).map(Kind::cells).collect();
        let mut text = align(HEADING, &rows);
        self.failed.write(&mut text, "failed");
        self.warned.write(&mut text, "warnings");
        text.push('\n');
        text
    }
}

impl Kind {
    fn cells(&self) -> [String; 6] {
        let mut cells = self.counts.iter().map(i64::to_string);
        std::array::from_fn(|column| match column {
            0 => self.name.clone(),
            _ => cells.next().unwrap_or_default(),
        })
    }
}

impl Listed {
    fn add(&mut self, result: &RecordResult) {
        self.count += 1;
        if self.count <= SHOWN {
            self.lines.push(line(result));
        }
    }

    fn write(&self, text: &mut String, heading: &str) {
        if self.count == 0 {
            return;
        }
        text.push_str(&format!("\n{heading}:\n"));
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        let more = self.count - self.lines.len();
        if more > 0 {
            text.push_str(&format!("and {more} more: --json lists them all\n"));
        }
    }
}

/// An element with its messages.
fn line(result: &RecordResult) -> String {
    let RecordResult { line, element, key, messages, .. } = result;
    let key = key.as_ref().map(|key| format!(" {key}")).unwrap_or_default();
    let messages = messages.iter().map(|message| {
        let place = match message.line == *line {
            true => String::new(),
            false => format!("line {}, ", message.line),
        };
        let attribute = message.attribute.as_ref().map(|name| format!("{name}: "));
        format!("{place}{}{}", attribute.unwrap_or_default(), message.message)
    });
    let messages = messages.collect::<Vec<_>>().join("; ");
    shown(format!("line {line}, {element}{key}: {messages}").trim_end_matches(": "))
}
