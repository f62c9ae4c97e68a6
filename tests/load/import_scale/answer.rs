//! The answer to an import, read as it comes and never held: it may be hundreds of megabytes.

use super::portfolio::Portfolio;
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;
use std::io::{self, BufReader, Read};
use tokio::sync::mpsc::{self, Receiver};

/// Pieces of the answer that wait to be read.
const PIECES: usize = 16;
/// Records that are told one by one when they are not what they must be.
const TOLD: usize = 5;

/// What an answer says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// How long it is.
    pub bytes: u64,
    /// Everything but the records.
    pub totals: Map<String, Value>,
    /// How many records are told.
    pub records: u64,
    /// The sum of the ids of new contacts, and of new loans.
    pub ids: [i64; 2],
    /// Records that are not what they must be.
    pub wrong: u64,
    /// The first ones of these.
    pub told: Vec<String>,
}

impl Answer {
    /// Reads it to its end, and compares each record with what it must be.
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
                        // It is no JSON, which the reader tells.
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

    /// What in it is not as it must be, a line each.
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

/// The bytes as they come, for a reader that waits.
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

/// The answer itself.
struct Whole {
    portfolio: Portfolio,
}

impl<'de> Visitor<'de> for Whole {
    type Value = Answer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the result of an import")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Answer, A::Error> {
        let mut answer = Answer::default();
        while let Some(name) = members.next_key::<String>()? {
            if name == "Records" {
                let (portfolio, answer) = (&self.portfolio, &mut answer);
                members.next_value_seed(Records { portfolio, answer })?;
            } else if answer.records > 0 {
                // Totals stand before the records: here is what does not.
                members.next_value::<IgnoredAny>()?;
                answer.wrong += 1;
                answer.told.push(format!("the answer has {name} behind its records"));
            } else {
                let value = members.next_value()?;
                answer.totals.insert(name, value);
            }
        }
        Ok(answer)
    }
}

/// The list of records in it, one after the other.
struct Records<'a> {
    portfolio: &'a Portfolio,
    answer: &'a mut Answer,
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
