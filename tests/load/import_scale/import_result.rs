//! The response to an import, read as a stream and never held in memory: it may be hundreds of
//! megabytes.

use super::portfolio::Portfolio;
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;
use std::io::{self, BufReader, Read};
use tokio::sync::mpsc::{self, Receiver};

/// Pieces of the response buffered for the reader.
const CHUNKS_BUFFERED: usize = 16;
/// The most wrong records listed.
const LISTED: usize = 5;

/// The content of a response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportResult {
    /// Its length.
    pub bytes: u64,
    /// Everything except the records.
    pub totals: Map<String, Value>,
    /// The number of records.
    pub records: u64,
    /// The sum of the ids of new contacts, and of new loans.
    pub ids: [i64; 2],
    /// The number of wrong records.
    pub wrong_count: u64,
    /// The first wrong records.
    pub wrong_records: Vec<String>,
}

impl ImportResult {
    /// Reads the response to the end, and compares each record with the expected one.
    pub async fn read(
        mut response: reqwest::Response,
        portfolio: Portfolio,
    ) -> Result<Self, String> {
        let (sender, receiver) = mpsc::channel(CHUNKS_BUFFERED);
        let reader = tokio::task::spawn_blocking(move || {
            let chunks = ChunkReader { receiver, chunk: Vec::new(), used: 0 };
            let mut json = serde_json::Deserializer::from_reader(BufReader::new(chunks));
            let result = json.deserialize_map(ResultVisitor { portfolio })?;
            json.end().map(|()| result)
        });
        let mut bytes = 0;
        let outcome = loop {
            match response.chunk().await {
                Ok(None) => break Ok(()),
                Ok(Some(chunk)) => {
                    bytes += chunk.len() as u64;
                    if sender.send(chunk.to_vec()).await.is_err() {
                        // Not JSON, which the reader reports.
                        break Ok(());
                    }
                }
                Err(error) => break Err(format!("the response breaks off: {error:?}")),
            }
        };
        drop(sender);
        let joined = reader.await.map_err(|error| error.to_string())?;
        outcome?;
        let result = joined.map_err(|error| format!("the response cannot be read: {error}"))?;
        Ok(Self { bytes, ..result })
    }

    /// What is wrong with it, one line each.
    pub fn faults(&self, portfolio: &Portfolio, test: bool) -> Vec<String> {
        let mut faults = self.wrong_records.clone();
        if self.wrong_count > LISTED as u64 {
            faults.push(format!("{} records of the response are like this", self.wrong_count));
        }
        let (found, expected) = (Value::Object(self.totals.clone()), portfolio.totals(test));
        if found != expected {
            faults.push(format!("the response's totals are {found}, not {expected}"));
        }
        if self.records != portfolio.records() {
            let expected = portfolio.records();
            faults.push(format!("the response has {} records, not {expected}", self.records));
        }
        faults
    }

    fn compare_record(&mut self, portfolio: &Portfolio, mut record: Map<String, Value>) {
        let id = record.remove("New_ID").and_then(|id| id.as_i64()).unwrap_or_default();
        let (found, expected) = (Value::Object(record), portfolio.result(self.records));
        if id <= 0 || found != expected {
            self.wrong_count += 1;
            if self.wrong_records.len() < LISTED {
                self.wrong_records
                    .push(format!("the response has {found} with id {id}, not {expected}"));
            }
        }
        self.ids[usize::from(self.records >= portfolio.contacts)] += id;
        self.records += 1;
    }
}

/// The bytes as they arrive, for a blocking reader.
struct ChunkReader {
    receiver: Receiver<Vec<u8>>,
    chunk: Vec<u8>,
    used: usize,
}

impl Read for ChunkReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.used == self.chunk.len() {
            let Some(chunk) = self.receiver.blocking_recv() else { return Ok(0) };
            (self.chunk, self.used) = (chunk, 0);
        }
        let count = buffer.len().min(self.chunk.len() - self.used);
        buffer[..count].copy_from_slice(&self.chunk[self.used..self.used + count]);
        self.used += count;
        Ok(count)
    }
}

/// The response as a whole.
struct ResultVisitor {
    portfolio: Portfolio,
}

impl<'de> Visitor<'de> for ResultVisitor {
    type Value = ImportResult;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the result of an import")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<ImportResult, A::Error> {
        let mut result = ImportResult::default();
        while let Some(name) = members.next_key::<String>()? {
            if name == "Records" {
                let (portfolio, result) = (&self.portfolio, &mut result);
                members.next_value_seed(RecordList { portfolio, result })?;
            } else if result.records > 0 {
                // The totals come before the records; this is something else.
                members.next_value::<IgnoredAny>()?;
                result.wrong_count += 1;
                result.wrong_records.push(format!("the response has {name} after its records"));
            } else {
                let value = members.next_value()?;
                result.totals.insert(name, value);
            }
        }
        Ok(result)
    }
}

/// The list of records, deserialized one at a time.
struct RecordList<'a> {
    portfolio: &'a Portfolio,
    result: &'a mut ImportResult,
}

impl<'de> DeserializeSeed<'de> for RecordList<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RecordList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut records: A) -> Result<(), A::Error> {
        while let Some(record) = records.next_element()? {
            self.result.compare_record(self.portfolio, record);
        }
        Ok(())
    }
}
