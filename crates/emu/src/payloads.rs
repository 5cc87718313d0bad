//! Bytes of packets that are in the world. A tag names a place here; a place is used again when its packet has come out.

/// The bytes of packets, by tag.
#[derive(Debug, Default)]
pub struct Payloads {
    places: Vec<Vec<u8>>,
    free: Vec<usize>,
}

impl Payloads {
    /// Keeps a packet and gives its tag.
    pub fn keep(&mut self, packet: &[u8]) -> u64 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(Vec::with_capacity(packet.len().max(2048)));
            self.places.len() - 1
        });
        self.places[place].clear();
        self.places[place].extend_from_slice(packet);
        place as u64
    }

    /// The packet of a tag.
    pub fn get_mut(&mut self, tag: u64) -> &mut [u8] {
        &mut self.places[tag as usize]
    }

    /// Gives the place of a packet back.
    pub fn free(&mut self, tag: u64) {
        self.free.push(tag as usize);
    }

    /// Packets that are kept.
    pub fn held(&self) -> usize {
        self.places.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_when_its_packet_has_come_out() {
        let mut payloads = Payloads::default();
        let (a, b) = (payloads.keep(b"one"), payloads.keep(b"three"));
        assert_eq!((payloads.get_mut(a), payloads.held()), (&mut b"one"[..], 2));
        payloads.free(a);
        assert_eq!(payloads.keep(b"seven"), a);
        assert_eq!(payloads.get_mut(b), b"three");
    }
}
