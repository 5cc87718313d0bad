//! Recipes, settings by pattern, and values set by path.

use super::*;

#[test]
fn a_mechanism_can_be_switched_off_with_its_options_left_in_place() {
    let off = set(&[("mechanisms.bp.recipe", json!("none"))]).unwrap();
    assert!(off.spec().mechanisms.is_empty());
    refused(
        "recipe = \"pause\", at = [\"W>D\"], detect = { high",
        "recipe = \"none\", at = [\"W>D\"], detect = { hihg",
        "no detector has the option `hihg`",
        "high",
        "`high`",
    );
    refused(
        "recipe = \"pause\", at = [\"W>D\"], detect = { high = \"80 %\"",
        "recipe = \"none\", at = [\"W>D\"], detect = { high = 0.8",
        "no unit",
        "",
        "80 %",
    );
    refused(
        "recipe = \"pause\", at = [\"W>D\"]",
        "recipe = \"none\", at = [\"W>E\"]",
        "no port matches",
        "W>S",
        "`W>S`",
    );
}

#[test]
fn recipes_are_parts_with_presets_and_parts_can_be_named_instead() {
    use backwater_sim::mechanism::RECIPES;
    for recipe in RECIPES {
        let text = WIRED.replace("\"pause\"", &format!("\"{}\"", recipe.id)).replace(", detect = { high = \"80 %\", low = \"70 %\" }, notify = { audience = \"feeders\" }", "");
        let form = canonical(&text);
        let mechanism = &form["mechanisms"]["bp"];
        assert_eq!(mechanism["detect"]["kind"], recipe.detect);
        assert_eq!(mechanism["notify"]["kind"], recipe.notify);
        assert_eq!(mechanism["respond"]["kind"], recipe.respond);
        for (section, option, value) in recipe.preset {
            // The canonical form writes shares as numbers.
            let percent = |p: &str| (p.parse::<f64>().unwrap() / 100.0).to_string();
            let expected = value.strip_suffix(" %").map_or((*value).into(), percent);
            let found = &mechanism[section][option];
            let found = found.as_str().map_or(found.to_string(), str::to_owned);
            assert_eq!(found, expected, "{} {section}.{option}", recipe.id);
        }
        let named = format!(
            "detect = {{ kind = \"{}\" }}, notify = {{ kind = \"{}\" }}, respond = {{ kind = \"{}\" }}",
            recipe.detect, recipe.notify, recipe.respond
        );
        if recipe.preset.is_empty() {
            let other = text.replace(&format!("recipe = \"{}\"", recipe.id), &named);
            assert_eq!(canonical(&other), form, "{}", recipe.id);
        }
    }
}

#[test]
fn settings_of_ports_that_say_more_of_the_name_win_field_by_field() {
    let text = WIRED.replace("seed = 1", "ports.\"*>D\" = { buffer = \"1 kB\", queue = { kind = \"fifo\" } }\nports.\"*\" = { buffer = \"2 kB\" }\nports.\"*>*\" = { buffer = \"3 kB\" }")
        .replace("queue = { kind = \"strict-priority\", classes = 2 }, ", "");
    let form = canonical(&text);
    assert_eq!(
        form["ports"]["W>D"],
        json!({"buffer_B": 50_000, "queue": {"kind": "fifo"}})
    );
    assert_eq!(form["ports"]["S>W"]["buffer_B"], 3_000);
    let open = WIRED.replace(
        "seed = 1",
        "ports.\"S>*\" = { buffer = \"1 kB\" }\nports.\"*>W\" = { buffer = \"2 kB\" }",
    );
    let found = read(&open).unwrap_err();
    assert!(found.what.contains("neither is more specific"), "{found}");
    // An exact name goes before a pattern with as many letters, whatever the order.
    let exact = format!("{WIRED}\nports.\"W>D*\" = {{ buffer = \"1 kB\" }}\n");
    assert_eq!(canonical(&exact)["ports"]["W>D"]["buffer_B"], 50_000);
}

#[test]
fn a_port_has_a_queue_for_each_class_of_the_flows_where_nothing_is_said() {
    let text = WIRED.replace("class = 0", "class = 3");
    assert_eq!(
        canonical(&text)["ports"]["W>S"]["queue"],
        json!({"kind": "strict-priority", "classes": 4})
    );
    assert_eq!(canonical(&text)["ports"]["W>D"]["queue"]["classes"], 2);
}

#[test]
fn parallel_links_give_ports_their_names() {
    let text = WIRED
        .replace(
            "seed = 1",
            "links.c = { ends = [\"D\", \"W\"], rate = \"1 Gbit/s\", delay = \"0 s\" }",
        )
        .replace("\"W>D\"", "\"W>D#b\"");
    let names: Vec<String> = read(&text)
        .unwrap()
        .spec()
        .ports
        .into_iter()
        .map(|p| p.name)
        .collect();
    assert_eq!(names, ["S>W", "W>S", "W>D#b", "D>W#b", "D>W#c", "W>D#c"]);
}

