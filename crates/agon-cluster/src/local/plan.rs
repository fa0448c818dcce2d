//! The ports of a cluster on this machine.

use std::net::{Ipv4Addr, TcpListener};

use agon_app::{Failure, Result, exit};
use serde::{Deserialize, Serialize};

/// The ports of a cluster, all on loopback. They stay the same as long as its folder: Restate keeps the address of a
/// worker with each debate under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalPorts {
    /// Restate, for commands.
    pub ingress: u16,
    /// Restate, for workers.
    pub admin: u16,
    /// Restate, for other nodes.
    pub node: u16,
    /// The worker.
    pub worker: u16,
}

impl LocalPorts {
    /// Those that the folder had, if it had any; else the usual ones, or others where these are taken.
    ///
    /// # Errors
    ///
    /// Where a port that the folder had is taken now.
    pub(super) fn choose(known: Option<&Self>) -> Result<Self> {
        if let Some(known) = known {
            for port in [known.ingress, known.admin, known.node, known.worker] {
                if bound(port).is_none() {
                    let what = format!("port {port} of this cluster is used by another program");
                    let remedy = "end that program, or start another cluster: agon cluster up DIR";
                    return Err(Failure::new(exit::IO, "io", what, remedy));
                }
            }
            return Ok(*known);
        }
        // Held until all are chosen, so that no two are equal.
        let held: Vec<TcpListener> = [8080, 9070, 5122, 9080]
            .into_iter()
            .filter_map(|usual| bound(usual).or_else(|| bound(0)))
            .collect();
        let ports: Vec<u16> =
            held.iter().filter_map(|held| held.local_addr().ok()).map(|address| address.port()).collect();
        match ports[..] {
            [ingress, admin, node, worker] => Ok(Self { ingress, admin, node, worker }),
            _ => Err(Failure::new(exit::IO, "io", "no free port on 127.0.0.1", "end other programs")),
        }
    }
}

fn bound(port: u16) -> Option<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_free_and_stay() {
        let ports = LocalPorts::choose(None).unwrap();
        let all = [ports.ingress, ports.admin, ports.node, ports.worker];
        assert!(all.iter().enumerate().all(|(at, port)| *port > 0 && !all[..at].contains(port)), "{all:?}");
        assert_eq!(LocalPorts::choose(Some(&ports)).unwrap(), ports);
        let _taken = bound(ports.admin).unwrap();
        let failure = LocalPorts::choose(Some(&ports)).unwrap_err();
        assert!(failure.message.contains(&ports.admin.to_string()), "{failure:?}");
        assert_eq!(failure.exit, 7);
    }
}
