//! Texts that are refused, and the words of the refusal.

use super::*;

#[test]
fn an_empty_file_is_refused() {
    for text in ["", "\n\n", "# only a comment\n"] {
        let found = read(text).unwrap_err();
        assert!(found.what.contains("empty"), "{found}");
        assert!(found.fix.contains("schema = "), "{found}");
    }
}

#[test]
fn a_syntax_error_has_line_and_caret() {
    let found = refused("seed = 1", "seed = ", "not TOML", "", "syntax");
    assert_eq!(found.line, Some(2));
    assert!(found.to_string().contains("2 | seed = \n"), "{found}");
    assert!(found.to_string().contains('^'));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let found =
        Scenario::from_toml(b"seed = 1\nx = \"\xff\"\n", "x.toml", Folders::default()).unwrap_err();
    assert_eq!((found.line, found.column), (Some(2), Some(6)));
    assert!(found.fix.contains("UTF-8"), "{found}");
}

#[test]
fn unknown_fields_are_refused_everywhere() {
    refused(
        "seed = 1",
        "sed = 1",
        "unknown field `sed`",
        "seed",
        "`seed`",
    );
    refused(
        "kind = \"host\" }",
        "kind = \"host\", obey = true }",
        "unknown field `obey` in `nodes.S`",
        "obeys",
        "`obeys`",
    );
    refused(
        "kind = \"host\" }",
        "kind = \"host\", model = \"x\" }",
        "unknown field `model` in `nodes.S`",
        "",
        "`obeys`",
    );
    refused(
        "delay = \"1 us\" }",
        "dealy = \"1 us\" }",
        "unknown field `dealy` in `links.a`",
        "delay",
        "`delay`",
    );
    refused(
        "buffer = \"50 kB\"",
        "bufer = \"50 kB\"",
        "unknown field `bufer` in `ports.\"W>D\"`",
        "buffer",
        "`buffer`",
    );
    refused(
        "classes = 2",
        "clases = 2",
        "unknown field `clases` in `ports.\"W>D\".queue`",
        "classes",
        "`classes`",
    );
    refused(
        "recipe = \"pause\"",
        "recipee = \"pause\"",
        "unknown field `recipee` in `mechanisms.bp`",
        "recipe",
        "`recipe`",
    );
    refused(
        "high = \"80 %\"",
        "hihg = \"80 %\"",
        "unknown field `hihg` in `mechanisms.bp.detect`",
        "high",
        "`high`",
    );
    refused(
        "burst = \"24 kB\"",
        "brust = \"24 kB\"",
        "unknown field `brust` in `flows.f1.source`",
        "burst",
        "`burst`",
    );
    let found = refused(
        "transport",
        "transprot",
        "unknown field `transprot` in `flows.f1`",
        "transport",
        "`transport`",
    );
    assert_eq!(found.line, Some(12));
    refused(
        "warmup = \"0 s\"",
        "routing = { knid = \"tree\" }",
        "unknown field `knid` in `routing`",
        "kind",
        "`kind`",
    );
}

#[test]
fn misspelt_kinds_name_the_nearest() {
    refused(
        "kind = \"uniform-uniform\"",
        "kind = \"uniform-unifrom\"",
        "unknown source `uniform-unifrom`",
        "uniform-uniform",
        "`uniform-uniform`",
    );
    refused(
        "kind = \"strict-priority\"",
        "kind = \"strict-prioriti\"",
        "unknown queue",
        "strict-priority",
        "`strict-priority`",
    );
    refused(
        "recipe = \"pause\"",
        "recipe = \"puase\"",
        "unknown recipe `puase`",
        "pause",
        "`pause`",
    );
    refused(
        "recipe = \"pause\"",
        "recipe = \"nnoe\"",
        "unknown recipe",
        "none",
        "`none`",
    );
    refused(
        "kind = \"switch\"",
        "kind = \"swich\"",
        "unknown kind `swich` in `nodes.W`",
        "switch",
        "`switch`",
    );
    refused(
        "model = \"output-queued\"",
        "model = \"output-queue\"",
        "not one of the words",
        "output-queued",
        "`output-queued`",
    );
    refused(
        "audience = \"feeders\"",
        "audience = \"feders\"",
        "not one of the words",
        "feeders",
        "`feeders`",
    );
    refused(
        "detect = { ",
        "detect = { kind = \"watermrk\", ",
        "unknown detector `watermrk`",
        "watermark",
        "`watermark`",
    );
    refused(
        "warmup = \"0 s\"",
        "routing = { kind = \"tre\" }",
        "`routing.kind`",
        "tree",
        "`tree`",
    );
}

