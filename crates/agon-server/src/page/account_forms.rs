//! The forms of pages about accounts, for the OpenAPI document. They are read field by field where they are sent to; the
//! types here say which fields these are.

use utoipa::ToSchema;

/// A login with a password.
#[derive(ToSchema)]
#[allow(dead_code)] // Described, never made; so are the others.
pub(super) struct LoginForm {
    /// The login name.
    #[schema(max_length = 64)]
    login: String,
    /// The password.
    #[schema(max_length = 1024)]
    password: String,
    /// Where the login leads: a path of this server.
    next: Option<String>,
}

/// What a person can change of the own account.
#[derive(ToSchema)]
#[allow(dead_code)]
pub(super) struct AccountForm {
    /// `name`, `password` or `delete`.
    act: String,
    /// The new name that pages show; of `name`.
    #[schema(max_length = 80)]
    display: Option<String>,
    /// The current password; of `password`, where there is one.
    old: Option<String>,
    /// The new password; of `password`.
    new: Option<String>,
    /// The login name; of `delete`.
    confirm: Option<String>,
}

/// A token for programs.
#[derive(ToSchema)]
#[allow(dead_code)]
pub(super) struct TokenForm {
    /// What it is for.
    #[schema(max_length = 80)]
    name: String,
    /// `answer` or `run`, once or both; reading is part of every token.
    scope: Option<Vec<String>>,
    /// Days until it expires, 1 to 366.
    days: Option<String>,
}

/// What an owner changes of who takes part in a debate.
#[derive(ToSchema)]
#[allow(dead_code)]
pub(super) struct ShareForm {
    /// `grant`, `ungrant`, `link` or `revoke`.
    act: String,
    /// Whose role it is: a login name or an id.
    person: Option<String>,
    /// `viewer`, `audience`, `debater`, `judge` or `owner`.
    role: Option<String>,
    /// The only seat at which the person answers by the role. Of `ungrant`: the seat for which the role was given, empty
    /// for every seat; the role at all seats where the field is missing.
    seat: Option<String>,
    /// Days of a link, 1 to 366.
    days: Option<String>,
    /// The id of the link that is revoked.
    link: Option<String>,
}

/// An invitation that a person accepts.
#[derive(ToSchema)]
#[allow(dead_code)]
pub(super) struct InvitationForm {
    /// The secret of the invitation.
    code: String,
}

/// A person who is added, and invited.
#[derive(ToSchema)]
#[allow(dead_code)]
pub(super) struct PeopleForm {
    /// `add`.
    act: String,
    /// The login name.
    #[schema(max_length = 64)]
    login: String,
    /// The name that pages show; the login name where there is none.
    #[schema(max_length = 80)]
    display: Option<String>,
    /// `yes` if the person administers the server.
    administrator: Option<String>,
    /// Days until the invitation ends, 1 to 30.
    days: Option<String>,
}

/// What an administrator changes of an account.
#[derive(ToSchema)]
#[allow(dead_code)]
pub(super) struct PersonForm {
    /// `invite`, `disable`, `enable`, `appoint`, `dismiss`, `end_logins`, `quotas`, `grant`, `ungrant`, `revoke_token`,
    /// `remove_passkey` or `delete`.
    act: String,
    /// Days until the invitation ends, 1 to 30.
    days: Option<String>,
    /// Quota: debates that are started within 24 hours.
    debates_per_day: Option<String>,
    /// Quota: debates that are open at a time.
    open_debates: Option<String>,
    /// Quota: cost of the debates of 30 days, in US dollars.
    max_cost: Option<String>,
    /// The debate of a role.
    debate: Option<String>,
    /// `viewer`, `audience`, `debater`, `judge` or `owner`.
    role: Option<String>,
    /// Of `ungrant`: the seat for which the role was given, empty for every seat; the role at all seats where the field
    /// is missing.
    seat: Option<String>,
    /// The id of a token or a passkey.
    id: Option<String>,
    /// The login name; of `delete`.
    confirm: Option<String>,
}
