//! Which addresses may be connected to. A name is resolved once, everything it resolves to is checked,
//! and the connection goes to what was checked.

use std::{
    fs::File,
    io::Read,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use dns_lookup::{AddrInfoHints, LookupErrorKind, getaddrinfo};
use url::{Host, Url};

/// Names that can never exist (RFC 6761).
const NEVER: [&str; 3] = ["invalid", "example", "test"];
/// Names that exist and must not be asked of the name service (RFC 7686).
const HIDDEN: &str = "onion";

/// Where this machine's own names stand. The name service reads it too, but not for names that can never
/// exist, which are not asked of it.
const HOSTS: &str = if cfg!(windows) { r"C:\Windows\System32\drivers\etc\hosts" } else { "/etc/hosts" };
/// Bytes of it that are read.
const HOSTS_BYTES_MAX: u64 = 1024 * 1024;

/// The result of resolving a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Its addresses.
    To(Vec<IpAddr>),
    /// The name service says that there is not such a name.
    NoSuchName,
    /// It can never exist.
    Impossible,
    /// Nobody could say.
    Unknown(String),
}

/// Whether `address` is on the public network.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(v4: Ipv4Addr) -> bool {
    let [a, b, c, _] = v4.octets();
    !(v4.is_unspecified()
        || v4.is_loopback()
        || v4.is_private()
        || v4.is_link_local()
        || v4.is_broadcast()
        || v4.is_documentation()
        || v4.is_multicast()
        || a == 0
        // Carrier-grade NAT (RFC 6598), protocol assignments, 6to4 relays, benchmarks, reserved.
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a, b, c) == (192, 88, 99)
        || (a == 198 && (18..20).contains(&b))
        || a >= 240)
}

fn is_public_v6(v6: Ipv6Addr) -> bool {
    let parts = v6.segments();
    let within = |at: usize| Ipv4Addr::from((u32::from(parts[at]) << 16) | u32::from(parts[at + 1]));
    match parts[0] {
        // NAT64 and 6to4 lead to the IPv4 address that they hold.
        0x64 if parts[1] == 0xff9b => parts[2..6].iter().all(|part| *part == 0) && is_public_v4(within(6)),
        0x2002 => is_public_v4(within(1)),
        // Teredo, ORCHID, documentation.
        0x2001 if parts[1] < 0x200 || parts[1] == 0xdb8 => false,
        0x3fff => false,
        // Global unicast is 2000::/3; unique local, link-local, multicast and the rest are not.
        first => (0x2000..0x4000).contains(&first),
    }
}

/// Whether a site of this name can never exist, so that nobody need be asked about it.
pub async fn is_impossible(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    NEVER.contains(&last_label(name)) && find_hosts_entries(&read_hosts_file().await, name).is_empty()
}

