//! Addresses of the two ends of an emulated path: a pair of 100.64.0.0/10 that no interface here has, as mahimahi takes them
//! (RFC 6598), and the IPv6 addresses that belong to them (RFC 4193).

use std::net::{Ipv4Addr, Ipv6Addr};

/// The addresses of a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// IPv4.
    pub v4: Ipv4Addr,
    /// IPv6.
    pub v6: Ipv6Addr,
}

impl Address {
    /// The address of this number in 100.64.0.0/10.
    fn of(number: u32) -> Address {
        let v4 = Ipv4Addr::from(0x6440_0000 + number);
        let [a, b] = [(number >> 16) as u16, number as u16];
        Address {
            v4,
            v6: Ipv6Addr::new(0xfd62, 0x7761, 0x7465, 0x7200, 0, 0, a, b),
        }
    }
}

/// This many addresses in a row, none of them in use.
pub fn free(count: u32, used: &[Ipv4Addr]) -> Vec<Address> {
    let mut chosen = Vec::new();
    for number in 1.. {
        let address = Address::of(number);
        if chosen.len() as u32 == count {
            break;
        }
        if !used.contains(&address.v4) {
            chosen.push(address);
        }
    }
    chosen
}

/// The IPv4 addresses of this namespace, and those it has routes to, from the text of /proc/net/fib_trie.
pub fn used(fib_trie: &str) -> Vec<Ipv4Addr> {
    let words = fib_trie.split(|c: char| c.is_whitespace() || c == '/');
    words.filter_map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_use_are_left_out() {
        let text = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 100.64.0.2\n        /32 host LOCAL\n";
        let chosen = free(2, &used(text));
        let v4: Vec<String> = chosen.iter().map(|a| a.v4.to_string()).collect();
        assert_eq!(v4, ["100.64.0.1", "100.64.0.3"]);
        assert_eq!(chosen[1].v6.to_string(), "fd62:7761:7465:7200::3");
    }
}
