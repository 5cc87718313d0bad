//! What a relay remembers of the requests that its feeders have acknowledged.

use backwater_sim::mechanism::{NOTIFIERS, RESPONDERS};
use backwater_sim::medium::wifi::air_log::Body;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Span};

use crate::attempts::log;
use crate::control::{control, fork, part};

/// Two stations feed a relay more than it forwards, and each may step back once. The relay asks each of them, and knows by the
/// acknowledgement that it can step back no further: until the request expires, after 10 s, it asks nobody again.
#[test]
fn who_has_stepped_back_as_far_as_it_can_is_not_asked_again() {
    let aifsn = [
        ("min", Value::Count(2)),
        ("max", Value::Count(3)),
        ("own", Value::Flag(false)),
        ("own_while", Value::Choice("congested")),
    ];
    let mut cell = fork(Some(part(RESPONDERS, "aifsn", &aifsn)));
    (cell.0.duration, cell.0.warmup) = (Span::secs(3), Span::ZERO);
    let mut mechanism = control(vec![2], part(RESPONDERS, "aifsn", &aifsn));
    let request = [
        ("frame", Value::Bytes(Bytes(50))),
        ("expiry", Value::Span(Span::secs(10))),
        ("period", Value::Span(Span::millis(250))),
        ("target", Value::Choice("mean")),
        ("report", Value::Bytes(Bytes(0))),
    ];
    mechanism.notify = part(NOTIFIERS, "request", &request);
    cell.0.mechanisms = vec![mechanism];
    let (frames, _) = log(&cell);
    let asked = frames.iter().filter(|f| f.from == 2 && !f.retry);
    let asked = asked.filter(|f| matches!(f.body, Some(Body::Notice(..))));
    let mut asked: Vec<u32> = asked.map(|f| f.to).collect();
    asked.sort_unstable();
    assert_eq!(asked, [0, 1]);
}
