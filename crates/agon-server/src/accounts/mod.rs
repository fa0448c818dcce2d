//! People on this server: how they prove who they are, and what they may do then.
//!
//! - `authentication`: from the head of a request to a person; `admission`: in or out, the audit, streams that end
//! - `password`, `relying_party`: passwords and passkeys; `oidc`: logins by another server; `attempts`: how often each
//!   may be tried; `sessions`: what a login begins
//! - `start_quota`: quotas; `tools`: the same rules for the Model Context Protocol

pub(crate) mod admission;
pub(crate) mod attempts;
mod authentication;
mod http;
#[cfg(feature = "oidc")]
pub(crate) mod oidc;
#[cfg(not(feature = "oidc"))]
#[path = "oidc_absent.rs"]
pub(crate) mod oidc;
mod password;
mod relying_party;
mod sessions;
pub(crate) mod start_quota;
pub(crate) mod tools;

use std::sync::Arc;

use agon_core::{DebateId, Role, lookalike::visual_shape};
use agon_journal::{
    Journal,
    accounts::{
        AccountError, AuditEvent, ExternalIdentity, MISSING_NAMES, Principal, PrincipalId, PrincipalState, Quotas,
    },
};
use agon_runtime::config::{AccountsConfig, Config, ModelSpec, with_provider};

use self::password::PasswordPlace;
pub use self::password::{PASSWORD_CHARS_MIN, hash_password};
pub(crate) use self::{
    attempts::AuditAllowance,
    authentication::{Caller, LINK_COOKIE, RequestCaller, find_cookie, link_ended, session_cookie},
    http::{cookie_header, is_urlencoded, redirect_with_cookie, safe_next},
    relying_party::RelyingParty,
    sessions::start_session,
};
use crate::{
    Refusal, RouteContext,
    authorization::{AccessDecision, Permission, VisitorStanding, decide_permission},
    visitor::{Credential, Visitor},
};

/// What a server with accounts is built from.
#[derive(Debug, Clone, Default)]
pub struct AccountsSettings {
    /// The section `[accounts]` of the configuration.
    pub config: AccountsConfig,
    /// The secret of the OpenID Connect client, from the environment.
    pub client_secret: Option<String>,
}

/// The server that people can log in with; without the feature `oidc`, none.
#[cfg(feature = "oidc")]
pub(crate) type LoginProvider = oidc::OpenIdProvider;
#[cfg(not(feature = "oidc"))]
pub(crate) type LoginProvider = oidc::NoProvider;

/// A person whom the provider vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProvedPerson {
    pub identity: ExternalIdentity,
    /// What the provider calls the person, for a new account.
    pub login: String,
    pub display: String,
    /// A verified address.
    #[cfg_attr(not(feature = "oidc"), allow(dead_code))]
    pub email: Option<String>,
}

/// The accounts of a server.
pub(crate) struct Accounts {
    pub config: AccountsConfig,
    pub audit_allowance: AuditAllowance,
    pub oidc: Option<LoginProvider>,
    /// What passkeys belong to, where browsers have passkeys for the address of this server.
    pub relying_party: Option<RelyingParty>,
    passwords: password::PasswordThreads,
}

impl Accounts {
    pub fn new(settings: AccountsSettings) -> Self {
        let AccountsSettings { config, client_secret } = settings;
        let oidc = config.oidc.clone().zip(config.public_url.clone());
        let oidc = oidc.and_then(|(oidc, url)| oidc::build_login_provider(oidc, &url, client_secret));
        let relying_party = config.public_url.as_deref().and_then(RelyingParty::new);
        Self {
            oidc,
            relying_party,
            config,
            audit_allowance: AuditAllowance::default(),
            passwords: password::PasswordThreads::start(),
        }
    }

    /// A place for one check of a password, to be taken before the attempt counts.
    pub fn take_password_place(&self) -> Result<PasswordPlace, Refusal> {
        self.passwords.take_place()
    }

