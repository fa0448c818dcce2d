//! The limit of connections per machine, so that one machine cannot use all of them.

use std::net::IpAddr;

use crate::slots::{PlaceCounts, TakenPlaces};

/// Maximum number of connections of one other machine. A person with many pages open needs a tenth of it.
const CONNECTIONS_OF_PEER_MAX: u32 = 128;

/// A place for one more connection of `peer`; none where it holds too many already. This machine itself is not counted,
/// nor is a proxy that is trusted: its connections are those of many.
pub(crate) fn take_connection(
    counts: &PlaceCounts<IpAddr>,
    peer: IpAddr,
    is_trusted_proxy: bool,
) -> Option<TakenPlaces<IpAddr>> {
    let peer = peer.to_canonical();
    let counted = (!peer.is_loopback() && !is_trusted_proxy).then_some(peer);
    counts.take_places(counted.into_iter().collect(), CONNECTIONS_OF_PEER_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_machine_cannot_take_every_connection() {
        let counts = PlaceCounts::default();
        let take =
            |peer: &str, is_trusted_proxy| take_connection(&counts, peer.parse().unwrap(), is_trusted_proxy).is_some();
        let flood: IpAddr = "192.0.2.7".parse().unwrap();
        let mut held: Vec<_> =
            (0..CONNECTIONS_OF_PEER_MAX).filter_map(|_| take_connection(&counts, flood, false)).collect();
        assert_eq!(held.len(), CONNECTIONS_OF_PEER_MAX as usize);
        assert!(!take("192.0.2.7", false));
        assert!(!take("::ffff:192.0.2.7", false), "the same machine, written otherwise");
        assert!(take("192.0.2.8", false));
        assert!((0..2_000).all(|_| take("127.0.0.1", false)));
        assert!((0..2_000).all(|_| take("192.0.2.7", true)), "a trusted proxy brings many");
        held.pop();
        assert!(take("192.0.2.7", false));
        drop(held);
        assert!(counts.is_empty(), "who left is forgotten");
    }
}
