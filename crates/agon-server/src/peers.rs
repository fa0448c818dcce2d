//! The limit of connections per machine, so that one machine cannot use all of them.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

/// Maximum number of connections of one other machine. A person with many pages open needs a tenth of it.
const CONNECTIONS_OF_PEER_MAX: usize = 128;

/// Connections by the address that they come from. This machine itself is not counted, nor is a proxy that is trusted: its
/// connections are those of many.
#[derive(Debug, Clone, Default)]
pub(crate) struct Peers(Arc<Mutex<BTreeMap<IpAddr, usize>>>);

/// One connection of a peer, counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    peers: Peers,
    peer: Option<IpAddr>,
}

impl Peers {
    /// A place for one more connection of `peer`; none where it holds too many already.
    pub(crate) fn enter(&self, peer: IpAddr, is_trusted_proxy: bool) -> Option<Place> {
        let peer = peer.to_canonical();
        if peer.is_loopback() || is_trusted_proxy {
            return Some(Place { peers: self.clone(), peer: None });
        }
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(peer).or_default();
        if *count >= CONNECTIONS_OF_PEER_MAX {
            return None;
        }
        *count += 1;
        Some(Place { peers: self.clone(), peer: Some(peer) })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(peer) = self.peer else { return };
        let mut counts = self.peers.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&peer) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_machine_cannot_take_every_connection() {
        let peers = Peers::default();
        let flood: IpAddr = "192.0.2.7".parse().unwrap();
        let mut held: Vec<Place> =
            (0..CONNECTIONS_OF_PEER_MAX).filter_map(|_| peers.enter(flood, false)).collect();
        assert_eq!(held.len(), CONNECTIONS_OF_PEER_MAX);
        assert!(peers.enter(flood, false).is_none());
        assert!(
            peers.enter("::ffff:192.0.2.7".parse().unwrap(), false).is_none(),
            "the same machine, written otherwise"
        );
        assert!(peers.enter("192.0.2.8".parse().unwrap(), false).is_some());
        assert!((0..2_000).all(|_| peers.enter("127.0.0.1".parse().unwrap(), false).is_some()));
        assert!((0..2_000).all(|_| peers.enter(flood, true).is_some()), "a trusted proxy brings many");
        held.pop();
        assert!(peers.enter(flood, false).is_some());
        drop(held);
        assert!(peers.0.lock().unwrap().is_empty(), "who left is forgotten");
    }
}