    /// The person of this login name and password. It takes as long where there is not such a person.
    pub async fn check_password(
        &self,
        place: PasswordPlace,
        journal: &Arc<Journal>,
        login: &str,
        password: &str,
    ) -> Result<Option<Principal>, Refusal> {
        let (journal, login, password) = (Arc::clone(journal), login.to_owned(), password.to_owned());
        let checked = self.passwords.run(place, move |hasher| -> Result<Option<Principal>, Refusal> {
            let person = journal.principal_named(&login)?;
            let person = person.filter(|person| person.state == PrincipalState::Active);
            let hash = person.as_ref().map(|person| journal.password_of(person.id)).transpose()?.flatten();
            let is_right = hasher.is_right(hash.as_deref(), &password);
            Ok(person.filter(|_| is_right))
        });
        checked.await.unwrap_or_else(|| Err(Refusal::interrupted()))
    }

    /// The hash of a new password.
    pub async fn hash(&self, password: &str) -> Result<String, Refusal> {
        let password = password.to_owned();
        let hashed = self.passwords.run(self.passwords.take_place()?, move |hasher| hasher.hash_new(&password)).await;
        hashed.ok_or_else(Refusal::interrupted)?.map_err(Refusal::from)
    }

    /// Whether a page of this origin is this server's, as browsers reach it; `None` where the configured address says
    /// nothing about the origin's host.
    pub fn is_public(&self, origin: &axum::http::HeaderValue) -> Option<bool> {
        let url = self.config.public_url.as_deref().map(|url| url.trim_end_matches('/'))?;
        let origin = origin.to_str().ok()?;
        let (scheme, host) = url.split_once("://")?;
        let (given_scheme, given_host) = origin.split_once("://")?;
        // A page of the same host over another scheme can be someone else's.
        given_host.eq_ignore_ascii_case(host).then(|| given_scheme.eq_ignore_ascii_case(scheme))
    }

    /// The address of a page as browsers reach it; `host` is how one calls this server, where nothing is configured.
    pub fn page_address(&self, host: Option<&str>, page: &str) -> String {
        let origin = self.config.public_url.as_deref().map(|url| url.trim_end_matches('/').to_owned());
        let origin = origin.or_else(|| host.map(|host| format!("http://{host}"))).unwrap_or_default();
        format!("{origin}{page}")
    }

    /// The quotas of a person.
    pub fn person_quotas(&self, person: &Principal) -> Quotas {
        person.quotas.with_defaults(self.config.quotas.to_quotas())
    }
}

impl RouteContext {
    /// The accounts, on a server that has them.
    pub(crate) fn require_accounts(&self) -> Result<&Accounts, Refusal> {
        self.accounts.as_ref().ok_or_else(no_accounts)
    }

    /// What follows for a caller, about the debate and at the seat of these names, where it is about one.
    pub(crate) fn decide_access(
        &self,
        caller: &RequestCaller,
        permission: Permission,
        debate: Option<&str>,
        seat: Option<&str>,
    ) -> Result<AccessDecision, Refusal> {
        let debate = debate.and_then(|id| DebateId::new(id).ok());
        let is_linked = debate.as_ref().is_some_and(|debate| caller.links.contains(debate));
        self.decide_for(self.require_accounts()?, caller.visitor, is_linked, permission, debate.as_ref(), seat)
    }

    /// The same for a visitor, who may have a link to the debate.
    fn decide_for(
        &self,
        accounts: &Accounts,
        visitor: Visitor,
        is_linked: bool,
        permission: Permission,
        debate: Option<&DebateId>,
        seat: Option<&str>,
    ) -> Result<AccessDecision, Refusal> {
        let grants = match (visitor.person, debate) {
            (Some(person), Some(debate)) => self.journal.grants_of(debate, person)?,
            _ => Vec::new(),
        };
        let standing = VisitorStanding {
            is_person: visitor.person.is_some(),
            administrator: visitor.administrator,
            credential: visitor.credential,
            grants,
            role_of_all: accounts.config.role_of_all(),
            is_linked,
        };
        let kind = seat.zip(debate).and_then(|(seat, debate)| self.seat_kind(debate, seat));
        Ok(decide_permission(permission, &standing, kind.as_ref().map(|(name, role)| (name.as_str(), *role))))
    }

    /// The kind of the seat that a debate calls `name`, and its own name.
    pub(crate) fn seat_kind(&self, debate: &DebateId, name: &str) -> Option<(String, Role)> {
        let seats = self.find_outside_seats(debate).ok()?;
        let seat = seats.find_seat(name).ok()?;
        let role = seats.protocol.manifest().find_seat(seat.as_str())?.role;
        Some((seat.to_string(), role))
    }