#[test]
fn quantities_are_checked_where_they_stand() {
    refused(
        "\"60 s\"",
        "60",
        "`duration`: `60` has no unit",
        "",
        "\"60 s\"",
    );
    refused(
        "60 s",
        "60 parsec",
        "`parsec` is not a unit of time",
        "",
        "s, ms, us, ns",
    );
    refused("60 s", "-60 s", "negative", "", "\"60 s\"");
    refused("60 s", "0 s", "`duration`", "", "1 ns");
    refused(
        "60 s",
        "NaN s",
        "does not begin with a decimal number",
        "",
        "\"20 ms\"",
    );
    refused("\"60 s\"", "nan", "no unit", "", "\"1 s\"");
    refused("60 s", "1e12 s", "absurdly large", "", "at most");
    refused("50 kB", "50 KB", "1000 or 1024", "kB", "\"50 kB\"");
    refused("\"50 kB\"", "50", "no unit", "", "\"50 B\"");
    refused("50 kB", "-50 kB", "negative", "", "\"50 kB\"");
    refused(
        "50 kB",
        "0 packets",
        "drops every frame",
        "",
        "\"unlimited\"",
    );
    refused("50 kB", "1e30 kB", "absurdly large", "", "at most");
    refused(
        "\"50 kB\"",
        "[]",
        "is a list, not a buffer",
        "",
        "\"unlimited\"",
    );
    refused("\"50 kB\"", "\"unlimted\"", "buffer", "", "\"unlimited\"");
    refused(
        "10 Mbit/s",
        "0 Mbit/s",
        "`links.b.rate`: 0 bit/s is too small",
        "",
        "\"1 bit/s\" or more",
    );
    refused(
        "3 Mbit/s",
        "0 Mbit/s",
        "`flows.f1.source.rate`",
        "",
        "or more",
    );
    refused("\"80 %\"", "0.8", "no unit", "", "\"80 %\"");
    refused("80 %", "800 %", "too large", "", "\"100 %\"");
    refused("classes = 2", "classes = 9", "too large", "", "write 8");
    refused("class = 0", "class = 8", "too large", "", "write 7");
    refused("seed = 1", "seed = -1", "negative", "", "0 or more");
    refused(
        "seed = 1",
        "seed = 1.5",
        "not a whole number",
        "",
        "whole number",
    );
    refused(
        "warmup = \"0 s\"",
        "warmup = \"60 s\"",
        "`warmup`: the warm-up takes the whole run",
        "",
        "shorter",
    );
}

