//! Ranges of names, rows of flows for a pattern, and defaults: each beside the same scenario written out.

use super::*;

const HEAD: &str = "schema = \"backwater/scenario/1\"\nduration = \"1 s\"\nnodes.W = { kind = \"switch\" }\nnodes.D = { kind = \"host\" }\nlinks.d = { ends = [\"W\", \"D\"], rate = \"10 Mbit/s\", delay = \"1 us\" }\n";

/// Hosts, links and flows 1 to 3 as `row` writes each.
fn written_out(row: impl Fn(u32) -> String) -> String {
    let mut text = HEAD.to_owned();
    for i in 1..=3 {
        text += &format!(
            "nodes.h{i} = {{ kind = \"host\" }}\nlinks.l{i} = {{ ends = [\"h{i}\", \"W\"], rate = \"10 Mbit/s\", delay = \"1 us\" }}\n"
        );
        text += &format!("{}\n", row(i));
    }
    text
}

/// The same hosts and links by ranges, with what `flows` writes.
fn short(flows: &str) -> String {
    let nodes = "nodes.\"h{1..3}\" = { kind = \"host\" }\n";
    let links = "links.\"l{1..3}\" = { ends = [\"h{1..3}\", \"W\"], rate = \"10 Mbit/s\", delay = \"1 us\" }\n";
    format!("{HEAD}{nodes}{links}{flows}\n")
}

fn whole(i: u32, source: &str) -> String {
    format!("flows.f{i} = {{ from = \"h{i}\", to = \"D\", class = 1, source = {source} }}")
}

const CBR: &str = "{ kind = \"cbr\", packet = \"1500 B\", rate = \"3 Mbit/s\" }";

#[track_caller]
fn wrong(flows: &str, what: &str, fix: &str) -> Diagnostic {
    let found = read(&short(flows)).expect_err(flows);
    assert!(found.what.contains(what), "{found}");
    assert!(found.fix.contains(fix), "{found}");
    assert!(found.line.is_some(), "{found}");
    found
}

#[test]
fn twelve_equal_flows_are_two_lines() {
    let text = format!(
        "defaults.flows = {{ to = \"D\", class = 1, source = {CBR} }}\nflows.\"f{{1..3}}\" = {{ from = \"h{{1..3}}\" }}"
    );
    let long = written_out(|i| whole(i, CBR));
    assert_eq!(canonical(&short(&text)), canonical(&long));
}

