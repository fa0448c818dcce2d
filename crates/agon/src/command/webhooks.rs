//! `agon webhooks`.

use agon_app::{Result, exit};

use super::CommandContext;
use crate::cli::WebhooksArgs;

pub async fn run(_: &CommandContext, _: WebhooksArgs) -> Result<u8> {
    Ok(exit::OK)
}
