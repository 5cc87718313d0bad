//! What a trace link has offered so far: for laws of explicit feedback that measure its capacity, and for logs.

use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::{Schedule, Server, ServerSpec};

/// A count of the bytes that a trace link has offered so far, used or not.
#[derive(Clone, Debug)]
pub struct Opportunities {
    spec: ServerSpec,
    random: Random,
    next: Option<Time>,
    bytes: u64,
}

impl Opportunities {
    /// Those of a server, from the beginning of its trace.
    pub fn new(server: &Server) -> Opportunities {
        let (trace, random) = (*server.origin).clone();
        let spec = ServerSpec {
            trace,
            ..server.spec.clone()
        };
        let mut opportunities = Opportunities {
            spec,
            random,
            next: None,
            bytes: 0,
        };
        opportunities.advance();
        opportunities
    }

    fn advance(&mut self) {
        let at = self
            .spec
            .trace
            .next(self.spec.opportunity, &mut self.random);
        self.next = self.spec.clock(at);
    }

    /// Takes the next opportunity, if its instant is wanted.
    pub fn take_if(&mut self, wanted: impl Fn(Time) -> bool) -> Option<Time> {
        let next = self.next.filter(|at| wanted(*at))?;
        self.bytes += self.spec.opportunity;
        self.advance();
        Some(next)
    }

    /// Bytes that a packet of `len` IP bytes takes on the link.
    pub fn size(&self, len: u16) -> u64 {
        self.spec.size(len)
    }

    /// Bytes offered up to and including `now`.
    pub fn offered(&mut self, now: Time) -> u64 {
        while self.take_if(|at| at <= now).is_some() {}
        self.bytes
    }
}
