//! `[accounts]`: who may use a server, and how they log in. Only the user's own configuration may say so.

use std::net::IpAddr;

use agon_journal::accounts::{DebateRole, Quotas};
use ipnet::IpNet;
use serde::Deserialize;

use crate::value_fault::{ValueFault, refuse_found, refuse_if};

/// Longest session, in hours.
const SESSION_HOURS_MAX: u32 = 30 * 24;
/// How long a session lasts where nobody says, in hours.
const SESSION_HOURS: u32 = 12;
/// Most amounts of money that a quota can be, in US dollars.
const COST_MAX: f64 = 1e9;

/// The section `[accounts]` of the configuration.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccountsConfig {
    /// Whether `agon serve` has accounts; the same as its option `--accounts`.
    pub enabled: bool,
    /// How browsers reach the server, for example `https://agon.example.org`; needed for OpenID Connect.
    pub public_url: Option<String>,
    /// How long a login lasts, in hours.
    pub session_hours: Option<u32>,
    /// The role that each account has in every debate; none where nobody says.
    pub default_role: Option<String>,
    /// Limits of what one person starts.
    pub quotas: QuotasConfig,
    /// Logins by OpenID Connect.
    pub oidc: Option<OidcConfig>,
    /// Logins that a proxy in front of the server vouches for.
    pub proxy: Option<ProxyConfig>,
}

/// Limits of what one person starts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuotasConfig {
    /// Debates that are started within 24 hours.
    pub debates_per_day: Option<u32>,
    /// Debates that are open at a time.
    pub open_debates: Option<u32>,
    /// What the debates of 30 days may cost, in US dollars.
    pub max_cost_usd: Option<f64>,
}

impl QuotasConfig {
    /// As they are counted.
    pub fn to_quotas(&self) -> Quotas {
        Quotas {
            debates_per_day: self.debates_per_day,
            open_debates: self.open_debates,
            cost_microusd: self.max_cost_usd.map(|cost| (cost * 1e6).round() as u64),
        }
    }
}

/// Logins by OpenID Connect.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcConfig {
    /// The provider's issuer; its discovery document is below it.
    pub issuer: String,
    /// How the provider calls this server.
    pub client_id: String,
    /// Name of the environment variable that holds the client's secret; none for a public client.
    pub client_secret_env: Option<String>,
    /// What the page for logging in calls the provider.
    pub name: Option<String>,
    /// Scopes in addition to `openid`.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Whether a person whom nobody added gets an account at the first login.
    #[serde(default)]
    pub create: bool,
    /// Domains of verified addresses that get one; all where empty.
    #[serde(default)]
    pub email_domains: Vec<String>,
}

/// Logins that a proxy vouches for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProxyConfig {
    /// The header with the person's name, for example `X-Forwarded-User`.
    pub header: String,
    /// Addresses or networks of the proxy, for example `10.0.0.5` or `10.1.0.0/16`.
    pub peers: Vec<String>,
    /// Whether a person whom nobody added gets an account at the first request.
    #[serde(default)]
    pub create: bool,
}

impl ProxyConfig {
    /// Whether `peer` is the proxy.
    pub fn is_trusted_peer(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.peers.iter().filter_map(|network| self::parse_network(network)).any(|network| network.contains(&peer))
    }
}

