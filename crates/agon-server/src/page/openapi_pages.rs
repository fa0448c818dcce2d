//! The pages of accounts as the OpenAPI document describes them.

use utoipa::OpenApi;

use super::{account, audit, invitation, login, people, person, share};

/// The pages of a server with accounts.
#[derive(OpenApi)]
#[openapi(paths(
    login::page,
    login::log_in,
    login::to_provider,
    login::from_provider,
    login::log_out,
    login::shared_link,
    login::draft,
    account::page,
    account::change,
    account::make_token,
    account::revoke_token,
    account::remove_passkey,
    invitation::page,
    invitation::accept,
    people::page,
    people::change,
    person::page,
    person::change,
    share::page,
    share::change,
    audit::page,
))]
pub(crate) struct AccountPagesDocument;
