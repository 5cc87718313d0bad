//! Names a person chooses: which are legal, the order in which they count, and the patterns that
//! match them. The order is that of the names, not of the text, so that two texts with the same
//! content are the same run.

use std::cmp::{Ordering, Reverse};

use crate::diagnostic::Fault;

/// Refuses names that would be ambiguous in port names, patterns or paths.
pub fn check(noun: &str, name: &str) -> Result<(), Fault> {
    const LONGEST: usize = 64;
    let legal = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '+');
    if name.is_empty() || name.trim() != name || !name.chars().all(legal) {
        let shown: String = name.chars().take(LONGEST).collect();
        return Err(Fault::new(
            format!("{shown:?} is no name for a {noun}"),
            "use letters, digits, `-`, `_`, `+` and spaces between them",
        ));
    }
    if name.chars().count() > LONGEST {
        return Err(Fault::new(
            format!("the name of this {noun} has more than {LONGEST} characters"),
            "shorten it",
        ));
    }
    Ok(())
}

/// Numbers in names compare as numbers: h2 comes before h10.
pub fn order(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (x, y) = (digits(left), digits(right));
        if x > 0 && y > 0 {
            let (m, n) = (
                left[..x].trim_start_matches('0'),
                right[..y].trim_start_matches('0'),
            );
            let by_number = m.len().cmp(&n.len()).then_with(|| m.cmp(n));
            if by_number != Ordering::Equal {
                return by_number;
            }
            (left, right) = (&left[x..], &right[y..]);
            continue;
        }
        let (mut xs, mut ys) = (left.chars(), right.chars());
        match (xs.next(), ys.next()) {
            (Some(c), Some(d)) if c == d => (left, right) = (xs.as_str(), ys.as_str()),
            // "h01" and "h1" are equal numbers but two names.
            (None, None) => return a.cmp(b),
            (c, d) => return c.cmp(&d),
        }
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Whether a name is a pattern.
pub fn is_pattern(pattern: &str) -> bool {
    pattern.contains('*')
}

/// How specific a name or pattern is: a name is more specific than any pattern; of two patterns the one with
/// more literal characters, then the one with fewer wildcards.
pub fn rank(pattern: &str) -> (bool, usize, Reverse<usize>) {
    let wildcards = pattern.matches('*').count();
    let literal = pattern.chars().count() - wildcards;
    (wildcards == 0, literal, Reverse(wildcards))
}

/// Whether a pattern, in which `*` stands for any characters, matches all of a name.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(head) else {
        return false;
    };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*').filter(|p| !p.is_empty()) {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["h10", "h2", "a10-3", "a9-20", "h1", "h01", "h", "S", "h2x"];
        names.sort_by(|a, b| order(a, b));
        assert_eq!(
            names,
            ["S", "a9-20", "a10-3", "h", "h01", "h1", "h2", "h2x", "h10"]
        );
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, hit) in [
            ("W>D", "W>D", true),
            ("W>D", "W>D2", false),
            ("*", "W>D", true),
            ("W>*", "W>D", true),
            ("*>D", "W>D", true),
            ("*>D", "W>D2", false),
            ("s*>h*", "s1>h1", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "a-c-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("**", "", true),
        ] {
            assert_eq!(matches(pattern, name), hit, "{pattern} {name}");
        }
    }

    #[test]
    fn names_that_would_be_ambiguous_are_refused() {
        for name in [
            "",
            "a>b",
            "a*",
            "a.b",
            "a/b",
            "a#1",
            "a\"",
            " a",
            "\u{1b}",
            &"x".repeat(65),
        ] {
            assert!(check("node", name).is_err(), "{name}");
        }
        for name in ["S", "h1", "e0-1", "WLAN a_b", "é"] {
            assert_eq!(check("node", name), Ok(()), "{name}");
        }
    }

    proptest! {
        #[test]
        fn the_order_is_total(mut names in proptest::collection::vec("[a-b0-2]{0,4}", 3)) {
            names.sort_by(|a, b| order(a, b));
            for pair in names.windows(2) {
                prop_assert_ne!(order(&pair[0], &pair[1]), Ordering::Greater);
                prop_assert_eq!(order(&pair[0], &pair[1]) == Ordering::Equal, pair[0] == pair[1]);
            }
            prop_assert_ne!(order(&names[0], &names[2]), Ordering::Greater);
        }
    }
}
