//! `agon answer`: an answer of somebody outside, from a file or standard input.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use agon_runtime::desk::ANSWER_BYTES_MAX;
use serde_json::json;

use super::{Hand, desk::Room};
use crate::{
    cli::{AnswerArgs, OneSeat},
    ui,
};
use agon_app::failure::{Failure, Result, exit};

pub async fn run(hand: &Hand, args: AnswerArgs) -> Result<u8> {
    let AnswerArgs { seat: OneSeat { id, seat }, token, name, file, text, skip } = args;
    let room = Room::enter(hand, &id)?;
    let desk = room.desk();
    let name = name.unwrap_or_else(user);
    let receipt = if skip {
        desk.skip(None, &seat, &name).await?
    } else {
        let text = text.map_or_else(|| read(&file), Ok)?;
        match token {
            Some(token) => desk.answer(&seat, &token, &text).await?,
            None => desk.answer_as(None, &seat, &name, &text).await?,
        }
    };
    let next: Vec<String> = desk.open().await?.into_iter().map(|open| open.request.seat.into()).collect();
    hand.print(&json!(receipt), || {
        let digest = &receipt.digest.as_str()[..12];
        let next = if next.is_empty() { String::new() } else { format!("; next: {}", next.join(", ")) };
        let what = if ui::is_verbose() { receipt.key.as_str() } else { seat.as_str() };
        ui::visible(&format!("{what} is answered by entry {} (digest {digest}){next}", receipt.seq))
    });
    Ok(exit::OK)
}

/// The name of the user of this machine.
pub(in crate::command) fn user() -> String {
    std::env::var("USER").ok().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "somebody".into())
}

/// The text in a file, or on standard input.
pub(super) fn read(path: &Path) -> Result<String> {
    let shown = if path == Path::new("-") { PathBuf::from("standard input") } else { path.to_owned() };
    let fault = |error: std::io::Error| {
        Failure::new(
            exit::IO,
            "io",
            format!("{}: {error}", shown.display()),
            "name the file that holds the answer",
        )
    };
    // One byte more than is taken tells that it is too long, without reading all of it.
    let most = ANSWER_BYTES_MAX as u64 + 1;
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes).map_err(fault)?;
    } else {
        std::fs::File::open(path).map_err(fault)?.take(most).read_to_end(&mut bytes).map_err(fault)?;
    }
    let cut = bytes.len() as u64 == most;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // The limit may have cut a character; the desk refuses the length.
        Err(error) if cut => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        Err(_) => Err(Failure::new(
            exit::USAGE,
            "unusable",
            format!("{} holds no UTF-8 text", shown.display()),
            "write the answer as text",
        )),
    }
}
