//! `agon users`: the accounts of a server.

use std::{io::Read, path::Path};

use agon_app::{Failure, Result, declarations::find_rules, exit};
use agon_core::DebateId;
use agon_journal::{
    Journal,
    accounts::{
        AccountError, AccountSecret, AuditEvent, DebateRole, ExternalIdentity, GrantsTaken, NewPrincipal, Principal,
        PrincipalState, Quotas, Scopes, TokenRequest,
    },
    time,
};
use agon_runtime::{config::Config, outside_seats::OutsideSeats};
use serde_json::json;

use super::{CommandContext, debate_id};
use crate::{cli::UsersAction, ui};

/// Most bytes of a file with a password.
const PASSWORD_FILE_BYTES_MAX: u64 = 4096;
/// Characters of a password that is made here.
const PASSWORD_CHARS: usize = 24;

/// What a change of an account is told by: as JSON, and in words.
type AccountReply = Result<(serde_json::Value, String)>;

fn unknown_failure(what: &'static str, name: &str) -> Failure {
    AccountError::Unknown { what, name: name.chars().take(80).collect() }.into()
}

fn find_account(journal: &Journal, name: &str) -> Result<Principal> {
    let person = journal.principal_named(name)?;
    let person = person.filter(|person| person.state != PrincipalState::Deleted);
    person.ok_or_else(|| unknown_failure("account", name))
}

fn audit_event(action: &'static str) -> AuditEvent {
    AuditEvent::on_command_line(action)
}

