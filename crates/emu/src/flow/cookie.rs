//! Cookies: who asks for a flow first shows that answers reach it (as RFC 9000 section 8.1.2 has it for QUIC). So a listener keeps
//! nothing for greetings whose sender's address is forged, and answers them with less than they are.

use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;

/// A cookie holds for the rest of such a time, and for one more.
const SLOT_NS: u64 = 10_000_000_000;

/// Cookies of a listener: a keyed hash (SipHash) of the address and the time, so that nothing is kept for them.
#[derive(Debug, Default)]
pub struct Cookies {
    key: RandomState,
}

impl Cookies {
    /// That of an address.
    pub fn of(&self, whence: SocketAddr, now_ns: u64) -> u64 {
        self.key.hash_one((whence, now_ns / SLOT_NS))
    }

    /// Whether a cookie was given to this address lately.
    pub fn holds(&self, cookie: u64, whence: SocketAddr, now_ns: u64) -> bool {
        let before = now_ns.saturating_sub(SLOT_NS);
        [now_ns, before]
            .map(|at| self.of(whence, at))
            .contains(&cookie)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_holds_for_its_address_and_for_a_while() {
        let cookies = Cookies::default();
        let [here, there, other] = ["10.0.0.1:9", "10.0.0.2:9", "10.0.0.1:10"]
            .map(|address| address.parse::<SocketAddr>().expect("an address"));
        let at = 5 * SLOT_NS + 1;
        let cookie = cookies.of(here, at);
        assert!(cookies.holds(cookie, here, at));
        assert!(cookies.holds(cookie, here, at + SLOT_NS));
        assert!(!cookies.holds(cookie, here, at + 2 * SLOT_NS));
        assert!(!cookies.holds(cookie, there, at));
        assert!(!cookies.holds(cookie, other, at));
        assert!(!cookies.holds(0, here, at));
        // Another listener has another key.
        assert!(!Cookies::default().holds(cookie, here, at));
    }
}
