//! The names by which the server may be called. A page of another site that makes its name point
//! here (DNS rebinding) is refused, since its name is none of these.

use std::net::{IpAddr, SocketAddr, UdpSocket};

/// An exact list of hosts.
#[derive(Debug, Clone)]
pub struct AllowedHosts {
    /// Names with the port that is listened on.
    own: Vec<String>,
    /// Names that the user added: with their port, or with any where they have none.
    more: Vec<String>,
}

impl AllowedHosts {
    /// The hosts of a server at `address`, with `more` names for it.
    pub fn new(address: SocketAddr, more: Vec<String>) -> Self {
        let port = address.port();
        let mut names =
            vec!["localhost".to_owned(), "127.0.0.1".into(), "[::1]".into(), format_ip_literal(address.ip())];
        names.extend(find_outward_address(address).map(format_ip_literal));
        let mut own: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            own.extend(names);
        }
        Self { own, more: more.into_iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// Whether a request may call the server `host`.
    pub fn is_allowed(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let bare = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host.as_str(),
        };
        self.own.contains(&host) || self.more.iter().any(|name| *name == host || *name == bare)
    }
}

/// Where others reach a server that listens at `address`: where it listens everywhere, the address that
/// this machine has towards the network; none where that cannot be told. Nothing is sent.
pub fn find_outward_address(address: SocketAddr) -> Option<IpAddr> {
    if !address.ip().is_unspecified() {
        return None;
    }
    // Addresses that are reserved for documentation: the system chooses a way to them all the same.
    let (from, to) = match address {
        SocketAddr::V4(_) => ("0.0.0.0:0", "192.0.2.1:9"),
        SocketAddr::V6(_) => ("[::]:0", "[2001:db8::1]:9"),
    };
    let socket = UdpSocket::bind(from).ok()?;
    socket.connect(to).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_unspecified() && !own.is_loopback()).then_some(own)
}

fn format_ip_literal(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_names_are_allowed() {
        let hosts = AllowedHosts::new("127.0.0.1:7878".parse().unwrap(), vec!["Agon.lan".into(), "other:99".into()]);
        for good in
            ["127.0.0.1:7878", "localhost:7878", "LOCALHOST:7878", "[::1]:7878", "agon.lan", "agon.lan:80", "other:99"]
        {
            assert!(hosts.is_allowed(good), "{good}");
        }
        for bad in [
            "",
            "127.0.0.1",
            "localhost",
            "127.0.0.1:80",
            "evil.example:7878",
            "localhost.evil.example:7878",
            "localhost:7878:7878",
            "127.0.0.1:7878@evil.example",
            "other",
            "other:98",
            "[::1]",
            "127.1:7878",
        ] {
            assert!(!hosts.is_allowed(bad), "{bad}");
        }
    }
}