/// The first line of a file with a password.
fn password_in(file: &Path) -> Result<String> {
    let io = |error: std::io::Error| {
        let why = format!("{}: {error}", file.display());
        Failure::io(why, "name a file with the password in its first line")
    };
    let mut text = String::new();
    let reader: Box<dyn Read> = match file.as_os_str() == "-" {
        true => Box::new(std::io::stdin()),
        false => Box::new(std::fs::File::open(file).map_err(io)?),
    };
    reader.take(PASSWORD_FILE_BYTES_MAX).read_to_string(&mut text).map_err(io)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// The hash of a password, and the password where it was made here.
fn read_or_make_password(file: Option<&Path>) -> Result<(String, Option<String>)> {
    let (text, made) = match file {
        Some(file) => (password_in(file)?, None),
        None => {
            let secret = AccountSecret::random("").ok_or_else(|| Failure::io("no random numbers", ""))?;
            let text: String = secret.text().chars().take(PASSWORD_CHARS).collect();
            (text.clone(), Some(text))
        }
    };
    Ok((agon_server::hash_password(&text)?, made))
}

/// What is told of a password that was made here.
fn describe_password(made: Option<&str>) -> String {
    made.map_or(String::new(), |made| format!("\npassword: {made}\nIt is shown this once."))
}

/// How someone is called by the configured issuer, or by the proxy.
fn external_identity(
    config: &Config,
    subject: Option<String>,
    proxy_name: Option<String>,
) -> Result<Option<ExternalIdentity>> {
    if let Some(subject) = proxy_name {
        return Ok(Some(ExternalIdentity { issuer: "proxy".into(), subject }));
    }
    let Some(subject) = subject else { return Ok(None) };
    let missing = || Failure::usage("no issuer is configured", "set accounts.oidc.issuer in your configuration");
    let oidc = config.accounts.oidc.as_ref().ok_or_else(missing)?;
    Ok(Some(ExternalIdentity { issuer: oidc.issuer.clone(), subject }))
}

fn format_account(person: &Principal) -> String {
    let login = person.login.as_deref().unwrap_or("(deleted account)");
    ui::escape_invisible(&format!("{}  {login}  {}  {}", person.id, person.display, person.describe_state()))
}

pub async fn run(command_context: &CommandContext, action: Option<UsersAction>) -> Result<u8> {
    let (config, journal) = (command_context.load_config()?, command_context.open_journal()?);
    let action = action.unwrap_or(UsersAction::List);
    let (value, text) = apply_action(command_context, &config, &journal, action).await?;
    command_context.print_success(&value, || text)
}

fn list_accounts(journal: &Journal) -> AccountReply {
    let people = journal.list_principals()?;
    let text = match people.is_empty() {
        true => "No accounts yet. Add the first: agon users add NAME --administrator".to_owned(),
        false => people.iter().map(format_account).collect::<Vec<_>>().join("\n"),
    };
    Ok((json!(people), text))
}

fn show_account(journal: &Journal, config: &Config, name: &str) -> AccountReply {
    let person = journal.principal_named(name)?.ok_or_else(|| unknown_failure("account", name))?;
    let (tokens, passkeys) = (journal.tokens_of(person.id)?, journal.passkeys_of(person.id)?);
    let mut grants = Vec::new();
    for debate in journal.list_for(person.id, u32::MAX)? {
        grants.extend(journal.grants_of(&debate.id, person.id)?);
    }
    let quotas = person.quotas.with_defaults(config.accounts.quotas.to_quotas());
    let mut lines = vec![format_account(&person), format!("on records: {}", person.id.on_record())];
    lines.extend(quotas.debates_per_day.map(|most| format!("quota: {most} debates within 24 hours")));
    lines.extend(quotas.open_debates.map(|most| format!("quota: {most} open debates")));
    lines.extend(quotas.cost_microusd.map(|most| format!("quota: {:.2} USD in 30 days", most as f64 / 1e6)));
    lines.extend(grants.iter().map(|grant| {
        let seat = grant.seat.as_ref().map(|seat| format!(" at {seat}")).unwrap_or_default();
        format!("{}  {}{seat}", grant.debate, grant.role.name())
    }));
    lines.extend(tokens.iter().map(|token| {
        let end = match &token.revoked_at {
            Some(at) => format!("revoked {}", time::stamp_date(at)),
            None => format!("until {}", time::stamp_date(&token.expires_at)),
        };
        ui::escape_invisible(&format!("token {}  {}  {}  {end}", token.id, token.name, token.scopes))
    }));
    lines.extend(passkeys.iter().map(|key| {
        let used = key.used_at.as_ref().map_or("never used", |at| time::stamp_date(at));
        ui::escape_invisible(&format!("passkey {}  {}  {used}", key.id, key.name))
    }));
    let value = json!({
        "account": person, "quotas": quotas, "roles": grants, "tokens": tokens, "passkeys": passkeys,
    });
    Ok((value, lines.join("\n")))
}

async fn apply_action(
    command_context: &CommandContext,
    config: &Config,
    journal: &Journal,
    action: UsersAction,
) -> AccountReply {
    match action {
        UsersAction::List => list_accounts(journal),
        UsersAction::Show { person } => show_account(journal, config, &person),
        UsersAction::Add { login, name, administrator, password_file, subject, proxy_name } => {
            let identity = external_identity(config, subject, proxy_name)?;
            let (password, made) = match &identity {
                Some(_) => (None, None),
                None => {
                    let (hash, made) = read_or_make_password(password_file.as_deref())?;
                    (Some(hash), made)
                }
            };
            let display = name.unwrap_or_default();
            let new = NewPrincipal { login, display, password, administrator, identity };
            let id = journal.add_principal(new, audit_event("add_account")).await?;
            let text = format!("{id} was added{}", describe_password(made.as_deref()));
            Ok((json!({"id": id, "password": made}), text))
        }
        UsersAction::Password { person, password_file } => {
            let person = find_account(journal, &person)?;
            let (hash, made) = read_or_make_password(password_file.as_deref())?;
            journal.set_password(person.id, hash, None, audit_event("change_password")).await?;
            let text = format!("the password was changed{}", describe_password(made.as_deref()));
            Ok((json!({"id": person.id, "password": made}), text))
        }
        UsersAction::Link { person, subject, proxy_name } => {
            let person = find_account(journal, &person)?;
            let Some(identity) = external_identity(config, subject, proxy_name)? else {
                return Err(Failure::usage("nothing to link", "name a --subject or a --proxy-name"));
            };
            let text = format!("{} is {} of {}", person.id, ui::escape_invisible(&identity.subject), identity.issuer);
            journal.link_identity(person.id, identity.clone(), audit_event("link_identity")).await?;
            Ok((json!({"id": person.id, "identity": identity}), text))
        }
        UsersAction::Role { person, debate, role, seat, revoke } => {
            role_of(command_context, journal, (&person, &debate, &role), seat, revoke).await
        }
        UsersAction::Administrator { person, revoke } => {
            let person = find_account(journal, &person)?;
            journal.set_administrator(person.id, !revoke, audit_event("set_administrator")).await?;
            let text = if revoke { "does not administer" } else { "administers" };
            let value = json!({"id": person.id, "administrator": !revoke});
            Ok((value, format!("{} {text} the server", person.id)))
        }
        UsersAction::Quota { person, debates_per_day, open_debates, max_cost } => {
            let person = find_account(journal, &person)?;
            if let Some(cost) = max_cost.filter(|cost| !(0.0..=1e9).contains(cost)) {
                return Err(Failure::usage(format!("{cost} is not an amount of money"), "give US dollars"));
            }
            let cost_microusd = max_cost.map(|cost| (cost * 1e6).round() as u64);
            let quotas = Quotas { debates_per_day, open_debates, cost_microusd };
            journal.set_quotas(person.id, quotas, audit_event("set_quotas")).await?;
            Ok((json!({"id": person.id, "quotas": quotas}), format!("the quotas of {} were set", person.id)))
        }
        UsersAction::Invite { person, days } => {
            let person = find_account(journal, &person)?;
            let secret = journal.create_invitation(person.id, days, audit_event("invite")).await?;
            let path = format!("/invitation?code={}", secret.text());
            let url = config.accounts.public_url.as_ref();
            let link = url.map_or(path.clone(), |url| format!("{}{path}", url.trim_end_matches('/')));
            let text = format!("{link}\nIt is shown this once, and counts once, for {days} days.");
            Ok((json!({"id": person.id, "secret": secret.text(), "link": link}), text))
        }
        UsersAction::Disable { person } => set_disabled(journal, &find_account(journal, &person)?, true).await,
        UsersAction::Enable { person } => set_disabled(journal, &find_account(journal, &person)?, false).await,
        UsersAction::Delete { person } => {
            let person = find_account(journal, &person)?;
            journal.delete_principal(person.id, audit_event("delete_account")).await?;
            let text = format!("the account was deleted; records still name {}", person.id);
            Ok((json!({"id": person.id, "state": "deleted"}), text))
        }
        UsersAction::Token { person, name, scopes, days, revoke } => {
            let person = find_account(journal, &person)?;
            if let Some(id) = revoke {
                journal.revoke_token(person.id, &id, audit_event("revoke_token")).await?;
                return Ok((json!({"token": {"id": id}}), format!("the token {id} was revoked")));
            }
            let unknown = || Failure::usage(format!("unknown scopes {scopes:?}"), "use read, answer, run, with commas");
            let known = Scopes::parse(&scopes).ok_or_else(unknown)?;
            let request = TokenRequest { name: name.unwrap_or_default(), scopes: known, days };
            let (secret, token) = journal.add_token(person.id, request, audit_event("add_token")).await?;
            let until = time::stamp_date(&token.expires_at);
            let text = format!("{}\nIt is shown this once, and counts until {until}.", secret.text());
            Ok((json!({"secret": secret.text(), "token": token}), text))
        }
    }
}

async fn set_disabled(journal: &Journal, person: &Principal, is_disabled: bool) -> AccountReply {
    let event = audit_event(if is_disabled { "disable_account" } else { "enable_account" });
    journal.set_disabled(person.id, is_disabled, event).await?;
    let (state, done) = if is_disabled { ("disabled", "disabled") } else { ("active", "enabled") };
    Ok((json!({"id": person.id, "state": state}), format!("{} was {done}", person.id)))
}

async fn role_of(
    command_context: &CommandContext,
    journal: &Journal,
    (person, debate, role): (&str, &str, &str),
    seat: Option<String>,
    revoke: bool,
) -> AccountReply {
    let person = find_account(journal, person)?;
    let id = DebateId::new(debate).ok().map(|_| debate_id::find_debate(journal, debate)).transpose()?;
    let id = id.filter(|id| matches!(journal.find_summary(id), Ok(Some(_)))).ok_or_else(|| {
        let why = format!("no debate {:?} in this journal", debate.chars().take(80).collect::<String>());
        Failure::new(exit::UNKNOWN, "no_such_debate", why, "agon list shows all debates")
    })?;
    let unknown = || Failure::usage(format!("unknown role {role:?}"), "use viewer, audience, debater, judge or owner");
    let known = DebateRole::parse(role).ok_or_else(unknown)?;
    if revoke {
        let which = match seat {
            Some(seat) => GrantsTaken::One(known, Some(seat)),
            None => GrantsTaken::Role(known),
        };
        if journal.revoke_roles(&id, person.id, which, audit_event("revoke_role")).await? == 0 {
            return Err(unknown_failure("role", role));
        }
        let value = json!({"id": person.id, "debate": id, "revoked": known});
        return Ok((value, format!("{} is not {role} in {id}", person.id)));
    }
    // A seat that the debate does not have would let nobody answer.
    let find_seat = |name: String| -> Result<String> {
        let protocol = find_rules(&journal.read_record(&id)?)?;
        let home = &command_context.places.home;
        Ok(OutsideSeats { journal, home, debate: &id, protocol }.find_seat(&name)?.to_string())
    };
    let seat = seat.map(find_seat).transpose()?;
    let value = json!({"id": person.id, "debate": id, "role": known, "seat": seat});
    journal.grant_role(&id, person.id, known, seat, audit_event("grant_role")).await?;
    Ok((value, format!("{} is {role} in {id}", person.id)))
}
