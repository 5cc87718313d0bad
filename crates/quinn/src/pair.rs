//! A client and a server of QUIC in memory, with a delay each way. Time moves from one event to the next.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig,
    ServerConfig, StreamId, TransportConfig,
};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::origin;

const NAME: &str = "localhost";
/// A transfer that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(3600);

/// One end.
struct Side {
    endpoint: Endpoint,
    address: SocketAddr,
    connection: Option<(ConnectionHandle, Connection)>,
    /// The packets that it sent, and when they arrive.
    flying: VecDeque<(Duration, BytesMut)>,
    delay: Duration,
}

/// See the head of the file.
pub struct Pair {
    origin: Instant,
    now: Duration,
    /// The client, and the server.
    sides: [Side; 2],
}

/// A certificate that the server signs with its key, for both ends.
fn certificate() -> &'static (CertificateDer<'static>, Vec<u8>) {
    static MADE: OnceLock<(CertificateDer<'static>, Vec<u8>)> = OnceLock::new();
    MADE.get_or_init(|| {
        let made = rcgen::generate_simple_self_signed(vec![NAME.to_owned()]);
        let made = made.expect("a name that a certificate can have");
        (made.cert.der().clone(), made.signing_key.serialize_der())
    })
}

impl Pair {
    /// A connection that begins, with a delay there and back, and this transport of its client.
    pub fn new(transport: TransportConfig, there: Duration, back: Duration) -> Pair {
        let (certificate, key) = certificate();
        let mut roots = RootCertStore::empty();
        let added = roots.add(certificate.clone());
        added.expect("a certificate that was just made");
        let client = ClientConfig::with_root_certificates(Arc::new(roots));
        let mut client = client.expect("a root");
        client.transport_config(Arc::new(transport));
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.clone()));
        let server = ServerConfig::with_single_cert(vec![certificate.clone()], key);
        let server = Arc::new(server.expect("a certificate and its key"));
        // Packet numbers that are left out at random are the same ones each time.
        let mut config = EndpointConfig::default();
        config.rng_seed(Some([1; 32]));
        let config = Arc::new(config);
        let side = |server: Option<Arc<ServerConfig>>, port: u16, delay: Duration| Side {
            endpoint: Endpoint::new(config.clone(), server, false, None),
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            connection: None,
            flying: VecDeque::new(),
            delay,
        };
        let mut sides = [side(None, 1, there), side(Some(server), 2, back)];
        let (origin, to) = (origin(), sides[1].address);
        let begun = sides[0].endpoint.connect(origin, client, to, NAME);
        sides[0].connection = Some(begun.expect("a configuration that is whole"));
        Pair {
            origin,
            now: Duration::ZERO,
            sides,
        }
    }

    /// Time since the beginning.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// The client's connection.
    pub fn client(&mut self) -> &mut Connection {
        let (_, connection) = self.sides[0].connection.as_mut().expect("it has begun");
        connection
    }

    fn instant(&self) -> Instant {
        self.origin + self.now
    }

    /// From now on what the client sends takes so long; nothing may be on its way.
    pub(crate) fn set_delay(&mut self, there: Duration) {
        self.sides[0].delay = there;
    }

    /// Lets both ends send what they may.
    pub(crate) fn transmit(&mut self) {
        let (now, at) = (self.now, self.instant());
        for side in &mut self.sides {
            let Some((handle, connection)) = &mut side.connection else {
                continue;
            };
            let mut buffer = Vec::new();
            while let Some(sent) = connection.poll_transmit(at, 1, &mut buffer) {
                let data = BytesMut::from(&buffer[..sent.size]);
                side.flying.push_back((now + side.delay, data));
                buffer.clear();
            }
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = side.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            }
        }
    }

    /// When the next packet arrives, and which end sent it.
    fn arrival(&self) -> Option<(Duration, usize)> {
        let first = |from: usize| Some((self.sides[from].flying.front()?.0, from));
        [0, 1].into_iter().filter_map(first).min()
    }

    /// Hands over the next packet.
    fn arrive(&mut self, from: usize) {
        let Some((at, data)) = self.sides[from].flying.pop_front() else {
            return;
        };
        self.now = self.now.max(at);
        let (now, address) = (self.instant(), self.sides[from].address);
        let to = &mut self.sides[1 - from];
        let mut buffer = Vec::new();
        match to
            .endpoint
            .handle(now, address, None, None, data, &mut buffer)
        {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut to.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = to.endpoint.accept(incoming, now, &mut buffer, None);
                to.connection = accepted.ok();
            }
            Some(DatagramEvent::Response(_)) | None => {}
        }
    }

    /// Serves packets until none is on its way. Timers do not expire.
    pub(crate) fn settle(&mut self) {
        self.transmit();
        while let Some((_, from)) = self.arrival() {
            self.arrive(from);
            self.transmit();
        }
    }

    /// Time moves to the next packet or timer. False where there is none.
    fn step(&mut self) -> bool {
        let due = |side: &mut Side| side.connection.as_mut()?.1.poll_timeout();
        let timer = self.sides.iter_mut().filter_map(due).min();
        let timer = timer.map(|at| at.saturating_duration_since(self.origin));
        match (self.arrival(), timer) {
            (Some((at, from)), timer) if timer.is_none_or(|timer| at <= timer) => {
                self.arrive(from);
            }
            (_, Some(timer)) => {
                self.now = self.now.max(timer);
                let now = self.instant();
                for (_, connection) in self.sides.iter_mut().filter_map(|s| s.connection.as_mut()) {
                    connection.handle_timeout(now);
                }
            }
            _ => return false,
        }
        true
    }

    /// Sends so many bytes to the server; the instant at which it has them, or none where the connection ended before.
    pub fn transfer(&mut self, bytes: usize) -> Option<Duration> {
        let (mut stream, mut left, mut received) = (None, bytes, 0);
        while received < bytes {
            if self.now > PATIENCE {
                return None;
            }
            self.write(&mut stream, &mut left);
            self.transmit();
            received += self.read();
            if received < bytes && !self.step() {
                return None;
            }
        }
        Some(self.now)
    }

    fn write(&mut self, stream: &mut Option<StreamId>, left: &mut usize) {
        let client = self.client();
        if stream.is_none() && !client.is_handshaking() {
            *stream = client.streams().open(Dir::Uni);
        }
        let Some(id) = *stream else {
            return;
        };
        let zeros = [0; 16_384];
        while *left > 0 {
            let part = &zeros[..zeros.len().min(*left)];
            match client.send_stream(id).write(part) {
                Ok(taken) => *left -= taken,
                Err(_) => return,
            }
        }
    }

    fn read(&mut self) -> usize {
        let Some((_, server)) = &mut self.sides[1].connection else {
            return 0;
        };
        while server.poll().is_some() {}
        let _ = server.streams().accept(Dir::Uni);
        // The first stream that a client opens in one direction (RFC 9000 section 2.1).
        let id = StreamId::new(quinn_proto::Side::Client, Dir::Uni, 0);
        let mut stream = server.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else {
            return 0;
        };
        let mut count = 0;
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            count += chunk.bytes.len();
        }
        let _ = chunks.finalize();
        count
    }
}
