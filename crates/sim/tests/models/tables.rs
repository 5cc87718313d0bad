//! Tables that stand beside the packets: labels, and notices on their way.

use std::collections::BTreeSet;

use backwater_sim::ids::{FlowId, PacketId};
use backwater_sim::mechanism::notice::{Ask, Form, Notice};
use backwater_sim::network::{Label, Labels, Mail};
use backwater_sim::table::Id;

/// A packet that nobody labelled has no tag and its own flow, also where a later one has a label, and again when its place has a new packet. An
/// entropy value gives no tag.
#[test]
fn a_packet_without_a_label_has_no_tag_and_its_own_flow() {
    let (own, hash) = (FlowId::new(9), FlowId::new(77));
    let mut labels = Labels::default();
    let told = |labels: &Labels, packet: usize| {
        let packet = PacketId::new(packet);
        (labels.tag(packet), labels.flow(packet, own))
    };
    assert_eq!(told(&labels, 4), (0, own));
    labels.set(PacketId::new(4), Label { tag: 7, flow: hash });
    assert_eq!(told(&labels, 4), (7, hash));
    for other in [0, 3, 5] {
        assert_eq!(told(&labels, other), (0, own));
    }
    labels.clear(PacketId::new(4));
    assert_eq!(told(&labels, 4), (0, own));
    labels.spread(PacketId::new(4), own, 3);
    let (tag, flow) = told(&labels, 4);
    assert!(tag == 0 && flow != own && !flow.is_none());
}

/// All 65,536 entropy values of a flow are told apart, whatever its number.
#[test]
fn entropy_values_of_a_flow_are_told_apart() {
    for number in [0, 5, 0xffff] {
        let mut labels = Labels::default();
        let (packet, own) = (PacketId::new(0), FlowId::new(number));
        let seen = (0..=u16::MAX).map(|value| {
            labels.spread(packet, own, value);
            labels.flow(packet, own).0
        });
        assert_eq!(seen.collect::<BTreeSet<u32>>().len(), 65_536, "{number}");
    }
}

/// The place of a notice that has arrived is the next one's, so that a long run keeps as many places as notices were on their way at once.
#[test]
fn places_of_notices_are_used_again() {
    let notice = |key| Notice {
        mechanism: 0,
        form: Form::Pause,
        classes: 1,
        ask: Ask::Stop(1),
        hosts: None,
        origin: Id::NONE,
        origin_classes: 1,
        key,
    };
    let mut mail = Mail::default();
    let first = mail.put(notice(1));
    let second = mail.put(notice(2));
    assert_ne!(first, second);
    assert_eq!(mail.take(first).key, 1);
    let third = mail.put(notice(3));
    assert_eq!(
        (third, mail.see(second).key, mail.see(third).key),
        (first, 2, 3)
    );
    assert_ne!(mail.put(notice(4)), third);
}
