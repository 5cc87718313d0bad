//! A number of things over places in a row, not quite evenly: how CC-Fuzz (HotNets 2022) distributes the opportunities of a link
//! and cross traffic.

/// How unevenly a number is spread.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Uneven {
    /// A half gets at most this share more or less than 1/2.
    pub most: f64,
    /// A part of so many places or fewer is not halved: its things lie evenly.
    pub least: usize,
}

/// `count` things over `places`: a share near 1/2 of them goes to the left half, the rest to the right one, and so on. The shares
/// come from `draw`, uniform on [0, 1): one for each part that is halved, parts on the left first.
pub fn spread(
    count: u32,
    places: usize,
    uneven: Uneven,
    draw: &mut impl FnMut() -> f64,
) -> Vec<u32> {
    let mut found = Vec::with_capacity(places);
    halve(count, places, uneven, draw, &mut found);
    found
}

fn halve(
    mut count: u32,
    mut places: usize,
    uneven: Uneven,
    draw: &mut impl FnMut() -> f64,
    found: &mut Vec<u32>,
) {
    while places > uneven.least && count > 0 {
        let share = 0.5 + (2.0 * draw() - 1.0) * uneven.most;
        let left = (f64::from(count) * share).round_ties_even();
        let left = (left.max(0.0) as u32).min(count);
        let half = places / 2;
        halve(left, half, uneven, draw, found);
        (count, places) = (count - left, places - half);
    }
    even(count, places, found);
}

/// Adds `count` things over `places`, evenly.
pub(crate) fn even(count: u32, places: usize, found: &mut Vec<u32>) {
    let before = |place: usize| u64::from(count) * place as u64 / places as u64;
    found.extend((0..places).map(|place| (before(place + 1) - before(place)) as u32));
}

#[cfg(test)]
mod tests {
    use super::{Uneven, spread};

    fn of(count: u32, places: usize, most: f64, draws: &[f64]) -> Vec<u32> {
        let mut draws = draws.iter();
        let mut draw = || *draws.next().expect("draws are enough");
        let found = spread(count, places, Uneven { most, least: 2 }, &mut draw);
        assert_eq!(draws.next(), None, "each draw is taken");
        found
    }

    #[test]
    fn shares_go_left_first() {
        // 3/4 of 16 left; of these 12 a quarter and the rest; then half of the 4 on the right.
        let found = of(16, 8, 0.5, &[0.75, 0.25, 0.5]);
        assert_eq!(found, [1, 2, 4, 5, 1, 1, 1, 1]);
        // Twice the draws around 1/2, scaled: 0.5 + 0.5 * 0.2 = 0.6 of 10.
        assert_eq!(of(10, 4, 0.2, &[0.75]), [3, 3, 2, 2]);
    }

    #[test]
    fn what_is_empty_is_not_halved_and_an_odd_place_lies_right() {
        assert_eq!(of(4, 8, 0.5, &[0.0, 0.5]), [0, 0, 0, 0, 1, 1, 1, 1]);
        // Five places: two left, three right; of three one left, two right.
        assert_eq!(of(8, 5, 0.5, &[0.5, 0.5]), [2, 2, 2, 1, 1]);
        // A tie goes to the even number: half of 5 is 2, half of 3 is 2.
        assert_eq!(of(5, 4, 0.5, &[0.5]), [1, 1, 1, 2]);
        assert_eq!(of(3, 4, 0.5, &[0.5]), [1, 1, 0, 1]);
    }
}
