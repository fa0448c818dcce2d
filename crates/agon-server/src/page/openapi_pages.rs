//! The pages of accounts as the OpenAPI document describes them.

use utoipa::OpenApi;

use super::{account, audit, invitation, login, people, person, share};

/// The pages of a server with accounts.
#[derive(OpenApi)]
#[openapi(paths(
    login::show_login,
    login::log_in,
    login::to_provider,
    login::from_provider,
    login::log_out,
    login::shared_link,
    login::show_draft,
    account::show_account,
    account::change_account,
    account::make_token,
    account::revoke_token,
    account::remove_passkey,
    invitation::show_invitation,
    invitation::accept_invitation,
    people::list_people,
    people::add_person,
    person::show_person,
    person::change_person,
    share::show_roles,
    share::change_roles,
    audit::show_audit,
))]
pub(crate) struct AccountPagesDocument;
