//! A reply as a stream, with the fault that interrupts it.

use std::{io::Write, time::Duration};

use axum::body::Bytes;
use flate2::{Compression, write::GzEncoder};

use crate::{
    MockFault,
    ask::TextRequest,
    body::StreamStep,
    reply::{Piece, ReplyText},
    shape::Shape,
};

const PINGS_PAUSE: Duration = Duration::from_millis(20);
const BOMB_BYTES: usize = 50_000_000;

/// What is sent, and when.
pub fn plan_stream_steps(
    shape: &impl Shape,
    ask: &TextRequest,
    said: &ReplyText,
    fault: Option<&MockFault>,
    pause: Duration,
) -> Vec<StreamStep> {
    let send = |bytes: Vec<Bytes>| bytes.into_iter().map(StreamStep::Send).collect::<Vec<_>>();
    let pause = if let Some(MockFault::Drip(pause)) = fault { *pause } else { pause };
    let mut parts = send(shape.render_opening(said));
    let pieces = said.pieces.iter().map(|content| StreamStep::Send(shape.render_piece(said, content)));
    let mut text: Vec<StreamStep> = if pause.is_zero() {
        pieces.collect()
    } else {
        pieces.flat_map(|piece| [StreamStep::Wait(pause), piece]).collect()
    };
    match fault {
        Some(MockFault::HeadersOnly) => return vec![StreamStep::Hang],
        Some(MockFault::PingsOnly) => return vec![StreamStep::Forever(shape.render_ping(), PINGS_PAUSE)],
        Some(MockFault::EndlessPings) => {
            return vec![StreamStep::Forever(shape.render_ping().as_ref().repeat(64).into(), Duration::ZERO)];
        }
        Some(MockFault::EndlessLine) => return vec![endless_step()],
        Some(MockFault::GzipBomb) => return vec![StreamStep::Send(build_gzip_bomb())],
        Some(MockFault::InvalidUtf8) => {
            let piece = shape.render_piece(said, &Piece::Text("MARK".to_owned()));
            let broken = piece.iter().map(|byte| if *byte == b'M' { 0xff } else { *byte });
            text.insert(text.len().min(1), StreamStep::Send(broken.collect()));
        }
        Some(MockFault::NotJson) => {
            let line = shape.render_piece(said, &Piece::Text("x".to_owned()));
            let broken = String::from_utf8_lossy(&line).replace('}', "");
            text.insert(text.len().min(1), StreamStep::Send(broken.into()));
        }
        Some(MockFault::Stall(after) | MockFault::Cut(after) | MockFault::Short(after)) => text.truncate(*after),
        Some(MockFault::ErrorEvent(_)) => text.truncate(2),
        Some(MockFault::Endless) => text.clear(),
        _ => {}
    }
    parts.append(&mut text);
    match fault {
        Some(MockFault::Stall(_)) => parts.push(StreamStep::Forever(shape.render_ping(), PINGS_PAUSE)),
        // A moment, so that what was sent arrives before the connection breaks.
        Some(MockFault::Cut(_)) => parts.extend([StreamStep::Wait(PINGS_PAUSE), StreamStep::Break]),
        Some(MockFault::Short(_)) => {}
        Some(MockFault::ErrorEvent(kind)) => parts.push(StreamStep::Send(shape.error_event(kind))),
        Some(MockFault::Endless) => {
            let piece = shape.render_piece(said, &Piece::Text("and so on and so forth, without an end, ".to_owned()));
            parts.push(StreamStep::Forever(piece.as_ref().repeat(16).into(), Duration::ZERO));
        }
        _ => parts.extend(send(shape.render_closing(ask, said))),
    }
    parts
}

/// The same bytes for ever, without a line's end.
pub fn endless_step() -> StreamStep {
    StreamStep::Forever(Bytes::from(vec![b'x'; 16 << 10]), Duration::ZERO)
}

fn build_gzip_bomb() -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..BOMB_BYTES >> 20 {
        if encoder.write_all(&zeros).is_err() {
            break;
        }
    }
    encoder.finish().unwrap_or_default().into()
}
