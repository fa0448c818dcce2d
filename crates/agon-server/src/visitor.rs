//! Who a request comes from: the address, and what was proved about the person.

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use agon_journal::accounts::{PrincipalId, Scopes};
use agon_runtime::outside_seats::Claimant;
use axum::{
    Extension,
    extract::{FromRequestParts, rejection::ExtensionRejection},
    http::{HeaderMap, header, request::Parts},
};

use crate::State;

/// The state of the server, and who calls it.
pub(crate) struct Called<C>(pub State, pub C);

impl<C: Clone + Send + Sync + 'static> FromRequestParts<State> for Called<C> {
    type Rejection = ExtensionRejection;
    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, ExtensionRejection> {
        let Extension(caller) = Extension::from_request_parts(parts, state).await?;
        Ok(Self(Arc::clone(state), caller))
    }
}

/// The address of the client of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// The address of who asks: that of the connection or, behind a proxy that is trusted, the one that it names.
#[derive(Debug, Clone, Copy)]
pub struct ClientAddress(pub IpAddr);

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
pub struct RequestOrigin {
    /// The other end of the connection: a proxy, where there is one.
    pub peer: IpAddr,
    /// Who asks, as [`ClientAddress`] says.
    pub client: IpAddr,
}

/// What is counted as one client: an address of version 4, or the network of one of version 6, in which a client that has
/// one address has 2^64.
pub fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from(u128::from(v6) & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

/// The address that the proxy before this server names as its client's.
pub fn forwarded_address(headers: &HeaderMap) -> Option<IpAddr> {
    let named = headers.get_all("x-forwarded-for").iter().next_back()?;
    named.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
}

/// The cookies of a request, by name.
pub fn list_cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='))
}

/// The token that a request sends; empty where it sends something else as its authorization.
pub fn read_bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().unwrap_or_default();
    let sent = value.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    Some(sent.map_or("", |(_, token)| token.trim()))
}

/// The host that a request names.
pub fn named_host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

/// What proves a visitor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Credential {
    /// Nothing; or the server has no accounts.
    #[default]
    Nothing,
    /// The login of a browser.
    Session,
    /// The header of a trusted proxy.
    Proxy,
    /// A personal token with these scopes.
    Token(Scopes),
    /// A link to one debate.
    Link,
}

/// The permissions of a client.
#[derive(Debug, Clone, Copy, Default)]
pub struct Visitor {
    /// Whether the client may write; with accounts, whether it is a person at all.
    pub may_write: bool,
    /// The person, where the server has accounts and one is proved.
    pub person: Option<PrincipalId>,
    /// Whether the person administers the server.
    pub administrator: bool,
    /// What proves the person.
    pub credential: Credential,
}

impl Visitor {
    /// A visitor of a server without accounts.
    pub fn without_account(may_write: bool) -> Self {
        Self { may_write, ..Self::default() }
    }

    /// A person who is proved by `credential`.
    pub fn of_person(person: PrincipalId, administrator: bool, credential: Credential) -> Self {
        Self { may_write: true, person: Some(person), administrator, credential }
    }

    /// Who acts: the person, or the name that the client claims.
    pub fn claimant<'n>(&self, name: &'n str) -> Claimant<'n> {
        self.person.map_or(Claimant::Named(name), Claimant::Proved)
    }
}
