//! The report of an import: a table by element, then the failures and warnings; or the api-server's
//! response. Results are read as a stream, however many there are.

use crate::installation::table::{align, printable};
use crate::installation::{CliError, print, printed};
use api_server::xml_import::report::{Action, RecordResult};
use api_server::xml_import::results::{ImportResponse, TAIL, Totals};
use std::io::{self, Write};

/// Failed elements, and elements with warnings, that are listed; all are counted.
const LINES_MAX: usize = 50;
/// Element names that get a line. Valid files have fewer.
const ELEMENTS_MAX: usize = 40;
/// The line that counts all other names.
const OTHERS: &str = "(others)";
const HEADING: [&str; 6] = ["element", "inserted", "updated", "deleted", "failed", "rolled back"];

/// Prints a notice outside the report: on standard error with `--json`.
pub(super) fn say(json: bool, text: &str) -> Result<(), CliError> {
    match json {
        true => eprintln!("import: {text}"),
        false => print(text)?,
    }
    Ok(())
}

/// Prints the api-server's response, byte for byte.
pub(super) async fn print_json(response: ImportResponse) -> Result<(), CliError> {
    let head = response.head();
    let written = tokio::task::spawn_blocking(move || {
        let mut output = io::stdout().lock();
        output.write_all(head.as_bytes())?;
        io::copy(&mut response.into_file()?, &mut output)?;
        output.write_all(TAIL.as_bytes())?;
        output.flush()
    });
    printed(written.await.map_err(|error| CliError(error.to_string()))?)
}

pub(super) async fn print_text(response: ImportResponse) -> Result<(), CliError> {
    let mut report = ImportReport::default();
    let outcome = outcome(&response);
    let mut parts = response.into_parts();
    while let Some(results) = parts.recv().await {
        for result in results.map_err(|problem| CliError(problem.message()))? {
            report.add(&result);
        }
    }
    print(&format!("{}{outcome}", report.to_text()))
}

/// The outcome of the file as a whole.
fn outcome(response: &ImportResponse) -> String {
    let ImportResponse { test, committed, totals: Totals { failed, .. }, .. } = response;
    let failed = *failed;
    match (test, committed) {
        (true, _) if failed == 0 => {
            "test run: nothing was committed; everything would have been imported".to_owned()
        }
        (true, _) => "test run: nothing was committed".to_owned(),
        (false, false) => "nothing was committed".to_owned(),
        (false, true) if failed == 0 => "committed".to_owned(),
        (false, true) => "committed, except for the records with failures".to_owned(),
    }
}

/// The part of a report that is held in memory.
#[derive(Default)]
struct ImportReport {
    kinds: Vec<ElementCounts>,
    failed: FirstLines,
    warned: FirstLines,
}

/// Counts for one element name, in the order of the heading.
struct ElementCounts {
    name: String,
    counts: [i64; 5],
}

/// The first lines of a list, and its length.
#[derive(Default)]
struct FirstLines {
    lines: Vec<String>,
    count: usize,
}

impl ImportReport {
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

    /// Unknown element names come from the file, which may contain any number of them.
    fn kind(&mut self, name: &str) -> &mut ElementCounts {
        let existing = self.kinds.iter().position(|kind| kind.name == name);
        let index = existing.unwrap_or_else(|| {
            let name = if self.kinds.len() < ELEMENTS_MAX { name } else { OTHERS };
            if self.kinds.len() <= ELEMENTS_MAX {
                self.kinds.push(ElementCounts { name: name.to_owned(), counts: [0; 5] });
            }
            self.kinds.len() - 1
        });
        &mut self.kinds[index]
    }

    fn to_text(&self) -> String {
        let total =
            |column| self.kinds.iter().map(|kind: &ElementCounts| kind.counts[column]).sum();
        let all = ElementCounts { name: "total".to_owned(), counts: std::array::from_fn(total) };
        let rows: Vec<_> = self.kinds.iter().chain([&all]).map(ElementCounts::cells).collect();
        let mut text = align(HEADING, &rows);
        self.failed.write(&mut text, "failed");
        self.warned.write(&mut text, "warnings");
        text.push('\n');
        text
    }
}

impl ElementCounts {
    fn cells(&self) -> [String; 6] {
        let mut cells = self.counts.iter().map(i64::to_string);
        std::array::from_fn(|column| match column {
            0 => self.name.clone(),
            _ => cells.next().unwrap_or_default(),
        })
    }
}

impl FirstLines {
    fn add(&mut self, result: &RecordResult) {
        self.count += 1;
        if self.count <= LINES_MAX {
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

/// The line for an element with its messages.
fn line(result: &RecordResult) -> String {
    let RecordResult { line, element, key, messages, .. } = result;
    let key = key.as_ref().map(|key| format!(" {key}")).unwrap_or_default();
    let messages = messages.iter().map(|message| {
        let other_line = match message.line == *line {
            true => String::new(),
            false => format!("line {}, ", message.line),
        };
        let attribute = message.attribute.as_ref().map(|name| format!("{name}: "));
        format!("{other_line}{}{}", attribute.unwrap_or_default(), message.message)
    });
    let messages = messages.collect::<Vec<_>>().join("; ");
    printable(format!("line {line}, {element}{key}: {messages}").trim_end_matches(": "))
}
