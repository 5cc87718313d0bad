//! The opportunities that a trace link has offered so far: for laws of explicit feedback that measure its capacity, and for logs.

use backwater_transport::units::Time;

use super::stream::{Stream, Turn};
use super::{Server, ServerSpec};

/// A count of the bytes that a trace link has offered so far, used or not.
#[derive(Clone, Debug)]
pub struct Opportunities {
    spec: ServerSpec,
    stream: Stream,
    next: Option<Time>,
    bytes: u64,
}

impl Opportunities {
    /// Those of a server, from the beginning of its trace.
    pub fn new(server: &Server) -> Opportunities {
        let (trace, stream) = (*server.origin).clone();
        let spec = ServerSpec {
            trace,
            ..server.spec.clone()
        };
        let mut opportunities = Opportunities {
            spec,
            stream,
            next: None,
            bytes: 0,
        };
        opportunities.advance();
        opportunities
    }

    fn advance(&mut self) {
        self.next = self.stream.next(&mut self.spec);
    }

    /// How many were drawn.
    pub(crate) fn drawn(&self) -> u64 {
        self.stream.drawn
    }

    /// Something changes after so many opportunities. The next is drawn again if that is where another trace begins.
    pub(crate) fn turn(&mut self, after: u64, turn: &Turn) {
        let again = turn.draws_again() && after + 1 == self.stream.drawn;
        if again {
            self.stream.give_back();
        }
        self.stream.turn(after, turn.clone());
        if again {
            self.advance();
        }
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

#[cfg(test)]
mod tests {
    use super::super::{AnyTrace, Cox, First, Shape};
    use super::*;
    use backwater_transport::random::Random;
    use backwater_transport::units::Span;

    /// A link whose rate wanders, of packets of 1,500 bytes: peak in bit/s, the rate's volatility, and how fast it comes back.
    fn spec(peak: f64, volatility: f64, reversion: f64) -> ServerSpec {
        let shape = Shape {
            peak,
            volatility,
            reversion,
            sticky: 0.0,
            outage: 0.1,
            burst: 1.0,
        };
        ServerSpec {
            trace: AnyTrace::Cox(Cox::new(shape)),
            opportunity: 1500,
            overhead: 0,
            first: First::Arrival,
            whole: false,
            milliseconds: false,
            delay_behind: Span::ZERO,
        }
    }

    /// A law has counted further than the idle link has looked. Behind that both draw anew, and so does a replay from the
    /// beginning; before it nothing changes.
    #[test]
    fn whoever_reads_a_trace_draws_anew_from_the_same_opportunity_on() {
        let spec = spec(12e6, 1e6, 0.0);
        let end = Time(1_000_000_000_000);
        let mut server = Server::new(spec, Random::stream(1, "trace", "t"));
        let before: Vec<Time> = server.opportunities(end).collect();
        let mut twin = Opportunities::new(&server);
        twin.offered(Time(end.0 / 2));
        let after = twin.drawn();
        assert!(after > server.drawn());
        server.rekey(after, 7);
        twin.turn(after, &Turn::Reseed(7));
        let replayed: Vec<Time> = server.opportunities(end).collect();
        let known = after as usize;
        assert_eq!(replayed[..known], before[..known]);
        assert_ne!(replayed[known..], before[known..]);
        for at in &replayed {
            assert_eq!(server.opens(*at, false), *at);
            server.take(*at, *at, 1500);
        }
        for at in &replayed[known - 1..] {
            assert_eq!(twin.take_if(|next| next <= end), Some(*at));
        }
    }

    /// What waits comes an exponential time after the present, whatever it was before. The part that has passed stays, and
    /// everybody who reads the trace draws the same.
    #[test]
    fn an_opportunity_that_waits_is_drawn_again_behind_the_present() {
        let spec = spec(24e6, 1.0, 20.0);
        let (now, end) = (Time(1_000_000_000_000), Time(2_000_000_000_000));
        let mut first = Server::new(spec, Random::stream(1, "trace", "t"));
        let before: Vec<Time> = first.opportunities(end).collect();
        let known = before.iter().filter(|at| **at <= now).count();
        first.opens(now, false);
        let (mut sum, count) = (0.0, 1000);
        for by in 0..count {
            let (mut server, mut twin) = (first.clone(), Opportunities::new(&first));
            twin.offered(now);
            let (after, turn) = server.redraw(now, by, twin.drawn()).expect("drawn again");
            twin.turn(after, &turn);
            let replayed: Vec<Time> = server.opportunities(end).collect();
            assert_eq!(after as usize, known);
            assert_eq!(replayed[..known], before[..known]);
            assert!(replayed[known] > now);
            assert_eq!(server.opens(replayed[known], false), replayed[known]);
            assert_eq!(twin.take_if(|at| at <= end), Some(replayed[known]));
            sum += replayed[known].since(now).seconds();
        }
        // 12 Mbit/s of 1,500 bytes are one a millisecond; the mean of 1,000 has a deviation of 3.2 %.
        let mean = sum / count as f64;
        assert!((mean - 1e-3).abs() < 1e-4, "{mean}");
    }
}