#[test]
fn overrides_set_values_by_path() {
    let form = |overrides: &[(&str, Json)]| -> Json {
        serde_json::from_str(&set(overrides).unwrap_or_else(|d| panic!("{d}")).canonical).unwrap()
    };
    assert_eq!(
        form(&[("flows.*.source.rate", json!("5 Mbit/s"))])["flows"]["f1"]["source"]["rate_bps"],
        5_000_000
    );
    assert_eq!(
        form(&[("ports.\"W>D\".buffer", json!("100 packets"))])["ports"]["W>D"]["buffer_pkts"],
        100
    );
    assert_eq!(
        form(&[("ports.*.buffer", json!("60 kB"))])["ports"]["W>D"]["buffer_B"],
        60_000
    );
    assert_eq!(
        form(&[("ports.\"*\".buffer", json!("60 kB"))])["ports"]["W>S"]["buffer_B"],
        60_000
    );
    assert_eq!(form(&[("links.a.ends.0", json!("S"))]), canonical(WIRED));
    assert_eq!(
        form(&[("nodes.*.obeys", json!(false))])["nodes"]["S"]["obeys"],
        false
    );
    assert_eq!(
        form(&[("mechanisms.bp.respond.kind", json!("gate"))]),
        canonical(WIRED)
    );
    assert_eq!(
        form(&[(
            "flows.f1",
            json!({"from": "S", "to": "D", "source": {"kind": "uniform-uniform", "burst": "24 kB", "rate": "3 Mbit/s"}})
        )]),
        canonical(WIRED)
    );
    assert_eq!(
        form(&[("links.*.max_frame", json!("9 kB"))])["links"]["b"]["max_frame_B"],
        9_000
    );
}

#[test]
fn a_path_that_matches_nothing_is_refused_with_the_nearest() {
    for (path, nearest) in [
        ("flows.f1.source.rat", "flows.f1.source.rate"),
        ("flows.f2.source.rate", "flows.f1.source.rate"),
        ("flow.f1.source.rate", "flows.f1.source.rate"),
        ("flow.*.source.rate", "flows.*.source.rate"),
        ("duraton", "duration"),
        ("mechanisms.bp.detec.high", "mechanisms.bp.detect.high"),
        ("nodes.W.modle", "nodes.W.model"),
        ("flows.f1.class.x", "flows.f1.class"),
    ] {
        let found = set(&[(path, json!("1 s"))]).expect_err(path);
        assert!(found.what.contains("matches nothing"), "{found}");
        assert_eq!(
            found.nearest.first().map(String::as_str),
            Some(nearest),
            "{found}"
        );
        assert_eq!(found.place, format!("--set {path}=\"1 s\""));
    }
    for path in [
        "",
        "a..b",
        "ports.\"W>D",
        "ports.\"W\"x",
        "nodes.*.ports",
        "flows.*.source.hosts",
        "links.a.ends.7",
        ".",
    ] {
        set(&[(path, json!(1))]).expect_err(path);
    }
}

#[test]
fn a_wrong_override_is_blamed_on_itself_and_changes_nothing() {
    let found = set(&[("flows.*.source.rate", json!("5 Mbits"))]).unwrap_err();
    assert_eq!(
        (found.place.as_str(), found.line),
        ("--set flows.*.source.rate=\"5 Mbits\"", None)
    );
    let mut scenario = Scenario::from_toml(WIRED, "x.toml", Folders::default()).unwrap();
    scenario
        .set("flows.f9.class", &json!(1), "--set")
        .unwrap_err();
    assert_eq!(
        scenario.resolve(None).unwrap().canonical,
        read(WIRED).unwrap().canonical
    );
}

/// The canonical form has a simple field of a flow as it was read: with its unit, in its transport's form where it goes
/// with transports only, and not at its default.
#[test]
fn simple_fields_stand_in_the_canonical_form_unless_they_are_at_their_defaults() {
    let flow = |text: &str, more: &str| {
        canonical(&text.replace("source =", &format!("{more}source =")))["flows"]["f1"].clone()
    };
    let plain = flow(WIRED, "");
    assert_eq!(flow(WIRED, "hurst = false, "), plain);
    assert_eq!(plain.get("hurst"), None);
    assert_eq!(flow(WIRED, "hurst = true, ")["hurst"], true);
    let air = flow(WIRELESS, "budget = \"150 ms\", ");
    assert_eq!(air["budget_s"], json!(0.15));
    let tcp = WIRED.replace("\"udp\"", "\"tcp\", controller = { kind = \"reno\" }");
    let tcp = tcp.replace(
        "uniform-uniform\", burst = \"24 kB\", rate = \"3 Mbit/s\"",
        "saturated\"",
    );
    let plain = flow(&tcp, "");
    assert_eq!(flow(&tcp, "receiver = \"honest\", "), plain);
    let told = flow(&tcp, "receiver = \"divided\", small_queue = 8, ");
    assert_eq!(told["transport"]["receiver"], "divided");
    assert_eq!(told["transport"]["small_queue"], 8);
    assert_eq!(told.get("small_queue"), None);
}
