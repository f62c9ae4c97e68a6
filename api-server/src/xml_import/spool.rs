//! Import spool: the second pass over a spooled file. A blocking thread reads its pieces, with
//! backpressure.

use super::parse::{Piece, Records, XmlFault};
use super::runner::Pieces;
use std::io::BufRead;
use tokio::sync::mpsc;

/// Groups of pieces read ahead of the one being applied.
const GROUPS_AHEAD: usize = 1;
/// The most pieces in a group. A group is what one batch can write.
const GROUP_PIECES_MAX: usize = 500;
/// A group ends with the piece that takes it past this size.
const GROUP_BYTES_MAX: u64 = 512 * 1024;

/// Starts the second pass over a file that passed [`check`](super::parse::check).
pub fn pieces(file: impl BufRead + Send + 'static) -> Pieces {
    let (sender, receiver) = mpsc::channel(GROUPS_AHEAD);
    tokio::task::spawn_blocking(move || {
        let outcome = Records::open(file).and_then(|mut records| {
            while let Some(group) = next_group(&mut records)? {
                if sender.blocking_send(Ok(group)).is_err() {
                    break;
                }
            }
            Ok(())
        });
        if let Err(fault) = outcome {
            let _receiver_may_be_gone = sender.blocking_send(Err(fault));
        }
    });
    receiver
}

fn next_group<R: BufRead>(records: &mut Records<R>) -> Result<Option<Vec<Piece>>, XmlFault> {
    let (mut group, mut bytes) = (Vec::new(), 0);
    while group.len() < GROUP_PIECES_MAX && bytes < GROUP_BYTES_MAX {
        let Some(piece) = records.next_piece()? else { break };
        bytes += match &piece {
            Piece::Record(element) | Piece::Opened(element) | Piece::Child(element) => {
                element.bytes
            }
            Piece::Closed => 0,
        };
        group.push(piece);
    }
    Ok(Some(group).filter(|group| !group.is_empty()))
}