fn last_label(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

/// Resolves `name`, waiting `wait` at most.
pub async fn resolve_host(name: &str, wait: Duration) -> Resolved {
    let name = name.trim_end_matches('.').to_owned();
    if last_label(&name) == HIDDEN {
        return Resolved::Unknown("a hidden service is not opened".into());
    }
    if NEVER.contains(&last_label(&name)) {
        return match find_hosts_entries(&read_hosts_file().await, &name) {
            found if found.is_empty() => Resolved::Impossible,
            found => Resolved::To(found),
        };
    }
    let look_up = tokio::task::spawn_blocking(move || {
        // One kind of socket, or every address comes three times.
        let hints = AddrInfoHints { socktype: 1, ..AddrInfoHints::default() };
        match getaddrinfo(Some(&name), None, Some(hints)) {
            Ok(found) => {
                let found: Vec<IpAddr> = found.flatten().map(|info| info.sockaddr.ip()).collect();
                if found.is_empty() { Resolved::Unknown("the name has no address".into()) } else { Resolved::To(found) }
            }
            Err(error) if matches!(error.kind(), LookupErrorKind::NoName) => Resolved::NoSuchName,
            Err(_) => Resolved::Unknown("the name could not be resolved".into()),
        }
    });
    match tokio::time::timeout(wait, look_up).await {
        Ok(Ok(resolved)) => resolved,
        Ok(Err(_)) => Resolved::Unknown("the name could not be resolved".into()),
        Err(_) => Resolved::Unknown("the name service did not answer in time".into()),
    }
}

/// What the host of `url` resolves to, waiting `wait` at most; `None` where it has none.
pub async fn resolve_url(url: &Url, wait: Duration) -> Option<Resolved> {
    Some(match url.host()? {
        Host::Ipv4(address) => Resolved::To(vec![address.into()]),
        Host::Ipv6(address) => Resolved::To(vec![address.into()]),
        Host::Domain(name) => resolve_host(name, wait).await,
    })
}

/// This machine's own names, as their file has them; nothing where it cannot be read.
async fn read_hosts_file() -> String {
    let read = tokio::task::spawn_blocking(|| {
        let mut text = Vec::new();
        let read = File::open(HOSTS).and_then(|file| file.take(HOSTS_BYTES_MAX).read_to_end(&mut text));
        read.map(|_| String::from_utf8_lossy(&text).into_owned())
    });
    read.await.ok().and_then(Result::ok).unwrap_or_default()
}

/// The addresses that lines of `hosts` give `name`.
fn find_hosts_entries(hosts: &str, name: &str) -> Vec<IpAddr> {
    let lines = hosts.lines().filter_map(|line| {
        let mut words = line.split('#').next()?.split_whitespace();
        let address: IpAddr = words.next()?.parse().ok()?;
        words.any(|known| known.eq_ignore_ascii_case(name)).then_some(address)
    });
    lines.collect()
}

/// The addresses of `found` with `port`, or why none of them may be connected to. Unless `allow_private`, a name that
/// leads to a private address, even next to public ones, is refused.
pub fn check_addresses(found: &[IpAddr], port: u16, allow_private: bool) -> Result<Vec<SocketAddr>, &'static str> {
    if !allow_private && found.iter().any(|address| !is_public(*address)) {
        return Err("private address");
    }
    Ok(found.iter().map(|address| SocketAddr::new(*address, port)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v1_only_public_addresses_are_connected_to() {
        for private in [
            "127.0.0.1",
            "127.255.255.254",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "0.0.0.0",
            "0.1.2.3",
            "255.255.255.255",
            "224.0.0.1",
            "240.0.0.1",
            "192.0.0.8",
            "198.18.0.1",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "::7f00:1",
            "fec0::1",
            "100::1",
            "3fff::1",
        ] {
            let address: IpAddr = private.parse().unwrap();
            assert!(!is_public(address), "{private}");
            assert!(check_addresses(&["1.1.1.1".parse().unwrap(), address], 443, false).is_err());
        }
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "2a00:1450::1",
            "64:ff9b::808:808",
            "::ffff:8.8.8.8",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn names_of_this_machine_are_known_and_private_all_the_same() {
        let hosts = "# own names\n127.0.0.1 localhost\n10.0.0.7\twiki.test Wiki # the wiki\n::1 wiki.test\nnonsense wiki.test\n";
        let found = find_hosts_entries(hosts, "WIKI.test");
        assert_eq!(found, ["10.0.0.7".parse::<IpAddr>().unwrap(), "::1".parse().unwrap()]);
        assert_eq!(check_addresses(&found, 80, false), Err("private address"));
        assert!(
            find_hosts_entries(hosts, "the").is_empty()
                && find_hosts_entries(hosts, "wiki").len() == 1
                && find_hosts_entries("", "a").is_empty()
        );
    }

    #[tokio::test]
    async fn names_that_cannot_exist_are_known_without_asking() {
        for name in ["nothing.invalid", "a.b.test.", "x.example"] {
            assert_eq!(resolve_host(name, Duration::from_secs(1)).await, Resolved::Impossible);
            assert!(is_impossible(name).await);
        }
        // A hidden service exists, though no name service knows it.
        let hidden = "bbcnewsd73hkzno2ini43t4gblxvycyac5aw4gnv7t2rccijh7745uqd.onion";
        assert!(!is_impossible(hidden).await);
        assert!(matches!(resolve_host(hidden, Duration::from_secs(1)).await, Resolved::Unknown(_)));
        assert!(matches!(resolve_host("localhost", Duration::from_secs(5)).await, Resolved::To(_)));
    }
}
