//! The estimate of the round trip that a controller of quinn is handed. Only quinn can make one, so a connection in memory
//! measures the samples of the simulated flow: a packet takes a sample's time there, and its acknowledgement none back.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quinn_proto::congestion::{Controller, ControllerFactory};
use quinn_proto::{AckFrequencyConfig, RttEstimator, TransportConfig};

use crate::pair::Pair;

/// The estimate of the round trip at an acknowledgement.
type Seen = Arc<Mutex<Option<RttEstimator>>>;

/// A controller that notes the estimate and holds nothing back.
#[derive(Clone)]
struct Spy(Seen);

impl Controller for Spy {
    fn on_ack(&mut self, _: Instant, _: Instant, _: u64, _: bool, rtt: &RttEstimator) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(*rtt);
    }

    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        u64::MAX / 2
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl ControllerFactory for Spy {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        Box::new((*self).clone())
    }
}

/// See the head of the file. A copy measures all samples again when it needs them.
#[derive(Default)]
pub struct Estimator {
    samples: Vec<Duration>,
    mirror: Mutex<Option<(Pair, Seen)>>,
}

impl fmt::Debug for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Estimator of {} samples", self.samples.len())
    }
}

impl Clone for Estimator {
    fn clone(&self) -> Estimator {
        Estimator {
            samples: self.samples.clone(),
            mirror: Mutex::default(),
        }
    }
}

impl Estimator {
    /// The estimate before this sample, which counts from now on: quinn tells controllers first. The handshake took as long as
    /// the first sample.
    pub fn before(&mut self, sample: Duration) -> RttEstimator {
        self.samples.push(sample);
        let mirror = self.mirror.get_mut();
        let mirror = mirror.unwrap_or_else(PoisonError::into_inner);
        let todo = match mirror {
            Some(_) => &self.samples[self.samples.len() - 1..],
            None => &self.samples[..],
        };
        let (pair, seen) = mirror.get_or_insert_with(|| shaken(todo[0]));
        for sample in todo {
            measure(pair, *sample);
        }
        let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.expect("a packet that was acknowledged")
    }
}

/// A connection whose handshake took so long for each round trip.
fn shaken(first: Duration) -> (Pair, Seen) {
    let seen = Seen::default();
    let mut transport = TransportConfig::default();
    let mut each = AckFrequencyConfig::default();
    // The peer acknowledges every packet at once, so that a packet is one sample.
    each.ack_eliciting_threshold(0u32.into())
        .max_ack_delay(Some(Duration::from_millis(25)));
    transport
        .initial_rtt(first)
        .ack_frequency_config(Some(each))
        .mtu_discovery_config(None)
        .congestion_controller_factory(Arc::new(Spy(seen.clone())));
    let mut pair = Pair::new(transport, first, Duration::ZERO);
    pair.settle();
    (pair, seen)
}

fn measure(pair: &mut Pair, sample: Duration) {
    pair.set_delay(sample);
    pair.client().ping();
    pair.transmit();
    pair.settle();
}
