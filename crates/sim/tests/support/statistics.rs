//! A mean over seeds, for tests that hold the simulator against theory.

/// The mean lies within four standard errors of what theory says, and these are small enough (a share of the value)
/// to tell it from its neighbours.
pub fn agrees(what: &str, values: &[f64], expected: f64, width: f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let four = 4.0 * (variance / n).sqrt();
    println!("{what}: expected {expected}, measured {mean} ± {four}");
    assert!(
        (mean - expected).abs() <= four,
        "{what}: {mean} ± {four}, not {expected}"
    );
    assert!(four <= width * expected, "{what}: ± {four} says too little");
}
