//! `agon mcp`: serves debates to an agent over standard input and output.

use std::sync::Arc;

use agon_app::{Result, exit, launcher::Detached};
use agon_mcp::Debates;

use super::CommandContext;

pub async fn run(command_context: &CommandContext) -> Result<u8> {
    let context = command_context.build_context(false)?;
    let (journal, home) = (Arc::clone(&context.journal), command_context.places.home.clone());
    Debates::new(journal, home, Arc::new(Detached::new(context))).over_standard_streams().await;
    Ok(exit::OK)
}