#[test]
fn names_that_mean_nothing_are_refused() {
    refused(
        "to = \"D\"",
        "to = \"E\"",
        "`flows.f1.to`: there is no node `E`",
        "",
        "`D`",
    );
    refused(
        "from = \"S\"",
        "from = \"W\"",
        "`flows.f1.from`",
        "",
        "hosts",
    );
    refused(
        "to = \"D\"",
        "to = \"S\"",
        "send to itself",
        "",
        "another host",
    );
    refused(
        "[\"W\", \"D\"]",
        "[\"W\", \"X\"]",
        "there is no node `X`",
        "",
        "`D`",
    );
    refused(
        "[\"W\", \"D\"]",
        "[\"W\", \"W\"]",
        "joins a node to itself",
        "",
        "two different nodes",
    );
    refused("[\"W\", \"D\"]", "[\"W\"]", "names 1 nodes", "", "ends = ");
    refused(
        "ports.\"W>D\"",
        "ports.\"W>DD\"",
        "no port matches `W>DD`",
        "W>D",
        "`W>D`",
    );
    refused(
        "at = [\"W>D\"]",
        "at = [\"WD\"]",
        "no port matches `WD`",
        "W>D",
        "`W>D`",
    );
    refused("at = [\"W>D\"]", "at = []", "names no port", "", "W>D");
    refused(
        "nodes.S",
        "nodes.\"S>1\"",
        "no name for a node",
        "",
        "letters",
    );
    refused(
        "seed = 1",
        "routes.f2 = [\"S\", \"W\", \"D\"]",
        "there is no flow `f2`",
        "f1",
        "`f1`",
    );
    refused(
        "seed = 1",
        "routes.f1 = [\"S\", \"W\"]",
        "`routes.f1`",
        "",
        "from the first to the last",
    );
    refused(
        "backwater/scenario/1",
        "backwater/scenario/2",
        "doesn't read this format",
        "backwater/scenario/1",
        "scenario/1",
    );
}

#[test]
fn missing_fields_are_named_with_an_example() {
    refused(
        "duration = \"60 s\"\n",
        "",
        "`duration` is missing",
        "",
        "duration = \"20 ms\"",
    );
    refused(
        "schema = \"backwater/scenario/1\"\n",
        "",
        "`schema` is missing",
        "",
        "\"backwater/scenario/1\"",
    );
    refused(
        ", rate = \"3 Mbit/s\"",
        "",
        "`flows.f1.source.rate` is missing",
        "",
        "rate = \"10 Mbit/s\"",
    );
    refused(
        "kind = \"uniform-uniform\", ",
        "",
        "`flows.f1.source.kind` is missing",
        "",
        "kind = ",
    );
    refused(
        "kind = \"strict-priority\", ",
        "",
        "`ports.\"W>D\".queue.kind` is missing",
        "",
        "kind = ",
    );
    refused(
        "nodes.S = { kind = \"host\" }",
        "nodes.S = { }",
        "`nodes.S.kind` is missing",
        "",
        "kind = \"host\"",
    );
    refused(
        "recipe = \"pause\", ",
        "",
        "needs a recipe, or a",
        "",
        "recipe = \"pause\"",
    );
    refused(
        ", model = \"output-queued\"",
        ", model = \"shared-memory\"",
        "`nodes.W.memory` is missing",
        "",
        "12 MB",
    );
    refused(
        ", model = \"output-queued\"",
        ", memory = \"1 MB\"",
        "goes with the model",
        "",
        "shared-memory",
    );
}

#[test]
fn what_a_part_refuses_is_shown_at_its_option() {
    let found = refused(
        "low = \"70 %\"",
        "low = \"90 %\"",
        "`mechanisms.bp.detect.low`",
        "",
        "",
    );
    assert_eq!(found.line, Some(11));
    let column = WIRED.lines().nth(10).unwrap().find("\"70 %\"").unwrap() + 1;
    assert_eq!(found.column, u32::try_from(column).ok());
}

#[test]
fn an_unreadable_trace_is_refused() {
    let row = crate::kinds::PartKind::Source
        .rows()
        .into_iter()
        .find_map(|r| {
            let file = r
                .options
                .iter()
                .find(|o| o.kind == backwater_transport::part::Kind::File)?;
            Some((r.id, file.name))
        });
    let (kind, option) = row.expect("a source that reads a trace");
    let new = format!("source = {{ kind = \"{kind}\", {option} = \"no/such.csv\" }} }}");
    let old = "source = { kind = \"uniform-uniform\", burst = \"24 kB\", rate = \"3 Mbit/s\" } }";
    refused(
        old,
        &new,
        "there is no file `no/such.csv`",
        "",
        "relative to",
    );
    refused(
        old,
        &new.replace("no/such.csv", "/"),
        "not a regular file",
        "",
        "readable",
    );
}
