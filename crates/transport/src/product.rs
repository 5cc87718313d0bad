//! Products of 64-bit numbers, exact or checked.
//!
//! WebAssembly multiplies 64 bits by 64 and gives the lower 64. The upper ones, which a checked `*`
//! needs as well, come from a function of the compiler's library that returns through memory: a
//! tenth of a run's time. There they are made of four products of halves, in place.

/// All 128 bits of a product.
#[inline(always)]
pub const fn whole(a: u64, b: u64) -> u128 {
    if cfg!(target_family = "wasm") {
        let (high, low) = halves(a, b);
        (high as u128) << 64 | low as u128
    } else {
        a as u128 * b as u128
    }
}

/// A product; None where 64 bits are too few.
#[inline(always)]
pub const fn checked(a: u64, b: u64) -> Option<u64> {
    if !cfg!(target_family = "wasm") {
        return a.checked_mul(b);
    }
    if (a | b) >> 32 == 0 {
        return Some(a.wrapping_mul(b));
    }
    match halves(a, b) {
        (0, low) => Some(low),
        _ => None,
    }
}

/// A product.
///
/// # Panics
/// Where 64 bits are too few.
#[inline(always)]
pub const fn of(a: u64, b: u64) -> u64 {
    match checked(a, b) {
        Some(product) => product,
        None => too_large(),
    }
}

#[cold]
#[inline(never)]
const fn too_large() -> ! {
    panic!("attempt to multiply with overflow")
}

/// The upper and the lower 64 bits of a product, by the school's method in base 2^32.
#[inline(always)]
const fn halves(a: u64, b: u64) -> (u64, u64) {
    const LOW: u64 = u32::MAX as u64;
    let (a1, a0, b1, b0) = (a >> 32, a & LOW, b >> 32, b & LOW);
    let low = a0.wrapping_mul(b0);
    // At most (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1: no sum of these wraps.
    let middle = a1.wrapping_mul(b0).wrapping_add(low >> 32);
    let other = a0.wrapping_mul(b1).wrapping_add(middle & LOW);
    let high = a1
        .wrapping_mul(b1)
        .wrapping_add(middle >> 32)
        .wrapping_add(other >> 32);
    (high, a.wrapping_mul(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_largest_numbers_have_their_product() {
        let most = u64::MAX;
        // (2^64 - 1)^2 = 2^128 - 2^65 + 1.
        assert_eq!(halves(most, most), (most - 1, 1));
        assert_eq!(checked(1 << 32, 1 << 32), None);
        assert_eq!(
            checked(1 << 32, (1 << 32) - 1),
            Some((1 << 32) * ((1 << 32) - 1))
        );
    }

    #[test]
    #[should_panic(expected = "overflow")]
    fn what_does_not_fit_is_no_product() {
        of(u64::MAX, 2);
    }

    #[test]
    fn halves_are_those_of_the_whole() {
        let mut random = Random::stream(1, "test", "products");
        let mut drawn = || random.between(0, u64::MAX - 1) >> random.between(0, 63);
        for _ in 0..100_000 {
            let (a, b) = (drawn(), drawn());
            let (high, low) = halves(a, b);
            assert_eq!(
                u128::from(high) << 64 | u128::from(low),
                u128::from(a) * u128::from(b)
            );
            assert_eq!(whole(a, b), u128::from(a) * u128::from(b));
            assert_eq!(checked(a, b), a.checked_mul(b));
        }
    }
}
