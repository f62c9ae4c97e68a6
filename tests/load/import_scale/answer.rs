//! The answer to an import, read as a stream and never held in memory: it may be hundreds of
//! megabytes.

use super::portfolio::Portfolio;
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;
use std::io::{self, BufReader, Read};
use tokio::sync::mpsc::{self, Receiver};

/// Pieces of the answer buffered for the reader.
const PIECES: usize = 16;
/// The most wrong records listed.
const TOLD: usize = 5;

/// The content of an answer.
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
    pub wrong: u64,
    /// The first wrong records.
    pub told: Vec<String>,
}

impl ImportResult {
    /// Reads the answer to the end, and compares each record with the expected one.
    pub async fn read(
        mut response: reqwest::Response,
        portfolio: Portfolio,
    ) -> Result<Self, String> {
        let (sender, receiver) = mpsc::channel(PIECES);
        let reader = tokio::task::spawn_blocking(move || {
            let pieces = Pieces { receiver, piece: Vec::new(), used: 0 };
            let mut json = serde_json::Deserializer::from_reader(BufReader::new(pieces));
            let answer = json.deserialize_map(Whole { portfolio })?;
            json.end().map(|()| answer)
        });
        let mut bytes = 0;
        let sent = loop {
            match response.chunk().await {
                Ok(None) => break Ok(()),
                Ok(Some(piece)) => {
                    bytes += piece.len() as u64;
                    if sender.send(piece.to_vec()).await.is_err() {
                        // Not JSON, which the reader reports.
                        break Ok(());
                    }
                }
                Err(error) => break Err(format!("the answer breaks off: {error:?}")),
            }
        };
        drop(sender);
        let read = reader.await.map_err(|error| error.to_string())?;
        sent?;
        let answer = read.map_err(|error| format!("the answer cannot be read: {error}"))?;
        Ok(Self { bytes, ..answer })
    }

    /// What is wrong with it, one line each.
    pub fn faults(&self, portfolio: &Portfolio, test: bool) -> Vec<String> {
        let mut faults = self.told.clone();
        if self.wrong > TOLD as u64 {
            faults.push(format!("{} records of the answer are like this", self.wrong));
        }
        let (found, wanted) = (Value::Object(self.totals.clone()), portfolio.totals(test));
        if found != wanted {
            faults.push(format!("the answer's totals are {found}, not {wanted}"));
        }
        if self.records != portfolio.records() {
            let wanted = portfolio.records();
            faults.push(format!("the answer has {} records, not {wanted}", self.records));
        }
        faults
    }

    fn note(&mut self, portfolio: &Portfolio, mut record: Map<String, Value>) {
        let id = record.remove("New_ID").and_then(|id| id.as_i64()).unwrap_or_default();
        let (found, wanted) = (Value::Object(record), portfolio.result(self.records));
        if id <= 0 || found != wanted {
            self.wrong += 1;
            if self.told.len() < TOLD {
                self.told.push(format!("the answer has {found} with id {id}, not {wanted}"));
            }
        }
        self.ids[usize::from(self.records >= portfolio.contacts)] += id;
        self.records += 1;
    }
}

/// The bytes as they arrive, for a blocking reader.
struct Pieces {
    receiver: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    used: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.used == self.piece.len() {
            let Some(piece) = self.receiver.blocking_recv() else { return Ok(0) };
            (self.piece, self.used) = (piece, 0);
        }
        let count = buffer.len().min(self.piece.len() - self.used);
        buffer[..count].copy_from_slice(&self.piece[self.used..self.used + count]);
        self.used += count;
        Ok(count)
    }
}

/// The answer as a whole.
struct Whole {
    portfolio: Portfolio,
}

impl<'de> Visitor<'de> for Whole {
    type Value = ImportResult;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the result of an import")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<ImportResult, A::Error> {
        let mut response = ImportResult::default();
        while let Some(name) = members.next_key::<String>()? {
            if name == "Records" {
                let (portfolio, response) = (&self.portfolio, &mut response);
                members.next_value_seed(Records { portfolio, answer: response })?;
            } else if response.records > 0 {
                // The totals come before the records; this is something else.
                members.next_value::<IgnoredAny>()?;
                response.wrong += 1;
                response.told.push(format!("the answer has {name} behind its records"));
            } else {
                let value = members.next_value()?;
                response.totals.insert(name, value);
            }
        }
        Ok(response)
    }
}

/// The list of records, deserialized one at a time.
struct Records<'a> {
    portfolio: &'a Portfolio,
    answer: &'a mut ImportResult,
}

impl<'de> DeserializeSeed<'de> for Records<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Records<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut records: A) -> Result<(), A::Error> {
        while let Some(record) = records.next_element()? {
            self.answer.note(self.portfolio, record);
        }
        Ok(())
    }
}
