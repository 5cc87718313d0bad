//! Every number that is written for a controller reaches it.

use backwater_transport::controller::{CONTROLLERS, Setup};
use backwater_transport::random::Random;

use backwater_transport_testing::{options, reaching};

use super::build::{MSS, protocol_of};

/// Numbers that a controller keeps multiplied by other options. The vectors in its own file depend on them.
const PRODUCTS: &[&str] = &[
    "hpcc least",
    "timely start",
    "powertcp least",
    "swift hop",
    "nscc rate",
    "swift hops",
    "swift fs_min",
];

#[test]
fn a_number_that_is_written_reaches_the_controller() {
    let mut lost = Vec::new();
    // Sprout's options make tables of probabilities, which hold none of the numbers.
    for row in CONTROLLERS.iter().filter(|row| row.id != "sprout") {
        // Only a scavenger weighs the deviation.
        let besides: &[_] = match row.id {
            "vivace" => &[("scavenger", "true")],
            _ => &[],
        };
        let found = reaching::lost(row.options, besides, |given| {
            let setup = Setup {
                protocol: protocol_of(row.id),
                mss: MSS,
                frame: MSS + 66,
                initial: 10 * MSS,
                random: Random::stream(1, "controller", row.id),
            };
            (row.build)(&options::fill(row.options, given), &setup)
        });
        let found = found.into_iter().map(|name| format!("{} {name}", row.id));
        lost.extend(found.filter(|name| !PRODUCTS.contains(&name.as_str())));
    }
    assert_eq!(lost, [""; 0]);
}