#[test]
fn a_flow_goes_before_its_pattern_and_a_pattern_before_the_defaults() {
    let rate = |i| [3, 2, 1][i as usize - 1];
    let long = written_out(|i| whole(i, &CBR.replace('3', &rate(i).to_string())));
    let text = format!(
        "defaults.flows = {{ to = \"D\", class = 7, source = {CBR} }}
         flows.\"f*\" = {{ class = 1, source = {{ rate = \"2 Mbit/s\" }} }}
         flows.\"f3*\" = {{ source.rate = \"1 Mbit/s\" }}
         flows.f1 = {{ from = \"h1\", source.rate = \"3 Mbit/s\" }}
         flows.\"f{{2..3}}\" = {{ from = \"h{{2..3}}\" }}"
    );
    assert_eq!(canonical(&short(&text)), canonical(&long));
}

#[test]
fn a_part_of_another_kind_takes_no_options_of_the_default() {
    let own = "{ kind = \"bulk\" }";
    let long = written_out(|i| whole(i, if i == 2 { own } else { CBR }));
    let text = format!(
        "defaults.flows = {{ to = \"D\", class = 1, source = {CBR} }}
         flows.\"f{{1..3}}\" = {{ from = \"h{{1..3}}\" }}
         flows.\"f2*\" = {{ source = {own} }}"
    );
    assert_eq!(canonical(&short(&text)), canonical(&long));
}

#[test]
fn json_has_the_same_and_paths_find_each_name() {
    let text = r#"{"schema":"backwater/scenario/1","duration":"1 s","topology":{"kind":"star","hosts":3,"rate":"1 Gbit/s","delay":"1 us","bottleneck":"1 Gbit/s"},
        "defaults":{"flows":{"to":"D","source":{"kind":"cbr","packet":"1500 B","rate":"1 Mbit/s"}}},"flows":{"f{3..1}":{"from":"h{3..1}"}}}"#;
    let mut scenario = Scenario::from_json(text, "x.json", Folders::default()).unwrap();
    scenario.set("flows.f2.class", &json!(2), "--set").unwrap();
    let rate = json!("2 Mbit/s");
    scenario.set("flows.*.source.rate", &rate, "--set").unwrap();
    let form: Json = serde_json::from_str(&scenario.resolve(None).unwrap().canonical).unwrap();
    let each = |field: &str| ["f1", "f2", "f3"].map(|f| form["flows"][f][field].clone());
    assert_eq!(
        each("from"),
        [["h1"], ["h2"], ["h3"]].map(|from| json!(from))
    );
    assert_eq!(each("class"), [0, 2, 0]);
    let rates = each("source").map(|source| source["rate_bps"].clone());
    assert_eq!(rates, [2_000_000; 3]);
    let found = scenario.set(
        "defaults.flows.class",
        &json!(1),
        "--set defaults.flows.class=1",
    );
    let found = found.unwrap_err();
    assert!(found.fix.contains("flows.*.source.rate"), "{found}");
    assert_eq!(found.place, "--set defaults.flows.class=1");
}

#[test]
fn numbers_keep_leading_zeros() {
    let text = short(
        "flows.\"f{08..10}\" = { from = \"h{1..3}\", to = \"D\", source = { kind = \"bulk\" } }",
    );
    let form = canonical(&text);
    let names: Vec<&String> = form["flows"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["f08", "f09", "f10"]);
    assert_eq!(form["flows"]["f10"]["from"], json!(["h3"]));
}

#[test]
fn what_is_wrong_is_refused_where_it_was_written() {
    let flow = |name: &str, from: &str| {
        format!("flows.\"{name}\" = {{ from = \"{from}\", to = \"D\", source = {CBR} }}")
    };
    wrong(&flow("f{1-3}", "h1"), "`f{1-3}` has no range", "{1..12}");
    wrong(
        &flow("f{1..2}{1..2}", "h1"),
        "has no range",
        "one in a name",
    );
    wrong(&flow("f{1..3", "h1"), "has no range", "{1..12}");
    wrong(
        &flow("f{1..3}", "h{1..2}"),
        "the range has 2 numbers, that of `f{1..3}` 3",
        "as many",
    );
    wrong(
        &flow("f{1..999999}", "h1"),
        "1000005 names, more than 100000",
        "shorter",
    );
    wrong(
        &flow("f{1..99999999999999999999}", "h1"),
        "has no range",
        "{1..12}",
    );
    let twice = [flow("f{1..2}", "h{1..2}"), flow("f2", "h3")].join("\n");
    wrong(
        &twice,
        "`flows.f2` is written twice, by `f{1..2}` and by `f2`",
        "end one range",
    );
    let one = flow("f1", "h1");
    wrong(
        &format!("{one}\nflows.\"g*\" = {{ class = 1 }}"),
        "no flow matches `g*`",
        "f1",
    );
    let rivals = format!("{one}\nflows.\"f*\" = {{ class = 1 }}\nflows.\"*1\" = {{ class = 2 }}");
    wrong(
        &rivals,
        "neither is more specific",
        "write `flows.f1.class`",
    );
    let settled = format!("{rivals}\n").replace("f1\" = {", "f1\" = { class = 3,");
    assert_eq!(canonical(&short(&settled))["flows"]["f1"]["class"], 3);
    wrong(
        &format!("{one}\ndefaults.nodes = {{ kind = \"host\" }}"),
        "unknown field `nodes` in `defaults`",
        "flows",
    );
    let field = wrong(
        &format!("{one}\ndefaults.flows = {{ clas = 1 }}"),
        "unknown field `clas` in `flows.f1`",
        "class",
    );
    assert_eq!(field.line, Some(9));
    wrong(
        &format!("{one}\nflows.\"f*\" = 3"),
        "is a number, not a table",
        "name = value",
    );
}
