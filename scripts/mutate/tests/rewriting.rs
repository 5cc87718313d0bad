//! Sources that are small enough to say by hand what must become of them.

use std::collections::BTreeSet;

use backwater_mutate::{Mutated, mutated, test_modules};

fn of(source: &str) -> Mutated {
    mutated(source, 1, &BTreeSet::new()).unwrap()
}

fn whats(made: &Mutated) -> Vec<&str> {
    made.mutants.iter().map(|one| one.what.as_str()).collect()
}

#[test]
fn operands_of_a_comparison_are_written_once() {
    let made = of("fn f() -> X { let y = a() < b(); }");
    let expected = "(match (&(a() ), &( b())) { (l, r) => \
                    if ::mutant::is(2) { *l <= *r } else if ::mutant::is(3) { *l >= *r } else { *l < *r } })";
    assert!(made.text.contains(expected), "{}", made.text);
    assert_eq!(
        whats(&made)[1..],
        ["replace < with <=", "replace < with >="]
    );
}

#[test]
fn inner_changes_stand_inside_outer_ones() {
    let made = of("fn f() -> Box<u8> { a + b * c }");
    let inner = "(match (b , c) { (l, r) => if ::mutant::is(2) { l / r } else { l * r } })";
    let outer = format!(
        "(match (a , {inner}) {{ (l, r) => if ::mutant::is(1) {{ l - r }} else {{ l + r }} }})"
    );
    assert!(made.text.contains(&outer), "{}", made.text);
}

#[test]
fn constants_patterns_types_and_tests_are_left_alone() {
    let source = "const A: u64 = 1 + 2;\nstatic B: [u8; 3] = [0; 3];\nconst fn f() -> u64 { 1 + 2 }\n\
                  #[cfg(test)]\nmod tests { fn f() -> u64 { 1 + 2 } }\n\
                  enum E { A = 1 + 1 }\nimpl fmt::Debug for E { fn fmt(&self) -> bool { 1 < 2 } }\n";
    let made = of(source);
    assert_eq!(made.text, source);
    assert!(made.mutants.is_empty());
}

/// The rows of the tables are constants whose closures run when a scenario is built.
#[test]
fn closures_in_constants_are_mutated() {
    let made = of("const P: Part = Part { size: 1, build: |args| args.span(\"target\") };");
    let what = [
        "args.span(\"target\") times 5",
        "args.span(\"target\") halved",
    ];
    assert_eq!(whats(&made), what);
    let expected = "::mutant::more(1, ::mutant::less(2, args.span(\"target\")))";
    assert!(made.text.contains(expected), "{}", made.text);
}

#[test]
fn a_dropped_mutant_keeps_its_number() {
    let source = "fn f() -> bool { a == b }";
    let made = mutated(source, 7, &BTreeSet::from([7, 8])).unwrap();
    assert_eq!(whats(&made), ["replace == with !="]);
    assert_eq!((made.mutants[0].id, made.end), (9, 10));
    assert!(!made.text.contains("return"), "{}", made.text);
}

#[test]
fn places_name_the_text_of_a_mutant_and_of_its_site() {
    let made = of("fn f() -> Box<u8> { a - b }");
    assert_eq!(&made.text[made.places[&1].clone()], "l + r");
    let site = &made.text[made.sites[&1].clone()];
    assert!(
        site.starts_with("(match (a ,") && site.ends_with("})"),
        "{site}"
    );
}

#[test]
fn statements_arms_and_bodies_can_be_left_out() {
    let made = of(
        "fn f(&mut self) {\n    self.a = x;\n    match y {\n        P => self.go(),\n    }\n}\n",
    );
    let expected = ["return at once", "delete self.a = …", "delete call of go"];
    assert_eq!(whats(&made), expected);
    assert!(
        made.text.contains("if !::mutant::is(2) { self.a = x; }"),
        "{}",
        made.text
    );
    assert!(
        made.text
            .contains("P => { if !::mutant::is(3) { self.go() } },"),
        "{}",
        made.text
    );
}

/// With `l` the left side: `a && b` is `if l { b } else { l }`, and `a || b` is `if !l { b } else { l }`.
#[test]
fn and_becomes_or_without_a_second_copy() {
    let made = of("fn f() -> Box<bool> { (a > 1) && b }");
    assert!(
        made.text.contains("{ l => if l != ::mutant::is(1) { "),
        "{}",
        made.text
    );
    let made = of("fn f() { if let Some(x) = a && b(x) {} }");
    let expected = ["return at once", "negate the condition"];
    assert_eq!(whats(&made), expected);
}

#[test]
fn what_is_written_is_rust() {
    let source = include_str!("../src/visit.rs");
    let made = of(source);
    assert!(made.mutants.len() > 40);
    let again = mutated(&made.text, 1, &BTreeSet::new());
    assert!(again.is_ok());
}

#[test]
fn modules_of_tests_are_found() {
    let source = "#[cfg(test)]\nmod tests;\nmod other;\n#[cfg(test)]\nmod inner {}\n";
    assert_eq!(test_modules(source).unwrap(), ["tests"]);
}

#[test]
fn whatever_is_dropped_the_others_keep_their_numbers() {
    let source = "fn f(a: &mut [u64], b: bool) -> u64 { if b && !g() { a[1 + LEAST] += 2 * g(); } \
                  match a[0] { 3 => h(7), _ => {} } a[2] - 1 }";
    let all = of(source).mutants;
    let told = |dropped: &BTreeSet<u32>| {
        let made = mutated(source, 1, dropped).unwrap().mutants;
        made.into_iter()
            .map(|one| (one.id, one.what))
            .collect::<Vec<_>>()
    };
    assert!(all.len() > 10);
    for one in &all {
        let only = all.iter().map(|other| other.id).filter(|id| *id != one.id);
        assert_eq!(told(&only.collect()), [(one.id, one.what.clone())]);
    }
}