    /// Whether a visitor may do something in a debate, at a seat where one is named. Without accounts, who may write
    /// may.
    pub(crate) fn is_permitted(
        &self,
        visitor: Visitor,
        permission: Permission,
        debate: &DebateId,
        seat: Option<&str>,
    ) -> Result<bool, Refusal> {
        let Some(accounts) = &self.accounts else { return Ok(visitor.may_write) };
        Ok(self.decide_for(accounts, visitor, false, permission, Some(debate), seat)? == AccessDecision::Allowed)
    }

    /// Refuses where a person acts with a claim that someone else has made.
    pub(crate) fn check_claim_holder(&self, visitor: Visitor, debate: &DebateId, seat: &str) -> Result<(), Refusal> {
        match visitor.person {
            None => Ok(()),
            Some(person) => Ok(self.find_outside_seats(debate)?.check_holder(seat, person)?),
        }
    }
}

/// What needs accounts, on a server that has none.
pub(crate) fn no_accounts() -> Refusal {
    Refusal::new(404, "no_such_page", "This server has no accounts", "")
}

/// A person whose role does not allow this.
pub(crate) fn not_permitted() -> Refusal {
    let remedy = "ask an owner of the debate or an administrator for a role, or use a token with the scope";
    Refusal::new(403, "not_permitted", "you are not permitted to do this", remedy)
}

/// A line of the audit about what nobody is proved to do.
pub(crate) fn new_audit_event(via: &str, action: &'static str) -> AuditEvent {
    AuditEvent { via: via.to_owned(), ..AuditEvent::on_command_line(action) }
}

/// A line of the audit about what a visitor does.
pub(crate) fn audit_event(caller: &RequestCaller, action: &'static str) -> AuditEvent {
    let address = Some(caller.address.clone());
    AuditEvent { principal: caller.visitor.person, address, ..new_audit_event(&caller.via, action) }
}

/// Writes a line of the audit about what was done all the same.
async fn write_audit(journal: &Journal, event: AuditEvent) {
    if let Err(error) = journal.record_audit_event(event).await {
        tracing::error!(%error, "the audit could not be written");
    }
}

/// `name` for a person, unless a reader would take it for a seat or a model: pages show them side by side.
pub(crate) fn check_name(shared: &RouteContext, name: &str) -> Result<(), Refusal> {
    let seen = visual_shape(&agon_text::strip_invisible(name));
    let kinds = shared.list_protocols();
    let seats = kinds.iter().flat_map(|kind| &kind.seats).map(|seat| &seat.name);
    let is_seat = seats.into_iter().any(|seat| visual_shape(seat) == seen);
    let names_one = |name: &str| ModelSpec::parse(&with_provider(name), &Config::default()).is_ok();
    let is_model =
        names_one(name.trim()) || names_one(&seen) || shared.models.iter().any(|model| visual_shape(model) == seen);
    if is_seat || is_model {
        let why = format!("{name:?} is the name of a seat or of a model");
        return Err(Refusal::unusable(why, "choose another name"));
    }
    Ok(())
}

/// The name of a person as pages show it.
pub(crate) fn shown_name(journal: &Journal, person: PrincipalId) -> String {
    match journal.find_principal(person) {
        Ok(Some(known)) if known.state != PrincipalState::Deleted => known.display,
        Ok(Some(_)) => format!("{} {person}", MISSING_NAMES[0]),
        _ => format!("{} {person}", MISSING_NAMES[1]),
    }
}

impl From<AccountError> for Refusal {
    fn from(error: AccountError) -> Self {
        let (status, code, remedy) = match &error {
            AccountError::Journal(error) => return error.clone().into(),
            AccountError::Taken(_) => (409, "exists", "choose another name"),
            AccountError::Unknown { .. } => (404, "unknown", "the page lists what exists"),
            AccountError::LastAdministrator(_) => (409, "conflict", ""),
            AccountError::TooMany { .. } => (429, "too_many", "revoke some first"),
            AccountError::Quota(_) => {
                (429, "quota", "wait, close a debate, or ask an administrator for a higher quota")
            }
            AccountError::Unusable(_) => (422, "unusable", "correct it, and send it again"),
        };
        Self::new(status, code, error.to_string(), remedy)
    }
}

impl Credential {
    /// Whether the browser sends it by itself, so that a write must come from a page of this server.
    pub(crate) fn is_ambient(self) -> bool {
        !matches!(self, Credential::Token(_))
    }
}
