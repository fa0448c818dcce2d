//! Limits of each route: size of a request, rate and number at a time, for each client address and each token.
//!
//! [`ROUTE_LIMITS`] is the only source: the documentation prints it, and a test compares.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use axum::{
    body::Body,
    extract::{Request, State as FromState},
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::Response,
};
use futures::StreamExt;
use governor::{DefaultKeyedRateLimiter, Quota, clock::Clock};

use crate::{
    Refusal, State, deadline, guard, health, mcp,
    slots::{PlaceCounts, TakenPlaces},
    visitor::{ClientAddress, Peer, client_network, forwarded_address},
};

/// A kind of route, and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteLimit {
    /// The routes, for readers.
    pub routes: &'static str,
    /// Largest request, in bytes.
    pub body_max: u64,
    /// Requests in a minute, from one address or with one token, on average.
    pub per_minute: u32,
    /// Requests that can come at once after a pause.
    pub burst: u32,
    /// Requests of one address or one token that are answered at a time; of streams, that are open.
    pub at_once: u32,
}

/// Largest request of most routes, in bytes.
const BODY_MAX: u64 = 2 << 20;

/// The limits, in the order in which [`find_class`] counts.
pub const ROUTE_LIMITS: [RouteLimit; 6] = [
    RouteLimit { routes: "start, plan, resume, extend", body_max: BODY_MAX, per_minute: 120, burst: 60, at_once: 32 },
    RouteLimit { routes: "every other write", body_max: BODY_MAX, per_minute: 1_200, burst: 300, at_once: 64 },
    RouteLimit { routes: "`/mcp`", body_max: 4 * BODY_MAX, per_minute: 2_400, burst: 600, at_once: 128 },
    RouteLimit { routes: "streams of events", body_max: 0, per_minute: 1_200, burst: 600, at_once: 600 },
    RouteLimit { routes: "every other read", body_max: 0, per_minute: 12_000, burst: 3_000, at_once: 256 },
    RouteLimit { routes: "`/healthz`, `/readyz`", body_max: 0, per_minute: 600, burst: 60, at_once: 16 },
];
/// Where streams stand in the table.
const STREAMS: usize = 3;
/// After so many requests, clients that are quiet are forgotten.
const FORGET_AFTER: u64 = 4_096;

/// The table of the documentation.
pub fn limits_table() -> String {
    let mut table = String::from("| routes | request | per minute | burst | at a time |\n|---|---|---|---|---|\n");
    for limit in ROUTE_LIMITS {
        let body = match limit.body_max {
            0 => "none".to_owned(),
            bytes => format!("{} MiB", bytes >> 20),
        };
        let RouteLimit { routes, per_minute, burst, at_once, .. } = limit;
        table.push_str(&format!("| {routes} | {body} | {per_minute} | {burst} | {at_once} |\n"));
    }
    table
}

/// Who is counted: an address, or the holder of a token. The token itself is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Client {
    Address(IpAddr),
    Token(u64),
}

/// Counters of the requests of each client.
pub(crate) struct RouteRates {
    rates: Vec<DefaultKeyedRateLimiter<Client>>,
    at_once: PlaceCounts<(usize, Client)>,
    hasher: RandomState,
    proxies: Vec<IpAddr>,
    factor: f64,
    seen: AtomicU64,
}

impl RouteRates {
    /// With every rate multiplied by `factor`; 0 for no rates. `proxies` are believed who their clients are.
    pub fn new(factor: f64, proxies: Vec<IpAddr>) -> Self {
        let quota = |limit: RouteLimit| {
            let times = |count: u32| {
                let count = (f64::from(count) * factor).clamp(1.0, f64::from(u32::MAX));
                NonZeroU32::new(count as u32).unwrap_or(NonZeroU32::MIN)
            };
            DefaultKeyedRateLimiter::keyed(Quota::per_minute(times(limit.per_minute)).allow_burst(times(limit.burst)))
        };
        Self {
            rates: ROUTE_LIMITS.into_iter().map(quota).collect(),
            at_once: PlaceCounts::default(),
            hasher: RandomState::new(),
            proxies: proxies.into_iter().map(|proxy| proxy.to_canonical()).collect(),
            factor,
            seen: AtomicU64::new(0),
        }
    }

    /// Whether `peer` is a proxy that is believed who its clients are.
    pub fn is_trusted_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.contains(&peer.to_canonical())
    }

    /// The client's address: that of the connection or, behind a proxy that is trusted, the one that it names last.
    fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let named = forwarded_address(headers).filter(|_| self.is_trusted_proxy(peer));
        named.unwrap_or(peer).to_canonical()
    }

    /// Who asks. Other users of this machine share its address, so it is not counted by itself.
    fn list_clients(&self, address: IpAddr, headers: &HeaderMap) -> Vec<Client> {
        let address = (!address.is_loopback()).then_some(Client::Address(client_network(address)));
        let token = headers.get(header::AUTHORIZATION).or_else(|| headers.get(header::COOKIE));
        let token = token.map(|token| Client::Token(self.hasher.hash_one(token.as_bytes())));
        address.into_iter().chain(token).collect()
    }

    /// Counts a request; the wait in seconds after which it can be sent again, if it is one too many.
    fn count_request(&self, class: usize, clients: &[Client]) -> Result<(), u64> {
        if self.seen.fetch_add(1, Ordering::Relaxed) % FORGET_AFTER == FORGET_AFTER - 1 {
            self.rates.iter().for_each(DefaultKeyedRateLimiter::retain_recent);
        }
        for client in clients {
            if let Err(later) = self.rates[class].check_key(client) {
                let wait = later.wait_time_from(governor::clock::DefaultClock::default().now());
                return Err((wait + Duration::from_millis(999)).as_secs().max(1));
            }
        }
        Ok(())
    }

    /// Takes a place for each of `clients`; `None` if one of them has too many.
    fn take_places(&self, class: usize, clients: Vec<Client>) -> Option<TakenPlaces<(usize, Client)>> {
        let most = (f64::from(ROUTE_LIMITS[class].at_once) * self.factor).max(1.0) as u32;
        self.at_once.take_places(clients.into_iter().map(|client| (class, client)).collect(), most)
    }
}

