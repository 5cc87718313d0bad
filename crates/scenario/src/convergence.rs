//! When flows began to share evenly. They have converged at the first second from which on, for a
//! while, none is far from the mean of all (RFC 5166 section 2.2: convergence times to within epsilon
//! of the fair share).

/// Share of the mean that a flow may be off.
const OFF: f64 = 0.2;
/// Seconds for which that must hold.
const WHILE: usize = 5;

/// Seconds from the beginning of the last flow until all have converged; none if they have not, or
/// there are not two. `flows` has for each the second in which it began, and what it delivered in each
/// second since the beginning of the run.
pub fn seconds(flows: &[(usize, Vec<u64>)]) -> Option<usize> {
    let began = flows.iter().map(|f| f.0).max()?;
    let over = flows.iter().map(|f| f.1.len()).min()?;
    let even = |second: usize| {
        let sum: u64 = flows.iter().map(|f| f.1[second]).sum();
        let mean = sum as f64 / flows.len() as f64;
        mean > 0.0
            && flows
                .iter()
                .all(|f| (f.1[second] as f64 - mean).abs() <= OFF * mean)
    };
    if flows.len() < 2 || over < WHILE {
        return None;
    }
    (began..=over - WHILE)
        .find(|from| (*from..from + WHILE).all(even))
        .map(|from| from - began)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_have_converged_when_none_is_far_from_the_mean_for_five_seconds() {
        let old = vec![100, 100, 90, 70, 70, 40, 45, 50, 52, 58, 50];
        let new = vec![0, 0, 10, 30, 30, 60, 55, 50, 48, 42, 50];
        // Second 5 has 40 and 60, a fifth off; second 4 has more.
        let flows = [(0, old.clone()), (2, new.clone())];
        assert_eq!(seconds(&flows), Some(5 - 2));
        let short = [(0, old[..9].to_vec()), (2, new[..9].to_vec())];
        assert_eq!(seconds(&short), None);
        assert_eq!(seconds(&flows[..1]), None);
        assert_eq!(seconds(&[]), None);
    }

    #[test]
    fn silence_is_not_sharing() {
        assert_eq!(seconds(&[(0, vec![0; 9]), (0, vec![0; 9])]), None);
    }
}