fn parse_network(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

/// Headers that others set, so that they cannot name a person.
const TAKEN: [&str; 7] =
    ["authorization", "cookie", "host", "origin", "content-type", "content-length", "x-forwarded-for"];

impl AccountsConfig {
    /// How long a login lasts, in seconds.
    pub fn session_seconds(&self) -> u32 {
        self.session_hours.unwrap_or(SESSION_HOURS).min(SESSION_HOURS_MAX) * 3600
    }

    /// The role that each account has in every debate.
    pub fn role_of_all(&self) -> Option<DebateRole> {
        self.default_role.as_deref().and_then(DebateRole::parse)
    }

    /// Whether browsers reach the server over an encrypted connection.
    pub fn is_https(&self) -> bool {
        self.public_url.as_deref().is_some_and(|url| url.starts_with("https://"))
    }

    /// Refuses the first field whose value cannot be meant.
    pub(super) fn check(&self) -> Result<(), ValueFault> {
        let is_address = |url: &str| {
            let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
            let plain = |c: char| c.is_ascii_graphic() && !"@?#\\".contains(c);
            rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(plain))
        };
        let is_origin = |url: &&String| is_address(url) && url.matches('/').count() <= 2;
        refuse_found(self.public_url.as_ref().filter(|url| !is_origin(url)), "public_url", |url| {
            format!("{url:?} is not an origin such as https://agon.example.org")
        })?;
        let is_long = self.session_hours.is_some_and(|hours| !(1..=SESSION_HOURS_MAX).contains(&hours));
        refuse_if(is_long, "session_hours", format!("a login lasts 1 to {SESSION_HOURS_MAX} hours"))?;
        let is_for_all =
            |role: &&String| matches!(DebateRole::parse(role), Some(DebateRole::Viewer | DebateRole::Audience));
        refuse_found(self.default_role.as_ref().filter(|role| !is_for_all(role)), "default_role", |role| {
            format!("{role:?} is neither viewer nor audience")
        })?;
        let cost = self.quotas.max_cost_usd.filter(|cost| !(0.0..=COST_MAX).contains(cost));
        refuse_found(cost, "quotas.max_cost_usd", |cost| format!("{cost} is not an amount of money"))?;
        if let Some(oidc) = &self.oidc {
            let is_safe = oidc.issuer.starts_with("https://") || super::model::is_loopback(&oidc.issuer);
            let why = "an issuer is an address that begins with https://";
            refuse_if(!is_address(&oidc.issuer) || !is_safe, "oidc.issuer", why)?;
            let why = "OpenID Connect needs the address to which the provider sends people back";
            refuse_if(self.public_url.is_none(), "public_url", why)?;
            refuse_if(oidc.client_id.trim().is_empty(), "oidc.client_id", "it is empty")?;
        }
        if let Some(proxy) = &self.proxy {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            let name = proxy.header.to_ascii_lowercase();
            let names = !name.is_empty() && name.bytes().all(plain) && !TAKEN.contains(&name.as_str());
            refuse_if(!names, "proxy.header", format!("{:?} cannot name a person", proxy.header))?;
            refuse_if(proxy.peers.is_empty(), "proxy.peers", "name the addresses of the proxy")?;
            refuse_found(proxy.peers.iter().find(|peer| parse_network(peer).is_none()), "proxy.peers", |peer| {
                format!("{peer:?} is neither an address nor a network")
            })?;
            let trusts_all = proxy.peers.iter().filter_map(|peer| parse_network(peer)).any(|net| net.prefix_len() == 0);
            refuse_if(trusts_all, "proxy.peers", "a network of all addresses trusts everybody")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong_key(text: &str) -> Option<String> {
        let config: AccountsConfig = toml::from_str(text).unwrap();
        config.check().err().map(|fault| fault.key)
    }

    #[test]
    fn what_would_let_anyone_in_is_refused() {
        let oidc = "public_url = \"https://a.example\"\n[oidc]\nclient_id = \"agon\"\n";
        for (text, wanted) in [
            ("public_url = \"javascript:alert(1)\"", Some("public_url")),
            ("public_url = \"https://a.example/path\"", Some("public_url")),
            ("public_url = \"https://user@a.example\"", Some("public_url")),
            ("public_url = \"https://a.example\"", None),
            ("session_hours = 0", Some("session_hours")),
            ("default_role = \"owner\"", Some("default_role")),
            ("default_role = \"viewer\"", None),
            ("[quotas]\nmax_cost_usd = -1.0", Some("quotas.max_cost_usd")),
            ("[quotas]\nmax_cost_usd = nan", Some("quotas.max_cost_usd")),
            ("[oidc]\nissuer = \"https://idp.example\"\nclient_id = \"agon\"", Some("public_url")),
            (&format!("{oidc}issuer = \"http://idp.example\""), Some("oidc.issuer")),
            (&format!("{oidc}issuer = \"http://127.0.0.1:9\""), None),
            ("[proxy]\nheader = \"X-User\"\npeers = []", Some("proxy.peers")),
            ("[proxy]\nheader = \"X-User\"\npeers = [\"proxy.example\"]", Some("proxy.peers")),
            ("[proxy]\nheader = \"X-User\"\npeers = [\"0.0.0.0/0\"]", Some("proxy.peers")),
            ("[proxy]\nheader = \"Cookie\"\npeers = [\"10.0.0.1\"]", Some("proxy.header")),
            ("[proxy]\nheader = \"X-User\"\npeers = [\"10.0.0.1\"]", None),
        ] {
            assert_eq!(wrong_key(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn a_proxy_is_known_by_its_address_alone() {
        let peers = ["10.0.0.5", "192.0.2.0/24", "2001:db8::/32"].map(str::to_owned).to_vec();
        let proxy = ProxyConfig { header: "X-User".into(), peers, create: false };
        for (peer, wanted) in [
            ("10.0.0.5", true),
            ("::ffff:10.0.0.5", true),
            ("10.0.0.6", false),
            ("192.0.2.200", true),
            ("192.0.3.1", false),
            ("127.0.0.1", false),
            ("2001:db8::9", true),
            ("2001:db9::9", false),
        ] {
            assert_eq!(proxy.is_trusted_peer(peer.parse().unwrap()), wanted, "{peer}");
        }
    }
}
