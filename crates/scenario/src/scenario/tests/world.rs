//! A refusal of the world has the place where the field was written.

use super::*;

#[test]
fn a_refusal_of_the_world_is_shown_where_its_field_was_written() {
    use backwater_sim::spec::Refusal;
    let place = |resolved: &Resolved, path: &str| {
        let refusal = Refusal {
            path: path.to_owned(),
            what: "w".to_owned(),
            fix: "f".to_owned(),
        };
        let found = resolved.refusal(refusal);
        (found.place, found.line)
    };
    let file = |line| ("x.toml".to_owned(), Some(line));
    let wired = read(WIRED).unwrap();
    assert_eq!(place(&wired, "flows.f1.to"), file(12));
    assert_eq!(place(&wired, "links.b.max_frame"), file(9));
    assert_eq!(place(&wired, "ports.\"W>D\".queue.classes"), file(10));
    assert_eq!(place(&wired, "ports.W>D.queue.classes"), file(10));
    assert_eq!(place(&wired, "mechanisms.bp.at.0"), file(11));
    let tree = read(generators::FAT_TREE).unwrap();
    assert_eq!(place(&tree, "flows.p/h3.packet"), file(5));
    assert_eq!(place(&tree, "nodes.h3"), file(3));
    assert_eq!(place(&tree, "links.h3-e0-1.rate"), file(3));
    let set = set(&[("flows.f1.packet", json!("9000 B"))]).unwrap();
    assert_eq!(
        place(&set, "flows.f1.packet"),
        ("--set flows.f1.packet=\"9000 B\"".to_owned(), None)
    );
}

#[test]
fn what_the_world_refuses_has_a_line_and_a_fix() {
    refused(
        "class = 0",
        "class = 3",
        "`flows.f1.class`",
        "",
        "more classes",
    );
    refused(
        "seed = 1",
        "links.c = { ends = [\"S\", \"D\"], rate = \"1 Gbit/s\", delay = \"0 s\" }",
        "the links form a loop",
        "",
        "shortest-path",
    );
    refused(
        "class = 0",
        "packet = \"9 kB\"",
        "`flows.f1.packet`",
        "",
        "max_frame",
    );
    refused(
        "links.b = { ends = [\"W\", \"D\"]",
        "nodes.X = { kind = \"switch\" }\nlinks.b = { ends = [\"X\", \"D\"]",
        "no port matches",
        "W>S",
        "`W>S`",
    );
}