/// The row of the table that a request belongs to.
fn find_class(method: &Method, path: &str) -> usize {
    let reads = method.is_safe();
    let starts = ["/api/v1/debates", "/api/v1/plans", "/debates"];
    match path {
        path if health::PATHS.contains(&path) => 5,
        mcp::PATH => 2,
        path if reads && path.ends_with("/events") => STREAMS,
        _ if reads => 4,
        path if starts.contains(&path) || path.ends_with("/resume") || path.ends_with("/extend") => 0,
        _ => 1,
    }
}

/// Lets a request through, or refuses it with 413 or 429.
pub(crate) async fn limit_request(FromState(shared): FromState<State>, mut request: Request, next: Next) -> Response {
    let limits = &shared.limits;
    let for_program = deadline::is_for_programs(request.uri()) || health::PATHS.contains(&request.uri().path());
    let class = find_class(request.method(), request.uri().path());
    let limit = ROUTE_LIMITS[class];
    let mut clients = Vec::new();
    if let Some(Peer(peer)) = request.extensions().get::<Peer>().copied() {
        let address = limits.client_address(peer.ip(), request.headers());
        clients = limits.list_clients(address, request.headers());
        // Behind a proxy, who asks is not a user of this machine.
        request.extensions_mut().insert(ClientAddress(address));
    }
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if limit.body_max > 0 && length.is_some_and(|length: u64| length > limit.body_max) {
        let why = format!("the request is larger than {} MiB", limit.body_max >> 20);
        return guard::turned_away(Refusal::new(413, "too_large", why, "shorten it"), for_program);
    }
    if limits.factor <= 0.0 {
        return next.run(request).await;
    }
    if let Err(wait) = limits.count_request(class, &clients) {
        return too_many(format!("more than {} requests in a minute", limit.per_minute), wait, for_program);
    }
    let Some(places) = limits.take_places(class, clients) else {
        return too_many(format!("more than {} requests at a time", limit.at_once), 1, for_program);
    };
    let response = next.run(request).await;
    if class != STREAMS {
        return response;
    }
    // A stream holds its place until it ends.
    let (head, body) = response.into_parts();
    let body = body.into_data_stream().map(move |part| {
        let _held = &places;
        part
    });
    Response::from_parts(head, Body::from_stream(body))
}

fn too_many(why: String, wait: u64, for_program: bool) -> Response {
    let remedy = format!("wait {wait} s");
    let mut response = guard::turned_away(Refusal::new(429, "rate_limited", why, remedy), for_program);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_belongs_to_one_row() {
        for (method, path, row) in [
            (Method::POST, "/api/v1/debates", 0),
            (Method::POST, "/api/v1/debates/d/extend", 0),
            (Method::POST, "/debates", 0),
            (Method::POST, "/api/v1/debates/d/seats/s/answer", 1),
            (Method::POST, "/mcp", 2),
            (Method::GET, "/mcp", 2),
            (Method::GET, "/api/v1/debates/d/events", 3),
            (Method::GET, "/evaluations/e/events", 3),
            (Method::GET, "/", 4),
            (Method::GET, "/readyz", 5),
        ] {
            assert_eq!(find_class(&method, path), row, "{method} {path}");
        }
    }

    #[test]
    fn rates_count_addresses_and_tokens_apart() {
        let limits = RouteRates::new(0.05, vec!["127.0.0.1".parse().unwrap()]);
        let mut headers = HeaderMap::new();
        let far: IpAddr = "192.0.2.7".parse().unwrap();
        let clients = limits.list_clients(far, &headers);
        assert_eq!(clients, [Client::Address(far)]);
        let burst = (0..100).take_while(|_| limits.count_request(0, &clients).is_ok()).count();
        assert_eq!(burst, 3, "a twentieth of 60");
        let wait = limits.count_request(0, &clients).unwrap_err();
        assert!((1..=10).contains(&wait), "{wait}");
        assert!(limits.count_request(1, &clients).is_ok(), "each row counts by itself");
        assert!(limits.count_request(0, &[Client::Address("192.0.2.8".parse().unwrap())]).is_ok());
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer x"));
        headers.insert("x-forwarded-for", HeaderValue::from_static("203.0.113.5, 198.51.100.2"));
        let near: IpAddr = "127.0.0.1".parse().unwrap();
        assert_eq!(limits.list_clients(near, &headers).len(), 1, "of this machine, the token alone counts");
        assert_eq!(limits.client_address(near, &headers).to_string(), "198.51.100.2", "the proxy is trusted");
        assert_eq!(limits.client_address(far, &headers), far, "others are not");
        let places: Vec<_> = (0..5).map_while(|_| limits.take_places(0, clients.clone())).collect();
        assert_eq!(places.len(), 1, "a twentieth of 32");
        drop(places);
        assert!(limits.at_once.is_empty(), "who left is forgotten");
    }

    #[test]
    fn a_network_of_version_6_is_one_client() {
        let limits = RouteRates::new(1.0, Vec::new());
        let [a, b, c] = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"]
            .map(|address| limits.list_clients(address.parse().unwrap(), &HeaderMap::new()));
        assert!(a == b && a != c);
    }
}
